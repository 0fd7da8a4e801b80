"""Time runs without gap, and the motion with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from planner.plan import JUMP, Plan, Samples, Segment, SegmentKind
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
        period = self._plan.job.sampling_period
        if period is not None:
            self._gaps.take(np.maximum(steps - period, 0.0), locate)
        self._gaps.take(np.minimum(steps, 0.0), locate)
        self._gaps.take(np.maximum(np.maximum(starts - t, t - ends), 0.0), locate)

    def checks(self) -> list[Check]:
        """Of time and rest."""
        plan = self._plan
        step = 1e-12 * max(1.0, plan.totals.duration)
        borders = _borders(plan)
        if plan.timeline:
            self._gaps.take(np.nan if self._last is None else self._last - plan.timeline[-1].end)
        period = max(step, 1e-9 * (plan.job.sampling_period or 0.0))
        moving = [i for i, segment in enumerate(plan.timeline) if segment.duration > 0.0]

        def locate(index: tuple[int, ...]) -> Location:
            after = moving[index[0] + 1]
            joint = self._evidence.joint(index[1])
            return self._evidence.on_segment(after, plan.timeline[after].start, joint)

        return [
            check("time", _gaps(plan), step, "s", _TIME),
            check("sample times", self._gaps, period, "s", _SAMPLE_TIMES),
            check("continuous joints", borders.jumps, JOINTS, "rad", _CONTINUOUS, locate),
            check("rest at borders", borders.speeds, REST, "rad/s", _REST),
            *(
                [check("continuous speeds", borders.changes, REST, "rad/s", _PASSED)]
                if len(borders.changes)
                else []
            ),
        ]


_TIME = (
    "segments start at 0, each where the one before ends, and last the reported duration together"
)
_SAMPLE_TIMES = (
    "samples start at 0, are never further apart than the period, lie in their segments and end "
    "with the motion"
)
_CONTINUOUS = "joints before and after every border of segments"
_REST = (
    "speeds on both sides of every border of segments, linear laws left out, and borders that a "
    "touch passes at speed"
)
_PASSED = (
    "speeds before, less speeds after, borders that a touch passes: to its search and its stop"
)
# What follows without rest.
_PASSING = {(SegmentKind.PROBE, SegmentKind.SEARCH), (SegmentKind.SEARCH, SegmentKind.STOP)}


def _gaps(plan: Plan) -> Array:
    whole = float(np.sum([segment.duration for segment in plan.timeline]))
    return np.concatenate([_clock(plan.timeline), [whole - plan.totals.duration]])


def _clock(timeline: Sequence[Segment]) -> Array:
    """Where one segment does not begin when the one before it ends; durations below zero. [s]."""
    start = np.array([segment.start for segment in timeline])
    end = np.array([segment.end for segment in timeline])
    negative = np.minimum([segment.duration for segment in timeline], 0.0)
    return np.concatenate([start[:1], start[1:] - end[:-1], negative])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Borders:
    """The motion at the borders of segments.

    Args:
        jumps: of joints. # (m - 1, n) [rad]
        speeds: where the robot is to rest. # (r, n) [rad/s]
        changes: of speeds where it goes on. # (p, n) [rad/s]
    """

    jumps: Array
    speeds: Array
    changes: Array


def miss_borders(plan: Plan) -> list[Check]:
    """Searches that find nothing: they start as every search does, and end at rest as it began."""
    if plan.miss is None:
        return []
    missed, meant = plan.miss.trajectory, plan.trajectory
    runs = [
        [s for s in own if s.duration > 0.0]
        for _, own in groupby(plan.miss.timeline, key=lambda s: s.point_index)
    ]
    approach = {s.point_index: s for s in plan.timeline if s.kind is SegmentKind.PROBE}
    searched = {s.point_index for s in plan.timeline if s.kind is SegmentKind.SEARCH}
    missable = [own[0].point_index for own in runs if own]
    astray = len(searched ^ set(missable)) + len(missable) - len(set(missable))
    runs = [own for own in runs if own and own[0].point_index in approach]
    leaving = [approach[own[0].point_index] for own in runs]
    ends = max((segment.end for segment in plan.miss.timeline), default=0.0)
    clock = check("time", _clock(plan.miss.timeline), 1e-12 * max(1.0, ends), "s", _MISS_TIME)
    if not runs:
        return [clock, check("one for each search", np.array([astray]), 0.0, "1", _ONE_EACH)]
    # The approach, then the search; every segment of the miss, then the next; its end, then home.
    left = meant.state(np.array([s.end for s in leaving]), "left")
    entered = missed.state(np.array([own[0].start for own in runs]), "right")
    pairs = [(a, b) for own in runs for a, b in pairwise(own)]
    before = missed.state(np.array([a.end for a, _ in pairs]), "left")
    after = missed.state(np.array([b.start for _, b in pairs]), "right")
    last = missed.state(np.array([own[-1].end for own in runs]), "left")
    home = meant.state(np.array([s.start for s in leaving]), "right")
    turned = missed.state(np.array([own[-1].start for own in runs]), "right")
    jumps = [left.q - entered.q, before.q - after.q, last.q - home.q]
    changes = [left.qd - entered.qd, before.qd - after.qd]
    return [
        clock,
        check("one for each search", np.array([astray]), 0.0, "1", _ONE_EACH),
        check("continuous joints", np.concatenate(jumps), JOINTS, "rad", _MISSED),
        check("rest at borders", np.stack([last.qd, turned.qd]), REST, "rad/s", _MISSED),
        check("continuous speeds", np.concatenate(changes), REST, "rad/s", _MISSED),
    ]


_MISS_TIME = "segments of the misses follow each other from 0 on, each where the one before ends"
_ONE_EACH = "every search of the plan has one way on where it finds nothing, and no other has one"
_MISSED = (
    "where a search that finds nothing leaves the motion that is meant, at the borders of its "
    "segments, and at the clearance point, where it ends at rest"
)


def _borders(plan: Plan) -> Borders:
    segments = [segment for segment in plan.timeline if segment.duration > 0.0]
    n = plan.job.mechanism.dof
    if not segments:
        return Borders(jumps=np.zeros((0, n)), speeds=np.zeros((0, n)), changes=np.zeros((0, n)))
    start = np.array([segment.start for segment in segments])
    end = np.array([segment.end for segment in segments])
    after, before = plan.trajectory.state(start, "right"), plan.trajectory.state(end, "left")
    passed = np.array([(a.kind, b.kind) in _PASSING for a, b in pairwise(segments)], dtype=bool)
    steady = np.array([s.law != _JUMPING or s.kind is SegmentKind.SEARCH for s in segments])
    starts_at_rest = steady & ~np.concatenate([[False], passed])
    ends_at_rest = steady & ~np.concatenate([passed, [False]])
    return Borders(
        jumps=before.q[:-1] - after.q[1:],
        speeds=np.concatenate([after.qd[starts_at_rest], before.qd[ends_at_rest]]),
        changes=(before.qd[:-1] - after.qd[1:])[passed],
    )


# ---------------------------------------------------------------------------------- Between samples

_BETWEEN = (
    "midway between every two rows that are written, the straight line between them against the "
    "motion there, torques by Lagrange; in parts of the stated bound of each column, where rows "
    f"are more than {1e3 * JUMP:g} ms apart"
)


class InterpolationCheck(CheckGroup):
    """That straight lines between rows keep the bounds that a plan states.

    A straight line misses a smooth column most about midway.

    Args:
        evidence: the plan, forward geometry and Lagrange's torques.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._bounds = np.array([*evidence.plan.interpolation_bounds.values()])
        self._worst = Worst()
        self._last: tuple[Array, Array] | None = None  # instant and columns of the row before

    def on_samples(self, samples: Samples) -> None:
        """Every two rows that follow each other."""
        if not self._evidence.plan.timeline:
            return
        t, values = samples.t, samples.columns
        if self._last is not None:
            t, values = np.append(self._last[0], t), np.concatenate([self._last[1], values])
        self._last = t[-1:], values[-1:]
        first = np.flatnonzero(np.diff(t) > JUMP)
        middle = 0.5 * (t[first] + t[first + 1])
        known = np.isfinite(self._bounds)
        line = 0.5 * (values[first] + values[first + 1])
        off = (line - self._columns(middle))[:, known] / self._bounds[known]
        self._worst.take(np.abs(off), lambda index: self._location(float(middle[index[0]])))

    def checks(self) -> list[Check]:
        """One, in parts of the bounds."""
        return [check("between samples", self._worst, 1.0, "1", _BETWEEN)]

    def _columns(self, t: Array) -> Array:
        evidence = self._evidence
        state = evidence.plan.trajectory.state(t)
        q, qd, qdd = state.q, state.qd, state.qdd
        tau = evidence.torques.full(q, qd, qdd) if evidence.torques.known else np.full_like(q, 0.0)
        position = evidence.model.forward(q)[:, :3, 3]
        segment = np.zeros(t.size, dtype=np.int64)
        return Samples(
            t=t, segment=segment, q=q, qd=qd, qdd=qdd, tau=tau, position=position
        ).columns

    def _location(self, instant: float) -> Location:
        segment = self._evidence.plan.trajectory.segment_at(np.array([instant]))[0]
        return self._evidence.on_segment(int(segment), instant)
