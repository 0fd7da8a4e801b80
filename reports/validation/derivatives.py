"""Speeds and accelerations, against differences of positions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reports.validation.blocks import by_blocks
from reports.validation.chebyshev import COUNT, NODES, basis
from reports.validation.check import Check, check, scales
from reports.validation.evidence import Evidence

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

RESOLUTION = 1e-7  # of each joint's peak
SPEED = 1e-7  # ten times what the resolution lets differences of q miss
ACCELERATION = 1e-6
POSITION = 1e-9  # [rad]
_ROUNDINGS = 4.0  # in each coefficient; its derivative is n²·2/length times it, Σn² = K³/3
_ROWS = 16_384  # samples compared at once
_NEAR = 1e-9  # [s] a sample this close to a switch may belong to either side of it


def derivative_checks(evidence: Evidence) -> list[Check]:
    """Resolution, differences at the nodes, samples against the resolved motion."""
    motion = evidence.motion
    nodes = basis(NODES)
    speed, acceleration = _peaks(motion.qd), _peaks(motion.qdd)
    by_q = np.matmul(nodes, evidence.c_qd) - motion.qd
    by_qd = np.matmul(nodes, evidence.c_qdd) - motion.qdd
    by_q /= speed + _rounding(motion.q, motion.pieces.length) / SPEED
    by_qd /= acceleration + _rounding(motion.qd, motion.pieces.length) / ACCELERATION
    off = _sample_residuals(evidence, speed, acceleration)
    return [
        check("resolution", motion.roughness, RESOLUTION, "1", _RESOLUTION),
        check("speed from positions", by_q, SPEED, "1", _SPEED),
        check("acceleration from speeds", by_qd, ACCELERATION, "1", _ACCELERATION),
        check("sample joints", off[0], POSITION, "rad", _JOINTS),
        check("sample rates", off[1], ACCELERATION, "1", _RATES),
    ]


_RESOLUTION = (
    "what the polynomials of the smooth pieces may miss of speeds, accelerations, torques and "
    "powers, by their last coefficients and by instants between their nodes; pieces are cut until "
    "it is below 1e-8 of each joint's peak"
)
_SPEED = (
    "differences of q over 24 Chebyshev instants of every piece, one-sided at switches, against "
    "q̇; relative to each joint's peak, to which very short pieces add the rounding that they "
    "magnify. Truncation is bounded by the resolution"
)
_ACCELERATION = (
    "differences of the q̇ so confirmed, likewise, against q̈; relative to each joint's peak"
)
_JOINTS = "q of every sample, against the polynomial of the piece that holds it"
_RATES = (
    "q̇ and q̈ of every sample, against the derivatives of those polynomials; relative to each "
    "joint's peak. Samples within 1 ns of a switch may be of either side and are left out"
)


def _peaks(values: Array) -> Array:
    return scales(np.max(np.abs(values), axis=(0, 1), initial=0.0))


def _rounding(values: Array, lengths: Array) -> Array:
    """What rounding of the values can do to their differences in a short piece. # (P, 1, 1)."""
    size = np.max(np.abs(values), axis=(1, 2), initial=0.0)
    bound = _ROUNDINGS * np.finfo(np.float64).eps * size * (COUNT**3 / 3.0) * 2.0 / lengths
    return np.asarray(bound[:, None, None])


def _sample_residuals(evidence: Evidence, speed: Array, acceleration: Array) -> tuple[Array, Array]:
    """Joints [rad] and relative rates of the samples, less what the polynomials say."""
    samples, pieces = evidence.samples, evidence.motion.pieces
    n = evidence.model.dof
    if len(pieces) == 0:
        return np.zeros((0, n)), np.zeros((0, 2 * n))
    length = pieces.length
    edges = np.append(pieces.start, pieces.start[-1] + length[-1])
    place = np.clip(np.searchsorted(edges, samples.t, side="right") - 1, 0, len(pieces) - 1)
    clear = np.minimum(np.abs(samples.t - edges[place]), np.abs(samples.t - edges[place + 1]))
    size = np.concatenate(
        [
            speed + _rounding(evidence.motion.q, length)[:, 0] / ACCELERATION,
            acceleration + _rounding(evidence.motion.qd, length)[:, 0] / ACCELERATION,
        ],
        axis=1,
    )

    def residuals(rows: slice) -> Array:
        off = _off_polynomials(evidence, place[rows], rows)
        off[:, n:] *= (clear[rows] > _NEAR)[:, None] / size[place[rows]]
        return np.asarray(np.max(np.abs(off).reshape(len(off), 3, n), axis=2))

    worst = by_blocks(residuals, len(place), _ROWS)
    return worst[:, 0], worst[:, 1:]


def _off_polynomials(evidence: Evidence, place: Indices, rows: slice) -> Array:
    """q, qd, qdd of some samples less their pieces' polynomials. # (m, 3n)."""
    samples, pieces = evidence.samples, evidence.motion.pieces
    local = (samples.t[rows] - pieces.origin[place]) - pieces.offset[place]
    T = basis(np.clip(2.0 * local / pieces.length[place] - 1.0, -1.0, 1.0))
    off = np.concatenate([samples.q[rows], samples.qd[rows], samples.qdd[rows]], axis=1)
    # Samples in order of time are runs of one piece each.
    edges = np.flatnonzero(np.diff(place, prepend=-1, append=-1))
    for first, after in pairwise(edges):
        k = place[first]
        c = np.concatenate([evidence.c_q[k], evidence.c_qd[k], evidence.c_qdd[k]], axis=1)
        off[first:after] -= T[first:after] @ c
    return off
