"""Deviations of measured points from the truth, for drawn inputs of any size.

A controller turns readings into points by the nominal arm. With the readings' errors ε and the
arm's errors δ the ball was in truth at f(q + ε, δ), so that it measures wrong by
f(q, 0) - f(q + ε, δ). The part stands in truth turned and moved from where it is believed to be:
by as much its points are measured wrong.
"""

from __future__ import annotations

import numpy as np

from planner.uncertainty.inputs import Inputs, inputs_of
from planner.uncertainty.measuring import Measuring
from planner.uncertainty.programmes import record_displacement, record_touch
from robots.core.arrays import Array, Indices
from robots.core.geometric_errors import ErrorModel
from robots.core.kernels import Kernel


class DeviationKernel:
    """Deviations as a function of standard draws.

    Args:
        measuring: the points.
        threads: processor cores to use; the result does not depend on it.
    """

    def __init__(self, measuring: Measuring, threads: int = 1) -> None:
        self.measuring, self.threads = measuring, threads
        self.inputs: Inputs = inputs_of(measuring)
        self._touch = Kernel(record_touch(measuring.mechanism, self.inputs))
        self._displacement = Kernel(record_displacement())
        nominal = ErrorModel(measuring.mechanism, ())
        self._believed = nominal.positions(measuring.q, np.zeros(0))
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
        given, count = self.inputs, len(self.inputs.parameters)
        arrays = (
            np.broadcast_to(self.measuring.q[points], (*own.shape[:2], self.measuring.q.shape[1])),
            self._believed[points],
            self.measuring.normals[points],
            common[:, None, :count] * given.sigmas,
            own * given.own_sigmas,
            steps * given.steps,
        )
        there = [array for array in arrays if array.shape[-1]]
        deviation = self._touch(*there, threads=self.threads)
        self._add_part(deviation, common[:, count:], points)
        return deviation

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
                deviation[:, on_it] += self._moved(twist, np.zeros(len(twist)), away)

    def _clamped(self, common: Array, points: Indices) -> Array:
        """The part wrong on what holds it, alike in all poses of a presenter. # (m, k, 3)."""
        given = self.inputs
        pose, growth = common[:, :6] * given.alignment, common[:, 6] * given.growth
        moved = self._moved(pose, growth, self._arms[points])
        if self.measuring.carriers:
            moved = np.einsum("kij,mkj->mki", self._turns[points], moved)
        return moved

    def _moved(self, twist: Array, growth: Array, arms: Array) -> Array:
        """Displacement of the ends of arms. # (m, 6), (m,), (k, 3) -> (m, k, 3)."""
        shift, turn = twist[:, None, :3], twist[:, None, 3:]
        return self._displacement(shift, turn, growth[:, None, None], arms, threads=self.threads)
