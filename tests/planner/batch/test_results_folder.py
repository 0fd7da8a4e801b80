"""Folders that may take results, and those that may not."""

from __future__ import annotations

import pytest

from planner.batch.batch import check_folder, make_folder
from planner.errors import OutputError


@pytest.mark.parametrize(
    "names", [(), (".git",), ("summary.csv",), ("results", "notes.txt"), ("results", "claims")]
)
def test_a_folder_of_a_batch(tmp_path, names):
    for name in names:
        (tmp_path / name).mkdir()
    check_folder(tmp_path)
    check_folder(tmp_path / "not there")


@pytest.mark.parametrize("names", [("letter.txt",), ("summary.csv", "thesis.tex")])
def test_a_folder_of_something_else(tmp_path, names):
    for name in names:
        (tmp_path / name).write_text("")
    with pytest.raises(OutputError, match=rf"holds {names[-1]}, which is not of a batch; give a"):
        check_folder(tmp_path)
    check_folder(tmp_path, force=True)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        OutputError, match="file is a file, not a folder; give another place with --out"
    ):
        check_folder(tmp_path / "file")
    with pytest.raises(OutputError, match="cannot be made: File exists; give another one with"):
        make_folder(tmp_path / "file")


def test_links_in_a_circle(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OutputError, match="give another folder with --out"):
        check_folder(tmp_path / "loop" / "out")
    with pytest.raises(OutputError, match="the folder cannot be made"):
        make_folder(tmp_path / "loop" / "out")


def test_it_is_made_with_those_above_it(tmp_path):
    for _ in range(2):
        make_folder(tmp_path / "a/b")
    assert (tmp_path / "a/b").is_dir()
