"""The motion as the page's script knows it: values and segments over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.plan import Segment
from reports.page.panels import DrawnPanel, DrawnSet
from reports.visible_text import cut, visible
from robots.core.arrays import Array

_NAME = 80  # characters of a point's name


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
