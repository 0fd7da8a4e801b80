"""The motion as polynomials: what is true between samples follows from them.

Every smooth piece is asked at Chebyshev's instants for the exact state, and at witnesses between
them. A piece whose last coefficients, or whose witnesses, show more than the tolerance is cut and
asked again; so a bump that any instant meets is followed to its top. A cut in the middle smooths
what is smooth by orders of magnitude; where it does not, the next cut is at the kink. What is left
is the check "resolution", and the bound of what the polynomials can miss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.plan import Plan
from planner.proof.chebyshev import NODES, WITNESSES, at_ends, basis, coefficients, row_values
from planner.proof.smooth_pieces import SmoothPieces, states_at
from planner.proof.survey import LagrangeTorques, Survey, by_blocks
from robots.core.arrays import Array, Mask

TOLERANCE = 1e-8  # of each joint's peak
_TAIL = 3  # last coefficients looked at: symmetric functions have every second one zero
_DEEPEST = 40  # cuts of one piece
_MOST = 64  # pieces that one may become on average, so that a motion without end of bends ends
_FEW = 4096  # pieces that are never too many
_ROWS = 1024  # pieces resolved at once
_KINKED = 0.03  # a cut that leaves more than this part of the roughness has met a kink
# A piece below this that a run of cuts does not smooth is as smooth as rounding allows. One cut
# says nothing: beside a sharp bend, as near a singularity, the roughness falls slowly at first.
_ROUNDING = 1e-5
_RUN = 5
_SLIVER = 1e-9  # of a segment
_STILL = 1e-9  # of a joint's fastest speed in a piece: what turns no faster is not cut
_AT_REST = 1e-6  # likewise, at the ends of a piece
_BISECTIONS = 55
_PLACES: Array = np.concatenate([[-1.0], NODES, [1.0]])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResolvedMotion:
    """Values at ``NODES`` of every piece, pieces in order of time; torques by Lagrange.

    Args:
        pieces: where they are.
        q: # (P, K, n) [rad]
        qd: # (P, K, n) [rad/s]
        qdd: # (P, K, n) [rad/s²]
        tau: # (P, K, n) [N m]
        side: sign of the speed that dry friction acts against. # (P, n)
        roughness: worst tail or departure of a witness, over the joint's peak. # (P,)
    """

    pieces: SmoothPieces
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    side: Array
    roughness: Array

    @property
    def power(self) -> Array:
        """Of each joint. # (P, K, n) [W]."""
        return np.asarray(self.tau * self.qd)


def resolve(
    plan: Plan, pieces: SmoothPieces, torques: LagrangeTorques, survey: Survey
) -> ResolvedMotion:
    """Cut pieces until every one is a polynomial to within ``TOLERANCE``.

    Args:
        plan: to be asked.
        pieces: to begin with, in order of time.
        torques: of its robot.
        survey: of its motion.
    """
    most = max(_MOST * len(pieces), _FEW)
    seconds = np.array([segment.duration for segment in plan.timeline])
    found = [_asked(plan, pieces.take(slice(0, 0)), torques)]
    before, at_kink = np.full(len(pieces), np.inf), np.zeros(len(pieces), dtype=bool)
    run = np.zeros(len(pieces), dtype=np.int64)  # cuts one after another that smoothed nothing
    for depth in range(_DEEPEST + 1):
        if len(pieces) == 0:
            break
        motion = _asked(plan, pieces, torques)
        motion = replace(motion, roughness=_all_roughness(plan, motion, survey))
        rough, stuck = motion.roughness > TOLERANCE, motion.roughness > _KINKED * before
        run = np.where(motion.roughness > 0.5 * before, run + 1, 0)
        hopeless = (run >= _RUN) & (motion.roughness < _ROUNDING)
        # Turns are told by a polynomial that fits. What is left beside one may be a sliver whose
        # speeds are noise: it is not cut again.
        tellable = (~rough | hopeless) & (pieces.length > _SLIVER * seconds[pieces.segment])
        turning = turns(motion.qd, torques.coulomb) & tellable[:, None]
        cut = (rough & ~hopeless) | np.any(turning, axis=1)
        made = sum(len(part.pieces) for part in found) + len(pieces)
        if depth == _DEEPEST or made + np.count_nonzero(cut) > most:
            cut[:] = False
        found.append(_taken(motion, ~cut))
        # Beside a sharp bend only halving helps, so no piece is cut at its kink twice in a row.
        at_kink = (stuck & rough & ~at_kink & ~np.any(turning, axis=1))[cut]
        x = cutting_places(motion.qd[cut], turning[cut])
        pieces = pieces.take(cut)
        x[at_kink] = kinks(plan, pieces.take(at_kink), survey)
        pieces, at_kink, run = pieces.parts(x), np.tile(at_kink, 2), np.tile(run[cut], 2)
        before = np.tile(motion.roughness[cut], 2)
    return _joined(found)


def _asked(plan: Plan, pieces: SmoothPieces, torques: LagrangeTorques) -> ResolvedMotion:
    """States and torques at the nodes of some pieces."""
    q, qd, qdd = states_at(plan, pieces, NODES)
    side = sides(qd)
    return ResolvedMotion(
        pieces=pieces,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=torques.smooth(q, qd, qdd) + torques.coulomb * side[:, None, :],
        side=side,
        roughness=np.zeros(len(pieces)),
    )


def _all_roughness(plan: Plan, motion: ResolvedMotion, survey: Survey) -> Array:
    def some(rows: slice) -> Array:
        return _roughness(plan, _taken(motion, rows), survey)

    return by_blocks(some, len(motion.pieces), _ROWS)


def _roughness(plan: Plan, motion: ResolvedMotion, survey: Survey) -> Array:
    """Worst part of a column's peak that the polynomial of a piece may miss. # (P,)."""
    n = motion.q.shape[-1]
    columns = (motion.qd, motion.qdd, motion.tau, motion.power, motion.q)
    c = coefficients(np.concatenate(columns, axis=-1))
    peaks = np.concatenate([survey.resolution, np.ones(n)])
    tail = np.max(np.abs(c[:, -_TAIL:]) / peaks, axis=(1, 2), initial=0.0)
    q, qd, qdd = states_at(plan, motion.pieces, WITNESSES)
    expected = np.matmul(basis(WITNESSES), c[..., [*range(2 * n), *range(4 * n, 5 * n)]])
    off = np.abs(np.concatenate([qd, qdd, q], axis=-1) - expected)
    off = np.max(off / np.concatenate([peaks[: 2 * n], peaks[4 * n :]]), axis=(1, 2))
    return np.asarray(np.maximum(tail, off))


def _taken(motion: ResolvedMotion, rows: Mask | slice) -> ResolvedMotion:
    return ResolvedMotion(
        pieces=motion.pieces.take(rows),
        q=motion.q[rows],
        qd=motion.qd[rows],
        qdd=motion.qdd[rows],
        tau=motion.tau[rows],
        side=motion.side[rows],
        roughness=motion.roughness[rows],
    )


def _joined(parts: Sequence[ResolvedMotion]) -> ResolvedMotion:
    """All parts, in order of time."""
    pieces = SmoothPieces(
        **{
            name: np.concatenate([getattr(part.pieces, name) for part in parts])
            for name in ("segment", "origin", "offset", "length")
        }
    )
    order = np.argsort(pieces.start, kind="stable")
    values = {
        name: np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("q", "qd", "qdd", "tau", "side", "roughness")
    }
    return ResolvedMotion(pieces=pieces.take(order), **values)


def sides(qd: Array) -> Array:
    """Sign of each joint's speed in a piece, zero where it is at rest. # (P, n)."""
    largest = np.take_along_axis(qd, np.argmax(np.abs(qd), axis=1)[:, None, :], axis=1)[:, 0]
    return np.asarray(np.sign(largest))


def turns(qd: Array, coulomb: Array) -> Mask:
    """Joints with dry friction that change direction inside a piece. # (P, n)."""
    least = _STILL * np.max(np.abs(qd), axis=1)
    values = _with_ends(qd)
    both = (np.max(values, axis=1) > least) & (np.min(values, axis=1) < -least)
    return np.asarray(both & (coulomb > 0.0))


def _with_ends(qd: Array) -> Array:
    """Speeds at ``_PLACES``: joints may turn before the first node. # (P, K + 2, n).

    An end that is all but at rest has the sign of rounding and counts as what it is next to.
    """
    first, last = at_ends(coefficients(qd))
    small = _AT_REST * np.max(np.abs(qd), axis=1)
    first = np.where(np.abs(first) <= small, qd[:, 0], first)
    last = np.where(np.abs(last) <= small, qd[:, -1], last)
    return np.concatenate([first[:, None], qd, last[:, None]], axis=1)


def cutting_places(qd: Array, turning: Mask) -> Array:
    """The middle, or where the first joint with dry friction turns. # (P,)."""
    x = np.zeros(len(qd))
    rows = np.nonzero(np.any(turning, axis=1))[0]
    joints = np.argmax(turning[rows], axis=1)
    c = coefficients(qd[rows])[np.arange(rows.size), :, joints]
    values = _with_ends(qd[rows])[np.arange(rows.size), :, joints]
    signs = np.sign(values)
    at = np.argmax(signs[:, 1:] != signs[:, :-1], axis=1)
    low, high, before = _PLACES[at], _PLACES[at + 1], signs[np.arange(rows.size), at]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        left = np.sign(row_values(c, middle[:, None])[:, 0]) == before
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    x[rows] = 0.5 * (low + high)
    return x


# ------------------------------------------------------------------------------------------- Kinks
# Zooming: the largest of the fourth differences runs over it. A jump of a state, or of its slope,
# outweighs all that is smooth as steps shrink; before that a wrong guess only cuts a smooth piece
# in two.

_CELLS = 32
_ORDER = 4  # of the differences, so each runs over four cells
_ZOOMS = 11  # eight times narrower each: to 1e-10 of the piece
_STEPS: Array = np.linspace(0.0, 1.0, _CELLS + 1)


def kinks(plan: Plan, pieces: SmoothPieces, survey: Survey) -> Array:
    """Place of the sharpest jump or bend inside every piece. # (P,) in (-1, 1).

    Args:
        plan: to be asked.
        pieces: that hold one.
        survey: for the sizes of speeds and accelerations.
    """
    size = np.concatenate([np.ones_like(survey.speed), survey.speed, survey.acceleration])
    size = np.where(size > 0.0, size, 1.0)
    return by_blocks(lambda rows: _zoomed(plan, pieces.take(rows), size), len(pieces), _ROWS)


def _zoomed(plan: Plan, pieces: SmoothPieces, size: Array) -> Array:
    # Beyond the first and last node nothing is ever asked, so no kink can be told there.
    low, high = np.full(len(pieces), NODES[0]), np.full(len(pieces), NODES[-1])
    for _ in range(_ZOOMS):
        x = low[:, None] + (high - low)[:, None] * _STEPS
        values = np.concatenate(states_at(plan, pieces, x), axis=2) / size
        bends = np.max(np.abs(np.diff(values, n=_ORDER, axis=1)), axis=2, initial=0.0)
        first = np.argmax(bends, axis=1)
        step = (high - low) / _CELLS
        low, high = low + first * step, low + (first + _ORDER) * step
    return np.asarray(0.5 * (low + high))
