"""Outliers of few points and of many: seldom accused by chance, found where they are.

The test with the few fits that it needs is the test with a fit for every candidate.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from scipy.stats import binom

from parts.evaluation import outliers
from parts.fits.curves import FlatCircle
from parts.fits.fitting import fit, model_of
from parts.fits.zone import drawing_of_plane
from tests.cases import cases, some

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
PUT_BACK = outliers.put_back


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

    monkeypatch.setattr(outliers, "fit", counting)
    return calls


def _one_by_one(*given):
    """Nothing is told before it is fitted."""
    return islice(PUT_BACK(*given), 1)


@pytest.mark.parametrize("kind", some(list(SURFACES), gate=1))
def test_the_answer_is_that_of_a_fit_for_each_candidate(kind, monkeypatch):
    """Noise of every size: what decides is within a few per cent of the limit in many sets."""
    made = _counted(monkeypatch)
    tested = told = 0
    for seed in range(cases(gate=3, soak=5)):
        points = rough(kind, (60, 200, 600)[seed % 3], seed, sigma=10.0 ** -(4 + seed % 4))
        before = len(made)
        quick = outliers.outlying_points(kind, points)
        between = len(made)
        with monkeypatch.context() as patch:
            patch.setattr(outliers, "put_back", _one_by_one)
            slow = outliers.outlying_points(kind, points)
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
    candidates = outliers.outliers("cylinder", points).found
    found = outliers.outlying_points("cylinder", points)
    assert 0 < len(found) < len(candidates) - 100
    assert len(made) <= 4


def _parts(found, *clouds):
    """Models of a fit with their shapes and points: a circle in space has its plane and itself."""
    if found.carrier is None:
        return [(model_of(found.kind), found.shape, *(points.T for points in clouds))]
    drawing = drawing_of_plane(found.carrier.shape)
    flat = FlatCircle(centre=drawing.flat(found.shape.centre[None])[0], radius=found.shape.radius)
    drawn = [np.pad(drawing.flat(points), ((0, 0), (0, 1))).T for points in clouds]
    return [
        (model_of("plane"), found.carrier.shape, *(points.T for points in clouds)),
        (model_of("circle2d"), flat, *drawn),
    ]


def _expected(found, points, one):
    """The innovation of one more point, of each part of a fit: its residual over its deviation."""
    for model, shape, own, new in _parts(found, points, one):
        state = model.state_of(shape)
        J, j = model.rows(own, state).jacobian, model.rows(new, state).jacobian[:, 0]
        away = np.linalg.norm(model.rows(new, state).residuals)
        yield away / np.sqrt(1.0 + j @ np.linalg.solve(J @ J.T, j))


@pytest.mark.parametrize("kind", some(list(SURFACES), gate=4))
@pytest.mark.parametrize("count", some([400, 30], gate=1))
def test_what_is_put_back_gives_the_fit_that_would_be_made(kind, count):
    points = rough(kind, count, seed=count)
    worst = [int(row) for row in np.argsort(-np.abs(fit(kind, points).residuals))[:8]]
    others = np.delete(points, worst, axis=0)
    back = points[worst[::-1]]
    states = list(outliers.put_back(fit(kind, others), others, back))
    assert len(states) == 8
    for k, now in enumerate(states):
        own = fit(kind, np.vstack([others, back[:k]]))
        parts = now.innovations
        rounding = 1e-6 * own.estimated_sigma
        assert sum(len(part.scatter) * part.dof for part in parts) == own.dof
        sigma = np.sqrt(sum(np.trace(part.scatter) for part in parts) / own.dof)
        assert abs(sigma - own.estimated_sigma) <= now.unsure + rounding
        assert now.unsure < 0.1 * own.estimated_sigma  # the bound is worth something
        expected = _expected(own, np.vstack([others, back[:k]]), back[k][None])
        for part, length in zip(parts, expected, strict=True):
            assert part.residuals.shape == (len(part.scatter), 8 - k)
            told = np.linalg.norm(part.residuals[:, 0])
            assert abs(told - length) <= now.unsure + rounding


def test_innovations_add_up_to_the_scatter_of_all():
    """Of a plane the squares of the innovations are what each point adds to the sum of squares."""
    points = rough("plane", 40, seed=3)
    states = list(outliers.put_back(fit("plane", points[:30]), points[:30], points[30:]))
    part = states[0].innovations[0]
    for k in range(1, 10):
        more = float(np.sum(part.residuals[0, :k] ** 2))
        own = fit("plane", points[: 30 + k])
        assert part.scatter[0, 0] + more == pytest.approx(own.sum_squares, rel=1e-6)
        now = states[k].innovations[0]
        assert now.scatter[0, 0] == pytest.approx(own.sum_squares, rel=1e-6)
        np.testing.assert_array_equal(now.residuals, part.residuals[:, k:])


def test_a_step_to_no_feature_ends_it():
    """A slender cone; a point at its wide end so near the axis that it would open the other way."""
    rng = np.random.default_rng(0)
    h = np.linspace(0.0, 0.05, 12)[:, None]
    others = (0.02 + 0.01 * h) * _round(rng, 12) + h * [0.0, 0.0, 1.0]
    others += 0.1 * UM * rng.normal(size=others.shape)
    found = fit("cone", others)
    near = np.array([[0.018, 0.0, 0.05], [0.02, 0.0, 0.03], [0.0, 0.02, 0.01]])
    assert len(list(outliers.put_back(found, others, near))) == 1  # none of them back
    assert len(list(outliers.put_back(found, others, near[1:]))) == 2


NORMALS = {
    "plane": lambda points: np.tile([0.0, 0.0, 1.0], (len(points), 1)),
    "line3d": lambda points: np.tile([0.0, 0.6, 0.8], (len(points), 1)),
    "circle3d": lambda points: points / 0.03,
    "sphere": lambda points: points / 0.0125,
    "cylinder": lambda points: points * [50.0, 50.0, 0.0],
}
FEW = {"plane": 9, "line3d": 8, "circle3d": 9, "sphere": 10, "cylinder": 12}


def _few(kind, seed, count, bad=(), size=0.0, sigma=5 * UM):
    """Clean points, or some of them off along the normals; alternately to either side."""
    rng = np.random.default_rng([seed, count])
    points = SURFACES[kind](rng, count)
    normals = NORMALS[kind](points)
    points = points + sigma * rng.normal(size=points.shape)
    for k, row in enumerate(bad):
        points[row] += (-1) ** k * size * normals[row]
    return np.array([0.3, -0.2, 0.5]) + points


def _accused(kind, points):
    return {stray.index for stray in outliers.outlying_points(kind, points)}


CLEAN = {"plane": 50, "line3d": 20, "circle3d": 20, "sphere": 20, "cylinder": 4}
CLEAN |= {kind: cases(gate=count // 4, soak=count) for kind, count in CLEAN.items()}


def test_clean_sets_of_few_points_are_seldom_accused():
    """The chance meant is 5 %; measured with 400 sets each: 1 to 6 %."""
    listed = sum(
        bool(_accused(kind, _few(kind, seed, 6 + seed % 7 if kind == "plane" else FEW[kind])))
        for kind, sets in CLEAN.items()
        for seed in range(sets)
    )
    assert listed <= binom.isf(1e-3, sum(CLEAN.values()), 0.05)


@pytest.mark.parametrize("kind", list(FEW))
def test_one_gross_error_among_few_points_is_found(kind):
    for seed in range(cases(gate=1, soak=3)):
        points = _few(kind, seed, FEW[kind], [seed], 200 * UM)  # 40 σ
        assert seed in _accused(kind, points)


@pytest.mark.parametrize("kind", list(FEW))
def test_two_gross_errors_are_found_where_points_are_enough(kind):
    for seed in range(cases(gate=1, soak=2)):
        points = _few(kind, seed, 14, [2, 9], 300 * UM)
        assert {2, 9} <= _accused(kind, points)


def test_a_point_at_a_wrong_height_of_a_circle_is_found():
    """Its radius says nothing of it."""
    points = _few("circle3d", 0, 10)
    points[4, 2] += 200 * UM
    (found,) = outliers.outlying_points("circle3d", points)
    assert found.index == 4
    assert found.size == pytest.approx(200 * UM, rel=0.3)


@pytest.mark.parametrize("kind", list(FEW))
def test_one_error_among_exact_points_is_found(kind):
    points = _few(kind, 0, FEW[kind] + 2, [3], 100 * UM, sigma=0.0)
    (found,) = outliers.outlying_points(kind, points)
    assert found.index == 3
    assert found.size == pytest.approx(100 * UM, rel=1e-6)


@pytest.mark.parametrize("kind", list(FEW))
def test_exact_points_accuse_nobody(kind):
    assert _accused(kind, _few(kind, 0, FEW[kind], sigma=0.0)) == set()


def test_noise_in_one_direction_of_a_line_hides_no_error():
    """The scatter across the line is singular; in the other direction a micrometre is much."""
    rng = np.random.default_rng(5)
    points = np.linspace(0.0, 0.1, 12)[:, None] * [1.0, 0.0, 0.0]
    points = points + 1e-3 * rng.normal(size=(12, 1)) * [0.0, 0.6, 0.8]
    assert _accused("line3d", points) == set()
    points[5] += UM * np.array([0.0, 0.8, -0.6])
    # a robust fit of distances sees nothing so small beside a millimetre: no candidate, no test
    assert _accused("line3d", points) <= {5}
