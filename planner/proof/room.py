"""The robot among the solids of its cell, for looking at single postures."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from planner.job.stylus import STYLUS
from planner.proof.blocks import by_blocks
from planner.proof.capsule_axes import capsule_axes
from planner.proof.surface_distance import SurfaceDistance
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model
from robots.core.self_pairs import self_clearances

if TYPE_CHECKING:
    from planner.job.solids import Cell


_ROWS = 4096  # postures looked at at once


class CapsuleScene:
    """Capsules and solids.

    Args:
        model: of the robot.
        cell: what stands around it.
    """

    def __init__(self, model: Model, cell: Cell) -> None:
        self.model, self.cell = model, cell
        self.capsules = model.mechanism.capsules

    @cached_property
    def surfaces(self) -> tuple[SurfaceDistance, ...]:
        """Of the solids, in their order."""
        return tuple(SurfaceDistance(solid) for solid in self.cell.solids)

    def watched(self, *, touching: bool) -> bool:
        """Whether some pair of bodies has a distance to state.

        Args:
            touching: whether the stylus against the part counts.
        """
        if self.model.mechanism.self_pairs:
            return True
        one = np.array([touching])
        return any(
            self._watched(one, of_part=solid is self.cell.part)[0].size
            for solid in self.cell.solids
        )

    def shortfalls(self, q: Array, claims: Array, touching: Mask) -> Array:
        """What postures come nearer to anything than claimed; below zero where they do not.

        Args:
            q: postures. # (m, n)
            claims: clearances; a plan never claims an infinite one. # (m,) [m]
            touching: whether the stylus against the part counts. # (m,)
        """

        def some(rows: slice) -> Array:
            worst = self._of_solids(capsule_axes(self.model, q[rows]), claims[rows], touching[rows])
            pairs = self.model.mechanism.self_pairs
            gaps = self_clearances(self.model.mechanism, pairs, q[rows])
            least = np.min(gaps, axis=1, initial=np.inf)
            with np.errstate(invalid="ignore"):  # an infinite claim where nothing is stays NaN
                return np.asarray(np.maximum(worst, claims[rows] - least))

        return by_blocks(some, len(q), _ROWS)

    def _of_solids(self, axes: Array, claims: Array, touching: Mask) -> Array:
        worst = np.full(len(axes), -np.inf)
        for solid, surface in zip(self.cell.solids, self.surfaces, strict=True):
            rows, capsules = self._watched(touching, of_part=solid is self.cell.part)
            radii = np.array([capsule.radius for capsule in self.capsules])[capsules]
            own = axes[rows, capsules]
            found = surface.shortfalls(own[:, 0], own[:, 1], claims[rows] + radii)
            np.maximum.at(worst, rows, found)
        return worst

    def _watched(self, touching: Mask, *, of_part: bool) -> tuple[Indices, Indices]:
        """Postures and capsules that are looked at against a solid; the base's do not move."""
        count = len(touching)
        wanted = np.zeros((count, len(self.capsules)), dtype=bool)
        for k, capsule in enumerate(self.capsules):
            beside = of_part and capsule.name in STYLUS
            wanted[:, k] = (capsule.joint >= 0) & (touching | (not beside))
        rows, capsules = np.nonzero(wanted)
        return rows, capsules
