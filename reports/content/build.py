"""From a validated plan to what its report says."""

from __future__ import annotations

from planner.proof import Proof
from reports.content import tables
from reports.content.curves import curve_sets
from reports.content.report import Report
from reports.content.summary import facts, unchecked_facts, verdict
from reports.drawn_samples import DrawnSamples
from reports.provenance import Provenance, SetOptions


def report_content(
    proof: Proof,
    drawn: DrawnSamples,
    made: Provenance,
    *,
    errata: tuple[str, ...] = (),
    options: SetOptions | None = None,
) -> Report:
    """Everything that a report says.

    Args:
        proof: a plan that was checked.
        drawn: samples that curves show.
        made: provenance.
        errata: what a reproduced source says otherwise.
        options: of the report set; the usual ones when None.
    """
    plan = proof.plan
    told, status = verdict(proof)
    return Report(
        title=plan.job.name,
        verdict=told,
        status=status,
        unchecked=unchecked_facts(plan),
        facts=facts(proof, options or SetOptions()),
        findings=plan.finding_list,
        curves=curve_sets(plan, drawn),
        joints=tables.joints_table(plan),
        points=tables.points_table(plan),
        segments=tables.segments_table(plan),
        clearances=tables.clearances_table(plan),
        audit=tables.audit_table(plan),
        validation=tables.validation_table(proof),
        cell=tables.cell_table(plan),
        job_text=plan.job.text,
        errata=errata,
        provenance=tables.provenance_table(made),
        sha256=made.sha256,
        version=dict(made.versions).get("palpeur", ""),
    )
