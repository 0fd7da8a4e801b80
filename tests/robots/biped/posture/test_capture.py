"""Capture point: the judge's figures, and the pendulum's motion in time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from robots.biped.errors import BipedError
from robots.biped.posture.balance import capture_point, capture_speed, pendulum_frequency
from robots.biped.posture.support_polygon import SupportPolygon

FOOT = SupportPolygon.of([[-0.12, -0.06], [0.17, -0.09], [0.17, 0.09], [-0.12, 0.06]])
COM = np.array([-0.02185, -0.00412, 1.01097])


def test_figures_of_the_standing_robot():
    omega = pendulum_frequency(COM[2])
    assert omega == pytest.approx(3.1151, abs=5e-5)
    assert capture_speed(COM, FOOT, (1, 0), omega) == pytest.approx(0.598, abs=5e-4)
    assert capture_speed(COM, FOOT, (-1, 0), omega) == pytest.approx(0.306, abs=5e-4)


@pytest.mark.parametrize(("share", "escapes"), [(0.99, False), (1.01, True)])
def test_pendulum_pushed_just_below_and_above_the_limit(share, escapes):
    """With the zero-moment point at the toe, the mass turns back before the toe or runs past."""
    omega = pendulum_frequency(COM[2])
    start = [COM[0], share * capture_speed(COM, FOOT, (1, 0), omega)]
    way = solve_ivp(
        lambda _, s: [s[1], omega**2 * (s[0] - 0.17)], (0, 5), start, rtol=1e-10, atol=1e-12
    )
    assert (np.max(way.y[0]) > 0.17) is np.bool_(escapes)


def test_capture_point_runs_away_as_exp_omega_t():
    omega, p = 3.0, 0.05
    t = np.linspace(0, 1, 11)
    x = p + 0.1 * np.cosh(omega * t) - 0.06 * np.sinh(omega * t)
    xd = omega * (0.1 * np.sinh(omega * t) - 0.06 * np.cosh(omega * t))
    xi = capture_point(np.stack([x, 0 * x], axis=1), np.stack([xd, 0 * x], axis=1), omega)
    np.testing.assert_allclose(xi[:, 0] - p, (xi[0, 0] - p) * np.exp(omega * t), rtol=1e-12)


@pytest.mark.parametrize("height", [0.0, -1.0, np.nan, np.inf])
def test_a_pendulum_needs_a_height(height):
    with pytest.raises(BipedError, match=r"height is .* m; it must be above zero"):
        pendulum_frequency(height)


def test_nothing_is_captured_from_outside():
    with pytest.raises(BipedError, match=r"30 mm beyond the support polygon"):
        capture_speed([0.2, 0.0], FOOT, (1, 0), 3.0)
