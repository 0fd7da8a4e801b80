"""From a polyline of joints to a motion in least time with round corners.

Along a leg the speed rises, holds and falls; near a corner the velocity turns from one leg's to the
next. Every change of velocity follows the same smooth bump of acceleration, 6u(1 - u), which is
zero at both ends: the motion has continuous acceleration, and inside a change every joint's speed
stays between its two ends. So speed limits hold without a search, accelerations peak at 3/2 of
their mean, and both are used to the full. A corner's change of velocity stays inside the triangle
of the corner and the two places where it begins and ends, which is what keeps it near the polyline.

With σ the share of the greatest speed, a change of speed along a leg takes room in proportion to
the change of σ², and so does a corner run through at σ: planning σ² is linear.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Mask
from robots.core.motion.joint_limits import JointLimits

PEAK = 1.5  # of the bump 6u(1 - u), whose mean is 1
WIDEST = 0.5  # a corner takes at most half of each of its legs
_ROUNDING = 1e-13  # relative


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundedMotion:
    """A motion as changes of velocity and stretches of constant velocity, in order of time.

    Args:
        duration: of each piece. # (p,) [s]
        q: joints at its start. # (p, n) [rad]
        before: velocity at its start. # (p, n) [rad/s]
        after: velocity at its end. # (p, n) [rad/s]
    """

    duration: Array
    q: Array
    before: Array
    after: Array


def without_repeats(waypoints: Array) -> Array:
    """The polyline without legs of no length. # (w, n) -> (v, n), v >= 1."""
    moved = np.any(np.diff(waypoints, axis=0) != 0.0, axis=1)
    return np.asarray(waypoints[np.concatenate([[True], moved])])


def direct_time(legs: Array, limits: JointLimits) -> Array:
    """Time of legs at full speed, the way to measure detours. # (..., n) -> (...) [s]."""
    return np.asarray(np.max(np.abs(legs) / limits.max_speed, axis=-1))


class Legs:
    """The legs of a polyline without repeats, with what its corners and speeds cost.

    Args:
        waypoints: # (w, n) [rad]
        limits: of the joints.
    """

    def __init__(self, waypoints: Array, limits: JointLimits) -> None:
        self.corners = waypoints
        self.D = np.diff(waypoints, axis=0)
        self.time = direct_time(self.D, limits)
        # Velocity of each leg at full speed. # (w - 1, n) [rad/s]
        self.velocity = self.D / self.time[:, None]
        own = np.max(np.abs(self.velocity) / limits.max_acceleration, axis=1, initial=0.0)
        turn = np.abs(np.diff(self.velocity, axis=0)) / limits.max_acceleration
        # How long a change takes: from rest to full speed, and in a corner at full speed. [s]
        self.rise = PEAK * own
        self.turn = PEAK * np.max(turn, axis=1, initial=0.0)
        # Parts of a leg per σ²: for a change of speed, and for the corners at its end and start.
        self.rise_room = self.rise / (2.0 * self.time)
        self.end_room = self.turn / (2.0 * self.time[:-1])
        self.start_room = self.turn / (2.0 * self.time[1:])

    def corner_speeds(self, cuts: Array) -> Array:
        """Greatest σ² in each corner for itself.

        Args:
            cuts: part of both legs that a corner may take, at most ``WIDEST``. # (w - 2,)
        """
        room = np.maximum(self.end_room, self.start_room)
        return np.asarray(np.where(cuts < room, cuts / np.where(room > 0.0, room, 1.0), 1.0))

    def arcs(self, speeds: Array) -> RoundedMotion:
        """The corners run through with given σ². # (w - 2,) each."""
        sigma = np.sqrt(speeds)
        before = self.velocity[:-1] * sigma[:, None]
        after = self.velocity[1:] * sigma[:, None]
        duration = self.turn * sigma
        q = self.corners[1:-1] - before * (0.5 * duration)[:, None]
        return RoundedMotion(duration=duration, q=q, before=before, after=after)

    def pieces(self, cuts: Array) -> RoundedMotion:
        """The whole motion, from rest to rest. Args: cuts, as in ``corner_speeds``."""
        speeds = self._reachable(np.concatenate([[0.0], self.corner_speeds(cuts), [0.0]]))
        arcs = self.arcs(speeds[1:-1])
        found = [_rows(arcs, slice(0, 0))]
        for leg in range(len(self.D)):
            found.append(self._along(leg, speeds[leg], speeds[leg + 1]))
            if leg < len(self.D) - 1:
                found.append(_rows(arcs, slice(leg, leg + 1)))
        pieces = RoundedMotion(
            duration=np.concatenate([part.duration for part in found]),
            q=np.concatenate([part.q for part in found]),
            before=np.concatenate([part.before for part in found]),
            after=np.concatenate([part.after for part in found]),
        )
        # What rounding leaves of a piece of no length is none.
        least = _ROUNDING * float(np.sum(pieces.duration))
        return _rows(pieces, pieces.duration > least)

    def _reachable(self, speeds: Array) -> Array:
        """σ² lowered until every leg is long enough for its change of speed. # (w,)."""
        speeds = speeds.copy()
        first, last = np.append(0.0, self.start_room), np.append(self.end_room, 0.0)
        for leg in range(len(self.D)):
            rise = self.rise_room[leg]
            most = (1.0 + (rise - first[leg]) * speeds[leg]) / (rise + last[leg])
            speeds[leg + 1] = min(speeds[leg + 1], most)
        for leg in reversed(range(len(self.D))):
            rise = self.rise_room[leg]
            most = (1.0 + (rise - last[leg]) * speeds[leg + 1]) / (rise + first[leg])
            speeds[leg] = min(speeds[leg], most)
        return speeds

    def _along(self, leg: int, start: float, end: float) -> RoundedMotion:
        """One leg between its corners: faster, constant, slower. # (3 pieces)."""
        rise, D = self.rise_room[leg], self.D[leg]
        begin = self.start_room[leg - 1] * start if leg > 0 else 0.0
        finish = self.end_room[leg] * end if leg < len(self.end_room) else 0.0
        room = max(1.0 - begin - finish, 0.0)
        top = min(1.0, max((room / rise + start + end) / 2.0, start, end))
        speeding, slowing = rise * (top - start), rise * (top - end)
        held = max(room - speeding - slowing, 0.0)
        sigma = np.sqrt([start, top, end])
        duration = np.array(
            [
                self.rise[leg] * (sigma[1] - sigma[0]),
                held * self.time[leg] / sigma[1],
                self.rise[leg] * (sigma[1] - sigma[2]),
            ]
        )
        # From the leg's far end backwards, so that the last piece ends where the corner begins.
        part = np.array([begin, begin + speeding, 1.0 - finish - slowing])
        return RoundedMotion(
            duration=duration,
            q=self.corners[leg] + part[:, None] * D,
            before=sigma[[0, 1, 1], None] * self.velocity[leg],
            after=sigma[[1, 1, 2], None] * self.velocity[leg],
        )


def _rows(pieces: RoundedMotion, rows: slice | Mask) -> RoundedMotion:
    return RoundedMotion(
        duration=pieces.duration[rows],
        q=pieces.q[rows],
        before=pieces.before[rows],
        after=pieces.after[rows],
    )
