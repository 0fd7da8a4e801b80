"""Rounded polylines against dense samples, closed forms, the planner's maxima and a spline."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.detours.motions import DetourMotions
from planner.detours.rounded import PEAK, Legs, Pieces, without_repeats
from planner.motion.extremes import highest
from planner.motion.integrals import integrals
from planner.motion.motions import OneMotion
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.time_scaling import least_duration
from tests.planner.clearance.spline_paths import SplinePaths

LIMITS = JointLimits(
    max_speed=np.array([1.75, 1.75, 2.5]), max_acceleration=np.array([28.0, 14.0, 25.0])
)
NOTHING = Pieces(
    duration=np.zeros(0), q=np.zeros((0, 3)), before=np.zeros((0, 3)), after=np.zeros((0, 3))
)


def motions_of(routes, cuts):
    made = [
        Legs(route, LIMITS).pieces(np.broadcast_to(cut, len(route) - 2))
        for route, cut in zip(routes, cuts, strict=True)
    ]
    return DetourMotions(made, np.array([route[0] for route in routes]), LIMITS)


@pytest.fixture(scope="module")
def batch():
    """Polylines of one to six legs, from a hair to several radians long."""
    rng = np.random.default_rng(0)
    routes = [
        rng.uniform(-1.0, 1.0, (rng.integers(2, 8), 3)) * rng.choice([1e-3, 0.05, 0.5, 3.0])
        for _ in range(80)
    ]
    cuts = rng.choice([0.0, 0.05, 0.5, 0.5], len(routes))
    return routes, cuts, motions_of(routes, cuts)


def at(motions, k, s):
    index = np.full(s.size, k)
    return motions.states(index, motions.law_at(index, s))


def test_limits_are_kept_and_reached(batch):
    """The least time of this shape: no sample passes a limit, and one is reached exactly."""
    _, _, motions = batch
    n = LIMITS.dof

    def ratios(index, piece, x):
        path = motions.states(index, motions.law_state(index, piece, x))
        by_speed = path.dq / LIMITS.max_speed
        return np.concatenate([by_speed**2, path.ddq / LIMITS.max_acceleration], axis=1)

    found = highest(ratios, motions.count, motions.pieces, magnitudes=2 * n).value
    least = np.sqrt(np.max(found, axis=1))
    assert np.max(np.abs(least / motions.duration - 1.0)) < 1e-12
    s = np.linspace(0.0, 1.0, 5001)
    for k, T in enumerate(motions.duration):
        path = at(motions, k, s)
        assert np.max(np.abs(path.dq) / LIMITS.max_speed) <= T * (1.0 + 1e-12)
        assert np.max(np.abs(path.ddq) / LIMITS.max_acceleration) <= T * T * (1.0 + 1e-12)


def test_the_core_finds_the_same_least_time(batch):
    _, _, motions = batch
    for k in range(0, 80, 16):
        found = least_duration(OneMotion(motions, k), LIMITS)
        assert found.duration == pytest.approx(motions.duration[k], rel=1e-9)


def test_ends_and_rest(batch):
    routes, _, motions = batch
    for k, route in enumerate(routes):
        path = at(motions, k, np.array([0.0, 1.0]))
        size = 1.0 + np.abs(route).max()
        assert np.abs(path.q - route[[0, -1]]).max() < 1e-13 * size
        assert np.abs(path.dq).max() < 1e-12 * size
        assert np.abs(path.ddq).max() < 1e-9 * size


def test_position_speed_and_acceleration_are_continuous(batch):
    """Both sides of every border of pieces; the bump of acceleration is zero there."""
    _, _, motions = batch
    k = np.arange(motions.count)
    for piece in range(motions.pieces - 1):
        one = motions.states(k, motions.law_state(k, np.full(k.size, piece), np.ones(k.size)))
        s = np.nextafter(motions.law_state(k, np.full(k.size, piece), np.ones(k.size)).s, 0.0)
        before = motions.states(k, motions.law_at(k, s))
        size = 1.0 + np.abs(one.q).max()
        assert np.abs(one.q - before.q).max() < 1e-12 * size
        assert np.abs(one.dq - before.dq).max() < 1e-11 * np.abs(before.dq).max()
        # A hair before a border of a piece of length h the bump is still 6·eps·Δv/h².
        assert np.abs(one.ddq - before.ddq).max() < 1e-9 * (1.0 + np.abs(before.ddq).max())


def test_derivatives_are_those_of_the_joints(batch):
    _, _, motions = batch
    h = 1e-6
    s = np.random.default_rng(1).uniform(0.01, 0.99, 40)
    for k in range(0, 80, 4):
        here, after, before = (at(motions, k, s + step) for step in (0.0, h, -h))
        scale = np.abs(here.dq).max()
        assert np.abs((after.q - before.q) / (2 * h) - here.dq).max() < 1e-5 * scale
        bend = np.abs((after.dq - before.dq) / (2 * h) - here.ddq)
        # The third derivative jumps at borders, where a difference is as wrong as h times it.
        assert np.median(bend) < 1e-5 * (1.0 + np.abs(here.ddq).max())


def test_it_is_a_spline_of_degree_four(batch):
    """The pieces in Bernstein's form, evaluated by other code."""
    routes, cuts, motions = batch
    for k in (3, 17, 40):
        pieces = Legs(routes[k], LIMITS).pieces(np.broadcast_to(cuts[k], len(routes[k]) - 2))
        tau, v, w = pieces.duration[:, None], pieces.before, pieces.after
        # q(u) = q + τ (v u + (w - v)(u³ - u⁴/2)) in Bernstein's form of degree 4.
        control = np.stack(
            [
                pieces.q,
                pieces.q + tau * v / 4,
                pieces.q + tau * v / 2,
                pieces.q + tau * (3 * v / 4 + (w - v) / 4),
                pieces.q + tau * (v + w) / 2,
            ],
            axis=1,
        )
        border = np.concatenate([[0.0], np.cumsum(pieces.duration)])
        knots = np.concatenate([[0.0], np.repeat(border, 4), border[-1:]])
        controls = np.concatenate([control[:, :4].reshape(-1, 3), control[-1, 4:]])
        spline = SplinePaths([knots], [controls])
        s = np.linspace(0.0, 1.0, 201)
        expected = spline.joints(np.zeros(201, dtype=np.int64), s)
        assert at(motions, k, s).q == pytest.approx(expected, abs=1e-11)


def test_one_leg_by_hand():
    """1 rad at 1.75 rad/s and 28 rad/s²: D/KV + 1.5 KV/KA."""
    motions = motions_of([np.array([[0.0, 0, 0], [1.0, 0, 0]])], [0.0])
    assert motions.duration[0] == pytest.approx(1.0 / 1.75 + PEAK * 1.75 / 28.0, rel=1e-14)
    assert motions.bindings == ("q1 velocity",)


def test_a_short_leg_by_hand():
    """No plateau: up and down in 2·sqrt(PEAK·D/KA)."""
    motions = motions_of([np.array([[0.0, 0, 0], [0.01, 0, 0]])], [0.0])
    assert motions.duration[0] == pytest.approx(2.0 * np.sqrt(PEAK * 0.01 / 28.0), rel=1e-13)
    assert motions.bindings == ("q1 acceleration",)


def test_a_straight_corner_costs_nothing():
    whole = motions_of([np.array([[0.0, 0, 0], [1.0, 0.2, 0]])], [0.5])
    halves = motions_of([np.array([[0.0, 0, 0], [0.4, 0.08, 0], [1.0, 0.2, 0]])], [0.5])
    assert halves.duration[0] == pytest.approx(whole.duration[0], rel=1e-12)


@given(
    st.lists(st.tuples(*[st.floats(-2.0, 2.0)] * 3), min_size=3, max_size=6),
    st.sampled_from([0.0, 0.03, 0.25, 0.5]),
)
def test_the_motion_stays_near_its_corners(corners, cut):
    """Cut corners stay in their triangle: no nearer to the corner's legs than the cut allows."""
    route = without_repeats(np.round(np.array(corners), 3))
    if len(route) < 3:
        return
    motions = motions_of([route], [cut])
    q = at(motions, 0, np.linspace(0.0, 1.0, 400)).q
    a, b = route[:-1], route[1:]
    D = b - a
    share = np.einsum("mkj,kj->mk", q[:, None] - a, D) / np.sum(D * D, axis=1)
    foot = a + np.clip(share, 0.0, 1.0)[..., None] * D
    distance = np.min(np.linalg.norm(q[:, None] - foot, axis=2), axis=1)
    longest = np.max(np.linalg.norm(D, axis=1))
    assert distance.max() <= cut * longest + 1e-9


def test_wider_corners_are_faster():
    route = np.array([[0.0, 0, 0], [0.3, 0.3, 0], [0.6, 0.0, 0.2], [1.0, 0.0, 0.0]])
    times = motions_of([route] * 4, [0.0, 0.05, 0.2, 0.5]).duration
    assert np.all(np.diff(times) < 0.0)


def test_spread_bounds_every_part_of_an_interval(batch):
    _, _, motions = batch
    rng = np.random.default_rng(2)
    index = rng.integers(0, 80, 3000)
    low = rng.uniform(0.0, 1.0, 3000)
    high = np.minimum(low + rng.exponential(0.1, 3000), 1.0)
    bound = motions.spread(index, low, high)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    q = motions.joints(index, middle)
    tightest = np.full(3000, np.inf)
    for share in np.linspace(-1.0, 1.0, 21):
        moved = np.abs(motions.joints(index, middle + share * half) - q)
        assert np.all(moved <= bound * abs(share) + 1e-13)
        tightest = np.minimum(tightest, np.min(bound - moved, axis=1))
    assert np.all(tightest >= 0.0)


def test_integrals_over_the_pieces(batch):
    """The integral of the speed is what the joints moved, piece by piece."""
    routes, _, motions = batch
    k, p = motions.count, motions.pieces

    def speed(index, piece, x):
        return motions.states(index, motions.law_state(index, piece, x)).dq

    index, piece = (g.ravel() for g in np.meshgrid(np.arange(k), np.arange(p), indexing="ij"))
    ends = motions.law_state(index, piece, np.ones(index.size)).s
    starts = motions.law_state(index, piece, np.zeros(index.size)).s
    sums = integrals(speed, k, p, (ends - starts).reshape(k, p))
    expected = np.array([route[-1] - route[0] for route in routes])
    assert sums == pytest.approx(expected, abs=1e-11)


def test_standing_still():
    rest = np.array([[0.1, 0.2, 0.3]])
    motions = DetourMotions([NOTHING], rest, LIMITS)
    assert motions.duration[0] == 0.0
    assert motions.bindings == ("",)
    path = at(motions, 0, np.linspace(0.0, 1.0, 5))
    assert np.array_equal(path.q, np.repeat(rest, 5, axis=0))
    assert np.all(path.dq == 0.0)
    assert np.all(path.ddq == 0.0)
    zero = np.zeros(1, dtype=np.int64)
    assert motions.spread(zero, np.zeros(1), np.ones(1)).max() < 1e-12


def test_no_motions():
    motions = DetourMotions([], np.zeros((0, 3)), LIMITS)
    assert motions.count == 0
    assert motions.bindings == ()


def test_repeats_are_left_out():
    route = np.array([[0.0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]])
    assert np.array_equal(without_repeats(route), route[[0, 2]])
    assert np.array_equal(without_repeats(route[:2]), route[:1])
    assert Legs(route[:1], LIMITS).pieces(np.zeros(0)).duration.size == 0


def test_some_of_the_motions(batch):
    _, _, motions = batch
    some = motions.take(np.array([5, 2]))
    assert np.array_equal(some.duration, motions.duration[[5, 2]])
    s = np.linspace(0.0, 1.0, 30)
    assert np.array_equal(at(some, 1, s).q, at(motions, 2, s).q)
