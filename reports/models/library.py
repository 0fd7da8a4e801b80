"""The robots that come with Palpeur, by maker, as text and in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reports.answers import FORMAT, bold, table_lines
from reports.models.robot import kinds
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.workspace import axis_reach

_NO_MAKER = "Stand-ins and robots of the sources"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How far a robot gets.

    Args:
        reach: furthest that the tool frame gets from the first joint's axis; None where that joint
            slides. [m]
        strokes: ranges of the joints that slide; infinite where a robot file gives none. [m]
    """

    reach: float | None
    strokes: tuple[float, ...]

    def __str__(self) -> str:
        if self.reach is not None:
            return f"{1e3 * self.reach:.0f} mm"
        if not np.isfinite(self.strokes).all():
            return "no limits"
        return " x ".join(f"{1e3 * stroke:.0f}" for stroke in self.strokes) + " mm"


def extent(mechanism: Mechanism) -> Extent:
    """Reach of a robot whose first joint turns, strokes of its slides."""
    slides = [joint for joint in mechanism.movable if not joint.kind.angular]
    turns = mechanism.movable[0].kind.angular
    return Extent(
        reach=axis_reach(Model(mechanism, engine="numpy")) if turns else None,
        strokes=tuple(joint.q_max - joint.q_min for joint in slides),
    )


def library_document(robots: dict[str, Mechanism], makers: dict[str, str]) -> dict[str, object]:
    """The library's robots by name, in JSON."""
    extents = {name: extent(robot) for name, robot in robots.items()}
    return {
        "format": FORMAT,
        "robots": [
            {
                "name": name,
                "maker": makers[name] or None,
                "dof": robot.dof,
                "joints": kinds(robot),
                "reach_m": extents[name].reach,
                "strokes_m": [
                    stroke if np.isfinite(stroke) else None for stroke in extents[name].strokes
                ],
                "source": robot.source,
            }
            for name, robot in robots.items()
        ],
    }


def library_lines(robots: dict[str, Mechanism], makers: dict[str, str]) -> Iterator[str]:
    """The library's robots, one line each, under their makers."""
    by_maker: dict[str, list[str]] = {}
    for name in robots:
        by_maker.setdefault(makers[name], []).append(name)
    for maker in sorted(by_maker, key=lambda maker: (not maker, maker)):
        yield bold(maker or _NO_MAKER)
        rows = [
            (name, str(robot.dof), kinds(robot), str(extent(robot)), robot.source)
            for name, robot in ((name, robots[name]) for name in by_maker[maker])
        ]
        yield from table_lines(("name", "dof", "joints", "reach or strokes", "source"), rows)
        yield ""
    yield "Reach: how far the tool frame, without a probe, gets from the first joint's axis."
