"""The singular sets of a mechanism: each condition with a posture on it, and its type there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.inverse.scaling import scale_length
from robots.core.inverse.task import Task
from robots.core.joint_samples import joint_ranges, joint_samples
from robots.core.model import Model
from robots.core.singularities.analysis import Singularity, analyse
from robots.core.singularities.conditions import Condition
from robots.core.singularities.determinant import Determinant, determinant

_POSTURES = 24  # from which each joint of a condition is turned
_SCAN = 97  # values over its range
_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SingularSet:
    """One way of being singular, met at a posture.

    Args:
        condition: the equation.
        q: a posture within limits on which nothing else is singular, where one was found; empty
            otherwise, and then ``example`` is None. # (n,) or (0,) [rad or m]
        example: analysis of that posture.
    """

    condition: Condition
    q: Array
    example: Singularity | None

    @property
    def within_limits(self) -> bool:
        """Whether a posture within the joint limits was found on the set."""
        return self.example is not None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SingularSets:
    """All singular sets of a task.

    Args:
        determinant: in closed form.
        sets: one per condition, in its order.
    """

    determinant: Determinant
    sets: tuple[SingularSet, ...]


def singular_sets(model: Model, task: Task) -> SingularSets:
    """Conditions of the determinant, and what each means for the tool.

    A condition of several equations (redundant mechanisms) is listed without an example.

    Args:
        model: of the mechanism.
        task: what of the tool counts.

    Raises:
        EquationError: the closed form has too many terms.
    """
    closed_form = determinant(model.mechanism, task)
    sets = tuple(_located(model, task, closed_form, c) for c in closed_form.conditions)
    return SingularSets(determinant=closed_form, sets=sets)


def _located(model: Model, task: Task, whole: Determinant, condition: Condition) -> SingularSet:
    best: tuple[Array, Singularity] | None = None
    for q in _postures_on(model, whole, condition):
        found = analyse(model, q, task)
        if found.singular and (best is None or found.order < best[1].order):
            best = q, found
        if found.order == 1:
            break
    if best is None:
        return SingularSet(condition=condition, q=np.zeros(0), example=None)
    return SingularSet(condition=condition, q=best[0], example=best[1])


def _postures_on(model: Model, whole: Determinant, condition: Condition) -> list[Array]:
    """Postures where one joint has been turned until the expression changes sign."""
    if len(condition.expressions) != 1:
        return []
    import sympy

    expression = condition.expressions[0].subs(whole.constants)
    function = sympy.lambdify(whole.variables, expression, "numpy")

    def value(q: Array) -> Array:
        found = np.asarray(function(*np.moveaxis(q, -1, 0)), dtype=np.float64)
        return np.broadcast_to(found, q.shape[:-1])

    slide = scale_length(model.mechanism)
    seeds = joint_samples(model.mechanism, _POSTURES, slide=slide, skip=1)
    low, high = joint_ranges(model.mechanism, slide)
    found: list[Array] = []
    for joint in condition.joints:
        grid = np.repeat(seeds[:, None, :], _SCAN, axis=1)
        grid[..., joint] = np.linspace(low[joint], high[joint], _SCAN)
        found += _sign_changes(value, grid, joint)
    return found


def _sign_changes(value: Callable[[Array], Array], grid: Array, joint: int) -> list[Array]:
    """Postures between neighbours on the grid where the value is zero. # grid: (k, scan, n)."""
    signs = np.sign(value(grid))
    rows, columns = np.nonzero(signs[:, :-1] * signs[:, 1:] < 0.0)
    left, right = grid[rows, columns], grid[rows, columns + 1]
    start = signs[rows, columns]
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        before = np.sign(value(middle)) == start
        left[before, joint] = middle[before, joint]
        right[~before, joint] = middle[~before, joint]
    exact = grid[signs == 0.0]
    return [*exact, *(0.5 * (left + right))]
