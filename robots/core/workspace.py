"""Reachable volume of the tool: size, reach, and the share of it that is near a singularity.

Joint postures are spread evenly over their ranges, the tool's positions are sorted into cells of a
grid, and cells are counted. Self-collision is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask, freeze_fields
from robots.core.errors import StateError
from robots.core.inverse.task import Task, scale_length, scaled
from robots.core.joint_samples import joint_ranges, joint_samples, unit_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model

DEFAULT_SAMPLES = 1 << 18
FEWEST_SAMPLES = 1 << 10
_SINGULAR_SAMPLES = 1 << 13
_REACH_SAMPLES = 1 << 10
_FINEST_STEP = 5e-4  # of a joint's range; what is lost goes with its square
# Ratio of the smallest to the largest singular value, without units, that counts as near.
NEAR_SINGULAR = 0.02
# Thickness of the cloud of points, relative to its size, below which it is a surface or a line.
_FLAT = 1e-9
_MOST_CELLS = 1e15


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Workspace:
    """Reach of the tool's origin within the joint limits, base frame.

    Args:
        model: of the mechanism.
        q: the sampled postures. # (N, n) [rad or m]
        points: the tool's origin in each. # (N, 3) [m]
        center: point that radii are measured from. # (3,) [m]
        dimension: 3 for a volume, 2 for a robot whose tool stays in a plane, 1 in a line, 0 fixed.
        measure: volume, area or length. [m^dimension]
        uncertainty: of the measure, half width: what twice as large cells change, and what
            sampling is thought to have missed; of cells of a given edge what the last half of the
            samples added. [m^dimension]
        cell: edge of the grid's cells. [m]
        growth: the uncertainty as a share of the measure; small when the samples are enough for
            the cells.
        axis_radii: minimum and maximum distance from the first joint's axis. # (2,) [m]
    """

    model: Model = field(repr=False)
    q: Array = field(repr=False)
    points: Array = field(repr=False)
    center: Array
    dimension: int
    measure: float
    uncertainty: float
    cell: float
    growth: float
    axis_radii: Array

    @property
    def unit(self) -> str:
        """Unit of the measure."""
        return {0: "1", 1: "m", 2: "m²", 3: "m³"}[self.dimension]

    @property
    def samples(self) -> int:
        """Postures that were sampled."""
        return len(self.q)

    @property
    def low(self) -> Array:
        """Corner of the bounding box. # (3,) [m]."""
        return np.asarray(self.points.min(axis=0))

    @property
    def high(self) -> Array:
        """Opposite corner. # (3,) [m]."""
        return np.asarray(self.points.max(axis=0))

    @property
    def radii(self) -> Array:
        """Minimum and maximum distance of the tool from ``center``. # (2,) [m]."""
        distance = np.linalg.norm(self.points - self.center, axis=-1)
        return np.array([distance.min(), distance.max()])

    def singular_fraction(self) -> float:
        """Share of the sampled postures whose position Jacobian is nearly singular."""
        return _singular_fraction(self.model, self.q)

    def border(self, samples: int = DEFAULT_SAMPLES) -> Array:
        """Positions of the tool at the border: one of each cell that has an empty neighbour.

        Args:
            samples: how many of the sampled postures count; fewer have larger cells.

        Returns:
            Sampled positions; all are within reach. # (k, 3) [m]
        """
        points = self.points[:samples]
        flat = _flattened(points, scale_length(self.model.mechanism))
        if not flat.shape[1]:
            return points[:1]
        grid = occupancy(flat)
        index = np.floor((flat - grid.origin) / grid.cell).astype(np.int64)
        border = grid.cells & ~_inner(grid.cells)
        chosen = np.flatnonzero(border[tuple(index.T)])
        places = np.ravel_multi_index(tuple(index[chosen].T), grid.cells.shape)
        return points[chosen[np.sort(np.unique(places, return_index=True)[1])]]

    def section(self) -> Occupancy:
        """Cells of the half plane of distance from the base z axis and height, at any angle."""
        return occupancy(np.stack([np.hypot(*self.points.T[:2]), self.points[:, 2]], axis=-1))


def workspace(
    model: Model,
    *,
    samples: int = DEFAULT_SAMPLES,
    cell: float | None = None,
    center: ArrayLike = (0.0, 0.0, 0.0),
) -> Workspace:
    """Sample the reachable volume of the tool's origin, within the joint limits.

    A revolute joint without limits makes a full turn; a sliding one without limits moves by the
    scale length to both sides, which makes the result a statement about that range only.

    Args:
        model: of the mechanism.
        samples: postures.
        cell: edge of the cells that are counted; left out: such that about sixteen samples fall
            into each, and the measure is corrected for what sampling misses. [m]
        center: point that radii are measured from. # (3,) [m]

    Raises:
        StateError: too few samples, a center that is not a finite point, cells too small to count.
    """
    middle = _checked_center(center)
    slide = scale_length(model.mechanism)
    q = joint_samples(model.mechanism, samples, slide=slide)
    points = model.forward(q)[:, :3, 3]
    flat = _flattened(points, slide)
    if cell is None:
        size = _measured(flat, samples)
        growth = size.uncertainty / size.measure if size.measure else 0.0
    else:
        # What the last half of the samples added tells whether they are enough for such cells.
        cells, half = _cells(flat, cell), _cells(flat[: len(flat) // 2], cell)
        volume, growth = cell ** flat.shape[1], (cells - half) / cells
        size = Size(measure=cells * volume, uncertainty=(cells - half) * volume, cell=cell)
    return Workspace(
        model=model,
        q=q,
        points=points,
        center=middle,
        dimension=flat.shape[1],
        measure=size.measure,
        uncertainty=size.uncertainty,
        cell=size.cell,
        growth=growth,
        axis_radii=_axis_radii(model.mechanism, points),
    )


def axis_reach(model: Model) -> float:
    """Furthest that the tool's origin gets from the first joint's axis. [m].

    Data sheets call this the reach of an arm, some of its wrist, some of its flange. Sampled, then
    climbed joint by joint: a lower bound that is tight for arms.

    Args:
        model: of the mechanism.
    """
    mechanism = model.mechanism
    low, high = joint_ranges(mechanism, scale_length(mechanism))
    q = joint_samples(mechanism, _REACH_SAMPLES, slide=scale_length(mechanism))
    radii = _radii(mechanism, model.forward(q)[:, :3, 3])
    best, radius = q[int(np.argmax(radii))], float(radii.max())
    moves = np.concatenate([np.eye(model.dof), -np.eye(model.dof)]) * (high - low)
    step = 0.25
    while step > _FINEST_STEP:
        tried = np.clip(best + step * moves, low, high)
        radii = _radii(mechanism, model.forward(tried)[:, :3, 3])
        # Near the top a step gains by its square; less is a zigzag along the ridge.
        if float(radii.max()) > radius * (1.0 + 0.1 * step**2):
            best, radius = tried[int(np.argmax(radii))], float(radii.max())
        else:
            step *= 0.5
    return radius


def _axis_radii(mechanism: Mechanism, points: Array) -> Array:
    """Minimum and maximum distance from the first movable joint's axis. # (2,) [m]."""
    radii = _radii(mechanism, points)
    return np.array([radii.min(), radii.max()])


def _radii(mechanism: Mechanism, points: Array) -> Array:
    """Distance from the first movable joint's axis. # (N, 3) → (N,) [m]."""
    pose = np.eye(4)
    index = mechanism.index(mechanism.movable[0].name)
    while index >= 0:
        pose = mechanism.joints[index].placement @ pose
        index = mechanism.joints[index].parent
    axis, origin = pose[:3, 2], pose[:3, 3]
    from_axis = points - origin
    from_axis = from_axis - np.outer(from_axis @ axis, axis)
    return np.asarray(np.linalg.norm(from_axis, axis=1))


def _flattened(points: Array, size: float) -> Array:
    """Coordinates in the axes that the points fill: base axes, or those of their plane or line."""
    centred = points - points.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred, full_matrices=False)
    filled = spread > _FLAT * max(float(spread[0]), size * float(np.sqrt(len(points))))
    # A volume is counted in base axes: the same cells whatever the samples are.
    return points if np.all(filled) else np.asarray(centred @ axes[filled].T)


def _measured(points: Array, samples: int) -> Size:
    if samples < FEWEST_SAMPLES:
        raise StateError(
            f"{samples} samples are too few for a volume; take at least {FEWEST_SAMPLES}.",
            value=samples,
            limit=FEWEST_SAMPLES,
        )
    return measured(points)


def _cells(points: Array, edge: float) -> int:
    if points.shape[1] == 0:
        return 1
    cells = np.floor(points / edge).astype(np.int64)
    cells -= cells.min(axis=0)
    extent = tuple(int(x) + 1 for x in cells.max(axis=0))
    if np.prod([float(x) for x in extent]) > _MOST_CELLS:
        raise StateError(
            f"Cells of {edge * 1e3:g} mm are too small for a workspace of this size.",
            value=edge,
            unit="m",
        )
    return len(np.unique(np.ravel_multi_index(tuple(cells.T), extent)))


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


def _checked_center(center: ArrayLike) -> Array:
    middle = np.array(center, dtype=np.float64)
    if middle.shape != (3,) or not np.all(np.isfinite(middle)):
        raise StateError(f"The center is {center!r}; give three finite coordinates in metres.")
    return middle


# ---------------------------------------------------------------------------------- Occupied cells

_POINTS_PER_CELL = 16.0
# Twice the points miss 1/r of what was missed before; with r = 3/2, as measured on arms of known
# volume, what all miss is 1/(r² - 1) of what they find more than a fourth of them.
_MISSED = 0.8
_OCCUPANCY_MOST_CELLS = 512  # along an axis
_THIN = 1e-6  # extent, as a share of the largest, that is no extent
_GRIDS = 4  # shifted against each other
_MARGIN = 2  # empty cells around, so that closing has room


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Volume occupied by samples.

    Args:
        measure: volume, area or length. [m^d]
        uncertainty: half width. [m^d]
        cell: edge of a cell. [m]
    """

    measure: float
    uncertainty: float
    cell: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Occupancy:
    """A grid of cells, occupied or not.

    Args:
        cells: one axis per dimension.
        origin: lower corner of the first cell. # (d,) [m]
        cell: edge of a cell. [m]
    """

    cells: Mask
    origin: Array
    cell: float

    def __post_init__(self) -> None:
        freeze_fields(self, "cells", "origin")

    def edges(self, axis: int) -> Array:
        """Borders between the cells along one axis. # (cells + 1,) [m]."""
        return np.asarray(self.origin[axis] + self.cell * np.arange(self.cells.shape[axis] + 1))

    def coarser(self) -> Occupancy:
        """Cells of twice the edge, occupied where any part is."""
        padded = np.pad(self.cells, [(0, n % 2) for n in self.cells.shape])
        for axis in range(padded.ndim):
            halves = np.moveaxis(padded, axis, 0)
            padded = np.moveaxis(halves[0::2] | halves[1::2], 0, axis)
        return Occupancy(cells=padded, origin=self.origin, cell=2.0 * self.cell)

    def measure(self) -> float:
        """Space that the cells stand for: a cell on the border is taken as half full. [m^d]."""
        full, border = _counts(self.cells)
        return (full - 0.5 * border) * self.cell**self.cells.ndim


def measured(points: Array) -> Size:
    """Space that points fill, from two resolutions and two numbers of points.

    Cells on the border that few postures reach stay empty: what a fourth of the points finds less
    is used to add what all points still miss. The uncertainty is this correction, plus what cells
    twice as large would change, plus what shifting the grid changes.

    Args:
        points: in an order in which every prefix is spread evenly. # (N, d) [m]
    """
    if not points.shape[1]:
        return Size(measure=0.0, uncertainty=0.0, cell=0.0)
    cell = cell_edge(points)
    # A flat side of the volume that falls on a border between cells would deceive a single grid.
    shifts = unit_samples(_GRIDS, points.shape[1])
    fine = [occupancy(points, cell, shift) for shift in shifts]
    fewer = [occupancy(points[: len(points) // 4], cell, shift) for shift in shifts]
    found, coarse, few = (
        np.array([grid.measure() for grid in grids])
        for grids in (fine, [grid.coarser() for grid in fine], fewer)
    )
    missed = _MISSED * float(np.mean(found - few))
    resolution = abs(float(np.mean(found - coarse))) + float(np.std(found))
    return Size(
        measure=float(np.mean(found)) + missed, uncertainty=abs(missed) + resolution, cell=cell
    )


def occupancy(points: Array, cell: float | None = None, shift: Array | float = 0.5) -> Occupancy:
    """Cells that hold points, small holes that sampling left being closed.

    Args:
        points: # (N, d) [m]
        cell: edge; when None, see ``cell_edge``. [m]
        shift: where the lowest point is in its cell, 0 to 1. # (d,)
    """
    from scipy import ndimage

    edge = cell or cell_edge(points)
    origin = points.min(axis=0) - (shift + _MARGIN) * edge
    index = np.floor((points - origin) / edge).astype(np.int64)
    cells = np.zeros(index.max(axis=0) + 1 + _MARGIN, dtype=np.bool_)
    cells[tuple(index.T)] = True
    closed = ndimage.binary_closing(cells, structure=np.ones((3,) * points.shape[1]))
    return Occupancy(cells=closed, origin=origin, cell=edge)


def cell_edge(points: Array) -> float:
    """Edge with which the points' bounding box has one cell per sixteen of them. [m]."""
    extent = np.ptp(points, axis=0)
    largest = float(extent.max())
    if not largest > 0.0:
        return 1.0
    filled = extent[extent > _THIN * largest]
    edge = float((np.prod(filled) * _POINTS_PER_CELL / len(points)) ** (1.0 / len(filled)))
    return max(edge, largest / _OCCUPANCY_MOST_CELLS)


def _counts(cells: Mask) -> tuple[int, int]:
    """Number of occupied cells, and of those with an empty neighbour, corners included.

    A smooth border passes through about as many cells as have such a neighbour.
    """
    full = int(np.count_nonzero(cells))
    return full, full - int(np.count_nonzero(_inner(cells)))


def _inner(cells: Mask) -> Mask:
    """Occupied cells all of whose neighbours are occupied, corners included."""
    core = np.pad(cells, 1)
    for axis in range(cells.ndim):
        core = core & np.roll(core, 1, axis) & np.roll(core, -1, axis)
    return np.asarray(core[(slice(1, -1),) * cells.ndim])
