"""The time axis that all panels of curves share."""

from __future__ import annotations

from dataclasses import dataclass

from reports.page.shading import HEIGHT, WIDTH, Shading
from reports.page.ticks import ticks

_TICKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMark:
    """Something at an instant."""

    share: str  # of the duration, in percent
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAxis:
    """Ticks, grid and shades along the time of a motion."""

    shading: Shading
    ticks: tuple[TimeMark, ...]
    grid: str
    names: tuple[TimeMark, ...] = ()


def time_axis(shading: Shading, duration: float, names: tuple[TimeMark, ...] = ()) -> TimeAxis:
    """The axis of a motion.

    Args:
        shading: behind the curves.
        duration: [s]
        names: of points, at their instants.
    """
    marks = ticks(0.0, duration, _TICKS)
    return TimeAxis(
        shading=shading,
        ticks=tuple(stop(mark.at / duration, mark.text) for mark in marks),
        grid="".join(f"M{round(WIDTH * mark.at / duration)} 0v{HEIGHT}" for mark in marks),
        names=names,
    )


def stop(part: float, text: str) -> TimeMark:
    """Something at a part of the duration, from 0 to 1."""
    return TimeMark(share=f"{100.0 * part:.3f}%", text=text)
