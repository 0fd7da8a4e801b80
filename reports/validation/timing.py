"""Time runs without gap, and the motion with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.plan_types import Plan, Samples
from reports.validation.check import Check, check
from reports.validation.evidence import Evidence

Array = NDArray[np.float64]

JOINTS = 1e-9  # [rad]
REST = 1e-8  # [rad/s]
_JUMPING = "linear"  # the one law whose speed jumps at both ends


def timing_checks(evidence: Evidence) -> list[Check]:
    """Segments one after another, joints continuous, at rest between segments."""
    plan, samples = evidence.plan, evidence.samples
    total = plan.totals.duration
    step = 1e-12 * max(1.0, total)
    jump, speed = _borders(plan)
    return [
        check(
            "time",
            _gaps(plan),
            step,
            "s",
            "segments start at 0, each where the one before ends, and last the reported duration "
            "together",
        ),
        check(
            "sample times",
            _sample_gaps(plan, samples),
            max(step, 1e-9 * plan.job.sampling_period),
            "s",
            "samples start at 0, are never further apart than the period, lie in their segments "
            "and end with the motion",
        ),
        check(
            "continuous joints",
            jump,
            JOINTS,
            "rad",
            "joints before and after every border of segments",
        ),
        check(
            "rest at borders",
            speed,
            REST,
            "rad/s",
            "speeds on both sides of every border of segments, linear laws left out",
        ),
    ]


def _gaps(plan: Plan) -> Array:
    start = np.array([segment.start for segment in plan.segments])
    end = np.array([segment.end for segment in plan.segments])
    duration = np.array([segment.duration for segment in plan.segments])
    negative = np.minimum(duration, 0.0)
    whole = np.array([float(np.sum(duration)) - plan.totals.duration])
    return np.concatenate([start[:1], start[1:] - end[:-1], negative, whole])


def _sample_gaps(plan: Plan, samples: Samples) -> Array:
    if not plan.segments:
        return np.zeros(0)
    end = plan.segments[-1].end
    steps = np.diff(samples.t)
    too_far = np.maximum(steps - plan.job.sampling_period, 0.0)
    backward = np.minimum(steps, 0.0)
    starts = np.array([segment.start for segment in plan.segments])[samples.segment]
    ends = np.array([segment.end for segment in plan.segments])[samples.segment]
    outside = np.maximum(np.maximum(starts - samples.t, samples.t - ends), 0.0)
    edges = np.array([samples.t[0], samples.t[-1] - end])
    return np.concatenate([too_far, backward, outside, edges])


def _borders(plan: Plan) -> tuple[Array, Array]:
    """Jumps of joints [rad] and speeds [rad/s] at the borders of segments."""
    segments = [segment for segment in plan.segments if segment.duration > 0.0]
    n = plan.job.mechanism.dof
    if not segments:
        return np.zeros((0, n)), np.zeros((0, n))
    start = np.array([segment.start for segment in segments])
    end = np.array([segment.end for segment in segments])
    after, before = plan.trajectory.state(start, "right"), plan.trajectory.state(end, "left")
    resting = np.array([segment.law != _JUMPING for segment in segments])
    return before.q[:-1] - after.q[1:], np.concatenate([after.qd[resting], before.qd[resting]])
