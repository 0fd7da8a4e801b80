"""FixedRatio: a gear between one joint and one motor."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array
from robots.core.transmission.checks import checked_range, finite_values, require_range
from robots.core.transmission.errors import TransmissionError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FixedRatio:
    """A motor that turns ``ratio`` times as far as its joint.

    Args:
        joint: name.
        motor: name.
        ratio: motor turns per joint turn; negative where they turn against each other.
        joint_range: where it works; everywhere when left out. # (1, 2) [rad]

    Raises:
        TransmissionError: a ratio of zero, or an empty range.
    """

    joint: str
    motor: str
    ratio: float
    joint_range: Array = field(default_factory=lambda: np.array([[-np.inf, np.inf]]))

    def __post_init__(self) -> None:
        if not (np.isfinite(self.ratio) and self.ratio != 0.0):
            raise TransmissionError(
                f"The ratio of joint {self.joint} is {self.ratio}; give motor turns per joint "
                "turn, not zero.",
                joint=self.joint,
                value=self.ratio,
                limit=0.0,
                unit="1",
            )
        object.__setattr__(self, "joint_range", checked_range(self.joint_range, self.joints))

    @property
    def joints(self) -> tuple[str, ...]:
        """Name of the joint."""
        return (self.joint,)

    @property
    def motors(self) -> tuple[str, ...]:
        """Name of the motor."""
        return (self.motor,)

    def motor_position(self, q: Array) -> Array:
        """Motor position. # (..., 1) [rad].

        Raises:
            TransmissionError: a joint beyond its range.
        """
        return self.ratio * self._checked(q)

    def joint_position(self, motor: Array) -> Array:
        """Joint position of a motor position. # (..., 1) [rad].

        Raises:
            TransmissionError: the joint would be beyond its range.
        """
        q = finite_values(motor, self.motors, "The motor position") / self.ratio
        require_range(q, self.joint_range, self.joints)
        return q

    def jacobian(self, q: Array) -> Array:
        """The ratio. # (..., 1, 1)."""
        return np.full((*self._checked(q).shape, 1), self.ratio)

    def bias(self, q: Array, qd: Array) -> Array:
        """None: the ratio does not change. # (..., 1) [rad/s²]."""
        return np.zeros(np.broadcast_shapes(np.shape(q), np.shape(qd)))

    def _checked(self, q: Array) -> Array:
        array = finite_values(q, self.joints, "The joint position")
        require_range(array, self.joint_range, self.joints)
        return array
