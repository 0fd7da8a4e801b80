"""CrankScrew: a screw moves a carriage, a rod from the carriage turns a crank on the joint."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array
from robots.core.equations.algebra import Vec3
from robots.core.equations.functions import numbers
from robots.core.transmission.checks import (
    checked_range,
    finite_values,
    require_lengths,
    require_range,
    require_sense,
)
from robots.core.transmission.errors import TransmissionError
from robots.core.transmission.pins import crank_pin, crank_pin_rates
from robots.core.transmission.rod import carriage, carriage_acceleration, carriage_speed, reach
from robots.core.transmission.working import grid_of, require_one_to_one, require_reach


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrankScrew:
    """Slider and crank with a screw: knee and hip of BIP 2000.

    The crank stands at a = crank_sense·q + offset + γ − φ from the screw's direction, its pin at
    (R cos a, R sin a), the carriage at (X, e) with X = R cos a + √(L² − (R sin a − e)²); the motor
    turns by screw_sense·(2π/pitch)·(X(q) − X(0)).

    Source: [GASTEBOIS17] §2.3.3.2-3 eqs (18)-(29). Deviations, judged by the published ratios
    (knee 58.5 at 0°, 115.1 at 45°, 94.3 at 90°; hip 89.3 at −75°, 115.3 at −30°, 96.1 at 0°):
    the knee is eq. (18) with φ − π in place of φ; the hip is eq. (24) with the angle
    q + φ − γ + π/2 in place of q + γ − φ, that is `crank_sense` −1 and `offset` π/2 here; the motor
    turns against eqs (21), (27), and the hip's screw is left-handed. The modulus under the roots is
    not taken.

    Args:
        joint: name.
        motor: name.
        pitch: travel per motor turn, negative for a left-handed screw. # [m]
        e: distance of the screw's line from the joint's axis. # [m]
        R: radius of the crank. # [m]
        rod: length L. # [m]
        gamma: angle γ of the screw in its body. # [rad]
        phi: angle φ of the crank on the joint. # [rad]
        offset: further angle of the crank. # [rad]
        crank_sense: 1 where the crank's angle grows with q, else −1.
        screw_sense: 1 where the motor's turn grows with X, else −1.
        joint_range: where it works. # (1, 2) [rad]

    Raises:
        TransmissionError: dimensions that are none, a rod too short for the range, or a dead point
            in it.
    """

    joint: str
    motor: str
    pitch: float
    e: float
    R: float
    rod: float
    gamma: float
    phi: float
    offset: float = 0.0
    crank_sense: int = 1
    screw_sense: int = -1
    joint_range: Array
    _branch: float = field(init=False, repr=False, default=1.0)

    def __post_init__(self) -> None:
        owner = f"The crank drive of joint {self.joint}"
        require_lengths(owner, pitch=abs(self.pitch), R=self.R, rod=self.rod)
        require_sense(owner, crank_sense=self.crank_sense, screw_sense=self.screw_sense)
        object.__setattr__(self, "joint_range", checked_range(self.joint_range, self.joints))
        q = grid_of(self.joint_range)
        zero = np.zeros((1, 1))
        require_reach(self.joints, zero, self._reach(zero))  # motors count from there
        require_reach(self.joints, q, self._reach(q))
        require_one_to_one(self.joints, q, self._jacobian(q)[..., 0, 0])
        middle = self._angle(self.joint_range.mean(axis=1))
        x = self._carriage(self.joint_range.mean(axis=1))
        side = np.sign(np.sin(middle - np.arctan2(self.e, x)))
        object.__setattr__(self, "_branch", float(side[0]))

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
        return self._turn * (self._carriage(self._checked(q)) - self._carriage(np.zeros(1)))

    def joint_position(self, motor: Array) -> Array:
        """Joint position of a motor position, by the triangle of crank, rod and base. # (..., 1).

        Raises:
            TransmissionError: crank and rod do not reach the carriage, or beyond the range.
        """
        turned = finite_values(motor, self.motors, "The motor position")
        x = self._carriage(np.zeros(1)) + turned / self._turn
        base = np.hypot(x, self.e)
        cosine = (base**2 + self.R**2 - self.rod**2) / (2.0 * self.R * base)
        self._require_triangle(turned, base, cosine)
        a = np.arctan2(self.e, x) + self._branch * np.arccos(np.clip(cosine, -1.0, 1.0))
        middle = self.joint_range.mean(axis=1)
        q = middle + _within_half_turn(self.crank_sense * (a - self._angle(middle)))
        require_range(q, self.joint_range, self.joints)
        return np.asarray(q)

    def jacobian(self, q: Array) -> Array:
        """Motor turn per joint turn. # (..., 1, 1).

        Raises:
            TransmissionError: a joint beyond its range.
        """
        return self._jacobian(self._checked(q))

    def bias(self, q: Array, qd: Array) -> Array:
        """Motor acceleration at constant joint speed. # (..., 1) [rad/s²].

        Raises:
            TransmissionError: a joint beyond its range.
        """
        a = self._angle(self._checked(q))
        ad = self.crank_sense * finite_values(qd, self.joints, "The joint speed")
        motion = (self._pin(a), *crank_pin_rates(numbers(), a, ad, self.R))
        second = carriage_acceleration(numbers(), motion, (0.0, self.e), self.rod)
        return np.asarray(self._turn * second)

    @property
    def _turn(self) -> float:
        """Motor turn per travel of the carriage. # [rad/m]."""
        return self.screw_sense * 2.0 * np.pi / self.pitch

    def _angle(self, q: Array) -> Array:
        return self.crank_sense * q + (self.offset + self.gamma - self.phi)

    def _pin(self, a: Array) -> Vec3:
        return crank_pin(numbers(), a, self.R)

    def _reach(self, q: Array) -> Array:
        return np.asarray(reach(self._pin(self._angle(q)), (0.0, self.e), self.rod))

    def _carriage(self, q: Array) -> Array:
        pin = self._pin(self._angle(q))
        return np.asarray(carriage(numbers(), pin, (0.0, self.e), self.rod))

    def _jacobian(self, q: Array) -> Array:
        a = self._angle(q)
        rate, _ = crank_pin_rates(numbers(), a, self.crank_sense, self.R)
        speed = carriage_speed(numbers(), self._pin(a), rate, (0.0, self.e), self.rod)
        return np.asarray(self._turn * speed)[..., np.newaxis]

    def _checked(self, q: Array) -> Array:
        array = finite_values(q, self.joints, "The joint position")
        require_range(array, self.joint_range, self.joints)
        return array

    def _require_triangle(self, motor: Array, base: Array, cosine: Array) -> None:
        apart = np.abs(cosine) > 1.0 + 1e-12
        if not apart.any():
            return
        distance, value = float(base[apart].flat[0]), float(motor[apart].flat[0])
        low, high = abs(self.rod - self.R), self.rod + self.R
        raise TransmissionError(
            f"Motor {self.motor} at {value:.6g} rad puts its carriage {1e3 * distance:.6g} mm from "
            f"the axis of joint {self.joint}; crank and rod reach from {1e3 * low:.6g} to "
            f"{1e3 * high:.6g} mm. Stay between the motor positions of the joint's range.",
            motor=self.motor,
            value=distance,
            limit=low if distance < low else high,
            unit="m",
        )


def _within_half_turn(angle: Array) -> Array:
    return np.asarray(np.remainder(angle + np.pi, 2.0 * np.pi) - np.pi)
