"""Speeds and accelerations that programmes give the controller with a move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.plan import Plan
from robots.core.arrays import Array
from robots.core.model import Model

_PLACES = np.linspace(0.0, 1.0, 33)  # of a motion where the speed of the ball is looked at
ONTO_START = 0.05  # [rad/s or m/s] onto the start posture, within its tolerance
_LEAST_TIME = 1e-3  # [s]
_STOP_TIME = 0.01  # [s] of a stop of which the plan says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class JointRates:
    """How fast a synchronised straight joint move may run under the limits of job and robot.

    Args:
        duration: of a move by a trapezoid of speed, from rest to rest. [s]
        speed: of the joint that moves most. [rad/s or m/s]
        acceleration: of the same joint. [rad/s² or m/s²]
    """

    duration: float
    speed: float
    acceleration: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRates:
    """How fast the ball runs straight.

    Args:
        speed: [m/s]
        acceleration: [m/s²]
    """

    speed: float
    acceleration: float


def joint_rates(plan: Plan, start: Array, end: Array, share: float = 1.0) -> JointRates:
    """Rates of a straight joint move.

    Args:
        plan: for the limits; a positioning speed of its [touch] limits the ball, too.
        start: # (n,) [rad or m]
        end: # (n,) [rad or m]
        share: of the speed that may be used.
    """
    moved = np.abs(end - start)
    lead = float(moved.max())
    limits = plan.job.joint_limits()
    if lead <= 0.0:
        return JointRates(duration=0.0, speed=0.0, acceleration=0.0)
    with np.errstate(divide="ignore"):
        speed = float(np.min(limits.max_speed / moved)) * lead
        acceleration = float(np.min(limits.max_acceleration / moved)) * lead
    positioning = plan.job.touch.positioning_speed
    if 0.0 < positioning < np.inf:
        model: Model = plan.trajectory.model
        places = start + _PLACES[:, None] * (end - start)
        rates = np.broadcast_to((end - start) / lead, places.shape)
        ball = np.linalg.norm(model.velocity(places, rates)[:, :3], axis=1).max()
        speed = min(speed, positioning / float(ball)) if ball > 0.0 else speed
    speed *= share
    reached = lead > speed * speed / acceleration
    duration = (
        lead / speed + speed / acceleration if reached else 2.0 * np.sqrt(lead / acceleration)
    )
    return JointRates(duration=float(duration), speed=speed, acceleration=acceleration)


def onto_start(plan: Plan, q: Array, tolerance: float) -> JointRates:
    """Rates of the short move onto the start posture, from wherever a programme may start.

    Args:
        plan: a positioning speed of its [touch] limits the ball.
        q: the start posture. # (n,) [rad or m]
        tolerance: of any joint. [rad or m]
    """
    model: Model = plan.trajectory.model
    speed = ONTO_START
    positioning = plan.job.touch.positioning_speed
    if 0.0 < positioning < np.inf:
        reach = float(np.linalg.norm(np.asarray(model.jacobian(q))[:3], axis=0).sum())
        speed = min(speed, positioning / reach) if reach > 0.0 else speed
    return JointRates(duration=2.0 * tolerance / speed, speed=speed, acceleration=2.0 * speed)


def line_rates(length: float, duration: float, share: float = 1.0) -> LineRates:
    """Rates of a straight move that takes its time in the plan, a third of it speeding up.

    Args:
        length: of the ball's way. [m]
        duration: in the plan. [s]
        share: of the speed that may be used.
    """
    speed = 1.5 * length / duration * share if duration > 0.0 else 0.0
    return LineRates(speed=speed, acceleration=3.0 * speed * share / max(duration, _LEAST_TIME))


def stop_deceleration(speed: float, overrun: float, latency: float) -> float:
    """Deceleration that keeps a certified overrun v·latency + v²/2a. [m/s²]."""
    slowing = overrun - speed * latency
    return speed * speed / (2.0 * slowing) if slowing > 0.0 else speed / _STOP_TIME
