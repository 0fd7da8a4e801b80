"""Random numbers of a Monte Carlo run: a stream for what all points share, two for each point.

Every stream is NumPy's SFC64, seeded by SeedSequence(seed, spawn_key=(kind, point)), kind 0 for the
common inputs, 1 for the normal and 2 for the uniform inputs of a touch, and read in order of draws.
So a draw depends on the seed and the point's place only: not on chunks, threads, other points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.uncertainty.inputs import Inputs
from robots.core.arrays import Array, Indices

_COMMON, _NORMAL, _UNIFORM = range(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """The next draws of some points.

    Args:
        own: standard normal. # (m, k, w)
        steps: uniform from -1/2 to 1/2. # (m, k, s)
    """

    own: Array
    steps: Array


class CommonStream:
    """Draws of the inputs that all points share.

    Args:
        inputs: how many there are.
        seed: of everything.
    """

    def __init__(self, inputs: Inputs, seed: int) -> None:
        self._width = inputs.common
        self._generator = _generator(seed, _COMMON, 0)

    def next(self, draws: int) -> Array:
        """Standard normal draws. # (draws, S)."""
        return self._generator.standard_normal((draws, self._width))


class TouchStreams:
    """Draws of the inputs of each touch.

    Args:
        inputs: how many there are.
        points: places of the points. # (k,)
        seed: of everything.
    """

    def __init__(self, inputs: Inputs, points: Indices, seed: int) -> None:
        self._normal = inputs.own
        self._uniform = len(inputs.stepped)
        self._generators = [
            (_generator(seed, _NORMAL, k), _generator(seed, _UNIFORM, k)) for k in points.tolist()
        ]

    def next(self, draws: int) -> Block:
        """The next draws of every point."""
        count = len(self._generators)
        own = np.empty((count, draws, self._normal))
        steps = np.empty((count, draws, self._uniform))
        for k, (normal, uniform) in enumerate(self._generators):
            normal.standard_normal(out=own[k])
            uniform.random(out=steps[k])
        steps -= 0.5
        return Block(own=own.swapaxes(0, 1), steps=steps.swapaxes(0, 1))


def _generator(seed: int, kind: int, point: int) -> np.random.Generator:
    sequence = np.random.SeedSequence(seed, spawn_key=(kind, point))
    return np.random.Generator(np.random.SFC64(sequence))
