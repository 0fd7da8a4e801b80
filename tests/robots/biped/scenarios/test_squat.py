"""The squat of the thesis: the leg stands, the whole robot falls over its heels."""

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError
from robots.biped.posture.verdict import Stance
from robots.biped.scenarios.squat import squat
from robots.biped.walking.free_base import FREE, FreeBase
from robots.core.model import Model


@pytest.fixture(scope="module")
def leg():
    return squat(open_biped("bip-leg"))


@pytest.fixture(scope="module")
def robot():
    return squat(open_biped("bip2000"))


def test_leg_stands_as_published(leg):
    """bip2000.md: at the bottom the leg's COM is −104 mm from the ankle, inside the heel (−120)."""
    bottom = len(leg.t) // 2
    assert leg.t[bottom] == pytest.approx(7.0)
    assert 1e3 * leg.com[bottom, 0] == pytest.approx(-104.0, abs=0.5)
    assert leg.verdict.stance is Stance.STANDING
    assert leg.margin.min() == leg.verdict.margin > 0.0
    assert any("-104 mm from the ankles" in remark for remark in leg.remarks)


def test_mean_zmp_error_is_about_a_millimetre(leg):
    """[GASTEBOIS17] §2.6.1: an error of about 1 mm on average."""
    assert 0.5e-3 < leg.curves["zmp_minus_com_m"].mean() < 1.5e-3


def test_robot_falls_over_its_heel(robot):
    """bip2000.md: a fall. It says −199 mm; these joint angles give −203.9 (see below)."""
    bottom = len(robot.t) // 2
    assert robot.verdict.stance is Stance.FALLEN
    assert robot.verdict.edge == "heel"
    assert 2.5 < robot.verdict.time < 4.0
    before = robot.com[robot.t < robot.verdict.time]
    assert before[:, 0].min() > -0.12
    assert 1e3 * robot.com[bottom, 0] == pytest.approx(-203.9, abs=0.1)
    assert any("falls over the heel at 3.08 s" in remark for remark in robot.remarks)


def test_bottom_of_the_robot_by_pinocchio(robot):
    """An independent oracle for −203.9 mm: Pinocchio on the tree with a free base."""
    pin = pytest.importorskip("pinocchio")
    biped, bottom = robot.biped, len(robot.t) // 2
    model = pin.Model()
    last = {-1: model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")}
    rest = {-1: pin.SE3.Identity()}
    for index, joint in enumerate(biped.mechanism.joints):
        parent, placed = last[joint.parent], rest[joint.parent] * pin.SE3(np.array(joint.placement))
        last[index], rest[index] = parent, placed
        if joint.movable:
            last[index] = model.addJoint(parent, pin.JointModelRZ(), placed, joint.name)
            rest[index] = pin.SE3.Identity()
        body = pin.Inertia(joint.body.mass, np.array(joint.body.com), np.eye(3))
        model.appendBodyToJoint(last[index], body, rest[index])
    q = pin.neutral(model)
    q[:7] = pin.SE3ToXYZQUAT(pin.SE3(np.array(robot.T_world_base[bottom])))
    for joint, value in zip(biped.mechanism.movable, robot.q[bottom], strict=True):
        q[model.joints[model.getJointId(joint.name)].idx_q] = value
    data = model.createData()
    here = pin.centerOfMass(model, data, q)
    np.testing.assert_allclose(here, robot.com[bottom], atol=1e-10)
    ankle = data.oMi[model.getJointId("q1")].homogeneous
    np.testing.assert_allclose(ankle[:3, 3], [0.0, -0.11, 0.083], atol=1e-10)


def test_feet_stay(robot):
    model = Model(robot.biped.mechanism)
    for link in ("q1", "q5"):
        T = robot.T_world_base @ model.transforms(robot.q)[:, robot.biped.mechanism.index(link)]
        np.testing.assert_allclose(T, np.broadcast_to(T[0], T.shape), atol=1e-10)


@pytest.mark.parametrize("name", ["leg", "robot"])
def test_power_of_the_joints_is_the_rate_of_energy(name, request):
    """The feet rest, so the ground does no work, however two feet share the load."""
    motion = request.getfixturevalue(name)
    free = FreeBase(biped=motion.biped)
    x = free.coordinates(motion.q, motion.T_world_base)
    h = motion.t[1] - motion.t[0]
    xd = np.gradient(x, h, axis=0, edge_order=2)
    xd[:, FREE:] = motion.qd
    energies = free.model.energies(x, xd)
    energy = energies.kinetic + energies.potential
    power = np.sum(motion.tau * motion.qd, axis=1)
    # The base's speed by central differences and the rate of energy are good to h² = 1e-4.
    rate = np.gradient(energy, h)
    assert np.abs(power).max() > 5.0
    np.testing.assert_allclose(rate[2:-2], power[2:-2], atol=2e-3 * np.abs(power).max())


def test_stops_are_reported_ranges_kept(leg):
    """bip2000.md: 85 and 70 deg pass the simulation stops, not the transmission ranges."""
    text = "\n".join(leg.remarks)
    assert "q3 reaches 85.0 deg at 7.00 s, 4.2 deg beyond the simulation's stop (80.8 deg)" in text
    assert "q4 reaches -70.0 deg at 7.00 s, 3.0 deg beyond" in text
    assert "beyond its limit" not in text
    assert "q1" not in text


def test_up_is_down_reversed(leg):
    np.testing.assert_allclose(leg.q, leg.q[::-1], atol=1e-12)
    np.testing.assert_allclose(leg.qd, -leg.qd[::-1], atol=1e-9)
    np.testing.assert_allclose(leg.tau, leg.tau[::-1], atol=1e-6)


def test_no_bend_is_standing_still():
    still = squat(open_biped("bip2000"), 0.0, 0.0, 0.0, duration=0.5, period=0.05)
    assert still.verdict.stance is Stance.STANDING
    np.testing.assert_allclose(still.qd, 0.0, atol=1e-12)
    np.testing.assert_allclose(still.zmp[:, :2], still.com[:, :2], atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"knee": 2.0}, "knee angle is 114.592 deg"),
        ({"hip": float("nan")}, "hip angle is nan"),
        ({"duration": 0.0}, "duration is 0.0 s"),
        ({"period": -1.0}, "period is -1.0 s"),
    ],
)
def test_refusals(arguments, text):
    with pytest.raises(BipedError, match=text):
        squat(open_biped("bip-leg"), **arguments)
