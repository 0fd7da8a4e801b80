"""A proven lower bound of the tolerance to mis-fixturing, with the branch of each line held.

Errors and places on the lines are covered with boxes. In each box the posture at its middle is
known, and how far the joints can move inside it is bounded by the arm's closed geometry (below);
boxes where that leaves slack are done, the others are split. Nothing is sampled; what remains is
the rounding of double precision, for which an allowance is taken off.

With D the distance from shoulder to wrist centre, r its horizontal part, d and f upper arm and
forearm, a wrist centre that moves by at most P moves the joints by at most

    q1: P / (r - P)      q2: P / (d c)      q3: P (D + P) / (d f c)      q2+q3: P / (f c)

where c is the least |cos q3| for distances D ± P (the triangle's sine law gives it at the ends, as
sin q3 rises with D). These are the rows of the inverse of the arm's Jacobian in its own plane, each
bounded over the whole box. The stylus, seen from the forearm, then turns by at most V: its own turn
and that of the forearm, hypot of the bounds of q1 and q2+q3. So q5 moves by at most V and q4 by at
most V / (w - V), w the sine of the angle between stylus and forearm.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from planner.plan import Plan
from planner.reach.lines import ArmLines
from planner.reach.margins import SINGULAR
from robots.arm.inverse import BRANCH_NAMES, ArmInverse
from robots.core.arrays import Array, Indices, Mask
from robots.core.pose import rotation_exp

# Parts of the estimate that are tried, the largest first.
_PARTS = (0.995, 0.98, 0.95, 0.9, 0.8, 0.65, 0.5, 0.3, 0.1)
_MOST, _MOST_EACH = 200_000, 50  # boxes that are looked at for one of them, and for each line
_BLOCK = 20_000  # at a time
_ROUNDING = 1e-9  # [rad, m]
_DIAGONAL = np.sqrt(3.0)
_CORNERS = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3, indexing="ij"), axis=-1).reshape(8, 3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Boxes:
    """Boxes of errors and places on lines.

    Args:
        line: # (m,)
        error: middle. # (m, 3) [m or rad]
        half: of the cube of errors. # (m,) [m or rad]
        lam: middle of the part of the line. # (m,)
        reach: half of that part. # (m,)
    """

    line: Indices
    error: Array
    half: Array
    lam: Array
    reach: Array

    def take(self, rows: Indices | Mask | slice) -> _Boxes:
        return _Boxes(
            line=self.line[rows],
            error=self.error[rows],
            half=self.half[rows],
            lam=self.lam[rows],
            reach=self.reach[rows],
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counterexample:
    """An error that breaks a limit. line: which; error: # (3,) [m or rad]."""

    line: int
    error: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToleranceBound:
    """Result of a proof.

    Args:
        size: no error up to it breaks a limit; 0 where nothing is proven. [m or rad]
        counterexample: an error clearly smaller than the estimate that does; None for none.
    """

    size: float
    counterexample: Counterexample | None


def prove(held: FixturedLines, estimate: float) -> ToleranceBound:
    """Prove as much of an estimate as possible, or find an error that shows it too large.

    Args:
        held: the lines, in their branches.
        estimate: of the tolerance. [m or rad]
    """
    cover = _Cover(held)
    for part in _PARTS:
        if cover.proves(part * estimate):
            return ToleranceBound(size=part * estimate, counterexample=None)
        if cover.counterexample is not None:
            return ToleranceBound(size=0.0, counterexample=cover.counterexample)
    return ToleranceBound(size=0.0, counterexample=None)


class _Cover:
    """Proofs for one plan and one kind of error."""

    def __init__(self, held: FixturedLines) -> None:
        self.held = held
        self.length = held.distances + held.depths
        off = np.linalg.norm(held.contacts - held.reference, axis=1)
        turns = held.kind is FixturingErrorKind.ROTATION
        # How far the ball moves per unit of error, and the stylus turns.
        farther = np.maximum(held.distances, held.depths)
        self.lever = off + farther if turns else np.ones(len(held))
        self.turn = 1.0 if turns else 0.0
        self.counterexample: Counterexample | None = None

    def proves(self, size: float) -> bool:
        """Return whether no error up to a size breaks a limit, by at most so many boxes."""
        k = len(self.held)
        half = np.full(k, 0.5)
        boxes = [
            _Boxes(
                line=np.arange(k),
                error=np.zeros((k, 3)),
                half=np.full(k, size),
                lam=half,
                reach=half,
            )
        ]
        looked = 0
        while boxes:
            some = boxes.pop()
            looked += some.line.size
            if looked > max(_MOST, _MOST_EACH * k):
                return False
            proven = self._proven(some, size)
            if self.counterexample is not None:
                return False
            parts = self._split(some.take(~proven), size)
            boxes += [
                parts.take(slice(start, start + _BLOCK))
                for start in range(0, parts.line.size, _BLOCK)
            ]
        return True

    def _proven(self, boxes: _Boxes, size: float) -> Mask:
        """Which boxes keep every limit; a middle that does not is a counterexample."""
        postures = self.held.at(boxes.line, boxes.error, boxes.lam)
        distance = np.linalg.norm(boxes.error, axis=1)
        broken = (np.min(postures.slack, axis=1, initial=np.inf) < 0.0) & (distance <= size)
        if np.any(broken):
            k = int(np.argmin(np.where(broken, distance, np.inf)))
            self.counterexample = Counterexample(line=int(boxes.line[k]), error=boxes.error[k])
        kept = postures.slack - self._loss(boxes, postures.q) > _ROUNDING
        return np.asarray(np.all(kept, axis=1))

    def _loss(self, boxes: _Boxes, q: Array) -> Array:
        """How much slack each box can lose; inf where no bound holds. # (m, 15)."""
        family = self.held.inverse.family
        d, f = family.upper_arm, family.forearm
        turn = self.turn * _DIAGONAL * boxes.half
        P = self.lever[boxes.line] * _DIAGONAL * boxes.half + self.length[boxes.line] * boxes.reach
        P = P + family.stylus_length * turn
        theta = q + family.offsets
        r = np.abs(family.radius(theta))
        D = np.sqrt(np.maximum(d * d + f * f + 2.0 * d * f * np.sin(theta[:, 2]), 0.0))
        ends = np.stack([np.maximum(D - P, 0.0), D + P])
        sines = (ends * ends - (d * d + f * f)) / (2.0 * d * f)
        c = np.sqrt(np.maximum(1.0 - np.max(sines * sines, axis=0), 0.0))
        q1 = _over(P, r - P)
        q2, q3, q23 = _over(P, d * c), _over(P * (D + P), d * f * c), _over(P, f * c)
        V = turn + np.hypot(q1, q23)
        w = np.abs(family.wrist_sine(theta))
        q4 = _over(V, w - V)
        joints = np.stack([q1, q2, q3, q4, V], axis=1)
        # Where cos q3 keeps above zero the arm reaches; its reserve is cos² q3.
        others = np.stack([2.0 * q3, P / family.reach, q3, V, turn], axis=1)
        return np.concatenate([joints, joints, others], axis=1)

    def _split(self, boxes: _Boxes, size: float) -> _Boxes:
        """Boxes cut along the line or in errors, whatever moves the arm more."""
        by_error = (self.lever[boxes.line] + self.turn) * _DIAGONAL * boxes.half
        along = self.length[boxes.line] * boxes.reach > by_error
        return _joined(_halves(boxes.take(along)), _eighths(boxes.take(~along), size))


def _over(most: Array, least: Array) -> Array:
    """A quotient; inf where the divisor may vanish. # (m,)."""
    known = (least > 0.0) & np.isfinite(least)
    return np.where(known, most / np.where(known, least, 1.0), np.inf)


def _halves(boxes: _Boxes) -> _Boxes:
    reach = np.repeat(0.5 * boxes.reach, 2)
    lam = np.repeat(boxes.lam, 2) + np.tile([-1.0, 1.0], boxes.lam.size) * reach
    return _Boxes(
        line=np.repeat(boxes.line, 2),
        error=np.repeat(boxes.error, 2, axis=0),
        half=np.repeat(boxes.half, 2),
        lam=lam,
        reach=reach,
    )


def _eighths(boxes: _Boxes, size: float) -> _Boxes:
    """Cubes cut in eight; those beyond the size are left out."""
    half = np.repeat(0.5 * boxes.half, 8)
    error = np.repeat(boxes.error, 8, axis=0)
    error = error + np.tile(_CORNERS, (boxes.line.size, 1)) * np.repeat(boxes.half, 8)[:, None]
    parts = _Boxes(
        line=np.repeat(boxes.line, 8),
        error=error,
        half=half,
        lam=np.repeat(boxes.lam, 8),
        reach=np.repeat(boxes.reach, 8),
    )
    nearest = np.maximum(np.abs(error) - half[:, None], 0.0)
    return parts.take(np.linalg.norm(nearest, axis=1) <= size)


def _joined(a: _Boxes, b: _Boxes) -> _Boxes:
    return _Boxes(
        line=np.concatenate([a.line, b.line]),
        error=np.concatenate([a.error, b.error]),
        half=np.concatenate([a.half, b.half]),
        lam=np.concatenate([a.lam, b.lam]),
        reach=np.concatenate([a.reach, b.reach]),
    )


# -------------------------------------------------------------------------------------- Held lines
# An error of the part moves contacts, normals and the approach with it; the robot then needs other
# joints. What is left of every limit there is the slack.

_TURN = 2.0 * np.pi


class FixturingErrorKind(Enum):
    """Kinds of fixturing error."""

    TRANSLATION = "translation"  # error vector in base axes [m]
    ROTATION = "rotation"  # rotation vector in base axes, about the reference point [rad]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FixturedPostures:
    """Postures under errors of the part.

    Args:
        q: joints, without jumps of whole turns from the plan's. # (m, 5) [rad]
        slack: what is left of each limit, below zero where it is broken: upper and lower limit of
            every joint [rad], reach, shoulder, elbow, wrist, approach [1]. # (m, 15)
    """

    q: Array
    slack: Array


class FixturedLines:
    """Lines of the points that a plan measures, for errors of one kind.

    Args:
        plan: of a measuring arm whose ball is on the stylus axis.
        kind: of the errors.
    """

    def __init__(self, plan: Plan, kind: FixturingErrorKind) -> None:
        self.kind = kind
        self.job = plan.job
        self.inverse = ArmInverse(plan.job.mechanism, engine="compiled")
        measurable = [k for k, point in enumerate(plan.planned_points) if point.reachable]
        self.rows = np.array(measurable, dtype=np.int64)
        self.names = tuple(plan.planned_points[k].name for k in measurable)
        placed = plan.placed
        self.contacts, self.normals = placed.contacts[self.rows], placed.normals[self.rows]
        self.directions, self.axes = placed.directions[self.rows], placed.axes[self.rows]
        self.distances, self.depths = placed.distances[self.rows], placed.depths[self.rows]
        self._turning = placed.along_normal[self.rows]
        self.families = np.array(
            [BRANCH_NAMES.index(plan.planned_points[k].branch) for k in measurable]
        )
        q_starts = np.array([plan.planned_points[k].q_clearance for k in measurable]).reshape(-1, 5)
        self.nominal = ArmLines(
            inverse=self.inverse,
            starts=placed.clearances[self.rows],
            ends=placed.line_ends[self.rows],
            axes=self.axes,
            families=self.families,
            q_starts=q_starts,
        )

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.rows)

    @cached_property
    def reference(self) -> Array:
        """What rotation errors turn about: the middle of the points' contacts. # (3,) [m]."""
        return np.asarray(np.mean(self.contacts, axis=0))

    @property
    def limits(self) -> tuple[str, ...]:
        """What each column of the slack is, for a reader."""
        names = [joint.name for joint in self.job.mechanism.movable]
        return (
            *(f"upper limit of {name}" for name in names),
            *(f"lower limit of {name}" for name in names),
            "end of the arm's reach",
            *(f"{name} singularity" for name in ("shoulder", "elbow", "wrist")),
            "approach from inside the material",
        )

    def at(self, line: Indices, error: Array, lam: Array) -> FixturedPostures:
        """Postures of lines under errors. Args: line (m,), error (m, 3), lam (m,)."""
        contact, normal, direction, axis = self._placed(line, error)
        distance = self.distances[line]
        along = distance - lam * (distance + self.depths[line])
        ball = contact + along[:, None] * direction
        family = self.inverse.family
        raw = self.inverse.branches(ball - family.stylus_length * axis, axis)
        rows = np.arange(len(raw))
        theta = raw[:, :40].reshape(-1, 8, 5)[rows, self.families[line]]
        near = self.nominal.joints(line, lam)
        q = theta - family.offsets
        q = q + _TURN * np.round((near - q) / _TURN)
        return FixturedPostures(
            q=q, slack=self._slack(q, raw[:, 40], np.sum(normal * direction, axis=1))
        )

    def _placed(self, line: Indices, error: Array) -> tuple[Array, Array, Array, Array]:
        """Contact, normal, direction and axis under errors. # (m, 3) each."""
        contact, normal = self.contacts[line], self.normals[line]
        direction, axis = self.directions[line], self.axes[line]
        if self.kind is FixturingErrorKind.TRANSLATION:
            return contact + error, normal, direction, axis
        R = rotation_exp(error)

        def turned(v: Array) -> Array:
            return np.asarray(np.einsum("mij,mj->mi", R, v))

        direction = np.where(self._turning[line, None], turned(direction), direction)
        contact = self.reference + turned(contact - self.reference)
        return contact, turned(normal), direction, turned(axis)

    def _slack(self, q: Array, reserve: Array, cosine: Array) -> Array:
        mechanism, required = self.job.mechanism, self.job.checks.joint_margin
        margins = self.inverse.margins(q)
        singular = np.stack([margins.shoulder, margins.elbow, margins.wrist], axis=1) - SINGULAR
        return np.concatenate(
            [
                mechanism.q_max - required - q,
                q - mechanism.q_min - required,
                reserve[:, None],
                singular,
                cosine[:, None],
            ],
            axis=1,
        )
