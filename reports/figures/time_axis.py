"""The time axis that curves share: segments shaded by what the robot does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.plan import Plan, SegmentKind
from reports.drawn_samples import DrawnSamples
from reports.figures.decimation import BUCKETS, run_length
from reports.figures.style import KIND_COLOURS, LIMIT, LIMIT_DASHES

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHADED = 300  # more segments are narrower than the eye can follow
_NAMED = 24  # points that find room for their names


def shade(axis: Axes, plan: Plan) -> None:
    """Shade the segments of every kind, unless there are too many to tell them apart."""
    if not shaded(plan):
        return
    for kind, colour in KIND_COLOURS.items():
        spans = [(s.start, s.duration) for s in plan.timeline if s.kind is kind]
        axis.broken_barh(
            spans,
            (0.0, 1.0),
            transform=axis.get_xaxis_transform(),
            facecolors=colour,
            linewidth=0,
            zorder=0.5,
        )


def shaded(plan: Plan) -> bool:
    """Whether segments are shaded."""
    return 0 < len(plan.timeline) <= _SHADED


def line_width(plan: Plan) -> float:
    """Width of a curve; finer where many segments crowd it. [pt]."""
    return 1.2 if shaded(plan) else 0.6


def name_points(axis: Axes, plan: Plan) -> None:
    """The name of each point above its instant of contact, where there is room."""
    probes = [s for s in plan.timeline if s.kind is SegmentKind.PROBE]
    if len(probes) > _NAMED or any(len(s.point) > 6 for s in probes):
        return
    for segment in probes:
        axis.annotate(
            segment.point,
            (segment.end, 1.0),
            xycoords=axis.get_xaxis_transform(),
            xytext=(0.0, 2.0),
            textcoords="offset points",
            ha="center",
            fontsize=7.0,
            annotation_clip=True,
        )


def kind_legend(figure: Figure, plan: Plan, *, limits: bool = False) -> None:
    """The colours of the segments, and the dashes of limits, at the upper right of the figure."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    present = {segment.kind for segment in plan.timeline} if shaded(plan) else set()
    handles: list[Artist] = [
        Patch(color=KIND_COLOURS[kind], label=kind.value)
        for kind in KIND_COLOURS
        if kind in present
    ]
    if limits:
        handles.append(Line2D([], [], color=LIMIT, linestyle=LIMIT_DASHES, label="limit"))
    figure.legend(
        handles=handles,
        loc="upper right",
        bbox_to_anchor=(1.0, 1.0 - 0.22 / figure.get_figheight()),
        ncols=max(len(handles), 1),
        handlelength=1.6,
        columnspacing=1.2,
    )


def drawing_note(plan: Plan, drawn: DrawnSamples) -> str:
    """How the curves were drawn."""
    run = max(drawn.run, run_length(drawn.count, BUCKETS))
    note = f"Sampled every {1e3 * plan.job.sampling_period:g} ms"
    if run > 1:
        note += f"; of every {run} samples the least and the largest are drawn, so no peak is lost"
    return f"{note}." if shaded(plan) else f"{note}. Segments are too narrow to be shaded."


def limit_time(axis: Axes, plan: Plan) -> None:
    """The whole motion and nothing else."""
    axis.set_xlim(0.0, float(np.nextafter(plan.totals.duration, np.inf)))
    axis.set_xlabel("time [s]")
