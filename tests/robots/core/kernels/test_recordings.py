"""Recordings are read back by later processes, and made anew for other sources."""

from __future__ import annotations

import math

import numpy as np
import pytest

from robots.core.kernels import Kernel
from robots.core.kernels import recordings as module
from robots.core.kernels.recordings import recorded
from robots.core.quantities import quantity
from robots.core.recording import Recorder, recording_functions
from robots.library import load


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path))
    return tmp_path / "programmes"


def process(calls):
    """The recording of sin(x) + number as a process has it that has recorded nothing yet."""

    @recorded(repr)
    def record(number):
        calls.append(number)
        recorder = Recorder()
        (x,) = recorder.argument("x", (1,))
        return recorder.programme("sum", [recording_functions().sin(x) + number, -x], (2,))

    return record


def compiled(programme):
    return Kernel(programme, "compiled")([[0.5]])


def test_what_was_compiled_is_read_back(folder):
    calls = []
    first = process(calls)(0.1)
    value = compiled(first)
    second = process(calls)(0.1)
    assert calls == [0.1]
    assert second == first
    assert second.text() == first.text()
    assert (second.digest, second.work) == (first.digest, first.work)
    np.testing.assert_array_equal(compiled(second), value)
    np.testing.assert_allclose(value, [[math.sin(0.5) + 0.1, -0.5]], rtol=1e-15)
    assert len(list(folder.iterdir())) == 1


def test_what_was_not_compiled_leaves_nothing(folder):
    programme = process([])(0.1)
    Kernel(programme, "numpy")([[0.5]])
    assert not folder.exists()


@pytest.mark.parametrize("other", [0.2, -0.0])
def test_other_numbers_have_an_entry_of_their_own(folder, other):
    calls = []
    for number in (0.0, other):
        compiled(process(calls)(number))
    assert [math.copysign(1.0, one) for one in calls] == [1.0, math.copysign(1.0, other)]
    assert len(list(folder.iterdir())) == 2


def test_changed_sources_record_anew(monkeypatch):
    calls = []
    compiled(process(calls)(0.1))
    monkeypatch.setattr(module, "_sources", lambda: "after a change")
    process(calls)(0.1)
    assert calls == [0.1, 0.1]


def test_every_module_of_the_room_counts(monkeypatch, tmp_path):
    (tmp_path / "inner").mkdir()
    for path in (tmp_path / "a.py", tmp_path / "inner" / "b.py"):
        path.write_text("x = 1\n")
    monkeypatch.setattr(module, "_ROOM", tmp_path)
    states = set()
    for text in ("x = 1\n", "x = 22\n"):
        (tmp_path / "inner" / "b.py").write_text(text)
        states.add(module._sources.__wrapped__())
    assert len(states) == 2


def test_a_damaged_entry_is_recorded_anew(folder):
    calls = []
    compiled(process(calls)(0.1))
    (entry,) = folder.iterdir()
    entry.write_bytes(entry.read_bytes()[:-1] + b"?")
    process(calls)(0.1)
    assert calls == [0.1, 0.1]


def test_quantities_of_a_robot_are_read_back_as_recorded():
    arm = load("measuring-arm")
    record = quantity("torques").record
    fresh = record.__wrapped__(quantity("torques"), arm)
    entry = module._packed(fresh)
    module.disk.write("one", entry, "programmes")
    assert module._read("one") == fresh
