"""Straight travels and detours in one batch: each as it is in its own."""

import numpy as np
import pytest

from planner.detours.motions import LAW, DetourMotions, Legs, MixedTravels
from planner.motion.extremes import highest
from planner.motion.travel import TravelMotions

ROUTE = np.array([[0.0, 0, 0, 0, 0], [0.5, 0.4, 0, 0.3, 0], [0.2, -0.6, 0.3, 0, 0.5]])


@pytest.fixture(scope="module")
def batches(limits):
    starts = np.array([np.zeros(5), ROUTE[0], np.full(5, 0.2)])
    ends = np.array([np.full(5, 1.0), ROUTE[-1], np.full(5, 0.2)])
    straight = TravelMotions(starts, ends, "trapezoid", limits)
    detours = DetourMotions([Legs(ROUTE, limits).pieces(np.array([0.3]))], ROUTE[:1], limits)
    return straight, detours, MixedTravels(straight, detours, np.array([1]))


def test_each_is_what_it_was(batches):
    straight, detours, mixed = batches
    s = np.linspace(0.0, 1.0, 101)
    for k, (own, row) in enumerate([(straight, 0), (detours, 0), (straight, 2)]):
        index, there = np.full(101, k), np.full(101, row)
        found = mixed.states(index, mixed.law_at(index, s))
        expected = own.states(there, own.law_at(there, s))
        for name in ("q", "dq", "ddq"):
            assert np.array_equal(getattr(found, name), getattr(expected, name))
        assert mixed.duration[k] == own.duration[row]
        assert mixed.bindings[k] == own.bindings[row]


def test_a_switch_is_seen_from_both_sides(batches):
    straight, _, mixed = batches
    zero = np.zeros(1, dtype=np.int64)
    switch = straight.law_state(zero, zero, np.ones(1)).s
    for side in (-1.0, 2.0):
        seen = np.nextafter(switch, side)
        found = mixed.law_at(zero, switch, seen)
        assert found.ddr == straight.law_at(zero, switch, seen).ddr


def test_pieces_cover_every_motion_once(batches):
    _, _, mixed = batches
    for k in range(3):
        index = np.full(mixed.pieces, k)
        pieces = np.arange(mixed.pieces)
        starts = mixed.law_state(index, pieces, np.zeros(mixed.pieces)).s
        ends = mixed.law_state(index, pieces, np.ones(mixed.pieces)).s
        assert starts[0] == 0.0
        assert ends[-1] == 1.0
        assert np.array_equal(starts[1:], ends[:-1])


def test_limits_through_the_planner_s_maxima(batches, limits):
    _, _, mixed = batches

    def ratios(index, piece, x):
        path = mixed.states(index, mixed.law_state(index, piece, x))
        by_speed = path.dq / limits.max_speed
        return np.concatenate([by_speed**2, path.ddq / limits.max_acceleration], axis=1)

    found = highest(ratios, 3, mixed.pieces, magnitudes=10).value
    assert np.sqrt(found.max(axis=1)) == pytest.approx(mixed.duration, rel=1e-12)


def test_as_paths(batches):
    _, detours, mixed = batches
    index = np.array([0, 1, 2, 1])
    low, high = np.array([0.1, 0.2, 0.0, 0.6]), np.array([0.4, 0.3, 1.0, 0.9])
    spread = mixed.spread(index, low, high)
    middle = mixed.joints(index, 0.5 * (low + high))
    for share in np.linspace(0.0, 1.0, 31):
        moved = np.abs(mixed.joints(index, low + share * (high - low)) - middle)
        assert np.all(moved <= spread + 1e-15)
    assert np.array_equal(mixed.joints(index[1:2], low[1:2]), detours.joints(index[:1], low[1:2]))


def test_names_of_laws(batches):
    _, _, mixed = batches
    assert [mixed.law_name(k) for k in range(3)] == ["trapezoid", LAW, "trapezoid"]


def test_without_detours(batches, limits):
    straight, _, _ = batches
    none = DetourMotions([], np.zeros((0, 5)), limits)
    mixed = MixedTravels(straight, none, np.zeros(0, dtype=np.int64))
    assert np.array_equal(mixed.duration, straight.duration)
    assert mixed.pieces == straight.pieces
