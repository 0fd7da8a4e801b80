"""The pencil finds every posture of any six revolute joints, and says when it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.chain_inverse.chain import Chain, chain_of
from robots.core.chain_inverse.pencil import Pencil
from robots.core.errors import InverseError
from robots.library import open_robot
from tests.cases import cases
from tests.robots.core.chain_inverse.oracle import (
    general_chain,
    library_chain,
    lost,
    lost_of_each,
    near_singular,
    turned_apart,
)

CHAINS = {
    "general": general_chain,
    "ur5e": lambda: library_chain("ur5e"),
    "ufactory-xarm6": lambda: library_chain("ufactory-xarm6"),
    "yaskawa-hc10": lambda: library_chain("yaskawa-hc10"),
    "staubli-tx2-60": lambda: library_chain("staubli-tx2-60"),
    "industrial-6r": lambda: library_chain("industrial-6r"),
    "franka-panda, joint 7 held": lambda: library_chain("franka-panda", lock=6),
    "kuka-iiwa-7-r800, joint 3 held": lambda: library_chain("kuka-iiwa-7-r800", lock=2),
}


@pytest.mark.parametrize("name", list(CHAINS))
def test_the_posture_that_made_a_pose_is_among_those_found(name: str) -> None:
    chain: Chain = CHAINS[name]()
    q = np.random.default_rng(7).uniform(-np.pi, np.pi, (cases(gate=12, soak=400), 6))
    found = Pencil(chain).solve(chain.forward(q))
    assert lost_of_each(q, found.pose, found.q) == []


@pytest.mark.parametrize("seed", [4, 5])
def test_determinants_and_eigenvalues_find_the_same_roots(seed: int) -> None:
    chain, count = general_chain(seed), cases(gate=40, soak=2000)
    random = np.random.default_rng(6)
    q = np.concatenate(
        [
            random.uniform(-np.pi, np.pi, (count, 6)),
            near_singular(chain, count, 10.0 ** random.uniform(-3.5, -2.0, count)),
        ]
    )
    T, solver = chain.forward(q), Pencil(chain)
    found, oracle = solver.solve(T), solver.solve(T, determinants=False)
    for k in range(len(T)):
        assert lost(oracle.q[oracle.pose == k], found.q[found.pose == k]) == []
    assert lost_of_each(q, found.pose, found.q) == []


def test_every_posture_brings_the_tool_to_its_pose() -> None:
    chain = general_chain()
    T = chain.forward(np.random.default_rng(2).uniform(-np.pi, np.pi, (20, 6)))
    found = Pencil(chain).solve(T)
    assert np.max(np.abs(chain.forward(found.q) - T[found.pose])) < 1e-10


def test_no_posture_comes_twice() -> None:
    chain = library_chain("industrial-6r")
    T = chain.forward(np.random.default_rng(2).uniform(-np.pi, np.pi, (10, 6)))
    found = Pencil(chain).solve(T)
    for k in range(len(T)):
        q = found.q[found.pose == k]
        assert len(q) == 8
        apart = turned_apart(q[:, None], q[None]) + 10.0 * np.eye(len(q))
        assert np.min(apart) > 1e-3


def test_a_singular_pose_does_not_take_its_neighbours_down() -> None:
    chain = library_chain("ur5e")
    q = np.random.default_rng(5).uniform(-np.pi, np.pi, (6, 6))
    q[3] = [0.3, -1.2, 0.9, 0.4, 0.0, 0.2]
    q[4] = 0.0
    found = Pencil(chain).solve(chain.forward(q))
    assert lost_of_each(q, found.pose, found.q) in ([3], [4], [3, 4])  # of families, one member
    assert set(found.pose[(found.pose == 3) | (found.pose == 4)].tolist()) == {3, 4}


def test_next_to_singularities_the_ur5e_loses_nothing() -> None:
    chain = library_chain("ur5e")
    count = cases(gate=12, soak=200)
    away = 10.0 ** np.random.default_rng(1).uniform(-3.5, -2.0, count)
    q = near_singular(chain, count, away)
    found = Pencil(chain).solve(chain.forward(q))
    assert lost_of_each(q, found.pose, found.q) == []


def test_a_pose_out_of_reach_has_no_posture() -> None:
    chain = general_chain()
    T = np.eye(4)[None].repeat(2, axis=0)
    T[:, 0, 3] = 50.0
    assert Pencil(chain).solve(T).pose.size == 0


def test_no_pose_is_no_posture() -> None:
    assert Pencil(general_chain()).solve(np.zeros((0, 4, 4))).q.shape == (0, 6)


def test_five_joints_with_a_free_roll_are_six() -> None:
    from robots.core.inverse.task import Task

    chain = chain_of(open_robot("measuring-arm"), Task.POSITION_AND_AXIS)
    q = np.random.default_rng(3).uniform(-np.pi, np.pi, (6, 6))
    found = Pencil(chain).solve(chain.forward(q))
    assert lost_of_each(q[:, :5], found.pose, found.q[:, :5]) == []


def test_a_sliding_joint_is_refused() -> None:
    with pytest.raises(InverseError, match="1 of them sliding"):
        Pencil(chain_of(open_robot("stanford")))


def test_a_joint_to_lock_is_named_among_those_there_are() -> None:
    with pytest.raises(InverseError, match="no joint 'elbow' to lock; it has shoulder_pan"):
        chain_of(open_robot("ur5e"), locked={"elbow": 0.0})
