"""Time-optimal traversal beside TOPP-RA (toppra), each path in a call of its own.

toppra runs in its own process, in the environment whose Python ``PALPEUR_TOPPRA`` names (``pip
install toppra pin``), with grid points of its own choice, its fast solver and Pinocchio's inverse
dynamics. It checks limits at grid points; by how much it passes them between, and what its duration
is when it is slowed down, as a whole, until it does not, is measured there.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.detours.motions import WIDEST, Legs
from robots.core.benchmark.pinocchio_peer import PinocchioPeer
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_path import JointPath
from robots.core.motion.time_optimal import GAP, time_optimal
from robots.library import load
from tests.cases import sized
from tests.robots.core.motion.test_time_optimal import EXCESS, states

pytestmark = pytest.mark.benchmark

PYTHON = os.environ.get("PALPEUR_TOPPRA", "")
ARMS = ("measuring-arm", "ur5e", "industrial-6r", "franka-panda")
PATHS = sized(125, once=2)  # of each arm, without and with limits of torque: 1,000 in all
AUTOMATIC = "0"  # toppra's own grid points


class Case:
    """Random polylines of 2 to 12 points, corners as wide as detours have them."""

    def __init__(self, arm: str, *, torque: bool) -> None:
        mechanism, rng = load(arm), np.random.default_rng(5)
        n, speed = mechanism.dof, mechanism.max_speed
        given = mechanism.max_acceleration
        acceleration = np.where(np.isfinite(given), given, 10.0)  # [rad/s²] where none is stated
        low, high = np.maximum(mechanism.q_min, -2.0), np.minimum(mechanism.q_max, 2.0)
        q, qd, qdd = (rng.uniform(-1.0, 1.0, (1000, n)) for _ in range(3))
        q = low + 0.5 * (q + 1.0) * (high - low)
        bare = Model(mechanism, "compiled")
        hard = np.quantile(np.abs(bare.torques(q, qd * speed, qdd * acceleration)), 0.9, axis=0)
        weight = np.max(np.abs(bare.gravity_torques(q)), axis=0)
        dry = iter(0.05 * hard)
        joints = [
            replace(joint, coulomb=float(next(dry))) if joint.movable else joint
            for joint in mechanism.joints
        ]
        self.mechanism = replace(mechanism, joints=tuple(joints))
        self.model = Model(self.mechanism, "compiled")
        self.coulomb = 0.05 * hard
        effort = np.maximum(0.8 * hard, 1.2 * (weight + self.coulomb)) + 1e-6
        self.limits = JointLimits(
            max_speed=speed,
            max_acceleration=acceleration,
            max_effort=effort if torque else np.full(n, np.inf),
        )
        self.torque = torque
        self.paths = []
        for _ in range(PATHS):
            waypoints = rng.uniform(low, high, (rng.integers(2, 13), n))
            legs = Legs(waypoints, self.limits)
            widths = legs.turn * legs.corner_speeds(np.full(len(waypoints) - 2, WIDEST))
            self.paths.append(JointPath.blended(waypoints, widths, speed))

    def for_peer(self):
        peer = PinocchioPeer(self.mechanism)
        return {
            "speed": self.limits.max_speed,
            "acceleration": self.limits.max_acceleration,
            "effort": self.limits.max_effort if self.torque else None,
            "coulomb": self.coulomb,
            "paths": [(np.array(one.length), np.array(one.powers)) for one in self.paths],
            "pinocchio": peer.model.saveToString(),
            "order": peer.order,
        }

    def excess(self, found) -> float:
        """By how much a motion passes its limits anywhere."""
        q, qd, qdd = states(found)
        shares = [np.abs(qd) / self.limits.max_speed, np.abs(qdd) / self.limits.max_acceleration]
        if self.torque:
            shares.append(np.abs(self.model.torques(q, qd, qdd)) / self.limits.max_effort)
        return max(float(share.max()) for share in shares) - 1.0


@pytest.fixture(scope="module")
def cases():
    return [Case(arm, torque=torque) for arm in ARMS for torque in (False, True)]


@pytest.fixture(scope="module")
def traversed(cases):
    """Of each case: what was found, and CPU seconds of a path in a call of its own."""
    answer = []
    for case in cases:
        time_optimal(case.paths[:1], case.limits, case.model)
        begin = time.process_time()
        found = [time_optimal([path], case.limits, case.model)[0] for path in case.paths]
        answer.append((found, (time.process_time() - begin) / len(found)))
    return answer


def test_limits_and_gap(cases, traversed):
    for case, (found, _) in zip(cases, traversed, strict=True):
        assert max(case.excess(one) for one in found) <= EXCESS
        assert max(one.gap for one in found) <= GAP


@pytest.mark.skipif(not PYTHON, reason="PALPEUR_TOPPRA names no Python with toppra")
def test_beside_toppra(cases, traversed, speed, tmp_path):
    source, target = tmp_path / "cases", tmp_path / "answer"
    source.write_bytes(pickle.dumps([case.for_peer() for case in cases]))
    script = Path(__file__).with_name("toppra_peer.py")
    subprocess.run([PYTHON, str(script), str(source), str(target), AUTOMATIC], check=True)
    theirs = [one[AUTOMATIC] for one in pickle.loads(target.read_bytes())]
    quicker = {False: [], True: []}
    for case, (found, seconds), peer in zip(cases, traversed, theirs, strict=True):
        durations = np.array([one.duration for one in found])
        shortest = np.array([one.shortest for one in found])
        excess, peers = np.array(peer["excess"]), np.array(peer["duration"])
        kept = peers * np.array(peer["slowing"])
        assert np.all(durations <= kept * (1.0 + 1e-9))
        # What is below the proven bound passes a limit.
        assert np.all((peers >= shortest) | (excess > 0.0))
        quicker[case.torque].append(float(np.mean(peer["seconds"])) / seconds)
        print(
            f"{case.mechanism.name} torque={case.torque}: {1e6 * seconds:.0f} µs, toppra "
            f"{1e6 * np.mean(peer['seconds']):.0f} µs; toppra's duration over ours "
            f"{np.min(peers / durations):.5f} to {np.max(peers / durations):.5f}, slowed until it "
            f"keeps the limits {np.min(kept / durations):.5f} to {np.max(kept / durations):.5f} "
            f"(mean {np.mean(kept / durations):.5f}); raw below the "
            f"bound in {np.count_nonzero(peers < shortest)}, above ours in "
            f"{np.count_nonzero(peers > durations)} of {len(peers)}; toppra passes limits by up to "
            f"{100 * np.max(excess):.3g} %, ours by {max(case.excess(one) for one in found):.1e}; "
            f"gap up to {100 * max(one.gap for one in found):.3f} %"
        )
    speed.ratio("time-optimal traversal, speed, acceleration", quicker[False])
    speed.ratio("time-optimal traversal, torque with friction", quicker[True])
