"""TOPP-RA (the package toppra) on paths of a file, in an environment of its own; run as a script.

Durations, CPU seconds, by how much the limits are passed between TOPP-RA's grid points, and how
often the duration must be taken, every speed slowed alike, until they are kept there.
"""

from __future__ import annotations

import pickle
import sys
import time
from pathlib import Path

import numpy as np
import pinocchio
import toppra
from toppra import constraint
from toppra.algorithm import TOPPRA


class PiecewisePath(toppra.interpolator.AbstractGeometricPath):
    """The same polynomials as ours."""

    def __init__(self, length, powers):
        self._starts = np.concatenate([[0.0], np.cumsum(length)[:-1]])
        self._powers = powers
        self._span = float(np.sum(length))

    def __call__(self, places, order=0):
        r = np.atleast_1d(np.asarray(places, dtype=float))
        piece = np.clip(np.searchsorted(self._starts, r, side="right") - 1, 0, None)
        s = (r - self._starts[piece])[:, None]
        c = np.moveaxis(self._powers[piece], 2, 0)
        if order == 0:
            value = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4])))
        elif order == 1:
            value = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * 4.0 * c[4]))
        else:
            value = 2.0 * c[2] + s * (6.0 * c[3] + s * 12.0 * c[4])
        return value if np.ndim(places) else value[0]

    @property
    def dof(self):
        return self._powers.shape[1]

    @property
    def path_interval(self):
        return np.array([0.0, self._span])

    @property
    def waypoints(self):
        return None


def traversed(case, grid):
    """Durations [s], CPU seconds, largest excess over a limit, slowing, of all paths of a case."""
    speed, acceleration, effort = case["speed"], case["acceleration"], case["effort"]
    model = pinocchio.Model()
    torques = None
    if effort is not None:
        model.loadFromString(case["pinocchio"])
        data, order, own = model.createData(), case["order"], np.argsort(case["order"])

        def torques(q, qd, qdd):
            return pinocchio.rnea(model, data, q[order], qd[order], qdd[order])[own]

    durations, seconds, excess, slowing = [], [], [], []
    for length, powers in case["paths"]:
        path = PiecewisePath(length, powers)
        begin = time.process_time()
        constraints = [
            constraint.JointVelocityConstraint(np.stack([-speed, speed], axis=1)),
            constraint.JointAccelerationConstraint(np.stack([-acceleration, acceleration], axis=1)),
        ]
        if torques is not None:
            constraints.append(
                constraint.JointTorqueConstraint(
                    torques, np.stack([-effort, effort], axis=1), case["coulomb"]
                )
            )
        points = None if grid == 0 else np.linspace(0.0, path.path_interval[1], grid + 1)
        found = TOPPRA(constraints, path, gridpoints=points, solver_wrapper="seidel")
        motion = found.compute_trajectory(0, 0)
        seconds.append(time.process_time() - begin)
        if motion is None:
            durations.append(np.nan)
            excess.append(np.nan)
            slowing.append(np.nan)
            continue
        durations.append(motion.duration)
        t = np.linspace(0.0, motion.duration, 2001)[1:-1]
        q, qd, qdd = motion(t), motion(t, 1), motion(t, 2)
        shares = [np.abs(qd) / speed, np.abs(qdd) / acceleration]
        # Slowed by k, speeds fall as 1/k; accelerations, and torques beside those that hold the
        # weight against friction, as 1/k².
        slowest = max(1.0, float(shares[0].max()), float(np.sqrt(shares[1].max())))
        if torques is not None:
            tau = np.array([torques(*row) for row in zip(q, qd, qdd, strict=True)])
            friction, still = case["coulomb"] * np.sign(qd), np.zeros(q.shape[1])
            shares.append(np.abs(tau + friction) / effort)
            held = np.array([torques(row, still, still) for row in q])
            left = effort - np.sign(tau - held) * (held + friction)
            slowest = max(slowest, float(np.sqrt(np.max(np.abs(tau - held) / left))))
        excess.append(max(float(share.max()) for share in shares) - 1.0)
        slowing.append(slowest)
    return {"duration": durations, "seconds": seconds, "excess": excess, "slowing": slowing}


if __name__ == "__main__":
    toppra.setup_logging("ERROR")
    source, target, *grids = sys.argv[1:]
    cases = pickle.loads(Path(source).read_bytes())
    answer = [{grid: traversed(case, int(grid)) for grid in grids} for case in cases]
    Path(target).write_bytes(pickle.dumps(answer))
