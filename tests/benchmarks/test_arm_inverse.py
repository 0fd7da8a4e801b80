"""Speed of the arm's inverse beside EAIK and beside damped least squares on Pinocchio, in one run.

What is compared: EAIK solves six-axis arms for a full pose, so the arm is given a sixth joint along
its stylus, which makes the wrist spherical (EAIK: "6R-SPHERICAL_SECOND_TWO_PARALLEL"). It then
solves the same wrist centre and the same stylus direction in the same eight families, plus the turn
of the sixth joint, which the measuring arm leaves free: one arc tangent per solution more. EAIK
returns Python objects, ours fills one array; both run on one thread. Pinocchio's side is one
solution per pose by damped least squares from a start 0.1 rad off, all in Python around its C++.
"""

from __future__ import annotations

import time
from dataclasses import replace
from statistics import median

import numpy as np
import pytest

from robots.arm.inverse import ArmInverse
from robots.core.mechanism import Joint, JointKind
from robots.core.model import Model
from robots.library import load
from tests.cases import sized

pytestmark = pytest.mark.benchmark

RUNS = 5
POSES = sized(100_000, once=5_000)
ARM = load("measuring-arm")


def six_axes() -> Model:
    """The arm with a sixth joint along its stylus."""
    sixth = Joint(name="q6", kind=JointKind.REVOLUTE, parent=4, placement=ARM.tool)
    return Model(replace(ARM, joints=(*ARM.joints, sixth), tool=np.eye(4), tool_joint=5))


def seconds(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


@pytest.fixture(scope="module")
def targets() -> np.ndarray:
    """Poses of the six-axis arm. # (POSES, 4, 4)"""
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (POSES, 6))
    return six_axes().forward(q)


def test_all_branches_beside_eaik(targets, speed):
    eaik = pytest.importorskip("eaik.IK_Homogeneous", reason="EAIK is the peer of this benchmark")
    model = six_axes()
    zero = np.zeros(6)
    frames = np.concatenate([model.transforms(zero)[-6:], model.forward(zero)[None]])
    peer = eaik.HomogeneousRobot(frames)
    assert peer.hasKnownDecomposition()
    inverse = ArmInverse(ARM, "compiled")
    center, axis = (np.ascontiguousarray(targets[:, :3, k]) for k in (3, 2))
    out = np.empty((POSES, 41))
    some = [np.ascontiguousarray(T) for T in targets[: POSES // 10]]
    inverse.branches(center, axis, out=out)  # compiles
    answers = peer.IK_batched(some, 1)
    _same_postures(out, answers)
    ratios: list[float] = []
    bounds: list[float] = []
    for _ in range(speed.runs(RUNS)):
        ours = min(seconds(lambda: inverse.branches(center, axis, out=out)) for _ in range(5))
        theirs = seconds(lambda: peer.IK_batched(some, 1))
        memory = min(seconds(lambda: _moved(center, axis, out)) for _ in range(5))
        ns, ns_eaik = 1e9 * ours / POSES, 1e9 * theirs / len(some)
        ratios.append(ns_eaik / ns)
        bounds.append(ours / memory)
        print(f"{ns:.1f} ns per pose (8 families); EAIK {ns_eaik:.0f} ns; {ns_eaik / ns:.0f} times")
        print(f"reading and filling the arrays alone {1e9 * memory / POSES:.1f} ns")
    print(f"times memory {median(bounds):.2f}")
    speed.ratio("arm inverse, 8 branches: EAIK", ratios)


def _moved(center: np.ndarray, axis: np.ndarray, out: np.ndarray) -> None:
    center.max()
    axis.max()
    out.fill(1.0)


def _same_postures(out: np.ndarray, answers) -> None:
    """Both sides list the same eight postures of the first five joints."""
    for row, answer in zip(out[:200, :40].reshape(-1, 8, 5), answers, strict=False):
        theirs = np.array(answer.Q)[:, :5]
        apart = np.abs(np.sin(0.5 * (row[:, None] - theirs[None]))).max(axis=-1)
        # EAIK's own residuals reach 1e-11, and near a singularity joints follow less well
        assert apart.min(axis=1).max() < 1e-5


def test_one_solution_by_damped_least_squares(speed):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is the peer of this benchmark")
    rng = np.random.default_rng(1)
    q = rng.uniform(-np.pi, np.pi, (20_000, 5))
    inverse = ArmInverse(ARM, "compiled")
    q = q[inverse.margins(q).least > 0.1][:500]
    T = inverse.model.forward(q)
    center, axis = (np.ascontiguousarray(np.tile(T[:, :3, k], (200, 1))) for k in (3, 2))
    peer = _Damped(pin)
    out = np.empty((len(center), 41))
    inverse.branches(center, axis, out=out)
    starts = q + rng.uniform(-0.1, 0.1, q.shape)
    assert peer.solve(T, starts) > 0.95 * len(q)
    ratios: list[float] = []
    for _ in range(speed.runs(RUNS)):
        ours = 1e9 * seconds(lambda: inverse.branches(center, axis, out=out)) / len(center)
        theirs = 1e9 * seconds(lambda: peer.solve(T, starts)) / len(T)
        ratios.append(theirs / ours)
        print(f"{ours:.1f} ns per pose; damped least squares {theirs:.0f} ns for one solution")
    speed.ratio("arm inverse: damped least squares", ratios)


class _Damped:
    """The textbook iteration on Pinocchio's kinematics, for position and stylus direction."""

    def __init__(self, pin) -> None:
        self.pin, self.model = pin, pin.Model()
        parent = 0
        for joint in ARM.joints:
            placement = pin.SE3(np.array(joint.placement))
            parent = self.model.addJoint(parent, pin.JointModelRZ(), placement, joint.name)
        tool = pin.SE3(np.array(ARM.tool))
        frame = pin.Frame("ball", parent, 0, tool, pin.FrameType.OP_FRAME)
        self.frame = self.model.addFrame(frame)
        self.data = self.model.createData()

    def solve(self, T: np.ndarray, starts: np.ndarray) -> int:
        """How many targets were reached to 1e-9."""
        return sum(self._one(*both) for both in zip(T, starts, strict=True))

    def _one(self, T: np.ndarray, q: np.ndarray) -> bool:
        pin = self.pin
        for _ in range(50):
            pin.computeJointJacobians(self.model, self.data, q)
            here = pin.updateFramePlacement(self.model, self.data, self.frame)
            J = pin.getFrameJacobian(self.model, self.data, self.frame, pin.LOCAL)[:5]
            local = here.rotation.T @ T[:3, 2]
            off = here.rotation.T @ (T[:3, 3] - here.translation)
            error = np.array([*off, -local[1], local[0]])
            if np.abs(error).max() < 1e-9:
                return True
            q = q + J.T @ np.linalg.solve(J @ J.T + 1e-10 * np.eye(5), error)
        return False
