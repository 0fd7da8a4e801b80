"""What all programmes of a plan are written from: worked out once, when first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import version

import numpy as np

from planner.findings import Severity
from planner.findings.unchecked import Aspect
from planner.plan import Plan
from reports.programmes.joint_posts import (
    JointPosts,
    linear_posts,
    quintic_posts,
    streamed_posts,
)
from reports.programmes.measured_features import MeasuredFeature, measured_features
from reports.programmes.safe_text import ascii_text
from reports.programmes.steps import Steps, steps_of
from reports.verdict import aspect_text, clearance_scope

_OF_TORQUES = {Aspect.TORQUE_LIMITS, Aspect.MASSES, Aspect.ACCELERATIONS}
_LINE = 120  # characters of a comment


class ProgrammeSource:
    """A plan as the writers of programmes see it.

    Args:
        plan: with motion.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @cached_property
    def steps(self) -> Steps:
        """What a measuring machine does."""
        return steps_of(self.plan)

    @cached_property
    def features(self) -> tuple[MeasuredFeature, ...]:
        """What it measures."""
        return measured_features(self.steps.touches)

    @cached_property
    def linear(self) -> JointPosts:
        """Joints for controllers that join them by straight lines."""
        return linear_posts(self.plan)

    @cached_property
    def quintic(self) -> JointPosts:
        """Joints for controllers that use speeds and accelerations, too."""
        return quintic_posts(self.plan)

    @cached_property
    def streamed(self) -> JointPosts:
        """Joints at a constant period."""
        return streamed_posts(self.plan)

    @property
    def made_by(self) -> str:
        """What wrote the programme."""
        return f"Palpeur {version('palpeur')}"

    @property
    def feasibility(self) -> str:
        """Whether the whole job can be done."""
        plan = self.plan
        if plan.feasible:
            return "feasible: yes" + (", as far as was checked" if plan.unchecked else "")
        if plan.motion_proven:
            return "feasible: NO, points are left out; the motions of the others are proven"
        errors = sum(finding.severity is Severity.ERROR for finding in plan.finding_list)
        return f"feasible: NO, {errors} errors; read the report first"

    def about(self, *, hidden: str = "") -> list[str]:
        """First lines of every file: what is left out, who made it from what, what is proven.

        Args:
            hidden: characters that must not stand in a comment of the format.
        """
        plan = self.plan
        missing = [f"  {ascii_text(name, hidden=hidden)}" for name in plan.left_out]
        count = f"PARTIAL: {len(missing)} of {len(plan.planned_points)} points are NOT MEASURED:"
        return [
            *([count, *missing] if missing else []),
            f"Made by {self.made_by}",
            f"job: {ascii_text(plan.job.name, hidden=hidden)}",
            f"job sha256: {plan.job.sha256}",
            self.feasibility,
            *(ascii_text(line, hidden=hidden, longest=_LINE) for line in self._certificate()),
        ]

    def _certificate(self) -> Iterator[str]:
        """What is proven of every motion, and what nobody looked at."""
        plan = self.plan
        aspects = {one.aspect for one in plan.unchecked}
        kept = ["positions", "speeds"]
        kept += [] if Aspect.ACCELERATIONS in aspects else ["accelerations"]
        kept += [] if aspects & _OF_TORQUES else ["torques"]
        yield f"proven: {', '.join(kept)} within the limits of job and robot"
        if plan.nearest is None:
            yield "clearance: NOT CHECKED"
        else:
            floor = np.floor(1e5 * plan.nearest[0].certified) / 100.0
            yield f"proven: clearance of {floor:.2f} mm, {clearance_scope(plan)}"
        yield from (f"NOT CHECKED: {aspect_text(one)}" for one in plan.unchecked)

    def about_joints(
        self,
        posts: JointPosts,
        joined: str = "straight lines",
        *,
        labels: Mapping[str, int] | None = None,
    ) -> list[str]:
        """What a reader of joint values must know.

        Args:
            posts: that are written.
            joined: how the controller goes from one to the next.
            labels: index of the joint in each axis, by the controller's name of the axis; "joint 1"
                and so on when None.
        """
        joints = self.plan.job.mechanism.movable
        if labels is None:
            labels = {f"joint {k}": k - 1 for k in range(1, len(joints) + 1)}
        lines = [
            f"{label} is {ascii_text(joints[k].name, longest=24)}" for label, k in labels.items()
        ]
        slides = "" if all(joint.kind.angular for joint in joints) else " (mm where it slides)"
        every = "" if posts.period is None else f", one every {1e3 * posts.period:g} ms"
        return [
            f"{len(posts)} points, {self.plan.trajectory.duration:.6f} s{every}",
            "proven is the plan's motion: the joints at these instants, and between them;",
            f"  a controller that joins them by {joined}",
            f"  keeps every joint within {_rounded(posts.error)} deg of it{slides}",
            "zero and sign of every joint are those of the robot file of the job;",
            "  compare them with the controller's before the first run",
            *lines,
        ]


def _rounded(error: float) -> str:
    """Two digits, rounded up."""
    from decimal import ROUND_CEILING, Context

    return str(Context(prec=2, rounding=ROUND_CEILING).create_decimal(f"{error:.6g}"))
