"""Postures that bring the ball to places along axes: damped steps from many starts at once.

Starts are postures spread evenly through the joint ranges; of a pool of them each target takes the
nearest by what is left to do, and some that are far, so that every branch has its chance. Joint
limits are no wall to the search: a whole turn, or the robot's spare motion, may bring a posture
back; what stays outside is judged later, in numbers.

Source: [LAMMARI12] §II.6.2 for the iteration; the damping, half the squared gap, is that of the
    error-damped pseudo-inverse (Sugihara 2011, IEEE Trans. Robotics 27(5)), own implementation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.reach.serial_task import Posed, SerialTask
from robots.core.arrays import Array, Indices, Mask
from robots.core.joint_samples import joint_samples

STARTS = 40  # per target
_SPREAD = 8  # of them, the same for every target; the others are the nearest of the pool
_POOL = 2048
_ITERATIONS = 60
_LONGEST = 0.7  # step of any joint in one iteration, in units of the joint
_REACHED = 1e-10  # squared gap from which steps are without damping
_LEAST_DAMPING = 1e-14
POLISH = 4  # nearly undamped steps at the end: each doubles the digits
REACHED_POSITION = 1e-9  # [m] largest error of a posture that counts as one
REACHED_ANGLE = 1e-9  # [rad]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attempts:
    """Where the search came to, target by target.

    Args:
        q: # (k, STARTS, n) [rad or m]
        position: what is left to the ball's place. # (k, STARTS) [m]
        angle: what is left to the axis. # (k, STARTS) [rad]
        gap: both, without units, squared. # (k, STARTS)
    """

    q: Array
    position: Array
    angle: Array
    gap: Array

    @property
    def reached(self) -> Mask:
        """Which are at their targets. # (k, STARTS)."""
        near = self.position <= REACHED_POSITION
        return np.asarray(near & (self.angle <= REACHED_ANGLE))


class SerialSearch:
    """The search of one robot.

    Args:
        task: of the robot.
        seed: another one takes other starts.
    """

    def __init__(self, task: SerialTask, seed: int) -> None:
        self.task = task
        self._pool = joint_samples(
            task.mechanism, _POOL, slide=task.length, skip=_POOL * (seed - 1)
        )
        self._posed = task.posed(self._pool)

    def attempts(self, balls: Array, axes: Array) -> Attempts:
        """Search from every start.

        Args:
            balls: # (k, 3) [m]
            axes: # (k, 3) unit
        """
        k, n = len(balls), self.task.model.dof
        starts = self._pool[self._nearest(balls, axes)].reshape(-1, n)
        balls, axes = np.repeat(balls, STARTS, axis=0), np.repeat(axes, STARTS, axis=0)
        q = self._run(starts, balls, axes)
        twists = self.task.gap(self.task.posed(q), balls, axes)
        return Attempts(
            q=q.reshape(k, STARTS, n),
            position=np.linalg.norm(twists[:, :3], axis=1).reshape(k, STARTS),
            angle=np.linalg.norm(twists[:, 3:], axis=1).reshape(k, STARTS),
            gap=self.task.without_units(twists).reshape(k, STARTS),
        )

    def _nearest(self, balls: Array, axes: Array) -> Indices:
        """Starts of each target: some of the pool's first, then the nearest. # (k, STARTS)."""
        away = np.sum(balls**2, axis=1)[:, None] - 2.0 * balls @ self._posed.balls.T
        away = away + np.sum(self._posed.balls**2, axis=1)
        cosine = axes @ self._posed.rotations[:, :, 2].T
        distance = away / self.task.length**2 + np.arccos(np.clip(cosine, -1.0, 1.0)) ** 2
        distance[:, :_SPREAD] = -1.0
        return np.argsort(distance, axis=1, kind="stable")[:, :STARTS]

    def _run(self, q: Array, balls: Array, axes: Array) -> Array:
        q = q.copy()
        active = np.arange(len(q))
        for _ in range(_ITERATIONS):
            left = self._step(q, active, balls, axes)
            active = active[left > _REACHED]
            if active.size == 0:
                break
        return polished(self.task, q, balls, axes)

    def _step(self, q: Array, active: Indices, balls: Array, axes: Array) -> Array:
        """One damped step of some rows; what was left before it. # (active,)."""
        at = self.task.posed(q[active])
        twists = self.task.gap(at, balls[active], axes[active])
        left = self.task.without_units(twists)
        steps = self.task.damped(at, twists, 0.5 * left + _LEAST_DAMPING)
        longest = np.max(np.abs(steps) / self.task.units, axis=1, keepdims=True)
        q[active] += steps * np.minimum(1.0, _LONGEST / np.maximum(longest, _LONGEST))
        return left


def polished(task: SerialTask, q: Array, balls: Array, axes: Array, steps: int = POLISH) -> Array:
    """Postures brought the last way to their targets by least steps. # (m, n)."""
    for _ in range(steps):
        at: Posed = task.posed(q)
        twists = task.gap(at, balls, axes)
        size = task.without_units(twists)
        q = q + task.damped(at, twists, 0.5 * size * size + _LEAST_DAMPING * np.minimum(size, 1.0))
    return q
