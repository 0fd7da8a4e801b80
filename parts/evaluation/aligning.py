"""Bringing measured points to the nominal ones: the rigid motion that is not the part's fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from parts.alignment import (
    Alignment,
    DatumPlane,
    ReferencePoints,
    best_fit_points,
    best_fit_surface,
    nearest_on,
    reference_points,
    three_two_one,
)
from parts.evaluation.errors import EvaluationError
from robots.core.arrays import Array

if TYPE_CHECKING:
    from parts.geometry import Geometry

Method = Literal["none", "points", "normals", "surface", "datums"]

_LEAST_POINTS = (3, 2, 1)
_FLAT = 0.999  # cosine of nominal normals that are still one plane's


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlignmentTask:
    """What measured points are aligned to.

    Args:
        method: "none"; "points": best fit of the point pairs; "normals": of the deviations along
            the normals; "surface": of the distances to the geometry; "datums": 3-2-1.
        nominal: in the part frame. # (n, 3) [m]
        normals: out of the material, unit. # (n, 3)
        features: of each point.
        datums: primary, secondary and tertiary flat feature.
        geometry: of the part.
        weights: of the squared residuals; all 1 where left out. # (n,)
    """

    method: Method
    nominal: Array
    normals: Array
    features: tuple[str, ...]
    datums: tuple[str, ...] = ()
    geometry: Geometry | None = None
    weights: Array | None = None


def align(task: AlignmentTask, measured: Array, start: Array | None = None) -> Alignment | None:
    """Fit the nominal part to measured points; None for "none".

    In the answer, "base" is the frame in which the points were measured: its ``T_part_base`` maps
    them to where they are compared.

    Args:
        task: what to align to.
        measured: surface points, as the job's pose puts them into the part frame. # (n, 3) [m]
        start: first guess of ``T_base_part`` for the iterative fits. # (4, 4)

    Raises:
        AlignmentError: points that leave a motion of the part free.
        EvaluationError: datums that are not flat or not measured, a surface without geometry.
    """
    if task.method == "none":
        return None
    if task.method == "points":
        return best_fit_points(task.nominal, measured, task.weights)
    if task.method == "normals":
        targets = ReferencePoints(
            nominal=task.nominal, directions=task.normals, weights=task.weights
        )
        return reference_points(targets, measured, start=np.eye(4) if start is None else start)
    if task.method == "surface":
        if task.geometry is None:
            raise EvaluationError("There is no geometry of the part to align to; give it.")
        nearest = nearest_on(task.geometry)
        return best_fit_surface(nearest, measured, task.weights, start=start)
    primary, secondary, tertiary = _planes(task, measured)
    return three_two_one(primary, secondary, tertiary)


def _planes(task: AlignmentTask, measured: Array) -> Sequence[DatumPlane]:
    if len(task.datums) != 3:
        raise EvaluationError(
            f"3-2-1 has {len(task.datums)} datums; expected three: primary, secondary, tertiary.",
            value=len(task.datums),
            limit=3,
        )
    return [
        _plane(task, measured, name, least)
        for name, least in zip(task.datums, _LEAST_POINTS, strict=True)
    ]


def _plane(task: AlignmentTask, measured: Array, name: str, least: int) -> DatumPlane:
    rows = np.flatnonzero([feature == name for feature in task.features])
    if len(rows) < least:
        raise EvaluationError(
            f"The datum {name!r} has {len(rows)} measured points; it needs at least {least}.",
            value=len(rows),
            limit=least,
        )
    normals = task.normals[rows]
    mean = normals.mean(axis=0)
    length = float(np.linalg.norm(mean))
    normal = mean / max(length, 1.0 - _FLAT)  # those of a hole add up to nothing
    flattest = float((normals @ normal).min())
    if not flattest >= _FLAT:
        turn = float(np.degrees(np.arccos(np.clip(normals @ normals[0], -1.0, 1.0).min())))
        raise EvaluationError(
            f"The datum {name!r} is not flat: its nominal normals turn by {turn:.3g} deg. 3-2-1 "
            'takes planes; align to the others with "normals".',
            value=turn,
            unit="deg",
        )
    return DatumPlane(
        name=name,
        normal=_squared(normals, normal),
        point=task.nominal[rows].mean(axis=0),
        measured=measured[rows],
        outward=normal,
    )


def _squared(normals: Array, mean: Array) -> Array:
    """The first normal where all are the same, which keeps right angles exact."""
    return np.asarray(normals[0] if np.allclose(normals, normals[0], atol=1e-12) else mean)
