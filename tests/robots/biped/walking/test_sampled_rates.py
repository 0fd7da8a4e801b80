"""Rates from samples of a smooth motion."""

import numpy as np
import pytest

from robots.biped.errors import BipedError
from robots.biped.walking.free_base import rates_from_rest
from robots.core.motion.motion_law import QUINTIC


def test_quintic_law_is_its_own_spline():
    t = np.linspace(0.0, 1.0, 21)
    state = rates_from_rest(t, QUINTIC.r(t)[:, None])
    np.testing.assert_allclose(state.xd[:, 0], QUINTIC.dr(t), atol=1e-11)
    np.testing.assert_allclose(state.xdd[:, 0], QUINTIC.ddr(t), atol=1e-9)


def test_slow_wave_between_rests():
    t = np.linspace(0.0, 2.0, 401)
    wave = np.sin(np.pi * t / 2) ** 4  # speed and acceleration are zero at both ends
    state = rates_from_rest(t, wave[:, None])
    c, s = np.cos(np.pi * t / 2), np.sin(np.pi * t / 2)
    np.testing.assert_allclose(state.xd[:, 0], 2 * np.pi * s**3 * c, atol=1e-9)
    second = np.pi**2 * (3 * s**2 * c**2 - s**4)
    np.testing.assert_allclose(state.xdd[:, 0], second, atol=1e-6)


def test_too_few_samples():
    with pytest.raises(BipedError, match="5 samples has no rates"):
        rates_from_rest(np.arange(5.0), np.zeros((5, 1)))
