"""Measured points, checked, centred and brought to size one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.errors import FitError
from parts.fits.frame import State
from parts.fits.least_squares import tall_triangle
from parts.fits.model import Model
from robots.core.arrays import Array

_RANK = 1e-9  # of the points' extent: what is thinner cannot be told from rounding
_TOO_FEW_DIRECTIONS = {
    1: ("at one place", "points that are apart"),
    2: ("on one line", "points off that line"),
    3: ("in one plane", "points off that plane"),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cloud:
    """Points in coordinates that suit arithmetic.

    Args:
        unit: centred, of root mean square distance near 1. # (3, k)
        centroid: # (3,) [m]
        scale: length of the unit, a power of two, so that scaling rounds nothing. [m]
        thickness: root mean square spread in the thinnest direction that the feature needs. [m]
    """

    unit: Array
    centroid: Array
    scale: float
    thickness: float

    @property
    def count(self) -> int:
        """Of points."""
        return int(self.unit.shape[1])

    def physical(self, state: State, size_units: tuple[str, ...]) -> State:
        """A state of the unit points, for the points as they were given."""
        factors = np.array([1.0 if unit == "rad" else self.scale for unit in size_units])
        return State(
            origin=self.centroid + self.scale * state.origin,
            R=state.R,
            sizes=state.sizes * factors,
        )

    def unitary(self, state: State, size_units: tuple[str, ...]) -> State:
        """The inverse of ``physical``: for hints."""
        factors = np.array([1.0 if unit == "rad" else self.scale for unit in size_units])
        return State(
            origin=(state.origin - self.centroid) / self.scale,
            R=state.R,
            sizes=state.sizes / factors,
        )


def cloud_of(points: ArrayLike, model: Model) -> Cloud:
    """Points checked for a kind of feature.

    Raises:
        FitError: another shape, not finite, too few, or spread in too few directions.
    """
    rows = _checked(points, model)
    centroid = rows.mean(axis=0)
    centred = rows - centroid
    centred -= centred.mean(axis=0)  # what the first mean has rounded away
    size = float(np.sqrt(np.mean(np.sum(centred**2, axis=1))))
    if size <= 4.0 * np.finfo(float).eps * float(np.abs(rows).max()):
        raise FitError(
            f"All {len(rows)} points are the same, {rows[0].tolist()} m; a {model.word} needs "
            "points that are apart.",
            points=len(rows),
        )
    scale = float(2.0 ** np.round(np.log2(size)))
    unit = np.zeros((3, len(rows)))
    unit[: model.dimension] = (centred / scale).T
    thickness = _checked_spread(unit, model, scale, float(np.abs(rows).max()))
    full = np.zeros(3)
    full[: model.dimension] = centroid
    return Cloud(unit=unit, centroid=full, scale=scale, thickness=thickness)


def _checked(points: ArrayLike, model: Model) -> Array:
    try:
        rows = np.array(points, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise FitError(
            f"The points of the {model.word} are no table of numbers ({error}); expected rows of "
            f"{model.dimension} numbers [m]."
        ) from error
    if rows.ndim != 2 or rows.shape[1] != model.dimension:
        raise FitError(
            f"The points of the {model.word} have shape {rows.shape}; expected "
            f"(k, {model.dimension}) [m].",
            value=rows.shape,
            limit=model.dimension,
        )
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise FitError(
            f"Point {bad[0] + 1} of the {model.word} is {rows[bad[0]].tolist()} m ({len(bad)} such "
            "points); expected finite numbers. Leave out points that were not measured.",
            where=int(bad[0]),
            value=rows[bad[0]].tolist(),
            unit="m",
        )
    if len(rows) < model.fewest:
        raise FitError(
            f"{len(rows)} points do not hold a {model.word}; measure at least {model.fewest}, "
            "more to see its form.",
            value=len(rows),
            limit=model.fewest,
            unit="1",
        )
    return rows


def _checked_spread(unit: Array, model: Model, scale: float, reach: float) -> float:
    """Thickness of the points in metres."""
    spread = np.linalg.svd(tall_triangle(unit.T), compute_uv=False)
    rounding = 8.0 * np.finfo(float).eps * reach / scale * np.sqrt(unit.shape[1])
    limit = max(_RANK * float(spread[0]), rounding)
    rank = int(np.sum(spread > limit))
    if rank < model.spread:
        where, fix = _TOO_FEW_DIRECTIONS[rank + 1]
        thin = float(spread[rank] * scale / np.sqrt(unit.shape[1]))
        raise FitError(
            f"The {unit.shape[1]} points lie {where} (their root mean square spread across it is "
            f"{thin:.3g} m), which holds no {model.word}; add {fix}.",
            value=thin,
            limit=float(limit) * scale,
            unit="m",
            rank=rank,
        )
    return float(spread[model.spread - 1] * scale / np.sqrt(unit.shape[1]))
