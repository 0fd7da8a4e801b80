"""Results on disk: written whole or not at all, and never over what is not Palpeur's.

What Palpeur wrote says so itself. A set has its record, ``provenance.json``, which lists every file
of it; a text that can carry a comment ends with a line that names the command and holds the hash of
what is above it. Nothing else on the machine is asked. A file of a format without comments, such as
CSV, cannot say whose it is; like everything that is not Palpeur's, or that was changed since, it is
replaced only with ``--force``. An input of the running command is never replaced.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from planner.errors import OutputError
from planner.processes import half_written, left_behind
from robots.core.caps import Cap, read_capped

RECORD = "provenance.json"
REPORT_SET = "report set"  # of a plan: what a record without a kind belongs to
_FORMAT = 1
# Refusal of a file that only sums up results that are safe on the disk.
RESULTS_KEPT = (
    "cannot be written: {reason}. The results are kept; make room and run the same command again"
)
_DEVICES, _SHARED_MEMORY = "/dev/", "/dev/shm/"
_MARK = "written by `{command}`; sha256 of what is above: {digest}"
_MARKED = re.compile(rb"written by `([^`\n]+)`; sha256 of what is above: ([0-9a-f]{64})")
_LONGEST_MARK = 400  # bytes of the last line of a marked text
_HERE = -100  # AT_FDCWD of Linux: paths are relative to the current folder
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux
# Of a network folder that brings names to the disk by itself.
_BY_ITSELF = frozenset({errno.EINVAL, errno.ENOTSUP})


# --- sets ----------------------------------------------------------------------------------------
@contextmanager
def result_set(folder: Path, kind: str, *, force: bool = False) -> Iterator[Path]:
    """Give a new folder to fill; at the end it takes the place of ``folder``.

    Everything is on the disk before the exchange. When filling it fails or is interrupted,
    ``folder`` stays as it was and the new one is removed. With ``force``, a folder that holds other
    things keeps them: only files of the same names are replaced, each of them whole.

    Args:
        folder: the place; its parents are made.
        kind: of the set, such as "placing"; an earlier set of the same kind is replaced.
        force: whether what is not of such a set may be replaced.

    Raises:
        OutputError: the place holds something else, or cannot be written to.
    """
    place = _place(folder)
    fresh = half_written(place)
    try:
        foreign = check_set(place, kind, force=force)
        for path in left_behind(place):
            shutil.rmtree(path, ignore_errors=True)
        fresh.mkdir(parents=True)
        yield fresh
        _write_record(fresh, kind)
        for path in (*sorted(fresh.rglob("*")), fresh):
            to_disk(path)
        foreign = check_set(place, kind, force=force)  # somebody may have put a file there
        if foreign:
            _move_into(fresh, place, _listed(place, kind))
        else:
            _take_place(fresh, place)
    except OSError as error:
        raise _no_folder(folder, error.strerror or str(error)) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def write_set(
    folder: Path, kind: str, files: Iterable[tuple[str, str | bytes]], *, force: bool = False
) -> None:
    """Write a set of files; those of an earlier set of its kind are replaced.

    Args:
        folder: new, empty, or holding an earlier set of this kind and nothing else.
        kind: of the set, such as "placing".
        files: name and content of each; made only once the folder is known to be free.
        force: whether a folder with other files is written to as well.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    with result_set(folder, kind, force=force) as fresh:
        for name, content in files:
            data = content.encode("utf-8") if isinstance(content, str) else content
            (fresh / name).write_bytes(data)


def check_set(folder: Path, kind: str, *, force: bool = False) -> tuple[Path, ...]:
    """Whether a set may take a place: it is free, empty, or holds an earlier set and nothing else.

    Args:
        folder: the place.
        kind: of the set.
        force: whether anything else may be there.

    Returns:
        What is there and is of no such set; empty without ``force``.

    Raises:
        OutputError: the place is a file, holds something else, or cannot be looked into.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise OutputError(
                f"{folder} is a file, not a folder; give another place with --out.",
                folder=str(folder),
            )
        foreign = _foreign(folder, kind) if folder.exists() else []
    except OSError as error:
        raise OutputError(
            f"{folder}: the folder cannot be looked into: {error.strerror}; give another place "
            "with --out.",
            folder=str(folder),
        ) from error
    if foreign and not force:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise OutputError(
            f"{folder} holds {foreign[0].relative_to(folder)}{more}, which is of no {kind} that "
            "Palpeur wrote; give a new folder with --out, or --force to replace files of the same "
            "names there.",
            folder=str(folder),
            foreign=tuple(map(str, foreign)),
        )
    return tuple(foreign)


def _foreign(folder: Path, kind: str) -> list[Path]:
    """What a folder holds beside a set of this kind; of other folders their entries only."""
    listed = _listed(folder, kind)
    if not listed:
        return sorted(folder.iterdir())
    return [path for path in sorted(folder.rglob("*")) if not _ours(path, folder, listed)]


def _ours(path: Path, folder: Path, listed: frozenset[str]) -> bool:
    name = path.relative_to(folder).as_posix()
    if path.is_symlink():
        return False
    if path.is_dir():
        return any(item.startswith(f"{name}/") for item in listed)
    return name in listed


def _listed(folder: Path, kind: str) -> frozenset[str]:
    """Files that the record of a set of this kind names, the record too; none without one."""
    record = folder / RECORD
    try:
        if record.is_symlink():
            return frozenset()
        document = json.loads(read_capped(record, Cap.RECORD_BYTES))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    if not isinstance(document, dict) or document.get("set", REPORT_SET) != kind:
        return frozenset()
    rows = document.get("files")
    names = [row.get("name") for row in rows if isinstance(row, dict)] if rows else []
    return frozenset({RECORD, *(name for name in names if isinstance(name, str))})


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A file of a set.

    Args:
        name: path within the set, parts joined by ``/``.
        sha256: of its bytes, in hexadecimal.
        size: [bytes]
    """

    name: str
    sha256: str
    size: int


def listed_files(folder: Path) -> tuple[ListedFile, ...]:
    """Every file of a set but its record, in the order of their names.

    Args:
        folder: that holds nothing else, such as one that was filled just now.
    """
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return tuple(
        ListedFile(name=name, sha256=_digest(path), size=path.stat().st_size)
        for name, path in sorted(paths.items())
        if name != RECORD and path.is_file()
    )


def _write_record(fresh: Path, kind: str) -> None:
    """The record of a set; one that the set has of its own, as a report set has, stays."""
    record = fresh / RECORD
    if record.exists():
        return
    from importlib.metadata import PackageNotFoundError, version  # 8 ms that only writers pay

    try:
        number = version("palpeur")
    except PackageNotFoundError:
        number = ""
    document = {
        "format": _FORMAT,
        "set": kind,
        "palpeur": number,
        "files": file_rows(listed_files(fresh)),
    }
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    record.write_text(text, encoding="utf-8", newline="")


def file_rows(files: Iterable[ListedFile]) -> list[dict[str, object]]:
    """The files of a set as its record lists them."""
    return [{"name": file.name, "sha256": file.sha256, "bytes": file.size} for file in files]


# --- single files --------------------------------------------------------------------------------
def check_file(
    path: Path,
    command: str,
    inputs: Iterable[str] = (),
    *,
    force: bool = False,
    option: str = "--out",
) -> None:
    """Return whether a command may write a result to a place: nothing is there, or its own file.

    Args:
        path: the place.
        command: such as ``palpeur measure``.
        inputs: paths that the command reads; names that are no files are passed over.
        force: whether a file that is not the command's may be replaced.
        option: that names the place, for messages.

    Raises:
        OutputError: another file is there, or nothing can be written.
    """
    check_file_place(path, option)
    if is_device(path) or not (path.exists() or path.is_symlink()):
        return
    if path.is_file() and not path.is_symlink() and path.stat().st_size == 0:
        return  # a name kept free, such as mktemp makes
    if any(_is_same(path, name) for name in inputs):
        raise OutputError(
            f"{path} is read by this command and is not overwritten; give another file with "
            f"{option}.",
            file=str(path),
        )
    if not force and not _is_own(path, command):
        raise OutputError(
            f"{path} is there already, and nothing in it shows that `{command}` wrote it and that "
            f"it is unchanged; give another file with {option}, or --force to replace it.",
            file=str(path),
        )


def write_result(
    path: Path,
    content: str | bytes,
    command: str,
    *,
    comment: str = "",
    force: bool = False,
    option: str = "--out",
) -> None:
    """Write a whole file or nothing, and say in it whose it is.

    Args:
        path: the place.
        content: of the file; text is written as UTF-8.
        command: such as ``palpeur robot calibrate``.
        comment: how the format writes a comment, as "# {}"; empty where it has none.
        force: whether a file that is not the command's may be replaced.
        option: that names the place, for messages.

    Raises:
        OutputError: another file is there, or the place cannot be written.
    """
    check_file(path, command, force=force, option=option)
    data = content.encode("utf-8") if isinstance(content, str) else content
    if comment and not is_device(path):
        data = data if data.endswith(b"\n") else data + b"\n"
        mark = _MARK.format(command=command, digest=hashlib.sha256(data).hexdigest())
        data += f"{comment.format(mark)}\n".encode()
    write_file(path, data, option=option)


def write_file(path: Path, content: str | bytes, *, option: str = "") -> None:
    """Write a whole file or nothing, whatever file is there.

    Args:
        path: the place; folders above it are made.
        content: of the file; text is written as UTF-8.
        option: that names the place, for the advice where it cannot be written.

    Raises:
        OutputError: the place cannot be written.
    """
    refusal = "the file cannot be written: {reason}"
    refusal += f"; give another file with {option}" if option else ""
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_device(path):
            path.write_bytes(data)
        elif path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "no regular file"
            raise OSError(0, f"there is {what} already")
        else:
            with whole_file(path, refusal) as fresh:
                fresh.write_bytes(data)
    except (OSError, ValueError) as error:  # a zero byte, no name, what is no text
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"{path}: {refusal.format(reason=reason)}.", file=str(path)) from error


@contextmanager
def whole_file(path: Path, refusal: str = "the file cannot be written: {reason}") -> Iterator[Path]:
    """Write a file under another name; at the end it takes its own, on the disk.

    If the body fails, what stood there before stays, and nothing half-written does. No link of that
    name is followed.

    Args:
        path: of the file; its folder exists.
        refusal: what is said where it cannot be written, with the system's ``{reason}``.

    Raises:
        OutputError: the folder cannot be written.
    """
    fresh = half_written(path)
    try:
        yield fresh
        to_disk(fresh)
        fresh.replace(path)
        to_disk(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(
            f"{path}: {refusal.format(reason=reason)}.", path=str(path), errno=error.errno
        ) from error
    finally:
        with contextlib.suppress(OSError, ValueError):  # what cannot be written cannot be tidied
            fresh.unlink(missing_ok=True)


def _is_own(path: Path, command: str) -> bool:
    """Return whether a file ends with the command's own mark, and is as the command left it."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LONGEST_MARK))
            tail = file.read()
            last = tail.rstrip(b"\n").rpartition(b"\n")[2]
            found = _MARKED.search(last)
            if found is None or not tail.endswith(b"\n"):
                return False
            file.seek(0)
            above = hashlib.sha256(file.read(size - len(last) - 1)).hexdigest()
    except OSError as error:
        raise OutputError(
            f"{path}: the file there cannot be read, to see whose it is: {error.strerror}; give "
            "another file.",
            file=str(path),
        ) from error
    return (found[1].decode("utf-8", "replace"), found[2].decode()) == (command, above)


def _is_same(path: Path, name: str) -> bool:
    try:
        return path.samefile(name)
    except (OSError, ValueError):  # a name of the library, standard input
        return False


# --- places, asked before the work ---------------------------------------------------------------
def check_folder_place(folder: Path, option: str = "--out", *, kept: bool = False) -> None:
    """Return whether a folder can be made at a place.

    Args:
        folder: the place.
        option: that names it, for messages.
        kept: whether a folder that is there already is filled, not replaced by a new one.

    Raises:
        OutputError: a file is there, or nothing can be made in the nearest folder above.
    """
    with _told(folder, "folder", option):
        if folder.exists() and not folder.is_dir():
            raise OutputError(
                f"{folder} is a file, not a folder; give another place with {option}.",
                folder=str(folder),
            )
        place = folder.resolve()
        _check_room(place if kept else place.parent)


def check_file_place(path: Path, option: str = "--out") -> None:
    """Return whether a file can be written at a place, whatever file is there already.

    Args:
        path: the place.
        option: that names it, for messages.

    Raises:
        OutputError: a folder is there, or nothing can be made in the nearest folder above.
    """
    if is_device(path):
        return
    with _told(path, "file", option):
        if path.is_dir():
            raise OSError(0, "there is a folder already")
        if path.exists() and not path.is_file():
            raise OSError(0, "there is no regular file already")
        _check_room(path.parent.resolve())


def is_device(path: Path) -> bool:
    """Whether this is a stream such as /dev/stdout, which is written to and never replaced."""
    return str(path).startswith(_DEVICES) and not str(path).startswith(_SHARED_MEMORY)


@contextmanager
def _told(path: Path, kind: str, option: str) -> Iterator[None]:
    """What the system says against a place, as our error."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a zero byte
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"{path}: the {kind} cannot be written: {reason}; give another {kind} with {option}.",
            **{"folder" if kind == "folder" else "file": str(path)},
        ) from error


def _check_room(folder: Path) -> None:
    """Whether the nearest folder that is there takes a file: only an attempt tells, on any system.

    Raises:
        OSError: it does not.
    """
    room = next(path for path in (folder, *folder.parents) if path.exists())
    if not room.is_dir():
        raise OSError(0, f"{room} is a file, not a folder")
    try:
        with tempfile.TemporaryFile(dir=room):
            pass
    except OSError as error:
        raise OSError(error.errno, f"nothing can be made in {room} ({error.strerror})") from error


def _place(folder: Path) -> Path:
    """The folder's path without links; it has a name, beside which the new one is made."""
    try:
        place = folder.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a zero byte
        raise _no_folder(folder, str(error)) from error
    if not place.name:
        raise _no_folder(folder, "it is the root of the file system")
    return place


def _no_folder(folder: Path, reason: str) -> OutputError:
    return OutputError(
        f"{folder}: the folder cannot be written: {reason}; give another one with --out.",
        folder=str(folder),
    )


# --- taking a place ------------------------------------------------------------------------------
def _take_place(fresh: Path, place: Path) -> None:
    if not place.exists():
        fresh.rename(place)
    elif not _exchanged(fresh, place):
        _exchange_in_steps(fresh, place)
    to_disk(place.parent)


def _exchanged(fresh: Path, place: Path) -> bool:
    """Exchange both names in one step; False where the system cannot."""
    import ctypes

    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    done: int = rename(_HERE, os.fsencode(fresh), _HERE, os.fsencode(place), _EXCHANGE)
    return done == 0


def _exchange_in_steps(fresh: Path, place: Path) -> None:
    """Exchange by two renames; the old folder comes back when the second one fails."""
    old = fresh.with_suffix(".old")
    place.rename(old)
    try:
        fresh.rename(place)
    except OSError:
        old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _move_into(fresh: Path, place: Path, earlier: frozenset[str]) -> None:
    """Move every file into a folder that keeps what others put there; the record comes last.

    What an earlier set there had and this one has not goes: an old programme beside a new plan
    would be taken for its own.

    Args:
        fresh: the new set.
        place: the folder.
        earlier: files of a set of the same kind that is there.

    Raises:
        OSError: a folder has the name of a file, or a link that of a folder; nothing is moved then.
    """
    files = [path for path in sorted(fresh.rglob("*")) if path.is_file()]
    files.sort(key=lambda path: path.relative_to(fresh) == Path(RECORD))
    targets = [place / path.relative_to(fresh) for path in files]
    for target in targets:
        if target.is_dir() and not target.is_symlink():
            raise OSError(0, f"{target.relative_to(place)} is a folder there")
        for above in target.parents:
            if above == place:
                break
            if above.is_symlink() or (above.exists() and not above.is_dir()):
                raise OSError(0, f"{above.relative_to(place)} is no folder there")
    for old in sorted(place.rglob("*")) if earlier else ():  # a record may name files elsewhere
        if old not in targets and old.is_file() and _ours(old, place, earlier):
            old.unlink()
    for path, target in zip(files, targets, strict=True):
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)
        to_disk(target.parent)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def to_disk(path: Path) -> None:
    """Wait until a file's content, or a folder's names, are on the disk.

    Windows opens no folder and writes its names by itself; there a file has to be open to write.

    Raises:
        OSError: it cannot be brought there.
    """
    is_folder = path.is_dir()
    if os.name == "nt" and is_folder:
        return
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if not is_folder or error.errno not in _BY_ITSELF:
            raise
    finally:
        os.close(handle)
