"""Clearance between the moving robot and everything around it: exact, and bounded nearby.

The robot is its bodies: a capsule, that is an axis with a radius, and what has been told more
closely lies in a convex piece as well. Solids are triangles, closed ones with an inside, so a body
that is swallowed whole is found although it meets no triangle. A distance field answers for most
capsules; an exact search in a tree of triangles for those it leaves in doubt, and for the pieces of
those that come too near.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from planner.clearance.links import Links, Spread
from planner.clearance.surroundings import (
    BodyPair,
    Motions,
    Nearest,
    PostureBounds,
    SolidGroup,
)
from planner.job.solids import Cell, Solid
from robots.core.arrays import Array, Indices, Mask
from robots.core.errors import StateError
from robots.core.model import Model

STYLUS = ("stylus ball", "stylus shank")
CHUNK = 2048  # postures at once; bounds the memory, and is what threads share


class Checker:
    """Clearance of a robot in its cell.

    Base capsules are not checked against solids: neither moves.

    Args:
        model: of the robot; its mechanism holds the capsules and the pairs of them.
        cell: what stands around it.
        threads: processor cores to use; results do not depend on it.

    Attributes:
        pairs: every moving capsule with every solid, then the self pairs.
        part: the solids that are the part; None where there is none.
    """

    def __init__(self, model: Model, cell: Cell, *, threads: int = 2) -> None:
        mechanism = model.mechanism
        self._dof, self._threads = model.dof, threads
        self._links = Links(mechanism)
        names = [capsule.name for capsule in mechanism.capsules]
        moving = np.flatnonzero(self._links.carriers >= 0)
        stylus = np.array([name in STYLUS for name in names], dtype=bool)
        self._bodies, self._others = moving[~stylus[moving]], moving
        part = cell.part
        pairs: list[BodyPair] = []
        places = np.full((len(names), len(cell.solids)), -1, dtype=np.int64)
        for c in moving.tolist():
            for s, solid in enumerate(cell.solids):
                places[c, s] = len(pairs)
                touching = bool(stylus[c]) and solid is part
                pairs.append(BodyPair(moving=names[c], against=solid.name, touching=touching))
        self._first_self = len(pairs)
        for a, b in mechanism.self_pairs:
            pairs.append(BodyPair(moving=names[a], against=names[b], touching=False))
        self.pairs = tuple(pairs)
        self.part = self._group([s for s in cell.solids if s is part], cell, places)
        self._rest = self._group([s for s in cell.solids if s is not part], cell, places)

    def _group(self, solids: list[Solid], cell: Cell, places: Indices) -> SolidGroup | None:
        columns = [k for k, solid in enumerate(cell.solids) if solid in solids]
        if not columns:
            return None
        return SolidGroup(solids, np.ascontiguousarray(places[:, columns]))

    @property
    def empty(self) -> bool:
        """Whether there is nothing to check."""
        return not self.pairs

    def collides(self, q: Array, required: float = 0.0, *, touching: bool = True) -> Mask:
        """Whether some pair comes nearer than required; a swallowed capsule does.

        Args:
            q: postures. # (m, n) [rad or m]
            required: clearance, zero or more. [m]
            touching: whether the pairs of the stylus and the part count.

        Returns:
            # (m,)

        Raises:
            StateError: an array of another shape, or a number that is not finite.
        """
        q = checked_rows("q", q, self._dof)
        required = checked_required(required)
        found = np.zeros(len(q), dtype=np.uint8)

        def look(rows: slice) -> None:
            bodies = self._links.bodies(self._links.transforms(q[rows]))
            for group, capsules in self._looks(touching):
                group.collide(bodies, capsules, required, found[rows])
            if len(self._links.pairs):
                self._links.collide(bodies, required, found[rows])

        self._each(len(q), look)
        return found.astype(bool)

    def nearest(self, q: Array, *, touching: bool = True) -> Nearest:
        """The nearest approach of every posture over all pairs.

        Args:
            q: postures. # (m, n) [rad or m]
            touching: whether the pairs of the stylus and the part count.

        Raises:
            StateError: an array of another shape, or a number that is not finite.
        """
        q = checked_rows("q", q, self._dof)
        best = _nothing_near(len(q))

        def look(rows: slice) -> None:
            some = Nearest(value=best.value[rows], pair=best.pair[rows], place=best.place[rows])
            self._improve(some, self._links.transforms(q[rows]), touching)

        self._each(len(q), look)
        return best

    def _improve(self, best: Nearest, transforms: Array, touching: bool) -> None:
        """Improve the nearest approaches of postures by the poses of all their links, in place."""
        bodies = self._links.bodies(transforms)
        if len(self._links.pairs):
            found = (best.value, best.pair, best.place)
            self._links.nearest(bodies, self._first_self, found)
        for group, capsules in self._looks(touching):
            group.nearest(bodies, capsules, best)

    def bounds(
        self,
        q: Array,
        spread: Array,
        floor: Array,
        *,
        along: Array | None = None,
        touching: bool = True,
    ) -> PostureBounds:
        """What is proven of every posture whose joints are within ±spread of q.

        Args:
            q: postures. # (m, n) [rad or m]
            spread: of every joint, zero or more. # (m, n) [rad or m]
            floor: clearance that is enough: what reaches it is not looked at closer; may be
                infinite. # (m,) [m]
            along: where the joints go together, at most the spread: only postures within
                |t|·(spread - |along|) of q + t·along count, for t in [-1, 1]. # (m, n) [rad or m]
            touching: whether the pairs of the stylus and the part count.

        Raises:
            StateError: an array of another shape, or a number that is not finite.
        """
        q = checked_rows("q", q, self._dof)
        spread = checked_rows("spread", spread, self._dof, len(q))
        along = np.zeros_like(q) if along is None else along
        along = checked_rows("along", along, self._dof, len(q))
        floor = checked_floor(floor, len(q))
        if not np.any(spread):  # the distance itself, which is not searched twice then
            found = self.nearest(q, touching=touching)
            return PostureBounds(lower=found.value, here=found.value.copy(), pair=found.pair)
        lower, here = np.full(len(q), np.inf), np.full(len(q), np.inf)
        pair = np.full(len(q), -1, dtype=np.int64)

        def look(rows: slice) -> None:
            transforms = self._links.transforms(q[rows])
            bodies = self._links.bodies(transforms)
            strays = Spread(most=spread[rows], along=along[rows])
            motion, between = self._links.motion(transforms, bodies.axes, strays)
            found = (lower[rows], pair[rows], here[rows])
            if len(self._links.pairs):
                self._links.lower(bodies, (between, strays, floor[rows]), found)
                pair[rows] += self._first_self
            motions = Motions(
                joints=self._links.joints,
                spread=strays,
                capsules=motion,
                floors=floor[rows],
            )
            for group, capsules in self._looks(touching):
                group.lower(bodies, capsules, motions, found)
            close = np.flatnonzero(lower[rows] < floor[rows])
            if close.size:
                best = _nothing_near(close.size)
                self._improve(best, transforms[close], touching)
                here[rows.start + close] = best.value

        self._each(len(q), look)
        return PostureBounds(lower=lower, here=here, pair=pair)

    def segments(self, starts: Array, ends: Array, excluded: tuple[Indices, Indices]) -> Array:
        """Distances of bare segments from the skin of the part, some triangles left out.

        Args:
            starts: Base frame. # (m, 3) [m]
            ends: Base frame. # (m, 3) [m]
            excluded: offsets (m + 1,) into the triangles of the part's mesh (k,) that are left out:
                those from offset i to offset i + 1 for segment i.

        Returns:
            Zero where the segment meets the skin, ``inf`` where nothing is left. # (m,) [m]

        Raises:
            StateError: an array of another shape, or a number that is not finite.
        """
        starts = checked_rows("starts", starts, 3)
        ends = checked_rows("ends", ends, 3, len(starts))
        if self.part is None:
            return np.full(len(starts), np.inf)
        offsets, triangles = checked_excluded(excluded, len(starts), self.part.triangles)
        axes = np.concatenate([starts, ends - starts], axis=1)
        return self.part.segments(axes, offsets, triangles)

    def _looks(self, touching: bool) -> list[tuple[SolidGroup, Indices]]:
        """Groups of solids with the capsules that are checked against them."""
        looks = (
            (self.part, self._others if touching else self._bodies),
            (self._rest, self._others),
        )
        return [(group, capsules) for group, capsules in looks if group and capsules.size]

    def _each(self, count: int, look: Callable[[slice], None]) -> None:
        """Look at all rows, chunk by chunk, in threads where there is more than one."""
        chunks = [slice(k, min(k + CHUNK, count)) for k in range(0, count, CHUNK)]
        if self._threads < 2 or len(chunks) < 2:
            for rows in chunks:
                look(rows)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(look, chunks))


def _nothing_near(count: int) -> Nearest:
    return Nearest(
        value=np.full(count, np.inf),
        pair=np.full(count, -1, dtype=np.int64),
        place=np.zeros((count, 3)),
    )


def checked_rows(name: str, values: object, width: int, count: int | None = None) -> Array:
    """Finite numbers in C order. # (count, width).

    Raises:
        StateError: another shape, or a number that is not finite.
    """
    rows = np.ascontiguousarray(values, dtype=np.float64)
    expected = ("m" if count is None else count, width)
    if rows.ndim != 2 or rows.shape[1] != width or count not in (None, len(rows)):
        raise StateError(
            f"{name} has shape {rows.shape}; expected ({expected[0]}, {expected[1]}).",
            argument=name,
            found=rows.shape,
            expected=expected,
        )
    bad = ~np.isfinite(rows).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise StateError(
            f"Row {row} of {name} is {rows[row].tolist()} ({int(bad.sum())} such rows in all); "
            "expected finite numbers.",
            argument=name,
            row=row,
            found=rows[row].tolist(),
        )
    return rows


def checked_floor(values: object, count: int) -> Array:
    """Numbers that may be infinite. # (count,).

    Raises:
        StateError: another shape, or NaN.
    """
    floor = np.ascontiguousarray(values, dtype=np.float64)
    if floor.shape != (count,) or np.isnan(floor).any():
        raise StateError(
            f"floor has shape {floor.shape} and {int(np.isnan(floor).sum())} NaN; expected "
            f"({count},) and none.",
            argument="floor",
            found=floor.shape,
            expected=(count,),
        )
    return floor


def checked_required(required: float) -> float:
    """A clearance of zero or more.

    Raises:
        StateError: it is less, or not finite.
    """
    if not (np.isfinite(required) and required >= 0.0):
        raise StateError(
            f"The required clearance is {required!r} m; it must be finite, zero or more.",
            argument="required",
            found=required,
        )
    return float(required)


def checked_excluded(
    excluded: tuple[Indices, Indices], count: int, triangles: int
) -> tuple[Indices, Indices]:
    """Offsets (count + 1,) and the triangles between them.

    Raises:
        StateError: offsets that do not rise from 0 to the end, or a triangle that does not exist.
    """
    offsets, items = (np.ascontiguousarray(part, dtype=np.int64) for part in excluded)
    rising = offsets.shape == (count + 1,) and bool((np.diff(offsets) >= 0).all())
    if not rising or items.ndim != 1 or offsets[0] != 0 or offsets[-1] != len(items):
        raise StateError(
            f"The offsets of the triangles left out have shape {offsets.shape}; expected "
            f"{count + 1} that rise from 0 to the number of triangles, {items.size}.",
            argument="excluded",
            found=offsets.shape,
        )
    if items.size and not (items.min() >= 0 and items.max() < triangles):
        raise StateError(
            f"A triangle left out is {int(items.min())} or {int(items.max())}; the part has 0 to "
            f"{triangles - 1}.",
            argument="excluded",
            limit=triangles - 1,
        )
    return offsets, items
