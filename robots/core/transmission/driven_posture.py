"""Joints and motors of one posture: positions, speeds, torques, ratios, reflected inertia."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import TransmissionError
from robots.core.transmission.drives import Drives


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrivenState:
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
class DrivenJoint:
    """One joint: position [rad], motor turns per turn, inertia [kg m²], resolution [rad]."""

    name: str
    position: float
    turns: dict[str, float]
    inertia: float
    resolution: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MotorState:
    """One motor: position [rad], speed [rad/s], torque [N m]; None where not asked for."""

    name: str
    position: float
    speed: float | None = None
    torque: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrivenPosture:
    """Joints and motors of a posture, or the reason why the transmissions do not reach it."""

    where: str
    reason: str = ""
    joints: tuple[DrivenJoint, ...] = ()
    motors: tuple[MotorState, ...] = ()


def driven_posture(drives: Drives, posture: DrivenState) -> DrivenPosture:
    """Joints and motors of a posture."""
    try:
        position = drives.motor_position(posture.q)
    except TransmissionError as error:
        return DrivenPosture(where=posture.where, reason=error.message)
    return DrivenPosture(
        where=posture.where,
        joints=_joints(drives, posture.q),
        motors=_motors(drives, posture, position),
    )


def _joints(drives: Drives, q: Array) -> tuple[DrivenJoint, ...]:
    J, inertia = drives.jacobian(q), drives.reflected_inertia(q)
    resolution = drives.encoder_resolution(q)
    return tuple(
        DrivenJoint(
            name=name,
            position=float(q[i]),
            turns={drives.motors[m]: float(J[m, i]) for m in np.flatnonzero(J[:, i]).tolist()},
            inertia=float(inertia[i, i]),
            resolution=float(resolution[i]),
        )
        for i, name in enumerate(drives.joints)
    )


def _motors(drives: Drives, posture: DrivenState, position: Array) -> tuple[MotorState, ...]:
    q = posture.q
    speed = None if posture.qd is None else drives.motor_speed(q, posture.qd)
    torque = None if posture.tau is None else drives.motor_torque(q, posture.tau)
    return tuple(
        MotorState(
            name=name,
            position=float(position[m]) + 0.0,  # no minus before zero
            speed=None if speed is None else float(speed[m]),
            torque=None if torque is None else float(torque[m]),
        )
        for m, name in enumerate(drives.motors)
    )
