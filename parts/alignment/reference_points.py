"""Alignment to a reference point system (RPS): each target holds the part in some directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.alignment.alignment import Alignment, checked_weights, directions, vectors
from parts.alignment.best_fit import best_fit_points
from parts.alignment.refinement import Contacts, constraints_of, refine, require_full_rank
from parts.errors import AlignmentError
from robots.core.arrays import Array, freeze_field


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReferencePoints:
    """Targets of a reference point system; one that holds two directions is given twice.

    Args:
        nominal: points in the part frame. # (k, 3) [m]
        directions: in which each holds the part, in the part frame. # (k, 3)
        weights: of the squared misses; a weight of zero only watches. # (k,)
        names: for messages.

    Raises:
        AlignmentError: other shapes, numbers that are not finite, weights that cannot be used.
    """

    nominal: Array
    directions: Array
    weights: Array | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        nominal = vectors(self.nominal, "nominal points")
        checked = {
            "nominal": nominal,
            "directions": directions(self.directions, "directions", len(nominal)),
            "weights": checked_weights(self.weights, len(nominal)),
        }
        for name, array in checked.items():
            freeze_field(self, name, array)

    def __len__(self) -> int:
        """Number of targets k."""
        return len(self.nominal)


def reference_points(
    targets: ReferencePoints, measured: ArrayLike, *, start: ArrayLike | None = None
) -> Alignment:
    """Minimise Σ w (n·(T_part_base p − x))² over the pose.

    Six targets that hold all six motions are met exactly; more are balanced by their weights.

    Args:
        targets: of the part.
        measured: the targets in the base frame. # (k, 3) [m]
        start: first guess of T_base_part; otherwise the best fit of the point pairs. # (4, 4)

    Raises:
        AlignmentError: fewer than six targets with weight, or targets that leave a motion free:
            collinear points, directions that are parallel or lie in one plane.
    """
    seen = vectors(measured, "measured points", len(targets))
    weights = checked_weights(targets.weights, len(targets))
    used = int(np.count_nonzero(weights))
    if used < 6:
        raise AlignmentError(
            f"{used} reference directions with weight cannot hold the six motions of a part; give "
            "at least 6.",
            found=used,
            limit=6,
        )
    held = constraints_of(targets.nominal, targets.directions, weights)
    require_full_rank(held, "the reference points")
    T = (
        best_fit_points(targets.nominal, seen, weights).T_base_part
        if start is None
        else np.array(start, dtype=np.float64)
    )

    def meet(points: Array) -> Contacts:
        misses = np.sum(targets.directions * (points - targets.nominal), axis=1)
        return Contacts(normals=targets.directions, residuals=misses)

    return refine(meet, seen, weights, T, what="the reference points", method="rps")
