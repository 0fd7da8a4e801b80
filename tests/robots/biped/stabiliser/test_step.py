"""Stabiliser and virtual robot: equilibria, limits, altitude, falls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError, PostureError
from robots.biped.stabiliser.fields import Fields, PolygonFields
from robots.biped.stabiliser.leg_stabiliser import PERIOD, Stabiliser
from robots.biped.stabiliser.tilting_ground import on_tilting_ground, standing_points
from robots.biped.stabiliser.virtual_robot import VirtualRobot
from robots.core.model import Model
from tests.cases import cases

BENT = np.array([0.0, -0.2, 0.6, -0.4])
# Faster than the tuned gains: no sole has to bear this.
QUICK = VirtualRobot(mass=1.0, damping=20.0, max_acceleration=50.0, max_speed=5.0)


@pytest.fixture(scope="module")
def biped():
    return open_biped("bip-leg")


def settled(stabiliser, cycles=4000, alpha=0.0, beta=0.0):
    state = stabiliser.start
    for _ in range(cycles):
        state = stabiliser.step(state, alpha, beta)
    return state


def com_of(biped, q, alpha=0.0, beta=0.0):
    return Model(on_tilting_ground(biped)).center_of_mass(np.hstack([alpha, beta, q]))


def test_opposite_walls_settle_at_the_root_of_their_gains(biped):
    """Δ1/Δ2 = √(k1/k2) for toe and heel of a rectangular sole, to 1e-4."""
    foot = biped.feet[0]
    sole = foot.sole.copy()
    sole[:, 1] = np.sign(sole[:, 1]) * 0.09
    flat = replace(biped, feet=(replace(foot, sole=sole),))
    stabiliser = Stabiliser(
        biped=flat, fields=Fields(repulsion=(0.04, 0.1, 0.01, 0.1)), virtual=QUICK, posture=BENT
    )
    com = com_of(flat, settled(stabiliser).q)
    corners = np.array(standing_points(flat))[:, :2]
    toe, left, heel, right = PolygonFields(corners, Fields()).distances(com[:2])
    assert toe / heel == pytest.approx(2.0, rel=1e-4)
    assert left / right == pytest.approx(1.0, rel=1e-4)


def test_it_settles_where_no_force_is_left_on_a_tilted_ground(biped):
    """A trapezoid's walls, seen along gravity on a ground of roll 4 and pitch 8 degrees."""
    alpha, beta = 0.07, 0.14
    stabiliser = Stabiliser(biped=biped, virtual=QUICK, posture=BENT)
    q = settled(stabiliser, alpha=alpha, beta=beta).q
    R = Model(on_tilting_ground(biped)).transforms(np.hstack([alpha, beta, q]))[1][:3, :3]
    turn = R @ Model(on_tilting_ground(biped)).transforms(np.zeros(6))[1][:3, :3].T
    corners = (np.array(standing_points(biped)) @ turn.T)[:, :2]
    force = PolygonFields(corners, Fields()).force(com_of(biped, q, alpha, beta)[:2])
    np.testing.assert_allclose(force, 0.0, atol=1e-4)  # one wall alone pushes with several newtons


@settings(max_examples=cases(gate=6, soak=25))
@given(
    st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4),
    st.floats(-0.3, 0.3),
    st.floats(-0.3, 0.3),
)
def test_limits_hold_whatever_happens(shares, alpha, beta):
    biped = open_biped("bip-leg")
    low, high = biped.mechanism.q_min, biped.mechanism.q_max
    q = low + np.array(shares) * (high - low)
    wild = VirtualRobot(mass=0.1, damping=1.0, posture_gain=3.0)
    stabiliser = Stabiliser(biped=biped, fields=Fields(repulsion=1.0), virtual=wild, posture=q)
    before = state = stabiliser.start
    for k in range(500):
        rough = np.sign(np.sin(0.1 * k))
        state = stabiliser.step(state, rough * alpha, beta, rates=(rough, -rough))
        assert (state.q >= low - 1e-14).all()
        assert (state.q <= high + 1e-14).all()
        assert (np.abs(state.qd) <= wild.max_speed + 1e-14).all()
        assert (np.abs(state.qd - before.qd) <= wild.max_acceleration * PERIOD + 1e-14).all()
        before = state


def test_a_joint_at_its_limit_leaves_its_part_to_the_others(biped):
    """The knee cannot bend backwards: the ankle brings the centre of mass forward all the same."""
    stabiliser = Stabiliser(biped=biped, virtual=QUICK)
    q = settled(stabiliser).q
    assert q[2] == pytest.approx(0.0, abs=1e-9)
    level = PolygonFields(np.array(standing_points(biped))[:, :2], Fields())
    np.testing.assert_allclose(level.force(com_of(biped, q)[:2]), 0.0, atol=1e-4)


def test_the_altitude_is_held_where_asked(biped):
    posture = np.array([0.0, -0.15, 0.6, -0.6])
    free = Stabiliser(biped=biped, virtual=QUICK, posture=posture)
    held = Stabiliser(biped=biped, virtual=replace(QUICK, altitude_weight=1.0), posture=posture)
    height = com_of(biped, posture)[2]
    sunk = com_of(biped, settled(free).q)[2] - height
    kept = com_of(biped, settled(held).q)[2] - height
    assert abs(sunk) > 5e-3
    assert abs(kept) < 1e-6


def test_mobility_chooses_who_moves(biped):
    stiff_ankle = replace(QUICK, mobility=(1.0, 0.01, 1.0, 1.0))
    plain = settled(Stabiliser(biped=biped, virtual=QUICK, posture=BENT)).q - BENT
    other = settled(Stabiliser(biped=biped, virtual=stiff_ankle, posture=BENT)).q - BENT
    assert abs(other[1]) < 0.5 * abs(plain[1])


def test_a_centre_of_mass_outside_has_fallen_and_is_not_pushed(biped):
    stabiliser = Stabiliser(biped=biped, virtual=QUICK, posture=BENT)
    state = stabiliser.step(stabiliser.start, 0.0, 0.8)
    assert state.fallen == 1.0
    np.testing.assert_array_equal(state.q, BENT)
    again = stabiliser.step(state, 0.0, 0.0)
    assert again.fallen == 1.0  # it does not get up by itself
    np.testing.assert_array_equal(again.q, BENT)


def test_state_in_state_out(biped):
    stabiliser = Stabiliser(biped=biped, posture=BENT)
    first = stabiliser.step(stabiliser.start, 0.1, 0.1)
    kept = first.q.copy()
    stabiliser.step(first, 0.2, 0.2)
    np.testing.assert_array_equal(first.q, kept)
    np.testing.assert_array_equal(stabiliser.step(stabiliser.start, 0.1, 0.1).q, kept)


def test_what_cannot_be_is_refused(biped):
    with pytest.raises(
        PostureError, match=r"'q3' .* starts at -5.730 deg, past its limit of 0.000"
    ):
        Stabiliser(biped=biped, posture=[0.0, 0.0, -0.1, 0.0])
    with pytest.raises(BipedError, match=r"shape \(2,\); give 4 finite angles"):
        Stabiliser(biped=biped, posture=[0.0, 0.0])
    with pytest.raises(BipedError, match=r"period of 0\.0 s"):
        Stabiliser(biped=biped, period=0.0)
    with pytest.raises(BipedError, match="virtual robot's mass is 0"):
        VirtualRobot(mass=0.0)
    with pytest.raises(BipedError, match="2 mobilities for 4 joints"):
        VirtualRobot(mobility=(1.0, 2.0)).numbers(biped.mechanism, PERIOD)
