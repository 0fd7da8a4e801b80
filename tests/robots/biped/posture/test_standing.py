"""BIP's published figures of posture: centre of mass, tip angles, squat, and standing on slopes."""

from __future__ import annotations

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError, PostureError
from robots.biped.posture.balance import tip_angle
from robots.biped.posture.ground import Ground
from robots.biped.posture.standing import stand
from robots.biped.posture.verdict import Stance, posture_verdict
from robots.core.model import Model

SQUAT = {"q2": -16, "q3": 85, "q4": -70, "q6": -16, "q7": 85, "q8": -70}


def posture(biped, angles):
    names = [joint.name for joint in biped.mechanism.movable]
    return np.radians([angles.get(name, 0.0) for name in names])


@pytest.fixture(scope="module")
def leg():
    return open_biped("bip-leg")


@pytest.fixture(scope="module")
def robot():
    return open_biped("bip2000")


def test_centre_of_mass_of_the_standing_robot(robot):
    found = stand(robot, robot.q_standing)
    # Published with five decimals; Z of the source looks right, y of the world left.
    np.testing.assert_allclose(found.com[0], [-0.02185, -0.00412, 1.01097], atol=5e-6)
    assert found.support[0].corners[:, 1].max() == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("name", "forward", "backward"), [("bip2000", 10.75, 5.55), ("bip-leg", 17.9, 9.3)]
)
def test_rigid_tip_angles(name, forward, backward):
    biped = open_biped(name)
    found = stand(biped, biped.q_standing)
    angles = [np.degrees(tip_angle(found.com[0], found.support[0], (s, 0))) for s in (1, -1)]
    # Published to 0.05 and 0.1 degree.
    assert angles == pytest.approx([forward, backward], abs=0.03)


@pytest.mark.parametrize("name", ["bip2000", "bip-leg"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_frozen_robot_falls_just_past_its_tip_angle(name, sign):
    biped = open_biped(name)
    level = stand(biped, biped.q_standing)
    limit = tip_angle(level.com[0], level.support[0], (sign, 0.0))
    for part, stance in ((0.999, Stance.STANDING), (1.001, Stance.FALLEN)):
        tilted = stand(biped, biped.q_standing, Ground(beta=sign * part * limit))
        found = posture_verdict(tilted.com[0], tilted.support[0])
        assert found.stance is stance
    assert found.edge == ("toe" if sign > 0 else "heel")


def test_the_leg_stands_at_the_bottom_of_the_squat(leg):
    found = stand(leg, posture(leg, SQUAT))
    assert found.com[0, 0] == pytest.approx(-0.104, abs=5e-4)
    assert posture_verdict(found.com[0], found.support[0]).stance is Stance.STANDING


def test_the_whole_robot_falls_over_its_heels_there(robot):
    found = stand(robot, posture(robot, SQUAT))
    verdict = posture_verdict(found.com[0], found.support[0])
    assert (verdict.stance, verdict.edge) == (Stance.FALLEN, "heel")
    # The judge's -199 mm belongs to a pelvis a degree further forward; here it leans by
    # 16 - 85 + 70 = 1 degree, and the trunk with it.
    assert found.com[0, 0] == pytest.approx(-0.2039, abs=5e-5)
    further = stand(robot, posture(robot, SQUAT | {"q4": -71, "q8": -71}))
    assert further.com[0, 0] == pytest.approx(-0.1996, abs=5e-5)
    assert found.margin[0] == pytest.approx(verdict.margin)


def test_feet_rest_while_the_joints_move(robot):
    """Both soles stay where they are in every squat with feet level."""
    bends = np.linspace(0.0, 0.6, 5)
    postures = np.array([posture(robot, {}) for _ in bends])
    names = [joint.name for joint in robot.mechanism.movable]
    for name, factor in (("q2", -1), ("q3", 2), ("q4", -1), ("q6", -1), ("q7", 2), ("q8", -1)):
        postures[:, names.index(name)] = factor * bends
    found = stand(robot, postures)
    for poses in found.T_world_feet.values():
        np.testing.assert_allclose(poses, np.broadcast_to(poses[0], poses.shape), atol=1e-14)
    assert {polygon.area for polygon in found.support} == {found.support[0].area}
    assert set(found.foot) == {"right"}


def test_it_stands_on_the_longer_leg(robot):
    right_bent = posture(robot, {"q2": -10, "q3": 20, "q4": -10})
    left_bent = posture(robot, {"q6": -10, "q7": 20, "q8": -10})
    found = stand(robot, np.array([right_bent, left_bent]))
    assert found.foot == ("left", "right")
    assert found.support[0].corners[:, 1].min() > 0.0 > found.support[1].corners[:, 1].max()


def test_ground_turns_the_robot_as_one_body(robot):
    ground = Ground(alpha=0.1, beta=-0.05, point=np.array([0.05, 0.02, 0.3]))
    level, tilted = (stand(robot, robot.q_standing, plane) for plane in (Ground(), ground))
    moved = ground.rotation @ (level.com[0] - [0.05, 0.02, 0.0]) + ground.point
    np.testing.assert_allclose(tilted.com[0], moved, atol=1e-15)


def test_given_model_is_used(leg):
    model = Model(leg.mechanism, "numpy")
    q = np.zeros((3, 4))
    np.testing.assert_array_equal(stand(leg, q, model=model).com, stand(leg, q).com)


def test_no_foot_flat_is_refused(robot):
    with pytest.raises(PostureError, match=r"Posture 2 of bip2000: whichever foot .* mm below"):
        stand(robot, np.array([posture(robot, {}), posture(robot, {"q2": 20, "q6": -20})]))


@pytest.mark.parametrize("q", [np.zeros(3), np.full(4, np.nan), np.zeros((2, 2, 4))])
def test_bad_postures_are_refused(leg, q):
    with pytest.raises(BipedError, match="give 4 finite joint values"):
        stand(leg, q)


def test_no_posture_is_refused(leg):
    with pytest.raises(BipedError, match="give at least one"):
        stand(leg, np.zeros((0, 4)))
