"""How a numerical inverse model iterates, and when it stops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from robots.core.errors import InverseError


class Method(Enum):
    """How a step is found from the gap and the Jacobian."""

    NEWTON = "newton"
    DAMPED = "damped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """When to stop, and how far to step.

    Args:
        method: ``DAMPED`` is safe anywhere; ``NEWTON`` is the sources' own, for starts near a
            solution.
        position_tolerance: [m]
        angle_tolerance: [rad]
        most_iterations: per start.
        longest_step: of any joint in one iteration; scale lengths for a sliding joint. [rad]

    Raises:
        InverseError: a setting that is not above zero.
    """

    method: Method = Method.DAMPED
    position_tolerance: float = 1e-10
    angle_tolerance: float = 1e-10
    most_iterations: int = 100
    longest_step: float = 0.7

    def __post_init__(self) -> None:
        for name in ("position_tolerance", "angle_tolerance", "most_iterations", "longest_step"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise InverseError(
                    f"The setting {name} is {value!r}; it must be finite and above zero.",
                    setting=name,
                    value=value,
                )
