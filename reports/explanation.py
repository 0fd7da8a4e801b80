"""Answers of ``palpeur explain``: pages of findings, and why a point fails, branch by branch."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np

from planner.findings import Page
from planner.findings.unchecked import unchecked_aspects
from planner.fixes.branches import BranchReason
from planner.fixes.explanation import Explanation
from reports.answers import FORMAT as PAGES_FORMAT
from reports.answers import table_lines
from reports.plan_document import FORMAT, Document
from reports.verdict import aspect_names
from robots.core.mechanism import Mechanism

_WIDTH = 88


def page_document(found: Page) -> dict[str, object]:
    """One page in JSON."""
    return {"format": PAGES_FORMAT, **asdict(found)}


def page_lines(found: Page) -> Iterator[str]:
    """One page as text of limited width."""
    yield f"{found.code}: {found.title}"
    for title, text in (("Meaning", found.meaning), ("Cause", found.cause), ("Fix", found.fix)):
        body = textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
        yield f"\n{title}\n{body}"


def pages_document(found: Sequence[Page]) -> dict[str, object]:
    """All pages in JSON."""
    return {"format": PAGES_FORMAT, "findings": [asdict(item) for item in found]}


def pages_lines(found: Sequence[Page]) -> Iterator[str]:
    """All codes with their titles."""
    yield from table_lines(("code", "finding"), [(item.code, item.title) for item in found])


def explanation_document(explanation: Explanation) -> Document:
    """An explanation, in millimetres and in the units of the joints."""
    reasons, search = explanation.reasons, explanation.search
    placed, mechanism = reasons.placed, explanation.job.mechanism
    return {
        "format": FORMAT,
        "job": explanation.job.name,
        "point": reasons.name,
        "served": explanation.served,
        "unchecked": aspect_names(unchecked_aspects(explanation.job)),
        "surface_mm": 1e3 * placed.surfaces[0],
        "normal": placed.normals[0],
        "contact_mm": 1e3 * placed.contacts[0],
        "clearance_point_mm": 1e3 * placed.clearances[0],
        "probe_axis": placed.axes[0],
        "touch": {"mode": explanation.job.touch.mode, **_touch(explanation)},
        "planned_branch": explanation.planned_branch or None,
        "planned_inverse_branch": explanation.planned_inverse_branch or None,
        "findings": [finding.document() for finding in explanation.finding_list],
        "all_branches_known": reasons.complete,
        "branches": [_branch(branch, mechanism) for branch in reasons.branches],
        "fixes": [] if search is None else [fix.document() for fix in search.fixes],
        "no_fix_by": []
        if search is None
        else [{"kind": kind.value, "reason": reason} for kind, reason in search.without],
    }


def _touch(explanation: Explanation) -> dict[str, float]:
    """The cycle of the point; what the ball goes on after a trigger is a bound."""
    placed = explanation.reasons.placed
    return {
        "speed_mm_s": 1e3 * float(placed.touch_speeds[0]),
        "search_before_mm": 1e3 * float(placed.search_before[0]),
        "search_after_mm": 1e3 * float(placed.search_after[0]),
        "max_overrun_mm": 1e3 * float(placed.depths[0] - placed.search_after[0]),
        "back_off_mm": 1e3 * float(placed.back_off[0]),
    }


def touch_sentence(explanation: Explanation) -> str:
    """The same for a reader."""
    if not explanation.job.touch.searching:
        return "to rest at the nominal surface; nothing is searched"
    return (
        "{speed_mm_s:.4g} mm/s from {search_before_mm:.3g} mm before to {search_after_mm:.3g} mm "
        "past the surface, overrun at most {max_overrun_mm:.3g} mm, back-off {back_off_mm:.3g} mm; "
        "without trigger: stop, retract, report"
    ).format(**_touch(explanation))


def joint_unit(mechanism: Mechanism, name: str) -> tuple[str, float]:
    """Unit that a joint is shown in, and the factor from SI to it."""
    joint = next(joint for joint in mechanism.movable if joint.name == name)
    return ("deg", 180.0 / np.pi) if joint.kind.angular else ("mm", 1e3)


def _branch(branch: BranchReason, mechanism: Mechanism) -> Document:
    unit, factor = joint_unit(mechanism, branch.margin_joint)
    return {
        "branch": branch.branch,
        "inverse_branch": branch.inverse_branch or None,
        "turn": None
        if branch.turn is None
        else {
            "joint": branch.turn.joint or None,
            "back_deg": float(np.degrees(branch.turn.back)),
            "on_deg": float(np.degrees(branch.turn.on)),
            "ends": [end.joint or "fold" for end in branch.turn.ends],
        },
        "holds": branch.holds,
        "q_clearance": dict(_joints(branch, mechanism)),
        "joint_margin": factor * branch.joint_margin,
        "joint_margin_unit": unit,
        "margin_joint": branch.margin_joint,
        "singularity_margin": branch.singularity_margin,
        "clearance_mm": 1e3 * branch.clearance,
        "failures": [
            {
                "code": failure.code,
                "what": failure.what,
                "amount": failure.amount,
                "unit": failure.unit,
                "before_contact_mm": 1e3 * failure.before,
                "message": failure.sentence,
            }
            for failure in branch.failures
        ],
    }


def _joints(branch: BranchReason, mechanism: Mechanism) -> Iterator[tuple[str, float]]:
    for joint, value in zip(mechanism.movable, branch.q_clearance.tolist(), strict=True):
        unit, factor = joint_unit(mechanism, joint.name)
        yield f"{joint.name}_{unit}", factor * value
