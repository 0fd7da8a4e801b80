"""Inverse of one arm by ssik, in ssik's own environment.

Arguments: ARM POSES SEED OUT. ARM is the module of a prebuilt arm, or a ``.npz`` with
Denavit-Hartenberg parameters of one's own, which takes minutes to prepare. Written are the chain,
the poses, the microseconds per pose of ten chunks of them (of the processor) and all postures.
"""

from __future__ import annotations

import importlib
import sys
import time

import numpy as np

CHUNKS = 10


def main(arm: str, count: int, seed: int, out: str) -> None:
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, 6))
    if arm.endswith(".npz"):
        from ssik import Manipulator

        rows = np.load(arm)
        robot = Manipulator.from_dh(rows["alpha"], rows["a"], rows["d"])
        robot.prepare()
        left, axes = np.array([np.eye(4)] * 6), np.array([[0.0, 0.0, 1.0]] * 6)
        right = np.array(
            [_link(*row) for row in zip(rows["alpha"], rows["a"], rows["d"], strict=True)]
        )
    else:
        robot = importlib.import_module(arm)
        left, right = robot._JOINT_T_LEFTS, robot._JOINT_T_RIGHTS
        axes = robot._JOINT_AXES
    poses = [np.asarray(robot.fk(one)) for one in q]
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
        T=np.array([T for chunk in range(CHUNKS) for T in poses[chunk::CHUNKS]]),
        micros=np.array(micros),
        counts=np.array(counts),
        q=np.array(postures).reshape(-1, 6),
    )


def _link(alpha: float, a: float, d: float) -> np.ndarray:
    c, s = np.cos(alpha), np.sin(alpha)
    return np.array([[1.0, 0.0, 0.0, a], [0.0, c, -s, 0.0], [0.0, s, c, d], [0.0, 0.0, 0.0, 1.0]])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
