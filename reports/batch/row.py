"""Row: one job of a batch as its readers see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planner.batch.case import Swept
from planner.batch.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One job of a batch.

    Args:
        name: what a reader calls it; unique within a batch, and untrusted like every text here.
        digest: of its key.
        why: it ran this time, in words; empty where its result was there.
        outcome: what came of it.
        seconds: of work; not a number where nobody measured. [s]
        peak_bytes: most memory its worker held; zero where nobody measured. [bytes]
        report: its report, or its result, from the folder of the batch.
        cause: kind of ``why``, such as "input changed"; empty where its result was there.
        swept: of a sweep's job, each key that varies and its value; empty for others.
    """

    name: str
    digest: str
    why: str
    outcome: Outcome
    seconds: float
    peak_bytes: int
    report: str
    cause: str = ""
    swept: Mapping[str, Swept] = field(default_factory=dict)
