"""Surroundings: every file that is run counts, and every option that changes a result."""

from __future__ import annotations

import shutil

import pytest

from planner.batch import surroundings as room
from planner.batch.surroundings import surroundings


def test_twice_the_same():
    assert surroundings(allow_outside=False) == surroundings(allow_outside=False)


def test_the_option_and_the_versions_count():
    one, two = surroundings(allow_outside=False), surroundings(allow_outside=True)
    assert one.parameters != two.parameters
    assert {"numpy", "python", "machine", "palpeur"} <= set(dict(one.environment))


def test_the_code_counts_wherever_it_stands(tmp_path, monkeypatch):
    for name in room._PACKAGES:
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "a.py").write_text(name)
    found = set()

    def code():
        monkeypatch.setattr(room, "_folder", lambda name: tmp_path / name)
        return surroundings(allow_outside=False).code

    first = code()
    (tmp_path / "robots/deep/notes.md").write_text("not run")
    (tmp_path / "robots/__pycache__").mkdir()
    (tmp_path / "robots/__pycache__/a.pyc").write_text("made of it")
    assert code() == first
    found.add(first)
    (tmp_path / "parts/deep/a.py").write_text("other")
    found.add(code())
    (tmp_path / "robots/deep/arm.toml").write_text("a = 1")
    found.add(code())
    (tmp_path / "robots/deep/arm.toml").rename(tmp_path / "robots/deep/leg.toml")
    found.add(code())
    assert len(found) == 4
    moved = shutil.copytree(tmp_path, tmp_path.parent / f"{tmp_path.name}-moved")
    last = code()
    monkeypatch.setattr(room, "_folder", lambda name: moved / name)
    assert surroundings(allow_outside=False).code == last


def test_a_changed_cap_counts(monkeypatch):
    """A job that a cap refused is judged again when the cap is raised."""
    before = surroundings(allow_outside=False)
    monkeypatch.setenv("PALPEUR_CAP_POINTS", "7")
    after = surroundings(allow_outside=False)
    assert ("cap POINTS", "7") in after.parameters
    assert before.parameters != after.parameters


@pytest.mark.parametrize("cap", sorted(room._OF_THE_BATCH, key=lambda cap: cap.name))
def test_a_cap_of_the_batch_does_not(monkeypatch, cap):
    """A sweep that was too large is not judged anew where it was judged already."""
    before = surroundings(allow_outside=False)
    monkeypatch.setenv(cap.variable, "7")
    assert surroundings(allow_outside=False) == before
