"""Virtual fields on the centre of mass: walls through the edges of the support polygon.

Each edge of the polygon carries a wall parallel to gravity. It pushes the centre of mass inwards
with k/Δ², the sources' Coulomb law, where Δ is the distance to the wall; an attractor pulls with
k/Δ². Both laws are singular at Δ = 0, so they are softened within ε:

- wall: k / max(Δ, ε)², the source's law exactly from ε on, constant below;
- attractor: k·(G⁺ - G) / max(|GG⁺|, ε)³, a linear spring inside ε.

Both forces have a potential and the wall's law is untouched beyond ε, so two opposite walls still
settle at Δ1/Δ2 = √(k1/k2). A centre of mass outside a wall has fallen: no field acts there.

Source: [GASTEBOIS17] §2.5.7-2.5.10 eqs. (52)-(78), for any convex polygon; of (75) and (76) the
corrected forms (F_G4 with 1/Δ4² and its y component negative), decision 7 of sources.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from robots.biped.errors import BipedError, PostureError
from robots.core.arrays import Array, frozen
from robots.core.equations.algebra import Functions, numbers

Scalar = Any
Point = tuple[Scalar, Scalar]  # horizontal world axes [m]


class Wall(NamedTuple):
    """A vertical plane: inner unit normal n and offset, so that Δ = n·p - offset. [m]."""

    normal: Point
    offset: Scalar

    def distance(self, p: Point) -> Scalar:
        """Δ of a point, negative outside. [m]."""
        return self.normal[0] * p[0] + self.normal[1] * p[1] - self.offset


class FieldNumbers(NamedTuple):
    """The gains of the fields as scalars: floats, or recorded values."""

    repulsion: tuple[Scalar, ...]  # k of each wall [N m²]
    softening: Scalar  # ε of the walls [m]
    attraction: Scalar  # k of the attractor [N m²]
    attraction_softening: Scalar  # [m]


def walls_of(corners: Sequence[Point], fn: Functions) -> list[Wall]:
    """The wall through each edge of a polygon given counter-clockwise.

    Source: [GASTEBOIS17] §2.5.7 eqs. (54)-(69)
    """
    walls = []
    for here, there in zip(corners, (*corners[1:], corners[0]), strict=True):
        along = (there[0] - here[0], there[1] - here[1])
        length = fn.sqrt(along[0] * along[0] + along[1] * along[1])
        normal = (-along[1] / length, along[0] / length)
        walls.append(Wall(normal, normal[0] * here[0] + normal[1] * here[1]))
    return walls


def repulsion(walls: Sequence[Wall], gains: FieldNumbers, p: Point, fn: Functions) -> Point:
    """Sum of the walls' pushes on a point inside. # [N].

    Source: [GASTEBOIS17] §2.5.9 eqs. (72), (75) corrected
    """
    x: Scalar = 0.0
    y: Scalar = 0.0
    for wall, k in zip(walls, gains.repulsion, strict=True):
        near = fn.maximum(wall.distance(p), gains.softening)
        push = k / (near * near)
        x = x + push * wall.normal[0]
        y = y + push * wall.normal[1]
    return x, y


def attraction(target: Point, gains: FieldNumbers, p: Point, fn: Functions) -> Point:
    """Pull of the attractor at ``target``. # [N].

    Source: [GASTEBOIS17] §2.5.10 eqs. (77)-(78)
    """
    way = (target[0] - p[0], target[1] - p[1])
    away = fn.maximum(fn.sqrt(way[0] * way[0] + way[1] * way[1]), gains.attraction_softening)
    pull = gains.attraction / (away * away * away)
    return pull * way[0], pull * way[1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fields:
    """Gains of the virtual fields.

    The defaults were tuned by hand on BIP's leg, as the source's were: strong enough to bring its
    centre of mass to the middle in some seconds, so weak that the push at the start, 48 mm from the
    left edge, moves the zero-moment point by no more than 25 mm.

    Args:
        repulsion: k of every wall, or one per wall in the order of the edges. [N m²]
        softening: ε of the walls. [m]
        attraction: k of the attractor; zero, as in the source's simulation, leaves it out. [N m²]
        attraction_softening: ε of the attractor. [m]
        target: attractor's place on the sole, world axes of the level ground; default the centre
            of the corners. # (2,) [m]

    Raises:
        BipedError: a gain or a softening that is not above zero (attraction may be zero).
    """

    repulsion: float | tuple[float, ...] = 0.02
    softening: float = 0.005
    attraction: float = 0.0
    attraction_softening: float = 0.02
    target: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        gains = np.atleast_1d(np.asarray(self.repulsion, dtype=float))
        checks = (
            ("repulsion", float(gains.min()) if np.isfinite(gains).all() else np.nan, False),
            ("softening", self.softening, False),
            ("attraction", self.attraction, True),
            ("attraction_softening", self.attraction_softening, False),
        )
        for name, value, zero in checks:
            if not (np.isfinite(value) and (value > 0.0 or (zero and value == 0.0))):
                bound = "zero or more" if zero else "above zero"
                raise BipedError(
                    f"The fields' {name} is {value:g}; it must be finite and {bound}.",
                    field=name,
                    value=value,
                )

    def numbers(self, edges: int) -> FieldNumbers:
        """The gains for a polygon of so many edges.

        Raises:
            BipedError: as many gains as there are walls were not given.
        """
        gains = np.atleast_1d(np.asarray(self.repulsion, dtype=float))
        if gains.size not in (1, edges):
            raise BipedError(
                f"The fields have {gains.size} gains for {edges} walls; give one, or one per edge.",
                gains=gains.size,
                edges=edges,
            )
        each = tuple(float(k) for k in np.broadcast_to(gains, edges))
        return FieldNumbers(each, self.softening, self.attraction, self.attraction_softening)


class PolygonFields:
    """The fields over one support polygon, as numbers.

    Args:
        corners: convex, counter-clockwise. # (m, 2) [m]
        fields: gains.

    Raises:
        BipedError: the polygon is not convex, not counter-clockwise, or has fewer than 3 corners.
    """

    def __init__(self, corners: object, fields: Fields) -> None:
        array = _convex(corners)
        self.corners = array
        self._fn = numbers()
        self._walls = walls_of([(float(x), float(y)) for x, y in array], self._fn)
        self._gains = fields.numbers(len(array))
        centre = array.mean(axis=0) if fields.target is None else np.asarray(fields.target)
        self._target = (float(centre[0]), float(centre[1]))

    def distances(self, p: Array) -> Array:
        """Δ to every wall, negative outside. # (2,) -> (m,) [m]."""
        return np.array([wall.distance((p[0], p[1])) for wall in self._walls])

    def force(self, p: Array) -> Array:
        """Force on a centre of mass above ``p``. # (2,) -> (2,) [N].

        Raises:
            PostureError: the point is outside a wall: the robot has fallen.
        """
        self._require_inside(p)
        point = (p[0], p[1])
        push = repulsion(self._walls, self._gains, point, self._fn)
        pull = attraction(self._target, self._gains, point, self._fn)
        return np.array([push[0] + pull[0], push[1] + pull[1]])

    def potential(self, p: Array) -> float:
        """Potential whose negative gradient is the force. # (2,) [J].

        Raises:
            PostureError: the point is outside a wall.
        """
        self._require_inside(p)
        gains, total = self._gains, 0.0
        for k, distance in zip(gains.repulsion, self.distances(p), strict=True):
            near = max(float(distance), gains.softening)
            total += k / near + k / near**2 * (near - distance)
        away = float(np.hypot(*(np.asarray(p) - self._target)))
        soft = gains.attraction_softening
        well = -1.0 / away if away > soft else (away**2 / soft**2 - 3.0) / (2.0 * soft)
        return float(total + gains.attraction * well)

    def _require_inside(self, p: Array) -> None:
        distances = self.distances(p)
        if not distances.min() > 0.0:
            edge = int(np.argmin(distances))
            raise PostureError(
                f"The centre of mass is {-1e3 * distances[edge]:.1f} mm outside edge {edge} of the "
                "support polygon: the robot has fallen and no field holds it.",
                edge=edge,
                value=float(distances[edge]),
                limit=0.0,
                unit="m",
            )


def _convex(corners: object) -> Array:
    array = np.array(corners, dtype=float)
    if array.ndim != 2 or array.shape[1:] != (2,) or len(array) < 3:
        raise BipedError(f"A support polygon of shape {array.shape}; give (m, 2) with m ≥ 3.")
    edges = np.roll(array, -1, axis=0) - array
    ahead = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * ahead[:, 1] - edges[:, 1] * ahead[:, 0]
    if not (np.isfinite(array).all() and (turns > 0.0).all()):
        raise BipedError(
            "The support polygon's corners do not go counter-clockwise round a convex polygon: "
            f"the turn at corner {(int(np.argmin(turns)) + 1) % len(array)} is to the right.",
            corners=array.tolist(),
        )
    return frozen(array)
