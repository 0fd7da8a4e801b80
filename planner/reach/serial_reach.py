"""How any serial robot serves points: by a numerical search, its spare motion used for margin."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.plan_types import PlacedPoints
from planner.reach.branch_choice import distinct, signatures, spread
from planner.reach.candidates import Candidates
from planner.reach.margins import Margins, rough_margins
from planner.reach.reach import Shortfall, Wording, some_points
from planner.reach.serial_lines import SerialLines, joined
from planner.reach.serial_path import follow
from planner.reach.serial_search import Attempts, SerialSearch
from planner.reach.serial_task import SerialTask
from planner.reach.spare_motion import Tasks, improved, line_values
from planner.reach.whole_turns import turned
from robots.core.arrays import Array, Indices, Mask
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.rounding import at_least, readable

_AT_PLACE = 1e-5  # [m] from which a place counts as missed
_BLOCK = 256  # points worked on at once
_IMPROVED = 10  # postures of a point whose spare motion is used
_KEPT = 8  # postures of a point that become candidates, where there is spare motion
_KEPT_ALL = 16  # where there is none: the branches of five joints
_TURNS = 3  # whole-turn equivalents of each
_SAME = 1e-4  # joint units: one posture
_NEAR = 0.05  # joint units: one posture, for a search that may end anywhere on a ridge

_WORDING = Wording(
    branch="branch",
    singular_hint="shift or turn the part, or change the approach, so that no two axes line up",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Postures:
    """Postures at clearance points, by point."""

    point: Indices
    q: Array


class SerialReach:
    """Reach of a serial robot of five joints or more.

    Args:
        mechanism: the robot.
        seed: of the search; another one starts it elsewhere.

    Raises:
        InverseError: the robot cannot bring a ball to a place along a direction.
    """

    complete = False
    wording = _WORDING

    def __init__(self, mechanism: Mechanism, *, seed: int = 1) -> None:
        self.task = SerialTask(mechanism)
        self._search = SerialSearch(self.task, seed)

    @property
    def model(self) -> Model:
        """Of the robot."""
        return self.task.model

    def candidates(self, placed: PlacedPoints) -> Candidates:
        """Postures found for each point, spread over the branches, those of most margin first."""
        firsts = range(0, max(len(placed), 1), _BLOCK)
        blocks = [np.arange(first, min(first + _BLOCK, len(placed))) for first in firsts]
        return _joined([self._block(placed, points) for points in blocks], ~self.task.angular)

    def shortfalls(self, placed: PlacedPoints, points: Indices) -> list[Shortfall]:
        """How near the best attempt came to each point, or how far along its line."""
        firsts = range(0, len(points), _BLOCK)
        blocks = [some_points(placed, points[first : first + _BLOCK]) for first in firsts]
        return [shortfall for block in blocks for shortfall in self._missed(block)]

    def _missed(self, some: PlacedPoints) -> list[Shortfall]:
        """Why points have no candidate, from a second look at all that was tried for them."""
        tried = self._search.attempts(some.clearances, some.axes)
        point, start = np.nonzero(tried.reached)
        q, tasks = tried.q[point, start], _tasks(some, point)
        followed = follow(self.task, q, tasks.straight(self.task.posed(q)))
        farthest = np.zeros(len(some))
        np.maximum.at(farthest, point, followed.reached)
        length = np.linalg.norm(some.search_ends - some.clearances, axis=1)
        return [
            _stopped(farthest[k], length[k]) if near else _too_far(tried, k)
            for k, near in enumerate(np.any(tried.reached, axis=1).tolist())
        ]

    def _block(self, placed: PlacedPoints, points: Indices) -> Candidates:
        """Candidates of some points."""
        some = some_points(placed, points)
        tried = self._search.attempts(some.clearances, some.axes)
        point, start = np.nonzero(tried.reached)
        q = self.task.centred(tried.q[point, start])
        rows = distinct(self.task, point, q, _SAME)
        found = self._gained(some, point[rows], q[rows])
        q, tasks = found.q, _tasks(some, found.point)
        straight = tasks.straight(self.task.posed(q))
        followed = follow(self.task, q, straight)
        whole = np.nonzero(followed.whole)[0]
        lines = SerialLines(
            task=self.task,
            starts=tasks.starts[whole],
            ends=some.search_ends[found.point[whole]],
            axes=tasks.axes[whole],
            rotations=straight.rotations[whole],
            path_of=np.arange(whole.size),
            turns=np.zeros((whole.size, self.model.dof)),
            knots=followed.knots[whole],
        )
        row, lines = self._turned(lines)
        point = points[found.point[whole][row]]
        return Candidates(lines=lines, point=point, margins=rough_margins(lines))

    def _gained(self, some: PlacedPoints, point: Indices, q: Array) -> _Postures:
        """The postures worth keeping, after their spare motion has been used."""
        task, spare = self.task, self.task.spare > 0
        value = line_values(task, q, _tasks(some, point))
        rows = spread(point, signatures(task, q), value, _IMPROVED if spare else _KEPT_ALL)
        point, q = point[rows], q[rows]
        if not spare:
            return _Postures(point=point, q=q)
        q = improved(task, q, _tasks(some, point))
        value = line_values(task, q, _tasks(some, point))
        best = np.lexsort((-value, point))
        rows = best[distinct(task, point[best], q[best], _NEAR)]
        point, q, value = point[rows], q[rows], value[rows]
        rows = spread(point, signatures(task, q), value, _KEPT)
        return _Postures(point=point[rows], q=q[rows])

    def _turned(self, lines: SerialLines) -> tuple[Indices, SerialLines]:
        """Lines with their whole-turn equivalents, and which line each of them was."""
        n = self.model.dof
        ways = turned(self.task, lines.knots[:, :, :n], _TURNS)
        return ways.row, replace(lines.take(ways.row), turns=ways.shift)


def _tasks(some: PlacedPoints, point: Indices) -> Tasks:
    starts = some.clearances[point]
    return Tasks(starts=starts, tangents=some.search_ends[point] - starts, axes=some.axes[point])


def _joined(parts: list[Candidates], sliding: Mask) -> Candidates:
    lines = [part.lines for part in parts if isinstance(part.lines, SerialLines)]
    return Candidates(
        lines=joined(lines),
        point=np.concatenate([part.point for part in parts]),
        margins=Margins(
            limit=np.concatenate([part.margins.limit for part in parts]),
            singularity=np.concatenate([part.margins.singularity for part in parts]),
            sliding=sliding,
        ),
    )


def _too_far(tried: Attempts, k: int) -> Shortfall:
    best = int(np.argmin(tried.gap[k]))
    position, angle = float(tried.position[k, best]), float(np.degrees(tried.angle[k, best]))
    return Shortfall(
        message=f"none of {tried.gap.shape[1]} attempts brings the ball to the clearance point "
        f"along the normal; the nearest leaves {readable(position * 1e3, 3)} mm and "
        f"{readable(angle, 3)} deg",
        hint=f"move or turn the part towards the robot's reach; {_missing(position, angle)}",
    )


def _missing(position: float, angle: float) -> str:
    """What the nearest attempt lacks: a distance, or only the direction of the probe."""
    if position > _AT_PLACE:
        return f"the first {at_least(position * 1e3, 1)} mm are missing"
    return f"the place is reached, but the probe is {readable(angle, 1)} deg off the normal there"


def _stopped(reached: float, length: float) -> Shortfall:
    where = (
        f"; the one that carries the ball farthest goes {reached * length * 1e3:.1f} mm of "
        f"{length * 1e3:.1f} mm from the clearance point, until the robot is stretched or two of "
        "its axes line up"
    )
    return Shortfall(
        code="P103",
        message=f"every branch found passes a singularity{where if reached < 1.0 else ''}",
        hint="move the part towards the middle of the robot's reach, turn it, or shorten the "
        "approach",
    )
