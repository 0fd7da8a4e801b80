"""Aspects that a plan may leave unchecked: their names, which every document has in common.

Apart from what finds them in a job, so that whoever only reads results need not load what plans.
"""

from __future__ import annotations

from enum import Enum


class Aspect(Enum):
    """Something that a plan checks where it is known; the value is its name in every document."""

    PART_GEOMETRY = "part geometry"
    LINK_SHAPES = "link shapes"
    SELF_CONTACT = "contact of some links with each other"
    STYLUS_SHAPE = "stylus shape"
    PART_POSE = "part pose"
    MASSES = "masses"
    DYNAMICS = "torques, power and energy (masses unknown)"
    ACCELERATION_LIMITS = "acceleration limits"
    ACCELERATIONS = "accelerations"
    TORQUE_LIMITS = "torque limits"

    @property
    def clearance(self) -> bool:
        """Whether collisions can stay unseen without it."""
        return self in (
            Aspect.PART_GEOMETRY,
            Aspect.LINK_SHAPES,
            Aspect.SELF_CONTACT,
            Aspect.STYLUS_SHAPE,
        )
