"""Speed of the fits, and of what an evaluation makes of them, beside peers in the same run.

The first peer is ``scipy.optimize.least_squares`` with its own defaults on the five coordinates of
a cylinder, with the analytic Jacobian and a start 3 degrees and 10 % off; the fit has to find its
own start, and proves its minimum besides, which is a third of its time. A whole comparison of as
many points is measured beside ten of these: nominal feature, outliers, fit, minimum zone. The
second peer are fits one by one, as a Monte Carlo of a feature would make them.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from parts.evaluation.comparison import AlignmentTask, ComparisonTask, compare
from parts.fits.fitting import fit, model_of
from parts.fits.least_squares import state_about
from parts.fits.repeated_fits import repeated_fits
from parts.points import ProbePoints

pytestmark = pytest.mark.benchmark

POINTS = 100_000
RUNS = 5
FITS = 10
DRAWS = 200


def seconds(function) -> float:
    """CPU seconds of this process: neighbours on the machine do not count."""
    start = time.process_time()
    function()
    return time.process_time() - start


def cylinder(rng, count):
    """Points of a cylinder of 20 mm and their normals."""
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    normals = np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], 1)
    return 0.02 * normals + rng.uniform(0, 0.1, (count, 1)) * [0.0, 0.0, 1.0], normals


def cone(rng, count):
    """Points of a cone of 34 degrees, from 20 to 100 mm of its apex."""
    angle, height = rng.uniform(0.0, 2.0 * np.pi, count), rng.uniform(0.02, 0.1, count)
    radius = height * np.tan(0.3)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)


def scipy_fit(points, kind="cylinder"):
    """The peer for a set of points."""
    from scipy.optimize import least_squares

    model, columns = model_of(kind), np.ascontiguousarray(points.T)
    sizes = (0.022,) if kind == "cylinder" else (0.001, 0.33)
    start = state_about([0.001, 0.0, 0.0], [0.05, 0.0, 1.0], *sizes)
    return least_squares(
        lambda x: model.rows(columns, start.moved(model.freedoms, x)).residuals,
        np.zeros(model.count),
        jac=lambda x: model.rows(columns, start.moved(model.freedoms, x)).jacobian.T,
        x_scale=[0.02, 0.02, 1.0, 1.0, 0.02, 1.0][: model.count],
    )


def ratios_of(own, peer, told, runs) -> list[float]:
    """How many times slower the peer is, run by run."""
    ratios: list[float] = []
    for _ in range(runs):
        mine, theirs = seconds(own), seconds(peer)
        ratios.append(theirs / mine)
        print(f"{mine:.4f} s; {told} {theirs:.4f} s; {theirs / mine:.2f} times")
    return ratios


def test_a_cylinder_of_1e5_points_beside_scipy(speed):
    rng = np.random.default_rng(0)
    points, _ = cylinder(rng, POINTS)
    points += 1e-5 * rng.normal(size=points.shape)
    ours, theirs = fit("cylinder", points), scipy_fit(points)
    assert ours.sum_squares == pytest.approx(2.0 * theirs.cost, rel=1e-9)
    peer, runs = (lambda: scipy_fit(points)), speed.runs(RUNS)
    ratios = ratios_of(lambda: fit("cylinder", points), peer, "SciPy's fit", runs)
    speed.ratio("cylinder of 1e5 points: SciPy's fit", ratios)


@pytest.mark.parametrize("kind", ["cylinder", "cone"])
def test_a_thousand_points_beside_scipy(kind, speed):
    """Here the search of a start costs most: 8 or 10 of more than 200 directions are tried."""
    rng = np.random.default_rng(0)
    points = cylinder(rng, 1000)[0] if kind == "cylinder" else cone(rng, 1000)
    points += 1e-5 * rng.normal(size=points.shape)
    ours, theirs = fit(kind, points), scipy_fit(points, kind)
    assert ours.sum_squares == pytest.approx(2.0 * theirs.cost, rel=1e-9)
    assert ours.certificate.strict_minimum
    assert ours.certificate.agreeing == ours.certificate.starts
    runs = speed.runs(10 * RUNS)
    ratios = ratios_of(
        lambda: fit(kind, points), lambda: scipy_fit(points, kind), "SciPy's fit", runs
    )
    speed.ratio(f"{kind} of 1e3 points: SciPy's fit", ratios)


def test_a_comparison_of_1e5_points_beside_scipys_bare_fit(speed):
    """Noise of heavy tails: hundreds of points are candidates, of which a few dozen stand out."""
    rng = np.random.default_rng(0)
    nominal, normals = cylinder(rng, POINTS)
    measured = nominal + 1e-5 * rng.laplace(size=(POINTS, 1)) * normals
    task = ComparisonTask(
        points=ProbePoints(
            names=tuple(f"P{k}" for k in range(POINTS)),
            positions=nominal,
            normals=normals,
            features=("bore",) * POINTS,
        ),
        alignment=AlignmentTask(
            method="none", nominal=nominal, normals=normals, features=("bore",) * POINTS
        ),
        drop_outliers=True,
    )
    found = compare(task, measured)
    assert 20 < len(found.subjects["bore"].outliers) < 500
    assert found.zones["bore"].certificate.optimal

    def peer():
        return [scipy_fit(measured) for _ in range(FITS)]

    told, runs = f"{FITS} of SciPy's fits", speed.runs(RUNS)
    ratios = ratios_of(lambda: compare(task, measured), peer, told, runs)
    speed.ratio("comparison of 1e5 points: ten SciPy fits", ratios)


def test_two_hundred_draws_of_a_bore_beside_fits_one_by_one(speed):
    rng = np.random.default_rng(0)
    points, normals = cylinder(rng, 24)
    shape = fit("cylinder", points).shape
    sets = points + 2e-6 * rng.normal(size=(DRAWS, *points.shape))

    def singly():
        return [fit("cylinder", some, outward=normals, hint=shape) for some in sets]

    for one, own in zip(repeated_fits("cylinder", shape, sets, normals), singly(), strict=True):
        np.testing.assert_allclose(one.residuals, own.residuals, atol=1e-15)
    runs = speed.runs(RUNS)
    ratios = ratios_of(
        lambda: repeated_fits("cylinder", shape, sets, normals), singly, "one by one", runs
    )
    speed.ratio("200 draws of a bore: fits one by one", ratios)
