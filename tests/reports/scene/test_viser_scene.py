"""The replay's page: what the player is given, the same text every time, nothing left running."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.errors import OutputError
from reports.scene.build import scene_of
from reports.scene.gltf import scene_glb
from reports.scene.viser_scene import frames, scene_html
from tests.reports.scene.page_policy import page_policy

ROOT = Path(__file__).resolve().parents[3]
HASHED = """
import hashlib
from planner.job import read_job
from planner.library import path_of
from planner.planning import plan
from reports.scene.build import scene_of
from reports.scene.gltf import scene_glb
from reports.scene.gltf import scene_glb
from reports.scene.viser_scene import scene_html
scene = scene_of(plan(read_job(path_of("obstructed"))))
for data in (scene_html(scene).encode(), scene_html(scene, dark=None).encode(), scene_glb(scene)):
    print(hashlib.sha256(data).hexdigest())
"""


def messages(recorded, kind):
    return [(t, m) for t, m in recorded["messages"] if m["type"] == kind]


def test_the_player_is_given_every_frame_at_its_time(scenes, recording):
    scene = scenes["nine"]
    film, recorded = frames(scene.motion), recording(scene_html(scene))
    assert recorded["durationSeconds"] == pytest.approx(scene.motion.duration, abs=1e-9)
    turns = messages(recorded, "SetOrientationMessage")
    upper_arm = next(name for name in (m["name"] for _, m in turns) if name.endswith("/2 q2"))
    shown = [(t, m["wxyz"]) for t, m in turns if m["name"] == upper_arm]
    expected = scene.links[1].rotations(film.q)
    for t, wxyz in shown:
        frame = int(np.argmin(np.abs(film.t - t)))
        assert abs(film.t[frame] - t) < 1e-9
        assert np.abs(expected[frame] - wxyz).max() <= 2.0**-21  # half of what is rounded off


def test_a_gantrys_axes_are_moved_not_turned(scenes, recording):
    recorded = recording(scene_html(scenes["gantry"]))
    slides = {m["name"] for t, m in messages(recorded, "SetPositionMessage") if t > 0.0}
    turns = {m["name"] for t, m in messages(recorded, "SetOrientationMessage") if t > 0.0}
    assert len(slides) == 3
    assert len(turns) == 2
    assert not slides & turns


def test_up_camera_and_points_are_there(scenes, recording):
    scene = scenes["gantry"]
    recorded = recording(scene_html(scene))
    (camera,) = (m for _, m in messages(recorded, "SetCameraPositionMessage"))
    assert camera["initial"]
    assert np.linalg.norm(np.array(camera["position"]) - scene.bounds.mean(axis=0)) > 0.5
    batches = [m["name"] for _, m in messages(recorded, "BatchedMeshesMessage")]
    assert batches == ["/points/reached", "/points/not reached"]
    assert [m["props"]["text"] for _, m in messages(recorded, "LabelMessage")] == ["A", "B", "C"]


def test_a_scene_without_motion_stands_still(nine_plan, recording):
    scene = scene_of(replace(nine_plan, timeline=()))
    assert recording(scene_html(scene))["durationSeconds"] == 0.0


def test_names_of_any_kind_are_short_text_in_one_step_of_the_tree(scenes, recording):
    scene = scenes["walled"]
    evil = "</script><script>alert(1)</script>/../\u202e" + "A" * 10_000
    points = replace(scene.points, names=(evil, "\ud800", *scene.points.names[2:]))
    links = tuple(replace(link, name=evil) for link in scene.links)
    solids = tuple(replace(solid, name=evil) for solid in scene.solids)
    page = scene_html(replace(scene, title=evil, points=points, links=links, solids=solids))
    assert "alert(1)" not in page
    recorded = recording(page)
    texts = [m["props"]["text"] for _, m in messages(recorded, "LabelMessage")]
    assert max(map(len, texts)) <= 24
    assert all(text.isprintable() for text in texts)
    names = {m["name"] for _, m in recorded["messages"] if m.get("name")}
    assert all(name.isprintable() for name in names)
    solid_names = [name for name in names if name.startswith("/cell/")]
    assert len(solid_names) == len(solids)
    assert all(name.count("/") == 2 for name in solid_names)


@pytest.mark.soak  # the whole set of a job is, in the gate, by tests/reports/test_export.py
def test_another_process_writes_the_same(tmp_path, scenes):
    env = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", HASHED]
    there = subprocess.run(
        command, cwd=tmp_path, env=env, check=True, capture_output=True, text=True
    ).stdout
    scene = scenes["walled"]
    here = (scene_html(scene).encode(), scene_html(scene, dark=None).encode(), scene_glb(scene))
    # and nothing else came to standard output
    assert there.split() == [hashlib.sha256(data).hexdigest() for data in here]


def test_it_is_quiet_and_leaves_nobody_listening(scenes, capfd):
    before = set(threading.enumerate())
    scene_html(scenes["nine"])
    assert capfd.readouterr() == ("", "")
    left = [t for t in set(threading.enumerate()) - before if t.is_alive()]
    assert left == []


def test_a_machine_without_a_loopback_is_told_so(scenes, monkeypatch):
    def refuse(*_):
        raise OSError(99, "Cannot assign requested address")

    class Deaf(socket.socket):
        bind = refuse

    monkeypatch.setattr(socket, "socket", Deaf)
    with pytest.raises(OutputError, match=r"listen on 127\.0\.0\.1: Cannot assign"):
        scene_html(scenes["nine"])


def test_the_page_follows_the_reader_where_nothing_is_said(scenes):
    scene = scenes["nine"]
    assert "{darkMode:false}" in scene_html(scene)
    assert "{darkMode:true}" in scene_html(scene, dark=True)
    assert "prefers-color-scheme: dark" in scene_html(scene, dark=None)
    assert "<title>3D replay</title>" in scene_html(scene)


def test_the_policy_names_every_script_and_no_host(scenes):
    page = scene_html(scenes["nine"])
    policy = page_policy(page)
    scripts = [source for source in policy.script if source.startswith("'sha256-")]
    assert len(scripts) == page.count("<script") + 1  # one is unpacked by the page itself
    assert policy.text.startswith("default-src 'none'; script-src 'sha256-")
    assert "http" not in policy.text
    assert "'unsafe-eval'" not in policy.text
