"""Candidates put back one by one into a fit without them: to first order, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parts.evaluation.linearised import LINEAR_KINDS
from parts.fits import Fit, FlatCircle, Shape, SpaceCircle
from parts.fits.cloud import Cloud, cloud_of
from parts.fits.dispatch import model_of
from parts.fits.frame import State
from parts.fits.hint import expected
from parts.fits.least_squares import second_order, triangle_of
from parts.fits.model import Model
from parts.fits.zone.drawing import Drawing, drawing_of_plane
from parts.geometry.surfaces import Plane

Array = NDArray[np.float64]

_GAUGES = 100  # candidates on which first order is compared with the moved feature itself
_SAMPLE = 2000  # points from which the second derivatives are taken
_ROUNDING = 64.0 * np.finfo(float).eps


class PutBack(NamedTuple):
    """The fit once some of the candidates are put back, without fitting again."""

    away: float  # distance from it of the next candidate, which is still left out [m]
    sigma: float  # estimated standard deviation of a residual [m]
    dof: int
    leverage: float  # variance of the fit itself at that candidate, in σ²
    unsure: float  # what ``away`` may miss, and in the root mean square the residuals [m]


class _Part(NamedTuple):
    """The model of a fit, in unit coordinates; a circle in space has two, its plane and itself.

    With y = R x for the minimal coordinates x, the others' Jacobian is orthonormal.
    """

    model: Model
    cloud: Cloud  # of the others
    state: State
    R: Array  # (p, p)
    back: Array  # the candidates, (3, m)
    residuals: Array  # theirs, (c, m)
    rows: Array  # their derivatives with y, (c, m, p)
    steps: Array  # in y, when the first k candidates are back, (m, p)
    sum_squares: Array  # likewise, in unit coordinates, (m,)
    leverage: Array  # of the next candidate, likewise, (m,)
    defect: float  # relative error of steps that leave out the second derivatives


def put_back(found: Fit, others: Array, candidates: Array) -> Iterator[PutBack]:
    """Put the first candidate back, then the second too, and so on; the last stays out.

    A step of Gauss and Newton from the fit of the others gives each of these fits: the factorised
    Jacobian of the others serves them all, and each candidate adds its own row to it. It ends early
    where a step leads to no such feature.

    Args:
        found: fit of the others.
        others: # (n, 3) [m]
        candidates: in the order in which they go back. # (m, 3) [m]
    """
    drawing = None if found.carrier is None else drawing_of_plane(found.carrier.shape)
    parts = _parts(found, others, candidates, drawing)
    total = np.sum([part.cloud.scale**2 * part.sum_squares for part in parts], axis=0)
    gauges = np.arange(0, len(candidates), -(-len(candidates) // _GAUGES))
    rounding = _ROUNDING * max(float(np.abs(others).max()), float(np.abs(candidates).max()))
    for k in range(1, len(candidates)):
        some = np.append(gauges, k)
        states = [_stepped(part, k) for part in parts]
        if not all(map(_sound, parts, states)):
            return
        exact = np.abs(_shape(parts, states, drawing).distance(candidates[some]))
        missed, motion = _missed(parts, k, some, exact)
        dof = found.dof + k * sum(part.model.components for part in parts)
        yield PutBack(
            away=float(exact[-1]),
            sigma=float(np.sqrt(max(float(total[k]), 0.0) / dof)),
            dof=dof,
            leverage=float(parts[-1].leverage[k]) if found.kind in LINEAR_KINDS else 0.0,
            unsure=missed + max(part.defect for part in parts) * motion + rounding,
        )


class _Missed(NamedTuple):
    """How first order fares on some of the candidates."""

    missed: float  # largest difference from the exact distances [m]
    motion: float  # largest change of a residual [m]


def _missed(parts: list[_Part], k: int, some: NDArray[np.intp], exact: Array) -> _Missed:
    changes = [part.cloud.scale * (part.rows[:, some] @ part.steps[k]) for part in parts]
    linear = parts[-1].cloud.scale * parts[-1].residuals[:, some] + changes[-1]
    return _Missed(
        float(np.abs(exact - np.linalg.norm(linear, axis=0)).max()),
        max(float(np.abs(change).max()) for change in changes),
    )


def _parts(found: Fit, others: Array, candidates: Array, drawing: Drawing | None) -> list[_Part]:
    if found.carrier is None or drawing is None:
        return [_part(found.kind, found.shape, others, candidates)]
    circle = expected(found.shape, SpaceCircle)
    flat = FlatCircle(centre=drawing.flat(circle.centre[None])[0], radius=circle.radius)
    return [
        _part("plane", found.carrier.shape, others, candidates),
        _part("circle2d", flat, drawing.flat(others), drawing.flat(candidates)),
    ]


def _part(kind: str, shape: Shape, others: Array, candidates: Array) -> _Part:
    model = model_of(kind)
    cloud = cloud_of(others, model)
    state = model.settled(cloud.unitary(model.state_of(shape), model.size_units))
    unit = np.zeros((3, len(candidates)))
    unit[: model.dimension] = (candidates.T - cloud.centroid[: model.dimension, None]) / cloud.scale
    own, new = model.rows(cloud.unit, state), model.rows(unit, state)
    R, z = triangle_of(own)
    residuals = new.residuals.reshape(model.components, -1)
    y = np.linalg.solve(R.T, new.jacobian).reshape(len(R), model.components, -1).transpose(1, 2, 0)
    N = np.eye(len(R)) + _sums(np.einsum("cmp,cmq->mpq", y, y))
    g = z + _sums(np.einsum("cmp,cm->mp", y, residuals))
    steps = -np.asarray(np.linalg.solve(N, g[:, :, None]))[:, :, 0]
    squares = float(own.residuals @ own.residuals) + _sums(np.sum(residuals**2, axis=0))
    return _Part(
        model=model,
        cloud=cloud,
        state=state,
        R=R,
        back=unit,
        residuals=residuals,
        rows=np.asarray(y),
        steps=steps,
        sum_squares=squares + np.sum(g * steps, axis=1),
        leverage=np.einsum("mp,mp->m", y[0], np.linalg.solve(N, y[0][:, :, None])[:, :, 0]),
        defect=_defect(model, cloud.unit, state, R) + _defect(model, unit, state, R),
    )


def _sums(terms: Array) -> Array:
    """Sums of the terms before each one. # (m, …)."""
    return np.asarray(np.cumsum(terms, axis=0) - terms)


def _defect(model: Model, points: Array, state: State, R: Array) -> float:
    """The second-order part beside Gauss-Newton's, as a matrix norm, from some of the points."""
    stride = -(-points.shape[1] // _SAMPLE)
    some = np.ascontiguousarray(points[:, ::stride])
    S = stride * second_order(model, some, state, model.rows(some, state).residuals)
    return float(np.linalg.norm(np.linalg.solve(R.T, np.linalg.solve(R.T, S).T), 2))


def _stepped(part: _Part, k: int) -> State:
    return part.state.moved(part.model.freedoms, np.linalg.solve(part.R, part.steps[k]))


def _sound(part: _Part, state: State) -> bool:
    return part.model.sound(part.back, state)


def _shape(parts: list[_Part], states: list[State], drawing: Drawing | None) -> Shape:
    """The feature in these states of its parts."""
    shapes = [
        part.model.shape(part.cloud.physical(state, part.model.size_units), False)
        for part, state in zip(parts, states, strict=True)
    ]
    if drawing is None:
        return shapes[0]
    plane, circle = expected(shapes[0], Plane), drawing.circle(shapes[1])
    centre = plane.project(circle.centre[None])[0]
    return SpaceCircle(centre=centre, axis=plane.axis, radius=circle.radius)
