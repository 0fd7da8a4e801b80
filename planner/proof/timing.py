"""Time runs without gap, and the motion with it."""

from __future__ import annotations

import numpy as np

from planner.plan import Plan, Samples
from planner.proof.check import Check, Location, Worst, check
from planner.proof.evidence import CheckGroup, Evidence
from robots.core.arrays import Array

JOINTS = 1e-9  # [rad]
REST = 1e-8  # [rad/s]
_JUMPING = "linear"  # the one law whose speed jumps at both ends


class TimingCheck(CheckGroup):
    """Segments one after another, joints continuous, at rest between segments; times of samples.

    Args:
        evidence: the plan.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence, self._plan = evidence, evidence.plan
        self._starts = np.array([segment.start for segment in self._plan.timeline])
        self._ends = np.array([segment.end for segment in self._plan.timeline])
        self._gaps = Worst()
        self._last: float | None = None

    def on_samples(self, samples: Samples) -> None:
        """Samples follow each other at the period and lie in their segments."""
        if not self._plan.timeline:
            return
        t = samples.t
        if self._last is None:
            self._gaps.take(t[0])
        steps = np.diff(t) if self._last is None else np.diff(t, prepend=self._last)
        self._last = float(t[-1])
        starts, ends = self._starts[samples.segment], self._ends[samples.segment]
        locate = self._evidence.in_samples(samples)
        self._gaps.take(np.maximum(steps - self._plan.job.sampling_period, 0.0), locate)
        self._gaps.take(np.minimum(steps, 0.0), locate)
        self._gaps.take(np.maximum(np.maximum(starts - t, t - ends), 0.0), locate)

    def checks(self) -> list[Check]:
        """Of time and rest."""
        plan = self._plan
        step = 1e-12 * max(1.0, plan.totals.duration)
        jump, speed = _borders(plan)
        if plan.timeline:
            self._gaps.take(np.nan if self._last is None else self._last - plan.timeline[-1].end)
        period = max(step, 1e-9 * plan.job.sampling_period)
        moving = [i for i, segment in enumerate(plan.timeline) if segment.duration > 0.0]

        def locate(index: tuple[int, ...]) -> Location:
            after = moving[index[0] + 1]
            joint = self._evidence.joint(index[1])
            return self._evidence.on_segment(after, plan.timeline[after].start, joint)

        return [
            check("time", _gaps(plan), step, "s", _TIME),
            check("sample times", self._gaps, period, "s", _SAMPLE_TIMES),
            check("continuous joints", jump, JOINTS, "rad", _CONTINUOUS, locate),
            check("rest at borders", speed, REST, "rad/s", _REST),
        ]


_TIME = (
    "segments start at 0, each where the one before ends, and last the reported duration together"
)
_SAMPLE_TIMES = (
    "samples start at 0, are never further apart than the period, lie in their segments and end "
    "with the motion"
)
_CONTINUOUS = "joints before and after every border of segments"
_REST = "speeds on both sides of every border of segments, linear laws left out"


def _gaps(plan: Plan) -> Array:
    start = np.array([segment.start for segment in plan.timeline])
    end = np.array([segment.end for segment in plan.timeline])
    duration = np.array([segment.duration for segment in plan.timeline])
    negative = np.minimum(duration, 0.0)
    whole = np.array([float(np.sum(duration)) - plan.totals.duration])
    return np.concatenate([start[:1], start[1:] - end[:-1], negative, whole])


def _borders(plan: Plan) -> tuple[Array, Array]:
    """Jumps of joints [rad] and speeds [rad/s] at the borders of segments."""
    segments = [segment for segment in plan.timeline if segment.duration > 0.0]
    n = plan.job.mechanism.dof
    if not segments:
        return np.zeros((0, n)), np.zeros((0, n))
    start = np.array([segment.start for segment in segments])
    end = np.array([segment.end for segment in segments])
    after, before = plan.trajectory.state(start, "right"), plan.trajectory.state(end, "left")
    resting = np.array([segment.law != _JUMPING for segment in segments])
    return before.q[:-1] - after.q[1:], np.concatenate([after.qd[resting], before.qd[resting]])
