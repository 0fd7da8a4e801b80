"""A placing as a reader sees it in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.part_pose.best_pose import SHARES, Placing, PlannedPose
from planner.part_pose.bounds import FixturingErrorKind
from planner.part_pose.tolerance import MisFixturing
from reports.verdict import measured_to, not_checked

_WIDTHS = (26, 18, 18)


def place_lines(placing: Placing, tolerances: tuple[MisFixturing, ...]) -> Iterator[str]:
    """The lines of the summary.

    Args:
        placing: the given and the best pose.
        tolerances: of the best pose, one per kind of error.
    """
    job, best = placing.job, placing.best
    yield job.name
    if best is placing.given:
        yield "the part stands well: no pose that was tried is better by the rule"
    verdict = "every point is served" if placing.feasible else "NOT EVERY POINT IS SERVED"
    count = f"{len(best.served)} of {len(best.plan.planned_points)} points"
    yield f"{verdict}: {count} from the best pose"
    if best.plan.unchecked:
        yield not_checked(best.plan.unchecked)
    yield f"pose for [part]:\n{best.pose.line}"
    yield ""
    yield from _table(placing.given, best)
    yield ""
    yield f"Clearance: {measured_to(best.plan)}."
    yield f"Rule: {_rule(placing)}"
    yield f"{placing.tried} poses tried, {placing.planned} of them planned."
    yield ""
    yield "Mis-fixturing that the best pose tolerates, the branches of the plan kept"
    for found in tolerances:
        yield from _tolerance(found)
    if any(found.proven is not None for found in tolerances):
        yield "  proven: for joint limits, reach and singularities, in every direction"


def _table(given: PlannedPose, best: PlannedPose) -> Iterator[str]:
    rows = [
        ("", "given", "best"),
        (
            "points served",
            *(f"{len(s.served)} of {len(s.plan.planned_points)}" for s in (given, best)),
        ),
        ("smallest joint margin", *map(_joint, (given, best))),
        ("singularity margin", *map(_singular, (given, best))),
        ("clearance", *map(_clearance, (given, best))),
        ("duration", *(f"{s.plan.totals.duration:.4f} s" for s in (given, best))),
        ("energy", *(f"{s.plan.totals.energy:.5g} J" for s in (given, best))),
    ]
    for row in rows:
        first, *rest = (text.ljust(w) for text, w in zip(row, _WIDTHS, strict=True))
        yield "".join([first, *rest]).rstrip()


def _joint(standing: PlannedPose) -> str:
    point = standing.tightest
    if point is None:
        return "-"
    return f"{np.degrees(point.joint_margin):.2f} deg, {point.margin_joint}"


def _singular(standing: PlannedPose) -> str:
    return f"{standing.singularity_margin:.3g}" if standing.served else "-"


def _clearance(standing: PlannedPose) -> str:
    clearance = standing.clearance
    return "not checked" if clearance is None else f"{1e3 * clearance:.4g} mm"


def _rule(placing: Placing) -> str:
    goal = placing.job.place.goal
    least = "energy" if goal == "energy" else "time"
    return (
        f"most points served; then no less joint margin and no more {least} than the given pose; "
        f"then at least {100 * SHARES[goal]:.0f} % of the largest worst margin; then the least "
        f"{least}."
    )


def _tolerance(found: MisFixturing) -> Iterator[str]:
    turns = found.kind is FixturingErrorKind.ROTATION
    what = "turned about the middle of its points" if turns else "shifted"
    factor, unit = (180.0 / np.pi, "deg") if turns else (1e3, "mm")
    proven = "" if found.proven is None else f" ({factor * found.proven:.4g} proven)"
    first = found.first
    amount = f"{factor * found.size:.4g} {unit}"
    if first is None:
        yield f"  {what} by up to {amount}{proven}: nothing fails, and no farther was looked"
        return
    yield f"  {what} by up to {amount}{proven}, whatever the direction"
    x, y, z = first.direction
    yield f"    first: {first.point}, {first.limit}, along ({x:.3f}, {y:.3f}, {z:.3f}) of the base"
