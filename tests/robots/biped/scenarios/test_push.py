"""A push: limits of the pendulum and of the whole body, recovery below, fall above."""

import re

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError
from robots.biped.posture.verdict import Stance
from robots.biped.scenarios.push import Recovery, capture_limits, push, sway
from robots.biped.walking.free_base import FREE, FreeBase
from robots.biped.walking.legged_robot import LeggedRobot
from robots.core.model import Model
from tests.cases import some

ROBOT = open_biped("bip2000")


@pytest.fixture(scope="module")
def recovered():
    return push(ROBOT, 0.5)


@pytest.fixture(scope="module")
def swaying():
    free = FreeBase(biped=ROBOT)
    return sway(LeggedRobot(biped=ROBOT), free, np.array([1.0, 0.0]))


@pytest.mark.parametrize(("direction", "limit"), [((1, 0), 0.598), ((-1, 0), 0.306)])
def test_published_capture_limits(direction, limit):
    """bip2000.md: ω = 3.1151 1/s; no-step capture limits +0.598 / −0.306 m/s."""
    found = capture_limits(ROBOT, direction)
    assert found.pendulum == pytest.approx(limit, abs=5e-4)
    # Legs that stay behind give angular momentum: the whole robot can stand a little less.
    assert 0.9 * limit < found.whole_body < limit
    assert found.commanded == found.whole_body


def test_recovers_on_the_spot(recovered):
    assert recovered.verdict.stance is Stance.STANDING
    assert recovered.verdict.margin == pytest.approx(Recovery().inset, abs=1e-9)
    assert np.abs(recovered.com[-1] - [-0.02185, -0.00412, 1.01097]).max() < 1e-4
    assert np.abs(recovered.qd[-1]).max() < 1e-3
    assert any("omega = 3.1151" in remark for remark in recovered.remarks)


def test_zmp_of_the_full_dynamics_is_the_commanded_one(recovered):
    np.testing.assert_allclose(
        recovered.zmp[:, 0], recovered.curves["zmp_command_along_m"], atol=1e-8
    )
    assert recovered.zmp[:, 0].max() == pytest.approx(0.168, abs=1e-8)


def test_blow_gives_the_speed_to_the_centre_of_mass(recovered):
    speed = np.gradient(recovered.com[:, 0], recovered.t)
    assert speed[0] == pytest.approx(0.5, rel=0.02)  # one-sided difference over 5 ms
    by_impulse = push(ROBOT, impulse=0.5 * 104.81, recovery=Recovery(duration=0.1))
    np.testing.assert_allclose(by_impulse.q, recovered.q[: len(by_impulse.t)], atol=1e-9)


@pytest.mark.parametrize("direction", some([(0.6, -0.8), (-1.0, 0.0), (1.0, 0.0)], gate=1))
def test_limit_tells_recovery_from_fall(direction):
    """The limit from the energy equation against the simulation: two roads."""
    limit = capture_limits(ROBOT, direction, inset=0.002).commanded
    patient = Recovery(duration=6.0, period=0.02)
    below = push(ROBOT, 0.99 * limit, direction, recovery=patient)
    above = push(ROBOT, 1.01 * limit, direction, recovery=patient)
    assert below.verdict.stance is Stance.STANDING
    assert above.verdict.stance is Stance.FALLEN
    assert 0.2 < above.verdict.time < 2.0


def test_fall_is_told_with_time_and_edge():
    forward, backward = push(ROBOT, 0.7), push(ROBOT, 0.45, (-1.0, 0.0))
    assert (forward.verdict.edge, backward.verdict.edge) == ("toe", "heel")
    assert np.interp(forward.verdict.time, forward.t, forward.com[:, 0]) == pytest.approx(
        0.17, abs=1e-5
    )
    assert forward.t[-1] < 4.0
    assert "only a step would help" in forward.remarks[1]


def test_power_of_the_joints_is_the_rate_of_energy(recovered):
    free = FreeBase(biped=ROBOT)
    x = free.coordinates(recovered.q, recovered.T_world_base)
    h = recovered.t[1] - recovered.t[0]
    xd = np.gradient(x, h, axis=0, edge_order=2)
    xd[:, FREE:] = recovered.qd
    energies = free.model.energies(x, xd)
    rate = np.gradient(energies.kinetic + energies.potential, h)
    power = np.sum(recovered.tau * recovered.qd, axis=1)
    assert np.abs(power).max() > 20.0
    # Speeds bend where the command leaves the edge; elsewhere differences are good to h².
    np.testing.assert_allclose(rate[2:-2], power[2:-2], atol=2e-2 * np.abs(power).max())


def test_push_terms_are_exact(swaying):
    """0 = A0 + A1·s̈ + A2·ṡ² against the full dynamics at states of its own."""
    from robots.biped.posture.ground import Ground
    from robots.biped.posture.zero_moment import zero_moment_point

    rng = np.random.default_rng(9)
    s, sd = rng.uniform(-0.15, 0.2, 20), rng.uniform(-0.6, 0.6, 20)
    wanted = rng.uniform(-0.1, 0.15, 20)
    sdd = np.array([swaying.acceleration(*one) for one in zip(s, sd, wanted, strict=True)])
    state = swaying.state(s, sd, sdd)
    found = swaying.free.push(state, swaying.free.efforts(state))
    zmp = zero_moment_point(found.force, found.moment, Ground())
    # The tables are splines of degree five over 5 mm.
    np.testing.assert_allclose(zmp[:, 0], wanted, atol=1e-8)


def test_centre_of_mass_of_the_sway(swaying):
    s = np.array([-0.1, 0.0, 0.123])
    com = swaying.free.model.center_of_mass(swaying.path(s))
    np.testing.assert_allclose(swaying.center_of_mass(s), com[:, 0], atol=1e-12)
    h = 1e-5
    slope = (swaying.center_of_mass(s + h) - swaying.center_of_mass(s - h)) / (2 * h)
    np.testing.assert_allclose(swaying.slope(s), slope, atol=1e-9)


def test_knees_keep_their_angle(recovered):
    knees = [3, 9]
    np.testing.assert_array_equal(recovered.q[:, knees], 0.0)
    bent = push(ROBOT, 0.2, recovery=Recovery(lowering=0.06, duration=0.5))
    assert np.ptp(bent.q[:, knees]) < 1e-9
    assert bent.q[0, 3] > 0.5


def test_no_push_is_standing_still():
    still = push(ROBOT, 0.0, recovery=Recovery(duration=0.2))
    assert still.verdict.stance is Stance.STANDING
    np.testing.assert_allclose(still.qd, 0.0, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "give one of the two"),
        ({"speed": 0.1, "impulse": 1.0}, "give one of the two"),
        ({"speed": -0.1}, "speed of -0.1 m/s"),
        ({"speed": 0.1, "direction": (0.0, 0.0)}, "give two numbers"),
        ({"speed": 0.1, "recovery": Recovery(lowering=0.9)}, "less than the 0.82 m"),
        ({"speed": 0.1, "recovery": Recovery(lowering=0.65)}, "lower the pelvis less"),
    ],
)
def test_refusals(arguments, text):
    with pytest.raises(BipedError, match=text):
        push(ROBOT, **arguments)


@pytest.mark.parametrize("field", ["gain", "duration", "period"])
def test_recovery_refuses(field):
    with pytest.raises(BipedError, match=f"recovery's {field}"):
        Recovery(**{field: 0.0})
    with pytest.raises(BipedError, match="inset"):
        Recovery(inset=-0.001)


@pytest.mark.parametrize("direction", some([(0.6, -0.8), (-1, 0), (0, 1), (0, -1), (1, 0)], gate=1))
def test_the_speed_told_after_a_fall_is_recovered_from(direction):
    """Told to a millimetre per second, downwards: 2 mm/s more is a fall again."""
    fallen = push(ROBOT, 1.0, direction)
    told = float(re.search(r"at most (\d\.\d{3}) m/s", fallen.remedy)[1])
    patient = Recovery(duration=8.0, period=0.02)
    assert push(ROBOT, told, direction, recovery=patient).verdict.stance is Stance.STANDING
    more = push(ROBOT, told + 0.002, direction, recovery=patient)
    assert more.verdict.stance is Stance.FALLEN
    blow = float(re.search(r"a blow of (\d+\.\d\d) N s", fallen.remedy)[1])
    assert blow == pytest.approx(told * ROBOT.mechanism.total_mass, abs=0.01)


def test_a_push_that_lifts_the_feet_is_refused_with_the_speed_that_would_do():
    with pytest.raises(BipedError, match=r"of 9 m/s forward tears.*at most 0\.551 m/s") as caught:
        push(ROBOT, 9.0)
    assert caught.value.facts["limit"] == pytest.approx(0.552, abs=1e-3)


@pytest.mark.parametrize(("direction", "way"), [((1, 0), "forward"), ((-2, 0), "backward")])
def test_a_leg_is_refused_with_the_speed_of_its_pendulum(direction, way):
    """ω times the way to the edge, by hand."""
    leg = open_biped("bip-leg")
    seen = leg.T_world_base[:3, :3] @ Model(leg.mechanism).center_of_mass(np.zeros(4))
    x, z = seen[0], seen[2] + leg.T_world_base[2, 3]
    limit = np.sqrt(9.81 / z) * (0.17 - x if way == "forward" else 0.12 + x)
    text = f"at most {np.floor(1000 * limit) / 1000:.3f} m/s {way}"
    with pytest.raises(BipedError, match=text) as caught:
        push(leg, 9.0, direction)
    assert caught.value.facts["limit"] == pytest.approx(limit)
    assert caught.value.facts["unit"] == "m/s"
