"""Sources of a batch → cases: job files, folders, globs, sweeps."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from pathlib import Path

from planner.batch.case import Case, shown
from planner.errors import OptionError
from robots.core.caps import Cap, read_capped
from robots.core.robot_file.source_text import toml_document

_SHOWN = 200  # characters of a source that makes no sense
_COPIES, _SET = "inputs", "provenance.json"  # of a report set
_NAMED = 3
_LONGEST = 80  # characters of a name
_WORDS = ("job", "sweep")
_ALIKE = 0.65  # "jbo" is like "job"; "robot" and "speed" are like neither word
_TOML_KIND_LONGEST = 40  # characters of a key that is told


class Kind(Enum):
    """Kind of a TOML file."""

    JOB = "job"
    SWEEP = "sweep"
    OTHER = "neither"
    DAMAGED = "damaged"  # or empty, too long, not readable: nobody knows what it should be


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlKind:
    """Kind and content of a TOML file.

    Args:
        kind: of the file.
        hint: of one that is neither job nor sweep, what it may have been meant to be; empty for
            none.
    """

    kind: Kind
    hint: str = ""


_JOB, _SWEEP, _DAMAGED = (TomlKind(kind=kind) for kind in (Kind.JOB, Kind.SWEEP, Kind.DAMAGED))


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """A TOML file that is neither a job nor a sweep.

    Args:
        name: what a reader calls it, untrusted.
        hint: what it may have been meant to be; empty for none.
    """

    name: str
    hint: str = ""

    def document(self) -> dict[str, str]:
        """For programs."""
        return {"name": self.name, "hint": self.hint}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSources:
    """The jobs that the sources name, and the files passed over.

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


def gathered(sources: Sequence[str], *, leave_out: Path | None = None) -> JobSources:
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
    return JobSources(
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
    name = _name(file.path)
    if file.found.kind is Kind.SWEEP:
        from planner.batch.sweep import sweep_cases  # the schema of sweeps, which few batches need

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


def told(files: Sequence[PassedOver]) -> str:
    """One sentence about all of them; empty for none.

    Args:
        files: those that may have been meant to be jobs first.
    """
    if not files:
        return ""
    what = "files are neither job nor sweep and were"
    if len(files) == 1:
        what = "file is neither job nor sweep and was"
    end = ", …" if len(files) > _NAMED else "."
    names = ", ".join(map(_brief, files[:_NAMED]))
    return f"{len(files)} .toml {what} passed over: {names}{end}"


def _brief(file: PassedOver) -> str:
    name = file.name if len(file.name) <= _LONGEST else f"…{file.name[-_LONGEST:]}"
    return f"{name} ({file.hint})" if file.hint else name


def toml_kind(path: Path) -> TomlKind:
    """What a file is, by its keys; it is read once and only as far as a job may go."""
    try:
        text = read_capped(path, Cap.JOB_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return _DAMAGED
    try:
        keys = toml_document(text, parse_float=float).keys()
    except (ValueError, RecursionError):
        return _DAMAGED
    if "sweep" in keys:
        return _SWEEP
    if "job" in keys:
        return _JOB
    return TomlKind(kind=Kind.OTHER, hint=_hint(keys)) if keys else _DAMAGED


def _hint(keys: Iterable[str]) -> str:
    """The first key that looks like one of a job or sweep, and which."""
    for key in keys:
        for close in get_close_matches(
            key[:_TOML_KIND_LONGEST].lower(), _WORDS, n=1, cutoff=_ALIKE
        ):
            return f'"{key[:_TOML_KIND_LONGEST]}": did you mean "{close}"?'
    return ""
