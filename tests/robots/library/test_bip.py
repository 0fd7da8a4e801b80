"""BIP 2000 and its leg: the published checks that settle how its numbers are read."""

import numpy as np
import pytest

from robots.core.model import Model
from robots.core.rerooted import reroot
from robots.library import load

UNREAL = {"q9", "q10", "q11", "q12", "q13", "q14"}  # rounded source, bip2000.md


@pytest.fixture(scope="module")
def robot():
    return load("bip2000")


@pytest.fixture(scope="module")
def leg():
    return load("bip-leg")


def at(mechanism, **joints):
    """q in the mechanism's order from degrees by name; the others at zero."""
    names = [joint.name for joint in mechanism.movable]
    assert set(joints) <= set(names)
    return np.radians([float(joints.get(name, 0.0)) for name in names])


def test_mass_and_centre_of_mass_are_the_published_ones(robot):
    """Total mass 104.81 kg; COM(0), hips at 0.903 m, to the five digits that are printed."""
    assert robot.total_mass == pytest.approx(104.81, abs=1e-12)
    com = np.add(Model(robot).center_of_mass(np.zeros(15)), [0.0, 0.903, 0.0])
    assert np.allclose(com, [-0.02185, 1.01097, 0.00412], atol=5e-6)


def test_variables_are_those_of_the_source_in_the_order_of_the_tree(robot):
    names = [joint.name for joint in robot.movable]
    legs = ["q9", "q10", "q4", "q3", "q2", "q1", "q11", "q12", "q8", "q7", "q6", "q5"]
    assert names == [*legs, "q13", "q14", "q15"]
    assert robot.joints[0].name == "pelvis"
    assert robot.joints[0].body.mass == 8.8


def test_at_zero_the_feet_are_under_the_hips_and_the_frames_have_exact_axes(robot):
    T = Model(robot).transforms(np.zeros(15))
    for foot, side in (("q1", 0.11), ("q5", -0.11)):
        assert np.allclose(T[robot.index(foot), :3, 3], [0, -0.82, side], atol=1e-15)
        assert np.allclose(T[robot.index(foot), :3, 0], [0, -1, 0], atol=1e-15)
    assert np.allclose(Model(robot).forward(np.zeros(15))[:3, 3], [0, 0.788, 0], atol=1e-15)


def test_bodies_that_no_mass_distribution_has_load_with_a_warning(robot):
    told = {joint.name for joint in robot.joints if joint.body.inconsistencies()}
    assert told == UNREAL
    assert len(robot.warnings()) == len(UNREAL)
    assert all("not physically consistent" in sentence for sentence in robot.warnings())


MIRRORED = {"q1": "q5", "q2": "q6", "q3": "q7", "q4": "q8", "q9": "q11", "q10": "q12"}


def test_the_legs_are_mirror_images(robot):
    """The source's left signs make equal values symmetric postures."""
    rng = np.random.default_rng(8)
    values = {name: rng.uniform(-15, 15) for name in MIRRORED}
    q = at(robot, **values, **{MIRRORED[name]: value for name, value in values.items()})
    model = Model(robot)
    T = model.transforms(q)
    for right, left in MIRRORED.items():
        a, b = robot.index(right), robot.index(left)
        for body, pose in ((robot.joints[a].body, T[a]), (robot.joints[b].body, T[b])):
            assert body.mass == robot.joints[a].body.mass
            pose[:3, 3] += pose[:3, :3] @ body.com
        assert np.allclose(T[b, :3, 3], T[a, :3, 3] * [1, 1, -1], atol=1e-14)
    speeds = 2.0 * q
    hold = model.torques(q, speeds, np.zeros(15))
    trunkless = {joint.name: hold[k] for k, joint in enumerate(robot.movable)}
    for right, left in MIRRORED.items():
        assert trunkless[left] == pytest.approx(trunkless[right], abs=1e-10)


@pytest.mark.parametrize(
    ("joint", "moved", "toward"),
    [  # what a positive angle does to the foot, base axes X forward, Y up, Z right
        ("q4", "q1", [1, 0, 0]),  # flexion range -75 … 20: the foot goes back with q4 > 0
        ("q3", "q1", [-1, 0, 0]),  # the knee bends backward
        ("q8", "q5", [1, 0, 0]),
        ("q7", "q5", [-1, 0, 0]),
    ],
)
def test_signs_are_those_of_a_walking_robot(robot, joint, moved, toward):
    sign = -1.0 if joint in ("q4", "q8") else 1.0  # the hip swings forward with q4 < 0
    T = Model(robot).transforms(at(robot, **{joint: sign * 10}))
    assert T[robot.index(moved), :3, 3] @ toward > 0.05


def test_rotor_inertias_of_the_fixed_ratios(robot):
    """ratio² · rotor; the others depend on posture and are left to the drives."""
    found = {joint.name: joint.motor_inertia for joint in robot.movable if joint.motor_inertia}
    expected = {"q9": 271.16**2 * 3.5e-5, "q10": 203.79**2 * 1.8e-5, "q13": 191.05**2 * 1.8e-5}
    expected |= {"q11": expected["q9"], "q12": expected["q10"]}
    assert found == pytest.approx(expected, rel=1e-9)


def test_the_legs_rows_are_figure_8(leg):
    """Eq. (6) with l2 = l3 = 0.410 m and l4 = 0.128 m."""
    q = np.random.default_rng(1).uniform(-1, 1, 4)
    c1, s1 = np.cos(q[0]), np.sin(q[0])
    sums = np.cumsum(q[1:])
    reach, height = (0.41, 0.41, 0.128) @ np.array([np.cos(sums), np.sin(sums)]).T
    T = Model(leg).forward(q)
    assert np.allclose(T[:3, 3], [c1 * reach, s1 * reach, height], atol=1e-14)
    assert np.allclose(T[:3, 2], [s1, -c1, 0], atol=1e-14)
    assert np.allclose(T[2, :2], [np.sin(sums[2]), np.cos(sums[2])], atol=1e-14)


def test_the_leg_is_the_robots_left_one_seen_from_its_foot(robot, leg):
    """q1 … q4 are q5 … q8: the same torques, when the rest of the robot has no mass."""
    from dataclasses import replace

    from robots.core.mechanism import Body

    own = {"q11", "q12", "q8", "q7", "q6", "q5"}
    joints = tuple(j if j.name in own else replace(j, body=Body()) for j in robot.joints)
    new = reroot(replace(robot, joints=joints), "q5")
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.uniform(-0.5, 0.5, (3, 4))
    whole = np.zeros((3, 15))
    names = [joint.name for joint in new.mechanism.movable]
    places = [names.index(name) for name in ("q5", "q6", "q7", "q8")]
    whole[:, places] = q, qd, qdd
    tau = Model(new.mechanism).torques(*whole)[places]
    assert np.allclose(Model(leg).torques(q, qd, qdd), tau, atol=1e-11)
    assert new.mechanism.total_mass == pytest.approx(leg.total_mass, rel=1e-14)
    # The foot's frame of the source has x down and z forward; the leg's base x up and z backward.
    com = Model(new.mechanism).center_of_mass(whole[0]) * [-1, 1, -1]
    assert np.allclose(Model(leg).center_of_mass(q), com, atol=1e-14)


def test_the_leg_weighs_what_its_bodies_weigh(leg):
    assert leg.total_mass == pytest.approx(3.2 + 0.7 + 10.9 + 5.93 + 0.18 + 2.34, abs=1e-12)
    assert leg.total_mass == pytest.approx(23.25, abs=1e-12)


def test_at_the_bottom_of_the_squat_the_leg_s_centre_of_mass_is_over_the_heel(leg):
    """16°/85°/70° of the thesis: -104 mm from the ankle, inside the heel at -120 mm."""
    com = Model(leg).center_of_mass(at(leg, q2=-16, q3=85, q4=-70))
    assert -com[2] == pytest.approx(-0.104, abs=5e-4)  # z is backward
