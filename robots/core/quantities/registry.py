"""All quantities by name."""

from __future__ import annotations

from robots.core.errors import EquationError
from robots.core.quantities.definition import Quantity
from robots.core.quantities.dynamics import DYNAMICS
from robots.core.quantities.kinematics import KINEMATICS

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
