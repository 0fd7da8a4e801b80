"""``verify``: exit codes and streams."""

from __future__ import annotations

import json
import shutil

import pytest

from planner.job import read_job
from planner.library import path_of
from planner.planning import plan
from planner.proof import prove
from reports.export import export
from reports.provenance import SetOptions


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets") / "nine"
    planned = plan(read_job(path_of("nine-points-corrected")))
    export(prove(planned), folder, options=SetOptions(figures=False, pages=False))
    return folder


@pytest.fixture
def folder(sealed, tmp_path):
    return shutil.copytree(sealed, tmp_path / "set")


def test_a_set_that_is_what_it_claims_ends_with_0(palpeur, folder):
    ran = palpeur("verify", folder)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("it is what it claims\n")
    ran = palpeur("verify", folder, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["format"] == 1
    assert ran.json["genuine"] is True
    assert ran.json["files_same"] == ran.json["files_listed"] - 2  # but for the inputs


def test_a_spoiled_set_ends_with_1(palpeur, folder):
    path = folder / "points.csv"
    path.write_text(path.read_text().replace("true", "false", 1))
    ran = palpeur("verify", folder)
    assert ran.code == 1
    assert ran.out.startswith("files changed: points.csv\n")
    assert palpeur("verify", folder, "--json").json["genuine"] is False


def test_a_set_that_cannot_be_recomputed_ends_with_2(palpeur, folder):
    path = folder / "provenance.json"
    document = json.loads(path.read_text())
    document["inputs"][0]["sha256"] = "0" * 64
    path.write_text(json.dumps(document))
    ran = palpeur("verify", folder)
    assert ran.code == 2
    assert ran.out.startswith("cannot be recomputed: this version's library has another")


def test_what_is_no_set_is_bad_input(palpeur, folder, tmp_path):
    (folder / "provenance.json").write_text('{"format": 7}')
    for path, told in ((folder, "reads format 1"), (tmp_path / "no", "is no folder")):
        ran = palpeur("verify", path)
        assert (ran.code, ran.out) == (2, "")
        assert told in ran.err
