"""Time-optimal traversal of joint paths, with a proven bound of how much faster a motion can be.

Speeds, accelerations and efforts keep their limits everywhere on the path, not at samples. Jerk is
not limited: the acceleration jumps where another limit takes over, as the trapezoid's does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebvander

from robots.core.arrays import Array, Indices, Mask
from robots.core.errors import MotionError, OverloadError
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_path import JointPath, polynomial_state
from robots.core.motion.phase_plane import BOUND, ROWS, SOLVE, Efforts, Paths, Scratch
from robots.core.rounding import apart_digits

GAP = 5e-3  # to the bound, at which cells are fine enough
# Cells of a piece to begin with: enough for the gap in most paths. Where efforts are limited, of
# a straight one and of a corner, powers of two; those at rest, where friction may have either sign
# and x rises from zero, are halved again.
_FIRST_CELLS = 64
_FIRST_STRAIGHT, _FIRST_CURVED = 32, 128
_HALVED = 3
_AT_ONCE = 8  # paths worked on together: they stay in the processor's cache
_REFINEMENTS = 8
_PARTS = 8  # that a cell is divided into at once
_ROUNDS = 4  # in which √x of viscous friction settles
_OPEN = 1.1  # times a bound of x at coarse nodes: room for x between them
_SETTLED = 1e-4  # relative change of a duration


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Traversal:
    """A path from rest to rest in its least time, as arcs of constant r̈.

    Args:
        path: that is traversed.
        duration: [s]
        shortest: bound of the duration of every motion along the path that keeps the limits. [s]
        piece: of the path that each arc lies in. # (m,)
        place: where each arc starts, from the start of its piece. # (m,)
        rate: ṙ at its start. # (m,) [1/s]
        push: r̈. # (m,) [1/s²]
        seconds: how long it lasts. # (m,) [s]
    """

    path: JointPath
    duration: float
    shortest: float
    piece: Indices
    place: Array
    rate: Array
    push: Array
    seconds: Array

    @property
    def gap(self) -> float:
        """What the duration may be above the least one at most, relative to it."""
        return self.duration / self.shortest - 1.0


def time_optimal(
    paths: Sequence[JointPath],
    limits: JointLimits,
    model: Model | None = None,
    *,
    gap: float = GAP,
) -> list[Traversal]:
    """Traverse paths from rest to rest, each as fast as the limits allow within a proven gap.

    Args:
        paths: each with as many joints as the limits.
        limits: of speed and acceleration, and of efforts where they are finite.
        model: of the robot; needed where an effort is limited.
        gap: relative, to the bound of the least time; cells are made finer until it is kept, or
            until they are as fine as they get.

    Raises:
        MotionError: another number of joints; limited efforts without a model whose masses are
            known.
        OverloadError: an effort limit that does not even bear the robot at rest somewhere.
    """
    for path in paths:
        if path.dof != limits.dof:
            raise MotionError(
                f"The path has {path.dof} joints; there are limits for {limits.dof}.",
                found=path.dof,
                expected=limits.dof,
            )
    limited = bool(np.any(np.isfinite(limits.max_effort)))
    if limited and (model is None or not model.mechanism.masses_known):
        raise MotionError(
            "Efforts are limited but the robot's masses are not known; give a model with masses, "
            "or limits without max_effort."
        )
    model = model if limited else None
    some = [paths[first : first + _AT_ONCE] for first in range(0, len(paths), _AT_ONCE)]
    return [one for part in some for one in _traversed(part, limits, model, gap)]


def _traversed(
    paths: Sequence[JointPath], limits: JointLimits, model: Model | None, gap: float
) -> list[Traversal]:
    """Traverse some paths; efforts count where there is a model."""
    found: dict[int, Traversal] = {}
    limited = model is not None
    waiting = list(range(len(paths)))
    nodes = [_even(path, limited) for path in paths]
    for _ in range(_REFINEMENTS):
        batch = _Batch([paths[k] for k in waiting], limits, model, [nodes[k] for k in waiting])
        for k, traversal in zip(waiting, batch.traversals(gap), strict=True):
            found[k] = traversal
        rough = np.array([found[k].gap > gap for k in waiting], dtype=bool)
        if not np.any(rough):
            break
        waiting = [waiting[k] for k in np.flatnonzero(rough)]
        for k, places in zip(waiting, batch.finer(rough, gap), strict=True):
            nodes[k] = places
    return [found[k] for k in range(len(paths))]


def _even(path: JointPath, limited: bool) -> list[Array]:
    """Cells to begin with. # of each piece: (3, nodes), see ``_Batch``."""
    if limited:
        count = np.where(path.straight, _FIRST_STRAIGHT, _FIRST_CURVED)
    else:
        count = np.where(path.straight, 1, _FIRST_CELLS)
    rests = np.append(path.stops, True)
    found: list[Array] = []
    for p, (h, c) in enumerate(zip(path.length.tolist(), count.tolist(), strict=True)):
        place = np.linspace(0.0, h, c + 1)
        inner = h / c * 0.5 ** np.arange(_HALVED, 0, -1)
        if limited and rests[p]:
            place = np.concatenate([place[:1], inner, place[1:]])
        if limited and rests[p + 1]:
            place = np.concatenate([place[:-1], h - inner[::-1], place[-1:]])
        found.append(np.stack([place, *np.full((2, len(place)), np.nan)]))
    return found


class _Batch:
    """Paths divided into cells, and what they are traversed in.

    Args:
        paths: to be traversed.
        limits: of the joints.
        model: None where no effort is limited.
        nodes: of each path and piece the ends of the cells, from the piece's start; x that is
            near that of the motion, and a bound of it, NaN where they are not known. # (3, nodes)
    """

    def __init__(
        self,
        paths: Sequence[JointPath],
        limits: JointLimits,
        model: Model | None,
        nodes: Sequence[Sequence[Array]],
    ) -> None:
        self._paths, self._limits = paths, limits
        own = [places for one in nodes for places in one]
        self.table = Paths(
            first=np.cumsum([0, *(len(path.length) for path in paths)]),
            length=np.concatenate([path.length for path in paths]),
            powers=np.ascontiguousarray(np.concatenate([path.powers for path in paths])),
            straight=np.concatenate([path.straight for path in paths]).astype(np.int64),
            stops=np.concatenate([path.stops for path in paths]).astype(np.int64),
            cells=np.cumsum([0, *(places.shape[1] - 1 for places in own)]),
            place=np.concatenate([places[0] for places in own]),
        )
        n = limits.dof
        # Of every cell: its piece and path, its first node, its length; of every node: its piece.
        self._piece = np.repeat(np.arange(len(own)), np.diff(self.table.cells))
        self._path = np.repeat(np.arange(len(paths)), np.diff(self.table.first))[self._piece]
        self._node = np.arange(len(self._piece)) + self._piece
        self._h = self.table.place[self._node + 1] - self.table.place[self._node]
        self._piece_of_node = np.repeat(np.arange(len(own)), np.diff(self.table.cells) + 1)
        self.efforts = _no_efforts(n)
        if model is not None:
            self.efforts = _efforts(self.table, model, limits)
        self._scratch = Scratch(
            P=np.zeros((n, 4)),
            Q=np.zeros((n, 3)),
            rows=np.zeros((ROWS * n, 2)),
            wide=np.zeros((4 * n, 14)),
        )
        fastest = self._fastest()
        first = np.concatenate([places[1:] for places in own], axis=1)
        self._near, self._trusted = np.where(np.isnan(first), fastest, first)
        self._above = fastest
        self._x = self._duration = np.zeros(0)
        self._bounds, self._seconds = np.zeros((2, len(fastest))), np.zeros(len(self._piece))

    def finer(self, rough: Mask, gap: float) -> list[list[Array]]:
        """Cells of the paths that are not yet traversed within the gap.

        Cells are divided where they cost most: where r̈ switches, where the bounds of x at nodes
        depart from x, and where those between the nodes are loose.

        Args:
            rough: paths. # (k,) bool
            gap: that is to be reached.
        """
        x0, x1, h = self._x[self._node], self._x[self._node + 1], self._h
        seconds = _seconds(h, x0, x1)
        push = (x1 - x0) / (2.0 * h)
        jump = np.abs(np.diff(push))
        most = np.maximum(np.append(jump, 0.0), np.append(0.0, jump))
        # What of the time a switch inside the cell costs at most, nearly.
        switching = 0.25 * most * h * seconds / np.maximum(np.maximum(x0, x1), _LEAST)
        above = np.min(self._bounds, axis=0)
        ratio = np.where(self._x > 0.0, above / np.where(self._x > 0.0, self._x, 1.0), 1.0)
        growth = ratio[self._node + 1] - ratio[self._node]
        growth[self._bounds[0, self._node] >= self._bounds[1, self._node]] *= -1.0
        lasting = np.bincount(self._piece, weights=seconds)[self._piece]
        doubting = 0.25 * np.maximum(growth, 0.0) * lasting
        budget = (gap * self._duration / np.bincount(self._path))[self._path]
        loose = _seconds(h, above[self._node], above[self._node + 1]) - self._seconds
        ratio = np.maximum(switching, np.maximum(doubting, loose)) / (0.5 * budget)
        exact = (self.table.straight[self._piece] == 1) & (self.efforts.a.size == 0)
        parts = np.clip(np.ceil(np.sqrt(np.maximum(ratio, 0.0))), 1, _PARTS).astype(np.int64)
        parts[exact] = 1
        found: list[list[Array]] = []
        for k in np.flatnonzero(rough):
            own: list[Array] = []
            for p in range(int(self.table.first[k]), int(self.table.first[k + 1])):
                rows = slice(int(self.table.cells[p]), int(self.table.cells[p + 1]))
                count = parts[rows]
                step = np.repeat(h[rows] / count, count)
                inner = np.arange(len(step)) - np.repeat(np.cumsum(count) - count, count)
                old = slice(rows.start + p, rows.stop + p + 1)
                known = self.table.place[old]
                place = np.append(np.repeat(known[:-1], count) + inner * step, known[-1])
                own.append(
                    np.stack(
                        [
                            place,
                            np.interp(place, known, self._x[old]),
                            _OPEN * np.interp(place, known, self._above[old]),
                        ]
                    )
                )
            found.append(own)
        return found

    def traversals(self, gap: float) -> list[Traversal]:
        """Durations, bounds, arcs; as good as the cells allow, or within the gap."""
        k, limits = len(self._paths), self._limits
        nodes = len(self.table.place)
        x, top = np.zeros(nodes), np.zeros(len(self._piece))
        duration, shortest = np.zeros(k), np.zeros(k)
        near, trusted, above, bounds = self._near, self._trusted, self._above, self._bounds
        common = (self.table, limits.max_speed, limits.max_acceleration, self.efforts)
        viscous = bool(np.any(self.efforts.viscous[np.isfinite(self.efforts.limit)] > 0.0))
        for _ in range(_ROUNDS if viscous else 1):
            last = duration.copy()
            SOLVE(*common, self._scratch, near, trusted, x, top, duration)
            if np.any(np.isnan(duration)):
                raise self._overload(int(np.flatnonzero(np.isnan(duration))[0]))
            BOUND(*common, self._scratch, x, above, bounds[0], bounds[1], self._seconds, shortest)
            near, trusted = x.copy(), above
            settled = np.abs(duration - last) <= _SETTLED * duration
            if np.all(settled | (duration <= (1.0 + gap) * shortest)):
                break
        self._x, self._duration = x, duration
        return self._arcs(x, top, duration, shortest)

    def _fastest(self) -> Array:
        """Largest x under the speed limits. # (nodes,)."""
        c, s = self.table.powers[self._piece_of_node], self.table.place[:, None]
        slope = c[:, :, 1] + s * (2.0 * c[:, :, 2] + s * (3.0 * c[:, :, 3] + s * 4.0 * c[:, :, 4]))
        share = np.max(np.abs(slope) / self._limits.max_speed, axis=1)
        return np.asarray(1.0 / np.maximum(share, 1e-6) ** 2)

    def _arcs(self, x: Array, top: Array, duration: Array, shortest: Array) -> list[Traversal]:
        """Motions of the cells: one arc each, or up, along and down on a piece exact in one."""
        table, cells = self.table, len(self._piece)
        h, start, slope = self._h, table.place[self._node], table.powers[self._piece, :, 1]
        x0, x1, peak = x[self._node], x[self._node + 1], top
        r0, rp, r1 = np.sqrt(x0), np.sqrt(peak), np.sqrt(x1)
        exact = (table.straight[self._piece] == 1) & (self.efforts.a.size == 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            most = np.min(self._limits.max_acceleration / np.abs(slope), axis=1)
            rising, falling = (peak - x0) / (2.0 * most), (peak - x1) / (2.0 * most)
            held = np.maximum(h - rising - falling, 0.0)
            place, rate, push, seconds = np.zeros((4, cells, 3))
            place[:, 0], rate[:, 0] = start, r0
            push[:, 0] = np.where(exact, most, (x1 - x0) / (2.0 * h))
            seconds[:, 0] = np.where(exact, (rp - r0) / most, 2.0 * h / (r0 + r1))
            place[:, 1], rate[:, 1] = start + rising, rp
            seconds[:, 1] = np.where(exact, held / rp, 0.0)
            place[:, 2], rate[:, 2], push[:, 2] = start + h - falling, rp, -most
            seconds[:, 2] = np.where(exact, (rp - r1) / most, 0.0)
        kept = seconds > _SLIVER * duration[self._path, None]
        row, _ = np.nonzero(kept)
        ends = np.searchsorted(self._path[row], np.arange(len(duration) + 1))
        piece = (self._piece - table.first[self._path])[row]
        place, rate, push, seconds = (values[kept] for values in (place, rate, push, seconds))
        return [
            Traversal(
                path=self._paths[k],
                duration=float(duration[k]),
                shortest=float(shortest[k]),
                piece=piece[a:b],
                place=place[a:b],
                rate=rate[a:b],
                push=push[a:b],
                seconds=seconds[a:b],
            )
            for k, (a, b) in enumerate(pairwise(ends.tolist()))
        ]

    def _overload(self, k: int) -> OverloadError:
        """Which joint cannot bear the robot at rest, and where."""
        piece = self._piece_of_node
        own = np.flatnonzero((piece >= self.table.first[k]) & (piece < self.table.first[k + 1]))
        limits = self._limits
        borne = np.abs(self.efforts.d[own]) + self.efforts.coulomb
        node, joint = np.unravel_index(np.argmax(borne / limits.max_effort), borne.shape)
        unit = "N" if limits.units[int(joint)] == "m" else "N m"
        path, place = self._paths[k], self.table.place[own[node]]
        s = float((path.starts[piece[own[node]] - self.table.first[k]] + place) / path.span)
        held, allowed = apart_digits(float(borne[node, joint]), float(limits.max_effort[joint]), 4)
        return OverloadError(
            f"No duration keeps the efforts within their limits: joint {limits.names[int(joint)]} "
            f"bears {held} {unit} at the lowest speeds at s = {s:.6g}, its limit is {allowed} "
            f"{unit}; choose another path or posture, or a stronger drive.",
            joint=int(joint),
            name=limits.names[int(joint)],
            s=s,
            static=float(borne[node, joint]),
            limit=float(limits.max_effort[joint]),
            unit=unit,
        )


def _seconds(h: Array, x0: Array, x1: Array) -> Array:
    """Time over cells on which x is linear."""
    return np.asarray(2.0 * h / np.maximum(np.sqrt(x0) + np.sqrt(x1), _LEAST))


_SLIVER = 1e-13  # of a motion
_LEAST = 1e-12  # of x: slower it goes for an instant only


# ---------------------------------------------------------------------------------------- Efforts
# Of each panel, a part of a piece, a, b and d are taken at Chebyshev's places. The polynomial
# through them gives the nodes' values and bounds of second derivatives, by which a function leaves
# its chord over a cell by h²/8 times at most. They are entire functions of r: coefficients fall
# ever faster, and the last ones tell how much is left out. Panels are halved until that is next to
# nothing.

_PLACES = 24
_TAIL = 3  # last coefficients
_RESOLVED = 1e-11  # relative, of these, where a panel is narrow enough
_LEFT_OUT = 100.0  # times these: more than was ever left out, above rounding
_MOST_PANELS = _FIRST_STRAIGHT  # of a piece: its cells lie in one panel each


def _no_efforts(n: int) -> Efforts:
    none = np.zeros((0, n))
    zero = np.zeros(n)
    return Efforts(
        a=none,
        b=none,
        d=none,
        slack=np.zeros((0, 3, n)),
        viscous=zero,
        coulomb=zero,
        limit=np.full(n, np.inf),
    )


def _efforts(table: Paths, model: Model, limits: JointLimits) -> Efforts:
    n = limits.dof
    panels, coefficients, rest = _resolved(table, model)
    # Every cell by the polynomials of its panel; the one at its end may be the next panel's.
    piece = np.repeat(np.arange(len(panels)), np.diff(table.cells))
    node = np.arange(len(piece)) + piece
    ends = table.place[node], table.place[node + 1]
    width = (table.length / panels)[piece]
    number = np.floor(0.5 * (ends[0] + ends[1]) / width)
    panel = (np.cumsum(panels) - panels)[piece] + number.astype(np.int64)
    z = [2.0 * (place / width - number) - 1.0 for place in ends]
    T = [chebvander(place, _PLACES - 1) for place in z]
    borders = np.searchsorted(panel, np.arange(len(coefficients) + 1))
    value, bend = np.empty((2, 2, len(piece), 3 * n))
    for end in range(2):
        second = T[end] @ _SECOND
        for c, (a, b) in zip(coefficients, pairwise(borders.tolist()), strict=True):
            np.matmul(T[end][a:b], c, out=value[end, a:b])
            np.matmul(second[a:b], c, out=bend[end, a:b])
    at_node = np.empty((len(table.place), 3 * n))
    at_node[node + 1], at_node[node] = value[1], value[0]
    share = np.square(z[1] - z[0])[:, None] / 8.0
    fourth = np.einsum("k,pkc->pc", _FOURTH, np.abs(coefficients))[panel]
    slack = share * (np.max(np.abs(bend), axis=0) + share * fourth) + rest[panel]
    return Efforts(
        a=np.ascontiguousarray(at_node[:, :n]),
        b=np.ascontiguousarray(at_node[:, n : 2 * n]),
        d=np.ascontiguousarray(at_node[:, 2 * n :]),
        slack=np.ascontiguousarray(slack.reshape(-1, 3, n)),
        viscous=np.array([joint.viscous for joint in model.mechanism.movable]),
        coulomb=np.array([joint.coulomb for joint in model.mechanism.movable]),
        limit=np.array(limits.max_effort),
    )


def _resolved(table: Paths, model: Model) -> tuple[Indices, Array, Array]:
    """Coefficients of a, b and d on panels, equal parts of the pieces.

    Returns:
        How many panels each piece has, a power of two; coefficients (panels, K, 3n); what they
        leave out, by the size of the last ones (panels, 3n).
    """
    n = table.powers.shape[1]
    z, to_coefficients = _chebyshev()
    panels = np.ones(len(table.length), dtype=np.int64)
    while True:
        owner = np.repeat(np.arange(len(panels)), panels)
        number = np.arange(len(owner)) - (np.cumsum(panels) - panels)[owner]
        width = (table.length / panels)[owner]
        place = width[:, None] * (number[:, None] + 0.5 * (z + 1.0))
        path = polynomial_state(np.repeat(table.powers[owner], len(z), axis=0), place.ravel())
        still = np.zeros_like(path.q)
        weight = model.torques(path.q, still, still)
        a = model.torques(path.q, still, path.dq) - weight
        # Friction is odd in the speed.
        both = [model.torques(path.q, sign * path.dq, path.ddq) for sign in (1.0, -1.0)]
        values = np.concatenate([a, 0.5 * (both[0] + both[1]) - weight, weight], axis=1)
        c = np.matmul(to_coefficients, values.reshape(len(owner), _PLACES, 3 * n))
        sizes = np.abs(c).reshape(len(owner), _PLACES, 3, n)
        tail = np.sum(sizes[:, -_TAIL:], axis=1)
        largest = np.max(sizes, axis=(0, 1, 3))[:, None]
        rough = np.unique(owner[np.any(tail > _RESOLVED * largest, axis=(1, 2))])
        rough = rough[panels[rough] < _MOST_PANELS]
        if rough.size == 0:
            return panels, c, _LEFT_OUT * tail.reshape(-1, 3 * n)
        panels[rough] *= 2


_ORDERS = np.arange(_PLACES, dtype=np.float64)
# The fourth derivative of T_k is nowhere larger than at 1.
_FOURTH: Array = _ORDERS**2 * (_ORDERS**2 - 1.0) * (_ORDERS**2 - 4.0) * (_ORDERS**2 - 9.0) / 105.0
# From coefficients to those of the second derivative, as a matrix on the right of T_k's values.
_SECOND: Array = np.pad(chebder(np.eye(_PLACES), 2), ((0, 2), (0, 0)))


@cache
def _chebyshev() -> tuple[Array, Array]:
    """Places in [-1, 1], and the matrix from values there to coefficients."""
    angle = (2.0 * np.arange(_PLACES) + 1.0) * np.pi / (2 * _PLACES)
    weights = np.full(_PLACES, 2.0 / _PLACES)
    weights[0] = 1.0 / _PLACES
    orders = np.arange(_PLACES)[:, None]
    return np.cos(angle), weights[:, None] * np.cos(orders * angle)
