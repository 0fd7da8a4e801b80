"""Keys: they depend on every input, parameter, version and the code, and on nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import replace

import pytest

from planner.batch.case import Case, FileHashes, key_of, names_in


def digest(job, around, text=""):
    return key_of(Case(name="any", job=job, text=text), around, FileHashes()).digest


def test_equal_inputs_give_equal_keys(job, around):
    assert digest(job, around) == digest(job, around)
    other = key_of(Case(name="other name", job=job), around, FileHashes())
    assert other.digest == digest(job, around)


def test_a_moved_folder_keeps_the_key(job, around, tmp_path):
    before = digest(job, around)
    moved = shutil.move(job.parent, tmp_path / "moved")
    for path in (tmp_path / "moved").iterdir():
        os.utime(path, (1.0, 1.0))
    assert digest(type(job)(moved) / "job.toml", around) == before


def test_every_part_counts(job, around):
    found = {digest(job, around)}
    (job.parent / "points.csv").write_text("name,x\nA,2\n")
    found.add(digest(job, around))
    (job.parent / "p.stl").write_text("solid")
    found.add(digest(job, around))
    job.write_text(job.read_text() + "# a remark\n")
    found.add(digest(job, around))
    found.add(digest(job, replace(around, code="other")))
    found.add(digest(job, replace(around, parameters=(("allow-outside", "true"),))))
    found.add(digest(job, replace(around, environment=(("numpy", "2.1"),))))
    found.add(digest(job, around, text="[job]\n"))
    assert len(found) == 8


def test_a_file_that_is_not_named_does_not_count(job, around):
    before = digest(job, around)
    (job.parent / "notes.txt").write_text("nobody reads this")
    assert digest(job, around) == before


def test_a_missing_file_counts_when_it_appears_and_goes(job, around):
    without = digest(job, around)
    (job.parent / "p.stl").write_text("solid")
    assert digest(job, around) != without
    (job.parent / "p.stl").unlink()
    assert digest(job, around) == without


def test_variants_of_a_job_that_names_itself_differ(job, around):
    text = '[job]\nname = "job.toml"\nspeed = {}\n'
    assert digest(job, around, text.format(1)) != digest(job, around, text.format(2))


def test_a_hash_is_taken_again_when_a_file_changes_in_place(job):
    hashes = FileHashes()
    points = job.parent / "points.csv"
    first = hashes.of(points)
    stamp = points.stat()
    points.write_text("name,x\nA,7\n")  # as long as before
    os.utime(points, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert hashes.of(points) != first


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe", b"[" * 5000, b"a = [[" + b"[" * 20000, b"x = 1\x00", b'a = "\\u0000"']
)
def test_what_is_no_job_has_a_key_too(job, around, raw):
    before = digest(job, around)
    job.write_bytes(raw)
    assert digest(job, around) != before


def test_names_that_cannot_be_files_are_no_inputs(job, around):
    for name in ("x" * 3000, "points.csv/below", ".", "", "a" * 5000, "\\u0000"):
        job.write_text(f'[job]\nname = "{name}"\n')
        key = key_of(Case(name="x", job=job), around, FileHashes())
        assert set(dict(key.inputs)) <= {"job.toml"} | {name}


def named(job, around, name):
    """Hash of a file that a job names, as its key has it."""
    job.write_text(f'[job]\nname = "one"\n[part]\nfile = "{name}"\n')
    return dict(key_of(Case(name="x", job=job), around, FileHashes()).inputs).get(name)


def test_a_file_that_the_job_may_not_read_is_not_looked_at(job, around, tmp_path):
    """A hash would tell whoever reads results what others' files hold."""
    allowed = replace(around, parameters=(("allow-outside", "true"),))
    (tmp_path / "secret").write_text("1234")
    (job.parent / "link").symlink_to(tmp_path / "secret")
    for name in ("../secret", str(tmp_path / "secret"), "link", "/proc/kcore"):
        assert named(job, around, name) is None
    for name in ("../secret", str(tmp_path / "secret"), "link"):
        assert named(job, allowed, name) == hashlib.sha256(b"1234").hexdigest()
    (job.parent / "inside").symlink_to("points.csv")
    assert named(job, around, "inside") == named(job, around, "points.csv") is not None


def test_no_more_of_a_file_is_read_than_is_ever_planned_with(job, around, monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_GEOMETRY_BYTES", "10")
    monkeypatch.setenv("PALPEUR_CAP_POINT_BYTES", "4")
    monkeypatch.setenv("PALPEUR_CAP_ROBOT_BYTES", "4")
    with (job.parent / "vast.stl").open("wb") as file:
        file.truncate(1 << 40)  # a hole: hours to read, no room on the disk
    assert named(job, around, "vast.stl") == hashlib.sha256(bytes(11)).hexdigest()
    monkeypatch.setenv("PALPEUR_CAP_POINT_BYTES", "20")
    assert named(job, around, "vast.stl") == hashlib.sha256(bytes(21)).hexdigest()


def test_all_of_a_long_job_counts(job, around, monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_JOB_BYTES", "2000000")
    job.write_text(job.read_text() + "# a remark\n" * 150_000)
    before = digest(job, around)
    job.write_text(job.read_text() + "# the last one\n")
    assert digest(job, around) != before


def test_a_job_whose_name_is_no_text(job, around):
    odd = job.with_name("j\udcff.toml")
    job.rename(odd)
    key = key_of(Case(name="x", job=odd), around, FileHashes())
    assert r"j\xff.toml" in dict(key.inputs)
    key.digest.encode("ascii")
    json.dumps(key.document(), ensure_ascii=False).encode("utf-8")  # no halves of characters


def test_a_pipe_is_never_opened(job, around):
    os.mkfifo(job.parent / "p.stl")
    assert "p.stl" not in dict(key_of(Case(name="x", job=job), around, FileHashes()).inputs)


def test_a_missing_job_has_a_key(job, around):
    job.unlink()
    assert digest(job, around) == digest(job, around)


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"a = 'b'\n[c]\nd = [{ e = \"f\\u0067\" }, 'b', '', 1.5]", ("b", "fg")),
        (b"\xef\xbb\xbfa = '''\r\nb\r\nc'''", ("b\nc",)),
        (b'a = "\\u0000"', ()),
        (b'a = "b"\nc = "d', ()),  # what cannot be read names nothing
        (b"\xff", ()),
    ],
)
def test_all_texts_of_a_job_may_be_files(raw, found):
    assert names_in(raw) == found
