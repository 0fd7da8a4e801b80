"""Clearance of probing lines: the stylus may touch the probed patch, everything else keeps away.

Links, probe bodies and obstacles are judged like any motion. For the stylus against the part:
ball and shank keep the clearance required from everything but the patch, drawn out along the shank
(``beside``), and what lies behind it; up to contact the ball does not pass into what lies behind,
nor the shank into anything at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.clearance.certify import (
    Advance,
    Clearance,
    IntervalCheck,
    IntervalVerdict,
    Tolerance,
    certify,
    deepest,
    floors,
    keeps,
)
from planner.clearance.checker import Checker
from planner.clearance.patch import Patches, ProbedSurface, Shank, StylusPlacement, beside
from planner.clearance.paths import LinePaths
from planner.job.solids import Cell
from planner.job.stylus import BALL, SHANK
from planner.progress import Progress, silent
from planner.reach.lines import Lines
from robots.core.arrays import Array, Indices, Mask
from robots.core.mechanism import Mechanism

_FACETS = 1e-3  # [m] a mesh and the surface that it stands for may differ by this
_RIM = 0.9  # of the distance on a plane: faces bend
_TOUCH = 1e-5  # [m] facets and rounding: touching the rim of the patch is not passing through it
_SAMPLES = 9


class ProbingLines:
    """Judges lines that serve the points of a job.

    Args:
        checker: of the robot in its cell.
        cell: the cell.
        mechanism: the robot with its stylus.
        touches: the points.
        required: clearance to be kept. [m]
        depths: how far the ball may go on beyond each contact. # (k,) [m]

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
        depths: Array,
    ) -> None:
        self._checker = checker
        self._required = required
        self._contacts = touches.contacts
        self._stylus = Stylus.of(mechanism)
        self._allowed: Allowed | None = None
        self.rim = 0.0
        if self._stylus is not None and cell.part is not None and checker.part is not None:
            surface = ProbedSurface(cell.part, checker.part.tree)
            tip = max(self._stylus.ball, self._stylus.shank)
            parts: list[Allowed] = []
            rows: list[Indices] = []
            # A deeper search may come near to more of what lies behind its own surface only.
            for depth in np.unique(depths).tolist():
                own = np.flatnonzero(depths == depth)
                reach = required + 2.0 * tip + depth + _FACETS
                within = required + self._stylus.shank + depth
                shank = Shank(length=self._stylus.length, within=within, reach=reach)
                rim = _RIM * (float(np.hypot(reach, self._stylus.ball)) - self._stylus.ball)
                self.rim = min(self.rim, rim) if parts else rim
                parts.append(_allowed(surface, touches.take(own), shank))
                rows.append(own)
            if parts:
                order = np.argsort(np.concatenate(rows), kind="stable")
                self._allowed = _joined(parts).take(order)

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


def _joined(parts: Sequence[Allowed]) -> Allowed:
    """Groups of several kinds of points, one kind after another."""
    whole = parts[0]
    for more in parts[1:]:
        whole = Allowed(
            patch=whole.patch.joined(more.patch),
            ball=whole.ball.joined(more.ball),
            shank=whole.shank.joined(more.shank),
        )
    return whole


def _allowed(surface: ProbedSurface, touches: StylusPlacement, shank: Shank) -> Allowed:
    probed = surface.around(touches, shank.reach)
    near_shank = beside(surface, touches, probed, shank)
    near_ball = surface.both(probed.ignored, near_shank)
    return Allowed(patch=probed.patch, ball=near_ball, shank=near_shank)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Allowed:
    """Triangles of the part that count less, one group per point.

    Args:
        patch: the probed surface, which the ball touches.
        ball: what the ball may be near: the patch and what lies behind it.
        shank: what the shank may be near.
    """

    patch: Patches
    ball: Patches
    shank: Patches

    def take(self, point: Indices) -> Allowed:
        """For some of the points, in any order. # (m,)."""
        return Allowed(
            patch=self.patch.take(point), ball=self.ball.take(point), shank=self.shank.take(point)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StylusPiece:
    """A length of the stylus.

    Args:
        name: of the capsule that it belongs to.
        radius: [m]
        begin: where it begins behind the ball's centre. [m]
        end: where it ends; equal to ``begin`` for a ball. [m]
    """

    name: str
    radius: float
    begin: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sweeps:
    """Straight shifts of a stylus that keeps its direction.

    Args:
        starts: ball centres at the start. # (m, 3) [m]
        shifts: to the end. # (m, 3) [m]
        axes: unit, from the wrist to the ball. # (m, 3)
        excluded: triangles of the part that do not count, one group per row.
    """

    starts: Array
    shifts: Array
    axes: Array
    excluded: Patches

    def take(self, rows: Indices) -> Sweeps:
        """Some of the rows, in any order."""
        return Sweeps(
            starts=self.starts[rows],
            shifts=self.shifts[rows],
            axes=self.axes[rows],
            excluded=self.excluded.take(rows),
        )

    def at(self, lam: Array) -> Sweeps:
        """At rest at λ. # (m,)."""
        starts = self.starts + lam[:, None] * self.shifts
        return Sweeps(
            starts=starts,
            shifts=np.zeros_like(starts),
            axes=self.axes,
            excluded=self.excluded,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Demand:
    """What a piece of the stylus must keep along lines.

    Args:
        piece: of the stylus.
        sweeps: its motions.
        share: how far along its line each motion goes. # (k,)
        least: clearance that must be kept. [m]
        stated: clearances from here on tell nothing: they may be those of the probed surface
            itself, beyond the patch. [m]
    """

    piece: StylusPiece
    sweeps: Sweeps
    share: Array
    least: float
    stated: float

    def take(self, rows: Indices) -> Demand:
        """For some of the lines."""
        return replace(self, sweeps=self.sweeps.take(rows), share=self.share[rows])

    def clearance(self, checker: Checker) -> Array:
        """Least clearance along each line. # (k,) [m]."""
        return swept(checker, self.piece, self.sweeps, self.least)


def demands(
    stylus: Stylus, lines: Lines, contacts: Array, allowed: Allowed, limits: tuple[float, float]
) -> Iterator[Demand]:
    """All demands of lines.

    Args:
        stylus: ball and shank.
        lines: geometry.
        contacts: ball centres at contact. # (k, 3) [m]
        allowed: what of the part each line may come near to.
        limits: clearance to be kept from what is not probed; from which on it is not told. [m]
    """
    shifts = lines.ends - lines.starts
    square = np.einsum("ij,ij->i", shifts, shifts)
    travelled = np.einsum("ij,ij->i", contacts - lines.starts, shifts)
    share = np.clip(travelled / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    ball = StylusPiece(name=BALL, radius=stylus.ball, begin=0.0, end=0.0)
    whole = Demand(
        piece=ball,
        sweeps=Sweeps(starts=lines.starts, shifts=shifts, axes=lines.axes, excluded=allowed.ball),
        share=np.ones(len(lines)),
        least=limits[0],
        stated=limits[1],
    )
    up_to_contact = replace(
        whole,
        sweeps=replace(whole.sweeps, shifts=share[:, None] * shifts, excluded=allowed.patch),
        share=share,
        least=-_TOUCH,
        stated=-_TOUCH,
    )
    yield whole
    if stylus.length > 0.0:
        yield from _of_shank(stylus, whole, up_to_contact, allowed.shank)
    yield up_to_contact


def _of_shank(
    stylus: Stylus, whole: Demand, up_to_contact: Demand, allowed: Patches
) -> Iterator[Demand]:
    """The whole shank beside what is allowed; beyond the tip it must not touch that either."""
    shank = StylusPiece(name=SHANK, radius=stylus.shank, begin=0.0, end=stylus.length)
    yield replace(whole, piece=shank, sweeps=replace(whole.sweeps, excluded=allowed))
    tip = max(stylus.ball, stylus.shank)
    if tip < stylus.length:
        none = Patches.none(len(whole.share))
        yield replace(
            up_to_contact,
            piece=replace(shank, begin=tip),
            sweeps=replace(up_to_contact.sweeps, excluded=none),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Located:
    """Where a piece of the stylus comes nearest.

    Args:
        lam: on each line. # (k,)
        place: on the piece's axis, base frame. # (k, 3) [m]
        seen: distance of that very place from the part, less the radius: what was looked at, where
            ``Demand.clearance`` may be a bound below it. # (k,) [m]
    """

    lam: Array
    place: Array
    seen: Array


def located(checker: Checker, demand: Demand) -> Located:
    """Where a piece comes nearest, found by looking; for reports."""
    piece, sweeps = demand.piece, demand.sweeps
    every = np.arange(len(demand.share))

    def on_line(rows: Indices, lam: Array) -> Array:
        return swept(checker, piece, sweeps.take(rows).at(lam), demand.least)

    lam = deepest(on_line, every, np.ones(every.size), _SAMPLES)
    still = sweeps.at(lam)

    def behind(share: Array) -> Array:
        return np.asarray((piece.begin + share * (piece.end - piece.begin))[:, None])

    def on_piece(rows: Indices, share: Array) -> Array:
        some = still.take(rows)
        dots = replace(some, starts=some.starts - behind(share) * some.axes)
        return swept(checker, replace(piece, begin=0.0, end=0.0), dots, demand.least)

    share = np.zeros(every.size)
    if piece.end > piece.begin:
        share = deepest(on_piece, every, share, _SAMPLES)
    return Located(
        lam=lam * demand.share,
        place=still.starts - behind(share) * still.axes,
        seen=on_piece(every, share),
    )


# ------------------------------------------------------------------------------------ Stylus sweep
# The stylus only shifts: its ball sweeps a capsule, and a shank that is drawn along its own axis
# another one, so that each is one exact query of the whole motion. A shank that shifts across its
# axis is followed by branch and bound.

_ACROSS = 1e-9  # [m] a shift across the axis below this is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Stylus:
    """Ball and shank; the shank lies on the probe axis and ends at the ball's centre.

    Args:
        ball: radius. [m]
        shank: radius. [m]
        length: of the shank, 0 for none. [m]
    """

    ball: float
    shank: float
    length: float

    @classmethod
    def of(cls, mechanism: Mechanism) -> Stylus | None:
        """The stylus among a mechanism's capsules; None where there is none."""
        capsules = {capsule.name: capsule for capsule in mechanism.capsules}
        if BALL not in capsules:
            return None
        shank = capsules.get(SHANK)
        return cls(
            ball=capsules[BALL].radius,
            shank=0.0 if shank is None else shank.radius,
            length=0.0 if shank is None else float(np.linalg.norm(shank.end - shank.start)),
        )


def swept(checker: Checker, piece: StylusPiece, sweeps: Sweeps, required: float) -> Array:
    """Least clearance of a piece of the stylus from the part over whole motions.

    It is exact along the axis and for a ball. Across it is certified, to the default tolerance, or
    of a motion that comes nearer than required a clearance that it does not keep.

    Args:
        checker: of the cell.
        piece: of the stylus.
        sweeps: motions.
        required: clearance asked for. [m]

    Returns:
        # (m,) [m]
    """
    along = np.einsum("ij,ij->i", sweeps.shifts, sweeps.axes)
    across = np.linalg.norm(sweeps.shifts - along[:, None] * sweeps.axes, axis=1)
    ends = sweeps.starts + sweeps.shifts
    if piece.begin == piece.end:
        back = piece.begin * sweeps.axes
        return _distances(checker, sweeps.starts - back, ends - back, sweeps) - piece.radius
    near = sweeps.starts + (np.maximum(along, 0.0) - piece.begin)[:, None] * sweeps.axes
    far = sweeps.starts + (np.minimum(along, 0.0) - piece.end)[:, None] * sweeps.axes
    result = np.empty(len(near))
    straight = np.nonzero(across <= _ACROSS)[0]
    distances = _distances(checker, near[straight], far[straight], sweeps.take(straight))
    result[straight] = distances - piece.radius
    other = np.nonzero(across > _ACROSS)[0]
    if other.size:
        search = Advance(
            _shifted(checker, piece, sweeps.take(other)), floors(required, Tolerance()), ends=True
        )
        course = search.run(other.size)
        result[other] = np.where(course.seen < required, course.seen, course.certified)
    return result


def _distances(checker: Checker, near: Array, far: Array, sweeps: Sweeps) -> Array:
    excluded = (sweeps.excluded.offsets, sweeps.excluded.triangles)
    return checker.segments(near, far, excluded)


def _shifted(checker: Checker, piece: StylusPiece, sweeps: Sweeps) -> IntervalCheck:
    """Judge of shanks that shift across their axes: they move as far as their ball."""
    lengths = np.linalg.norm(sweeps.shifts, axis=1)

    def judge(index: Indices, low: Array, high: Array, floor: Array) -> IntervalVerdict:
        del floor
        still = sweeps.take(index).at(0.5 * (low + high))
        near, far = still.starts - piece.begin * still.axes, still.starts - piece.end * still.axes
        here = _distances(checker, near, far, still) - piece.radius
        return IntervalVerdict(lower=here - 0.5 * (high - low) * lengths[index], here=here)

    return judge
