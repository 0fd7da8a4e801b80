"""The scale of colours as the page draws it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reports.content.numbers import signed
from reports.evaluation.scale import DeviationScale

_STOPS = 17
_END = 0.93  # of the reach
_LIMITS = 2  # that find room on each side


@dataclass(frozen=True, slots=True, kw_only=True)
class ColourStop:
    """A colour along the scale."""

    share: str  # in percent
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleMark:
    """A value along the scale."""

    share: str  # in percent
    text: str
    limit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Legend:
    """All of it.

    Args:
        stops: from left to right.
        marks: values and limits.
        low: value at the left end, in millimetres.
        high: at the right one.
        limited: whether there is a limit.
    """

    stops: tuple[ColourStop, ...]
    marks: tuple[ScaleMark, ...]
    low: str
    high: str
    limited: bool


def legend_of(scale: DeviationScale) -> Legend:
    """The scale with its ends, its middle, and the limits of tolerances."""
    values = np.linspace(-scale.reach, scale.reach, _STOPS)
    stops = tuple(
        ColourStop(share=_share(float(value), scale), colour=colour)
        for value, colour in zip(values, scale.hexadecimal(values), strict=True)
    )
    ends = [_mark(value, scale, limit=False) for value in (-scale.reach, 0.0, scale.reach)]
    limits = [
        _mark(sign * limit, scale, limit=True)
        for limit in scale.limits[:_LIMITS]
        for sign in (-1.0, 1.0)
    ]
    return Legend(
        stops=stops,
        marks=(*ends, *limits),
        low=_told(-scale.reach),
        high=_told(scale.reach),
        limited=bool(limits),
    )


def _mark(value: float, scale: DeviationScale, *, limit: bool) -> ScaleMark:
    """A value; a limit at an end needs no second text there."""
    at_end = limit and abs(value) > _END * scale.reach
    return ScaleMark(share=_share(value, scale), text="" if at_end else _told(value), limit=limit)


def _share(value: float, scale: DeviationScale) -> str:
    return f"{50.0 * (1.0 + value / scale.reach):.2f}%"


def _told(value: float) -> str:
    return signed(f"{1e3 * value:.4g}")
