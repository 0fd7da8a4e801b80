"""verify(folder): whether a report set is what it claims."""

from __future__ import annotations

import json
import platform
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from planner.findings.unchecked import Unchecked
from planner.planning import plan_and_prove
from planner.progress import Progress, silent
from planner.result_files import RECORD
from reports.export import export
from reports.provenance import INPUTS, SetOptions, blocks, installed_versions, provenance
from reports.verdict import withheld
from reports.verification.files import (
    ChangedFile,
    FolderContents,
    NotRecomputedError,
    files_found,
    is_plain,
    read_staged,
    stage,
)
from reports.verification.numbers import (
    Tally,
    compare_documents,
    compare_points,
    compare_trajectories,
)
from reports.verification.record import Record, read_record
from robots.core.errors import PalpeurError

_Compare = Callable[[Tally, str, Path, Path], None]
_LARGER = 4  # a document that is so much larger than ours is not read


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


_NUMBERS: dict[str, _Compare] = {
    "plan.json": _documents,
    "points.csv": compare_points,
    "trajectory.parquet": compare_trajectories,
    "trajectory.csv": compare_trajectories,
}


class VerificationVerdict(Enum):
    """What came out."""

    GENUINE = "it is what it claims"
    CHANGED = "files changed"
    DIFFERENT = "numbers differ"
    UNKNOWN = "cannot be recomputed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherVersion:
    """Something that the set was made with and that is another one here; empty for none."""

    name: str
    recorded: str
    here: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetComparison:
    """Comparison of two report sets, number by number and file by file.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RecomputedSet:
    """A report set computed again, and the verdict on its plan.

    Args:
        folder: of the new set.
        feasible: whether the plan is.
        unchecked: what the plan does not check.
        withheld: why the set holds no programme that could move a machine; empty where it may.
        left_out: points that no motion touches.
    """

    folder: Path
    feasible: bool
    unchecked: tuple[Unchecked, ...]
    withheld: str
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verified:
    """Result of a verification.

    Args:
        record: what it claims.
        files: what its files are like.
        others: versions, or the machine, that differ from those here.
        results: beside those that its inputs give; None where the plan was not made again.
        made: what its inputs give, its folder gone; None where the plan was not made again.
        reason: why it was not; empty where it was.
    """

    record: Record
    files: FolderContents
    others: tuple[OtherVersion, ...]
    results: SetComparison | None = None
    made: RecomputedSet | None = None
    reason: str = ""

    @property
    def changed(self) -> tuple[ChangedFile, ...]:
        """Files that are not those that were written, by their hash or by what they hold."""
        unlike = self.results.unlike if self.results else ()
        broken = {changed.name for changed in self.files.changed}
        return (*self.files.changed, *(one for one in unlike if one.name not in broken))

    @property
    def verdict(self) -> VerificationVerdict:
        """The gravest of what came out."""
        if self.files.changed:
            return VerificationVerdict.CHANGED
        if self.results is None:
            return VerificationVerdict.UNKNOWN
        if self.results.tally.differing:
            return VerificationVerdict.DIFFERENT
        return VerificationVerdict.CHANGED if self.results.unlike else VerificationVerdict.GENUINE


def verify(folder: Path, progress: Progress = silent) -> Verified:
    """Check the hashes of a report set, make it again from its inputs, and compare.

    On the same versions every file must have the same bytes; on others every number must be the
    same within 1e-9 of the largest of its kind.

    Args:
        folder: of the report set; nothing in it is changed, nothing outside it is read.
        progress: told what is being done.

    Raises:
        OptionError: it is no report set, or of a format that is not known.
    """
    record = read_record(folder)
    files = files_found(folder, record, progress)
    others = other_versions(record)
    broken = {changed.name for changed in files.changed}
    needed = [record.inputs.job, *record.inputs.others]
    lost = sorted({item.stored for item in needed if item.stored in broken} - {None})
    if lost:
        return Verified(
            record=record, files=files, others=others, reason=f"{lost[0]} is not what was written"
        )
    with tempfile.TemporaryDirectory(prefix="palpeur-verify-") as room:
        try:
            made = recompute(folder, record, Path(room), progress, pictures=not others)
        except NotRecomputedError as error:
            return Verified(record=record, files=files, others=others, reason=error.message)
        listed = frozenset(file.name for file in record.files)
        results = compared(folder, made.folder, listed, progress, bytewise=not others)
        return Verified(record=record, files=files, others=others, results=results, made=made)


def other_versions(record: Record) -> tuple[OtherVersion, ...]:
    """What the set was made with that is another one here."""
    recorded = {**record.versions, "machine": record.machine}
    here = {**dict(installed_versions()), "machine": platform.machine()}
    return tuple(
        OtherVersion(name=name, recorded=recorded.get(name, ""), here=here.get(name, ""))
        for name in (*here, *sorted(set(recorded) - set(here)))
        if recorded.get(name, "") != here.get(name, "")
    )


def compared(
    folder: Path, made: Path, listed: frozenset[str], progress: Progress, *, bytewise: bool
) -> SetComparison:
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
    return SetComparison(tally=tally, same=same, unlike=tuple(unlike), skipped=tuple(skipped))


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


def _place_and_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f": line {error.lineno}, column {error.colno}: {error.msg}"
    return f": {error}"


def recompute(
    folder: Path, record: Record, room: Path, progress: Progress, *, pictures: bool
) -> RecomputedSet:
    """Plan, validate and export from the inputs of a set.

    Args:
        folder: of the report set.
        record: what it claims.
        room: empty, private; the new set stands in it.
        progress: told what is being done.
        pictures: whether what is only looked at is made as well.

    Returns:
        The new set.

    Raises:
        NotRecomputedError: the inputs are not there or not those that are claimed; they give no
            valid plan.
    """
    (room / "job").mkdir()
    job = read_staged(stage(folder, record, room / "job"), record)
    if job.presenter is not None:
        raise NotRecomputedError(
            "its job presents the part on a platform, whose poses are chosen for all points "
            "together; make the presentation again with palpeur stewart present"
        )
    made = room / "set"
    try:
        proof = plan_and_prove(job, progress)
        export(
            proof,
            made,
            options=_options(record.options, pictures=pictures),
            made=provenance(proof.plan, record.command, record.inputs.job.name),
            progress=progress,
        )
    except PalpeurError as error:
        raise NotRecomputedError(f"its job gives no report set: {error.message}") from error
    return RecomputedSet(
        folder=made,
        feasible=proof.plan.feasible,
        unchecked=proof.plan.unchecked,
        withheld=withheld(proof.plan, record.options),
        left_out=proof.plan.left_out,
    )


def _options(claimed: SetOptions, *, pictures: bool) -> SetOptions:
    return replace(claimed, figures=claimed.figures and pictures, pages=claimed.pages and pictures)
