"""Choosing features of a geometry: names, indices, kinds, nearest points, numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.errors import FeatureError
from parts.features.band import Band
from parts.features.feature import choose_feature
from parts.features.mesh_patch import SkinPatch
from parts.features.patch import Rectangle
from parts.geometry import Face
from parts.library import open_part


@pytest.fixture(scope="module")
def block():
    return open_part("block").geometry


@pytest.fixture(scope="module")
def facets(block):
    """The block as a mesh file has it: triangles, no faces."""
    whole = Face(
        name="mesh", index=0, kind="facets", surface=None, triangles=np.arange(len(block.mesh))
    )
    return replace(block, faces=(whole,), source="block.stl")


@pytest.mark.parametrize("text", ["hole-20", "#6", "nearest:10,20,15"])
def test_by_name_index_and_nearest_point(block, text):
    feature = choose_feature(block, text)
    assert feature.name == "hole-20"
    assert feature.kind == "cylinder"
    assert isinstance(feature.patch, Band)
    assert feature.patch.surface.radius == 0.010
    assert feature.patch.height == pytest.approx(0.030)
    assert feature.patch.full


def test_by_kind(block):
    assert choose_feature(block, "cone").name == "cone"
    with pytest.raises(FeatureError, match=r"3 features 'cylinder': hole-30 \(⌀30 mm\)"):
        choose_feature(block, "cylinder")
    with pytest.raises(FeatureError, match=r"no feature 'torus'; .* It has 7 plane, 3 hole"):
        choose_feature(block, "torus")


def test_unknown(block):
    with pytest.raises(FeatureError, match=r"no feature 'hole-2' \(did you mean 'hole-20'\?\)"):
        choose_feature(block, "hole-2")
    with pytest.raises(FeatureError, match="has no face #11"):
        choose_feature(block, "#11")
    with pytest.raises(FeatureError, match="nearest is '1,2'; expected 3 finite numbers"):
        choose_feature(block, "nearest:1,2")


def test_a_plane_gets_the_smallest_box_along_an_edge(block):
    top = choose_feature(block, "top").patch
    assert isinstance(top, Rectangle)
    assert sorted(top.size) == pytest.approx([0.080, 0.120])
    assert top.centre == pytest.approx([0.060, 0.040, 0.030])


def test_rim_of_the_top_knows_holes_and_cone(block):
    rim = choose_feature(block, "top").rim
    inside = np.array([[20, 20, 30], [100, 60, 30], [60, 20, 30], [100, 20, 30], [-1, 5, 30]]) / 1e3
    assert rim.keeps(inside, 0.0).tolist() == [False, False, False, True, False]
    # Beside the wall of the 20 mm hole, whose polygon strays by 12 µm.
    near = np.array([[20 + 10 + 2.0, 20, 30], [20 + 10 + 2.2, 20, 30]]) / 1e3
    assert rim.keeps(near, 2.1e-3).tolist() == [False, True]
    assert rim.distances(near)[0] == pytest.approx(2e-3, abs=1e-9)


def test_nearest_on_a_mesh_is_the_smooth_region_there(facets):
    top = choose_feature(facets, "nearest:100,20,30")
    assert top.kind == "plane"
    assert top.patch.surface.axis == pytest.approx([0, 0, 1])
    assert sorted(top.patch.size) == pytest.approx([0.080, 0.120])
    hole = choose_feature(facets, "nearest:10,20,15")
    assert hole.kind == "facets"
    assert isinstance(hole.patch, SkinPatch)
    assert len(hole.patch.triangles) == 128


def test_by_numbers_on_a_part(block, facets):
    text = "cylinder:base=20,20,-5;axis=0,0,1;diameter=20;height=60;inner"
    points = np.array([[10, 20, 15], [10, 20, 40], [10, 20, -2]]) / 1e3
    for geometry in (block, facets):
        feature = choose_feature(geometry, text)
        assert feature.keeps(points, 0.0).tolist() == [True, False, False]


def test_whole_mesh_keeps_off_sharp_edges(facets):
    feature = choose_feature(facets, "#0")
    points = np.array([[100, 20, 30], [100, 0.5, 30], [120, 40, 29.2]]) / 1e3
    assert feature.keeps(points, 1e-3).tolist() == [True, False, False]
