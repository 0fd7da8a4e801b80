"""The place of a part: pose, tolerances, maps."""

from __future__ import annotations

import pytest

from planner.part_pose import best_pose as search
from planner.part_pose import tolerance
from planner.part_pose.best_pose import best_pose
from planner.part_pose.bounds import FixturingErrorKind
from planner.part_pose.place import place
from planner.part_pose.tolerance import mis_fixturing


@pytest.mark.soak
def test_the_best_pose_with_its_tolerances(corrected_job, monkeypatch):
    monkeypatch.setattr(search, "_FIRST", 300)  # a short search, the same for both
    monkeypatch.setattr(search, "_ROUNDS", 8)
    placing = best_pose(corrected_job)
    found = place(corrected_job, maps=False)
    assert found.maps is None
    assert found.feasible is placing.feasible is True
    assert found.placing.best.pose.line == placing.best.pose.line
    assert [one.kind for one in found.tolerances] == list(FixturingErrorKind)
    apart = mis_fixturing(placing.best.plan, FixturingErrorKind.TRANSLATION)
    assert (found.tolerances[0].size, found.tolerances[0].proven) == (apart.size, apart.proven)


def stop_at(stage, done):
    """Progress of a user who has waited enough."""

    def progress(what, steps, _total):
        if what == stage and steps >= done:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize(
    ("stage", "done", "interrupted"),
    [("poses tried", 100, True), ("poses planned", 3, True), ("maps", 0, False)],
)
def test_an_interrupt_ends_with_the_best_so_far(
    corrected_job, monkeypatch, stage, done, interrupted
):
    monkeypatch.setattr(search, "_FIRST", 100)
    monkeypatch.setattr(search, "_ROUNDS", 2)
    monkeypatch.setattr(tolerance, "_MOST", 0)  # no plans with errors
    found = place(corrected_job, stop_at(stage, done), maps=True)
    assert found.placing.interrupted is interrupted
    assert found.maps is None
    assert len(found.tolerances) == (0 if interrupted else 2)
    assert found.placing.best.rank >= found.placing.given.rank
    assert ("interrupted" in repr(found)) is interrupted


def test_an_interrupt_before_anything_is_found_is_one(corrected_job, monkeypatch):
    monkeypatch.setattr(search, "_FIRST", 20)
    monkeypatch.setattr(search, "_ROUNDS", 1)
    with pytest.raises(KeyboardInterrupt):
        place(corrected_job, stop_at("poses planned", 0))
