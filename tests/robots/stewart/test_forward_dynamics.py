"""Forward dynamics: the inverse of inverse dynamics, free fall, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.mechanism import Body
from robots.stewart.errors import PlatformError
from robots.stewart.model import PlatformModel
from robots.stewart.platform import LegBodies, LegEnd
from robots.stewart.simulation import accelerations
from tests.cases import some

WRENCH = np.array([10.0, -20.0, 30.0, 4.0, 5.0, -6.0])


@pytest.mark.parametrize("end", some(list(LegEnd), gate=1))
def test_inverts_inverse_dynamics(make_model, make_states, end):
    model = make_model(31, end)
    m = make_states(model.platform, 50)
    forces = model.forces(m.T, m.V, m.A, WRENCH)
    found = accelerations(model, m.T, m.V, forces, WRENCH)
    assert np.abs(found - m.A).max() < 1e-11


def test_holding_forces_hold(staicu):
    model = PlatformModel(staicu)
    forces = model.forces(staicu.home, np.zeros(6), np.zeros(6))
    assert np.abs(accelerations(model, staicu.home, np.zeros(6), forces)).max() < 1e-13


def test_massless_legs_let_the_platform_fall_freely(staicu):
    legs = tuple(replace(leg, bodies=LegBodies()) for leg in staicu.legs)
    model = PlatformModel(replace(staicu, legs=legs))
    found = accelerations(model, staicu.home, np.zeros(6), np.zeros(6))
    assert np.abs(found - [0, 0, -9.81, 0, 0, 0]).max() < 1e-14


def test_massless_platform_and_legs_are_refused(staicu):
    legs = tuple(replace(leg, bodies=LegBodies()) for leg in staicu.legs)
    model = PlatformModel(replace(staicu, legs=legs, body=Body()))
    with pytest.raises(PlatformError, match="nothing resists one of its motions"):
        accelerations(model, staicu.home, np.zeros(6), np.zeros(6))


@pytest.mark.parametrize("forces", [[1.0] * 5, [1.0] * 5 + [np.inf]])
def test_forces_that_are_not_six_numbers_are_refused(staicu, forces):
    with pytest.raises(PlatformError, match="not six finite numbers"):
        accelerations(PlatformModel(staicu), staicu.home, np.zeros(6), forces)
