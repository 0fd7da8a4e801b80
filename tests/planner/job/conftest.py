"""A job in a folder of its own, to be broken one piece at a time."""

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
