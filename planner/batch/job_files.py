"""Cases of sweeps as job files of their own, with the files that they name beside them."""

from __future__ import annotations

import filecmp
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath, PurePosixPath

from planner.batch.case import Case, is_within, names_in, raw_of, shown
from planner.errors import OptionError, OutputError
from planner.processes import LINKLESS

Content = str | Path  # the text of a job, or a file that is copied


def write_jobs(cases: Sequence[Case], folder: Path, *, allow_outside: bool) -> int:
    """Write every case of a sweep as a job file: ``rand.toml#007`` as ``rand-007.toml``.

    Files that a job names from its folder are copied to the same place beside it, so that the
    copy is judged as the case is. A file of the same content that is there already stays; all is
    looked at before anything is written, and nothing that is there is written over.

    Args:
        cases: of a batch; those that are files of their own are passed over.
        folder: where they go, by the names of their sweeps; made where it is missing.
        allow_outside: whether jobs may name files outside their folder.

    Returns:
        How many jobs are there now.

    Raises:
        OptionError: two cases, or the files they name, want one place; a job names a file by a
            path that leads elsewhere from another folder.
        OutputError: another file stands there, or the folder cannot be written.
    """
    varied = [case for case in cases if case.text]
    wanted: dict[Path, Content] = {}
    for case in varied:
        for path, content in _files(case, folder, allow_outside=allow_outside):
            if not _same(wanted.setdefault(path, content), content):
                raise OptionError(
                    f"{case.name}: {shown(str(path))} would have to hold two things; write the "
                    "jobs of one sweep after the other, each into a folder of its own."
                )
    try:
        fresh = {path: content for path, content in wanted.items() if not _is_there(path, content)}
        for path, content in fresh.items():
            _write(path, content)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"{shown(str(folder))}: the jobs cannot be written: {reason}; give another folder with "
            "--write-jobs."
        ) from error
    return len(varied)


def _files(case: Case, folder: Path, *, allow_outside: bool) -> Iterator[tuple[Path, Content]]:
    """The files that make a job of a case, and what is in them."""
    sweep, _, number = case.name.rpartition("#")
    name = PurePosixPath(sweep.lstrip("/"))
    place = folder / name.parent
    yield place / f"{name.name.removesuffix('.toml')}-{number}.toml", case.text
    root = case.job.parent.resolve()
    for text in names_in(raw_of(case)):
        path, pure = case.job.parent / text, PurePath(text)
        outside = _is_file(path) and not is_within(path, root)
        if not _is_file(path) or (outside and (pure.is_absolute() or not allow_outside)):
            continue  # none; or it leads there from anywhere; or the job may not read it
        if pure.is_absolute() or ".." in pure.parts:
            raise OptionError(
                f"{case.name}: it names {shown(text)}, which leads elsewhere from another folder; "
                "name the file in the base job by its path from there, without '..'."
            )
        yield place / text, path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError, RuntimeError):
        return False


def _same(one: Content, other: Content) -> bool:
    if isinstance(one, Path) and isinstance(other, Path):
        return one == other or filecmp.cmp(one, other, shallow=False)
    return one == other


def _is_there(path: Path, content: Content) -> bool:
    """Whether a place holds what it should already.

    Raises:
        OutputError: it holds something else.
    """
    if not os.path.lexists(path):
        return False
    regular = path.is_file() and not path.is_symlink()
    if isinstance(content, Path):
        equal = regular and filecmp.cmp(path, content, shallow=False)
    else:
        equal = regular and path.read_bytes() == content.encode()
    if not equal:
        raise OutputError(
            f"{shown(str(path))}: there is something else already, which is not written over; give "
            "a new or empty folder with --write-jobs."
        )
    return True


def _write(path: Path, content: Content) -> None:
    """Whole or not at all, and never over what came there meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with fresh.open("xb") as file:
            if isinstance(content, Path):
                with content.open("rb") as given:
                    shutil.copyfileobj(given, file)
            else:
                file.write(content.encode())
            file.flush()
            os.fsync(file.fileno())
        _name(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _name(fresh: Path, path: Path) -> None:
    try:
        os.link(fresh, path)  # unlike a renaming, it fails where something is
    except OSError as error:
        if error.errno not in LINKLESS or os.path.lexists(path):
            raise
        fresh.rename(path)  # a file system without links
