"""DMIS programme (ISO 22093): coordinates of the surface in the robot's base frame, in mm.

PTMEAS is a touch along the normal: to APPRCH before the surface at POSVEL, on at MESVEL to SEARCH
past it at most, and RETRCT back from it. The four are those of the probing cycle of the plan:
MESVEL its touch speed, APPRCH and SEARCH the search before and past the nominal surface, RETRCT its
back-off. POSVEL is the greatest speed of the ball in a travel of the plan, and in an approach its
mean speed there, never more than the job's positioning speed.
"""

from __future__ import annotations

from math import floor

import numpy as np

from reports.programmes.probing import (
    approach_speed,
    positioning_speed,
    retract_speed,
    styli,
    tool_names,
    touch_cycle,
)
from reports.programmes.source import (
    MeasuredFeature,
    Move,
    Nominal,
    NominalKind,
    ProgrammeSource,
    Touch,
)
from reports.programmes.text import MM, ascii_text, number, numbers, rounded

_WIDTH = 80
_LENGTH = 9  # decimals of mm
_VECTOR = 12  # decimals of direction cosines
_SPEED = 9  # decimals of m/min
_HIDDEN = "$'"  # continues a line; begins a text
_KINDS = {
    NominalKind.POINT: "POINT",
    NominalKind.PLANE: "PLANE",
    NominalKind.CIRCLE: "CIRCLE",
    NominalKind.CYLINDER: "CYLNDR",
    NominalKind.SPHERE: "SPHERE",
}


def dmis(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``program.dmi``."""
    programme = _Programme(source)
    return {"program.dmi": programme.text().encode("ascii")}


class _Programme:
    """Lines of a programme; settings are written when they change.

    Args:
        source: of the plan.
    """

    def __init__(self, source: ProgrammeSource) -> None:
        self._source = source
        self._lines: list[str] = []
        self._settings: dict[str, str] = {}
        self._styli = styli(source.steps.touches)
        self._tools = tool_names(source.plan.job, self._styli)

    def text(self) -> str:
        """The whole programme."""
        self._head()
        self._sensors()
        for feature in self._source.features:
            self._define(feature)
        self._motion()
        for feature in self._source.features:
            self._say(f"OUTPUT/FA({feature.label})")
        self._say("ENDFIL")
        return "\n".join(self._lines) + "\n"

    def _head(self) -> None:
        job = self._source.plan.job
        name = ascii_text(job.name, hidden=_HIDDEN, longest=40)
        self._say(f"DMISMN/'{name}', 05.2")
        steps = self._source.steps
        for line in [
            *self._source.about(hidden=_HIDDEN),
            "frame: the base of the robot; lengths in mm, speeds in m/min",
            f"GOTO points: the proven path of the ball within {MM * steps.chord:g} mm",
            *self._about_touches(),
            "the motion was proven for the robot of the job: on another machine its own",
            "body and head are not covered",
        ]:
            self._note(line)
        self._say("UNITS/MM, ANGDEC")
        self._say(f"DECPL/ALL, {_LENGTH}")
        self._say("PRCOMP/ON")
        self._say("D(MCS1) = DATSET/MCS")

    def _about_touches(self) -> list[str]:
        touches = self._source.steps.touches
        speeds = sorted({round(MM * touch.speed, 9) for touch in touches})
        told = f"{speeds[0]:g}" if len(speeds) == 1 else f"{speeds[0]:g} to {speeds[-1]:g}"
        lines = [f"touch at {told} mm/s; approach, search and retract distances of the plan"]
        if not self._source.plan.job.touch.searching:
            lines = [
                "the plan comes to rest at contact (touch.mode is to-rest); the machine searches",
                f"by its own cycle at {told} mm/s, which is not of the plan",
            ]
        return [
            *lines,
            "the machine decides accelerations, latency and overrun, and stops at a point",
            "that its search does not find",
        ]

    def _sensors(self) -> None:
        probe = self._source.plan.job.probe
        if len(self._styli.axes) > 1:
            self._note("the plan turns the stylus during travels; here it is selected before them")
        for row, axis in enumerate(self._styli.axes):
            self._say(
                f"S({self._tools[row]}) = SNSDEF/PROBE, INDEX, POL",
                *numbers(_head_angles(axis), 4),
                *numbers(axis, _VECTOR),
                *numbers([MM * probe.stylus_length, MM * probe.ball_diameter], 4),
            )
        self._beside()
        self._say("MODE/PROG, MAN")

    def _beside(self) -> None:
        """What is not quite the plan's, where points are not approached along their normals."""
        if any(touch_cycle(touch).near is not None for touch in self._source.steps.touches):
            self._note("some points are not approached along their normals: GOTO follows the line")
            self._note("of the plan to the start of the search, which is along the normal")

    def _define(self, feature: MeasuredFeature) -> None:
        if feature.label != feature.name:
            self._note(f"F({feature.label}) is {ascii_text(feature.name, hidden=_HIDDEN)}")
        if feature.nominal.kind is not NominalKind.POINT:
            for place, touch in enumerate(feature.touches, start=1):
                name = ascii_text(touch.name, hidden=_HIDDEN)
                self._note(f"touch {place} of F({feature.label}) is {name}")
        kind = _KINDS[feature.nominal.kind]
        self._say(f"F({feature.label}) = FEAT/{kind}", *_nominal_words(feature.nominal))

    def _motion(self) -> None:
        touches = 0
        begins = {id(f.touches[0]): f for f in self._source.features}
        ends = {id(f.touches[-1]) for f in self._source.features}
        waiting: Move | None = None
        for step in self._source.steps.steps:
            if isinstance(step, Move):
                waiting = step
                continue
            self._set("SNSLCT/S", f"({self._tools[self._styli.of_touch[touches]]})")
            self._settle(step)
            if waiting is not None:
                self._go(waiting)
            if id(step) in begins:
                feature = begins[id(step)]
                kind = _KINDS[feature.nominal.kind]
                self._say(f"MEAS/{kind}, F({feature.label}), {len(feature.touches)}")
            self._touch(step)
            if id(step) in ends:
                self._say("ENDMES")
            touches += 1

    def _settle(self, touch: Touch) -> None:
        cycle = touch_cycle(touch)
        self._set("SNSET/APPRCH", f", {number(MM * cycle.approach, _LENGTH)}")
        self._set("SNSET/RETRCT", f", {number(MM * cycle.retract, _LENGTH)}")
        self._set("SNSET/SEARCH", f", {number(MM * cycle.search, _LENGTH)}")
        self._set("SNSET/CLRSRF", f", {number(MM * touch.approach, _LENGTH)}")
        self._speed("MESVEL", touch.speed)

    def _go(self, move: Move) -> None:
        name = ascii_text(move.point, hidden=_HIDDEN)
        self._speed("POSVEL", positioning_speed(self._source.plan.job, move.speed))
        if move.speed > 0.0:
            self._note(f"to {name}: {move.duration:.4f} s in the plan; rest at the last GOTO")
        else:
            self._note(f"clearance point of {name}; the way there is not of the plan")
        for centre in move.centres:
            self._goto(centre)

    def _touch(self, touch: Touch) -> None:
        job, cycle = self._source.plan.job, touch_cycle(touch)
        self._speed("POSVEL", approach_speed(job, touch))
        if cycle.near is not None:
            self._goto(cycle.near)
        words = [*numbers(MM * touch.surface, _LENGTH), *numbers(touch.normal, _VECTOR)]
        self._say("PTMEAS/CART", *words)
        if touch.settle > 0.0:
            self._note(f"the plan rests here for {touch.settle:.4f} s")
        if cycle.near is not None:
            self._goto(cycle.near)
        self._speed("POSVEL", retract_speed(job, touch))
        self._goto(touch.clearance)

    def _speed(self, which: str, speed: float) -> None:
        """A speed that is not above the one given."""
        scale = 10.0**_SPEED
        told = floor(60.0 * speed * scale * (1.0 + 1e-15)) / scale
        self._set(f"FEDRAT/{which}", f", MPM, {told:.{_SPEED}f}")

    def _goto(self, centre: np.ndarray) -> None:
        self._say("GOTO/CART", *numbers(MM * centre, _LENGTH))

    def _set(self, setting: str, value: str) -> None:
        if self._settings.get(setting) != value:
            self._settings[setting] = value
            self._say(f"{setting}{value}")

    def _note(self, text: str) -> None:
        room = _WIDTH - 3
        self._lines += [f"$$ {text[start : start + room]}" for start in range(0, len(text), room)]

    def _say(self, head: str, *words: str) -> None:
        """A statement, continued where it is too long for a line."""
        line = head
        for word in words:
            if len(line) + len(word) + 5 > _WIDTH:
                self._lines.append(f"{line}, $")
                line = word
            else:
                line = f"{line}, {word}"
        self._lines.append(line)


def _nominal_words(nominal: Nominal) -> list[str]:
    place, axis = numbers(MM * nominal.location, _LENGTH), numbers(nominal.axis, _VECTOR)
    side = ["INNER" if nominal.inner else "OUTER"]
    diameter = numbers([MM * nominal.diameter], _LENGTH)
    if nominal.kind is NominalKind.SPHERE:
        return [*side, "CART", *place, *diameter]
    if nominal.kind in (NominalKind.CIRCLE, NominalKind.CYLINDER):
        return [*side, "CART", *place, *axis, *diameter]
    return ["CART", *place, *axis]


def _head_angles(axis: np.ndarray) -> tuple[float, float]:
    """Tilt from straight down, and turn about the vertical, of a stylus direction. [deg]."""
    x, y, z = rounded(axis, _VECTOR).tolist()
    tilt = float(np.degrees(np.arctan2(np.hypot(x, y), -z)))
    turn = float(np.degrees(np.arctan2(x, -y))) if x or y else 0.0
    return tilt, 180.0 if turn == -180.0 else turn
