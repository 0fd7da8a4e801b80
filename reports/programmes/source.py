"""What all programmes of a plan are written from: worked out once, when first asked for."""

from __future__ import annotations

from functools import cached_property
from importlib.metadata import version

from planner.findings import Severity
from planner.plan_types import Plan
from reports.programmes.joint_posts import (
    JointPosts,
    linear_posts,
    quintic_posts,
    streamed_posts,
)
from reports.programmes.measured_features import MeasuredFeature, measured_features
from reports.programmes.safe_text import ascii_text
from reports.programmes.steps import Steps, steps_of


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

    def about(self, *, hidden: str = "") -> list[str]:
        """First lines of every file: who made it from what, and whether it may be run.

        Args:
            hidden: characters that must not stand in a comment of the format.
        """
        plan = self.plan
        errors = sum(finding.severity is Severity.ERROR for finding in plan.findings)
        state = "yes" if plan.feasible else f"NO, {errors} errors; read the report first"
        return [
            f"Made by Palpeur {version('palpeur')}",
            f"job: {ascii_text(plan.job.name, hidden=hidden)}",
            f"job sha256: {plan.job.sha256}",
            f"feasible: {state}",
        ]

    def about_joints(self, posts: JointPosts, joined: str = "straight lines") -> list[str]:
        """What a reader of joint values must know.

        Args:
            posts: that are written.
            joined: how the controller goes from one to the next.
        """
        names = [ascii_text(joint.name, longest=24) for joint in self.plan.job.mechanism.movable]
        lines = [f"joint {k} is {name}" for k, name in enumerate(names, start=1)]
        every = "" if posts.period is None else f", one every {1e3 * posts.period:g} ms"
        return [
            f"{len(posts)} points, {self.plan.trajectory.duration:.6f} s{every}",
            "certified motion: the joints at these instants, and between them the plan's;",
            f"  a controller that joins them by {joined}",
            f"  keeps every joint within {_rounded(posts.error)} deg of it (mm where it slides)",
            "zero and sign of every joint are those of the robot file of the job;",
            "  compare them with the controller's before the first run",
            *lines,
        ]


def _rounded(error: float) -> str:
    """Two digits, rounded up."""
    from decimal import ROUND_CEILING, Context

    return str(Context(prec=2, rounding=ROUND_CEILING).create_decimal(f"{error:.6g}"))
