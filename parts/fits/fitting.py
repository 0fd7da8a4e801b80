"""Least-squares fits by name of the feature, and outliers found by robust fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import FitError
from parts.fits.circle_sphere import FlatCircleModel, SphereModel, space_circle
from parts.fits.curves import FlatCircle
from parts.fits.cylinder_cone_torus import ConeModel, CylinderModel, TorusModel
from parts.fits.fit_result import Fit, shape_of_kind
from parts.fits.least_squares import (
    FeatureModel,
    FeatureState,
    ResidualRows,
    minimise,
    sampled,
    triangle_of,
)
from parts.fits.line_plane import FlatLineModel, PlaneModel, SpaceLineModel
from parts.fits.solver import Cloud, Options, cloud_of, search, solve
from parts.geometry.surfaces import Plane, across
from robots.core.arrays import Array

FIT_KINDS = (
    "line2d",
    "line3d",
    "plane",
    "circle2d",
    "circle3d",
    "sphere",
    "cylinder",
    "cone",
    "torus",
)


def model_of(kind: str) -> FeatureModel:
    """The least-squares model of a kind; a circle in space is made of two.

    Raises:
        FitError: no such kind.
    """
    models: dict[str, type[FeatureModel]] = {
        "line2d": FlatLineModel,
        "line3d": SpaceLineModel,
        "plane": PlaneModel,
        "circle2d": FlatCircleModel,
        "sphere": SphereModel,
        "cylinder": CylinderModel,
        "cone": ConeModel,
        "torus": TorusModel,
    }
    if kind not in models:
        raise FitError(
            f"There is no fit of a {kind!r}; expected one of {', '.join(FIT_KINDS)}.", value=kind
        )
    return models[kind]()


def fit(kind: str, points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """Fit a feature by least squares of the orthogonal distances.

    Args:
        kind: one of ``FIT_KINDS``.
        points: # (k, 3) [m], (k, 2) for the kinds in a plane
        **options: ``sigma``, ``outward``, ``hollow``, ``hint``: see ``Options``.

    Raises:
        FitError: the points hold no such feature: too few, not finite, degenerate, ambiguous, or
            hidden by their noise.
    """
    if kind == "circle3d":
        return space_circle(points, options)
    return solve(model_of(kind), points, options)


def minimum_rms(kind: str, points: ArrayLike) -> float:
    """Root mean square of the residuals that least squares leave. [m].

    Unlike a fit, it refuses no feature that the points hold loosely or that their noise hides.

    Args:
        kind: one with one distance per point; not "circle3d", whose fit is of two.
        points: # (k, 3) [m], (k, 2) for the kinds in a plane; of more than 400 a sample serves

    Raises:
        FitError: the points hold no such feature at all.
    """
    model = model_of(kind)
    cloud = cloud_of(points, model)
    found = search(model, cloud.unit, None)
    return float(cloud.scale * np.sqrt(found.best.cost / found.sample))


# ---------------------------------------------------------------------------------------- Outliers

_MEDIANS = {1: NormalDist().inv_cdf(0.75), 2: float(np.sqrt(2.0 * np.log(2.0)))}  # of |r| for σ = 1
_ENOUGH = 2  # times the fewest: below it some points always agree with each other by chance
_TUKEY = 4.685  # σ at which Tukey's weight vanishes: 95 % as sure as least squares on clean points
_FALSE = 0.05  # chance that a clean set has any point listed
_ROUNDS = 30
_SAMPLE = 4000  # points that the first answer for more than twice as many rests on
_SEED = 20261  # of the sample: the same points give the same answer
_ENDED = 1e-6  # of σ: changes of all points below it may be the end
_SETTLED = 1e-10  # likewise: they are
_LEAST_SLOPE = 0.3  # of the biweight's mean weight: with less the points are hardly one feature's
_FAINT = 1e-12  # least σ, in the points' size: exact points still have rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlier:
    """A point too far from the feature that the others agree on.

    Args:
        index: of the point, from 0.
        size: its distance from the robust feature. [m]
        ratio: the same in robust standard deviations.
    """

    index: int
    size: float
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outliers:
    """Outliers found by a robust fit.

    Args:
        found: the largest first; empty for clean points.
        sigma: robust standard deviation of one residual. [m]
        limit: distance from which a point is listed. [m]
    """

    found: tuple[Outlier, ...]
    sigma: float
    limit: float


class _Robust(NamedTuple):
    state: FeatureState
    sigma: float  # of the unit points


def outliers(kind: str, points: ArrayLike, *, ratio: float | None = None) -> Outliers:
    """List the points that a robust fit leaves far away; the caller decides about them.

    The fit minimises absolute distances by repeated weighting, then Tukey's biweight with σ from
    the median of the absolute residuals, so that nearly half the points may be wrong.

    Args:
        kind: of the feature.
        points: # (k, 3) [m], (k, 2) for the kinds in a plane
        ratio: distance in standard deviations from which a point is listed; left out, it follows
            the count of points, so that a large clean set is flagged once in twenty. The robust
            scatter of few points is uncertain itself: of nine clean points one set in three has
            a point listed (measured), which ``parts.evaluation.outliers`` then tests.

    Raises:
        FitError: the points hold no such feature.
    """
    if kind == "circle3d":
        return _of_space_circle(points, ratio)
    model = model_of(kind)
    cloud = cloud_of(points, model)
    robust = _robust(model, cloud)
    away = np.abs(model.level(robust.state.local(cloud.unit), robust.state.sizes).distance)
    ratio = ratio or _ratio(cloud.count, model.components)
    return _listed(cloud.scale * away, cloud.scale * robust.sigma, ratio)


def _of_space_circle(points: ArrayLike, ratio: float | None) -> Outliers:
    """The robust plane, then the robust circle of the projections; distances in space."""
    plane_model, circle_model = model_of("plane"), model_of("circle2d")
    cloud = cloud_of(points, plane_model)
    flat = _robust(plane_model, cloud)
    plane = shape_of_kind(plane_model.shape(cloud.physical(flat.state, ()), False), Plane)
    x = across(plane.axis)
    rows = np.asarray(points, dtype=np.float64) - plane.point
    drawn = rows @ np.stack([x, np.cross(plane.axis, x)], axis=1)
    circles = cloud_of(drawn, circle_model)
    ring = _robust(circle_model, circles)
    circle = circle_model.shape(circles.physical(ring.state, ("m",)), False)
    away = np.hypot(shape_of_kind(circle, FlatCircle).distance(drawn), plane.distance(points))
    sigma = max(cloud.scale * flat.sigma, circles.scale * ring.sigma)
    return _listed(away, sigma, ratio or _ratio(len(away), 2))


def _ratio(count: int, components: int) -> float:
    """Distance in σ that one of so many clean points passes by chance, once in twenty sets."""
    if components == 2:
        return float(np.sqrt(-2.0 * np.log(_FALSE / count)))
    return NormalDist().inv_cdf(1.0 - 0.5 * _FALSE / count)


def _listed(away: Array, sigma: float, ratio: float) -> Outliers:
    limit = ratio * sigma
    order = np.argsort(-away, kind="stable")
    found = tuple(
        Outlier(index=i, size=float(away[i]), ratio=float(away[i] / sigma))
        for i in order[away[order] > limit].tolist()
    )
    return Outliers(found=found, sigma=sigma, limit=limit)


def _robust(model: FeatureModel, cloud: Cloud) -> _Robust:
    """Least squares, least absolute distances, then Tukey's biweight."""
    points = cloud.unit
    limit = _ENOUGH * model.fewest
    if cloud.count < limit:
        raise FitError(
            f"{cloud.count} points of a {model.word} are too few to decide which of them is wrong: "
            f"{model.fewest} always agree; measure at least {limit}.",
            value=cloud.count,
            limit=limit,
            unit="1",
        )
    state = search(model, points, None).best.state
    if cloud.count <= 2 * _SAMPLE:
        state = _by_minima(model, points, state)
    else:
        few = np.ascontiguousarray(points[:, sampled(cloud.count, _SAMPLE, _SEED)])
        state = _by_steps(model, points, _by_minima(model, few, state))
    return _Robust(state, _sigma(_away(model, points, state), model))


def _by_minima(
    model: FeatureModel, points: Array, state: FeatureState, powers: Sequence[int] = (1, 2)
) -> FeatureState:
    """Least absolute distances, then the biweight: a weighted minimum for each set of weights."""
    for power in powers:
        for _ in range(_ROUNDS):
            before = _away(model, points, state)
            sigma = _sigma(before, model)
            weights = _weights(before, sigma, power)
            state = minimise(model, points, state, weights=weights, limit=8).state
            change = np.abs(_away(model, points, state) - before).max()
            if change <= _ENDED * sigma:
                break
    return state


def _by_steps(model: FeatureModel, points: Array, state: FeatureState) -> FeatureState:
    """The biweight of many points, from the answer of some of them: one step for each weighting.

    With the weights held, a step falls short of the biweight's answer by the ratio of Σ ψ' to Σ w;
    divided by it, it is Newton's but for the scatter of that ratio over the points. The answer is
    where the steps vanish, whatever their length. Steps that do not shrink are left to minima.
    """
    rows = model.rows(points, state)
    away = _lengths(rows, model)
    before = np.inf
    for _ in range(_ROUNDS):
        sigma = _sigma(away, model)
        weights = _weights(away, sigma, 2)
        root = np.tile(np.sqrt(weights), model.components)
        R, z = triangle_of(ResidualRows(root * rows.residuals, root * rows.jacobian))
        step = np.linalg.lstsq(R, -z, rcond=None)[0] / _shortfall(away / sigma, model)
        state = state.moved(model.freedoms, np.asarray(step))
        rows, earlier = model.rows(points, state), away
        away = _lengths(rows, model)
        change = float(np.abs(away - earlier).max())
        if change <= _SETTLED * sigma or (change <= _ENDED * sigma and change > 0.5 * before):
            return state
        if change > 0.5 * before:
            break
        before = change
    return _by_minima(model, points, state, (2,))


def _lengths(rows: ResidualRows, model: FeatureModel) -> Array:
    """Distances from the components of the residuals."""
    return np.asarray(np.linalg.norm(rows.residuals.reshape(model.components, -1), axis=0))


def _shortfall(ratios: Array, model: FeatureModel) -> float:
    """Σ ψ' / Σ w of the biweight, the mean over the components. Args: ratios: in σ # (k,)."""
    u = np.minimum(ratios / _TUKEY, 1.0) ** 2
    w = float(np.sum((1.0 - u) ** 2))
    slope = w - 4.0 / model.components * float(np.sum(u * (1.0 - u)))
    return slope / w if slope > _LEAST_SLOPE * w else 1.0


def _away(model: FeatureModel, points: Array, state: FeatureState) -> Array:
    return np.abs(model.level(state.local(points), state.sizes).distance)


def _sigma(away: Array, model: FeatureModel) -> float:
    """From the median; fitted coordinates have made the residuals smaller by their share."""
    residuals = model.components * len(away)
    spare = float(np.sqrt(residuals / max(1, residuals - model.count)))
    return max(float(np.median(away)) / _MEDIANS[model.components] * spare, _FAINT)


def _weights(away: Array, sigma: float, power: int) -> Array:
    """For absolute distances 1/|r|, held near zero; then Tukey's (1 - (r/c)²)²."""
    if power == 1:
        return np.asarray(sigma / np.maximum(away, 0.1 * sigma))
    inside = np.maximum(1.0 - (away / (_TUKEY * sigma)) ** 2, 0.0)
    return np.asarray(inside**2 + 1e-12)
