"""The motion as polynomials: what is true between samples follows from them.

Every smooth piece is asked at Chebyshev's instants for the exact state, and at witnesses between
them. A piece whose last coefficients, or whose witnesses, show more than the tolerance is cut and
asked again; so a bump that any instant meets is followed to its top. What is left is the check
"resolution", and the bound of what the polynomials can miss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.plan_types import Plan
from reports.validation.blocks import by_blocks
from reports.validation.chebyshev import COUNT, NODES, WITNESSES, basis, coefficients
from reports.validation.check import scales
from reports.validation.dry_friction import cutting_places, sides, turns
from reports.validation.lagrange_torques import LagrangeTorques
from reports.validation.smooth_pieces import Pieces, smooth_pieces
from robots.core.model import Model

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TOLERANCE = 1e-8  # of each joint's peak
_TAIL = 3  # last coefficients looked at: symmetric functions have every second one zero
_DEEPEST = 12  # cuts of one piece
_ROWS = 1024  # pieces judged at once
_ROUNDING = 1e-5  # a piece below this that its cut does not smooth is as smooth as rounding allows


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

    pieces: Pieces
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Watched:
    """What roughness is measured against.

    Args:
        speed: of each joint. # (n,) [rad/s]
        peaks: of speeds (a part of them), accelerations, torques and powers. # (4n,)
    """

    speed: Array
    peaks: Array


def resolve(plan: Plan, model: Model, torques: LagrangeTorques) -> ResolvedMotion:
    """Cut the motion until every piece is a polynomial to within ``TOLERANCE``."""
    pieces = smooth_pieces(plan, model)
    before = np.full(len(pieces), np.inf)
    found = [_asked(plan, pieces.take(np.zeros(0, dtype=np.int64)), torques, None)]
    watched: Watched | None = None
    for depth in range(_DEEPEST + 1):
        if len(pieces) == 0:
            break
        motion = _asked(plan, pieces, torques, watched)
        watched = watched or _watched(motion)
        motion = replace(motion, roughness=_all_roughness(plan, motion, watched))
        turning = turns(motion.qd, watched.speed, torques.coulomb)
        rough = motion.roughness > TOLERANCE
        hopeless = (motion.roughness < _ROUNDING) & (motion.roughness > 0.5 * before)
        cut = ((rough & ~hopeless) | np.any(turning, axis=1)) & (depth < _DEEPEST)
        found.append(_taken(motion, ~cut))
        pieces = pieces.take(cut).halves(cutting_places(motion.qd[cut], turning[cut]))
        before = np.tile(motion.roughness[cut], 2)
    return _joined(found)


def states_at(plan: Plan, pieces: Pieces, x: Array) -> tuple[Array, Array, Array]:
    """q, qd, qdd at places x of every piece. # (m,) -> (P, m, n) each.

    An instant late in a long job is a multiple of a coarse step of floating point; the state is
    carried over the small rest of time, so that differences are not spoiled by it.
    """
    if len(pieces) == 0:  # a plan without segments has no state to ask for
        nothing = np.zeros((0, len(x), plan.job.mechanism.dof))
        return nothing, nothing, nothing
    local = pieces.offset[:, None] + pieces.length[:, None] * (0.5 * (x + 1.0))
    t = pieces.origin[:, None] + local
    late = (t - pieces.origin[:, None]) - local
    state = plan.trajectory.state(t.ravel())
    shape = (*t.shape, plan.job.mechanism.dof)
    q, qd, qdd = (np.asarray(a).reshape(shape) for a in (state.q, state.qd, state.qdd))
    return q - qd * late[..., None], qd - qdd * late[..., None], qdd


def _asked(
    plan: Plan, pieces: Pieces, torques: LagrangeTorques, watched: Watched | None
) -> ResolvedMotion:
    """States and torques at the nodes of some pieces."""
    q, qd, qdd = states_at(plan, pieces, NODES)
    speed = (
        scales(np.max(np.abs(qd), axis=(0, 1), initial=0.0)) if watched is None else watched.speed
    )
    side = sides(qd, speed)
    return ResolvedMotion(
        pieces=pieces,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=torques.smooth(q, qd, qdd) + torques.coulomb * side[:, None, :],
        side=side,
        roughness=np.zeros(len(pieces)),
    )


def _watched(motion: ResolvedMotion) -> Watched:
    columns = (motion.qd, motion.qdd, motion.tau, motion.power)
    peaks = [scales(np.max(np.abs(a), axis=(0, 1))) for a in columns]
    # Differences of q miss up to K times as much of qd as its own polynomial does.
    return Watched(speed=peaks[0], peaks=np.concatenate([peaks[0] / COUNT, *peaks[1:]]))


def _all_roughness(plan: Plan, motion: ResolvedMotion, watched: Watched) -> Array:
    def some(rows: slice) -> Array:
        return _roughness(plan, _taken(motion, rows), watched)

    return by_blocks(some, len(motion.pieces), _ROWS)


def _roughness(plan: Plan, motion: ResolvedMotion, watched: Watched) -> Array:
    """Worst part of a column's peak that the polynomial of a piece may miss. # (P,)."""
    n = motion.q.shape[-1]
    columns = (motion.qd, motion.qdd, motion.tau, motion.power, motion.q)
    c = coefficients(np.concatenate(columns, axis=-1))
    peaks = np.concatenate([watched.peaks, np.ones(n)])
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
    pieces = Pieces(
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
