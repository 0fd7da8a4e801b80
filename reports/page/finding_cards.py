"""Findings as cards: equal codes together, with the page that explains them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.errors import FindingError
from planner.findings import Finding, Page, page

_SHOWN = 20  # of one code


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """All findings of one code and severity.

    Args:
        code: stable.
        severity: error, warning or note.
        anchor: of the card in the page.
        findings: the first ones.
        left_out: how many more there are.
        page: what the code means; None for one without a page.
    """

    code: str
    severity: str
    anchor: str
    findings: tuple[Finding, ...]
    left_out: int
    page: Page | None


def cards(findings: Sequence[Finding]) -> tuple[Card, ...]:
    """Findings by code and severity, in the order of their first ones."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.severity.value), []).append(finding)
    return tuple(
        Card(
            code=code,
            severity=severity,
            anchor=f"finding-{number}",
            findings=tuple(group[:_SHOWN]),
            left_out=max(0, len(group) - _SHOWN),
            page=_page(code),
        )
        for number, ((code, severity), group) in enumerate(groups.items(), start=1)
    )


def _page(code: str) -> Page | None:
    try:
        return page(code)
    except FindingError:
        return None
