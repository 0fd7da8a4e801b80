"""The motion that a task leaves free, used to gain margin along the whole line.

With six joints the tool may turn about the probe axis; with more the arm may swing besides. What
is raised is the least of the distance to a joint limit (in joint units, a radian each) and of the
distance from a singularity, over three places of the line. That least has kinks, so no gradient is
followed: steps along directions of the free motion are tried both ways, and shrink where none
helps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.reach.serial_path import Straight, corrected, held_rotations
from planner.reach.serial_search import polished
from planner.reach.serial_task import Posed, SerialTask
from robots.core.arrays import Array, Indices
from robots.core.joint_samples import unit_samples

_PLACES = (0.5, 1.0)  # of the line, beside its start
_FAILED = -100.0  # value of a line that is not followed: below any joint limit
_ROUNDS = 14  # for one free motion
_MORE_ROUNDS = 10  # for each further one
_FIRST = 0.4  # step, in joint units
_LONGER, _SHORTER = 1.3, 0.5
_GAIN = 1e-6
_OFF = 1e-10  # squared gap of a posture that did not come back to its task
_LEAST_FREE = 1e-6  # length of a unit direction's free part


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tasks:
    """What postures shall do: run a straight line along an axis.

    Args:
        starts: # (m, 3) [m]
        tangents: from start to end. # (m, 3) [m]
        axes: # (m, 3) unit
    """

    starts: Array
    tangents: Array
    axes: Array

    def take(self, rows: Indices) -> Tasks:
        """Some of them, in the order given."""
        return Tasks(starts=self.starts[rows], tangents=self.tangents[rows], axes=self.axes[rows])

    def straight(self, at: Posed) -> Straight:
        """The lines, with the orientation that postures at their starts have."""
        return Straight(
            starts=self.starts, tangents=self.tangents, rotations=held_rotations(at, self.axes)
        )


def line_values(task: SerialTask, q: Array, tasks: Tasks) -> Array:
    """Least margin of lines from postures at their starts, at three places each. # (m,)."""
    at = task.posed(q)
    lines = tasks.straight(at)
    side = task.condition(at)
    value = np.minimum(task.limit_margin(q), np.abs(side))
    worth, failed, before = value, np.zeros(len(q), dtype=np.bool_), 0.0
    for lam in _PLACES:
        twists = np.zeros((len(q), 6))
        twists[:, :3] = (lam - before) * tasks.tangents
        with np.errstate(invalid="ignore"):  # singular postures give NaN and count as failed
            guess = at.q + task.square(at, twists)
            found = corrected(task, guess, lines, np.full(len(q), lam))
            at = task.posed(found.q)
            there = task.condition(at)
            good = found.settled & (there * side > 0.0)
            value = np.minimum(task.limit_margin(at.q), np.abs(there))
        failed |= ~good
        worth = np.where(failed, np.where(good, worth, worth + _FAILED), np.minimum(worth, value))
        before = lam
    return np.asarray(worth)


def improved(task: SerialTask, q: Array, tasks: Tasks) -> Array:
    """Postures moved within their task to where their line has more margin. # (m, n)."""
    if task.spare == 0 or len(q) == 0:
        return q
    q, value = task.centred(q), line_values(task, task.centred(q), tasks)
    step = np.full(len(q), _FIRST)
    rounds = _ROUNDS + _MORE_ROUNDS * (task.spare - 1)
    for wish in unit_samples(rounds, task.model.dof, skip=1) - 0.5:
        way = _free_direction(task, task.posed(q), wish)
        trials = [_trial(task, q + sign * step[:, None] * way, tasks) for sign in (1.0, -1.0)]
        values = [line_values(task, trial, tasks) for trial in trials]
        first = values[0] >= values[1]
        trial = np.where(first[:, None], trials[0], trials[1])
        best = np.where(first, values[0], values[1])
        off = task.gap(task.posed(trial), tasks.starts, tasks.axes)
        better = (best > value + _GAIN) & (task.without_units(off) <= _OFF)
        q, value = np.where(better[:, None], trial, q), np.where(better, best, value)
        step *= np.where(better, _LONGER, _SHORTER if task.spare == 1 else _SHORTER**0.5)
    return polished(task, q, tasks.starts, tasks.axes)


def _trial(task: SerialTask, q: Array, tasks: Tasks) -> Array:
    return task.centred(polished(task, q, tasks.starts, tasks.axes))


def _free_direction(task: SerialTask, at: Posed, wish: Array) -> Array:
    """The part of a direction that moves neither ball nor axis, of length one. # (m, n)."""
    m = len(at.q)
    step = np.tile(wish / np.linalg.norm(wish) * task.units, (m, 1))
    twists = np.einsum("mij,mj->mi", at.jacobians, step)
    free = step - task.damped(at, twists, np.full(m, 1e-12))
    length = np.linalg.norm(free / task.units, axis=1, keepdims=True)
    return np.where(length > _LEAST_FREE, free / np.maximum(length, _LEAST_FREE), 0.0)
