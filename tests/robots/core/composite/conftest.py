"""The thesis's sums over bodies, written as printed: R, Ṙ, R̈, J_v, J_ω and J̇ of a serial chain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from robots.core.mechanism import Body, Mechanism
from robots.core.model import Model


class Sums:
    """A chain of revolute joints at a state; body k hangs on joint k, index from 0.

    Derivatives by q_a, q_b stand on the last axes. All follow from ∂R_k/∂q_a = [z_a ×]·R_k.
    """

    def __init__(self, mechanism: Mechanism, q: np.ndarray) -> None:
        self.n = n = mechanism.dof
        T = Model(mechanism, "numpy").transforms(q)
        self.R, self.t, self.z = T[:, :3, :3], T[:, :3, 3], T[:, :3, 2]
        bodies = [joint.body for joint in mechanism.joints]
        self.m = np.array([body.mass for body in bodies])
        self.I = [body.inertia_at_com for body in bodies]
        self.I0 = [R @ I @ R.T for R, I in zip(self.R, self.I, strict=True)]
        self.cdg = np.array([T[k, :3, 3] + T[k, :3, :3] @ bodies[k].com for k in range(n)])
        self.Jw = np.zeros((n, 3, n))
        for k in range(n):
            self.Jw[k, :, : k + 1] = self.z[: k + 1].T

    def Rd(self, k: int) -> np.ndarray:
        """∂R_0k/∂q. # (3, 3, n)."""
        found = np.zeros((3, 3, self.n))
        for a in range(k + 1):
            found[:, :, a] = cross(self.z[a]) @ self.R[k]
        return found

    def Rdd(self, k: int) -> np.ndarray:
        """∂²R_0k/∂q². # (3, 3, n, n)."""
        found = np.zeros((3, 3, self.n, self.n))
        for a in range(k + 1):
            for b in range(k + 1):
                outer, inner = self.z[min(a, b)], self.z[max(a, b)]
                found[:, :, a, b] = cross(outer) @ cross(inner) @ self.R[k]
        return found

    def Jv(self, k: int, p: np.ndarray) -> np.ndarray:
        """Velocity of the point p of body k. # (3, n)."""
        found = np.zeros((3, self.n))
        for a in range(k + 1):
            found[:, a] = np.cross(self.z[a], p - self.t[a])
        return found

    def Jvd(self, k: int, p: np.ndarray) -> np.ndarray:
        """∂J_v/∂q. # (3, n, n)."""
        found = np.zeros((3, self.n, self.n))
        for a in range(k + 1):
            for b in range(k + 1):
                first, last = min(a, b), max(a, b)
                inner = np.cross(self.z[last], p - self.t[last])
                found[:, a, b] = np.cross(self.z[first], inner)
        return found

    def Jv_cdg(self, k: int) -> np.ndarray:
        """J_v at the centre of mass of body k. # (3, n)."""
        return self.Jv(k, self.cdg[k])

    @property
    def A_v(self) -> np.ndarray:
        """Linear part of the inertia matrix, eq. (338)."""
        return sum(m * self.Jv_cdg(k).T @ self.Jv_cdg(k) for k, m in enumerate(self.m))

    @property
    def A_w(self) -> np.ndarray:
        """Angular part, with I_0k."""
        return sum(self.Jw[k].T @ self.I0[k] @ self.Jw[k] for k in range(self.n))


def cross(v: np.ndarray) -> np.ndarray:
    """Matrix of v ×."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@pytest.fixture(scope="session")
def sums() -> type[Sums]:
    """The thesis's sums."""
    return Sums


@pytest.fixture(scope="session")
def spatial(make_mechanism: Callable[[int], Mechanism]) -> Callable[..., Mechanism]:
    """Factory of chains of revolute joints with random axes and bodies, no motors."""

    def build(seed: int, n: int = 4, points: bool = False) -> Mechanism:
        pool = [joint for s in range(40) for joint in make_mechanism(1000 * seed + s).joints]
        chosen = [joint for joint in pool if joint.kind.angular][:n]
        joints = []
        for k, joint in enumerate(chosen):
            body = Body(mass=joint.body.mass, com=joint.body.com) if points else joint.body
            joints.append(
                replace(joint, name=f"q{k + 1}", parent=k - 1, motor_inertia=0.0, body=body)
            )
        return Mechanism(name=f"spatial-{seed}", joints=tuple(joints), gravity=(1.0, -9.0, 3.0))

    return build
