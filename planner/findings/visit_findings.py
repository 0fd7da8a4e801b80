"""Findings about a visit: points and travels that collide, and how near the rest comes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from planner.clearance.certify import Clearance
from planner.clearance.goals import Tolerance
from planner.clearance.results import Nearest
from planner.clearance.safety import Safety
from planner.detours.findings import detour_findings
from planner.findings import Finding
from planner.findings.clearance_findings import (
    Watch,
    certified_finding,
    line_findings,
    open_solid_findings,
    point_clearance_findings,
    shape_findings,
    stylus_diameters,
    travel_findings,
)
from planner.findings.unchecked import unchecked_aspects
from planner.job import Job
from planner.motion.travel import TravelMotions
from planner.order.visiting import Visit
from planner.plan_types import PlacedPoints
from planner.reach.candidates import Candidates
from robots.core.arrays import Indices
from robots.core.motion.joint_limits import JointLimits


class VisitFindings:
    """What there is to say of a visit.

    Args:
        job: for names and what it asks for.
        placed: the points.
        found: the candidates.
        safety: that checked them.
        visited: order, branches and detours.
        near_lines: clearances of the probing lines, in visiting order.
        near_travels: clearances of the travels between them.
    """

    def __init__(
        self,
        job: Job,
        placed: PlacedPoints,
        found: Candidates,
        safety: Safety,
        visited: Visit,
        near_lines: Clearance,
        near_travels: Clearance,
    ) -> None:
        self._job, self._placed, self._found = job, placed, found
        self._safety, self._visited = safety, visited
        self._near_lines, self._near_travels = near_lines, near_travels
        self._watch = Watch(
            pairs=safety.checker.pairs,
            cell=job.cell,
            required=safety.required,
            diameters=stylus_diameters(job.probe),
        )

    def colliding(self) -> Indices:
        """Points that a branch could serve, were nothing in its way. # (m,)."""
        refused = np.zeros(len(self._placed), dtype=bool)
        refused[self._found.point[self._safety.refused]] = True
        return np.nonzero(refused & (self._visited.choice.candidate < 0))[0]

    def points(self) -> list[Finding]:
        """What stands in the way of colliding points, by the branch that comes nearest to clear."""
        findings: list[Finding] = []
        for point in self.colliding().tolist():
            findings += self._point(point)
        return findings

    def _point(self, point: int) -> list[Finding]:
        rows = np.nonzero((self._found.point == point) & self._safety.refused)[0]
        lines = self._found.lines.take(rows)
        along = self._safety.line_clearances(lines, np.full(rows.size, point))
        start = self._safety.checker.nearest(lines.q_starts)
        best = int(np.argmax(np.minimum(along.seen, start.value)))
        name = [self._placed.names[point]]
        if start.value[best] < self._safety.required:
            one = Nearest(
                value=start.value[[best]], pair=start.pair[[best]], place=start.place[[best]]
            )
            return point_clearance_findings(one, self._watch, name)
        return line_findings(
            _row(along, best),
            self._watch,
            names=name,
            approach=float(self._placed.distances[point]),
            overtravel=self._job.approach.overtravel,
        )

    def travels(self, limits: JointLimits) -> list[Finding]:
        """Travels that go around, or find no way."""
        detours, choice = self._visited.detours, self._visited.choice
        if detours is None:
            return []
        names = [self._placed.names[k] for k in choice.visits]
        q = self._found.lines.q_starts[choice.chosen]
        straight = TravelMotions(q[:-1], q[1:], self._job.travel.law, limits).duration
        pairs = list(pairwise(names))
        return detour_findings(detours, pairs, straight, self._job.travel)

    def unproven(self) -> list[Finding]:
        """Motions of the plan whose certificate falls short of what is required.

        Each was proven when it was chosen; one that is not as a whole is not called safe. Travels
        that are known to be blocked have a finding of their own.
        """
        names = [self._placed.names[k] for k in self._visited.choice.visits]
        detours = self._visited.detours
        blocked: set[int] = set()
        if detours is not None:
            blocked = {item.travel for item in detours.blocked}
        open_ = [k for k in range(len(names) - 1) if k not in blocked]
        return [
            *(
                finding
                for k, point in enumerate(self._visited.choice.visits.tolist())
                for finding in line_findings(
                    _row(self._near_lines, k),
                    self._watch,
                    names=[names[k]],
                    approach=float(self._placed.distances[point]),
                    overtravel=self._job.approach.overtravel,
                )
            ),
            *(
                finding
                for k in open_
                for finding in travel_findings(
                    _row(self._near_travels, k),
                    self._watch,
                    origins=[names[k]],
                    goals=[names[k + 1]],
                )
            ),
        ]

    def cell(self) -> list[Finding]:
        """What was certified, and what could not be looked at."""
        job, visits = self._job, self._visited.choice.visits
        names = [self._placed.names[k] for k in visits]
        if not job.cell.solids:
            return []
        findings = open_solid_findings(job.cell)
        findings += shape_findings(job.mechanism, unchecked_aspects(job))
        motions = [
            ("probing line of", names, self._near_lines),
            ("travel to", names[1:], self._near_travels),
        ]
        return findings + certified_finding(motions, self._watch, Tolerance())


def _row(found: Clearance, k: int) -> Clearance:
    return Clearance(
        certified=found.certified[[k]],
        seen=found.seen[[k]],
        pair=found.pair[[k]],
        lam=found.lam[[k]],
        place=found.place[[k]],
        judged=found.judged[[k]],
    )
