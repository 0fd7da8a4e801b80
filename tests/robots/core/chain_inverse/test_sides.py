"""Sides of postures: what names of branches without steps promise."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from robots.core.arrays import Array, Mask
from robots.core.chain_inverse.chain import Chain, sides
from robots.core.chain_inverse.solver import ChainInverse
from tests.cases import cases, some
from tests.robots.core.chain_inverse.oracle import (
    general_chain,
    library_chain,
    near_singular,
    turned_apart,
)

ARMS = some(["yaskawa-hc10", "fanuc-crx-10ia", "abb-crb-15000-5", "ufactory-xarm6"], gate=2)
_STEPS, _LENGTH = 10, 0.05  # [m] of a line


@cache
def inverse_of(name: str) -> ChainInverse:
    return ChainInverse(general_chain() if name == "general" else library_chain(name))


def determinants(chain: Chain, q: Array) -> Array:
    """Of the Jacobian, without units. # (N,)."""
    return np.asarray(np.linalg.det(chain.jacobian(q) / np.repeat([chain.length, 1.0], 3)[:, None]))


def lines(chain: Chain, count: int) -> Array:
    """Postures along random straight lines with the tool's orientation held. # (m, steps + 1, 6).

    Only lines of which every posture is regular, with the same sign of the determinant.
    """
    random = np.random.default_rng(7)
    q = random.uniform(-np.pi, np.pi, (count, 6))
    ways = random.normal(size=(count, 3))
    ways *= _LENGTH / np.linalg.norm(ways, axis=1, keepdims=True)
    T, path = chain.forward(q), [q]
    regular = np.ones(count, dtype=np.bool_)
    for _ in range(_STEPS):
        T[:, :3, 3] += ways / _STEPS
        after = chain.polished(path[-1], T)
        regular &= after.certified & (turned_apart(after.q, path[-1]) < 0.2)
        regular &= determinants(chain, after.q) * determinants(chain, q) > 0.0
        path.append(after.q)
    return np.stack(path, axis=1)[regular]


def signs(name: str) -> str:
    """A name without the count of those alike."""
    return re.sub(r" \(\d+\)$", "", name)


@pytest.mark.parametrize("name", some([*ARMS, "general"], gate=1))
def test_a_name_stays_along_a_line_that_crosses_no_singularity(name: str) -> None:
    """The determinant's sign on every line; the whole name on far more than the order of angles."""
    inverse = inverse_of(name)
    chain = inverse.chain
    changed, reordered, paths = 0, 0, lines(chain, cases(gate=20, soak=1000))
    for path in paths:
        found = inverse.solve(chain.forward(path))
        apart = np.where(found.solved, turned_apart(found.q, path[:, None]), np.inf)
        places = np.argmin(apart, axis=1)
        assert np.max(np.min(apart, axis=1)) < 1e-6
        names = [inverse.names_at(found, k)[place] for k, place in enumerate(places.tolist())]
        assert [signs(one) for one in names] == [spelled(row) for row in sides(chain, path)]
        assert len({signs(one)[-1] for one in names}) == 1
        changed += len(set(names)) > 1
        reordered += len(set(places.tolist())) > 1
    assert len(paths) > 0.6 * cases(gate=20, soak=1000)
    # A general chain has one side, the determinant's sign: half of sixteen names are told by place.
    assert changed < (0.8 if name == "general" else 0.5) * reordered


def spelled(told: Mask) -> str:
    facts = ("shoulder", "elbow", "wrist", "det")
    return " ".join(f"{fact}{'+' if told[k] else '-'}" for k, fact in enumerate(facts))


@pytest.mark.parametrize("name", some([*ARMS, "general"], gate=2))
def test_postures_that_meet_at_a_fold_differ_in_the_determinant(name: str) -> None:
    """And mostly in nothing else: a side passes zero at few of the folds."""
    inverse = inverse_of(name)
    chain = inverse.chain
    q = near_singular(chain, cases(gate=9, soak=200), 1e-3)
    found = inverse.solve(chain.forward(q))
    met, alike = 0, 0
    for k, own in enumerate(q):
        others = found.q[k][found.solved[k]]
        apart = turned_apart(others, own)
        nearest = np.argsort(apart)
        if apart[nearest[1]] > 0.02 or np.any(apart[nearest[2:]] < 0.2):
            continue  # the other one is farther off, or more than two meet
        first, second = sides(chain, others[nearest[:2]])
        assert first[3] != second[3]
        met, alike = met + 1, alike + np.array_equal(first[:3], second[:3])
    assert met >= 3
    assert alike > 0.7 * met


@pytest.mark.parametrize("name", ["industrial-6r", "kuka-kr6-r700-sixx", "yaskawa-gp7"])
def test_sides_of_a_spherical_wrist_are_the_signs_of_its_roots(name: str) -> None:
    """One side for each root, the same at every pose."""
    chain = library_chain(name)
    inverse = ChainInverse(chain, "numpy")
    found = inverse.solve(chain.forward(np.random.default_rng(2).uniform(-3.0, 3.0, (40, 6))))
    pose, branch = np.nonzero(found.solved)
    told = sides(chain, found.q[pose, branch])
    of_each = [{tuple(row[:3]) for row in told[branch == k].tolist()} for k in range(8)]
    assert all(len(one) == 1 for one in of_each)
    assert len(set.union(*of_each)) == 8


def test_names_of_a_pose_are_never_the_same() -> None:
    inverse = inverse_of("general")
    chain = inverse.chain
    found = inverse.solve(chain.forward(np.random.default_rng(5).uniform(-3.0, 3.0, (60, 6))))
    counted = 0
    for k in range(60):
        names = [one for one in inverse.names_at(found, k) if one]
        assert len(names) == len(set(names)) == np.sum(found.solved[k])
        counted += sum(one.endswith(")") for one in names)
    assert counted > 0


def test_postures_beside_the_steps_of_snapped_axes_are_named_by_their_sides() -> None:
    """Next to singularities, where the chain as it is has more postures than its steps."""
    exact = library_chain("industrial-6r")
    links = exact.links.copy()
    links[1:6, :3, 3] += np.random.default_rng(6).uniform(-3e-5, 3e-5, (5, 3))
    chain = replace(exact, links=links)
    inverse = ChainInverse(chain, "numpy")
    found = inverse.solve(chain.forward(near_singular(chain, 20, 1e-5)))
    pose, branch = np.nonzero(found.solved[:, 8:])
    assert pose.size > 5
    told = sides(chain, found.q[pose, 8 + branch])
    for k, (at, row) in enumerate(zip(pose.tolist(), branch.tolist(), strict=True)):
        assert signs(inverse.names_at(found, at)[8 + row]) == f"beside {spelled(told[k])}"
