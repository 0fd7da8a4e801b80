"""A real report set with its inputs and its record, written once and copied for each test."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from planner.job import read_job
from planner.library import path_of
from planner.planning import plan
from planner.proof import prove
from reports.export import export
from reports.provenance import SetOptions, provenance

NUMBERS = ("plan.json", "points.csv", "trajectory.csv", "trajectory.parquet")


def sealed_set(job_file: Path, folder: Path, *, allow_outside: bool = False) -> Path:
    """The report set of a job without figures, with inputs and record."""
    planned = plan(read_job(job_file, allow_outside=allow_outside))
    options = SetOptions(figures=False, pages=False, csv=True)
    made = provenance(planned, job=job_file.name)
    export(prove(planned), folder, options=options, made=made)
    return folder


@pytest.fixture(scope="session")
def sealed():
    return sealed_set


@pytest.fixture(scope="session")
def original(tmp_path_factory):
    return sealed_set(path_of("nine-points-corrected"), tmp_path_factory.mktemp("sets") / "nine")


@pytest.fixture
def folder(original, tmp_path):
    """A copy that may be spoiled."""
    return shutil.copytree(original, tmp_path / "set")


@pytest.fixture
def change_record(folder):
    """``change_record(lambda document: ...)`` edits ``provenance.json``."""

    def change(edit):
        path = folder / "provenance.json"
        document = json.loads(path.read_text())
        edit(document)
        path.write_text(json.dumps(document))

    return change


@pytest.fixture
def forge(folder, change_record):
    """``forge(name, content)``: other bytes in a file, and the record made to agree."""

    def write(name: str, content: str | bytes):
        raw = content.encode() if isinstance(content, str) else content
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
        digest = hashlib.sha256(raw).hexdigest()

        def agree(document):
            document["files"] = [row for row in document["files"] if row["name"] != name]
            document["files"].append({"name": name, "sha256": digest, "bytes": len(raw)})

        change_record(agree)

    return write
