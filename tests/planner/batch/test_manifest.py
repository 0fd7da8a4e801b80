"""The manifest: read back, torn, foreign."""

from __future__ import annotations

import os

import pytest

from planner.batch.batch import NAME, read_manifest, write_manifest
from planner.errors import OutputError


def test_read_back_in_order(tmp_path):
    write_manifest(tmp_path, {"b": "2", "a": "1"})
    assert list(read_manifest(tmp_path).items()) == [("a", "1"), ("b", "2")]
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b'{"cases": []}', b"\xff", b"null", b"[" * 99999]
)
def test_torn_or_foreign_it_is_empty(tmp_path, raw):
    (tmp_path / NAME).write_bytes(raw)
    assert read_manifest(tmp_path) == {}
    assert read_manifest(tmp_path / "none") == {}


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(OutputError, match="results are kept"):
        write_manifest(tmp_path / "none", {})


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / NAME)
    assert read_manifest(tmp_path) == {}
    write_manifest(tmp_path, {"a": "1"})  # takes its place
    assert read_manifest(tmp_path) == {"a": "1"}


def test_one_beyond_its_cap_is_as_none(tmp_path, monkeypatch):
    write_manifest(tmp_path, {"a": "1"})
    monkeypatch.setenv("PALPEUR_CAP_SUMMARY_BYTES", "5")
    assert read_manifest(tmp_path) == {}
