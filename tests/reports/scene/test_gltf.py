"""scene.glb: the validator has nothing to say, trimesh reads it, nodes move as the robot does."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from reports.scene.build import scene_of
from reports.scene.gltf import scene_glb
from robots.core.model import Model

ROOT = Path(__file__).resolve().parents[3]
MODULES = Path(os.environ.get("PALPEUR_NODE_MODULES", ROOT / ".venv/npm/node_modules"))
NAMES = ["nine", "walled", "gantry"]
Z_UP = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]])
HOSTILE = "</script><script>alert(1)</script>\u202e../../x" + "A" * 10_000


def node_says(data: bytes, folder: Path) -> dict:
    node = shutil.which("node")
    if node is None or not (MODULES / "gltf-validator").is_dir():
        pytest.skip("node or its gltf-validator is not installed; `make test` installs it")
    (folder / "scene.glb").write_bytes(data)
    done = subprocess.run(
        [node, str(Path(__file__).with_name("validate.cjs")), str(folder / "scene.glb")],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "NODE_PATH": str(MODULES)},
    )
    return json.loads(done.stdout)


def assert_valid(data: bytes, folder: Path) -> dict:
    report = node_says(data, folder)
    issues = report["issues"]
    counts = [issues[f"num{kind}"] for kind in ("Errors", "Warnings", "Infos", "Hints")]
    assert counts == [0, 0, 0, 0], issues["messages"]
    return report["info"]


@pytest.mark.parametrize("name", NAMES)
def test_the_validator_finds_nothing_to_say(scenes, tmp_path, name):
    info = assert_valid(scene_glb(scenes[name]), tmp_path)
    assert info["animationCount"] == 1


def test_the_validator_sees_what_is_wrong(scenes, tmp_path):
    spoilt = scene_glb(scenes["nine"]).replace(b'"NORMAL"', b'"NORMAx"')
    assert node_says(spoilt, tmp_path)["issues"]["numErrors"] > 0


def test_scenes_without_motion_without_reached_points_and_without_failed_ones(nine_plan, tmp_path):
    still = scene_of(replace(nine_plan, timeline=()))
    nothing = replace(still.points, reached=np.zeros(len(still.points.names), dtype=bool))
    for scene in (still, replace(still, points=nothing)):
        assert assert_valid(scene_glb(scene), tmp_path)["animationCount"] == 0


def test_names_of_any_kind_are_short_text(scenes, tmp_path, read_glb):
    scene = scenes["gantry"]
    points = replace(scene.points, names=(HOSTILE, "\ud800", 'a"b\\c/d'))
    data = scene_glb(replace(scene, title=HOSTILE, points=points))
    assert_valid(data, tmp_path)
    names = [node["name"] for node in read_glb(data).json["nodes"]]
    assert max(map(len, names)) <= 200
    assert all(name.isprintable() for name in names)
    assert 'a"b\\c/d' in names
    assert HOSTILE[:34] in names[-1]


def poses_at(glb, key):
    """Every node in the root's frame at a key of the animation. # name -> (4, 4)."""
    nodes = [dict(node) for node in glb.json["nodes"]]
    animation = glb.json["animations"][0]
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        target = channel["target"]
        nodes[target["node"]][target["path"]] = glb.values(sampler["output"])[key]
    found: dict[int, np.ndarray] = {}

    def walk(number, above):
        node = nodes[number]
        T = np.eye(4)
        x, y, z, w = np.asarray(node.get("rotation", [0, 0, 0, 1]), float)
        T[:3, :3] = trimesh.transformations.quaternion_matrix([w, x, y, z])[:3, :3]
        T[:3, 3] = node.get("translation", [0, 0, 0])
        found[number] = above @ T
        for child in node.get("children", []):
            walk(child, found[number])

    walk(glb.json["scenes"][0]["nodes"][0], np.eye(4))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_animated_nodes_stand_where_the_model_puts_the_links(plans, scenes, read_glb, name):
    scene, glb = scenes[name], read_glb(scene_glb(scenes[name]))
    times = glb.values(glb.json["animations"][0]["samplers"][0]["input"])
    assert np.array_equal(times, scene.motion.t.astype("<f4"))
    transforms = Model(plans[name].job.mechanism).transforms(scene.motion.q)
    for key in np.linspace(0, len(times) - 1, 9).astype(int):
        poses = poses_at(glb, key)
        for index, link in enumerate(scene.links):
            found = poses[glb.named(link.name)]
            # Quaternions of single precision, chained over the links and arms of two metres.
            assert np.abs(found - Z_UP @ transforms[key, index]).max() < 1e-6


def test_numbers_of_the_samplers_are_those_of_the_motion(scenes, read_glb):
    glb = read_glb(scene_glb(scenes["gantry"]))
    animation = glb.json["animations"][0]
    paths = [channel["target"]["path"] for channel in animation["channels"]]
    assert sorted(paths) == ["rotation"] * 2 + ["translation"] * 3
    for sampler in animation["samplers"]:
        assert sampler.get("interpolation", "LINEAR") == "LINEAR"
        values = glb.values(sampler["output"])
        if values.shape[1] == 4:
            # Neighbours lie on one side, so that nobody goes the long way round.
            assert np.sum(values[1:] * values[:-1], axis=1).min() > 0.0


def test_trimesh_reads_the_same_places(scenes):
    scene = scenes["walled"]
    loaded = trimesh.load(io.BytesIO(scene_glb(scene)), file_type="glb")
    turned = scene.bounds @ Z_UP[:3, :3].T
    low, high = turned.min(axis=0), turned.max(axis=0)
    assert np.all(loaded.bounds[0] >= low - 0.1)
    assert np.all(loaded.bounds[1] <= high + 0.1)
    wall = next(solid for solid in scene.solids if solid.name == "wall")
    pose, geometry = loaded.graph.get("wall")
    places = trimesh.transform_points(loaded.geometry[geometry].vertices, pose)
    expected = wall.vertices @ Z_UP[:3, :3].T
    assert np.abs(places.min(axis=0) - expected.min(axis=0)).max() < 1e-6
    assert np.abs(places.max(axis=0) - expected.max(axis=0)).max() < 1e-6


def test_extras_say_what_was_simplified_and_which_points_are_reached(scenes, read_glb):
    scene = scenes["gantry"]
    document = read_glb(scene_glb(scene)).json
    assert document["asset"]["extras"]["notes"] == list(scene.notes)
    marks = {n["name"]: n["extras"]["reached"] for n in document["nodes"] if n["name"] in "ABC"}
    assert list(marks.values()) == scene.points.reached.tolist()
    meshes = {n["name"]: n["mesh"] for n in document["nodes"] if n["name"] in "ABC"}
    assert len(set(meshes.values())) == 2
