"""What a batch is given → cases: job files, folders, globs, sweeps."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from planner.batch.case import Case
from planner.batch.shown import shown
from planner.errors import OptionError
from robots.core.caps import Cap

_MARKS = ("[job]", "[sweep]")
_SHOWN = 200  # characters of a source that makes no sense
_COPIES, _SET = "inputs", "provenance.json"  # of a report set


def cases_of(sources: Sequence[str], *, leave_out: Path | None = None) -> tuple[Case, ...]:
    """The cases of all sources, each job once, in the order of their names.

    A file that is named is a case even when it is no job: its result says so. Of a folder those
    TOML files count that say they are a job or a sweep; copies in report sets do not.

    Args:
        sources: paths of job files, sweep files and folders; patterns with ``*``, ``?``, ``[…]``.
        leave_out: folder of results, which may lie in a folder of jobs; None for none.

    Raises:
        OptionError: a source that leads to nothing; more jobs than a batch takes; two of one
            name.
        JobError: a fault in a sweep.
    """
    found: dict[str, Case] = {}
    characters = 0
    for source in sources:
        for path in _files(source):
            if leave_out is not None and path.resolve().is_relative_to(leave_out):
                continue
            for case in _cases(path):
                _check_name(case, found.setdefault(case.name, case))
                characters += len(case.text)
                _check_size(source, len(found), characters)
    return tuple(found[name] for name in sorted(found))


def _check_name(case: Case, known: Case) -> None:
    """Refuse to lose a job behind another: what is no text in a name may look like one."""
    if known.job != case.job:
        raise OptionError(f"Two jobs are called {case.name[:_SHOWN]}; rename one of them.")


def _check_size(source: str, jobs: int, characters: int) -> None:
    if jobs > (cap := Cap.BATCH_JOBS).limit:
        raise OptionError(
            f"{source[:_SHOWN]}: a batch takes at most {cap.limit} jobs; give its folders one "
            f"after the other, into the same --out, or {cap.advice}.",
            limit=cap.limit,
        )
    if characters > (cap := Cap.SWEEP_CHARACTERS).limit:
        raise OptionError(
            f"{source[:_SHOWN]}: the jobs that sweeps make have more than {cap.limit} characters "
            "together; give the sweeps one after the other, into the same --out, put what is long "
            f"in their base jobs into files, or {cap.advice}.",
            limit=cap.limit,
        )


def _files(source: str) -> Iterable[Path]:
    try:
        return _found(source)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(f"{source[:_SHOWN]}: {reason}; give another source.") from error


def _found(source: str) -> Iterable[Path]:
    path = Path(source)
    if path.is_dir():
        files = [file for file in sorted(path.rglob("*.toml")) if _counts(file, path)]
        if not files:
            raise OptionError(
                f"{source}: no file in this folder is a job; a job is a .toml file with a [job] "
                "table. `palpeur init` writes one to start from."
            )
        return files
    if path.exists() or not glob.has_magic(source):
        if not path.is_file():
            raise OptionError(
                f"{source}: there is no such file or folder; give job files, folders of them, "
                "patterns in quotes, or sweeps."
            )
        return [path]
    files = [Path(name) for name in sorted(_matches(source))]
    files = [file for file in files if file.is_file()]
    if not files:
        raise OptionError(f"{source}: no file fits this pattern.")
    return files


def _matches(pattern: str) -> list[str]:
    # Path.glob wants a folder to start from; a pattern may be absolute or begin anywhere
    return glob.glob(pattern, recursive=True)  # noqa: PTH207


def _cases(path: Path) -> Iterator[Case]:
    from planner.batch.sweep import is_sweep, sweep_cases

    name = _name(path)
    if is_sweep(_head(path)):
        yield from sweep_cases(path, name)
    else:
        yield Case(name=name, job=path.resolve())


def _counts(path: Path, folder: Path) -> bool:
    """Whether a file of a folder is a job or a sweep, and nobody's copy of one."""
    if any(part.startswith(".") for part in path.relative_to(folder).parts):
        return False
    if path.parent.name == _COPIES and (path.parent.parent / _SET).exists():
        return False
    text = _head(path) if path.is_file() else ""
    return any(mark in text for mark in _MARKS)


def _head(path: Path) -> str:
    """As much of a file as a job may have, whatever it is."""
    try:
        with path.open("rb") as file:
            return file.read(Cap.JOB_BYTES.limit).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _name(path: Path) -> str:
    """A path from where the command is run, which is how its user speaks of it."""
    full = path.resolve()
    here = Path.cwd()
    short = full.relative_to(here) if full.is_relative_to(here) else full
    return shown(short.as_posix())
