"""Laying motions end to end: probe, dwell, retract, travel, point by point in visiting order."""

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
    job: Job, placed: PlacedPoints, visits: Indices, batches: Sequence[TimedMotions]
) -> Assembly:
    """Segments of the served points in visiting order.

    Args:
        job: for the laws and the dwell.
        placed: names of the points.
        visits: indices of the points that are part of the motion, in visiting order.
        batches: probing lines, retracts and travel between them, in that order.
    """
    entries = _entries(job, visits, batches)
    durations = np.array([entry.duration for entry in entries])
    starts = np.concatenate([[0.0], np.cumsum(durations)[:-1]]) if entries else np.zeros(0)
    lines = batches[0].motions
    if not isinstance(lines, LineMotions):
        raise TypeError("the first batch of a plan is its probing lines")
    model = lines.lines.model
    resting = _places(entries, SegmentKind.DWELL)
    rests = np.full((len(entries), model.dof), np.nan)
    rests[resting] = _line_ends(lines, np.array([entries[i].motion for i in resting], dtype=int))
    kinds = (SegmentKind.PROBE, SegmentKind.RETRACT, SegmentKind.TRAVEL)
    stretches = [
        _stretch(batch.motions, kind, entries) for batch, kind in zip(batches, kinds, strict=True)
    ]
    return Assembly(
        segments=_segments(job, placed, entries, starts),
        trajectory=Trajectory(model, starts, durations, stretches, rests),
        rests=rests,
        resting=resting,
    )


def _segments(
    job: Job, placed: PlacedPoints, entries: Sequence[_Entry], starts: Array
) -> tuple[Segment, ...]:
    laws = dict.fromkeys(SegmentKind, job.approach.law)
    laws |= {SegmentKind.DWELL: "rest", SegmentKind.TRAVEL: job.travel.law}
    return tuple(
        Segment(
            kind=entry.kind,
            point=placed.names[entry.point],
            point_index=entry.point,
            law=laws[entry.kind],
            start=start,
            duration=entry.duration,
            binding=entry.binding,
        )
        for entry, start in zip(entries, starts.tolist(), strict=True)
    )


def _entries(job: Job, visits: Indices, batches: Sequence[TimedMotions]) -> list[_Entry]:
    probe, retract, travel = (batch.timed for batch in batches)
    dwell = job.approach.dwell
    entries: list[_Entry] = []
    for k, point in enumerate(visits.tolist()):
        if k > 0:
            entries.append(_entry(SegmentKind.TRAVEL, point, k - 1, travel))
        entries.append(_entry(SegmentKind.PROBE, point, k, probe))
        if dwell > 0.0:
            entries.append(
                _Entry(
                    kind=SegmentKind.DWELL, point=point, motion=k, duration=dwell, binding="dwell"
                )
            )
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


def _places(entries: Sequence[_Entry], kind: SegmentKind) -> Indices:
    places = [i for i, entry in enumerate(entries) if entry.kind is kind]
    return np.array(places, dtype=np.int64)


def _stretch(motions: Motions, kind: SegmentKind, entries: Sequence[_Entry]) -> Stretch:
    places = _places(entries, kind)
    index = np.array([entries[i].motion for i in places], dtype=np.int64)
    return Stretch(motions=motions, index=index, segment=places)


def _line_ends(motions: Motions, index: Indices) -> Array:
    """Joints at the ends of probing lines. # (r, n)."""
    return motions.states(index, motions.law_at(index, np.ones(index.size))).q
