"""The summary: what a reader wants to know before anything else."""

from __future__ import annotations

import numpy as np

from planner.plan import Plan, PlannedPoint
from planner.proof import Proof
from reports.content.table import Fact, Value, ValueStatus, fixed, number, text
from reports.provenance import SetOptions
from reports.verdict import (
    aspect_text,
    clearance_proven,
    meaning,
    measured_to,
    not_checked,
    points_left_out,
    withheld,
)

_CLOSE = np.radians(1.0)  # a joint margin below this is worth a second look


def verdict(proof: Proof) -> tuple[str, ValueStatus]:
    """One or two sentences, and what they mean; green is only for what is proven."""
    plan = proof.plan
    reached, count = sum(point.reachable for point in plan.planned_points), len(plan.planned_points)
    served = f"{reached} of {count} points are served"
    missing = not_checked(plan.unchecked)
    if not proof.passed:
        return "The plan failed its own validation; nothing in it may be used.", ValueStatus.BAD
    if not plan.feasible:
        also = f" {missing[:1].upper()}{missing[1:]}." if missing else ""
        return (
            f"Not feasible: {served}; the findings say what stands in the way.{also}",
            ValueStatus.BAD,
        )
    passed = f"{served}, and the plan passed its independent validation."
    if missing:
        told = f"Feasible; {missing}. {passed}"
        return told, ValueStatus.DOUBTFUL
    return f"Feasible: {passed}", ValueStatus.GOOD


def unchecked_facts(plan: Plan) -> tuple[Fact, ...]:
    """What was not checked, what that means, and what would change it."""
    return tuple(
        Fact(
            label=aspect_text(one),
            value=text("not checked", ValueStatus.DOUBTFUL),
            detail=meaning(one),
        )
        for one in plan.unchecked
    )


def facts(proof: Proof, options: SetOptions | None = None) -> tuple[Fact, ...]:
    """Points, time, energy, power, the worst margins, programmes, and what validation said."""
    plan, totals = proof.plan, proof.plan.totals
    reached, count = sum(point.reachable for point in plan.planned_points), len(plan.planned_points)
    passed = sum(one.passed for one in proof.check_list)
    whole = ValueStatus.GOOD if reached == count else ValueStatus.BAD
    valid = ValueStatus.GOOD if proof.passed else ValueStatus.BAD
    return (
        Fact(label="points served", value=text(f"{reached} of {count}", whole)),
        Fact(label="duration", value=fixed(totals.duration, 4), unit="s"),
        Fact(
            label="energy",
            value=number(totals.energy),
            unit="J",
            detail=f"net work {number(totals.net_work).text} J",
        ),
        Fact(
            label="total power",
            value=text(f"{number(totals.min_power).text} … {number(totals.peak_power).text}"),
            unit="W",
        ),
        *_margins(plan),
        *_programmes(plan, options or SetOptions()),
        Fact(
            label="validation",
            value=text(f"{passed} of {len(proof.check_list)}", valid),
            detail="checks passed",
        ),
    )


def _margins(plan: Plan) -> list[Fact]:
    reached = [point for point in plan.planned_points if point.reachable]
    if not reached:
        return []
    joint = min(reached, key=lambda point: point.joint_margin)
    single = min(reached, key=lambda point: point.singularity_margin)
    close = ValueStatus.DOUBTFUL if joint.joint_margin < _CLOSE else ValueStatus.PLAIN
    return [
        Fact(
            label="least joint margin",
            value=_margin(plan, joint, close),
            unit=_unit(plan, joint),
            detail=f"{joint.margin_joint} at {joint.name}",
        ),
        Fact(
            label="least singularity margin",
            value=number(single.singularity_margin, 3),
            unit="of 1",
            detail=f"at {single.name}",
        ),
        _clearance(plan),
    ]


def _margin(plan: Plan, point: PlannedPoint, status: ValueStatus) -> Value:
    scale = np.degrees(1.0) if _turns(plan, point) else 1e3
    return fixed(scale * point.joint_margin, 3, status)


def _unit(plan: Plan, point: PlannedPoint) -> str:
    return "deg" if _turns(plan, point) else "mm"


def _turns(plan: Plan, point: PlannedPoint) -> bool:
    kinds = {joint.name: joint.kind.angular for joint in plan.job.mechanism.movable}
    return kinds.get(point.margin_joint, True)


def _clearance(plan: Plan) -> Fact:
    nearest = plan.nearest
    if nearest is None:
        return Fact(label="clearance", value=text("not checked", ValueStatus.DOUBTFUL))
    clearance, segment = nearest
    kept = clearance.certified >= plan.job.checks.clearance
    whole = ValueStatus.GOOD if clearance_proven(plan) else ValueStatus.DOUBTFUL
    # Of a motion that does not keep its clearance the certificate is only a bound.
    value = clearance.certified if kept else clearance.seen
    return Fact(
        label="least clearance, proven" if kept else "least clearance, found",
        value=fixed(1e3 * value, 2, whole if kept else ValueStatus.BAD),
        unit="mm",
        detail=f"{measured_to(plan)}; {clearance.pair}, {segment.kind.value} of {segment.point}",
    )


def _programmes(plan: Plan, options: SetOptions) -> list[Fact]:
    """Programmes that a reader may expect and that are not there, or leave points out."""
    refused = withheld(plan, options)
    if refused:
        return [Fact(label="programmes", value=text("none", ValueStatus.BAD), detail=refused)]
    if plan.left_out:
        told = f"without {points_left_out(plan)}"
        return [Fact(label="programmes", value=text("partial", ValueStatus.DOUBTFUL), detail=told)]
    return []
