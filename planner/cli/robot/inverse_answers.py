"""Answers of inverse models, as the command line lists them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from planner.cli.session import Session
from robots.core.arrays import Array
from robots.core.inverse import Answer, Solutions, Target, solve_many
from robots.core.model import Model

_AT_A_TIME = 64  # states whose searches run together; more costs memory and gains nothing


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ListedSolution:
    """One posture that brings the tool to its target.

    Args:
        q: # (n,) [rad or m]
        branch: its name.
        within_limits: whether every joint is.
        position_residual: [m]
        angle_residual: [rad]
        facts: what only some models know, by JSON key.
    """

    q: Array
    branch: str
    within_limits: bool
    position_residual: float
    angle_residual: float
    facts: dict[str, object] = field(default_factory=dict)

    @property
    def residual(self) -> float:
        """Metres and radians taken as they are."""
        return float(np.hypot(self.position_residual, self.angle_residual))

    def row(self) -> dict[str, object]:
        """For JSON."""
        return {
            "q": self.q,
            "branch": self.branch,
            "residual": self.residual,
            "within_limits": self.within_limits,
            "position_residual_m": self.position_residual,
            "angle_residual_rad": self.angle_residual,
            **self.facts,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StateAnswer:
    """What an inverse model says of one state.

    Args:
        solutions: all that are known, those within limits first.
        reason: why none is within limits; empty when one is.
    """

    solutions: tuple[ListedSolution, ...]
    reason: str = ""

    @property
    def success(self) -> bool:
        """Whether the target is reached within the limits."""
        return not self.reason

    @property
    def code(self) -> str:
        """Of the failure: out of limits, or not reached at all."""
        return "R202" if self.solutions else "R201"

    def row(self) -> dict[str, object]:
        """For JSON."""
        row: dict[str, object] = {"solutions": [solution.row() for solution in self.solutions]}
        return row if self.success else row | {"reason": self.reason}


def searched(
    model: Model, target: Target, begin: Array | None, *, starts: int, session: Session
) -> Iterator[StateAnswer]:
    """Answers of the numerical model.

    Args:
        model: of the mechanism.
        target: a batch.
        begin: first posture of every state. # (N, n)
        starts: of the search, per state.
        session: shows progress.
    """
    for first in session.watched(range(0, len(target.T), _AT_A_TIME), "searching"):
        part = slice(first, first + _AT_A_TIME)
        found = solve_many(
            model,
            Target(task=target.task, T=target.T[part]),
            start=None if begin is None else begin[part],
            starts=starts,
        )
        yield from map(_numerical, found)


def _numerical(found: Solutions) -> StateAnswer:
    """All successes; without one, what reaches the target outside the limits."""
    answers = found.answers or ((found.best,) if found.best.converged else ())
    listed = (_listed(answer, place) for place, answer in enumerate(answers, start=1))
    return StateAnswer(solutions=tuple(listed), reason="" if found.success else found.best.reason)


def _listed(answer: Answer, place: int) -> ListedSolution:
    return ListedSolution(
        q=answer.q,
        branch=f"numerical {place}",
        within_limits=answer.within_limits,
        position_residual=answer.position_residual,
        angle_residual=answer.angle_residual,
    )
