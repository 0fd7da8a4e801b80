"""Datums as they should be, recognised from the nominal points of their features."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.alignment.datum_system import DatumKind, DatumPoints, associated_place
from parts.errors import EvaluationError
from parts.evaluation.association import nominal_feature
from parts.evaluation.characteristics import location_of
from parts.evaluation.tolerance import DatumFeature
from robots.core.arrays import Array, Indices

_FLAT = 0.999  # cosine of nominal normals that are still one plane's
_MOST = 20  # normals that are tried for the sides of a slot, the commonest first
_LEVEL = 1e-5  # [m] that points of one flat side may lie above each other, as printed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NominalDatum:
    """A datum as it should be, and which points belong to it.

    Args:
        datum: how it is taken from its feature.
        kind: as of ``DatumPoints``, where the other fields are told as well.
        point: # (3,) [m]
        direction: # (3,)
        shape: kind of the feature.
        rows: of its points. # (k,)
        normals: of these. # (k, 3)
    """

    datum: DatumFeature
    kind: DatumKind
    point: Array
    direction: Array
    shape: str
    rows: Indices
    normals: Array

    def at(self, measured: Array) -> DatumPoints:
        """It with measured points: all of the evaluation's. # (n, 3) [m]."""
        return DatumPoints(
            name=self.datum.label,
            kind=self.kind,
            point=self.point,
            direction=self.direction,
            shape=self.shape,
            measured=measured[self.rows],
            normals=self.normals,
            contact=self.datum.association == "contact",
        )


def nominal_datum(
    datum: DatumFeature, nominal: Array, normals: Array, rows: Indices
) -> NominalDatum:
    """Recognise what a datum is: a flat side, a bore or shaft, a sphere, or a slot.

    Args:
        datum: how it is taken from its feature.
        nominal: all points. # (n, 3) [m]
        normals: theirs. # (n, 3)
        rows: of the points of the datum's feature. # (k,)

    Raises:
        EvaluationError: no points, or none of these.
    """
    who = f"The datum {datum.label!r}"
    who += "" if datum.label == datum.feature else f" ({datum.feature!r})"
    if not len(rows):
        raise EvaluationError(f"{who} has no measured points; measure it.", value=0, limit=1)
    own = normals[rows]
    if float((own @ own[0]).min()) >= _FLAT:
        return _flat(datum, "plane", nominal, own, rows)
    if len(_walls(nominal[rows], own, own[:1])) == len(rows):
        return _flat(datum, "slot", nominal, own, rows)
    feature = nominal_feature(nominal[rows], own)
    if feature.shape is not None and feature.kind in ("cylinder", "cone", "sphere", "circle3d"):
        place = location_of(feature.shape, nominal[rows])
        found = NominalDatum(
            datum=datum,
            kind="axis" if place.kind == "axis" else "centre",
            point=place.point,
            direction=place.direction,
            shape=feature.kind,
            rows=rows,
            normals=own,
        )
        # seen as the measured points will be, so that a perfect part is found where it should be
        point, _ = associated_place(found.at(nominal), place.direction)
        return replace(found, point=point)
    known, counts = np.unique(np.round(own, 6), axis=0, return_counts=True)
    walls = _walls(nominal[rows], own, known[np.argsort(-counts, kind="stable")[:_MOST]])
    if len(walls) and _is_slot(nominal[rows], own, walls):
        return _flat(datum, "slot", nominal, own[walls], rows[walls])
    raise EvaluationError(
        f"{who} is no datum feature: its {len(rows)} nominal points lie on no plane, bore, shaft, "
        "cone or sphere, and not on the two sides of a slot. Choose another feature.",
        value=feature.kind,
    )


def _flat(
    datum: DatumFeature, kind: DatumKind, nominal: Array, own: Array, rows: Indices
) -> NominalDatum:
    """A flat side, or the two of a slot; its direction is that of the first point's side."""
    sides = np.where(own @ own[0] > 0.0, 1.0, -1.0)
    same = np.abs(own @ own[0]) > 1.0 - 1e-12  # which keeps right angles exact
    mean = (sides[:, None] * own).mean(axis=0)
    direction = own[0] if same.all() else mean / np.linalg.norm(mean)
    middles = [nominal[rows[sides == side]].mean(axis=0) for side in np.unique(sides)]
    return NominalDatum(
        datum=datum,
        kind=kind,
        point=np.mean(middles, axis=0),
        direction=direction,
        shape="plane",
        rows=rows,
        normals=own,
    )


def _is_slot(points: Array, normals: Array, walls: Indices) -> bool:
    """Whether all points are half a width from the median plane of two walls, along their normals.

    So are those of a bore, but all from one axis; those of a slot's round ends are not.
    """
    a = normals[walls[0]]
    heights, up = points[walls] @ a, normals[walls] @ a > 0.0
    top, bottom = float(heights[up].mean()), float(heights[~up].mean())
    centres = points - 0.5 * (top - bottom) * normals
    along = np.cross(a, np.linalg.svd(normals, full_matrices=False)[2][2])
    away = np.abs(centres @ a - 0.5 * (top + bottom))
    return float(away.max()) <= _LEVEL and float(np.ptp(centres @ along)) > 10.0 * _LEVEL


def _walls(points: Array, normals: Array, candidates: Array) -> Indices:
    """Rows of the points on two flat sides that face opposite ways; none where there are not.

    Args:
        points: # (k, 3) [m]
        normals: theirs. # (k, 3)
        candidates: normals that one of the sides may have. # (c, 3)
    """
    best = np.zeros(0, dtype=np.int64)
    for normal in candidates:
        cosines = normals @ normal
        rows = np.flatnonzero(np.abs(cosines) >= _FLAT)
        heights, up = points[rows] @ normal, cosines[rows] > 0.0
        if up.all() or len(rows) <= len(best):
            continue
        if max(float(np.ptp(heights[up])), float(np.ptp(heights[~up]))) <= _LEVEL:
            best = rows
    return best
