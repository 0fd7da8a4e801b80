"""From measured centres of the ball to points of the surface, aligned or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.evaluation import (
    ComparisonTask,
    MeasuredPoints,
    align,
    compensate_ball,
    nominal_feature,
    rows_of_features,
)
from parts.fits import FitError, fit
from planner.job.evaluation import CompensationNormal
from robots.core.arrays import Array, Mask

_ROUNDS = 3  # the normals turn with the alignment: each round leaves the square of the turn


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredSurface:
    """Measured points on the surface.

    Args:
        xyz: in the part frame, not aligned. # (n, 3) [m]
        sentence: what was done about the ball.
    """

    xyz: Array
    sentence: str


def on_surface(
    task: ComparisonTask, measured: MeasuredPoints, along: CompensationNormal
) -> MeasuredSurface:
    """Points of the surface from what was measured.

    Args:
        task: nominal points and alignment, in the order of ``measured``.
        measured: in the part frame.
        along: "nominal": the nominal normals, turned with the alignment; "fitted": those of each
            feature that is fitted to the centres, where there is one.
    """
    radius = measured.probe_radius
    if measured.compensated or radius == 0.0:
        return MeasuredSurface(xyz=measured.xyz, sentence=_as_they_are(measured))
    settled = np.zeros(len(measured), dtype=bool) if measured.settled is None else measured.settled
    normals = task.points.normals
    if along == "fitted":
        if settled.any():  # fits hold the centres, so all points are brought to where those are
            normals = _turned(task, measured.xyz, radius, settled)
        centres = np.where(settled[:, None], measured.xyz + radius * normals, measured.xyz)
        normals = _fitted(task, centres)
    else:
        normals = _turned(task, measured.xyz, radius, settled)
    which = "of the fitted features" if along == "fitted" else "of the nominal points"
    some = f"{np.count_nonzero(~settled)} of the" if settled.any() else "The"
    rest = "; the others lie on it already" if settled.any() else ""
    return MeasuredSurface(
        xyz=_shifted(measured.xyz, normals, radius, settled),
        sentence=f"{some} measured points are centres of a ball of {2e3 * radius:.6g} mm; they "
        f"were moved to the surface by its radius, against the outgoing normals {which}{rest}.",
    )


def _shifted(xyz: Array, normals: Array, radius: float, settled: Mask) -> Array:
    """Centres moved to the surface; points that are settled stay. # (n, 3) [m]."""
    return np.where(settled[:, None], xyz, compensate_ball(xyz, normals, radius))


def _as_they_are(measured: MeasuredPoints) -> str:
    if not measured.compensated:
        return "The probe is a point: its touches lie on the surface."
    ball = f" for the ball of {2e3 * measured.probe_radius:.6g} mm" if measured.probe_radius else ""
    return f"The measured points lie on the surface; nothing was compensated{ball} here."


def _turned(task: ComparisonTask, xyz: Array, radius: float, settled: Mask) -> Array:
    """The nominal normals where the part really stands. # (n, 3)."""
    normals = task.points.normals
    if task.alignment.method == "none":
        return normals
    turned = normals
    for _ in range(_ROUNDS):
        found = align(task.alignment, _shifted(xyz, turned, radius, settled))
        if found is None:
            break
        turned = normals @ found.T_base_part[:3, :3].T
    return np.asarray(turned / np.linalg.norm(turned, axis=1)[:, None])


def _fitted(task: ComparisonTask, centres: Array) -> Array:
    """Normals of the features that hold the centres: they are parallel to the surface. # (n, 3)."""
    points = task.points
    normals = np.array(points.normals)
    for rows in rows_of_features(points.features).values():
        kind = nominal_feature(points.positions[rows], points.normals[rows]).kind
        if kind in ("freeform", "line3d"):
            continue
        try:
            found = fit(kind, centres[rows], outward=points.normals[rows])
        except FitError:
            continue
        normals[rows] = found.shape.normal(centres[rows])
    return normals
