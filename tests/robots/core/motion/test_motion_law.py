"""The five motion laws: values, rates, both sides of a switch, peaks in closed form."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import MotionError
from robots.core.motion.motion_law import (
    BANG_BANG,
    CUBIC,
    LAW_NAMES,
    LINEAR,
    QUINTIC,
    motion_law,
    trapezoid,
)

LAWS = [LINEAR, CUBIC, QUINTIC, BANG_BANG, trapezoid(0.2), trapezoid(0.5), trapezoid(1e-9)]
EACH_LAW = pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.name}-{law.switches}")


def test_printed_formulas_v3_to_v8():
    s = np.linspace(0, 1, 101)
    np.testing.assert_allclose(LINEAR.r(s), s)
    np.testing.assert_allclose(CUBIC.r(s), 3 * s**2 - 2 * s**3, atol=1e-15)
    np.testing.assert_allclose(QUINTIC.r(s), 10 * s**3 - 15 * s**4 + 6 * s**5, atol=1e-15)
    bang = np.where(s <= 0.5, 2 * s**2, -1 + 4 * s - 2 * s**2)
    np.testing.assert_allclose(BANG_BANG.r(s), bang, atol=1e-15)
    a = 0.3  # t_a with t_f = 1
    parts = [s**2 / (2 * a * (1 - a)), (2 * s - a) / (2 * (1 - a))]
    parts.append(1 - (1 - s) ** 2 / (2 * a * (1 - a)))
    expected = np.select([s <= a, s <= 1 - a], parts[:2], parts[2])
    np.testing.assert_allclose(trapezoid(a).r(s), expected, atol=1e-15)
    np.testing.assert_allclose(trapezoid(0.5).r(s), bang, atol=1e-15)


@EACH_LAW
def test_boundary_values_and_rest_outside(law):
    np.testing.assert_array_equal(law.r([-1.0, 0.0, 1.0, 2.0]), [0.0, 0.0, 1.0, 1.0])
    for rate in (law.dr, law.ddr):
        np.testing.assert_array_equal(rate([-0.1, np.nextafter(1, 2), np.inf]), 0.0)
    if law is not LINEAR:
        np.testing.assert_array_equal(law.dr([0.0, 1.0]), 0.0)
    if law is QUINTIC:
        np.testing.assert_array_equal(law.ddr([0.0, 1.0]), 0.0)


@EACH_LAW
@given(s=st.floats(0, 1))
def test_symmetry_and_monotony(law, s):
    # 1 - s is exact to 1e-16; the steepest bend, 1e9, multiplies that.
    assert law.r(s) + law.r(1 - s) == pytest.approx(1.0, abs=1e-15 * (2 + law.peak_rate))
    assert law.dr(s) >= -1e-14


@EACH_LAW
def test_rates_integrate_to_the_law(law):
    # Gauss-Legendre with 4 points is exact for these polynomials, piece by piece.
    x, w = np.polynomial.legendre.leggauss(4)
    edges = np.array([0.0, *law.switches, 1.0])
    for a, b in pairwise(edges):
        s = (a + b) / 2 + (b - a) / 2 * x
        gain_r, gain_dr = (np.sum(w * f(s)) * (b - a) / 2 for f in (law.dr, law.ddr))
        assert gain_r == pytest.approx(float(law.r(b) - law.r(a)), abs=1e-13)
        expected = law.dr(b, side="left") - law.dr(a, side="right")
        # r'' reaches 1e9 on a piece of length 1e-9: rounding of s costs 1e-7.
        assert gain_dr == pytest.approx(
            float(expected), abs=1e-6 if min(edges[1:]) < 1e-6 else 1e-12
        )


@EACH_LAW
def test_peaks_in_closed_form_are_the_dense_maxima(law):
    s = np.unique(np.concatenate([np.linspace(0, 1, 20001), law.switches]))
    for side in ("left", "right"):
        assert law.dr(s, side).max() <= law.peak_rate * (1 + 1e-15)
        assert np.abs(law.ddr(s, side)).max() <= law.peak_acceleration * (1 + 1e-15)
    assert law.dr(0.5) == pytest.approx(law.peak_rate, rel=1e-15)
    assert law.ddr(law.peak_acceleration_at) == pytest.approx(law.peak_acceleration, rel=1e-14)


def test_sides_of_a_switch():
    assert BANG_BANG.switches == (0.5,)
    assert BANG_BANG.ddr(0.5, side="left") == 4.0
    assert BANG_BANG.ddr(0.5, side="right") == -4.0
    law = trapezoid(0.25)
    assert law.switches == (0.25, 0.75)
    accelerations = [law.ddr(s, side=x) for s in law.switches for x in ("left", "right")]
    np.testing.assert_allclose(accelerations, [16 / 3, 0, 0, -16 / 3])
    assert law.has_plateau
    assert not trapezoid(0.5).has_plateau
    assert trapezoid(0.5).switches == (0.5,)


def test_laws_by_name_and_refusals():
    assert [motion_law(name).name for name in LAW_NAMES] == list(LAW_NAMES)
    assert motion_law("trapezoid", acceleration_fraction=0.1).acceleration_fraction == 0.1
    with pytest.raises(MotionError, match=r"no motion law 'septic'.*linear, cubic, quintic"):
        motion_law("septic")
    for fraction in (0.0, -0.1, 0.6, np.nan):
        with pytest.raises(MotionError, match=r"must be above 0 and at most 0.5"):
            trapezoid(fraction)
    with pytest.raises(MotionError, match="s = nan"):
        CUBIC.r(np.nan)


def test_any_shape_is_kept():
    assert QUINTIC.ddr(np.zeros((2, 3))).shape == (2, 3)
    assert CUBIC.r(0.5).shape == ()
    assert CUBIC.r(np.zeros(0)).shape == (0,)
