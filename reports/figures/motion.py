"""Figures of a plan: every joint and the total power over time, the path of the ball in space."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from planner.errors import OptionError
from planner.motion.sampled_motion import sampled
from planner.plan import Plan, Samples, SegmentKind, Totals
from reports.drawn_samples import BUCKETS, DrawnSamples, decimated, drawn_samples, run_length
from reports.figures.style import (
    BLUE,
    FORMATS,
    GREEN,
    INK,
    KIND_COLOURS,
    LIMIT,
    LIMIT_DASHES,
    ORANGE,
    QUIET,
    WIDTH,
    caption,
    draw_limits,
    house_style,
    limit_text,
    rendered,
    write_limits,
)
from reports.tables import sampling_text
from robots.core.arrays import Array, Indices
from robots.core.rounding import balance

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D  # type: ignore[import-untyped]

_PANEL = 1.45  # [in]
_ABOVE, _BELOW = 0.75, 0.75  # [in]
_HEIGHT = 4.2  # [in]
_SHADED = 300  # more segments are narrower than the eye can follow
_NAMED = 24  # points that find room for their names
_TIP_PATH_HEIGHT = 5.8  # [in]
_DRAWN = 6000  # samples of the path at most
_TIP_PATH_NAMED = 40  # points that find room for their names
_ARROWS = 150  # and for their normals
_CROWD = 60  # more points are drawn finer
_NORMAL = 0.05  # length of a normal, as a part of the scene's size
_PATHS = (("probing line", BLUE, 1.5), ("travel", QUIET, 0.9))


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


def plan_figure(plan: Plan, name: str = "tip path") -> Figure:
    """Draw one figure of a plan, for whoever goes on with it.

    Args:
        plan: whose motion it is.
        name: "tip path", "total power", "joint position", "joint speed", "joint acceleration",
            "joint torque" or "joint power"; files of the report set have hyphens.

    Raises:
        OptionError: there is no such figure, or no motion to draw.
    """
    drawn = drawn_samples(sampled(plan))
    with house_style():
        known = dict(_figures(plan, drawn))
        wanted = name.strip().replace(" ", "-")
        if wanted not in known:
            close = get_close_matches(wanted, known, n=1, cutoff=0.5)
            names = ", ".join(repr(one.replace("-", " ")) for one in known)
            advice = f"did you mean {close[0].replace('-', ' ')!r}? There" if close else "there"
            raise OptionError(
                f"The plan has no figure {name!r}; {advice} are {names}.", value=name, known=names
            )
        return known[wanted]()


def _figures(plan: Plan, drawn: DrawnSamples) -> Iterator[tuple[str, Callable[[], Figure]]]:
    if plan.timeline:
        for quantity in quantities(plan, drawn.samples):
            yield quantity.name, partial(joint_figure, plan, drawn, quantity)
        if plan.job.mechanism.masses_known:
            yield "total-power", partial(total_power_figure, plan, drawn)
    yield "tip-path", partial(tip_path_figure, plan, drawn)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointCurve:
    """One quantity of all joints, for a figure.

    Args:
        name: of the file.
        title: of the figure.
        values: # (N, n)
        lower: limits, infinite where there are none. # (n,)
        upper: # (n,)
        units: of each joint.
    """

    name: str
    title: str
    values: Array
    lower: Array
    upper: Array
    units: tuple[str, ...]


def quantities(plan: Plan, samples: Samples) -> Iterator[JointCurve]:
    """The five quantities, in the units a reader expects; angles in degrees."""
    mechanism = plan.job.mechanism
    angular = np.array([joint.kind.angular for joint in mechanism.movable])
    scale = np.where(angular, 180.0 / np.pi, 1e3)
    none = np.full(mechanism.dof, np.inf)

    def quantity(
        name: str, title: str, values: Array, limits: Array, units: tuple[str, str]
    ) -> JointCurve:
        told = tuple(units[0] if turning else units[1] for turning in angular)
        return JointCurve(
            name=name, title=title, values=values, lower=-limits, upper=limits, units=told
        )

    yield JointCurve(
        name="joint-position",
        title="Joint positions",
        values=scale * samples.q,
        lower=scale * mechanism.q_min,
        upper=scale * mechanism.q_max,
        units=tuple("deg" if turning else "mm" for turning in angular),
    )
    yield quantity("joint-speed", "Joint speeds", samples.qd, mechanism.max_speed, ("rad/s", "m/s"))
    yield quantity(
        "joint-acceleration",
        "Joint accelerations",
        samples.qdd,
        mechanism.max_acceleration,
        ("rad/s²", "m/s²"),
    )
    if not mechanism.masses_known:
        return
    limits = plan.job.effort_limits
    yield quantity("joint-torque", "Joint torques", samples.tau, limits, ("N m", "N"))
    yield quantity("joint-power", "Joint powers", samples.tau * samples.qd, none, ("W", "W"))


def joint_figure(plan: Plan, drawn: DrawnSamples, shown: JointCurve) -> Figure:
    """One panel per joint, one above the other."""
    from matplotlib.figure import Figure

    count = shown.values.shape[1]
    height = count * _PANEL + _ABOVE + _BELOW
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.1, right=0.965, top=1 - _ABOVE / height, bottom=_BELOW / height, hspace=0.16
    )
    for joint, axis in enumerate(axes):
        _draw_joint(axis, plan, drawn.samples.t, shown, joint)
    name_points(axes[0], plan)
    limit_time(axes[-1], plan)
    kind_legend(figure, plan, limits=bool(np.any(np.isfinite(shown.upper))))
    figure.align_ylabels(list(axes))
    note = drawing_note(plan, drawn)
    caption(figure, f"{shown.title}: {plan.job.name}", note)
    return figure


def _draw_joint(axis: Axes, plan: Plan, t: Array, shown: JointCurve, joint: int) -> None:
    values = shown.values[:, joint]
    shade(axis, plan)
    curve = decimated(t, values)
    axis.plot(curve.t, curve.values, color=BLUE, linewidth=line_width(plan))
    name, unit = plan.joint_loads[joint].name, shown.units[joint]
    axis.set_ylabel(f"{name} [{unit}]")
    axis.margins(y=0.08)
    lower, upper = float(shown.lower[joint]), float(shown.upper[joint])
    draw_limits(axis, float(values.min()), float(values.max()), lower, upper)
    write_limits(axis, limit_text(lower, upper, unit))


def _exact_power(totals: Totals) -> str:
    if totals.energy is None or totals.net_work is None:
        return ""
    return (
        f"Exact: {totals.min_power:.5g} to {totals.peak_power:.5g} W, "
        f"energy delivered {totals.energy:.5g} J, "
        f"net work {balance(totals.net_work, totals.energy, 5):.5g} J. "
    )


def total_power_figure(plan: Plan, drawn: DrawnSamples) -> Figure:
    """Total power with its exact extremes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axis = figure.add_axes((0.1, 0.75 / _HEIGHT, 0.88, 1.0 - 1.5 / _HEIGHT))
    shade(axis, plan)
    curve = decimated(drawn.samples.t, drawn.samples.power)
    axis.fill_between(curve.t, 0.0, curve.values, color=BLUE, alpha=0.18, linewidth=0)
    axis.plot(curve.t, curve.values, color=BLUE, linewidth=line_width(plan))
    axis.axhline(0.0, color=QUIET, linewidth=0.8)
    axis.set_ylabel("total power [W]")
    axis.margins(y=0.1)
    name_points(axis, plan)
    limit_time(axis, plan)
    kind_legend(figure, plan)
    told = _exact_power(plan.totals) + drawing_note(plan, drawn)
    caption(figure, f"Total power: {plan.job.name}", told)
    return figure


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
    """Return whether segments are shaded."""
    return 0 < len(plan.timeline) <= _SHADED


def line_width(plan: Plan) -> float:
    """Width of a curve; finer where many segments crowd it. [pt]."""
    return 1.2 if shaded(plan) else 0.6


def name_points(axis: Axes, plan: Plan) -> None:
    """The name of each point above its instant of contact, where there is room."""
    probes = plan.contact_segments
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
    note = sampling_text(plan).capitalize()
    if run > 1:
        note += (
            f"; of every {run} samples the minimum and the maximum are drawn, so no peak is lost"
        )
    return f"{note}." if shaded(plan) else f"{note}. Segments are too narrow to be shaded."


def limit_time(axis: Axes, plan: Plan) -> None:
    """The whole motion and nothing else."""
    axis.set_xlim(0.0, float(np.nextafter(plan.totals.duration, np.inf)))
    axis.set_xlabel("time [s]")


def tip_path_figure(plan: Plan, drawn: DrawnSamples) -> Figure:
    """Path, points and normals in the base frame, all three axes to the same scale."""
    from matplotlib.figure import Figure

    samples = drawn.samples
    figure = Figure(figsize=(WIDTH, _TIP_PATH_HEIGHT))
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
        bbox_to_anchor=(0.99, 1.0 - 0.3 / _TIP_PATH_HEIGHT),
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
    if len(placed) > _TIP_PATH_NAMED:
        return
    for name, place in zip(placed.names, contacts, strict=True):
        axis.text(*place, f"{name}  ", fontsize=7.5, ha="right", va="center")
