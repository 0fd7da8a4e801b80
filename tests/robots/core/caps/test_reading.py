"""Reading files that may be anything."""

from __future__ import annotations

import os
import sys

import pytest

from robots.core.caps import Cap, read_capped, reason_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")


def refusal(path, **more) -> str:
    with pytest.raises(OSError, match=r".") as caught:
        read_capped(path, Cap.JOB_BYTES, **more)
    return reason_of(caught.value)


def test_a_file_up_to_its_cap(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    monkeypatch.setenv("PALPEUR_CAP_JOB_BYTES", "5")
    assert read_capped(path, Cap.JOB_BYTES) == b"12345"
    assert read_capped(str(path), Cap.JOB_BYTES) == b"12345"
    monkeypatch.setenv("PALPEUR_CAP_JOB_BYTES", "4")
    assert refusal(path) == "it has more than 4 bytes; raise it with PALPEUR_CAP_JOB_BYTES=…"


def test_files_share_a_cap(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    monkeypatch.setenv("PALPEUR_CAP_JOB_BYTES", "9")
    assert read_capped(path, Cap.JOB_BYTES, spent=4) == b"12345"
    assert "more than 9 bytes, with the files beside it" in refusal(path, spent=5)


def test_what_is_no_file_is_not_waited_for(tmp_path):
    """A pipe without a writer would be waited for, and /dev/zero never ends."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    assert refusal(tmp_path / "pipe") == "it is no regular file"
    assert refusal("/dev/zero") == "it is no regular file"
    assert refusal(tmp_path) == "Is a directory"
    assert refusal(tmp_path / "none") == "No such file or directory"
    assert refusal(tmp_path / "loop") == "Too many levels of symbolic links"
    assert "null" in refusal("a\0b")


def test_a_pipe_that_the_shell_opened_is_read():
    reader, writer = os.pipe()
    os.write(writer, b"states")
    os.close(writer)
    try:
        assert read_capped(f"/dev/fd/{reader}", Cap.JOB_BYTES) == b"states"
    finally:
        os.close(reader)
