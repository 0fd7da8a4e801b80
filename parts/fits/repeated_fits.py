"""Fits of many measurements of one feature at once, from one fit that is near them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parts.fits.circle_sphere import FlatCircleModel
from parts.fits.curves import FlatCircle, SpaceCircle
from parts.fits.fit_result import FittedShape, form_error_of, shape_of_kind
from parts.fits.fitting import model_of
from parts.fits.least_squares import BatchRows, FeatureModel, FeatureState, FeatureStates
from parts.fits.line_plane import PlaneModel
from parts.fits.solver import CURVATURE, THIN, WORST_CONDITION, deviation_share
from parts.geometry.surfaces import Plane
from robots.core.arrays import Array, Mask

_TOGETHER = 20_000  # points of all sets that are solved at one time
_TOWARDS = 0.1  # mean cosine between normals and the outside: below it no side is plain


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RepeatedFit:
    """One of many fits: what ``Fit`` says of the feature, without its uncertainty.

    Args:
        kind: as for ``Fit``.
        shape: the feature.
        residuals: signed as those of ``Fit``. # (k,) [m]
    """

    kind: str
    shape: FittedShape
    residuals: Array

    @property
    def form_error(self) -> float:
        """As that of ``Fit``. [m]."""
        return form_error_of(self.kind, self.residuals)


def repeated_fits(
    kind: str, shape: FittedShape, sets: Array, outward: Array | None = None
) -> tuple[RepeatedFit | None, ...]:
    """Fit each of many measurements of the same points by least squares.

    The answers are those of ``fit`` with the feature as its hint. A set gets none where that is not
    beyond doubt: where Newton's method does not end near the feature, or where one of the reasons
    for which ``fit`` refuses points is not far away. Fit it on its own then.

    Args:
        kind: one of ``FIT_KINDS`` in space.
        shape: feature near which all of them are.
        sets: # (d, k, 3) [m]
        outward: nominal outward normals at the points. # (k, 3)
    """
    d, k = len(sets), int(sets.shape[1])
    if not k or k > _TOGETHER or not np.isfinite(sets).all() or not np.any(np.ptp(sets, axis=1)):
        return (None,) * d
    several = _TOGETHER // k
    found: list[RepeatedFit | None] = []
    for start in range(0, d, several):
        some = sets[start : start + several]
        if kind == "circle3d":
            found += _circles(shape_of_kind(shape, SpaceCircle), some, outward)
        else:
            found += _others(model_of(kind), shape, some, outward)
    return tuple(found)


def _others(
    model: FeatureModel, shape: FittedShape, sets: Array, outward: Array | None
) -> list[RepeatedFit | None]:
    if not _to_spare(model, sets):
        return [None] * len(sets)
    end = minimise_many(model, sets, _alike(model, shape, len(sets)))
    sides = _sides(end, outward)
    states = [end.physical(i) if side else None for i, side in enumerate(sides.tolist())]
    return [
        None
        if state is None
        else RepeatedFit(
            kind=model.kind, shape=model.shape(state, bool(side < 0.0)), residuals=side * distances
        )
        for state, side, distances in zip(states, sides, end.distances, strict=True)
    ]


def _circles(hint: SpaceCircle, sets: Array, outward: Array | None) -> list[RepeatedFit | None]:
    """Planes first, then circles of the points' feet in them."""
    model, flat = PlaneModel(), FlatCircleModel()
    if not _to_spare(model, sets):
        return [None] * len(sets)
    planes = minimise_many(
        model, sets, _alike(model, Plane(point=hint.centre, axis=hint.axis), len(sets))
    )
    R = planes.states.R
    origins = planes.centroids + planes.scale * planes.states.origin
    drawn = np.einsum("dkj,dji->dki", sets - origins[:, None], R)[:, :, :2]
    centres = np.einsum("dj,dji->di", hint.centre - origins, R) * [1.0, 1.0, 0.0]
    alike = _alike(flat, FlatCircle(centre=np.zeros(2), radius=hint.radius), len(sets))
    end = minimise_many(flat, drawn, FeatureStates(origin=centres, R=alike.R, sizes=alike.sizes))
    sides = _sides(end, None if outward is None else np.einsum("kj,dji->dki", outward, R))
    sides *= planes.sure
    found: list[RepeatedFit | None] = []
    for i, side in enumerate(sides.tolist()):
        state = end.physical(i) if side else None
        if state is None:
            found.append(None)
            continue
        circle = SpaceCircle(
            centre=origins[i] + R[i] @ state.origin,
            axis=R[i, :, 2],
            radius=float(state.sizes[0]),
            reversed=side < 0.0,
        )
        found.append(RepeatedFit(kind="circle3d", shape=circle, residuals=side * end.distances[i]))
    return found


def _to_spare(model: FeatureModel, sets: Array) -> bool:
    """Return whether there are more residuals than unknowns."""
    return bool(model.components * sets.shape[1] > model.count)


def _alike(model: FeatureModel, shape: FittedShape, count: int) -> FeatureStates:
    """The same state many times."""
    state = model.state_of(shape)
    return FeatureStates(
        origin=np.tile(state.origin, (count, 1)),
        R=np.tile(state.R, (count, 1, 1)),
        sizes=np.tile(state.sizes, (count, 1)),
    )


def _sides(end: FitMinima, outward: Array | None) -> Array:
    """+1 where the frame's own outside is the material's, -1 where not, 0 in doubt. # (d,)."""
    if outward is None or end.model.components > 1:
        return np.where(end.sure, 1.0, 0.0)
    towards = np.mean(np.sum(end.normals * outward, axis=2), axis=1)
    return np.where(end.sure & (np.abs(towards) > _TOWARDS), np.sign(towards), 0.0)


_MARGIN = 3.0  # to every limit beyond which a fit refuses points
_NEAR = 0.1  # of the points' size, and radians: what starts farther off is no neighbour
_ROUNDS = 10
_PLAIN = 2  # rounds of Gauss and Newton, after which the second derivatives join
_DIFFERENCE = 1e-5  # of the points' size: central differences of the Jacobian
_ENDED = 1e-13  # likewise: what is left
_ROUNDING = 1e-10  # likewise: steps below it need not shrink any more
_THIN_SHARE = 1e-8  # of the extent: thinner points are left to the fit's own rule
_SMALLEST = 1e-12  # of the largest: a smaller diagonal of a triangle is none


# ----------------------------------------------------------- Newton's method for many measurements


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FitMinima:
    """Minima of many measurements, in unit coordinates.

    Args:
        model: of all.
        states: one each.
        distances: signed, from the frames' own side. # (d, k)
        normals: gradients of the distances with the places, in the points' axes. # (d, k, 3)
        sure: whether each is a minimum that no rule refuses. # (d,)
        unit: the points, each set centred. # (d, k, 3)
        centroids: of the sets. # (d, 3) [m]
        scale: length of the unit. [m]
    """

    model: FeatureModel
    states: FeatureStates
    distances: Array
    normals: Array
    sure: Mask
    unit: Array
    centroids: Array
    scale: float

    def physical(self, index: int) -> FeatureState | None:
        """One state by the model's convention, for the points as given; None for no feature."""
        state = self.model.settled(self.states.one(index))
        if not self.model.sound(self.unit[index].T, state):
            return None
        return FeatureState(
            origin=self.centroids[index] + self.scale * state.origin,
            R=state.R,
            sizes=state.sizes * _factors(self.model, self.scale),
        )


def minimise_many(model: FeatureModel, sets: Array, start: FeatureStates) -> FitMinima:
    """Descend from a state of each set.

    Args:
        model: of the feature.
        sets: # (d, k, 3) [m]; (d, k, 2) for the kinds in a plane
        start: near the minima, for the points as given.
    """
    centroids = np.zeros((len(sets), 3))
    centroids[:, : model.dimension] = sets.mean(axis=1)
    full = np.zeros((*sets.shape[:2], 3))
    full[:, :, : model.dimension] = sets
    away = full - centroids[:, None]
    scale = float(2.0 ** np.round(np.log2(np.sqrt(np.mean(np.sum(away**2, axis=2))))))
    unit = away / scale
    near = FeatureStates(
        origin=(start.origin - centroids) / scale,
        R=start.R,
        sizes=start.sizes / _factors(model, scale),
    )
    first = model.settled(near)
    states, sure = _descended(model, unit, first)
    level = model.level(states.local(unit), states.sizes_of_sets())
    normals = np.einsum("dij,jdk->dki", states.R, level.normal)
    return FitMinima(
        model=model,
        states=states,
        distances=scale * level.distance,
        normals=normals,
        sure=sure & _determined(model, unit, first, states),
        unit=unit,
        centroids=centroids,
        scale=scale,
    )


class _Descended(NamedTuple):
    states: FeatureStates
    sure: Mask


def _descended(model: FeatureModel, unit: Array, start: FeatureStates) -> _Descended:
    """Gauss and Newton's steps, then Newton's, each less than half the one before."""
    states, S = start, np.zeros((len(unit), model.count, model.count))
    sure = np.ones(len(unit), dtype=bool)
    before, total = np.full(len(unit), np.inf), np.zeros(len(unit))
    for count in range(_ROUNDS):
        if count == _PLAIN:
            S = _second_order(model, unit, states)
        R, z = _triangles(states.rows(model, unit))
        M = _curvatures(R, S)
        steps = -np.linalg.solve(R, np.linalg.solve(M, z[:, :, None]))[:, :, 0]
        length = np.linalg.norm(steps, axis=1)
        total += length
        sure &= (length <= 0.5 * before) | (length <= _ROUNDING)
        sure &= total <= _NEAR
        steps[~sure] = 0.0  # they would only run away
        states, before = states.moved(model, steps), length
        if count > _PLAIN and length[sure].max(initial=0.0) <= _ENDED:
            break
    return _Descended(states, sure & (before <= _ROUNDING))


class _Triangles(NamedTuple):
    R: Array  # (d, p, p)
    z: Array  # (d, p)


def _triangles(rows: BatchRows) -> _Triangles:
    """As ``triangle_of``; where a column is none, that of the identity."""
    p = rows.jacobian.shape[1]
    A = np.concatenate([rows.jacobian, rows.residuals[:, None]], axis=1)
    both = np.asarray(np.linalg.qr(A.transpose(0, 2, 1), mode="r"))
    R, z = both[:, :p, :p], both[:, :p, p]
    diagonal = np.abs(np.diagonal(R, axis1=1, axis2=2))
    flat = ~(diagonal.min(axis=1) > _SMALLEST * diagonal.max(axis=1))
    R = np.where(flat[:, None, None], np.eye(p), R)
    return _Triangles(R, np.where(flat[:, None], 1.0, z))


def _second_order(model: FeatureModel, unit: Array, states: FeatureStates) -> Array:
    """As ``second_order``. # (d, p, p)."""
    residuals = states.rows(model, unit).residuals
    S = np.empty((len(unit), model.count, model.count))
    for column, step in enumerate(_DIFFERENCE * np.eye(model.count)):
        steps = np.tile(step, (len(unit), 1))
        ahead = states.moved(model, steps).rows(model, unit).jacobian
        ahead -= states.moved(model, -steps).rows(model, unit).jacobian
        S[:, :, column] = np.einsum("dpm,dm->dp", ahead, residuals) / (2.0 * _DIFFERENCE)
    return np.asarray(0.5 * (S + S.transpose(0, 2, 1)))


def _curvatures(R: Array, S: Array) -> Array:
    """As ``curvature_of``. # (d, p, p)."""
    left = np.linalg.solve(R.transpose(0, 2, 1), S).transpose(0, 2, 1)
    M = np.linalg.solve(R.transpose(0, 2, 1), left)
    return np.asarray(np.eye(R.shape[1]) + 0.5 * (M + M.transpose(0, 2, 1)))


def _determined(
    model: FeatureModel, unit: Array, first: FeatureStates, states: FeatureStates
) -> Mask:
    """Return whether rank, curvature and noise keep the limits of ``fit`` by far. # (d,)."""
    rows = states.rows(model, unit)
    R, _ = _triangles(rows)
    columns = np.linalg.svd(R / np.linalg.norm(R, axis=1)[:, None], compute_uv=False)
    sure = _MARGIN * columns[:, 0] < WORST_CONDITION * columns[:, -1]
    M = _curvatures(R, _second_order(model, unit, states))
    sure &= np.linalg.eigvalsh(M)[:, 0] > _MARGIN * CURVATURE
    dof = rows.residuals.shape[1] - model.count
    sigma = np.sqrt(np.sum(rows.residuals**2, axis=1) / dof)
    spread = np.linalg.svd(unit, compute_uv=False)
    thickness = spread[:, model.spread - 1]
    sure &= thickness > _THIN_SHARE * spread[:, 0]
    if model.spread == 3:
        sure &= thickness > _MARGIN * THIN * sigma * np.sqrt(unit.shape[1])
    root = sigma[:, None, None] * np.linalg.inv(R)
    for name, derived in model.derived(first.one(0)).items():
        share = deviation_share(name)
        if share is None:
            continue
        change = (states.sizes - first.sizes[0]) @ derived.slope[0, len(model.freedoms) :]
        size = 1.0 if name == "axis" else np.abs(derived.value[0] + change)
        deviations = np.linalg.norm(derived.slope @ root, 2, axis=(1, 2))
        sure &= _MARGIN * deviations < share * size
    return np.asarray(sure)


def _factors(model: FeatureModel, scale: float) -> Array:
    return np.array([scale if unit == "m" else 1.0 for unit in model.size_units])
