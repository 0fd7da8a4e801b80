"""Time-optimal traversal of joint paths, with a proven bound of how much faster a motion can be.

Speeds, accelerations and efforts keep their limits everywhere on the path, not at samples. Jerk is
not limited: the acceleration jumps where another limit takes over, as the trapezoid's does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from threading import local
from typing import NamedTuple

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.errors import MotionError, OverloadError
from robots.core.kernels.loop import Loop
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_path import JointPath
from robots.core.motion.path_cells import NODES, Nodes, finer_cells, first_cells, seconds_of
from robots.core.motion.path_efforts import PANELS, Panels, fill
from robots.core.motion.phase_plane import (
    EFFORTS,
    PIECES,
    ROWS,
    SCRATCH,
    SHAPES,
    Efforts,
    Pieces,
    Scratch,
    Shapes,
    bound,
    shape,
    solve,
)
from robots.core.rounding import apart_digits

GAP = 5e-3  # to the bound, at which cells are fine enough
_REFINEMENTS = 8
_BEARABLE = 2  # refinements after which an effort that no cell could bear is none to be borne
_FEW, _SPARED = 128, 0.4  # cells of a path; part of the gap that is asked of it then
_PREDICTED = 2.6  # times the gap: what losses say is more than the gap becomes
_MISSED = 0.7  # of that, where it was not kept for once
_ROUNDS = 4  # in which √x of viscous friction settles
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
    return [_traversed(path, limits, model, gap) for path in paths]


def _traversed(path: JointPath, limits: JointLimits, model: Model | None, gap: float) -> Traversal:
    """Traverse a path; efforts count where there is a model."""
    panels = Panels.none(path) if model is None else Panels.of(path, model)
    pieces = Pieces(
        length=path.length,
        powers=path.powers,
        straight=path.straight.astype(np.int64),
        stops=path.stops.astype(np.int64),
        cells=np.empty(len(path.length) + 1, dtype=np.int64),
        place=np.empty(0),
    )
    nodes = 0
    while True:
        room = _MEMORY.room(path.dof, nodes, limited=model is not None)
        pieces, efforts = pieces._replace(place=room.place), room.efforts
        if model is not None:
            efforts = efforts._replace(
                viscous=np.array([joint.viscous for joint in model.mechanism.movable]),
                coulomb=np.array([joint.coulomb for joint in model.mechanism.movable]),
                limit=limits.max_effort,
            )
        times, counts = np.zeros(2), np.zeros(2, dtype=np.int64)
        TRAVERSE(
            pieces,
            panels,
            limits.max_speed,
            limits.max_acceleration,
            gap,
            efforts,
            room.shapes,
            room.scratch,
            room.nodes,
            room.arcs,
            times,
            counts,
        )
        nodes = int(counts[0])
        if nodes <= len(room.place):
            break
    if math.isnan(times[0]):
        raise _overload(path, pieces, efforts, limits)
    arcs, count = room.arcs, int(counts[1])
    return Traversal(
        path=path,
        duration=float(times[0]),
        shortest=float(times[1]),
        piece=arcs.piece[:count].copy(),
        place=arcs.place[:count].copy(),
        rate=arcs.rate[:count].copy(),
        push=arcs.push[:count].copy(),
        seconds=arcs.seconds[:count].copy(),
    )


def traverse(
    pieces: Pieces,
    panels: Panels,
    speed: Array,
    acceleration: Array,
    gap: float,
    efforts: Efforts,
    shapes: Shapes,
    scratch: Scratch,
    nodes: Nodes,
    arcs: Arcs,
    times: Array,
    counts: Indices,
) -> None:
    """Traverse a path as well as a gap wants, on ever finer cells.

    Args:
        pieces: to be traversed from rest to rest; their cells are filled.
        panels: of the efforts; none where no effort is limited.
        speed: limits. # (n,)
        acceleration: limits. # (n,)
        gap: relative, to the bound of the duration.
        efforts: with their limits; filled, and empty where none is limited.
        shapes: working memory.
        scratch: working memory.
        nodes: working memory.
        arcs: filled with the motion.
        times: filled with the duration and its bound; NaN where an effort cannot be borne at rest.
            # (2,) [s]
        counts: filled with the number of nodes, and of arcs; where there is no room for as many
            nodes nothing else is filled. # (2,)
    """
    limited = efforts.a.size > 0
    viscous = False
    for j in range(efforts.limit.size):
        viscous = viscous or (efforts.limit[j] < math.inf and efforts.viscous[j] > 0.0)
    size = first_cells(pieces, panels.first, nodes)
    predicted = _PREDICTED
    for refinement in range(_REFINEMENTS):
        counts[0] = size
        if size > pieces.place.size:
            return
        shape(pieces, speed, shapes, nodes.above)
        if limited:
            fill(pieces, panels, scratch.ends, efforts)
        for node in range(size):
            nodes.near[node] = min(nodes.near[node], nodes.above[node])
            nodes.trusted[node] = min(nodes.trusted[node], nodes.above[node])
        last = 0.0
        for again in range(_ROUNDS if viscous else 1):
            near, trusted = nodes.near, nodes.trusted if again == 0 else nodes.above
            x, top, forward, backward = nodes.x, nodes.top, nodes.forward, nodes.backward
            times[0] = solve(
                pieces,
                speed,
                acceleration,
                efforts,
                shapes,
                scratch,
                near,
                trusted,
                x,
                top,
            )
            times[1] = bound(
                pieces,
                speed,
                acceleration,
                efforts,
                shapes,
                scratch,
                x,
                nodes.above,
                forward,
                backward,
                nodes.seconds,
            )
            solved = not math.isnan(times[0])
            if not solved or times[0] <= (1.0 + gap) * times[1]:
                break
            if abs(times[0] - last) <= _SETTLED * times[0]:
                break
            last = times[0]
            for node in range(size):
                near[node] = x[node]
        if not solved and refinement >= _BEARABLE:
            return
        # Few cells may be finer at little cost.
        few = size - pieces.length.size < _FEW
        goal = _SPARED * gap if few else gap
        if refinement == _REFINEMENTS - 1 or times[0] <= (1.0 + goal) * times[1]:
            break
        budget = predicted * goal * times[1]
        size = finer_cells(pieces, nodes, not limited, solved, times[1], budget)
        predicted *= _MISSED
    counts[1] = _fill_arcs(pieces, acceleration, not limited, nodes, times[0], arcs)


def _fill_arcs(
    pieces: Pieces, acceleration: Array, whole: bool, nodes: Nodes, duration: float, arcs: Arcs
) -> int:
    """Fill in an arc of each cell; up, along and down on straight pieces that are exact in one."""
    count, least = 0, _SLIVER * duration
    for cell in range(pieces.cells[pieces.length.size]):
        p = nodes.piece[cell]
        node = cell + p
        start, x0, x1 = pieces.place[node], nodes.x[node], nodes.x[node + 1]
        h = pieces.place[node + 1] - start
        if not (whole and pieces.straight[p]):
            push, seconds = 0.5 * (x1 - x0) / h, seconds_of(h, x0, x1)
            count += _fill_arc(arcs, count, p, start, math.sqrt(x0), push, seconds, least)
            continue
        most, peak = math.inf, nodes.top[cell]
        for j in range(acceleration.size):
            slope = abs(pieces.powers[p, j, 1])
            if slope > 0.0:
                most = min(most, acceleration[j] / slope)
        rising, falling, rate = 0.5 * (peak - x0) / most, 0.5 * (peak - x1) / most, math.sqrt(peak)
        r0, r1 = math.sqrt(x0), math.sqrt(x1)
        held = max(h - rising - falling, 0.0) / rate
        count += _fill_arc(arcs, count, p, start, r0, most, (rate - r0) / most, least)
        count += _fill_arc(arcs, count, p, start + rising, rate, 0.0, held, least)
        place = start + h - falling
        count += _fill_arc(arcs, count, p, place, rate, -most, (rate - r1) / most, least)
    return count


def _fill_arc(
    arcs: Arcs,
    row: int,
    piece: int,
    place: float,
    rate: float,
    push: float,
    seconds: float,
    least: float,
) -> int:
    """1 of an arc, 0 of a sliver, which the next one overwrites."""
    arcs.piece[row], arcs.place[row], arcs.rate[row] = piece, place, rate
    arcs.push[row], arcs.seconds[row] = push, seconds
    return 1 if seconds > least else 0


def _overload(
    path: JointPath, pieces: Pieces, efforts: Efforts, limits: JointLimits
) -> OverloadError:
    """Which joint cannot bear the robot at rest, and where."""
    size = int(pieces.cells[-1]) + len(pieces.length)
    borne = np.abs(efforts.d[:size]) + efforts.coulomb
    node, joint = np.unravel_index(np.argmax(borne / limits.max_effort), borne.shape)
    unit = "N" if limits.units[int(joint)] == "m" else "N m"
    piece = np.repeat(np.arange(len(pieces.length)), np.diff(pieces.cells) + 1)
    s = float((path.starts[piece[node]] + pieces.place[node]) / path.span)
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


class Arcs(NamedTuple):
    """Arcs of constant r̈, as a traversal has them; one per cell, or three. # (arcs,) each."""

    piece: Indices
    place: Array
    rate: Array
    push: Array
    seconds: Array


class _Room(NamedTuple):
    """Memory for the nodes of a path; what is filled counts, not what there is."""

    place: Array
    efforts: Efforts
    shapes: Shapes
    scratch: Scratch
    nodes: Nodes
    arcs: Arcs

    @classmethod
    def of(cls, n: int, nodes: int, *, limited: bool) -> _Room:
        """For so many joints and nodes, with limits of effort or without."""
        most, zero = nodes if limited else 0, np.zeros(n)
        return cls(
            place=np.empty(nodes),
            efforts=Efforts(
                a=np.empty((most, n)),
                b=np.empty((most, n)),
                d=np.empty((most, n)),
                slack=np.empty((most, 3 * n)),
                reach=np.empty((most, 3 * n)),
                viscous=zero,
                coulomb=zero,
                limit=np.full(n, np.inf),
            ),
            shapes=Shapes(
                P=np.empty((nodes, n, 4)), Q=np.empty((nodes, n, 3)), ranges=np.empty((nodes, n, 3))
            ),
            scratch=Scratch(
                rows=np.empty((ROWS * n, 2)),
                source=np.empty(ROWS * n, dtype=np.int64),
                made=np.empty(3 * n, dtype=np.int64),
                needed=np.empty(3 * n + 1, dtype=np.int64),
                wide=np.empty((4 * n * nodes, 14)),
                kept=np.empty((nodes, 2), dtype=np.int64),
                falls=np.empty(nodes),
                push=np.empty(nodes),
                ends=np.empty((4, 3 * n)),
            ),
            nodes=Nodes(
                near=np.empty(nodes),
                trusted=np.empty(nodes),
                above=np.empty(nodes),
                x=np.empty(nodes),
                forward=np.empty(nodes),
                backward=np.empty(nodes),
                top=np.empty(nodes),
                seconds=np.empty(nodes),
                piece=np.empty(nodes, dtype=np.int64),
                parts=np.empty(nodes, dtype=np.int64),
                losses=np.empty(nodes),
                clock=np.empty(nodes + 1),
                finer=np.empty((3, nodes)),
            ),
            arcs=Arcs(np.empty(3 * nodes, dtype=np.int64), *np.empty((4, 3 * nodes))),
        )


class _Memory(local):
    """Rooms of each thread, kept: the system would clear their memory for every path again."""

    def __init__(self) -> None:
        self._rooms: dict[tuple[int, bool], _Room] = {}

    def room(self, n: int, nodes: int, *, limited: bool) -> _Room:
        """For as many nodes at least."""
        room = self._rooms.get((n, limited))
        if room is None or len(room.place) < nodes:
            size = max(_FIRST_ROOM, 2 * nodes)
            room = self._rooms[n, limited] = _Room.of(n, size, limited=limited)
        return room


_MEMORY = _Memory()
_FIRST_ROOM = 2048  # nodes
_SLIVER = 1e-13  # of a motion
_ARCS = "(i8[1] f8[1] f8[1] f8[1] f8[1])"
TRAVERSE = Loop(
    traverse,
    f"{PIECES} {PANELS} f8[1] f8[1] f8 {EFFORTS} {SHAPES} {SCRATCH} {NODES} {_ARCS} f8[1] i8[1]",
)
