"""Speed of the Monte Carlo beside Pinocchio's forward kinematics and bare NumPy, in one run.

A point evaluation is a draw of every source (38 normal numbers and 5 uniform ones), the arm with 22
wrong parameters, the touch and the part. The peers are given their random numbers: Pinocchio only
places the tool of the nominal arm, one posture after another from Python; NumPy multiplies the
matrices of the arm with errors, in batches of the same size. A million evaluations of one point
take 0.71 to 0.75 s of a core of a Xeon at 2.5 GHz, as a thousand draws of a thousand points 0.43 s.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from planner.job import UncertaintySettings, read_job
from planner.library import path_of
from planner.planning import plan
from planner.uncertainty.measuring import measuring_of
from planner.uncertainty.monte_carlo import draws
from tests.cases import sized

pytestmark = pytest.mark.benchmark

EVALUATIONS = sized(1_000_000, once=50_000)
PEER = sized(20_000, once=1_000)
ROWS = 16_384
DRAWS = 1000
RUNS = 5

SETTINGS = UncertaintySettings(
    encoder=3e-5,
    encoder_resolution=7e-5,
    encoder_offset=1e-4,
    length=5e-5,
    angle=1e-4,
    stylus=2e-5,
    probe=2e-6,
    probe_normal=1e-6,
    alignment=2e-5,
    alignment_turn=1e-4,
    temperature=1.0,
    expansion=23e-6,
    part_temperature=1.0,
    part_expansion=12e-6,
)


@pytest.fixture(scope="module")
def measuring():
    job = replace(read_job(path_of("nine-points-corrected")), uncertainty=SETTINGS)
    return measuring_of(plan(job))


def seconds(function) -> float:
    """Of this process on its core: the machine is shared."""
    start = time.process_time()
    function()
    return time.process_time() - start


def drawn(measuring, count):
    total = sum(len(chunk) * len(measuring) for chunk in draws(measuring, count=count))
    assert total == EVALUATIONS


def pinocchio_loop(mechanism):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is the peer of this benchmark")
    model, parent = pin.Model(), 0
    for joint in mechanism.joints:
        placement = pin.SE3(np.array(joint.placement))
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, joint.name)
    data, tool = model.createData(), pin.SE3(np.array(mechanism.tool))
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (PEER, mechanism.dof))
    out = np.empty((PEER, 3))

    def run():
        for k in range(PEER):
            pin.forwardKinematics(model, data, q[k])
            out[k] = (data.oMi[parent] * tool).translation

    return run


def numpy_chain(mechanism):
    """Every row as a product of four small matrices, many arms at a time."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-1.0, 1.0, (ROWS, mechanism.dof))
    errors = 1e-4 * rng.normal(size=(ROWS, mechanism.dof, 4))

    def turned(axis, angle):
        T = np.zeros((ROWS, 4, 4))
        i, j = ((1, 2), (2, 0), (0, 1))[axis]
        T[:, axis, axis] = T[:, 3, 3] = 1.0
        T[:, i, i] = T[:, j, j] = np.cos(angle)
        T[:, j, i] = np.sin(angle)
        T[:, i, j] = -T[:, j, i]
        return T

    def run():
        T = np.tile(np.eye(4), (ROWS, 1, 1))
        for k, joint in enumerate(mechanism.joints):
            x, z = turned(0, errors[:, k, 0]), turned(2, q[:, k] + errors[:, k, 2])
            x[:, 0, 3], z[:, 2, 3] = errors[:, k, 1], errors[:, k, 3]
            T = T @ joint.placement @ x @ z
        return T @ mechanism.tool

    return run


def test_a_million_point_evaluations(measuring, speed):
    one = measuring.take(np.array([0]))
    many = measuring.take(np.arange(DRAWS) % len(measuring))
    loop, chain = pinocchio_loop(measuring.mechanism), numpy_chain(measuring.mechanism)
    drawn(one, EVALUATIONS)  # the machine code is made and loaded once
    ratios = {"pinocchio": [], "numpy": [], "shared": []}
    for _ in range(speed.runs(RUNS)):
        own = seconds(lambda: drawn(one, EVALUATIONS)) / EVALUATIONS
        shared = seconds(lambda: drawn(many, EVALUATIONS // DRAWS)) / EVALUATIONS
        placed = seconds(loop) / PEER
        multiplied = seconds(chain) / ROWS
        ratios["pinocchio"].append(placed / own)
        ratios["numpy"].append(multiplied / own)
        ratios["shared"].append(own / shared)
        print(
            f"1e6 evaluations: {1e6 * own:.2f} s; 1000 points share 1000 draws: "
            f"{1e6 * shared:.2f} s; Pinocchio {1e6 * placed:.2f} s; NumPy {1e6 * multiplied:.2f} s"
        )
    speed.ratio("1e6 evaluations: Pinocchio's forward kinematics", ratios["pinocchio"])
    speed.ratio("1e6 evaluations: NumPy chain", ratios["numpy"])
    speed.ratio("1e6 evaluations, shared draws over single ones", ratios["shared"])
