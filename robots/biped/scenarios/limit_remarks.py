"""Sentences about joints that go beyond stops, transmissions' ranges, speed or torque limits."""

from __future__ import annotations

import numpy as np

from robots.biped.biped import Biped
from robots.core.arrays import Array
from robots.core.mechanism import Joint
from robots.core.rounding import apart_digits, readable

_ROUNDING = 1e-9  # [rad] a joint on its limit is within it


def limit_remarks(biped: Biped, t: Array, q: Array) -> tuple[str, ...]:
    """One sentence for each joint and side that a motion goes beyond.

    Args:
        biped: whose ranges and stops.
        t: # (k,) [s]
        q: # (k, n) [rad]
    """
    found = []
    for number, joint in enumerate(biped.mechanism.movable):
        course = q[:, number]
        low, high = np.asarray(biped.q_stops)[:, number]
        for worst, over, stop in (
            (int(np.argmin(course)), low - course.min(), low),
            (int(np.argmax(course)), course.max() - high, high),
        ):
            if over > _ROUNDING:
                place = (
                    f"{joint.name} reaches {np.degrees(course[worst]):.1f} deg at {t[worst]:.2f} s"
                )
                found.append(f"{place}, {_beyond(joint, float(course[worst]), float(stop))}.")
    return tuple(found)


def rate_remarks(biped: Biped, qd: Array, tau: Array) -> tuple[str, ...]:
    """One sentence for each joint that is too fast or too strong, where a limit is known.

    Args:
        biped: whose limits.
        qd: # (k, n) [rad/s]
        tau: # (k, n) [N m]
    """
    found = []
    for number, joint in enumerate(biped.mechanism.movable):
        for what, peak, limit, unit in (
            ("turns with", np.abs(qd[:, number]).max(), joint.max_speed, "rad/s"),
            ("gives", np.abs(tau[:, number]).max(), joint.max_effort, "N m"),
        ):
            if peak > limit:
                most, allowed = apart_digits(float(peak), float(limit), 3)
                found.append(
                    f"{joint.name} {what} up to {most} {unit}; its limit is {allowed} {unit}."
                )
    return tuple(found)


def _beyond(joint: Joint, value: float, stop: float) -> str:
    over = readable(abs(np.degrees(value - stop)), 1)
    ends = f"from {np.degrees(joint.q_min):.1f} to {np.degrees(joint.q_max):.1f} deg"
    if not joint.q_min - _ROUNDING <= value <= joint.q_max + _ROUNDING:
        return f"{over} deg beyond its limit; the transmission's range is {ends}"
    return (
        f"{over} deg beyond the simulation's stop ({np.degrees(stop):.1f} deg), within the "
        f"transmission's range {ends}"
    )
