"""What a batch is given → cases: job files, folders, globs, sweeps."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from planner.batch.case import Case
from planner.errors import OptionError

MAX_CASES = 1_000_000
_MARKS = ("[job]", "[sweep]")
_SHOWN = 200  # characters of a source that makes no sense
_COPIES, _SET = "inputs", "provenance.json"  # of a report set
_HEAD = 1_000_000  # [bytes] in which a file says what it is


def cases_of(sources: Sequence[str], *, leave_out: Path | None = None) -> tuple[Case, ...]:
    """The cases of all sources, each job once, in the order of their names.

    A file that is named is a case even when it is no job: its result says so. Of a folder those
    TOML files count that say they are a job or a sweep; copies in report sets do not.

    Args:
        sources: paths of job files, sweep files and folders; patterns with ``*``, ``?``, ``[…]``.
        leave_out: folder of results, which may lie in a folder of jobs; None for none.

    Raises:
        OptionError: a source that leads to nothing.
        JobError: a fault in a sweep.
    """
    found: dict[str, Case] = {}
    for source in sources:
        for path in _files(source):
            if leave_out is not None and path.resolve().is_relative_to(leave_out):
                continue
            for case in _cases(path):
                found.setdefault(case.name, case)
                if len(found) > MAX_CASES:
                    raise OptionError(
                        f"{source}: a batch takes at most {MAX_CASES} cases; give its folders one "
                        "after the other, into the same --out."
                    )
    return tuple(found[name] for name in sorted(found))


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

    shown = _shown(path)
    if is_sweep(_head(path)):
        yield from sweep_cases(path, shown)
    else:
        yield Case(name=shown, job=path.resolve())


def _counts(path: Path, folder: Path) -> bool:
    """Whether a file of a folder is a job or a sweep, and nobody's copy of one."""
    if any(part.startswith(".") for part in path.relative_to(folder).parts):
        return False
    if path.parent.name == _COPIES and (path.parent.parent / _SET).exists():
        return False
    text = _head(path) if path.is_file() else ""
    return any(mark in text for mark in _MARKS)


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _shown(path: Path) -> str:
    """A path from where the command is run, which is how its user speaks of it."""
    full = path.resolve()
    here = Path.cwd()
    short = full.relative_to(here) if full.is_relative_to(here) else full
    # names that are not UTF-8 can be opened, but not printed
    return os.fsencode(short.as_posix()).decode("utf-8", errors="backslashreplace")
