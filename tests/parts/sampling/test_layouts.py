"""Layouts in the unit square, and their discrepancies beside brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts.errors import SamplingError
from parts.sampling.layouts import LAYOUTS, PatchShape, lay_out, star_discrepancy

SQUARE = PatchShape(width=1.0, height=1.0, round=False)
TUBE = PatchShape(width=0.2, height=0.1, round=True)

shapes = st.builds(
    PatchShape, width=st.floats(0.01, 1), height=st.floats(0.01, 1), round=st.booleans()
)


@given(st.sampled_from(sorted(LAYOUTS)), st.integers(1, 150), shapes)
def test_every_layout_gives_the_count_inside_the_square_without_repeating(strategy, count, shape):
    uv = lay_out(strategy, count, shape)
    assert uv.shape == (count, 2)
    assert uv.min() >= 0.0
    assert uv.max() <= 1.0
    gaps = np.linalg.norm(uv[:, None] - uv, axis=2) + np.eye(count)
    assert gaps.min() > 1e-6


def test_nine_points_are_three_by_three():
    uv = lay_out("grid", 9, SQUARE)
    assert sorted(map(tuple, np.round(uv * 6).astype(int).tolist())) == [
        (a, b) for a in (1, 3, 5) for b in (1, 3, 5)
    ]
    assert len({*lay_out("grid", 12, PatchShape(width=4.0, height=3.0, round=False))[:, 1]}) == 3
    assert len(lay_out("grid", 13, SQUARE)) == 13


def test_hammersley_is_the_textbook_set():
    uv = lay_out("hammersley", 8, SQUARE)
    assert uv[:, 0].tolist() == [(i + 0.5) / 8 for i in range(8)]
    assert (uv[:, 1] - 1 / 16).tolist() == [0, 1 / 2, 1 / 4, 3 / 4, 1 / 8, 5 / 8, 3 / 8, 7 / 8]


@given(st.integers(0, 10_000), st.integers(1, 25))
def test_star_discrepancy_is_the_supremum(seed, count):
    rng = np.random.default_rng(seed)
    uv = rng.random((count, 2))
    found = star_discrepancy(uv)
    for corner in rng.random((200, 2)):  # no box may be worse
        share = np.mean(np.all(uv < corner, axis=1))
        assert abs(share - corner.prod()) <= found + 1e-15
    # Brute force over all critical boxes, open and closed.
    us, vs = np.append(uv[:, 0], 1), np.append(uv[:, 1], 1)
    closed = [np.mean((uv[:, 0] <= a) & (uv[:, 1] <= b)) - a * b for a in us for b in vs]
    open_ = [a * b - np.mean((uv[:, 0] < a) & (uv[:, 1] < b)) for a in us for b in vs]
    assert found == pytest.approx(max(*closed, *open_), abs=1e-15)


def test_known_star_discrepancies():
    assert star_discrepancy(np.array([[0.5, 0.5]])) == 0.75  # the box up to 1 in one direction
    assert star_discrepancy(np.array([[1.0, 1.0]])) == 1.0
    half = np.zeros((48, 48), dtype=bool)
    half[:24] = True  # the left half is all there is; points fill it evenly
    uv = lay_out("hammersley", 64, SQUARE) * [0.5, 1.0]
    assert star_discrepancy(uv, half) < 0.06
    assert star_discrepancy(uv) > 0.2


def test_discrepancy_of_each_strategy():
    """Hammersley is the most even, for 64 points; a star crowds the middle on purpose."""
    star = {name: star_discrepancy(lay_out(name, 64, SQUARE)) for name in LAYOUTS}
    assert min(star, key=star.get) == "hammersley"
    assert star["hammersley"] < 0.05
    assert star["grid"] < 0.13  # 1/8 of the points stand on one line
    tube = {name: star_discrepancy(lay_out(name, 64, TUBE)) for name in LAYOUTS}
    assert tube["hammersley"] < 0.05
    assert tube["helix"] < 0.15
    random = star_discrepancy(np.random.default_rng(0).random((64, 2)))
    assert star["hammersley"] < random / 2


def test_structure_of_the_round_layouts():
    rings = lay_out("circles", 24, TUBE)
    assert 2 <= len(np.unique(rings[:, 1])) <= 6
    arms = lay_out("star", 24, TUBE)
    assert len(np.unique(arms[:, 0])) == 8
    winding = lay_out("helix", 24, TUBE)
    assert np.all(np.diff(winding[:, 1]) > 0)
    flat = lay_out("star", 24, SQUARE) - 0.5
    angles = np.unique(np.round(np.degrees(np.arctan2(flat[:, 1], flat[:, 0]))) % 360)
    assert angles.tolist() == [0, 45, 90, 135, 180, 225, 270, 315]


def test_faults():
    with pytest.raises(SamplingError, match="no strategy 'gird'; choose one of grid, hammersley"):
        lay_out("gird", 5, SQUARE)
    line = PatchShape(width=1.0, height=0.0, round=False)
    with pytest.raises(SamplingError, match="cannot take the strategy 'helix'"):
        lay_out("helix", 5, line)
    assert lay_out("grid", 4, line)[:, 0].tolist() == [0.125, 0.375, 0.625, 0.875]
