"""Inverse geometry of a leg: forward geometry undoes it, on both knee branches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.biped.biped import Biped
from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError, PostureError
from robots.biped.walking.legged_robot import foot_posture, hip_posture, legs_of
from robots.core.model import Model
from tests.cases import cases

ROBOT, LEG = open_biped("bip2000"), open_biped("bip-leg")
LEGS, (STANDING,) = legs_of(ROBOT), legs_of(LEG)
MODEL, LEG_MODEL = Model(ROBOT.mechanism), Model(LEG.mechanism)
UP = np.eye(4)
UP[:3, :3] = ROBOT.T_world_base[:3, :3]

angle = st.floats(-0.7, 0.7)
knee = st.floats(0.0, 1.57)


def foot_pose(leg, q):
    link = ROBOT.mechanism.index(ROBOT.foot(leg.foot).link)
    return UP @ MODEL.transforms(q)[..., link, :, :]


def hip_place(q):
    index = LEG.mechanism.index("q4")
    return LEG.T_world_base[:3, :3] @ LEG_MODEL.transforms(q)[index, :3, 3]


def test_lengths_are_the_published_ones():
    """bip2000.md: 0.41 m and 0.41 m, hips 0.11 m from the middle, ankles 83 mm above the sole."""
    for leg, side in zip(LEGS, (-1.0, 1.0), strict=True):
        assert (leg.thigh, leg.shank) == pytest.approx((0.41, 0.41))
        np.testing.assert_allclose(leg.hip, [0, side * 0.11, 0], atol=1e-12)
        assert leg.ankle[2] + ROBOT.T_world_base[2, 3] == pytest.approx(0.083)
    assert LEGS[0].names == ("q9", "q10", "q4", "q3", "q2", "q1")
    assert STANDING.names == ("q1", "q2", "q3", "q4")
    assert STANDING.length == pytest.approx(0.82)


@pytest.mark.parametrize("side", [0, 1])
@settings(max_examples=cases(gate=10, soak=60), deadline=None)
@given(hips=st.tuples(angle, angle, angle), bend=knee, ankles=st.tuples(angle, angle))
def test_inverse_undoes_forward(side, hips, bend, ankles):
    leg = LEGS[side]
    q = np.zeros(15)
    q[list(leg.columns)] = [*hips, bend, *ankles]
    found = foot_posture(leg, foot_pose(leg, q)).q
    # Near the stretched knee the angle is the root of a length: 1e-16 m there is 1e-8 rad.
    tolerance = 1e-10 if bend > 1e-3 else 1e-6
    np.testing.assert_allclose(found, q[list(leg.columns)], atol=tolerance)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("branch", ["forward", "backward"])
def test_forward_undoes_inverse_in_both_branches(side, branch):
    leg, rng = LEGS[side], np.random.default_rng(5)
    q = rng.uniform(-0.6, 0.6, (400, 15))
    q[:, leg.columns[3]] = rng.uniform(0.0, 1.5, 400)
    wanted = foot_pose(leg, q)
    q[:, leg.columns] = foot_posture(leg, wanted, branch).q
    np.testing.assert_allclose(foot_pose(leg, q), wanted, atol=1e-10)
    bend = q[:, leg.columns[3]] * leg.signs[3]
    assert (bend >= 0).all() if branch == "forward" else (bend <= 0).all()


@settings(max_examples=cases(gate=10, soak=60), deadline=None)
@given(roll=angle, lean=angle, bend=knee, hip=angle, forward=st.booleans())
def test_standing_leg(roll, lean, bend, hip, forward):
    q = np.array([roll, lean, bend, hip])
    place = hip_place(q)
    pitch = float(np.sum(q[1:] * STANDING.signs[1:]))
    found = hip_posture(STANDING, place, pitch, "forward" if forward else "backward").q
    np.testing.assert_allclose(hip_place(found), place, atol=1e-10)
    assert np.sum(found[1:] * STANDING.signs[1:]) == pytest.approx(pitch, abs=1e-12)
    if forward and bend > 1e-3:
        np.testing.assert_allclose(found, q, atol=1e-10)


def test_stretched_leg_is_exact():
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = LEGS[0].foot_zero, LEGS[0].ankle
    np.testing.assert_array_equal(foot_posture(LEGS[0], T).q, np.zeros(6))
    np.testing.assert_array_equal(hip_posture(STANDING, [0.0, 0.0, 0.82]).q, np.zeros(4))


@pytest.mark.parametrize("drop", [0.01, 0.3])
def test_too_far_says_the_lengths(drop):
    T = np.repeat(np.eye(4)[None], 3, axis=0)
    T[:, :3, :3], T[:, :3, 3] = LEGS[1].foot_zero, LEGS[1].ankle
    T[2, 2, 3] -= drop
    with pytest.raises(PostureError, match=r"left leg would need .* at sample 2") as caught:
        foot_posture(LEGS[1], T)
    assert caught.value.facts["value"] == pytest.approx(0.82 + drop)
    assert caught.value.facts["limit"] == pytest.approx(0.82)
    with pytest.raises(PostureError, match="bring the pelvis lower"):
        hip_posture(STANDING, [0.0, 0.0, 0.82 + drop])


def test_excess_over_the_limits():
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = LEGS[0].foot_zero, LEGS[0].hip - [0.0, 0.0, 0.5]
    posture = foot_posture(LEGS[0], T)
    bend = 2.0 * np.arccos(0.25 / 0.41)
    assert posture.q[3] == pytest.approx(bend)
    np.testing.assert_allclose(posture.excess[3], bend - np.pi / 2)
    assert posture.excess[5] == 0.0


def test_wrong_kind_of_leg_and_bad_values():
    with pytest.raises(BipedError, match="position of its hip"):
        foot_posture(STANDING, np.eye(4))
    with pytest.raises(BipedError, match="use its foot's pose"):
        hip_posture(LEGS[0], [0.0, 0.0, 0.8])
    with pytest.raises(PostureError, match="not finite"):
        hip_posture(STANDING, [np.nan, 0.0, 0.8])


def test_a_leg_of_another_kind_is_refused():
    feet = (ROBOT.feet[0].__class__(name="odd", link="q4", sole=ROBOT.feet[0].sole),)
    odd = Biped(mechanism=ROBOT.mechanism, feet=feet, T_world_base=ROBOT.T_world_base)
    with pytest.raises(BipedError, match="moves by 3 joints"):
        legs_of(odd)
