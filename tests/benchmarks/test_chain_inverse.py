"""Speed of derived inverses beside EAIK and ssik, in one run: every branch of an arm, one thread.

ssik has an environment of its own; PALPEUR_SSIK names the Python of it.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from robots.arm.inverse import ArmInverse
from robots.core.arrays import Array
from robots.core.chain_inverse.chain import Chain, chain_of
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.inverse.task import Task
from robots.core.model import Model
from robots.library import load, open_robot
from tests.benchmarks.conftest import ONCE
from tests.cases import sized
from tests.robots.core.chain_inverse.oracle import lost

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


@pytest.mark.parametrize("batch", [4096, sized(100_000, once=8192)])
def test_the_measuring_arm_beside_its_hand_written_inverse(batch, speed):
    """Raw closed forms of both from the same arrays; in a small batch memory does not count.

    The wrist's centre is the ball's on this arm. A branch of ours tells its reserve, too.
    """
    arm = open_robot("measuring-arm")
    chain = chain_of(arm, Task.POSITION_AND_AXIS)
    derived, written = ChainInverse(chain, engine="compiled"), ArmInverse(arm)
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (batch, chain.size))
    T = chain.forward(q)
    axis, center = np.ascontiguousarray(T[:, :3, 2]), np.ascontiguousarray(T[:, :3, 3])
    assert written.family.stylus_length == 0.0
    mine, own = derived.axis_angles(center, axis), written.branches(center, axis)
    apart = mine[:, :, None, :5] - own[:, :40].reshape(-1, 1, 8, 5)
    nearest = np.min(np.max(np.abs(np.sin(0.5 * apart)), axis=3), axis=2)
    assert np.quantile(nearest, 0.99) < 1e-9
    ratios: list[float] = []
    for _ in range(speed.runs(RUNS)):
        ours = min(_seconds(lambda: derived.axis_angles(center, axis, out=mine)) for _ in range(9))
        theirs = min(_seconds(lambda: written.branches(center, axis, out=own)) for _ in range(9))
        ratios.append(theirs / ours)
        print(f"derived {1e9 * ours / batch:.1f} ns, hand-written {1e9 * theirs / batch:.1f} ns")
    speed.ratio(f"chain inverse of the measuring arm, {batch}: hand-written", ratios)


PEER = Path(__file__).parent / "ssik_peer.py"
SSIK = {
    "ur5e": "ssik.prebuilt.universal_robots.ur5e_ik",
    "kuka-kr6-r900": "ssik.prebuilt.kuka.kr6_r900_ik",
    "yaskawa-hc10": "ssik.prebuilt.yaskawa.hc10_ik",
    "fanuc-crx-10ia": "ssik.prebuilt.fanuc.crx10ia_ik",
    "ufactory-xarm6": "ssik.prebuilt.ufactory.xarm6_ik",
    "general": "",  # ssik prepares a random one for two minutes
}


@pytest.mark.skipif("PALPEUR_SSIK" not in os.environ, reason="PALPEUR_SSIK names ssik's Python")
@pytest.mark.parametrize("name", list(SSIK))
def test_every_root_beside_ssik(name, speed, tmp_path):
    """Complete answers with certificate and status, of the peer's own chain and poses."""
    if ONCE and name == "general":
        pytest.skip("ssik prepares a general chain for two minutes")
    arm = SSIK[name]
    if not arm:
        arm = str(tmp_path / "arm.npz")
        alpha, a, d = np.random.default_rng(4).uniform(-0.5, 0.5, (3, 6))
        np.savez(arm, alpha=2.0 * np.pi * alpha, a=a, d=d)
    out = tmp_path / "peer.npz"
    poses = sized(1000, once=50)
    call = [os.environ["PALPEUR_SSIK"], str(PEER), arm, str(poses), "0", str(out)]
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(call, check=True, env={**outside, "OMP_NUM_THREADS": "1"})
    peer = np.load(out)
    inverse = ChainInverse(peer_chain(peer["left"], peer["axes"], peer["right"]))
    T = peer["T"]
    found = inverse.solve(T)  # compiles
    missed, further, first = 0, 0, 0
    for k, count in enumerate(peer["counts"]):
        mine, theirs = found.q[k][found.solved[k]], peer["q"][first : first + count]
        missed, further = missed + len(lost(theirs, mine)), further + len(lost(mine, theirs))
        first += count
    assert missed == 0
    batch = np.tile(T, (max(1, 4000 // len(T)), 1, 1))
    micros = [
        1e6 * _seconds(lambda: inverse.solve(batch)) / len(batch) for _ in range(speed.runs(10))
    ]
    theirs = peer["micros"]
    print(
        f"{name}, {inverse.method.value}: {np.median(micros):.1f} us per pose "
        f"({min(micros):.1f} to {max(micros):.1f}); ssik {np.median(theirs):.1f} "
        f"({min(theirs):.1f} to {max(theirs):.1f}); of {np.sum(found.solved)} roots ssik lost "
        f"{further}, here {missed}"
    )
    speed.ratio(f"certified roots of {name}: ssik", float(np.median(theirs) / np.median(micros)))


def peer_chain(left: Array, axes: Array, right: Array) -> Chain:
    """A chain of joints about any axes, as one about z."""
    links, turned = [], np.eye(4)
    for before, axis, after in zip(left, axes, right, strict=True):
        frame = np.eye(4)
        x = np.cross(axis, np.roll(axis, 1) + 0.1)
        x /= np.linalg.norm(x)
        frame[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
        links.append(turned @ before @ frame)
        turned = frame.T @ after
    links.append(turned)
    return Chain(
        name="peer",
        names=tuple(f"q{k + 1}" for k in range(len(links) - 1)),
        revolute=(True,) * (len(links) - 1),
        links=np.array(links),
        length=float(sum(np.linalg.norm(link[:3, 3]) for link in links)),
    )


def _seconds(function) -> float:
    """Seconds of the processor, which neighbours on the machine do not add to."""
    start = time.process_time()
    function()
    return time.process_time() - start
