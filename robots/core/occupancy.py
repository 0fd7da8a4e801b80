"""Points sorted into the cells of a grid, and how much space the occupied cells stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Mask, freeze_fields
from robots.core.joint_samples import unit_samples

_POINTS_PER_CELL = 16.0
# Twice the points miss 1/r of what was missed before; with r = 3/2, as measured on arms of known
# volume, what all miss is 1/(r² - 1) of what they find more than a fourth of them.
_MISSED = 0.8
_MOST_CELLS = 512  # along an axis
_THIN = 1e-6  # extent, as a share of the largest, that is no extent
_GRIDS = 4  # shifted against each other
_MARGIN = 2  # empty cells around, so that closing has room


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much space is occupied.

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
        measure=float(np.mean(found)) + missed,
        uncertainty=abs(missed) + resolution,
        cell=cell,
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
    return max(edge, largest / _MOST_CELLS)


def _counts(cells: Mask) -> tuple[int, int]:
    """Number of occupied cells, and of those with an empty neighbour, corners included.

    A smooth border passes through about as many cells as have such a neighbour.
    """
    around = np.pad(cells, 1)
    core = around
    for axis in range(cells.ndim):
        core = core & np.roll(core, 1, axis) & np.roll(core, -1, axis)
    full = int(np.count_nonzero(around))
    return full, full - int(np.count_nonzero(core))
