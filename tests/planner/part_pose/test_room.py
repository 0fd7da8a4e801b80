"""Where the part has room among obstacles, and that the search keeps out of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.job.solids import Cell, Solid, SolidKind
from planner.part_pose.pose_space import PartClearance
from planner.part_pose.rating import PoseRating
from robots.core.pose import transform_points

FACES = [
    [0, 3, 1], [0, 2, 3], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4],
    [2, 7, 3], [2, 6, 7], [0, 6, 2], [0, 4, 6], [1, 3, 7], [1, 7, 5],
]  # fmt: skip


def block(name, kind, low, high, T=None):
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    vertices = low + corners * (high - low)
    mesh = TriangleMesh(
        vertices=vertices if T is None else transform_points(T, vertices), faces=np.array(FACES)
    )
    return Solid(name=name, kind=kind, mesh=mesh, closed=True)


@pytest.fixture
def walled(corrected_job):
    """The part as a plate under its points, a table below it, a wall beside it at x = 0.7 m."""
    T = corrected_job.part.T_base_part
    solids = (
        block("part", SolidKind.PART, [0, 0, 0], [0.5, 0.4, 0.2], T),
        block("table", SolidKind.OBSTACLE, [-2, 0.5, 0.7], [2, 3, 0.84]),
        block("wall", SolidKind.OBSTACLE, [0.7, 0.5, 0.84], [0.72, 3, 2.0]),
    )
    return replace(corrected_job, cell=Cell(solids=solids))


def shifted(job, *shift):
    T = np.array(job.part.T_base_part)
    T[:3, 3] += shift
    return T


def test_the_part_stands_on_its_table_and_not_in_the_wall(walled):
    room = PartClearance(walled)
    poses = [shifted(walled, dx, 0.0, dz) for dx, dz in ((0, 0), (0.2, 0), (0.3, 0), (0, -0.01))]
    # turned by 30 deg the plate's corner lies at x = 0.5·cos 30 deg = 0.433 m
    assert list(room.free(np.array(poses))) == [True, True, False, False]


def test_a_fixture_around_the_part_says_nothing(walled):
    T = walled.part.T_base_part
    fixture = block("fixture", SolidKind.OBSTACLE, [-0.1, 0.1, 0.0], [0.6, 0.3, 0.1], T)
    job = replace(walled, cell=Cell(solids=(*walled.cell.solids, fixture)))
    assert PartClearance(job).free(T[None])[0]


def test_keep_out_volumes_are_for_the_robot(walled):
    volume = block("volume", SolidKind.KEEP_OUT, [-2, 0, 0], [2, 3, 3])
    job = replace(walled, cell=Cell(solids=(*walled.cell.solids, volume)))
    assert PartClearance(job).free(shifted(walled, 0.2, 0, 0)[None])[0]


def test_a_pose_inside_an_obstacle_serves_nothing(walled):
    points = PoseRating(walled)(np.array([shifted(walled, 0.3, 0.0, 0.0)])).points
    assert points[0] == 0.0


def test_postures_that_meet_an_obstacle_are_no_ways(corrected_job):
    """A keep-out volume around the shoulder takes every posture; one far away takes none."""
    T = corrected_job.part.T_base_part
    free = PoseRating(corrected_job)(T[None]).points[0]
    assert free == 9
    for low, expected in (([-3.5, -3.5, 0.0], 9), ([-0.5, -0.5, 0.2], 0)):
        volume = block("volume", SolidKind.KEEP_OUT, low, np.array(low) + 1.0)
        job = replace(corrected_job, cell=Cell(solids=(volume,)))
        assert PoseRating(job)(T[None]).points[0] == expected


def test_a_part_without_geometry_has_room_everywhere(corrected_job):
    wall = block("wall", SolidKind.OBSTACLE, [-5, -5, -5], [5, 5, 5])
    job = replace(corrected_job, cell=Cell(solids=(wall,)))
    assert PartClearance(job).free(job.part.T_base_part[None])[0]
