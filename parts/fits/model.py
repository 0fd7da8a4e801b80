"""What the least-squares core must know of a feature: distances and their derivatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from parts.fits.frame import State
from parts.fits.shape import Shape
from robots.core.arrays import Array


class Rows(NamedTuple):
    """Residuals and their derivatives with the minimal coordinates."""

    residuals: Array  # (m,), m = k or, where a residual has two components, 2 k
    jacobian: Array  # (p, m)


class Level(NamedTuple):
    """Signed distance of points in the feature's frame, and its gradients."""

    distance: Array  # (k,)
    normal: Array  # with the place, unit, (3, k)
    by_size: Array  # with the sizes, (s, k)


class Slope(NamedTuple):
    """A derived quantity and its derivative with the minimal coordinates."""

    value: Array  # (d,)
    slope: Array  # (d, p)
    unit: str  # "m", "rad" or "1"


@dataclass(frozen=True, slots=True)
class Turns:
    """Columns of the minimal coordinates, by name, for derived quantities.

    Args:
        state: where the derivatives are taken.
        freedoms: of the model.
    """

    state: State
    freedoms: tuple[int, ...]

    @property
    def count(self) -> int:
        """Of minimal coordinates."""
        return len(self.freedoms) + len(self.state.sizes)

    def origin(self) -> Array:
        """Derivative of the frame's origin. # (3, p)."""
        return self._spread(self.state.R, 0)

    def axis(self) -> Array:
        """Derivative of the axis: R (ω × z). # (3, p)."""
        x, y, _ = self.state.R.T
        return self._spread(np.stack([-y, x, np.zeros(3)], axis=1), 3)

    def size(self, index: int) -> Array:
        """Derivative of a size. # (1, p)."""
        return np.eye(self.count)[[len(self.freedoms) + index]]

    def _spread(self, columns: Array, first: int) -> Array:
        result = np.zeros((3, self.count))
        for column, freedom in enumerate(self.freedoms):
            if first <= freedom < first + 3:
                result[:, column] = columns[:, freedom - first]
        return result


class Model(ABC):
    """A feature as the least-squares core sees it.

    The frame's motion and the sizes are minimal coordinates: of the six small motions those that
    change the feature. With n the gradient of the distance at q, the frame's shift has the column
    -n and its turn n × q.
    """

    kind: ClassVar[str]
    word: ClassVar[str]  # in sentences
    dimension: ClassVar[int] = 3  # of the points
    freedoms: ClassVar[tuple[int, ...]]
    size_units: ClassVar[tuple[str, ...]] = ()
    components: ClassVar[int] = 1  # of each point's residual
    spread: ClassVar[int]  # directions that the points must span
    hollow: ClassVar[bool] = False  # can be a hole: its outside may be the inner side
    free_axis: ClassVar[bool] = True  # the axis may be named either way

    @property
    def count(self) -> int:
        """Minimal coordinates: the fewest residuals that hold the feature."""
        return len(self.freedoms) + len(self.size_units)

    @property
    def fewest(self) -> int:
        """Fewest points."""
        return self.count

    def rows(self, points: Array, state: State) -> Rows:
        """Residuals and Jacobian. Args: points # (3, k)."""
        return self.local_rows(state.local(points), state.sizes)

    def local_rows(self, q: Array, sizes: Array) -> Rows:
        """The same from points of the frame. # q (3, k), sizes (s,), or (s, k) of many frames."""
        level = self.level(q, sizes)
        J = np.empty((self.count, q.shape[1]))
        n = level.normal
        for row, freedom in enumerate(self.freedoms):
            if freedom < 3:
                np.negative(n[freedom], out=J[row])
            else:
                a, b = (freedom + 1) % 3, (freedom + 2) % 3
                np.subtract(n[a] * q[b], n[b] * q[a], out=J[row])
        J[len(self.freedoms) :] = level.by_size
        return Rows(level.distance, J)

    @abstractmethod
    def level(self, q: Array, sizes: Array) -> Level:
        """Distances and gradients at points of the frame. # q (3, k), sizes (s,) or (s, k)."""

    @abstractmethod
    def starts(self, points: Array) -> list[State]:
        """Places to start from, best first. Args: points, centred, of size 1 # (3, k)."""

    def settled(self, state: State) -> State:
        """The same feature, with its origin and axis by convention; the centroid is at zero."""
        return state

    def sound(self, points: Array, state: State) -> bool:
        """Whether the state is such a feature and the points lie on its proper sheet."""
        del points
        return bool(np.all(state.sizes > 0.0))

    @abstractmethod
    def shape(self, state: State, reverse: bool) -> Shape:
        """The feature. Args: reverse: its outside is against the frame's gradient."""

    @abstractmethod
    def state_of(self, shape: Shape) -> State:
        """The state of a given feature of this kind: a hint."""

    @abstractmethod
    def derived(self, state: State) -> dict[str, Slope]:
        """Named results with their derivatives."""
