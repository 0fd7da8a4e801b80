"""Inverse of a whole chain: all branches of a pose by name, each with a status.

Three methods, the first that fits: steps in closed form; steps from one joint whose values are the
roots of a polynomial; the pencil. Whichever it is, every posture is brought to its pose by Newton
steps on the chain as it is, and counts only when its own forward model agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robots.core.arrays import Array, Indices, Mask, freeze_fields
from robots.core.chain_inverse.chain import NAMES as SIDE_NAMES
from robots.core.chain_inverse.chain import (
    SAME,
    Chain,
    Postures,
    chain_of,
    distinct,
    has_sides,
    side_names,
    wrapped,
)
from robots.core.chain_inverse.derivation import Plan, derive, derive_with_one_assumed
from robots.core.chain_inverse.newton import REGULAR
from robots.core.chain_inverse.pencil import Pencil
from robots.core.chain_inverse.polynomial import Residual, imbalance, polynomial
from robots.core.chain_inverse.relations import (
    Known,
    Loop,
    Pair,
    Reading,
    Relation,
    Solved,
    Step,
)
from robots.core.equations.algebra import Scalar, numbers
from robots.core.errors import InverseError
from robots.core.inverse.task import Task
from robots.core.kernels import Engine, Kernel
from robots.core.mechanism import Mechanism
from robots.core.recording import Programme, Recorder, derivative, recording_functions
from robots.core.remembered import remembered

Statuses = NDArray[np.int8]

_TRIALS = 200  # poses that a plan must solve at build
_SEED = 31
_BLOCK = 8192  # poses worked on at once: what their Newton steps take of memory
_MOST_ROOTS = 16
_NUMBERS = tuple(f"root {k + 1}" for k in range(_MOST_ROOTS))  # of chains that have no sides
# A discriminant beyond this is out of reach, whatever rounding did; of a snapped plan the steps'
# own error is allowed for.
_BEYOND = 1e-7
_ROUNDING = 1e-12  # of a discriminant: less is none
_BEYOND_SNAPPED = 5e-2
# A joint that moves less than this, beside the chain, is free: each value is as good.
_FREE = 1e-9
_DETERMINED = 1e-6  # one that moves less may lose what tells two postures apart
_OFFSETS = 2.0 * np.pi * np.array([k * sign for k in range(33) for sign in (1, -1)][1:]) / 64.0
# Ratio of singular values from which a posture counts as singular.
_SINGULAR = 1e-8
_PUSH = 1e-2  # [rad or scale lengths] along which a free joint is told from a fold


class Method(Enum):
    """How a chain is solved."""

    CLOSED = "closed form"
    POLYNOMIAL = "steps from one polynomial"
    PENCIL = "eigenvalue pencil"


class Status(IntEnum):
    """Status of one branch at one pose."""

    REACHED = 0
    FOLD = 1  # two branches meet here; beyond, neither exists
    SINGULAR = 2  # a joint is free: the posture is one of a family
    OUT_OF_REACH = 3
    UNCERTIFIED = 4  # the forward model does not agree: no posture

    @property
    def is_posture(self) -> bool:
        """Whether the tool is at the pose."""
        return self <= Status.SINGULAR


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Branches:
    """All branches of a batch of poses.

    Args:
        joints: names of the joints. # (n,)
        q: angles in (-π, π]; where there is no posture, the nearest that the steps know, or zero.
            # (N, B, n) [rad or m]
        status: codes of ``Status``. # (N, B)
        free: joint that a singular posture leaves free, -1 elsewhere. # (N, B)
        position_error: by the forward model. # (N, B) [m]
        angle_error: # (N, B) [rad]
        reserve: relative distance of the smallest discriminant from zero, where the two branches
            meet; negative out of reach. Zero of a branch that no step tells. # (N, B)
    """

    joints: tuple[str, ...]
    q: Array
    status: Statuses
    free: Indices
    position_error: Array
    angle_error: Array
    reserve: Array

    def __post_init__(self) -> None:
        freeze_fields(
            self, "q", "status", "free", "position_error", "angle_error", "reserve", copy=None
        )

    @property
    def solved(self) -> Mask:
        """Which branches are postures. # (N, B)."""
        return np.asarray(self.status <= Status.SINGULAR)

    def reason(self, pose: int, branch: int) -> str:
        """Why a branch is what it is, in words."""
        status = Status(int(self.status[pose, branch]))
        if status is Status.SINGULAR:
            name = self.joints[int(self.free[pose, branch])]
            return f"singular: joint {name} is free"
        if status is Status.FOLD:
            return "at a fold, where two branches meet"
        return {
            Status.REACHED: "reached",
            Status.OUT_OF_REACH: "out of reach",
            Status.UNCERTIFIED: "not certified: the forward model does not agree",
        }[status]


def _joined(parts: list[Branches]) -> Branches:
    """One batch after another."""
    if len(parts) == 1:
        return parts[0]

    def whole(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    arrays = ("q", "status", "free", "position_error", "angle_error", "reserve")
    return replace(parts[0], **{name: whole(name) for name in arrays})


class ChainInverse:
    """All postures of one chain.

    Args:
        chain: what to solve.
        engine: how the steps are run (see ``Kernel``).
        locked: joints of the robot that the chain has as constants, with their values.

    Raises:
        InverseError: no method fits.
    """

    def __init__(
        self, chain: Chain, engine: Engine = "auto", *, locked: Mapping[str, float] | None = None
    ) -> None:
        self.chain = chain
        self.locked = dict(locked or {})
        self._engine = engine
        self.method, self.plan, self._residual = _method_of(chain)

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        task: Task = Task.POSE,
        locked: Mapping[str, float] | None = None,
        engine: Engine = "auto",
    ) -> ChainInverse:
        """The inverse of a mechanism, derived once for the plans of a process; see ``chain_of``."""
        return _derived(cls, chain_of(mechanism, task, locked), engine, locked or {})

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the branches: signs of the roots, or sides where no step tells them apart."""
        named = self._step_names
        if not named:
            return SIDE_NAMES if has_sides(self.chain) else _NUMBERS
        # Axes that were snapped apart again: a chain as it is may have more roots than the steps.
        extra = 0 if self.complete or not self._has_pencil else _MOST_ROOTS - len(named)
        return (*named, *(f"beside {k + 1}" for k in range(extra)))

    @cached_property
    def _step_names(self) -> tuple[str, ...]:
        """Names of the branches that the steps tell apart; none of a chain without closed form."""
        if self.method is not Method.CLOSED or self.plan is None:
            return ()
        return tuple(_branch_names(self.chain, self.plan))

    def names_at(self, found: Branches, pose: int) -> tuple[str, ...]:
        """Names of the branches of one pose; empty where no step tells one and there is no posture.

        Args:
            found: answers of this inverse.
            pose: its place among them.
        """
        if not has_sides(self.chain):
            return self.names
        # A posture beside the steps of snapped axes is told by its own sides, too.
        steps = self._step_names
        solved, q = found.solved[pose, len(steps) :], found.q[pose, len(steps) :]
        beside = "beside " if steps else ""
        named = iter(side_names(self.chain, q[solved]))
        return (*steps, *(f"{beside}{next(named)}" if posture else "" for posture in solved))

    @property
    def complete(self) -> bool:
        """Whether it follows from the steps that no posture is missing, but for free joints.

        Roots of a polynomial and of a pencil are all found as well as numbers tell; where axes were
        snapped, Newton steps may lead two branches to one posture.
        """
        return self.method is Method.CLOSED and self.plan is not None and self.plan.exact

    @property
    def degree(self) -> int:
        """Harmonics of the polynomial; zero where there is none."""
        return 0 if self._residual is None else self._residual.degree

    @cached_property
    def programme(self) -> Programme:
        """The steps as one programme: joints of every branch, then its reserve. # (B, own + 1).

        Raises:
            InverseError: the chain is not solved in closed form.
        """
        return recorded(self.chain, self._closed_plan(), joints=self.chain.own, weights=False)

    @cached_property
    def _kernel(self) -> Kernel:
        return Kernel(self.programme, self._engine)

    @cached_property
    def _full_kernel(self) -> Kernel:
        plan, n = self._closed_plan(), self.chain.size
        return Kernel(recorded(self.chain, plan, joints=n, weights=True), self._engine)

    def _closed_plan(self) -> Plan:
        if self.method is not Method.CLOSED or self.plan is None:
            raise InverseError(
                f"{self.chain.name!r} has no closed form: it is solved by the {self.method.value}.",
                robot=self.chain.name,
            )
        return self.plan

    def angles(self, T: object, *, out: Array | None = None) -> Array:
        """Raw closed form: the fast path, without Newton, certificate or status.

        Branches are those of the steps: of a snapped chain the first of ``names`` only.

        Args:
            T: poses of the tool. # (..., 4, 4)
            out: array to fill.

        Returns:
            Joints of every branch in the order of ``names``, then its reserve, negative out of
            reach. # (..., B, own + 1) [rad or m]
        """
        return self._kernel(T, out=out)

    def axis_angles(self, position: object, axis: object, *, out: Array | None = None) -> Array:
        """``angles`` for targets that are a position and an axis: no frames are built or read.

        Args:
            position: of the tool's point. # (..., 3) [m]
            axis: of the tool, which its roll turns about. # (..., 3) unit
            out: array to fill.

        Raises:
            InverseError: the chain is not solved in closed form, or its task is another one.
        """
        return self._axis_kernel(position, axis, out=out)

    @cached_property
    def _axis_kernel(self) -> Kernel:
        if self.chain.task_joints != 1:
            raise InverseError(
                f"The inverse of {self.chain.name!r} leaves no roll free: a position and an axis "
                "are no whole target. Derive it for position and axis.",
                robot=self.chain.name,
            )
        plan, own = self._closed_plan(), self.chain.own
        steps = recorded(self.chain, plan, joints=own, weights=False, axes=True)
        return Kernel(steps, self._engine)

    def fold_distances(self, T: ArrayLike) -> Array:
        """How far each branch is from its end, to first order.

        Args:
            T: poses of the tool. # (N, 4, 4)

        Returns:
            Displacement of the tool's point, orientation held, after which two branches meet if
            the discriminant goes on as it does at the pose; negative out of reach, infinite where
            no displacement changes it. # (N, B) [m]

        Raises:
            InverseError: the chain is not solved in closed form.
        """
        poses = np.asarray(T, dtype=np.float64).reshape(-1, 4, 4)
        gradient = self._reserve_slopes(poses)[..., 0, :][..., [3, 7, 11]]
        steepest = np.linalg.norm(gradient, axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            distances = self.angles(poses)[..., -1] / steepest
        # On a fold itself, or where a joint is free, a discriminant has no slope.
        return np.where(np.isnan(distances), 0.0, distances)

    @cached_property
    def _reserve_slopes(self) -> Kernel:
        """Derivative of every branch's reserve by the entries of the pose. # (B, 1, 16)."""
        reserves = recorded(self.chain, self._closed_plan(), joints=0, weights=False)
        return Kernel(derivative(reserves, "T_base_tool"), self._engine)

    def solve(self, T: ArrayLike, *, near: ArrayLike | None = None) -> Branches:
        """All branches of a batch of poses.

        Args:
            T: poses of the tool. # (N, 4, 4)
            near: value of joints that a pose leaves free; zero without it. # (own,) [rad or m]
        """
        poses = np.asarray(T, dtype=np.float64).reshape(-1, 4, 4)
        stay = np.zeros(self.chain.own) if near is None else np.asarray(near, dtype=np.float64)
        firsts = range(0, max(len(poses), 1), _BLOCK)
        return _joined([self._block(poses[first : first + _BLOCK], stay) for first in firsts])

    def _block(self, poses: Array, near: Array) -> Branches:
        if self.method is Method.CLOSED and self.plan is not None:
            return self._closed(self.plan, poses, near)
        if self._roots is not None:
            return self._numbered(poses, self._from_polynomial(self._roots, poses))
        return self._numbered(poses, self._pencil.solve(poses))

    @cached_property
    def _pencil(self) -> Pencil:
        return Pencil(self.chain)

    # --------------------------------------------------------------------------------- Closed form

    def _closed(self, plan: Plan, T: Array, near: Array) -> Branches:
        n, own, count = self.chain.size, self.chain.own, len(self.names)
        raw = self._full_kernel(T)
        q, reserve, weight = raw[..., :n].copy(), raw[..., n].copy(), raw[..., n + 1]
        # What the steps call out of reach by rounding, Newton and the certificate judge.
        beyond = _BEYOND if plan.exact else _BEYOND_SNAPPED
        is_free = weight <= _FREE**2
        held = np.nonzero(np.any(is_free, axis=1))[0]
        begun = held.size > 0
        # Not every value of a free joint leaves the others in reach: where a branch has none yet,
        # more are tried.
        for offset in _OFFSETS if begun else ():
            stay = near + offset * np.array(self.chain.revolute[:own])
            q_held, reserve_held = self._held(plan, T[held], stay)
            row, branch = np.nonzero(begun | (reserve_held > reserve[held]))
            q[held[row], branch] = q_held[row, branch]
            reserve[held[row], branch] = reserve_held[row, branch]
            held = held[np.any(is_free[held] & (reserve[held] < -beyond), axis=1)]
            begun = False
            if held.size == 0:
                break
        extra = count - q.shape[1]
        q = np.pad(q, ((0, 0), (0, extra), (0, 0)))
        reserve = np.pad(reserve, ((0, 0), (0, extra)), constant_values=-1.0)
        tried = np.nonzero(
            (reserve > -beyond).reshape(-1) & np.all(np.isfinite(q), axis=2).reshape(-1)
        )[0]
        flat = q.reshape(-1, n)
        position, angle = np.full(len(flat), np.inf), np.full(len(flat), np.inf)
        seeds = flat[tried]
        polished = self.chain.polished(seeds, T[tried // count])
        left = np.nonzero(~polished.certified)[0]
        if left.size:  # next to a free joint only the least step stays where it began
            polished = polished.replaced(
                left, self.chain.polished(seeds[left], T[tried[left] // count], least=True)
            )
        flat[tried] = polished.q
        position[tried], angle[tried] = polished.position_error, polished.angle_error
        status = np.full(len(flat), Status.OUT_OF_REACH, dtype=np.int8)
        status[tried] = np.where(polished.certified, Status.REACHED, Status.UNCERTIFIED)
        lost = (status == Status.UNCERTIFIED) & (reserve.reshape(-1) < -_ROUNDING)
        status[lost] = Status.OUT_OF_REACH
        doubtful = np.ones(len(flat), dtype=np.bool_)
        doubtful[tried] = ~(polished.regularity > REGULAR)
        if not plan.exact and self._has_pencil:
            doubtful[self._complete(flat, status, T, (reserve, position, angle))] = True
        rows = np.nonzero((status == Status.REACHED) & doubtful)[0]
        free = self._degenerate(flat, T, status, count, rows)
        flat = np.where(np.isfinite(flat), flat, 0.0)
        shape = (len(T), count)
        return Branches(
            joints=self.chain.names[:own],
            q=wrapped(flat[:, :own], self.chain.revolute[:own]).reshape(*shape, own),
            status=status.reshape(shape),
            free=free.reshape(shape),
            position_error=position.reshape(shape),
            angle_error=angle.reshape(shape),
            reserve=reserve,
        )

    @property
    def _has_pencil(self) -> bool:
        return self.chain.size == 6 and all(self.chain.revolute)

    def _complete(
        self, q: Array, status: Statuses, T: Array, told: tuple[Array, Array, Array]
    ) -> list[int]:
        """Add the postures that snapped steps lose next to singularities of the chain as it is.

        Where a discriminant is small beside what was snapped, two branches may be one, or lead to
        one posture; these poses are solved by the pencil too, and what is new takes the place of a
        branch that is none.

        Returns:
            Rows of what is new.
        """
        added: list[int] = []
        reserve, position, angle = told
        count = reserve.shape[1]
        by_pose = q.reshape(len(T), count, -1)
        codes = status.reshape(len(T), count)
        for k in range(len(T)):  # of two equal ones, the first keeps its name
            same = ~distinct(self.chain, np.zeros(count, dtype=np.int64), by_pose[k])
            codes[k, same & (codes[k] == Status.REACHED)] = Status.UNCERTIFIED
        narrow = np.any(np.abs(reserve) < _BEYOND_SNAPPED, axis=1)
        doubtful = np.nonzero(narrow | np.any(codes == Status.UNCERTIFIED, axis=1))[0]
        if doubtful.size == 0:
            return added
        found = self._pencil.solve(T[doubtful])
        for pose, posture in zip(doubtful[found.pose].tolist(), found.q, strict=True):
            away = np.max(np.abs(wrapped(by_pose[pose] - posture, self.chain.revolute)), axis=1)
            taken = codes[pose] == Status.REACHED
            if np.any(away[taken] < SAME) or np.all(taken):
                continue
            place = pose * count + int(np.argmin(np.where(taken, np.inf, away)))
            q[place], status[place] = posture, Status.REACHED
            added.append(place)
            gap = self.chain.gap(self.chain.forward(posture[None]), T[pose][None])[0]
            position[place] = float(np.linalg.norm(gap[:3])) * self.chain.length
            angle[place] = float(np.linalg.norm(gap[3:]))
        return added

    def _held(self, plan: Plan, T: Array, near: Array) -> tuple[Array, Array]:
        """The steps again, on arrays, with joints that a pose leaves free at their values near."""
        units = _weight_units(self.chain, plan)

        def hold(step: Step, root: Solved) -> Solved:
            value = near[step.joint] if step.joint < self.chain.own else 0.0
            free = np.asarray(root.weight) * units[step.joint] <= _FREE**2
            if not np.any(free):
                return root
            s, c = root.value
            return Solved(
                value=(np.where(free, np.sin(value), s), np.where(free, np.cos(value), c)),
                reserve=np.where(free & (np.abs(root.reserve) <= 1.0), 1.0, root.reserve),
                weight=root.weight,
            )

        pose = [T[:, r, c] for r in range(3) for c in range(4)]
        with np.errstate(divide="ignore", invalid="ignore"):
            states = evaluated(Loop(self.chain, pose), plan, Reading(fn=numbers()), hold=hold)
        q = np.stack([_joint_values(self.chain, one.known, len(T)) for one in states], axis=1)
        reserve = np.stack(
            [
                np.min([np.broadcast_to(value, len(T)) for value in (1.0, *one.reserves)], axis=0)
                for one in states
            ],
            axis=1,
        )
        return q, reserve

    # ---------------------------------------------------------------------- Polynomial and pencil

    def _from_polynomial(self, first: _Roots, T: Array) -> Postures:
        """Certified postures from the roots of the assumed joint, with the pose of each.

        Where the polynomial does not decide, those of the other joints look too: along a family
        some vanish, and of two postures that share one joint another one mostly differs. What they
        leave in doubt the pencil looks at, and where one of them vanishes, Newton steps from angles
        all around: what is apart from a family may show to a search only.
        """
        begun = first.postures(T)
        found, blank = begun.postures, begun.undecided.copy()
        doubtful = np.nonzero(begun.doubt)[0]
        for roots in self._other_roots if doubtful.size else ():
            more = roots.postures(T[doubtful])
            blank[doubtful] |= more.undecided
            pose = doubtful[more.postures.pose]
            found = self.chain.merged(found, pose, more.postures.q, T)
            doubtful = doubtful[more.doubt | _odd(found, len(T))[doubtful]]
            if doubtful.size == 0:
                break
        if doubtful.size == 0:
            return found
        if self._has_pencil:
            seen = self._pencil.solve(T[doubtful])
            found = self.chain.merged(found, doubtful[seen.pose], seen.q, T)
        blank |= np.bincount(found.pose, minlength=len(T)) == 0
        doubtful = doubtful[blank[doubtful]]
        around = np.repeat(doubtful, len(_SPREAD))
        angles = np.tile(_SPREAD, doubtful.size)
        for roots in (first, *self._other_roots):
            q = roots.seeds(T[around], angles).q
            pose = np.repeat(around, q.shape[1])
            found = self.chain.merged(found, pose, q.reshape(-1, self.chain.size), T)
        count = np.bincount(found.pose, minlength=len(T))
        return replace(found, undecided=doubtful[count[doubtful] == 0])

    @cached_property
    def _roots(self) -> _Roots | None:
        return None if self._residual is None else _Roots(self._residual, self._engine)

    @cached_property
    def _other_roots(self) -> list[_Roots]:
        """Those of the joints that the method does not assume, the lowest degree first."""
        plans = derive_with_one_assumed(self.chain)
        assumed = {plan.assumed for plan in plans} - {self.plan.assumed if self.plan else ()}
        found = [
            polynomial(self.chain, [plan for plan in plans if plan.assumed == one][:_FEW_PLANS])
            for one in sorted(assumed)
        ]
        residuals = sorted(
            (one for one in found if one is not None),
            key=lambda one: (one.degree, one.plan.assumed),
        )
        return [_Roots(one, self._engine) for one in residuals]

    def _numbered(self, T: Array, found: Postures) -> Branches:
        """Postures that no sign names, in the order of their joints."""
        chain, own, count = self.chain, self.chain.own, _MOST_ROOTS
        # More than sixteen come from a family or a fold only, as samples of it: these are left out.
        first = np.searchsorted(found.pose, found.pose)
        regularity = found.regularity.copy()
        crowded = np.nonzero(np.bincount(found.pose, minlength=len(T))[found.pose] > count)[0]
        if crowded.size:  # a lower bound that is zero does not tell a sample from a posture
            values, _ = self._own_directions(found.q[crowded])
            regularity[crowded] = values[:, -1] / values[:, 0]
        order = np.lexsort((-regularity, found.pose))
        kept = np.zeros(len(order), dtype=np.bool_)
        kept[order] = np.arange(len(order)) - first < count
        place = np.cumsum(kept) - 1
        place -= place[first] - kept[first] + 1
        rows = found.pose[kept] * count + place[kept]
        flat = np.zeros((len(T) * count, chain.size))
        status = np.full(len(flat), Status.OUT_OF_REACH, dtype=np.int8)
        undecided = found.undecided
        if all(chain.revolute):  # beyond its stretched length nothing needs deciding
            reach = np.sum(np.linalg.norm(chain.links[:, :3, 3], axis=1))
            undecided = undecided[~(np.linalg.norm(T[undecided, :3, 3], axis=1) > reach)]
        status.reshape(len(T), count)[undecided] = Status.UNCERTIFIED
        position, angle = np.full(len(flat), np.inf), np.full(len(flat), np.inf)
        flat[rows], status[rows] = found.q[kept], Status.REACHED
        position[rows], angle[rows] = found.position_error[kept], found.angle_error[kept]
        free = self._degenerate(flat, T, status, count, rows[~(found.regularity[kept] > REGULAR)])
        shape = (len(T), count)
        return Branches(
            joints=chain.names[:own],
            q=flat[:, :own].reshape(*shape, own),
            status=status.reshape(shape),
            free=free.reshape(shape),
            position_error=position.reshape(shape),
            angle_error=angle.reshape(shape),
            reserve=np.zeros(shape),
        )

    def _own_directions(self, q: Array) -> tuple[Array, Array]:
        """Singular values and directions of the robot's own joints, across the task's.

        What the task leaves free is no loss.
        """
        chain = self.chain
        J = chain.jacobian(q) * chain.units
        J[:, :3] /= chain.length
        own, task = J[..., : chain.own], J[..., chain.own :]
        own = own - task @ (np.linalg.pinv(task, rcond=_SINGULAR) @ own)
        _, values, right = np.linalg.svd(own)
        return values, right

    def _degenerate(
        self, q: Array, T: Array, status: Statuses, count: int, rows: Indices
    ) -> Indices:
        """Tell folds and families among postures; which joint is free in each, or -1.

        A posture that loses a direction is one of a family where the pose can be kept while the
        joints move on, and a fold where it cannot.

        Args:
            q: of every pose and branch. # (N * count, n)
            T: poses. # (N, 4, 4)
            status: changed where a posture is one or the other. # (N * count,)
            count: branches of each pose.
            rows: postures whose Jacobian may be singular: of those proven regular none is either.
        """
        free = np.full(len(q), -1, dtype=np.int64)
        values, right = self._own_directions(q[rows])
        singular = values[:, -1] <= _SINGULAR * values[:, 0]
        status[rows[singular]] = Status.FOLD
        # Where two families cross, the direction that is lost first may belong to neither.
        for lost in (-1, -2):
            asked = singular & (values[:, lost] <= REGULAR * values[:, 0])
            asked &= status[rows] == Status.FOLD
            if not np.any(asked):
                break
            family, moved = self._pushed(q, T, count, rows[asked], right[asked, lost])
            status[rows[asked][family]] = Status.SINGULAR
            # The joint that a reader would name: the first that takes part fully.
            full = moved > 0.3 * np.max(moved, axis=1, keepdims=True)
            free[rows[asked][family]] = np.argmax(full[family], axis=1)
        return free

    def _pushed(
        self, q: Array, T: Array, count: int, rows: Indices, own: Array
    ) -> tuple[Mask, Array]:
        """Which postures keep their pose when they are pushed along a direction, and how far."""
        chain = self.chain
        direction = np.zeros((rows.size, chain.size))
        direction[:, : chain.own] = own
        begun = q[rows] + _PUSH * direction * chain.units
        pushed = chain.polished(begun, T[rows // count], least=True)
        moved = np.abs(wrapped(pushed.q - q[rows], chain.revolute)) / chain.units
        family = pushed.certified & (np.max(moved, axis=1) > 0.1 * _PUSH)
        return family, moved[:, : chain.own]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rooted:
    """Postures from the roots of one joint's polynomial.

    Args:
        postures: certified.
        doubt: poses that may have more: where the polynomial does not decide, roots nearly meet,
            one leads to no posture, or a posture is left over (they come in pairs). # (N,)
        undecided: those of them where the polynomial does not decide. # (N,)
    """

    postures: Postures
    doubt: Mask
    undecided: Mask


class _Roots:
    """Postures from the roots of one joint's polynomial, and the steps from that joint."""

    def __init__(self, residual: Residual, engine: Engine) -> None:
        self._chain, self._residual, self._engine = residual.chain, residual, engine

    @cached_property
    def _values(self) -> Kernel:
        return Kernel(self._residual.programme, self._engine)

    @cached_property
    def _branches(self) -> Kernel:
        """Joints of every branch, from a pose and sine and cosine of the assumed joint."""
        return Kernel(recorded_from_one(self._chain, self._residual.plan), self._engine)

    def postures(self, T: Array) -> _Rooted:
        """Certified postures, and the poses that may have more.

        Args:
            T: poses of the tool. # (N, 4, 4)
        """
        zeros = self._residual.zeros(T, self._values)
        seeds = self.seeds(T[zeros.row], zeros.angle)
        # Of the sheets of one root, most miss the pose by far.
        root, sheet = np.nonzero(seeds.near)
        pose = zeros.row[root]
        polished = self._chain.polished(seeds.q[root, sheet], T, pose=pose, far=_FAR)
        found = self._chain.distinct(pose, polished, T)
        # Two roots that nearly meet are one seed, and their postures may be farther apart.
        doubt = zeros.undecided | zeros.touching | _odd(found, len(T))
        # A root without a posture, or one where a step leaves its joint free: others may share it.
        lost = np.ones(len(zeros.row), dtype=np.bool_)
        lost[root[polished.certified]] = False
        doubt[zeros.row[lost | np.any(seeds.free, axis=1)]] = True
        return _Rooted(postures=found, doubt=doubt, undecided=zeros.undecided)

    def seeds(self, T: Array, angle: Array) -> _Seeds:
        """Every branch from values of the assumed joint.

        Args:
            T: pose of each angle. # (m, 4, 4)
            angle: of the assumed joint. # (m,) [rad]
        """
        branches = self._branches(T, np.stack([np.sin(angle), np.cos(angle)], axis=1))
        off, reserve, weight = (branches[..., k] for k in (-3, -2, -1))
        # Where a branch is out of reach, its joints are those at the edge of it, where one is free.
        free = ~(weight > _DETERMINED**2) & ~(reserve < -_BEYOND)
        return _Seeds(q=branches[..., :-3], near=np.abs(off) < _FAR, free=free)


def _odd(found: Postures, poses: int) -> Mask:
    """Poses with an odd number of postures. # (poses,)."""
    return np.asarray(np.bincount(found.pose, minlength=poses) % 2 == 1)


def _asked(
    inverse: type[ChainInverse], chain: Chain, engine: Engine, locked: Mapping[str, float]
) -> Hashable:
    """All that a derived inverse depends on."""
    joints = (chain.names, chain.revolute, chain.task_joints, chain.links.tobytes())
    return inverse, chain.name, *joints, engine, tuple(sorted(locked.items()))


# A reach, its names and a plan ask for the same one, and so does the next plan of the robot:
# deriving takes up to a second. One plan of an arm of seven joints needs nine.
@remembered(_asked, room=32)
def _derived(
    inverse: type[ChainInverse], chain: Chain, engine: Engine, locked: Mapping[str, float]
) -> ChainInverse:
    return inverse(chain, engine, locked=locked)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Seeds:
    """Branches from values of one joint.

    Args:
        q: # (m, B, n) [rad or m]
        near: whether the relation left over nearly holds. # (m, B)
        free: whether a step leaves its joint free, so that the branch may stand for others too.
            # (m, B)
    """

    q: Array
    near: Mask
    free: Mask


_FAR = 0.02  # of a gap without units: a seed from which Newton steps are tried
_FEW_PLANS = 20  # of each further joint: more take a second, and find no better polynomial
_SPREAD = 2.0 * np.pi * np.arange(32) / 32.0  # where a polynomial says nothing


def _method_of(chain: Chain) -> tuple[Method, Plan | None, Residual | None]:
    """The first method that solves trial poses of a chain."""
    _check_mobility(chain)
    plans = [(_trial_error(chain, plan), plan) for plan in derive(chain)]
    sound = [(error, plan) for error, plan in plans if error < max(SAME, 100.0 * plan.snap)]
    if sound:
        # Of those that lose less than a digit against the best, the cheapest.
        least = min(error for error, _ in sound)
        chosen = next(plan for error, plan in sound if error <= 10.0 * least + 1e-13)
        return Method.CLOSED, chosen, None
    residual = polynomial(chain, derive_with_one_assumed(chain))
    if residual is not None:
        return Method.POLYNOMIAL, residual.plan, residual
    if chain.size == 6 and all(chain.revolute):
        _ = Pencil(chain).cuts  # raises where it is singular
        return Method.PENCIL, None, None
    raise InverseError(
        f"The chain of {chain.name!r} has no inverse that can be derived: a pencil takes six "
        f"revolute joints, and it has {chain.size}, {chain.size - sum(chain.revolute)} of them "
        "sliding. The numerical inverse solves it.",
        robot=chain.name,
        joints=chain.own,
    )


def _check_mobility(chain: Chain) -> None:
    """Refuse a chain that can move on with its target at rest: its postures are no list."""
    q = np.random.default_rng(_SEED).uniform(-1.0, 1.0, (_TRIALS, chain.size)) * chain.units
    J = chain.jacobian(q) * chain.units
    J[:, :3] /= chain.length
    ranks = np.linalg.matrix_rank(J, tol=_SINGULAR * chain.size)
    spare = chain.size - int(np.max(ranks))
    if spare:
        raise InverseError(
            f"{chain.name!r} has {spare} joint{'s' if spare > 1 else ''} more than the task needs: "
            f"its postures are families. Lock {spare} of {', '.join(chain.names[: chain.own])}.",
            robot=chain.name,
            spare=spare,
        )


def _trial_error(chain: Chain, plan: Plan) -> float:
    """How far the steps miss the postures that trial poses were made of, in four of five cases."""
    random = np.random.default_rng(_SEED)
    reach = np.where(chain.revolute, np.pi, chain.length)
    q = random.uniform(-reach, reach, (_TRIALS, chain.size))
    T = chain.forward(q)
    pose = [T[:, r, c] for r in range(3) for c in range(4)]
    with np.errstate(divide="ignore", invalid="ignore"):
        states = evaluated(Loop(chain, pose), plan, Reading(fn=numbers()))
    seeds = np.stack([_joint_values(chain, one.known, _TRIALS) for one in states])
    away = np.abs(wrapped(seeds - q, chain.revolute))[..., : chain.own] / chain.units[: chain.own]
    nearest = np.min(np.max(np.where(np.isfinite(away), away, np.inf), axis=2), axis=0)
    return float(np.quantile(nearest, 0.8))


# -------------------------------------------------------------------------------- Steps evaluated


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Joints of one branch.

    Args:
        known: sine and cosine, or length, of each.
        signs: of the roots taken, +1 or -1, in the order of the branching steps.
        reserves: of the steps with two roots.
        weights: of the steps, by joint.
        directions: sine and cosine to any length, of joints that have them shorter.
    """

    known: Known
    signs: tuple[int, ...] = ()
    reserves: tuple[Scalar, ...] = ()
    weights: tuple[tuple[int, Scalar], ...] = ()
    directions: Known = field(default_factory=dict)


Hold = Callable[[Step, Solved], Solved]


def evaluated(
    loop: Loop,
    plan: Plan,
    reading: Reading,
    *,
    start: Known | None = None,
    hold: Hold | None = None,
) -> list[State]:
    """Every branch of a plan, the first root of each step first.

    Args:
        loop: of the chain and its poses.
        plan: steps in order.
        reading: what the scalars are.
        start: joints that are assumed.
        hold: replaces a root where its joint is free.
    """
    states = [State(known=start or {})]
    for step in plan.steps:
        idle = step.joint >= loop.chain.own and _own_solved(loop.chain, states[0].known)
        following: list[State] = []
        for state in states:
            roots = loop.solve(step, state.known, reading)
            # Once the robot's joints are known, the task's need one value only.
            for sign, root in zip((1, -1), roots[:1] if idle else roots, strict=False):
                kept = root if hold is None else hold(step, root)
                two = len(roots) == 2
                following.append(
                    State(
                        known={**state.known, step.joint: kept.value},
                        signs=(*state.signs, sign) if two and not idle else state.signs,
                        reserves=(*state.reserves, kept.reserve)
                        if two and not idle
                        else state.reserves,
                        weights=(*state.weights, (step.joint, kept.weight)),
                        directions=state.directions
                        if kept.direction is None
                        else {**state.directions, step.joint: kept.direction},
                    )
                )
        states = following
    return states


def _own_solved(chain: Chain, known: Known) -> bool:
    return all(joint in known for joint in range(chain.own))


def branching(chain: Chain, plan: Plan) -> tuple[Step, ...]:
    """Steps whose roots make branches of the robot's own joints."""
    found, known = [], set(plan.assumed)
    for step in plan.steps:
        if step.roots == 2 and not all(joint in known for joint in range(chain.own)):
            found.append(step)
        known.add(step.joint)
    return tuple(found)


def _branch_names(chain: Chain, plan: Plan) -> list[str]:
    """Names such as "q1+ q3- q5+": the sign of each root, by joint."""
    steps = branching(chain, plan)
    combinations: list[tuple[str, ...]] = [()]
    for step in steps:
        name = chain.names[step.joint]
        combinations = [(*one, f"{name}{sign}") for one in combinations for sign in "+-"]
    order = sorted(range(len(steps)), key=lambda place: steps[place].joint)
    return [" ".join(one[place] for place in order) or "only" for one in combinations]


def recorded(
    chain: Chain, plan: Plan, *, joints: int, weights: bool, axes: bool = False
) -> Programme:
    """Record the steps of a plan.

    Args:
        chain: whose.
        plan: in closed form.
        joints: how many of the joints are told, from the first.
        weights: whether the smallest weight of each branch is told too.
        axes: whether a position and an axis stand for the pose, which a free roll allows.

    Returns:
        From the pose to the joints of every branch and its reserve. # (B, joints + 1 or joints + 2)
    """
    recorder, fn = Recorder(), recording_functions()
    pose: list[Scalar] = []
    if axes:
        position, axis = recorder.argument("position", (3,)), recorder.argument("axis", (3,))
        for row in range(3):  # no own joint reads x and y, which the roll turns
            pose += [0.0, 0.0, axis[row], position[row]]
    else:
        pose += recorder.argument("T_base_tool", (4, 4))
    states = evaluated(Loop(chain, pose), plan, Reading(fn=fn))
    units = _weight_units(chain, plan)
    outputs: list[Scalar] = []
    for state in states:
        pairs = {**state.known, **state.directions}  # an angle needs no pair of length one
        for joint in range(joints):
            s, c = pairs[joint]
            outputs.append(fn.atan2(s, c) if chain.revolute[joint] else s)
        outputs.append(_least(state.reserves, fn.maximum))
        if weights:
            outputs.append(
                _least([units[joint] * weight for joint, weight in state.weights], fn.maximum)
            )
    width = joints + (2 if weights else 1)
    return recorder.programme("inverse", outputs, (len(states), width))


def recorded_from_one(chain: Chain, plan: Plan) -> Programme:
    """Record the steps from one joint.

    Returns:
        From the pose and the sine and cosine of the assumed joint to all joints of every branch,
        what the relation left over is off by, the reserve and the smallest weight. # (B, n + 3)
    """
    recorder, fn = Recorder(), recording_functions()
    pose, pair = recorder.argument("T_base_tool", (4, 4)), recorder.argument("pair", (2,))
    (assumed,) = plan.assumed
    start: dict[int, Pair] = {assumed: (pair[0], pair[1])}
    loop = Loop(chain, list(pose))
    states = evaluated(loop, plan, Reading(fn=fn), start=start)
    units = _weight_units(chain, plan)
    outputs: list[Scalar] = []
    for state in states:
        pairs = {**state.known, **state.directions}
        for joint, turns in enumerate(chain.revolute):
            s, c = pairs[joint]
            outputs.append(fn.atan2(s, c) if turns else s)
        outputs.append(imbalance(loop, plan, state.known))
        outputs.append(_least(state.reserves, fn.maximum))
        outputs.append(_least([units[joint] * one for joint, one in state.weights], fn.maximum))
    return recorder.programme("branches", outputs, (len(states), chain.size + 3))


def _least(values: tuple[Scalar, ...] | list[Scalar], maximum: Callable[..., Scalar]) -> Scalar:
    """The smallest of some values and one."""
    negative: Scalar = -1.0
    for value in values:
        negative = maximum(negative, -value)
    return -negative


def _weight_units(chain: Chain, plan: Plan) -> Array:
    """Factor that takes the unit off each step's weight, by joint."""
    powers = {Relation.HEIGHT: 2, Relation.MOMENT: 2, Relation.POINT: 2, Relation.DISTANCE: 4}
    units = np.ones(chain.size)
    for step in plan.steps:
        if not step.slides:
            units[step.joint] = chain.length ** -powers.get(step.relation, 0)
    return units


def _joint_values(chain: Chain, known: Known, count: int) -> Array:
    """Joints of one branch from its pairs. # (count, n)."""
    q = np.empty((count, chain.size))
    for joint, turns in enumerate(chain.revolute):
        s, c = known[joint]
        q[:, joint] = np.arctan2(s, c) if turns else s
    return q
