"""Figures of a biped's motion: balance, joints and motors over time, chosen instants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reports.biped.motion import JointQuantity, ReportedMotion, quantities, verdict_words
from reports.biped.stick_figure import StickBar, bar_ends, ground_point, stick_figure
from reports.content.table import signed, told
from reports.drawn_samples import decimated
from reports.figures.style import (
    BLUE,
    GREEN,
    INK,
    LIMIT,
    LIMIT_DASHES,
    ORANGE,
    QUIET,
    WIDTH,
    caption,
    draw_limits,
    figure_files,
)
from robots.biped.motion import BipedMotion
from robots.biped.posture.ground import Ground
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COM, ZMP, POLYGON, FILL = BLUE, ORANGE, GREEN, "#e6f4ee"
_OUTLINES = 24
_LEAST, _MOST = 2.2, 6.0  # height of the view from above [in]
_ABOVE, _BELOW = 0.5, 0.85  # [in]
_PANEL = 1.5  # [in]
_ZMP_WIDTH = 3.2  # [pt] it is seen beneath the centre of mass where both go the same way
_JOINT_FIGURES_PANEL = 1.15  # [in]
_JOINT_FIGURES_ABOVE, _JOINT_FIGURES_BELOW = 0.5, 0.75  # [in]
_ONE_COLUMN = 6  # more panels than this stand in two columns
_EVEN = 5
_NEW = 2e-3  # [m]; a polygon that moved by less is drawn once
_INSTANTS_NEAR = 0.1  # of the duration; two rows nearer than this are one


def draw_figures(shown: ReportedMotion) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG."""
    return figure_files(_figures(shown))


def _figures(shown: ReportedMotion) -> Iterator[tuple[str, Callable[[], Figure]]]:
    yield "balance", partial(polygon_figure, shown)
    yield "margin", partial(margin_figure, shown)
    yield "chronophotograph", partial(chronophotograph, shown)
    for quantity in quantities(shown):
        yield quantity.key, partial(quantity_figure, shown, quantity)


def polygon_figure(shown: ReportedMotion) -> Figure:
    """Support polygon, centre of mass and zero-moment point, seen from above; x to the right."""
    from matplotlib.figure import Figure

    motion = shown.motion
    rows = polygon_rows(motion, _OUTLINES)
    everything = np.concatenate(
        [*(motion.support[k] for k in rows.tolist()), motion.com[:, :2], motion.zmp[:, :2]]
    )
    across, deep = np.nanmax(everything, axis=0) - np.nanmin(everything, axis=0)
    view = float(np.clip(0.85 * WIDTH * deep / across, _LEAST, _MOST))
    height = view + _ABOVE + _BELOW + 0.15
    figure = Figure(figsize=(WIDTH, height))
    axis = figure.add_axes((0.09, _BELOW / height, 0.89, view / height))
    for number, row in enumerate(rows.tolist()):
        corners = motion.support[row]
        axis.fill(*corners.T, facecolor=FILL, edgecolor="none", zorder=0.5)
        label = "support polygon" if number == 0 else None
        axis.plot(*np.vstack([corners, corners[:1]]).T, color=POLYGON, linewidth=0.9, label=label)
    axis.plot(*motion.zmp[:, :2].T, color=ZMP, linewidth=_ZMP_WIDTH, label="zero-moment point")
    axis.plot(*motion.com[:, :2].T, color=COM, linewidth=1.6, label="centre of mass")
    axis.plot(*motion.com[0, :2], color=COM, marker="o", markersize=5.0, linestyle="none")
    _mark_tipping(axis, shown)
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.06)
    axis.set_xlabel("x, forward [m]")
    axis.set_ylabel("y, left [m]")
    figure.legend(
        loc="upper right", ncols=4, bbox_to_anchor=(0.985, 1 - 0.28 / height), columnspacing=1.2
    )
    note = f"{verdict_words(shown)} Seen from above, along gravity; the dot is the start."
    caption(figure, f"Balance: {motion.title}", note)
    return figure


def margin_figure(shown: ReportedMotion) -> Figure:
    """Margin, and both points beside the polygon's extent, over time; the ground's tilt too."""
    from matplotlib.figure import Figure

    motion = shown.motion
    tilts = bool(np.any(motion.ground))
    count = 4 if tilts else 3
    height = count * _PANEL + _ABOVE + _BELOW
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(count, 1, sharex=True)
    figure.subplots_adjust(
        left=0.105, right=0.84, top=1 - _ABOVE / height, bottom=_BELOW / height, hspace=0.16
    )
    _draw_margin(axes[0], shown)
    for k, axis in enumerate(axes[1:3]):
        _draw_places(axis, shown, k)
    if tilts:
        for k, name in enumerate(("α, roll", "β, pitch")):
            angle = np.degrees(motion.ground[:, k])
            axes[3].plot(motion.t, angle, color=(COM, ZMP)[k], label=name)
        axes[3].set_ylabel("ground [deg]")
    for axis in axes[1:]:
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes[-1].set_xlim(motion.t[0], motion.t[-1])
    axes[-1].set_xlabel("time [s]")
    figure.align_ylabels(list(axes))
    note = f"{verdict_words(shown)} Bands: extent of the support polygon along the axis."
    caption(figure, f"Stability margin: {motion.title}", note)
    return figure


def _draw_margin(axis: Axes, shown: ReportedMotion) -> None:
    motion = shown.motion
    curve = decimated(motion.t, 1e3 * np.nan_to_num(shown.margin))
    axis.plot(curve.t, curve.values, color=COM)
    axis.axhline(0.0, color=LIMIT, linewidth=1.0, linestyle=LIMIT_DASHES)
    low = np.minimum(curve.values, 0.0)
    axis.fill_between(curve.t, low, 0.0, color=LIMIT, alpha=0.3, linewidth=0.0)
    axis.set_ylabel("margin [mm]")
    verdict = motion.verdict
    if np.isfinite(verdict.time):
        axis.axvline(verdict.time, color=QUIET, linewidth=0.8)
        text = f"{verdict.stance.value}\n{verdict.edge}\n{verdict.time:.3f} s"
        axis.text(1.015, 0.5, text, transform=axis.transAxes, va="center", fontsize=8.0)


def _draw_places(axis: Axes, shown: ReportedMotion, k: int) -> None:
    motion = shown.motion
    low, high = (
        np.array([reach(corners[:, k]) for corners in motion.support]) for reach in (np.min, np.max)
    )
    axis.fill_between(motion.t, low, high, color=FILL, linewidth=0.0, zorder=0.5)
    for edge in (low, high):
        axis.plot(motion.t, edge, color=POLYGON, linewidth=0.8)
    for name, values, colour in (("ZMP", motion.zmp, ZMP), ("COM", motion.com, COM)):
        curve = decimated(motion.t, values[:, k])
        axis.plot(curve.t, curve.values, color=colour, label=name)
    axis.set_ylabel(f"{'xy'[k]} [m]")


def _mark_tipping(axis: Axes, shown: ReportedMotion) -> None:
    verdict, motion = shown.motion.verdict, shown.motion
    if not np.isfinite(verdict.time):
        return
    row = int(np.abs(motion.t - verdict.time).argmin())
    label = f"{verdict.stance.value} at {verdict.time:.2f} s"
    axis.plot(
        *motion.com[row, :2], color=INK, marker="x", markersize=8.0, linestyle="none", label=label
    )


def quantity_figure(shown: ReportedMotion, quantity: JointQuantity) -> Figure:
    """One panel per joint or motor."""
    from matplotlib.figure import Figure

    count = len(quantity.names)
    columns = 1 if count <= _ONE_COLUMN else 2
    lines = -(-count // columns)
    height = lines * _JOINT_FIGURES_PANEL + _JOINT_FIGURES_ABOVE + _JOINT_FIGURES_BELOW
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(lines, columns, sharex=True, squeeze=False).T.ravel()
    top, bottom = 1 - _JOINT_FIGURES_ABOVE / height, _JOINT_FIGURES_BELOW / height
    figure.subplots_adjust(0.105, bottom, 0.965, top, hspace=0.2, wspace=0.34)
    for k, axis in enumerate(axes[:count]):
        _draw(axis, shown, quantity, k)
    for axis in axes[count:]:
        axis.remove()
    for axis in axes[[k for k in range(count) if k % lines == lines - 1 or k == count - 1]]:
        axis.set_xlabel("time [s]")
        axis.tick_params(labelbottom=True)
    figure.align_ylabels(list(axes[:count]))
    low, high = float(np.nanmin(quantity.values)), float(np.nanmax(quantity.values))
    note = f"{shown.motion.biped.name}. All: {told(low, 6)} to {told(high, 6)} {quantity.unit}."
    caption(figure, f"{quantity.title}: {shown.motion.title}", note)
    return figure


def _draw(axis: Axes, shown: ReportedMotion, quantity: JointQuantity, k: int) -> None:
    values, unit = quantity.values[:, k], quantity.unit
    known = np.isfinite(values)
    lower, upper = float(quantity.lower[k]), float(quantity.upper[k])
    axis.set_ylabel(f"{quantity.names[k]}\n[{unit}]", fontsize=8.0)
    axis.set_xlim(shown.motion.t[0], shown.motion.t[-1])
    if not known.any():
        return
    curve = decimated(shown.motion.t[known], values[known])
    axis.plot(curve.t, curve.values, color=BLUE)
    axis.margins(y=0.08)
    low, high = float(curve.values.min()), float(curve.values.max())
    draw_limits(axis, low, high, lower, upper)
    broken = low < lower or high > upper
    if broken:
        inside = np.clip(curve.values, lower, upper)
        axis.fill_between(
            curve.t, curve.values, inside, color=LIMIT, alpha=0.3, linewidth=0.0, zorder=1.5
        )
    axis.text(
        *(1.01, 0.5, _limits(lower, upper, unit)),
        transform=axis.transAxes,
        rotation=90.0,
        va="center",
        fontsize=6.5,
        color=LIMIT if broken else QUIET,
    )


def _limits(lower: float, upper: float, unit: str) -> str:
    if np.isinf(lower) and np.isinf(upper):
        return "no limit"
    if lower == -upper:
        return f"±{upper:.4g} {unit}"
    return f"{lower:.4g} to {upper:.4g} {unit}"


# -------------------------------------------------------------------------------- Chronophotograph
# Source: [GASTEBOIS17] §2.5.12, Figure 28 (from the left, from above, from the front there; here
# the side view is from the right, so that forward is to the right in it and in the view from above)

_VIEWS = (("from the right", 0, 2), ("from above", 0, 1), ("from the front", 1, 2))
_NAMES = ("x, forward [m]", "y, left [m]", "z, up [m]")
_WIDE, _HIGH = 1.85, 1.95  # of a view [in]
_LEFT, _BETWEEN, _GAP = 1.2, 0.52, 0.14  # [in]
_CHRONOPHOTOGRAPH_ABOVE, _CHRONOPHOTOGRAPH_BELOW = 0.68, 1.0  # [in]
_NOTE = "Below each instant its margin. The view from above has a scale of its own."
_ROOM = 0.06  # [m]
_WALL = (0.0, (3.0, 2.0))


def chronophotograph(shown: ReportedMotion) -> Figure:
    """Three views of every instant, all in one scale."""
    from matplotlib.figure import Figure

    motion = shown.motion
    rows = shown_rows(motion)
    bars = stick_figure(motion.biped)
    ends = bar_ends(motion, rows, bars)
    box = _box(shown, rows, ends)
    height = len(rows) * (_HIGH + _GAP) + _CHRONOPHOTOGRAPH_ABOVE + _CHRONOPHOTOGRAPH_BELOW
    figure = Figure(figsize=(WIDTH, height))
    for line, row in enumerate(rows.tolist()):
        bottom = height - _CHRONOPHOTOGRAPH_ABOVE - (line + 1) * (_HIGH + _GAP) + _GAP
        axes = [
            figure.add_axes(
                (
                    *((_LEFT + column * (_WIDE + _BETWEEN)) / WIDTH, bottom / height),
                    *(_WIDE / WIDTH, _HIGH / height),
                )
            )
            for column in range(3)
        ]
        for view, axis in zip(_VIEWS, axes, strict=True):
            _chronophotograph_draw(axis, shown, row, view[1:])
            _draw_bars(axis, bars, ends[line][..., list(view[1:])])
            _fit(axis, box, view[1:])
            _label(axis, view, first=line == 0, last=line == len(rows) - 1)
        _tell_time(figure, shown, row, (bottom + 0.5 * _HIGH) / height)
    _legend(figure, height)
    note = f"{verdict_words(shown)} {_NOTE}"
    caption(figure, f"Postures: {motion.title}", note)
    return figure


def _box(shown: ReportedMotion, rows: Indices, ends: Array) -> Array:
    """Least and greatest corner of all that is drawn. # (2, 3) [m]."""
    motion = shown.motion
    flat = np.concatenate([motion.support[k] for k in rows.tolist()])
    ground = np.column_stack([flat, np.full(len(flat), np.nan)])
    places = np.concatenate([ends.reshape(-1, 3), motion.com[rows], motion.zmp[rows], ground])
    return np.stack([np.nanmin(places, axis=0) - _ROOM, np.nanmax(places, axis=0) + _ROOM])


def _chronophotograph_draw(
    axis: Axes, shown: ReportedMotion, row: int, plane: tuple[int, int]
) -> None:
    """Ground, polygon or its walls, and both points."""
    motion = shown.motion
    across, up = plane
    corners = motion.support[row]
    if up == 1:
        axis.fill(*corners.T, facecolor=FILL, edgecolor=POLYGON, linewidth=0.9, zorder=0.8)
    else:
        _draw_ground(axis, shown, row, across)
        for wall in (corners[:, across].min(), corners[:, across].max()):
            axis.axvline(wall, color=POLYGON, linewidth=0.9, linestyle=_WALL)
    com, zmp = motion.com[row], motion.zmp[row]
    axis.plot([com[across], zmp[across]], [com[up], zmp[up]], color=QUIET, linewidth=0.7)
    axis.plot(zmp[across], zmp[up], color=ZMP, marker="D", markersize=3.5, zorder=4)
    axis.plot(com[across], com[up], color=COM, marker="o", markersize=5.0, zorder=4)


def _draw_ground(axis: Axes, shown: ReportedMotion, row: int, across: int) -> None:
    """The line in which the ground meets the vertical plane through the zero-moment point."""
    alpha, beta = shown.motion.ground[row].tolist()
    ground = Ground(alpha=alpha, beta=beta, point=ground_point(shown.motion))
    middle = np.nan_to_num(shown.motion.zmp[row, :2])
    sides = np.array([middle, middle])
    sides[:, across] += (-10.0, 10.0)
    line = ground.below(sides)
    axis.plot(line[:, across], line[:, 2], color=QUIET, linewidth=1.0, scalex=False, scaley=False)


def _draw_bars(axis: Axes, bars: tuple[StickBar, ...], ends: Array) -> None:
    for bar, piece in zip(bars, ends, strict=True):
        colour, width = (QUIET, 1.2) if bar.sole else (INK, 2.0)
        axis.plot(*piece.T, color=colour, linewidth=width, solid_capstyle="round", zorder=2)


def _fit(axis: Axes, box: Array, plane: tuple[int, int]) -> None:
    """The same window in every row; the views from the side and from the front have one scale."""
    x, y, z = (box[1] - box[0]).tolist()
    level = max(x / _WIDE, y / _HIGH)
    upright = max(x / _WIDE, y / _WIDE, z / _HIGH)
    scale = level if plane[1] == 1 else upright  # [m/in]
    middle = box.mean(axis=0)[list(plane)]
    half = 0.5 * scale * np.array([_WIDE, _HIGH])
    axis.set_xlim(*(middle[0] + half[0] * np.array([-1.0, 1.0])).tolist())
    axis.set_ylim(*(middle[1] + half[1] * np.array([-1.0, 1.0])).tolist())


def _label(axis: Axes, view: tuple[str, int, int], *, first: bool, last: bool) -> None:
    """Names of the axes; across only below the last row."""
    name, across, up = view
    axis.set_ylabel(_NAMES[up], fontsize=7.0)
    axis.tick_params(labelsize=6.5, labelbottom=last)
    if first:
        axis.set_title(name, fontsize=9.0)
    if last:
        axis.set_xlabel(_NAMES[across], fontsize=7.0)


def _tell_time(figure: Figure, shown: ReportedMotion, row: int, middle: float) -> None:
    motion = shown.motion
    margin = 1e3 * float(shown.margin[row])
    colour = LIMIT if margin < 0.0 else INK
    figure.text(
        *(0.012, middle, f"{motion.t[row]:.2f} s"),
        va="bottom",
        fontsize=9.0,
        fontweight="bold",
        color=colour,
    )
    figure.text(
        0.012, middle, f"{signed(f'{margin:.0f}')} mm", va="top", fontsize=7.5, color=colour
    )


def _legend(figure: Figure, height: float) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=COM, marker="o", markersize=5.0, linestyle="none"),
        Line2D([], [], color=ZMP, marker="D", markersize=3.5, linestyle="none"),
        Line2D([], [], color=POLYGON, linewidth=0.9, linestyle=_WALL),
        Line2D([], [], color=QUIET, linewidth=1.0),
    ]
    words = ("centre of mass", "zero-moment point", "support polygon, its walls", "ground")
    place = (0.5, 0.3 / height)
    figure.legend(handles, words, loc="lower center", ncols=4, bbox_to_anchor=place)


def shown_rows(motion: BipedMotion) -> Indices:
    """Rows of even instants, with the one where the robot tips, or else of the least margin."""
    t = motion.t
    even = np.linspace(t[0], t[-1], _EVEN)
    time = motion.verdict.time
    if not np.isfinite(time):
        time = float(t[int(np.nanargmin(motion.margin))])
    apart = np.abs(even - time) > _INSTANTS_NEAR * (t[-1] - t[0])
    instants = np.sort(np.append(even[apart], time))
    rows = [int(np.abs(t - instant).argmin()) for instant in instants]
    return np.unique(np.array(rows, dtype=np.int64))


def polygon_rows(motion: BipedMotion, most: int) -> Indices:
    """First rows of each new support polygon, thinned evenly where they are too many."""
    new = [0]
    for row, corners in enumerate(motion.support):
        last = motion.support[new[-1]]
        if corners.shape != last.shape or np.abs(corners - last).max() > _NEW:
            new.append(row)
    if len(new) > most:
        new = [new[k] for k in np.linspace(0, len(new) - 1, most).round().astype(int)]
    return np.array(new, dtype=np.int64)
