"""Points and part in different units, told by the part's surface: inches above all."""

from __future__ import annotations

import numpy as np
import pytest

from parts.library import open_part, stl_bytes
from planner.errors import JobError
from planner.job import read_job
from robots.core.pose import make_pose, transform_points

SHIFT = np.array([0.2, 1.5, 0.9])
JOB = """format = 1
[job]
name = "block"
[robot]
model = "measuring-arm"
[part]
geometry = "part.stl"
unit = "{unit}"
pose = {{ translation_mm = [200, 1500, 900] }}
[points]
file = "points.csv"
frame = "{frame}"
"""


@pytest.fixture(scope="module")
def touched():
    """Points on the block's surface, in its frame. # (k, 3) [m]."""
    mesh = open_part("block").geometry.mesh
    return mesh.triangles.mean(axis=1)[:: max(1, len(mesh) // 40)]


@pytest.fixture
def read(tmp_path):
    def make(positions, *, header="mm", unit="mm", frame="part"):
        """A job whose point file holds these numbers. # positions (k, 3)."""
        rows = [
            f"P{k},{','.join(repr(float(v)) for v in row)},0,0,1" for k, row in enumerate(positions)
        ]
        names = ",".join(f"{axis}_{header}" for axis in "xyz")
        text = "\n".join([f"name,{names},nx,ny,nz", *rows]) + "\n"
        (tmp_path / "points.csv").write_text(text, encoding="utf-8")
        (tmp_path / "part.stl").write_bytes(stl_bytes(open_part("block").geometry.mesh))
        (tmp_path / "job.toml").write_text(JOB.format(unit=unit, frame=frame), encoding="utf-8")
        return read_job(tmp_path / "job.toml")

    return make


def refused(read, positions, **how) -> str:
    with pytest.raises(JobError) as caught:
        read(positions, **how)
    return caught.value.message


def test_right_units_pass(read, touched):
    assert len(read(1e3 * touched).points) == len(touched)
    assert len(read(touched / 0.0254, header="in").points) == len(touched)
    assert len(read(1e3 * (touched + SHIFT), frame="base").points) == len(touched)


@pytest.mark.parametrize(
    ("scale", "header", "how", "doubt"),
    [
        (1 / 0.0254, "mm", "multiplied", "millimetres and look like inches: head the columns x_in"),
        (1e3, "in", "divided", "inches and look like millimetres: head the columns x_mm"),
    ],
)
def test_points_in_the_other_unit_are_named(read, touched, scale, header, how, doubt):
    told = refused(read, scale * touched, header=header)
    start = "points.csv, line 1: the points and part.stl are off by a factor of 25.4: "
    assert told.startswith(start)
    total = len(touched)
    assert (
        f" of {total} points lie on the part's surface as they are, {total} when {how} by 25.4. "
        in told
    )
    assert f"The points are labelled {doubt}" in told
    assert ('set unit = "in" in [part]' in told) == (how == "divided")


def test_a_part_in_the_other_unit_is_named_beside_the_points(read, touched):
    told = refused(read, 1e3 * touched, unit="in")
    assert told.endswith(
        "The points are labelled millimetres and look like inches: head the columns x_in, y_in, "
        'z_in, or part.stl is labelled inches and looks like millimetres: set unit = "mm" in '
        "[part] (job.toml, line 8: part.unit)."
    )


def test_points_in_the_base_frame_scale_about_its_origin(read, touched):
    told = refused(read, (touched + SHIFT) / 0.0254, frame="base")
    assert "off by a factor of 25.4" in told
    assert "head the columns x_in" in told


def test_a_part_in_the_other_unit_is_all_that_explains_points_in_the_base_frame(read, touched):
    told = refused(read, 1e3 * (touched + SHIFT), frame="base", unit="in")
    assert 'part.stl is labelled inches and looks like millimetres: set unit = "mm"' in told
    assert "The points are" not in told


@pytest.mark.parametrize("seed", range(5))
def test_points_of_another_part_or_pose_are_left_to_the_plan(read, touched, seed):
    rng = np.random.default_rng(seed)
    T = make_pose(translation=rng.uniform(-0.03, 0.03, 3))
    assert len(read(1e3 * transform_points(T, touched)).points) == len(touched)
    scattered = rng.uniform(touched.min(axis=0), touched.max(axis=0), touched.shape)
    assert len(read(1e3 * scattered).points) == len(touched)


def test_two_points_say_nothing(read, touched):
    assert len(read(touched[[0, -1]] / 0.0254).points) == 2


def test_a_crumb_on_a_face_through_the_origin_is_not_taken_for_inches(read):
    away = np.array([[400.0, 10, 0], [410, 60, 0], [470, 30, 0], [520, 80, 0]])
    assert len(read(away).points) == 4
