"""Files and streams that results go to, whatever they are."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from planner.cli.main import main
from planner.errors import OutputError
from planner.result_files import write_file

posix = pytest.mark.skipif(sys.platform == "win32", reason="devices and pipes of POSIX")


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "new" / "a.txt"
    write_file(path, "one")
    write_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert [item.name for item in path.parent.iterdir()] == ["a.txt"]


@posix
def test_a_device_stays_a_device():
    """Renamed over by root, /dev/null would be a file for everybody."""
    write_file(Path("/dev/null"), "text")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (".", "there is a folder already"),
        ("pipe", "there is no regular file already"),
        ("file/x", r"Not a directory|File exists"),
        ("x" * 300, "File name too long"),
        ("a\0b", "null"),
    ],
)
@posix
def test_places_that_cannot_be_written(tmp_path, name, told):
    import os

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OutputError, match=rf"the file cannot be written: .*({told})"):
        write_file(tmp_path / name, "text")
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_no_text_is_not_written(tmp_path):
    with pytest.raises(OutputError, match="surrogates not allowed"):
        write_file(tmp_path / "a", "\udcff")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_no_text_is_printed_by_number(monkeypatch):
    """As a file name of another encoding comes from the shell; JSON reads it back."""
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["motion", "--from", "0", "--to", "1", "--kv", "1", "--ka", "1"]) == 0
    print("\udcff θ")
    stream.flush()
    assert b"\\udcff \\u03b8" in stream.buffer.getvalue()


def test_a_zero_byte_in_an_argument(palpeur):
    ran = palpeur("plan", "a\0b")
    assert (ran.code, ran.out) == (2, "")
    assert "zero byte" in ran.err


def test_a_fault_of_the_system_is_no_bug(palpeur, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device", "/tmp/x")

    monkeypatch.setattr("planner.cli.app.print_diagnosis", full)
    ran = palpeur("doctor")
    assert (ran.code, ran.err) == (2, "Error: /tmp/x: No space left on device.\n")
