"""Jobs with another probing cycle."""

from __future__ import annotations

from dataclasses import replace

from planner.job import Job
from planner.job.settings import Touch

TO_REST = Touch(mode="to-rest", search_before=0.0, search_after=0.0, latency=0.0, back_off=0.0)


def with_touch(job: Job, **values) -> Job:
    """Lay values over the job's cycle; over the usual one where the mode is another then."""
    base, mode = job.touch, values.get("mode", job.touch.mode)
    if mode != base.mode:
        usual = Touch() if mode == "search" else TO_REST
        base = replace(usual, settle=base.settle, positioning_speed=base.positioning_speed)
    return replace(job, touch=replace(base, **values))


def searching(job: Job, **values) -> Job:
    """The job with a search: ``searching(job, search_after=0.01)``."""
    return with_touch(job, mode="search", **values)
