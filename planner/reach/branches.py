"""All branches of a robot at places along axes, by its derived inverse.

Five joints leave nothing to choose. Six leave the turn about the probe, which is a joint of its
own: it stands in equal steps. Seven leave one joint more: it is held at values spread over its
range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planner.reach.serial_search import TASK, SerialTask
from robots.core.arrays import Array, Indices
from robots.core.errors import InverseError
from robots.core.inverse.task import Target, task_of
from robots.core.joint_samples import joint_ranges
from robots.core.pose import rotation_z

if TYPE_CHECKING:
    from robots.core.chain_inverse.solver import ChainInverse

ROLLS = 16  # turns about the probe axis
FINE_ROLLS = 48  # of six joints in closed form, where the quickest of many is chosen
HELD = 8  # values of the joint that is held, of seven


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Postures:
    """Postures at clearance points, by point.

    Args:
        point: rising. # (m,)
        q: # (m, n) [rad or m]
    """

    point: Indices
    q: Array

    @classmethod
    def none(cls, dof: int) -> Postures:
        """No posture of so many joints."""
        return cls(point=np.zeros(0, dtype=np.int64), q=np.zeros((0, dof)))

    def of(self, points: Indices) -> Postures:
        """The same with points counted as in a longer list. Args: points: place of each there."""
        return Postures(point=points[self.point], q=self.q)

    def take(self, rows: Indices) -> Postures:
        """Some of them, in the order given."""
        return Postures(point=self.point[rows], q=self.q[rows])


class BranchSearch:
    """Every branch of a robot of five to seven joints.

    Args:
        task: of the robot.
        inverses: of its chain; of seven joints with one of them held at several values.
    """

    def __init__(self, task: SerialTask, inverses: tuple[ChainInverse, ...]) -> None:
        self._task, self._inverses = task, inverses

    @classmethod
    def of(cls, task: SerialTask) -> BranchSearch | None:
        """The search of a robot whose inverse can be derived; None for any other."""
        from robots.core.chain_inverse.solver import ChainInverse

        dof = task.model.dof
        try:
            if dof in (TASK, TASK + 1):
                return cls(
                    task, (ChainInverse.of(task.mechanism, task_of(dof), engine="compiled"),)
                )
            return cls(task, _with_one_held(task)) if dof == TASK + 2 else None
        except InverseError:
            return None

    @property
    def complete(self) -> bool:
        """Whether no other posture exists: five joints leave no roll, and a closed form no root."""
        return self._task.spare == 0 and self._inverses[0].complete

    @property
    def _exact(self) -> bool:
        """Whether the bare steps are postures as they are."""
        return all(inverse.complete for inverse in self._inverses)

    def postures(self, balls: Array, axes: Array) -> Postures:
        """Postures of places, of five and six joints certified, those at singularities among them.

        Args:
            balls: # (k, 3) [m]
            axes: # (k, 3) unit
        """
        if len(self._inverses) > 1 and self._exact:
            return self.fine(balls, axes)
        rolls = ROLLS if self._task.spare else 1
        T = _turned(balls, axes, rolls)
        parts = []
        for inverse in self._inverses:
            own = self._own(inverse)
            found = inverse.solve(T, near=self._task.middle[own])
            pose, branch = np.nonzero(found.solved)
            parts.append(self._whole(inverse, pose // rolls, found.q[pose, branch]))
        return _joined(parts)

    def fine(self, balls: Array, axes: Array) -> Postures:
        """Postures of places at closer turns, the bare steps taken where they are exact.

        They are not certified: what is chosen of them is followed, and Newton steps judge it.
        """
        if not self._exact:
            return self.postures(balls, axes)
        rolls = FINE_ROLLS if len(self._inverses) == 1 else ROLLS
        T = _turned(balls, axes, rolls)
        parts = []
        for inverse in self._inverses:
            raw = inverse.angles(T)
            good = (raw[..., -1] > 0.0) & np.all(np.isfinite(raw), axis=-1)
            pose, branch = np.nonzero(good)
            parts.append(self._whole(inverse, pose // rolls, raw[pose, branch, :-1]))
        return _joined(parts)

    def _own(self, inverse: ChainInverse) -> Indices:
        """Places of the chain's joints among those of the robot."""
        names = [joint.name for joint in self._task.mechanism.movable]
        own = inverse.chain.names[: inverse.chain.own]
        return np.array([names.index(name) for name in own], dtype=np.int64)

    def _whole(self, inverse: ChainInverse, point: Indices, q: Array) -> Postures:
        """Postures of the robot out of those of a chain, held joints at their values."""
        whole = np.zeros((len(q), self._task.model.dof))
        for place, joint in enumerate(self._task.mechanism.movable):
            whole[:, place] = inverse.locked.get(joint.name, 0.0)
        whole[:, self._own(inverse)] = q
        return Postures(point=point, q=whole)


def _with_one_held(task: SerialTask) -> tuple[ChainInverse, ...]:
    """Inverses of a robot of seven joints, the one held that leaves a closed form.

    The last such joint is taken: on most arms the others then end in a spherical wrist, or begin
    with a spherical shoulder.

    Raises:
        InverseError: whichever joint is held, none can be derived.
    """
    from robots.core.chain_inverse.solver import ChainInverse, Method

    mechanism = task.mechanism
    low, high = joint_ranges(mechanism, task.length)
    best: tuple[int, ChainInverse] | None = None
    for place in reversed(range(mechanism.dof)):
        try:
            value = float(task.middle[place]) + 0.1  # off what the middle may line up
            found = ChainInverse.of(mechanism, locked={mechanism.movable[place].name: value})
        except InverseError:
            continue
        if best is None:
            best = place, found
        if found.method is Method.CLOSED:
            best = place, found
            break
    if best is None:
        raise InverseError(f"No joint of {mechanism.name!r} leaves an inverse when it is held.")
    place, _ = best
    shares = (np.arange(HELD) + 0.5) / HELD
    return tuple(
        ChainInverse.of(mechanism, locked={mechanism.movable[place].name: value}, engine="compiled")
        for value in (low[place] + shares * (high[place] - low[place])).tolist()
    )


def _turned(balls: Array, axes: Array, rolls: int) -> Array:
    """Poses of places at equal turns about their axes, place by place. # (k·rolls, 4, 4)."""
    turns = rotation_z(2.0 * np.pi * np.arange(rolls) / rolls)
    T = np.repeat(Target.position_and_axis(balls, axes).T, rolls, axis=0)
    T[:, :3, :3] = T[:, :3, :3] @ np.tile(turns, (len(balls), 1, 1))
    return T


def _joined(parts: list[Postures]) -> Postures:
    point = np.concatenate([part.point for part in parts])
    order = np.argsort(point, kind="stable")
    return Postures(point=point[order], q=np.concatenate([part.q for part in parts])[order])
