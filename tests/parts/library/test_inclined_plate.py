"""Tables VI.7 and VI.8 of [LAMMARI12], rebuilt from the drawing data in both readings."""

from __future__ import annotations

from enum import Enum

import numpy as np
import pytest

from parts.alignment.alignment import Alignment, fixed, move_points, rotate
from parts.library.artefacts import LEVEL, SLOPES, inclined_plate, plane
from parts.points.probe_points import ProbePoints
from robots.core.arrays import Array

STATIONS_X = (0.05, 0.25, 0.45)  # [m]
STATIONS_Y = (0.05, 0.20, 0.35)  # [m]
APPROACH = 0.05  # [m]


class PlateReading(Enum):
    """Reading of the source: as published, or corrected."""

    CORRECTED = "corrected"  # as its text says
    AS_PUBLISHED = "as published"  # as its tables were computed


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


def clearance_points(reading: PlateReading = PlateReading.CORRECTED) -> Array:
    """P'1 to P'9 in the part frame. # (9, 3) [m].

    The text says 50 mm along the normal; the tables are 50 mm higher along z, so their planes are
    48.28 mm apart.

    Source: [LAMMARI12] §VI.4, tables VI.7 (erratum)
    """
    points = nine_points()
    up = np.array([0.0, 0.0, 1.0])
    return points.positions + APPROACH * (
        up if reading is PlateReading.AS_PUBLISHED else points.normals
    )


def placement(reading: PlateReading = PlateReading.CORRECTED) -> Alignment:
    """T_base_part of the plate.

    The text turns the part by +30° about z and moves it by (0, 1500, 840) mm. Tables VI.8 were
    computed with the inverse rotation and 330 mm more along x, which stand nowhere in the text.

    Source: [LAMMARI12] §VI.6, tables VI.8 (erratum)
    """
    if reading is PlateReading.AS_PUBLISHED:
        return fixed([0.33, 1.5, 0.84], [-np.pi / 6, 0.0, 0.0])
    return fixed([0.0, 1.5, 0.84], [np.pi / 6, 0.0, 0.0])


VI7 = np.array([
    [0.050, 0.050, 0.3825], [0.050, 0.200, 0.3450], [0.050, 0.350, 0.3075],
    [0.250, 0.350, 0.2875], [0.250, 0.200, 0.3250], [0.250, 0.050, 0.3625],
    [0.450, 0.050, 0.3425], [0.450, 0.200, 0.3050], [0.450, 0.350, 0.2675],
])  # fmt: skip
VI8 = np.array([
    [0.3983, 1.5183, 1.2225], [0.4733, 1.6482, 1.1850], [0.5483, 1.7781, 1.1475],
    [0.7215, 1.6781, 1.1275], [0.6465, 1.5482, 1.1650], [0.5715, 1.4183, 1.2025],
    [0.7447, 1.3183, 1.1825], [0.8197, 1.4482, 1.1450], [0.8947, 1.5781, 1.1075],
])  # fmt: skip
UP = np.array([0, 0, 0.05])
HALF_DIGIT = 5.001e-5  # of tables with four decimals


def test_table_vi7():
    points = nine_points()
    assert np.abs(points.positions - VI7).max() < 1e-16
    assert np.abs(clearance_points(PlateReading.AS_PUBLISHED) - (VI7 + UP)).max() < 1e-16
    assert np.abs(plane().distance(points.positions)).max() < 1e-16


def test_table_vi8_as_published():
    T = placement(PlateReading.AS_PUBLISHED).T_base_part
    assert np.abs(move_points(T, nine_points().positions) - VI8).max() < HALF_DIGIT
    assert (
        np.abs(move_points(T, clearance_points(PlateReading.AS_PUBLISHED)) - VI8 - UP).max()
        < HALF_DIGIT
    )


def test_table_vi8_corrected():
    """T_P^0 with +30° and (0, 1.5, 0.84): what VI.6 says; the tables are somewhere else."""
    T = placement().T_base_part
    points = nine_points().positions
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    by_hand = points @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + [0, 1.5, 0.84]
    assert np.abs(move_points(T, points) - by_hand).max() < 1e-15
    assert np.linalg.norm(move_points(T, points) - VI8, axis=1).min() > 0.3
    assert np.abs((T[:3, :3] @ placement(PlateReading.AS_PUBLISHED).T_base_part[:3, :3])
                  - np.eye(3)).max() < 1e-15  # fmt: skip


def test_the_printed_relation_explains_the_tables():
    """VI.6 prints O_pP/R0 = T_0^P O_pP/Rp: the inverse rotation, here applied as printed."""
    R = placement().T_base_part[:3, :3]
    with_inverse = nine_points().positions @ R + [0.33, 1.5, 0.84]  # rows times R are Rᵀ p
    assert np.abs(with_inverse - VI8).max() < HALF_DIGIT


def test_the_planes_are_50_mm_apart_only_when_corrected():
    """VI.4 says 50 mm along the normal; the tables move along z."""
    n = plane().axis
    published = (clearance_points(PlateReading.AS_PUBLISHED) - nine_points().positions) @ n
    assert published == pytest.approx(np.full(9, 0.04828), abs=5e-6)
    corrected = (clearance_points() - nine_points().positions) @ n
    assert corrected == pytest.approx(np.full(9, 0.05), abs=1e-15)
    assert np.degrees(np.arccos(n[2])) == pytest.approx(15.07, abs=5e-3)


def test_the_probe_direction_error_of_the_source_is_7_7_degrees():
    """VI.5.5 uses the normal in part axes; the tables' own rotation turns it by 7.7°."""
    n = plane().axis
    true = rotate(placement(PlateReading.AS_PUBLISHED).T_base_part, n)
    assert np.degrees(np.arccos(true @ n)) == pytest.approx(7.7, abs=0.05)


def test_the_points_lie_on_the_solid():
    feet = inclined_plate().geometry.closest(nine_points().positions)
    assert feet.distances.max() < 1e-15
    assert np.abs(feet.normals - nine_points().normals).max() < 1e-15
