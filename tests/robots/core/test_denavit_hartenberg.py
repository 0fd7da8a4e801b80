"""Modified Denavit-Hartenberg rows: the arm's matrices, and splitting any placement into rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.pose import make_pose, rotation_zxz

ANGLES = st.one_of(
    st.sampled_from([0.0, math.pi / 2, -math.pi / 2, math.pi]), st.floats(-math.pi, math.pi)
)
LENGTHS = st.one_of(st.just(0.0), st.floats(-2.0, 2.0))


def test_the_arms_fourth_frame_is_the_printed_matrix():
    """[LAMMARI12] §VI.5.3: T of frame 4 in frame 3, at q4 = 0.3."""
    c, s = math.cos(0.3), math.sin(0.3)
    printed = [[c, -s, 0, 0], [0, 0, -1, -1.5139], [s, c, 0, 0], [0, 0, 0, 1]]
    found = DhRow(alpha=math.pi / 2, theta=0.3, r=1.5139).pose()
    assert np.array_equal(found, printed)


def test_a_quarter_turn_leaves_exact_zeros():
    assert DhRow(alpha=-math.pi / 2).pose()[2, 2] == 0.0


@given(alpha=ANGLES, d=LENGTHS, theta=ANGLES, r=LENGTHS)
def test_a_row_is_found_again_as_one_row(alpha, d, theta, r):
    placement = DhRow(alpha=alpha, d=d, theta=theta, r=r).pose()
    pair = rows_of(placement)
    assert pair.is_single
    # A handful of roundings of entries up to 2.
    assert np.abs(pair.joint.pose() - placement).max() < 3e-15


@given(
    angles=st.tuples(ANGLES, st.floats(0.01, math.pi - 0.01), ANGLES),
    p=st.tuples(LENGTHS, LENGTHS, LENGTHS),
)
def test_two_rows_give_any_placement(angles, p):
    placement = make_pose(rotation_zxz(angles), p)
    pair = rows_of(placement)
    assert pair.carrier.alpha == pair.carrier.d == 0.0
    # 1e-16 / sin(0.01), times lengths of a few metres.
    assert np.abs(pair.carrier.pose() @ pair.joint.pose() - placement).max() < 1e-12


@pytest.mark.parametrize("theta", [0.0, math.pi])
@given(psi=ANGLES, p=st.tuples(LENGTHS, LENGTHS, LENGTHS))
def test_two_rows_give_parallel_axes(theta, psi, p):
    placement = make_pose(rotation_zxz([psi, theta, 0.0]), p)
    pair = rows_of(placement)
    # Offsets below the parallel limit, 1e-12 m, are taken as none.
    assert np.abs(pair.carrier.pose() @ pair.joint.pose() - placement).max() < 3e-12
