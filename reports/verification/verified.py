"""verify(folder): whether a report set is what it claims."""

from __future__ import annotations

import platform
import tempfile
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from planner.progress import Progress, silent
from reports.provenance import installed_versions
from reports.verification.compared import Compared, compared
from reports.verification.files import ChangedFile, FolderContents, files_found
from reports.verification.recompute import Recomputed, recompute
from reports.verification.record import Record, read_record
from reports.verification.stage import NotRecomputedError


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verified:
    """What was found about a report set.

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
    results: Compared | None = None
    made: Recomputed | None = None
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
