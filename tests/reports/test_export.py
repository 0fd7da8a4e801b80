"""The report set: whole or not at all, nobody's files destroyed, the same bytes each time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import planner.result_files
import reports.export
from planner.errors import OutputError
from planner.motion.sampled_motion import sampled
from planner.planning import plan as planned
from planner.processes import host, started
from planner.proof import prove
from reports.export import export
from reports.plan_document import plan_document
from reports.provenance import SetOptions
from tests.cases import SOAK

DATA = SetOptions(figures=False, pages=False)
TEXTS = [
    *("README.txt", "inputs/job.toml", "inputs/points.csv", "plan.json", "points.csv"),
    *("provenance.json", "trajectory.parquet"),
]
PAGES = [
    *("plan.qif", "program.dmi", "program.ipp", "report.html", "report.pdf", "scene.glb"),
    "tables.xlsx",
]


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "sets" / "first"


@pytest.fixture
def written(plan, proved, folder):
    export(proved(plan), folder, options=DATA)
    return folder


@pytest.fixture(scope="module")
def real(job):
    """A proven plan of three points."""
    return prove(planned(job))


@pytest.fixture(scope="module")
def complete(real, tmp_path_factory, drawing_few):
    """A folder with the whole set, and the paths that were told."""
    folder = tmp_path_factory.mktemp("sets") / "first"
    with drawing_few():
        return folder, export(real, folder)


def test_the_set_is_complete(real, complete):
    folder, paths = complete
    names = sorted(contents(folder))
    assert [str(path.relative_to(folder)) for path in paths] == names
    assert [name for name in names if not name.startswith("figures")] == sorted(TEXTS + PAGES)
    assert sum(name.startswith("figures") for name in names) == (14 if SOAK else 4)
    assert json.loads((folder / "plan.json").read_text()) == plan_document(real)
    assert [path.name for path in folder.parent.iterdir()] == ["first"]


def test_figures_are_left_out_on_demand(written):
    assert sorted(contents(written)) == TEXTS


def test_the_read_me_tells_units_side_inputs_and_quoting(written, plan):
    text = (written / "README.txt").read_text(encoding="utf-8")
    words = " ".join(text.split())
    assert "every 1 ms" in words
    assert "the side after it" in words
    assert "an apostrophe stands before names" in words
    assert plan.job.sha256 in text
    for item in plan.job.inputs:
        assert f"{item.sha256}  {item.name}" in text


def test_the_same_plan_gives_the_same_bytes(plan, proved, tmp_path):
    for name in ("a", "b"):
        export(proved(plan), tmp_path / name, options=DATA)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_another_process_gives_the_same_bytes(tmp_path, real):
    """Of other hashes and in another zone, without anything that tests have left in this one.

    Figures, which take most of the time, are part of both sets in the soak.
    """
    code = (
        "import sys\n"
        "from dataclasses import replace\n"
        "from parts.points import ProbePoints\n"
        "from planner.job import read_job\n"
        "from planner.library import path_of\n"
        "from planner.planning import plan\n"
        "from planner.proof import prove\n"
        "from reports.export import export\n"
        "from reports.provenance import SetOptions\n"
        "job = read_job(path_of('nine-points-corrected'))\n"
        "names, at, normals = job.points.names, job.points.positions, job.points.normals\n"
        "three = ProbePoints(names=names[:3], positions=at[:3], normals=normals[:3])\n"
        f"options = SetOptions(figures={SOAK})\n"
        "export(prove(plan(replace(job, points=three))), sys.argv[1], options=options)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "there")]
    environment = os.environ | {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"}
    subprocess.run(command, check=True, env=environment, cwd=Path(__file__).parents[2])
    export(real, tmp_path / "here", options=SetOptions(figures=SOAK))
    first, second = (contents(tmp_path / name) for name in ("here", "there"))
    assert sorted(first) == sorted(second)
    assert len(first) == (28 if SOAK else 14)
    assert [name for name in first if first[name] != second[name]] == []


def test_an_earlier_set_is_replaced_whole(plan, proved, folder):
    export(proved(plan), folder, options=DATA)
    (folder / "points.csv").write_text("changed")
    export(proved(plan), folder, options=DATA)
    assert (folder / "points.csv").read_text() != "changed"
    assert sorted(contents(folder)) == TEXTS
    assert [path.name for path in folder.parent.iterdir()] == ["first"]


def test_an_empty_folder_is_taken(plan, proved, folder):
    folder.mkdir(parents=True)
    export(proved(plan), folder, options=DATA)
    assert sorted(contents(folder)) == TEXTS


def test_nothing_is_exported_when_validation_failed(plan, rejected, folder):
    with pytest.raises(OutputError, match="failed its own validation; nothing is exported"):
        export(rejected(plan), folder)
    assert not folder.parent.exists()


@pytest.mark.parametrize("foreign", ["notes.txt", "figures/mine.txt", "deep/er/notes.txt"])
def test_a_set_with_somebody_s_file_in_it_is_kept(plan, proved, written, foreign):
    path = written / foreign
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    before = contents(written)
    with pytest.raises(OutputError, match=f"holds {Path(foreign).parts[0]}"):
        export(proved(plan), written)
    assert contents(written) == before


@pytest.mark.parametrize("name", ["points.csv", "README.txt", "figures/a.png"])
def test_files_that_only_look_like_ours_are_kept(plan, proved, folder, name):
    path = folder / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(OutputError, match="of no report set"):
        export(proved(plan), folder)
    assert contents(folder) == {name: b"mine"}


def test_a_link_is_no_file_of_a_set(plan, proved, written, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("mine")
    (written / "points.csv").unlink()
    (written / "points.csv").symlink_to(other)
    with pytest.raises(OutputError, match=r"points\.csv"):
        export(proved(plan), written)
    assert other.read_text() == "mine"


def test_a_file_in_the_place_is_kept(plan, proved, tmp_path):
    place = tmp_path / "file"
    place.write_text("mine")
    with pytest.raises(OutputError, match="is a file, not a folder"):
        export(proved(plan), place)
    assert place.read_text() == "mine"


def test_a_place_that_cannot_be_is_told(plan, proved, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match=r"cannot be written: .*; give another one with --out"):
        export(proved(plan), tmp_path / "file" / "set")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_export_leaves_the_old_set(plan, proved, written, monkeypatch, error):
    def stop(*_):
        raise error

    before = contents(written)
    monkeypatch.setattr(reports.export, "write_points", stop)
    expected = OutputError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        export(proved(plan), written)
    assert contents(written) == before
    assert [path.name for path in written.parent.iterdir()] == ["first"]


@pytest.fixture
def in_steps(monkeypatch):
    monkeypatch.setattr(planner.result_files, "_exchanged", lambda *_: False)


@pytest.mark.usefixtures("in_steps")
def test_the_exchange_works_where_the_system_has_none(plan, proved, written):
    export(proved(plan), written, options=DATA)
    assert sorted(contents(written)) == TEXTS
    assert [path.name for path in written.parent.iterdir()] == ["first"]


@pytest.mark.usefixtures("in_steps")
def test_the_old_set_comes_back_when_the_exchange_fails(plan, proved, written, monkeypatch):
    before, rename = contents(written), Path.rename

    def failing(self, target):
        if self.suffix == ".partial":
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OutputError, match="Input/output error"):
        export(proved(plan), written, options=DATA)
    assert contents(written) == before


def test_what_a_killed_process_half_wrote_goes_and_what_others_write_stays(plan, proved, written):
    dead, alive = f"{2**22 + 1}-7", f"{os.getppid()}-{started(os.getppid())}"
    gone, elsewhere, running = (
        written.parent / f".{written.name}.{writer}.partial"
        for writer in (f"{host()}.{dead}", f"elsewhere.{dead}", f"{host()}.{alive}")
    )
    for path in (gone, elsewhere, running):
        path.mkdir()
        (path / "report.html").touch()
    export(proved(plan), written, options=DATA)
    assert [path.exists() for path in (gone, elsewhere, running)] == [False, True, True]


def test_a_link_to_a_folder_is_followed(plan, proved, written, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(written, target_is_directory=True)
    export(proved(plan), link, options=DATA)
    assert link.is_symlink()
    assert sorted(contents(written)) == TEXTS


def test_a_plan_without_motion_is_exported(real, folder):
    plan = real.plan
    far = replace(plan.job.part, T_base_part=np.diag([1.0, 1.0, 1.0, 1.0]) + 9.0 * np.eye(4, k=3))
    still = planned(replace(plan.job, part=far))
    assert not still.timeline
    export(prove(still), folder)
    assert sampled(still).count == 0
    assert len(pd.read_parquet(folder / "trajectory.parquet")) == 0
    assert "Not feasible" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_record_names_every_file_with_its_hash(written):
    record = json.loads((written / "provenance.json").read_text())
    listed = {item["name"]: item["sha256"] for item in record["files"]}
    held = contents(written)
    del held["provenance.json"]
    assert listed == {name: hashlib.sha256(data).hexdigest() for name, data in held.items()}


def test_robot_programmes_are_written_on_demand(real, folder):
    options = SetOptions(figures=False, pages=False, exports=("csv", "ros"))
    export(real, folder, options=options)
    robot = sorted(path.name for path in (folder / "robot").iterdir())
    assert robot == ["joint_trajectory.yaml", "joints.csv"]
    export(real, folder, options=DATA)  # over a set that held them
    assert sorted(contents(folder)) == TEXTS
