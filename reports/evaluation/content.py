"""All that a reader is told of an evaluation, or of an uncertainty, without a form."""

from __future__ import annotations

from dataclasses import dataclass

from planner.findings import Finding
from reports.content.table import Fact, Table, ValueStatus
from reports.evaluation import tables, uncertainty_tables, words
from reports.evaluation.provenance import provenance_table
from reports.evaluation.shown import EvaluationSubject, UncertaintySubject


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationContent:
    """The content; the names that ``reports.content.Report`` has too mean the same.

    Args:
        title: name of the job; untrusted.
        kind: of the report, a few words.
        verdict: one sentence.
        status: what it means.
        facts: the summary.
        findings: the worst first.
        tables: in reading order, provenance last.
        sha256: of the job file.
        file: JSON document that holds everything.
        unchecked: none; a plan has them.
        errata: none.
    """

    title: str
    kind: str
    verdict: str
    status: ValueStatus
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    tables: tuple[Table, ...]
    sha256: str
    file: str
    unchecked: tuple[Fact, ...] = ()
    errata: tuple[str, ...] = ()


def evaluation_content(shown: EvaluationSubject) -> EvaluationContent:
    """Content of an evaluation."""
    doubts = shown.uncertainty
    more = () if doubts is None else _uncertainty_tables(doubts)
    return EvaluationContent(
        title=shown.job.name,
        kind="evaluation of measured points",
        verdict=words.verdict(shown.evaluation),
        status=words.status(shown.evaluation),
        facts=words.facts(shown),
        findings=(*shown.evaluation.findings, *(() if doubts is None else doubts.findings)),
        tables=(
            tables.characteristics_table(shown),
            tables.features_table(shown.evaluation),
            tables.sizes_table(shown.evaluation),
            tables.deviations_table(shown),
            *more,
            provenance_table(shown.source),
        ),
        sha256=shown.source.job.sha256,
        file="evaluation.json",
    )


def uncertainty_content(shown: UncertaintySubject) -> EvaluationContent:
    """Content of the uncertainty of a job."""
    return EvaluationContent(
        title=shown.job.name,
        kind="measuring uncertainty",
        verdict=words.uncertainty_verdict(shown),
        status=words.uncertainty_status(shown),
        facts=words.uncertainty_facts(shown),
        findings=shown.findings,
        tables=(*_uncertainty_tables(shown), provenance_table(shown.source)),
        sha256=shown.source.job.sha256,
        file="uncertainty.json",
    )


def _uncertainty_tables(shown: UncertaintySubject) -> tuple[Table, ...]:
    return (
        uncertainty_tables.points_table(shown),
        uncertainty_tables.budget_table(shown),
        uncertainty_tables.branches_table(shown),
        uncertainty_tables.settings_table(shown.measuring.settings),
    )
