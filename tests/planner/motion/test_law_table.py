"""The table of laws says what each law says by itself, on both sides of its switches."""

from itertools import pairwise

import numpy as np
import pytest

from planner.motion.motions import LawTable
from robots.core.motion.motion_law import LAW_NAMES, double_s, motion_law, trapezoid

LAWS = [motion_law(name) for name in LAW_NAMES] + [trapezoid(0.2), trapezoid(0.013)]
LAWS += [double_s(0.3, 0.1), double_s(0.02, 0.004)]
# Two ways to evaluate the same polynomial of degree five: a few roundings.
TOLERANCE = 1e-13


def states(law, s, side):
    return np.stack([law.r(s), law.dr(s, side), law.ddr(s, side)])


@pytest.mark.parametrize("row", range(len(LAWS)))
def test_inside_pieces(row):
    table, law = LawTable(LAWS), LAWS[row]
    s = np.linspace(0.0, 1.0, 401)
    s = s[~np.isin(s, law.switches)]
    found = table.at(np.full(s.size, row), s)
    expected = states(law, s, "right")
    expected[:, -1] = states(law, s[-1:], "left")[:, 0]  # at its end the law's own side is meant
    assert np.abs(np.stack([found.r, found.dr, found.ddr]) - expected).max() < TOLERANCE * 200


@pytest.mark.parametrize("row", range(len(LAWS)))
def test_both_sides_of_every_switch(row):
    table, law = LawTable(LAWS), LAWS[row]
    for s in law.switches:
        here = np.array([s])
        for side, seen in (("left", np.nextafter(here, -1.0)), ("right", here)):
            found = table.at(np.array([row]), here, seen)
            expected = states(law, here, side)[:, 0]
            values = np.array([found.r[0], found.dr[0], found.ddr[0]])
            assert values == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE)
            assert found.s[0] == s


@pytest.mark.parametrize("row", range(len(LAWS)))
def test_pieces_run_from_switch_to_switch(row):
    table, law = LawTable(LAWS), LAWS[row]
    edges = [0.0, *(s for s in law.switches if 0.0 < s < 1.0), 1.0]
    for piece, (a, b) in enumerate(pairwise(edges)):
        x = np.linspace(0.0, 1.0, 11)
        found = table.state(np.full(11, row), np.full(11, piece), x)
        assert found.s == pytest.approx(a + (b - a) * x, abs=1e-15)
        inner = slice(1, -1)
        expected = states(law, found.s[inner], "right")
        values = np.stack([found.r, found.dr, found.ddr])[:, inner]
        assert np.abs(values - expected).max() < TOLERANCE * 200


def test_a_law_with_fewer_pieces_rests_in_the_others():
    table = LawTable(LAWS)
    assert table.pieces == 7
    quintic = LAW_NAMES.index("quintic")
    for piece in range(1, 7):
        found = table.state(np.array([quintic]), np.array([piece]), np.array([0.4]))
        assert (found.s[0], found.r[0], found.dr[0], found.ddr[0]) == (1.0, 1.0, 0.0, 0.0)


def test_an_empty_table():
    assert LawTable([]).pieces == 1
