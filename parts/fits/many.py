"""Newton's method for many measurements at once, and which of them are beyond doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parts.fits.determined import CURVATURE, THIN, WORST_CONDITION, deviation_share
from parts.fits.frame import State
from parts.fits.model import Model
from parts.fits.states import ManyRows, States
from robots.core.arrays import Array, Mask

_MARGIN = 3.0  # to every limit beyond which a fit refuses points
_NEAR = 0.1  # of the points' size, and radians: what starts farther off is no neighbour
_ROUNDS = 10
_PLAIN = 2  # rounds of Gauss and Newton, after which the second derivatives join
_DIFFERENCE = 1e-5  # of the points' size: central differences of the Jacobian
_ENDED = 1e-13  # likewise: what is left
_ROUNDING = 1e-10  # likewise: steps below it need not shrink any more
_THIN_SHARE = 1e-8  # of the extent: thinner points are left to the fit's own rule
_SMALLEST = 1e-12  # of the largest: a smaller diagonal of a triangle is none


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solved:
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

    model: Model
    states: States
    distances: Array
    normals: Array
    sure: Mask
    unit: Array
    centroids: Array
    scale: float

    def physical(self, index: int) -> State | None:
        """One state by the model's convention, for the points as given; None for no feature."""
        state = self.model.settled(self.states.one(index))
        if not self.model.sound(self.unit[index].T, state):
            return None
        return State(
            origin=self.centroids[index] + self.scale * state.origin,
            R=state.R,
            sizes=state.sizes * _factors(self.model, self.scale),
        )


def solved(model: Model, sets: Array, start: States) -> Solved:
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
    first = States(
        origin=(start.origin - centroids) / scale,
        R=start.R,
        sizes=start.sizes / _factors(model, scale),
    ).settled(model)
    states, sure = _descended(model, unit, first)
    level = model.level(states.local(unit), states.sizes_of_points(sets.shape[1]))
    normals = np.einsum("dij,jdk->dki", states.R, level.normal.reshape(3, *sets.shape[:2]))
    return Solved(
        model=model,
        states=states,
        distances=scale * level.distance.reshape(sets.shape[:2]),
        normals=normals,
        sure=sure & _determined(model, unit, first, states),
        unit=unit,
        centroids=centroids,
        scale=scale,
    )


class _Descended(NamedTuple):
    states: States
    sure: Mask


def _descended(model: Model, unit: Array, start: States) -> _Descended:
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


def _triangles(rows: ManyRows) -> _Triangles:
    """As ``triangle_of``; where a column is none, that of the identity."""
    p = rows.jacobian.shape[2]
    A = np.concatenate([rows.jacobian, rows.residuals[:, :, None]], axis=2)
    both = np.asarray(np.linalg.qr(A, mode="r"))
    R, z = both[:, :p, :p], both[:, :p, p]
    diagonal = np.abs(np.diagonal(R, axis1=1, axis2=2))
    flat = ~(diagonal.min(axis=1) > _SMALLEST * diagonal.max(axis=1))
    R = np.where(flat[:, None, None], np.eye(p), R)
    return _Triangles(R, np.where(flat[:, None], 1.0, z))


def _second_order(model: Model, unit: Array, states: States) -> Array:
    """As ``second_order``. # (d, p, p)."""
    residuals = states.rows(model, unit).residuals
    S = np.empty((len(unit), model.count, model.count))
    for column, step in enumerate(_DIFFERENCE * np.eye(model.count)):
        steps = np.tile(step, (len(unit), 1))
        ahead = states.moved(model, steps).rows(model, unit).jacobian
        ahead -= states.moved(model, -steps).rows(model, unit).jacobian
        S[:, :, column] = np.einsum("dmp,dm->dp", ahead, residuals) / (2.0 * _DIFFERENCE)
    return np.asarray(0.5 * (S + S.transpose(0, 2, 1)))


def _curvatures(R: Array, S: Array) -> Array:
    """As ``curvature_of``. # (d, p, p)."""
    left = np.linalg.solve(R.transpose(0, 2, 1), S).transpose(0, 2, 1)
    M = np.linalg.solve(R.transpose(0, 2, 1), left)
    return np.asarray(np.eye(R.shape[1]) + 0.5 * (M + M.transpose(0, 2, 1)))


def _determined(model: Model, unit: Array, first: States, states: States) -> Mask:
    """Whether rank, curvature and noise keep the limits of ``fit`` by far. # (d,)."""
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


def _factors(model: Model, scale: float) -> Array:
    return np.array([scale if unit == "m" else 1.0 for unit in model.size_units])
