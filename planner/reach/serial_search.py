"""Postures that bring the ball to places along axes: a search from many starts.

Damped steps are made from many starts at once. Starts are postures spread evenly through the joint
ranges; of a pool of them each target takes the nearest by what is left to do, and some that are
far, so that every branch has its chance. Joint limits are no wall to the search: a whole turn, or
the robot's spare motion, may bring a posture back; what stays outside is judged later, in numbers.

Source: [LAMMARI12] §II.6.2 for the iteration; the damping, half the squared gap, is that of the
    error-damped pseudo-inverse (Sugihara 2011, IEEE Trans. Robotics 27(5)), own implementation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.equations.tree import tree_of
from robots.core.errors import InverseError
from robots.core.inverse.task import column_scale, scale_length
from robots.core.joint_samples import joint_ranges, joint_samples
from robots.core.kernels.loop import Loop
from robots.core.mechanism import Mechanism
from robots.core.model import Model

if TYPE_CHECKING:
    from robots.core.chain_inverse.names import BranchNames

STARTS, ROUGH_STARTS = 40, 16  # per target; where many poses of a part are compared
_SPREAD = 8  # of them, the same for every target; the others are the nearest of the pool
_POOL = 2048
_ITERATIONS = 60
_LONGEST = 0.7  # step of any joint in one iteration, in units of the joint
_REACHED = 1e-10  # squared gap from which steps are without damping
_LEAST_DAMPING = 1e-14
POLISH = 4  # nearly undamped steps at the end: each doubles the digits
REACHED_POSITION = 1e-9  # [m] largest error of a posture that counts as one
REACHED_ANGLE = 1e-9  # [rad]
# Annotations stay out of the loops' way: these are arrays of doubles and numbers.
A = Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attempts:
    """Where the search came to, target by target.

    Args:
        q: # (k, starts, n) [rad or m]
        position: what is left to the ball's place. # (k, starts) [m]
        angle: what is left to the axis. # (k, starts) [rad]
        gap: both, without units, squared. # (k, starts)
    """

    q: Array
    position: Array
    angle: Array
    gap: Array

    @property
    def reached(self) -> Mask:
        """Which are at their targets. # (k, starts)."""
        near = self.position <= REACHED_POSITION
        return np.asarray(near & (self.angle <= REACHED_ANGLE))


class SerialSearch:
    """The search of one robot.

    Args:
        task: of the robot.
        seed: another one takes other starts.
        starts: per target.
    """

    def __init__(self, task: SerialTask, seed: int, starts: int = STARTS) -> None:
        self.task, self.starts = task, starts
        self._pool = joint_samples(
            task.mechanism, _POOL, slide=task.length, skip=_POOL * (seed - 1)
        )
        self._posed = task.posed(self._pool)

    def attempts(self, balls: Array, axes: Array) -> Attempts:
        """Search from every start.

        Args:
            balls: # (k, 3) [m]
            axes: # (k, 3) unit
        """
        k, n = len(balls), self.task.model.dof
        starts = self._pool[self._nearest(balls, axes)].reshape(-1, n)
        balls, axes = (np.repeat(each, self.starts, axis=0) for each in (balls, axes))
        q = self._run(starts, balls, axes)
        twists = self.task.gap(self.task.posed(q), balls, axes)
        return Attempts(
            q=q.reshape(k, self.starts, n),
            position=np.linalg.norm(twists[:, :3], axis=1).reshape(k, self.starts),
            angle=np.linalg.norm(twists[:, 3:], axis=1).reshape(k, self.starts),
            gap=self.task.without_units(twists).reshape(k, self.starts),
        )

    def _nearest(self, balls: Array, axes: Array) -> Indices:
        """Starts of each target: some of the pool's first, then the nearest. # (k, starts)."""
        away = np.sum(balls**2, axis=1)[:, None] - 2.0 * balls @ self._posed.balls.T
        away = away + np.sum(self._posed.balls**2, axis=1)
        cosine = axes @ self._posed.rotations[:, :, 2].T
        distance = away / self.task.length**2 + np.arccos(np.clip(cosine, -1.0, 1.0)) ** 2
        distance[:, :_SPREAD] = -1.0
        return np.argsort(distance, axis=1, kind="stable")[:, : self.starts]

    def _run(self, q: Array, balls: Array, axes: Array) -> Array:
        q = q.copy()
        active = np.arange(len(q))
        for _ in range(_ITERATIONS):
            left = self._step(q, active, balls, axes)
            active = active[left > _REACHED]
            if active.size == 0:
                break
        return polished(self.task, q, balls, axes)

    def _step(self, q: Array, active: Indices, balls: Array, axes: Array) -> Array:
        """One damped step of some rows; what was left before it. # (active,)."""
        at = self.task.posed(q[active])
        twists = self.task.gap(at, balls[active], axes[active])
        left = self.task.without_units(twists)
        steps = self.task.damped(at, twists, 0.5 * left + _LEAST_DAMPING)
        longest = np.max(np.abs(steps) / self.task.units, axis=1, keepdims=True)
        q[active] += steps * np.minimum(1.0, _LONGEST / np.maximum(longest, _LONGEST))
        return left


def polished(task: SerialTask, q: Array, balls: Array, axes: Array, steps: int = POLISH) -> Array:
    """Postures brought the last way to their targets by least steps. # (m, n)."""
    for _ in range(steps):
        at: Posed = task.posed(q)
        twists = task.gap(at, balls, axes)
        size = task.without_units(twists)
        q = q + task.damped(at, twists, 0.5 * size * size + _LEAST_DAMPING * np.minimum(size, 1.0))
    return q


def damped_steps(posed: A, wanted: A, bench: A, steps: A) -> None:
    """Steps Aᵀ(AAᵀ + damping)⁻¹ b towards twists, in the joints' own units.

    Args:
        posed: postures. # (m, 16 + 6n)
        wanted: displacement and turning still to make, then the damping. # (m, 7) [m, rad]
        bench: of five rows at least.
        steps: result. # (m, n) [rad or m]
    """
    n = steps.shape[1]
    work = bench[1:]
    for i in range(posed.shape[0]):
        for r in range(TASK):
            for j in range(n):
                work[r, j] = _entry(posed[i], r, j, n) * bench[0, j]
                if r < 3:
                    work[r, j] /= bench[0, n]
            work[r, n + TASK] = _part(posed[i], wanted[i], r)
            if r < 3:
                work[r, n + TASK] /= bench[0, n]
        for r in range(TASK):
            for c in range(r + 1):
                total = wanted[i, 6] if r == c else 0.0
                for j in range(n):
                    total += work[r, j] * work[c, j]
                work[r, n + c] = total
        _solve_symmetric(work, n)
        for j in range(n):
            total = 0.0
            for r in range(TASK):
                total += work[r, j] * work[r, n + TASK]
            steps[i, j] = total * bench[0, j]


_DAMPED = Loop(damped_steps, "f8[2] f8[2] f8[2] f8[2]")


def square_solutions(posed: A, twists: A, free: A, bench: A, steps: A) -> None:
    """Steps of the free joints that make twists, the other joints held; NaN where singular.

    Args:
        posed: postures. # (m, 16 + 6n)
        twists: # (m, 6) [m, rad]
        free: joints that move, as many as there are rows: 5 or 6. # (rows,)
        bench: of as many rows.
        steps: result; entries of held joints are left as they are. # (m, n) [rad or m]
    """
    n, rows = steps.shape[1], free.shape[0]
    work = bench[1:]
    for i in range(posed.shape[0]):
        _fill(posed[i], free, bench)
        for r in range(rows):
            work[r, rows] = _part(posed[i], twists[i], r)
            if r < 3:
                work[r, rows] /= bench[0, n]
        sign = _eliminate(work, rows, rows + 1)
        for c in range(rows):
            steps[i, free[c]] = work[c, rows] * bench[0, free[c]] if sign != 0.0 else math.nan


_SQUARE = Loop(square_solutions, "f8[2] f8[2] i8[1] f8[2] f8[2]")


def conditions(posed: A, free: A, bench: A, found: A) -> None:
    """Signed distance of square systems from singular: ± rows / (|A|·|A⁻¹|), Frobenius norms.

    One where every direction costs the same, zero where one is lost; the sign is that of the
    determinant, so it changes on the way through a singularity.

    Args:
        posed: postures. # (m, 16 + 6n)
        free: joints that move. # (rows,)
        bench: of as many rows.
        found: result. # (m,)
    """
    rows = free.shape[0]
    work = bench[1:]
    for i in range(posed.shape[0]):
        _fill(posed[i], free, bench)
        size = 0.0
        for r in range(rows):
            for c in range(rows):
                size += work[r, c] * work[r, c]
                work[r, rows + c] = 1.0 if r == c else 0.0
        sign = _eliminate(work, rows, 2 * rows)
        inverse = 0.0
        for r in range(rows):
            for c in range(rows, 2 * rows):
                inverse += work[r, c] * work[r, c]
        found[i] = 0.0
        if sign != 0.0 and size * inverse < math.inf:
            found[i] = sign * rows / math.sqrt(size * inverse)


# ------------------------------------------------------------------------------------- Serial task
# The task is the ball's position and the direction of the probe axis: five rows. A robot of more
# joints has motion to spare. On a probing line that freedom is taken away by a rule that makes the
# path unique: the turn about the probe axis is held, and of every joint beyond six one is locked
# (see ``free_joints``). What is left is a square system.

_CONDITIONS = Loop(conditions, "f8[2] i8[1] f8[2] f8[1]")
_TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posed:
    """Postures with where they bring the tool.

    Args:
        q: # (m, n) [rad or m]
        rows: T_base_tool and the Jacobian at the tool in base axes, both row by row.
            # (m, 16 + 6n)
    """

    q: Array
    rows: Array

    @property
    def rotations(self) -> Array:
        """Orientation of the tool. # (m, 3, 3)."""
        return self.rows[:, :16].reshape(-1, 4, 4)[:, :3, :3]

    @property
    def balls(self) -> Array:
        """Ball centres. # (m, 3) [m]."""
        return self.rows[:, 3:12:4]

    @property
    def jacobians(self) -> Array:
        """At the tool, base axes. # (m, 6, n)."""
        return self.rows[:, 16:].reshape(len(self.q), 6, self.q.shape[1])


class SerialTask:
    """Position and axis for one robot.

    Args:
        mechanism: any serial robot of five joints or more.

    Raises:
        InverseError: the robot cannot bring a ball to a place along a direction.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.model = Model(mechanism, "compiled")
        self.length = scale_length(mechanism)
        self.units = column_scale(mechanism, self.length)
        self.free = free_joints(self.model, self.units, self.length)

    @property
    def mechanism(self) -> Mechanism:
        """The robot."""
        return self.model.mechanism

    @property
    def holds_roll(self) -> bool:
        """Whether the turn about the probe axis is held on a line; five joints cannot."""
        return self.free.size > TASK

    @property
    def spare(self) -> int:
        """Motions that the task leaves free."""
        return self.model.dof - TASK

    @cached_property
    def middle(self) -> Array:
        """Posture in the middle of the joint ranges. # (n,) [rad or m]."""
        low, high = joint_ranges(self.mechanism, self.length)
        return np.asarray((low + high) / 2.0)

    @cached_property
    def branch_names(self) -> BranchNames | None:
        """Names of the inverse's branches; None of a robot whose inverse cannot be derived."""
        from robots.core.chain_inverse.names import BranchNames

        try:
            return BranchNames(self.mechanism, "compiled")
        except InverseError:
            return None

    @cached_property
    def angular(self) -> Mask:
        """Which joints turn. # (n,)."""
        return np.array([joint.kind.angular for joint in self.mechanism.movable])

    def posed(self, q: Array) -> Posed:
        """Tool poses and Jacobians of postures. # (m, n)."""
        m, n = q.shape
        poses, jacobians = self.model.forward(q), self.model.jacobian(q)
        rows = np.concatenate([poses.reshape(m, 16), jacobians.reshape(m, 6 * n)], axis=1)
        return Posed(q=q, rows=rows)

    def gap(self, at: Posed, balls: Array, axes: Array) -> Array:
        """Twist still to make: the smallest turn onto the axis, none about it. # (m, 6) [m, rad].

        Args:
            at: postures.
            balls: where the ball shall be. # (m, 3) [m]
            axes: where the tool's z axis shall point. # (m, 3)
        """
        z = at.rotations[:, :, 2]
        cross = np.cross(z, axes)
        sine, cosine = np.linalg.norm(cross, axis=1), np.sum(z * axes, axis=1)
        # Straight away from it any axis across will do: the tool's own x.
        opposite = (sine < 1e-9) & (cosine < 0.0)
        cross = np.where(opposite[:, None], at.rotations[:, :, 0], cross)
        sine = np.where(opposite, 1.0, sine)
        size = np.where(opposite, np.pi, np.arctan2(sine, cosine))
        factor = np.where(sine > 0.0, size / np.maximum(sine, _TINY), 1.0)
        return np.concatenate([balls - at.balls, cross * factor[:, None]], axis=1)

    def without_units(self, twists: Array) -> Array:
        """Squared size of twists, lengths measured by the robot's own. # (m,)."""
        linear = np.sum(twists[:, :3] ** 2, axis=1) / self.length**2
        return np.asarray(linear + np.sum(twists[:, 3:] ** 2, axis=1))

    def damped(self, at: Posed, twists: Array, damping: Array) -> Array:
        """Least steps towards twists of ball and axis. # (m, n) [rad or m]."""
        steps = np.empty(at.q.shape)
        _DAMPED(at.rows, np.column_stack([twists, damping]), self._bench(), steps)
        return steps

    def square(self, at: Posed, twists: Array) -> Array:
        """Steps of the free joints that make twists; NaN where singular. # (m, n) [rad or m]."""
        steps = np.zeros(at.q.shape)
        _SQUARE(at.rows, twists, self.free, self._bench(), steps)
        return steps

    def condition(self, at: Posed) -> Array:
        """Signed distance from a singularity, -1 to 1. # (m,)."""
        found = np.empty(len(at.q))
        _CONDITIONS(at.rows, self.free, self._bench(), found)
        return found

    def _bench(self) -> Array:
        return bench_of(self.units, self.length, self.free.size)

    def centred(self, q: Array) -> Array:
        """The same postures by the whole turns nearest to mid-range. # (m, n)."""
        turns = np.round((q - self.middle) / (2.0 * np.pi))
        return np.where(self.angular, q - 2.0 * np.pi * turns, q)

    def limit_margin(self, q: Array) -> Array:
        """Least distance to a limit over the joint's unit, negative beyond. # (m,)."""
        mechanism = self.mechanism
        margin = np.minimum(q - mechanism.q_min, mechanism.q_max - q) / self.units
        return np.asarray(np.min(margin, axis=1))


# ------------------------------------------------------------------------------------- Free joints
# Holding the full orientation of the tool takes six joints; of every joint beyond, one is locked
# while the ball runs. Which ones is a property of the robot: those whose locking costs least,
# judged over postures spread through its ranges. A robot whose axes cannot turn the tool about the
# probe (a gantry with two columns and a wrist of two axes) does not hold that turn; five joints
# then move.

_POSTURES = 64
_REGULAR = 1e-4  # smallest over largest singular value, in the median posture: below, never regular


def free_joints(model: Model, units: Array, length: float) -> Indices:
    """Joints that move along a line: six, or five where the turn about the axis is not to be had.

    Args:
        model: of the robot.
        units: of the joints. # (n,) [rad or m]
        length: that makes lengths and angles comparable. [m]

    Raises:
        InverseError: fewer than five joints carry the tool, a joint does not carry it, or the axes
            cannot bring the ball to a place along a direction.
    """
    _check_chain(model)
    q = joint_samples(model.mechanism, _POSTURES, slide=length)
    J = model.jacobian(q) * units
    J[:, :3] /= length
    J[:, 3:] = np.einsum("pki,pkj->pij", model.forward(q)[:, :3, :3], J[:, 3:])
    for rows in (TASK + 1, TASK):
        free = _least_loss(J[:, :rows], rows) if model.dof >= rows else None
        if free is not None:
            return free
    raise InverseError(
        f"{model.mechanism.name!r} cannot bring a ball to a place along a given direction: in all "
        f"of {_POSTURES} postures its {model.dof} joints leave one of these five motions out. A "
        "planned robot needs three for the place and two that tilt the probe.",
        joints=model.dof,
    )


def _check_chain(model: Model) -> None:
    mechanism = model.mechanism
    tree = tree_of(mechanism)
    carrying = set(tree.moving_path(tree.tool_link))
    idle = [mechanism.joints[i].name for i in tree.moving if i not in carrying]
    if idle:
        raise InverseError(
            f"{mechanism.name!r} is no serial robot: {', '.join(idle)} "
            f"{'does' if len(idle) == 1 else 'do'} not carry the tool. Give the file of the one "
            "chain that holds the probe.",
            joints=idle,
        )
    if model.dof < TASK:
        raise InverseError(
            f"{mechanism.name!r} has {model.dof} joints; a ball's place and the direction of its "
            f"stylus take {TASK}.",
            joints=model.dof,
        )


def _least_loss(J: Array, rows: int) -> Indices | None:
    """Columns left when the least needed ones are locked one by one; None if never regular.

    Args:
        J: Jacobians without units. # (p, rows, n)
        rows: of them, and so columns in the end.
    """
    free = list(range(J.shape[2]))
    worth = _worth(J)
    while len(free) > rows:
        left = [[j for j in free if j != locked] for locked in free]
        worths = [_worth(J[:, :, columns]) for columns in left]
        best = int(np.argmax(worths))
        free, worth = left[best], worths[best]
    return np.array(free, dtype=np.int64) if worth > _REGULAR else None


def _worth(J: Array) -> float:
    values = np.linalg.svd(J, compute_uv=False)
    return float(np.median(values[:, -1] / values[:, 0]))


# ------------------------------------------------------------------------------------ Serial loops
# Every system is without units: linear rows are divided by a length, columns multiplied by the unit
# of their joint. Rows 0-2 are the ball's velocity, rows 3 and 4 the turning about the tool's own x
# and y, row 5, where there is one, the turning about the probe axis.
#
# Two arrays are the same in all loops. ``posed`` holds a posture's tool pose and Jacobian in base
# axes, both row by row. # (m, 16 + 6n). ``bench`` is laid out by ``bench_of``: its first row holds
# the joints' units and the length, the others are room to work in.

TASK = 5  # rows of position and axis
_POSE = 16  # numbers of a pose


def bench_of(units: Array, length: float, rows: int) -> Array:
    """Units and length, and room for the systems of a robot.

    Args:
        units: of the joints. # (n,) [rad or m]
        length: that makes lengths and angles comparable. [m]
        rows: of the systems: 5 or 6.
    """
    n = units.size
    bench = np.zeros((rows + 1, max(n + TASK + 1, 2 * rows)))
    bench[0, :n], bench[0, n] = units, length
    return bench


def _entry(row: A, r: int, j: int, n: int) -> A:
    """Entry of the task Jacobian: base axes for the ball, tool axes for the turning."""
    if r < 3:
        return row[_POSE + r * n + j]
    c, first = r - 3, _POSE + 3 * n + j
    return row[c] * row[first] + row[4 + c] * row[first + n] + row[8 + c] * row[first + 2 * n]


def _part(row: A, twist: A, r: int) -> A:
    """Component of a twist in the task's own rows."""
    if r < 3:
        return twist[r]
    c = r - 3
    return row[c] * twist[3] + row[4 + c] * twist[4] + row[8 + c] * twist[5]


def _fill(row: A, free: A, bench: A) -> None:
    """The square system of a posture, below the bench's first row."""
    n, rows = (row.shape[0] - _POSE) // 6, free.shape[0]
    for r in range(rows):
        for c in range(rows):
            bench[1 + r, c] = _entry(row, r, free[c], n) * bench[0, free[c]]
            if r < 3:
                bench[1 + r, c] /= bench[0, n]


def _eliminate(work: A, rows: int, columns: int) -> A:
    """Solve by Gauss and Jordan with row exchanges; the determinant's sign, 0 for singular."""
    sign = 1.0
    for k in range(rows):
        pivot = k
        for r in range(k + 1, rows):
            if abs(work[r, k]) > abs(work[pivot, k]):
                pivot = r
        if not abs(work[pivot, k]) > 0.0:
            return 0.0
        if pivot != k:
            sign = -sign
            for c in range(k, columns):
                work[k, c], work[pivot, c] = work[pivot, c], work[k, c]
        if work[k, k] < 0.0:
            sign = -sign
        inverse = 1.0 / work[k, k]
        for c in range(k, columns):
            work[k, c] *= inverse
        for r in range(rows):
            if r != k:
                factor = work[r, k]
                for c in range(k, columns):
                    work[r, c] -= factor * work[k, c]
    return sign


def _solve_symmetric(work: A, n: int) -> None:
    """Solve the 5 x 5 system of lower triangle work[:, n:] by Cholesky; right side is last."""
    for k in range(TASK):
        for r in range(k, TASK):
            total = work[r, n + k]
            for c in range(k):
                total -= work[r, n + c] * work[k, n + c]
            if r == k:
                work[k, n + k] = math.sqrt(total) if total > 0.0 else math.inf
            else:
                work[r, n + k] = total / work[k, n + k]
    for k in range(TASK):
        total = work[k, n + TASK]
        for c in range(k):
            total -= work[k, n + c] * work[c, n + TASK]
        work[k, n + TASK] = total / work[k, n + k]
    for k in range(TASK - 1, -1, -1):
        total = work[k, n + TASK]
        for r in range(k + 1, TASK):
            total -= work[r, n + k] * work[r, n + TASK]
        work[k, n + TASK] = total / work[k, n + k]
