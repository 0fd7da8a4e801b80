"""Drives: the transmissions of a whole robot, in joint order, and their protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices, Mask, frozen
from robots.core.errors import TransmissionError
from robots.core.transmission.checks import checked_range, finite_values, outside, require_range

# ---------------------------------------------------------------------------------------- Protocol


class Transmission(Protocol):
    """A coupling of k joints with k motors, one to one over the joints' working range.

    Motor positions count from zero at q = 0. Every array may have leading batch axes.
    """

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in the order of ``q``."""

    @property
    def motors(self) -> tuple[str, ...]:
        """Names of the motors, in the order of their positions."""

    @property
    def joint_range(self) -> Array:
        """Least and greatest position of every joint. # (k, 2) [rad]."""

    def motor_position(self, q: Array) -> Array:
        """Motor positions of joint positions. # (..., k) [rad]."""

    def joint_position(self, motor: Array) -> Array:
        """Joint positions of motor positions, on the branch of the working range. # (..., k)."""

    def jacobian(self, q: Array) -> Array:
        """Motor turn per joint turn, motors in rows. # (..., k, k)."""

    def bias(self, q: Array, qd: Array) -> Array:
        """Motor acceleration at constant joint speeds, J̇q̇. # (..., k) [rad/s²]."""


_Part = tuple[Transmission, Indices, Indices]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drives:
    """Every joint of a robot with the motor that drives it; n joints, n motors.

    Arrays may have leading batch axes. Motor positions are zero at q = 0.

    Args:
        transmissions: which together hold every joint and every motor once.
        joints: names in the mechanism's order.
        rotor_inertias: # (n,) [kg m²]
        motors: names in the order of everything that is per motor; that of the transmissions when
            left out.
        encoder_counts: per motor turn.
        max_speed: of the motors; infinite when left out. # (n,) [rad/s]
        max_torque: of the motors; infinite when left out. # (n,) [N m]

    Raises:
        TransmissionError: a joint or motor without transmission or with two, an inertia below zero.
    """

    transmissions: tuple[Transmission, ...]
    joints: tuple[str, ...]
    rotor_inertias: Array
    motors: tuple[str, ...] = ()
    encoder_counts: int = 4096
    max_speed: Array = field(default_factory=lambda: np.array(np.inf))
    max_torque: Array = field(default_factory=lambda: np.array(np.inf))
    _parts: tuple[_Part, ...] = field(init=False, repr=False, default=())

    def __post_init__(self) -> None:
        if not self.motors:
            held = tuple(motor for part in self.transmissions for motor in part.motors)
            object.__setattr__(self, "motors", held)
        joints = positions_of(self.joints, [part.joints for part in self.transmissions], "Joint")
        motors = positions_of(self.motors, [part.motors for part in self.transmissions], "Motor")
        parts = tuple(zip(self.transmissions, joints, motors, strict=True))
        object.__setattr__(self, "_parts", parts)
        for name in ("rotor_inertias", "max_speed", "max_torque"):
            object.__setattr__(self, name, self._per_motor(name, getattr(self, name)))
        if self.encoder_counts < 1:
            raise TransmissionError(
                f"The encoders have {self.encoder_counts} counts per turn; give one or more.",
                value=self.encoder_counts,
                limit=1,
                unit="1",
            )

    @property
    def joint_range(self) -> Array:
        """Working range of every joint's transmission. # (n, 2) [rad]."""
        ranges = np.empty((len(self.joints), 2))
        for part, joints, _ in self._parts:
            ranges[joints] = part.joint_range
        return ranges

    def within_range(self, q: Array) -> Mask:
        """Which joints their transmissions can bring to ``q``. # (..., n)."""
        return ~outside(self._joint_values(q, "position"), self.joint_range)

    def motor_position(self, q: Array) -> Array:
        """Motor positions of joint positions. # (..., n) [rad].

        Raises:
            StateError: not n finite numbers.
            TransmissionError: a joint beyond its transmission's range.
        """
        values = self._joint_values(q, "position")
        return self._each(values, lambda part, own: part.motor_position(own))

    def joint_position(self, motor: Array) -> Array:
        """Joint positions of motor positions. # (..., n) [rad].

        Raises:
            StateError: not n finite numbers.
            TransmissionError: a joint would be beyond its transmission's range.
        """
        values = finite_values(motor, self.motors, "The motor position")
        q = np.empty_like(values)
        for part, joints, motors in self._parts:
            q[..., joints] = part.joint_position(values[..., motors])
        return q

    def jacobian(self, q: Array) -> Array:
        """Motor turn per joint turn, motors in rows. # (..., n, n)."""
        values = self._joint_values(q, "position")
        J = np.zeros((*values.shape, len(self.joints)))
        for part, joints, motors in self._parts:
            J[..., motors[:, np.newaxis], joints] = part.jacobian(values[..., joints])
        return J

    def motor_speed(self, q: Array, qd: Array) -> Array:
        """Motor speeds J q̇. # (..., n) [rad/s]."""
        return _product(self.jacobian(q), self._joint_values(qd, "speed"))

    def motor_acceleration(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Motor accelerations J q̈ + J̇ q̇. # (..., n) [rad/s²]."""
        values, speeds = self._joint_values(q, "position"), self._joint_values(qd, "speed")
        values, speeds = np.broadcast_arrays(values, speeds)
        moved = _product(self.jacobian(values), self._joint_values(qdd, "acceleration"))
        biases = np.empty_like(values)
        for part, joints, motors in self._parts:
            biases[..., motors] = part.bias(values[..., joints], speeds[..., joints])
        return moved + biases

    def motor_torque(self, q: Array, tau: Array) -> Array:
        """What motors give for joint torques, no power lost: τ = Jᵀ τ_motor. # (..., n) [N m].

        The rotors' own inertia is not in it; see `drive_torque`.
        """
        torque = self._joint_values(tau, "torque")
        J = self.jacobian(q)
        return np.asarray(np.linalg.solve(np.swapaxes(J, -1, -2), torque[..., np.newaxis])[..., 0])

    def joint_torque(self, q: Array, motor_torque: Array) -> Array:
        """Joint torques Jᵀ τ_motor. # (..., n) [N m]."""
        torque = finite_values(motor_torque, self.motors, "The motor torque")
        return _product(np.swapaxes(self.jacobian(q), -1, -2), torque)

    def drive_torque(self, q: Array, qd: Array, qdd: Array, tau: Array) -> Array:
        """Torque at the motors' windings: for the joints, and for their own rotors. # (..., n).

        Args:
            q: joint positions; qd, qdd their rates. # (..., n) [rad], [rad/s], [rad/s²]
            qd: see above.
            qdd: see above.
            tau: joint torques of the robot without rotors. # (..., n) [N m]
        """
        spun = self.rotor_inertias * self.motor_acceleration(q, qd, qdd)
        return self.motor_torque(q, tau) + spun

    def reflected_inertia(self, q: Array) -> Array:
        """What the rotors add to the robot's mass matrix, Jᵀ diag(I) J. # (..., n, n) [kg m²]."""
        J = self.jacobian(q)
        return np.asarray(np.swapaxes(J, -1, -2) @ (self.rotor_inertias[:, np.newaxis] * J))

    def encoder_resolution(self, q: Array) -> Array:
        """Greatest joint turn within one count of every encoder that moves it. # (..., n) [rad]."""
        count = 2.0 * np.pi / self.encoder_counts
        return np.asarray(count * np.abs(np.linalg.inv(self.jacobian(q))).sum(axis=-1))

    def _each(self, values: Array, of: Callable[[Transmission, Array], Array]) -> Array:
        """Per motor, what every transmission makes of its own joints' values."""
        result = np.empty_like(values)
        for part, joints, motors in self._parts:
            result[..., motors] = of(part, values[..., joints])
        return result

    def _joint_values(self, values: ArrayLike, what: str) -> Array:
        return finite_values(values, self.joints, f"The joint {what}")

    def _per_motor(self, name: str, values: ArrayLike) -> Array:
        array = np.array(values, dtype=float)
        if array.ndim == 0:
            array = np.repeat(array, len(self.motors))
        if array.shape != (len(self.motors),) or not (array >= 0.0).all():
            raise TransmissionError(
                f"{name} is {array.tolist()}; give {len(self.motors)} values of zero or more, one "
                "per motor.",
                name=name,
                limit=0.0,
            )
        return frozen(array)


def _product(J: Array, values: Array) -> Array:
    return np.asarray((J @ values[..., np.newaxis])[..., 0])


# ------------------------------------------------------------------------------------------- Gears


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


# -------------------------------------------------------------------------------------- Assignment


def positions_of(
    names: tuple[str, ...], held: Sequence[tuple[str, ...]], what: str
) -> list[Indices]:
    """Places in ``names`` of what every transmission holds.

    Args:
        names: of the robot's joints or motors, in order.
        held: names per transmission.
        what: "Joint" or "Motor", for messages.

    Raises:
        TransmissionError: a name that is held twice, by none, or not the robot's.
    """
    count = Counter(name for group in held for name in group)
    if len(set(names)) != len(names):
        raise TransmissionError(f"{what} names repeat: {', '.join(names)}; give each once.")
    for name, times in count.items():
        if name not in names:
            raise TransmissionError(
                f"{what} {name} is not one of the robot's: {', '.join(names)}.", name=name
            )
        if times > 1:
            raise TransmissionError(
                f"{what} {name} is in {times} transmissions; keep one of them.", name=name
            )
    for name in names:
        if name not in count:
            raise TransmissionError(
                f"{what} {name} is in no transmission; add one, as a fixed ratio.", name=name
            )
    return [np.array([names.index(name) for name in group], dtype=np.intp) for group in held]
