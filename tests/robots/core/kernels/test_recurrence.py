"""Programmes on their own result: the states of a linear system, on machine code and on NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import EquationError, StateError
from robots.core.kernels import cycles
from robots.core.kernels.cycles import Recurrence
from robots.core.recording import Recorder


def turning(angle: float):
    """A point that turns by ``angle`` and is pushed by the second argument."""
    recorder = Recorder()
    x, y = recorder.argument("state", (2,))
    (push,) = recorder.argument("push", (1,))
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return recorder.programme("turning", [c * x - s * y + push, s * x + c * y], (2,))


@pytest.mark.parametrize("without_machine", [False, True])
def test_powers_of_a_rotation(without_machine, monkeypatch):
    if without_machine:
        monkeypatch.setattr(cycles, "this_machine", lambda: None)
    states = Recurrence(turning(0.01))([1.0, 0.0], [0.0], steps=1000)
    angles = 0.01 * np.arange(1001)
    # A thousand roundings of numbers of size one.
    np.testing.assert_allclose(states, np.stack([np.cos(angles), np.sin(angles)], 1), atol=1e-12)


def test_every_step_is_driven_by_its_own_row():
    pushes = np.random.default_rng(2).normal(size=(50, 1))
    states = Recurrence(turning(0.0))([0.0, 3.0], pushes, steps=50)
    np.testing.assert_allclose(states[1:, 0], np.cumsum(pushes), atol=1e-13)
    np.testing.assert_array_equal(states[:, 1], 3.0)


def test_no_step_leaves_the_start():
    np.testing.assert_array_equal(
        Recurrence(turning(0.1))([1.0, 2.0], np.zeros((0, 1)), steps=0), [[1.0, 2.0]]
    )


def test_a_result_of_another_size_is_refused():
    recorder = Recorder()
    x, y = recorder.argument("state", (2,))
    with pytest.raises(EquationError, match="answers with 1 numbers and starts from 2"):
        Recurrence(recorder.programme("sum", [x + y], (1,)))


def test_wrong_rows_are_refused():
    run = Recurrence(turning(0.1))
    with pytest.raises(StateError, match=r"push has shape \(3, 1\); expected \(1,\) or \(5, 1\)"):
        run([1.0, 0.0], np.zeros((3, 1)), steps=5)
    with pytest.raises(StateError, match="driven by 1 arrays, but 0"):
        run([1.0, 0.0], steps=5)
