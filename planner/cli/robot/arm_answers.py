"""Answers of the measuring arm's own inverse: every family, by name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.cli.robot.inverse_answers import ListedSolution, StateAnswer
from robots.arm.errors import ArmFamilyError
from robots.arm.family import arm_family
from robots.arm.inverse import ArmInverse
from robots.arm.limits import alternatives
from robots.arm.solutions import ArmSolutions, branch_name
from robots.core.arrays import Array
from robots.core.inverse import Target
from robots.core.inverse.limits import limit_breaches
from robots.core.mechanism import Mechanism

_SAME = 1e-9  # [rad] postures nearer than this are one: free joints leave two families equal


def is_measuring_arm(mechanism: Mechanism) -> bool:
    """Whether the arm's closed form applies."""
    try:
        arm_family(mechanism)
    except ArmFamilyError:
        return False
    return True


def solved(mechanism: Mechanism, target: Target, begin: Array | None) -> Iterator[StateAnswer]:
    """All families of every state.

    Args:
        mechanism: a measuring arm.
        target: positions and axes.
        begin: postures that solutions are ordered by, and that free joints stay at. # (N, 5) [rad]
    """
    T = target.T
    found = ArmInverse(mechanism).solve(T[:, :3, 3], T[:, :3, 2], near=begin)
    for state in range(len(T)):
        yield _answer(mechanism, found, state, np.zeros(5) if begin is None else begin[state])


def _answer(mechanism: Mechanism, found: ArmSolutions, state: int, near: Array) -> StateAnswer:
    listed: list[ListedSolution] = []
    for family in np.nonzero(found.solved[state])[0]:
        solution = _listed(mechanism, found, (state, int(family)), near)
        if all(np.max(np.abs(solution.q - other.q)) > _SAME for other in listed):
            listed.append(solution)
    # Sorting keeps the order of the families among equals.
    listed.sort(key=lambda s: (not s.within_limits, float(np.linalg.norm(s.q - near))))
    if not listed:
        return StateAnswer(solutions=(), reason=_unreachable(float(found.shortfall[state])))
    first = listed[0]
    if first.within_limits:
        return StateAnswer(solutions=tuple(listed))
    reason = (
        f"The target is reached out of limits only: by {first.branch!r}, "
        f"{limit_breaches(mechanism, first.q)}."
    )
    return StateAnswer(solutions=tuple(listed), reason=reason)


def _listed(
    mechanism: Mechanism, found: ArmSolutions, which: tuple[int, int], near: Array
) -> ListedSolution:
    """One family, by whole turns as near to a posture as limits allow."""
    ways = alternatives(mechanism, found.q[which][None])
    order = np.argsort(np.linalg.norm(ways.q - near, axis=1), kind="stable")
    q, margin = ways.q[order], ways.margin[order]
    return ListedSolution(
        q=q[0],
        branch=branch_name(which[1]),
        within_limits=bool(ways.within[order[0]]),
        position_residual=float(found.position_error[which]),
        angle_residual=float(found.axis_error[which]),
        facts={
            "limit_margins_rad": margin[0],
            "alternatives": list(q[1:]),
            "singularity_margin": float(found.margins.least[which]),
            "singular": found.margins.at(which).degenerate,
        },
    )


def _unreachable(shortfall: float) -> str:
    if shortfall > 0.0:
        return f"Unreachable: the wrist centre would be {shortfall * 1e3:.6g} mm out of reach."
    return "Unreachable: no posture of the bent stylus has its ball there in this direction."
