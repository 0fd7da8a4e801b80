"""Paths over a clearance plane and around a clearance cube: lift, cross, lower."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model

# What a stylus that turns on its way may need beyond the plane or cube. [m]
_HIGHER = (0.0, 0.05, 0.1, 0.2)
_FACES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]], float)
_TOP = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tries:
    """One way for each of many travels, to be judged.

    Args:
        routes: postures, ends included. # (k, w, n) [rad]
        possible: whether every posture was found. # (k,)
    """

    routes: Array
    possible: Mask


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ends:
    """Both ends of travels that need a detour.

    Args:
        starts: # (k, n) [rad]
        ends: # (k, n) [rad]
    """

    starts: Array
    ends: Array

    def take(self, chosen: Indices) -> Ends:
        """Some of them, in the order given."""
        return Ends(starts=self.starts[chosen], ends=self.ends[chosen])


def over_plane(model: Model, travels: Ends, height: float) -> Iterator[Tries]:
    """Ways over a plane, the nearest first.

    Args:
        model: of the robot.
        travels: their ends.
        height: of the plane. Base z. [m]
    """
    for more in _HIGHER:
        yield from over_height(model, travels, height + more)


def over_height(model: Model, travels: Ends, height: float | Array) -> Iterator[Tries]:
    """Ways over a height, or one of each travel: straight in the joints, then lifted in stages."""
    led = [_lifted(model, q, height) for q in (travels.starts, travels.ends)]
    yield from _both_ways(travels, led[0], led[1], np.zeros((0, *travels.starts.shape)))


def around_cube(model: Model, travels: Ends, low: Array, high: Array) -> Iterator[Tries]:
    """Ways around a box: out through the nearest faces, over edges where these differ.

    Args:
        model: of the robot.
        travels: their ends.
        low: least corner of the box. Base frame. # (3,) [m]
        high: greatest corner. # (3,) [m]
    """
    tips = [tips_of(model, q) for q in (travels.starts, travels.ends)]
    for more in _HIGHER:
        box = np.concatenate([high + more, -(low - more)])  # reach of each face along its normal
        nearest = [np.argmin(_gaps(box, tip.position), axis=1) for tip in tips]
        top = [np.full_like(face, _TOP) for face in nearest]
        for faces in (nearest, top):
            led = [
                lead(model, q, _out(box, tip, face))
                for q, tip, face in zip((travels.starts, travels.ends), tips, faces, strict=True)
            ]
            none = np.zeros((0, *travels.starts.shape))
            yield from _both_ways(travels, led[0], led[1], none)
            if faces is nearest:
                for third in (_TOP, 0, 1, 3, 4):
                    yield from _by_edges(model, travels, led, _Turn(box, faces, third))


def _lifted(model: Model, q: Array, height: float | Array) -> Led:
    """Raised along the base's z, the stylus held; what is higher already stays."""
    tips = tips_of(model, q)
    position = tips.position.copy()
    position[:, 2] = np.maximum(position[:, 2], height)
    return lead(model, q, Tips(position=position, axis=tips.axis))


def _both_ways(travels: Ends, out: Led, back: Led, between: Array) -> Iterator[Tries]:
    """Straight in the joints to the far ends of the lifts; then through all their stages."""
    possible = out.arrived & back.arrived
    for stages in (slice(-1, None), slice(None)):
        parts = [
            travels.starts[None],
            out.q[stages],
            between,
            back.q[stages][::-1],
            travels.ends[None],
        ]
        yield Tries(routes=np.swapaxes(np.concatenate(parts), 0, 1), possible=possible)


def _gaps(box: Array, position: Array) -> Array:
    """From places to the faces of a box, negative outside. # (m, 3) -> (m, 6)."""
    return np.asarray(box - position @ _FACES.T)


def _out(box: Array, tips: Tips, face: Indices) -> Tips:
    """Moved out to a face along its normal; what is beyond it stays."""
    gap = np.maximum(_gaps(box, tips.position)[np.arange(len(face)), face], 0.0)
    return Tips(position=tips.position + gap[:, None] * _FACES[face], axis=tips.axis)


@dataclass(frozen=True, slots=True)
class _Turn:
    """From the face of one end to that of the other, over a third face where it is needed."""

    box: Array
    faces: list[Indices]
    third: int

    @property
    def wanted(self) -> Mask:
        """Travels whose faces differ and for which the third face is a new way."""
        first, last = self.faces
        opposite = first % 3 == last % 3
        lateral = self.third % 3 != first % 3
        return np.asarray((first != last) & np.where(opposite, lateral, self.third == _TOP))

    def edge(self, position: Array, face: Indices, beside: Indices) -> Array:
        """Nearest place on the edge of two faces, or on the face where they are one. # (m, 3)."""
        place = position.copy()
        rows = np.arange(len(position))
        for side in (face, beside):
            axis = side % 3
            place[rows, axis] = np.sum(_FACES[side] * self.box[side, None], axis=1)
        return place


def _by_edges(model: Model, travels: Ends, led: list[Led], turn: _Turn) -> Iterator[Tries]:
    """Over the edge of two faces that meet; of two that are opposite, over a third face."""
    wanted = turn.wanted
    if not np.any(wanted):
        return
    first, last = turn.faces
    opposite = first % 3 == last % 3
    over = np.where(opposite, turn.third, last)
    ends = [tips_of(model, part.end) for part in led]
    middle = 0.5 * (ends[0].position + ends[1].position)
    places = [turn.edge(middle, first, over), turn.edge(middle, over, last)]
    places[1] = np.where(opposite[:, None], places[1], places[0])
    axes = [(1.0 - share) * ends[0].axis + share * ends[1].axis for share in (0.5, 0.75)]
    lengths = [np.linalg.norm(axis, axis=1, keepdims=True) for axis in axes]
    q, found, arrived = led[0].end, [], wanted.copy()
    for place, axis, length in zip(places, axes, lengths, strict=True):
        step = lead(model, q, Tips(position=place, axis=axis / np.maximum(length, 1e-3)))
        q = step.end
        arrived &= step.arrived
        found.append(q)
    for tries in _both_ways(travels, led[0], led[1], np.stack(found)):
        yield Tries(routes=tries.routes, possible=tries.possible & arrived)


# ----------------------------------------------------------------------------------------- Leading
# Newton steps from the posture itself, in a few stages along the way, work for every robot and stay
# on its branch. A robot with joints to spare moves them as little as it can.

_STAGES = 4
_STEPS = 6  # Newton steps in each stage
_DAMPING = 1e-5  # [m] or [rad] per radian: far below the Jacobian of any posture worth leading to
_ARRIVED = 1e-7  # [m] and [rad]: what is left where a posture counts as found
_LARGEST_STEP = 0.3  # [rad or m] of any joint; a longer one has left the branch


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Led:
    """Postures on the way to targets.

    Args:
        q: after each stage; the last one is at the target. # (stages, m, n) [rad]
        arrived: whether every stage was reached. # (m,)
    """

    q: Array
    arrived: Mask

    @property
    def end(self) -> Array:
        """Postures at the targets. # (m, n)."""
        return np.asarray(self.q[-1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tips:
    """Where the ball is and where the stylus points.

    Args:
        position: ball centres. Base frame. # (m, 3) [m]
        axis: from wrist to ball. # (m, 3)
    """

    position: Array
    axis: Array


def tips_of(model: Model, q: Array) -> Tips:
    """Ball and stylus of postures. # (m, n)."""
    T = model.forward(q)
    return Tips(position=T[..., :3, 3], axis=T[..., :3, 2])


def lead(model: Model, q: Array, target: Tips) -> Led:
    """Lead postures to targets along straight lines of the ball.

    Args:
        model: of the robot.
        q: where to begin. # (m, n) [rad]
        target: where ball and stylus shall be.
    """
    begin = tips_of(model, q)
    found, arrived = [], np.ones(len(q), dtype=bool)
    for stage in range(1, _STAGES + 1):
        share = stage / _STAGES
        axis = begin.axis + share * (target.axis - begin.axis)
        length = np.linalg.norm(axis, axis=1, keepdims=True)
        arrived &= length[:, 0] > 1e-3  # a stylus that turns right round has no way of its own
        goal = Tips(
            position=begin.position + share * (target.position - begin.position),
            axis=axis / np.maximum(length, 1e-3),
        )
        q, near = _newton(model, q, goal)
        arrived &= near
        found.append(q)
    return Led(q=np.stack(found), arrived=arrived)


def _newton(model: Model, q: Array, goal: Tips) -> tuple[Array, Mask]:
    """Damped Newton steps of least joint motion; those that stray are told by what is left."""
    left = _error(model, q, goal)
    for _ in range(_STEPS):
        if np.all(np.abs(left) < 0.01 * _ARRIVED):
            break
        J = _reduced(model.jacobian(q), goal.axis)
        grown = J @ np.swapaxes(J, -1, -2) + _DAMPING**2 * np.eye(6)
        step = np.swapaxes(J, -1, -2) @ np.linalg.solve(grown, left[..., None])
        step = step[..., 0]
        size = np.max(np.abs(step), axis=1, keepdims=True)
        q = q + step * np.minimum(1.0, _LARGEST_STEP / np.maximum(size, _LARGEST_STEP))
        left = _error(model, q, goal)
    return q, np.asarray(np.all(np.abs(left) < _ARRIVED, axis=1))


def _error(model: Model, q: Array, goal: Tips) -> Array:
    """What is left to move and to turn. # (m, 6) [m, rad]."""
    now = tips_of(model, q)
    turn = np.cross(now.axis, goal.axis)
    # Beyond a right angle the cross product shrinks again; such a posture has strayed.
    turn = np.where(np.sum(now.axis * goal.axis, axis=1, keepdims=True) > 0.0, turn, 1.0)
    return np.asarray(np.concatenate([goal.position - now.position, turn], axis=1))


def _reduced(J: Array, axis: Array) -> Array:
    """The Jacobian without turning about the stylus, which is free. # (m, 6, n)."""
    angular = J[:, 3:]
    about = np.einsum("mi,mij->mj", axis, angular)
    rest = angular - axis[:, :, None] * about[:, None, :]
    return np.asarray(np.concatenate([J[:, :3], rest], axis=1))
