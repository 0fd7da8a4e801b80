"""Total power of the drives over time, and the work they have done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.plan import Plan
from reports.drawn_samples import DrawnSamples
from reports.figures import time_axis
from reports.figures.decimation import decimated
from reports.figures.style import BLUE, QUIET, WIDTH, caption

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEIGHT = 4.2  # [in]


def total_power_figure(plan: Plan, drawn: DrawnSamples) -> Figure:
    """Total power with its exact extremes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axis = figure.add_axes((0.1, 0.75 / _HEIGHT, 0.88, 1.0 - 1.5 / _HEIGHT))
    time_axis.shade(axis, plan)
    curve = decimated(drawn.samples.t, drawn.samples.power)
    axis.fill_between(curve.t, 0.0, curve.values, color=BLUE, alpha=0.18, linewidth=0)
    axis.plot(curve.t, curve.values, color=BLUE, linewidth=time_axis.line_width(plan))
    axis.axhline(0.0, color=QUIET, linewidth=0.8)
    axis.set_ylabel("total power [W]")
    axis.margins(y=0.1)
    time_axis.name_points(axis, plan)
    time_axis.limit_time(axis, plan)
    time_axis.kind_legend(figure, plan)
    totals = plan.totals
    told = (
        f"Exact: {totals.min_power:.5g} to {totals.peak_power:.5g} W, "
        f"energy delivered {totals.energy:.5g} J, net work {totals.net_work:.5g} J. "
    )
    caption(
        figure,
        f"Total power: {plan.job.name}",
        told + time_axis.drawing_note(plan, drawn),
    )
    return figure
