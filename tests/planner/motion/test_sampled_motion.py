"""How many samples of a motion are drawn."""

from __future__ import annotations

import pytest

from planner.errors import JobError
from planner.job import read_job
from planner.library import path_of
from planner.motion.sampled_motion import sampled
from planner.planning import plan


@pytest.fixture(scope="module")
def corrected():
    return plan(read_job(path_of("nine-points-corrected")))


def test_a_motion_up_to_its_cap(corrected, monkeypatch):
    # 2.7931 s (sources.md decision 4), one sample a millisecond and one at each end
    assert sampled(corrected).count == 2795
    monkeypatch.setenv("PALPEUR_CAP_PLAN_SAMPLES", "2795")
    assert sampled(corrected).count == 2795
    monkeypatch.setenv("PALPEUR_CAP_PLAN_SAMPLES", "2794")
    told = r"takes 2\.793 s, .* samples of 1 ms; at most 2794 .* PALPEUR_CAP_PLAN_SAMPLES=…\.$"
    with pytest.raises(JobError, match=told) as caught:
        sampled(corrected)
    assert caught.value.facts["key"] == "sampling.period_ms"


def test_a_robot_that_creeps_keeps_nobody_waiting():
    """A millionth of the speed: three weeks, 1.75e11 samples, the work of days."""
    text = path_of("nine-points-corrected").read_text(encoding="utf-8")
    text = text.replace("[robot]\n", "[robot]\nspeed_scale = 1e-6\n", 1)
    text = text.replace("period_ms = 1.0", "period_ms = 0.01")
    job = read_job(path_of("nine-points-corrected"), text=text)
    with pytest.raises(JobError, match=r"samples of 0\.01 ms; at most 200000000 are drawn"):
        sampled(plan(job))
