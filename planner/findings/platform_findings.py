"""Findings about platforms: limits that a motion breaks, forces beyond the drives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.findings import Quantity, subjects
from planner.findings.finding import Finding, Severity
from robots.core.arrays import Array
from robots.stewart.limits import Limit
from robots.stewart.motion_check import Drive, MotionProblem, MotionReport
from robots.stewart.platform import Platform

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


def motion_findings(report: MotionReport) -> tuple[Finding, ...]:
    """A finding for every limit that is broken, then for every one that is not proven."""
    return (*(_broken(problem) for problem in report.problems), *_unproven(report))


def _broken(problem: MotionProblem) -> Finding:
    code = _CODES[problem.limit]
    legs = problem.legs
    subject = subjects.Legs(tuple(legs)) if legs else subjects.Platform()
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
            subject=subjects.Legs(column.names)
            if column.names
            else subjects.Platform("the platform"),
            message=f"The {column.limit.value} is kept wherever the motion was looked at, by "
            f"{proof.least[k]:.3g} {column.unit} at the least, but not proven between.",
            quantities=(Quantity("margin", float(proof.least[k]), column.unit),),
            hint="Keep a little away from this limit.",
        )


def force_findings(
    platform: Platform, forces: Array, origin: str, lines: tuple[int, ...]
) -> list[list[Finding]]:
    """A finding for every force beyond its drive, listed by pose.

    Args:
        platform: whose drives.
        forces: positive pushes. # (N, 6) [N]
        origin: name of the table, for messages.
        lines: of the poses in it. # (N,)
    """
    found: list[list[Finding]] = [[] for _ in forces]
    limits = np.array([leg.max_force for leg in platform.legs])
    for pose, k in np.argwhere(np.abs(forces) > limits).tolist():
        force, limit, leg = float(forces[pose, k]), float(limits[k]), platform.legs[k].name
        finding = Finding(
            code="S210",
            severity=Severity.ERROR,
            subject=subjects.Legs((leg,)),
            quantities=(Quantity("force", force, "N"), Quantity("limit", limit, "N")),
            message=f"In pose {pose + 1} ({origin}, line {lines[pose]}) leg {leg}: force "
            f"{force:.6g} N exceeds its limit ±{limit:.6g} N by {abs(force) - limit:.4g} N.",
            hint="Choose another pose, lighten the load, or lower the platform's acceleration.",
        )
        found[pose].append(finding)
    return found
