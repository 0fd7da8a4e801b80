"""Every real posture that a platform can be assembled in with given leg lengths.

The 40 solutions of a generic complex platform are followed into this one (coefficient-parameter
continuation, Morgan and Sommese): each isolated posture is the end of at least one of the 40
paths, whatever the geometry. Each end is then certified on its own by ``certificate``: real,
complex, or neither. Special geometries (6-3, 3-3, …) have fewer postures; there the other paths
leave the set of poses (|q|² → 0).

What is proved and what is not: each posture that is returned, and that they differ, is proved. That
none is missing is proved when all 40 ends are certified, since no platform has more isolated ones;
with fewer ends it rests on the paths having been followed rightly, which is checked (no end twice)
but not proved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, freeze_fields
from robots.stewart.certificate import certify, newton_step, with_unit
from robots.stewart.errors import PlatformError
from robots.stewart.forward import HeldPoses
from robots.stewart.modes.ends import PathEnds, path_ends
from robots.stewart.modes.start_system import GENERIC_MODES, start_system
from robots.stewart.modes.study import (
    ScaledGeometry,
    pose_of_parameters,
    quadratic_forms,
    scaled_geometry,
)
from robots.stewart.modes.tracking import make_homotopy, track
from robots.stewart.platform import LEGS, Platform

# (tolerance of the predictor, seed of the start system), from quick to careful
ATTEMPTS = ((1e-4, 1998), (1e-6, 1998), (1e-6, 40))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssemblyModes:
    """The real postures, the highest first, and the account of all 40 paths.

    Args:
        T: T_base_platform of each. # (n, 4, 4)
        residual: largest error of a leg length. # (n,) [m]
        kantorovich: of the certificate, below 1: the smaller the surer. # (n,)
        complex_count: certified solutions that are not real.
        vanished: paths that left the set of poses: the geometry has fewer than 40 postures.
        unresolved: paths without a certified end: a singular posture, or a double one.
        complete: whether all 40 paths are accounted for.
        statement: what the count rests on, in a sentence.
    """

    T: Array
    residual: Array
    kantorovich: Array
    complex_count: int
    vanished: int
    unresolved: int
    complete: bool
    statement: str

    def __post_init__(self) -> None:
        freeze_fields(self, "T", "residual", "kantorovich", dtype=np.float64)

    @property
    def count(self) -> int:
        """Of certified real postures."""
        return len(self.T)


def held_modes(platform: Platform, lengths: ArrayLike) -> HeldPoses:
    """Every pose that leg lengths hold; all are certified. Args: lengths. # (6,) [m]."""
    found = assembly_modes(platform, lengths)
    return HeldPoses(
        T=found.T,
        residual=found.residual,
        certified=np.ones(found.count, dtype=np.bool_),
        statement=found.statement,
    )


def assembly_modes(platform: Platform, lengths: ArrayLike) -> AssemblyModes:
    """All real postures with the given lengths; none at all is an answer too.

    Args:
        platform: limits of strokes and joints are not considered.
        lengths: A to B. # (6,) [m]

    Raises:
        PlatformError: lengths of another shape, not finite, or not positive.

    Source: Wampler 1996 and Husty 1996 (40 solutions); Dietmaier 1998 (all 40 real); numbers of
        stewart.md, items 3 and 4.
    """
    L = _checked_lengths(lengths)
    scaled = scaled_geometry(platform.base_points, platform.platform_points, L)
    outcomes: list[PathEnds] = []
    for tolerance, seed in ATTEMPTS:
        start = start_system(seed)
        paths = track(
            make_homotopy(start.legs, scaled.legs, start.patch), start.x, tolerance=tolerance
        )
        outcomes.append(path_ends(quadratic_forms(scaled.legs), paths))
        if outcomes[-1].unresolved == 0:
            break
    best = min(outcomes, key=lambda ends: (ends.unresolved, -ends.found))
    return _result(best, scaled, platform, L)


def _checked_lengths(lengths: ArrayLike) -> Array:
    L = np.asarray(lengths, dtype=np.float64)
    if L.shape != (LEGS,) or not np.all(np.isfinite(L)) or np.any(L <= 0.0):
        raise PlatformError(
            f"The leg lengths are {L.tolist()}; assembly modes need six positive finite lengths "
            "in metres.",
            lengths=L.tolist(),
        )
    return L


def _result(ends: PathEnds, scaled: ScaledGeometry, platform: Platform, L: Array) -> AssemblyModes:
    forms = quadratic_forms(scaled.legs)
    x = ends.real + newton_step(with_unit(forms), ends.real)
    T = pose_of_parameters(x, scaled)
    order = np.lexsort(np.round(T[:, :3, 3] / scaled.scale, 9).T)[::-1]
    T, x = T[order], x[order]
    v = platform.platform_points @ np.swapaxes(T[:, :3, :3], -1, -2)
    v = v + T[:, None, :3, 3] - platform.base_points
    return AssemblyModes(
        T=T,
        residual=np.max(np.abs(np.linalg.norm(v, axis=-1) - L), axis=-1, initial=0.0),
        kantorovich=certify(forms, x).kantorovich,
        complex_count=ends.complex_count,
        vanished=ends.vanished,
        unresolved=ends.unresolved,
        complete=ends.unresolved == 0,
        statement=_statement(ends),
    )


def _statement(ends: PathEnds) -> str:
    count = f"{len(ends.real)} real and {ends.complex_count} complex postures are certified"
    if ends.found == GENERIC_MODES:
        return f"{count}: {GENERIC_MODES}, the most there can be; the count is proved."
    if ends.unresolved == 0:
        return (
            f"{count}, the other {ends.vanished} of {GENERIC_MODES} paths left the set of poses; "
            "that none is missing rests on the continuation, which is checked but not proved."
        )
    return (
        f"{count}, but {ends.unresolved} of {GENERIC_MODES} paths end without a certificate "
        f"({ends.vanished} left the set of poses): a posture there is singular or nearly double, "
        "so the count is a lower bound."
    )
