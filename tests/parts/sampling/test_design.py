"""What a layout does to the uncertainty of a fit: closed forms and simulation."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import SamplingError
from parts.features.feature import feature_of_numbers
from parts.sampling.layouts import design_of, minimum_count
from parts.sampling.sample import AccessLimits, SamplingArea, count_for, sample

PHRASES = {
    "line": ("line:from=0,0,0;to=90,0,0;normal=0,0,1", 2),
    "circle": ("circle:center=0,0,0;normal=0,0,1;diameter=20", 3),
    "plane": ("plane:center=0,0,0;normal=0,0,1;size=80,40", 3),
    "sphere": ("sphere:center=0,0,0;diameter=25;from-deg=0", 4),
    "cylinder": ("cylinder:base=0,0,0;axis=0,0,1;diameter=20;height=30", 5),
    "cone": ("cone:base=0,0,0;axis=0,0,1;diameter=24;top=12;height=15", 6),
    "torus": ("torus:center=0,0,0;axis=0,0,1;major=60;minor=15", 7),
}


def ground(name, strategy="hammersley"):
    return SamplingArea(
        feature=feature_of_numbers(PHRASES[name][0]), strategy=strategy, reach=AccessLimits()
    )


@pytest.mark.parametrize("name", PHRASES)
def test_parameters_are_those_of_the_feature(name):
    """Motions that slide a feature on itself are none; a plane has 3, a sphere 4, a torus 7."""
    strategy = "grid" if name in ("line", "circle") else "hammersley"
    found = sample(feature_of_numbers(PHRASES[name][0]), strategy, 60)
    assert found.design.parameters == PHRASES[name][1]
    # No layout beats √p (the mean over the points of the variance is p σ²/n).
    assert found.design.factor >= 0.98 * np.sqrt(PHRASES[name][1])
    assert found.design.factor < 3.5 * np.sqrt(PHRASES[name][1])


def test_circle_by_closed_form():
    """n points evenly round a circle: the radius has σ/√n, the surface σ·√(3/n) everywhere."""
    found = sample(feature_of_numbers(PHRASES["circle"][0]), "grid", 12).design
    assert found.sizes["radius"] == pytest.approx(1 / np.sqrt(12), rel=1e-12)
    assert found.surface == pytest.approx(np.sqrt(3 / 12), rel=1e-9)


@pytest.mark.parametrize("name", ["sphere", "cylinder"])
def test_simulated_fits_scatter_as_foretold(name):
    """Monte Carlo: 4000 linear fits of noisy points; their radius scatters by the design's."""
    plot = ground(name)
    points = plot.patch.at(plot.laid_out(30))
    design = design_of(plot.patch, points, plot.everywhere())
    c = points.positions.mean(axis=0)
    J = np.column_stack(
        [points.normals, np.cross(points.positions - c, points.normals), -np.ones(30)]
    )
    rng = np.random.default_rng(1)
    errors = rng.normal(size=(4000, 30))
    radii = (np.linalg.pinv(J, rcond=1e-9) @ errors.T)[-1]
    # A standard deviation of 4000 draws is known to 1/√8000 = 1.1 %; four of these.
    assert radii.std() == pytest.approx(design.sizes["radius"], rel=0.045)


@pytest.mark.parametrize("name", ["plane", "sphere", "cone"])
def test_the_deviation_falls_as_one_over_root_n(name):
    plot = ground(name)
    factors = [
        design_of(plot.patch, plot.patch.at(plot.laid_out(n)), plot.everywhere()).factor
        for n in (64, 256, 1024)
    ]
    assert max(factors) < 1.1 * min(factors)


def test_count_from_a_target_holds_and_one_quarter_would_not():
    feature = feature_of_numbers(PHRASES["cylinder"][0])
    count = count_for(feature, "hammersley", sigma=2e-6, target=1e-6)
    assert 20 <= count <= 80  # 4 · p = 20 for the best layout
    assert 2e-6 * sample(feature, "hammersley", count).design.surface <= 1e-6
    assert 2e-6 * sample(feature, "hammersley", count // 4).design.surface > 1e-6
    assert count_for(feature, "hammersley", sigma=1e-9, target=1e-3) >= 5


def test_points_that_leave_a_parameter_open():
    plot = ground("sphere")
    points = plot.patch.at(np.array([[0.0, 0.0], [0.5, 0.0], [0.25, 0.0]]))
    assert design_of(plot.patch, points, plot.everywhere()).surface == np.inf


def test_faults():
    design = sample(feature_of_numbers(PHRASES["plane"][0]), "grid", 9).design
    with pytest.raises(SamplingError, match="expected both above zero"):
        minimum_count(design, 1e-6, 0.0)
    with pytest.raises(SamplingError, match=r"needs .* points .*; the limit is 10000. Ask for"):
        minimum_count(design, 1e-3, 1e-9)
