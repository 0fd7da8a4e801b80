"""What a posture can and cannot do: rank along the chain, conditioning, lost directions, type."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices, freeze_fields
from robots.core.errors import InverseError
from robots.core.inverse.scaling import column_scale, scale_length, scaled
from robots.core.inverse.task import Task
from robots.core.joint_samples import joint_samples, unit_samples
from robots.core.model import Model
from robots.core.singularities.directions import LostDirection, lost_directions
from robots.core.singularities.kinds import Kind, kind_of
from robots.core.singularities.nearest import NearestSingularity, nearest_singularity

# Singular value, as a share of the largest, that counts as zero: postures are rarely given to more
# digits.
DEFAULT_TOLERANCE = 1e-7
_POSTURES_FOR_RANK = 16
_NEIGHBOURS = 8
_NEARBY = 1e-3  # [rad, or scale lengths]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Singularity:
    """A posture seen by a task. Singular values are of the Jacobian in units of the scale length.

    Args:
        rank: of the task Jacobian.
        full_rank: that postures of this mechanism in general have.
        chain_ranks: rank of the Jacobian truncated after each joint. # (n,)
        singular_values: largest first. # (min(m, n),)
        condition: largest singular value over that of number ``full_rank``; inf when singular.
        manipulability: product of the first ``full_rank`` singular values.
        scale_length: [m]
        lost: directions that this posture loses.
        kind: regular, type 1 or type 2.
        nearest: joint that, moved alone, reaches a singularity soonest; None if no joint does.

    Source: [LAMMARI12] §III.2.3; [COURSE-JAC] "Singularités cinématiques"
    """

    rank: int
    full_rank: int
    chain_ranks: Indices
    singular_values: Array
    condition: float
    manipulability: float
    scale_length: float
    lost: tuple[LostDirection, ...]
    kind: Kind
    nearest: NearestSingularity | None

    def __post_init__(self) -> None:
        freeze_fields(self, "chain_ranks", "singular_values")

    @property
    def order(self) -> int:
        """Number of motions that are lost."""
        return self.full_rank - self.rank

    @property
    def singular(self) -> bool:
        """Whether any is."""
        return self.order > 0


def analyse(
    model: Model, q: ArrayLike, task: Task = Task.POSE, *, tolerance: float = DEFAULT_TOLERANCE
) -> Singularity:
    """Rank, conditioning, lost directions and type of a posture.

    Args:
        model: of the mechanism.
        q: one posture. # (n,) [rad or m]
        task: what of the tool counts.
        tolerance: singular value, as a share of the largest, that counts as zero.

    Raises:
        InverseError: a posture that is not finite or has a wrong length, a tolerance out of range.
    """
    posture = _checked_posture(model, q)
    if not 0.0 < tolerance < 1.0:
        raise InverseError(f"The tolerance is {tolerance!r}; it is a share, between 0 and 1.")
    J = _scaled(model, task, posture)
    values: Array = np.linalg.svd(J, compute_uv=False).astype(np.float64)
    limit = tolerance * float(values[0])
    chain = np.array([np.linalg.matrix_rank(J[:, : k + 1], tol=limit) for k in range(model.dof)])
    rank = int(chain[-1])
    full = max(rank, full_rank(model, task))
    directions = lost_directions(J, _neighbours(model, task, posture), rank, full)
    still = np.linalg.svd(J)[2][rank:].T
    return Singularity(
        rank=rank,
        full_rank=full,
        chain_ranks=chain,
        singular_values=values,
        condition=_condition(values, rank, full),
        manipulability=float(np.prod(values[:full])),
        scale_length=scale_length(model.mechanism),
        lost=tuple(_lost(model, task, posture, u) for u in directions.T),
        kind=kind_of(model, task, posture, directions, still),
        nearest=nearest_singularity(model, task, posture, full),
    )


def full_rank(model: Model, task: Task) -> int:
    """Rank of the task Jacobian at postures in general: the highest of an even spread."""
    length = scale_length(model.mechanism)
    # The first point of the spread is mid-range, where many arms are singular.
    q = joint_samples(model.mechanism, _POSTURES_FOR_RANK, slide=length, skip=1)
    return int(np.max(np.linalg.matrix_rank(_scaled(model, task, q), rtol=DEFAULT_TOLERANCE)))


def _scaled(model: Model, task: Task, q: Array) -> Array:
    length = scale_length(model.mechanism)
    return scaled(task.jacobian(model, q), task, model.mechanism, length)


def _condition(values: Array, rank: int, full: int) -> float:
    if rank < full or full == 0:
        return float("inf")
    return float(values[0] / values[full - 1])


def _neighbours(model: Model, task: Task, q: Array) -> Array:
    offsets = 2.0 * unit_samples(_NEIGHBOURS, model.dof, skip=1) - 1.0
    unit = column_scale(model.mechanism, scale_length(model.mechanism))
    return _scaled(model, task, q + _NEARBY * offsets * unit)


def _lost(model: Model, task: Task, q: Array, direction: Array) -> LostDirection:
    length = scale_length(model.mechanism)
    rows = np.where(task.linear, 1.0 / length, 1.0) * direction
    S = task.selection(model.forward(q)[:3, :3])
    return LostDirection(covector=rows @ S, scale_length=length)


def _checked_posture(model: Model, q: ArrayLike) -> Array:
    posture = np.asarray(q, dtype=np.float64)
    if posture.shape != (model.dof,):
        raise InverseError(
            f"The posture has shape {posture.shape}; give one of {model.dof} joint values.",
            found=posture.shape,
            expected=(model.dof,),
        )
    if not np.all(np.isfinite(posture)):
        raise InverseError("The posture holds a value that is not finite.")
    return posture
