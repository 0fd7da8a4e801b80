"""The scene: links where the mechanism has them, markers and polygons where the motion has them."""

from __future__ import annotations

import numpy as np
import pytest

from reports.biped.motion import poses_of
from reports.biped.motion_set import biped_scene
from reports.biped.stick_figure import ground_polygons
from robots.biped.posture.ground import Ground


def rotation(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def placed(scene, index, q):
    """Pose of a link of the scene through its chain. # (4, 4)."""
    link = scene.links[index]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation(link.rotations(q[None])[0]), link.translations(q[None])[0]
    return T if link.parent < 0 else placed(scene, link.parent, q) @ T


def index_of(scene, name):
    return [link.name for link in scene.links].index(name)


@pytest.mark.parametrize("which", ["standing", "tilting"])
def test_every_link_is_where_the_mechanism_has_it(which, request):
    shown = request.getfixturevalue(which)
    scene, motion = biped_scene(shown), shown.motion
    for row in (0, 57, 120, 200):
        q = scene.motion.q[row]
        wanted = poses_of(motion, np.array([row]))[0]
        for k, joint in enumerate(motion.biped.mechanism.joints):
            seen = placed(scene, index_of(scene, joint.name), q)
            assert seen == pytest.approx(wanted[k + 1], abs=1e-12)


def test_both_points_are_where_the_motion_has_them(tilting):
    scene, motion = biped_scene(tilting), tilting.motion
    for name, places in (("centre of mass z", motion.com), ("zero-moment point z", motion.zmp)):
        seen = placed(scene, index_of(scene, name), scene.motion.q[90])
        assert seen[:3, 3] == pytest.approx(places[90], abs=1e-12)


def test_the_polygon_on_the_tilting_ground_is_one_and_lies_on_it(tilting):
    found = ground_polygons(tilting.motion)
    assert len(found.polygons) == 1
    assert found.point == pytest.approx(np.zeros(3), abs=1e-9)
    scene = biped_scene(tilting)
    T = placed(scene, index_of(scene, "polygon 1"), scene.motion.q[100])
    alpha, beta = tilting.motion.ground[100]
    corners = np.array([body.start for body in scene.links[-1].bodies]) @ T[:3, :3].T + T[:3, 3]
    assert Ground(alpha=alpha, beta=beta).clearance(corners) == pytest.approx(0.0, abs=1e-9)
    # Corners in the ground's plane are told to a tenth of a millimetre.
    assert corners[:, :2] == pytest.approx(tilting.motion.support[100], abs=1e-4)


def test_a_polygon_that_is_not_stood_on_is_out_of_sight(standing):
    from dataclasses import replace

    motion = standing.motion
    half = len(motion.t) // 2
    other = motion.support[0] + 0.3
    support = tuple(motion.support[0] if k < half else other for k in range(len(motion.t)))
    scene = biped_scene(replace(standing, motion=replace(motion, support=support)))
    heights = [
        placed(scene, index_of(scene, f"polygon {number}"), scene.motion.q[row])[2, 3]
        for number in (1, 2)
        for row in (0, half)
    ]
    assert heights == pytest.approx([0.0, -1000.0, -1000.0, 0.0])


def test_where_the_robot_falls_is_marked(falling, standing):
    assert biped_scene(standing).points.names == ("front",)
    points = biped_scene(falling).points
    assert points.names == ("front", "heel at 1.08 s")
    assert points.reached.tolist() == [True, False]


def test_a_gap_in_the_zero_moment_point_is_no_gap_in_the_scene(standing):
    from dataclasses import replace

    zmp = standing.motion.zmp.copy()
    zmp[[0, 50]] = np.nan
    scene = biped_scene(replace(standing, motion=replace(standing.motion, zmp=zmp)))
    assert np.isfinite(scene.motion.q).all()
