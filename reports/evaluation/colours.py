"""The colours of deviations: blue where material is missing, orange where it is too much.

Light in the middle, dark at both ends, and no pair of hues that a colour-blind reader confuses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.content.table import signed
from reports.evaluation.subject import EvaluationSubject
from robots.core.arrays import Array

Bytes = NDArray[np.uint8]
_STOPS = np.array([-1.0, -0.6, -0.2, 0.0, 0.2, 0.6, 1.0])
_COLOURS = np.array(
    [
        *[(10, 40, 90), (30, 110, 185), (130, 185, 225)],
        (236, 236, 232),
        *[(245, 190, 130), (222, 110, 20), (112, 40, 0)],
    ],
    dtype=np.float64,
)
_ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_LEAST = 1e-9  # [m]
_LEGEND_STOPS = 17
_END = 0.93  # of the reach
_LIMITS = 2  # that find room on each side


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviationScale:
    """From deviations to colours, alike on both sides of zero.

    Args:
        reach: deviation with the last colour. [m]
        limits: of the profile tolerances, either way, the smallest first. [m]
    """

    reach: float
    limits: tuple[float, ...]

    def colours(self, deviations: Array) -> Bytes:
        """SRGB of deviations. # (n,) [m] -> (n, 3)."""
        share = np.clip(deviations / self.reach, -1.0, 1.0)
        channels = [np.interp(share, _STOPS, _COLOURS[:, k]) for k in range(3)]
        return np.rint(np.stack(channels, axis=-1)).astype(np.uint8)

    def hexadecimal(self, deviations: Array) -> list[str]:
        """The same as figures want it."""
        return ["#{:02x}{:02x}{:02x}".format(*rgb) for rgb in self.colours(deviations).tolist()]


def deviation_scale(shown: EvaluationSubject) -> DeviationScale:
    """The scale of an evaluation: it holds every deviation and every profile tolerance."""
    known = shown.limits[np.isfinite(shown.limits)]
    limits = tuple(sorted({float(limit) for limit in known}))
    far = float(np.abs(shown.evaluation.points.profile).max(initial=0.0))
    return DeviationScale(reach=rounded_up(max(far, *limits, _LEAST)), limits=limits)


def rounded_up(value: float) -> float:
    """The next round number that is not below a value above zero."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * next(r for r in _ROUND if r * power >= value * (1.0 - 1e-12)))


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
    values = np.linspace(-scale.reach, scale.reach, _LEGEND_STOPS)
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
