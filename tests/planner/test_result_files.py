"""Results say themselves whose they are; what is somebody else's is replaced by force only."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from planner.errors import OutputError
from planner.result_files import RECORD, check_file, check_set, result_set, write_result

SAMPLE, MEASURE = "palpeur sample", "palpeur measure"
posix = pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")


def write_set(folder, files, *, kind="placing", force=False):
    with result_set(folder, kind, force=force) as fresh:
        for name, text in files.items():
            (fresh / name).parent.mkdir(exist_ok=True)
            (fresh / name).write_text(text)


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != RECORD
    }


# --- sets ----------------------------------------------------------------------------------------


def test_a_set_has_a_record_that_lists_its_files(tmp_path):
    write_set(tmp_path / "a", {"x.json": "{}", "deep/y.csv": "1"})
    record = json.loads((tmp_path / "a" / RECORD).read_text())
    assert record["set"] == "placing"
    assert [(row["name"], row["bytes"]) for row in record["files"]] == [
        ("deep/y.csv", 1),
        ("x.json", 2),
    ]
    assert len(record["files"][0]["sha256"]) == 64


def test_a_set_of_its_kind_is_replaced_whole(tmp_path):
    write_set(tmp_path / "a", {"x": "old", "deep/y": "old"})
    write_set(tmp_path / "a", {"z": "new"})
    assert contents(tmp_path / "a") == {"z": "new"}


@pytest.mark.parametrize("kind", ["placing", "evaluation"])
def test_what_the_record_does_not_list_or_another_kind_of_set_is_kept(tmp_path, kind):
    write_set(tmp_path / "a", {"x": "old"})
    if kind == "placing":
        (tmp_path / "a" / "notes.txt").write_text("mine")
    before = contents(tmp_path / "a")
    with pytest.raises(OutputError) as raised:
        write_set(tmp_path / "a", {"x": "new"}, kind=kind)
    assert (
        f"which is of no {kind} that Palpeur wrote; give a new folder with --out, or --force"
        in (raised.value.message)
    )
    assert contents(tmp_path / "a") == before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_by_force_files_of_the_same_names_are_replaced_and_others_stay(tmp_path):
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "notes.txt").write_text("mine")
    (tmp_path / "a" / "deep" / "y").write_text("mine")
    write_set(tmp_path / "a", {"x": "new", "deep/y": "new"}, force=True)
    assert contents(tmp_path / "a") == {"notes.txt": "mine", "x": "new", "deep/y": "new"}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_by_force_what_an_earlier_set_had_goes(tmp_path):
    """An old programme beside a new plan would be taken for its own."""
    write_set(tmp_path / "a", {"x": "old", "robot/old.src": "old"})
    (tmp_path / "a" / "robot" / "mine.src").write_text("mine")
    write_set(tmp_path / "a", {"x": "new"}, force=True)
    assert contents(tmp_path / "a") == {"x": "new", "robot/mine.src": "mine"}


def test_a_record_names_no_file_outside_its_set(tmp_path):
    """A record is a claim by somebody unknown: nothing above the folder is removed by it."""
    (tmp_path / "victim").write_text("mine")
    write_set(tmp_path / "a", {"x": "old"})
    record = tmp_path / "a" / RECORD
    text = record.read_text().replace('"name": "x"', '"name": "../victim"')
    record.write_text(text)
    write_set(tmp_path / "a", {"y": "new"}, force=True)
    assert (tmp_path / "victim").read_text() == "mine"


@posix
def test_force_follows_no_link_and_replaces_no_folder(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "deep").symlink_to(tmp_path / "other")
    with pytest.raises(OutputError, match="deep is no folder there"):
        write_set(tmp_path / "a", {"w": "new", "deep/y": "new"}, force=True)
    (tmp_path / "a" / "x").mkdir()
    with pytest.raises(OutputError, match="x is a folder there"):
        write_set(tmp_path / "a", {"w": "new", "x": "new"}, force=True)
    assert contents(tmp_path / "a") == {}
    assert list((tmp_path / "other").iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"set": "placing"}', '{"set": "placing", "files": [3]}']
)
def test_a_record_that_lists_nothing_makes_no_set(tmp_path, text):
    (tmp_path / RECORD).write_text(text)
    (tmp_path / "x").write_text("mine")
    with pytest.raises(OutputError, match="is of no placing"):
        check_set(tmp_path, "placing")


def test_an_interrupted_set_leaves_the_old_one(tmp_path):
    write_set(tmp_path / "a", {"x": "old"})
    with pytest.raises(OutputError, match="No such file"):
        write_set(tmp_path / "a", {"x": "new", "no/such/folder": "new"})
    assert contents(tmp_path / "a") == {"x": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("comment", ["# {}", "<!-- {} -->", "/* {} */"])
def test_a_marked_text_is_its_command_s_until_it_is_changed(tmp_path, comment):
    path = tmp_path / "a"
    for text in ("one", "two\n"):
        write_result(path, text, SAMPLE, comment=comment)
        assert path.read_text().startswith(text.strip() + "\n" + comment.partition("{")[0])
    with pytest.raises(OutputError, match="nothing in it shows that `palpeur measure` wrote it"):
        write_result(path, "other", MEASURE)
    path.write_text(path.read_text().replace("two", "2"))
    with pytest.raises(OutputError, match="that it is unchanged; give another file with --out"):
        check_file(path, SAMPLE)
    write_result(path, "by force", SAMPLE, force=True)
    assert path.read_text() == "by force"


def test_an_input_is_never_replaced(tmp_path):
    """Even its own: a second calibration would start from the first one's result."""
    path = tmp_path / "arm.toml"
    write_result(path, "arm", SAMPLE, comment="# {}")
    check_file(path, SAMPLE, ["measuring-arm", "-", "a\0"])
    with pytest.raises(OutputError, match=r"arm\.toml is read by this command and is not overw"):
        check_file(path, SAMPLE, [str(path)], force=True)


@posix
def test_a_link_is_somebody_elses_and_is_not_followed(tmp_path):
    write_result(tmp_path / "a", "text", SAMPLE, comment="# {}")
    for name, target in (("link", "a"), ("dangling", "nothing")):
        link = tmp_path / name
        link.symlink_to(target)
        with pytest.raises(OutputError, match=f"{name} is there already"):
            write_result(link, "text", SAMPLE)
        write_result(link, "new", SAMPLE, force=True)
        assert (link.is_symlink(), link.read_text()) == (False, "new")
    assert (tmp_path / "a").read_text().startswith("text\n")


def test_nothing_elsewhere_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path / "cache" / "kernels"))
    write_result(tmp_path / "a", "text", SAMPLE, comment="# {}")
    write_result(tmp_path / "a", "text", SAMPLE, comment="# {}")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert Path(tmp_path / "a").is_file()
