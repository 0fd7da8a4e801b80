"""Laying motions end to end: probe, dwell, retract, travel, point by point in visiting order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from planner.job import Job
from planner.motion.motions import Motions
from planner.motion.probing_lines import LineMotions
from planner.motion.timing import Timed
from planner.motion.trajectory import Stretch, Trajectory
from planner.motion.travel import TravelMotions
from planner.plan import PlacedPoints, Segment, SegmentClearance, SegmentKind
from robots.core.arrays import Array, Indices


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
    law: str
    duration: float
    binding: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SegmentClearances:
    """How near the motions of a plan come to what they keep away from; empty where not checked.

    Args:
        lines: of the probing lines, and so of their retracts, in visiting order; None where no
            pair of bodies has a distance to state.
        travels: of the travels between them; None likewise.
    """

    lines: tuple[SegmentClearance | None, ...] = ()
    travels: tuple[SegmentClearance | None, ...] = ()

    def of(self, kind: SegmentKind, motion: int) -> SegmentClearance | None:
        """That of one motion."""
        known = self.travels if kind is SegmentKind.TRAVEL else self.lines
        return known[motion] if known else None


def assemble(
    job: Job,
    placed: PlacedPoints,
    visits: Indices,
    batches: Sequence[TimedMotions],
    clearances: SegmentClearances | None = None,
) -> Assembly:
    """Segments of the served points in visiting order.

    Args:
        job: for the laws and the dwell.
        placed: names of the points.
        visits: indices of the points that are part of the motion, in visiting order.
        batches: probing lines, retracts and travel between them, in that order.
        clearances: of the motions; None where none were checked.
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
        segments=_segments(placed, entries, starts, clearances or SegmentClearances()),
        trajectory=Trajectory(model, starts, durations, stretches, rests),
        rests=rests,
        resting=resting,
    )


def _segments(
    placed: PlacedPoints, entries: Sequence[_Entry], starts: Array, clearances: SegmentClearances
) -> tuple[Segment, ...]:
    return tuple(
        Segment(
            kind=entry.kind,
            point=placed.names[entry.point],
            point_index=entry.point,
            law=entry.law,
            start=start,
            duration=entry.duration,
            binding=entry.binding,
            clearance=clearances.of(entry.kind, entry.motion),
        )
        for entry, start in zip(entries, starts.tolist(), strict=True)
    )


def _entries(job: Job, visits: Indices, batches: Sequence[TimedMotions]) -> list[_Entry]:
    probe, retract, travel = batches
    line_law, dwell = job.approach.law, job.approach.dwell
    entries: list[_Entry] = []
    for k, point in enumerate(visits.tolist()):
        if k > 0:
            law = _travel_law(travel.motions, k - 1, job)
            entries.append(_entry(SegmentKind.TRAVEL, point, k - 1, travel.timed, law))
        entries.append(_entry(SegmentKind.PROBE, point, k, probe.timed, line_law))
        if dwell > 0.0:
            entries.append(
                _Entry(
                    kind=SegmentKind.DWELL,
                    point=point,
                    motion=k,
                    law="rest",
                    duration=dwell,
                    binding="dwell",
                )
            )
        entries.append(_entry(SegmentKind.RETRACT, point, k, retract.timed, line_law))
    return entries


def _travel_law(motions: Motions, travel: int, job: Job) -> str:
    if isinstance(motions, TravelMotions):
        return job.travel.law
    from planner.detours.motions import MixedTravels

    if not isinstance(motions, MixedTravels):
        raise TypeError("the last batch of a plan is its travels")
    return motions.law_name(travel, job.travel.law)


def _entry(kind: SegmentKind, point: int, motion: int, timed: Timed, law: str) -> _Entry:
    return _Entry(
        kind=kind,
        point=point,
        motion=motion,
        law=law,
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
