"""What is wrong with a motion of a platform, as findings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.findings import Finding, Quantity, Severity
from planner.findings.subjects import Legs, Platform
from robots.stewart.limits import Limit
from robots.stewart.motion_check import Drive, MotionProblem, MotionReport

_CODES: dict[Limit | Drive, str] = {
    Limit.SHORTEST: "S201",
    Limit.LONGEST: "S202",
    Limit.BASE_CONE: "S203",
    Limit.PLATFORM_CONE: "S203",
    Limit.LEGS: "S204",
    Limit.BASE_PLATE: "S204",
    Limit.PLATFORM_PLATE: "S204",
    Limit.TYPE_1: "S205",
    Limit.TYPE_2: "S206",
    Limit.CONDITION: "S207",
    "speed": "S208",
    "acceleration": "S209",
    "force": "S210",
}
_HINTS = {
    "S201": "Raise the motion, or tilt and shift less.",
    "S202": "Lower the motion, or tilt and shift less.",
    "S203": "Keep the leg nearer to the middle of its joint's cone.",
    "S204": "Turn the platform less about its axis.",
    "S205": "Keep the leg away from its joint's first axis.",
    "S206": "Turn the platform less, or raise it.",
    "S207": "Keep nearer to home.",
    "S208": "Leave out --duration for the least time that every leg allows.",
    "S209": "Leave out --duration, or take the quintic law.",
    "S210": "Give the motion more time, or choose another pose.",
}


def findings_of(report: MotionReport) -> tuple[Finding, ...]:
    """A finding for every limit that is broken, then for every one that is not proven."""
    return (*(_broken(problem) for problem in report.problems), *_unproven(report))


def _broken(problem: MotionProblem) -> Finding:
    code = _CODES[problem.limit]
    legs = problem.legs
    subject = Legs(tuple(legs)) if legs else Platform()
    return Finding(
        code=code,
        severity=Severity.ERROR,
        subject=subject,
        message=problem.sentence,
        hint=_HINTS[code],
    )


def _unproven(report: MotionReport) -> Iterator[Finding]:
    proof = report.proof
    for k in np.flatnonzero(proof.open & ~proof.broken):
        column = proof.columns[k]
        yield Finding(
            code="S211",
            severity=Severity.WARNING,
            subject=Legs(column.names) if column.names else Platform("the platform"),
            message=f"The {column.limit.value} is kept wherever the motion was looked at, by "
            f"{proof.least[k]:.3g} {column.unit} at the least, but not proven between.",
            quantities=(Quantity("margin", float(proof.least[k]), column.unit),),
            hint="Keep a little away from this limit.",
        )
