"""The least clearances that a plan states, at the very places that it states."""

from __future__ import annotations

import numpy as np

from planner.job.stylus import STYLUS
from planner.plan import Plan, SegmentClearance, SegmentKind
from planner.proof.capsule_axes import axis_distance, capsule_axes
from planner.proof.clearance_samples import ClearancePostures
from planner.proof.room import CapsuleScene
from robots.core.arrays import Array, Mask
from robots.core.capsule import Capsule


def stated_residuals(plan: Plan, room: CapsuleScene, postures: ClearancePostures) -> Array:
    """How far stated distances and places are from those at the stated postures. # (...) [m].

    A place must lie on the axis of the moving capsule. There the other body is as near as stated.
    Two exceptions: of a body inside a solid the depth is an estimate, so the place only has to
    touch; of the stylus near the part in a probing line the probed surface is left out, so that
    the part may be nearer than stated, not farther, and some triangle is as near as stated.
    """
    stated = [plan.timeline[i].clearance for i in postures.segment]
    axes = capsule_axes(room.model, postures.q)
    groups: dict[tuple[str, str], list[int]] = {}
    for row, one in enumerate(stated):
        if one is not None and one.moving:
            groups.setdefault((one.moving, one.against), []).append(row)
    found = [np.zeros(0)]
    for (moving, against), members in groups.items():
        rows = np.array(members, dtype=np.int64)
        own = [one for one in (stated[row] for row in members) if one is not None]
        kinds = [plan.timeline[i].kind for i in postures.segment[rows]]
        lines = np.array([kind is not SegmentKind.TRAVEL for kind in kinds], dtype=bool)
        found.append(_Pair(room, moving, against).residuals(own, axes[rows], lines))
    return np.concatenate(found)


class _Pair:
    """Two bodies by name.

    Args:
        room: that holds them.
        moving: a capsule.
        against: a solid, or another capsule.
    """

    def __init__(self, room: CapsuleScene, moving: str, against: str) -> None:
        self._room = room
        self._moving, self._other, self._solid = -1, -1, -1
        for k, capsule in enumerate(room.capsules):
            for s, solid in enumerate(room.cell.solids):
                if (moving, against) == (capsule.name, solid.name):
                    self._moving, self._solid = k, s
            for other, second in enumerate(room.capsules):
                if (moving, against) == (capsule.name, second.name):
                    self._moving, self._other = k, other

    def residuals(self, stated: list[SegmentClearance], axes: Array, lines: Mask) -> Array:
        """Of some postures. # -> (...) [m]; NaN for a pair that does not exist."""
        if self._moving < 0:
            return np.full(1, np.nan)
        seen = np.array([one.seen for one in stated])
        places = np.array([one.place for one in stated], dtype=np.float64).reshape(-1, 3)
        off_axis = axis_distance(places, axes[:, self._moving])
        gap = self._gap(places, axes)
        off = gap - seen
        if self._solid >= 0:
            solid = self._room.cell.solids[self._solid]
            beside = solid is self._room.cell.part and self._capsule.name in STYLUS
            if beside:
                off[lines] = self._off_part(places[lines], seen[lines], off[lines])
            off = np.where(seen < 0.0, np.maximum(gap, 0.0), off)
        return np.concatenate([off_axis, off])

    def _off_part(self, places: Array, seen: Array, off: Array) -> Array:
        """Of the stylus in lines: not farther, and as far as some triangle of the part. # (m,)."""
        surface, radius = self._room.surfaces[self._solid], self._capsule.radius
        return np.maximum(np.maximum(off, 0.0), surface.off_any(places, seen + radius))

    @property
    def _capsule(self) -> Capsule:
        return self._room.capsules[self._moving]

    def _gap(self, places: Array, axes: Array) -> Array:
        """From places on the moving body's axis to the other body, less their radii. # (m,)."""
        if self._solid >= 0:
            return self._room.surfaces[self._solid].signed(places) - self._capsule.radius
        other = self._room.capsules[self._other].radius + self._capsule.radius
        return axis_distance(places, axes[:, self._other]) - other
