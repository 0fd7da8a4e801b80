"""Gauss-Newton with scaled columns; Levenberg's damping where a full step does not help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.identification.errors import IdentificationError

MOST_ITERATIONS = 100
CONVERGED = 1e-13  # step of all columns together, in proportion to the residual they can make


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class System:
    """Weighted residuals and their derivatives at one place."""

    residual: Array  # (rows,)
    jacobian: Array  # (rows, unknowns)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Settled:
    """The least-squares answer."""

    x: Array  # (unknowns,)
    system: System  # there
    iterations: int


def settle(system_at: Callable[[Array], System], x: Array, size: float) -> Settled:
    """Minimise the sum of squares.

    Args:
        system_at: residuals and derivatives.
        x: where the search starts. # (unknowns,)
        size: a residual that counts as large, in the unit of the weighted residuals; the search
            ends when a step changes no residual by more than 1e-13 of it.

    Raises:
        IdentificationError: it does not settle.
    """
    damping = 0.0
    here = system_at(x)
    change = np.inf
    for iteration in range(1, MOST_ITERATIONS + 1):
        width = np.linalg.norm(here.jacobian, axis=0)
        width = np.where(width > 0.0, width, 1.0)
        rows = np.concatenate([here.jacobian / width, np.sqrt(damping) * np.eye(len(x))])
        target = np.concatenate([-here.residual, np.zeros(len(x))])
        scaled = np.linalg.lstsq(rows, target, rcond=None)[0]
        change = float(np.max(np.abs(scaled), initial=0.0)) / np.sqrt(len(here.residual))
        trial = system_at(x + scaled / width)
        better = np.linalg.norm(trial.residual) <= np.linalg.norm(here.residual) * (1.0 + 1e-9)
        if change <= CONVERGED * size:
            return Settled(x=x + scaled / width, system=trial, iterations=iteration)
        if better:
            x, here, damping = x + scaled / width, trial, 0.1 * damping
        elif change <= 1e3 * CONVERGED * size:
            return Settled(x=x, system=here, iterations=iteration)
        else:
            damping = max(10.0 * damping, 1e-6)
    raise IdentificationError(
        f"The calibration does not settle in {MOST_ITERATIONS} iterations: the last step still "
        f"changes residuals by {change / size:.2g} of the reach of the arm. Do readings, groups "
        "and units belong together?",
        change=change,
    )
