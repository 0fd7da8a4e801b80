"""How far a motion departs from what a controller makes of its points in between."""

from __future__ import annotations

import numpy as np

from planner.motion.trajectory import MotionState, Side
from planner.plan import Plan
from reports.programmes.intervals import Intervals
from reports.programmes.joint_units import to_degrees
from robots.core.arrays import Array, Indices

_LOOKS = np.array([0.12, 0.25, 0.4, 0.5, 0.6, 0.75, 0.88])  # no wave hides at all of them


class Departures:
    """Errors of intervals of a plan's motion.

    Args:
        plan: whose motion it is.
    """

    def __init__(self, plan: Plan) -> None:
        self._trajectory = plan.trajectory
        self._scale = to_degrees(plan)  # one number bounds degrees and millimetres

    def linear(self, intervals: Intervals) -> Array:
        """Of joints that run straight from end to end. # (m,) [deg, or mm where it slides]."""
        first, last = self._ends(intervals)
        x = _LOOKS[:, None]
        straight = first.q[:, None] + (last.q - first.q)[:, None] * x
        return self._worst(intervals, straight)

    def quintic(self, intervals: Intervals) -> Array:
        """Of joints that follow polynomials of degree five. # (m,) [deg, or mm].

        Position, speed and acceleration agree at both ends, as in ROS's joint trajectory
        controller. A point has one acceleration, that after a switch of law, so an interval that
        ends at a switch ends with the wrong one; that is in the error.
        """
        first, last = self.after(intervals.start), self.after(intervals.end)
        T = (intervals.end - intervals.start)[:, None]
        return self._worst(intervals, _hermite(first, last, T, _LOOKS))

    def chord(self, intervals: Intervals) -> Array:
        """Of a ball that runs straight from end to end. # (m,) [m]."""
        first, last = (self._ball(state.q) for state in self._ends(intervals))
        there = self._inside(intervals)
        ball = self._ball(there.q).reshape(len(intervals), len(_LOOKS), 3)
        way = (last - first)[:, None]
        length = np.sum(way * way, axis=2)
        along = np.sum((ball - first[:, None]) * way, axis=2) / np.where(length > 0.0, length, 1.0)
        foot = first[:, None] + np.clip(along, 0.0, 1.0)[..., None] * way
        return np.asarray(np.linalg.norm(ball - foot, axis=2).max(axis=1, initial=0.0))

    def ball_speed(self, intervals: Intervals) -> Array:
        """Largest speed of the ball that is seen. # (m,) [m/s]."""
        state = self._inside(intervals)
        twist = self._trajectory.model.velocity(state.q, state.qd)[:, :3]
        speed = np.linalg.norm(twist, axis=1).reshape(len(intervals), len(_LOOKS))
        return np.asarray(speed.max(axis=1, initial=0.0))

    def after(self, t: Array) -> MotionState:
        """Joints at instants; at a switch of law the side after it. # (m,) -> (m, n)."""
        state = self._trajectory.state(t, "right")
        over = np.flatnonzero(t >= self._trajectory.duration)
        state.qdd[over] = self._trajectory.state(t[over], "left").qdd
        return state

    def state(self, segment: Indices, t: Array, side: Side) -> MotionState:
        """Joints at instants of given segments. # (m,) -> (m, n)."""
        return self._trajectory.segment_state(segment, t, side)

    def ball(self, segment: Indices, t: Array) -> Array:
        """Centre of the ball, base frame. # (m,) -> (m, 3) [m]."""
        return self._ball(self.state(segment, t, "left").q)

    def _ball(self, q: Array) -> Array:
        return np.asarray(self._trajectory.model.forward(q)[:, :3, 3])

    def _ends(self, intervals: Intervals) -> tuple[MotionState, MotionState]:
        return (
            self.state(intervals.segment, intervals.start, "right"),
            self.state(intervals.segment, intervals.end, "left"),
        )

    def _inside(self, intervals: Intervals) -> MotionState:
        t = intervals.inside(_LOOKS)
        return self.state(np.repeat(intervals.segment, len(_LOOKS)), t.ravel(), "right")

    def _worst(self, intervals: Intervals, made: Array) -> Array:
        q = self._inside(intervals).q.reshape(made.shape)
        return np.asarray(np.max(np.abs(made - q) * self._scale, axis=(1, 2), initial=0.0))


def _hermite(first: MotionState, last: MotionState, T: Array, x: Array) -> Array:
    """Polynomials of degree five between two states, at x of T. # (m, f, n)."""
    v0, v1, a0, a1 = first.qd * T, last.qd * T, first.qdd * T * T, last.qdd * T * T
    D = last.q - first.q
    c3 = 10.0 * D - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * D + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
    c5 = 6.0 * D - 3.0 * (v0 + v1) + 0.5 * (a1 - a0)
    terms = (first.q, v0, 0.5 * a0, c3, c4, c5)
    made = np.zeros((len(D), len(x), D.shape[1]))
    for term in reversed(terms):
        made = made * x[:, None] + term[:, None]
    return made
