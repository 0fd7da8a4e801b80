"""How many seeded cases a test runs: few in the gate, many in ``make soak``.

One switch for all tests: ``make soak`` sets ``PALPEUR_CASES=soak``. The code of a test is the same
with both numbers, and cases are counted from the same seed, so that the gate runs the first ones.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")
SOAK = os.environ.get("PALPEUR_CASES", "") == "soak"


def cases(*, gate: int, soak: int) -> int:
    """The number of cases of this run."""
    return soak if SOAK else gate


def some(values: Sequence[Case], *, gate: int) -> Sequence[Case]:
    """All cases in the soak, in the gate as many of them, evenly spread from first to last.

    Cases of different kinds stand in an order whose spread is one of each kind; a single one is the
    first, so the one that represents the others stands there.
    """
    values = list(values)
    if SOAK or gate >= len(values):
        return values
    last = max(gate - 1, 1)
    return [values[round(k * (len(values) - 1) / last)] for k in range(gate)]


def sized(full: int, *, once: int) -> int:
    """The size of a benchmark; a small one where only its results count (``make bench-once``)."""
    return once if os.environ.get("PALPEUR_BENCHMARKS", "") == "once" else full
