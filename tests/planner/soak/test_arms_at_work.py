"""The arms that one can buy, at work: planned, proven and reported with their shapes checked."""

from __future__ import annotations

import pytest

from tests.planner.soak.arms_at_work import BLOCK, BLOCKS, PLATE, PLATES, UNFINISHED, arms, row

JOBS = [
    *((arm, PLATE, setup) for arm, setup in PLATES.items()),
    *((arm, BLOCK, setup) for arm, setup in BLOCKS.items() if arm not in UNFINISHED),
]
# of makers that publish no masses, and of links whose capsules overlap in every posture
ADMITTED = {
    "torques, power and energy (masses unknown)",
    "contact of some links with each other",
}


@pytest.mark.soak
@pytest.mark.parametrize(("arm", "kind", "setup"), JOBS, ids=[f"{a}-{k}" for a, k, _ in JOBS])
def test_an_arm_measures_every_point(arm, kind, setup, tmp_path):
    found = row(arm, kind, setup, tmp_path)
    assert found.measured == found.points
    assert found.proven
    assert set(found.unchecked) <= ADMITTED
    assert (tmp_path / f"{arm}-{kind}" / "report.html").is_file()


@pytest.mark.soak
def test_every_arm_has_its_set_ups():
    assert set(PLATES) == set(BLOCKS) == set(arms())
    assert set(UNFINISHED) < set(arms())
