"""Newton steps of whole chains: to the pose, with a bound that is one, and each posture once."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.chain_inverse.chain import chain_of
from robots.core.errors import InverseError
from robots.core.inverse.task import Task
from robots.library import open_robot
from tests.robots.core.chain_inverse.oracle import general_chain, library_chain, near_singular


def test_near_postures_come_to_their_poses() -> None:
    random = np.random.default_rng(2)
    for chain in (
        general_chain(),
        library_chain("stanford"),
        chain_of(open_robot("scara-4"), Task.POSITION),
    ):
        q = random.uniform(-1.5, 1.5, (30, chain.size)) * chain.units
        T = chain.forward(q)
        found = chain.polished(q + 1e-3 * random.normal(size=q.shape) * chain.units, T)
        close = found.certified
        assert np.mean(close) > 0.8
        assert np.max(np.abs(chain.forward(found.q[close]) - T[close])) < 1e-11


def test_regularity_bounds_the_ratio_of_singular_values_from_below() -> None:
    chain = library_chain("ur5e")
    random = np.random.default_rng(4)
    q = np.concatenate(
        [
            random.uniform(-np.pi, np.pi, (40, 6)),
            near_singular(chain, 40, 10.0 ** random.uniform(-6.0, -2.0, 40)),
        ]
    )
    found = chain.polished(q + 1e-7 * random.normal(size=q.shape), chain.forward(q))
    J = chain.jacobian(found.q)
    J[:, :3] /= chain.length
    values = np.linalg.svd(J, compute_uv=False)
    ratio = values[:, -1] / values[:, 0]
    assert np.all(found.regularity <= ratio * 1.001 + 1e-5)
    assert np.all(found.regularity[:40] > 0.1 * ratio[:40])


def test_rows_that_are_far_or_not_finite_stay_as_they_are() -> None:
    chain = general_chain()
    q = np.random.default_rng(5).uniform(-np.pi, np.pi, (3, 6))
    T = chain.forward(q)
    begun = q.copy()
    begun[0, 2] = np.nan
    begun[1] += 1.0
    found = chain.polished(begun, T, far=0.02)
    assert found.certified.tolist() == [False, False, True]
    assert np.array_equal(found.q[1], begun[1])
    assert np.isinf(found.position_error[0])


@pytest.mark.parametrize("pose", [[0, 1, 2], [0, -1, 1], [0, 2**40, 1]])
def test_a_row_of_no_pose_is_refused_before_the_loops_read_it(pose: list[int]) -> None:
    chain = general_chain()
    q = np.random.default_rng(6).uniform(-1.0, 1.0, (3, 6))
    T = chain.forward(q)
    found = chain.polished(q, T)
    numbers = np.array(pose)
    with pytest.raises(InverseError, match=r"Row \d has the pose -?\d+; there are 2 poses"):
        chain.polished(q, T[:2], pose=numbers)
    with pytest.raises(InverseError, match=r"Row \d has the pose -?\d+; there are 2 poses"):
        chain.distinct(numbers, found, T[:2])


def test_rows_and_poses_are_as_many() -> None:
    chain = general_chain()
    q = np.random.default_rng(6).uniform(-1.0, 1.0, (3, 6))
    T = chain.forward(q)
    with pytest.raises(InverseError, match="Row 2 has the pose 2; there are 2 poses"):
        chain.polished(q, T[:2])
    with pytest.raises(InverseError, match=r"Poses of shape \(2,\) are given to 3 rows"):
        chain.polished(q, T, pose=np.zeros(2, dtype=np.int64))


def test_a_posture_comes_once_whatever_whole_turns_lead_to_it() -> None:
    chain = general_chain()
    q = np.random.default_rng(6).uniform(-np.pi, np.pi, (1, 6))
    turned = np.concatenate([q, q + 2.0 * np.pi, q - 4.0 * np.pi, q + 1e-5])
    found = chain.postures(np.zeros(4, dtype=np.int64), turned, chain.forward(q))
    assert found.pose.tolist() == [0]
    assert np.max(np.abs(found.q - q)) < 1e-11


def test_next_to_a_fold_two_postures_stay_two_and_at_it_they_are_one() -> None:
    chain = general_chain()
    for away, count in ((1e-3, 2), (1e-4, 2), (0.0, 1)):
        q = near_singular(chain, 1, away)
        J = chain.jacobian(q)[0]
        J[:3] /= chain.length
        along = np.linalg.svd(J)[2][-1]  # lost at the fold: the two postures lie along it
        seeds = q + np.linspace(-4.0, 4.0, 41)[:, None] * max(away, 1e-3) * along
        found = chain.postures(np.zeros(len(seeds), dtype=np.int64), seeds, chain.forward(q))
        near = np.max(np.abs(found.q - q), axis=1) < 0.02
        assert np.count_nonzero(near) == count
