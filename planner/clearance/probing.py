"""Clearance of probing lines: the stylus may touch the probed patch, everything else keeps away.

Links, probe bodies and obstacles are judged like any motion. For the stylus against the part:
ball and shank keep the clearance required from everything but the patch, drawn out along the shank
(``beside``), and what lies behind it; up to contact the ball does not pass into what lies behind,
nor the shank into anything at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from planner.clearance.beside import Shank, beside
from planner.clearance.certify import Clearance, certify, keeps
from planner.clearance.checker import Checker
from planner.clearance.goals import Tolerance
from planner.clearance.patch import ProbedSurface, StylusPlacement
from planner.clearance.paths import LinePaths
from planner.clearance.stylus_demands import Allowed, Demand, demands, located
from planner.clearance.stylus_sweep import Stylus
from planner.job.solids import Cell
from planner.progress import Progress, silent
from planner.reach.lines import Lines
from robots.core.arrays import Array, Indices, Mask
from robots.core.mechanism import Mechanism

_FACETS = 1e-3  # [m] a mesh and the surface that it stands for may differ by this
_RIM = 0.9  # of the distance on a plane: faces bend


class ProbingLines:
    """Judges lines that serve the points of a job.

    Args:
        checker: of the robot in its cell.
        cell: the cell.
        mechanism: the robot with its stylus.
        touches: the points.
        required: clearance to be kept. [m]
        overtravel: how far a search goes on beyond contact. [m]

    Attributes:
        rim: clearances of the stylus from the part that are at least this are kept, but not stated:
            a ball on a plain face is about this far from the face beyond the patch. [m]
    """

    def __init__(
        self,
        checker: Checker,
        cell: Cell,
        mechanism: Mechanism,
        *,
        touches: StylusPlacement,
        required: float,
        overtravel: float = 0.0,
    ) -> None:
        self._checker = checker
        self._required = required
        self._contacts = touches.contacts
        self._stylus = Stylus.of(mechanism)
        self._allowed: Allowed | None = None
        self.rim = 0.0
        if self._stylus is not None and cell.part is not None:
            tip = max(self._stylus.ball, self._stylus.shank)
            reach = required + 2.0 * tip + overtravel + _FACETS
            self.rim = _RIM * (float(np.hypot(reach, self._stylus.ball)) - self._stylus.ball)
            within = required + self._stylus.shank + overtravel
            shank = Shank(length=self._stylus.length, within=within, reach=reach)
            self._allowed = _allowed(ProbedSurface(cell.part), touches, shank)

    def keeps(self, lines: Lines, point: Indices) -> Mask:
        """Whether lines are proven to keep the clearance. # (k,).

        Args:
            lines: geometry.
            point: row of the point that each one serves. # (k,)
        """
        kept = np.arange(len(lines))
        for demand in self._demands(lines, point):
            found = demand.take(kept).clearance(self._checker)
            kept = kept[found >= demand.least]
        paths = LinePaths(lines.take(kept))
        good = keeps(self._checker, paths, self._required, touching=False)
        result = np.zeros(len(lines), dtype=bool)
        result[kept[good]] = True
        return result

    def certify(
        self,
        lines: Lines,
        point: Indices,
        tolerance: Tolerance | None = None,
        progress: Progress = silent,
    ) -> Clearance:
        """Least clearance of lines, which pair has it, and where. λ is 1 at the line's end.

        The stylus against the part is part of it where it comes nearer than ``rim``.

        Args:
            lines: geometry.
            point: row of the point that each one serves. # (k,)
            tolerance: of the clearances that are certified.
            progress: told how many lines are settled.
        """
        found = certify(
            self._checker,
            LinePaths(lines),
            required=self._required,
            tolerance=tolerance,
            touching=False,
            progress=progress,
        )
        for demand in self._demands(lines, point):
            value = demand.clearance(self._checker)
            told = value < max(demand.least, demand.stated)
            rows = np.nonzero(told & (value < found.seen))[0]
            if rows.size:
                found = self._nearer(found, rows, value[rows], demand.take(rows))
        return found

    def _demands(self, lines: Lines, point: Indices) -> Iterable[Demand]:
        if self._stylus is None or self._allowed is None:
            return ()
        allowed = self._allowed.take(point)
        return demands(
            self._stylus, lines, self._contacts[point], allowed, (self._required, self.rim)
        )

    def _nearer(self, found: Clearance, rows: Indices, value: Array, demand: Demand) -> Clearance:
        """The clearances with those of lines where the stylus comes nearer."""
        place = located(self._checker, demand)
        names = [p.moving if p.touching else "" for p in self._checker.pairs]
        # What is kept may be a bound, as of a shank that shifts; what is not kept has been seen.
        seen = np.where(value < demand.least, value, place.seen)
        nearer = seen < found.seen[rows]
        certified = found.certified.copy()
        certified[rows] = np.minimum(certified[rows], np.minimum(value, seen))
        changes = {
            "seen": seen,
            "pair": np.full(rows.size, names.index(demand.piece.name)),
            "lam": place.lam,
            "place": place.place,
        }
        changed = {name: getattr(found, name).copy() for name in changes}
        for name, values in changes.items():
            changed[name][rows[nearer]] = values[nearer]
        return replace(found, certified=certified, **changed)


def _allowed(surface: ProbedSurface, touches: StylusPlacement, shank: Shank) -> Allowed:
    probed = surface.around(touches, shank.reach)
    near_shank = beside(surface, touches, probed, shank)
    near_ball = surface.both(probed.ignored, near_shank)
    return Allowed(patch=probed.patch, ball=near_ball, shank=near_shank)
