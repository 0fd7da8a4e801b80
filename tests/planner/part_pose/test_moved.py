"""A job moved as a whole, and its points moved by themselves, say the same."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.errors import JobError
from planner.job import Approach, FeatureApproach, Probe
from planner.job.solids import Cell, Solid, SolidKind
from planner.part_pose.moved import moved, moved_points
from planner.part_pose.pose_space import PoseSpace
from planner.reach.placement import place
from robots.core.pose import inverse_pose, transform_points

OWN = (
    FeatureApproach(name="first", distance=0.02, axis=np.array([0.0, 0.6, -0.8])),
    FeatureApproach(name="second", direction=np.array([0.0, 0.6, 0.8])),
    FeatureApproach(name="third", direction="normal"),
)


@pytest.mark.parametrize("features", [(), OWN], ids=["alike", "by feature"])
@pytest.mark.parametrize("direction", [None, np.array([0.0, 0.0, 1.0])])
def test_moved_points_are_those_of_the_moved_job(change, settled, direction, features):
    job = change(
        approach=Approach(distance=0.04, direction=direction, features=features),
        touch={"mode": "search", "search_after": 0.006},
        probe=Probe(ball_diameter=0.004, stylus_length=0.0),
    )
    named = ("first", "second", "third") * 3
    job = replace(job, points=replace(job.points, features=named))
    space = PoseSpace.of(settled(job, shift_mm=[[-50, 80]] * 3, full=True))
    poses = space.poses(space.spread(5, seed=3))
    together = moved_points(place(job), poses @ inverse_pose(job.part.T_base_part))
    for k, T in enumerate(poses):
        alone = place(moved(job, T))
        rows = slice(9 * k, 9 * (k + 1))
        assert together.names[rows] == alone.names
        for field in fields(alone)[1:]:
            got = getattr(together, field.name)[rows]
            # metres and unit vectors, some ten roundings
            np.testing.assert_allclose(got, getattr(alone, field.name), atol=2e-15)


def box(name, kind, centre):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]) * 0.1 + centre
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    return Solid(
        name=name, kind=kind, mesh=TriangleMesh(vertices=corners, faces=faces), closed=True
    )


def test_the_part_moves_and_obstacles_stay(corrected_job):
    solids = (box("part", SolidKind.PART, 1.0), box("wall", SolidKind.OBSTACLE, 2.0))
    job = replace(corrected_job, cell=Cell(solids=solids))
    T = PoseSpace.of(job).poses(np.array([[0.1, -0.2, 0.3, 1.0, 0.0, 0.0]]))[0]
    part, wall = moved(job, T).cell.solids
    shift = T @ inverse_pose(job.part.T_base_part)
    expected = transform_points(shift, solids[0].mesh.vertices)
    np.testing.assert_allclose(part.mesh.vertices, expected, atol=1e-15)
    np.testing.assert_array_equal(part.mesh.faces, solids[0].mesh.faces)
    assert wall is solids[1]


def test_moving_and_back_is_nothing(corrected_job):
    T = PoseSpace.of(corrected_job).poses(np.array([[0.1, -0.2, 0.0, 1.0, 0.0, 0.0]]))[0]
    back = moved(moved(corrected_job, T), corrected_job.part.T_base_part)
    np.testing.assert_array_equal(place(back).contacts, place(corrected_job).contacts)


def test_points_in_the_base_frame_do_not_move(published_job):
    with pytest.raises(JobError, match=r'base frame.*frame = "part" in \[points\]'):
        moved(published_job, np.eye(4))
