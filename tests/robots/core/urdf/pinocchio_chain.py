"""The chain to a tip in Pinocchio: joints off it locked where our reader says it holds them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from robots.core.mechanism import Mechanism
from robots.core.model import Model


class PinocchioChain:
    """A URDF text in Pinocchio, with the variables of our mechanism in our order."""

    def __init__(self, text: str, mechanism: Mechanism) -> None:
        self.pin = pytest.importorskip("pinocchio", reason="Pinocchio is the independent engine")
        whole = self.pin.buildModelFromXML(text)
        held = {joint.name: joint.value for joint in mechanism.side_branches.joints}
        q = self.pin.neutral(whole)
        for name, value in held.items():
            self._set(whole, q, name, value)
        locked = [whole.getJointId(name) for name in held if whole.existJointName(name)]
        self.model = self.pin.buildReducedModel(whole, locked, q)
        self.data = self.model.createData()
        self.mechanism = mechanism
        self.order = [self.model.joints[self._id(j.name)].idx_v for j in mechanism.movable]

    def _id(self, name: str) -> int:
        assert self.model.existJointName(name)
        return int(self.model.getJointId(name))

    def _set(self, model, q, name: str, value: float) -> None:
        joint = model.joints[model.getJointId(name)]
        if joint.nq == 2:
            q[joint.idx_q : joint.idx_q + 2] = [math.cos(value), math.sin(value)]
        elif joint.nq == 1:
            q[joint.idx_q] = value

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Our joint values as Pinocchio's configuration."""
        found = self.pin.neutral(self.model)
        for joint, value in zip(self.mechanism.movable, q, strict=True):
            self._set(self.model, found, joint.name, float(value))
        return found

    def forward(self, q: np.ndarray) -> np.ndarray:
        """Pose of the tip link in the frame of the root link. # (4, 4)."""
        tip = self.mechanism.tip
        assert tip is not None
        self.pin.framesForwardKinematics(self.model, self.data, self.configuration(q))
        body = self.pin.FrameType.BODY
        frames = [self.data.oMf[self.model.getFrameId(link, body)] for link in (tip.root, tip.link)]
        return (frames[0].inverse() * frames[1]).homogeneous

    def torques(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Without friction. # (n,)."""
        theirs = np.zeros((2, self.model.nv))
        theirs[:, self.order] = qd, qdd
        found = self.pin.rnea(self.model, self.data, self.configuration(q), *theirs)
        return found[self.order]

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """# (n, n)."""
        M = self.pin.crba(self.model, self.data, self.configuration(q))
        M = np.triu(M) + np.triu(M, 1).T
        return M[np.ix_(self.order, self.order)]


def check_against_pinocchio(text: str, mechanism: Mechanism, seed: int = 5) -> None:
    """Forward geometry to 1e-12 m, mass matrix and torques to 1e-10, at five random states.

    Where the file has no masses only the geometry has a value.
    """
    peer, ours = PinocchioChain(text, mechanism), Model(mechanism, "numpy")
    assert peer.model.nv == mechanism.dof
    friction = np.array([(j.viscous, j.coulomb) for j in mechanism.movable]).T
    rng = np.random.default_rng(seed)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-1.0, 1.0, (3, mechanism.dof))
        assert np.abs(ours.forward(q) - peer.forward(q)).max() <= 1e-12
        if not mechanism.masses_known:
            continue
        M = peer.mass_matrix(q)
        assert np.abs(ours.mass_matrix(q) - M).max() <= 1e-10 * max(1.0, np.abs(M).max())
        tau = ours.torques(q, qd, qdd) - friction[0] * qd - friction[1] * np.sign(qd)
        expected = peer.torques(q, qd, qdd)
        assert np.abs(tau - expected).max() <= 1e-10 * max(1.0, np.abs(expected).max())
