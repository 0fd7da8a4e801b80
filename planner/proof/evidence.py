"""Evidence of the checks: the plan, independent models, and its motion in parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from planner.job.settings import Touch
from planner.motion.sampled_motion import SampledMotion
from planner.plan import Plan, Samples
from planner.proof.chebyshev import coefficients, derivative
from planner.proof.check import Check, Locate, Location
from planner.proof.lagrange_torques import LagrangeTorques
from planner.proof.line_rests import LineRests, line_rests
from planner.proof.resolved_motion import (
    ResolvedMotion,
    SmoothPieces,
    Survey,
    blocks,
    moving_segments,
    resolve,
    smooth_pieces,
    survey,
)
from robots.core.arrays import Array
from robots.core.model import Model

if TYPE_CHECKING:
    from planner.proof.surface_distance import SurfaceDistance

SEGMENTS = 1024  # resolved at once
ROWS = 16_384  # samples looked at at once
_NAMES = ("t", "segment", "q", "qd", "qdd", "tau", "position")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """A plan with independent models of its robot.

    Args:
        plan: to be checked.
        model: of the job's robot, made anew.
        torques: by Lagrange.
        survey: peaks of the motion, for the scale of residuals.
        surfaces: of the solids. Checks ask for them by content (``surface_of``); held here they
            are the same ones for the plan and for its misses.
        rests: of lines, beyond where the misses stop.
    """

    plan: Plan
    model: Model
    torques: LagrangeTorques
    survey: Survey
    surfaces: tuple[SurfaceDistance, ...]
    rests: LineRests

    def joint(self, column: int) -> str:
        """Name of a movable joint."""
        return self.plan.job.mechanism.movable[column].name

    def on_segment(self, segment: int, instant: float = float("nan"), joint: str = "") -> Location:
        """A location in a segment."""
        point = self.plan.timeline[segment].point
        return Location(joint=joint, point=point, segment=segment, instant=instant)

    def of_joint(self, place: tuple[int, ...]) -> Location:
        """The joint that the last index of an array stands for; beyond the joints, none."""
        joint = self.joint(place[-1]) if place[-1] < self.model.dof else ""
        return Location(joint=joint)

    def in_pieces(self, pieces: SmoothPieces, places: Array | None = None) -> Locate:
        """Locations in an array by (piece, place in the piece, joint) or the first of these.

        Args:
            pieces: by the first index.
            places: in -1 to 1, by the second index; the middle of the piece when None.
        """

        def locate(index: tuple[int, ...]) -> Location:
            row = index[0]
            x = places[index[1]] if places is not None and len(index) > 1 else 0.0
            instant = float(pieces.start[row] + pieces.length[row] * 0.5 * (x + 1.0))
            joint = self.joint(index[2]) if len(index) > 2 and index[2] < self.model.dof else ""
            return self.on_segment(int(pieces.segment[row]), instant, joint)

        return locate

    def in_samples(self, samples: Samples) -> Locate:
        """Locations in an array by (sample, joint) or by samples alone."""

        def locate(index: tuple[int, ...]) -> Location:
            row = index[0]
            joint = self.joint(index[1] % self.model.dof) if len(index) > 1 else ""
            return self.on_segment(int(samples.segment[row]), float(samples.t[row]), joint)

        return locate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Passage:
    """Some segments, one after another, resolved into polynomials.

    Args:
        motion: of them.
        end: when the next passage starts, or the motion ends. [s]
        c_q: coefficients of q. # (P, K, n)
        c_qd: of the derivative of q's polynomial; speeds as positions tell them. # (P, K, n)
        c_qdd: of the derivative of the speeds' polynomial. # (P, K, n)
    """

    motion: ResolvedMotion
    end: float
    c_q: Array
    c_qd: Array
    c_qdd: Array


class CheckGroup(ABC):
    """Checks that are computed together, from every passage and the samples within it."""

    def on_segments(self, passage: Passage) -> None:
        """Take in the next segments; a group that checks samples only has no use for them."""
        del passage

    def on_samples(self, samples: Samples) -> None:
        """Take in some samples of the segments taken in last."""
        del samples

    @abstractmethod
    def checks(self) -> list[Check]:
        """Return the results, after the last passage."""


def gather(plan: Plan) -> Evidence:
    """Build the independent models for a plan."""
    model = Model(plan.job.mechanism, "compiled")
    torques = LagrangeTorques(plan.job.mechanism)
    return Evidence(
        plan=plan,
        model=model,
        torques=torques,
        survey=survey(plan, model, torques),
        surfaces=_surfaces(plan),
        rests=line_rests(plan, model),
    )


def _surfaces(plan: Plan) -> tuple[SurfaceDistance, ...]:
    if not (plan.timeline and plan.job.cell.solids):
        return ()
    from planner.proof.surface_distance import surface_of

    return tuple(surface_of(solid) for solid in plan.job.cell.solids)


def passages(
    evidence: Evidence, sampled: SampledMotion
) -> Iterator[tuple[Passage, Iterator[Samples]]]:
    """The whole motion in order of time, each part with its samples; one part if nothing moves.

    Every sample is part of some passage, wherever its time lies.
    """
    queue, last = _Queue(sampled), None
    for passage in segment_passages(evidence):
        if last is not None:
            yield last, queue.before(last.end)
        last = passage
    if last is not None:
        yield last, queue.before(np.inf)


def segment_passages(evidence: Evidence) -> Iterator[Passage]:
    """The same without samples."""
    plan = evidence.plan
    moving = moving_segments(plan)
    for rows in list(blocks(len(moving), SEGMENTS)) or [slice(0, 0)]:
        motion = resolve(
            plan,
            smooth_pieces(plan, evidence.model, moving[rows]),
            evidence.torques,
            evidence.survey,
        )
        last = rows.stop >= len(moving)
        end = float(np.max(motion.pieces.start + motion.pieces.length, initial=0.0))
        yield _passage(motion, end if last else plan.timeline[moving[rows.stop]].start)


def _passage(motion: ResolvedMotion, end: float) -> Passage:
    per_time = (2.0 / motion.pieces.length)[:, None, None]
    c_q = coefficients(motion.q)
    return Passage(
        motion=motion,
        end=end,
        c_q=c_q,
        c_qd=derivative(c_q) * per_time,
        c_qdd=derivative(coefficients(motion.qd)) * per_time,
    )


class _Queue:
    """Samples in the order in which they come, taken out bit by bit."""

    def __init__(self, sampled: SampledMotion) -> None:
        self._blocks = iter(sampled.blocks())
        self._left: Samples | None = None

    def before(self, end: float) -> Iterator[Samples]:
        """Samples up to the first one at ``end`` or later; all that are left if it is infinite."""
        while True:
            block = next(self._blocks, None) if self._left is None else self._left
            if block is None:
                return
            late = np.flatnonzero(block.t >= end) if end < np.inf else np.zeros(0)
            count = int(late[0]) if late.size else len(block.t)
            self._left = _rows(block, slice(count, None)) if late.size else None
            for rows in blocks(count, ROWS):
                yield _rows(block, rows)
            if late.size:
                return


def _rows(samples: Samples, rows: slice) -> Samples:
    return Samples(**{name: getattr(samples, name)[rows] for name in _NAMES})


def touches(plan: Plan) -> list[Touch]:
    """The cycle of every point, as the job's tables say it."""
    table = plan.job.touch
    own = {
        one.name: replace(
            table, **{k: v for k, v in asdict(one).items() if k != "name" and v is not None}
        )
        for one in table.features
    }
    return [own.get(feature, table) for feature in plan.job.points.features]
