"""The same equations on SymPy expressions and on recorded nodes."""

import numpy as np
import pytest

from robots.core.equations.algebra import numbers, symbols
from robots.core.kernels import Kernel
from robots.core.recording import Recorder, recording_functions
from robots.core.transmission.screws import (
    Anchor,
    cardan_pin,
    cardan_pin_rates,
    carriage,
    carriage_acceleration,
    carriage_speed,
    crank_pin,
    crank_pin_rates,
    reach,
)

GUIDE, ROD = (0.0379, 0.0512), 0.1258
ANCHOR = Anchor(0.002, 0.0379, 0.06)
Q, QD = (0.21, -0.4), (0.7, -1.1)


def values_of(F, q, qd):
    pin, (rate, second) = cardan_pin(F, q, ANCHOR), cardan_pin_rates(F, q, qd, ANCHOR)
    return (
        carriage(F, pin, GUIDE, ROD),
        carriage_speed(F, pin, rate, GUIDE, ROD),
        carriage_acceleration(F, (pin, rate, second), GUIDE, ROD),
    )


def test_rates_of_the_cardan_are_sympys_derivatives():
    import sympy

    t = sympy.Symbol("t")
    q = tuple(a + v * t for a, v in zip(Q, QD, strict=True))
    place = carriage(symbols(), cardan_pin(symbols(), q, ANCHOR), GUIDE, ROD)
    expected = [float(sympy.diff(place, t, k).subs(t, 0)) for k in range(3)]
    np.testing.assert_allclose(values_of(numbers(), Q, QD), expected, rtol=1e-12)


def test_rates_of_the_crank_are_sympys_derivatives():
    import sympy

    t, a, ad, R = sympy.Symbol("t"), 0.7, 1.3, 0.055
    place = carriage(symbols(), crank_pin(symbols(), a + ad * t, R), (0.0, 0.049), 0.1062)
    F = numbers()
    pin, (rate, second) = crank_pin(F, a, R), crank_pin_rates(F, a, ad, R)
    found = [
        carriage(F, pin, (0.0, 0.049), 0.1062),
        carriage_speed(F, pin, rate, (0.0, 0.049), 0.1062),
        carriage_acceleration(F, (pin, rate, second), (0.0, 0.049), 0.1062),
    ]
    expected = [float(sympy.diff(place, t, k).subs(t, 0)) for k in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_equations_can_be_recorded():
    recorder = Recorder()
    q, qd = recorder.argument("q", (2,)), recorder.argument("qd", (2,))
    outputs = values_of(recording_functions(), tuple(q), tuple(qd))
    kernel = Kernel(recorder.programme("carriage", outputs, (3,)), engine="numpy")
    found = kernel(np.array(Q), np.array(QD))
    np.testing.assert_allclose(found, values_of(numbers(), Q, QD), rtol=1e-14)


def test_reach_is_negative_where_the_rod_is_too_short():
    pin = (0.0, 0.0, 0.2)
    assert reach(pin, (0.0, 0.05), 0.1) == pytest.approx(0.01 - 0.0225)
