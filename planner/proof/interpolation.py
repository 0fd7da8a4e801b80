"""Straight lines between the rows that are written, against the motion between them."""

from __future__ import annotations

import numpy as np

from planner.plan import JUMP, Samples
from planner.proof.check import Check, Location, Worst, check
from planner.proof.evidence import CheckGroup, Evidence
from robots.core.arrays import Array

_BETWEEN = (
    "midway between every two rows that are written, the straight line between them against the "
    "motion there, torques by Lagrange; in parts of the stated bound of each column, where rows "
    f"are more than {1e3 * JUMP:g} ms apart"
)


class InterpolationCheck(CheckGroup):
    """That straight lines between rows keep the bounds that a plan states.

    A straight line misses a smooth column most about midway.

    Args:
        evidence: the plan, forward geometry and Lagrange's torques.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._bounds = np.array([*evidence.plan.interpolation_bounds.values()])
        self._worst = Worst()
        self._last: tuple[Array, Array] | None = None  # instant and columns of the row before

    def on_samples(self, samples: Samples) -> None:
        """Every two rows that follow each other."""
        if not self._evidence.plan.timeline:
            return
        t, values = samples.t, samples.columns
        if self._last is not None:
            t, values = np.append(self._last[0], t), np.concatenate([self._last[1], values])
        self._last = t[-1:], values[-1:]
        first = np.flatnonzero(np.diff(t) > JUMP)
        middle = 0.5 * (t[first] + t[first + 1])
        known = np.isfinite(self._bounds)
        line = 0.5 * (values[first] + values[first + 1])
        off = (line - self._columns(middle))[:, known] / self._bounds[known]
        self._worst.take(np.abs(off), lambda index: self._location(float(middle[index[0]])))

    def checks(self) -> list[Check]:
        """One, in parts of the bounds."""
        return [check("between samples", self._worst, 1.0, "1", _BETWEEN)]

    def _columns(self, t: Array) -> Array:
        evidence = self._evidence
        state = evidence.plan.trajectory.state(t)
        q, qd, qdd = state.q, state.qd, state.qdd
        tau = evidence.torques.full(q, qd, qdd) if evidence.torques.known else np.full_like(q, 0.0)
        position = evidence.model.forward(q)[:, :3, 3]
        segment = np.zeros(t.size, dtype=np.int64)
        return Samples(
            t=t, segment=segment, q=q, qd=qd, qdd=qdd, tau=tau, position=position
        ).columns

    def _location(self, instant: float) -> Location:
        segment = self._evidence.plan.trajectory.segment_at(np.array([instant]))[0]
        return self._evidence.on_segment(int(segment), instant)
