"""Speed of derived inverses beside EAIK, in one run: every branch of library arms, one thread."""

from __future__ import annotations

import time

import numpy as np
import pytest

from robots.core.chain_inverse.solver import ChainInverse
from robots.core.model import Model
from robots.library import load
from tests.cases import sized

pytestmark = pytest.mark.benchmark

RUNS = 5
POSES = sized(100_000, once=2_000)


@pytest.mark.parametrize("name", ["ur5e", "kuka-kr6-r700-sixx"])
def test_every_branch_beside_eaik(name, speed):
    eaik = pytest.importorskip("eaik.IK_Homogeneous", reason="EAIK is the peer of this benchmark")
    model = Model(load(name))
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (POSES, 6))
    T = model.forward(q)
    frames = np.concatenate([model.transforms(np.zeros(6))[-6:], model.forward(np.zeros(6))[None]])
    peer = eaik.HomogeneousRobot(frames)
    assert peer.hasKnownDecomposition()
    inverse = ChainInverse.of(load(name), engine="compiled")
    out = inverse.angles(T)  # compiles
    some = [np.ascontiguousarray(pose) for pose in T[: POSES // 20]]
    answers = peer.IK_batched(some, 1)
    for row, posture, answer in zip(out[:200, :, :6], q, answers, strict=False):
        for found in (row, np.array(answer.Q)):
            assert np.min(np.max(np.abs(np.sin(0.5 * (found - posture))), axis=1)) < 1e-5
    ratios: list[float] = []
    for _ in range(speed.runs(RUNS)):
        ours = min(_seconds(lambda: inverse.angles(T, out=out)) for _ in range(5)) / POSES
        theirs = _seconds(lambda: peer.IK_batched(some, 1)) / len(some)
        ratios.append(theirs / ours)
        print(f"{1e9 * ours:.1f} ns per pose (8 branches); EAIK {1e9 * theirs:.0f} ns")
    speed.ratio(f"chain inverse of {name}, 8 branches: EAIK", ratios)


def _seconds(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start
