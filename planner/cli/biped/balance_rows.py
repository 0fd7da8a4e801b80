"""How a posture is balanced, as numbers and as a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.biped.errors import PostureError
from robots.biped.posture.balance import capture_speed, pendulum_frequency, tip_angle
from robots.biped.posture.ground import WAYS, Ground
from robots.biped.posture.standing import Standing, stand
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.posture.verdict import Stance, StanceVerdict
from robots.core.arrays import Array

_HAPPENS = {
    Stance.STANDING: "stands",
    Stance.TIPPING: "begins to tip over",
    Stance.FALLEN: "falls over",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How far a robot at rest is from falling in the four directions; none where it has fallen.

    Args:
        omega: of the pendulum. [1/s]
        tip_angles: tilt of the level ground at which the frozen robot falls. [rad]
        capture_speeds: of the centre of mass from which it comes to rest without a step. [m/s]
    """

    omega: float
    tip_angles: dict[str, float | None]
    capture_speeds: dict[str, float | None]


def rooms(standing: Standing) -> list[Room]:
    """For every posture; the tip angles are those of the same postures on level ground.

    Raises:
        PostureError: a centre of mass that is not above the ground.
    """
    level = stand(standing.biped, standing.q, Ground())
    heights = standing.com[:, 2] - standing.ground.below(standing.com)[:, 2]
    gravity = float(np.linalg.norm(standing.biped.mechanism.gravity))
    found = []
    for row, polygon in enumerate(standing.support):
        height = float(heights[row])
        if height <= 0.0:
            raise PostureError(
                f"Posture {row + 1} of {standing.biped.name}: its centre of mass is "
                f"{-1e3 * height:.4g} mm below the ground; it must be above it.",
                posture=row,
                value=height,
                limit=0.0,
                unit="m",
            )
        omega = pendulum_frequency(height, gravity)
        found.append(
            Room(
                omega=omega,
                tip_angles=_tips(level.com[row], level.support[row]),
                capture_speeds=_speeds(standing.com[row], polygon, omega),
            )
        )
    return found


def sentence(verdict: StanceVerdict, polygon: SupportPolygon, point: Array) -> str:
    """What the verdict says, with the edge and the margin."""
    edge = polygon.nearest_edge_name(point)
    happens = _HAPPENS[verdict.stance]
    if verdict.stance is Stance.STANDING:
        return f"{happens}, {1e3 * verdict.margin:.4g} mm inside, nearest edge {edge}"
    beyond = f", {-1e3 * verdict.margin:.4g} mm beyond it" if verdict.margin < 0.0 else ""
    return f"{happens} {verdict.edge}{beyond}"


def room_document(room: Room) -> dict[str, object]:
    """The room in SI."""
    return {
        "omega_1_s": room.omega,
        "tip_angles_rad": room.tip_angles,
        "capture_speeds_m_s": room.capture_speeds,
    }


def room_text(room: Room) -> str:
    """The room in a reader's units."""
    tips = ", ".join(
        f"{way} {np.degrees(angle):.2f}" for way, angle in room.tip_angles.items() if angle
    )
    speeds = ", ".join(f"{way} {speed:.3f}" for way, speed in room.capture_speeds.items() if speed)
    lines = [f"frozen on level ground, it falls when that tilts by: {tips} deg"] if tips else []
    if speeds:
        lines.append(f"comes to rest without a step from: {speeds} m/s (ω {room.omega:.4f} 1/s)")
    return "\n".join(lines)


def _tips(com: Array, polygon: SupportPolygon) -> dict[str, float | None]:
    if polygon.signed_margin(com) < 0.0:
        return dict.fromkeys(WAYS)
    return {way: tip_angle(com, polygon, direction) for way, direction in WAYS.items()}


def _speeds(com: Array, polygon: SupportPolygon, omega: float) -> dict[str, float | None]:
    if polygon.signed_margin(com) < 0.0:
        return dict.fromkeys(WAYS)
    return {way: capture_speed(com, polygon, there, omega) for way, there in WAYS.items()}
