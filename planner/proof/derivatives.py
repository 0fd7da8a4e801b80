"""Speeds and accelerations, against differences of positions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from planner.plan import Samples, SegmentKind
from planner.proof.chebyshev import COUNT, NODES, basis
from planner.proof.check import Check, Worst, check, scales
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.recovered_rates import recovered_rates
from planner.proof.resolved_motion import ResolvedMotion
from robots.core.arrays import Array, Indices
from robots.core.motion.joint_motion import REST

RESOLUTION = 1e-7  # of each joint's peak
SPEED = 1e-7  # ten times what the resolution lets differences of q miss
ACCELERATION = 1e-6
POSITION = 1e-9  # [rad]
_ROUNDINGS = 4.0  # in each coefficient; its derivative is n²·2/length times it, Σn² = K³/3
_SINGULAR = 1e6  # beyond this condition number a line has no business being in a plan
_NEAR = 1e-9  # [s] a sample this close to a switch may belong to either side of it
_BASIS: Array = basis(NODES)


class Derivatives(CheckGroup):
    """Resolution, differences at the nodes, samples against the resolved motion.

    Args:
        evidence: the plan and the scale of its rates.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._speed = scales(evidence.survey.speed)
        self._acceleration = scales(evidence.survey.acceleration)
        self._passage: Passage | None = None
        self._worst = [Worst() for _ in range(5)]

    def on_segments(self, passage: Passage) -> None:
        """Polynomials of the pieces, against the rates that the motion states."""
        self._passage, motion = passage, passage.motion
        length = motion.pieces.length
        by_q = self._relative(
            passage,
            np.matmul(_BASIS, passage.c_qd) - motion.qd,
            _position_noise(motion),
            (self._speed, SPEED),
        )
        by_qd = self._relative(
            passage,
            np.matmul(_BASIS, passage.c_qdd) - motion.qdd,
            rounding(motion.qd, length),
            (self._acceleration, ACCELERATION),
        )
        locate = self._evidence.in_pieces(motion.pieces, NODES)
        for worst, residuals in zip(self._worst, (motion.roughness, by_q, by_qd), strict=False):
            worst.take(residuals, locate)

    def on_samples(self, samples: Samples) -> None:
        """Joints and rates of samples, less what the polynomials say."""
        if self._passage is None or len(self._passage.motion.pieces) == 0:
            return
        passage, motion = self._passage, self._passage.motion
        pieces = motion.pieces
        n = samples.q.shape[1]
        edges = np.append(pieces.start, passage.end)
        place = np.clip(np.searchsorted(edges, samples.t, side="right") - 1, 0, len(pieces) - 1)
        clear = np.minimum(np.abs(samples.t - edges[place]), np.abs(samples.t - edges[place + 1]))
        off = _off_polynomials(passage, place, samples)
        off[:, n:] *= (clear > _NEAR)[:, None]
        locate = self._evidence.in_samples(samples)
        self._worst[3].take(off[:, :n], locate)
        noise = (_position_noise(motion), rounding(motion.qd, pieces.length))
        for k, scale in enumerate((self._speed, self._acceleration)):
            rate, rough = off[:, (k + 1) * n : (k + 2) * n], noise[k][place, 0]
            found = rate / (scale + rough / ACCELERATION)
            beyond = np.flatnonzero(np.any(np.abs(found) > ACCELERATION, axis=1))
            if beyond.size:
                kappa = self._condition(passage, place[beyond])[:, None]
                found[beyond] = rate[beyond] / (scale + rough[beyond] * kappa / ACCELERATION)
            self._worst[4].take(found, locate)

    def _relative(
        self, passage: Passage, off: Array, noise: Array, allowed: tuple[Array, float]
    ) -> Array:
        """Residuals over each joint's peak and what rounding may do to them. # (P, K, n).

        Along a line the joints' values themselves are known to ε·κ only, where κ is the condition
        of the task. It is looked up for the pieces that would not pass without it.
        """
        scale, limit = allowed
        found = off / (scale + noise / limit)
        beyond = np.flatnonzero(np.any(np.abs(found) > limit, axis=(1, 2)))
        if beyond.size:
            kappa = self._condition(passage, beyond)[:, None, None]
            found[beyond] = off[beyond] / (scale + noise[beyond] * kappa / limit)
        return found

    def _condition(self, passage: Passage, rows: Indices) -> Array:
        """Condition number of the task in the middle of pieces of lines; 1 in travels. # (p,)."""
        motion, plan = passage.motion, self._evidence.plan
        middle = len(NODES) // 2
        state = motion.q[rows, middle], motion.qd[rows, middle], motion.qdd[rows, middle]
        kappa = np.full(rows.size, _SINGULAR)
        known = recovered_rates(self._evidence.model, state)
        kappa[known.rows] = np.clip(known.condition, 1.0, _SINGULAR)
        line = [
            plan.timeline[i].kind is not SegmentKind.TRAVEL for i in motion.pieces.segment[rows]
        ]
        return np.where(np.array(line) & ~np.isnan(kappa), kappa, 1.0)

    def checks(self) -> list[Check]:
        """Of joints and their rates."""
        resolution, by_q, by_qd, joints, rates = self._worst
        return [
            check("resolution", resolution, RESOLUTION, "1", _RESOLUTION),
            check("speed from positions", by_q, SPEED, "1", _SPEED),
            check("acceleration from speeds", by_qd, ACCELERATION, "1", _ACCELERATION),
            check("sample joints", joints, POSITION, "rad", _JOINTS),
            check("sample rates", rates, ACCELERATION, "1", _RATES),
        ]


_RESOLUTION = (
    "what the polynomials of the smooth pieces may miss of speeds, accelerations, torques and "
    "powers, by their last coefficients and by instants between their nodes; pieces are cut until "
    "it is below 1e-8 of each joint's peak"
)
_SPEED = (
    "differences of q over 24 Chebyshev instants of every piece, one-sided at switches, against "
    "q̇; relative to each joint's peak, to which very short pieces add the rounding that they "
    "magnify; of a joint at rest, what counts as rest. Truncation is bounded by the resolution"
)
_ACCELERATION = (
    "differences of the q̇ so confirmed, likewise, against q̈; relative to each joint's peak"
)
_JOINTS = "q of every sample, against the polynomial of the piece that holds it"
_RATES = (
    "q̇ and q̈ of every sample, against the derivatives of those polynomials; relative to each "
    "joint's peak. Samples within 1 ns of a switch may be of either side and are left out"
)


def _position_noise(motion: ResolvedMotion) -> Array:
    """What may differ from speeds in differences of positions: rounding, and rest. # (P, 1, n).

    A joint at rest, of speed zero, may still be moved by what counts as rest.
    """
    length = motion.pieces.length
    still = np.all(motion.qd == 0.0, axis=1)
    drift = np.where(still, 4.0 * REST / length[:, None], 0.0)
    return np.asarray(rounding(motion.q, length) + drift[:, None, :])


def rounding(values: Array, lengths: Array) -> Array:
    """What rounding of the values can do to their differences in a short piece. # (P, 1, 1)."""
    size = np.max(np.abs(values), axis=(1, 2), initial=0.0)
    bound = _ROUNDINGS * np.finfo(np.float64).eps * size * (COUNT**3 / 3.0) * 2.0 / lengths
    return np.asarray(bound[:, None, None])


def _off_polynomials(passage: Passage, place: Indices, samples: Samples) -> Array:
    """q, qd, qdd of samples less their pieces' polynomials. # (m, 3n)."""
    pieces = passage.motion.pieces
    local = (samples.t - pieces.origin[place]) - pieces.offset[place]
    T = basis(np.clip(2.0 * local / pieces.length[place] - 1.0, -1.0, 1.0))
    off = np.concatenate([samples.q, samples.qd, samples.qdd], axis=1)
    # Samples in order of time are runs of one piece each.
    edges = np.flatnonzero(np.diff(place, prepend=-1, append=-1))
    for first, after in pairwise(edges):
        k = place[first]
        c = np.concatenate([passage.c_q[k], passage.c_qd[k], passage.c_qdd[k]], axis=1)
        off[first:after] -= T[first:after] @ c
    return off
