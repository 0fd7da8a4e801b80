"""Distance of two convex polygons: by hand, against Shapely, and moved about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.biped.posture.support_polygon import convex_hull, polygon_distance
from tests.cases import cases

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("shift", "distance"),
    [
        ((3.0, 0.5), 2.0),
        ((4.0, 5.0), 5.0),  # corner to corner: 3 and 4
        ((1.0, 0.0), 0.0),
        ((0.75, 0.1), -0.25),
        ((0.1, -0.6), -0.4),
        ((0.0, 0.0), -1.0),
    ],
)
def test_squares_by_hand(shift, distance):
    found = polygon_distance(SQUARE[None], (SQUARE + shift)[None])
    assert found == pytest.approx([distance], abs=1e-15)


def hulls(seed):
    rng = np.random.default_rng(seed)
    clouds = rng.uniform(-1.0, 1.0, (2, rng.integers(3, 9), 2))
    clouds[1] = clouds[1] @ [[0.6, 0.8], [-0.8, 0.6]] + rng.uniform(-2.5, 2.5, 2)
    return [convex_hull(cloud) for cloud in clouds]


@settings(max_examples=cases(gate=12, soak=150), deadline=None)
@given(seed=st.integers(0, 10**6))
def test_against_another_library(seed):
    shapely = pytest.importorskip("shapely")
    first, second = hulls(seed)
    peers = [shapely.Polygon(hull) for hull in (first, second)]
    (found,) = polygon_distance(first[None], second[None])
    (other,) = polygon_distance(second[None], first[None])
    assert found == pytest.approx(other, abs=1e-14)
    if found > 0.0:
        assert found == pytest.approx(peers[0].distance(peers[1]), abs=1e-12)
        return
    assert peers[0].intersects(peers[1])
    # The depth is the least way that parts them: no shorter one does, and some way of it does.
    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    ways = -found * np.column_stack([np.cos(angles), np.sin(angles)])
    moved = polygon_distance(
        np.broadcast_to(first, (len(ways), *first.shape)), second + ways[:, None]
    )
    assert moved.max() == pytest.approx(0.0, abs=1e-3)


def test_many_at_once():
    shifts = np.array([[3.0, 0.5], [0.75, 0.1]])
    found = polygon_distance(np.array([SQUARE, SQUARE]), SQUARE + shifts[:, None])
    assert found == pytest.approx([2.0, -0.25])
