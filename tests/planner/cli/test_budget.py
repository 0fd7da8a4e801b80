"""Memory and processor time of one job are bounded, and the bounds are taken back."""

from __future__ import annotations

import signal
import sys
import threading

import numpy as np
import pytest

from planner import planning
from planner.budget import budget
from planner.errors import BudgetError
from planner.library import path_of

resource = pytest.importorskip("resource", reason="this system bounds no process")
KINDS = (resource.RLIMIT_DATA, resource.RLIMIT_CPU)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA holds on Linux")


def spin():
    while True:
        np.sin(np.arange(1000.0))


def limits():
    return [resource.getrlimit(kind) for kind in KINDS]


def test_too_much_memory_is_a_clear_error(monkeypatch):
    before = limits()
    monkeypatch.setenv("PALPEUR_CAP_PLAN_MEMORY", "4000000000")
    with (
        pytest.raises(BudgetError, match=r"With 4 GB of memory the job 'x' cannot.*PLAN_MEMORY"),
        budget("the job 'x'"),
    ):
        np.ones(1_000_000_000)
    assert limits() == before
    assert np.ones(10).sum() == 10.0


def test_spent_time_is_a_clear_error(monkeypatch):
    """The kernel's signal, here without the second of work before it."""
    before = limits()
    monkeypatch.setenv("PALPEUR_CAP_PLAN_SECONDS", "1")
    with budget("the job 'x'"):
        assert limits()[1][0] < 2 + sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    with pytest.raises(BudgetError, match="After 1 s of processor time"), budget("the job 'x'"):
        signal.raise_signal(signal.SIGXCPU)
    assert limits() == before


@pytest.mark.soak
def test_work_without_end_is_a_clear_error(monkeypatch):
    before = limits()
    monkeypatch.setenv("PALPEUR_CAP_PLAN_SECONDS", "1")
    with pytest.raises(BudgetError, match="After 1 s of processor time"), budget("the job 'x'"):
        spin()
    assert limits() == before


def test_other_errors_pass_and_the_bounds_are_taken_back():
    before = limits()
    with budget("the job 'x'"):
        assert limits() != before
    with pytest.raises(ZeroDivisionError), budget("the job 'x'"):
        _ = 1 // 0
    assert limits() == before


def test_beside_the_main_thread_nothing_is_bounded():
    seen = []

    def work():
        with budget("the job 'x'"):
            seen.append(limits())

    thread = threading.Thread(target=work)
    before = limits()
    thread.start()
    thread.join()
    assert seen == [before]


def test_the_command_tells_it(palpeur, monkeypatch):
    """Its time is over as soon as the points are placed."""
    monkeypatch.setattr(planning, "place_points", lambda _: signal.raise_signal(signal.SIGXCPU))
    before = limits()
    monkeypatch.setenv("PALPEUR_CAP_PLAN_SECONDS", "1")
    ran = palpeur("check", path_of("unreachable"))
    assert limits() == before
    assert (ran.code, ran.out) == (2, "")
    assert "After 1 s of processor time the job" in ran.err
    assert "PALPEUR_CAP_PLAN_SECONDS" in ran.err
