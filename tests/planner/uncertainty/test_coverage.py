"""The stated coverage holds: virtual arms with errors of their own, written here independently.

The arm below is a chain of 4x4 matrices by the rows of the measuring arm (see its library file),
with errors put into the rows; nothing of it is shared with the recorded equations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.job import UncertaintySettings
from planner.uncertainty.job_uncertainty import point_uncertainties
from planner.uncertainty.monte_carlo import monte_carlo
from tests.cases import some

ROWS = (  # alpha [rad], d [m], r [m]
    (0.0, 0.0, 0.40982),
    (np.pi / 2, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (np.pi / 2, 0.0, 1.5139),
    (-np.pi / 2, 0.0, 0.0),
)
TILTED = 2  # the row whose axis is parallel to the one before: it may tilt about y too
TRIALS = 20_000


def matrices(count, **entries):
    T = np.zeros((count, 4, 4))
    T[:, range(4), range(4)] = 1.0
    for place, value in entries.items():
        T[:, int(place[1]), int(place[2])] = value
    return T


def turn(axis, angle):
    count, (i, j) = len(angle), {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    c, s = np.cos(angle), np.sin(angle)
    return matrices(count, **{f"e{i}{i}": c, f"e{j}{j}": c, f"e{i}{j}": -s, f"e{j}{i}": s})


def move(axis, length):
    return matrices(len(length), **{f"e{'xyz'.index(axis)}3": length})


def ball(q, wrong, stylus, scale, tool):
    """Ball centres of many arms. # q (m, 5), wrong (m, 5, 5): alpha, d, beta, theta, r."""
    T = np.tile(np.eye(4), (len(q), 1, 1))
    for k, (alpha, d, r) in enumerate(ROWS):
        T = T @ turn("x", alpha + wrong[:, k, 0]) @ move("x", d + wrong[:, k, 1])
        T = T @ turn("y", wrong[:, k, 2]) @ turn("z", q[:, k] + wrong[:, k, 3])
        T = T @ move("z", r + wrong[:, k, 4])
    at = np.concatenate([stylus, np.ones((len(q), 1))], axis=1)
    return (1.0 + scale[:, None]) * (T @ tool @ at[:, :, None])[:, :3, 0]


def virtual(measuring, k, rng):
    """Deviations along the normal of one point, by many arms, parts and touches. # (trials,)."""
    s, m = measuring.settings, TRIALS
    wrong = np.zeros((m, 5, 5))
    wrong[:, 1:, 0] = s.angle * rng.normal(size=(m, 4))
    wrong[:, 1:, 1] = s.length * rng.normal(size=(m, 4))
    wrong[:, TILTED, 2] = s.angle * rng.normal(size=m)
    wrong[:, :, 3] = s.encoder_offset * rng.normal(size=(m, 5))
    wrong[:, 1:, 4] = s.length * rng.normal(size=(m, 4))
    q = measuring.q[k] + s.encoder * rng.normal(size=(m, 5))
    q += s.encoder_resolution * rng.uniform(-0.5, 0.5, size=(m, 5))
    stylus = s.stylus * rng.normal(size=(m, 3))
    truth = ball(q, wrong, stylus, s.arm_scale * rng.normal(size=m), measuring.mechanism.tool)
    none = np.zeros((1, 5, 5))
    shown = ball(
        measuring.q[k : k + 1], none, np.zeros((1, 3)), np.zeros(1), measuring.mechanism.tool
    )
    n, arm = measuring.normals[k], measuring.surfaces[k] - measuring.middle
    deviation = (shown - truth) @ n
    deviation += s.probe * rng.normal(size=m) + s.probe_normal * rng.normal(size=m)
    deviation += s.alignment * rng.normal(size=m)
    deviation += np.cross(s.alignment_turn * rng.normal(size=(m, 3)), arm) @ n
    return deviation + s.part_scale * rng.normal(size=m) * (arm @ n)


def covered(interval, deviations):
    return np.mean((interval[0] <= deviations) & (deviations <= interval[1]))


def test_the_virtual_arm_is_the_measuring_arm(measuring):
    none, zero = np.zeros((9, 5, 5)), np.zeros((9, 3))
    found = ball(measuring.q, none, zero, np.zeros(9), measuring.mechanism.tool)
    # the job has no ball: the surface is where the tool's origin is
    np.testing.assert_allclose(found, measuring.surfaces, atol=1e-9)


@pytest.mark.parametrize("kind", some(["shortest", "symmetric"], gate=1))
def test_19_of_20_truths_lie_in_the_interval(measuring, kind):
    measuring = replace(
        measuring, settings=replace(measuring.settings, samples=50_000, interval=kind)
    )
    rng = np.random.default_rng(11)
    for k, point in list(enumerate(point_uncertainties(measuring)))[::4]:
        deviations = virtual(measuring, k, rng)
        # 95 % ± 1 %; 20000 trials are uncertain by 0.15 %, the ends of the interval by 0.1 %
        assert covered(point.interval, deviations) == pytest.approx(0.95, abs=0.01)
        assert np.std(deviations) == pytest.approx(point.sigma_normal, rel=0.02)


def test_first_order_covers_too_where_errors_are_small(measuring):
    measuring = replace(measuring, settings=replace(measuring.settings, samples=0))
    rng = np.random.default_rng(12)
    for k, point in list(enumerate(point_uncertainties(measuring)))[::4]:
        assert covered(point.interval, virtual(measuring, k, rng)) == pytest.approx(0.95, abs=0.01)


def test_a_coarse_reading_is_no_normal_distribution(measuring):
    """One step decides: Monte Carlo holds its coverage, the normal interval is far too wide."""
    settings = UncertaintySettings(encoder_resolution=1e-3, coverage=0.99, samples=50_000)
    measuring = replace(measuring, settings=settings)
    deviations = virtual(measuring, 3, np.random.default_rng(13))
    drawn = list(monte_carlo(measuring))[3]
    assert covered(drawn.interval, deviations) == pytest.approx(0.99, abs=0.005)
    linear = replace(measuring, settings=replace(settings, samples=0))
    wide = point_uncertainties(linear)[3].interval
    assert covered(wide, deviations) > 0.995
    assert wide[1] - wide[0] > 1.05 * (drawn.interval[1] - drawn.interval[0])


def test_other_probabilities_hold_too(measuring):
    for coverage in (0.5, 0.8, 0.99):
        settings = replace(measuring.settings, coverage=coverage, samples=50_000)
        drawn = next(iter(monte_carlo(replace(measuring, settings=settings))))
        deviations = virtual(measuring, 0, np.random.default_rng(14))
        assert covered(drawn.interval, deviations) == pytest.approx(coverage, abs=0.01)
