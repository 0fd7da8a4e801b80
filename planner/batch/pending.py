"""What a run of a batch has to do, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planner.batch.case import Case, CaseKey, Environment, FileHashes, key_of
from planner.batch.ledger import Ledger, Result
from planner.batch.outcome import CaseStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A case and what there is to do for it.

    Args:
        case: the job.
        key: what its result depends on now.
        why: it has to run; nothing where its result is there.
        result: that is there; None where the case has to run.
        stale: result that is there and not taken.
    """

    case: Case
    key: CaseKey
    why: Why
    result: Result | None = None
    stale: Result | None = None


@dataclass(frozen=True, slots=True)
class Why:
    """Why a case has to run; false where it has not.

    Args:
        cause: such as "input changed"; that of the first of several.
        words: the whole of it, such as "input changed: plate.stl".
    """

    cause: str = ""
    words: str = ""

    def __bool__(self) -> bool:
        """Whether there is a cause."""
        return bool(self.cause)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redo:
    """Which results are not taken as they are.

    Args:
        time_cap: of this run; results that a smaller one ended are redone. [s]
        memory_cap: likewise. [bytes]
        failed: redo every result that a cap or a crash ended.
        report: whether the result of a key needs a report set that is missing.
    """

    time_cap: float
    memory_cap: float
    failed: bool = False
    report: Callable[[Result], bool] = lambda _: False


def decide(
    cases: Sequence[Case],
    ledger: Ledger,
    surroundings: Environment,
    redo: Redo,
    *,
    known: Mapping[str, str],
    hashes: FileHashes,
) -> Iterator[Pending]:
    """For every case: whether it has to run, and why.

    Args:
        cases: of the batch.
        ledger: results that are there.
        surroundings: of this run.
        redo: which of them are not taken.
        known: digest of the key that each case had in the run before, by name.
        hashes: of files that were read already.
    """
    for case in cases:
        key = key_of(case, surroundings, hashes)
        result = ledger.read(key.digest)
        if result is None:
            why = _why_missing(case, key, ledger, known)
        else:
            why = _why_again(case, result, redo, hashes)
        taken, stale = (None, result) if why else (result, None)
        yield Pending(case=case, key=key, why=why, result=taken, stale=stale)


def _why_missing(case: Case, key: CaseKey, ledger: Ledger, known: Mapping[str, str]) -> Why:
    if ledger.path(key.digest).exists():
        return _because("result corrupted")
    before = known.get(case.name)
    if before is None:
        return _because("new")
    old = ledger.read(before)
    if old is None:
        return _because("not finished before")
    return _difference(old.key, key.document()) or _because("new")


def _why_again(case: Case, result: Result, redo: Redo, hashes: FileHashes) -> Why:
    outcome = result.outcome
    for name, digest in outcome.inputs.items():
        if hashes.of(case.job.parent / name) != digest:
            return _because("input changed", name)
    status = outcome.status
    if status is CaseStatus.CRASHED:
        return _because("failed before", "its worker died")
    if not status.final:
        cap = redo.time_cap if status is CaseStatus.TIME_CAP else redo.memory_cap
        if redo.failed or cap > outcome.cap:
            return _because("failed before", outcome.message)
    return _because("report missing") if redo.report(result) else Why()


def _difference(old: Mapping[str, object], new: Mapping[str, object]) -> Why:
    """The parts of two keys that differ."""
    found = [
        *_changed(old, new, "inputs", "input"),
        *_changed(old, new, "parameters", "parameter", values=True),
        *_changed(old, new, "environment", "version", values=True),
    ]
    if old.get("code") != new.get("code"):
        found.append(_because("code changed"))
    cause = found[0].cause if found else ""
    return Why(cause, "; ".join(one.words for one in found))


def _because(cause: str, detail: str = "") -> Why:
    return Why(cause, f"{cause}: {detail}" if detail else cause)


def _changed(
    old: Mapping[str, object],
    new: Mapping[str, object],
    part: str,
    called: str,
    *,
    values: bool = False,
) -> Iterator[Why]:
    before, after = _part(old, part), _part(new, part)
    for name in sorted({*before, *after}):
        if before.get(name) == after.get(name):
            continue
        if values:
            was, now = before.get(name, "none"), after.get(name, "none")
            yield _because(f"{called} changed", f"{name} {was} → {now}")
        else:
            word = (
                "changed"
                if name in before and name in after
                else ("added" if name in after else "removed")
            )
            yield _because(f"{called} {word}", name)


def _part(key: Mapping[str, object], part: str) -> Mapping[str, object]:
    found = key.get(part)
    return found if isinstance(found, dict) else {}
