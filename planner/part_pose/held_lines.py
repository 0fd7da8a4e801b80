"""The probing lines of a plan while the part is off its place, each held in its branch.

An error of the part moves contacts, normals and the approach with it; the robot then needs other
joints. What is left of every limit there is the slack.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from planner.plan_types import Plan
from planner.reach.arm_lines import ArmLines
from planner.reach.margins import SINGULAR
from robots.arm.inverse import BRANCH_NAMES, ArmInverse
from robots.core.arrays import Array, Indices
from robots.core.pose import rotation_exp

_TURN = 2.0 * np.pi


class FixturingErrorKind(Enum):
    """How a part can be off its place."""

    TRANSLATION = "translation"  # error vector in base axes [m]
    ROTATION = "rotation"  # rotation vector in base axes, about the reference point [rad]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldPostures:
    """Postures under errors of the part.

    Args:
        q: joints, without jumps of whole turns from the plan's. # (m, 5) [rad]
        slack: what is left of each limit, below zero where it is broken: upper and lower limit of
            every joint [rad], reach, shoulder, elbow, wrist, approach [1]. # (m, 15)
    """

    q: Array
    slack: Array


class HeldLines:
    """Lines of the points that a plan serves, for errors of one kind.

    Args:
        plan: of a measuring arm whose ball is on the stylus axis.
        kind: of the errors.
    """

    def __init__(self, plan: Plan, kind: FixturingErrorKind) -> None:
        self.kind = kind
        self.job = plan.job
        self.inverse = ArmInverse(plan.job.mechanism, engine="compiled")
        served = [k for k, point in enumerate(plan.planned_points) if point.reachable]
        self.rows = np.array(served, dtype=np.int64)
        self.names = tuple(plan.planned_points[k].name for k in served)
        placed = plan.placed
        self.contacts, self.normals = placed.contacts[self.rows], placed.normals[self.rows]
        self.directions, self.axes = placed.directions[self.rows], placed.axes[self.rows]
        self.distances = placed.distances[self.rows]
        self._turning = placed.along_normal[self.rows]
        self.families = np.array(
            [BRANCH_NAMES.index(plan.planned_points[k].branch) for k in served]
        )
        q_starts = np.array([plan.planned_points[k].q_clearance for k in served]).reshape(-1, 5)
        self.nominal = ArmLines(
            inverse=self.inverse,
            starts=placed.clearances[self.rows],
            ends=placed.search_ends[self.rows],
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

    def at(self, line: Indices, error: Array, lam: Array) -> HeldPostures:
        """Postures of lines under errors. Args: line (m,), error (m, 3), lam (m,)."""
        contact, normal, direction, axis = self._placed(line, error)
        distance = self.distances[line]
        along = distance - lam * (distance + self.job.approach.overtravel)
        ball = contact + along[:, None] * direction
        family = self.inverse.family
        raw = self.inverse.branches(ball - family.stylus_length * axis, axis)
        rows = np.arange(len(raw))
        theta = raw[:, :40].reshape(-1, 8, 5)[rows, self.families[line]]
        near = self.nominal.joints(line, lam)
        q = theta - family.offsets
        q = q + _TURN * np.round((near - q) / _TURN)
        return HeldPostures(
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
