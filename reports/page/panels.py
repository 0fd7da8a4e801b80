"""Curves as paths: one panel per joint, with its range, its ticks and its limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reports.content import CurveSet, Panel
from reports.figures.decimation import decimated
from reports.page.shading import HEIGHT, WIDTH
from reports.page.ticks import ticks
from robots.core.arrays import Array

_NEAR = 1.2  # a limit is drawn where it is no farther than this many heights of the curve
_ROOM = 0.07  # of the height, free above and below
_INTERVALS = 4
_EDGE = 40  # nearer to an edge a mark would touch the neighbouring panel's


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelMark:
    """A number beside the vertical axis.

    Args:
        y: from the top, in units of the plot.
        share: the same in percent.
        text: as a reader sees it.
    """

    y: int
    share: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnPanel:
    """One curve, ready for a page.

    Args:
        panel: what it shows, thinned.
        path: of the curve.
        low: value at the lower edge.
        high: value at the upper edge.
        marks: beside the axis.
        limits: heights of the limits that are drawn.
        stated: the limits in words; empty for none.
        peak: largest absolute value over the exact motion; empty where it is not known.
    """

    panel: Panel
    path: str
    low: float
    high: float
    marks: tuple[PanelMark, ...]
    limits: tuple[int, ...]
    stated: str
    peak: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnSet:
    """One quantity of all joints.

    Args:
        key: for anchors.
        title: for readers.
        panels: one per joint.
    """

    key: str
    title: str
    panels: tuple[DrawnPanel, ...]


def drawn_set(curves: CurveSet, duration: float, points: int) -> DrawnSet:
    """Draw a quantity.

    Args:
        curves: one per joint.
        duration: of the whole motion, the width of every plot. [s]
        points: of a curve at most, about.
    """
    panels = tuple(_drawn(panel, duration, points) for panel in curves.panels)
    return DrawnSet(key=curves.key, title=curves.title, panels=panels)


def _drawn(panel: Panel, duration: float, points: int) -> DrawnPanel:
    curve = decimated(panel.t, panel.values, points // 2)
    near = _near_limits(panel)
    low, high = _range(np.append(curve.values, near))
    x = np.rint(curve.t / duration * WIDTH).astype(np.int64)
    y = _heights(curve.values, low, high)
    marks = tuple(
        PanelMark(y=int(height), share=f"{100.0 * height / HEIGHT:.1f}%", text=tick.text)
        for tick in ticks(low, high, _INTERVALS)
        for height in _heights(np.array([tick.at]), low, high)
        if _EDGE <= height <= HEIGHT - _EDGE
    )
    thinned = Panel(
        name=panel.name,
        unit=panel.unit,
        t=curve.t,
        values=curve.values,
        lower=panel.lower,
        upper=panel.upper,
        peak=panel.peak,
    )
    return DrawnPanel(
        panel=thinned,
        path=_path(x, y),
        low=low,
        high=high,
        marks=marks,
        limits=tuple(_heights(near, low, high).tolist()),
        stated=_stated(panel),
        peak=_number(panel.peak) if np.isfinite(panel.peak) else "",
    )


def _near_limits(panel: Panel) -> Array:
    low, high = float(panel.values.min()), float(panel.values.max())
    far = _NEAR * (high - low)
    pairs = ((panel.lower, low - panel.lower), (panel.upper, panel.upper - high))
    return np.array([limit for limit, distance in pairs if distance <= far], dtype=np.float64)


def _range(values: Array) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-12):  # a joint that rests
        low, high = low - max(abs(low), 1.0) * 0.05, high + max(abs(high), 1.0) * 0.05
    room = _ROOM * (high - low)
    return low - room, high + room


def _heights(values: Array, low: float, high: float) -> np.ndarray:
    return np.rint((high - values) / (high - low) * HEIGHT).astype(np.int64)


def _path(x: np.ndarray, y: np.ndarray) -> str:
    """Steps from point to point: shorter than places, and exact as all are whole numbers."""
    keep = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    x, y = x[keep], y[keep]
    steps = zip(np.diff(x).tolist(), np.diff(y).tolist(), strict=True)
    return f"M{x[0]} {y[0]}l" + " ".join(f"{dx} {dy}" for dx, dy in steps) if len(x) > 1 else ""


def _stated(panel: Panel) -> str:
    lower, upper = panel.lower, panel.upper
    if np.isinf(lower) and np.isinf(upper):
        return ""
    if lower == -upper:
        return f"±{_number(upper)}"
    low = "−∞" if np.isinf(lower) else _number(lower)
    return f"{low} … {'∞' if np.isinf(upper) else _number(upper)}"


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
