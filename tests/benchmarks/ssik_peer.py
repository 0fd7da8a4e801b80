"""Inverse of one arm by ssik, in ssik's own environment.

Arguments: ARM POSES SEED OUT. ARM is the module of a prebuilt arm, or a ``.npz`` with
Denavit-Hartenberg parameters of one's own, which takes minutes to prepare. POSES is how many are
drawn, or a ``.npy`` of them. Written are the chain, the poses and their places in that file, the
microseconds per pose of ten chunks of them (of the processor) and all postures.
"""

from __future__ import annotations

import importlib
import sys
import time

import numpy as np

CHUNKS = 10


def main(arm: str, given: str, seed: int, out: str) -> None:
    if arm.endswith(".npz"):
        from ssik import Manipulator

        rows = np.load(arm)
        robot = Manipulator.from_dh(rows["alpha"], rows["a"], rows["d"])
        robot.prepare()
        left, axes, right = dh_chain(rows["alpha"], rows["a"], rows["d"])
    else:
        robot = importlib.import_module(arm)
        left, right = robot._JOINT_T_LEFTS, robot._JOINT_T_RIGHTS
        axes = robot._JOINT_AXES
    if given.endswith(".npy"):
        poses = list(np.load(given))
    else:
        q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (int(given), 6))
        poses = [np.asarray(robot.fk(one)) for one in q]
    order = np.concatenate([np.arange(len(poses))[chunk::CHUNKS] for chunk in range(CHUNKS)])
    robot.solve(poses[0], respect_limits=False)  # what is prepared once
    micros, postures, counts = [], [], []
    for chunk in range(CHUNKS):
        some = poses[chunk::CHUNKS]
        start = time.process_time()
        answers = [robot.solve(T, respect_limits=False) for T in some]
        micros.append(1e6 * (time.process_time() - start) / len(some))
        counts += [len(answer) for answer in answers]
        postures += [one.q for answer in answers for one in answer]
    np.savez(
        out,
        left=np.array(left),
        axes=np.array(axes),
        right=np.array(right),
        T=np.array(poses)[order],
        order=order,
        micros=np.array(micros),
        counts=np.array(counts),
        q=np.array(postures).reshape(-1, 6),
    )


def dh_chain(
    alpha: np.ndarray, a: np.ndarray, d: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Constant transforms before each joint, the joints' axes, and the transforms after them."""
    after = [_link(*row) for row in zip(alpha, a, d, strict=True)]
    return np.array([np.eye(4)] * 6), np.array([[0.0, 0.0, 1.0]] * 6), np.array(after)


def _link(alpha: float, a: float, d: float) -> np.ndarray:
    c, s = np.cos(alpha), np.sin(alpha)
    return np.array([[1.0, 0.0, 0.0, a], [0.0, c, -s, 0.0], [0.0, s, c, d], [0.0, 0.0, 0.0, 1.0]])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
