"""Curves on the page: one panel per joint, segments shaded behind them, one time axis for all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.plan import Segment, SegmentKind
from reports.content.curves import CurveSet, Panel
from reports.drawn_samples import decimated
from reports.visible_text import cut, visible
from robots.core.arrays import Array

_NEAR = 1.2  # a limit is drawn where it is no farther than this many heights of the curve
_ROOM = 0.07  # of the height, free above and below
_INTERVALS = 4
_EDGE = 40  # nearer to an edge a mark would touch the neighbouring panel's
_TICKS = 8
WIDTH = 100_000  # of a plot, in its own units
HEIGHT = 1_000
_STRIPS = 1_500  # more are narrower than a pixel
_NAME = 80  # characters of a point's name


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
    return DrawnPanel(
        panel=replace(panel, t=curve.t, values=curve.values),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMark:
    """Something at an instant."""

    share: str  # of the duration, in percent
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shade:
    """All that is shaded in one colour.

    Args:
        kind: of the segments.
        path: in the units of a plot.
    """

    kind: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shading:
    """Shading behind the curves.

    Args:
        shades: one per kind that occurs.
        strips: how many strips of equal time stand for the segments; 0 where each is drawn.
    """

    shades: tuple[Shade, ...]
    strips: int


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


def shading(segments: Sequence[Segment], duration: float) -> Shading:
    """Draw every segment, or where they are too many, the kind that fills most of each strip.

    Args:
        segments: in order of time.
        duration: of the whole motion. [s]
    """
    kinds = tuple(SegmentKind)
    codes = np.array([kinds.index(s.kind) for s in segments], dtype=np.int64)
    ends = np.array([s.end for s in segments]) / duration * WIDTH
    starts = np.array([s.start for s in segments]) / duration * WIDTH
    strips = 0
    if len(segments) > _STRIPS:
        strips = _STRIPS
        starts, ends, codes = _stripped(starts, ends, codes)
    shades = []
    for code, kind in enumerate(kinds):
        path = "".join(_boxes(starts[codes == code], ends[codes == code]))
        if path:
            shades.append(Shade(kind=kind.value, path=path))
    return Shading(shades=tuple(shades), strips=strips)


def _boxes(starts: np.ndarray, ends: np.ndarray) -> Iterator[str]:
    for start, end in zip(np.rint(starts).astype(int), np.rint(ends).astype(int), strict=True):
        if end > start:
            yield f"M{start} 0h{end - start}v{HEIGHT}h{start - end}z"


def _stripped(
    starts: np.ndarray, ends: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Strips of equal width with the kind that fills most; equal neighbours are one."""
    edges = np.linspace(0.0, WIDTH, _STRIPS + 1)
    filled = np.zeros((_STRIPS, int(codes.max()) + 1))
    for code in range(filled.shape[1]):
        chosen = codes == code
        corners = np.stack([starts[chosen], ends[chosen]], axis=1).ravel()
        lengths = np.diff(corners, prepend=0.0)
        lengths[0::2] = 0.0  # nothing of this kind before its next start
        if len(corners):
            so_far = np.interp(edges, corners, np.cumsum(lengths))
            filled[:, code] = np.diff(so_far)
    most = np.argmax(filled, axis=1)
    change = np.flatnonzero(np.diff(most, prepend=-1))
    return edges[change], edges[np.append(change[1:], _STRIPS)], most[change]


def motion(sets: Sequence[DrawnSet], segments: Sequence[Segment], duration: float) -> object:
    """What is told at any instant, as JSON.

    Args:
        sets: curves as drawn.
        segments: in order of time.
        duration: of the whole motion. [s]
    """
    kinds = sorted({s.kind.value for s in segments})
    laws = sorted({s.law for s in segments})
    points = sorted({s.point for s in segments})
    of = {name: k for k, name in enumerate(points)}
    return {
        "duration": duration,
        "kinds": kinds,
        "laws": [visible(law) for law in laws],
        "points": [cut(visible(point), _NAME) for point in points],
        "start": _short(np.array([s.start for s in segments]), 8),
        "kind": [kinds.index(s.kind.value) for s in segments],
        "law": [laws.index(s.law) for s in segments],
        "point": [of[s.point] for s in segments],
        "panels": [_panel(panel) for drawn in sets for panel in drawn.panels],
    }


def _panel(drawn: DrawnPanel) -> object:
    panel = drawn.panel
    return {
        "t": _short(panel.t, 8),
        "v": _short(panel.values, 5),
        "unit": panel.unit,
        "low": drawn.low,
        "high": drawn.high,
        "lower": _finite(panel.lower),
        "upper": _finite(panel.upper),
    }


def _short(values: Array, digits: int) -> list[float]:
    """Rounded, so that few characters say them."""
    rounded = [float(f"{value:.{digits}g}") for value in values.tolist()]
    return [int(value) if value == int(value) and abs(value) < 1e9 else value for value in rounded]


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


# --------------------------------------------------------------------- Round numbers beside an axis

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One number beside an axis.

    Args:
        at: where.
        text: as a reader sees it.
    """

    at: float
    text: str


def ticks(low: float, high: float, count: int) -> tuple[Tick, ...]:
    """About as many round numbers as asked for, all inside.

    Args:
        low: end of the axis.
        high: other end, above.
        count: how many intervals there is room for.
    """
    rough = (high - low) / count
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(scale * s for s in _STEPS if scale * s >= rough * (1.0 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(Tick(at=k * step, text=_text(k * step, step)) for k in range(first, last + 1))


def _text(value: float, step: float) -> str:
    if value and not 1e-4 <= step < 1e6:
        return f"{value:.3g}".replace("-", "−")
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1  # steps of 2.5
    return f"{value:.{decimals}f}".replace("-", "−") if value else "0"
