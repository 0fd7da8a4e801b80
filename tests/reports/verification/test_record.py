"""``provenance.json`` is untrusted: bounded, typed, and no path of it leaves the set."""

from __future__ import annotations

import re

import pytest

from planner.errors import OptionError
from planner.result_files import result_set
from reports.verification.record import read_record


def test_a_record_is_read_as_it_was_written(original):
    record = read_record(original)
    assert record.inputs.title == "nine points on an inclined plane, corrected"
    assert record.inputs.job.stored == "inputs/job.toml"
    assert [item.name for item in record.inputs.others] == ["measuring-arm", "points.csv"]
    assert "plan.json" in {file.name for file in record.files}
    assert record.versions["palpeur"]
    assert record.options.figures is False


def test_what_is_no_set_is_told(tmp_path):
    with pytest.raises(OptionError, match="is no folder; give the folder of a report set"):
        read_record(tmp_path / "nothing")
    with pytest.raises(OptionError, match=r"has no file provenance\.json"):
        read_record(tmp_path)


def test_a_linked_record_is_not_followed(folder, tmp_path):
    path = folder / "provenance.json"
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(OptionError, match=r"has no file provenance\.json"):
        read_record(folder)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[1]", "must hold one JSON object"),
        (b"{}", "format is missing"),
        (b'{"format": 2}', "format is 2; this version reads format 1"),
        (b'{"format": true}', "format is True"),
        (b'{"format": "1"}', "format is '1'"),
        (b'{"format": 1}', "versions is missing"),
    ],
)
def test_other_documents_are_refused(folder, content, told):
    (folder / "provenance.json").write_bytes(content)
    with pytest.raises(OptionError, match=re.escape(told)):
        read_record(folder)


def test_another_set_of_palpeur_is_no_report_set(tmp_path):
    with result_set(tmp_path / "placing", "placing") as fresh:
        (fresh / "place.json").write_text("{}")
    with pytest.raises(OptionError, match="set is 'placing'; only a report set"):
        read_record(tmp_path / "placing")


def test_a_record_without_end_is_refused(folder, monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_RECORD_BYTES", "1000")
    with pytest.raises(OptionError, match="has more than 1000 bytes"):
        read_record(folder)


@pytest.mark.parametrize(
    "path",
    ["../a", "/etc/passwd", "a/../../b", "", ".", "..", "a//b", "a/", "a\\..\\b", "a\0b"],
)
@pytest.mark.parametrize("place", ["files", "inputs", "job"])
def test_no_path_leaves_the_set(folder, change_record, path, place):
    def edit(document):
        row = document["job"] if place == "job" else document[place][-1]
        row["name" if place == "files" else "stored"] = path

    change_record(edit)
    with pytest.raises(OptionError, match="which leaves the set or is no path"):
        read_record(folder)


@pytest.mark.parametrize(
    ("keys", "value", "told"),
    [
        (("command",), 3, "command is 3; expected a text"),
        (("versions", "numpy"), None, "versions.numpy is None; expected a text"),
        (("options", "figures"), 1, "options.figures is 1; expected true or false"),
        (("options", "exports"), [1], "options.exports must be a list of texts"),
        (("job", "sha256"), "AB", "job.sha256 is 'AB'; expected 64 hexadecimal digits"),
        (("inputs", 0), "x", "inputs[0] is 'x'; expected an object"),
        (("inputs", 0, "name"), [], "inputs[0].name is []; expected a text"),
        (("files", 0, "bytes"), -1, "files[0].bytes is -1; expected a number of bytes"),
        (("files", 0, "bytes"), True, "files[0].bytes is True; expected a whole number"),
        (("files", 0, "name"), "provenance.json", "files[0].name is 'provenance.json'"),
        (("files", 0, "name"), "plan.json", "files lists a file twice"),
        (("versions", "\x1b[31m"), 1, "versions.⟨U+001B⟩[31m is 1"),
    ],
)
def test_every_key_has_its_kind(folder, change_record, keys, value, told):
    def edit(document):
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value

    change_record(edit)
    with pytest.raises(OptionError, match=re.escape(told)):
        read_record(folder)
