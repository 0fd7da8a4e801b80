"""Points on the wall of a slot: by its form, not by the order of its triangles."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import FeatureError
from parts.features.feature import choose_feature
from parts.features.patch import SlotPatch
from parts.sampling.sample import AccessLimits, sample
from tests.parts.features.test_recognition import OUTLINE, SIDES, plate, upright, wall

DEPTH, RADIUS = 0.01, 0.004


def slot_plate(steps):
    """A plate with a slot along x, its ends in chords of so many to a half turn."""
    turn = np.radians(np.linspace(0.0, 180.0, steps + 1))
    outline = [
        (x + RADIUS * np.cos(a + t), RADIUS * np.sin(a + t))
        for x, a in ((-0.01, 0.5 * np.pi), (0.01, -0.5 * np.pi))
        for t in turn
    ]
    ends = [upright(x, 0.0, RADIUS, inner=True) for x in (-0.01, 0.01)]
    walls = [wall(0.0, RADIUS, 0.0, -1.0), wall(0.0, -RADIUS, 0.0, 1.0)]
    return plate(OUTLINE, [outline], [*SIDES, *ends, *walls])


def slot(steps):
    return choose_feature(slot_plate(steps), "slot-1")


def test_points_lie_evenly_on_the_wall_and_look_into_the_slot():
    patch = slot(16).patch
    assert isinstance(patch, SlotPatch)
    length = 2.0 * (0.020 + np.pi * RADIUS)
    assert (patch.width, patch.height) == pytest.approx((length, DEPTH), abs=1e-12)
    u = (np.arange(200) + 0.5) / 200
    points = patch.at(np.column_stack([u, np.full(200, 0.5)]))
    x, y, z = points.positions.T
    axis = np.column_stack(
        [np.clip(x, -0.01, 0.01), np.zeros(200), z]
    )  # of the bore that is milled
    assert np.linalg.norm(points.positions - axis, axis=1) == pytest.approx(RADIUS, abs=1e-15)
    assert points.normals == pytest.approx((axis - points.positions) / RADIUS, abs=1e-12)
    steps = np.linalg.norm(points.positions - np.roll(points.positions, 1, axis=0), axis=1)
    assert np.ptp(steps) < 1e-3 * length / 200  # chords of the ends; nothing is left out
    assert np.ptp(z) == 0.0
    assert {np.sign(value) for value in y} == {-1.0, 1.0}


@pytest.mark.parametrize("strategy", ["hammersley", "circles", "helix"])
def test_how_finely_its_ends_are_divided_moves_no_point(strategy):
    reach = AccessLimits(edge_margin=0.001)
    coarse, fine = (sample(slot(n), strategy, 14, reach=reach).points for n in (12, 24))
    assert len(coarse) == 14
    assert np.abs(coarse.positions - fine.positions).max() < 1e-9
    assert 0.001 <= coarse.positions[:, 2].min() < coarse.positions[:, 2].max() <= DEPTH - 0.001


def test_a_margin_of_half_its_depth_leaves_nothing():
    with pytest.raises(FeatureError, match=r"No slot is left 0.005 m away .* only 0.01 m deep"):
        slot(12).patch.inset(0.005)
