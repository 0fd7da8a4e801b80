"""Climbing along ridges: clouds of trials that take the shape of the slope they stand on.

The worst of many margins has kinks and long crooked ridges, on which steps along fixed directions
stall. A normal distribution is sampled instead; its mean follows the better half of the sample, its
covariance the steps that succeed. Several clouds climb at once, so that every round is one batch.

Source: N. Hansen, "The CMA Evolution Strategy: A Tutorial" (2016), with its default parameters,
positive weights only
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array


def cloud_size(d: int) -> int:
    """Trials of a cloud in each round, for d coordinates."""
    return 8 + int(3.0 * np.log(d + 1.0))


class Clouds:
    """Clouds in the unit box of d coordinates.

    Args:
        means: where each stands at first. # (s, d)
        width: standard deviation at first.
        random: numbers are drawn from it.
    """

    def __init__(self, means: Array, width: float, random: np.random.Generator) -> None:
        self.means = means.copy()
        self._random = random
        s, d = means.shape
        self.size = cloud_size(d)
        self._width = np.full(s, width)
        self._shape = np.tile(np.eye(d), (s, 1, 1))
        self._step_path, self._shape_path = np.zeros((s, d)), np.zeros((s, d))
        self._rates = _Rates(d, self.size)
        self._turn = self._axes = self._back = self._shape
        self._round = 0

    def draw(self) -> Array:
        """The next trials, kept in the box. # (s, size, d)."""
        s, d = self.means.shape
        values, self._turn = np.linalg.eigh(self._shape)
        roots = np.sqrt(np.maximum(values, 1e-20))[:, None]
        self._axes, self._back = self._turn * roots, self._turn / roots
        normal = self._random.normal(size=(s, self.size, d))
        steps = np.einsum("sij,skj->ski", self._axes, normal)
        trials = self.means[:, None] + self._width[:, None, None] * steps
        return np.asarray(np.clip(trials, 0.0, 1.0))

    def learn(self, trials: Array, values: Array) -> None:
        """Move towards the better trials. Args: trials (s, size, d), values (s, size)."""
        rates, d = self._rates, self.means.shape[1]
        self._round += 1
        best = np.argsort(-values, axis=1, kind="stable")[:, : rates.weights.size]
        chosen = np.take_along_axis(trials, best[:, :, None], axis=1)
        steps = (chosen - self.means[:, None]) / self._width[:, None, None]
        step = np.einsum("k,skd->sd", rates.weights, steps)
        self.means = self.means + self._width[:, None] * step
        whitened = np.einsum("sij,skj,sk->si", self._turn, self._back, step)
        self._step_path = _mixed(self._step_path, whitened, rates.step, rates.mass)
        length = np.linalg.norm(self._step_path, axis=1)
        settled = np.sqrt(1.0 - (1.0 - rates.step) ** (2 * self._round))
        moving = (length / settled < (1.4 + 2.0 / (d + 1.0)) * rates.norm)[:, None]
        moved = np.where(moving, step, 0.0)
        self._shape_path = _mixed(self._shape_path, moved, rates.path, rates.mass)
        one = self._shape_path[:, :, None] * self._shape_path[:, None]
        many = np.einsum("k,ski,skj->sij", rates.weights, steps, steps)
        keep = 1.0 - rates.one - rates.many
        self._shape = keep * self._shape + rates.one * one + rates.many * many
        growth = rates.step / rates.damping * (length / rates.norm - 1.0)
        self._width = self._width * np.exp(np.clip(growth, -1.0, 1.0))


class _Rates:
    """Weights and learning rates, from the number of coordinates and the size of the sample."""

    def __init__(self, d: int, size: int) -> None:
        half = size // 2
        weights = np.log(half + 0.5) - np.log(np.arange(1.0, half + 1.0))
        self.weights = weights / weights.sum()
        self.mass = 1.0 / float(np.sum(self.weights**2))
        self.path = (4.0 + self.mass / d) / (d + 4.0 + 2.0 * self.mass / d)
        self.step = (self.mass + 2.0) / (d + self.mass + 5.0)
        self.one = 2.0 / ((d + 1.3) ** 2 + self.mass)
        many = 2.0 * (self.mass - 2.0 + 1.0 / self.mass) / ((d + 2.0) ** 2 + self.mass)
        self.many = min(1.0 - self.one, many)
        root = np.sqrt((self.mass - 1.0) / (d + 1.0)) - 1.0
        self.damping = 1.0 + 2.0 * max(0.0, float(root)) + self.step
        self.norm = np.sqrt(d) * (1.0 - 1.0 / (4.0 * d) + 1.0 / (21.0 * d * d))


def _mixed(path: Array, step: Array, rate: float, mass: float) -> Array:
    """A fading sum of steps that keeps its size where steps are random. # (s, d)."""
    return np.asarray((1.0 - rate) * path + np.sqrt(rate * (2.0 - rate) * mass) * step)
