"""Real zeros on the circle: all of them, or the polynomial is said to be undecided."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.arrays import Array
from robots.core.chain_inverse.circle_roots import real_zeros, sample_angles
from tests.cases import cases


def with_zeros(zeros: Array, degree: int) -> Array:
    """Samples of the polynomial with these zeros. # (N, 2 degree) -> (N, samples)."""
    angles = sample_angles(degree)
    return np.asarray(np.prod(np.sin(0.5 * (angles[:, None] - zeros[:, None])), axis=2))


def apart(a: Array, b: Array) -> Array:
    return np.abs((a - b + np.pi) % (2.0 * np.pi) - np.pi)


@pytest.mark.parametrize("degree", [1, 4, 8, 12])
def test_zeros_are_those_of_the_companion_matrix(degree: int) -> None:
    random = np.random.default_rng(degree)
    count = cases(gate=40, soak=4000)
    orders = np.arange(degree + 1)
    a, b = random.normal(size=(2, count, degree + 1))
    waves = np.outer(sample_angles(degree), orders)
    found = real_zeros(a @ np.cos(waves).T + b @ np.sin(waves).T)
    assert not np.any(found.undecided)
    for k in range(count):
        half = 0.5 * (a[k, 1:] - 1j * b[k, 1:])
        roots = np.roots([*half[::-1], a[k, 0], *half.conj()])
        expected = np.angle(roots[np.abs(np.abs(roots) - 1.0) < 1e-9])
        mine = found.angle[found.row == k]
        assert len(mine) == len(expected)
        assert np.all(np.min(apart(expected[:, None], mine), axis=1, initial=np.inf) < 1e-9)


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-8, 1e-6, 1e-5, 1e-4, 1e-2])
def test_two_zeros_however_near_are_found(gap: float) -> None:
    """Sixteen random zeros, two of them a gap apart: a decided polynomial has lost none."""
    zeros = np.random.default_rng(3).uniform(-np.pi, np.pi, (cases(gate=60, soak=6000), 16))
    zeros[:, 1] = zeros[:, 0] + gap
    found = real_zeros(with_zeros(zeros, 8))
    decided = np.nonzero(~found.undecided)[0]
    assert decided.size > 0.9 * len(zeros)
    for k in decided.tolist():
        away = apart(zeros[k][:, None], found.angle[found.row == k])
        assert np.max(np.min(away, axis=1)) < 1e-4
    if gap <= 1e-8:
        assert np.all(found.touching[decided])


def test_no_zero_is_told_of_a_polynomial_that_has_none() -> None:
    angles = sample_angles(3)
    found = real_zeros((1.0 + 1e-9 + np.cos(3.0 * angles))[None])
    assert found.row.size == 0
    assert not found.undecided[0]


def test_what_is_no_polynomial_of_the_degree_is_undecided() -> None:
    angles = sample_angles(2)
    samples = np.stack(
        [
            0.0 * angles,
            np.full_like(angles, np.nan),
            np.cos(3.0 * angles),
            1.0 / (1.1 + np.cos(angles)),
        ]
    )
    assert np.all(real_zeros(samples).undecided)


def test_zeros_at_right_angles_are_sharp() -> None:
    zeros = np.array([[0.0, 0.5, 1.0, 1.5]]) * np.pi
    found = real_zeros(with_zeros(zeros, 2))
    assert np.max(np.min(apart(zeros.T, found.angle), axis=1)) < 1e-14
    assert real_zeros(np.zeros((0, 7))).row.size == 0
