"""Answers of the derived inverse in the terms of the numerical one, which stays behind it.

Where no branch of a target is certified, the numerical inverse looks too: its nearest posture says
what is missing, and should it find a posture after all, that one counts.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.chain_inverse.solver import Branches, ChainInverse, Status
from robots.core.errors import InverseError
from robots.core.inverse.limits import inside_limits, limit_breaches, limit_margins, wrapped
from robots.core.inverse.solver import DEFAULT_STARTS, Answer, Solutions, solve_many
from robots.core.inverse.task import Target, Task, flattened
from robots.core.model import Model

_SAME = 1e-6  # [rad or m] postures nearer than this are one: at a fold two branches meet


# Deriving takes tens of milliseconds; what a process asks for again it has.
_DERIVED: WeakKeyDictionary[Model, dict[Task, ChainInverse | None]] = WeakKeyDictionary()


def derived_inverse(model: Model, task: Task) -> ChainInverse | None:
    """The inverse of a whole mechanism, where one can be derived; None where none can."""
    known = _DERIVED.setdefault(model, {})
    if task not in known:
        try:
            known[task] = ChainInverse.of(model.mechanism, task, engine=model.engine)
        except InverseError:
            known[task] = None
    return known[task]


def solve_branches(
    model: Model,
    inverse: ChainInverse,
    targets: Target,
    *,
    near: ArrayLike | None = None,
    starts: int = DEFAULT_STARTS,
) -> tuple[Solutions, ...]:
    """Every branch of each target that is within the limits, nearest to a posture first.

    Args:
        model: of the mechanism.
        inverse: of its chain, for the task of the targets.
        targets: any batch; the answers follow their flattened order.
        near: one for all, or one per target; zero without it. # (n,) or (N, n) [rad or m]
        starts: of the numerical search, for targets that no branch reaches.

    Raises:
        InverseError: ``near`` of another shape, or not finite.
    """
    targets = flattened(targets)
    count, n = len(targets.T), model.dof
    stay = np.zeros(n) if near is None else np.asarray(near, dtype=np.float64)
    if stay.shape not in ((n,), (count, n)):
        raise InverseError(
            f"The posture to stay near has shape {stay.shape}; give ({n},) or ({count}, {n}).",
            found=stay.shape,
        )
    if not np.all(np.isfinite(stay)):
        raise InverseError("The posture to stay near holds a value that is not finite.")
    stay = np.broadcast_to(stay, (count, n))
    found = inverse.solve(targets.T, near=_own(inverse, model, stay[0]))
    reached = np.any(found.solved, axis=1)
    searched = iter(
        solve_many(
            model,
            Target(task=targets.task, T=targets.T[~reached]),
            start=None if near is None else stay[~reached],
            starts=starts,
            locked=inverse.locked,
        )
        if not np.all(reached)
        else ()
    )
    return tuple(
        _solutions(model, targets, inverse, found, row, stay[row])
        if reached[row]
        else next(searched)
        for row in range(count)
    )


def _own(inverse: ChainInverse, model: Model, q: Array) -> Array:
    """Joints of the chain out of those of the mechanism."""
    places = _places(inverse, model)
    return q[places]


def _places(inverse: ChainInverse, model: Model) -> list[int]:
    names = [joint.name for joint in model.mechanism.movable]
    return [names.index(name) for name in inverse.chain.names[: inverse.chain.own]]


def _solutions(
    model: Model, targets: Target, inverse: ChainInverse, found: Branches, row: int, near: Array
) -> Solutions:
    mechanism = model.mechanism
    branches = np.nonzero(found.solved[row])[0]
    q = np.array(np.broadcast_to(near, (len(branches), model.dof)))
    q[:, _places(inverse, model)] = found.q[row, branches]
    q = wrapped(mechanism, q, np.broadcast_to(near, q.shape))
    # After the whole turns: a locked joint is where it was locked, within its limits or not.
    for name, value in inverse.locked.items():
        q[:, [joint.name for joint in mechanism.movable].index(name)] = value
    within = inside_limits(mechanism, q)
    margins = limit_margins(mechanism, q)
    ranks = np.linalg.matrix_rank(targets.task.jacobian(model, q))
    order = np.lexsort((np.linalg.norm(q - near, axis=1), ~within))
    names = inverse.names_at(found, row)
    answers: list[Answer] = []
    for k in order.tolist():
        if any(np.max(np.abs(q[k] - other.q)) < _SAME for other in answers):
            continue
        branch = int(branches[k])
        breach = "" if within[k] else limit_breaches(mechanism, q[k])
        answers.append(
            Answer(
                q=q[k],
                converged=True,
                within_limits=bool(within[k]),
                position_residual=float(found.position_error[row, branch]),
                angle_residual=float(found.angle_error[row, branch]),
                iterations=0,
                rank=int(ranks[k]),
                limit_margins=margins[k],
                reason=f"The target is reached out of limits only: {breach}." if breach else "",
                branch=_name(found, row, branch, names[branch]),
            )
        )
    return Solutions(
        answers=tuple(answer for answer in answers if answer.success), best=answers[0], starts=0
    )


def _name(found: Branches, row: int, branch: int, name: str) -> str:
    """Name of a branch, with what is special about it at this pose."""
    status = Status(int(found.status[row, branch]))
    special = f" ({found.reason(row, branch)})" if status is not Status.REACHED else ""
    return f"{name}{special}"
