"""Uncertainties of characteristics: closed forms, fitting again, and what alignment takes out."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import EvaluationError
from parts.evaluation.association import associate
from parts.evaluation.outliers import linear_fit
from parts.evaluation.tolerance import Conformance, ToleranceSpec
from parts.evaluation.uncertainty import (
    add_uncertainties,
    agree,
    first_order_values,
    uncertainty_of,
)
from parts.fits.fitting import fit
from tests.cases import cases

UM = 1e-6
RNG = np.random.default_rng(11)


def _of(comparison, feature, kind):
    return next(
        item for item in comparison.characteristics if (item.feature, item.kind) == (feature, kind)
    )


@pytest.fixture(scope="module")
def rough(block):
    return block.positions + np.random.default_rng(3).normal(0.0, 2 * UM, block.positions.shape)


@pytest.fixture(scope="module")
def sure(block, compared, rough):
    tolerances = [
        ToleranceSpec(feature="bore", kind="position", value=20 * UM),
        ToleranceSpec(feature="left", kind="distance", value=10 * UM, datum="right"),
        ToleranceSpec(feature="right", kind="parallelism", value=20 * UM, datum="left"),
    ]
    found = compared(block, rough, tolerances=tolerances)
    errors = RNG.normal(0.0, 2 * UM, (4000, len(block), 3))
    return add_uncertainties(found, errors)


def test_a_diameter_has_the_standard_deviation_of_its_fit(sure):
    item = _of(sure, "bore", "diameter")
    fitted = sure.subjects["bore"].fit
    expected = 2 * UM * np.sqrt(fitted.cofactor[-1, -1]) * 2.0  # d = 2 r
    # 4000 draws know σ to 1.1 %
    assert item.uncertainty.standard == pytest.approx(expected, rel=0.035)
    assert item.uncertainty.expanded == pytest.approx(1.96 * expected, rel=0.05)
    assert item.uncertainty.draws == 4000
    assert abs(item.uncertainty.shift) < 0.05 * expected


def test_a_distance_of_two_planes_has_the_scatter_of_their_middles(sure):
    item = _of(sure, "left", "distance")
    # each plane's height over its own middle is the mean of 16 points
    assert item.uncertainty.standard == pytest.approx(2 * UM * np.sqrt(2 / 16), rel=0.2)
    assert item.uncertainty.draws == 200  # a datum: fitted again, σ known to 5 %
    assert np.isnan(item.uncertainty.first_order)


def test_every_characteristic_knows_its_uncertainty(sure):
    for item in sure.characteristics:
        assert item.uncertainty is not None, item.name
        assert 0.0 < item.uncertainty.standard < 5 * UM, item.name
        assert item.uncertainty.standard < item.uncertainty.expanded
    assert _of(sure, "bore", "position").verdict in (Conformance.PASS, Conformance.UNDECIDED)


@pytest.mark.parametrize("feature", ["top", "bore"])
def test_first_order_is_what_fitting_again_gives(block, compared, rough, feature):
    subject = compared(block, rough).subjects[feature]
    errors = RNG.normal(0.0, 1 * UM, (cases(gate=6, soak=20), len(subject.deviations), 3))
    linear = linear_fit(subject.fit, subject.points)
    forms = linear.forms(errors)
    axes = linear.drawn("axis", errors)
    for draw, form, axis in zip(errors, forms, axes, strict=True):
        again = fit(subject.fit.kind, subject.points + draw, hint=subject.fit.shape)
        # second order: (1 µm)² over a radius of 10 mm is 1e-10 m
        assert again.form_error == pytest.approx(form, abs=2e-9)
        np.testing.assert_allclose(again.value("axis"), axis, atol=1e-7)


def test_first_order_of_a_position_is_what_measuring_again_gives(block, compared, rough):
    from parts.evaluation.characteristics import measurement_of

    for feature in ("bore", "top"):
        subject = compared(block, rough).subjects[feature]
        errors = RNG.normal(0.0, 1 * UM, (cases(gate=4, soak=10), len(subject.deviations), 3))
        linear = first_order_values("position", subject, errors)
        measured = subject.deviations.measured
        spec = ToleranceSpec(feature=feature, kind="position", value=1.0)
        again = [measurement_of(spec, subject.redrawn(measured + draw)).value for draw in errors]
        np.testing.assert_allclose(linear, again, atol=2e-9)


def test_an_error_of_the_whole_part_is_no_error_of_form(block, compared, rough):
    draws = cases(gate=100, soak=300)
    shared = RNG.normal(0.0, 50 * UM, (draws, 1, 3)) * np.ones((1, len(block), 1))
    tolerances = [ToleranceSpec(feature="bore", kind="position", value=20 * UM)]
    loose = add_uncertainties(compared(block, rough, tolerances=tolerances), shared)
    held = add_uncertainties(compared(block, rough, tolerances=tolerances, method="points"), shared)
    assert _of(loose, "top", "flatness").uncertainty.standard < 1e-12
    assert _of(loose, "bore", "diameter").uncertainty.standard < 1e-12
    assert _of(loose, "bore", "position").uncertainty.standard > 20 * UM
    assert _of(held, "bore", "position").uncertainty.standard < 1e-12  # the alignment follows it


def test_the_stated_coverage_holds(block):
    """A bore is measured and fitted anew many times; 95 % of the intervals hold its diameter."""
    rows = np.flatnonzero([name == "bore" for name in block.features])
    points, sigma = block.positions[rows], 2 * UM
    exact = fit("cylinder", points, hollow=True)
    linear = linear_fit(exact, points)
    rng = np.random.default_rng(8)
    draws = linear.drawn("diameter", rng.normal(0.0, sigma, (40_000, len(rows), 3)))[:, 0]
    doubt = uncertainty_of(0.02, draws, draws[:200], 0.95)
    trials = cases(gate=300, soak=4000)
    measured = points + rng.normal(0.0, sigma, (trials, *points.shape))
    fits = (fit("cylinder", one, hollow=True, hint=exact.shape) for one in measured)
    seen = np.array([found.value("diameter") for found in fits])
    inside = np.mean(np.abs(seen - 0.02) <= doubt.expanded)
    # 1500 trials scatter by 0.56 %, fewer by more
    assert inside == pytest.approx(0.95, abs=0.01 * max(1.0, np.sqrt(1500 / trials)))


def test_where_first_order_does_not_hold_it_does_not_count():
    linear = RNG.normal(0.0, 1.0, 1000)
    assert agree(linear, linear[:40])
    assert agree(linear, linear[:40] * 1.05)
    assert not agree(linear, linear[:40] + RNG.normal(0.0, 1.0, 40))
    assert not agree(linear, np.append(linear[:39], np.nan))
    doubt = uncertainty_of(0.0, None, np.append(linear[:200], np.nan), 0.95)
    assert doubt.draws == 200
    assert np.isnan(doubt.first_order)
    with pytest.raises(EvaluationError, match="No draw could be evaluated"):
        uncertainty_of(0.0, None, np.full(200, np.nan), 0.95)


@pytest.mark.parametrize(
    ("errors", "text"),
    [
        (np.zeros((200, 3, 3)), "expected \\(draws, 88, 3\\)"),
        (np.zeros((50, 88, 3)), "50 draws do not hold an interval"),
        (np.full((200, 88, 3), np.nan), "finite"),
    ],
)
def test_draws_with_a_fault_are_refused(block, compared, errors, text):
    with pytest.raises(EvaluationError, match=text):
        add_uncertainties(compared(block, block.positions), errors)


def test_a_feature_that_errors_destroy_has_no_uncertainty_but_no_crash(block, compared):
    rows = np.flatnonzero([name in ("bore", "left") for name in block.features])
    few = block.take(rows[:: cases(gate=2, soak=1)])
    found = compared(few, few.positions)
    subject = associate("bore", found.subjects["bore"].nominal, found.subjects["bore"].deviations)
    assert subject.fit is not None
    wild = add_uncertainties(found, RNG.normal(0.0, 10.0, (100, len(few), 3)))
    assert len(wild.characteristics) == len(found.characteristics)
