"""Sorts the ends of the 40 paths: certified real, certified complex, vanished, unresolved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.stewart.certificate import certify, newton_step, with_unit
from robots.stewart.modes.study import Numbers
from robots.stewart.modes.tracking import TrackedPaths

VANISHING = 1e-5  # |q|² / |x|² below which a stalled path is on its way out of the set of poses
LATEST = 0.99  # a path that stalls before this was lost, wherever it seemed to go
NEARLY_REAL = 1e-4  # imaginary parts below which a real posture is looked for
REFINEMENTS = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PathEnds:
    """Where the 40 paths lead.

    Args:
        real: certified and pairwise distinct, |q| = 1. # (n, 8)
        complex_count: certified, pairwise distinct and certainly not real.
        vanished: paths that left the set of poses.
        unresolved: what is left of the 40.
    """

    real: Array
    complex_count: int
    vanished: int
    unresolved: int

    @property
    def found(self) -> int:
        """All certified solutions."""
        return len(self.real) + self.complex_count


def path_ends(forms: Numbers, paths: TrackedPaths) -> PathEnds:
    """Refine, certify and count.

    Args:
        forms: of the platform. # (7, 8, 8) real
        paths: into that platform.
    """
    x, gone = _on_unit_quaternions(paths)
    x = _refined(forms.astype(np.complex128), x[~gone])
    flat = np.max(np.abs(x.imag), axis=-1, initial=0.0) < NEARLY_REAL
    real = _refined(forms, x[flat].real)
    proof, complex_proof = certify(forms, real), certify(forms, x[~flat])
    # A zero within r of x is not real if x is further than r from everything real up to sign:
    # a real posture's parameters with |q|² = 1 are real.
    away = np.linalg.norm(x[~flat].imag, axis=-1) > complex_proof.radius
    sound = complex_proof.holds & away
    kept = _separate(real[proof.holds], proof.radius[proof.holds])
    others = _separate(x[~flat][sound], complex_proof.radius[sound])
    vanished = int(np.sum(gone))
    return PathEnds(
        real=kept,
        complex_count=len(others),
        vanished=vanished,
        unresolved=len(paths.x) - vanished - len(kept) - len(others),
    )


def _on_unit_quaternions(paths: TrackedPaths) -> tuple[Numbers, Numbers]:
    """Scale to |q|² = 1, and which paths cannot be, because |q|² vanishes at their end."""
    q = paths.x[:, :4]
    square = np.sum(q * q, axis=-1)
    size = np.sum(np.abs(paths.x) ** 2, axis=-1)
    near = (paths.t > LATEST) & ~paths.arrived
    gone = near & (np.abs(square) < VANISHING * size)
    return paths.x / np.sqrt(np.where(gone, 1.0, square))[:, None], gone


def _refined(forms: Numbers, x: Numbers) -> Numbers:
    """Newton at full precision; where it meets a singular matrix x stays as it is."""
    Q = with_unit(forms)
    for _ in range(REFINEMENTS):
        try:
            x = x + newton_step(Q, x)
        except np.linalg.LinAlgError:
            return x
    return x


def _separate(x: Numbers, radius: Numbers) -> Numbers:
    """Those whose ball meets no earlier one's; x and −x are the same posture."""
    kept: list[int] = []
    for k in range(len(x)):
        gaps = (
            min(np.linalg.norm(x[k] - x[j]), np.linalg.norm(x[k] + x[j])) - radius[k] - radius[j]
            for j in kept
        )
        if all(gap > 0.0 for gap in gaps):
            kept.append(k)
    return x[kept]
