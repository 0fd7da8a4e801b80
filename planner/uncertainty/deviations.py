"""Deviations of measured points from the truth, for drawn inputs of any size.

A controller turns readings into points by the nominal arm. With the readings' errors ε and the
arm's errors δ the ball was in truth at f(q + ε, δ), so that it measures wrong by
f(q, 0) - f(q + ε, δ). The part stands in truth turned and moved from where it is believed to be:
by as much its points are measured wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.uncertainty.inputs import Inputs, inputs_of
from planner.uncertainty.measuring import Measuring
from robots.core.geometric_errors import ErrorModel
from robots.core.kernels import Engine
from robots.core.kernels.machine import this_machine

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Deviations:
    """Deviations as a function of standard draws.

    Args:
        measuring: the points.
        threads: processor cores to use; the result does not depend on it.
    """

    def __init__(self, measuring: Measuring, threads: int = 1) -> None:
        self.measuring, self.threads = measuring, threads
        self.inputs: Inputs = inputs_of(measuring)
        # Always the same engine, so that a draw does not depend on how many are drawn with it.
        engine: Engine = "numpy" if this_machine() is None else "compiled"
        self._model = ErrorModel(measuring.mechanism, self.inputs.parameters, engine)
        self._nominal = self._model.positions(measuring.q, np.zeros(len(self.inputs.parameters)))
        self._arms = measuring.at_home - measuring.middle
        self._turns = measuring.turns

    def __call__(self, common: Array, own: Array, steps: Array, points: Indices) -> Array:
        """Deviations, base axes.

        Args:
            common: standard normal draws of the inputs that all points share. # (m, S)
            own: standard normal draws of each touch. # (m, k, w)
            steps: places within a step, -1/2 to 1/2. # (m, k, s)
            points: which points. # (k,)

        Returns:
            # (m, k, 3) [m]
        """
        given = self.inputs
        count = len(given.parameters)
        readings = len(given.reading)
        errors = common[:, None, :count] * given.sigmas
        q = self._readings(own[..., :readings], steps, points)
        tip = self._model.positions(q, errors, threads=self.threads)
        deviation = self._nominal[points] - tip
        deviation += self._touch(own[..., readings:], points)
        self._add_part(deviation, common[:, count:], points)
        return deviation

    def _readings(self, own: Array, steps: Array, points: Indices) -> Array:
        """Joint values that the readings may stand for. # (m, k, n)."""
        q = np.broadcast_to(self.measuring.q[points], (*own.shape[:2], self.measuring.q.shape[1]))
        if not (own.shape[2] or steps.shape[2]):
            return np.asarray(q)
        q = q.copy()
        q[..., self.inputs.reading] += own * self.inputs.reading_sigmas
        q[..., self.inputs.stepped] += steps * self.inputs.steps
        return q

    def _touch(self, own: Array, points: Indices) -> Array:
        """What the probe adds. # (m, k, 3), or a zero."""
        total = np.zeros(3)
        if self.inputs.probe > 0.0:
            total = total + self.inputs.probe * own[..., :3]
        if self.inputs.probe_normal > 0.0:
            along = self.inputs.probe_normal * own[..., -1:]
            total = total + along * self.measuring.normals[points]
        return total

    def _add_part(self, deviation: Array, common: Array, points: Indices) -> None:
        """The part elsewhere than it is believed to be, grown, and its carriers."""
        given = self.inputs
        if np.any(given.alignment) or given.growth:
            deviation += self._clamped(common, points)
        for place, factor in enumerate(given.factors):
            on_it = np.nonzero(self.measuring.carried[points] == place)[0]
            if on_it.size:
                first = 7 + 6 * place
                twist = common[:, first : first + 6] @ factor.T
                origin = self.measuring.carriers[place].origin
                away = self.measuring.surfaces[points[on_it]] - origin
                deviation[:, on_it] += twist[:, None, :3] + _turned(twist[:, 3:], away)

    def _clamped(self, common: Array, points: Indices) -> Array:
        """The part wrong on what holds it, alike in all poses of a presenter. # (m, k, 3)."""
        given, arms = self.inputs, self._arms[points]
        pose = common[:, :6] * given.alignment
        moved = pose[:, None, :3] + _turned(pose[:, 3:], arms)
        if given.growth:
            moved += given.growth * common[:, 6, None, None] * arms
        if self.measuring.carriers:
            moved = np.einsum("kij,mkj->mki", self._turns[points], moved)
        return moved


def _turned(turns: Array, arms: Array) -> Array:
    """Displacement of points by turns of any size. # (m, 3), (k, 3) -> (m, k, 3).

    The rotation less the identity, s·K + c·K² with K = skew(turn), is built entry by entry: nothing
    cancels for small turns, and a million of them take a tenth of a second.
    """
    square = np.sum(turns * turns, axis=1)
    angle = np.sqrt(square)
    s = np.sinc(angle / np.pi)
    c = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2  # (1 - cos)/angle²
    moved = (c[:, None] * turns)[:, :, None] * turns[:, None, :]
    axial = s[:, None] * turns
    for k in range(3):
        after, last = (k + 1) % 3, (k + 2) % 3
        moved[:, k, k] -= c * square
        moved[:, last, after] += axial[:, k]
        moved[:, after, last] -= axial[:, k]
    return np.asarray(arms @ np.swapaxes(moved, 1, 2))
