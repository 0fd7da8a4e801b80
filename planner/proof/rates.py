"""Joint speeds and accelerations: against differences of positions, and by inverse models."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.plan import Samples, SegmentKind
from planner.proof.chebyshev import COUNT, NODES, at_ends, basis, coefficients
from planner.proof.check import Check, Location, Worst, check, scales
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.resolved_motion import ResolvedMotion, roughness, roughness_scale
from robots.arm.inverse import task_bias, task_jacobian
from robots.core.arrays import Array, Indices
from robots.core.model import Model
from robots.core.motion.joint_motion import REST

RESOLUTION = 1e-7  # of each joint's peak
SPEED = 1e-7  # ten times what the resolution lets differences of q miss
ACCELERATION = 1e-6
POSITION = 1e-9  # [rad]
_ROUNDINGS = 4.0  # in each coefficient; its derivative is n²·2/length times it, Σn² = K³/3
_SINGULAR = 1e6  # beyond this condition number a line has no business being in a plan
_NEAR = 1e-9  # [s] a sample this close to a switch may belong to either side of it
_BASIS: Array = basis(NODES)
_RESOLUTION = (
    "what the polynomials of the smooth pieces may miss of speeds, accelerations, torques and "
    "powers, by their last coefficients and by instants between their nodes; pieces are cut until "
    "it is below 1e-8 of each joint's peak, to which lines whose task is ill-conditioned add the "
    "rounding that it magnifies"
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
Motion = tuple[Array, Array, Array]


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
        resolution = self._resolution(passage)
        for worst, residuals in zip(self._worst, (resolution, by_q, by_qd), strict=False):
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
        near = np.flatnonzero(clear <= _NEAR)
        off[near, n:] = _off_edges(passage, edges, samples, near)
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

    def _resolution(self, passage: Passage) -> Array:
        """What the polynomials miss, over each joint's peak and the rounding in it. # (P,).

        The values of all joints, and with them their rates, are known to ε·κ of the largest only:
        a joint that hardly moves beside others shows it.
        """
        motion, found = passage.motion, passage.motion.roughness.copy()
        beyond = np.flatnonzero(~(found <= RESOLUTION))
        if beyond.size:
            some, kappa = motion.take(beyond), self._condition(passage, beyond)
            noise = _ROUNDINGS * np.finfo(np.float64).eps * kappa[:, None] * _sizes(some)
            peaks = roughness_scale(self._evidence.survey) + noise / RESOLUTION
            found[beyond] = roughness(self._evidence.plan, some, peaks)
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

    def on_nodes(self) -> list[Check]:
        """Of the motion between samples."""
        resolution, by_q, by_qd = self._worst[:3]
        return [
            check("resolution", resolution, RESOLUTION, "1", _RESOLUTION),
            check("speed from positions", by_q, SPEED, "1", _SPEED),
            check("acceleration from speeds", by_qd, ACCELERATION, "1", _ACCELERATION),
        ]

    def checks(self) -> list[Check]:
        """Of joints and their rates."""
        joints, rates = self._worst[3:]
        return [
            *self.on_nodes(),
            check("sample joints", joints, POSITION, "rad", _JOINTS),
            check("sample rates", rates, ACCELERATION, "1", _RATES),
        ]


def _sizes(motion: ResolvedMotion) -> Array:
    """Largest speed, acceleration, torque, power and value of any joint in a piece. # (P, 5n)."""
    speed, acceleration, torque, place = (
        np.max(np.abs(values), axis=(1, 2), initial=0.0)
        for values in (motion.qd, motion.qdd, motion.tau, motion.q)
    )
    sizes = (speed, np.maximum(acceleration, speed * speed), torque, torque * speed, place)
    return np.repeat(np.stack(sizes, axis=1), motion.q.shape[2], axis=1)


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


def _off_edges(passage: Passage, edges: Array, samples: Samples, rows: Indices) -> Array:
    """qd, qdd of samples at edges of pieces, less the nearest of what the pieces there say.

    At an edge a row means one of both sides, or a sliver that rounding has left between them. A
    derivative of a polynomial is inexact there, so it is the polynomials of the rates themselves
    that are asked; elsewhere those are proven to be the derivatives. The other side of the first
    and the last edge is another passage's, and free. # (m, 2n).
    """
    motion, t = passage.motion, samples.t[rows]
    rates = np.concatenate([samples.qd, samples.qdd], axis=1)[rows]
    first = np.maximum(np.searchsorted(edges, t - _NEAR) - 1, 0)
    last = np.minimum(np.searchsorted(edges, t + _NEAR, side="right"), len(edges) - 1) - 1
    nearest = np.full(rates.shape, np.inf)
    for step in range(int(np.max(last - first, initial=-1)) + 1):
        piece = np.minimum(first + step, last)
        values = np.concatenate([motion.qd[piece], motion.qdd[piece]], axis=2)
        start, end = at_ends(coefficients(values))
        ends = t - edges[piece] > edges[piece + 1] - t
        off = rates - np.where(ends[:, None], end, start)
        nearest = np.where(np.abs(off) < np.abs(nearest), off, nearest)
    free = (t - edges[0] <= _NEAR) | (edges[-1] - t <= _NEAR)
    return np.asarray(np.where(free[:, None], 0.0, nearest))


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


# ---------------------------------------------------------------------------------- Inverse models
# Source: [LAMMARI12] figures 9-14 and 33-38, where the same comparison leaves 0.03 to 0.1 %

LIMIT = 1e-9
_CHOSEN = np.array([1, 8, 15, 22])  # of the 24 instants of a piece
_PER_CONDITION = 1e-14  # rounding of J that a condition number magnifies
_QUIET = 1e-4  # a plateau has no acceleration: residuals there are parts of the motion's largest
_INVERSE_MODELS_SINGULAR = 1e10  # beyond this condition number no joint rates follow from the task


class InverseModels(CheckGroup):
    """Joint speeds and accelerations recovered from what forward models say of the tool.

    Args:
        evidence: the plan and forward models.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence, self._model = evidence, evidence.model
        self._first, self._second = Worst(), Worst()
        self._left_out = 0

    def on_segments(self, passage: Passage) -> None:
        """Four instants of every piece."""
        motion, n = passage.motion, self._model.dof
        q, qd, qdd = (a[:, _CHOSEN].reshape(-1, n) for a in (motion.q, motion.qd, motion.qdd))
        found = recovered_rates(self._model, (q, qd, qdd))
        self._left_out += len(q)
        qd, qdd, condition = found.qd, found.qdd, found.condition
        used = ~(condition >= _INVERSE_MODELS_SINGULAR)
        places = np.arange(found.rows.size)[used]

        def locate(index: tuple[int, ...]) -> Location:
            row, k = divmod(int(found.rows[places[index[0]]]), len(_CHOSEN))
            at = (row, int(_CHOSEN[k]), index[1])
            return self._evidence.in_pieces(motion.pieces, NODES)(at)

        lenience = np.maximum(1.0, condition * _PER_CONDITION / LIMIT)[used, None]
        self._left_out -= int(np.count_nonzero(used))
        self._first.take(_relative(found.first, qd)[used] / lenience, locate)
        terms = np.maximum(np.abs(qdd), qd * qd)
        self._second.take(_relative(found.second, terms)[used] / lenience, locate)

    def checks(self) -> list[Check]:
        """Of both orders."""
        where = (
            f"at 4 instants of every smooth piece; where the condition number of the task Jacobian "
            f"passes {LIMIT / _PER_CONDITION:.0e} the residual is divided in proportion; "
            f"{self._left_out} singular instants left out"
        )
        more = "; of more joints than five, the part that the motion of the tool determines"
        unseen = more if self._model.dof > 5 else ""
        return [
            check(
                "inverse model, first order",
                self._first,
                LIMIT,
                "1",
                f"joint speeds from the ball's velocity and the stylus's turning, against q̇, "
                f"{where}{unseen}",
            ),
            check(
                "inverse model, second order",
                self._second,
                LIMIT,
                "1",
                f"joint accelerations from those of ball and stylus, against q̈, relative to q̈ or "
                f"q̇² whichever is larger, {where}{unseen}",
            ),
        ]


def _relative(residual: Array, terms: Array) -> Array:
    """Residuals over the largest of the terms that make them up, instant by instant."""
    size = scales(np.max(np.abs(terms), axis=1, initial=0.0), _QUIET)
    return np.asarray(residual / size[:, None])


# --------------------------------------------------------------------------------- Recovered rates
# Five joints follow from the ball and the stylus's direction. A robot of more joints shows the
# whole motion of its tool; what moves its joints but not the tool cannot be seen there, so of their
# rates only the part that the tool's motion determines is found.

_TASK = 5
_LOST = 1e-10  # of the largest singular value: a direction that the tool cannot move in


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recovered:
    """Joint rates from the tool's, beside the part of the motion's own that the tool shows.

    Instants where the task Jacobian has no inverse at all are left out.

    Args:
        first: J⁻¹ or J⁺ times the tool's velocity, less that part of q̇. # (m, n)
        second: likewise of the acceleration, less that part of q̈. # (m, n)
        qd: # (m, n)
        qdd: # (m, n)
        condition: number of the task Jacobian. # (m,)
        rows: which of the instants asked these are. # (m,)
    """

    first: Array
    second: Array
    qd: Array
    qdd: Array
    condition: Array
    rows: Indices


def recovered_rates(model: Model, motion: Motion) -> Recovered:
    """Joint speeds and accelerations from the tool's motion, instant by instant."""
    return _from_ball_and_axis(model, motion) if model.dof == _TASK else _from_tool(model, motion)


def _from_ball_and_axis(model: Model, motion: Motion) -> Recovered:
    q, qd, qdd = motion
    J = task_jacobian(model, q)
    with np.errstate(invalid="ignore"):  # what is not a number stays, and fails the checks
        usable = np.linalg.det(J) != 0.0
    q, qd, qdd, J = q[usable], qd[usable], qdd[usable], J[usable]
    inverse = np.linalg.inv(J)
    rate, acceleration = _task_rates(model, (q, qd, qdd))
    return Recovered(
        first=_times(inverse, rate) - qd,
        second=_times(inverse, acceleration - task_bias(model, q, qd)) - qdd,
        qd=qd,
        qdd=qdd,
        condition=np.linalg.norm(J, axis=(1, 2)) * np.linalg.norm(inverse, axis=(1, 2)),
        rows=np.flatnonzero(usable),
    )


def _from_tool(model: Model, motion: Motion) -> Recovered:
    q, qd, qdd = motion
    J = model.jacobian(q)
    known = np.all(np.isfinite(J), axis=(1, 2))
    U, s, Vt = np.linalg.svd(np.where(known[:, None, None], J, 0.0), full_matrices=False)
    s[~known] = np.nan  # stays, and fails the checks
    largest = np.max(s, axis=1, keepdims=True, initial=0.0)
    seen = ~(s <= _LOST * largest)
    gain = np.where(seen, 1.0 / np.where(seen, s, 1.0), 0.0)
    V = np.swapaxes(Vt, 1, 2)
    inverse = V @ (gain[..., None] * np.swapaxes(U, 1, 2))
    shown = V @ (seen[..., None] * Vt)
    push = model.acceleration(q, qd, qdd) - model.bias_acceleration(q, qd)
    return Recovered(
        first=_times(inverse, model.velocity(q, qd)) - _times(shown, qd),
        second=_times(inverse, push) - _times(shown, qdd),
        qd=qd,
        qdd=qdd,
        condition=largest[:, 0] * np.max(gain, axis=1, initial=0.0),
        rows=np.arange(len(q)),
    )


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("pij,pj->pi", matrices, vectors))


def _task_rates(model: Model, motion: Motion) -> tuple[Array, Array]:
    """Velocity and acceleration of the ball, and of the stylus's direction across itself.

    The direction d obeys ḋ = ω × d and d̈ = ω̇ × d + ω × (ω × d); its components along the tool's x
    and y are the turnings about y and, with the other sign, about x.
    """
    q, qd, qdd = motion
    twist, push = model.velocity(q, qd), model.acceleration(q, qd, qdd)
    x, y, d = (model.forward(q)[:, :3, k] for k in range(3))
    w, wd = twist[:, 3:], push[:, 3:]
    swing = np.cross(w, d)
    bend = np.cross(wd, d) + np.cross(w, swing)

    def task(linear: Array, direction: Array) -> Array:
        about_x = -np.sum(direction * y, axis=1, keepdims=True)
        about_y = np.sum(direction * x, axis=1, keepdims=True)
        return np.concatenate([linear, about_x, about_y], axis=1)

    return task(twist[:, :3], swing), task(push[:, :3], bend)
