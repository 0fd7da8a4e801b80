"""What a numerical inverse model says: the posture, and whether to believe it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, freeze_fields


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """One posture for one target.

    Args:
        q: revolute joints brought within their limits by whole turns where possible.
            # (n,) [rad or m]
        converged: whether the tool is at the target, within the tolerances.
        within_limits: whether every joint is.
        position_residual: [m]
        angle_residual: [rad]
        iterations: that were made.
        rank: of the task Jacobian at q.
        limit_margins: distance of each joint to its nearer limit, negative beyond it.
            # (n,) [rad or m]
        reason: why this is not a success; empty when it is.
        branch: name of the branch, where a closed form gives it.
    """

    q: Array
    converged: bool
    within_limits: bool
    position_residual: float
    angle_residual: float
    iterations: int
    rank: int
    limit_margins: Array
    reason: str
    branch: str = ""

    def __post_init__(self) -> None:
        freeze_fields(self, "q", "limit_margins", dtype=np.float64)

    @property
    def success(self) -> bool:
        """At the target and within limits; nothing else counts."""
        return self.converged and self.within_limits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solutions:
    """Every distinct posture found for one target.

    Args:
        answers: successes only, nearest to the start posture first.
        best: the first success, or the least bad attempt with its reason.
        starts: postures that the search began from.
    """

    answers: tuple[Answer, ...]
    best: Answer
    starts: int

    @property
    def success(self) -> bool:
        """Whether there is a posture at the target within limits."""
        return self.best.success

    @property
    def q(self) -> Array:
        """Joints of the postures at the target. # (k, n) [rad or m]."""
        return np.array([answer.q for answer in self.answers]).reshape(-1, len(self.best.q))

    def __len__(self) -> int:
        """Number of postures at the target."""
        return len(self.answers)

    def __repr__(self) -> str:
        """How many, or why none."""
        if not self.answers:
            return f"Solutions: none. {self.best.reason}"
        branches = ", ".join(filter(None, (answer.branch for answer in self.answers[:4])))
        more = ", …" if len(self.answers) > 4 else ""
        return f"Solutions: {len(self)} postures{f' ({branches}{more})' if branches else ''}"
