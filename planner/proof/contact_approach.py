"""On the way to a contact nothing of the stylus touches the part.

The plan leaves out the probed surface there, and decides what that is. Here nothing is left out:
before its contact the ball stands off from the whole part by its radius, or, where it does not even
at the contact (a point that is not on the surface, a ball that does not fit), by what it has there.
Behind the ball the shank does not touch the part before contact.
"""

from __future__ import annotations

import numpy as np

from planner.job.stylus import BALL, SHANK
from planner.plan import Plan, SegmentKind
from planner.proof.capsule_axes import capsule_axes
from planner.proof.clearance_samples import ClearancePostures
from planner.proof.room import CapsuleScene
from robots.core.arrays import Array, Indices

_MOVING = (SegmentKind.PROBE, SegmentKind.RETRACT)


def approach_shortfalls(plan: Plan, room: CapsuleScene, postures: ClearancePostures) -> Array:
    """How deep ball and shank are in what they must not touch; below zero for not at all. [m]."""
    names = [capsule.name for capsule in room.capsules]
    part = room.cell.part
    if part is None or BALL not in names:
        return np.zeros(0)
    surface = room.surfaces[room.cell.solids.index(part)]
    rows, points = _before_contact(plan, room, postures)
    axes = capsule_axes(room.model, postures.q[rows])
    ball = axes[:, names.index(BALL), 1]
    radius = room.capsules[names.index(BALL)].radius
    touched, place = np.unique(points, return_inverse=True)
    kept = np.minimum(surface.signed(plan.placed.contacts[touched]), radius)[place]
    found = [surface.shortfalls(ball, ball, kept)]
    if SHANK in names:
        shank = axes[:, names.index(SHANK)]
        thickness = room.capsules[names.index(SHANK)].radius
        length = np.linalg.norm(shank[:, 1] - shank[:, 0], axis=1)
        behind = np.maximum(length - max(radius, thickness), 0.0) / length
        end = shank[:, 0] + behind[:, None] * (shank[:, 1] - shank[:, 0])
        found.append(surface.shortfalls(shank[:, 0], end, np.full(len(rows), thickness)))
    return np.concatenate(found)


def _before_contact(
    plan: Plan, room: CapsuleScene, postures: ClearancePostures
) -> tuple[Indices, Indices]:
    """Postures of lines between clearance point and contact, and the points they serve."""
    placed, segments = plan.placed, plan.timeline
    rows = np.array(
        [k for k, i in enumerate(postures.segment) if _claims(plan, int(i))], dtype=np.int64
    )
    points = np.array([segments[i].point_index for i in postures.segment[rows]], dtype=np.int64)
    start, way = placed.clearances[points], (placed.contacts - placed.clearances)[points]
    ball = room.model.forward(postures.q[rows])[:, :3, 3]
    before = np.sum((ball - start) * way, axis=1) <= np.sum(way * way, axis=1)
    return rows[before], points[before]


def _claims(plan: Plan, index: int) -> bool:
    """Whether a segment is a line that the plan does not itself report to collide."""
    segment = plan.timeline[index]
    stated = segment.clearance
    return segment.kind in _MOVING and (stated is None or stated.seen >= 0.0)
