"""A small job with all that a programme says: stylus, ball, search, dwell; and variations of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.job import read_job
from planner.planning import plan
from robots.library import text_of
from tests.reports.programmes.gantry import gantry_job

JOB = """format = 1
[job]
name = "two points"
[robot]
model = "measuring-arm"
[probe]
stylus_length_mm = 60.0
ball_diameter_mm = 4.0
[part]
pose = { translation_mm = [0, 1500, 800], rotation_zyx_deg = [30, 0, 0] }
[points]
file = "points.csv"
frame = "part"
compensated = true
[approach]
distance_mm = 20.0
direction = DIRECTION
law = "quintic"
dwell_s = 0.1
overtravel_mm = 2.0
[travel]
law = "trapezoid"
order = "as-given"
[sampling]
period_ms = 1.0
"""
POINTS = """name,x_mm,y_mm,z_mm,nx,ny,nz
P1,0,0,300,0,0,1
P2,80,40,290,0,0.28,0.96
"""


ARM_JOB = """format = 1
[job]
name = "six axes"
[robot]
model = "ROBOT"
LIMITS
[probe]
stylus_length_mm = 60.0
ball_diameter_mm = 4.0
[part]
pose = { translation_mm = [450, 200, 600], rotation_zyx_deg = [30, 0, 0] }
[points]
file = "points.csv"
compensated = true
[approach]
distance_mm = 20.0
"""
ARM_POINTS = """name,x_mm,y_mm,z_mm,nx,ny,nz
P1,0,0,0,0,0,1
P2,80,40,-10,0,0.28,0.96
"""
CONTROLLER = """[controller]
axes = AXES
tool_number = 2
base_number = 1
probe_input = 3
"""
TRACK = """[[joint]]
name = "track"
type = "prismatic"
min_mm = -100
max_mm = 100
max_speed_m_s = 0.5
max_acceleration_m_s2 = 2.0

"""


@pytest.fixture(scope="session")
def arm_job(tmp_path_factory):
    """``arm_job(robot)`` → two points for an arm with six axes, or for one on a track."""

    def read(robot, others=()):
        folder = tmp_path_factory.mktemp("arm")
        limits = [f"limits.q{k} = {{ max_acceleration_rad_s2 = 20.0 }}" for k in range(1, 7)]
        (folder / "robot.toml").write_text(robot)
        text = ARM_JOB.replace("ROBOT", "robot.toml").replace("LIMITS", "\n".join(limits))
        axes = [*(f"q{k}" for k in range(1, 7)), *others]
        text += CONTROLLER.replace("AXES", str(axes).replace("'", '"'))
        (folder / "job.toml").write_text(text)
        (folder / "points.csv").write_text(ARM_POINTS)
        return read_job(folder / "job.toml")

    return read


@pytest.fixture(scope="session")
def six_axes(arm_job):
    return plan(arm_job(text_of("industrial-6r")))


@pytest.fixture(scope="session")
def on_gantry(tmp_path_factory):
    """A block on three sliding axes."""
    return plan(gantry_job(tmp_path_factory.mktemp("gantry")))


@pytest.fixture(scope="session")
def on_track(arm_job):
    """The same arm on a track, its first joint."""
    text = text_of("industrial-6r").replace("[[joint]]\n", TRACK + "[[joint]]\n", 1)
    return plan(arm_job(text, ("track",)))


@pytest.fixture(scope="session")
def job_in(tmp_path_factory):
    """``job_in(direction)`` → the small job, approached along a direction."""

    def read(direction='"normal"'):
        folder = tmp_path_factory.mktemp("job")
        (folder / "job.toml").write_text(JOB.replace("DIRECTION", direction))
        (folder / "points.csv").write_text(POINTS)
        return read_job(folder / "job.toml")

    return read


@pytest.fixture(scope="session")
def job(job_in):
    return job_in()


@pytest.fixture(scope="session")
def two_points(job):
    return plan(job)


@pytest.fixture(scope="session")
def planned(job):
    """``planned(positions, normals, names, features, **changes)`` → a plan of other points."""

    def make(positions, normals, *, names=None, features=(), **changes):
        positions, normals = np.asarray(positions, float), np.asarray(normals, float)
        names = names or tuple(f"P{k}" for k in range(1, len(positions) + 1))
        points = ProbePoints(names=names, positions=positions, normals=normals, features=features)
        return plan(replace(job, points=points, **changes))

    return make
