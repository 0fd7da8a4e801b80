"""RPS: known poses, a general minimiser, weights, targets that hold too little."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from parts.alignment.alignment import move_points, pose_of
from parts.alignment.reference_points import ReferencePoints, reference_points
from parts.errors import AlignmentError

X, Y, Z = np.eye(3)
PLACES = np.array([[0, 0, 0], [1, 0, 0.1], [0.2, 0.7, 0], [0, 0, 0], [1, 0, 0.1], [0.2, 0.7, 0]])
SIX = ReferencePoints(nominal=PLACES, directions=[Z, Z, Z, Y, Y, X])


def random_pose(seed):
    rng = np.random.default_rng(seed)
    return pose_of(Rotation.random(rng=rng).as_matrix(), rng.normal(size=3))


@given(st.integers(0, 10_000))
def test_six_targets_are_met_exactly_even_with_noise(seed):
    T = random_pose(seed)
    rng = np.random.default_rng(seed)
    exact = reference_points(SIX, move_points(T, PLACES))
    assert np.abs(exact.T_base_part - T).max() < 1e-13
    noisy = reference_points(SIX, move_points(T, PLACES + 0.01 * rng.normal(size=PLACES.shape)))
    assert np.abs(noisy.residuals).max() < 1e-12
    assert noisy.convergence.strict_minimum
    assert noisy.convergence.step < 1e-12


@given(st.integers(0, 10_000))
def test_weighted_targets_agree_with_a_general_minimiser(seed):
    rng = np.random.default_rng(seed)
    nominal = rng.normal(size=(10, 3))
    targets = ReferencePoints(
        nominal=nominal, directions=rng.normal(size=(10, 3)), weights=rng.uniform(0.2, 5, 10)
    )
    T = random_pose(seed)
    seen = move_points(T, nominal) + 0.01 * rng.normal(size=nominal.shape)
    found = reference_points(targets, seen)

    def misses(x):
        back = Rotation.from_rotvec(x[:3]).inv().apply(seen - x[3:])
        return np.sqrt(targets.weights) * np.sum(targets.directions * (back - nominal), axis=1)

    start = np.r_[Rotation.from_matrix(T[:3, :3]).as_rotvec(), T[:3, 3]]
    peer = least_squares(misses, start, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    cost = float(np.sum(targets.weights * found.residuals**2))
    assert cost <= 2 * peer.cost * (1 + 1e-9)
    assert found.rms == pytest.approx(np.sqrt(cost / targets.weights.sum()), rel=1e-12)


def test_a_heavy_target_is_missed_less_and_a_weightless_one_only_watches():
    rng = np.random.default_rng(3)
    nominal, directions = rng.normal(size=(9, 3)), rng.normal(size=(9, 3))
    seen = nominal + 0.01 * rng.normal(size=(9, 3))

    def miss(weight):
        weights = np.ones(9)
        weights[4] = weight
        found = reference_points(
            ReferencePoints(nominal=nominal, directions=directions, weights=weights), seen
        )
        return found, abs(found.residuals[4])

    assert miss(100.0)[1] < miss(1.0)[1] / 20 < miss(0.0)[1]
    moved_away = seen.copy()
    moved_away[4] += 1.0
    weights = np.ones(9)
    weights[4] = 0.0
    watching = ReferencePoints(nominal=nominal, directions=directions, weights=weights)
    a, b = reference_points(watching, seen), reference_points(watching, moved_away)
    assert np.abs(a.T_base_part - b.T_base_part).max() < 1e-12


def test_sets_that_leave_a_motion_free_are_refused_with_the_motion():
    flat = ReferencePoints(nominal=PLACES, directions=[Z] * 6)
    with pytest.raises(AlignmentError, match="all directions are parallel") as caught:
        reference_points(flat, PLACES)
    told = " ".join(caught.value.facts["free"])
    assert told.count("it can slide along") == 2
    assert "it can turn about (0, 0, 1)" in told
    coplanar = ReferencePoints(nominal=PLACES, directions=[Z, Z, Z, Y, Y, Y])
    with pytest.raises(AlignmentError, match=r"slide along \(1, 0, 0\) \(all directions lie in on"):
        reference_points(coplanar, PLACES)
    line = np.outer(np.arange(6.0), X)
    with pytest.raises(AlignmentError, match=r"turn about \(1, 0, 0\) through"):
        reference_points(ReferencePoints(nominal=line, directions=[Z, Z, Y, Y, X, X]), line)
    with pytest.raises(AlignmentError, match="5 reference directions with weight"):
        reference_points(
            ReferencePoints(nominal=PLACES[:5], directions=[Z, Z, Z, Y, X]), PLACES[:5]
        )
