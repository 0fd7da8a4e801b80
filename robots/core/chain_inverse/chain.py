"""Chains: joints about or along z axes with constant transforms between them, and their Newton.

A chain carries its task as joints of its own. A probe whose roll is free is a chain with one more
revolute joint about the probe; a tool whose orientation is free has three that meet in the tool's
point. So every task is a pose, and every inverse closes one loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from numbers import Real

import numpy as np

from robots.core.arrays import Array, Indices, Mask, freeze_field
from robots.core.chain_inverse.newton import (
    KEEP_DISTINCT,
    POLISH,
    ChainArrays,
    Rows,
    scratch,
)
from robots.core.errors import InverseError
from robots.core.inverse.task import Task
from robots.core.mechanism import BASE, Mechanism
from robots.core.pose import make_pose

# Largest distance of a certified posture from its pose, by its own forward model.
REACHED_POSITION = 1e-9  # [scale lengths]
REACHED_ANGLE = 1e-9  # [rad]
# Postures closer than this in every joint are one. [rad, or scale lengths]
SAME = 1e-6
_MOST_STEPS = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chain:
    """Joints in order from the base to the target.

    Args:
        name: of the robot, for messages.
        names: of the joints; those of the task stand last.
        revolute: whether each joint turns; one that does not slides. # (n,)
        links: constant transform before each joint, and from the last one to the target.
            # (n + 1, 4, 4)
        task_joints: how many of the last joints belong to the task, not to the robot.
        length: that makes lengths and angles comparable. [m]
    """

    name: str
    names: tuple[str, ...]
    revolute: tuple[bool, ...]
    links: Array
    task_joints: int = 0
    length: float = 1.0

    def __post_init__(self) -> None:
        freeze_field(self, "links", self.links)

    @property
    def size(self) -> int:
        """Number of joints n, those of the task included."""
        return len(self.names)

    @property
    def own(self) -> int:
        """Number of joints of the robot."""
        return self.size - self.task_joints

    @property
    def units(self) -> Array:
        """Unit step of each joint. # (n,) [rad or m]."""
        return np.where(self.revolute, 1.0, self.length)

    def motions(self, q: Array) -> Array:
        """Transform of each joint. # (N, n) -> (N, n, 4, 4)."""
        T = np.zeros((*q.shape, 4, 4))
        T[..., range(4), range(4)] = 1.0
        turning = np.array(self.revolute)
        angles = q[..., turning]
        c, s = np.cos(angles), np.sin(angles)
        T[..., turning, 0, 0], T[..., turning, 1, 1] = c, c
        T[..., turning, 1, 0], T[..., turning, 0, 1] = s, -s
        T[..., ~turning, 2, 3] = q[..., ~turning]
        return T

    def forward(self, q: Array) -> Array:
        """Pose of the target in the base frame. # (N, n) -> (N, 4, 4)."""
        return self._frames(q)[-1]

    def jacobian(self, q: Array) -> Array:
        """Twist of the target per joint, base axes, linear rows first. # (N, n) -> (N, 6, n)."""
        return self._columns(self._frames(q))

    def _frames(self, q: Array) -> list[Array]:
        """Frame of each joint after its motion, and the target's. # (n + 1) times (N, 4, 4)."""
        motions = self.motions(q)
        T = np.broadcast_to(np.eye(4), (len(q), 4, 4))
        frames = []
        for k in range(self.size):
            T = T @ (self.links[k] @ motions[:, k])
            frames.append(T)
        return [*frames, T @ self.links[-1]]

    def _columns(self, frames: list[Array]) -> Array:
        point = frames[-1][:, :3, 3]
        J = np.zeros((len(point), 6, self.size))
        for k, turning in enumerate(self.revolute):
            axis = frames[k][:, :3, 2]
            if turning:
                J[:, :3, k] = np.cross(axis, point - frames[k][:, :3, 3])
                J[:, 3:, k] = axis
            else:
                J[:, :3, k] = axis
        return J

    def gap(self, frames: Array, T: Array) -> Array:
        """Twist from poses reached to poses asked for, without units. # (N, 4, 4) -> (N, 6)."""
        turned = T[:, :3, :3] @ np.swapaxes(frames[:, :3, :3], 1, 2)
        # Half the skew part is the rotation vector to third order, and zero only at 0 and half
        # turns; the trace tells these apart.
        vector = 0.5 * np.stack(
            [
                turned[:, 2, 1] - turned[:, 1, 2],
                turned[:, 0, 2] - turned[:, 2, 0],
                turned[:, 1, 0] - turned[:, 0, 1],
            ],
            axis=1,
        )
        far = np.trace(turned, axis1=1, axis2=2) < 1.0
        vector[far] += np.where(vector[far] >= 0.0, 1.0, -1.0)
        linear = (T[:, :3, 3] - frames[:, :3, 3]) / self.length
        return np.concatenate([linear, vector], axis=1)

    def polished(
        self,
        q: Array,
        T: Array,
        steps: int = _MOST_STEPS,
        *,
        pose: Indices | None = None,
        least: bool = False,
        far: float = np.inf,
    ) -> Polished:
        """Bring postures the last way to their poses by Newton steps.

        Args:
            q: near the solutions; a row that is not finite stays as it is. # (m, n) [rad or m]
            T: poses of the target. # (N, 4, 4)
            steps: at most; rows that are there, or that do not come nearer, stop earlier.
            pose: of each row; without it one row has one pose. # (m,)
            least: whether each step is the least one; along a family, others lead far away.
            far: gap without units from which a row is no seed.

        Raises:
            InverseError: a row of a pose that there is none.
        """
        m = len(q)
        rows = Rows(
            q=np.ascontiguousarray(q / self.units),
            pose=_pose_numbers(np.arange(m) if pose is None else pose, m, T),
            position=np.empty(m),
            angle=np.empty(m),
            regularity=np.empty(m),
        )
        options = np.array([steps, least], dtype=np.int64)
        POLISH(self._arrays(), self._without_units(T), rows, scratch(self.size), options, far)
        return Polished(
            q=rows.q * self.units,
            position_error=rows.position * self.length,
            angle_error=rows.angle,
            regularity=rows.regularity,
            length=self.length,
        )

    def distinct(self, pose: Indices, polished: Polished, T: Array) -> Postures:
        """Certified postures, each once, by pose and then by joints.

        Args:
            pose: of each row, rising. # (m,)
            polished: # (m)
            T: poses of the target. # (N, 4, 4)

        Raises:
            InverseError: a row of a pose that there is none.
        """
        rows = Rows(
            q=np.ascontiguousarray(polished.q / self.units),
            pose=_pose_numbers(pose, len(polished.q), T),
            position=polished.position_error / self.length,
            angle=polished.angle_error,
            regularity=polished.regularity,
        )
        kept, count = np.zeros(len(pose), dtype=np.int64), np.zeros(1, dtype=np.int64)
        reached = np.array([REACHED_POSITION, REACHED_ANGLE])
        poses, work = self._without_units(T), scratch(self.size)
        KEEP_DISTINCT(self._arrays(), poses, rows, reached, SAME, work, kept, count)
        kept = kept[: count[0]]
        return Postures(
            pose=rows.pose[kept],
            q=rows.q[kept] * self.units,
            position_error=polished.position_error[kept],
            angle_error=rows.angle[kept],
            regularity=polished.regularity[kept],
        )

    def postures(self, pose: Indices, q: Array, T: Array, steps: int = _MOST_STEPS) -> Postures:
        """Certified postures near some rows; see ``polished`` and ``distinct``."""
        return self.distinct(pose, self.polished(q, T, steps, pose=pose), T)

    def merged(self, found: Postures, pose: Indices, q: Array, T: Array) -> Postures:
        """Postures, and certified ones near more rows that are not among them.

        Args:
            found: of some of the poses.
            pose: of each row. # (m,)
            q: near solutions. # (m, n) [rad or m]
            T: poses of the target. # (N, 4, 4)
        """
        touched = np.zeros(len(T), dtype=np.bool_)
        touched[pose] = True
        again = touched[found.pose]
        rows = np.concatenate([found.pose[again], pose])
        order = np.argsort(rows, kind="stable")
        more = self.postures(rows[order], np.concatenate([found.q[again], q])[order], T)
        parts = {
            name: np.concatenate([getattr(found, name)[~again], getattr(more, name)])
            for name in ("pose", *_ERRORS)
        }
        order = np.argsort(parts["pose"], kind="stable")
        return Postures(**{name: values[order] for name, values in parts.items()})

    def _without_units(self, T: Array) -> Array:
        """Poses with lengths in scale lengths. # (N, 4, 4)."""
        poses = np.array(T, order="C")
        poses[:, :3, 3] /= self.length
        return poses

    def _arrays(self) -> ChainArrays:
        links = self.links[:, :3].copy()
        links[:, :, 3] /= self.length
        turns = np.array(self.revolute, dtype=np.uint8)
        return ChainArrays(links=links, turns=turns, own=np.array([self.own]))


def _pose_numbers(pose: Indices, rows: int, T: Array) -> Indices:
    """The pose of each row for the loops, which do not look where they read. # (m,)."""
    numbers = np.ascontiguousarray(pose, dtype=np.int64)
    if numbers.shape != (rows,):
        raise InverseError(
            f"Poses of shape {numbers.shape} are given to {rows} rows; give one each."
        )
    if rows and not (numbers.min() >= 0 and numbers.max() < len(T)):
        row = int(np.argmax((numbers < 0) | (numbers >= len(T))))
        raise InverseError(
            f"Row {row} has the pose {numbers[row]}; there are {len(T)} poses, from 0 on.",
            row=row,
            pose=int(numbers[row]),
            poses=len(T),
        )
    return numbers


_ERRORS = ("q", "position_error", "angle_error", "regularity")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Polished:
    """Postures with what is left to their poses by the chain's own forward model.

    Args:
        q: # (N, n) [rad or m]
        position_error: infinite where there was no posture. # (N,) [m]
        angle_error: # (N,) [rad]
        regularity: lower bound of the ratio of the Jacobian's singular values, the smallest to the
            largest; zero where there is none. # (N,)
        length: of the chain. [m]
    """

    q: Array
    position_error: Array
    angle_error: Array
    regularity: Array
    length: float

    def replaced(self, rows: Indices, other: Polished) -> Polished:
        """The same with some rows from another one."""
        arrays = {name: getattr(self, name).copy() for name in _ERRORS}
        for name, values in arrays.items():
            values[rows] = getattr(other, name)
        return Polished(length=self.length, **arrays)

    @property
    def certified(self) -> Mask:
        """Which ones are postures of their poses. # (N,)."""
        near = self.position_error <= REACHED_POSITION * self.length
        return np.asarray(near & (self.angle_error <= REACHED_ANGLE))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Postures:
    """Certified postures of a batch of poses, each once.

    Args:
        pose: index of the pose of each, rising. # (m,)
        q: angles in (-π, π]. # (m, n) [rad or m]
        position_error: # (m,) [m]
        angle_error: # (m,) [rad]
        regularity: lower bound of the ratio of the Jacobian's singular values, the smallest to the
            largest; zero where there is none. # (m,)
        undecided: poses without a posture, of which it is not proven that they have none.
    """

    pose: Indices
    q: Array
    position_error: Array
    angle_error: Array
    regularity: Array
    undecided: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def joined(parts: list[Postures], size: int) -> Postures:
    """One batch of postures of ``size`` joints after another."""
    none = Postures(
        pose=np.zeros(0, dtype=np.int64),
        q=np.zeros((0, size)),
        position_error=np.zeros(0),
        angle_error=np.zeros(0),
        regularity=np.zeros(0),
    )
    names = ("pose", *_ERRORS, "undecided")
    return Postures(
        **{name: np.concatenate([getattr(part, name) for part in (none, *parts)]) for name in names}
    )


def wrapped(q: Array, revolute: tuple[bool, ...]) -> Array:
    """Angles brought into (-π, π]; lengths as they are. # (..., n)."""
    turned = q - 2.0 * np.pi * np.ceil((q - np.pi) / (2.0 * np.pi))
    return np.where(revolute, turned, q)


def distinct(chain: Chain, pose: Indices, q: Array) -> Mask:
    """Which rows differ from every earlier row of their pose, whole turns aside.

    Args:
        chain: for the joints' kinds and units; joints of the task do not count.
        pose: of each row, rising. # (m,)
        q: # (m, n) [rad or m]
    """
    own = chain.own
    units, turning = chain.units[:own], chain.revolute[:own]
    first = np.searchsorted(pose, pose)
    rank = np.arange(pose.size) - first
    kept = np.ones(pose.size, dtype=np.bool_)
    for back in range(1, int(np.max(rank, initial=0)) + 1):
        rows = np.nonzero(rank >= back)[0]
        away = np.abs(wrapped(q[rows, :own] - q[rows - back, :own], turning)) / units
        kept[rows[(np.max(away, axis=1) < SAME) & kept[rows - back]]] = False
    return kept


# --------------------------------------------------------------------------- Chains of mechanisms

_TASK_NAMES = {
    Task.POSE: (),
    Task.POSITION_AND_AXIS: ("roll",),
    Task.POSITION: ("free z", "free y", "free z'"),
}


def chain_of(
    mechanism: Mechanism, task: Task = Task.POSE, locked: Mapping[str, float] | None = None
) -> Chain:
    """The chain from the base to the tool, with the task's free motions as joints.

    Args:
        mechanism: serial: every joint that moves carries the tool.
        task: pose, position and axis, or position.
        locked: joints held still, by name, with their values. [rad or m]

    Raises:
        InverseError: a joint that does not carry the tool, a locked joint that there is none, a
            value that is no finite number, no joint left, or a task told in a plane.
    """
    if task not in _TASK_NAMES:
        raise InverseError(
            f"The task {task.value!r} is solved numerically; whole chains are solved for "
            f"{', '.join(repr(one.value) for one in _TASK_NAMES)}.",
            task=task.value,
        )
    locked = dict(locked or {})
    path = path_of(mechanism)
    known = [mechanism.joints[k].name for k in path if mechanism.joints[k].movable]
    for name, value in locked.items():
        if name not in known:
            raise InverseError(
                f"{mechanism.name!r} has no joint {name!r} to lock; it has {', '.join(known)}.",
                joint=name,
            )
        if not (isinstance(value, Real) and np.isfinite(value)):
            raise InverseError(
                f"Joint {name!r} is locked at {value!r}; give a finite value.", joint=name
            )
    if len(locked) == len(known):
        raise InverseError(
            f"All {len(known)} joints of {mechanism.name!r} are locked: none is left to solve for. "
            "Leave out one at least.",
            robot=mechanism.name,
        )
    names: list[str] = []
    revolute: list[bool] = []
    links: list[Array] = []
    pending = np.eye(4)
    for k in path:
        joint = mechanism.joints[k]
        pending = pending @ joint.placement
        if not joint.movable:
            continue
        if joint.name in locked:
            pending = pending @ _motion(locked[joint.name], turns=joint.kind.angular)
            continue
        names.append(joint.name)
        revolute.append(joint.kind.angular)
        links.append(pending)
        pending = np.eye(4)
    links.append(pending @ mechanism.tool)
    length = sum(float(np.linalg.norm(link[:3, 3])) for link in links)
    for name, turn in zip(_TASK_NAMES[task], (0.0, -np.pi / 2.0, np.pi / 2.0), strict=False):
        # The joints' axes are the tool's z, y and z: the second link turns y onto z, and back.
        names.append(name)
        revolute.append(True)
        links[-1] = links[-1] @ make_pose(rotation=_about_x(turn))
        links.append(np.eye(4))
    return Chain(
        name=mechanism.name,
        names=tuple(names),
        revolute=tuple(revolute),
        links=np.array(links),
        task_joints=len(_TASK_NAMES[task]),
        length=length if length > 0.0 else 1.0,
    )


def path_of(mechanism: Mechanism) -> list[int]:
    """Joints from the base to the tool.

    Raises:
        InverseError: a joint that moves and does not carry the tool.
    """
    path: list[int] = []
    index = mechanism.tool_joint
    while index != BASE:
        path.insert(0, index)
        index = mechanism.joints[index].parent
    idle = [
        joint.name
        for k, joint in enumerate(mechanism.joints)
        if joint.movable and k not in set(path)
    ]
    if idle:
        raise InverseError(
            f"{mechanism.name!r} is no serial chain: {', '.join(idle)} "
            f"{'does' if len(idle) == 1 else 'do'} not carry the tool. Give the file of the one "
            "chain that carries it.",
            joints=idle,
        )
    return path


def _motion(value: float, *, turns: bool) -> Array:
    if not turns:
        return make_pose(translation=[0.0, 0.0, value])
    c, s = np.cos(value), np.sin(value)
    return make_pose(rotation=[[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_x(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


# -------------------------------------------------------------------------------- Sides of postures
# Names for branches that no step of an inverse tells apart. On which side of the first two axes the
# wrist stands, which way the elbow and the wrist are bent, and the sign of the Jacobian's
# determinant are facts of a posture alone: whatever other postures its pose has, and in whatever
# order, they stay until one of them passes zero. The determinant does so at a singularity only. A
# side may do so at a regular posture, too: an arm without closed form mostly has no more than two
# regions of regular postures, the two signs of the determinant, so that whatever tells more than
# two postures apart must change on some way that crosses no singularity.

SIX = 6
FACTS = ("shoulder", "elbow", "wrist", "det")
NAMES = tuple(
    " ".join(f"{fact}{sign}" for fact, sign in zip(FACTS, signs, strict=True))
    for signs in product("+-", repeat=len(FACTS))
)
# Of values without units: what stands exactly between two sides is on the first, rounding aside.
_ZERO = 1e-9
_PARALLEL = 1e-9  # squared sine of two axes


def has_sides(chain: Chain) -> bool:
    """Whether a chain is six axes that turn."""
    return chain.size == SIX and all(chain.revolute)


def sides(chain: Chain, q: Array) -> Mask:
    """Which of the facts are positive or zero, by posture.

    Args:
        chain: of six axes that turn.
        q: postures, with or without the joints of the task, of which these facts do not depend.
            # (N, n) [rad]

    Returns:
        In the order of ``FACTS``. # (N, 4)
    """
    whole = np.zeros((len(q), SIX))
    whole[:, : q.shape[1]] = q
    J = chain.jacobian(whole)
    J[:, :3] /= chain.length
    axes = [J[:, 3:, k] for k in range(SIX)]
    # Points of the axes, seen from the tool: those nearest to it.
    points = [np.cross(J[:, 3:, k], J[:, :3, k]) for k in range(SIX)]

    def towards(k: int, other: int) -> Array:
        """The point of axis k that is nearest to another axis. # (N, 3)."""
        normal = np.cross(axes[k], axes[other])
        square = np.sum(normal**2, axis=1)
        along = np.sum(np.cross(points[other] - points[k], axes[other]) * normal, axis=1)
        along = np.where(square > _PARALLEL, along / np.maximum(square, _PARALLEL), 0.0)
        return np.asarray(points[k] + along[:, None] * axes[k])

    shoulder, elbow, wrist = towards(1, 0), towards(2, 3), towards(3, 4)
    bent = np.cross(elbow - shoulder, wrist - elbow)
    facts = [
        np.sum((wrist - points[0]) * np.cross(axes[0], axes[1]), axis=1),
        np.sum(axes[2] * bent, axis=1),
        np.sum(axes[4] * np.cross(axes[3], axes[5]), axis=1),
        np.linalg.det(J),
    ]
    return np.asarray(np.stack(facts, axis=1) >= -_ZERO)


def side_names(chain: Chain, q: Array) -> list[str]:
    """Names of all postures of one pose; of those alike the second, third, … by joints are counted.

    Args:
        chain: of six axes that turn.
        q: in the order of the joints. # (N, n) [rad]
    """
    places = np.where(sides(chain, q), 0, 1) @ (1 << np.arange(len(FACTS))[::-1])
    found: list[str] = []
    for k, place in enumerate(places.tolist()):
        alike = 1 + int(np.sum(places[:k] == place))
        found.append(NAMES[place] if alike == 1 else f"{NAMES[place]} ({alike})")
    return found
