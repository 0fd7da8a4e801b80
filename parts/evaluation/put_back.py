"""Candidates put back one by one into a fit without them: to first order, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from parts.fits import Fit, FlatCircle, Shape, SpaceCircle
from parts.fits.cloud import Cloud, cloud_of
from parts.fits.dispatch import model_of
from parts.fits.frame import State
from parts.fits.hint import expected
from parts.fits.least_squares import second_order, triangle_of
from parts.fits.model import Model
from parts.fits.zone.drawing import Drawing, drawing_of_plane
from parts.geometry.surfaces import Plane
from robots.core.arrays import Array, Indices

_GAUGES = 100  # candidates on which first order is compared with the moved feature itself
_SAMPLE = 2000  # points from which the second derivatives are taken
_HELD = 1e-9  # of a point's variance: with less left its own residual says nothing
_NONE = 1e-300
_ROUNDING = 64.0 * np.finfo(float).eps


class Innovations(NamedTuple):
    """How far candidates lie from the feature of the others and of the candidates before them.

    Where noise is normal they are independent, and as large as an error of one point.
    """

    residuals: Array  # of those that are still out, by component, (c, m) [m]
    scatter: Array  # sums of squares and products of the others' residuals, (c, c) [m²]
    dof: int  # of each component


class PutBack(NamedTuple):
    """The fit once some of the candidates are put back, without fitting again."""

    innovations: list[Innovations]  # of each part: a circle in space has its plane and itself
    unsure: float  # what a residual may miss, and the root mean square of the others' [m]


class _Part(NamedTuple):
    """The model of a fit, in unit coordinates; a circle in space has two, its plane and itself.

    With y = R x for the minimal coordinates x, the others' Jacobian is orthonormal.
    """

    model: Model
    cloud: Cloud  # of the others
    state: State
    R: Array  # (p, p)
    back: Array  # the candidates, (3, m)
    residuals: Array  # of the candidates, (c, m)
    rows: Array  # their derivatives with y, (c, m, p)
    steps: Array  # in y, when the first k candidates are back, (m, p)
    innovations: Array  # of each candidate when those before it are back, (c, m)
    scatter: Array  # sums of products of the residuals, likewise, (m, c, c)
    defect: float  # relative error of steps that leave out the second derivatives

    def left_out(self, k: int) -> Innovations:
        """When the first k candidates are back."""
        scale, count = self.cloud.scale, self.cloud.count + k
        return Innovations(
            residuals=scale * self.innovations[:, k:],
            scatter=scale**2 * self.scatter[k],
            dof=count - self.model.count // self.model.components,
        )


def put_back(found: Fit, others: Array, candidates: Array) -> Iterator[PutBack]:
    """Put none of the candidates back, then the first, the second too, and so on but the last.

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
    yield PutBack([part.left_out(0) for part in parts], 0.0)
    gauges = np.arange(0, len(candidates), -(-len(candidates) // _GAUGES))
    rounding = _ROUNDING * max(float(np.abs(others).max()), float(np.abs(candidates).max()))
    for k in range(1, len(candidates)):
        states = [_stepped(part, k) for part in parts]
        if not all(map(_sound, parts, states)):
            return
        some = np.append(gauges, k)
        exact = _away(_shape(parts, states, drawing), candidates[some])
        missed, motion = _missed(parts, k, some, exact)
        yield PutBack(
            [part.left_out(k) for part in parts],
            missed + max(part.defect for part in parts) * motion + rounding,
        )


class TakenOut(NamedTuple):
    """The fit once one of its points is taken out, without fitting again."""

    row: int
    now: PutBack


def most_telling(found: Fit, points: Array) -> TakenOut:
    """The point without which the scatter is least, to first order.

    A robust fit does not see a wrong point that alone holds the feature at its place; what it would
    take along tells it.

    Args:
        found: fit of all points.
        points: # (n, 3) [m]
    """
    drawing = None if found.carrier is None else drawing_of_plane(found.carrier.shape)
    parts = _parts(found, points, points, drawing)
    free = [1.0 - np.einsum("mp,mp->m", part.rows[0], part.rows[0]) for part in parts]
    deleted = [
        np.where(rest > _HELD, part.residuals / np.sqrt(np.maximum(rest, _HELD)), 0.0)
        for part, rest in zip(parts, free, strict=True)
    ]
    shares = [
        np.sum(some**2, axis=0) / max(float(np.trace(part.scatter[0])), _NONE)
        for part, some in zip(parts, deleted, strict=True)
    ]
    row = int(np.argmax(np.max(shares, axis=0)))
    out = [_without(part, some[:, [row]]) for part, some in zip(parts, deleted, strict=True)]
    return TakenOut(row, PutBack(out, 0.0))


def _without(part: _Part, deleted: Array) -> Innovations:
    """When one point is out. Args: deleted: its residual over its deviation # (c, 1)."""
    whole = part.left_out(0)
    residuals = part.cloud.scale * deleted
    return Innovations(residuals, whole.scatter - residuals @ residuals.T, whole.dof - 1)


class _Missed(NamedTuple):
    """How first order fares on some of the candidates."""

    missed: float  # largest difference from the exact distances [m]
    motion: float  # largest change of a residual [m]


def _missed(parts: list[_Part], k: int, some: Indices, exact: list[Array]) -> _Missed:
    changes = [part.cloud.scale * (part.rows[:, some] @ part.steps[k]) for part in parts]
    linear = [
        np.linalg.norm(part.cloud.scale * part.residuals[:, some] + change, axis=0)
        for part, change in zip(parts, changes, strict=True)
    ]
    return _Missed(
        max(float(np.abs(a - b).max()) for a, b in zip(exact, linear, strict=True)),
        max(float(np.abs(change).max()) for change in changes),
    )


def _away(shape: Shape, points: Array) -> list[Array]:
    """Distances from the feature; from a circle in space across its plane and in it."""
    heights = [np.abs(shape.height(points))] if isinstance(shape, SpaceCircle) else []
    return [*heights, np.abs(shape.distance(points))]


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
    left = own.residuals.reshape(model.components, -1)
    y = np.linalg.solve(R.T, new.jacobian).reshape(len(R), model.components, -1).transpose(1, 2, 0)
    N = np.eye(len(R)) + _sums(np.einsum("cmp,cmq->mpq", y, y))
    g = z + _sums(np.einsum("cmp,cm->mp", y, residuals))
    steps = -np.asarray(np.linalg.solve(N, g[:, :, None]))[:, :, 0]
    leverage = np.einsum("mp,mp->m", y[0], np.linalg.solve(N, y[0][:, :, None])[:, :, 0])
    innovations = (residuals + np.einsum("cmp,mp->cm", y, steps)) / np.sqrt(1.0 + leverage)
    return _Part(
        model=model,
        cloud=cloud,
        state=state,
        R=R,
        back=unit,
        residuals=residuals,
        rows=np.asarray(y),
        steps=steps,
        innovations=innovations,
        scatter=left @ left.T + _sums(np.einsum("am,bm->mab", innovations, innovations)),
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
