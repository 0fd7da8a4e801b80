"""Where the robot stands: both points in the support polygon from above, and the margin in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.biped.instants import polygon_rows
from reports.biped.shown_motion import ReportedMotion
from reports.biped.tables import verdict_words
from reports.figures.decimation import decimated
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
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COM, ZMP, POLYGON, FILL = BLUE, ORANGE, GREEN, "#e6f4ee"
_OUTLINES = 24
_LEAST, _MOST = 2.2, 6.0  # height of the view from above [in]
_ABOVE, _BELOW = 0.5, 0.85  # [in]
_PANEL = 1.5  # [in]
_ZMP_WIDTH = 3.2  # [pt] it is seen beneath the centre of mass where both go the same way


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
