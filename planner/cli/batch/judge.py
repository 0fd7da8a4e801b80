"""Judge one case: read the job, plan it, validate the plan; whatever happens is an outcome."""

from __future__ import annotations

import importlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planner.batch.case import Case, CaseKey
from planner.batch.outcome import Outcome, Status
from planner.batch.shown import shown
from planner.cli.job.planned_job import refuse_presenter
from planner.findings import Finding, Severity
from planner.sampled_motion import SampledMotion
from robots.core.errors import PalpeurError

if TYPE_CHECKING:
    from planner.plan_types import Plan
    from reports.validation import Validation

_LONGEST = 2000  # characters of a message; a table of findings is not a message


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """A case that was judged.

    Args:
        outcome: what came out.
        plan: None where there is none.
        motion: its samples.
        validation: of the plan.
    """

    outcome: Outcome
    plan: Plan | None = None
    motion: SampledMotion | None = None
    validation: Validation | None = None


def prepare() -> None:
    """Load what judging needs, so that no case pays for it."""
    for module in ("planner.job", "planner.planning", "reports.validation"):
        importlib.import_module(module)


def judge(case: Case, key: CaseKey, *, allow_outside: bool) -> Judged:
    """Plan and validate a case.

    Args:
        case: the job.
        key: what the ledger knows of its inputs.
        allow_outside: whether the job may name files outside its folder.
    """
    from planner.job import read_job
    from planner.planning import plan
    from planner.sampled_motion import sampled
    from reports.validation import validate

    try:
        job = read_job(case.job, allow_outside=allow_outside, text=case.text)
        refuse_presenter(job, case.job.name)
        planned = plan(job)
        motion = sampled(planned)
        validation = validate(planned, motion)
    except PalpeurError as error:
        return Judged(outcome=_refused(error, case))
    known = set(dict(key.inputs))
    further = {
        item.name: item.sha256
        for item in job.inputs
        if item.path is not None and item.name not in known
    }
    outcome = _planned(planned, validation, further)
    return Judged(outcome=outcome, plan=planned, motion=motion, validation=validation)


def _refused(error: PalpeurError, case: Case) -> Outcome:
    where = error.facts.get("key") or error.facts.get("file") or case.job.name
    return Outcome(
        status=Status.REFUSED,
        code=type(error).__name__,
        where=shown(placeless(str(where), case)),
        message=shown(placeless(error.message, case))[:_LONGEST],
    )


def placeless(text: str, case: Case) -> str:
    """A text that does not say in which folder it was written: equal inputs, equal results."""
    folder = case.job.parent
    for path in (str(folder.resolve()), str(folder)):
        if path not in {".", "/"}:
            text = text.replace(f"{path}/", "").replace(path, ".")
    return text


def _planned(plan: Plan, validation: Validation, further: dict[str, str]) -> Outcome:
    if not validation.passed:
        from reports.rejection import failed_check_text

        failed = ", ".join(check.name for check in validation.failures)
        status, code, where = Status.NOT_VALIDATED, "validation", failed
        told = "; ".join(failed_check_text(plan, check) for check in validation.failures)
        message = f"the plan failed its own validation: {told}. This is a fault of Palpeur's."
    elif plan.feasible:
        status, code, where, message = Status.FEASIBLE, "", "", ""
    else:
        worst = next(item for item in plan.findings if item.severity is Severity.ERROR)
        status, code, where = Status.INFEASIBLE, worst.code, worst.where
        message = _sentence(worst, plan)
    return Outcome(
        status=status,
        code=code,
        where=shown(where),
        message=shown(message)[:_LONGEST],
        figures=_figures(plan),
        findings=Counter(item.code for item in plan.findings),
        unchecked=tuple(one.aspect for one in plan.unchecked),
        inputs=further,
    )


def _sentence(worst: Finding, plan: Plan) -> str:
    others = sum(item.severity is Severity.ERROR for item in plan.findings) - 1
    return f"{worst.message} (and {others} more)" if others else worst.message


def _figures(plan: Plan) -> dict[str, float]:
    """Numbers that tell two plans apart; those that do not exist are left out.

    Where no point is reached nothing moves: a motion of 0 s would look like the quickest one.
    """
    reached = [point for point in plan.points if point.reachable]
    mechanism = plan.job.mechanism
    turns = {joint.name: joint.kind.angular for joint in mechanism.movable}
    angles = [p.joint_margin for p in reached if turns.get(p.margin_joint, False)]
    slides = [p.joint_margin for p in reached if not turns.get(p.margin_joint, True)]
    nearest = plan.nearest
    found = {
        "points": float(len(plan.points)),
        "points_reached": float(len(reached)),
        "joint_margin_deg": float(np.degrees(min(angles, default=np.nan))),
        "joint_margin_mm": 1e3 * min(slides, default=np.nan),
        "clearance_mm": np.nan if nearest is None else 1e3 * nearest[0].certified,
        "singularity_margin": min((p.singularity_margin for p in reached), default=np.nan),
    }
    if plan.segments:
        found |= _motion_figures(plan)
    return {name: float(value) for name, value in found.items() if np.isfinite(value)}


def _motion_figures(plan: Plan) -> dict[str, float]:
    movable = plan.job.mechanism.movable
    turning = {joint.name for joint in movable if joint.kind.angular}
    limits = {joint.name: joint.max_effort for joint in movable}
    found = {
        "duration_s": plan.totals.duration,
        "energy_j": plan.totals.energy,
        "peak_power_w": plan.totals.peak_power,
        "peak_torque_nm": max(
            (j.peak_torque for j in plan.joints if j.name in turning), default=np.nan
        ),
    }
    if np.isfinite(list(limits.values())).any():
        found["torque_fraction"] = max(j.peak_torque / limits[j.name] for j in plan.joints)
    return found
