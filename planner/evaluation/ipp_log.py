"""Logs of I++ DME sessions → measured points of a job.

A log is what a client sent and received, line by line, whatever stands before it on a line (times,
"Sent:"). The protocol knows no names of points: a report (``00016 # X(…), Y(…), Z(…)``) is that of
the PtMeas with its tag, and that one's nominal place and direction are the job's point. Coordinates
are the machine's, mm; the place is the centre of the ball (I++ DME 1.4.3, §6.3.2.13).
"""

from __future__ import annotations

import re

import numpy as np

from parts.evaluation.measured_points import MeasuredPoints
from parts.points.file_text import fault, text_of
from planner.job import Job
from planner.reach.placement import place
from robots.core.arrays import Array

_NUMBER = r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"
_TOUCH = re.compile(r"(\d{5}) PtMeas\((.*)\)")
_NOMINAL = re.compile(
    rf"X\({_NUMBER}\),\s*Y\({_NUMBER}\),\s*Z\({_NUMBER}\),\s*IJK\({_NUMBER},{_NUMBER},{_NUMBER}\)"
)
_REPORT = re.compile(r"(\d{5}) #(.*)")
_VALUE = re.compile(rf"\b([XYZ])\({_NUMBER}\)")
_MM = 1e-3
_SAME = 1e-6  # [m] between the nominal place of a touch and that of a point
_AGREES = 1e-6  # of direction cosines


def is_ipp_log(raw: bytes) -> bool:
    """Whether a file is the log of a session with touches."""
    head = raw[:65536].decode("utf-8-sig", errors="replace")
    return (
        "StartSession()" in head and _TOUCH.search(raw.decode("utf-8-sig", "replace")) is not None
    )


def ipp_points(raw: bytes, *, origin: str, job: Job) -> MeasuredPoints:
    """Centres of the ball that a server has reported.

    Args:
        raw: of the log.
        origin: its name, for messages.
        job: whose points were touched.

    Raises:
        PointsError: a touch that cannot be read or is none of the job's points, a report without
            X, Y or Z, none.
    """
    names: list[str] = []
    rows: list[list[float]] = []
    waiting: dict[str, str] = {}
    points = _Nominals(job)
    for line, text in enumerate(text_of(raw, origin).splitlines(), start=1):
        if touch := _TOUCH.search(text):
            waiting[touch[1]] = points.name_of(touch[2], origin, line)
        elif (report := _REPORT.search(text)) and report[1] in waiting:
            values = {axis: float(value) for axis, value in _VALUE.findall(report[2])}
            if set(values) != {"X", "Y", "Z"}:
                raise fault(
                    origin,
                    "the report of a touch has not all of X, Y and Z; ask for them with "
                    "OnPtMeasReport(X(),Y(),Z()).",
                    line=line,
                )
            names.append(waiting.pop(report[1]))
            rows.append([_MM * values[axis] for axis in "XYZ"])
    if not rows:
        raise fault(origin, "no touch of the session was reported; there is nothing to evaluate.")
    return MeasuredPoints(
        names=tuple(names),
        xyz=np.array(rows),
        frame="base",
        compensated=job.probe.ball_radius == 0.0,
        probe_radius=job.probe.ball_radius,
        notes=(f"{origin}: reports of an I++ session, centres of the ball.",),
    )


class _Nominals:
    """Places and directions of a job's points, as PtMeas names them.

    Args:
        job: with its points.
    """

    def __init__(self, job: Job) -> None:
        placed = place(job)
        self._names = placed.names
        self._places: Array = placed.contacts - job.probe.ball_radius * placed.directions
        self._directions = placed.directions

    def name_of(self, asked: str, origin: str, line: int) -> str:
        """The point of a touch, by what stands in the brackets of its PtMeas."""
        nominal = _NOMINAL.fullmatch(asked)
        if nominal is None:
            raise fault(
                origin,
                f"PtMeas({asked}) is no touch of a point; expected X(…), Y(…), Z(…), IJK(i,j,k) "
                "with a number for each.",
                line=line,
            )
        numbers = np.array([float(value) for value in nominal.groups()])
        there, direction = _MM * numbers[:3], numbers[3:]
        away = np.linalg.norm(self._places - there, axis=1)
        turned = np.abs(self._directions - direction).max(axis=1)
        found = np.flatnonzero((away <= _SAME) & (turned <= _AGREES))
        if found.size != 1:
            nearest = int(np.argmin(away))
            raise fault(
                origin,
                f"the touch is {'no point' if not found.size else 'more than one point'} of the "
                f"job; the nearest is {self._names[nearest]!r}, {1e3 * away[nearest]:.4g} mm away. "
                "Was it sent from a programme of another job or pose?",
                line=line,
            )
        return self._names[int(found[0])]
