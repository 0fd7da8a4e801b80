"""One set of samples against closed forms and against panels that are halved until they fit."""

import numpy as np
import pytest

from planner.motion.extremes import Scope, highest
from planner.motion.integrals import integrals
from planner.motion.sampled_loads import magnitudes, sampled_loads
from tests.cases import sized

POINTS = 33


def loads_of(speed, torque):
    """One joint whose speed and torque are functions of (motion, x). # -> (m, 6)."""

    def sizes(index, _piece, x):
        qd, tau = speed(index, x), torque(index, x)
        power = tau * qd
        return np.stack([qd, np.zeros_like(x), tau, power, power, -power], axis=1)

    return sizes


def sampled(speed, torque, motions=1, seconds=1.0, scope=Scope.EACH):
    lengths = np.full((motions, 1), seconds)
    return sampled_loads(loads_of(speed, torque), 1, lengths, POINTS, scope)


def one(x):
    return np.ones_like(x)


def test_a_sine_in_closed_form():
    """sin over three half waves and a bit: maxima 1, areas of whole humps."""
    w = 3.3 * np.pi
    seen = sampled(lambda _, x: np.sin(w * x), lambda _, x: 2.0 * one(x), seconds=0.7)
    assert not seen.rough[0]
    assert seen.peaks[0] == pytest.approx([1.0, 0.0, 2.0, 2.0, 2.0, 2.0], abs=1e-14)
    work = 2.0 * (1.0 - np.cos(w)) / w
    humps = 2.0 * (2.0 * 2.0 / w)  # the first and the third point up
    assert seen.sums[0] == pytest.approx(0.7 * np.array([work, 4.0, humps]), rel=1e-13)


def test_random_motions_have_the_loads_that_panels_find():
    rng = np.random.default_rng(20261119)
    motions = sized(400, once=50)
    a = rng.normal(size=(motions, 9)) * 0.5 ** np.arange(9)
    b = rng.normal(size=(motions, 9)) * 0.5 ** np.arange(9)

    def series(c, index, x):
        return np.einsum(
            "mk,mk->m", c[index], np.cos(np.arange(9) * np.arccos(2.0 * x[:, None] - 1))
        )

    def law(x):  # from rest to rest: powers that start and end at zero
        return 30.0 * x * x * (1.0 - x) ** 2

    def speed(index, x):
        return law(x) * series(a, index, x)

    def torque(index, x):
        return series(b, index, x)

    sizes = loads_of(speed, torque)
    seen = sampled(speed, torque, motions)
    exact = highest(sizes, motions, 1, magnitudes=4).value

    def flows(index, piece, x):
        values = sizes(index, piece, x)
        return np.stack([values[:, 3], values[:, 2] ** 2], axis=1)

    sums = integrals(flows, motions, 1, np.ones((motions, 1)), positive=1)
    fine = ~seen.rough
    assert np.count_nonzero(fine) > 0.9 * motions
    assert seen.peaks[fine] == pytest.approx(exact[fine], abs=1e-13 * np.abs(exact).max())
    assert seen.sums[fine] == pytest.approx(sums[fine], abs=1e-11 * np.abs(sums).max())


def test_the_largest_of_all_is_exact_where_only_that_is_wanted():
    """Tops of nearly the same height in many motions, none of them at a sample."""
    heights = 1.0 + 1e-6 * np.arange(300) / 300
    tops = np.linspace(0.3, 0.7, 300)

    def speed(index, x):
        return heights[index] - (x - tops[index]) ** 2

    seen = sampled(speed, lambda _, x: one(x), 300, scope=Scope.FUNCTION)
    assert np.max(seen.peaks[:, 0]) == pytest.approx(heights[-1], abs=1e-14)


@pytest.mark.parametrize(
    ("what", "power"),
    [
        ("a jump", lambda x: np.where(x < 0.4, 1.0, 2.0)),
        ("a kink", lambda x: np.abs(x - 0.4)),
        ("a narrow hill", lambda x: 1.0 / (1.0 + ((x - 0.4) / 0.01) ** 2)),
        ("a dip through zero between samples", lambda x: (x - 0.42) ** 2 - 1e-5),
        ("a valley that touches zero", lambda x: (x - 0.4) ** 2),
    ],
)
def test_what_samples_cannot_tell_is_named(what, power):
    assert sampled(lambda _, x: power(x), lambda _, x: one(x)).rough[0], what


@pytest.mark.parametrize("turn", [0.5, 0.03, 2.1e-3, 6e-4, 1.0 - 6e-4])
def test_a_power_from_rest_that_turns_early_or_late(turn):
    """x²(1 - x)²(x - turn): between the first two samples, where none of them sees it."""

    def power(x):
        return x * x * (1.0 - x) ** 2 * (x - turn)

    whole = np.polynomial.Polynomial([0, 0, 1]) * np.polynomial.Polynomial([1, -2, 1])
    area = (whole * np.polynomial.Polynomial([-turn, 1])).integ()
    seen = sampled(lambda _, x: power(x), lambda _, x: one(x))
    assert not seen.rough[0]
    assert seen.sums[0, 2] == pytest.approx(area(1.0) - area(turn), abs=1e-16, rel=1e-12)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_magnitudes_at_tops_and_at_ends(size):
    def functions(_index, _piece, x):
        return size * np.stack([np.cos(5.0 * x - 2.0), -np.exp(x), 0.0 * x], axis=1)

    found = magnitudes(functions, 2, (slice(0, 3),), POINTS)
    assert found == pytest.approx(size * np.array([[1.0, np.e, 0.0]] * 2), rel=1e-14)


def test_magnitudes_of_what_is_not_smooth():
    found = magnitudes(
        lambda _i, _p, x: (1.0 - np.abs(x - 0.4))[:, None], 1, (slice(None),), POINTS
    )
    assert found[0, 0] == pytest.approx(1.0, abs=1e-9)


def test_no_motions():
    seen = sampled_loads(
        loads_of(lambda _, x: x, lambda _, x: x), 1, np.zeros((0, 1)), POINTS, Scope.EACH
    )
    assert seen.peaks.shape == (0, 6)
    assert seen.sums.shape == (0, 3)


@pytest.mark.parametrize("rises", [0, 1, 2, 3])
@pytest.mark.parametrize("cell", [0, POINTS - 2])
def test_a_pair_of_turns_between_the_outermost_samples(rises, cell):
    """Power from rest as time, its square or cube, or not from rest: told exactly, or named."""
    draw = np.random.default_rng(rises)
    samples = 0.5 * (1.0 - np.cos(np.pi * np.arange(POINTS) / (POINTS - 1)))
    ends = np.polynomial.Polynomial([0, 1, -1]) ** rises
    for _ in range(25):
        low, high = np.sort(draw.uniform(*samples[cell : cell + 2], 2))
        pair = np.polynomial.Polynomial.fromroots([low, high])
        power = ends * pair * np.polynomial.Polynomial([1.0, draw.uniform(-0.5, 0.5)])
        seen = sampled(lambda _, x, power=power: power(x), lambda _, x: one(x))
        area = power.integ()
        above = area(1.0) - area(0.0) - (area(high) - area(low))
        size = np.max(np.abs(power(samples)))
        assert seen.rough[0] or abs(seen.sums[0, 2] - above) < 1e-13 * size
