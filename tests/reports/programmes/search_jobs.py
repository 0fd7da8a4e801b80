"""Jobs that search, planned once: six points on three planes for arms of six axes, and others."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from planner.job import read_job
from planner.job.settings import Touch
from planner.library import path_of
from planner.planning import plan
from robots.library import text_of
from tests.reports.programmes.conftest import ARM_JOB, TRACK

POINTS = """name,x_mm,y_mm,z_mm,nx,ny,nz,feature
P1,0,0,0,0,0,1,top
P2,80,40,0,0,0,1,top
P3,40,-40,0,0,0,1,top
F1,-20,0,-20,-0.6,0,0.8,left
F2,-20,30,-20,-0.6,0,0.8,left
G1,30,-60,-20,0,-0.6,0.8,front
"""
CONTROLLER = """[controller]
axes = ["q1", "q2", "q3", "q4", "q5", "q6"]
signs = [1, -1, 1, 1, -1, 1]
offsets_deg = [0, 90, -15, 0, 0, 30]
tool_number = 2
probe_input = 3
"""
ON_TRACK = """[controller]
axes = ["q1", "q2", "q3", "q4", "q5", "q6", "track"]
offsets_mm = [12]
probe_input = 3
"""
UR5E = """format = 1
[job]
name = "ur5e"
[robot]
model = "ur5e.urdf"
default_acceleration_rad_s2 = 10.0
[probe]
stylus_length_mm = 60.0
ball_diameter_mm = 4.0
[part]
pose = { translation_mm = [400, 150, 250], rotation_zyx_deg = [30, 0, 0] }
[points]
file = "points.csv"
compensated = true
[approach]
distance_mm = 20.0
[controller]
axes = [
  "shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
  "wrist_1_joint", "wrist_2_joint", "wrist_3_joint",
]
probe_input = 1
"""
REAL = Path(os.environ.get("PALPEUR_REAL_DATA", "../shared/data/real"))


@cache
def six_axis_plan(more=""):
    """Of the library's arm, whose controller counts otherwise than its robot file.

    Args:
        more: lines of [controller], or other tables.
    """
    limits = [f"limits.q{k} = {{ max_acceleration_rad_s2 = 20.0 }}" for k in range(1, 7)]
    text = ARM_JOB.replace("ROBOT", "robot.toml").replace("LIMITS", "\n".join(limits))
    return _planned(text + CONTROLLER + more, {"robot.toml": text_of("industrial-6r")})


@cache
def track_plan():
    """Of the same arm on a track, its first joint and the controller's seventh axis."""
    limits = [f"limits.q{k} = {{ max_acceleration_rad_s2 = 20.0 }}" for k in range(1, 7)]
    text = ARM_JOB.replace("ROBOT", "robot.toml").replace("LIMITS", "\n".join(limits))
    robot = text_of("industrial-6r").replace("[[joint]]\n", TRACK + "[[joint]]\n", 1)
    rows = [line for line in POINTS.splitlines() if not line.startswith("F")]  # out of reach
    files = {"robot.toml": robot, "points.csv": "\n".join(rows) + "\n"}
    return _planned(text + ON_TRACK, files)


@cache
def ur5e_plan():
    """Of a published robot; None where its file is not there."""
    file = REAL / "ur5e.urdf"
    return _planned(UR5E, {"ur5e.urdf": file.read_text()}) if file.is_file() else None


@cache
def library_plan(name):
    """Of a job of the library, which searches whatever it says itself."""
    job = read_job(path_of(name))
    return plan(job if job.touch.searching else replace(job, touch=Touch()))


def _planned(text, files):
    folder = Path(tempfile.mkdtemp(prefix="palpeur-six-"))
    for name, content in {"points.csv": POINTS, **files, "job.toml": text}.items():
        (folder / name).write_text(content)
    return plan(read_job(folder / "job.toml"))
