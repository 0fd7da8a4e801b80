"""Costs: noted line by line, the last one counts."""

from __future__ import annotations

import os

import pytest

from planner.batch.engine import Done, Ending
from planner.batch.measured import CaseCosts
from planner.errors import OutputError


def test_the_last_note_counts_and_torn_lines_do_not(tmp_path, task):
    costs = CaseCosts(folder=tmp_path)
    assert costs.read() == {}
    one = task("one")
    for seconds in (1.0, 2.5):
        done = Done(task=one, digest=one.digest, ending=Ending.WRITTEN, seconds=seconds, peak=7)
        costs.note(done)
    with next((tmp_path / "measured").iterdir()).open("ab") as file:
        file.write(b'{"digest": "' + b"x" * 5 + b"\n[]\nnull\n\xff\n1\n{}\n")
    found = costs.read()
    assert list(found) == [one.digest]
    assert (found[one.digest].seconds, found[one.digest].peak) == (2.5, 7)


def test_a_folder_that_cannot_be_written_is_told(tmp_path, task):
    (tmp_path / "measured").write_text("in the way")
    done = Done(task=task("a"), digest="d", ending=Ending.WRITTEN)
    with pytest.raises(OutputError, match="results are kept"):
        CaseCosts(folder=tmp_path).note(done)


def test_what_is_no_file_of_measurements_is_passed_over(tmp_path, task):
    one = task("one")
    CaseCosts(folder=tmp_path).note(
        Done(task=one, digest=one.digest, ending=Ending.WRITTEN, peak=7)
    )
    folder = tmp_path / "measured"
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "gone.jsonl").symlink_to("nowhere")
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    deep = b'{"digest": "d", "seconds": ' + b"[" * 9999 + b'}\n{"digest": "d", "peak": 1e999}\n'
    (folder / "deep.jsonl").write_bytes(deep)
    assert list(CaseCosts(folder=tmp_path).read()) == [one.digest]


def test_a_pipe_in_the_way_is_told_and_not_waited_for(tmp_path, task):
    costs = CaseCosts(folder=tmp_path)
    done = Done(task=task("a"), digest="d", ending=Ending.WRITTEN)
    costs.note(done)
    (path,) = (tmp_path / "measured").iterdir()
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(OutputError, match="cannot be written: No such device or address"):
        costs.note(done)
