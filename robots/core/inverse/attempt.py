"""One run of the iteration over many starts, and what is to be said of each of its postures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Counts, Mask
from robots.core.inverse.answer import Answer, Solutions
from robots.core.inverse.greville import pseudo_inverse
from robots.core.inverse.limits import inside_limits, limit_breaches, limit_margins, wrapped
from robots.core.inverse.newton import Search
from robots.core.mechanism import Mechanism

# Two postures closer than this in every joint are one: at a double root, joints are only known to
# the root of the tolerance. [rad, or scale lengths]
SEPARATION = 1e-4
# Sine below which a joint adds nothing at the last iterate, for the wording of a failure.
_NEARLY_SINGULAR = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attempt:
    """A finished search with its verdicts, one row per (target, start)."""

    search: Search
    q: Array  # (N, n), whole turns taken off
    converged: Mask  # (N,)
    inside: Mask  # (N,) within limits

    @classmethod
    def of(cls, search: Search, near: Array) -> Attempt:
        """Run a search; of equivalent postures take those near to ``near``. # (N, n)."""
        search.run()
        mechanism = search.model.mechanism
        q = wrapped(mechanism, search.q, near)
        return cls(
            search=search, q=q, converged=search.converged, inside=inside_limits(mechanism, q)
        )

    @property
    def success(self) -> Mask:
        """At the target and within limits. # (N,)."""
        return self.converged & self.inside

    def solutions(self, rows: Counts, near: Array) -> Solutions:
        """Distinct successes among some rows, nearest to ``near`` first."""
        unit = self.search.unit
        good = rows[self.success[rows]]
        distance = np.linalg.norm((self.q[good] - near) / unit, axis=-1)
        kept: list[int] = []
        for row in good[np.argsort(distance, kind="stable")]:
            if not any(self._same(int(row), other) for other in kept):
                kept.append(int(row))
        answers = tuple(self._answer(row, len(rows)) for row in kept)
        best = answers[0] if answers else self._answer(self._least_bad(rows), len(rows))
        return Solutions(answers=answers, best=best, starts=len(rows))

    def _least_bad(self, rows: Counts) -> int:
        """The row that reached its target with least excess over limits, else the nearest."""
        excess = -np.minimum(limit_margins(self._mechanism, self.q[rows]), 0.0) / self.search.unit
        missing = np.linalg.norm(self.search.rows[rows], axis=-1)
        reached = self.converged[rows]
        measure = np.where(reached, np.sum(excess, axis=-1), missing)
        return int(rows[np.lexsort((measure, ~reached))[0]])

    @property
    def _mechanism(self) -> Mechanism:
        return self.search.model.mechanism

    def _same(self, first: int, second: int) -> bool:
        angular = np.array([joint.kind.angular for joint in self._mechanism.movable])
        apart = (self.q[first] - self.q[second]) / self.search.unit
        turned = np.remainder(apart + np.pi, 2.0 * np.pi) - np.pi
        return bool(np.max(np.abs(np.where(angular, turned, apart))) < SEPARATION)

    def _answer(self, row: int, starts: int) -> Answer:
        search = self.search
        J = search.jacobian(np.array([row]))[0]
        return Answer(
            q=self.q[row],
            converged=bool(self.converged[row]),
            within_limits=bool(self.inside[row]),
            position_residual=float(search.position[row]),
            angle_residual=float(search.angle[row]),
            iterations=int(search.iterations[row]),
            rank=int(pseudo_inverse(J).rank),
            limit_margins=limit_margins(self._mechanism, self.q[row]),
            reason=self._reason(row, J, starts),
        )

    def _reason(self, row: int, J: Array, starts: int) -> str:
        search = self.search
        if self.converged[row]:
            breach = limit_breaches(self._mechanism, self.q[row])
            return f"The target is reached out of limits only: {breach}." if breach else ""
        tried = "the start" if starts == 1 else f"{starts} starts"
        where = f"{search.position[row]:.6g} m and {search.angle[row]:.6g} rad from the target"
        if not search.settled[row]:
            most = search.settings.most_iterations
            return f"Not converged after {most} iterations from {tried}; the nearest is {where}."
        full = min(J.shape)
        rank = int(pseudo_inverse(J, _NEARLY_SINGULAR).rank)
        singular = f"; there the posture is singular, rank {rank} of {full}" if rank < full else ""
        return f"Unreachable from {tried}: the nearest point is {where}{singular}."
