"""Integrals against closed forms; kinks and jumps included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.motion.integrals import absolute_integrals, integrals
from robots.core.errors import MotionError

ONE = np.ones((1, 1))


def integral(function, *, positive=0, lengths=ONE):
    def evaluate(_index, _piece, x):
        return function(x)[:, None]

    return integrals(evaluate, 1, 1, lengths, positive=positive)[0]


@given(powers=st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=12))
def test_polynomials_are_exact(powers):
    polynomial = np.polynomial.Polynomial(powers)
    expected = polynomial.integ()(1.0)
    assert integral(polynomial)[0] == pytest.approx(expected, abs=1e-13 * max(map(abs, powers)))


@given(turns=st.floats(0.5, 20.0))
def test_a_wave(turns):
    w = np.pi * turns
    whole, positive = integral(lambda x: np.sin(w * x), positive=1)
    assert whole == pytest.approx((1.0 - np.cos(w)) / w, abs=1e-12)
    # Whole humps of area 2/w each, every second one counts; then what is left of the last.
    humps = int(turns)
    rest = (1.0 - np.cos(w - np.pi * humps)) / w if humps % 2 == 0 else 0.0
    assert positive == pytest.approx((humps + 1) // 2 * 2.0 / w + rest, rel=1e-9)


def test_kinks_that_are_not_told_are_found():
    w = 3.7 * np.pi
    expected = (3 * 2.0 + 1.0 - np.cos(0.7 * np.pi)) / w
    assert integral(lambda x: np.abs(np.sin(w * x)))[0] == pytest.approx(expected, rel=1e-9)


def test_a_jump_inside_a_piece_is_found():
    found = integral(lambda x: np.where(x < 1 / 3, 2.0, 5.0))[0]
    assert found == pytest.approx(2 / 3 + 10 / 3, rel=1e-9)


@pytest.mark.parametrize("turn", [0.5, 1e-3, 1.0 - 1e-3, 0.25, 0.0042, 1e-9])
def test_a_jump_where_a_joint_turns_is_cut_even_where_no_node_sees_it(turn):
    """Between a panel's end and its first node lies 0.9 % of the panel."""

    def speed(x):
        return x - turn

    def functions(_index, _piece, x):
        return (10.0 + 4.0 * np.sign(speed(x)))[:, None] ** 2

    found = integrals(functions, 1, 1, ONE, turning=lambda _index, _piece, x: speed(x)[:, None])
    assert found[0, 0] == pytest.approx(36.0 * turn + 196.0 * (1.0 - turn), rel=1e-13)


def test_a_function_that_never_becomes_smooth_is_an_error_and_not_all_memory():
    calls = []

    def noise(_index, _piece, x):
        calls.append(x.size)
        return np.sin(1e7 * x)[:, None] ** 2 * np.where(np.sin(3e9 * x) > 0.0, 1.0, 2.0)[:, None]

    with pytest.raises(MotionError, match="changes without end") as caught:
        integrals(noise, 1, 1, ONE)
    assert caught.value.facts["motion"] == 0
    assert sum(calls) < 20_000


def test_rounding_noise_beside_something_real_is_not_refined():
    calls = []

    def both(_index, _piece, x):
        calls.append(x.size)
        return np.stack([np.sin(x), 1e-17 * np.sin(1e9 * x)], axis=1)

    assert integrals(both, 1, 1, ONE, positive=2)[0, 0] == pytest.approx(1 - np.cos(1), rel=1e-14)
    assert sum(calls) < 200


def test_a_sliver_of_a_motion_is_worth_no_panels():
    """A piece of 1e-13 of the motion whose values are noise: its integral shows nowhere."""
    lengths = np.array([[1.0, 1e-13]])

    def functions(_index, piece, x):
        return np.where(piece == 0, np.cos(x), 1e3 * np.sin(1e8 * x))[:, None]

    found = integrals(functions, 1, 2, lengths, positive=1)
    assert found[0, 0] == pytest.approx(np.sin(1.0), rel=1e-9)


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 0.0, -1e-6])
def test_a_dip_just_below_zero_between_two_positive_values(depth):
    def valley(x):
        return 4.0 * (x - 0.37) ** 2 - depth

    reach = np.sqrt(max(depth, 0.0) / 4.0)
    area = (4.0 * (0.63**3 + 0.37**3) / 3.0 - depth) + 4.0 / 3.0 * depth * reach
    assert integral(valley, positive=1)[1] == pytest.approx(area, rel=1e-12)


def test_zero_and_rounding_noise():
    noise = np.random.default_rng(0)
    assert np.array_equal(integral(lambda x: 0.0 * x, positive=1), [0.0, 0.0])
    found = integral(lambda x: 1e-19 * noise.standard_normal(x.shape), positive=1)
    assert np.all(np.abs(found) < 1e-18)


def test_lengths_of_pieces_and_many_motions():
    """Motion k, piece p: (k + 1)·(1 + p x), over its own length; more than one block."""
    count = 500
    lengths = np.stack([np.linspace(0.1, 1.0, count), np.linspace(2.0, 0.2, count)], axis=1)

    def evaluate(index, piece, x):
        value = (index + 1) * (1.0 + piece * x)
        return np.stack([value, -value], axis=1)

    found = integrals(evaluate, count, 2, lengths, positive=2)
    expected = (np.arange(count) + 1) * (lengths[:, 0] + 1.5 * lengths[:, 1])
    assert found[:, 0] == pytest.approx(expected, rel=1e-14)
    assert found[:, 1] == pytest.approx(-expected, rel=1e-14)
    assert np.array_equal(found[:, 2], found[:, 0])
    assert np.array_equal(found[:, 3], np.zeros(count))
    assert integrals(evaluate, 0, 2, np.zeros((0, 2))).shape[0] == 0


def absolute(roots, size):
    """Integral of |size·(x - root)…| over [-1, 1], and what it is between the known roots."""
    polynomial = size * np.polynomial.Polynomial.fromroots(roots)
    legendre = np.zeros((1, 12))
    converted = np.polynomial.legendre.poly2leg(polynomial.coef)
    legendre[0, : len(converted)] = converted
    edges = np.unique(np.clip([-1.0, *roots, 1.0], -1.0, 1.0))
    return absolute_integrals(legendre)[0], np.sum(np.abs(np.diff(polynomial.integ()(edges))))


@given(
    start=st.floats(-1.2, -0.5),
    gaps=st.lists(st.floats(1 / 16, 0.6), max_size=5),
    size=st.floats(0.1, 10.0),
)
def test_absolute_integrals_from_root_to_root(start, gaps, size):
    found, expected = absolute(start + np.cumsum([0.0, *gaps]), size)
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-13)


@given(root=st.floats(-0.9, 0.9), apart=st.sampled_from([0.0, 1e-9, 1e-6, 1e-3, 0.01, 0.06]))
def test_two_roots_close_together(root, apart):
    found, expected = absolute([root, root + apart, -1.1], 1.0)
    assert found == pytest.approx(expected, rel=1e-10)


@given(roots=st.lists(st.floats(-1.2, 1.2), min_size=1, max_size=6))
def test_crowds_of_roots_lose_little(roots):
    """Three and more roots in one cell (1/32 of the panel) are not all told apart."""
    found, expected = absolute(roots, 1.0)
    assert found == pytest.approx(expected, rel=1e-4)
