"""Figures of an evaluation and of an uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from parts.evaluation.results import FeatureResult
from parts.fits.fit_result import FittedShape
from reports.evaluation.colours import DeviationScale, deviation_scale, rounded_up
from reports.evaluation.subject import (
    EvaluationSubject,
    UncertaintySubject,
    axis_of,
    is_hole,
    magnification,
    place_of,
    size_of,
)
from reports.evaluation.tables import budget
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
    figure_files,
    write_beside,
)
from reports.visible_text import label
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

MOST_FEATURES = 24  # that are drawn: those with the largest deviations
_ROUND = ("circle3d", "cylinder", "cone")
_HEIGHT = 5.4  # [in]
_NAMED = 40  # points that find room for their names
_LARGEST, _SMALLEST = 110.0, 6.0  # marks [pt²]
_STEPS = 257
_APART = 0.02  # of the picture: marks nearer than this share their line of names
_ELLIPSOIDS_HEIGHT = 4.6  # [in]
_DRAWN = 0.07  # of the points' extent: the longest half axis
_ELLIPSOIDS_NAMED = 30
_MOST = 2000  # ellipses that are drawn
_VIEWS = (((0, 1), "x", "y", "from above"), ((0, 2), "x", "z", "from the side"))
_LOWEST, _HIGHEST = 2.6, 4.8  # of the picture [in]
_ROUND_IT = 1.0  # title and note [in]
_TALL = 0.22  # of the width: the longest whisker
_ASLANT = np.array([0.42, 0.34])  # where a step into the picture is drawn
_ALONG = 12  # places of a whisker that no name should cover
_ROUNDNESS_DRAWN = 0.3  # of the radius: how far the largest residual is drawn from the circle
_ALL = np.linspace(0.0, 2.0 * np.pi, 361)
_WHISKERS_HEIGHT = 3.6  # [in]
_WHISKERS_NAMED = 30
_HISTOGRAM_HEIGHT = 3.9  # [in]
_BARS = (12, 80)
_ROW, _FRAME = 0.3, 1.9  # heights [in]
_TORNADO_MOST = 20  # sources; the others are one
_NEAR = 0.9  # cosine: an axis of the part that is near enough


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFigure:
    """A figure that can be drawn.

    Args:
        key: name of its files, safe.
        title: for readers; may hold the name of a feature, untrusted.
        words: what is seen, for who does not see it.
        draw: makes it.
    """

    key: str
    title: str
    words: str
    draw: Callable[[], Figure]


def evaluation_drawings(shown: EvaluationSubject) -> tuple[EvaluationFigure, ...]:
    """Map of all deviations, then one figure per feature, then those of the uncertainty."""
    points = shown.evaluation.points
    worst = f"{1e3 * points.profile[points.worst]:.4f} mm at {points.names[points.worst]}"
    overview = EvaluationFigure(
        key="deviations",
        title="Deviations",
        words=f"{len(points)} points in the colours of their deviations, the largest {worst}.",
        draw=partial(deviation_map, shown),
    )
    more = () if shown.uncertainty is None else uncertainty_drawings(shown.uncertainty)
    return (overview, *_features(shown), *more)


def uncertainty_drawings(shown: UncertaintySubject) -> tuple[EvaluationFigure, ...]:
    """Ellipsoids, budget, draws; none where no point is reached."""
    return tuple(_of_uncertainty(shown)) if shown.points else ()


def rendered_drawings(drawings: Sequence[EvaluationFigure]) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG."""
    return figure_files((one.key, one.draw) for one in drawings)


def _of_uncertainty(shown: UncertaintySubject) -> Iterator[EvaluationFigure]:
    worst = shown.points[shown.worst]
    told = f"{1e6 * worst.sigma_normal:.3g} µm along the normal at {worst.name}"
    yield EvaluationFigure(
        key="ellipsoids",
        title="Uncertainty ellipsoids",
        words=f"Ellipsoids of one standard deviation on {len(shown.points)} points; {told}.",
        draw=partial(ellipsoid_figure, shown),
    )
    if worst.budget.names:
        yield EvaluationFigure(
            key="budget",
            title="Uncertainty budget",
            words=f"Sources by what they give alone, the largest is {worst.budget.largest}.",
            draw=partial(tornado_figure, shown),
        )
    if shown.draws is not None:
        yield EvaluationFigure(
            key="draws",
            title="Monte Carlo draws",
            words=f"Histogram of {shown.draws.samples} draws of {worst.name}; {told}.",
            draw=partial(histogram_figure, shown),
        )


def _features(shown: EvaluationSubject) -> Iterator[EvaluationFigure]:
    found = shown.evaluation.features
    far = [float(np.abs(one.deviations.profile).max(initial=0.0)) for one in found]
    chosen = sorted(np.argsort(-np.array(far), kind="stable")[:MOST_FEATURES].tolist())
    for number in chosen:
        one = found[number]
        limit = _limit(shown, one)
        what, draw = _figure(one, limit)
        yield EvaluationFigure(
            key=f"feature-{number + 1}",
            title=f"{what} of {one.name}",
            words=f"{what} of {one.name}: {len(one.deviations)} points, the largest deviation "
            f"{1e3 * far[number]:.4f} mm.",
            draw=draw,
        )


def _figure(one: FeatureResult, limit: float) -> tuple[str, Callable[[], Figure]]:
    """What shows a feature best."""
    if one.fit is not None and one.kind == "plane":
        return "Flatness", partial(flatness_figure, one)
    if one.fit is not None and one.kind in _ROUND:
        return "Roundness", partial(roundness_figure, one)
    return "Deviations", partial(whisker_figure, one, limit)


def _limit(shown: EvaluationSubject, one: FeatureResult) -> float:
    rows = shown.evaluation.points.rows_of(one.name)
    return float(shown.limits[rows[0]]) if rows.size else float("nan")


def deviation_map(shown: EvaluationSubject) -> Figure:
    """The map with its scale, on which the limits of the tolerances are marked."""
    from matplotlib.figure import Figure

    points, scale = shown.evaluation.points, deviation_scale(shown)
    view = main_view(points.nominal, points.normals)
    places = 1e3 * view.flat(points.nominal)
    colours = np.array(scale.hexadecimal(points.profile))
    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axis = figure.add_axes((0.09, 0.92 / _HEIGHT, 0.74, 1.0 - 1.4 / _HEIGHT))
    outside = shown.outside
    size = float(np.clip(6000.0 / max(len(points), 1), _SMALLEST, _LARGEST))
    for chosen, mark, edge in ((~outside, "o", 0.5), (outside, "X", 0.9)):
        axis.scatter(
            places[chosen, 0],
            places[chosen, 1],
            s=size * (1.0 if mark == "o" else 1.5),
            c=colours[chosen],
            marker=mark,
            edgecolors=INK,
            linewidths=edge,
            zorder=3,
        )
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.09)
    if len(points) <= _NAMED:
        named = _named_places(points.names, places)
        write_beside(axis, np.array([*named.values()]), [label(n, 60) for n in named], size=7.0)
    axis.set_xlabel(f"along {_direction(view.axes[0])}, from the middle [mm]")
    axis.set_ylabel(f"along {_direction(view.axes[1])} [mm]")
    _draw_scale(figure.add_axes((0.885, 0.9 / _HEIGHT, 0.022, 1.0 - 1.6 / _HEIGHT)), scale)
    note = (
        f"{len(points)} points, seen along {_direction(view.axes[2])} of the part. Blue: too "
        "little material; orange: too much. A cross lies outside its profile tolerance."
    )
    caption(figure, f"Deviations: {label(shown.job.name)}", note)
    return figure


def _named_places(names: tuple[str, ...], places: Array) -> dict[str, tuple[float, float]]:
    """Points by what is written beside them; those above each other share one line."""
    apart = _APART * float(np.ptp(places, axis=0).max(initial=0.0))
    shared: list[tuple[Array, list[str]]] = []
    for name, place in zip(names, places, strict=True):
        near = next((own for at, own in shared if np.linalg.norm(at - place) <= apart), None)
        if near is None:
            shared.append((place, near := []))
        near.append(label(name, 16))
    return {", ".join(own): (float(at[0]), float(at[1])) for at, own in shared}


def _draw_scale(axis: Axes, scale: DeviationScale) -> None:
    """The colours from one end to the other, with lines where tolerances end."""
    values = np.linspace(-scale.reach, scale.reach, _STEPS)
    picture = scale.colours(values)[:, None, :]
    reach = 1e3 * scale.reach
    axis.imshow(picture, origin="lower", aspect="auto", extent=(0.0, 1.0, -reach, reach))
    for limit in scale.limits[:3]:
        for sign in (-1.0, 1.0):
            axis.axhline(sign * 1e3 * limit, color=INK, linewidth=1.4)
            axis.text(-0.25, sign * 1e3 * limit, "limit", ha="right", va="center", fontsize=7)
    axis.set_xticks([])
    axis.yaxis.tick_right()
    axis.grid(visible=False)
    axis.set_title("mm", fontsize=8, fontweight="normal", color=QUIET)


def _direction(axis: np.ndarray) -> str:
    """A direction of the part by name where it has one."""
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) > 1.0 - 1e-6:
        return f"{'−' if axis[k] < 0 else '+'}{'xyz'[k]}"
    return "(" + ", ".join(f"{v:.2f}".replace("-", "−") for v in axis) + ")"


def ellipsoid_figure(shown: UncertaintySubject) -> Figure:
    """Ellipsoids of one standard deviation in two views, base frame."""
    from matplotlib.figure import Figure

    centres = 1e3 * shown.measuring.surfaces
    longest = max(float(np.linalg.norm(p.axes, axis=0).max()) for p in shown.points)
    extent = float(np.linalg.norm(np.ptp(centres, axis=0)))
    factor = magnification(1e3 * longest, _DRAWN * max(extent, 1.0))
    figure = Figure(figsize=(WIDTH, _ELLIPSOIDS_HEIGHT))
    for place, (pair, x, y, words) in enumerate(_VIEWS):
        axis = figure.add_axes(
            (0.08 + 0.5 * place, 0.85 / _ELLIPSOIDS_HEIGHT, 0.4, 1.0 - 1.6 / _ELLIPSOIDS_HEIGHT)
        )
        _draw(axis, shown, centres[:, pair], pair, factor)
        axis.set_title(words)
        axis.set_xlabel(f"{x} [mm]")
        axis.set_ylabel(f"{y} [mm]")
    note = (
        f"One standard deviation, drawn {factor:g} times as large as it is; base frame. The "
        f"longest half axis is {1e6 * longest:.3g} µm. Red: sigma along the normals."
    )
    caption(figure, f"Uncertainty ellipsoids: {label(shown.job.name)}", note)
    return figure


def _draw(
    axis: Axes, shown: UncertaintySubject, centres: Array, pair: tuple[int, int], factor: float
) -> None:
    from matplotlib.patches import Ellipse

    for k, point in enumerate(shown.points[:_MOST]):
        values, vectors = np.linalg.eigh(point.covariance[np.ix_(pair, pair)])
        halves = 1e3 * factor * np.sqrt(np.maximum(values, 0.0))
        turn = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
        size = (2.0 * float(halves[1]), 2.0 * float(halves[0]))
        axis.add_patch(
            Ellipse(tuple(centres[k]), *size, angle=turn, facecolor=f"{BLUE}40", edgecolor=BLUE)
        )
        out = shown.measuring.normals[k][list(pair)] * 1e3 * factor * point.sigma_normal
        axis.plot(*np.array([centres[k] - out, centres[k] + out]).T, color=ORANGE, linewidth=1.0)
    axis.scatter(centres[:, 0], centres[:, 1], s=4, color=INK, zorder=3)
    if len(shown.points) <= _ELLIPSOIDS_NAMED:
        for point, (x, y) in zip(shown.points, centres.tolist(), strict=True):
            axis.annotate(
                label(point.name, 12), (x, y), (5, 5), textcoords="offset points", fontsize=6.5
            )
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.12)


def flatness_figure(one: FeatureResult) -> Figure:
    """The whiskers of a plane.

    Args:
        one: with a fit.
    """
    from matplotlib.figure import Figure

    fit = one.fit
    if fit is None:
        raise ValueError(f"{one.name!r} has no fit")
    points = one.deviations.measured
    heights = np.asarray(fit.shape.distance(points))
    view = main_view(points, fit.shape.normal(points))
    flat = 1e3 * view.flat(points)
    factor = magnification(float(np.abs(heights).max()), _TALL * 1e-3 * float(np.ptp(flat[:, 0])))
    feet = _aslant(flat)
    tips = feet + np.stack([np.zeros(len(heights)), 1e3 * factor * heights], axis=-1)
    scale = DeviationScale(reach=rounded_up(max(float(np.abs(heights).max()), 1e-9)), limits=())
    height = _height(np.concatenate([tips, _plane(flat)]))
    figure = Figure(figsize=(WIDTH, height))
    axis = figure.add_axes((0.02, 0.55 / height, 0.96, 1.0 - _ROUND_IT / height))
    axis.fill(*_plane(flat).T, color=QUIET, alpha=0.12, linewidth=0.8)
    colours = scale.hexadecimal(heights)
    for foot, tip, colour in zip(feet, tips, colours, strict=True):
        axis.plot(*np.array([foot, tip]).T, color=INK, linewidth=3.0, solid_capstyle="butt")
        axis.plot(*np.array([foot, tip]).T, color=colour, linewidth=2.0, solid_capstyle="butt")
    axis.scatter(tips[:, 0], tips[:, 1], s=26, c=colours, edgecolors=INK, linewidths=0.6, zorder=4)
    _mark_contacts(axis, one, tips)
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.08)
    axis.set_axis_off()
    if len(points) <= _NAMED:
        whiskers = np.concatenate(np.linspace(feet, tips, _ALONG))
        write_beside(axis, tips, _names(one, heights), size=6.5, others=whiskers)
    caption(figure, f"Flatness: {label(one.name)}", _note(one, factor))
    return figure


def _aslant(flat: Array) -> Array:
    """Places of the plane in the slanted picture. # (k, 2) -> (k, 2) [mm]."""
    return np.stack([flat[:, 0] + _ASLANT[0] * flat[:, 1], _ASLANT[1] * flat[:, 1]], axis=-1)


def _plane(flat: Array) -> Array:
    """Corners of the plane as it is drawn. # (4, 2) [mm]."""
    low, high = flat.min(axis=0), flat.max(axis=0)
    return _aslant(np.array([low, (high[0], low[1]), high, (low[0], high[1])]))


def _height(drawn: Array) -> float:
    """Height of a picture that what is drawn fills. [in]."""
    wide, tall = np.ptp(drawn, axis=0)
    needed = 1.25 * WIDTH * tall / max(wide, 1e-9) + _ROUND_IT
    return float(np.clip(needed, _LOWEST, _HIGHEST))


def _names(one: FeatureResult, heights: Array) -> list[str]:
    """What is written beside the points: name and height. [µm]."""
    return [
        f"{label(name, 12)} {1e6 * height:+.3g}".replace("-", "−")
        for name, height in zip(one.deviations.names, heights.tolist(), strict=True)
    ]


def _mark_contacts(axis: Axes, one: FeatureResult, tips: Array) -> None:
    """Squares around the points that hold the minimum zone."""
    if one.zone is None:
        return
    x, y = tips[kept_rows(one)][one.zone.contacts].T
    axis.scatter(x, y, s=90, marker="s", facecolors="none", edgecolors=GREEN, zorder=5)


def _note(one: FeatureResult, factor: float) -> str:
    squares = "–" if one.form_error is None else f"{1e6 * one.form_error:.3g} µm"
    zone = "not sought" if one.zone_error is None else f"{1e6 * one.zone_error:.3g} µm"
    return (
        f"Heights over the least-squares plane in µm, drawn {factor:g} times as long as they are. "
        f"Form by least squares {squares}, by minimum zone {zone}; green squares hold the zone."
    )


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
    caption(figure, f"Roundness: {label(one.name)}", _roundness_note(one))
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
    return magnification(1.0, largest), largest / _ROUNDNESS_DRAWN


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


def _roundness_note(one: FeatureResult) -> str:
    squares = "–" if one.form_error is None else f"{1e6 * one.form_error:.3g} µm"
    zone = "not sought" if one.zone_error is None else f"{1e6 * one.zone_error:.3g} µm"
    return (
        f"{len(one.deviations)} points about the axis; heights over the least-squares feature are "
        f"magnified. Form by least squares {squares}, by minimum zone {zone}."
    )


def _signed(value: float) -> str:
    return f"{value:+g}".replace("-", "−") if value else "0"


def whisker_figure(one: FeatureResult, limit: float) -> Figure:
    """The deviations of any feature.

    Args:
        one: the feature.
        limit: largest deviation that its profile tolerance leaves; NaN without. [m]
    """
    from matplotlib.figure import Figure

    values = 1e3 * one.deviations.profile
    places = np.arange(len(values))
    figure = Figure(figsize=(WIDTH, _WHISKERS_HEIGHT))
    axis = figure.add_axes((0.1, 0.95 / _WHISKERS_HEIGHT, 0.88, 1.0 - 1.45 / _WHISKERS_HEIGHT))
    with np.errstate(invalid="ignore"):
        outside = np.abs(values) > 1e3 * limit
    axis.vlines(places, 0.0, values, color=QUIET, linewidth=0.8)
    for chosen, mark, colour in ((~outside, "o", BLUE), (outside, "X", ORANGE)):
        axis.plot(places[chosen], values[chosen], mark, color=colour, markersize=5)
    axis.axhline(0.0, color=QUIET, linewidth=0.8)
    if np.isfinite(limit):
        for sign in (-1.0, 1.0):
            axis.axhline(sign * 1e3 * limit, color=LIMIT, linestyle=LIMIT_DASHES, linewidth=1.1)
    if len(values) <= _WHISKERS_NAMED:
        names = [label(name, 10) for name in one.deviations.names]
        axis.set_xticks(places, names, rotation=45 if max(map(len, names)) > 4 else 0)
    axis.set_ylabel("deviation [mm]")
    told = f"Limits ±{1e3 * limit:g} mm." if np.isfinite(limit) else "No profile tolerance."
    note = f"{len(values)} points in the order of the job; positive out of the material. {told}"
    caption(figure, f"Deviations: {label(one.name)}", note)
    return figure


def histogram_figure(shown: UncertaintySubject) -> Figure:
    """The draws along the normal.

    Args:
        shown: with draws.
    """
    from matplotlib.figure import Figure

    if shown.draws is None:
        raise ValueError("there are no draws")
    point, along = shown.points[shown.worst], 1e6 * shown.draws.along
    bars = int(np.clip(np.sqrt(len(along)) / 2.0, *_BARS))
    figure = Figure(figsize=(WIDTH, _HISTOGRAM_HEIGHT))
    axis = figure.add_axes((0.1, 0.95 / _HISTOGRAM_HEIGHT, 0.88, 1.0 - 1.5 / _HISTOGRAM_HEIGHT))
    axis.hist(along, bins=bars, density=True, color=BLUE, alpha=0.55, label="draws")
    sigma = 1e6 * point.sigma_first_order
    if sigma > 0.0:
        x = np.linspace(min(along.min(), -4 * sigma), max(along.max(), 4 * sigma), 400)
        curve = np.exp(-0.5 * (x / sigma) ** 2) / (sigma * np.sqrt(2.0 * np.pi))
        axis.plot(x, curve, color=INK, label="first order")
    for number, end in enumerate(shown.draws.interval):
        name = f"{100.0 * point.coverage:g} % interval" if number == 0 else None
        axis.axvline(1e6 * end, color=LIMIT, linestyle=LIMIT_DASHES, label=name)
    axis.set_xlabel("deviation along the normal, measured less true [µm]")
    axis.set_ylabel("density [1/µm]")
    axis.legend(loc="upper right")
    low, high = (1e6 * end for end in shown.draws.interval)
    note = (
        f"{len(along):,} draws; standard deviation {1e6 * shown.draws.sigma_normal:.4g} µm, to "
        f"first order {sigma:.4g} µm; interval {low:.4g} to {high:.4g} µm."
    )
    caption(figure, f"Monte Carlo draws: {label(point.name)}", note.replace("-", "−"))
    return figure


def tornado_figure(shown: UncertaintySubject) -> Figure:
    """What every source alone would give, along the normal."""
    from matplotlib.figure import Figure

    names, variances = budget(shown)
    order = np.argsort(-variances.sum(axis=1), kind="stable")
    kept, rest = order[:_TORNADO_MOST], order[_TORNADO_MOST:]
    rows = [variances[k] for k in kept] + ([variances[rest].sum(axis=0)] if rest.size else [])
    labels = [names[k] for k in kept] + (["all others"] if rest.size else [])
    everywhere = 1e6 * np.sqrt([row.mean() for row in rows])
    there = 1e6 * np.sqrt([row[shown.worst] for row in rows])
    height = _FRAME + _ROW * len(rows)
    figure = Figure(figsize=(WIDTH, height))
    axis = figure.add_axes((0.2, 1.0 / height, 0.76, (height - 1.55) / height))
    places = np.arange(len(rows))
    worst = shown.points[shown.worst]
    at_worst = f"worst point {label(worst.name, 16)}"
    axis.barh(places - 0.19, everywhere, 0.34, color=BLUE, label="all points (rms)")
    axis.barh(places + 0.19, there, 0.34, color=ORANGE, hatch="//", edgecolor="w", label=at_worst)
    share = 100.0 * np.array([row[shown.worst] for row in rows]) / (worst.budget.total or 1.0)
    for place, length, part in zip(places, np.maximum(everywhere, there), share, strict=True):
        axis.text(length, float(place), f"  {part:.1f} %", va="center", fontsize=7.5, color=QUIET)
    axis.set_yticks(places, labels)
    axis.invert_yaxis()
    axis.margins(x=0.12)
    axis.set_xlabel("standard deviation along the normal [µm]")
    axis.legend(loc="lower right")
    note = (
        "To first order: what each source would give alone. Per cent: share of the variance at the "
        f"worst point, whose standard deviation is {1e6 * worst.sigma_first_order:.3g} µm."
    )
    caption(figure, f"Uncertainty budget: {label(shown.job.name)}", note)
    return figure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawingPlane:
    """A plane to draw on.

    Args:
        origin: middle of the points. # (3,) [m]
        axes: across, up, and towards the reader. # (3, 3) rows, unit
    """

    origin: Array
    axes: Array

    def flat(self, points: Array) -> Array:
        """Where points are drawn. # (..., 3) -> (..., 2) [m]."""
        return np.asarray((points - self.origin) @ self.axes[:2].T)


def main_view(points: Array, outward: Array | None = None) -> DrawingPlane:
    """The view in which points are spread widest; along an axis of the part where one is near.

    Args:
        points: # (k, 3) [m]
        outward: directions that should come towards the reader. # (k, 3)
    """
    origin = points.mean(axis=0)
    _, _, rows = np.linalg.svd(points - origin, full_matrices=True)
    across, toward = _views_signed(rows[0]), _views_signed(rows[2])
    near = int(np.argmax(np.abs(toward)))
    if abs(toward[near]) > _NEAR:
        across, toward = np.eye(3)[(near + 1) % 3], np.eye(3)[near]
        if abs(rows[0] @ across) < abs(rows[0, (near + 2) % 3]):
            across = np.eye(3)[(near + 2) % 3]
    if outward is not None and float(np.sum(outward @ toward)) < 0.0:
        toward = -toward
    return DrawingPlane(origin=origin, axes=np.array([across, np.cross(toward, across), toward]))


def view_along(toward: Array, origin: Array) -> DrawingPlane:
    """The view along a direction. Args: toward, unit, to the reader. # (3,); origin # (3,) [m]."""
    helper = np.eye(3)[int(np.argmin(np.abs(toward)))]
    across = np.cross(helper, toward)
    across /= np.linalg.norm(across)
    return DrawingPlane(origin=origin, axes=np.array([across, np.cross(toward, across), toward]))


def _views_signed(direction: Array) -> Array:
    """One of two opposite directions: the one whose largest component is above zero."""
    largest = int(np.argmax(np.abs(direction) > np.abs(direction).max() - 1e-9))
    return np.asarray(direction if direction[largest] > 0.0 else -direction)


def kept_rows(one: FeatureResult) -> Indices:
    """Rows of its deviations, without those that were dropped. # (k,)."""
    return np.flatnonzero([name not in one.dropped for name in one.deviations.names])


def kept_points(one: FeatureResult) -> Array:
    """These points as they were measured. # (k, 3) [m]."""
    return np.asarray(one.deviations.measured[kept_rows(one)])
