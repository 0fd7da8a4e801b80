"""Capsules: the room that a link takes, as a segment with a radius, and a convex piece in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array, freeze_field
from robots.core.errors import MechanismError

MOST_CORNERS = 64  # of a convex piece
FLAT = 1e-9  # thickness over size under which corners are taken as one plane's


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Capsule:
    """All points within ``radius`` of a segment that is fixed to a joint's frame.

    What it stands for may be told more closely by the corners of a convex piece: then it lies in
    both. The capsule alone settles what is far; the piece, what is near.

    Args:
        name: unique in its mechanism; shown when it comes too near to something.
        joint: index of the joint that carries it, -1 for the base.
        start: one end of the segment, in that joint's frame. # (3,) [m]
        end: the other; equal to ``start`` for a ball. # (3,) [m]
        radius: [m]
        corners: of the convex piece, in that joint's frame; none where there is no piece.
            # (k, 3) [m]

    Raises:
        MechanismError: a number that is not finite, a radius that is negative, corners that are too
            many or have no inside.
    """

    name: str
    joint: int
    start: Array
    end: Array
    radius: float
    corners: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def __post_init__(self) -> None:
        for what in ("start", "end"):
            array = np.array(getattr(self, what), dtype=np.float64)
            if array.shape != (3,) or not np.all(np.isfinite(array)):
                raise MechanismError(
                    f"Capsule {self.name!r}: its {what} is {array.tolist()}; give three finite "
                    "lengths in metres.",
                    capsule=self.name,
                )
            freeze_field(self, what, array)
        if not (np.isfinite(self.radius) and self.radius >= 0.0):
            raise MechanismError(
                f"Capsule {self.name!r}: its radius is {self.radius!r} m; it must be finite, zero "
                "or more.",
                capsule=self.name,
                found=self.radius,
            )
        self._check_corners()

    def _check_corners(self) -> None:
        corners = np.array(self.corners, dtype=np.float64).reshape(-1, 3)
        if not np.all(np.isfinite(corners)):
            raise MechanismError(
                f"Capsule {self.name!r}: a corner of its convex piece is not finite.",
                capsule=self.name,
            )
        count = len(corners)
        if count and not 4 <= count <= MOST_CORNERS:
            raise MechanismError(
                f"Capsule {self.name!r}: its convex piece has {count} corners; give 4 to "
                f"{MOST_CORNERS}, or none.",
                capsule=self.name,
                found=count,
                limit=MOST_CORNERS,
            )
        if count:
            spread = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
            if spread[2] <= FLAT * spread[0]:
                raise MechanismError(
                    f"Capsule {self.name!r}: the corners of its convex piece lie in one plane; "
                    "give some beside it.",
                    capsule=self.name,
                )
        freeze_field(self, "corners", corners)


def default_capsule_name(joint: str | None) -> str:
    """Name of a capsule that has none: "q2 link" for what joint q2 carries, None for the base."""
    return "base" if joint is None else f"{joint} link"


def unique_name(name: str, taken: set[str]) -> str:
    """The name, with a number behind it where it is taken; from then on it is taken."""
    number, found = 2, name
    while found in taken:
        number, found = number + 1, f"{name} {number}"
    taken.add(found)
    return found


def check_capsules(
    mechanism: str, joints: int, capsules: Sequence[Capsule], pairs: Sequence[tuple[int, int]]
) -> None:
    """Refuse capsules without a carrier, a name twice, and pairs that do not exist.

    Args:
        mechanism: its name, for the message.
        joints: how many it has.
        capsules: of the mechanism.
        pairs: of capsules that must not touch each other, by index.

    Raises:
        MechanismError: see above.
    """
    names = [capsule.name for capsule in capsules]
    for place, capsule in enumerate(capsules):
        if not -1 <= capsule.joint < joints:
            raise MechanismError(
                f"Mechanism {mechanism!r}: capsule {capsule.name!r} is carried by joint index "
                f"{capsule.joint}; the last index is {joints - 1}.",
                capsule=capsule.name,
            )
        if capsule.name in names[:place]:
            raise MechanismError(
                f"Mechanism {mechanism!r}: two capsules are called {capsule.name!r}; rename one.",
                capsule=capsule.name,
            )
    for a, b in pairs:
        if not (0 <= a < len(names) and 0 <= b < len(names) and a != b):
            raise MechanismError(
                f"Mechanism {mechanism!r}: the pair of capsules ({a}, {b}) does not exist; there "
                f"are {len(names)} capsules.",
                pair=(a, b),
            )
