"""Joint limits of the arm's solutions: whole turns that change nothing, and margins.

A solution gives angles in (-π, π]; a joint with a range of ±350° reaches the same posture in up to
three ways, and one limited to 0…300° may reach it only by a whole turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from robots.core.arrays import Array, Indices, Mask, freeze_fields
from robots.core.inverse.limits import limit_margins
from robots.core.mechanism import Mechanism

# Rounding of the closed form: a joint exactly on its limit is on it, not beyond. [rad]
ROUNDING = 1e-12
_TURN = 2.0 * np.pi


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alternatives:
    """Postures with the whole turns that the joints' ranges allow.

    Args:
        row: which posture of the input each one is. # (c,)
        q: its joints. # (c, n) [rad]
        margin: distance of each joint to its nearer limit, negative beyond. # (c, n) [rad]
    """

    row: Indices
    q: Array
    margin: Array

    def __post_init__(self) -> None:
        freeze_fields(self, "row", "q", "margin", copy=None)

    @property
    def within(self) -> Mask:
        """Whether all joints are within their limits. # (c,)."""
        return np.asarray(np.min(self.margin, axis=-1, initial=np.inf) >= -ROUNDING)


def alternatives(mechanism: Mechanism, q: Array) -> Alternatives:
    """All whole-turn equivalents of postures within limits.

    A posture without any is kept once, as the equivalent least beyond its limits. A joint without
    limits is offered one turn either way.

    Args:
        mechanism: whose limits.
        q: joints, each in (-π, π]. # (k, n) [rad]
    """
    shifts = _shifts(mechanism)
    shifted = q[:, None, :] + shifts
    margin = limit_margins(mechanism, shifted)
    inside = np.all(margin >= -ROUNDING, axis=2)
    none = ~np.any(inside, axis=1)
    beyond = np.sum(np.maximum(-margin[none], 0.0), axis=2)
    inside[np.nonzero(none)[0], np.argmin(beyond, axis=1)] = True
    rows, columns = np.nonzero(inside)
    return Alternatives(row=rows, q=shifted[rows, columns], margin=margin[rows, columns])


def _shifts(mechanism: Mechanism) -> Array:
    """Every combination of whole turns that can bring angles in (-π, π] into range. # (s, n)."""
    turns = []
    for low, high in zip(mechanism.q_min, mechanism.q_max, strict=True):
        first = np.ceil((low - np.pi) / _TURN - ROUNDING) if np.isfinite(low) else -1.0
        last = np.floor((high + np.pi) / _TURN + ROUNDING) if np.isfinite(high) else 1.0
        # No turn first: among equals, argmin keeps the posture as it was solved.
        turns.append(sorted(_TURN * np.arange(first, last + 1.0), key=abs))
    return np.array(list(product(*turns)))
