"""`palpeur examples`: jobs of the library by name, copied whole, planned without a copy."""

from __future__ import annotations

import json

import pytest

from planner.job import read_job
from planner.library import names, path_of


def test_every_library_job_is_listed_with_its_robot(palpeur):
    listed = json.loads(palpeur("examples", "--json").out)
    rows = {one["name"]: one for one in listed["examples"]}
    assert set(rows) == set(names())
    text = palpeur("examples").out
    for name, row in rows.items():
        job = read_job(path_of(name))
        assert (row["job"], row["robot"]) == (job.name, job.robot_model)
        assert row["job"] in text


def test_a_copy_is_the_library_s_job_file_by_file(palpeur, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = palpeur("examples", "copy", "obstructed", "--json")
    assert ran.code == 0
    source = path_of("obstructed").parent
    files = json.loads(ran.out)["files"]
    assert len(files) == 3
    for one in files:
        assert (tmp_path / one).read_bytes() == (source / one.split("/")[-1]).read_bytes()
    (tmp_path / "obstructed" / "points.csv").write_text("mine")
    again = palpeur("examples", "copy", "obstructed")
    assert (again.code, (tmp_path / "obstructed" / "points.csv").read_text()) == (2, "mine")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("examples", "copy", "blad"), "did you mean 'blade'?"),
        (("plan", "--example", "blad"), "did you mean 'blade'?"),
        (("plan",), "Give a job file or --example NAME"),
        (("plan", "job.toml", "--example", "blade"), "are two jobs; give one of them"),
    ],
)
def test_what_is_refused(palpeur, words, told):
    ran = palpeur(*words)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_an_example_is_planned_here(palpeur, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = palpeur("plan", "--example", "nine-points-corrected", "--data-only", "--json")
    assert ran.code == 0
    written = json.loads((tmp_path / "nine-points-corrected-plan" / "plan.json").read_text())
    assert written == json.loads(ran.out)
    assert written["job"]["sha256"] == read_job(path_of("nine-points-corrected")).sha256
