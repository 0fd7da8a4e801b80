"""Verdicts: the three stances, exact times of crossing, edges, moving and changing polygons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.biped.errors import BipedError
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.posture.verdict import Stance, gait_verdict, motion_verdict, posture_verdict

FOOT = SupportPolygon.of([[-0.12, -0.06], [0.17, -0.09], [0.17, 0.09], [-0.12, 0.06]])
T = np.linspace(0.0, 1.0, 11)


def along_x(*values: float) -> np.ndarray:
    return np.stack([np.array(values), np.zeros(len(values))], axis=1)


def test_standing():
    found = motion_verdict(T, np.zeros((11, 3)), along_x(*np.linspace(-0.05, 0.1, 11)), FOOT)
    assert found.stance is Stance.STANDING
    assert np.isnan(found.time)
    assert found.edge == ""
    # The slanted sides are nearer than the toe: 60 mm half-width at the heel, 90 mm at the toe.
    slant = np.hypot(0.03, 0.29)
    assert found.margin == pytest.approx((0.06 * 0.29 + 0.03 * 0.07) / slant)


def test_zero_moment_point_on_the_edge_tips_at_the_time_between_samples():
    zmp = along_x(*np.linspace(0.0, 0.3, 11))
    found = motion_verdict(T, np.zeros((11, 3)), zmp, FOOT)
    assert (found.stance, found.edge) == (Stance.TIPPING, "toe")
    assert found.time == pytest.approx(0.17 / 0.3, abs=1e-12)
    assert found.margin == pytest.approx(-0.13)


def test_touching_the_edge_tips_but_a_centre_of_mass_there_has_not_fallen():
    toe = np.array([[0.17, 0.0]])
    assert motion_verdict([0.0], toe, np.zeros((1, 2)), FOOT).stance is Stance.STANDING
    assert motion_verdict([0.0], np.zeros((1, 2)), toe, FOOT).stance is Stance.TIPPING
    assert posture_verdict([0.17, 0.0, 0.9], FOOT).stance is Stance.TIPPING


def test_centre_of_mass_outside_has_fallen_whatever_the_zero_moment_point_does():
    com = along_x(*np.linspace(0.0, -0.2, 11))
    found = motion_verdict(T, com, along_x(*np.linspace(0, 0.3, 11)), FOOT)
    assert (found.stance, found.edge) == (Stance.FALLEN, "heel")
    assert found.time == pytest.approx(0.6, abs=1e-12)
    assert found.margin == pytest.approx(-0.08)


def test_posture_is_judged_at_time_zero():
    found = posture_verdict([-0.199, 0.0, 0.8], FOOT)
    assert (found.stance, found.time, found.edge) == (Stance.FALLEN, 0.0, "heel")
    assert found.margin == pytest.approx(-0.079)


def test_the_first_edge_counts_when_two_are_passed_between_samples():
    way = np.array([[0.0, 0.0], [0.34, 0.34]])
    found = motion_verdict([0.0, 1.0], way, None, FOOT)
    # The left side, y = 0.06 + 0.03·(x + 0.12)/0.29, is met before the toe at x = 0.17.
    met = (0.06 + 0.03 * 0.12 / 0.29) / (1.0 - 0.03 / 0.29)
    assert (found.edge, found.time) == ("left", pytest.approx(met / 0.34, abs=1e-12))


@given(st.floats(-np.pi, np.pi), st.floats(0.2, 3.0))
def test_the_point_of_crossing_lies_on_the_boundary(angle, length):
    end = length * np.array([np.cos(angle), np.sin(angle)])
    found = motion_verdict([2.0, 4.0], np.array([[0.0, 0.0], end]), None, FOOT)
    crossing = 0.5 * (found.time - 2.0) * end
    assert FOOT.signed_margin(crossing) == pytest.approx(0.0, abs=1e-12)


def test_a_polygon_that_shrinks_over_a_resting_point():
    """Tilting narrows the projection; edges are taken as straight in time between samples."""
    supports = [SupportPolygon.of(np.array(FOOT.corners) * [k, 1.0]) for k in (1.0, 0.8, 0.6)]
    com = np.tile([0.119, 0.0], (3, 1))
    found = motion_verdict([0.0, 1.0, 2.0], com, None, supports)
    assert (found.stance, found.edge) == (Stance.FALLEN, "toe")
    # Toe at 0.17·(1 − 0.2·t) reaches 0.119 at t = 1.5.
    assert found.time == pytest.approx(1.5, abs=1e-12)


def test_a_foot_that_leaves_takes_its_polygon_along_at_once():
    shift = np.array([0.05, 0.1])  # in stride: six corners on two feet, four on one
    both = SupportPolygon.of(np.concatenate([FOOT.corners + shift, FOOT.corners - shift]))
    right = SupportPolygon.of(FOOT.corners - shift)
    assert (len(both.corners), len(right.corners)) == (6, 4)
    com = np.tile([0.05, 0.05], (3, 1))
    found = motion_verdict([0.0, 1.0, 2.0], com, None, [both, both, right])
    assert (found.stance, found.time, found.edge) == (Stance.FALLEN, 2.0, "left")


def test_edges_are_told_apart_when_the_polygon_begins_with_another_corner():
    """Yaw turns the lowest x from one heel corner to the other; the toe stays the toe."""
    turned = [
        SupportPolygon.of(
            FOOT.corners @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        )
        for a in (-0.01, 0.01)
    ]
    assert turned[0].edge_names != turned[1].edge_names
    found = motion_verdict([0.0, 1.0], along_x(0.0, 0.34), None, turned)
    assert found.edge == "toe"
    # The toe's line meets the x axis at 0.17/cos(0.01) in both polygons.
    assert found.time == pytest.approx(0.5 / np.cos(0.01), abs=1e-12)


def test_a_walk_is_judged_by_the_zero_moment_point_alone():
    assert gait_verdict(T, np.zeros((11, 2)), FOOT).stance is Stance.STANDING
    found = gait_verdict(T, along_x(*np.linspace(0, -0.24, 11)), FOOT)
    assert (found.stance, found.edge) == (Stance.TIPPING, "heel")
    assert found.time == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("t", "points", "message"),
    [
        ([], np.zeros((0, 2)), "at least one"),
        ([0.0, 1.0], np.zeros((3, 2)), "do not belong together"),
        ([0.0, 0.0], np.zeros((2, 2)), "rise"),
        ([0.0, np.nan], np.zeros((2, 2)), "finite"),
        ([0.0, 1.0], np.full((2, 2), np.nan), "finite coordinates"),
    ],
)
def test_bad_motions_are_refused(t, points, message):
    with pytest.raises(BipedError, match=message):
        motion_verdict(t, points, None, FOOT)


def test_one_polygon_for_each_sample():
    with pytest.raises(BipedError, match="2 points are judged by 3 support polygons"):
        motion_verdict([0.0, 1.0], np.zeros((2, 2)), None, [FOOT] * 3)
