"""All figures of a report set, one file after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from planner.plan_types import Plan
from reports.drawn_samples import DrawnSamples
from reports.figures.joint_curves import joint_figure, quantities
from reports.figures.style import FORMATS, house_style, rendered
from reports.figures.tip_path import tip_path_figure
from reports.figures.total_power import total_power_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_figures(
    plan: Plan, drawn: DrawnSamples, wanted: Sequence[str] | None = None
) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG.

    A plan without motion has only the figure of its points in space.

    Args:
        plan: whose motion it is.
        drawn: samples of its trajectory.
        wanted: names of the files that are wanted; None for all.
    """
    files: dict[str, bytes] = {}
    with house_style():
        for name, draw in _figures(plan, drawn):
            formats = [f for f in FORMATS if wanted is None or f"{name}.{f}" in wanted]
            if not formats:
                continue
            figure = draw()
            files |= {f"{name}.{f}": rendered(figure, f) for f in formats}
    return files


def _figures(plan: Plan, drawn: DrawnSamples) -> Iterator[tuple[str, Callable[[], Figure]]]:
    if plan.segments:
        for quantity in quantities(plan, drawn.samples):
            yield quantity.name, partial(joint_figure, plan, drawn, quantity)
        yield "total-power", partial(total_power_figure, plan, drawn)
    yield "tip-path", partial(tip_path_figure, plan, drawn)
