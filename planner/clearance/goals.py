"""When a search for the least clearance may stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.clearance.advance import Floor
from robots.core.arrays import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far a certified clearance may stay below the least one that was seen.

    Args:
        absolute: [m]
        relative: of the clearance, added.
        grazing: a motion that comes nearer than this to the clearance required, on its good side,
            is not followed to the end of the doubt: it counts as not kept. [m]
    """

    absolute: float = 0.5e-3
    relative: float = 0.02
    grazing: float = 0.05e-3

    def of(self, seen: Array) -> Array:
        """Tolerance where a clearance was seen. # (...) [m]."""
        return np.asarray(self.absolute + self.relative * np.maximum(seen, 0.0))


def floors(required: float, tolerance: Tolerance) -> Floor:
    """Floors that end with clearances certified to a tolerance, or with a failure."""

    def floor(seen: Array) -> Array:
        near = seen - tolerance.of(np.where(np.isfinite(seen), seen, 0.0))
        near = np.where(seen >= required + tolerance.grazing, np.maximum(near, required), near)
        return np.where(seen < required, -np.inf, near)

    return floor


def yes_or_no(required: float, tolerance: Tolerance) -> Floor:
    """Floors that only ask whether a clearance is kept."""
    least = required + tolerance.grazing

    def floor(seen: Array) -> Array:
        return np.where(seen < least, -np.inf, required)

    return floor
