"""A mechanism rebuilt in Pinocchio, to measure and check against where it is installed.

Pinocchio numbers the joints of each subtree one after another, so the tree is added depth first and
vectors are permuted. A fixed joint's body is merged into the joint that carries it.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.mechanism import BASE, Body, JointKind, Mechanism

# What is measured of Pinocchio, by quantity.
METHODS = {
    "forward": "forwardKinematics, Python loop",
    "jacobian": "computeFrameJacobian, Python loop",
    "torques": "rneaInParallel, 1 thread",
    "mass_matrix": "crba, Python loop",
    "forward_dynamics": "abaInParallel, 1 thread",
}


def pinocchio_version() -> str:
    """Version of Pinocchio here; empty where it is not installed."""
    if find_spec("pinocchio") is None:
        return ""
    import pinocchio

    return str(pinocchio.__version__)


class PinocchioPeer:
    """The same robot, state by state or in a batch of one thread.

    Args:
        mechanism: what to rebuild.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        import pinocchio

        self._pin: Any = pinocchio
        self._mechanism = mechanism
        self.model = pinocchio.Model()
        self.model.gravity.linear = np.array(mechanism.gravity)
        self._carriers: dict[int, tuple[int, Any]] = {BASE: (0, pinocchio.SE3.Identity())}
        self.order = np.array(self._add_all(), dtype=np.intp)
        carrier, local = self._carriers[mechanism.tool_joint]
        tool = local * self._se3(mechanism.tool)
        kind = pinocchio.FrameType.OP_FRAME
        self._tool = self.model.addFrame(pinocchio.Frame("tool", carrier, 0, tool, kind))
        self.model.armature[:] = [mechanism.movable[k].motor_inertia for k in self.order]
        self.data = self.model.createData()
        self._pool = pinocchio.ModelPool(self.model, 1)

    def carried(self, joint: int, *points: Array) -> tuple[int, *tuple[Array, ...]]:
        """Pinocchio's joint that carries one of ours, and points of ours in its frame."""
        carrier, local = self._carriers[joint]
        return carrier, *(np.asarray(local.act(np.array(point))) for point in points)

    def rows(self, values: Array) -> list[Array]:
        """States one by one in Pinocchio's order, for the loops. # (N, n) -> N of (n,)."""
        return list(np.ascontiguousarray(values[:, self.order]))

    def columns(self, values: Array) -> Array:
        """States as Pinocchio's batches want them. # (N, n) -> (n, N)."""
        return np.asfortranarray(values[:, self.order].T)

    def run_forward(self, q: list[Array]) -> None:
        """Tool poses, one after another, left in Pinocchio's memory."""
        kinematics, place = self._pin.forwardKinematics, self._pin.updateFramePlacement
        model, data, tool = self.model, self.data, self._tool
        for row in q:
            kinematics(model, data, row)
            place(model, data, tool)

    def run_jacobian(self, q: list[Array]) -> None:
        """Tool Jacobians in base axes, one after another."""
        jacobian, axes = self._pin.computeFrameJacobian, self._pin.LOCAL_WORLD_ALIGNED
        model, data, tool = self.model, self.data, self._tool
        for row in q:
            jacobian(model, data, row, tool, axes)

    def run_mass_matrix(self, q: list[Array]) -> None:
        """Mass matrices, one after another."""
        crba, model, data = self._pin.crba, self.model, self.data
        for row in q:
            crba(model, data, row)

    def run_torques(self, q: Array, qd: Array, qdd: Array, out: Array) -> None:
        """Torques of a batch on one thread. # (n, N)."""
        self._pin.rneaInParallel(1, self._pool, q, qd, qdd, out)

    def run_forward_dynamics(self, q: Array, qd: Array, tau: Array, out: Array) -> None:
        """Accelerations of a batch on one thread. # (n, N)."""
        self._pin.abaInParallel(1, self._pool, q, qd, tau, out)

    def forward(self, q: Array) -> Array:
        """Tool poses. # (N, n) -> (N, 4, 4)."""
        found = []
        for row in self.rows(q):
            self.run_forward([row])
            found.append(np.array(self.data.oMf[self._tool].homogeneous))
        return np.array(found)

    def jacobian(self, q: Array) -> Array:
        """Tool Jacobians. # (N, n) -> (N, 6, n)."""
        axes = self._pin.LOCAL_WORLD_ALIGNED
        found = [
            np.array(self._pin.computeFrameJacobian(self.model, self.data, row, self._tool, axes))
            for row in self.rows(q)
        ]
        return self._ours(np.array(found).reshape(len(q), 6, len(self.order)))

    def mass_matrix(self, q: Array) -> Array:
        """Mass matrices, whole. # (N, n) -> (N, n, n)."""
        upper = [np.triu(self._pin.crba(self.model, self.data, row)) for row in self.rows(q)]
        M = np.array([half + np.triu(half, 1).T for half in upper])
        return self._ours(np.swapaxes(self._ours(M), -1, -2))

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques. # (N, n)."""
        out = np.zeros((len(self.order), len(q)), order="F")
        self.run_torques(self.columns(q), self.columns(qd), self.columns(qdd), out)
        return self._ours(out.T)

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        """Accelerations. # (N, n)."""
        out = np.zeros((len(self.order), len(q)), order="F")
        self.run_forward_dynamics(self.columns(q), self.columns(qd), self.columns(tau), out)
        return self._ours(out.T)

    def _ours(self, values: Array) -> Array:
        """Back to our order along the last axis."""
        found = np.empty_like(values)
        found[..., self.order] = values
        return found

    def _add_all(self) -> list[int]:
        """Add all joints depth first; the variables in the order they were added."""
        joints = self._mechanism.joints
        variables = {joint.name: k for k, joint in enumerate(self._mechanism.movable)}
        order = []
        stack = [i for i, joint in enumerate(joints) if joint.parent == BASE][::-1]
        while stack:
            index = stack.pop()
            self._add(index)
            if joints[index].movable:
                order.append(variables[joints[index].name])
            stack.extend([i for i, joint in enumerate(joints) if joint.parent == index][::-1])
        return order

    def _add(self, index: int) -> None:
        pin, joint = self._pin, self._mechanism.joints[index]
        parent, offset = self._carriers[joint.parent]
        place = offset * self._se3(joint.placement)
        carrier, local = parent, place
        if joint.kind is not JointKind.FIXED:
            kind = pin.JointModelRZ() if joint.kind.angular else pin.JointModelPZ()
            carrier, local = (
                self.model.addJoint(parent, kind, place, joint.name),
                pin.SE3.Identity(),
            )
        if carrier:
            self.model.appendBodyToJoint(carrier, self._inertia(joint.body), local)
        self._carriers[index] = (carrier, local)

    def _inertia(self, body: Body) -> Any:
        """Mass properties as Pinocchio takes them; it divides the first moment by the mass."""
        if body.mass == 0.0:
            return self._pin.Inertia(0.0, np.zeros(3), np.array(body.inertia_at_origin))
        I, h = body.inertia_at_origin, body.first_moment
        upper = (I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2])
        return self._pin.Inertia.FromDynamicParameters(np.array([body.mass, *h, *upper]))

    def _se3(self, pose: Array) -> Any:
        return self._pin.SE3(np.array(pose[:3, :3]), np.array(pose[:3, 3]))
