"""A report set beside the one that its inputs give."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from planner.progress import Progress
from planner.result_files import RECORD
from reports.inputs import INPUTS, blocks
from reports.verification.files import ChangedFile, is_plain
from reports.verification.number_tables import compare_points, compare_trajectories
from reports.verification.numbers import Tally, compare_documents

_Compare = Callable[[Tally, str, Path, Path], None]
_LARGER = 4  # a document that is so much larger than ours is not read


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What two sets have in common.

    Args:
        tally: of the numbers.
        same: how many files are equal byte for byte.
        unlike: files that are not.
        skipped: files of which no numbers were compared, where bytes are not.
    """

    tally: Tally
    same: int
    unlike: tuple[ChangedFile, ...]
    skipped: tuple[str, ...]


def compared(
    folder: Path, made: Path, listed: frozenset[str], progress: Progress, *, bytewise: bool
) -> Compared:
    """Compare a set with the one that was made again.

    Args:
        folder: of the set.
        made: folder of the other one.
        listed: names of its files.
        progress: told after every file.
        bytewise: whether equal inputs must give equal bytes.
    """
    tally, same = Tally(), 0
    unlike: list[ChangedFile] = []
    skipped: list[str] = []
    theirs = {name for name in listed if _is_result(name)}
    ours = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    ours = {name for name in ours if _is_result(name)}
    names = sorted(theirs | ours, key=_order)
    for done, name in enumerate(names, start=1):
        numbers = _NUMBERS.get(name)
        if bytewise or numbers:
            reason = _missing(folder, name, theirs=theirs, ours=ours)
            if not reason and _same_bytes(folder / name, made / name):
                same += 1
            else:
                if bytewise or reason:
                    reason = reason or "is not what the inputs give"
                    unlike.append(ChangedFile(name=name, reason=reason))
                if numbers and is_plain(folder, name) and name in ours:
                    numbers(tally, name, folder / name, made / name)
        else:
            skipped.append(name)
        progress("comparison", done, len(names))
    return Compared(tally=tally, same=same, unlike=tuple(unlike), skipped=tuple(skipped))


def _is_result(name: str) -> bool:
    return name != RECORD and name.split("/", maxsplit=1)[0] != INPUTS


def _order(name: str) -> tuple[int, str]:
    """Files with numbers first, the plan before all others."""
    return (list(_NUMBERS).index(name) if name in _NUMBERS else len(_NUMBERS), name)


def _missing(folder: Path, name: str, *, theirs: set[str], ours: set[str]) -> str:
    if name not in ours:
        return "is nothing that the inputs give"
    if name not in theirs:
        return "is missing from the set's list"
    return "" if is_plain(folder, name) else "is missing"


def _same_bytes(first: Path, second: Path) -> bool:
    if first.stat().st_size != second.stat().st_size:
        return False
    return all(a == b for a, b in zip(blocks(first), blocks(second), strict=True))


def _documents(tally: Tally, file: str, claimed: Path, found: Path) -> None:
    ours = found.read_bytes()
    most = _LARGER * len(ours)
    with claimed.open("rb") as opened:
        theirs = opened.read(most + 1)
    try:
        if len(theirs) > most:
            raise ValueError(f"it has more than {most} bytes")
        document = json.loads(theirs.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        tally.unreadable(file, f"it cannot be read as JSON{_place_and_reason(error)}")
        return
    compare_documents(tally, file, document, json.loads(ours))


def _place_and_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f": line {error.lineno}, column {error.colno}: {error.msg}"
    return f": {error}"


_NUMBERS: dict[str, _Compare] = {
    "plan.json": _documents,
    "points.csv": compare_points,
    "trajectory.parquet": compare_trajectories,
    "trajectory.csv": compare_trajectories,
}
