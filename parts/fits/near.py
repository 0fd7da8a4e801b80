"""Many measurements of one feature, fitted together from one fit that is near them all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.fits.circle import FlatCircleModel
from parts.fits.curves import FlatCircle, SpaceCircle
from parts.fits.dispatch import model_of
from parts.fits.fitted import form_error_of
from parts.fits.hint import expected
from parts.fits.many import Solved, solved
from parts.fits.model import Model
from parts.fits.plane import PlaneModel
from parts.fits.shape import Shape
from parts.fits.states import States
from parts.geometry.surfaces import Plane
from robots.core.arrays import Array

_TOGETHER = 20_000  # points of all sets that are solved at one time
_TOWARDS = 0.1  # mean cosine between normals and the outside: below it no side is plain


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NearFit:
    """One of many fits: what ``Fit`` says of the feature, without its uncertainty.

    Args:
        kind: as for ``Fit``.
        shape: the feature.
        residuals: signed as those of ``Fit``. # (k,) [m]
    """

    kind: str
    shape: Shape
    residuals: Array

    @property
    def form_error(self) -> float:
        """As that of ``Fit``. [m]."""
        return form_error_of(self.kind, self.residuals)


def fits_near(
    kind: str, shape: Shape, sets: Array, outward: Array | None = None
) -> tuple[NearFit | None, ...]:
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
    found: list[NearFit | None] = []
    for start in range(0, d, several):
        some = sets[start : start + several]
        if kind == "circle3d":
            found += _circles(expected(shape, SpaceCircle), some, outward)
        else:
            found += _others(model_of(kind), shape, some, outward)
    return tuple(found)


def _others(model: Model, shape: Shape, sets: Array, outward: Array | None) -> list[NearFit | None]:
    if not _to_spare(model, sets):
        return [None] * len(sets)
    end = solved(model, sets, _alike(model, shape, len(sets)))
    sides = _sides(end, outward)
    states = [end.physical(i) if side else None for i, side in enumerate(sides.tolist())]
    return [
        None
        if state is None
        else NearFit(
            kind=model.kind,
            shape=model.shape(state, bool(side < 0.0)),
            residuals=side * distances,
        )
        for state, side, distances in zip(states, sides, end.distances, strict=True)
    ]


def _circles(hint: SpaceCircle, sets: Array, outward: Array | None) -> list[NearFit | None]:
    """Planes first, then circles of the points' feet in them."""
    model, flat = PlaneModel(), FlatCircleModel()
    if not _to_spare(model, sets):
        return [None] * len(sets)
    planes = solved(model, sets, _alike(model, Plane(point=hint.centre, axis=hint.axis), len(sets)))
    R = planes.states.R
    origins = planes.centroids + planes.scale * planes.states.origin
    drawn = np.einsum("dkj,dji->dki", sets - origins[:, None], R)[:, :, :2]
    centres = np.einsum("dj,dji->di", hint.centre - origins, R) * [1.0, 1.0, 0.0]
    alike = _alike(flat, FlatCircle(centre=np.zeros(2), radius=hint.radius), len(sets))
    end = solved(flat, drawn, States(origin=centres, R=alike.R, sizes=alike.sizes))
    sides = _sides(end, None if outward is None else np.einsum("kj,dji->dki", outward, R))
    sides *= planes.sure
    found: list[NearFit | None] = []
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
        found.append(NearFit(kind="circle3d", shape=circle, residuals=side * end.distances[i]))
    return found


def _to_spare(model: Model, sets: Array) -> bool:
    """Whether there are more residuals than unknowns."""
    return bool(model.components * sets.shape[1] > model.count)


def _alike(model: Model, shape: Shape, count: int) -> States:
    """The same state many times."""
    state = model.state_of(shape)
    return States(
        origin=np.tile(state.origin, (count, 1)),
        R=np.tile(state.R, (count, 1, 1)),
        sizes=np.tile(state.sizes, (count, 1)),
    )


def _sides(end: Solved, outward: Array | None) -> Array:
    """+1 where the frame's own outside is the material's, -1 where not, 0 in doubt. # (d,)."""
    if outward is None or end.model.components > 1:
        return np.where(end.sure, 1.0, 0.0)
    towards = np.mean(np.sum(end.normals * outward, axis=2), axis=1)
    return np.where(end.sure & (np.abs(towards) > _TOWARDS), np.sign(towards), 0.0)
