"""What feature the nominal points of a name lie on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.fits import Fit, FitError, Shape, fit
from parts.fits.leftover import least_rms
from robots.core.arrays import Array

FREEFORM = "freeform"
_ROUNDED = 2e-6  # [m]: nominal coordinates are printed with a micrometre, some with less
_SHARE = 1e-5  # of the extent, likewise
_TURN = 2e-2  # [rad] of a normal: printed with two digits
_FEWEST = {"sphere": 5, "cylinder": 6, "cone": 7, "torus": 8}  # one more than any five fit
_FLAT = 1e-3  # cosine of a normal that lies in the points' plane
_SAMPLE = 400  # points that can rule a kind out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NominalFeature:
    """A feature as it should be.

    Args:
        kind: one of ``parts.fits.FIT_KINDS`` in space, or "freeform".
        shape: the feature itself; None for "freeform".
    """

    kind: str
    shape: Shape | None = None


def nominal_feature(points: Array, normals: Array) -> NominalFeature:
    """The simplest feature that holds nominal points and their normals.

    Args:
        points: # (k, 3) [m]
        normals: out of the material, unit. # (k, 3)
    """
    extent = float(np.linalg.norm(np.ptp(points, axis=0)))
    tolerance = _ROUNDED + _SHARE * extent
    for kind in _candidates(points, normals, tolerance):
        if _ruled_out(kind, points, tolerance):
            continue
        found = _fitted(kind, points, normals)
        if found is not None and _holds(found, points, normals, tolerance):
            return NominalFeature(kind=kind, shape=found.shape)
    return NominalFeature(kind=FREEFORM)


def _candidates(points: Array, normals: Array, tolerance: float) -> list[str]:
    """Kinds worth a trial, the simplest first."""
    if len(points) < 2:
        return []
    centred = points - points.mean(axis=0)
    _, spread, Vt = np.linalg.svd(centred, full_matrices=False)
    widths = spread / np.sqrt(len(points))
    if len(points) == 2 or widths[1] <= tolerance:
        return ["line3d"]
    kinds: list[str] = []
    if widths[2] <= tolerance:  # (2 points have gone)
        across = np.abs(normals @ Vt[2])
        kinds = ["plane"] if across.min() > 1.0 - _FLAT else []
        kinds += ["circle3d"] if across.max() < _TURN and len(points) > 3 else []
    return kinds + [kind for kind, least in _FEWEST.items() if len(points) >= least]


def _ruled_out(kind: str, points: Array, tolerance: float) -> bool:
    """Whether some of many points say that no feature of a kind holds them all.

    None leaves less on these than their own least squares, and its largest residual on all is no
    less than its root mean square on these.
    """
    if kind not in _FEWEST or len(points) <= 2 * _SAMPLE:
        return False
    rows = np.linspace(0, len(points) - 1, _SAMPLE).astype(np.intp)
    try:
        return least_rms(kind, points[rows]) > tolerance
    except FitError:
        return False


def _fitted(kind: str, points: Array, normals: Array) -> Fit | None:
    """The fit; None where the points do not hold it: another kind is tried then."""
    try:
        return fit(kind, points, outward=normals) if kind != "line3d" else fit(kind, points)
    except FitError:
        return None


def _holds(found: Fit, points: Array, normals: Array, tolerance: float) -> bool:
    if float(np.abs(found.residuals).max()) > tolerance:
        return False
    if found.kind == "line3d":
        return True
    turns = np.einsum("ij,ij->i", found.shape.normal(points), normals)
    return bool(turns.min() > np.cos(_TURN))
