"""Meshes of a robot's links in the scene: drawn in place of the shapes that are checked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import trimesh

import palpeur as pp
from reports.robot.page import robot_page
from reports.scene import bodies as scene_bodies
from reports.scene.bodies import mechanism_bodies
from reports.scene.build import scene_of
from reports.scene.gltf import scene_glb
from reports.scene.model import SHAPE, MeshBody, RoundBody
from reports.scene.viser_scene import scene_html, shape_nodes

LINK = '<link name="{0}"><{1}><geometry><mesh filename="{0}.stl"/></geometry></{1}></link>'
JOINT = (
    '<joint name="q{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>'
    '<origin xyz="0 0 0.3"/><axis xyz="{3}"/>'
    '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
)
MOST = 4_000  # triangles drawn of all links: fewer than the fine one has
AXES = ("0 0 1", "0 1 0", "0 1 0", "0 0 1", "0 1 0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An arm of five joints; its second link is fine, its last one is a cylinder."""
    folder = tmp_path_factory.mktemp("arm")
    names = ["base", "one", "two", "three", "four"]
    for name in names:
        trimesh.creation.box((0.05, 0.05, 0.2)).export(folder / f"{name}.stl")
    fine = trimesh.creation.icosphere(subdivisions=4, radius=0.1)  # 5,120 triangles
    fine.export(folder / "one.stl")
    links = "".join(LINK.format(name, "collision") for name in names)
    links += (
        '<link name="tool0"><collision><geometry><sphere radius="0.02"/></geometry></collision>'
        "</link>"
    )
    ends = [*names, "tool0"]
    joints = "".join(JOINT.format(k + 1, ends[k], ends[k + 1], axis) for k, axis in enumerate(AXES))
    (folder / "arm.urdf").write_text(f'<robot name="arm">{links}{joints}</robot>')
    return folder


@pytest.fixture(scope="module")
def arm(folder):
    return pp.load_robot(folder / "arm.urdf")


@pytest.fixture(scope="module")
def plan(arm):
    table = pd.DataFrame(
        {"name": ["A"], "x_mm": [500.0], "y_mm": [100.0], "z_mm": [400.0]}
        | {"nx": [0.0], "ny": [0.0], "nz": [1.0]}
    )
    job = pp.Job(
        robot=arm,
        points=table,
        frame="base",
        compensated=True,
        robot_settings={"default_acceleration_rad_s2": 10.0},
        approach={"distance_mm": 20.0},
        probe={"stylus_length_mm": 50.0, "ball_diameter_mm": 4.0},
    )
    return pp.plan(job)


def test_meshes_stand_for_shapes_where_there_are_some(arm):
    robot = mechanism_bodies(arm.mechanism, drawn=arm.drawn_links)
    assert [type(body) for body in robot.base] == [MeshBody]
    assert all(shape.paint == SHAPE for shape in robot.base_shapes)
    assert len(robot.base_shapes) >= 1
    for link in robot.links[:-1]:
        assert [type(body) for body in link.bodies] == [MeshBody]
        assert len(link.shapes) >= 1
    last = robot.links[-1]  # nothing draws it but its shape
    assert [type(body) for body in last.bodies] == [RoundBody]
    assert last.shapes == ()


def test_fine_meshes_are_drawn_with_fewer_triangles_and_the_scene_says_so(arm, monkeypatch):
    monkeypatch.setattr(scene_bodies, "LINK_TRIANGLES", MOST)
    robot = mechanism_bodies(arm.mechanism, drawn=arm.drawn_links)
    ball = next(body for link in robot.links for body in link.bodies if body.name == "one")
    assert 1000 < len(ball.shape.faces) <= MOST
    away = np.abs(np.linalg.norm(ball.shape.vertices, axis=1) - 0.1).max()
    told = next(note for note in robot.notes if "triangles" in note)
    assert "of 5,168 triangles" in told
    assert away <= 1e-3 * float(told.rpartition(" mm")[0].split()[-1]) + 1e-9


def test_a_replay_has_a_box_for_shapes_and_a_page_of_a_robot_its_own(plan, arm, recording):
    scene = scene_of(plan)
    nodes = shape_nodes(scene)
    page = scene_html(scene)
    assert 'id="shapes"' in page
    told = recording(page)["messages"]
    hidden = {
        message["name"]
        for _, message in told
        if message["type"] == "SetSceneNodeVisibilityMessage" and not message["visible"]
    }
    assert set(nodes) <= hidden
    own = robot_page(arm)
    assert 'data-guide="shapes"' in own
    assert 'id="shapes"' not in own
    assert 'id="shapes"' not in scene_html(scene_of(replanned(plan)))


def replanned(plan):
    """The same job with a robot that has no meshes, as its robot file describes it."""
    return pp.plan(plan.job.replace(robot=plan.job.robot.mechanism))


def test_gltf_holds_the_meshes_and_not_the_shapes(plan, read_glb):
    glb = read_glb(scene_glb(scene_of(plan)))
    names = [node.get("name") for node in glb.json["nodes"]]
    assert names.count("two") == 1
    mesh = glb.json["meshes"][glb.json["nodes"][glb.named("two")]["mesh"]]
    corners = glb.values(mesh["primitives"][0]["attributes"]["POSITION"])
    assert np.ptp(corners, axis=0).max() == pytest.approx(0.2)
    assert SHAPE.name not in [material["name"] for material in glb.json["materials"]]


SEEN = """(names) => {
  const tree = window.palpeurViewer().useSceneTree.getAll();
  return names.map((name) => tree[name].visibility);
}"""


def test_the_box_shows_the_shapes_also_when_the_replay_begins_anew(
    watched, plan, tmp_path, lamps_only
):
    scene = scene_of(plan)
    file, nodes = tmp_path / "scene.html", list(shape_nodes(scene))
    with lamps_only():
        file.write_text(scene_html(scene), encoding="utf-8")
    page = watched(viewport={"width": 500, "height": 400})
    page.goto(file.as_uri())
    page.wait_for_selector("#shapes[data-ready]")
    told = f"(names) => ({SEEN})(names).every((one) => one === %s)"
    page.wait_for_function(told % "false", arg=nodes)
    page.check("#shapes input")
    page.wait_for_function(told % "true", arg=nodes)
    page.fill("input:not([type=checkbox])", "0")  # the player sends all of its messages again
    page.evaluate("new Promise((done) => setTimeout(done, 500))")
    assert page.evaluate(SEEN, nodes) == [True] * len(nodes)
    page.uncheck("#shapes input")
    page.wait_for_function(told % "false", arg=nodes)
