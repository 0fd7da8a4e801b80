"""Postures that bring the tool of any robot to its targets.

A measuring arm has a closed form with all its families; of any other robot whose inverse can be
derived, all branches are known; what is left is searched from many starts. All answer alike: every
posture known, those within limits first, or why there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from robots.arm.errors import ArmFamilyError
from robots.arm.family import arm_family
from robots.arm.inverse import ArmInverse, ArmSolutions, alternatives, branch_name
from robots.core.arrays import Array
from robots.core.chain_inverse.answers import derived_inverse, solve_branches
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.inverse import Answer, Solutions, Target, Task, solve_many
from robots.core.inverse.limits import limit_breaches
from robots.core.inverse.solver import DEFAULT_STARTS
from robots.core.mechanism import Mechanism
from robots.core.model import Model

_SAME = 1e-9  # [rad] postures nearer than this are one: free joints leave two families equal
_AT_A_TIME = 64  # targets whose searches run together; more costs memory and gains nothing


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmFacts:
    """Facts of the closed form about a posture, besides its residuals.

    Args:
        limit_margins: distance of each joint to its nearer limit. # (5,) [rad]
        alternatives: the same posture with joints turned by whole turns. # of (5,) [rad]
        singularity_margin: zero is singular, one is farthest.
        singular: names of the singularities that the posture is at.
    """

    limit_margins: Array
    alternatives: tuple[Array, ...]
    singularity_margin: float
    singular: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InversePosture:
    """One posture that brings the tool to its target.

    Args:
        q: # (n,) [rad or m]
        branch: its name.
        within_limits: whether every joint is.
        position_residual: [m]
        angle_residual: [rad]
        arm: of a measuring arm only.
    """

    q: Array
    branch: str
    within_limits: bool
    position_residual: float
    angle_residual: float
    arm: ArmFacts | None = None

    @property
    def residual(self) -> float:
        """Metres and radians taken as they are."""
        return float(np.hypot(self.position_residual, self.angle_residual))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InversePostures:
    """Postures of the inverse model for one target.

    Args:
        postures: all that are known, those within limits first.
        reason: why none is within limits; empty when one is.
    """

    postures: tuple[InversePosture, ...]
    reason: str = ""

    @property
    def success(self) -> bool:
        """Whether the target is reached within the limits."""
        return not self.reason


def inverse_postures(
    model: Model,
    target: Target,
    near: Array | None = None,
    *,
    starts: int = DEFAULT_STARTS,
    locked: Mapping[str, float] | None = None,
) -> Iterator[InversePostures]:
    """Postures for every target: all branches where they can be derived, else by search.

    Args:
        model: of the mechanism.
        target: a batch of N.
        near: postures that solutions are ordered by, where searches begin. # (N, n) [rad or m]
        starts: of a search, per target.
        locked: joints held still, by name. [rad or m]

    Raises:
        InverseError: joints are locked, and the chain left over has no inverse that can be derived.
    """
    if not locked and target.task is Task.POSITION_AND_AXIS and is_measuring_arm(model.mechanism):
        yield from _closed_form(model.mechanism, target, near)
        return
    derived = (
        ChainInverse.of(model.mechanism, target.task, locked, model.engine)
        if locked
        else derived_inverse(model, target.task)
    )
    for first in range(0, len(target.T), _AT_A_TIME):
        rows = slice(first, first + _AT_A_TIME)
        part = Target(task=target.task, T=target.T[rows])
        begun = None if near is None else near[rows]
        if derived is not None:
            found = solve_branches(model, derived, part, near=begun, starts=starts)
        else:
            found = solve_many(model, part, start=begun, starts=starts)
        yield from map(_searched, found)


def is_measuring_arm(mechanism: Mechanism) -> bool:
    """Return whether the arm's closed form applies."""
    try:
        arm_family(mechanism)
    except ArmFamilyError:
        return False
    return True


def _searched(found: Solutions) -> InversePostures:
    """All successes; without one, what reaches the target outside the limits."""
    answers = found.answers or ((found.best,) if found.best.converged else ())
    postures = tuple(_numerical(answer, place) for place, answer in enumerate(answers, start=1))
    return InversePostures(postures=postures, reason="" if found.success else found.best.reason)


def _numerical(answer: Answer, place: int) -> InversePosture:
    return InversePosture(
        q=answer.q,
        branch=answer.branch or f"numerical {place}",
        within_limits=answer.within_limits,
        position_residual=answer.position_residual,
        angle_residual=answer.angle_residual,
    )


def _closed_form(
    mechanism: Mechanism, target: Target, near: Array | None
) -> Iterator[InversePostures]:
    """All families of every target; free joints stay where ``near`` has them."""
    T = target.T
    found = ArmInverse(mechanism).solve(T[:, :3, 3], T[:, :3, 2], near=near)
    for row in range(len(T)):
        yield _families(mechanism, found, row, np.zeros(5) if near is None else near[row])


def _families(mechanism: Mechanism, found: ArmSolutions, row: int, near: Array) -> InversePostures:
    postures: list[InversePosture] = []
    for family in np.nonzero(found.solved[row])[0]:
        posture = _family(mechanism, found, (row, int(family)), near)
        if all(np.max(np.abs(posture.q - other.q)) > _SAME for other in postures):
            postures.append(posture)
    # Sorting keeps the order of the families among equals.
    postures.sort(key=lambda p: (not p.within_limits, float(np.linalg.norm(p.q - near))))
    if not postures:
        return InversePostures(postures=(), reason=_unreachable(float(found.shortfall[row])))
    first = postures[0]
    if first.within_limits:
        return InversePostures(postures=tuple(postures))
    reason = (
        f"The target is reached out of limits only: by {first.branch!r}, "
        f"{limit_breaches(mechanism, first.q)}."
    )
    return InversePostures(postures=tuple(postures), reason=reason)


def _family(
    mechanism: Mechanism, found: ArmSolutions, which: tuple[int, int], near: Array
) -> InversePosture:
    """One family, by whole turns as near to a posture as limits allow."""
    turned = alternatives(mechanism, found.q[which][None])
    order = np.argsort(np.linalg.norm(turned.q - near, axis=1), kind="stable")
    q, margin = turned.q[order], turned.margin[order]
    return InversePosture(
        q=q[0],
        branch=branch_name(which[1]),
        within_limits=bool(turned.within[order[0]]),
        position_residual=float(found.position_error[which]),
        angle_residual=float(found.axis_error[which]),
        arm=ArmFacts(
            limit_margins=margin[0],
            alternatives=tuple(q[1:]),
            singularity_margin=float(found.margins.least[which]),
            singular=tuple(found.margins.at(which).degenerate),
        ),
    )


def _unreachable(shortfall: float) -> str:
    if shortfall > 0.0:
        return f"Unreachable: the wrist centre would be {shortfall * 1e3:.6g} mm out of reach."
    return "Unreachable: no posture of the bent stylus has its ball there in this direction."
