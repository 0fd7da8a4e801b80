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
    double_s,
    motion_law,
    trapezoid,
)

DOUBLE_S = [double_s(0.3, 0.1), double_s(0.5, 0.1), double_s(0.3, 0.15), double_s(0.5, 0.25)]
LAWS = [LINEAR, CUBIC, QUINTIC, BANG_BANG, trapezoid(0.2), trapezoid(0.5), trapezoid(1e-9)]
LAWS += DOUBLE_S
EACH_LAW = pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.name}-{law.switches}")
EACH_DOUBLE_S = pytest.mark.parametrize("law", DOUBLE_S, ids=lambda law: f"{law.switches}")


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
    if law is QUINTIC or law in DOUBLE_S:
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


@EACH_DOUBLE_S
def test_the_double_s_is_smooth_and_its_jerk_is_bounded(law):
    for s in law.switches:
        for rate in (law.r, law.dr, law.ddr):
            sides = [rate(np.nextafter(s, x)) for x in (0.0, 1.0)]
            # One unit in the last place of s to either side, times the jerk of at most 1e2.
            assert sides[0] == pytest.approx(sides[1], abs=1e-13)
    s = np.linspace(0.0, 1.0, 1001)
    assert np.abs(law.dddr(s)).max() == pytest.approx(law.peak_jerk, rel=1e-15)
    plateau = law.acceleration_fraction < 0.5
    steady = 2.0 * law.pieces[0].end < law.acceleration_fraction
    assert len(law.pieces) == 4 + plateau + 2 * steady


def test_the_double_s_by_hand():
    """Four quarters: jerk 32, acceleration up to 8, rate up to 2, r(1/4) = 32/6/64."""
    law = double_s(0.5, 0.25)
    assert (law.peak_jerk, law.peak_acceleration, law.peak_rate) == (32.0, 8.0, 2.0)
    assert law.r([0.25, 0.5, 0.75]) == pytest.approx([1 / 12, 0.5, 11 / 12], rel=1e-15)
    assert law.dddr([0.1, 0.3, 0.6, 0.9]).tolist() == [32.0, -32.0, -32.0, 32.0]


def test_a_short_jerk_gives_the_trapezoid():
    s = np.linspace(0, 1, 101)
    for fraction in (0.2, 0.5):
        close = double_s(fraction, 1e-9)
        np.testing.assert_allclose(close.r(s), trapezoid(fraction).r(s), atol=1e-8)


def test_the_quintics_jerk():
    s = np.linspace(0, 1, 101)
    assert np.abs(QUINTIC.dddr(s)).max() == QUINTIC.peak_jerk


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
    for fractions in ((0.0, 0.0), (0.6, 0.1), (0.4, 0.21), (0.4, 0.0), (0.4, np.nan)):
        with pytest.raises(MotionError, match="at most half of it"):
            double_s(*fractions)
    with pytest.raises(MotionError, match="s = nan"):
        CUBIC.r(np.nan)


def test_any_shape_is_kept():
    assert QUINTIC.ddr(np.zeros((2, 3))).shape == (2, 3)
    assert CUBIC.r(0.5).shape == ()
    assert CUBIC.r(np.zeros(0)).shape == (0,)
