"""Options of ``palpeur measure`` and ``palpeur machine-test``, in SI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.session import Session
from planner.errors import OptionError
from planner.virtual_measuring.measuring import CONTENTS, MOST_RUNS
from planner.virtual_measuring.true_part import FARTHEST, PartErrors

if TYPE_CHECKING:
    from planner.job import Job
    from planner.plan import Plan

_LONGEST = 10.0  # [m]


def measurable_job(path: str, *, allow_outside: bool) -> Job:
    """A job that one arm measures.

    Raises:
        JobError: the job cannot be read, or has a presenter.
    """
    from planner.job import read_job

    return read_job(path, allow_outside=allow_outside, fixed_part=True)


def planned_job(job: Job, session: Session) -> Plan:
    """Its plan, with progress where somebody watches."""
    from planner.cli.session import progress_of
    from planner.planning import plan

    with progress_of(session) as progress:
        return plan(job, progress)


def part_errors(offsets: Sequence[str], form: float) -> PartErrors:
    """What ``--offset-um`` and ``--form-um`` say. Args: form. [m].

    Raises:
        OptionError: an offset that is not FEATURE=VALUE, or a value too large for an error.
    """
    _check_size("--form-um", form)
    found: dict[str, float] = {}
    for text in offsets:
        name, _, value = text.rpartition("=")
        try:
            found[name] = float(value) * 1e-6
        except ValueError:
            name = ""
        if not name:
            raise OptionError(
                f"--offset-um {text!r}: expected FEATURE=VALUE in micrometres, such as bore=20.",
                value=text,
            )
        _check_size(f"--offset-um {name}", found[name])
    return PartErrors(offsets=found, form=form)


def _check_size(option: str, value: float) -> None:
    """Args: value, in metres; told in the option's unit."""
    if not abs(value) <= FARTHEST:
        raise OptionError(
            f"{option} is {1e6 * value:g} µm; give at most {1e6 * FARTHEST:g} µm: a part that is "
            "farther off is another part.",
            value=value,
            limit=FARTHEST,
            unit="m",
        )


def check_measurement_options(content: str, runs: int, *, is_listed: bool) -> None:
    """Raise where the options contradict each other.

    Args:
        content: what is written of each point.
        runs: how many machines measure.
        is_listed: whether several runs have a place to go.

    Raises:
        OptionError: they do.
    """
    if content not in CONTENTS:
        raise OptionError(f"--as {content}: choose one of {', '.join(CONTENTS)}.", value=content)
    if runs > MOST_RUNS:
        raise OptionError(f"--runs is {runs}; give 1 to {MOST_RUNS}.", value=runs, limit=MOST_RUNS)
    if runs > 1 and not is_listed:
        raise OptionError("--runs of several machines needs --out FILE, which is numbered.")


def measured_files(out: str, runs: int) -> list[str]:
    """Names of the files, one per run; none without ``--out``."""
    if not out or runs == 1:
        return [str(Path(out))] if out else []
    path = Path(out)
    return [str(path.with_name(f"{path.stem}-{k}{path.suffix}")) for k in range(1, runs + 1)]


def stylus_length(stylus_mm: float | None, job: Job | None) -> float:
    """Length of the stylus: as given, else the job's, else none. [m].

    Raises:
        OptionError: no length of a stylus.
    """
    if stylus_mm is not None:
        length = stylus_mm / 1e3
    else:
        length = 0.0 if job is None else job.probe.stylus_length
    if not 0.0 <= length <= _LONGEST:
        raise OptionError(
            f"--stylus-mm is {1e3 * length:g}; expected 0 to {1e3 * _LONGEST:g}.", value=length
        )
    return length
