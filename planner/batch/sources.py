"""What a batch is given → cases: job files, folders, globs, sweeps."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from planner.batch.case import Case
from planner.batch.passed_over import PassedOver, told
from planner.batch.shown import shown
from planner.batch.toml_kind import Kind, TomlKind, toml_kind
from planner.errors import OptionError
from robots.core.caps import Cap

_SHOWN = 200  # characters of a source that makes no sense
_COPIES, _SET = "inputs", "provenance.json"  # of a report set


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What sources lead to.

    Args:
        cases: each job once, in the order of their names.
        passed_over: TOML files of folders that are neither job nor sweep; those that may have
            been meant to be come first.
    """

    cases: tuple[Case, ...]
    passed_over: tuple[PassedOver, ...]


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    found: TomlKind


def gathered(sources: Sequence[str], *, leave_out: Path | None = None) -> Gathered:
    """The cases of all sources, and what was passed over.

    A file that is named is a case even when it is no job: its result says so. Of a folder those
    TOML files count that are a job or a sweep, or damaged, so that none is lost; copies in report
    sets do not.

    Args:
        sources: paths of job files, sweep files and folders; patterns with ``*``, ``?``, ``[…]``.
        leave_out: folder of results, which may lie in a folder of jobs; None for none.

    Raises:
        OptionError: a source that leads to nothing; more jobs than a batch takes; two of one
            name.
        JobError: a fault in a sweep.
    """
    found: dict[str, Case] = {}
    passed: dict[str, PassedOver] = {}
    characters = 0
    for source in sources:
        for file in _files(source):
            if leave_out is not None and file.path.resolve().is_relative_to(leave_out):
                continue
            if file.found.kind is Kind.OTHER:
                name = _name(file.path)
                passed[name] = PassedOver(name=name, hint=file.found.hint)
                continue
            for case in _cases(file):
                _check_name(case, found.setdefault(case.name, case))
                characters += len(case.text)
                _check_size(source, len(found), characters)
    return Gathered(
        cases=tuple(found[name] for name in sorted(found)),
        passed_over=_in_order(file for name, file in passed.items() if name not in found),
    )


def _in_order(passed: Iterable[PassedOver]) -> tuple[PassedOver, ...]:
    return tuple(sorted(passed, key=lambda file: (not file.hint, file.name)))


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


def _files(source: str) -> Iterable[_File]:
    try:
        return _found(source)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(f"{source[:_SHOWN]}: {reason}; give another source.") from error


def _found(source: str) -> Iterable[_File]:
    path = Path(source)
    if path.is_dir():
        return _of_folder(path, source)
    if path.exists() or not glob.has_magic(source):
        if not path.is_file():
            raise OptionError(
                f"{source}: there is no such file or folder; give job files, folders of them, "
                "patterns in quotes, or sweeps."
            )
        return [_named(path)]
    files = [Path(name) for name in sorted(_matches(source))]
    files = [file for file in files if file.is_file()]
    if not files:
        raise OptionError(f"{source}: no file fits this pattern.")
    return map(_named, files)


def _of_folder(folder: Path, source: str) -> list[_File]:
    paths = (path for path in sorted(folder.rglob("*.toml")) if _counts(path, folder))
    files = [_File(path, toml_kind(path)) for path in paths]
    passed = [file for file in files if file.found.kind is Kind.OTHER]
    if len(passed) == len(files):
        others = _in_order(PassedOver(name=_name(f.path), hint=f.found.hint) for f in passed)
        raise OptionError(
            f"{source}: no file in this folder is a job; a job is a .toml file with a [job] "
            f"table. {f'{told(others)} ' if others else ''}`palpeur init` writes one to start from."
        )
    return files


def _named(path: Path) -> _File:
    """A file that is named is no other thing that may be passed over."""
    found = toml_kind(path)
    return _File(path, TomlKind(kind=Kind.DAMAGED) if found.kind is Kind.OTHER else found)


def _matches(pattern: str) -> list[str]:
    # Path.glob wants a folder to start from; a pattern may be absolute or begin anywhere
    return glob.glob(pattern, recursive=True)  # noqa: PTH207


def _cases(file: _File) -> Iterator[Case]:
    from planner.batch.sweep import sweep_cases

    name = _name(file.path)
    if file.found.kind is Kind.SWEEP:
        yield from sweep_cases(file.path, name)
    else:
        yield Case(name=name, job=file.path.resolve())


def _counts(path: Path, folder: Path) -> bool:
    """Whether a file of a folder is nobody's copy, not hidden, and can be read to its end."""
    if any(part.startswith(".") for part in path.relative_to(folder).parts):
        return False
    if path.parent.name == _COPIES and (path.parent.parent / _SET).exists():
        return False
    return path.is_file()


def _name(path: Path) -> str:
    """A path from where the command is run, which is how its user speaks of it."""
    full = path.resolve()
    here = Path.cwd()
    short = full.relative_to(here) if full.is_relative_to(here) else full
    return shown(short.as_posix())
