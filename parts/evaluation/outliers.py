"""Outlier test: points that do not belong to their feature, even where points are few.

Candidates are left out of the fit and put back one by one, to first order; a point is an outlier
when noise alone is unlikely to move it so far from the feature of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parts.errors import FitError
from parts.fits.curves import FlatCircle, SpaceCircle
from parts.fits.fit_result import Fit, FittedShape, shape_of_kind
from parts.fits.fitting import Outlier, fit, model_of, outliers
from parts.fits.least_squares import FeatureModel, FeatureState, second_order, triangle_of
from parts.fits.solver import Cloud, cloud_of
from parts.fits.zone import DrawingPlane, drawing_of_plane
from parts.geometry.surfaces import Plane
from robots.core.arrays import Array, Indices

_FALSE = 0.05  # chance that a clean set has any point listed
_FAINT = 1e-12  # of the points' extent: scatter below it is rounding
_CAUTION = 10.0  # times what first order may miss
_FEW = 50  # points of which one alone may hold the feature at a wrong place
_DOUBT = 1.0  # chance as told to first order from which a point of few is tried


def outlying_points(kind: str, points: Array) -> tuple[Outlier, ...]:
    """Points that a robust fit leaves far away and that noise does not explain.

    A robust scatter of a few points is itself so uncertain that one clean set of nine in three
    would be listed. So its candidates are tested as those of a generalised extreme studentised
    deviate: the worst i are left out, and the largest i counts for which the i-th lies too far from
    the fit of the others. That alone is a test for many points: of few, the best choice of two or
    three often leaves others that agree by chance. So all that are left out must be ``unlikely``.
    Of few points the most telling one is a candidate too where the robust fit has none.

    A fit is made only where first order, from the last fit that was made, does not surely say that
    the i-th belongs to the others.

    Args:
        kind: of the fit.
        points: # (k, 3) [m]

    Returns:
        The worst first, beside the fit of the others; none where too few points tell which of them
        is wrong.

    Source: [ROSNER83] Technometrics 25, 165: percentage points of the ESD many-outlier procedure
    """
    try:
        order = [stray.index for stray in outliers(kind, points).found]
    except FitError:
        return ()
    least = _FAINT * float(np.linalg.norm(np.ptp(points, axis=0)))
    found = _accused(kind, points, order, least)
    if found or len(points) > _FEW:
        return found
    return _accused(kind, points, _holding(kind, points, least), least)


def _accused(kind: str, points: Array, order: list[int], least: float) -> tuple[Outlier, ...]:
    """Those of some candidates that do not belong. Args: order: the worst first."""
    while order:
        others = np.delete(points, order, axis=0)
        found = _fitted(kind, others)
        back = 1 if found is None else _belonging(found, others, points[order[::-1]], least)
        if found is not None and not back:
            return _listed(found, points, order, least)
        order = order[:-back]
    return ()


def _holding(kind: str, points: Array, least: float) -> list[int]:
    """A point of few that may hold the feature at a wrong place, where a robust fit follows it."""
    found = _fitted(kind, points)
    if found is None:
        return []
    row, now = most_telling(found, points)
    return [row] if unlikely(now, len(points) - 1, chance=_DOUBT, least=least) else []


def _fitted(kind: str, points: Array) -> Fit | None:
    """The fit; None where it says nothing."""
    try:
        found = fit(kind, points)
    except FitError:
        return None
    return found if found.dof > 0 else None


def _belonging(found: Fit, others: Array, candidates: Array, least: float) -> int:
    """How many of the candidates belong to the others, as far as their fit surely tells.

    Args:
        found: fit of the others.
        others: # (n, 3) [m]
        candidates: in the order in which they go back. # (m, 3) [m]
        least: scatter below it is rounding. [m]
    """
    k = 0
    for now in put_back(found, others, candidates):
        unsure = _CAUTION * now.unsure
        if unlikely(now, len(others) + k, chance=_FALSE, least=least, unsure=unsure):
            break
        k += 1
    return k


def _listed(found: Fit, points: Array, left_out: list[int], least: float) -> tuple[Outlier, ...]:
    """Points beside the fit of the others: distances, and how often these hold their scatter."""
    directions = 1 if found.kind in LINEAR_KINDS else 2  # in which noise moves a point away
    sigma = max(found.estimated_sigma * np.sqrt(directions), least)
    away = np.abs(found.shape.distance(points[left_out]))
    if isinstance(found.shape, SpaceCircle):
        away = np.hypot(away, found.shape.height(points[left_out]))
    return tuple(
        Outlier(index=left_out[k], size=float(away[k]), ratio=float(away[k] / sigma))
        for k in np.argsort(-away, kind="stable").tolist()
    )


# ----------------------------------------------------------------------------- Candidates put back

_GAUGES = 100  # candidates on which first order is compared with the moved feature itself
_SAMPLE = 2000  # points from which the second derivatives are taken
_HELD = 1e-9  # of a point's variance: with less left its own residual says nothing
_NONE = 1e-300
_ROUNDING = 64.0 * np.finfo(float).eps


class Innovations(NamedTuple):
    """Distances of candidates from the feature fitted to the others and to earlier candidates.

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

    model: FeatureModel
    cloud: Cloud  # of the others
    state: FeatureState
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


class LeaveOneOut(NamedTuple):
    """The fit once one of its points is taken out, without fitting again."""

    row: int
    now: PutBack


def most_telling(found: Fit, points: Array) -> LeaveOneOut:
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
    return LeaveOneOut(row, PutBack(out, 0.0))


def _without(part: _Part, deleted: Array) -> Innovations:
    """When one point is out. Args: deleted: its residual over its deviation # (c, 1)."""
    whole = part.left_out(0)
    residuals = part.cloud.scale * deleted
    return Innovations(residuals, whole.scatter - residuals @ residuals.T, whole.dof - 1)


class _Missed(NamedTuple):
    """Error of the first-order estimate on some candidates."""

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


def _away(shape: FittedShape, points: Array) -> list[Array]:
    """Distances from the feature; from a circle in space across its plane and in it."""
    heights = [np.abs(shape.height(points))] if isinstance(shape, SpaceCircle) else []
    return [*heights, np.abs(shape.distance(points))]


def _parts(
    found: Fit, others: Array, candidates: Array, drawing: DrawingPlane | None
) -> list[_Part]:
    if found.carrier is None or drawing is None:
        return [_part(found.kind, found.shape, others, candidates)]
    circle = shape_of_kind(found.shape, SpaceCircle)
    flat = FlatCircle(centre=drawing.flat(circle.centre[None])[0], radius=circle.radius)
    return [
        _part("plane", found.carrier.shape, others, candidates),
        _part("circle2d", flat, drawing.flat(others), drawing.flat(candidates)),
    ]


def _part(kind: str, shape: FittedShape, others: Array, candidates: Array) -> _Part:
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


def _defect(model: FeatureModel, points: Array, state: FeatureState, R: Array) -> float:
    """The second-order part beside Gauss-Newton's, as a matrix norm, from some of the points."""
    stride = -(-points.shape[1] // _SAMPLE)
    some = np.ascontiguousarray(points[:, ::stride])
    S = stride * second_order(model, some, state, model.rows(some, state).residuals)
    return float(np.linalg.norm(np.linalg.solve(R.T, np.linalg.solve(R.T, S).T), 2))


def _stepped(part: _Part, k: int) -> FeatureState:
    return part.state.moved(part.model.freedoms, np.linalg.solve(part.R, part.steps[k]))


def _sound(part: _Part, state: FeatureState) -> bool:
    return part.model.sound(part.back, state)


def _shape(
    parts: list[_Part], states: list[FeatureState], drawing: DrawingPlane | None
) -> FittedShape:
    """The feature in these states of its parts."""
    shapes = [
        part.model.shape(part.cloud.physical(state, part.model.size_units), False)
        for part, state in zip(parts, states, strict=True)
    ]
    if drawing is None:
        return shapes[0]
    plane, circle = shape_of_kind(shapes[0], Plane), drawing.circle(shapes[1])
    centre = plane.project(circle.centre[None])[0]
    return SpaceCircle(centre=centre, axis=plane.axis, radius=circle.radius)


# ------------------------------------------------------------------------------------ Significance

_SINGLE = 0.75  # of the chance: for one point; of the rest as much for two, and so on
_TINY = 1e-290  # probabilities below it are told by their logarithm alone
_EPS = float(np.finfo(float).eps)


def unlikely(
    left_out: PutBack, others: int, *, chance: float, least: float, unsure: float = 0.0
) -> bool:
    """Return whether noise seldom leaves so many points so far away, whichever points they are.

    For the first k that are put back, all k together are tested against the fit of the others, as
    if each set of k had been tried (Bonferroni), for every k. The test of all of them bounds the
    chance that a clean set of any size is accused: each set's share of the scatter has exactly the
    tested distribution for a linear feature and normal noise. The others keep good points from
    hiding behind a bad one.

    In and across the plane of a circle noise may differ, so each direction has a test of its own.
    Of a line in space the two directions may differ and be correlated: Wilks' test.

    Args:
        left_out: the point nearest to the others first.
        others: points that are not tested.
        chance: that a clean set has any point accused.
        least: standard deviation below which scatter is rounding. [m]
        unsure: residuals may be larger, and the others' root mean square less, by that. [m]

    Source: [WILKS63]: outliers are the set that takes most of the determinant of the scatter along.
    """
    from scipy.special import gammaln

    parts = left_out.innovations
    grown = [_grown(part, least, unsure) for part in parts]
    for some in (slice(0, 1), slice(1, None)):  # most sets fail by their first point
        k = np.arange(1, len(grown[0]) + 1)[some]
        sets = gammaln(others + k + 1) - gammaln(k + 1) - gammaln(others + 1)
        limit = np.log(chance * _SINGLE / len(parts)) + (k - 1) * np.log(1.0 - _SINGLE) - sets
        told = [_log_chances(part, g[some], k) for part, g in zip(parts, grown, strict=True)]
        if not np.all(np.any(told <= limit, axis=0)):
            return False
    return True


def _grown(part: Innovations, least: float, unsure: float) -> Array:
    """By how much the first k let the determinant of the others' scatter grow. # (m,)."""
    components, dof = len(part.scatter), part.dof
    values, axes = np.linalg.eigh(part.scatter)
    values = np.maximum(values, 0.0) + dof * least**2
    values = values + 4.0 * _EPS * values[-1]
    root = (axes.T @ part.residuals) / np.sqrt(values)[:, None]  # (c, m)
    if unsure > 0.0:
        lengths, more = np.linalg.norm(root, axis=0), unsure / np.sqrt(values[0])
        spare = 1.0 - np.sqrt(dof) * more
        if spare <= 0.0:
            return np.full(len(lengths), np.inf)
        root = root * (1.0 + more / np.maximum(lengths, more)) / spare
    G = np.cumsum(np.einsum("am,bm->mab", root, root), axis=0)
    grown = 1.0 + np.einsum("maa->m", G)
    if components == 1:
        return np.asarray(grown)
    both = G[:, 0, 0] * G[:, 1, 1]
    more_so = both - G[:, 0, 1] ** 2
    return np.asarray(grown + np.where(more_so > 8.0 * _EPS * both, more_so, 0.0))


def _log_chances(part: Innovations, grown: Array, k: Indices) -> Array:
    """Logarithms of the probabilities that k points let it grow as much or more. # (m,)."""
    components, dof = len(part.scatter), part.dof
    points = np.asarray(k, dtype=np.float64)
    if dof < components:  # too few to tell
        return np.zeros(len(points))
    if components == 1:
        return log_beta(-np.log(grown), 0.5 * dof, points / 2.0)
    return log_beta(-0.5 * np.log(grown), dof - 1.0, points)


def log_beta(log_x: Array, a: float, b: Array) -> Array:
    """Logarithm of the regularised incomplete beta function, from above where it underflows.

    I_x(a, b) = x^a (1-x)^b / (a B(a, b)) Σ x^n (a+b)_n / (a+1)_n, whose terms shrink at least by
    x max(1, (a+b)/(a+1)) each: below the mean, where alone it underflows, a geometric series.

    Args:
        log_x: logarithms of x. # (m,)
        a: above zero.
        b: # (m,)

    Source: DLMF 8.17.8
    """
    from scipy.special import betainc, betaln

    x = np.exp(log_x)
    direct = betainc(a, b, x)
    plain = np.log(np.maximum(direct, _TINY))
    ratio = np.minimum(x * np.maximum((a + b) / (a + 1.0), 1.0), 1.0 - _EPS)
    first = a * log_x + b * np.log1p(-np.minimum(x, 1.0 - _EPS)) - np.log(a) - betaln(a, b)
    chances: Array = np.where(direct > _TINY, plain, np.minimum(first - np.log1p(-ratio), 0.0))
    return chances


# --------------------------------------------------------------------------------- First-order fit

LINEAR_KINDS = ("plane", "sphere", "cylinder", "cone", "torus")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearFit:
    """Derivatives of a fit at its answer.

    Errors δ of the points move the residuals by ν = n·δ and the minimal coordinates by
    -(J Jᵀ)⁻¹ J ν, J being the residuals' derivative (p, k).

    Args:
        normals: gradient of each residual with its point. # (k, 3)
        residuals: # (k,) [m]
        J: # (p, k)
        gain: (J Jᵀ)⁻¹ J. # (p, k)
        slopes: of the derived results with the minimal coordinates, by name. # (d, p)
        values: of the derived results. # (d,)
    """

    normals: Array
    residuals: Array
    J: Array
    gain: Array
    slopes: dict[str, Array]
    values: dict[str, Array]

    def forms(self, errors: Array) -> Array:
        """Form errors of draws. # (draws, k, 3) [m] -> (draws,) [m]."""
        shifts = self._shifts(errors)
        residuals = self.residuals + shifts - (shifts @ self.gain.T) @ self.J
        return np.asarray(np.ptp(residuals, axis=1))

    def drawn(self, name: str, errors: Array) -> Array:
        """A derived result of draws. # (draws, k, 3) [m] -> (draws, d)."""
        steps = -self._shifts(errors) @ self.gain.T
        return np.asarray(self.values[name] + steps @ self.slopes[name].T)

    def _shifts(self, errors: Array) -> Array:
        return np.asarray(np.einsum("dki,ki->dk", errors, self.normals))


def linear_fit(fit: Fit, points: Array) -> LinearFit:
    """Derivatives of a fit of one of ``LINEAR_KINDS``.

    Args:
        fit: by least squares.
        points: that it was fitted to. # (k, 3) [m]
    """
    model = model_of(fit.kind)
    state = model.state_of(fit.shape)
    residuals, J = model.rows(points.T, state)
    level = model.level(state.local(points.T), state.sizes)
    gain = np.asarray(np.linalg.solve(J @ J.T, J), dtype=np.float64)
    derived = model.derived(state)
    return LinearFit(
        normals=(state.R @ level.normal).T,
        residuals=residuals,
        J=J,
        gain=gain,
        slopes={name: slope.slope for name, slope in derived.items()},
        values={name: slope.value for name, slope in derived.items()},
    )
