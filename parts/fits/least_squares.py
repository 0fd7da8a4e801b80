"""Least squares on signed distances: Levenberg-Marquardt, then Newton's method near the minimum.

A feature takes part through a ``Model`` (distances and their derivatives) and a ``State`` (its
frame and sizes).

Linear systems are solved from the triangle of an orthogonal (QR) factorisation of the Jacobian
beside the residuals. Only the search from many starts, whose end is a start itself, forms the
normal equations, and only while their columns are far from dependent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, sin, sqrt
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.fit_result import FittedShape
from parts.geometry.surfaces import across
from robots.core.arrays import Array, Indices, Mask, frozen

_FIRST_DAMPING = 1e-4
_CLOSE = 1e-12  # predicted share of the sum of squares: below it the sum cannot judge a step
_ROUNDING = 1e-30  # mean square of residuals that are rounding only, in the points' size
_EXACT = 1e-15  # of the points' size: a step of rounding only
_POLISHING = 12  # steps of Newton's method; it needs two or three
_STALE = 1e-7  # of the points' size: a longer step needs its end's own second-order part
_BLOCK = 256  # rows of a tall matrix that are factorised together
_DIFFERENCE = 1e-5  # of the points' size: central differences of the Jacobian
_APART = 1e-6  # least eigenvalue of the normal equations of columns of length one: digits it costs


class Triangle(NamedTuple):
    """Q J = R and Q r = z for the first p rows, with Q orthogonal."""

    R: Array  # (p, p), upper
    z: Array  # (p,)


class ResidualRows(NamedTuple):
    """Residuals and their derivatives with the minimal coordinates."""

    residuals: Array  # (m,), m = k or, where a residual has two components, 2 k
    jacobian: Array  # (p, m)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureState:
    """A feature's frame and sizes; its axis or normal is the frame's z.

    Args:
        origin: of the frame. # (3,) [unit of the points]
        R: rotation, frame to points. # (3, 3)
        sizes: radii and angles, in the model's order. # (s,)
    """

    origin: Array
    R: Array
    sizes: Array

    @property
    def axis(self) -> Array:
        """The frame's z. # (3,)."""
        return np.asarray(self.R[:, 2])

    def local(self, points: Array) -> Array:
        """Coordinates in the frame. Args: points # (3, k)."""
        # einsum, as BLAS wakes its threads for so flat a product and takes forty times as long
        return np.asarray(np.einsum("ji,jk->ik", self.R, points - self.origin[:, None]))

    def moved(self, freedoms: tuple[int, ...], step: Array) -> FeatureState:
        """A step in the minimal coordinates: shifts and turns about the frame's axes, sizes.

        Args:
            freedoms: which of (t_x, t_y, t_z, ω_x, ω_y, ω_z) the step begins with.
            step: # (len(freedoms) + s,)
        """
        motion = np.zeros(6)
        motion[list(freedoms)] = step[: len(freedoms)]
        return FeatureState(
            origin=self.origin + self.R @ motion[:3],
            R=self.R @ turn(motion[3:]),
            sizes=self.sizes + step[len(freedoms) :],
        )

    def flipped(self) -> FeatureState:
        """The axis reversed, by half a turn about the frame's x."""
        return FeatureState(
            origin=self.origin, R=self.R * np.array([1.0, -1.0, -1.0]), sizes=self.sizes
        )

    def sized(self, *sizes: float) -> FeatureState:
        """Other sizes in the same frame."""
        return FeatureState(origin=self.origin, R=self.R, sizes=np.array(sizes))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Minimum:
    """Final state of the iteration.

    Args:
        state: of the model.
        cost: sum of squares there.
        iterations: linear systems solved.
        ended: the sum of squares could not be made less, within the limit of iterations.
    """

    state: FeatureState
    cost: float
    iterations: int
    ended: bool = True


def triangle_of(rows: ResidualRows) -> Triangle:
    """Factorise. The last column of the triangle of [J r] carries the residuals."""
    p = len(rows.jacobian)
    R = tall_triangle(np.concatenate([rows.jacobian, rows.residuals[None]]).T)
    if len(R) < p + 1:  # fewer residuals than unknowns, or exactly as many
        R = np.concatenate([R, np.zeros((p + 1 - len(R), p + 1))])
    return Triangle(R[:p, :p], R[:p, p])


def tall_triangle(A: Array) -> Array:
    """R of a tall matrix, by blocks whose triangles are factorised again (TSQR).

    Blocks stay in the cache, and below the size from which BLAS starts threads that wait for each
    other on a busy machine. # (m, n) to (min(m, n), n).
    """
    while len(A) > 4 * _BLOCK:
        m, n = A.shape
        padded = np.zeros((-(-m // _BLOCK) * _BLOCK, n))
        padded[:m] = A
        blocks = np.asarray(np.linalg.qr(padded.reshape(-1, _BLOCK, n), mode="r"))
        A = blocks.reshape(-1, n)
    return np.asarray(np.linalg.qr(A, mode="r"), dtype=np.float64)


def rows_at(
    model: FeatureModel, points: Array, state: FeatureState, weights: Array | None
) -> ResidualRows:
    """Residuals and Jacobian, weighted. Args: weights of the squares # (k,)."""
    rows = model.rows(points, state)
    if weights is None:
        return rows
    root = np.sqrt(np.tile(weights, len(rows.residuals) // len(weights)))
    return ResidualRows(root * rows.residuals, root * rows.jacobian)


def minimise(
    model: FeatureModel,
    points: Array,
    start: FeatureState,
    *,
    weights: Array | None = None,
    limit: int = 100,
    close: float = _CLOSE,
) -> Minimum:
    """Levenberg-Marquardt with Nielsen's damping, scaled by the Jacobian's columns.

    Args:
        model: feature.
        points: of size 1. # (3, k)
        start: where to begin.
        weights: of the squares. # (k,)
        limit: of linear systems.
        close: share of the sum of squares that a step must promise; else the minimum is reached.
    """
    state, rows = start, rows_at(model, points, start, weights)
    cost = float(rows.residuals @ rows.residuals)
    floor = _ROUNDING * points.shape[1]
    damping, growth, solved = _FIRST_DAMPING, 2.0, 0
    R, z = triangle_of(rows)
    while solved < limit and cost > floor:
        solved += 1
        step = _damped(R, z, damping)
        predicted = float(z @ z - np.sum((z + R @ step) ** 2))
        if predicted <= close * cost:
            break
        trial = state.moved(model.freedoms, step)
        trial_rows = rows_at(model, points, trial, weights)
        gain = (cost - float(trial_rows.residuals @ trial_rows.residuals)) / predicted
        if gain > 0.0:
            state, rows = trial, trial_rows
            cost = float(rows.residuals @ rows.residuals)
            R, z = triangle_of(rows)
            damping, growth = damping * max(1.0 / 3.0, 1.0 - (2.0 * gain - 1.0) ** 3), 2.0
        else:
            damping, growth = damping * growth, 2.0 * growth
    return Minimum(state=state, cost=cost, iterations=solved, ended=solved < limit)


def minimise_each(
    model: FeatureModel, points: Array, starts: FeatureStates, *, limit: int = 100
) -> list[Minimum]:
    """Run ``minimise`` from several starts, all in step.

    One eigenvalue decomposition of the normal equations serves every damping. A start that comes
    where they would lose digits is minimised alone, from its beginning.

    Args:
        model: feature.
        points: of size 1. # (3, k)
        starts: where to begin.
        limit: of linear systems, for each.
    """
    states = starts.only(np.arange(len(starts)))
    cost, gradient, normal = _products(states.rows_of(model, points))
    floor = _ROUNDING * points.shape[1]
    damping, growth = np.full(len(states), _FIRST_DAMPING), np.full(len(states), 2.0)
    solved = np.zeros(len(states), dtype=np.int64)
    alone = ~np.isfinite(cost)
    waiting = np.flatnonzero((cost > floor) & ~alone)
    while waiting.size:
        N, mu = normal[waiting], damping[waiting, None]
        lengths = np.sqrt(np.einsum("dpp->dp", N))
        lengths[lengths == 0.0] = 1.0
        values, vectors = np.linalg.eigh(N / (lengths[:, :, None] * lengths[:, None]))
        shares = np.einsum("dpe,dp->de", vectors, gradient[waiting] / lengths) / (values + mu)
        predicted = np.einsum("de,de->d", shares * shares, values + 2.0 * mu)
        steps = -np.einsum("dpe,de->dp", vectors, shares) / lengths
        alone[waiting] = ~(values[:, 0] > _APART)
        solved[waiting] += 1
        going = (predicted > _CLOSE * cost[waiting]) & ~alone[waiting]
        waiting, steps, predicted = waiting[going], steps[going], predicted[going]
        if not waiting.size:
            break
        trial = states.only(waiting).moved(model, steps)
        tried = _products(trial.rows_of(model, points))
        gain = (cost[waiting] - tried.cost) / predicted
        good = gain > 0.0
        better, worse = waiting[good], waiting[~good]
        states.origin[better], states.R[better] = trial.origin[good], trial.R[good]
        states.sizes[better], cost[better] = trial.sizes[good], tried.cost[good]
        gradient[better], normal[better] = tried.gradient[good], tried.normal[good]
        damping[better] *= np.maximum(1.0 / 3.0, 1.0 - (2.0 * gain[good] - 1.0) ** 3)
        growth[better] = 2.0
        damping[worse] *= growth[worse]
        growth[worse] *= 2.0
        waiting = waiting[(solved[waiting] < limit) & (cost[waiting] > floor)]
    return [
        minimise(model, points, starts.one(i), limit=limit)
        if alone[i]
        else Minimum(
            state=states.one(i),
            cost=float(cost[i]),
            iterations=int(solved[i]),
            ended=bool(solved[i] < limit),
        )
        for i in range(len(states))
    ]


class _Products(NamedTuple):
    """What the normal equations of several states need."""

    cost: Array  # (d,)
    gradient: Array  # (d, p)
    normal: Array  # (d, p, p)


def _products(rows: BatchRows) -> _Products:
    r, J = rows
    return _Products(
        np.einsum("dm,dm->d", r, r), (J @ r[:, :, None])[:, :, 0], J @ J.transpose(0, 2, 1)
    )


def _damped(R: Array, z: Array, damping: float) -> Array:
    lengths = np.linalg.norm(R, axis=0)
    lengths = np.maximum(lengths, 1e-12 * max(float(lengths.max()), 1e-300))
    system = np.concatenate([R, np.sqrt(damping) * np.diag(lengths)])
    right = np.concatenate([-z, np.zeros(len(z))])
    return np.asarray(np.linalg.lstsq(system / lengths, right, rcond=None)[0] / lengths)


@lru_cache(maxsize=64)
def sampled(count: int, some: int, seed: int) -> Indices:
    """Some of so many points at random, in order: the same ones give the same answer. # (some,)."""
    rows = np.random.default_rng(seed).choice(count, some, replace=False)
    return frozen(np.sort(rows), np.int64)


def condition_of(R: Array) -> float:
    """Of the triangle with columns brought to length one; infinite where one is zero."""
    lengths = np.linalg.norm(R, axis=0)
    if not lengths.min() > 0.0:
        return float("inf")
    s = np.linalg.svd(R / lengths, compute_uv=False)
    return float(s[0] / s[-1]) if s[-1] > 0.0 else float("inf")


def second_order(
    model: FeatureModel, points: Array, state: FeatureState, residuals: Array
) -> Array:
    """Σ r ∇²r, from central differences of the analytic Jacobian with the residuals held.

    The frames of the shifted states are turned a little, which adds multiples of Jᵀr only: nothing
    at a minimum. # (p, p).
    """
    p, count = model.count, points.shape[1]
    steps = _DIFFERENCE * np.eye(p)
    shifted = FeatureStates.of([state]).only(np.zeros(2 * p, dtype=np.intp))
    shifted = shifted.moved(model, np.concatenate([steps, -steps]))
    parts = residuals.reshape(model.components, count)
    gradients = np.zeros((2 * p, p))
    for first in range(0, count, 2 * _BLOCK):  # all shifts of a block stay in the cache
        some = slice(first, first + 2 * _BLOCK)
        J = shifted.rows_of(model, points[:, some]).jacobian
        gradients += J @ parts[:, some].ravel()
    S = (gradients[:p] - gradients[p:]) / (2.0 * _DIFFERENCE)
    return np.asarray(0.5 * (S + S.T))


def curvature_of(R: Array, S: Array) -> Array:
    """The true second derivative beside Gauss-Newton's: I + R⁻ᵀ S R⁻¹. # (p, p)."""
    left = np.linalg.solve(R.T, S)
    M = np.linalg.solve(R.T, left.T)
    return np.asarray(np.eye(len(R)) + 0.5 * (M + M.T))


def newton_step(tri: Triangle, M: Array) -> Array:
    """What Newton's method would still move: -R⁻¹ M⁻¹ z. # (p,)."""
    return -np.asarray(np.linalg.solve(tri.R, np.linalg.solve(M, tri.z)))


class Polished(NamedTuple):
    """A minimum to the last digits, and the derivatives there."""

    state: FeatureState
    rows: ResidualRows
    triangle: Triangle  # of the rows
    least_curvature: float  # least eigenvalue of the true second derivative
    left: float  # length of Newton's next step
    iterations: int


def polish(
    model: FeatureModel, points: Array, state: FeatureState, rows: ResidualRows, triangle: Triangle
) -> Polished:
    """Newton's steps from a minimum that the sum of squares can no longer tell from the true one.

    Steps are taken while each is less than half the one before: then rounding is all that is left.
    A point where the second derivative is not positive is left to the certificate.

    Args:
        model: feature.
        points: of size 1. # (3, k)
        state: near the minimum.
        rows: there.
        triangle: of the rows.
    """
    S = second_order(model, points, state, rows.residuals)
    before, solved = inf, 0
    while True:
        M = curvature_of(triangle.R, S)
        least = float(np.linalg.eigvalsh(M)[0])
        step = newton_step(triangle, M)
        length = float(np.linalg.norm(step))
        ended = solved == _POLISHING or length <= _EXACT or length >= 0.5 * before
        if ended or length > 0.1 or least <= 0.0:
            return Polished(state, rows, triangle, least, length, solved)
        before, solved = length, solved + 1
        state = state.moved(model.freedoms, step)
        rows = model.rows(points, state)
        triangle = triangle_of(rows)
        if length > _STALE:
            S = second_order(model, points, state, rows.residuals)


# ------------------------------------------------------------------------------------------- Model


class Level(NamedTuple):
    """Signed distance of points in the feature's frame, and its gradients."""

    distance: Array  # (k,)
    normal: Array  # with the place, unit, (3, k)
    by_size: Array  # with the sizes, (s, k)


class Slope(NamedTuple):
    """A derived quantity and its derivative with the minimal coordinates."""

    value: Array  # (d,)
    slope: Array  # (d, p)
    unit: str  # "m", "rad" or "1"


@dataclass(frozen=True, slots=True)
class Turns:
    """Columns of the minimal coordinates, by name, for derived quantities.

    Args:
        state: where the derivatives are taken.
        freedoms: of the model.
    """

    state: FeatureState
    freedoms: tuple[int, ...]

    @property
    def count(self) -> int:
        """Of minimal coordinates."""
        return len(self.freedoms) + len(self.state.sizes)

    def origin(self) -> Array:
        """Derivative of the frame's origin. # (3, p)."""
        return self._spread(self.state.R, 0)

    def axis(self) -> Array:
        """Derivative of the axis: R (ω × z). # (3, p)."""
        x, y, _ = self.state.R.T
        return self._spread(np.stack([-y, x, np.zeros(3)], axis=1), 3)

    def size(self, index: int) -> Array:
        """Derivative of a size. # (1, p)."""
        return np.eye(self.count)[[len(self.freedoms) + index]]

    def _spread(self, columns: Array, first: int) -> Array:
        result = np.zeros((3, self.count))
        for column, freedom in enumerate(self.freedoms):
            if first <= freedom < first + 3:
                result[:, column] = columns[:, freedom - first]
        return result


class FeatureModel(ABC):
    """A feature as the least-squares core sees it.

    The frame's motion and the sizes are minimal coordinates: of the six small motions those that
    change the feature. With n the gradient of the distance at q, the frame's shift has the column
    -n and its turn n × q.
    """

    kind: ClassVar[str]
    word: ClassVar[str]  # in sentences
    dimension: ClassVar[int] = 3  # of the points
    freedoms: ClassVar[tuple[int, ...]]
    size_units: ClassVar[tuple[str, ...]] = ()
    components: ClassVar[int] = 1  # of each point's residual
    spread: ClassVar[int]  # directions that the points must span
    hollow: ClassVar[bool] = False  # can be a hole: its outside may be the inner side
    free_axis: ClassVar[bool] = True  # the axis may be named either way

    @property
    def count(self) -> int:
        """Minimal coordinates: the fewest residuals that hold the feature."""
        return len(self.freedoms) + len(self.size_units)

    @property
    def fewest(self) -> int:
        """Fewest points."""
        return self.count

    def rows(self, points: Array, state: FeatureState) -> ResidualRows:
        """Residuals and Jacobian. Args: points # (3, k)."""
        return self.local_rows(state.local(points), state.sizes)

    def local_rows(self, q: Array, sizes: Array) -> ResidualRows:
        """The same from points of the frame, or of d frames; the arguments of ``level``."""
        level = self.level(q, sizes)
        J = np.empty((self.count, *q.shape[1:]))
        n = level.normal
        for row, freedom in enumerate(self.freedoms):
            if freedom < 3:
                np.negative(n[freedom], out=J[row])
            else:
                a, b = (freedom + 1) % 3, (freedom + 2) % 3
                np.subtract(n[a] * q[b], n[b] * q[a], out=J[row])
        J[len(self.freedoms) :] = level.by_size
        return ResidualRows(level.distance, J)

    @abstractmethod
    def level(self, q: Array, sizes: Array) -> Level:
        """Distances and gradients at points of the frame, or of d frames.

        Args:
            q: # (3, k) or (3, d, k)
            sizes: # (s,) or (s, d, 1)
        """

    @abstractmethod
    def starts(self, points: Array) -> FeatureStates:
        """Places to start from, best first. Args: points, centred, of size 1 # (3, k)."""

    def settled(self, state: AnyState) -> AnyState:
        """The same feature, with its origin and axis by convention; the centroid is at zero."""
        return state

    def sound(self, points: Array, state: FeatureState) -> bool:
        """Return whether the state is such a feature and the points lie on its proper sheet."""
        del points
        return bool(np.all(state.sizes > 0.0))

    @abstractmethod
    def shape(self, state: FeatureState, reverse: bool) -> FittedShape:
        """The feature. Args: reverse: its outside is against the frame's gradient."""

    @abstractmethod
    def state_of(self, shape: FittedShape) -> FeatureState:
        """The state of a given feature of this kind: a hint."""

    @abstractmethod
    def derived(self, state: FeatureState) -> dict[str, Slope]:
        """Named results with their derivatives."""


# ------------------------------------------------------------------------------------------- State


def state_about(origin: ArrayLike, axis: ArrayLike, *sizes: float) -> FeatureState:
    """A state whose frame's x is any direction square to the axis."""
    z = np.asarray(axis, dtype=np.float64)
    z = z / np.linalg.norm(z)
    x = across(z)
    (a, b, c), (d, e, f) = z.tolist(), x.tolist()  # plain numbers, as in ``turn``
    R = np.array([[d, b * f - c * e, a], [e, c * d - a * f, b], [f, a * e - b * d, c]])
    return FeatureState(origin=np.array(origin, dtype=np.float64), R=R, sizes=np.array(sizes))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureStates:
    """States of one model: of several measurements, or several starts for one.

    Args:
        origin: # (d, 3)
        R: # (d, 3, 3)
        sizes: # (d, s)
    """

    origin: Array
    R: Array
    sizes: Array

    @classmethod
    def of(cls, states: Sequence[FeatureState]) -> FeatureStates:
        """Several states of one model, at least one."""
        return cls(
            origin=np.array([state.origin for state in states]),
            R=np.array([state.R for state in states]),
            sizes=np.array([state.sizes for state in states]),
        )

    def __len__(self) -> int:
        """Number of states d."""
        return len(self.origin)

    @property
    def axis(self) -> Array:
        """The frames' z. # (d, 3)."""
        return np.asarray(self.R[:, :, 2])

    def one(self, index: int) -> FeatureState:
        """One of them."""
        return FeatureState(origin=self.origin[index], R=self.R[index], sizes=self.sizes[index])

    def only(self, some: Indices | Mask) -> FeatureStates:
        """Some of them."""
        return FeatureStates(origin=self.origin[some], R=self.R[some], sizes=self.sizes[some])

    def local(self, sets: Array) -> Array:
        """Points in their own frames. # (d, k, 3) to (3, d, k)."""
        away = sets - self.origin[:, None]
        return np.ascontiguousarray((away @ self.R).transpose(2, 0, 1))

    def sizes_of_sets(self) -> Array:
        """The sizes, beside the points in their frames. # (s, d, 1)."""
        return np.asarray(self.sizes.T[:, :, None])

    def rows(self, model: FeatureModel, sets: Array) -> BatchRows:
        """Residuals and Jacobians. # sets (d, k, 3)."""
        r, J = model.local_rows(self.local(sets), self.sizes_of_sets())
        return BatchRows(r, J.transpose(1, 0, 2))

    def rows_of(self, model: FeatureModel, points: Array) -> BatchRows:
        """Residuals and Jacobians of the same points in all. # points (3, k)."""
        turned = self.R.transpose(2, 0, 1)
        away = (turned.reshape(-1, 3) @ points).reshape(3, len(self), points.shape[1])
        away -= np.sum(turned * self.origin, axis=2)[:, :, None]
        r, J = model.local_rows(away, self.sizes_of_sets())
        return BatchRows(r, J.transpose(1, 0, 2))

    def moved(self, model: FeatureModel, steps: Array) -> FeatureStates:
        """Steps in the minimal coordinates. # (d, p)."""
        count = len(model.freedoms)
        motion = np.zeros((len(steps), 6))
        motion[:, list(model.freedoms)] = steps[:, :count]
        return FeatureStates(
            origin=self.origin + np.einsum("dij,dj->di", self.R, motion[:, :3]),
            R=self.R @ _turns(motion[:, 3:]),
            sizes=self.sizes + steps[:, count:],
        )


AnyState = TypeVar("AnyState", FeatureState, FeatureStates)


def along_axis(state: AnyState) -> Array:
    """The origin's part along the axis, from the centroid, which is at zero. # (3,) or (d, 3)."""
    axis = state.axis
    return np.asarray(np.sum(state.origin * axis, axis=-1, keepdims=True) * axis)


class BatchRows(NamedTuple):
    """Residuals of several states and their derivatives."""

    residuals: Array  # (d, m)
    jacobian: Array  # (d, p, m)


def turn(omega: Array) -> Array:
    """Rotation by a rotation vector (Rodrigues). # (3,) [rad] to (3, 3)."""
    x, y, z = omega.tolist()  # plain numbers: a fit turns hundreds of times
    angle = sqrt(x * x + y * y + z * z)
    along, half = _sinc(angle), _sinc(0.5 * angle)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + along * K + 0.5 * half**2 * (K @ K))


def _sinc(x: float) -> float:
    """sin(x)/x; a runaway step has none."""
    return sin(x) / x if 0.0 < x < inf else 1.0


def _turns(omega: Array) -> Array:
    """Rotations by rotation vectors (Rodrigues). # (d, 3) [rad] to (d, 3, 3)."""
    half = 0.5 * np.sqrt(np.sum(omega * omega, axis=1))[:, None, None]
    half = np.maximum(half, np.finfo(float).tiny)
    sinc = np.sin(half) / half
    K = np.zeros((len(omega), 3, 3))
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = omega.T
    K -= K.transpose(0, 2, 1)
    return np.asarray(np.eye(3) + sinc * np.cos(half) * K + 0.5 * sinc**2 * (K @ K))
