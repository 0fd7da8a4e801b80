"""What a set of datum points holds of a part, and what it leaves free.

Each datum forbids motion along one direction n at one point y. A small motion (v, ω) about the
points' centroid c moves the point along n by n·v + ((y − c)×n)·ω; rows of these coefficients, with
ω taken at the points' lever L so that all columns are lengths, must have rank 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.errors import AlignmentError
from robots.core.arrays import Array

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
