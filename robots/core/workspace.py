"""The reachable volume of the tool: how large, how far, and how much of it is near a singularity.

Joint postures are spread evenly over their ranges, the tool's positions are sorted into cells of a
grid, and cells are counted. Self-collision is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.errors import StateError
from robots.core.inverse.scaling import scale_length, scaled
from robots.core.inverse.task import Task
from robots.core.joint_samples import joint_samples
from robots.core.model import Model
from robots.core.occupancy import Occupancy, measured, occupancy

DEFAULT_SAMPLES = 1 << 18
FEWEST_SAMPLES = 1 << 10
_SINGULAR_SAMPLES = 1 << 13
# Ratio of the smallest to the largest singular value, without units, that counts as near.
NEAR_SINGULAR = 0.02
# Extents below this share of the largest are those of a mechanism that moves in a plane or line.
_FLAT = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Workspace:
    """What the tool's origin can reach, base frame.

    Args:
        dimension: 3 for a volume, 2 for a robot whose tool stays in a plane, 1 in a line, 0 fixed.
        measure: volume, area or length. [m^dimension]
        uncertainty: of the measure, half width: what twice as large cells change, and what
            sampling is thought to have missed. [m^dimension]
        cell: edge of the grid's cells. [m]
        low: corner of the bounding box. # (3,) [m]
        high: opposite corner. # (3,) [m]
        least_radius: smallest distance of the tool from ``center`` that was met. [m]
        largest_radius: [m]
        center: # (3,) [m]
        singular_fraction: share of the sampled postures whose position Jacobian is nearly singular.
        section: cells of the half plane of distance from the base z axis and height, occupied at
            any angle about the axis: what a section figure draws.
        samples: postures that were sampled.
    """

    dimension: int
    measure: float
    uncertainty: float
    cell: float
    low: Array
    high: Array
    least_radius: float
    largest_radius: float
    center: Array
    singular_fraction: float
    section: Occupancy
    samples: int

    @property
    def unit(self) -> str:
        """Unit of the measure."""
        return {0: "1", 1: "m", 2: "m²", 3: "m³"}[self.dimension]


def workspace(
    model: Model, *, samples: int = DEFAULT_SAMPLES, center: ArrayLike = (0.0, 0.0, 0.0)
) -> Workspace:
    """Sample the reachable volume of the tool's origin, within the joint limits.

    A revolute joint without limits makes a full turn; a sliding one without limits moves by the
    scale length to both sides, which makes the result a statement about that range only.

    Args:
        model: of the mechanism.
        samples: postures; the cells are chosen so that about sixteen fall into each.
        center: point that radii are measured from. # (3,) [m]

    Raises:
        StateError: too few samples, or a center that is not a finite point.
    """
    middle = _checked(samples, center)
    slide = scale_length(model.mechanism)
    q = joint_samples(model.mechanism, samples, slide=slide)
    points = model.forward(q)[:, :3, 3]
    low, high = points.min(axis=0), points.max(axis=0)
    radii = np.linalg.norm(points - middle, axis=-1)
    flat = _flattened(points, slide)
    size = measured(flat)
    return Workspace(
        dimension=flat.shape[1],
        measure=size.measure,
        uncertainty=size.uncertainty,
        cell=size.cell,
        low=low,
        high=high,
        least_radius=float(radii.min()),
        largest_radius=float(radii.max()),
        center=middle,
        singular_fraction=_singular_fraction(model, q),
        section=occupancy(np.stack([np.hypot(*points.T[:2]), points[:, 2]], axis=-1)),
        samples=samples,
    )


def _flattened(points: Array, size: float) -> Array:
    """Coordinates in the axes that the points fill: base axes, or those of their plane or line."""
    spread = points.max(axis=0) - points.min(axis=0)
    offset = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(offset.T @ offset / len(points))
    filled = np.sqrt(np.maximum(values, 0.0)) > _FLAT * max(size, float(spread.max()))
    if np.all(filled):
        return points
    return np.asarray(offset @ axes[:, filled])


def _singular_fraction(model: Model, q: Array) -> float:
    chosen = q[: min(len(q), _SINGULAR_SAMPLES)]
    J = Task.POSITION.jacobian(model, chosen)
    values = np.linalg.svd(
        scaled(J, Task.POSITION, model.mechanism, scale_length(model.mechanism)), compute_uv=False
    )
    rank = int(np.max(np.linalg.matrix_rank(J[:16], rtol=1e-7)))
    if rank == 0:
        return 1.0
    return float(np.mean(values[:, rank - 1] < NEAR_SINGULAR * values[:, 0]))


def _checked(samples: int, center: ArrayLike) -> Array:
    if samples < FEWEST_SAMPLES:
        raise StateError(
            f"{samples} samples are too few for a volume; take at least {FEWEST_SAMPLES}.",
            value=samples,
            limit=FEWEST_SAMPLES,
        )
    middle = np.array(center, dtype=np.float64)
    if middle.shape != (3,) or not np.all(np.isfinite(middle)):
        raise StateError(f"The center is {center!r}; give three finite coordinates in metres.")
    return middle
