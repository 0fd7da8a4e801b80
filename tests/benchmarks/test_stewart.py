"""Speed of the platform's inverse geometry and dynamics beside a Pinocchio loop, in one run.

The loop is given joint positions, speeds and accelerations of the legs for nothing: per pose it
runs Newton-Euler and a Jacobian for each of six legs and solves for the forces. Ratios only; the
machine is shared, so the median of a fixed number of runs counts.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from robots.core.mechanism import Mechanism
from robots.stewart.legs import joint_values, leg_chain
from robots.stewart.model import PlatformModel
from robots.stewart.platform import Platform
from tests.cases import sized

pytestmark = pytest.mark.benchmark

RUNS = 5
POSES = sized(100_000, once=5_000)
PEER_POSES = 200
AGREEMENT = 1e-8


class PinocchioLegs:
    """Six chains and the platform's own inertia, pose by pose."""

    def __init__(self, platform: Platform) -> None:
        self.pin = pytest.importorskip("pinocchio", reason="Pinocchio is the peer")
        self.platform = platform
        self.legs = [self._chain(leg_chain(platform, k)) for k in range(6)]
        body = platform.body
        self.plate = self.pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia_at_com))
        self.gravity = self.pin.Motion(np.array(platform.gravity), np.zeros(3))

    def forces(self, T: np.ndarray, motion: np.ndarray, legs: np.ndarray) -> np.ndarray:
        """Leg forces; ``legs`` holds q, qd, qdd of every leg. # (6, 3, 6)."""
        pin = self.pin
        wrench = self._plate_wrench(T, motion)
        rows = []
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for (model, data, tip), (q, qd, qdd) in zip(self.legs, legs, strict=True):
            tau = pin.rnea(model, data, q, qd, qdd)
            J = pin.computeFrameJacobian(model, data, q, tip, axes)
            inverse = np.linalg.inv(J)
            wrench += inverse.T @ tau
            rows.append(inverse[2])
        return np.linalg.solve(np.array(rows).T, wrench)

    def _plate_wrench(self, T: np.ndarray, motion: np.ndarray) -> np.ndarray:
        """Newton-Euler of the platform at its origin, base axes."""
        pin, R = self.pin, T[:3, :3]
        V, A = motion
        local = pin.Motion(R.T @ V[:3], R.T @ V[3:])
        linear = A[:3] - np.cross(V[3:], V[:3]) - self.platform.gravity
        force = self.plate * pin.Motion(R.T @ linear, R.T @ A[3:]) + self.plate.vxiv(local)
        return np.concatenate([R @ force.linear, R @ force.angular])

    def _chain(self, chain: Mechanism) -> tuple[Any, Any, int]:
        pin = self.pin
        model, carrier = pin.Model(), 0
        model.gravity.linear = np.array(chain.gravity)
        for joint in chain.joints:
            kind = pin.JointModelRZ() if joint.kind.angular else pin.JointModelPZ()
            carrier = model.addJoint(carrier, kind, self._se3(joint.placement), joint.name)
            body = joint.body
            inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia_at_com))
            model.appendBodyToJoint(carrier, inertia, pin.SE3.Identity())
        tip = pin.Frame("tip", carrier, 0, self._se3(chain.tool), pin.FrameType.OP_FRAME)
        place = model.addFrame(tip)
        return model, model.createData(), int(place)

    def _se3(self, pose: np.ndarray) -> Any:
        return self.pin.SE3(np.array(pose[:3, :3]), np.array(pose[:3, 3]))


def shared() -> Any:
    """The platform and motions of the unit tests."""
    path = Path(__file__).parents[1] / "robots" / "stewart" / "conftest.py"
    spec = importlib.util.spec_from_file_location("stewart_examples", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def legs_of(model: PlatformModel, m: Any) -> np.ndarray:
    joints = model.joint_motion(m.T, m.V, m.A)
    q = np.stack([joint_values(model.platform, k, m.T) for k in range(6)], axis=1)
    return np.stack([q, joints.qd, joints.qdd], axis=2)


def seconds_per_pose(work: Any, poses: int) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) / poses


def test_inverse_dynamics_beside_a_pinocchio_loop(speed):
    examples = shared()
    platform = examples.staicu_platform()
    model, peer = PlatformModel(platform), PinocchioLegs(platform)
    many, few = (examples.random_states(platform, n) for n in (POSES, PEER_POSES))
    legs, motion = legs_of(model, few), np.stack([few.V, few.A], axis=1)

    def ours() -> None:
        model.lengths(many.T)
        model.forces(many.T, many.V, many.A)

    def theirs() -> np.ndarray:
        states = zip(few.T, motion, legs, strict=True)
        return np.array([peer.forces(*state) for state in states])

    expected = theirs()
    found = model.forces(few.T, few.V, few.A)
    assert np.abs(found - expected).max() <= AGREEMENT * np.abs(expected).max()
    ours()  # compiled once
    pairs = [
        (seconds_per_pose(ours, POSES), seconds_per_pose(theirs, PEER_POSES))
        for _ in range(speed.runs(RUNS))
    ]
    print(f"{median(pair[0] for pair in pairs) * 1e6:.3f} µs per pose")
    speed.ratio("platform dynamics: Pinocchio loop", [theirs / ours for ours, theirs in pairs])
