"""The outlier test with the few fits that it needs is the test with a fit for every candidate."""

from __future__ import annotations

import numpy as np
import pytest

from parts.evaluation import put_back, strays
from parts.fits import fit

UM = 1e-6


def _round(rng, count):
    a = rng.uniform(0.0, 2.0 * np.pi, count)
    return np.column_stack([np.cos(a), np.sin(a), 0.0 * a])


def _cone(rng, count):
    t = rng.uniform(0.02, 0.06, count)[:, None]
    return t * (np.sin(0.4) * _round(rng, count) + [0.0, 0.0, np.cos(0.4)])


def _torus(rng, count):
    n, b = _round(rng, count), rng.uniform(0.0, 2.0 * np.pi, count)[:, None]
    return (0.05 + 0.015 * np.cos(b)) * n + 0.015 * np.sin(b) * [0.0, 0.0, 1.0]


def _sphere(rng, count):
    n = rng.normal(size=(count, 3))
    return 0.0125 * n / np.linalg.norm(n, axis=1)[:, None]


SURFACES = {
    "plane": lambda rng, count: rng.uniform(-0.1, 0.1, (count, 3)) * [1.0, 1.0, 0.0],
    "line3d": lambda rng, count: rng.uniform(-0.1, 0.1, (count, 3)) * [1.0, 0.0, 0.0],
    "circle3d": lambda rng, count: 0.03 * _round(rng, count),
    "sphere": _sphere,
    "cylinder": lambda rng, count: (
        0.02 * _round(rng, count) + rng.uniform(0.0, 0.05, (count, 3)) * [0.0, 0.0, 1.0]
    ),
    "cone": _cone,
    "torus": _torus,
}


def rough(kind, count, seed, sigma=5 * UM):
    """Points with noise of heavy tails, in which many are candidates and few stand out."""
    rng = np.random.default_rng(seed)
    tails = rng.laplace(size=(count, 1)) * rng.normal(size=(count, 3))
    return SURFACES[kind](rng, count) + sigma * tails + [0.3, -0.2, 0.5]


def _counted(monkeypatch):
    """Fits that the test makes."""
    calls = []

    def counting(kind, points):
        calls.append(len(points))
        return fit(kind, points)

    monkeypatch.setattr(strays, "fit", counting)
    return calls


def _one_by_one(*given):
    return len(given[-1]) - 1


@pytest.mark.parametrize("kind", list(SURFACES))
def test_the_answer_is_that_of_a_fit_for_each_candidate(kind, monkeypatch):
    """Noise of every size: what decides is within a few per cent of the limit in many sets."""
    made = _counted(monkeypatch)
    tested = told = 0
    for seed in range(5):
        points = rough(kind, (60, 200, 600)[seed % 3], seed, sigma=10.0 ** -(4 + seed % 4))
        before = len(made)
        quick = strays.strays(kind, points)
        between = len(made)
        with monkeypatch.context() as patch:
            patch.setattr(strays, "_next", _one_by_one)
            slow = strays.strays(kind, points)
        assert [stray.index for stray in quick] == [stray.index for stray in slow]
        tested += len(made) - between
        told += between - before
    assert told < 0.3 * tested  # else nothing was left to first order


def test_hundreds_of_candidates_cost_a_few_fits(monkeypatch):
    made = _counted(monkeypatch)
    rng = np.random.default_rng(1)
    points = SURFACES["cylinder"](rng, 20_000)
    outward = points * [50.0, 50.0, 0.0]  # of length one: the radius is 20 mm
    points = points + 5 * UM * rng.laplace(size=(20_000, 1)) * outward
    candidates = strays.outliers("cylinder", points).found
    found = strays.strays("cylinder", points)
    assert 0 < len(found) < len(candidates) - 100
    assert len(made) <= 4


@pytest.mark.parametrize("kind", list(SURFACES))
@pytest.mark.parametrize("count", [30, 400])
def test_what_is_put_back_gives_the_fit_that_would_be_made(kind, count):
    points = rough(kind, count, seed=count)
    worst = [int(row) for row in np.argsort(-np.abs(fit(kind, points).residuals))[:8]]
    others = np.delete(points, worst, axis=0)
    back = points[worst[::-1]]
    states = list(put_back.put_back(fit(kind, others), others, back))
    assert len(states) == 7
    for k, now in enumerate(states, start=1):
        own = fit(kind, np.vstack([others, back[:k]]))
        away = abs(float(own.shape.distance(back[k][None])[0]))
        assert abs(now.away - away) <= now.unsure
        assert abs(now.sigma - own.estimated_sigma) <= now.unsure
        assert now.unsure < 0.1 * now.sigma  # the bound is worth something
        assert now.dof == own.dof


def test_the_leverage_is_that_of_the_fit():
    """Of a plane: 1/n for its height and the squares of the coordinates over theirs."""
    points = rough("plane", 40, seed=3)
    found = fit("plane", points[:30])
    for k, now in enumerate(put_back.put_back(found, points[:30], points[30:]), start=1):
        own = fit("plane", points[: 30 + k])
        design = np.column_stack([np.ones(30 + k), points[: 30 + k, :2] - own.value("point")[:2]])
        row = np.append(1.0, points[30 + k, :2] - own.value("point")[:2])
        assert now.leverage == pytest.approx(
            row @ np.linalg.solve(design.T @ design, row), rel=1e-4
        )


def test_a_step_to_no_feature_ends_it():
    """A slender cone; a point at its wide end so near the axis that it would open the other way."""
    rng = np.random.default_rng(0)
    h = np.linspace(0.0, 0.05, 12)[:, None]
    others = (0.02 + 0.01 * h) * _round(rng, 12) + h * [0.0, 0.0, 1.0]
    others += 0.1 * UM * rng.normal(size=others.shape)
    found = fit("cone", others)
    near = np.array([[0.018, 0.0, 0.05], [0.02, 0.0, 0.03], [0.0, 0.02, 0.01]])
    assert list(put_back.put_back(found, others, near)) == []
    assert len(list(put_back.put_back(found, others, near[1:]))) == 1
