"""Gauss-Newton refinement of a part's pose, and the freedoms that datum points constrain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from parts.alignment.alignment import (
    Alignment,
    Convergence,
    inverse,
    move_points,
    orthonormal,
    pose_of,
    rotation_of,
    weighted_rms,
)
from parts.errors import AlignmentError
from robots.core.arrays import Array

MOST_ITERATIONS = 200
_STEP = 1e-13  # of the part's size: the rounding of positions, so nothing more can be gained
_NOTHING = 1e-15  # of the cost: what a step could still gain is its rounding
_HOPELESS = 1e12  # damping: a step this short finds no lower cost because there is none
_DIFFERENCE = 1e-4  # of the lever: balances truncation and rounding of a central difference


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contacts:
    """Measured points in the part frame, on their nominal surfaces.

    Args:
        normals: gradient of the residual. # (k, 3) unit
        residuals: signed distances. # (k,) [m]
    """

    normals: Array
    residuals: Array


Meeting = Callable[[Array], Contacts]


def refine(
    meet: Meeting, measured: Array, weights: Array, T_start: Array, *, what: str, method: str
) -> Alignment:
    """Minimise Σ w r² over the pose; every step solves for the small motion of the points.

    Steps that do not lower the sum are damped (Levenberg, Marquardt). The answer is where the
    Gauss-Newton step that is left, or what it could still gain, is rounding.

    Args:
        meet: from points in the part frame to residuals and normals.
        measured: points in the base frame. # (k, 3) [m]
        weights: of the squared residuals. # (k,)
        T_start: first guess of T_base_part. # (4, 4)
        what: of the datum points, for messages, plural.
        method: name of the fit.

    Raises:
        AlignmentError: a motion that stays free, or no convergence.
    """
    fit = _Fit(meet=meet, measured=measured, weights=weights, what=what)
    state, iterations = fit.settled(_State.at(meet, inverse(T_start), measured, weights))
    return Alignment(
        T_base_part=inverse(state.T_part_base),
        residuals=state.contacts.residuals,
        rms=weighted_rms(state.contacts.residuals, weights),
        condition=_condition(state, weights, what),
        method=method,
        convergence=Convergence(
            iterations=iterations,
            step=float(np.linalg.norm(state.step(0.0)[0])),
            least_curvature=_least_curvature(state, meet, weights),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fit:
    """The constants of an iteration."""

    meet: Meeting
    measured: Array
    weights: Array
    what: str

    def settled(self, state: _State) -> tuple[_State, int]:
        """The state where no step gains anything, and the number of steps tried."""
        size = float(np.abs(state.points).max()) or 1.0
        damping, length = 0.0, 0.0
        for iteration in range(1, MOST_ITERATIONS + 1):
            step, gain = state.step(damping)
            length = float(np.linalg.norm(step))
            trial = state.after(self.meet, step, self.measured, self.weights)
            if trial.cost <= state.cost:
                state, damping = trial, damping / 10.0 if damping > 1e-9 else 0.0
            else:
                damping = max(10.0 * damping, 1e-6)
            spent = gain <= _NOTHING * state.cost and damping == 0.0
            if length <= _STEP * size or spent or damping > _HOPELESS:
                return state, iteration
        raise _unsettled(state, length, self.what)


def _unsettled(state: _State, length: float, what: str) -> AlignmentError:
    return AlignmentError(
        f"The fit of {what} did not settle in {MOST_ITERATIONS} iterations: the last step was "
        f"{length:.3g} m, the rms residual is {np.sqrt(state.cost):.3g} m. Start nearer: give "
        "three point pairs first.",
        iterations=MOST_ITERATIONS,
        step=length,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _State:
    """One pose with its residuals; ``cost`` is their weighted mean square."""

    T_part_base: Array
    points: Array
    contacts: Contacts
    cost: float
    rows: Array
    centre: Array
    lever: float
    root: Array

    @classmethod
    def at(cls, meet: Meeting, T: Array, measured: Array, weights: Array) -> _State:
        points = move_points(T, measured)
        contacts = meet(points)
        conditions = constraints_of(points, contacts.normals, weights)
        root = np.sqrt(weights / weights.sum())
        return cls(
            T_part_base=T,
            points=points,
            contacts=contacts,
            cost=float(np.sum((root * contacts.residuals) ** 2)),
            rows=conditions.rows,
            centre=conditions.centre,
            lever=conditions.lever,
            root=root,
        )

    def gradient(self) -> Array:
        """Of half the cost for a motion (v, L·ω). # (6,) [m]."""
        return np.asarray(self.rows.T @ (self.root * self.contacts.residuals))

    def step(self, damping: float) -> tuple[Array, float]:
        """The damped Gauss-Newton motion (v, L·ω), and how far it should lower the cost."""
        U, s, Vt = np.linalg.svd(self.rows, full_matrices=False)
        seen = U.T @ (self.root * self.contacts.residuals)
        held = s > 1e-12 * s[0]
        factor = np.where(held, s / (s**2 + damping * s[0] ** 2 + (~held)), 0.0)
        return -(Vt.T @ (factor * seen)), float(np.sum((seen * held) ** 2))

    def after(self, meet: Meeting, motion: Array, measured: Array, weights: Array) -> _State:
        """The state after a small motion of the points about their centroid."""
        R = rotation_of(motion[3:] / self.lever)
        turn = pose_of(R, self.centre + motion[:3] - R @ self.centre)
        T = turn @ self.T_part_base
        T[:3, :3] = orthonormal(T[:3, :3])
        return _State.at(meet, T, measured, weights)


def _condition(state: _State, weights: Array, what: str) -> float:
    """How well the points hold the part, seen at their feet on the surface.

    Raises:
        AlignmentError: a motion stays free.
    """
    feet = state.points - state.contacts.residuals[:, None] * state.contacts.normals
    held = constraints_of(feet, state.contacts.normals, weights)
    require_full_rank(held, what)
    return held.condition


def _least_curvature(state: _State, meet: Meeting, weights: Array) -> float:
    """Smallest over largest eigenvalue of the second derivative, by central differences."""
    H = np.empty((6, 6))
    for axis in range(6):
        motion = np.zeros(6)
        motion[axis] = _DIFFERENCE * state.lever
        ends = [
            _Probe(state=state, motion=sign * motion).gradient(meet, weights) for sign in (1, -1)
        ]
        H[axis] = (ends[0] - ends[1]) / (2.0 * motion[axis])
    values = np.linalg.eigvalsh(0.5 * (H + H.T))
    return float(values[0] / values[-1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Probe:
    """The gradient a small motion away, for motions about the centre of the unmoved state."""

    state: _State
    motion: Array

    def gradient(self, meet: Meeting, weights: Array) -> Array:
        state = self.state
        arms = state.points - state.centre
        points = (
            state.centre + self.motion[:3] + arms @ rotation_of(self.motion[3:] / state.lever).T
        )
        contacts = meet(points)
        turned = np.cross(points - state.centre, contacts.normals) / state.lever
        rows = np.hstack([contacts.normals, turned])
        return np.asarray((weights / weights.sum() * contacts.residuals) @ rows)


# --------------------------------------------------------------------- Constraints of datum points
# Each datum forbids motion along one direction n at one point y. A small motion (v, ω) about the
# points' centroid c moves the point along n by n·v + ((y − c)×n)·ω; rows of these coefficients,
# with ω taken at the points' lever L so that all columns are lengths, must have rank 6.

WORST_CONDITION = 1e6  # beyond it a micrometre of reading becomes a metre of pose
_ZERO = 1e-6  # of unit vectors that come out of a null space


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Constraints:
    """Linearised datum conditions.

    Args:
        rows: coefficients of (v, L·ω), weighted by the root of the weights. # (k, 6)
        centre: that rotations turn about: the points' centroid. # (3,) [m]
        lever: root mean square distance of the points from it. [m]
    """

    rows: Array
    centre: Array
    lever: float

    @property
    def condition(self) -> float:
        """Largest over smallest singular value; infinite when a motion is free."""
        values = np.linalg.svd(self.rows, compute_uv=False)
        if len(values) < 6 or values[-1] <= values[0] * np.finfo(np.float64).eps:
            return float("inf")
        return float(values[0] / values[-1])


def constraints_of(points: Array, normals: Array, weights: Array) -> Constraints:
    """Conditions of datum points. Args: points, normals # (k, 3); weights # (k,)."""
    share = weights / weights.sum()
    centre = share @ points
    arms = points - centre
    spread = float(np.sqrt(share @ np.sum(arms**2, axis=1)))
    lever = spread if spread > 0.0 else 1.0
    rows = np.hstack([normals, np.cross(arms, normals) / lever])
    return Constraints(rows=np.sqrt(share)[:, None] * rows, centre=centre, lever=lever)


def require_full_rank(constraints: Constraints, what: str) -> None:
    """Refuse datum points that leave a motion of the part free.

    Raises:
        AlignmentError: with every free motion and the reason.
    """
    condition = constraints.condition
    if condition <= WORST_CONDITION:
        return
    free = free_motions(constraints)
    raise AlignmentError(
        f"{what} do not hold the part: {'; '.join(free)}. Condition {condition:.3g}, limit "
        f"{WORST_CONDITION:g}. Add points, with other directions, that forbid these motions.",
        free=free,
        condition=condition,
        limit=WORST_CONDITION,
    )


def free_motions(constraints: Constraints) -> tuple[str, ...]:
    """Every motion that the datum points leave free, in words; none when they hold the part."""
    _, values, Vt = np.linalg.svd(constraints.rows, full_matrices=True)
    full = np.zeros(6)
    full[: len(values)] = values
    null = Vt[full <= full[0] / WORST_CONDITION]
    if not len(null):
        return ()
    slides, turns = _split(null)
    reason = _reason(constraints.rows[:, :3])
    told = [f"it can slide along {_axis_text(v[:3])}{reason}" for v in slides]
    if not len(turns):
        return tuple(told)
    pivot = _pivot(turns, slides, constraints)
    return (*told, *(_turn(motion, slides, pivot, constraints) for motion in turns))


def _split(null: Array) -> tuple[Array, Array]:
    """Free motions as pure translations and the rest. # (a, 6), (b, 6)."""
    U, values, _ = np.linalg.svd(null[:, 3:], full_matrices=True)
    turning = np.zeros(len(null), dtype=bool)
    turning[: len(values)] = values > _ZERO
    mixed = U.T @ null
    return mixed[~turning], mixed[turning]


def _turn(motion: Array, slides: Array, pivot: Array, constraints: Constraints) -> str:
    v, omega = motion[:3], motion[3:] / constraints.lever
    for slide in slides:
        v = v - (v @ slide[:3]) * slide[:3] / (slide[:3] @ slide[:3])
    speed = float(np.linalg.norm(omega))
    axis = omega / speed
    pitch = float(axis @ v) / speed
    along = f" while it slides {pitch:.3g} m/rad" if abs(pitch) > _ZERO * constraints.lever else ""
    return f"it can turn about {_axis_text(axis)} through {_point_text(pivot)} m{along}"


def _pivot(turns: Array, slides: Array, constraints: Constraints) -> Array:
    """The point nearest to the centroid that no turn moves, but along its axis or a slide. # (3,).

    Motion (v, ω) moves the point c + r by v + ω×r.
    """
    across = np.eye(3)
    for slide in slides:
        d = slide[:3] / np.linalg.norm(slide[:3])
        across -= np.outer(d, d)
    rows, targets = [], []
    for motion in turns:
        x, y, z = motion[3:] / constraints.lever
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        rows.append(across @ cross)
        targets.append(-across @ motion[:3])
    offset = np.linalg.lstsq(np.vstack(rows), np.concatenate(targets), rcond=_ZERO)[0]
    return np.asarray(constraints.centre + offset)


def _reason(weighted_normals: Array) -> str:
    values = np.linalg.svd(weighted_normals, compute_uv=False)
    rank = int(np.sum(values > values[0] / WORST_CONDITION))
    if rank == 1:
        return " (all directions are parallel)"
    return " (all directions lie in one plane)" if rank == 2 else ""


def _axis_text(vector: Array) -> str:
    """A direction either way, so its first entry is written without sign."""
    first = vector[np.flatnonzero(np.abs(vector) >= _ZERO)[0]]
    return _point_text(np.sign(first) * vector)


def _point_text(vector: Array) -> str:
    values = np.where(np.abs(vector) < _ZERO * np.abs(vector).max(), 0.0, vector) + 0.0
    return "(" + ", ".join(f"{x:.4g}" for x in values) + ")"
