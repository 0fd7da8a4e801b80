"""An arm under a controller, as interpreters of programmes drive it: motions in time, an input.

Moves are what controllers' manuals call them: a joint move is straight in joints and synchronised,
a linear one moves the tool centre point straight and turns the tool about one axis meanwhile. Both
run a trapezoid of speed. The probe's input is true while the ball is in the part.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from robots.core.pose import inverse_pose, rotation_exp, rotation_log

EDGE = 1e-10  # [m] of the ball in the part, that switches the input
CLOSE = 1e-13  # [rad, m] of the inverse geometry


class RefusedError(Exception):
    """A statement that is no part of the dialect, as far as the interpreter knows it."""


class HaltedError(Exception):
    """The programme stopped itself; the reason is its own."""


class FaultError(Exception):
    """What a controller would stop with, or nobody wants to see: a collision, no such register."""


@dataclass
class Leg:
    """One motion as it was carried out, in the robot's own joints."""

    kind: str  # "joint", "line" or "path"
    start: np.ndarray
    target: np.ndarray
    speed: float  # peak of the leading joint; of a line or path that of the ball
    acceleration: float
    end: np.ndarray | None = None
    hit: np.ndarray | None = None  # joints where the probe switched
    overrun: float = 0.0  # of the ball after that [m]
    stopped: bool = False
    samples: np.ndarray | None = None  # (m, n) on the way of a "path", which is any other motion
    duration: float | None = None  # of a move that is given a time and no speed [s]


@dataclass
class Record:
    """What a run leaves behind."""

    legs: list[Leg] = field(default_factory=list)
    events: list[tuple[str, object]] = field(default_factory=list)  # in order: legs too
    log: str = ""
    halted: str = ""


class JointMove:
    """Straight in joints."""

    kind = "joint"

    def __init__(self, model, start, target, speed, acceleration):
        self.start, self.target = np.array(start), np.array(target)
        self.length = float(np.abs(self.target - self.start).max())
        balls = model.forward(self.postures(np.linspace(0.0, 1.0, 17)))[:, :3, 3]
        self.ball_length = float(np.linalg.norm(np.diff(balls, axis=0), axis=1).sum())
        self.speed, self.acceleration = speed, acceleration

    def postures(self, s):
        return self.start + s[:, None] * (self.target - self.start)

    def joints(self, s):
        return self.postures(np.array([s]))[0]


def timed_move(model, start, target, duration):
    """A joint move in a given time, at the highest speed that it may have on the way."""
    move = JointMove(model, start, target, 1.0, 1.0)
    if duration <= 0.0:
        raise FaultError("a move without time")
    move.speed, move.acceleration = 2.0 * move.length / duration, 4.0 * move.length / duration**2
    move.duration = duration
    return move


class LineMove:
    """Straight for the tool centre point. Poses are those of it; the arm follows by Newton."""

    kind = "line"

    def __init__(self, model, start, target, tool, speed, acceleration):
        """``target``: joints near its end; ``tool``: ball → tool centre point, as programmed."""
        self.model, self.tool = model, tool
        self.start, self._last = np.array(start), np.array(target)
        self._from, self._to = (model.forward(q) @ tool for q in (self.start, self._last))
        self._turn = rotation_log(self._from[:3, :3].T @ self._to[:3, :3])
        self.length = float(np.linalg.norm(self._to[:3, 3] - self._from[:3, 3]))
        self.ball_length = self.length
        self.speed, self.acceleration = speed, acceleration
        self.target = self._last

    def _poses(self, s):
        T = np.zeros((len(s), 4, 4))
        T[:, 3, 3] = 1.0
        T[:, :3, :3] = self._from[:3, :3] @ rotation_exp(s[:, None] * self._turn)
        T[:, :3, 3] = self._from[:3, 3] + s[:, None] * (self._to[:3, 3] - self._from[:3, 3])
        return T @ inverse_pose(self.tool)

    def postures(self, s):
        goal = self._poses(s)
        q = self.start + s[:, None] * (self._last - self.start)
        for _ in range(30):
            now = self.model.forward(q)
            turn = rotation_log(np.swapaxes(now[:, :3, :3], 1, 2) @ goal[:, :3, :3])
            turn = np.einsum("kij,kj->ki", now[:, :3, :3], turn)
            gap = np.concatenate([goal[:, :3, 3] - now[:, :3, 3], turn], axis=1)
            if np.abs(gap).max() < CLOSE:
                return q
            step = np.einsum("kni,ki->kn", np.linalg.pinv(self.model.jacobian(q)), gap)
            if np.abs(step).max() > 1.0:
                break
            q = q + step
        if np.abs(gap).max() < 1e-11:
            return q
        raise FaultError("the line leaves what the arm can reach")

    def joints(self, s):
        return self.postures(np.array([s]))[0]


class VirtualArm:
    """The arm, its part, and time that goes on by events or by cycles.

    Args:
        cell: the ``VirtualCell`` before it.
        q: where it stands.
        cycle: of the controller; None for one without delay. [s]
    """

    def __init__(self, cell, q, *, cycle=None, stuck=None):
        self.cell, self.model, self.cycle = cell, cell.model, cycle
        self.q = np.array(q)
        self.stuck = stuck  # True, or the posture in which the input switches [rad or m]
        self.record = Record()
        self._motion = None

    # --- what interpreters ask ---

    @property
    def ball(self):
        return self.model.forward(self.q)[:3, 3]

    @property
    def moving(self):
        return self._motion is not None

    def touching(self):
        if self.stuck is True:
            return True
        if self.stuck is not None and np.abs(self.q - self.stuck).max() < 1e-6:
            return True
        return bool(self.cell.gaps(self.ball[None]).min() <= EDGE)

    # --- motion ---

    def start(self, motion):
        """Begin a motion; it goes on with ``step`` and ``finish``."""
        if self._motion is not None:
            raise FaultError("a second motion while one is running")
        leg = Leg(
            kind=motion.kind,
            start=self.q,
            target=motion.target,
            speed=motion.speed,
            acceleration=motion.acceleration,
            duration=getattr(motion, "duration", None),
        )
        self.record.legs.append(leg)
        self.record.events.append(("leg", leg))
        self._motion, self._leg, self._t = motion, leg, 0.0
        self._contact = self._first_contact(motion)
        if motion.length <= 0.0:
            self._end(1.0)

    def _first_contact(self, motion):
        """When the free ball meets the part; None where it does not. [s]."""
        if self.stuck is True or motion.length <= 0.0 or self.touching():
            return None

        def path(x):
            return self.cell.ball(motion.postures(np.asarray(x, float)))

        s = self.cell.first_contact(path, motion.ball_length)
        return None if s is None else (s, _time_at(motion, s * motion.length))

    def step(self):
        """Go on until the input switches or the motion ends; at most by one cycle."""
        if self._motion is None:
            return
        end = _duration(self._motion)
        if self.cycle is not None:
            until = min(self._t + self.cycle, end)
        else:
            hit = self._contact
            until = hit[1] if hit is not None and self._t < hit[1] else end
        if self._contact is not None and self._t < self._contact[1] <= until:
            self._leg.hit = self._motion.joints(self._contact[0])
        self._t = until
        if self._contact is not None and self.cycle is None and until == self._contact[1]:
            self.q = self._leg.hit
        else:
            self.q = self._motion.joints(_way_at(self._motion, until) / self._motion.length)
        if until >= end:
            self._end(1.0)

    def stop(self, deceleration, latency=0.0):
        """Slow down along the path. Args: of the ball [m/s²]; time until it begins [s]."""
        if self._motion is None:
            return
        v = _speed_at(self._motion, self._t)
        ball = self._motion.ball_length / self._motion.length
        way = _way_at(self._motion, self._t) + v * latency + ball * v * v / (2.0 * deceleration)
        self._leg.stopped = True
        self._end(min(way / self._motion.length, 1.0))

    def finish(self):
        """Carry a motion out that nobody watches: the ball must stay free."""
        if self._motion is None:
            return
        if self._contact is not None:
            raise FaultError("the ball meets the part in a move that is no search")
        self._end(1.0)
        if self.stuck is None and self.touching():
            raise FaultError("the ball stays in the part after a move that is no search")

    def _end(self, s):
        self.q = self._motion.joints(s)
        leg = self._leg
        leg.end = self.q
        if leg.hit is not None:
            leg.overrun = float(np.linalg.norm(self.ball - self.model.forward(leg.hit)[:3, 3]))
        self._motion = None

    def note(self, kind, what):
        """Keep an event that is no motion."""
        self.record.events.append((kind, what))


def _peaks(motion):
    """Peak speed that is reached, time to reach it, whole duration."""
    v, a, length = motion.speed, motion.acceleration, motion.length
    if v <= 0.0 or a <= 0.0:
        raise FaultError("a move without speed or acceleration")
    v = min(v, np.sqrt(a * length))
    return v, v / a, length / v + v / a


def _duration(motion):
    return _peaks(motion)[2]


def _way_at(motion, t):
    v, rise, end = _peaks(motion)
    t = min(max(t, 0.0), end)
    if t < rise:
        return 0.5 * motion.acceleration * t * t
    if t > end - rise:
        return motion.length - 0.5 * motion.acceleration * (end - t) ** 2
    return v * (t - 0.5 * rise)


def _speed_at(motion, t):
    v, _, end = _peaks(motion)
    return float(max(0.0, min(v, motion.acceleration * t, motion.acceleration * (end - t))))


def _time_at(motion, way):
    v, rise, end = _peaks(motion)
    ramp = 0.5 * v * rise
    if way < ramp:
        return np.sqrt(2.0 * way / motion.acceleration)
    if way > motion.length - ramp:
        return end - np.sqrt(2.0 * (motion.length - way) / motion.acceleration)
    return rise + (way - ramp) / v
