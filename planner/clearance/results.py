"""What a clearance check answers: pairs, nearest approaches, bounds around a posture."""

from __future__ import annotations

from dataclasses import dataclass

from robots.core.arrays import Array, Indices


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPair:
    """Two bodies that are kept apart.

    Args:
        moving: name of a capsule that moves.
        against: name of a solid of the cell, or of another capsule.
        touching: whether it is a capsule of the stylus against the part, which may meet where the
            part is probed.
    """

    moving: str
    against: str
    touching: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nearest:
    """The nearest pair of every posture.

    Args:
        value: clearance; below zero a depth of penetration, which is estimated from below: the
            capsule's radius and the depth of the deepest of five points of its axis. # (m,) [m]
        pair: index into the checker's pairs, -1 where nothing is checked. # (m,)
        place: point of the moving capsule's axis that is nearest. Base frame. # (m, 3) [m]
    """

    value: Array
    pair: Indices
    place: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PostureBounds:
    """What is proven of all postures around some.

    Args:
        lower: no pair comes nearer while every joint stays within its spread. # (m,) [m]
        here: clearance at the posture itself; exact where ``lower`` is under the floor, else it
            may be a lower bound of it. # (m,) [m]
        pair: that gives ``lower``, index into the checker's pairs, -1 for none. # (m,)
    """

    lower: Array
    here: Array
    pair: Indices
