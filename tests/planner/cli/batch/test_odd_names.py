"""Folders and jobs whose names are no text: what a reader sees is valid, a re-run finds it."""

from __future__ import annotations

import csv
import json
import os
import shutil
import xml.etree.ElementTree as ET  # of our own files
from pathlib import Path

import pytest

from planner.batch.ledger import Ledger

pd = pytest.importorskip("pandas")

FOLDER, OUT, JOB = (os.fsdecode(raw) for raw in (b"caf\xe9", b"out-\xe9", b"j\xff.toml"))
SHOWN = {r"caf\xe9/job.toml": "feasible", r"caf\xe9/j\xff.toml": "refused"}


def strict(path: Path) -> object:
    """A JSON document without halves of characters, which many readers refuse."""
    document = json.loads(path.read_text(encoding="ascii").splitlines()[0])
    json.dumps(document, ensure_ascii=False).encode("utf-8")
    return document


@pytest.fixture
def odd(nine, tmp_path):
    """The nine-point job in a folder whose name is no text, and a faulty one beside it."""
    try:
        folder = Path(shutil.move(nine, tmp_path / FOLDER))
    except OSError:
        pytest.skip("this file system has no such names")
    faulty = (folder / "job.toml").read_text().replace("format = 1", "format = 2")
    (folder / JOB).write_text(faulty)
    return folder


@pytest.mark.usefixtures("odd", "here")
def test_a_batch_of_names_that_are_no_text(palpeur, tmp_path, whole):
    ran = palpeur("batch", FOLDER, "--out", OUT, "--json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.json["folder"] == r"out-\xe9"
    out = tmp_path / OUT
    check_texts(out)
    check_tables(out)
    before = whole(out)
    again = palpeur("batch", FOLDER, "--out", OUT, "--compare", OUT, "--json")
    assert (again.code, again.err, again.json["ran"]) == (1, "", 0)
    assert whole(out) == before


def check_texts(out: Path) -> None:
    document = json.loads((out / "summary.json").read_text(encoding="ascii"))
    json.dumps(document, ensure_ascii=False).encode("utf-8")
    assert {row["name"]: row["status"] for row in document["rows"]} == SHOWN
    with (out / "summary.csv").open(encoding="utf-8", newline="") as file:
        assert {row["name"]: row["status"] for row in csv.DictReader(file)} == SHOWN
    cases = ET.parse(out / "junit.xml").iter("testcase")
    assert {case.get("name") for case in cases} == set(SHOWN)
    assert r"out-\xe9" in (out / "dashboard.html").read_text(encoding="utf-8")
    assert set(json.loads((out / "batch.json").read_text(encoding="ascii"))["cases"]) == set(SHOWN)
    digests = list(Ledger(folder=out).digests())
    assert len(digests) == 2
    for digest in digests:
        strict(Ledger(folder=out).path(digest))


def check_tables(out: Path) -> None:
    """Pandas itself opens no such path, either: it is given an open file."""
    with (out / "summary.parquet").open("rb") as file:
        table = pd.read_parquet(file)
    assert dict(zip(table["name"], table["status"], strict=True)) == SHOWN
    with (out / "index.parquet").open("rb") as file:
        index = pd.read_parquet(file)
    assert sorted(index["status"]) == ["feasible", "refused"]
    assert set(index["digest"]) == set(table["digest"])
