"""Jerk of travels by the double-S law, over the whole motion and not over the samples.

The plan states no jerk; it is the derivative of the accelerations' polynomials.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planner.plan import SegmentKind
from planner.proof.bounds import ColumnBounds
from planner.proof.chebyshev import NODES, basis, coefficients, derivative
from planner.proof.check import Check, Location, check
from planner.proof.derivatives import rounding
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.limits import OVER
from planner.proof.peaks import peaks
from planner.proof.smooth_pieces import lateness
from robots.core.arrays import Array, Indices

_LAW = "double-s"
_BASIS: Array = basis(NODES)


class JerkLimits(CheckGroup):
    """Travels by the double-S law keep the joints' jerk limits.

    Args:
        evidence: the plan.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._limits = evidence.plan.job.mechanism.max_jerk
        self._segments = np.array(
            [s.law == _LAW and s.kind is SegmentKind.TRAVEL for s in evidence.plan.timeline],
            dtype=bool,
        )
        self._evidence = evidence
        self._bounds = ColumnBounds(evidence.model.dof)

    @property
    def _wanted(self) -> bool:
        return bool(np.any(self._segments)) and bool(np.any(np.isfinite(self._limits)))

    def on_segments(self, passage: Passage) -> None:
        """Highest jerk of the pieces, over its limit."""
        if not self._wanted:
            return
        own = np.flatnonzero(self._segments[passage.motion.pieces.segment])
        ratio = self._ratios(passage, own)

        def values(rows: Any) -> Array:
            return np.asarray(ratio[rows])

        found = peaks(values, own.size, self._bounds.value)
        self._bounds.take(found, passage.motion.pieces.take(own))

    def _locate(self, index: tuple[int, ...]) -> Location:
        return self._bounds.location(self._evidence, index[0])

    def checks(self) -> list[Check]:
        """One, where joints have a limit and travels a law that keeps it."""
        if not self._wanted:
            return []
        return [check("jerk limits", self._bounds.sizes, 1.0 + OVER, "1", _JERK, self._locate)]

    def _ratios(self, passage: Passage, own: Indices) -> Array:
        """Jerk at the nodes over limits; very short pieces magnify rounding. # (P, K, n)."""
        motion = passage.motion
        pieces, qdd = motion.pieces.take(own), motion.qdd[own]
        per_time = (2.0 / pieces.length)[:, None, None]

        def differentiated(values: Array) -> Array:
            return np.asarray(np.matmul(_BASIS, derivative(coefficients(values))) * per_time)

        # The acceleration, too, is carried over what the clock's digits cannot say.
        exact = qdd - differentiated(qdd) * lateness(pieces, NODES)[..., None]
        return np.asarray(differentiated(exact) / (self._limits + rounding(qdd, pieces.length)))


_JERK = (
    "bound of jerk over its limit over all travels by the double-S law, not only at samples: "
    "derivatives of the accelerations' polynomials, and what these can reach between the places "
    "asked"
)
