"""The cycle of every point as lengths: what the job gives, what it leaves to the approach."""

from __future__ import annotations

import numpy as np
import pytest

from planner.job.settings import FeatureTouch, Touch
from planner.reach.placement import place
from planner.touch.cycle import LONGEST_STOP, cycle_distances, stop_distance
from tests.planner.touching import TO_REST, with_touch

FEATURES = ("top", "bore", "top", "")
DISTANCES = np.array([0.05, 0.008, 0.004, 0.001])


def test_without_lengths_of_its_own_a_search_suits_its_approach():
    """3 mm before the surface or half of the approach; 2 mm of back-off or all of it."""
    found = cycle_distances(Touch(), FEATURES, DISTANCES)
    assert found.search_before.tolist() == [0.003, 0.003, 0.002, 0.0005]
    assert found.search_after.tolist() == [0.003] * 4
    assert found.back_off.tolist() == [0.002, 0.002, 0.002, 0.001]
    assert found.speeds.tolist() == [0.005] * 4
    # Latency of 2 ms, then 20 ms from 5 mm/s to rest.
    assert found.depths == pytest.approx(np.full(4, 0.003 + 10e-6 + 50e-6), rel=1e-14)


def test_lengths_that_are_given_hold_for_all():
    touch = Touch(search_before=0.0009, search_after=0.004, back_off=0.0005, speed=0.01)
    found = cycle_distances(touch, FEATURES, DISTANCES)
    assert found.search_before.tolist() == [0.0009] * 4
    assert found.search_after.tolist() == [0.004] * 4
    assert found.back_off.tolist() == [0.0005] * 4
    assert found.depths == pytest.approx(np.full(4, 0.004 + 20e-6 + 100e-6), rel=1e-14)


def test_a_feature_has_what_is_its_own():
    own = FeatureTouch(name="bore", speed=0.002, search_before=0.006, search_after=0.001)
    found = cycle_distances(Touch(back_off=0.0003, features=(own,)), FEATURES, DISTANCES)
    assert found.speeds.tolist() == [0.005, 0.002, 0.005, 0.005]
    assert found.search_before.tolist() == [0.003, 0.006, 0.002, 0.0005]
    assert found.search_after.tolist() == [0.003, 0.001, 0.003, 0.003]
    assert found.back_off.tolist() == [0.0003] * 4
    # v·latency + v·20 ms/2
    stops = found.speeds * (0.002 + 0.5 * LONGEST_STOP)
    assert found.depths - found.search_after == pytest.approx(stops, rel=1e-12)


@pytest.mark.parametrize("feature", [None, "bore"])
def test_a_back_off_and_a_settle_of_a_feature(feature):
    own = FeatureTouch(name="bore", back_off=0.007, settle=0.4)
    touch = Touch(settle=0.1, features=(own,))
    assert touch.of(feature or "top").settle == (0.4 if feature else 0.1)
    found = cycle_distances(touch, FEATURES, DISTANCES)
    assert found.back_off.tolist() == [0.002, 0.007, 0.002, 0.001]


@pytest.mark.parametrize("speed", [0.001, 0.005, 0.02, 0.3])
@pytest.mark.parametrize("latency", [0.0, 0.002, 0.1])
@pytest.mark.parametrize("deceleration", [None, 0.05, 2.0])
def test_the_stop_is_latency_at_speed_and_an_even_deceleration(speed, latency, deceleration):
    """By quadrature of the speed over time; no controller brakes in less than 1 ms."""
    touch = Touch(speed=speed, latency=latency, deceleration=deceleration)
    slowing = LONGEST_STOP if deceleration is None else max(speed / deceleration, 0.001)
    t = np.linspace(0.0, slowing, 20_001)
    way = speed * latency + np.trapezoid(speed * (1.0 - t / slowing), t)
    assert stop_distance(touch) == pytest.approx(way, rel=1e-12)
    found = cycle_distances(touch, FEATURES, DISTANCES)
    assert found.depths - found.search_after == pytest.approx(np.full(4, way), rel=1e-9)


def test_to_rest_there_is_nothing_beyond_contact():
    found = cycle_distances(TO_REST, FEATURES, DISTANCES)
    for lengths in (found.search_before, found.search_after, found.depths, found.back_off):
        assert lengths.tolist() == [0.0] * 4
    assert found.speeds.tolist() == [0.0] * 4
    assert stop_distance(TO_REST) == 0.0


def test_no_point_has_no_cycle():
    found = cycle_distances(Touch(), (), np.zeros(0))
    assert found.depths.shape == found.speeds.shape == (0,)


def test_places_of_the_cycle_lie_on_their_lines(corrected_job):
    """Clearance point, start of the search, contact, its end, and the deepest place, in a row."""
    placed = place(with_touch(corrected_job, mode="search", search_after=0.004))
    outside = np.stack(
        [
            np.sum((ball - placed.contacts) * placed.directions, axis=1)
            for ball in (
                placed.clearances,
                placed.search_starts,
                placed.back_offs,
                placed.contacts,
                placed.search_ends,
                placed.line_ends,
            )
        ],
        axis=1,
    )
    expected = [0.05, 0.003, 0.002, 0.0, -0.004, -0.00406]
    assert outside == pytest.approx(np.tile(expected, (9, 1)), abs=1e-15)
    assert placed.lengths == pytest.approx(np.full(9, 0.05406), abs=1e-15)
    assert placed.at_contact() == pytest.approx(np.full(9, 0.05 / 0.05406), rel=1e-14)
