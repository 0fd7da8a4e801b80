"""What a machine does, in order of time: the ball travels, rests, touches. No format's words here.

A travel is a polyline of the ball's centre that stays near the certified path; a probing line is a
touch with all its distances. Programmes for measuring machines are written from these.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.plan import Plan, Segment, SegmentKind
from reports.programmes.departures import Departures
from reports.programmes.intervals import Intervals, refined, whole_segments
from robots.core.arrays import Array
from robots.core.motion.motion_law import motion_law

CHORD = 1e-3  # [m] between the ball's path and its polyline
MOST_POINTS = 50_000  # of all travels together; beyond it the chords grow, and the files say so
_FIRST_CHORDS = 2  # per travel, before the error is looked at


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Move:
    """The ball goes from rest to rest; the places between are passed.

    Args:
        point: name of the point whose clearance point is at the end.
        duration: in the plan; 0 for the place where the programme begins. [s]
        speed: largest of the ball. [m/s]
        centres: of the ball, without the place it comes from; the last is a rest. # (m, 3) [m]
        joints: there. # (m, n) [rad] or [m]
    """

    point: str
    duration: float
    speed: float
    centres: Array
    joints: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Touch:
    """From the clearance point to the surface and back; the ball rests at both.

    Args:
        name: of the point.
        feature: that the point belongs to; empty where there is none.
        surface: nominal point of the surface. # (3,) [m]
        normal: out of the material. # (3,) unit
        axis: of the stylus, towards the ball. # (3,) unit
        contact: centre of the ball there. # (3,) [m]
        clearance: centre of the ball at the clearance point. # (3,) [m]
        direction: from contact to the clearance point. # (3,) unit
        approach: from the clearance point to contact; the ball retracts as far. [m]
        search: beyond contact, at most. [m]
        speed: largest of the probing line. [m/s]
        dwell: rest at the end of the probing line. [s]
        q_clearance: joints at the clearance point. # (n,) [rad] or [m]
        q_contact: joints at contact. # (n,) [rad] or [m]
    """

    name: str
    feature: str
    surface: Array
    normal: Array
    axis: Array
    contact: Array
    clearance: Array
    direction: Array
    approach: float
    search: float
    speed: float
    dwell: float
    q_clearance: Array
    q_contact: Array

    @property
    def cosine(self) -> float:
        """Between the approach direction and the normal."""
        return float(self.direction @ self.normal)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steps:
    """All that the machine does.

    Args:
        steps: in order of time; the first is a move to the first clearance point.
        chord: largest distance between the ball's certified path and its polyline. [m]
        left_out: names of points that are not touched.
    """

    steps: tuple[Move | Touch, ...]
    chord: float
    left_out: tuple[str, ...]

    @property
    def touches(self) -> tuple[Touch, ...]:
        """In order of time."""
        return tuple(step for step in self.steps if isinstance(step, Touch))


def steps_of(plan: Plan) -> Steps:
    """The steps of a plan's motion; none where no point is reached."""
    departures = Departures(plan)
    travels = np.array(
        [k for k, s in enumerate(plan.timeline) if s.kind is SegmentKind.TRAVEL], dtype=np.int64
    )
    chords, chord = _chords(departures, whole_segments(plan, travels))
    moves = _moves(plan, departures, chords)
    steps: list[Move | Touch] = []
    for k, segment in enumerate(plan.timeline):
        if segment.kind is SegmentKind.PROBE:
            if not steps:
                steps.append(_first(plan, segment))
            steps.append(_touch(plan, segment, _dwell(plan, k + 1)))
        elif segment.kind is SegmentKind.TRAVEL:
            steps.append(moves[k])
    touched = {plan.timeline[k].point_index for k in range(len(plan.timeline))}
    left_out = tuple(p.name for k, p in enumerate(plan.planned_points) if k not in touched)
    return Steps(steps=tuple(steps), chord=chord, left_out=left_out)


def _chords(departures: Departures, travels: Intervals) -> tuple[Intervals, float]:
    """Travels cut into chords, and the error that these keep. [m]."""
    first = travels.split(np.full(len(travels), _FIRST_CHORDS))
    tolerance = CHORD
    chords = refined(first, departures.chord, tolerance=tolerance, order=2)
    while len(chords) > max(MOST_POINTS, len(first)):
        tolerance *= 2.0
        chords = refined(first, departures.chord, tolerance=tolerance, order=2)
    return chords, tolerance


def _moves(plan: Plan, departures: Departures, chords: Intervals) -> dict[int, Move]:
    """One move per travel, by the place of its segment."""
    centres = departures.ball(chords.segment, chords.end)
    joints = departures.state(chords.segment, chords.end, "left").q
    speeds = departures.ball_speed(chords)
    borders = np.flatnonzero(np.diff(chords.segment, prepend=-1))
    found = {}
    for first, after in pairwise([*borders.tolist(), len(chords)]):
        rows, k = slice(first, after), int(chords.segment[first])
        found[k] = Move(
            point=plan.timeline[k].point,
            duration=plan.timeline[k].duration,
            speed=float(speeds[rows].max()),
            centres=centres[rows],
            joints=joints[rows],
        )
    return found


def _first(plan: Plan, segment: Segment) -> Move:
    """Where the programme begins: the way there is not of the plan."""
    index = segment.point_index
    return Move(
        point=segment.point,
        duration=0.0,
        speed=0.0,
        centres=plan.placed.clearances[index : index + 1],
        joints=plan.planned_points[index].q_clearance[None],
    )


def _dwell(plan: Plan, place: int) -> float:
    """Rest that follows a probing line. [s]."""
    after = plan.timeline[place] if place < len(plan.timeline) else None
    return after.duration if after is not None and after.kind is SegmentKind.DWELL else 0.0


def _touch(plan: Plan, segment: Segment, dwell: float) -> Touch:
    index, placed = segment.point_index, plan.placed
    distance, overtravel = float(placed.distances[index]), plan.job.approach.overtravel
    length = distance + overtravel
    mean = length / segment.duration if segment.duration > 0.0 else 0.0
    return Touch(
        name=segment.point,
        feature=plan.job.points.features[index],
        surface=placed.surfaces[index],
        normal=placed.normals[index],
        axis=placed.axes[index],
        contact=placed.contacts[index],
        clearance=placed.clearances[index],
        direction=placed.directions[index],
        approach=distance,
        search=overtravel,
        speed=mean * motion_law(segment.law).peak_rate,
        dwell=dwell,
        q_clearance=plan.planned_points[index].q_clearance,
        q_contact=plan.planned_points[index].q_contact,
    )
