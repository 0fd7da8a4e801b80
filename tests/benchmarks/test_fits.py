"""Speed of the fits beside SciPy's least squares with the same Jacobian, in one run.

The peer is ``scipy.optimize.least_squares`` with its own defaults on the five coordinates of a
cylinder, with the analytic Jacobian and a start 3 degrees and 10 % off; the fit has to find its own
start, and proves its minimum besides,
which is a third of its time.
"""

from __future__ import annotations

import time
from statistics import median

import numpy as np
import pytest

from parts.fits import fit_cylinder
from parts.fits.dispatch import model_of
from parts.fits.frame import state_about

pytestmark = pytest.mark.benchmark

POINTS = 100_000
RUNS = 5
RATIO = 0.4  # measured: 0.7 to 1.4 with the machine's other load; half of that is a fault


def seconds(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def test_a_cylinder_of_1e5_points_beside_scipy(record_property):
    from scipy.optimize import least_squares

    rng = np.random.default_rng(0)
    angle = rng.uniform(0.0, 2.0 * np.pi, POINTS)
    points = np.stack([0.02 * np.cos(angle), 0.02 * np.sin(angle), rng.uniform(0, 0.1, POINTS)], 1)
    points += 1e-5 * rng.normal(size=points.shape)
    model, columns = model_of("cylinder"), np.ascontiguousarray(points.T)
    start = state_about([0.001, 0.0, 0.0], [0.05, 0.0, 1.0], 0.022)

    def peer():
        return least_squares(
            lambda x: model.rows(columns, start.moved(model.freedoms, x)).residuals,
            np.zeros(5),
            jac=lambda x: model.rows(columns, start.moved(model.freedoms, x)).jacobian.T,
            x_scale=[0.02, 0.02, 1.0, 1.0, 0.02],
        )

    ours, theirs = fit_cylinder(points), peer()
    assert ours.sum_squares == pytest.approx(2.0 * theirs.cost, rel=1e-9)
    ratios: list[float] = []
    for _ in range(RUNS):
        own, other = seconds(lambda: fit_cylinder(points)), seconds(peer)
        ratios.append(other / own)
        print(f"{own:.3f} s; SciPy from a near start {other:.3f} s; {other / own:.2f} times")
    record_property("ratio_scipy", median(ratios))
    assert median(ratios) >= RATIO
