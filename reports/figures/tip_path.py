"""The path of the ball in space, with the points, their normals and those not reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.plan import Plan, Samples, SegmentKind
from reports.drawn_samples import DrawnSamples
from reports.figures.style import BLUE, GREEN, INK, ORANGE, QUIET, WIDTH, caption
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D  # type: ignore[import-untyped]

_HEIGHT = 5.8  # [in]
_DRAWN = 6000  # samples of the path at most
_NAMED = 40  # points that find room for their names
_ARROWS = 150  # and for their normals
_CROWD = 60  # more points are drawn finer
_NORMAL = 0.05  # length of a normal, as a part of the scene's size
_PATHS = (("probing line", BLUE, 1.5), ("travel", QUIET, 0.9))


def tip_path_figure(plan: Plan, drawn: DrawnSamples) -> Figure:
    """Path, points and normals in the base frame, all three axes to the same scale."""
    from matplotlib.figure import Figure

    samples = drawn.samples
    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axis: Axes3D = figure.add_axes((0.0, 0.075, 0.94, 0.9), projection="3d", proj_type="ortho")
    size = _frame(axis, _everything(plan, samples))
    _draw_path(axis, plan, samples)
    _draw_points(axis, plan, _NORMAL * size)
    axis.view_init(elev=40.0, azim=-42.0)
    for name in "xyz":
        axis.locator_params(axis=name, nbins=6)
        getattr(axis, f"set_{name}label")(f"{name} [mm]", labelpad=8.0)
        getattr(axis, f"{name}axis").set_pane_color("#fafafa")
    figure.legend(
        *axis.get_legend_handles_labels(),
        loc="upper right",
        bbox_to_anchor=(0.99, 1.0 - 0.3 / _HEIGHT),
    )
    caption(
        figure,
        f"Path of the ball centre: {plan.job.name}",
        "Base frame, the three axes to the same scale." + _left_out(plan, drawn),
    )
    return figure


def _everything(plan: Plan, samples: Samples) -> Array:
    """All places to show. # (k, 3) [mm]."""
    placed = plan.placed
    return 1e3 * np.concatenate([samples.position, placed.contacts, placed.clearances])


def _frame(axis: Axes3D, places: Array) -> float:
    """Limit the axes to the places, with a margin and no direction squeezed flat; the size."""
    low, high = places.min(axis=0), places.max(axis=0)
    size = max(float(np.max(high - low)), 1.0)
    half = np.maximum(0.54 * (high - low), 0.15 * size)
    center = 0.5 * (low + high)
    axis.set_xlim3d(center[0] - half[0], center[0] + half[0])
    axis.set_ylim3d(center[1] - half[1], center[1] + half[1])
    axis.set_zlim3d(center[2] - half[2], center[2] + half[2])
    axis.set_box_aspect(tuple(half.tolist()), zoom=1.1)
    return size


def _draw_path(axis: Axes3D, plan: Plan, samples: Samples) -> None:
    """Probing lines and travels, each as one line with gaps."""
    if not len(samples.t):
        return
    travel = np.array([segment.kind is SegmentKind.TRAVEL for segment in plan.timeline])
    keep = _kept(samples)
    moving = travel[samples.segment[keep]]
    for (label, colour, width), inside in zip(_PATHS, (~moving, moving), strict=True):
        # the sample after a run belongs to it as well, so that neighbours touch
        drawn = inside | np.append(False, inside[:-1])
        path = np.where(drawn[:, None], 1e3 * samples.position[keep], np.nan)
        axis.plot(*path.T, color=colour, linewidth=_fineness(plan) * width, label=label)


def _kept(samples: Samples) -> Indices:
    """Samples that are drawn: evenly chosen, and all at the borders of segments."""
    count = len(samples.t)
    if count <= _DRAWN:
        return np.arange(count)
    even = np.linspace(0, count - 1, _DRAWN).astype(np.int64)
    borders = np.flatnonzero(np.diff(samples.segment))
    return np.asarray(np.unique(np.concatenate([even, borders, borders + 1])))


def _left_out(plan: Plan, drawn: DrawnSamples) -> str:
    if len(plan.planned_points) > _ARROWS:
        text = " Too many points for their names and normals."
    else:
        text = " Arrows are the outgoing normals."
    kept = len(_kept(drawn.samples))
    if kept < drawn.count:
        text += f" {kept} of {drawn.count} samples drawn, the extremes among them."
    return text


def _fineness(plan: Plan) -> float:
    """Width of lines and marks against those of a small job."""
    return float(np.sqrt(min(1.0, _CROWD / max(len(plan.planned_points), 1))))


def _draw_points(axis: Axes3D, plan: Plan, length: float) -> None:
    placed = plan.placed
    contacts = 1e3 * placed.contacts
    tips = length * placed.normals
    reached = np.array([point.reachable for point in plan.planned_points])
    if len(placed) <= _ARROWS:
        axis.quiver(
            *contacts.T, *tips.T, color=GREEN, linewidth=2 * _fineness(plan), arrow_length_ratio=0.4
        )
    kinds = (("contact", reached, "o", INK), ("not reached", ~reached, "X", ORANGE))
    for label, rows, marker, colour in kinds:
        if np.any(rows):
            axis.scatter(
                *contacts[rows].T,
                color=colour,
                s=16.0,
                marker=marker,
                label=label,
                depthshade=False,
            )
    if len(placed) > _NAMED:
        return
    for name, place in zip(placed.names, contacts, strict=True):
        axis.text(*place, f"{name}  ", fontsize=7.5, ha="right", va="center")
