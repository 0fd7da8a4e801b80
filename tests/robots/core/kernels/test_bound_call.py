"""Single calls: the same numbers as the batch, whatever machine; arguments checked by number."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import StateError
from robots.core.kernels import cycles
from robots.core.kernels.cycles import BoundCall
from robots.core.model import Model
from robots.core.quantities import quantity
from robots.library.catalogue import open_robot


@pytest.fixture
def arm():
    return open_robot("measuring-arm")


@pytest.mark.parametrize("without_machine", [False, True])
@pytest.mark.parametrize("name", ["forward", "torques", "forward_dynamics"])
def test_one_sample_is_that_of_the_batch(arm, name, without_machine, monkeypatch):
    if without_machine:
        monkeypatch.setattr(cycles, "this_machine", lambda: None)
    call = BoundCall(quantity(name).record(arm))
    batch = Model(arm, engine="numpy").kernel(name)
    for values in np.random.default_rng(1).uniform(-2.0, 2.0, (20, 3, arm.dof)):
        arguments = values[: len(call.arguments)]
        # Sums are contracted differently, and forward dynamics divides by small inertias.
        np.testing.assert_allclose(call(*arguments), batch(*arguments), rtol=1e-9, atol=1e-9)


def test_the_result_is_one_place_that_the_next_call_overwrites(arm):
    call = BoundCall(quantity("torques").record(arm))
    rest = np.zeros(arm.dof)
    first = call(rest, rest, rest)
    kept = first.copy()
    second = call(rest + 0.3, rest, rest)
    assert first is second
    assert np.abs(second - kept).max() > 1.0
    call.arguments[0][...] = 0.0
    call.run()
    np.testing.assert_array_equal(call.result, kept)


def test_not_a_number_stays_one(arm):
    call = BoundCall(quantity("torques").record(arm))
    rest = np.zeros(arm.dof)
    assert np.isnan(call(rest * np.nan, rest, rest)).any()


def test_wrong_arguments_are_refused(arm):
    call = BoundCall(quantity("torques").record(arm))
    rest = np.zeros(arm.dof)
    with pytest.raises(StateError, match=r"torques takes 3 arrays \(q, qd, qdd\), but 2"):
        call(rest, rest)
    with pytest.raises(ValueError, match="broadcast"):
        call(rest, rest, np.zeros(arm.dof + 1))
