"""Virtual work against an independent engine: a constrained tree in Pinocchio; and the solver.

The tree has six chains of six joints and a free platform; the loops are closed by the chains' and
the platform's Jacobians, so that leg forces and closing wrenches together balance the tree's
inverse dynamics.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from robots.core.equations.algebra import numbers
from robots.core.mechanism import Mechanism
from robots.core.pose import skew
from robots.stewart.legs import STROKE, joint_values, leg_chain
from robots.stewart.model import PlatformModel, solve_system
from robots.stewart.platform import LegEnd, Platform
from tests.cases import some

AGREEMENT = 1e-8  # asked; rounding leaves about 1e-13
WRENCH = np.array([10.0, -20.0, 30.0, 4.0, 5.0, -6.0])


class CutTree:
    """A platform in Pinocchio: chains first, the free platform last."""

    def __init__(self, platform: Platform) -> None:
        self.pin = pytest.importorskip("pinocchio", reason="Pinocchio is the independent engine")
        self.platform = platform
        self.model = self.pin.Model()
        self.model.gravity.linear = np.array(platform.gravity)
        self.tips = [self._add_chain(leg_chain(platform, k), k) for k in range(6)]
        free = self.pin.JointModelFreeFlyer()
        self.plate = self.model.addJoint(0, free, self.pin.SE3.Identity(), "plate")
        self._append(self.plate, platform.body)
        self.data = self.model.createData()

    def forces(self, T: np.ndarray, V: np.ndarray, A: np.ndarray) -> np.ndarray:
        """Leg forces without friction. # (6,)."""
        q, v, a = self._state(T, V, A)
        tau = np.array(self.pin.rnea(self.model, self.data, q, v, a))
        R = T[:3, :3]
        tau[36:39] -= R.T @ WRENCH[:3]
        tau[39:42] -= R.T @ WRENCH[3:]
        drives = np.zeros((42, 6))
        drives[np.arange(6) * 6 + STROKE, np.arange(6)] = 1.0
        closing = [self._jacobian(q, tip) - self._plate_jacobian(R) for tip in self.tips]
        matrix = np.hstack([drives, *(J.T for J in closing)])
        return np.linalg.solve(matrix, tau)[:6]

    def _state(self, T: np.ndarray, V: np.ndarray, A: np.ndarray) -> tuple[np.ndarray, ...]:
        """Positions in closed form; speeds and accelerations by Pinocchio's own Jacobians."""
        R, w = T[:3, :3], V[3:]
        place = self.pin.SE3ToXYZQUAT(self.pin.SE3(R, T[:3, 3]))
        q = np.concatenate([*(joint_values(self.platform, k, T) for k in range(6)), place])
        v, a = np.zeros(42), np.zeros(42)
        v[36:], a[36:39] = [*(R.T @ V[:3]), *(R.T @ w)], R.T @ (A[:3] - np.cross(w, V[:3]))
        a[39:] = R.T @ A[3:]
        jacobians = [self._jacobian(q, tip) for tip in self.tips]
        for k, J in enumerate(jacobians):
            v[6 * k : 6 * k + 6] = np.linalg.solve(J[:, 6 * k : 6 * k + 6], V)
        self.pin.forwardKinematics(self.model, self.data, q, v, a)
        for k, J in enumerate(jacobians):
            axes = self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            bias = self.pin.getFrameClassicalAcceleration(
                self.model, self.data, self.tips[k], axes
            ).vector
            a[6 * k : 6 * k + 6] = np.linalg.solve(J[:, 6 * k : 6 * k + 6], A - bias)
        return q, v, a

    def _jacobian(self, q: np.ndarray, frame: int) -> np.ndarray:
        axes = self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return np.array(self.pin.computeFrameJacobian(self.model, self.data, q, frame, axes))

    def _plate_jacobian(self, R: np.ndarray) -> np.ndarray:
        J = np.zeros((6, 42))
        J[:3, 36:39] = J[3:, 39:42] = R
        return J

    def _add_chain(self, chain: Mechanism, index: int) -> int:
        pin, carrier = self.pin, 0
        for joint in chain.joints:
            kind = pin.JointModelRZ() if joint.kind.angular else pin.JointModelPZ()
            name = f"{index} {joint.name}"
            carrier = self.model.addJoint(carrier, kind, self._se3(joint.placement), name)
            self._append(carrier, joint.body)
        tip = pin.Frame(f"tip {index}", carrier, 0, self._se3(chain.tool), pin.FrameType.OP_FRAME)
        return int(self.model.addFrame(tip))

    def _append(self, joint: int, body: Any) -> None:
        I, com = body.inertia_at_com, body.com
        inertia = self.pin.Inertia(body.mass, np.array(com), np.array(I))
        self.model.appendBodyToJoint(joint, inertia, self.pin.SE3.Identity())

    def _se3(self, pose: np.ndarray) -> Any:
        return self.pin.SE3(np.array(pose[:3, :3]), np.array(pose[:3, 3]))


@pytest.mark.parametrize("end", list(LegEnd))
@pytest.mark.parametrize("seed", some([41, 42], gate=1))
def test_agrees_with_a_constrained_tree(make_platform, make_states, without_friction, end, seed):
    platform = without_friction(make_platform(seed, end))
    tree, m = CutTree(platform), make_states(platform, 15)
    found = PlatformModel(platform, "numpy").forces(m.T, m.V, m.A, WRENCH)
    theirs = np.array([tree.forces(m.T[k], m.V[k], m.A[k]) for k in range(15)])
    assert np.abs(found - theirs).max() < AGREEMENT * np.abs(theirs).max()


def test_agrees_along_the_published_motion(staicu, published):
    tree, m = CutTree(staicu), published(np.linspace(0.0, 3.0, 16))
    found = PlatformModel(staicu).forces(m.T, m.V, m.A, WRENCH)
    theirs = np.array([tree.forces(m.T[k], m.V[k], m.A[k]) for k in range(16)])
    assert np.abs(found - theirs).max() < AGREEMENT * np.abs(theirs).max()


def test_chains_close_in_the_other_engine(make_platform, make_states):
    """Joint values in closed form put Pinocchio's own tips on the platform."""
    platform = make_platform(43)
    tree, m = CutTree(platform), make_states(platform, 3)
    for T in m.T:
        q, *_ = tree._state(T, np.zeros(6), np.zeros(6))
        tree.pin.framesForwardKinematics(tree.model, tree.data, q)
        for tip in tree.tips:
            assert np.abs(tree.data.oMf[tip].homogeneous - T).max() < 1e-13


def columns(A: np.ndarray) -> list[list[float]]:
    return [list(column) for column in A.T]


def test_solver_needs_no_pivots():
    """A permutation stops elimination without pivots at once; a random system checks the rest."""
    rng = np.random.default_rng(4)
    for A in (np.eye(6)[[3, 0, 5, 1, 2, 4]], rng.normal(size=(6, 6))):
        b = rng.normal(size=6)
        found = solve_system(columns(A), list(b), numbers())
        assert np.abs(A @ found.values - b).max() < 1e-13


def test_solver_is_stable_on_a_bad_system():
    """Hilbert's matrix, condition 1.5e7: the residual stays at rounding."""
    A = 1.0 / (np.arange(6)[:, None] + np.arange(6) + 1.0)
    b = np.ones(6)
    found = np.array(solve_system(columns(A), list(b), numbers()).values)
    assert np.abs(A @ found - b).max() < 1e-15 * np.abs(found).max() * 10


def test_solver_measures_independence():
    A = np.eye(6)
    A[:, 3] = A[:, 0] + 1e-3 * A[:, 3]
    found = solve_system(columns(A), [1.0] * 6, numbers())
    assert found.independence == pytest.approx(1e-6, rel=1e-5)


def test_leg_force_acts_along_the_leg(make_platform):
    """Rows of the Jacobian are Plücker lines: (n, b × n), by hand."""
    platform = make_platform(44)
    J = PlatformModel(platform, "numpy").jacobian(platform.home)
    for row, leg in zip(J, platform.legs, strict=True):
        b = platform.home[:3, :3] @ leg.platform
        n = b + platform.home[:3, 3] - leg.base
        n /= np.linalg.norm(n)
        assert np.abs(row - [*n, *(skew(b) @ n)]).max() < 1e-15
