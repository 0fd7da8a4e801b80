"""Clearances that a plan states, computed again posture by posture by another method.

The plan proves them for whole motions with segments against triangles. Here points of the capsules'
axes are measured at single postures; none may be nearer than what was proven.
"""

from __future__ import annotations

import numpy as np

from planner.plan import Plan, SegmentKind
from planner.proof.check import Check, check
from planner.proof.clearance_samples import (
    ClearancePostures,
    spread_postures,
    stated_postures,
    watched_segments,
)
from planner.proof.contact_approach import approach_shortfalls
from planner.proof.evidence import CheckGroup, Evidence
from planner.proof.room import CapsuleScene
from planner.proof.stated_clearances import stated_residuals
from robots.core.arrays import Array

CERTIFIED = 1e-9  # [m]
STATED = 1e-6  # [m]
TOUCH = 2e-5  # [m] facets: the plan lets a stylus touch the rim of a surface by half of this


class ClearanceCheck(CheckGroup):
    """Clearances of segments, where a plan states any.

    Args:
        evidence: the plan and forward geometry.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._plan, self._model = evidence.plan, evidence.model

    def checks(self) -> list[Check]:
        """None where nothing moves; of distances none where no two bodies have one to state."""
        plan = self._plan
        segments = watched_segments(plan)
        if segments.size == 0:
            return []
        room = CapsuleScene(self._model, plan.job.cell)
        spread = spread_postures(plan, segments)
        found = []
        if room.watched(touching=True) or any(s.clearance for s in plan.timeline):
            stated = stated_postures(plan, self._model, segments)
            found = _distances(plan, room, spread, stated, len(segments))
        if plan.job.cell.part is not None:
            finite = spread.finite()
            touch = np.maximum(approach_shortfalls(plan, room, finite), 0.0)
            nowhere = np.full(len(spread.q) - len(finite.q), np.nan)
            touch = np.concatenate([touch, nowhere])
            found.append(check("approach to contact", touch, TOUCH, "m", _TOUCH))
        return found


def _distances(
    plan: Plan,
    room: CapsuleScene,
    spread: ClearancePostures,
    stated: ClearancePostures,
    segments: int,
) -> list[Check]:
    """Distances required, certified and stated, at postures of so many segments."""
    finite, places = spread.finite(), stated.finite()
    claimed = _claiming(plan, finite)
    below = [_below_certified(plan, room, some) for some in (claimed, places)]
    if len(spread.q) > len(finite.q) or len(stated.q) > len(places.q):
        below.append(np.array([np.nan]))  # where the robot is nowhere, nothing is certain
    looked = f"{len(claimed.q)} postures spread over {segments} segments"
    return [
        check("clearance kept", _not_kept(plan, room), 0.0, "m", _KEPT),
        check(
            "certified clearance",
            np.concatenate(below),
            CERTIFIED,
            "m",
            _CERTIFIED.format(looked),
        ),
        check("stated clearance", stated_residuals(plan, room, places), STATED, "m", _STATED),
    ]


def _claiming(plan: Plan, postures: ClearancePostures) -> ClearancePostures:
    """Those on segments that state a clearance."""
    rows = np.array([plan.timeline[i].clearance is not None for i in postures.segment], dtype=bool)
    return ClearancePostures(segment=postures.segment[rows], q=postures.q[rows])


def _below_certified(plan: Plan, room: CapsuleScene, postures: ClearancePostures) -> Array:
    """What postures come nearer than certified; NaN where nothing comparable is. # (m,) [m]."""
    certified = np.array([s.clearance.certified if s.clearance else np.nan for s in plan.timeline])
    seen = np.array([s.clearance.seen if s.clearance else np.nan for s in plan.timeline])
    claims, seen = certified[postures.segment], seen[postures.segment]
    kinds = [plan.timeline[i].kind for i in postures.segment]
    travel = np.array([kind is SegmentKind.TRAVEL for kind in kinds], dtype=bool)
    found = room.shortfalls(postures.q, claims, travel)
    with np.errstate(invalid="ignore"):  # no pair at all: both are infinite
        found = np.maximum(found, np.where(claims == seen, 0.0, claims - seen))
    return np.where(np.isnan(claims), np.nan, np.maximum(found, 0.0))


def _not_kept(plan: Plan, room: CapsuleScene) -> Array:
    """What segments that move lack of the clearance required, of a plan called feasible. [m].

    NaN for a segment that states none, unless no two bodies have a distance to state on it: a
    stylus alone has none from the part that it probes.
    """
    if not plan.feasible:
        return np.zeros(0)
    due = {True: room.watched(touching=True), False: room.watched(touching=False)}
    stated = [
        np.nan if s.clearance is None else s.clearance.certified
        for s in plan.timeline
        if s.duration > 0.0 and (s.clearance is not None or due[s.kind is SegmentKind.TRAVEL])
    ]
    return np.maximum(plan.job.checks.clearance - np.array(stated), 0.0)


_KEPT = (
    "clearance required less that certified of every segment, unless the plan itself reports an "
    "error; a segment without any fails where bodies have one"
)
_CERTIFIED = (
    "certified clearance less the distance stated, and less distances of points of all capsules' "
    "axes from all solids, by the nearest triangles, and of capsules from each other, at {} and at "
    "the places stated; stylus against part only in travels"
)
_STATED = (
    "distance stated as least of every segment, against the nearest triangle or capsule at the "
    "place and posture stated, and that place against the capsule's axis; of a body inside a solid "
    "only that the distance is not larger; of a stylus beside the surface it probes that the part "
    "is not farther, and that some triangle of it is as far"
)
_TOUCH = (
    "how deep ball or shank are in the part before contact, the probed surface included; where the "
    "ball is nearer than its radius at the contact itself, how much nearer than there"
)
