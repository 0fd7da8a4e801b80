"""Answers of ``palpeur doctor``: every check with its state, and the caps on input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.doctor import Diagnosis, Health
from reports.answers import FORMAT, table_lines
from robots.core.caps import Cap


def is_fit(checks: Sequence[Diagnosis]) -> bool:
    """Return whether nothing that is needed fails."""
    return all(check.health is not Health.BAD for check in checks)


def diagnosis_document(checks: Sequence[Diagnosis]) -> dict[str, object]:
    """Every check in JSON."""
    return {
        "format": FORMAT,
        "fit": is_fit(checks),
        "checks": [check.document() for check in checks],
    }


def diagnosis_lines(checks: Sequence[Diagnosis]) -> Iterator[str]:
    """Every check for a terminal."""
    rows = [(check.name, check.health.value, check.found) for check in checks]
    yield from table_lines(("what", "state", "found"), rows)
    fit = is_fit(checks)
    yield "This machine is fit." if fit else "This machine is not fit: see FAILED above."


def caps_document() -> dict[str, object]:
    """Every cap on input in JSON."""
    caps = [
        {
            "name": cap.name,
            "limit": cap.limit,
            "default": cap.default,
            "unit": cap.unit,
            "of": cap.meaning,
            "variable": cap.variable,
        }
        for cap in Cap
    ]
    return {"format": FORMAT, "caps": caps}


def caps_lines() -> Iterator[str]:
    """Every cap on input, and how it is changed."""
    rows = [(cap.variable, f"{cap.limit:_}", f"{cap.unit}: {cap.meaning}") for cap in Cap]
    yield from table_lines(("environment variable", "limit", "of"), rows)
    yield f"Such as: {Cap.POINTS.variable}=2_000_000 palpeur plan job.toml"
