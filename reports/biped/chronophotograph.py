"""The robot at chosen instants from three sides: a row per instant, as in Figure 28.

Source: [GASTEBOIS17] §2.5.12, Figure 28 (from the left, from above, from the front there; here the
side view is from the right, so that forward is to the right in it and in the view from above)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.biped.balance_figures import COM, FILL, POLYGON, ZMP
from reports.biped.ground_frames import ground_point
from reports.biped.instants import shown_rows
from reports.biped.shown_motion import ReportedMotion
from reports.biped.stick_figure import StickBar, bar_ends, stick_figure
from reports.biped.tables import verdict_words
from reports.content.numbers import signed
from reports.figures.style import INK, LIMIT, QUIET, WIDTH, caption
from robots.biped.posture.ground import Ground
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_VIEWS = (("from the right", 0, 2), ("from above", 0, 1), ("from the front", 1, 2))
_NAMES = ("x, forward [m]", "y, left [m]", "z, up [m]")
_WIDE, _HIGH = 1.85, 1.95  # of a view [in]
_LEFT, _BETWEEN, _GAP, _ABOVE, _BELOW = 1.2, 0.52, 0.14, 0.68, 1.0  # [in]
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
    height = len(rows) * (_HIGH + _GAP) + _ABOVE + _BELOW
    figure = Figure(figsize=(WIDTH, height))
    for line, row in enumerate(rows.tolist()):
        bottom = height - _ABOVE - (line + 1) * (_HIGH + _GAP) + _GAP
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
            _draw(axis, shown, row, view[1:])
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


def _draw(axis: Axes, shown: ReportedMotion, row: int, plane: tuple[int, int]) -> None:
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
