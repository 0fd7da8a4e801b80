"""Monte Carlo: agrees with first order, repeats itself, settles its digits, knows its edges."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import UncertaintySettings
from planner.uncertainty.job_uncertainty import first_order, joint_covariance, point_uncertainties
from planner.uncertainty.monte_carlo import draws, monte_carlo

COUNT = 40_000


def together(measuring, **options):
    return np.concatenate(list(draws(measuring, **options)))


# --- where it is linear --------------------------------------------------------------------------


def test_it_agrees_with_first_order_within_2_percent(measuring):
    linear = first_order(measuring).sigma_normal
    drawn = [run.sigma_normal for run in monte_carlo(measuring, count=COUNT)]
    # 1/sqrt(2·40000) = 0.35 % of chance, six times over; small errors are linear to 1e-3
    np.testing.assert_allclose(drawn, linear, rtol=0.02)


@pytest.mark.parametrize("name", ["encoder", "length", "angle", "alignment_turn", "probe_normal"])
def test_each_source_alone_agrees(with_settings, every, name):
    measuring = with_settings(**{name: every[name]}).take(np.array([0, 4]))
    linear = first_order(measuring).sigma_normal
    drawn = [run.sigma_normal for run in monte_carlo(measuring, count=COUNT)]
    np.testing.assert_allclose(drawn, linear, rtol=0.02, atol=1e-12)


def test_points_are_drawn_together(measuring):
    drawn = together(measuring, count=COUNT).reshape(COUNT, -1)
    expected = joint_covariance(measuring)
    found = np.cov(drawn, rowvar=False)
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    # a correlation of 40000 draws is uncertain by 0.5 %
    assert np.max(np.abs(found - expected) / scale) < 0.03


def test_small_errors_make_no_mean(measuring):
    for run in monte_carlo(measuring.take(np.array([0])), count=COUNT):
        sigma = np.sqrt(np.diag(run.covariance))
        assert np.all(np.abs(run.mean) < 5.0 * sigma / np.sqrt(COUNT))


def test_large_errors_make_a_mean_that_first_order_cannot_see(with_settings):
    """E cos(e) = exp(-s²/2): a reading with 0.2 rad of noise draws the ball inwards."""
    measuring = with_settings(encoder=0.2)
    run = next(iter(monte_carlo(measuring, count=COUNT)))
    assert np.linalg.norm(run.mean) > 0.01  # 2 % of the reach and more
    assert run.mean @ measuring.surfaces[0] > 0.0  # measured - true points outwards


# --- reproducible --------------------------------------------------------------------------------


def test_draws_do_not_depend_on_chunks_threads_or_count(measuring):
    whole = together(measuring, count=3000)
    np.testing.assert_array_equal(together(measuring, count=3000, threads=2), whole)
    np.testing.assert_array_equal(together(measuring, count=100), whole[:100])


def test_a_point_s_draws_do_not_depend_on_other_points(measuring):
    """The part grows and turns about the middle of its points, so without alignment."""
    settings = replace(measuring.settings, alignment_turn=0.0, part_temperature=0.0)
    measuring = replace(measuring, settings=settings)
    few = together(measuring.take(np.arange(4)), count=500)
    np.testing.assert_array_equal(few, together(measuring, count=500)[:, :4])


def test_point_by_point_are_the_same_draws(measuring):
    whole = together(measuring, count=10_000)
    for k, run in enumerate(monte_carlo(measuring, count=10_000)):
        # the same numbers; a sum of three products may round otherwise
        np.testing.assert_allclose(run.along, whole[:, k] @ measuring.normals[k], atol=1e-18)


def test_draws_that_are_not_kept_are_drawn_again(measuring, monkeypatch):
    once = [run.along for run in monte_carlo(measuring, count=10_000)]
    # the package gives the name of the module to its function
    monkeypatch.setattr(import_module("planner.uncertainty.monte_carlo"), "_KEPT", 0)
    again = [run.along for run in monte_carlo(measuring, count=10_000)]
    np.testing.assert_array_equal(once, again)


def test_another_seed_is_another_draw(measuring):
    one, other = (together(measuring, count=50, seed=s) for s in (1, 2))
    assert not np.any(one == other)
    np.testing.assert_array_equal(together(measuring, count=50), one)  # the settings' seed is 1


def test_touches_differ_and_what_is_common_does_not(with_settings):
    touch = together(with_settings(probe=1e-5), count=20)
    assert len(np.unique(touch)) == touch.size
    shift = together(with_settings(alignment=1e-5), count=20)
    # equal to the rounding of positions, which are taken off each other
    np.testing.assert_allclose(shift, np.tile(shift[:, :1], (1, 9, 1)), atol=1e-15)


def test_a_step_is_uniform_and_never_wider(with_settings):
    """With one step only, the deviation along any direction is bounded."""
    step = 1e-4
    measuring = with_settings(encoder_resolution=step)
    reach = np.abs(first_order(measuring).tables[0][0].coefficient)
    drawn = together(measuring.take(np.array([0])), count=5000)[:, 0] @ measuring.normals[0]
    most = sum(abs(row.coefficient) for row in first_order(measuring).tables[0]) * step / 2.0
    assert reach >= 0.0
    assert 0.5 * most < np.max(np.abs(drawn)) <= most * (1.0 + 1e-3)


# --- digits --------------------------------------------------------------------------------------


def test_blocks_are_drawn_until_the_digits_are_settled(measuring):
    some = replace(measuring.take(np.array([0, 5])), settings=replace(measuring.settings, digits=1))
    linear = first_order(some).sigma_normal
    for run, sigma in zip(monte_carlo(some), linear, strict=True):
        assert run.settled
        assert run.samples >= 50_000
        assert run.samples % 10_000 == 0
        assert run.sigma_normal == pytest.approx(sigma, rel=0.02)


def test_more_digits_take_more_draws(measuring):
    one, two = (
        replace(measuring.take(np.array([2])), settings=replace(measuring.settings, digits=d))
        for d in (1, 2)
    )
    few, many = (next(iter(monte_carlo(m))) for m in (one, two))
    assert many.settled
    assert many.samples > few.samples
    assert few.along.tolist() == many.along[: few.samples].tolist()


def test_nothing_to_draw_is_settled_at_once(with_settings):
    run = next(iter(monte_carlo(with_settings(digits=3))))
    assert run.settled
    assert run.samples == 50_000
    assert run.sigma_normal == 0.0


# --- the door ------------------------------------------------------------------------------------


def test_points_carry_all_of_it(uncertain, measuring):
    found = point_uncertainties(uncertain)
    assert [point.name for point in found] == list(measuring.names)
    linear = first_order(measuring)
    for k, point in enumerate(found):
        assert (point.method, point.samples, point.coverage) == ("Monte Carlo", 10_000, 0.95)
        assert point.sigma_first_order == linear.sigma_normal[k]
        n = measuring.normals[k]
        assert point.sigma_normal == pytest.approx(np.sqrt(n @ point.covariance @ n), rel=1e-9)
        low, high = point.interval
        assert low < 0.0 < high
        assert high - low == pytest.approx(2 * 1.96 * point.sigma_normal, rel=0.05)
        np.testing.assert_allclose(
            point.axes @ point.axes.T, point.covariance, rtol=1e-9, atol=1e-20
        )


def test_without_samples_it_is_the_first_order(measuring):
    point = point_uncertainties(
        replace(measuring, settings=replace(measuring.settings, samples=0))
    )[0]
    assert (point.method, point.samples) == ("first order", 0)
    assert point.sigma_normal == point.sigma_first_order
    assert point.interval[1] == pytest.approx(1.959963984540054 * point.sigma_normal, rel=1e-12)
    assert point.interval[0] == -point.interval[1]


def test_no_errors_at_all(with_settings):
    for point in point_uncertainties(with_settings()):
        assert point.sigma_normal == 0.0
        assert point.interval == (0.0, 0.0)
        assert np.all(point.covariance == 0.0)


def test_one_draw_says_nothing(measuring):
    with pytest.raises(JobError, match="samples is 1; expected 2 or more"):
        monte_carlo(measuring, count=1)


def test_settings_of_the_job_are_the_defaults(measuring):
    some = replace(measuring, settings=replace(measuring.settings, samples=300, seed=5))
    np.testing.assert_array_equal(together(some), together(measuring, count=300, seed=5))
    assert isinstance(some.settings, UncertaintySettings)
