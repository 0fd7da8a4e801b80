"""What is told of one posture's joints and motors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.transmission import Drives, TransmissionError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posture:
    """Joint values in the drives' order; rates and torques where they are known.

    Args:
        where: it comes from, for messages.
        q: # (n,) [rad]
        qd: # (n,) [rad/s]
        tau: # (n,) [N m]
    """

    where: str
    q: Array
    qd: Array | None = None
    tau: Array | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JointRow:
    """One joint: position [rad], motor turns per turn, inertia [kg m²], resolution [rad]."""

    name: str
    position: float
    turns: dict[str, float]
    inertia: float
    resolution: float

    def document(self) -> dict[str, object]:
        """For JSON, in SI."""
        return {
            "joint": self.name,
            "position_rad": self.position,
            "motor_turns_per_joint_turn": self.turns,
            "reflected_inertia_kg_m2": self.inertia,
            "encoder_resolution_rad": self.resolution,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MotorRow:
    """One motor: position [rad], speed [rad/s], torque [N m]; None where not asked for."""

    name: str
    position: float
    speed: float | None = None
    torque: float | None = None

    def document(self) -> dict[str, object]:
        """For JSON, in SI."""
        document: dict[str, object] = {"motor": self.name, "position_rad": self.position}
        if self.speed is not None:
            document["speed_rad_s"] = self.speed
        if self.torque is not None:
            document["torque_nm"] = self.torque
        return document


@dataclass(frozen=True, slots=True, kw_only=True)
class PostureAnswer:
    """Joints and motors of a posture, or the reason why the transmissions do not reach it."""

    where: str
    reason: str = ""
    joints: tuple[JointRow, ...] = ()
    motors: tuple[MotorRow, ...] = ()

    def document(self) -> dict[str, object]:
        """For JSON, in SI."""
        return {
            "within_range": not self.reason,
            "reason": self.reason,
            "joints": [row.document() for row in self.joints],
            "motors": [row.document() for row in self.motors],
        }


def answer(drives: Drives, posture: Posture) -> PostureAnswer:
    """Joints and motors of a posture."""
    try:
        position = drives.motor_position(posture.q)
    except TransmissionError as error:
        return PostureAnswer(where=posture.where, reason=error.message)
    return PostureAnswer(
        where=posture.where,
        joints=_joints(drives, posture.q),
        motors=_motors(drives, posture, position),
    )


def _joints(drives: Drives, q: Array) -> tuple[JointRow, ...]:
    J, inertia = drives.jacobian(q), drives.reflected_inertia(q)
    resolution = drives.encoder_resolution(q)
    return tuple(
        JointRow(
            name=name,
            position=float(q[i]),
            turns={drives.motors[m]: float(J[m, i]) for m in np.flatnonzero(J[:, i]).tolist()},
            inertia=float(inertia[i, i]),
            resolution=float(resolution[i]),
        )
        for i, name in enumerate(drives.joints)
    )


def _motors(drives: Drives, posture: Posture, position: Array) -> tuple[MotorRow, ...]:
    q = posture.q
    speed = None if posture.qd is None else drives.motor_speed(q, posture.qd)
    torque = None if posture.tau is None else drives.motor_torque(q, posture.tau)
    return tuple(
        MotorRow(
            name=name,
            position=float(position[m]) + 0.0,  # no minus before zero
            speed=None if speed is None else float(speed[m]),
            torque=None if torque is None else float(torque[m]),
        )
        for m, name in enumerate(drives.motors)
    )
