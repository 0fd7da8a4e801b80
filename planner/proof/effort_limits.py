"""Torque limits, over the whole motion and not over the samples, by Lagrange's torques.

Where a finding says that no duration keeps a motion within the torque limits, the plan claims
nothing, and nothing is checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planner.plan import Plan
from planner.proof.bounds import ColumnBounds
from planner.proof.check import Check, Location, check
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.limits import OVER, torques_at_rest
from planner.proof.peaks import peaks
from robots.core.arrays import Array, Mask

_IMPOSSIBLE = "P105"


class EffortLimits(CheckGroup):
    """Torques keep the drives' limits and the job's.

    Args:
        evidence: the plan and its torques by Lagrange.
    """

    def __init__(self, evidence: Evidence) -> None:
        plan = evidence.plan
        limits = np.minimum(plan.job.mechanism.max_effort, plan.job.checks.torque_limits)
        self._limits = np.broadcast_to(limits, (evidence.model.dof,))
        self._segments = _claimed(plan)
        self._evidence = evidence
        self._bounds = ColumnBounds(evidence.model.dof)
        self._held = np.zeros(evidence.model.dof)  # torques at rest over their limits

    @property
    def _wanted(self) -> bool:
        return bool(np.any(self._segments)) and bool(np.any(np.isfinite(self._limits)))

    def on_segments(self, passage: Passage) -> None:
        """Highest torques of the pieces, over their limits."""
        if not self._wanted:
            return
        own = np.flatnonzero(self._segments[passage.motion.pieces.segment])
        tau, limits = passage.motion.tau, self._limits
        # A joint that stands still may bear its torque without the help of friction.
        held = torques_at_rest(self._evidence, np.unique(passage.motion.pieces.segment[own]))
        self._held = np.maximum(self._held, held / limits)

        def values(rows: Any) -> Array:
            return np.asarray(tau[own[rows]] / limits)

        found = peaks(values, own.size, self._bounds.value)
        self._bounds.take(found, passage.motion.pieces.take(own))

    def _locate(self, index: tuple[int, ...]) -> Location:
        return self._bounds.location(self._evidence, index[0])

    def checks(self) -> list[Check]:
        """One, where torques are limited."""
        if not self._wanted:
            return []
        return [
            check(
                "torque limits",
                np.maximum(self._bounds.sizes, self._held),
                1.0 + OVER,
                "1",
                _TORQUE,
                self._locate,
            )
        ]


def _claimed(plan: Plan) -> Mask:
    """Segments that serve no point of which a finding says that its limits cannot be kept."""
    impossible = {
        finding.subject.point for finding in plan.finding_list if finding.code == _IMPOSSIBLE
    }
    return np.array([s.point not in impossible for s in plan.timeline], dtype=bool)


_TORQUE = (
    "bound of torque over its limit over the whole motion, not only at samples: highest values of "
    "polynomials through Lagrange's torques, and what these can reach between the places asked; "
    f"motions to and from points with finding {_IMPOSSIBLE} left out"
)
