"""Inputs in the report set: the job's own paths where they can be, nothing outside ``inputs``."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import OutputError
from planner.job import JobInput, read_job
from planner.library import path_of
from planner.result_files import listed_files
from reports.plan_document import document_text
from reports.provenance import (
    ListedFile,
    SetOptions,
    is_portable,
    provenance,
    provenance_document,
    safe_name,
    write_inputs,
)

JOB = path_of("nine-points-corrected")


def given(job, tmp_path, *names):
    """The job with files of these names as its inputs; each holds its own name."""
    inputs = []
    for number, name in enumerate(names):
        base = Path(name).name if Path(name).name not in ("", "..", ".") else "x"
        path = tmp_path / "sources" / str(number) / base
        path.parent.mkdir(parents=True)
        path.write_text(name)
        inputs.append(JobInput(name=name, sha256=hashed(name), path=path))
    return replace(job, inputs=tuple(inputs))


def hashed(text):
    return hashlib.sha256(text.encode()).hexdigest()


def contents(folder):
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "set"
    place.mkdir()
    return place


def test_the_copies_are_a_job_that_reads_the_same(folder):
    job = read_job(JOB)
    stored = write_inputs(job, folder, "job.toml")
    assert contents(folder) == {"inputs/job.toml", "inputs/points.csv"}
    assert (folder / "inputs/job.toml").read_bytes() == JOB.read_bytes()
    assert [item.stored for item in stored.others] == [None, "inputs/points.csv"]
    again = read_job(folder / stored.job.stored)
    assert again.fingerprint == job.fingerprint
    assert stored.title == job.name


def test_a_mark_of_byte_order_and_line_ends_are_kept(folder, tmp_path):
    for path in JOB.parent.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    raw = b"\xef\xbb\xbf" + JOB.read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "job.toml").write_bytes(raw)
    write_inputs(read_job(tmp_path / "job.toml"), folder)
    assert (folder / "inputs/job.toml").read_bytes() == raw


def test_paths_within_the_folder_are_kept(job, folder, tmp_path):
    names = ["a.csv", "./b.csv", "sub/c.csv", "sub/../d.csv", "größe 1.stl"]
    stored = write_inputs(given(job, tmp_path, *names), folder).others
    expected = ["a.csv", "b.csv", "sub/c.csv", "d.csv", "größe 1.stl"]
    assert [item.stored for item in stored] == [f"inputs/{name}" for name in expected]
    assert [(folder / item.stored).read_text() for item in stored] == names


@pytest.mark.parametrize(
    "name",
    [
        *("../a.csv", "/etc/a.csv", "sub/../../a.csv", "../../../../../a.csv", "//a.csv"),
        *("CON", "sub/nul.csv", "LPT1.stl", "outside/a.csv", "a.csv.", " a.csv", "a\\b.csv"),
        *("a:b.csv", "a\nb.csv", "a\x1b[31m.csv", "a\u202e.csv", "C:\\a.csv", "x" * 240 + ".csv"),
        "/".join(["d" * 100] * 10) + "/a.csv",
        "/".join(["d"] * 30) + "/a.csv",
    ],
)
def test_other_paths_stand_outside_under_their_hash(job, folder, tmp_path, name):
    (item,) = write_inputs(given(job, tmp_path, name), folder).others
    assert item.name == name
    place, base = item.stored.rsplit("/", 1)
    assert place == "inputs/outside"
    assert base.startswith(f"{hashed(name)[:8]}-")
    assert is_portable(item.stored)
    assert len(base.encode()) <= 255
    assert (folder / item.stored).read_text() == name
    assert contents(tmp_path / "set") == {"inputs/job.toml", item.stored}


@pytest.mark.parametrize(
    "name", ["", ".", "..", "/", "\x00", "con", "Aux.txt", "x" * 10_000, "\ud800", "…" * 100, "-"]
)
def test_a_safe_name_is_one_for_every_name(name):
    safe = safe_name(name)
    assert safe_name(safe) == safe
    assert 0 < len(safe.encode()) <= 200
    assert safe not in (".", "..")
    assert not set(safe) & set('\\/:*?"<>|\0')


@pytest.mark.parametrize(
    "names", [("a.csv", "A.csv"), ("a", "a/b.csv"), ("b/c", "b"), ("job.toml",)]
)
def test_no_file_takes_the_place_of_another(job, folder, tmp_path, names):
    stored = write_inputs(given(job, tmp_path, *names), folder)
    places = [stored.job.stored, *(item.stored for item in stored.others)]
    assert len({place.casefold() for place in places}) == len(places)
    assert [(folder / item.stored).read_text() for item in stored.others] == list(names)
    assert (folder / stored.job.stored).read_text() == job.text


def test_a_file_that_is_named_twice_is_stored_once(job, folder, tmp_path):
    (item,) = given(job, tmp_path, "a.stl").inputs
    stored = write_inputs(replace(job, inputs=(item, item)), folder).others
    assert [one.stored for one in stored] == ["inputs/a.stl"] * 2


def test_a_link_is_stored_as_what_it_leads_to(job, folder, tmp_path):
    path = tmp_path / "real.csv"
    path.write_text("points")
    item = JobInput(name="points.csv", sha256=hashed("points"), path=path)
    (stored,) = write_inputs(replace(job, inputs=(item,)), folder).others
    assert stored.stored == f"inputs/outside/{hashed('points')[:8]}-real.csv"
    assert not (folder / stored.stored).is_symlink()


@pytest.mark.parametrize("name", ["../../evil.toml", "/tmp/evil.toml", "CON", "", "a\nb.toml"])
def test_the_job_file_stays_in_its_place_whatever_its_name(job, folder, name):
    stored = write_inputs(job, folder, name)
    assert stored.job.name == name
    assert contents(folder) == {stored.job.stored, "inputs/points.csv"}


def test_a_changed_file_is_refused(job, folder, tmp_path):
    changed = given(job, tmp_path, "a.csv")
    changed.inputs[0].path.write_text("other")
    with pytest.raises(OutputError, match=r"'a\.csv' has changed since the job was read"):
        write_inputs(changed, folder)


def test_a_file_that_has_gone_is_refused(job, folder, tmp_path):
    changed = given(job, tmp_path, "a.csv")
    changed.inputs[0].path.unlink()
    with pytest.raises(OutputError, match=r"'a\.csv' of the job cannot be copied"):
        write_inputs(changed, folder)


def test_a_job_text_of_another_job_is_refused(job, folder):
    with pytest.raises(OutputError, match="not the one that was hashed"):
        write_inputs(replace(job, text="format = 1"), folder)


def test_a_job_that_was_never_text_has_no_file(job, folder):
    stored = write_inputs(replace(job, text=""), folder)
    assert stored.job.stored is None
    assert contents(folder) == {"inputs/points.csv"}


def test_files_are_listed_with_hash_and_size_but_for_the_record(folder):
    (folder / "b").mkdir()
    (folder / "b" / "x.txt").write_text("x")
    (folder / "a.txt").write_text("é")
    (folder / "provenance.json").write_text("{}")
    assert listed_files(folder) == (
        ListedFile(name="a.txt", sha256=hashed("é"), size=2),
        ListedFile(name="b/x.txt", sha256=hashed("x"), size=1),
    )


def test_the_record_of_a_folder_made_by_hand(plan, folder):
    (folder / "plan.json").write_text("{}")
    made = provenance(plan, "palpeur plan nine.toml", "nine.toml")
    stored = write_inputs(plan.job, folder, made.job)
    options = SetOptions(figures=False, exports=("krl",))
    document = provenance_document(made, stored, listed_files(folder), options)
    assert json.loads(document_text(document)) == document
    assert document["format"] == 1
    assert document["command"] == "palpeur plan nine.toml"
    assert document["options"] == {
        **{"figures": False, "pages": True},
        **{"exports": ["krl"], "partial": False, "csv": False},
    }
    assert document["job"] == {
        "name": plan.job.name,
        "file": "nine.toml",
        "sha256": plan.job.sha256,
        "stored": "inputs/nine.toml",
    }
    assert [item["stored"] for item in document["inputs"]] == [None, "inputs/points.csv"]
    names = [item["name"] for item in document["files"]]
    assert names == ["inputs/nine.toml", "inputs/points.csv", "plan.json"]
    assert str(folder) not in document_text(document)
