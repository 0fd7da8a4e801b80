"""Result of a verification, as JSON (format 1) and as lines for a reader."""

from __future__ import annotations

import math
from collections.abc import Iterator

from reports.verdict import aspect_names, not_checked
from reports.verification.files import ChangedFile
from reports.verification.numbers import Difference
from reports.verification.verified import VerificationVerdict, Verified
from reports.visible_text import cut, visible

FORMAT = 1
_TOLD = 10  # files of a kind
_NAMED = 3  # files in the verdict
_LONG = 200  # characters of a text that is not ours
Document = dict[str, object]


def verified_document(verified: Verified) -> Document:
    """The whole result."""
    record, files, results = verified.record, verified.files, verified.results
    return {
        "format": FORMAT,
        "genuine": verified.verdict is VerificationVerdict.GENUINE,
        "verdict": verdict_line(verified),
        "job": {"name": record.inputs.title, "sha256": record.inputs.job.sha256},
        "same_versions": not verified.others,
        "other_versions": [
            {"name": other.name, "recorded": other.recorded, "here": other.here}
            for other in verified.others
        ],
        "files_listed": files.checked,
        "files_changed": [_changed(one) for one in verified.changed],
        "files_not_listed": list(files.unlisted),
        "recomputed": results is not None,
        "reason": verified.reason,
        "plan": _plan(verified),
        "files_same": results.same if results else 0,
        "files_not_compared": list(results.skipped) if results else [],
        "numbers": _numbers(verified),
    }


def verdict_line(verified: Verified) -> str:
    """The verdict, and what it stands on."""
    verdict, results = verified.verdict, verified.results
    if verdict is VerificationVerdict.GENUINE:
        return str(verdict.value)
    if verdict is VerificationVerdict.UNKNOWN:
        return f"{verdict.value}: {_fit(verified.reason)}"
    if verdict is VerificationVerdict.DIFFERENT and results and results.tally.worst:
        return f"{verdict.value}: {results.tally.differing}, the worst {_told(results.tally.worst)}"
    named = ", ".join(_fit(one.name) for one in verified.changed[:_NAMED])
    more = len(verified.changed) - _NAMED
    return f"{verdict.value}: {named}" + (f" and {more} more" if more > 0 else "")


def verified_lines(verified: Verified) -> Iterator[str]:
    """The result for a reader, the verdict first; nothing in it moves a terminal."""
    files, results = verified.files, verified.results
    yield verdict_line(verified)
    yield f"  job: {_fit(verified.record.inputs.title)}"
    yield from _plan_lines(verified)
    broken = len(files.changed)
    yield f"  hashes: {files.checked - broken} of {files.checked} files are those that were written"
    for changed in verified.changed[:_TOLD]:
        yield f"    {_fit(changed.name)} {_fit(changed.reason)}"
    yield from _more(len(verified.changed))
    if results is None:
        yield f"  not recomputed: {_fit(verified.reason)}"
    else:
        yield from _recomputed(verified)
    if files.unlisted:
        yield f"  not part of the set: {len(files.unlisted)} files, of which nothing is known"
        yield from (f"    {_fit(name)}" for name in files.unlisted[:_TOLD])
        yield from _more(len(files.unlisted))


def _recomputed(verified: Verified) -> Iterator[str]:
    results = verified.results
    if results is None:
        return
    yield f"  recomputed: {results.same} files are the same byte for byte"
    tally = results.tally
    if tally.compared:
        yield (
            f"  numbers: {tally.compared - tally.differing} of {tally.compared} are the same "
            f"within {tally.tolerance:g} of the largest of their kind"
        )
    if tally.first:
        yield f"    first: {_told(tally.first)}"
    if tally.worst and tally.worst is not tally.first:
        yield f"    worst: {_told(tally.worst)}"
    if verified.others:
        told = (
            f"{_fit(o.name)} {_fit(o.recorded) or 'none'} then, {_fit(o.here) or 'none'} here"
            for o in verified.others
        )
        yield f"  made with other versions: {'; '.join(told)}"
    if results.skipped:
        yield (
            f"  checked by their hash only, as other versions draw and write otherwise: "
            f"{len(results.skipped)} files"
        )


def _plan(verified: Verified) -> Document | None:
    """What the set's own inputs give, as far as a reader would act on it."""
    made = verified.made
    if made is None:
        return None
    return {
        "feasible": made.feasible,
        "unchecked": aspect_names(made.unchecked),
        "programmes_withheld": made.withheld,
        "points_left_out": list(made.left_out),
    }


def _plan_lines(verified: Verified) -> Iterator[str]:
    made = verified.made
    if made is None:
        return
    missing = not_checked(made.unchecked)
    told = "feasible" if made.feasible else "NOT FEASIBLE"
    yield f"  plan: {told}" + (f"; {missing}" if missing else "")
    if made.withheld:
        yield f"  programmes: none, as {_fit(made.withheld)}"
    elif made.left_out:
        names = ", ".join(map(_fit, made.left_out[:_TOLD]))
        more = len(made.left_out) - _TOLD
        yield f"  programmes: without {names}" + (f" and {more} more" if more > 0 else "")


def _numbers(verified: Verified) -> Document | None:
    if verified.results is None:
        return None
    tally = verified.results.tally
    return {
        "tolerance": tally.tolerance,
        "compared": tally.compared,
        "differing": tally.differing,
        "first": _difference(tally.first),
        "worst": _difference(tally.worst),
    }


def _difference(difference: Difference | None) -> Document | None:
    if difference is None:
        return None
    return {
        "file": difference.file,
        "where": difference.where,
        "claimed": difference.claimed,
        "found": difference.found,
        "relative": difference.relative if math.isfinite(difference.relative) else None,
    }


def _changed(changed: ChangedFile) -> Document:
    return {"name": changed.name, "reason": changed.reason}


def _told(difference: Difference) -> str:
    if difference.unreadable:
        return f"{_fit(difference.file)}: {_fit(difference.unreadable)}"
    share = ""
    if math.isfinite(difference.relative):
        share = f"; they differ by {difference.relative:.2g} times the largest value of its kind"
    return (
        f"{_fit(difference.file)}, {_fit(difference.where)}: {_fit(difference.claimed)} is "
        f"claimed, {_fit(difference.found)} found{share}"
    )


def _more(count: int) -> Iterator[str]:
    if count > _TOLD:
        yield f"    and {count - _TOLD} more"


def _fit(text: str) -> str:
    return cut(visible(text).replace("\n", "⏎").replace("\t", " "), _LONG)
