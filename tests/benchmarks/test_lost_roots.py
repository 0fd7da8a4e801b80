"""Isolated postures that each solver loses next to, on and at right-angled singular poses.

``PALPEUR_SSIK=PYTHON pytest -s -n0 -m soak tests/benchmarks/test_lost_roots.py`` prints one row for
each arm and kind of pose. What is there to be lost is the union of what all solvers find, each
posture brought to its pose and certified by the chain's own forward model: ours, EAIK's, ssik's,
those of the pencil by eigenvalues and of a search from many starts. Postures of a family are no
list and count for nobody.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from robots.core.arrays import Array, Indices
from robots.core.chain_inverse.chain import Chain
from robots.core.chain_inverse.pencil import Pencil
from robots.core.chain_inverse.solver import ChainInverse, Status
from tests.benchmarks.ssik_peer import dh_chain
from tests.benchmarks.test_chain_inverse import PEER, SSIK, peer_chain
from tests.robots.core.chain_inverse.oracle import brute_force, near_singular, turned_apart

POSES = int(os.environ.get("PALPEUR_SINGULAR_POSES", "300"))  # of each kind
SEARCHED, STARTS = 30, 96  # poses of each kind that are searched by brute force too
KINDS = ("near singular", "singular", "right-angled")
SAME = 1e-4  # [rad]
SMEARED = 1e-2  # [rad] where several roots meet, all postures this near may be certified
CERTIFIED = 2e-9  # of a gap without units
NO_ANSWER = 1e-4  # of a gap without units: a peer's least-squares compromise
PUSHES = (0.05, 0.1)  # [rad] along which a family goes on and a fold does not
HARDLY = 1e-3  # of the largest singular value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Certified postures of one solver: pose of each, and angles. # (m,), (m, 6) [rad]."""

    pose: Indices
    q: Array

    @classmethod
    def certified(cls, chain: Chain, T: Array, pose: Indices, q: Array) -> Answers:
        order = np.argsort(pose, kind="stable")
        pose, q = pose[order], q[order]
        polished = chain.polished(q, T, pose=pose, least=True, far=NO_ANSWER)
        good = polished.certified
        return cls(pose=pose[good], q=polished.q[good])

    def at(self, pose: int) -> Array:
        first, end = np.searchsorted(self.pose, [pose, pose + 1])
        return self.q[first:end]


def postures(chain: Chain, count: int) -> Array:
    """Of each kind as many. # (3 * count, 6) [rad]."""
    random = np.random.default_rng(41)
    near = near_singular(chain, count, 10.0 ** random.uniform(-4.0, -2.0, count), seed=42)
    right = random.uniform(-np.pi, np.pi, (count, 6))
    straight = random.random(right.shape) < 0.5
    right[straight] = np.round(right[straight] / (0.5 * np.pi)) * 0.5 * np.pi
    return np.concatenate([near, near_singular(chain, count, 0.0, seed=43), right])


def held(chain: Chain, T: Array, q: Array, found: Array) -> bool:
    """Whether a posture is among those found, or meets one of them within the certificate."""
    away = turned_apart(found, q)
    if np.any(away < (SAME if len(_lost_directions(chain, q)) < 2 else SMEARED)):
        return True
    for other in found[away < SMEARED]:
        step = (other - q + np.pi) % (2.0 * np.pi) - np.pi
        between = q + np.array([[0.25], [0.5], [0.75]]) * step
        gaps = chain.gap(chain.forward(between), np.repeat(T[None], 3, axis=0))
        if np.max(np.linalg.norm(gaps, axis=1)) < CERTIFIED:
            return True
    return False


def isolated(chain: Chain, T: Array, q: Array) -> bool:
    """Whether the tool cannot stay at its pose while the joints move on."""
    null = _lost_directions(chain, q)
    if len(null) == 0:
        return True
    mixed = np.random.default_rng(0).normal(size=(16, len(null))) @ null
    ways = np.concatenate([null, -null, mixed / np.linalg.norm(mixed, axis=1, keepdims=True)])
    goes_on = np.ones(len(ways), dtype=np.bool_)
    for push in PUSHES:
        pushed = chain.polished(q + push * ways, np.repeat(T[None], len(ways), axis=0), least=True)
        moved = turned_apart(pushed.q, q) / push
        goes_on &= pushed.certified & (moved > 0.2) & (moved < 2.0)
    return not np.any(goes_on)


def _lost_directions(chain: Chain, q: Array) -> Array:
    """Unit steps of the joints that the tool hardly follows. # (k, 6)."""
    J = chain.jacobian(q[None])[0]
    J[:3] /= chain.length
    _, values, right = np.linalg.svd(J)
    return np.asarray(right[values <= HARDLY * values[0]])


def ssik_answers(arm: str, T: Array, folder: Path) -> tuple[Indices, Array]:
    """Postures of ssik, with the pose of each."""
    np.save(folder / "poses.npy", T)
    out = _ssik(arm, str(folder / "poses.npy"), folder)
    counts: Indices = out["counts"].astype(np.int64)
    return np.repeat(out["order"].astype(np.int64), counts), out["q"]


def _ssik(arm: str, poses: str, folder: Path) -> dict[str, Array]:
    call = [os.environ["PALPEUR_SSIK"], str(PEER), arm, poses, "0", str(folder / "peer.npz")]
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(call, check=True, env={**outside, "OMP_NUM_THREADS": "1"})
    return dict(np.load(folder / "peer.npz"))


def eaik_answers(chain: Chain, T: Array) -> tuple[Indices, Array] | None:
    """Postures of EAIK, with the pose of each; none where it does not know the arm's class."""
    eaik = pytest.importorskip("eaik.IK_Homogeneous", reason="EAIK is a peer of this benchmark")
    motionless = [np.eye(4)]
    for link in chain.links:
        motionless.append(motionless[-1] @ link)
    robot = eaik.HomogeneousRobot(np.array(motionless[1:]))
    if not robot.hasKnownDecomposition():
        return None
    rows = [
        np.array(one.Q).reshape(-1, 6) for one in robot.IK_batched(list(np.ascontiguousarray(T)), 1)
    ]
    pose = np.repeat(np.arange(len(T)), [len(row) for row in rows])
    q = np.concatenate(rows)
    finite = np.all(np.isfinite(q), axis=1)
    return pose[finite], q[finite]


@pytest.mark.soak
@pytest.mark.skipif("PALPEUR_SSIK" not in os.environ, reason="PALPEUR_SSIK names ssik's Python")
@pytest.mark.parametrize("name", list(SSIK))
def test_no_more_isolated_postures_are_lost_than_by_the_best_peer(
    name: str, tmp_path: Path
) -> None:
    arm = SSIK[name]
    if arm:
        prebuilt = _ssik(arm, "10", tmp_path)
        chain = peer_chain(prebuilt["left"], prebuilt["axes"], prebuilt["right"])
    else:
        alpha, a, d = np.random.default_rng(4).uniform(-0.5, 0.5, (3, 6))
        arm = str(tmp_path / "arm.npz")
        np.savez(arm, alpha=2.0 * np.pi * alpha, a=a, d=d)
        chain = peer_chain(*dh_chain(2.0 * np.pi * alpha, a, d))
    made = postures(chain, POSES)
    T = chain.forward(made)
    ours = ChainInverse(chain).solve(T)
    pose, branch = np.nonzero(ours.solved)
    eigen = Pencil(chain).solve(T, determinants=False)
    some = np.nonzero(np.arange(len(T)) % POSES < SEARCHED)[0]
    searched, q = brute_force(chain, T[some], STARTS)
    raw = {
        "ours": (pose, ours.q[pose, branch]),
        "EAIK": eaik_answers(chain, T),
        "ssik": ssik_answers(arm, T, tmp_path),
        "eigenvalues": (eigen.pose, eigen.q),
    }
    answers = {solver: Answers.certified(chain, T, *rows) for solver, rows in raw.items() if rows}
    beside = [(np.arange(len(T)), made), (some[searched], q)]
    everything = [(one.pose, one.q) for one in answers.values()] + beside
    pose = np.concatenate([rows for rows, _ in everything])
    order = np.argsort(pose, kind="stable")
    union = chain.postures(pose[order], np.concatenate([q for _, q in everything])[order], T)
    told = np.any(ours.status == Status.SINGULAR, axis=1)
    lost = {solver: np.zeros((3, 2), dtype=np.int64) for solver in answers}
    for row, q in zip(union.pose.tolist(), union.q, strict=True):
        losers = [
            solver for solver, one in answers.items() if not held(chain, T[row], q, one.at(row))
        ]
        if losers and isolated(chain, T[row], q):
            for solver in losers:
                lost[solver][row // POSES, int(told[row])] += 1
    for kind, place in zip(KINDS, range(3), strict=True):
        count = int(np.count_nonzero(union.pose // POSES == place))
        figures = ", ".join(
            f"{solver} {lost[solver][place].sum() if solver in lost else 'refuses'}"
            for solver in raw
        )
        print(
            f"{name:15} {kind:14} {POSES} poses, {count} postures; isolated ones lost: {figures} "
            f"(ours without a family told: {lost['ours'][place, 0]})"
        )
    for place in range(3):
        best = min(lost[solver][place].sum() for solver in answers if solver in ("EAIK", "ssik"))
        assert lost["ours"][place].sum() <= best, f"{name}, {KINDS[place]}"
