"""Analysis of a posture: rank, conditioning, lost directions, type, nearest singularity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices, freeze_fields
from robots.core.errors import InverseError
from robots.core.inverse.solver import NewtonSearch, Settings
from robots.core.inverse.task import Target, Task, column_scale, row_scale, scale_length, scaled
from robots.core.joint_samples import joint_ranges, joint_samples, unit_samples
from robots.core.model import Model
from robots.core.pose import rotation_exp

# Singular value, as a share of the largest, that counts as zero: postures are rarely given to more
# digits.
DEFAULT_TOLERANCE = 1e-7
_POSTURES_FOR_RANK = 16
_NEIGHBOURS = 8
_NEARBY = 1e-3  # [rad, or scale lengths]


class SingularityKind(Enum):
    """Kind of singularity of a posture."""

    REGULAR = "regular"
    BOUNDARY = "type 1, at the boundary of the reachable volume"
    INTERIOR = "type 2, inside the reachable volume"

    @property
    def course_type(self) -> int:
        """Type in [COURSE-JAC]; 0 for a regular posture."""
        return {
            SingularityKind.REGULAR: 0,
            SingularityKind.BOUNDARY: 1,
            SingularityKind.INTERIOR: 2,
        }[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestSingularity:
    """A singularity that one joint alone can reach.

    Args:
        joint: its name.
        index: among the movable joints.
        value: where the joint stands there. [rad or m]
        distance: from where it stands now; 0 where the posture is singular because of it.
            [rad or m]
    """

    joint: str
    index: int
    value: float
    distance: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LostDirection:
    """A motion of the tool that no joint speeds produce.

    The tool's twist t = (v; ω) always satisfies covector · t = 0.

    Args:
        covector: of the twist in base axes, linear part first; of unit length in units of the
            scale length. # (6,) [1/m, 1/rad]
        scale_length: that the linear part has been divided by. [m]
    """

    covector: Array
    scale_length: float

    def __post_init__(self) -> None:
        freeze_fields(self, "covector", dtype=np.float64)

    @property
    def linear(self) -> Array:
        """Part that the velocity is taken along, without units. # (3,)."""
        return self.covector[:3] * self.scale_length

    @property
    def angular(self) -> Array:
        """Part that the angular velocity is taken along. # (3,)."""
        return self.covector[3:]

    def __str__(self) -> str:
        force, moment = np.linalg.norm(self.linear), np.linalg.norm(self.angular)
        if moment <= _NEGLIGIBLE:
            return f"no velocity along {named_direction(self.linear)} at the tool"
        if force <= _NEGLIGIBLE:
            return f"no rotation about {named_direction(self.angular)}"
        pitch = self.linear @ self.angular / (force * force) * self.scale_length
        if abs(pitch) <= _NEGLIGIBLE * self.scale_length:
            lever = np.cross(self.linear, self.angular) / (force * force) * self.scale_length
            return (
                f"no velocity along {named_direction(self.linear)} at the point of the tool's body "
                f"that is {numbered(lever)} m from the tool, base axes"
            )
        ratio = moment / force * self.scale_length
        return (
            f"velocity along {named_direction(self.linear)} at the tool only with "
            f"-{ratio:.4g} m/rad times the rotation about {named_direction(self.angular)}"
        )


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
    kind: SingularityKind
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


# ---------------------------------------------------------------------------- Boundary or interior
# The course calls type 1 a singularity at the limit of the reachable volume (arm stretched or
# folded) and type 2 one inside it (axes in line and the like). The criterion here is of second
# order. At a singular posture let u be the lost direction of the task (uᵀJ = 0) and w any self-
# motion (J·w = 0). Moving along w for a time t shifts the tool by ½·t²·uᵀ(J̇w) along u, and by
# nothing at first order.
#
# - The form Q(w) = uᵀ(J̇w) has one strict sign for all self-motions: whatever the joints do, the
#   tool
#   stays on one side of a surface with normal u (splitting lemma). Boundary, type 1.
# - Q takes both signs: the tool can leave to both sides. Interior, type 2.
# - Q has a direction in which it vanishes (axes in line: turning one against the other moves
#   nothing), or several directions are lost at once: second order does not decide. Then the tool is
#   asked to go a little way to both sides, and the numerical inverse tells whether it can.
#
# It is a statement about the branch of postures around q: another branch may reach beyond. Joint
# limits bound the volume as well; they are not singularities and are not looked at here.

# Curvature, without units, below which a self-motion is said not to move the tool.
_FLAT = 1e-6


def kind_of(model: Model, task: Task, q: Array, lost: Array, still: Array) -> SingularityKind:
    """Type of a singular posture.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        q: the posture. # (n,) [rad or m]
        lost: orthonormal lost directions, of the task without units. # (m, d)
        still: orthonormal self-motions, of joints without units. # (n, k)

    Returns:
        REGULAR where nothing is lost.

    Source: [COURSE-JAC] "Singularités cinématiques"; the criterion is our own.
    """
    if not lost.size:
        return SingularityKind.REGULAR
    if lost.shape[1] == 1:
        curvature = self_motion_curvature(model, task, q, still)
        values = np.linalg.eigvalsh(np.einsum("mkl,m->kl", curvature, lost[:, 0]))
        if values[0] > _FLAT or values[-1] < -_FLAT:
            return SingularityKind.BOUNDARY
        if values[0] < -_FLAT and values[-1] > _FLAT:
            return SingularityKind.INTERIOR
    free = all(reaches_both_sides(model, task, q, direction) for direction in lost.T)
    return SingularityKind.INTERIOR if free else SingularityKind.BOUNDARY


def self_motion_curvature(model: Model, task: Task, q: Array, still: Array) -> Array:
    """Second-order shift of the tool under pairs of self-motions, without units. # (m, k, k).

    Entry (·, i, j) is S·(J̇w) polarised: for w = Σ cᵢwᵢ the task's acceleration is Σ cᵢcⱼ entry.
    """
    mechanism = model.mechanism
    length = scale_length(mechanism)
    W = column_scale(mechanism, length)[:, None] * still  # (n, k) [rad or m]
    k = W.shape[1]
    pairs = W[:, :, None] + W[:, None, :]  # (n, k, k)
    bias = _bias(model, q, np.moveaxis(pairs, 0, -1))
    single = _bias(model, q, W.T)
    form = 0.5 * (bias - single[:, None, :] - single[None, :, :])  # (k, k, 6)
    S = task.selection(model.forward(q)[:3, :3])
    rows = row_scale(task, length)[:, None] * S
    return np.asarray(np.einsum("mr,klr->mkl", rows, form).reshape(task.size, k, k))


def _bias(model: Model, q: Array, qd: Array) -> Array:
    return model.bias_acceleration(np.broadcast_to(q, qd.shape), qd)


# ----------------------------------------------------------------------------- Nearest singularity

_SCAN = 181  # postures over a joint's range: 2° of a full turn
_REFINEMENTS = 40  # each shrinks the bracket to 1/φ
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)
_SINGULAR = 1e-6  # smallest singular value without units


def nearest_singularity(
    model: Model, task: Task, q: Array, full_rank: int
) -> NearestSingularity | None:
    """Nearest singularity along the joint axes, within the joint ranges; None if there is none.

    Distances of sliding joints are compared in scale lengths. A singular posture is its own
    nearest: of the joints that lead out of it when moved alone, the one that does so fastest.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        q: posture. # (n,) [rad or m]
        full_rank: rank in general.
    """
    low, high = joint_ranges(model.mechanism, scale_length(model.mechanism))
    low, high = np.minimum(low, q), np.maximum(high, q)
    smallest = _Smallest(model=model, task=task, q=q, full_rank=full_rank)
    unit = column_scale(model.mechanism, scale_length(model.mechanism))
    names = [joint.name for joint in model.mechanism.movable]
    if smallest(np.array([0]), q[:1])[0] <= _SINGULAR:
        step = 1e-3 * unit
        index = int(np.argmax(smallest(np.arange(len(q)), q + step)))
        here = float(q[index])
        return NearestSingularity(joint=names[index], index=index, value=here, distance=0.0)
    joints, values = _zeros(smallest, low, high)
    if not joints.size:
        return None
    best = int(np.argmin(np.abs(values - q[joints]) / unit[joints]))
    index, value = int(joints[best]), float(values[best])
    return NearestSingularity(
        joint=names[index], index=index, value=value, distance=abs(value - float(q[index]))
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Smallest:
    """Singular value number ``full_rank`` with one joint moved."""

    model: Model
    task: Task
    q: Array
    full_rank: int

    def __call__(self, joints: Indices, values: Array) -> Array:
        q = np.broadcast_to(self.q, (len(values), len(self.q))).copy()
        q[np.arange(len(values)), joints] = values
        mechanism = self.model.mechanism
        J = self.task.jacobian(self.model, q)
        s = np.linalg.svd(
            scaled(J, self.task, mechanism, scale_length(mechanism)), compute_uv=False
        )
        return np.asarray(s[:, self.full_rank - 1])


def _zeros(smallest: _Smallest, low: Array, high: Array) -> tuple[Indices, Array]:
    """Joints and values at which the smallest singular value vanishes. # (k,), (k,)."""
    n = len(low)
    grid = low + (high - low) * np.linspace(0.0, 1.0, _SCAN)[:, None]  # (scan, n)
    joints = np.tile(np.arange(n), _SCAN)
    values = smallest(joints, grid.reshape(-1)).reshape(_SCAN, n)
    padded = np.pad(values, ((1, 1), (0, 0)), constant_values=np.inf)
    rows, columns = np.nonzero((values <= padded[:-2]) & (values <= padded[2:]))
    step = (high - low)[columns] / (_SCAN - 1)
    left = np.maximum(grid[rows, columns] - step, low[columns])
    right = np.minimum(grid[rows, columns] + step, high[columns])
    at = _golden_section(smallest, columns, left, right)
    found = smallest(columns, at) <= _SINGULAR
    return columns[found], at[found]


def _golden_section(smallest: _Smallest, joints: Indices, left: Array, right: Array) -> Array:
    """Where each bracketed minimum is. # (k,)."""
    for _ in range(_REFINEMENTS):
        inner = right - _GOLDEN * (right - left)
        outer = left + _GOLDEN * (right - left)
        lower = smallest(joints, inner) < smallest(joints, outer)
        left, right = np.where(lower, left, inner), np.where(lower, outer, right)
    return np.asarray(0.5 * (left + right))


# --------------------------------------------------------------------------------- Lost directions

_NEGLIGIBLE = 1e-6
_AXIS_NAMES = ("x", "y", "z")


def named_direction(vector: Array) -> str:
    """A base axis by name, else the three cosines; a direction and its opposite read alike."""
    unit = vector / np.linalg.norm(vector)
    largest = int(np.argmax(np.abs(unit)))
    if abs(unit[largest]) > 1.0 - _NEGLIGIBLE**2:
        return f"base {_AXIS_NAMES[largest]}"
    return numbered(unit)


def numbered(vector: Array) -> str:
    """Three numbers to four decimals."""
    rounded = np.round(vector, 4) + 0.0  # no negative zeros
    return f"({rounded[0]:g}, {rounded[1]:g}, {rounded[2]:g})"


def lost_directions(J: Array, neighbours: Array, rank: int, full_rank: int) -> Array:
    """Orthonormal directions of a task that this posture loses. # (m, full_rank - rank).

    What no posture can do (a planar arm never leaves its plane) is not counted as lost: among the
    directions that J misses, those are kept that neighbouring postures can best move along.

    Args:
        J: task Jacobian without units at the posture. # (m, n)
        neighbours: the same at postures near by. # (k, m, n)
        rank: of J.
        full_rank: that postures in general have.
    """
    U, _, _ = np.linalg.svd(J)
    missing = U[:, rank:]
    count = full_rank - rank
    if missing.shape[1] == count:
        return missing
    ranges = np.linalg.svd(neighbours)[0][..., :full_rank]  # what neighbours can do (k, m, r)
    reach = np.einsum("md,kmr->kdr", missing, ranges)
    _, vectors = np.linalg.eigh(np.mean(reach @ np.swapaxes(reach, -1, -2), axis=0))
    return np.asarray(missing @ vectors[:, ::-1][:, :count])


# -------------------------------------------------------------------- Numerical test of both sides

_WAY = 1e-3  # [rad, or scale lengths]
_ARRIVED = 0.02  # of the way: at a boundary, all of it is missing
_STARTS = 24
_SPREAD = 0.4  # [rad, or scale lengths] around the posture


def reaches_both_sides(model: Model, task: Task, q: Array, direction: Array) -> bool:
    """Return whether postures around q bring the tool a little way to both sides.

    Limits are not looked at.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        q: posture to leave. # (n,) [rad or m]
        direction: in task coordinates, without units. # (m,)
    """
    length = scale_length(model.mechanism)
    T = model.forward(q)
    twist = (direction / row_scale(task, length)) @ task.selection(T[:3, :3])
    goals = np.stack([_shifted(T, side * _WAY * twist) for side in (1.0, -1.0)])
    spread = 2.0 * unit_samples(_STARTS, model.dof, skip=1) - 1.0
    begun = q + _SPREAD * spread * column_scale(model.mechanism, length)
    free = np.full(model.dof, np.inf)
    search = NewtonSearch(
        model=model,
        targets=Target(task=task, T=np.repeat(goals, _STARTS, axis=0)),
        settings=Settings(
            position_tolerance=_ARRIVED * _WAY * length, angle_tolerance=_ARRIVED * _WAY
        ),
        q=np.concatenate([begun, begun]),
        low=-free,
        high=free,
    )
    search.run()
    return bool(np.all(np.any(search.converged.reshape(2, _STARTS), axis=1)))


def _shifted(T: Array, twist: Array) -> Array:
    moved = np.array(T)
    moved[:3, 3] += twist[:3]
    moved[:3, :3] = rotation_exp(twist[3:]) @ T[:3, :3]
    return moved


_SEARCH_STARTS = 12
_SAME = 1e-4  # joint values nearer than this are one. [rad or m]
_SEARCH_TOLERANCE = 1e-5  # the search brackets a singular value to about 1e-8 rad

# The largest task comes first.
_BY_SIZE = (
    Task.POSE,
    Task.POSITION_AND_AXIS,
    Task.POSITION,
    Task.PLANE_POSE,
    Task.PLANE_POSITION,
    Task.AXIS,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SingularPosture:
    """A posture that one joint, moved alone, brings to a singularity.

    Args:
        joint: its name.
        value: of that joint. [rad or m]
        q: the whole posture. # (n,) [rad or m]
        singularity: what is lost there.
    """

    joint: str
    value: float
    q: Array
    singularity: Singularity


def search_starts(model: Model) -> list[Array]:
    """Postures from which each joint is moved alone, spread over the joint ranges. # of (n,)."""
    length = scale_length(model.mechanism)
    return list(joint_samples(model.mechanism, _SEARCH_STARTS, slide=length, skip=1))


def singular_postures(
    model: Model, task: Task, starts: Iterable[Array] | None = None
) -> Iterator[SingularPosture]:
    """Find singular postures by moving one joint alone.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        starts: postures to start from; left out, those of ``search_starts``. # of (n,)
    """
    names = [joint.name for joint in model.mechanism.movable]
    seen: list[tuple[str, float]] = []
    for q in search_starts(model) if starts is None else starts:
        nearest = analyse(model, q, task).nearest
        if nearest is None or any(
            name == nearest.joint and abs(nearest.value - other) < _SAME for name, other in seen
        ):
            continue
        seen.append((nearest.joint, nearest.value))
        posture = np.array(q)
        posture[names.index(nearest.joint)] = nearest.value
        yield SingularPosture(
            joint=nearest.joint,
            value=nearest.value,
            q=posture,
            singularity=analyse(model, posture, task, tolerance=_SEARCH_TOLERANCE),
        )


def natural_task(model: Model) -> Task:
    """The largest task whose every coordinate the mechanism can move in general."""
    for task in _BY_SIZE:
        if task.size <= model.dof and full_rank(model, task) == task.size:
            return task
    return Task.POSE
