"""Roundness plot: residuals of a round feature over the angle about its axis, magnified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parts.evaluation import FeatureResult
from parts.fits import FittedShape
from reports.evaluation.figures.views import magnification, view_along
from reports.evaluation.kept import kept_points
from reports.evaluation.shapes import axis_of, is_hole, place_of, size_of
from reports.figures.style import BLUE, GREEN, INK, ORANGE, WIDTH, caption
from reports.scene.labels import label
from robots.core.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes


_HEIGHT = 5.4  # [in]
_DRAWN = 0.3  # of the radius: how far the largest residual is drawn from the circle
_ALL = np.linspace(0.0, 2.0 * np.pi, 361)


def roundness_figure(one: FeatureResult) -> Figure:
    """The plot of a circle, a cylinder or a cone.

    Args:
        one: with a fit that has an axis.
    """
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

    fit = one.fit
    if fit is None:
        raise ValueError(f"{one.name!r} has no fit")
    angles = _angles(fit.shape, one.deviations.measured)
    heights = _heights(fit.shape, one.deviations.measured)
    factor, base = _scaled(heights)
    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axis = PolarAxes(figure, (0.06, 0.85 / _HEIGHT, 0.60, 1.0 - 1.45 / _HEIGHT))
    figure.add_axes(axis)
    order = np.argsort(angles, kind="stable")
    closed = np.append(order, order[0])
    axis.plot(_ALL, np.full_like(_ALL, base), color=INK, linewidth=1.0, label="least squares")
    axis.plot(
        np.append(angles[order], angles[order[0]] + 2 * np.pi),
        base + heights[closed],
        "-o",
        color=BLUE,
        markersize=3.5,
        linewidth=0.9,
        label="measured",
    )
    _draw_zone(axis, one, base)
    worst = int(np.argmax(np.abs(heights)))
    axis.annotate(
        label(one.deviations.names[worst], 16),
        (angles[worst], base + heights[worst]),
        xytext=(7, 7),
        textcoords="offset points",
        fontsize=7.5,
    )
    axis.set_ylim(0.0, base + 1.15 * max(float(np.abs(heights).max()), 1e-9))
    steps = np.array([-1.0, 0.0, 1.0]) * factor
    axis.set_yticks(base + steps, [f"{_signed(v)} µm" for v in steps])
    axis.set_rlabel_position(90.0)
    figure.legend(loc="upper left", bbox_to_anchor=(0.70, 0.84))
    caption(figure, f"Roundness: {label(one.name)}", _note(one))
    return figure


def _angles(shape: FittedShape, points: Array) -> Array:
    """Of points about the axis. # (k,) [rad]."""
    flat = view_along(axis_of(shape), place_of(shape)).flat(points)
    return np.asarray(np.arctan2(flat[:, 1], flat[:, 0]) % (2.0 * np.pi))


def _heights(shape: FittedShape, points: Array) -> Array:
    """Over the shape, away from the axis: as one sees a bore, too. # (k,) [µm]."""
    heights = 1e6 * np.asarray(shape.distance(points))
    return -heights if is_hole(shape) else heights


def _scaled(heights: Array) -> tuple[float, float]:
    """A round step for the scale, and the radius at which the circle is drawn. [µm]."""
    largest = max(float(np.abs(heights).max()), 1e-6)
    return magnification(1.0, largest), largest / _DRAWN


def _draw_zone(axis: PolarAxes, one: FeatureResult, base: float) -> None:
    """The two limits of a circle's minimum zone, and the points that hold a zone.

    A cylinder's zone may be tilted, so that no one section shows its limits.
    """
    zone, fit = one.zone, one.fit
    if zone is None or fit is None:
        return
    if fit.kind == "circle3d":
        across = view_along(axis_of(fit.shape), place_of(fit.shape))
        shift = 1e6 * across.flat(place_of(zone.geometry))
        radius = 1e6 * (size_of(zone.geometry, "radius") - size_of(fit.shape, "radius"))
        moved = shift[0] * np.cos(_ALL) + shift[1] * np.sin(_ALL)
        for sign, name in ((-1.0, "minimum zone"), (1.0, None)):
            height = base + radius + moved + sign * 1e6 * zone.width / 2.0
            axis.plot(_ALL, height, color=GREEN, linestyle="--", linewidth=1.1, label=name)
    held = kept_points(one)[zone.contacts]
    axis.plot(
        _angles(fit.shape, held),
        base + _heights(fit.shape, held),
        "s",
        markerfacecolor="none",
        markeredgecolor=ORANGE,
        markersize=8,
        label="points that hold the zone",
    )


def _note(one: FeatureResult) -> str:
    squares = "–" if one.form_error is None else f"{1e6 * one.form_error:.3g} µm"
    zone = "not sought" if one.zone_error is None else f"{1e6 * one.zone_error:.3g} µm"
    return (
        f"{len(one.deviations)} points about the axis; heights over the least-squares feature are "
        f"magnified. Form by least squares {squares}, by minimum zone {zone}."
    )


def _signed(value: float) -> str:
    return f"{value:+g}".replace("-", "−") if value else "0"
