"""What stands in the folder of a batch: whole files, an index of its ledger, rows read back."""

from __future__ import annotations

import json
import math

import pytest

from planner.batch.case import CaseKey, Environment
from planner.batch.ledger import Ledger
from planner.batch.outcome import CaseStatus, Outcome
from planner.errors import OptionError, OutputError
from planner.result_files import whole_file
from reports.batch import files
from reports.batch.files import IndexCount, previous_rows, write_index, write_summary
from reports.batch.rows import storable

pq = pytest.importorskip("pyarrow.parquet")

AROUND = Environment(parameters=(), code="0" * 64, environment=())


def key_of(name):
    return CaseKey(inputs=((name, "1" * 64),), surroundings=AROUND)


@pytest.fixture
def ledger(tmp_path):
    found = Ledger(folder=tmp_path)
    for k in range(7):
        outcome = Outcome(
            status=CaseStatus.INFEASIBLE,
            code="P101",
            message="half \ud800",
            figures={"duration_s": 1.5 * k},
            findings={"P101": k},
        )
        found.write(key_of(f"job {k}"), outcome)
    return found


def test_a_file_is_whole_or_what_it_was(tmp_path):
    path = tmp_path / "file.txt"
    with whole_file(path) as fresh:
        fresh.write_text("one")
    with pytest.raises(UnicodeEncodeError), whole_file(path) as fresh:
        fresh.write_text("tw" * 10_000 + "\ud800")
    assert path.read_text() == "one"
    assert [found.name for found in tmp_path.iterdir()] == ["file.txt"]


def test_a_folder_that_is_gone_is_told(every_kind, tmp_path):
    with pytest.raises(OutputError, match=r"summary\.csv: cannot be written: No such file"):
        write_summary(every_kind, tmp_path / "gone", title="gone")


def test_nothing_but_the_files_stays(every_kind, tmp_path):
    write_summary(every_kind, tmp_path, title="all")
    names = {path.name for path in tmp_path.iterdir()}
    tables = {f"summary.{kind}" for kind in ("csv", "parquet", "json")}
    assert names == {*tables, "junit.xml", "dashboard.html"}


def test_the_index_holds_every_whole_result(ledger):
    assert write_index(ledger) == IndexCount(results=7, corrupted=0)
    table = pq.read_table(ledger.folder / "index.parquet")
    lines = {line["digest"]: line for line in table.to_pylist()}
    assert list(lines) == sorted(key_of(f"job {k}").digest for k in range(7))
    line = lines[key_of("job 3").digest]
    assert line["figures"] == [("duration_s", 4.5)]
    assert line["findings"] == [("P101", 3)]
    assert line["message"] == "half \\ud800"


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 4096])
def test_corrupted_results_are_counted_however_many_are_read_at_once(ledger, monkeypatch, rows):
    monkeypatch.setattr(files, "_INDEX_ROWS", rows)
    for k in (0, 5):
        ledger.path(key_of(f"job {k}").digest).write_bytes(b"{}")
    assert write_index(ledger) == IndexCount(results=5, corrupted=2)
    found = pq.ParquetFile(ledger.folder / "index.parquet")
    assert found.metadata.num_rows == 5
    assert found.metadata.metadata[b"palpeur.corrupted"] == b"2"


def test_an_empty_ledger_has_an_index(tmp_path):
    assert write_index(Ledger(folder=tmp_path)) == IndexCount(results=0, corrupted=0)
    assert pq.read_table(tmp_path / "index.parquet").num_rows == 0


def test_the_index_is_the_same_whenever_it_is_made(ledger):
    write_index(ledger)
    first = (ledger.folder / "index.parquet").read_bytes()
    write_index(ledger)
    assert (ledger.folder / "index.parquet").read_bytes() == first


def test_rows_come_back_from_another_batch(every_kind, hostile, tmp_path):
    rows = (*every_kind, *hostile)
    write_summary(rows, tmp_path, title="before")
    found = previous_rows(tmp_path)
    assert [row.name for row in found] == [storable(row.name) for row in rows]
    for row, was in zip(found, rows, strict=True):
        assert (row.digest, row.report) == (was.digest, storable(was.report))
        assert row.outcome.status is was.outcome.status
        assert dict(row.outcome.figures) == dict(was.outcome.figures)
        assert (row.why, row.peak_bytes) == ("", 0)
        assert math.isnan(row.seconds)


def said(rows, form=1):
    return json.dumps({"format": form, "rows": rows})


ROW = {
    **{"name": "a", "status": "feasible", "code": "", "where": "", "message": ""},
    "unchecked": [],
    **{"figures": {}, "findings": {}, "digest": "0", "report": ""},
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is not JSON"),
        ("\xff", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "it holds no rows of a batch"),
        ('{"rows": 3}', "it holds no rows of a batch"),
        (said([], 2), "its format is 2, not 1"),
        (said([ROW, 3]), "row 2: TypeError"),
        (said([{}]), "row 1: KeyError\\('name'\\)"),
        (said([ROW | {"name": 3}]), "row 1: TypeError"),
        (said([ROW | {"status": "splendid"}]), "row 1: ValueError"),
        (said([ROW | {"figures": {"duration_s": math.inf}}]), "duration_s is inf"),
        (said([ROW | {"findings": {"P101": 1.5}}]), "row 1: ValueError"),
    ],
)
def test_what_is_no_summary_is_refused(tmp_path, text, words):
    (tmp_path / "summary.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(OptionError, match=words) as told:
        previous_rows(tmp_path)
    assert "run that batch again" in told.value.message


@pytest.mark.parametrize("name", [".", "gone", "file", "a\0b"])
def test_a_place_without_summary_is_refused(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match=r"holds no summary\.json|cannot be read"):
        previous_rows(tmp_path / name)
