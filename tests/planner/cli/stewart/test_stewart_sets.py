"""``palpeur stewart move | workspace --out``: what stands in the folder, byte by byte."""

from __future__ import annotations

import csv
import json
import re
from functools import partial

import numpy as np
import pytest

from planner.result_files import write_file
from reports.stewart import motion_set
from reports.stewart import workspace as workspace_set
from robots.stewart.library import load
from robots.stewart.limits import pose_limits
from tests.cases import SOAK, cases

CURVES = ["leg-length", "leg-speed", "leg-acceleration", "leg-force"]
MOTION = {"provenance.json", "motion.json", "motion.csv", "page.html"}
WORKSPACE = {f"workspace.{form}" for form in ("json", "csv", "png", "svg")} | {"provenance.json"}


@pytest.fixture
def few_rays(monkeypatch):
    """A tenth of the rays of each slice, in the gate."""
    for name in ("position_slice", "orientation_slice"):
        follow = partial(getattr(workspace_set, name), directions=cases(gate=18, soak=180))
        monkeypatch.setattr(workspace_set, name, follow)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_motion_is_written_whole_and_offline(palpeur, tmp_path, first_figures):
    out, files = tmp_path / "legs", MOTION | first_figures(motion_set, CURVES)
    asked = ("stewart", "move", "staicu-stewart", "--published", "--period-ms", "100", "--out", out)
    ran = palpeur(*asked, "--json")
    assert ran.code == 1  # the strokes are broken, and it is written all the same
    first = contents(out)
    assert set(first) == files
    assert json.loads(first["motion.json"]) == ran.json
    rows = rows_of(out / "motion.csv")
    assert [float(row["f6_n"]) for row in rows] == [f[5] for f in ran.json["samples"]["forces_n"]]
    page = first["page.html"].decode()
    assert not re.search(r"""(?:href|src|action)\s*=\s*["']?\s*(?:https?:)?//""", page)
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)  # names of XML are no links
    if SOAK:  # the workspace below is written twice in the gate, too
        assert palpeur(*asked).code == 1  # an earlier motion may be replaced
        assert contents(out) == first
    assert [path.name for path in tmp_path.iterdir()] == ["legs"]  # nothing is left beside it


@pytest.mark.usefixtures("few_rays")
def test_a_workspace_is_written_whole_and_the_same_twice(palpeur, tmp_path):
    out = tmp_path / "reach"
    asked = ("stewart", "workspace", "measuring-hexapod", "--z", "570", "--out", out)
    ran = palpeur(*asked, "--json")
    assert ran.code == 0
    assert ran.json["position"]["area_m2"] > 0.1
    first = contents(out)
    assert set(first) == WORKSPACE
    assert json.loads(first["workspace.json"]) == ran.json
    assert palpeur(*asked, "--csv").out == first["workspace.csv"].decode()
    assert contents(out) == first
    assert [path.name for path in tmp_path.iterdir()] == ["reach"]
    _is_the_boundary(rows_of(out / "workspace.csv"), ran.json)


def _is_the_boundary(rows, document):
    """The points of the table."""
    heads = ["slice", "x_m", "y_m", "z_m", "tilt_x_rad", "tilt_y_rad", "stopped_by"]
    assert list(rows[0]) == heads
    assert {row["slice"] for row in rows} == {"position", "orientation"}
    place = [row for row in rows if row["slice"] == "position"]
    points = np.array([[float(row[head]) for head in ("x_m", "y_m")] for row in place])
    assert points.tolist() == document["position"]["boundary"]
    assert [row["stopped_by"] for row in place] == document["position"]["stopped_by"]
    platform = load("measuring-hexapod")
    T = np.tile(platform.home, (len(place), 1, 1))
    T[:, :2, 3], T[:, 2, 3] = points, 0.57
    # Rays are bisected to rounding; a margin changes by no more than its own size per metre there.
    assert pose_limits(platform).worst(T) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.usefixtures("few_rays")
def test_an_empty_plane_has_no_boundary(palpeur):
    ran = palpeur("stewart", "workspace", "measuring-hexapod", "--z", "5000", "--csv")
    assert ran.code == 1
    assert ran.out.count("\n") == 1


@pytest.mark.parametrize("command", ["move", "workspace"])
def test_a_foreign_folder_is_left_alone(palpeur, tmp_path, command):
    write_file(tmp_path / "notes.txt", "mine")
    kind = {"move": "platform motion", "workspace": "platform workspace"}[command]
    more = ("--to", "20,0,560") if command == "move" else ()
    ran = palpeur("stewart", command, "measuring-hexapod", *more, "--out", tmp_path)
    assert ran.code == 2
    assert f"holds notes.txt, which is of no {kind} that Palpeur wrote" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
