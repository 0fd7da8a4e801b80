"""All figures of a report set, one file after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planner.plan_types import Plan
from reports.drawn_samples import DrawnSamples
from reports.figures.joint_curves import joint_figure, quantities
from reports.figures.style import FORMATS, house_style, rendered
from reports.figures.tip_path import tip_path_figure
from reports.figures.total_power import total_power_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_figures(plan: Plan, drawn: DrawnSamples) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG.

    A plan without motion has only the figure of its points in space.

    Args:
        plan: whose motion it is.
        drawn: samples of its trajectory.
    """
    with house_style():
        return {
            f"{name}.{format}": rendered(figure, format)
            for name, figure in _figures(plan, drawn)
            for format in FORMATS
        }


def _figures(plan: Plan, drawn: DrawnSamples) -> Iterator[tuple[str, Figure]]:
    if plan.segments:
        for quantity in quantities(plan, drawn.samples):
            yield quantity.name, joint_figure(plan, drawn, quantity)
        yield "total-power", total_power_figure(plan, drawn)
    yield "tip-path", tip_path_figure(plan, drawn)
