"""Laying motions end to end: probe, dwell, retract, travel, for every served point in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from planner.effort import Timed
from planner.job import Job
from planner.motions import Motions
from planner.placement import PlacedPoints
from planner.plan_types import Segment, SegmentKind
from planner.probing_lines import LineMotions
from planner.trajectory import Stretch, Trajectory

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class TimedMotions(Protocol):
    """A batch of motions with its durations."""

    @property
    def motions(self) -> Motions:
        """The batch."""

    @property
    def timed(self) -> Timed:
        """Durations and what fixes them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assembly:
    """The motion as a list of segments and as a function of time.

    Args:
        segments: in order of time.
        trajectory: the same, to be asked at any instant.
        rests: joints of the segments at rest, NaN elsewhere. # (m, n) [rad]
        resting: indices of the segments at rest. # (r,)
    """

    segments: tuple[Segment, ...]
    trajectory: Trajectory
    rests: Array
    resting: Indices


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A segment before it has a place in time."""

    kind: SegmentKind
    point: int
    motion: int
    duration: float
    binding: str


def assemble(
    job: Job, placed: PlacedPoints, served: Indices, batches: Sequence[TimedMotions]
) -> Assembly:
    """Segments of the served points in the job's order.

    Args:
        job: for the laws and the dwell.
        placed: names of the points.
        served: indices of the points that are part of the motion.
        batches: probing lines, retracts and travel of the served points, in order.
    """
    probe, retract, travel = batches
    entries = _entries(job, served, batches)
    durations = np.array([entry.duration for entry in entries])
    starts = np.concatenate([[0.0], np.cumsum(durations)[:-1]]) if entries else np.zeros(0)
    lines = probe.motions
    model = lines.lines.inverse.model if isinstance(lines, LineMotions) else None
    if model is None:
        raise TypeError("the first batch of a plan is its probing lines")
    rests = np.full((len(entries), model.dof), np.nan)
    resting = np.array(
        [i for i, entry in enumerate(entries) if entry.kind is SegmentKind.DWELL], dtype=np.int64
    )
    for i in resting:
        rests[i] = _line_end(probe.motions, entries[i].motion)
    kinds = (
        (probe, SegmentKind.PROBE),
        (retract, SegmentKind.RETRACT),
        (travel, SegmentKind.TRAVEL),
    )
    stretches = [_stretch(batch.motions, kind, entries) for batch, kind in kinds]
    return Assembly(
        segments=tuple(
            Segment(
                kind=entry.kind,
                point=placed.names[entry.point],
                point_index=entry.point,
                law=_law(job, entry.kind),
                start=float(start),
                duration=entry.duration,
                binding=entry.binding,
            )
            for entry, start in zip(entries, starts, strict=True)
        ),
        trajectory=Trajectory(model, starts, durations, stretches, rests),
        rests=rests,
        resting=resting,
    )


def _entries(job: Job, points: Indices, batches: Sequence[TimedMotions]) -> list[_Entry]:
    probe, retract, travel = (batch.timed for batch in batches)
    entries: list[_Entry] = []
    for k, point in enumerate(int(p) for p in points):
        if k > 0:
            entries.append(_entry(SegmentKind.TRAVEL, point, k - 1, travel))
        entries.append(_entry(SegmentKind.PROBE, point, k, probe))
        if job.approach.dwell > 0.0:
            rest = Timed(duration=np.full(k + 1, job.approach.dwell), bindings=("dwell",) * (k + 1))
            entries.append(_entry(SegmentKind.DWELL, point, k, rest))
        entries.append(_entry(SegmentKind.RETRACT, point, k, retract))
    return entries


def _entry(kind: SegmentKind, point: int, motion: int, timed: Timed) -> _Entry:
    return _Entry(
        kind=kind,
        point=point,
        motion=motion,
        duration=float(timed.duration[motion]),
        binding=timed.bindings[motion],
    )


def _stretch(motions: Motions, kind: SegmentKind, entries: Sequence[_Entry]) -> Stretch:
    rows = [i for i, entry in enumerate(entries) if entry.kind is kind]
    return Stretch(
        motions=motions,
        index=np.array([entries[i].motion for i in rows], dtype=np.int64),
        segment=np.array(rows, dtype=np.int64),
    )


def _line_end(motions: Motions, index: int) -> Array:
    """Joints at the end of a probing line."""
    at = np.array([index])
    return np.asarray(motions.states(at, motions.law_at(at, np.ones(1))).q[0])


def _law(job: Job, kind: SegmentKind) -> str:
    if kind is SegmentKind.DWELL:
        return "rest"
    return job.travel.law if kind is SegmentKind.TRAVEL else job.approach.law
