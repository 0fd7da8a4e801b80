"""Lines, in a plane and in space, and planes by least squares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parts.fits.curves import FlatLine, SpaceLine
from parts.fits.fit_result import FittedShape, shape_of_kind
from parts.fits.least_squares import (
    AnyState,
    FeatureModel,
    FeatureState,
    FeatureStates,
    Level,
    ResidualRows,
    Slope,
    Turns,
    along_axis,
    state_about,
)
from parts.geometry.surfaces import Plane
from robots.core.arrays import Array

_UP = np.array([0.0, 0.0, 1.0])


class FlatLineModel(FeatureModel):
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
        return Level(q[2], normal, np.zeros((len(sizes), *q.shape[1:])))

    def starts(self, points: Array) -> FeatureStates:
        """The direction in which centred points spread most."""
        along = np.linalg.svd(np.linalg.qr(points[:2].T, mode="r"))[2][0]
        return FeatureStates.of([_flat_state(np.zeros(2), along)])

    def settled(self, state: AnyState) -> AnyState:
        """The origin is the foot of the centroid."""
        return replace(state, origin=along_axis(state))

    def shape(self, state: FeatureState, reverse: bool) -> FittedShape:
        """A line whose outside is to its left unless reversed."""
        return FlatLine(point=state.origin[:2], direction=state.R[:2, 1], reversed=reverse)

    def state_of(self, shape: FittedShape) -> FeatureState:
        """Of a line."""
        line = shape_of_kind(shape, FlatLine)
        return _flat_state(line.point, -line.direction if line.reversed else line.direction)

    def derived(self, state: FeatureState) -> dict[str, Slope]:
        """Point and direction."""
        turns = Turns(state, self.freedoms)
        turned = np.stack([np.zeros(3), state.axis], axis=1)  # ω about x takes y to z
        return {
            "point": Slope(state.origin[:2], turns.origin()[:2], "m"),
            "axis": Slope(state.R[:2, 1], turned[:2], "1"),
        }


def _flat_state(point: Array, direction: Array) -> FeatureState:
    along = np.array([direction[0], direction[1], 0.0])
    R = np.stack([_UP, along, np.cross(_UP, along)], axis=1)
    return FeatureState(origin=np.array([point[0], point[1], 0.0]), R=R, sizes=np.zeros(0))


class SpaceLineModel(FeatureModel):
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
        return Level(rho, normal, np.zeros((len(sizes), *q.shape[1:])))

    def local_rows(self, q: Array, sizes: Array) -> ResidualRows:
        """Both components, whose squares add up to those of the distances."""
        del sizes
        x, y, z = q
        one, none = np.ones_like(x), np.zeros_like(x)
        by_x = np.stack([-one, none, none, -z])
        by_y = np.stack([none, -one, z, none])
        return ResidualRows(np.concatenate([x, y], axis=-1), np.concatenate([by_x, by_y], axis=-1))

    def starts(self, points: Array) -> FeatureStates:
        """The direction in which centred points spread most."""
        return FeatureStates.of([state_about(np.zeros(3), principal_axes(points)[0])])

    def settled(self, state: AnyState) -> AnyState:
        """The origin is the foot of the centroid."""
        return replace(state, origin=state.origin - along_axis(state))

    def shape(self, state: FeatureState, reverse: bool) -> FittedShape:
        """A line, which has no outside."""
        del reverse
        return SpaceLine(point=state.origin, axis=state.axis)

    def state_of(self, shape: FittedShape) -> FeatureState:
        """Of a line."""
        line = shape_of_kind(shape, SpaceLine)
        return state_about(line.point, line.axis)

    def derived(self, state: FeatureState) -> dict[str, Slope]:
        """Point and axis."""
        turns = Turns(state, self.freedoms)
        return {
            "point": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
        }


# ------------------------------------------------------------------------------------------ Planes


class PlaneModel(FeatureModel):
    """Heights over the frame's xy plane; free are the shift along z and the turns about x, y."""

    kind = "plane"
    word = "plane"
    freedoms = (2, 3, 4)
    spread = 2

    def level(self, q: Array, sizes: Array) -> Level:
        """Heights."""
        normal = np.zeros_like(q)
        normal[2] = 1.0
        return Level(q[2], normal, np.zeros((len(sizes), *q.shape[1:])))

    def starts(self, points: Array) -> FeatureStates:
        """The direction in which centred points spread least."""
        return FeatureStates.of([state_about(np.zeros(3), principal_axes(points)[2])])

    def settled(self, state: AnyState) -> AnyState:
        """The origin is the foot of the centroid."""
        return replace(state, origin=along_axis(state))

    def shape(self, state: FeatureState, reverse: bool) -> FittedShape:
        """A plane whose axis is its outward normal."""
        return Plane(point=state.origin, axis=-state.axis if reverse else state.axis)

    def state_of(self, shape: FittedShape) -> FeatureState:
        """Of a plane."""
        plane = shape_of_kind(shape, Plane)
        return state_about(plane.point, -plane.axis if plane.reversed else plane.axis)

    def derived(self, state: FeatureState) -> dict[str, Slope]:
        """Point and axis."""
        turns = Turns(state, self.freedoms)
        return {
            "point": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
        }


def principal_axes(points: Array) -> Array:
    """Directions of greatest to least spread of centred points, as rows. # (3, k) to (3, 3)."""
    return np.asarray(np.linalg.svd(np.linalg.qr(points.T, mode="r"))[2])
