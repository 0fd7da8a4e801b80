"""Jobs of few points, each failing for one reason with a fix that is known beforehand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from planner.findings import Severity
from planner.fixes.fix import FixKind
from planner.job import read_job
from planner.planning import plan

HEAD = """
format = 1
job.name = "{name}"
robot.model = "measuring-arm"
probe = {{ stylus_length_mm = {stylus}, ball_diameter_mm = {ball} }}
part.pose = {{ translation_mm = [0, 0, 0] }}
approach = {{ distance_mm = {distance}, direction = {direction}, tilt_deg = {tilt} }}
checks.clearance_mm = 5
points.compensated = true
"""
POINT = """
[[points.point]]
name = "{name}"
x_mm = {x!r}
y_mm = {y!r}
z_mm = {z!r}
nx = {n[0]!r}
ny = {n[1]!r}
nz = {n[2]!r}
"""
BOX = """
[[cell.obstacle]]
name = "{name}"
box_mm = {size}
pose = {{ translation_mm = {at} }}
"""
EASY = {"name": "easy", "x": 900.0, "y": 900.0, "z": -100.0}


@pytest.fixture
def job_file(tmp_path):
    """Writes a job: ``job_file([points], boxes=[…], more="limits…", stylus=…, distance=…)``."""

    def write(points, boxes=(), more="", **values):
        keys = {"name": "test", "stylus": 200, "ball": 4, "distance": 50.0, "tilt": 0}
        text = HEAD.format(**keys | {"direction": "[0, 0, 1]"} | values) + more
        for point in points:
            numbers = {key: float(point[key]) for key in "xyz"}
            normal = np.asarray(point.get("n", (0.0, 0.0, 1.0))).tolist()
            text += POINT.format(name=point["name"], n=normal, **numbers)
        text += "".join(BOX.format(**box) for box in boxes)
        path = tmp_path / "job.toml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def apply():
    """Writes a fix into its job file, as a user would, and reads it again."""

    def applied(path, fix):
        text = path.read_text()
        if fix.place.startswith("point "):
            name, values = fix.place.removeprefix("point "), fix.line.split(" = ")[1].split(", ")
            before, after = text.split(f'name = "{name}"')
            for key, value in zip(("nx", "ny", "nz"), values, strict=True):
                after = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", after, count=1)
            text = before + f'name = "{name}"' + after
        elif fix.kind is FixKind.BRANCH:
            key = fix.line.split(" = ")[0]
            text = re.sub(rf"(?m)^robot\.{key} = .*$\n", "", text)
            text = text.replace("robot.model", f"robot.{fix.line}\nrobot.model")
        else:
            key = fix.line.split(" = ")[0]
            text, count = re.subn(rf"{key} = (\[[^]]*\]|[^,\n }}]+)", fix.line, text, count=1)
            assert count == 1
        path.write_text(text)
        return read_job(path)

    return applied


@pytest.fixture
def served():
    """Whether a plan of a job serves a point without an error about it."""

    def judged(job, name):
        made = plan(job)
        bad = [f for f in made.finding_list if f.where == name and f.severity is Severity.ERROR]
        return made.planned_points[job.points.index(name)].reachable and not bad

    return judged


@pytest.fixture(scope="session")
def arm_reach():
    """From the shoulder to the wrist centre, stretched. [mm]"""
    return 1000.0 + 1513.9


@pytest.fixture
def wall():
    """A point whose ball comes from the far side at 45° and meets a wall 40 mm behind it.

    The ball (radius 2, clearance 5) may go 33 mm towards the wall: 46.67 mm along its line. The
    job asks for 80 mm, 23.57 mm too far sideways.
    """
    return {
        "points": [{"name": "P", "x": 0.0, "y": 1500.0, "z": 0.0}, EASY],
        "boxes": [{"name": "wall", "size": [400, 20, 200], "at": [0, 1550, 0]}],
        "distance": 80.0,
        "direction": "[0, 1, 1]",
    }


@pytest.fixture
def shelf():
    """A point whose wrist (radius 50, clearance 5) meets a block beside the stylus, 20 mm away.

    The block's top is 172 mm above the point, the wrist's centre 202 at contact, and less by what
    the line goes on for search and stop: √(55² - 20²) = 51.23 mm are needed.
    """
    return {
        "points": [{"name": "P", "x": 0.0, "y": 1500.0, "z": 0.0}, EASY],
        "boxes": [{"name": "shelf", "size": [200, 100, 70], "at": [0, 1570, 137]}],
    }


def angle(a, b):
    return float(np.degrees(np.arccos(np.clip(np.dot(a, b), -1.0, 1.0))))
