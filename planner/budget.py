"""Budget of planning one job: memory and processor time, with a clear error beyond.

Every refinement is bounded for itself; the budget is the bound of their sum, so that no job takes a
machine down with it. A batch gives its workers budgets of its own.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from planner.errors import BudgetError
from robots.core.caps import Cap


@contextmanager
def budget(what: str) -> Iterator[None]:
    """Bound memory and processor time of the work inside.

    Where the system keeps no such bounds (Windows), and in threads beside the main one, nothing is
    bounded.

    Args:
        what: the work, such as "planning plate.toml", for the message.

    Raises:
        BudgetError: the work needs more; the message names the cap to raise.
    """
    try:
        import resource
    except ImportError:
        yield
        return
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def out_of_time(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise BudgetError(
            f"After {Cap.PLAN_SECONDS.limit} s of processor time {what} is not done; fewer points "
            f"or a coarser geometry need less, or {Cap.PLAN_SECONDS.advice}.",
            limit=Cap.PLAN_SECONDS.limit,
        )

    memory = resource.getrlimit(resource.RLIMIT_DATA)
    clock = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + Cap.PLAN_SECONDS.limit
    before = signal.signal(signal.SIGXCPU, out_of_time)
    try:
        _lower(resource.RLIMIT_DATA, Cap.PLAN_MEMORY.limit, memory)
        _lower(resource.RLIMIT_CPU, seconds, clock)
        yield
    except MemoryError as error:
        over = f" ({str(error).rstrip('.')})" if str(error) else ""
        raise BudgetError(
            f"With {Cap.PLAN_MEMORY.limit / 1e9:.3g} GB of memory {what} cannot be done{over}; a "
            f"longer period_ms, fewer points or a coarser geometry need less, or "
            f"{Cap.PLAN_MEMORY.advice}.",
            limit=Cap.PLAN_MEMORY.limit,
        ) from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, memory)
        resource.setrlimit(resource.RLIMIT_CPU, clock)
        signal.signal(signal.SIGXCPU, before)


def _lower(kind: int, limit: int, now: tuple[int, int]) -> None:
    """Lower a soft limit, never raise it; the hard one stays, so that it can be taken back."""
    import resource

    soft, hard = now
    known = [value for value in (limit, soft, hard) if value != resource.RLIM_INFINITY]
    resource.setrlimit(kind, (min(known), hard))
