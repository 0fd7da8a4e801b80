"""Speed of BIP's leg in its 2 ms cycle, beside Pinocchio in one run, and of its simulation.

The thesis's controller took 161.6 µs for forward geometry and inverse dynamics and 272.8 µs with
the stabiliser. Absolute figures are printed; the ratios are to Pinocchio's single calls from the
same Python and to real time, each from the median of a fixed number of runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.stabiliser.leg_controller import LegController
from robots.biped.stabiliser.leg_simulation import LegSimulation
from robots.biped.stabiliser.leg_stabiliser import Stabiliser
from robots.biped.stabiliser.tilting_ground import ThereAndBack
from robots.core.mechanism import Body, Mechanism

pytestmark = pytest.mark.benchmark

RUNS = 7
CALLS = 5000
AGREEMENT = 1e-10


class PinocchioLeg:
    """Forward geometry and Newton-Euler, the output of both left in Pinocchio's data."""

    def __init__(self, leg: Mechanism) -> None:
        pin = self.pin = pytest.importorskip("pinocchio", reason="Pinocchio is the peer")
        model, carriers, poses = pin.Model(), [], []
        model.gravity.linear = np.array(leg.gravity)
        for joint in leg.joints:
            root = joint.parent < 0
            parent = 0 if root else carriers[joint.parent]
            before = pin.SE3.Identity() if root else poses[joint.parent]
            pose = before * pin.SE3(joint.placement[:3, :3].copy(), joint.placement[:3, 3].copy())
            if joint.movable:
                parent = model.addJoint(parent, pin.JointModelRZ(), pose, joint.name)
                pose = pin.SE3.Identity()
            # Some bodies of the source are rounded beyond what Pinocchio's constructor accepts.
            inertia = pin.Inertia.FromDynamicParameters(dynamic_parameters(joint.body))
            model.appendBodyToJoint(parent, inertia, pose)
            carriers.append(parent)
            poses.append(pose)
        self.model, self.data = model, model.createData()

    def models(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        self.pin.forwardKinematics(self.model, self.data, q)
        return self.pin.rnea(self.model, self.data, q, qd, qdd)


def dynamic_parameters(body: Body) -> np.ndarray:
    """Mass, first moment and tensor at the origin, in Pinocchio's order."""
    tensor = body.inertia_at_origin
    lower = [tensor[i, j] for i in range(3) for j in range(i + 1)]
    return np.array([body.mass, *body.first_moment, *lower])


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(CALLS):
        work()
    return (time.perf_counter() - start) / CALLS


def test_a_cycle_beside_pinocchios_calls(speed):
    biped = open_biped("bip-leg")
    controller, stabiliser = LegController(biped.mechanism), Stabiliser(biped=biped)
    peer, start = PinocchioLeg(biped.mechanism), stabiliser.start
    q, qd, qdd = np.random.default_rng(8).uniform(-0.4, 0.4, (3, 4))

    def with_stabiliser() -> None:
        controller.models(q, qd, qdd)
        stabiliser.step(start, 0.05, 0.1)

    expected = peer.models(q, qd, qdd)
    found = controller.models(q, qd, qdd).tau
    assert np.abs(found - expected).max() <= AGREEMENT * np.abs(expected).max()
    with_stabiliser()  # compiled once
    times = [
        (
            seconds(lambda: controller.models(q, qd, qdd)),
            seconds(with_stabiliser),
            seconds(lambda: peer.models(q, qd, qdd)),
        )
        for _ in range(speed.runs(RUNS))
    ]
    models, both, theirs = (median(column) for column in zip(*times, strict=True))
    print(
        f"models {1e6 * models:.2f} µs, with stabiliser {1e6 * both:.2f} µs, "
        f"Pinocchio's models {1e6 * theirs:.2f} µs; on the robot 161.6 and 272.8 µs"
    )
    speed.ratio("BIP leg, models: Pinocchio", theirs / models)
    speed.ratio("BIP leg, models and stabiliser: Pinocchio", theirs / both)


def test_the_simulation_beside_real_time(speed):
    simulation = LegSimulation(stabiliser=Stabiliser(biped=open_biped("bip-leg")))
    ground = ThereAndBack(alpha=np.radians(10.0), beta=np.radians(20.0), each_way=5.0)
    simulation.run(ground)  # compiled once
    taken = []
    for _ in range(speed.runs(RUNS)):
        start = time.perf_counter()
        simulation.run(ground)
        taken.append(time.perf_counter() - start)
    faster = ground.duration / median(taken)
    print(f"{faster:.0f} times real time: {1e3 * median(taken):.2f} ms for 5000 cycles of 2 ms")
    speed.ratio("BIP leg, simulation: real time", faster)
