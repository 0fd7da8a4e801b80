"""CardanScrews: two screws side by side move a body behind a cardan in two directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.equations.functions import numbers
from robots.core.transmission.checks import (
    ROUNDING,
    checked_range,
    finite_values,
    first,
    require_lengths,
    require_range,
    require_sense,
    sample,
)
from robots.core.transmission.errors import TransmissionError
from robots.core.transmission.newton import root_in_box
from robots.core.transmission.pins import Anchor, cardan_pin, cardan_pin_rates
from robots.core.transmission.rod import (
    Guide,
    carriage,
    carriage_acceleration,
    carriage_speed,
    reach,
)
from robots.core.transmission.working import grid_of, require_one_to_one, require_reach

_CLOSED = 1e-9  # [rad] of a motor: what is left where Newton has found the posture


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CardanScrews:
    """Two roller screws on a cardan: ankle and lumbar joint of BIP 2000.

    The carriages run along x at y = ±h, z = e. Their rods hold the moved body at (−b, ±d, c), which
    turns by q[0] (frontal) and then by q[1] + γ (sagittal). Each motor turns by
    screw_sense·(2π/pitch)·(X(q) − X(0)). Pure q[1] moves both alike, q[0] one against the other.

    Source: [GASTEBOIS17] §2.3.3.1 eqs (12)-(17). Deviation, judged by the published inertias of
    the rotors at q = 0 (0.2423 and 0.6005 kg·m² for q1, q2): eqs (12)-(14) hold with −b_c in place
    of b_c; as printed they give 0.2421 and 0.6138. The modulus under the roots is not taken. These
    judges leave the signs of q[1] and of the motors open; those, and the lumbar joint's, are those
    of the robot model in the HuMAnS toolbox (INRIA), where the constants come from: the lumbar
    anchors stand before the centre and its screws push the other way, so b is negative there and
    screw_sense 1.

    Args:
        joints: names, frontal first.
        motors: names, that of the screw at +h first.
        pitch: travel per motor turn, negative for a left-handed screw. # [m]
        e: distance of the screws' plane from the cardan. # [m]
        h: half the distance between the screws. # [m]
        b: how far the anchors are behind the cardan's centre, along the screws. # [m]
        c: lever of the anchors across. # [m]
        d: half the distance between the anchors. # [m]
        rod: length L of both rods. # [m]
        gamma: angle γ of the screws in their body. # [rad]
        screw_sense: 1 where a motor's turn grows with X, else −1.
        joint_range: where it works. # (2, 2) [rad]

    Raises:
        TransmissionError: dimensions that are none, rods too short for the range, or a dead point
            in it.
    """

    joints: tuple[str, ...]
    motors: tuple[str, ...]
    pitch: float
    e: float
    h: float
    b: float
    c: float
    d: float
    rod: float
    gamma: float
    screw_sense: int = -1
    joint_range: Array

    def __post_init__(self) -> None:
        owner = f"The screws of {' and '.join(self.joints)}"
        if len(self.joints) != 2 or len(self.motors) != 2:
            raise TransmissionError(
                f"{owner} have {len(self.joints)} joints and {len(self.motors)} motors; a cardan "
                "with two screws has two of each.",
                joints=self.joints,
                motors=self.motors,
            )
        require_lengths(owner, pitch=abs(self.pitch), h=self.h, c=self.c, d=self.d, rod=self.rod)
        require_sense(owner, screw_sense=self.screw_sense)
        object.__setattr__(self, "joint_range", checked_range(self.joint_range, self.joints))
        q = grid_of(self.joint_range)
        zero = np.zeros((1, 2))
        require_reach(self.joints, zero, self._reach(zero))  # motors count from there
        require_reach(self.joints, q, self._reach(q))
        require_one_to_one(self.joints, q, np.linalg.det(self._jacobian(q)))

    def motor_position(self, q: Array) -> Array:
        """Motor positions. # (..., 2) [rad].

        Raises:
            TransmissionError: a joint beyond its range.
        """
        return self._motor(self._checked(q))

    def joint_position(self, motor: Array) -> Array:
        """Joint positions of motor positions. # (..., 2) [rad].

        Raises:
            TransmissionError: no posture within the range has these motor positions.
        """
        turned = finite_values(motor, self.motors, "The motor position")
        box = self.joint_range + np.array([-ROUNDING, ROUNDING])
        flat = turned.reshape(-1, 2)
        q = root_in_box(self._motor, self._jacobian, flat, box).reshape(turned.shape)
        self._require_closed(q, turned)
        return q

    def jacobian(self, q: Array) -> Array:
        """Motor turn per joint turn, motors in rows. # (..., 2, 2).

        Raises:
            TransmissionError: a joint beyond its range.
        """
        return self._jacobian(self._checked(q))

    def bias(self, q: Array, qd: Array) -> Array:
        """Motor accelerations at constant joint speeds. # (..., 2) [rad/s²].

        Raises:
            TransmissionError: a joint beyond its range.
        """
        F, turned = numbers(), self._turned(self._checked(q))
        speed = finite_values(qd, self.joints, "The joint speed")
        rates = (speed[..., 0], speed[..., 1])
        second = [
            carriage_acceleration(
                F,
                (cardan_pin(F, turned, anchor), *cardan_pin_rates(F, turned, rates, anchor)),
                guide,
                self.rod,
            )
            for anchor, guide in self._sides
        ]
        return self._turn * np.stack(second, axis=-1)

    @property
    def _turn(self) -> float:
        """Motor turn per travel of a carriage. # [rad/m]."""
        return self.screw_sense * 2.0 * np.pi / self.pitch

    @property
    def _sides(self) -> tuple[tuple[Anchor, Guide], ...]:
        """Anchor and guide of each rod."""
        return tuple(
            (Anchor(self.b, side * self.d, self.c), (side * self.h, self.e)) for side in (1.0, -1.0)
        )

    def _turned(self, q: Array) -> tuple[Array, Array]:
        return q[..., 0], q[..., 1] + self.gamma

    def _reach(self, q: Array) -> Array:
        F, turned = numbers(), self._turned(q)
        rods = [reach(cardan_pin(F, turned, a), guide, self.rod) for a, guide in self._sides]
        return np.stack(rods, axis=-1)

    def _carriages(self, q: Array) -> Array:
        F, turned = numbers(), self._turned(q)
        both = [carriage(F, cardan_pin(F, turned, a), guide, self.rod) for a, guide in self._sides]
        return np.stack(both, axis=-1)

    def _motor(self, q: Array) -> Array:
        return np.asarray(self._turn * (self._carriages(q) - self._carriages(np.zeros(2))))

    def _jacobian(self, q: Array) -> Array:
        turned = self._turned(q)
        rows = [self._row(turned, anchor, guide) for anchor, guide in self._sides]
        return self._turn * np.stack(rows, axis=-2)

    def _row(self, turned: tuple[Array, Array], anchor: Anchor, guide: Guide) -> Array:
        """Carriage speed per joint speed. # (..., 2) [m]."""
        F = numbers()
        pin = cardan_pin(F, turned, anchor)
        speeds = [
            carriage_speed(F, pin, cardan_pin_rates(F, turned, unit, anchor)[0], guide, self.rod)
            for unit in ((1.0, 0.0), (0.0, 1.0))
        ]
        return np.stack(speeds, axis=-1)

    def _checked(self, q: Array) -> Array:
        array = finite_values(q, self.joints, "The joint position")
        require_range(array, self.joint_range, self.joints)
        return array

    def _require_closed(self, q: Array, motor: Array) -> None:
        left = np.abs(self._motor(q) - motor)
        if not (left > _CLOSED).any():
            return
        place = first(left > _CLOSED)[:-1]
        wanted = ", ".join(f"{value:.6g}" for value in motor[place])
        nearest = ", ".join(f"{value:.6g}" for value in self._motor(q)[place])
        raise TransmissionError(
            f"Motors {', '.join(self.motors)} at {wanted} rad{sample((*place, 0))} ask for no "
            f"posture of {', '.join(self.joints)} within its range; the search ends at {nearest} "
            "rad, at the range's edge. Move the motors there or nearer to zero.",
            motor=self.motors[0],
            value=motor[place].tolist(),
            limit=self._motor(q)[place].tolist(),
            unit="rad",
            sample=place,
        )
