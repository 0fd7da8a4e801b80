"""All checks in order, printed as a table or as JSON; and the caps on input."""

from __future__ import annotations

from collections.abc import Iterator

from planner.cli.doctor.diagnosis import Diagnosis, Health
from planner.cli.doctor.folders import folder_checks
from planner.cli.doctor.installed_files import files_check
from planner.cli.doctor.kernel_cache import cache_check
from planner.cli.doctor.machine import machine_checks, tool_checks
from planner.cli.doctor.requirements import requirement_checks
from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, print_json, print_table
from robots.core.caps import Cap


def print_diagnosis(*, as_json: bool) -> int:
    """Print every check; exit code 1 when something that is needed fails."""
    checks = tuple(diagnoses())
    fit = all(check.health is not Health.BAD for check in checks)
    if as_json:
        document = [check.document() for check in checks]
        print_json({"format": FORMAT, "fit": fit, "checks": document})
    else:
        rows = [(check.name, check.health.value, check.found) for check in checks]
        print_table(("what", "state", "found"), rows)
        print("This machine is fit." if fit else "This machine is not fit: see FAILED above.")
    return ExitCode.DONE if fit else ExitCode.FAILED


def diagnoses() -> Iterator[Diagnosis]:
    """All checks, in order."""
    yield from requirement_checks()
    yield files_check()
    yield from folder_checks()
    yield from machine_checks()
    yield cache_check()
    yield _caps()
    yield from tool_checks()


def print_caps(*, as_json: bool) -> int:
    """Print every cap on input, and how it is changed."""
    if as_json:
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
        print_json({"format": FORMAT, "caps": caps})
        return ExitCode.DONE
    rows = [(cap.variable, f"{cap.limit:_}", f"{cap.unit}: {cap.meaning}") for cap in Cap]
    print_table(("environment variable", "limit", "of"), rows)
    print(f"Such as: {Cap.POINTS.variable}=2_000_000 palpeur plan job.toml")
    return ExitCode.DONE


def _caps() -> Diagnosis:
    changed = [
        f"{cap.variable}={cap.limit} (default {cap.default})"
        for cap in Cap
        if cap.limit != cap.default
    ]
    found = ", ".join(changed) or f"{len(Cap)} at their defaults; --caps lists them"
    return Diagnosis(name="caps on input", health=Health.GOOD, found=found)
