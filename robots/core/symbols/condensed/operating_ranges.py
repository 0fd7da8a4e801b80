"""OperatingRanges: the postures, speeds and accelerations that a neglected term was judged by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, freeze_field
from robots.core.errors import EquationError
from robots.core.mechanism import Mechanism
from robots.core.symbols.condensed.intervals import Interval


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OperatingRanges:
    """Where and how fast a robot moves.

    Args:
        q_min: lower joint limits; -inf for a joint that turns freely. # (n,) [rad or m]
        q_max: upper joint limits. # (n,) [rad or m]
        qd_max: largest speeds, absolute. # (n,) [rad/s or m/s]
        qdd_max: largest accelerations, absolute. # (n,) [rad/s² or m/s²]

    Raises:
        EquationError: lengths differ, a speed or acceleration without bound, limits exchanged.
    """

    q_min: Array
    q_max: Array
    qd_max: Array
    qdd_max: Array

    def __post_init__(self) -> None:
        for name in ("q_min", "q_max", "qd_max", "qdd_max"):
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.ndim != 1 or np.any(np.isnan(values)):
                raise EquationError(f"Operating ranges: {name} = {values.tolist()}; give numbers.")
            freeze_field(self, name, values)
        sizes = {len(v) for v in (self.q_min, self.q_max, self.qd_max, self.qdd_max)}
        if len(sizes) != 1:
            raise EquationError(f"Operating ranges: lengths {sorted(sizes)} differ.")
        if np.any(self.q_min > self.q_max):
            raise EquationError("Operating ranges: a lower limit is above its upper limit.")
        for name in ("qd_max", "qdd_max"):
            values = getattr(self, name)
            if not np.all(np.isfinite(values)) or np.any(values < 0.0):
                raise EquationError(
                    f"Operating ranges: {name} = {values.tolist()}; neglecting needs a finite "
                    "bound, zero or more, for every joint: set the joints' limits in the robot "
                    "file or give ranges."
                )

    @classmethod
    def of(cls, mechanism: Mechanism) -> OperatingRanges:
        """The limits that a mechanism's joints state."""
        return cls(
            q_min=mechanism.q_min,
            q_max=mechanism.q_max,
            qd_max=mechanism.max_speed,
            qdd_max=mechanism.max_acceleration,
        )

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """Ranges of q."""
        return tuple(
            Interval(float(low), float(high))
            for low, high in zip(self.q_min, self.q_max, strict=True)
        )
