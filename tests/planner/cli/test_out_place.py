"""What stands against a place is told before any work, for every ``--out`` alike."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from planner.cli.app import app
from planner.errors import OutputError
from planner.result_files import check_file_place, check_folder_place

posix = pytest.mark.skipif(sys.platform == "win32", reason="places and rights of POSIX")

FOLDERS = (
    *(("plan", "JOB"), ("place", "JOB"), ("demo",), ("evaluate", "JOB", "POINTS")),
    *(("uncertainty", "JOB"), ("batch", "JOB"), ("stewart", "present", "JOB")),
    *(("stewart", "move", "ROBOT"), ("stewart", "workspace", "ROBOT"), ("biped", "squat", "ROBOT")),
)
FILES = (
    *(("measure", "JOB"), ("sample", "PART", "--feature", "top"), ("robot", "calibrate", "ROBOT")),
    *(("motion", "--from", "0", "--to", "1"), ("stewart", "calibrate", "R", "--measured", "M")),
)
PATHS = (("robot", "equations", "ROBOT"),)


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    """A file and a folder; jobs, robots and parts are not there: nothing gets as far as them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "afile").write_text("mine")
    (tmp_path / "afolder").mkdir()
    yield
    assert (tmp_path / "afile").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["afile", "afolder"]
    assert list((tmp_path / "afolder").iterdir()) == []


def options(command: object, name: str = "") -> Iterator[tuple[str, object]]:
    for word, below in getattr(command, "commands", {}).items():
        yield from options(below, f"{name} {word}".strip())
    for parameter in command.params:
        if "--out" in parameter.opts:
            yield name, parameter


def test_every_out_is_looked_at_before_the_work():
    found = dict(options(typer.main.get_command(app)))
    assert len(found) >= len(FOLDERS) + len(FILES) + len(PATHS)
    assert [name for name, parameter in found.items() if parameter.callback is None] == []


@pytest.mark.parametrize("command", FOLDERS, ids=" ".join)
def test_a_folder_where_a_file_is(palpeur, command):
    ran = palpeur(*command, "--out", "afile")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "Error: afile is a file, not a folder; give another place with --out.\n"


@pytest.mark.parametrize("command", FILES, ids=" ".join)
def test_a_file_where_a_folder_is(palpeur, command):
    ran = palpeur(*command, "--out", "afolder")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "Error: afolder: the file cannot be written: there is a folder already; give another file "
        "with --out.\n"
    )


@pytest.mark.parametrize("command", FOLDERS + FILES + PATHS, ids=" ".join)
def test_a_place_below_a_file(palpeur, command, tmp_path):
    kind = "folder" if command in FOLDERS else "file"
    ran = palpeur(*command, "--out", "afile/new/x")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"Error: afile/new/x: the {kind} cannot be written: {tmp_path}/afile is a file, not a "
        f"folder; give another {kind} with --out.\n"
    )


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="/proc of Linux")
@pytest.mark.parametrize("command", FOLDERS + FILES + PATHS, ids=" ".join)
def test_a_place_where_nothing_can_be_made(palpeur, command):
    kind = "folder" if command in FOLDERS else "file"
    ran = palpeur(*command, "--out", "/proc/none/x")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"Error: /proc/none/x: the {kind} cannot be written: nothing can be made in /proc (No such "
        f"file or directory); give another {kind} with --out.\n"
    )


@pytest.mark.parametrize("command", FOLDERS + FILES + PATHS, ids=" ".join)
def test_an_empty_place_is_not_the_usual_one(palpeur, command):
    ran = palpeur(*command, "--out", "")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "Error: --out is empty; give the place of the results, or leave --out out.\n"
    )


@posix
@pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() == 0, reason="root may write anywhere")
def test_a_folder_without_rights(tmp_path):
    (tmp_path / "afolder").chmod(0o500)
    with pytest.raises(OutputError, match=r"nothing can be made in .*afolder \(Permission denied"):
        check_folder_place(tmp_path / "afolder" / "x")


@posix
def test_links_are_followed_to_the_folder_that_counts(tmp_path):
    (tmp_path / "afolder" / "loop").symlink_to("loop")
    (tmp_path / "afolder" / "away").symlink_to("/proc/none")
    try:
        with pytest.raises(OutputError, match=r"loop: the folder cannot be written: .*--out\.$"):
            check_folder_place(tmp_path / "afolder" / "loop")
        with pytest.raises(OutputError, match="nothing can be made in /proc "):
            check_folder_place(tmp_path / "afolder" / "away")
    finally:
        for name in ("loop", "away"):
            (tmp_path / "afolder" / name).unlink()


@posix
def test_what_is_no_regular_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="pipe: the file cannot be written: there is no regular"):
        check_file_place(tmp_path / "pipe")
    (tmp_path / "pipe").unlink()


@posix
def test_a_device_is_as_good_as_a_file(tmp_path):
    check_file_place(Path("/dev/stdout"))
    check_file_place(tmp_path / "afile")
    check_folder_place(tmp_path / "new" / "below")
    check_folder_place(tmp_path / "afolder", kept=True)


def test_init_where_a_file_is(palpeur):
    ran = palpeur("init", "afile")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "Error: afile is a file, not a folder; give another folder.\n"
