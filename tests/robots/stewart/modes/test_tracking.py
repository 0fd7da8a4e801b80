"""Continuation: the homotopy is the straight way, and paths can be walked back."""

from __future__ import annotations

import numpy as np
import pytest

from robots.stewart.assembly_modes import (
    GENERIC_MODES,
    distinct,
    make_homotopy,
    start_system,
    track,
)
from robots.stewart.forward import LegGeometry, quadratic_forms


def random_legs(seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(2, 6, 7))
    z = z[0] + 1j * z[1]
    return LegGeometry(base=z[:, :3], platform=z[:, 3:6], squares=z[:, 6])


@pytest.fixture(scope="module")
def start():
    return start_system()


def test_the_start_system_is_complete_and_solved(start):
    assert len(start.x) == GENERIC_MODES == len(distinct(start.x))
    assert start.residual < 1e-10
    np.testing.assert_allclose(start.x @ start.patch, 1.0, atol=1e-12)
    assert start_system() is start  # computed once


@pytest.mark.soak
def test_another_seed_finds_forty_too():
    assert len(start_system(7).x) == GENERIC_MODES


def test_the_jacobian_is_that_of_the_platform_on_the_way(start):
    end = random_legs(1)
    homotopy = make_homotopy(start.legs, end, start.patch)
    t = np.array([0.3])
    between = LegGeometry(
        base=0.7 * start.legs.base + 0.3 * end.base,
        platform=0.7 * start.legs.platform + 0.3 * end.platform,
        squares=0.7 * start.legs.squares + 0.3 * end.squares,
    )
    x = start.x[:1]
    expected = 2.0 * np.einsum("kab,b->ka", quadratic_forms(between), x[0])
    np.testing.assert_allclose(homotopy.jacobian(x, t)[0, :7], expected, atol=1e-12)
    np.testing.assert_array_equal(homotopy.jacobian(x, t)[0, 7], start.patch)


def test_the_tangent_is_the_paths_derivative(start):
    homotopy = make_homotopy(start.legs, random_legs(1), start.patch)
    h = 1e-5

    def at(t):
        x = start.x.copy()
        for _ in range(4):
            x = x + homotopy.newton_step(x, np.full(len(x), t))
        return x

    difference = (at(h) - at(-h)) / (2.0 * h)
    tangent = homotopy.tangent(start.x, np.zeros(len(start.x)))
    size = np.max(np.abs(tangent))
    np.testing.assert_allclose(tangent, difference, atol=1e-5 * size)


def test_there_and_back_is_where_one_was(start):
    end = random_legs(2)
    there = track(make_homotopy(start.legs, end, start.patch), start.x)
    assert np.all(there.arrived)
    assert len(distinct(there.x)) == GENERIC_MODES
    back = track(make_homotopy(end, start.legs, start.patch), there.x)
    np.testing.assert_allclose(back.x, start.x, atol=1e-8)


def test_no_paths_is_fine(start):
    homotopy = make_homotopy(start.legs, random_legs(1), start.patch)
    assert len(track(homotopy, start.x[:0]).x) == 0
