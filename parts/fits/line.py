"""Straight lines by least squares, in a plane and in space."""

from __future__ import annotations

import numpy as np

from parts.fits.curves import FlatLine, SpaceLine
from parts.fits.frame import State, state_about
from parts.fits.hint import expected
from parts.fits.model import Level, Model, Rows, Slope, Turns
from parts.fits.plane import principal_axes
from parts.fits.shape import Shape
from robots.core.arrays import Array

_UP = np.array([0.0, 0.0, 1.0])


class FlatLineModel(Model):
    """A line in the plane z = 0: the frame's z is its normal, x is the plane's."""

    kind = "line2d"
    word = "line in a plane"
    dimension = 2
    freedoms = (2, 3)
    spread = 1

    def level(self, q: Array, sizes: Array) -> Level:
        """Heights over the line."""
        normal = np.zeros_like(q)
        normal[2] = 1.0
        return Level(q[2], normal, np.zeros((len(sizes), q.shape[1])))

    def starts(self, points: Array) -> list[State]:
        """The direction in which centred points spread most."""
        along = np.linalg.svd(np.linalg.qr(points[:2].T, mode="r"))[2][0]
        return [_flat_state(np.zeros(2), along)]

    def settled(self, state: State) -> State:
        """The origin is the foot of the centroid."""
        return state.shifted((state.origin @ state.axis) * state.axis)

    def shape(self, state: State, reverse: bool) -> Shape:
        """A line whose outside is to its left unless reversed."""
        return FlatLine(point=state.origin[:2], direction=state.R[:2, 1], reversed=reverse)

    def state_of(self, shape: Shape) -> State:
        """Of a line."""
        line = expected(shape, FlatLine)
        return _flat_state(line.point, -line.direction if line.reversed else line.direction)

    def derived(self, state: State) -> dict[str, Slope]:
        """Point and direction."""
        turns = Turns(state, self.freedoms)
        turned = np.stack([np.zeros(3), state.axis], axis=1)  # ω about x takes y to z
        return {
            "point": Slope(state.origin[:2], turns.origin()[:2], "m"),
            "axis": Slope(state.R[:2, 1], turned[:2], "1"),
        }


def _flat_state(point: Array, direction: Array) -> State:
    along = np.array([direction[0], direction[1], 0.0])
    R = np.stack([_UP, along, np.cross(_UP, along)], axis=1)
    return State(origin=np.array([point[0], point[1], 0.0]), R=R, sizes=np.zeros(0))


class SpaceLineModel(Model):
    """The frame's z is the line; a point's residual has its two components x and y."""

    kind = "line3d"
    word = "line"
    freedoms = (0, 1, 3, 4)
    components = 2
    spread = 1

    @property
    def fewest(self) -> int:
        """Two: each point gives two residuals."""
        return 2

    def level(self, q: Array, sizes: Array) -> Level:
        """Distances: what the two components come to."""
        rho = np.hypot(q[0], q[1])
        normal = np.zeros_like(q)
        np.divide(q[:2], rho, out=normal[:2], where=rho > 0.0)
        return Level(rho, normal, np.zeros((len(sizes), q.shape[1])))

    def local_rows(self, q: Array, sizes: Array) -> Rows:
        """Both components, whose squares add up to those of the distances."""
        del sizes
        x, y, z = q
        one, none = np.ones_like(x), np.zeros_like(x)
        by_x = np.stack([-one, none, none, -z])
        by_y = np.stack([none, -one, z, none])
        return Rows(np.concatenate([x, y]), np.concatenate([by_x, by_y], axis=1))

    def starts(self, points: Array) -> list[State]:
        """The direction in which centred points spread most."""
        return [state_about(np.zeros(3), principal_axes(points)[0])]

    def settled(self, state: State) -> State:
        """The origin is the foot of the centroid."""
        return state.shifted(state.origin - (state.origin @ state.axis) * state.axis)

    def shape(self, state: State, reverse: bool) -> Shape:
        """A line, which has no outside."""
        del reverse
        return SpaceLine(point=state.origin, axis=state.axis)

    def state_of(self, shape: Shape) -> State:
        """Of a line."""
        line = expected(shape, SpaceLine)
        return state_about(line.point, line.axis)

    def derived(self, state: State) -> dict[str, Slope]:
        """Point and axis."""
        turns = Turns(state, self.freedoms)
        return {
            "point": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
        }
