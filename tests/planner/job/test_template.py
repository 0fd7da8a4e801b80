"""The job that `palpeur init` writes: it reads, and it is never written over another."""

import numpy as np
import pytest

from parts.library import open_part, stl_bytes
from planner.errors import OutputError
from planner.job import job_template, read_job, write_template
from planner.reach.placement import place
from robots.arm.inverse import ArmInverse


def test_the_template_runs_as_it_is(tmp_path):
    paths = write_template(tmp_path / "new" / "job")
    assert [path.name for path in paths] == ["job.toml", "points.csv"]
    assert [path.read_text() for path in paths] == list(job_template().values())
    job = read_job(paths[0])
    placed, arm = place(job), ArmInverse(job.mechanism)
    ends = (placed.clearances, placed.contacts, placed.line_ends)
    found = [arm.solve(end, placed.axes) for end in ends]
    assert all(solutions.solved.all() for solutions in found)
    q = np.stack([solutions.q for solutions in found])
    margins = np.minimum(q - job.mechanism.q_min, job.mechanism.q_max - q).min(axis=(0, 1, 3))
    assert margins.max() > np.radians(10.0) > job.checks.joint_margin
    assert job.points.warnings == ()


def test_every_commented_key_of_the_template_is_right(tmp_path):
    """What the comments offer works when it is uncommented."""
    paths = write_template(tmp_path)
    text = paths[0].read_text()
    offered = ("# limits.q1", "# tool =", "# geometry", "# unit", "# com_mm", "# [[probe.capsule]]")
    offered += ('# name = "head"', "# from_mm", "# to_mm", "# radius_mm", "# [[cell.obstacle]]")
    offered += ('# name = "table"', "# box_mm", "# pose", "# keep_out", "# clearance_plane_mm")
    for start in offered:
        assert text.count(start) == 1
        text = text.replace(start, start[2:])
    text = text.replace('file = "points.csv"', "").replace("# [[points.point]]", "[[points.point]]")
    for key in ('name = "P1"', "x_mm", "y_mm", "z_mm", "nx", "ny", "nz"):
        text = text.replace(f"# {key}", key)
    (tmp_path / "plate.stl").write_bytes(stl_bytes(open_part("inclined-plate").geometry.mesh))
    paths[0].write_text(text)
    job = read_job(paths[0])
    assert job.points.names == ("P1",)
    assert job.mechanism.max_speed[0] == 1.0
    assert job.part.unit == "mm"
    assert [solid.name for solid in job.cell.solids] == ["part", "table"]
    assert [body.name for body in job.probe.bodies] == ["head"]
    assert job.probe.com == 0.06
    assert job.travel.clearance_plane == 0.9


def test_the_order_keys_of_the_template_are_right(tmp_path):
    paths = write_template(tmp_path)
    text = paths[0].read_text().replace('order = "as-given"', 'order = "fastest"')
    paths[0].write_text(text.replace("# group =", "group =").replace("# locked =", "locked ="))
    travel = read_job(paths[0]).travel
    assert travel.locked == (("P1", "P2"), ("P4", "P3"))
    assert travel.group == "feature"


def test_the_template_says_the_defaults(tmp_path):
    """Every key marked (default) may be taken out without changing the job."""
    paths = write_template(tmp_path)
    said = read_job(paths[0])
    lines = paths[0].read_text().splitlines(keepends=True)
    kept = [line for line in lines if "(default)" not in line or line.startswith("# Every")]
    assert len(kept) < len(lines) - 5
    paths[0].write_text("".join(kept))
    left_out = read_job(paths[0])
    for table in ("probe", "travel"):
        assert getattr(left_out, table) == getattr(said, table)
    assert left_out.approach.tilt == said.approach.tilt
    assert np.array_equal(left_out.place.shift, said.place.shift)
    assert np.array_equal(left_out.place.yaw, said.place.yaw)
    assert (left_out.place.goal, left_out.place.seed) == (said.place.goal, said.place.seed)


@pytest.mark.parametrize("name", ["job.toml", "points.csv"])
def test_nothing_is_overwritten(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match=f"{name} exists already and is not overwritten"):
        write_template(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_files_of_these_names_are_replaced_by_force(tmp_path):
    (tmp_path / "job.toml").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    for path in write_template(tmp_path, force=True):
        assert path.read_text(encoding="utf-8") == job_template()[path.name]
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="the job cannot be written: "):
        write_template(tmp_path / "file" / "below")
