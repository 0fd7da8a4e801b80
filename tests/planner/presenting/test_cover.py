"""The fewest poses: against exact set cover, and what each point is assigned to."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import Bounds, LinearConstraint, milp

from planner.presenting.present import assigned, cover
from tests.cases import cases

MARGIN = np.radians(6.0)
TABLES = arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 8)))


def fewest(served):
    """The exact answer by integer programming."""
    reached = np.any(served, axis=0)
    if not reached.any():
        return 0
    rows = LinearConstraint(served[:, reached].T.astype(float), 1.0, np.inf)
    one = np.ones(len(served))
    return round(milp(one, constraints=rows, bounds=Bounds(0, 1), integrality=one).fun)


@settings(max_examples=cases(gate=15, soak=60), deadline=None, derandomize=True)
@given(TABLES)
def test_everything_that_can_be_served_is_by_few_poses(served):
    chosen = cover(MARGIN * served, len(served))
    reached = np.any(served[list(chosen)], axis=0) if chosen else np.zeros(served.shape[1], bool)
    np.testing.assert_array_equal(reached, np.any(served, axis=0))
    best = fewest(served)
    assert best <= len(chosen) <= best + 1
    assert len(set(chosen)) == len(chosen)


@settings(max_examples=cases(gate=15, soak=40), deadline=None, derandomize=True)
@given(TABLES, st.integers(1, 3))
def test_never_more_than_allowed_and_each_point_where_it_is_served(served, most):
    margins = MARGIN * served
    chosen = cover(margins, most)
    assert len(chosen) <= most
    for k, place in enumerate(assigned(margins, chosen)):
        able = [row for row in chosen if served[row, k]]
        assert (chosen[place] in able) if place >= 0 else not able


def test_an_exchange_repairs_what_greed_has_done():
    table = np.zeros((3, 6), dtype=bool)
    table[0, 1:5] = table[1, :3] = table[2, 3:] = True  # greed takes the first, then needs both
    assert sorted(cover(MARGIN * table, 3)) == [1, 2]


def test_of_equal_poses_the_one_with_the_larger_margin_is_taken():
    margins = np.radians([[2.0, 8.0, 8.0], [6.0, 6.0, 6.0], [0.0, 9.0, 9.0]])
    assert cover(margins, 2) == (1,)
    np.testing.assert_array_equal(assigned(margins, (1, 2)), [0, 1, 1])


def test_nothing_to_serve():
    assert cover(np.zeros((3, 2)), 2) == ()
    np.testing.assert_array_equal(assigned(np.zeros((3, 2)), ()), [-1, -1])
