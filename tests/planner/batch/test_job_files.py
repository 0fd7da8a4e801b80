"""Jobs of sweeps as files: judged as the case is, whole, and never over what is there."""

from __future__ import annotations

import os

import pytest

from planner.batch import batch
from planner.batch.batch import write_jobs
from planner.batch.sweep import sweep_cases
from planner.errors import OptionError, OutputError

BASE = """[job]
name = "base"
[points]
file = "points/p.csv"
[part]
file = "none.stl"
"""
SWEEP = """format = 1
[sweep]
base = "base.toml"
[[vary]]
key = "job.name"
values = ["a", "b"]
"""


@pytest.fixture
def cases(tmp_path):
    """``cases(name, more)``: of a sweep in ``jobs``, whose base names one file."""
    folder = tmp_path / "jobs"
    (folder / "points").mkdir(parents=True)
    (folder / "points/p.csv").write_text("name,x\nA,1\n")
    (folder / "base.toml").write_text(BASE)

    def made(name="jobs/s.toml", more=""):
        (folder / "s.toml").write_text(SWEEP + more)
        return list(sweep_cases(folder / "s.toml", name))

    return made


def files(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def test_each_case_is_a_file_with_what_it_names(cases, tmp_path):
    found = cases()
    assert write_jobs(found, tmp_path / "new", allow_outside=False) == 2
    assert files(tmp_path / "new") == {
        "jobs/s-1.toml": found[0].text,
        "jobs/s-2.toml": found[1].text,
        "jobs/points/p.csv": "name,x\nA,1\n",
    }


def test_again_it_is_the_same(cases, tmp_path):
    for _ in range(2):
        assert write_jobs(cases(), tmp_path / "new", allow_outside=False) == 2
    assert len(files(tmp_path / "new")) == 3


@pytest.mark.parametrize("name", ["/abs/s.toml", "s.toml", "odd # name"])
def test_no_name_leads_out_of_the_folder(cases, tmp_path, name):
    write_jobs(cases(name), tmp_path / "new/deep", allow_outside=False)
    assert len(files(tmp_path / "new/deep")) == 3
    assert set(files(tmp_path / "new")) == {f"deep/{path}" for path in files(tmp_path / "new/deep")}


@pytest.mark.parametrize("place", ["jobs/s-2.toml", "jobs/points/p.csv"])
@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_is_there_stays_and_nothing_is_begun(cases, tmp_path, place, kind):
    foreign = tmp_path / "new" / place
    foreign.parent.mkdir(parents=True)
    if kind == "file":
        foreign.write_text("mine")
    elif kind == "link":
        foreign.symlink_to(tmp_path / "elsewhere")
    else:
        foreign.mkdir()
    before = os.lstat(foreign)
    with pytest.raises(OutputError, match="something else already, which is not written over"):
        write_jobs(cases(), tmp_path / "new", allow_outside=False)
    assert os.lstat(foreign) == before
    assert set(files(tmp_path / "new")) <= {place}
    assert not (tmp_path / "elsewhere").exists()


def test_what_comes_meanwhile_is_not_written_over(cases, tmp_path, monkeypatch):
    (tmp_path / "new/jobs").mkdir(parents=True)
    (tmp_path / "new/jobs/s-1.toml").write_text("mine")
    monkeypatch.setattr(batch, "_is_there", lambda *_: False)  # it looked before that
    with pytest.raises(OutputError, match="File exists"):
        write_jobs(cases(), tmp_path / "new", allow_outside=False)
    assert files(tmp_path / "new") == {"jobs/s-1.toml": "mine"}


def test_a_full_disk_leaves_nothing_half_written(cases, tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left on device; give another folder"):
        write_jobs(cases(), tmp_path / "new", allow_outside=False)
    assert files(tmp_path / "new") == {}


def test_without_hard_links_it_is_renamed(cases, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write_jobs(cases(), tmp_path / "new", allow_outside=False)
    assert len(files(tmp_path / "new")) == 3


def test_files_of_two_sweeps_that_want_one_place(cases, tmp_path):
    found = cases()
    other = tmp_path / "jobs/other"
    (other / "points").mkdir(parents=True)
    (other / "points/p.csv").write_text("name,x\nB,2\n")
    (other / "base.toml").write_text(BASE)
    (tmp_path / "jobs/t.toml").write_text(SWEEP.replace("base.toml", "other/base.toml"))
    found += sweep_cases(tmp_path / "jobs/t.toml", "jobs/t.toml")
    with pytest.raises(OptionError, match=r"p\.csv would have to hold two things"):
        write_jobs(found, tmp_path / "new", allow_outside=False)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("named", ["points/../points/p.csv", "{folder}/points/p.csv"])
def test_a_path_that_would_lead_elsewhere_is_refused(cases, tmp_path, named):
    named = named.format(folder=tmp_path / "jobs")
    more = f'[[vary]]\nkey = "points.file"\nvalues = ["{named}"]\n'
    with pytest.raises(OptionError, match="leads elsewhere from another folder"):
        write_jobs(cases(more=more), tmp_path / "new", allow_outside=False)


def test_what_a_job_may_not_read_is_not_copied(cases, tmp_path):
    (tmp_path / "secret.csv").write_text("secret")
    (tmp_path / "jobs/link.csv").symlink_to(tmp_path / "secret.csv")
    more = '[[vary]]\nkey = "points.file"\nvalues = ["../secret.csv", "link.csv"]\n'
    assert write_jobs(cases(more=more), tmp_path / "new", allow_outside=False) == 4
    assert set(files(tmp_path / "new")) == {f"jobs/s-{k}.toml" for k in (1, 2, 3, 4)}
