"""Points on a bore of a mesh: off its rims, and over its whole depth."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from parts.features.feature import choose_feature
from parts.geometry import load_geometry
from parts.sampling.sample import AccessLimits, sample
from tests.cases import some

DEPTH = 0.030  # [m]


@pytest.fixture(scope="module")
def bore(tmp_path_factory):
    """``bore(sections)``: the wall of a bore of 20 mm, as long triangles from rim to rim."""
    folder = tmp_path_factory.mktemp("bores")

    def make(sections):
        path = folder / f"{sections}.stl"
        ring = trimesh.creation.annulus(r_min=10, r_max=40, height=30, sections=sections)
        ring.export(path)
        return choose_feature(load_geometry(path, unit="mm"), "nearest:10,0,0")

    return make


@pytest.mark.parametrize("sections", some([16, 24, 32, 48, 64, 100], gate=2))
@pytest.mark.parametrize("count", [8, 12, 16])
def test_points_keep_off_the_rims_and_lie_at_several_depths(bore, sections, count):
    """Where the number of triangles was a multiple of the count, all points lay on the rims."""
    feature = bore(sections)
    found = sample(feature, "hammersley", count).points
    assert np.abs(found.positions[:, 2]).max() < 0.48 * DEPTH
    depth = found.positions[:, 2] / DEPTH + 0.5
    thirds = np.histogram(depth, bins=[0.0, 0.5, 1.0])[0]
    assert thirds.min() >= count // 4
    assert np.ptp(depth) > 0.4
    around = np.sort(np.arctan2(found.positions[:, 1], found.positions[:, 0]))
    gaps = np.diff(np.append(around, around[0] + 2.0 * np.pi))
    assert gaps.max() < np.radians(120.0)
    radial = found.positions[:, :2] / np.linalg.norm(found.positions[:, :2], axis=1)[:, None]
    assert np.sum(found.normals[:, :2] * radial, axis=1).max() < -0.95


def test_every_count_is_kept_and_nothing_depends_on_the_run(bore):
    feature = bore(32)
    for count in (1, 2, 3, 7, 300):
        one, two = (sample(feature, "hammersley", count).points.positions for _ in range(2))
        assert len(np.unique(one, axis=0)) == count
        np.testing.assert_array_equal(one, two)


def test_a_margin_is_kept_as_well(bore):
    feature = bore(48)
    found = sample(feature, "hammersley", 20, reach=AccessLimits(edge_margin=0.010)).points
    assert np.abs(found.positions[:, 2]).max() <= 0.5 * DEPTH - 0.010 + 1e-9
