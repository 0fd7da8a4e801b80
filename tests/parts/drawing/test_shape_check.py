"""Dimensions that cannot be those of the faces that a file links them to."""

from __future__ import annotations

import numpy as np
import pytest

from parts.drawing.drawing import Dimension, Drawing
from parts.drawing.step_pmi import without_contradictions
from parts.geometry.surfaces import Cylinder, Plane
from parts.library import open_part


@pytest.fixture(scope="module")
def block():
    return open_part("block").geometry


def kept(geometry, **facts):
    one = Dimension(**{"lower": np.nan, "upper": np.nan, **facts})
    found = without_contradictions(Drawing(dimensions=(one,)), geometry)
    assert len(found.dimensions) + len(found.unread) == 1
    return found.unread[0].reason if found.unread else ""


def test_a_diameter_is_that_of_its_bore(block):
    bore = next(face for face in block.faces if isinstance(face.surface, Cylinder))
    plane = next(face for face in block.faces if isinstance(face.surface, Plane))
    size = 2.0 * bore.surface.radius
    faces = {"kind": "diameter", "faces": (bore.index,)}
    assert kept(block, nominal=size, **faces) == ""
    assert kept(block, nominal=1.009 * size, **faces) == ""
    assert kept(block, nominal=1.03 * size, upper=1.04 * size, lower=0.9 * size, **faces) == ""
    told = f"the faces that it is linked to have {1e3 * size:.6g} mm"
    assert kept(block, nominal=1.03 * size, **faces) == told
    assert kept(block, nominal=0.5 * size, kind="radius", faces=(bore.index,)) == ""
    told = "the faces that it is linked to have no diameter"
    assert kept(block, nominal=size, kind="diameter", faces=(plane.index,)) == told


def test_a_distance_is_that_of_its_planes(block):
    planes = [face for face in block.faces if isinstance(face.surface, Plane)]
    first = planes[0]
    for second in planes[1:]:
        cosine = float(first.surface.axis @ second.surface.axis)
        apart = abs(float((second.surface.point - first.surface.point) @ first.surface.axis))
        ends = {"kind": "distance", "faces": (first.index,), "origin_faces": (second.index,)}
        if abs(cosine) < 0.5:
            assert "not parallel" in kept(block, nominal=0.01, **ends)
        elif apart:
            assert kept(block, nominal=apart, **ends) == ""
            told = f"the faces that it is linked to have a distance of {1e3 * apart:.6g} mm"
            assert kept(block, nominal=1.1 * apart, **ends) == told
