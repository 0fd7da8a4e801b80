"""The reason of an outcome in words; codes stay in the columns that programs read."""

from __future__ import annotations

import re

from planner.batch.outcome import CaseStatus, Outcome
from planner.findings import pages

_WORDS = {
    "time-cap": "time cap",
    "memory-cap": "memory cap",
    "crash": "crashed: worker died",
    "changing": "crashed: files changed while read",
    "validation": "not validated: own check failed",
}
_REFUSED = {
    "JobError": "refused: job file",
    "CapError": "refused: too large",
    "OptionError": "refused: what cannot be had",
    "StateError": "refused: joint values",
    "StatesError": "refused: table of states",
}
_HUMP = re.compile("(?<=[a-z0-9])(?=[A-Z])")


def reason_words(outcome: Outcome) -> str:
    """Why a job failed, in a few words, with the code of a finding and its title.

    Args:
        outcome: of the job, its code untrusted.
    """
    title = {page.code: page.title for page in pages()}.get(outcome.code, "")
    return f"{outcome.code}: {title}" if title else brief_reason(outcome)


def brief_reason(outcome: Outcome) -> str:
    """The same in a cell: of a finding its code alone.

    Args:
        outcome: of the job, its code untrusted.
    """
    code = outcome.code
    if outcome.status is CaseStatus.REFUSED and code.endswith("Error"):
        said = _HUMP.sub(" ", code.removesuffix("Error")).lower()
        return _REFUSED.get(code, f"refused: {said}" if said else "refused")
    return _WORDS.get(code, code)


def verdict_words(outcome: Outcome) -> str:
    """How a job ended and why, in a few words."""
    status, reason = outcome.status.value, brief_reason(outcome)
    return reason if reason.startswith(status) else f"{status} {reason}".strip()
