"""All quantities by name."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from robots.core.errors import EquationError
from robots.core.mechanism import Mechanism
from robots.core.quantities.definition import Quantity
from robots.core.quantities.dynamics import DYNAMICS
from robots.core.quantities.kinematics import KINEMATICS
from robots.core.recording import OperationCounts

QUANTITIES: dict[str, Quantity] = {item.name: item for item in (*KINEMATICS, *DYNAMICS)}


def quantity(name: str) -> Quantity:
    """The quantity called ``name``.

    Raises:
        EquationError: there is none; the message lists those that exist.
    """
    if name not in QUANTITIES:
        raise EquationError(
            f"There is no quantity {name!r}; there are {', '.join(QUANTITIES)}.", name=name
        )
    return QUANTITIES[name]


MAIN = ("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics", "lagrange")


def defined(mechanism: Mechanism, names: Iterable[str]) -> tuple[str, ...]:
    """The quantities that exist: without inertia, torques determine no accelerations."""
    found = []
    for name in names:
        with suppress(EquationError):
            quantity(name).record(mechanism)
            found.append(name)
    return tuple(found)


def operation_counts(mechanism: Mechanism) -> dict[str, OperationCounts]:
    """Operations per sample of those main quantities that the mechanism has."""
    if mechanism.dof == 0:
        return {}
    return {name: quantity(name).record(mechanism).counts for name in defined(mechanism, MAIN)}
