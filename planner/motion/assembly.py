"""Laying motions end to end: the cycle of every point and travel, in visiting order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.job import Job
from planner.motion.motions import Motions
from planner.motion.timing import Schedule
from planner.motion.trajectory import Stretch, Trajectory
from planner.motion.travel import TravelMotions
from planner.plan import PlacedPoints, Segment, SegmentClearance, SegmentKind
from planner.touch.lines import LineMotions
from robots.core.arrays import Array, Indices
from robots.core.model import Model


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
    cycle: Mapping[SegmentKind, Schedule],
    travel: Schedule | None,
    clearances: SegmentClearances | None = None,
) -> Assembly:
    """Segments of points in visiting order.

    Args:
        job: for the law of travel and the rest after the stop.
        placed: names of the points.
        visits: indices of the points that are part of the motion, in visiting order.
        cycle: motions of the kinds of one touch, in order of time.
        travel: between the points; None for searches that find nothing.
        clearances: of the motions; None where none were checked.
    """
    entries = _entries(job, visits, cycle, travel)
    durations = np.array([entry.duration for entry in entries])
    starts = np.concatenate([[0.0], np.cumsum(durations)[:-1]]) if entries else np.zeros(0)
    resting = _places(entries, SegmentKind.DWELL)
    batches = dict(cycle) if travel is None else {**cycle, SegmentKind.TRAVEL: travel}
    before = batches[SegmentKind.STOP if SegmentKind.STOP in cycle else SegmentKind.PROBE].motions
    model = line_model(before)
    rests = np.full((len(entries), model.dof), np.nan)
    rests[resting] = _ends(before, np.array([entries[i].motion for i in resting], dtype=np.int64))
    stretches = [_stretch(batch.motions, kind, entries) for kind, batch in batches.items()]
    return Assembly(
        segments=_segments(placed, entries, starts, clearances or SegmentClearances()),
        trajectory=Trajectory(model, starts, durations, stretches, rests),
        rests=rests,
        resting=resting,
    )


def line_model(motions: Motions) -> Model:
    """The robot whose lines these are."""
    if not isinstance(motions, LineMotions):
        raise TypeError("a touch is made of motions along its probing line")
    return motions.lines.model


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


def _entries(
    job: Job,
    visits: Indices,
    cycle: Mapping[SegmentKind, Schedule],
    travel: Schedule | None,
) -> list[_Entry]:
    settles = [job.touch.of(feature).settle for feature in job.points.features]
    rest_after = SegmentKind.STOP if SegmentKind.STOP in cycle else SegmentKind.PROBE
    travel_laws = [] if travel is None else _travel_laws(travel.motions)
    entries: list[_Entry] = []
    for k, point in enumerate(visits.tolist()):
        if k > 0 and travel is not None:
            entries.append(_entry(SegmentKind.TRAVEL, point, k - 1, travel, travel_laws[k - 1]))
        for kind, batch in cycle.items():
            entries.append(_entry(kind, point, k, batch, batch.law))
            # What found nothing has no reading to settle for.
            if kind is rest_after and travel is not None and settles[point] > 0.0:
                entries.append(
                    _Entry(
                        kind=SegmentKind.DWELL,
                        point=point,
                        motion=k,
                        law="rest",
                        duration=settles[point],
                        binding="dwell",
                    )
                )
    return entries


def _travel_laws(motions: Motions) -> list[str]:
    from planner.detours.motions import MixedTravels

    if not isinstance(motions, TravelMotions | MixedTravels):
        raise TypeError("the last batch of a plan is its travels")
    return [motions.law_name(k) for k in range(motions.count)]


def _entry(kind: SegmentKind, point: int, motion: int, batch: Schedule, law: str) -> _Entry:
    return _Entry(
        kind=kind,
        point=point,
        motion=motion,
        law=law,
        duration=float(batch.times.duration[motion]),
        binding=batch.times.bindings[motion],
    )


def _places(entries: Sequence[_Entry], kind: SegmentKind) -> Indices:
    places = [i for i, entry in enumerate(entries) if entry.kind is kind]
    return np.array(places, dtype=np.int64)


def _stretch(motions: Motions, kind: SegmentKind, entries: Sequence[_Entry]) -> Stretch:
    places = _places(entries, kind)
    index = np.array([entries[i].motion for i in places], dtype=np.int64)
    return Stretch(motions=motions, index=index, segment=places)


def _ends(motions: Motions, index: Indices) -> Array:
    """Joints at the ends of motions. # (r, n)."""
    return motions.states(index, motions.law_at(index, np.ones(index.size))).q
