"""No posture that a search from many starts finds is missing, and none that eigenvalues tell."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.arrays import Array
from robots.core.chain_inverse.chain import Chain
from robots.core.chain_inverse.pencil import Pencil
from robots.core.chain_inverse.solver import ChainInverse
from robots.library import names, open_robot
from tests.cases import SOAK
from tests.robots.core.chain_inverse.oracle import (
    brute_force,
    crx_chain,
    general_chain,
    library_chain,
    lost,
    near_singular,
)

ROOTS = 8000
BATCH = 500
STARTS = 256
POSES = 100
# Only the soak asks for them, and to read all robots takes a tenth of what collecting does.
ARMS = [
    name
    for name in (names() if SOAK else ())
    if (mechanism := open_robot(name)).dof == 6
    and mechanism.is_chain
    and all(joint.kind.angular for joint in mechanism.movable)
]


# Beside the library: chains of no class, an offset wrist, and seven joints with one held.
OTHERS = {
    "general": general_chain,
    "general, seed 5": lambda: general_chain(5),
    "crx-10ia": crx_chain,
    **{
        f"{name}, joint {lock + 1} held": lambda name=name, lock=lock: library_chain(name, lock)
        for name in ("ufactory-xarm7", "franka-fr3", "kuka-iiwa-14-r820")
        for lock in (0, 1, 2)
    },
}


def chain_named(name: str) -> Chain:
    return OTHERS[name]() if name in OTHERS else library_chain(name)


def missed_of(chain: Chain, inverse: ChainInverse, q: Array) -> tuple[int, int]:
    """Roots by eigenvalues of the poses of some postures, and how many of them are missed."""
    T = chain.forward(q)
    oracle, found = Pencil(chain).solve(T, determinants=False), inverse.solve(T)
    # Between two postures that nearly meet lie points that are at the pose to 1e-9, but no roots.
    sound = oracle.regularity > 1e-8
    missed = 0
    for k in range(len(T)):
        mine, made = found.q[k][found.solved[k]], q[k : k + 1]
        missed += len(lost(oracle.q[sound & (oracle.pose == k)], mine)) + len(lost(made, mine))
    return int(np.count_nonzero(sound)), missed


@pytest.mark.soak
@pytest.mark.parametrize("name", [*OTHERS, *ARMS])
def test_of_eight_thousand_roots_none_is_missed(name: str) -> None:
    chain = chain_named(name)
    inverse, random, total = ChainInverse(chain), np.random.default_rng(21), 0
    while total < ROOTS:
        roots, missed = missed_of(chain, inverse, random.uniform(-np.pi, np.pi, (BATCH, 6)))
        assert missed == 0
        total += roots


@pytest.mark.soak
@pytest.mark.parametrize("name", [*OTHERS, *ARMS])
def test_next_to_singularities_none_is_missed(name: str) -> None:
    """Postures 1e-4 to 1e-2 rad from one whose Jacobian is singular, and all others of a pose."""
    chain = chain_named(name)
    away = 10.0 ** np.random.default_rng(22).uniform(-4.0, -2.0, BATCH)
    roots, missed = missed_of(chain, ChainInverse(chain), near_singular(chain, BATCH, away))
    assert roots > BATCH
    assert missed == 0


@pytest.mark.soak
@pytest.mark.parametrize("name", ["general", "crx-10ia", *ARMS])
def test_every_root_of_a_brute_force_search_is_found(name: str) -> None:
    """By the pencil, and by the method that the chain gets: steps, polynomial or pencil."""
    chain = chain_named(name)
    T = chain.forward(np.random.default_rng(11).uniform(-np.pi, np.pi, (POSES, 6)))
    found, derived = Pencil(chain).solve(T), ChainInverse(chain).solve(T)
    pose, q = brute_force(chain, T, STARTS)
    for k in range(POSES):
        searched = q[pose == k]
        assert lost(searched, found.q[found.pose == k]) == []
        assert lost(searched, derived.q[k][derived.solved[k]]) == []
