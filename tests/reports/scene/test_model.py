"""Links of the scene stand where the model puts them; what is not known has a stand-in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from planner.plan import SegmentKind
from reports.scene import model
from reports.scene.bodies import LEAST_BALL, placed_shape, scene_robot
from reports.scene.build import scene_of
from reports.scene.model import Paint, RoundBody
from robots.core.mechanism import BASE, JointKind
from robots.core.model import Model
from robots.core.pose import rotation_exp


def matrix(wxyz):
    w, x, y, z = np.moveaxis(np.asarray(wxyz), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def poses(links, q):
    """Every link in the base frame, by chaining what the scene says of each. # (k, links, 4, 4)."""
    found = np.zeros((len(q), len(links), 4, 4))
    for index, link in enumerate(links):
        T = np.tile(np.eye(4), (len(q), 1, 1))
        T[:, :3, :3], T[:, :3, 3] = matrix(link.rotations(q)), link.translations(q)
        found[:, index] = T if link.parent == BASE else found[:, link.parent] @ T
    return found


@pytest.mark.parametrize("name", ["nine", "walled", "gantry"])
def test_chained_links_stand_where_the_model_puts_them(plans, scenes, name):
    scene, q = scenes[name], scenes[name].motion.q[::7]
    expected = Model(plans[name].job.mechanism).transforms(q)
    assert np.abs(poses(scene.links, q) - expected).max() < 1e-12  # metres, cosines


def test_a_gantry_slides(scenes):
    kinds = [link.kind for link in scenes["gantry"].links]
    assert kinds.count(JointKind.PRISMATIC) == 3


def test_bodies_are_those_of_the_mechanism(plans, scenes):
    scene, mechanism = scenes["walled"], plans["walled"].job.mechanism
    bodies = [*scene.base, *(body for link in scene.links for body in link.bodies)]
    assert sorted(body.name for body in bodies) == sorted(c.name for c in mechanism.capsules)
    known = {capsule.name: capsule for capsule in mechanism.capsules}
    for body in bodies:
        assert body.radius >= known[body.name].radius
        assert np.array_equal(body.start, known[body.name].start)
    ball = next(body for body in bodies if body.name == "stylus ball")
    assert ball.radius == LEAST_BALL
    assert any("too thin to be seen" in note for note in scene.notes)


def test_a_robot_without_capsules_is_drawn_as_sticks_between_joints(nine_plan):
    job = nine_plan.job
    own = tuple(c for c in job.mechanism.capsules if c.name.startswith("stylus"))
    robot = scene_robot(replace(job, mechanism=replace(job.mechanism, capsules=own, self_pairs=())))
    ends = [body for link in robot.links for body in link.bodies if body.name.startswith("to ")]
    far = [j.name for j in job.mechanism.joints if np.linalg.norm(j.placement[:3, 3]) > 1e-9]
    assert [body.name for body in (*robot.base, *ends)] == [f"to {name}" for name in far]
    assert any("sticks between joints" in note for note in robot.notes)


def test_points_are_surfaces_with_their_normals(plans, scenes):
    scene, plan = scenes["gantry"], plans["gantry"]
    assert scene.points.names == ("A", "B", "C")
    assert np.array_equal(scene.points.positions, plan.placed.surfaces)
    assert np.array_equal(scene.points.normals, plan.placed.normals)
    assert scene.points.reached.tolist() == [point.reachable for point in plan.planned_points]
    assert not scene.points.reached.all()


def test_probing_lines_run_from_clearance_to_contact(plans, scenes):
    plan, scene = plans["walled"], scenes["walled"]
    order = [s.point_index for s in plan.timeline if s.kind is SegmentKind.PROBE]
    # The trajectory ends on its lines to a nanometre.
    assert np.abs(scene.probing[:, 0] - plan.placed.clearances[order]).max() < 1e-9
    assert np.abs(scene.probing[:, 1] - plan.placed.contacts[order]).max() < 1e-9


def test_travel_joins_the_probing_lines(scenes):
    scene = scenes["walled"]
    # Every road of travel begins and ends at a clearance point.
    apart = np.any(np.abs(scene.travel[1:, 0] - scene.travel[:-1, 1]) > 1e-12, axis=1)
    starts = scene.travel[np.append(True, apart), 0]
    nearest = np.linalg.norm(starts[:, None] - scene.probing[None, :, 0], axis=2).min(axis=1)
    assert nearest.max() < 1e-9
    assert 1 <= len(starts) <= len(scene.probing) - 1


def test_everything_lies_within_the_bounds(scenes):
    scene = scenes["walled"]
    low, high = scene.bounds
    ends = [s.vertices for s in scene.solids] + [scene.points.positions]
    for places in (*ends, scene.travel.reshape(-1, 3)):
        assert np.all(places >= low - 0.02)
        assert np.all(places <= high + 0.02)


def test_without_motion_the_robot_stands_at_its_zero_and_the_scene_says_so(nine_plan):
    scene = scene_of(replace(nine_plan, timeline=()))
    assert scene.motion is None
    assert scene.probing.shape == scene.travel.shape == (0, 2, 3)
    mechanism = nine_plan.job.mechanism
    assert np.all((scene.first >= mechanism.q_min) & (scene.first <= mechanism.q_max))
    assert any("nothing moves" in note for note in scene.notes)


@pytest.mark.parametrize("seed", range(8))
def test_quaternions_are_those_of_their_rotations(seed):
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=3)
    turn *= rng.choice([0.0, 1.0, np.pi]) / np.linalg.norm(turn)
    R = rotation_exp(turn)
    assert np.abs(matrix(model.of_rotation(R)) - R).max() < 1e-12


def test_marks_point_along_their_normals_even_straight_down():
    directions = np.array([[0, 0, 1.0], [0, 0, -1.0], [0.6, 0, -0.8], [0, 1.0, 0]])
    z = matrix(model.from_z(directions))[:, :, 2]
    assert np.abs(z - directions).max() < 1e-12


def test_a_convex_piece_is_drawn_in_place_of_its_capsule():
    corners = np.random.default_rng(1).normal(size=(20, 3)) * 0.1 + [0.5, 0.0, 0.0]
    paint = Paint(colour=(9, 9, 9), name="link")
    body = RoundBody(
        name="link", start=corners[0], end=corners[1], radius=9.0, paint=paint, corners=corners
    )
    placed = placed_shape(body)
    shape, turn = placed.shape, placed.wxyz
    assert list(turn) == [1.0, 0.0, 0.0, 0.0]
    drawn = trimesh.Trimesh(shape.vertices + body.start, shape.faces, process=True)
    assert drawn.is_watertight
    assert drawn.volume == pytest.approx(trimesh.convex.convex_hull(corners).volume)
    outward = np.einsum("ij,ij->i", shape.normals[shape.faces[:, 0]], drawn.face_normals)
    assert outward == pytest.approx(1.0)
    larger = placed_shape(body, 1.01).shape
    assert np.ptp(larger.vertices, axis=0) == pytest.approx(1.01 * np.ptp(shape.vertices, axis=0))
