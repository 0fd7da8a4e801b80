"""The inclined plate of [LAMMARI12], its nine points, and where it stands before the robot.

The drawing data are few: the plane 0.10 x + 0.25 y + z = 0.40 m and three stations along x and y.
Tables VI.7 and VI.8 follow from them in two readings.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from parts.alignment.alignment import Alignment
from parts.alignment.fixed import fixed
from parts.geometry.surfaces import Plane
from parts.library.quilt import Cloth, LibraryPart, grid_triangles, sewn
from parts.points.probe_points import ProbePoints
from robots.core.arrays import Array

SLOPES = (0.10, 0.25)  # of the plane: z = 0.40 − 0.10 x − 0.25 y
LEVEL = 0.40  # [m]
STATIONS_X = (0.05, 0.25, 0.45)  # [m]
STATIONS_Y = (0.05, 0.20, 0.35)  # [m]
APPROACH = 0.05  # [m]
FOOTPRINT = (0.50, 0.40)  # [m] of the plate; the source gives no outline


class Reading(Enum):
    """How the source is read."""

    CORRECTED = "corrected"  # as its text says
    AS_PUBLISHED = "as published"  # as its tables were computed


def plane() -> Plane:
    """The surface that is probed, in the part frame."""
    normal = np.array([*SLOPES, 1.0])
    return Plane(point=np.array([0.0, 0.0, LEVEL]), axis=normal / np.linalg.norm(normal))


def nine_points() -> ProbePoints:
    """P1 to P9 in the part frame: up the first column, down the second, up the third.

    Source: [LAMMARI12] tables VI.7
    """
    columns = [STATIONS_Y, STATIONS_Y[::-1], STATIONS_Y]
    xy = np.array([(x, y) for x, ys in zip(STATIONS_X, columns, strict=True) for y in ys])
    positions = np.column_stack([xy, LEVEL - xy @ SLOPES])
    return ProbePoints(
        names=tuple(f"P{place}" for place in range(1, 10)),
        positions=positions,
        normals=np.tile(plane().axis, (9, 1)),
        features=("plane",) * 9,
    )


def clearance_points(reading: Reading = Reading.CORRECTED) -> Array:
    """P'1 to P'9 in the part frame. # (9, 3) [m].

    The text says 50 mm along the normal; the tables are 50 mm higher along z, so their planes are
    48.28 mm apart.

    Source: [LAMMARI12] §VI.4, tables VI.7 (erratum)
    """
    points = nine_points()
    up = np.array([0.0, 0.0, 1.0])
    return points.positions + APPROACH * (up if reading is Reading.AS_PUBLISHED else points.normals)


def placement(reading: Reading = Reading.CORRECTED) -> Alignment:
    """T_base_part of the plate.

    The text turns the part by +30° about z and moves it by (0, 1500, 840) mm. Tables VI.8 were
    computed with the inverse rotation and 330 mm more along x, which stand nowhere in the text.

    Source: [LAMMARI12] §VI.6, tables VI.8 (erratum)
    """
    if reading is Reading.AS_PUBLISHED:
        return fixed([0.33, 1.5, 0.84], [-np.pi / 6, 0.0, 0.0])
    return fixed([0.0, 1.5, 0.84], [np.pi / 6, 0.0, 0.0])


def inclined_plate() -> LibraryPart:
    """The plate as a solid on a flat bottom; the source shows only its upper face."""
    x, y = FOOTPRINT
    low = np.array([[0, 0, 0], [x, 0, 0], [x, y, 0], [0, y, 0.0]])
    high = low + np.outer(LEVEL - low[:, :2] @ SLOPES, [0, 0, 1])
    sides = {"front": (0, 1), "right": (1, 2), "back": (2, 3), "left": (3, 0)}
    cloths = [_quad("top", high), _quad("bottom", low[::-1])]
    for name, (a, b) in sides.items():
        cloths.append(_quad(name, np.array([low[a], low[b], high[b], high[a]])))
    return LibraryPart(
        name="inclined-plate",
        summary="The plate of [LAMMARI12]: its top is the plane 0.10 x + 0.25 y + z = 0.40 m.",
        geometry=sewn("inclined-plate", cloths),
        facts={"volume_m3": x * y * (LEVEL - SLOPES[0] * x / 2 - SLOPES[1] * y / 2)},
    )


def _quad(name: str, corners: Array) -> Cloth:
    normal = np.cross(corners[1] - corners[0], corners[3] - corners[0])
    surface = Plane(point=corners[0], axis=normal / np.linalg.norm(normal))
    net = np.array([[corners[0], corners[3]], [corners[1], corners[2]]])
    return Cloth(name=name, corners=grid_triangles(net), surface=surface)
