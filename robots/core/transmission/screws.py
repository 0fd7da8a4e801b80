"""Screw transmissions: a crank turned by one screw, a cardan moved by two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from robots.core.arrays import Array
from robots.core.equations.algebra import Functions, Scalar, Vec3, numbers
from robots.core.errors import TransmissionError
from robots.core.transmission.checks import (
    ROUNDING,
    checked_range,
    finite_values,
    first,
    grid_of,
    require_lengths,
    require_one_to_one,
    require_range,
    require_reach,
    require_sense,
    sample,
)

Guide = tuple[Scalar, Scalar]  # y and z of the screw's line


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


# ---------------------------------------------------------------------- Two screws behind a cardan

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


# -------------------------------------------------------------------------------------------- Rods
# Axes of the screw's body: x along the screw, y along the joint's lateral direction, z across. The
# carriage runs on the line (·, guide y, guide z) and is always ahead of the pin in x. Generic over
# scalars, so that the equations can be computed, differentiated by SymPy or recorded.
#
# Source: [GASTEBOIS17] §2.3.3 eqs (12), (18), (24), whose square roots are `sqrt(reach)` here. They
# print a modulus under the root, which gives a length to postures that the rod cannot reach; here
# the sign is kept and callers refuse what is not above zero.


def reach(pin: Vec3, guide: Guide, rod: Scalar) -> Scalar:
    """Square of the rod's length along the screw; below zero the rod is too short. # [m²]."""
    v, u = guide[0] - pin[1], guide[1] - pin[2]
    return rod * rod - u * u - v * v


def carriage(F: Functions, pin: Vec3, guide: Guide, rod: Scalar) -> Scalar:
    """Where the carriage is on its screw. # [m]."""
    return pin[0] + F.sqrt(reach(pin, guide, rod))


def carriage_speed(F: Functions, pin: Vec3, rate: Vec3, guide: Guide, rod: Scalar) -> Scalar:
    """Its speed when the pin moves with ``rate``. # [m/s]."""
    along = F.sqrt(reach(pin, guide, rod))
    return rate[0] + _across(pin, rate, guide) / along


def carriage_acceleration(
    F: Functions, pin: tuple[Vec3, Vec3, Vec3], guide: Guide, rod: Scalar
) -> Scalar:
    """Its acceleration. # [m/s²].

    Args:
        F: the reading's functions.
        pin: position, rate and second rate of the pin. # [m], [m/s], [m/s²]
        guide: line of the screw. # [m]
        rod: length. # [m]
    """
    position, rate, second = pin
    along = F.sqrt(reach(position, guide, rod))
    shortening = _across(position, rate, guide) / along
    turning = rate[1] * rate[1] + rate[2] * rate[2] + shortening * shortening
    return second[0] + (_across(position, second, guide) - turning) / along


def _across(pin: Vec3, rate: Vec3, guide: Guide) -> Scalar:
    """Product of the rod's part across the screw with a rate of the pin."""
    return (guide[1] - pin[2]) * rate[2] + (guide[0] - pin[1]) * rate[1]


# -------------------------------------------------------------------------------------------- Pins
# Axes as in `rod`: x along the screws, y lateral, z across; origin at the joint's centre. Crank and
# sagittal turn are about y. Generic over scalars.


class Anchor(NamedTuple):
    """Anchor of a rod on the body behind the cardan, at q = 0 and γ = 0.

    Args:
        drop: distance behind the centre along the screws, negative x. # [m]
        side: lateral distance, y, with its sign. # [m]
        lever: distance across, z. # [m]
    """

    drop: Scalar
    side: Scalar
    lever: Scalar


def crank_pin(F: Functions, a: Scalar, R: Scalar) -> Vec3:
    """Pin of a crank of radius R at the angle a from the screw's direction. # [m]."""
    return (R * F.cos(a), 0.0, R * F.sin(a))


def crank_pin_rates(F: Functions, a: Scalar, ad: Scalar, R: Scalar) -> tuple[Vec3, Vec3]:
    """Its rate, and its second rate at constant ``ad``. # [m/s], [m/s²]."""
    x, _, z = crank_pin(F, a, R)
    return (-z * ad, 0.0, x * ad), (-x * ad * ad, 0.0, -z * ad * ad)


def cardan_pin(F: Functions, q: tuple[Scalar, Scalar], anchor: Anchor) -> Vec3:
    """Anchor after a frontal turn q[0] about z, and with it a sagittal turn q[1] about y. # [m]."""
    c1, s1, c2, s2 = F.cos(q[0]), F.sin(q[0]), F.cos(q[1]), F.sin(q[1])
    drop = anchor.drop * c1 - anchor.side * s1
    side = anchor.drop * s1 + anchor.side * c1
    return (anchor.lever * s2 - drop * c2, side, anchor.lever * c2 + drop * s2)


def cardan_pin_rates(
    F: Functions, q: tuple[Scalar, Scalar], qd: tuple[Scalar, Scalar], anchor: Anchor
) -> tuple[Vec3, Vec3]:
    """Its rate, and its second rate at constant ``qd``. # [m/s], [m/s²]."""
    c1, s1, c2, s2 = F.cos(q[0]), F.sin(q[0]), F.cos(q[1]), F.sin(q[1])
    u, w = qd
    drop = anchor.drop * c1 - anchor.side * s1
    x, y, z = cardan_pin(F, q, anchor)
    falling, falling_rate = -y * u, -drop * u * u  # of the drop, by the frontal turn
    xd, yd, zd = z * w - falling * c2, drop * u, falling * s2 - x * w
    xdd = zd * w - falling_rate * c2 + falling * s2 * w
    zdd = falling_rate * s2 + falling * c2 * w - xd * w
    return (xd, yd, zd), (xdd, falling * u, zdd)


# ------------------------------------------------------------------------ Newton's method in a box

_ITERATIONS = 40
_HALVINGS = 12
_ROUNDING = 8.0 * np.finfo(float).eps


def root_in_box(
    function: Callable[[Array], Array],
    jacobian: Callable[[Array], Array],
    target: Array,
    box: Array,
) -> Array:
    """Arguments whose values are nearest to ``target`` that Newton finds from the box's middle.

    A step is cut to the box and halved while the residual does not fall, so it never leaves where
    ``function`` is defined. The caller checks the residual that is left.

    Args:
        function: (N, k) → (N, k).
        jacobian: (N, k) → (N, k, k), regular in the box.
        target: # (N, k)
        box: least and greatest argument. # (k, 2)
    """
    q: Array = np.broadcast_to(box.mean(axis=1), target.shape).copy()
    residual = function(q) - target
    scale = _ROUNDING * (1.0 + np.abs(target).max(axis=-1))
    for _ in range(_ITERATIONS):
        todo = np.flatnonzero(np.abs(residual).max(axis=-1) > scale)
        if not todo.size:
            break
        moves = np.linalg.solve(jacobian(q[todo]), residual[todo][..., np.newaxis])
        step: Array = np.asarray(moves[..., 0], dtype=np.float64)
        better, left = _shortened(function, q[todo], step, (target[todo], residual[todo], box))
        gained = np.linalg.norm(left, axis=-1) < np.linalg.norm(residual[todo], axis=-1)
        if not gained.any():
            break
        q[todo[gained]], residual[todo[gained]] = better[gained], left[gained]
    return q


def _shortened(
    function: Callable[[Array], Array], q: Array, step: Array, problem: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """Arguments after a step that lowers the residual where one does, and their residuals."""
    target, residual, box = problem
    start = np.linalg.norm(residual, axis=-1)
    length = np.ones(len(q))
    for _ in range(_HALVINGS):
        tried = np.clip(q - length[:, np.newaxis] * step, box[:, 0], box[:, 1])
        residual = function(tried) - target
        worse = np.linalg.norm(residual, axis=-1) >= start
        if not worse.any():
            break
        length[worse] /= 2.0
    return tried, residual
