"""Joint limits that leave a branch alone which keeps what the others break."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from planner.fixes.bench import PointCheck
from planner.fixes.fix import Fix, FixKind
from planner.job import Job
from planner.plan_types import PlacedPoints
from planner.reach.lines import Lines
from planner.reach.margins import required_margins
from robots.core.arrays import Array, Indices
from robots.core.file_units import degrees_text, millimetres_text
from robots.core.mechanism import Joint

_PLACES = np.linspace(0.0, 1.0, 17)
_APART = np.radians(1.0)  # [rad or m] branches nearer than this are not told apart by a limit


def limits_for_branch(bench: PointCheck, one: PlacedPoints) -> Iterator[Fix]:
    """Limits that shut out the branches whose torque no speed keeps within bounds.

    A plan chooses branches by time, and only then sees that a joint is too weak for one.

    Args:
        bench: of the job.
        one: the point.
    """
    usable = bench.usable(one)
    lines, rows = usable.found.lines, usable.rows
    heavy = bench.heavy(lines, rows)
    bad, good = rows[heavy], rows[~heavy]
    if bad.size == 0 or good.size == 0:
        return
    low, high = _ranges(lines, bad)
    asked = required_margins(bench.job.mechanism, bench.job.checks.joint_margin)
    for row in good.tolist():
        own_low, own_high = (ends[0] for ends in _ranges(lines, np.array([row])))
        above = np.min(high, axis=0) - own_high
        below = own_low - np.max(low, axis=0)
        for joint in np.argsort(-np.maximum(above, below), kind="stable").tolist():
            if max(above[joint], below[joint]) < _APART:
                break
            upper = above[joint] >= below[joint]
            edge = own_high[joint] + asked[joint] + above[joint] / 2.0
            if not upper:
                edge = own_low[joint] - asked[joint] - below[joint] / 2.0
            yield _fix(bench.job, lines.branch(row), joint, (bool(upper), float(edge)))


def _ranges(lines: Lines, rows: Indices) -> tuple[Array, Array]:
    """Least and greatest joints along lines. # (m, n) each."""
    q = lines.joints(np.repeat(rows, _PLACES.size), np.tile(_PLACES, rows.size))
    q = q.reshape(rows.size, _PLACES.size, -1)
    return np.min(q, axis=1), np.max(q, axis=1)


def _fix(job: Job, branch: str, joint: int, limit: tuple[bool, float]) -> Fix:
    upper, edge = limit
    movable = job.mechanism.movable[joint]
    angular = movable.kind.angular
    shown = round(float(np.degrees(edge)) if angular else 1e3 * edge, 1) + 0.0
    value = float(np.radians(shown)) if angular else shown / 1e3
    limited = replace(movable, q_max=value) if upper else replace(movable, q_min=value)
    line = f"limits.{movable.name} = {{ {_limits(limited)} }}"
    joints = tuple(limited if item is movable else item for item in job.mechanism.joints)
    return Fix(
        kind=FixKind.BRANCH,
        amount=0.0,
        unit="deg" if angular else "mm",
        sentence=f'branch "{branch}" keeps everything; {line} in [robot] leaves it to the plan',
        place="[robot]",
        line=line,
        job=replace(job, mechanism=replace(job.mechanism, joints=joints)),
    )


def _limits(joint: Joint) -> str:
    """Both limits of a joint as a job file writes them; one that is infinite is left out."""
    text, unit = (degrees_text, "deg") if joint.kind.angular else (millimetres_text, "mm")
    ends = (("min", joint.q_min), ("max", joint.q_max))
    return ", ".join(f"{key}_{unit} = {text(end)}" for key, end in ends if np.isfinite(end))
