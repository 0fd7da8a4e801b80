"""Random trees, and the same mechanism in Pinocchio: the independent engine of these tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from robots.core.mechanism import Body, Joint, JointKind, Mechanism

KINDS = (JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.FIXED)


def rotation(rng: np.random.Generator) -> np.ndarray:
    """A uniformly random rotation from a random quaternion."""
    quaternion = rng.normal(size=4)
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def placement(rng: np.random.Generator) -> np.ndarray:
    """A random pose; sometimes axis-aligned, so that folding and parallel axes are exercised."""
    T = np.eye(4)
    choice = rng.integers(4)
    if choice == 0:
        T[:3, :3] = rotation(rng)
    elif choice == 1:
        T[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    elif choice == 2:
        c, s = np.cos(0.3), np.sin(0.3)
        T[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    T[:3, 3] = rng.normal(size=3) * 0.4
    return T


def body(rng: np.random.Generator) -> Body:
    """A physically consistent random body: a cloud of point masses."""
    points = rng.normal(size=(6, 3)) * 0.2 + rng.normal(size=3) * 0.1
    masses = rng.uniform(0.1, 1.0, size=6)
    mass = float(masses.sum())
    com = masses @ points / mass
    d = points - com
    inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, d, strict=True))
    return Body(mass=mass, com=com, inertia=inertia)


def random_mechanism(seed: int) -> Mechanism:
    """A random tree of 2 to 12 joints, mixed kinds, random axes, inertias, gravity and tool."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 13))
    joints = []
    for index in range(count):
        kind = KINDS[rng.choice(3, p=[0.6, 0.25, 0.15])] if index else JointKind.REVOLUTE
        movable = kind is not JointKind.FIXED
        joints.append(
            Joint(
                name=f"j{index}",
                kind=kind,
                parent=int(rng.integers(max(-1, index - 3), index)),
                placement=placement(rng),
                body=body(rng),
                motor_inertia=float(rng.uniform(0, 0.1)) if movable else 0.0,
            )
        )
    return Mechanism(
        name=f"random-{seed}",
        joints=tuple(joints),
        gravity=rng.normal(size=3) * 6.0,
        tool=placement(rng),
        tool_joint=int(rng.integers(count)),
    )


class Peer:
    """A mechanism rebuilt in Pinocchio, in our order of variables.

    Fixed joints become frames with their bodies merged. Pinocchio needs each subtree's joints to be
    numbered one after another, so the tree is added depth first and vectors are permuted.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.pin = pytest.importorskip("pinocchio", reason="Pinocchio is the independent engine")
        self.model = self.pin.Model()
        self.model.gravity.linear = np.array(mechanism.gravity)
        self._mechanism = mechanism
        self._carriers: dict[int, tuple[int, Any]] = {-1: (0, self.pin.SE3.Identity())}
        self._frames: dict[int, int] = {}
        variables = {id(joint): k for k, joint in enumerate(mechanism.movable)}
        order: list[int] = []
        stack = [i for i, joint in enumerate(mechanism.joints) if joint.parent < 0][::-1]
        while stack:
            index = stack.pop()
            joint = mechanism.joints[index]
            self._add(index)
            if joint.movable:
                order.append(variables[id(joint)])
            children = [i for i, j in enumerate(mechanism.joints) if j.parent == index]
            stack.extend(reversed(children))
        self.order = np.array(order)
        carrier, local = self._carriers[mechanism.tool_joint]
        tool = local * self._se3(mechanism.tool)
        self._tool = self.model.addFrame(self._frame("tool_frame", carrier, tool))
        self.model.armature[:] = [mechanism.movable[k].motor_inertia for k in order]
        self.data = self.model.createData()

    def poses(self, q: np.ndarray) -> np.ndarray:
        """Base poses of all joint frames, then of the tool. # (links + 1, 4, 4)."""
        self.pin.framesForwardKinematics(self.model, self.data, q[self.order])
        frames = [self._frames[k] for k in range(len(self._frames))]
        return np.array([self.data.oMf[f].homogeneous for f in (*frames, self._tool)])

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Tool Jacobian in base axes. # (6, n)."""
        axes = self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        data = self.data
        J = self.pin.computeFrameJacobian(self.model, data, q[self.order], self._tool, axes)
        return self._ours(np.array(J).reshape(6, len(self.order)))

    def acceleration(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Classical acceleration of the tool, base axes. # (6,)."""
        pin, o = self.pin, self.order
        pin.forwardKinematics(self.model, self.data, q[o], qd[o], qdd[o])
        pin.updateFramePlacements(self.model, self.data)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        found = pin.getFrameClassicalAcceleration(self.model, self.data, self._tool, axes)
        return np.array(found.vector)

    def torques(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Newton-Euler. # (n,)."""
        o = self.order
        return self._ours(np.array(self.pin.rnea(self.model, self.data, q[o], qd[o], qdd[o])))

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Articulated bodies. # (n,)."""
        o = self.order
        return self._ours(np.array(self.pin.aba(self.model, self.data, q[o], qd[o], tau[o])))

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Symmetric mass matrix. # (n, n)."""
        M = np.triu(self.pin.crba(self.model, self.data, q[self.order]))
        return self._ours(self._ours(M + np.triu(M, 1).T).T)

    def _ours(self, values: np.ndarray) -> np.ndarray:
        """Back to our order along the last axis."""
        found = np.empty_like(values)
        found[..., self.order] = values
        return found

    def _add(self, index: int) -> None:
        pin, joint = self.pin, self._mechanism.joints[index]
        parent, offset = self._carriers[joint.parent]
        place = offset * self._se3(joint.placement)
        if joint.kind is JointKind.FIXED:
            carrier, local = parent, place
        else:
            kind = pin.JointModelRZ() if joint.kind.angular else pin.JointModelPZ()
            carrier, local = (
                self.model.addJoint(parent, kind, place, joint.name),
                self._se3(np.eye(4)),
            )
        I, h = joint.body.inertia_at_origin, joint.body.first_moment
        parameters = [joint.body.mass, *h, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
        if carrier:
            inertia = pin.Inertia.FromDynamicParameters(np.array(parameters))
            self.model.appendBodyToJoint(carrier, inertia, local)
        self._carriers[index] = (carrier, local)
        self._frames[index] = self.model.addFrame(
            self._frame(joint.name + "_frame", carrier, local)
        )

    def _frame(self, name: str, carrier: int, local: Any) -> Any:
        return self.pin.Frame(name, carrier, 0, local, self.pin.FrameType.OP_FRAME)

    def _se3(self, pose: np.ndarray) -> Any:
        return self.pin.SE3(np.array(pose[:3, :3]), np.array(pose[:3, 3]))


@pytest.fixture(scope="session")
def make_mechanism() -> Callable[..., Mechanism]:
    """Factory of random trees by seed."""
    return random_mechanism


@pytest.fixture(scope="session")
def make_peer() -> Callable[[Mechanism], Peer]:
    """Factory of Pinocchio peers."""
    return Peer
