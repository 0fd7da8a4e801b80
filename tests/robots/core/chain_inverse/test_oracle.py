"""No posture that a search from many starts finds is missing."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.chain_inverse.pencil import Pencil
from robots.core.chain_inverse.solver import ChainInverse
from robots.library import names, open_robot
from tests.robots.core.chain_inverse.oracle import (
    brute_force,
    general_chain,
    library_chain,
    lost,
)

STARTS = 256
POSES = 100
ARMS = [
    name
    for name in names()
    if (mechanism := open_robot(name)).dof == 6
    and mechanism.is_chain
    and all(joint.kind.angular for joint in mechanism.movable)
]


@pytest.mark.soak
@pytest.mark.parametrize("name", ["general", *ARMS])
def test_every_root_of_a_brute_force_search_is_found(name: str) -> None:
    """By the pencil, and by the method that the chain gets: steps, polynomial or pencil."""
    chain = general_chain() if name == "general" else library_chain(name)
    T = chain.forward(np.random.default_rng(11).uniform(-np.pi, np.pi, (POSES, 6)))
    found, derived = Pencil(chain).solve(T), ChainInverse(chain).solve(T)
    pose, q = brute_force(chain, T, STARTS)
    for k in range(POSES):
        searched = q[pose == k]
        assert lost(searched, found.q[found.pose == k]) == []
        assert lost(searched, derived.q[k][derived.solved[k]]) == []
