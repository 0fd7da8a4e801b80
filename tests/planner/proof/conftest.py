"""Real plans of the corrected nine-point job, and trajectories with something added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.job import Job, read_job
from planner.library import path_of
from planner.motion.trajectory import MotionState, Trajectory
from planner.plan import Plan, Samples
from planner.planning import plan as planned
from planner.proof import Proof

Added = Callable[[np.ndarray], MotionState]


def _few_points(count: int) -> Job:
    job = read_job(path_of("nine-points-corrected"))
    points = job.points
    kept = ProbePoints(
        names=points.names[:count],
        positions=points.positions[:count],
        normals=points.normals[:count],
    )
    return replace(job, points=kept)


@pytest.fixture(scope="session")
def job() -> Job:
    """Three points: three probing lines forth and back, two travels."""
    return _few_points(3)


@pytest.fixture(scope="session")
def plan(job) -> Plan:
    return planned(job)


@pytest.fixture(scope="session")
def jerky(job) -> Plan:
    """Travels by the double-S law: short ones without plateau, long ones with all seven phases."""
    limits = (300.0, 500.0, 1000.0, 1e4, 60.0)
    joints = tuple(
        replace(joint, max_jerk=limit)
        for joint, limit in zip(job.mechanism.joints, limits, strict=True)
    )
    changed = replace(job, mechanism=replace(job.mechanism, joints=joints))
    return planned(replace(changed, travel=replace(job.travel, law="double-s")))


@pytest.fixture(scope="session")
def samples(plan) -> Samples:
    return plan.trajectory.sample(plan.job.sampling_period)


@dataclass(frozen=True)
class Altered:
    """A trajectory with a motion added to it; torques of its samples follow from the sum."""

    base: Trajectory
    added: Added

    def state(self, t: np.ndarray, side: str = "right") -> MotionState:
        own, more = self.base.state(t, side), self.added(np.asarray(t))
        return MotionState(q=own.q + more.q, qd=own.qd + more.qd, qdd=own.qdd + more.qdd)

    @property
    def stretches(self) -> tuple:
        return self.base.stretches

    def sample_count(self, period: float) -> int:
        return self.base.sample_count(period)

    def sample(self, period: float, first: int = 0, after: int | None = None) -> Samples:
        drawn, model = self.base.sample(period, first, after), self.base.model
        state = self.state(drawn.t)
        return replace(
            drawn,
            q=state.q,
            qd=state.qd,
            qdd=state.qdd,
            tau=model.torques(state.q, state.qd, state.qdd),
            position=model.forward(state.q)[:, :3, 3],
        )


@pytest.fixture(scope="session")
def altered_type() -> type[Altered]:
    """The class, for alterations that depend on the side."""
    return Altered


@pytest.fixture(scope="session")
def altered() -> Callable[[Plan, Added], Plan]:
    """Factory: a plan whose trajectory has a motion added to it."""

    def make(plan: Plan, added: Added) -> Plan:
        return replace(plan, trajectory=Altered(plan.trajectory, added))

    return make


def failed(proof: Proof) -> set[str]:
    """Names of the checks that did not pass."""
    return {check.name for check in proof.failures}


@pytest.fixture(scope="session")
def failures() -> Callable[[Proof], set[str]]:
    return failed
