"""Curves as drawings: lines as SVG, every letter left to the page so that it can be searched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from robots.core.arrays import Array

Values = TypeVar("Values", float, Array)
UNITS = 100  # of the drawing, per point of the page


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotFrame:
    """A rectangle on the page and the values at its edges.

    Args:
        left: from the drawing's left edge. [pt]
        top: from its upper edge, downwards. [pt]
        width: [pt]
        height: [pt]
        x: values at the left and right edge.
        y: values at the lower and upper edge.
    """

    left: float
    top: float
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, x: Values) -> Values:
        """Where values lie. [pt]."""
        return self.left + self.width * (x - self.x[0]) / (self.x[1] - self.x[0])

    def down(self, y: Values) -> Values:
        """Where values lie. [pt]."""
        return self.top + self.height * (self.y[1] - y) / (self.y[1] - self.y[0])


@dataclass(slots=True, kw_only=True, eq=False)
class PaperDrawing:
    """What a drawing gathers while it is drawn.

    Args:
        width: [pt]
        height: [pt]
        shapes: elements of SVG.
        labels: what the page writes on top.
    """

    width: float
    height: float
    shapes: list[str] = field(default_factory=list)
    labels: list[dict[str, Any]] = field(default_factory=list)

    def box(self, frame: PlotFrame, span: tuple[float, float], colour: str) -> None:
        """Fill a frame's whole height between two values of x."""
        left, right = _units(frame.across(span[0])), _units(frame.across(span[1]))
        top, height = _units(frame.top), _units(frame.height)
        self.shapes.append(
            f'<path d="M{left} {top}h{max(right - left, 1)}v{height}H{left}z" fill="{colour}"/>'
        )

    def line(
        self,
        ends: tuple[float, float, float, float],
        colour: str,
        width: float,
        dashes: str = "",
    ) -> None:
        """A straight line between two places of the page."""
        x, y, to_x, to_y = map(_units, ends)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.shapes.append(
            f'<path d="M{x} {y}L{to_x} {to_y}" stroke="{colour}" '
            f'stroke-width="{_units(width)}"{dashed}/>'
        )

    def curve(self, frame: PlotFrame, t: Array, values: Array, colour: str, width: float) -> None:
        """A curve through samples; those closer than the page can show are one."""
        places = np.stack([frame.across(t), frame.down(values)], axis=1)
        places = np.rint(UNITS * places).astype(np.int64)
        steps = np.diff(places, axis=0)
        steps = steps[np.any(steps != 0, axis=1)]
        path = "".join(f"l{dx} {dy}" for dx, dy in steps.tolist())
        self.shapes.append(
            f'<path d="M{places[0, 0]} {places[0, 1]}{path}" stroke="{colour}" '
            f'stroke-width="{_units(width)}" stroke-linejoin="round"/>'
        )

    def write(self, text: str, at: tuple[float, float], anchor: str, style: str = "tick") -> None:
        """A text beside a place: anchor "left", "center" or "right" of the text lies there."""
        self.labels.append({"text": text, "x": at[0], "y": at[1], "anchor": anchor, "style": style})

    def document(self) -> dict[str, Any]:
        """The drawing as the template takes it."""
        view = f"0 0 {_units(self.width)} {_units(self.height)}"
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" fill="none">'
        svg = "".join((opening, *self.shapes, "</svg>"))
        return {"svg": svg, "width": self.width, "height": self.height, "labels": self.labels}


def _units(length: float) -> int:
    return round(UNITS * length)
