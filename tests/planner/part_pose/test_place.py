"""The place of a part: pose, tolerances, maps."""

from __future__ import annotations

from planner.part_pose import best_pose as search
from planner.part_pose.best_pose import best_pose
from planner.part_pose.bounds import FixturingErrorKind
from planner.part_pose.place import place
from planner.part_pose.tolerance import mis_fixturing


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
