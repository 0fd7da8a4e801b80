"""What is left of the fourteen equations of a loop is singular at its postures only."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.arrays import Array
from robots.core.chain_inverse import elimination
from robots.core.chain_inverse.circle_roots import sample_angles
from robots.core.chain_inverse.elimination import Cut, Systems
from tests.robots.core.chain_inverse.oracle import crx_chain, general_chain

OFFSETS = np.array([0.43, -0.71, 0.97])


def eliminated(chain, T: Array, before: int) -> tuple[Cut, Systems]:
    links, poses = chain.links[:, :3].copy(), T.copy()
    links[:, :, 3] /= chain.length
    poses[:, :3, 3] /= chain.length
    cut = Cut(links=links, before=np.array([before]), offsets=OFFSETS)
    systems = elimination.systems(len(T))
    elimination.ELIMINATE(cut, poses, systems, elimination.scratch())
    return cut, systems


def determinants(systems: Systems, angles: Array) -> Array:
    values = np.zeros((len(systems.rows), len(angles)))
    elimination.DETERMINANTS(angles, systems, elimination.scratch(), values)
    return values / np.max(np.abs(values), axis=1, keepdims=True)


@pytest.mark.parametrize("before", range(6))
def test_the_determinant_is_a_polynomial_of_degree_eight_with_the_postures_among_its_zeros(
    before: int,
) -> None:
    chain = general_chain()
    q = np.random.default_rng(before).uniform(-np.pi, np.pi, (5, 6))
    _, systems = eliminated(chain, chain.forward(q), before)
    spectrum = np.abs(np.fft.fft(determinants(systems, sample_angles(14)), axis=1))
    assert np.max(spectrum[:, 9:-8]) < 1e-11 * np.max(spectrum)
    third = q[:, (2 + before) % 6] - OFFSETS[0]
    around = np.linspace(0.0, 2.0 * np.pi, 101)
    for k, angle in enumerate(third):
        values = determinants(systems, np.array([angle, *around]))[k]
        slope = np.max(np.abs(np.diff(values[1:]))) / (around[1] - around[0])
        assert abs(values[0]) < 1e-9 * slope


def test_a_zero_leads_back_to_its_posture() -> None:
    for chain, before in ((general_chain(), 2), (crx_chain(), 5)):
        q = np.random.default_rng(8).uniform(-np.pi, np.pi, (6, 6))
        cut, systems = eliminated(chain, chain.forward(q), before)
        middle = np.zeros((6, 3))
        middle[:, 0] = q[:, (2 + before) % 6] - OFFSETS[0]
        seeds = elimination.Seeds(row=np.arange(6), middle=middle, q=np.zeros((6, 6)))
        elimination.POSTURES_AT(cut, systems, elimination.scratch(), seeds)
        apart = np.abs((seeds.q - q + np.pi) % (2.0 * np.pi) - np.pi)
        assert np.max(apart) < 1e-6


def test_plain_python_and_machine_code_agree() -> None:
    chain = general_chain()
    T = chain.forward(np.random.default_rng(3).uniform(-np.pi, np.pi, (1, 6)))
    cut, systems = eliminated(chain, T, 1)
    plain, poses = elimination.systems(1), T.copy()
    poses[:, :3, 3] /= chain.length
    elimination.eliminate(cut, poses, plain, elimination.scratch())
    assert np.max(np.abs(plain.powers - systems.powers)) < 1e-13
