"""``palpeur doctor``: whether this machine and this installation are fit, and how well."""

from __future__ import annotations

from planner.cli.output import Form
from planner.doctor import diagnoses
from reports.doctor import caps_document, caps_lines, diagnosis_document, diagnosis_lines, is_fit


def print_diagnosis(*, as_json: bool) -> int:
    """Print every check; exit code 1 when something that is needed fails."""
    checks = tuple(diagnoses())
    return Form(json=as_json).show(
        json=lambda: diagnosis_document(checks),
        text=lambda: diagnosis_lines(checks),
        passed=is_fit(checks),
    )


def print_caps(*, as_json: bool) -> int:
    """Print every cap on input, and how it is changed."""
    return Form(json=as_json).show(json=caps_document, text=caps_lines)
