"""I++ DME 1.4.3 session: what a client sends, in the machine's coordinates, mm and mm/s.

The protocol has no comments: nothing of a job's names is in the file. Tools are called as the
sensors of the DMIS programme.
"""

from __future__ import annotations

import numpy as np

from reports.programmes.probing import styli, touch_cycle
from reports.programmes.source import Move, ProgrammeSource, Touch
from reports.programmes.text import MM, number, numbers

_LENGTH = 6  # decimals of mm
_VECTOR = 9
_SPEED = 3  # decimals of mm/s
_LAST_TAG = 99_999  # five digits; a longer job goes on in another session


def ipp(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``program.ipp``."""
    session = _Session()
    steps = source.steps
    turns = iter(styli(steps.touches).of_touch)
    waiting: list[Move] = []
    for step in steps.steps:
        if isinstance(step, Move):
            waiting.append(step)
            continue
        session.change_tool(f"TIP{next(turns) + 1}")
        session.settle(step)
        for move in waiting:
            session.travel(move)
        waiting.clear()
        session.touch(step)
    return {"program.ipp": session.text().encode("ascii")}


class _Session:
    """Commands with their tags; properties are set when they change."""

    def __init__(self) -> None:
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
        cycle = touch_cycle(touch)
        for name, value in (
            ("PtMeasPar.Approach", number(MM * cycle.approach, _LENGTH)),
            ("PtMeasPar.Search", number(MM * cycle.search, _LENGTH)),
            ("PtMeasPar.Retract", number(MM * cycle.approach, _LENGTH)),
            ("PtMeasPar.Speed", number(MM * touch.speed, _SPEED)),
        ):
            self._set(name, value)

    def travel(self, move: Move) -> None:
        """Go to a clearance point."""
        if move.speed > 0.0:
            self._set("GoToPar.Speed", number(MM * move.speed, _SPEED))
        for centre in move.centres:
            self._go(centre)

    def touch(self, touch: Touch) -> None:
        """Touch, and go back to the clearance point."""
        near = touch_cycle(touch).near
        if near is not None:
            self._go(near)
        x, y, z = numbers(MM * touch.surface, _LENGTH)
        i, j, k = numbers(touch.normal, _VECTOR)
        self._say(f"PtMeas(X({x}),Y({y}),Z({z}),IJK({i},{j},{k}))")
        if near is not None:
            self._go(near)
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
        self._put("SetCoordSystem(MachineCsy)")

    def _put(self, command: str) -> None:
        self._tag += 1
        self._lines.append(f"{self._tag:05d} {command}")
