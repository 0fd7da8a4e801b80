"""The job with the platform in a pose: the part, its points and the hexapod's own bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.presenting.present import PLATE, hexapod_solids, only, posed
from planner.reach.placement import place
from robots.core.pose import inverse_pose, make_pose, rotation_zyx, transform_points


@pytest.fixture(scope="module")
def tilted(presented_job):
    turn = make_pose(rotation_zyx(np.radians([5.0, 10.0, 0.0])), np.array([0.0, 0.0, 0.01]))
    return presented_job.presenter.platform.home @ turn


def test_at_home_the_part_is_where_the_job_has_it(presented_job):
    home = posed(presented_job, presented_job.presenter.platform.home)
    np.testing.assert_allclose(
        home.part.T_base_part, presented_job.part.T_base_part, rtol=0.0, atol=1e-15
    )
    assert home.presenter is None


def test_points_and_skin_move_as_one_body(presented_job, tilted):
    there = posed(presented_job, tilted)
    shift = there.part.T_base_part @ inverse_pose(presented_job.part.T_base_part)
    np.testing.assert_allclose(
        place(there).surfaces, transform_points(shift, place(presented_job).surfaces), atol=1e-12
    )
    before, after = presented_job.cell.part.mesh, there.cell.part.mesh
    np.testing.assert_allclose(after.vertices, transform_points(shift, before.vertices), atol=1e-12)


def test_the_hexapod_is_seven_closed_bodies_that_hold_its_legs(presented_job, tilted):
    import trimesh

    presenter = presented_job.presenter
    solids = hexapod_solids(presenter, tilted)
    assert [s.name for s in solids] == [PLATE, *(f"hexapod leg {k}" for k in range(1, 7))]
    for solid, leg in zip(solids[1:], presenter.platform.legs, strict=True):
        mesh = trimesh.Trimesh(solid.mesh.vertices, solid.mesh.faces)
        assert mesh.is_watertight
        assert mesh.is_winding_consistent
        end = transform_points(tilted, leg.platform[None])[0]
        length = np.linalg.norm(end - leg.base)
        # an octagon about the circle of the leg: area 8 tan(pi/8) r²
        assert mesh.volume == pytest.approx(8 * np.tan(np.pi / 8) * leg.radius**2 * length)


def test_some_points_keep_their_normals_features_and_locked_order(presented_job):
    travel = replace(presented_job.travel, order="fastest", locked=(("T1", "L1", "T2"), ("R1",)))
    some = only(replace(presented_job, travel=travel), np.array([0, 1, 13]))
    assert some.points.names == ("T1", "T2", "R1")
    assert some.points.features == ("top", "top", "right")
    np.testing.assert_array_equal(some.points.normals, presented_job.points.normals[[0, 1, 13]])
    assert some.travel.locked == (("T1", "T2"),)
    assert len(some.surface.normals.names) == 3
