"""A presentation as a reader sees it in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.findings import Severity
from planner.findings.unchecked import unchecked_aspects
from planner.presenting.coverage import presenter_of
from planner.presenting.presentation import PlatformMove, Presentation, PresentedPose
from reports.verdict import not_checked


def presentation_lines(found: Presentation) -> Iterator[str]:
    """The lines of the summary."""
    job, presenter = found.job, presenter_of(found.job)
    count = len(job.points)
    yield job.name
    verdict = "every point is served" if found.feasible else "NOT EVERYTHING IS SERVED"
    yield (
        f"{verdict}: {len(found.served)} of {count} points from {_poses(len(found.poses))} of "
        f"{presenter.platform.name}; {len(found.home_served)} of {count} with it at home"
    )
    missing = not_checked(unchecked_aspects(job))
    if missing:
        yield missing
    yield f"duration {found.duration:.4f} s, the moves between poses with it"
    for number, pose in enumerate(found.poses, start=1):
        if number > 1:
            yield from _move(found.moves[number - 2])
        yield ""
        yield from _pose(number, pose)
    told = [f for f in found.findings if f.severity is not Severity.NOTE]
    if told:
        yield ""
        yield from (str(finding) for finding in told)
    yield ""
    yield (
        f"{_poses(found.tried)} tried, {found.planned} plans. The presenter's share of the "
        f"uncertainty stands for legs that repeat to {1e6 * presenter.length_sigma:g} um."
    )


def _pose(number: int, pose: PresentedPose) -> Iterator[str]:
    lengths = ", ".join(f"{1e3 * length:.4f}" for length in pose.lengths)
    yield f"pose {number}: legs {lengths} mm"
    yield f"  {len(pose.points)} points: {', '.join(pose.points)}"
    low, high = 1e6 * np.min(pose.sigmas), 1e6 * np.max(pose.sigmas)
    yield f"  presenter's standard deviation along the normals {low:.3g} to {high:.3g} um"
    yield f"  plan {pose.plan.totals.duration:.4f} s, {pose.plan.totals.energy:.5g} J"


def _move(move: PlatformMove) -> Iterator[str]:
    if not move.motions:
        yield "  no move to the next pose"
        return
    way = "straight" if len(move.motions) == 1 else "by way of home"
    time = sum(motion.duration for motion in move.motions)
    yield f"  platform moves {way} in {time:.4f} s ({'; '.join(move.bindings)})"
    rest = move.waiting
    if rest is None:
        yield "  THE ARM HAS NOWHERE TO WAIT"
        return
    where = "in a posture that it goes to" if rest.retreats else "at its last clearance point"
    yield (
        f"  the arm waits {where}, proven clear by {1e3 * rest.clearance:.4g} mm; its ways before "
        f"and after take {rest.before + rest.after:.4f} s"
    )


def _poses(count: int) -> str:
    return "1 pose" if count == 1 else f"{count} poses"
