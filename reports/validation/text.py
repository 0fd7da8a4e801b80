"""The residuals as a table that a reader can follow without colours."""

from __future__ import annotations

from textwrap import wrap

from reports.validation.check import Check, Validation

_WIDTH = 100


def validation_text(validation: Validation, *, explain: bool = False) -> str:
    """One line per check: name, worst residual, limit, verdict; failures explain themselves.

    Args:
        validation: what was found.
        explain: whether checks that passed explain themselves as well.
    """
    name = max((len(check.name) for check in validation.checks), default=0)
    lines = [_verdict(validation), ""]
    for check in validation.checks:
        lines.append(_line(check, name))
        if explain or not check.passed:
            lines += wrap(
                check.explanation,
                _WIDTH,
                initial_indent=" " * 6,
                subsequent_indent=" " * 6,
            )
    return "\n".join(lines) + "\n"


def _verdict(validation: Validation) -> str:
    count, failed = len(validation.checks), len(validation.failures)
    if validation.passed:
        return f"Validation by independent roads: all {count} checks passed."
    names = ", ".join(check.name for check in validation.failures)
    return f"Validation by independent roads: {failed} of {count} checks FAILED: {names}."


def _line(check: Check, width: int) -> str:
    unit = "" if check.unit == "1" else f" {check.unit}"
    mark = "ok  " if check.passed else "FAIL"
    form = ".9f" if check.limit >= 1.0 else ".3g"  # a ratio to a limit differs late
    value, limit = (format(number, form) for number in (check.value, check.limit))
    return f"{mark}  {check.name:<{width}}  {value:>11} of at most {limit}{unit}"
