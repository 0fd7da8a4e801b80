"""A job in a folder of its own, to be broken one piece at a time."""

import numpy as np
import pytest

from planner.job import read_job

SMALL = """format = 1
[job]
name = "small"
[robot]
model = "measuring-arm"
[points]
file = "points.csv"
frame = "base"
"""
POINTS = "name,x_mm,y_mm,z_mm,nx,ny,nz\nA,400,1500,1200,0,0,1\nB,500,1400,1100,0,0,1\n"

RING = np.radians(np.arange(0.0, 360.0, 45.0))


def ring(feature, x, y):
    rows = [
        f"{feature}.{level}.{k},{x + 10 * np.cos(a)},{y + 10 * np.sin(a)},{1000 - 5 * level},"
        f"{-np.cos(a)},{-np.sin(a)},0,{feature}"
        for level in (1, 2)
        for k, a in enumerate(RING)
    ]
    return "\n".join(rows) + "\n"


FEATURES = (
    "name,x_mm,y_mm,z_mm,nx,ny,nz,feature\n"
    "T1,400,1400,1000,0,0,1,top\nT2,500,1400,1000,0,0,1,top\nT3,450,1500,1000,0,0,1,top\n"
    "S1,400,1380,990,0,-1,0,side\nS2,500,1380,990,0,-1,0,side\nS3,450,1380,985,0,-1,0,side\n"
    + ring("hole-1", 420, 1420)
    + ring("hole-2", 480, 1420)
    + ring("hole-3", 450, 1480)
    + "F1,520,1420,990,1,0,0,\n"
)


@pytest.fixture
def job_of(tmp_path):
    """Read a job from its text and other files; ``change`` replaces pieces of the small one."""

    def read(text=SMALL, change=None, files=None, **options):
        for old, new in (change or {}).items():
            assert old in text
            text = text.replace(old, new)
        for name, content in ({"points.csv": POINTS} | (files or {})).items():
            (tmp_path / name).write_text(content)
        path = tmp_path / "job.toml"
        path.write_text(text)
        return read_job(path, **options)

    return read


@pytest.fixture
def read(job_of):
    """Read the small job with points of a top, a side and three bores, and with further tables."""
    return lambda extra="": job_of(SMALL + extra, files={"points.csv": FEATURES})
