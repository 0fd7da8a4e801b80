"""I++ DME 1.4.3 session: what a client sends, in the machine's coordinates, mm and mm/s.

A touch is the command PtMeas of the specification (§6.3.2.13): the server goes to the approach
position, X, Y, Z moved along IJK by the approach distance and the radius of the ball, with the
speed of GoToPar; on towards the end of search with that of PtMeasPar; latches the centre of the
tool at contact, reports it, and retracts from there with GoToPar. IJK is the direction of the plan
and X, Y, Z the place of the surface that has the plan's ball on that line, so that all of the touch
runs on the certified line whatever the normal. GoToPar is brought down to touch speed before it:
the back-off is as slow as in the plan, and the approach position has been reached by a GoTo.

The protocol has no comments: nothing of a job's names is in the file. Tools are called as the
sensors of the DMIS programme. Home() comes before the first motion, and from there the server goes
its own way to the first clearance point.
"""

from __future__ import annotations

from math import floor

import numpy as np

from planner.job import Job
from reports.programmes.probing import (
    approach_speed,
    positioning_speed,
    retract_speed,
    styli,
    tool_names,
)
from reports.programmes.source import Move, ProgrammeSource, Touch
from reports.programmes.text import MM, number, numbers

_LENGTH = 9  # decimals of mm
_VECTOR = 15
_SPEED = 6  # decimals of mm/s
_LAST_TAG = 99_999  # five digits; a longer job goes on in another session


def ipp(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``program.ipp``."""
    steps, job = source.steps, source.plan.job
    session = _Session(job)
    directions = styli(steps.touches)
    names = tool_names(job, directions)
    turns = iter(directions.of_touch)
    waiting: list[Move] = []
    for step in steps.steps:
        if isinstance(step, Move):
            waiting.append(step)
            continue
        session.change_tool(names[next(turns)])
        session.settle(step)
        for move in waiting:
            session.travel(move)
        waiting.clear()
        session.touch(step)
    return {"program.ipp": session.text().encode("ascii")}


class _Session:
    """Commands with their tags; properties are set when they change.

    Args:
        job: of the plan.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._lines: list[str] = []
        self._tag = 0
        self._properties: dict[str, str] = {}
        self._tool = ""
        self._begin()

    def text(self) -> str:
        """The whole session, ended."""
        self._put("EndSession()")
        return "\r\n".join([*self._lines, ""])

    def change_tool(self, name: str) -> None:
        """Take a tool of the machine, unless it is there."""
        if name != self._tool:
            self._tool = name
            self._properties.clear()  # each tool has its own
            self._say(f'ChangeTool("{name}")')

    def settle(self, touch: Touch) -> None:
        """Distances and speed of a touch."""
        back_off = float((touch.back_off - touch.contact) @ touch.direction)
        for name, value in (
            ("Approach", touch.search_before),
            ("Search", touch.search_after),
            ("Retract", back_off),
        ):
            self._set(f"PtMeasPar.{name}", number(MM * value, _LENGTH))
        self._set("PtMeasPar.Speed", _speed(touch.speed))

    def travel(self, move: Move) -> None:
        """Go to a clearance point."""
        self._set("GoToPar.Speed", _speed(positioning_speed(self._job, move.speed)))
        for centre in move.centres:
            self._go(centre)

    def touch(self, touch: Touch) -> None:
        """Touch, and go back to the clearance point."""
        self._set("GoToPar.Speed", _speed(approach_speed(self._job, touch)))
        self._go(touch.search_start)
        self._set("GoToPar.Speed", _speed(touch.speed))
        surface = touch.contact - self._job.probe.ball_radius * touch.direction
        x, y, z = numbers(MM * surface, _LENGTH)
        i, j, k = numbers(touch.direction, _VECTOR)
        self._say(f"PtMeas(X({x}),Y({y}),Z({z}),IJK({i},{j},{k}))")
        self._set("GoToPar.Speed", _speed(retract_speed(self._job, touch)))
        self._go(touch.clearance)

    def _go(self, centre: np.ndarray) -> None:
        x, y, z = numbers(MM * centre, _LENGTH)
        self._say(f"GoTo(X({x}),Y({y}),Z({z}))")

    def _set(self, name: str, value: str) -> None:
        if self._properties.get(name) != value:
            self._properties[name] = value
            self._say(f"SetProp(Tool.{name}({value}))")

    def _say(self, command: str) -> None:
        if self._tag >= _LAST_TAG - 1:
            self._put("EndSession()")
            self._begin(again=True)
            for again in (f'ChangeTool("{self._tool}")', *self._all_properties()):
                self._put(again)
        self._put(command)

    def _all_properties(self) -> list[str]:
        return [f"SetProp(Tool.{name}({value}))" for name, value in self._properties.items()]

    def _begin(self, *, again: bool = False) -> None:
        """Start a session; errors are cleared before the first motion, never between motions."""
        self._tag = 0
        self._put("StartSession()")
        if not again:
            self._put("ClearAllErrors()")
            self._put("Home()")
        self._put("SetCoordSystem(MachineCsy)")
        self._put("OnPtMeasReport(X(),Y(),Z())")

    def _put(self, command: str) -> None:
        self._tag += 1
        self._lines.append(f"{self._tag:05d} {command}")


def _speed(speed: float) -> str:
    """A speed that is not above the one given. [mm/s]."""
    scale = 10.0**_SPEED
    return f"{floor(MM * speed * scale * (1.0 + 1e-15)) / scale:.{_SPEED}f}"
