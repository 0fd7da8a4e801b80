"""Everything the doctor looks at, in order."""

from __future__ import annotations

from collections.abc import Iterator

from planner.doctor.installation import (
    Diagnosis,
    files_check,
    folder_checks,
    requirement_checks,
)
from planner.doctor.machine import cache_check, caps_check, machine_checks, tool_checks


def diagnoses() -> Iterator[Diagnosis]:
    """All checks, in order."""
    yield from requirement_checks()
    yield files_check()
    yield from folder_checks()
    yield from machine_checks()
    yield cache_check()
    yield caps_check()
    yield from tool_checks()
