"""Relations between the axes of a closed chain, and one-joint steps solved from them.

A chain and its pose form a loop of joints. A *feature* is a point or direction that its home joint
does not move: the axis, or a point on it. Between two features the loop has two arcs, and what they
say of each other (an angle, a height, a distance, a moment) is the same along both. Such a
relation is Paul's matrix equation with everything taken out that its left and right sides do not
need; where it holds one unknown joint only, it is an equation of [LAMMARI12] table II.1.

Nothing here compares or branches on a scalar, so one text is numbers, a recorded and compiled
kernel, complex sheets of a polynomial, and printed equations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from robots.core.arrays import Array
from robots.core.chain_inverse.chain import Chain
from robots.core.equations.algebra import (
    ZERO,
    Functions,
    Mat3,
    Scalar,
    Vec3,
    add,
    apply,
    cross,
    dot,
    subtract,
    transpose,
    turn,
    turn_back,
)

# Constants nearer to 0 or ±1 than this are meant to be that: an alpha of 90° is not.
_EXACT = 1e-12
Z_AXIS: Vec3 = (0.0, 0.0, 1.0)


class Relation(Enum):
    """What two features say of each other, or what a joint's own axis says of one."""

    ANGLE = "angle"  # cosine of the angle between two directions
    HEIGHT = "height"  # of a point above a plane
    DISTANCE = "distance"  # between two points, squared
    MOMENT = "moment"  # of two lines: distance times sine
    DIRECTION = "direction"  # seen from both sides of the joint
    POINT = "point"  # likewise
    REST = "rest"  # all other joints are known


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A point, direction, plane or line that its home joint does not move.

    Args:
        home: index of the joint.
        point: in the joint's frame; a direction has none. [m]
        direction: in the joint's frame; a point has none.
        name: for readers.
    """

    home: int
    name: str
    point: Vec3 | None = None
    direction: Vec3 | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One joint from one relation.

    Args:
        joint: index of what is solved for.
        relation: that gives it.
        first: feature on the base's side of the joint, seen backwards from it.
        second: feature on the other side; for DIRECTION and POINT the same as first.
        arc: joints that the relation depends on along the arc of the joint, itself left out.
        rest: joints that it depends on along the other arc.
        slides: whether the joint does.
    """

    joint: int
    relation: Relation
    first: Feature
    second: Feature
    arc: frozenset[int]
    rest: frozenset[int]
    slides: bool = False

    @property
    def roots(self) -> int:
        """How many values of the joint satisfy it."""
        if self.relation in (Relation.DIRECTION, Relation.POINT, Relation.REST):
            return 1
        return 1 if self.slides and self.relation is not Relation.DISTANCE else 2

    @property
    def paul(self) -> int:
        """Type of the equation in table II.1."""
        if self.slides:
            # The square of a length whose angle is not known yet is what types 4 and 5 leave.
            return 5 if self.roots == 2 else 1
        return 2 if self.roots == 2 else 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the scalars of the steps are.

    Args:
        fn: their functions.
        real: whether roots of negative numbers count as zero and pairs are brought to length one.
            Complex sheets of a polynomial need neither.
    """

    fn: Functions
    real: bool = True


Pair = tuple[Scalar, Scalar]  # sine and cosine; of a sliding joint its length and nothing
Known = Mapping[int, Pair]


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """One root of a step.

    Args:
        value: sine and cosine, or length and zero.
        reserve: relative distance of the discriminant from zero, -1 to 1; 1 where there is none.
        weight: square of what the joint moves; zero where the pose leaves it free.
        direction: the pair before it was brought to length one, where that was done: all that its
            angle needs.
    """

    value: Pair
    reserve: Scalar
    weight: Scalar
    direction: Pair | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SineEquation:
    """Type 2: X sin θ + Y cos θ = Z."""

    X: Scalar
    Y: Scalar
    Z: Scalar

    def roots(self, reading: Reading) -> list[Solved]:
        """Both; the first is where the left side falls, as in ``robots.core.paul``."""
        fn, X, Y, Z = reading.fn, self.X, self.Y, self.Z
        # A joint that a pose leaves free takes some value. A constant zero stays one.
        if isinstance(Y, float) and Y == 0.0:
            X = fn.nonzero(X)
        else:
            Y = fn.nonzero(Y)
        square = X * X + Y * Y
        if isinstance(Z, float) and Z == 0.0:  # half a turn apart, and never out of reach
            length = 1.0 / fn.sqrt(square)
            s, c = Y * length, -X * length
            return [
                Solved(value=pair, reserve=1.0, weight=square, direction=direction)
                for pair, direction in (((s, c), (Y, -X)), ((-s, -c), (-Y, X)))
            ]
        left = square - Z * Z
        root = fn.sqrt(fn.maximum(left, 0.0) if reading.real else left)
        inverse = 1.0 / (fn.maximum(square, Z * Z) if reading.real else square)
        x, y, reserve = X * inverse, Y * inverse, left * inverse
        return [
            Solved(value=(x * Z + y * w, y * Z - x * w), reserve=reserve, weight=square)
            for w in (root, -root)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEquation:
    """Type 3: Rz(θ)·u = v across the axis."""

    u: Vec3
    v: Vec3

    def roots(self, reading: Reading) -> list[Solved]:
        """The one angle."""
        u, v = self.u, self.v
        sine = u[0] * v[1] - u[1] * v[0]
        cosine = u[0] * v[0] + u[1] * v[1]
        weight = u[0] * u[0] + u[1] * u[1]
        if not reading.real:
            return [Solved(value=(sine / weight, cosine / weight), reserve=1.0, weight=weight)]
        cosine = reading.fn.nonzero(cosine)
        inverse = 1.0 / reading.fn.sqrt(sine * sine + cosine * cosine)
        value = (sine * inverse, cosine * inverse)
        return [Solved(value=value, reserve=1.0, weight=weight, direction=(sine, cosine))]


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthEquation:
    """Type 1: X r = Y."""

    X: Scalar
    Y: Scalar

    def roots(self, reading: Reading) -> list[Solved]:
        """The one length."""
        return [Solved(value=(self.Y / reading.fn.nonzero(self.X), 0.0), reserve=1.0, weight=1.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareEquation:
    """What type 5 leaves when its angle is eliminated: (r + along)² + across = square."""

    along: Scalar
    across: Scalar
    square: Scalar

    def roots(self, reading: Reading) -> list[Solved]:
        """Both lengths, the larger first."""
        fn, left = reading.fn, self.square - self.across
        root = fn.sqrt(fn.maximum(left, 0.0) if reading.real else left)
        size = fn.maximum(self.square, self.across) if reading.real else self.square
        reserve = left / fn.nonzero(size)
        return [
            Solved(value=(r - self.along, 0.0), reserve=reserve, weight=1.0) for r in (root, -root)
        ]


Equation = SineEquation | TurnEquation | LengthEquation | SquareEquation


class Loop:
    """The loop of a chain and a pose, over scalars.

    Args:
        chain: whose.
        pose: rows of T_base_target, twelve scalars.
    """

    def __init__(self, chain: Chain, pose: list[Scalar]) -> None:
        self.chain = chain
        links = [_constant(link) for link in chain.links]
        R: Mat3 = (
            (pose[0], pose[1], pose[2]),
            (pose[4], pose[5], pose[6]),
            (pose[8], pose[9], pose[10]),
        )
        # What stands between each joint and the next one; after the last, the target, the pose
        # back to the base, and the way up to the first.
        closing: list[_Link] = [links[-1], _Inverse(of=(R, (pose[3], pose[7], pose[11]))), links[0]]
        self._links: list[list[_Link]] = [[link] for link in links[1:-1]]
        self._links.append(closing)

    def after(self, feature: Feature, joint: int, known: Known, used: frozenset[int]) -> Feature:
        """A feature that lies behind a joint, in the frame that the joint moves."""
        return self._seen(feature, joint, known, used, forward=False)

    def before(self, feature: Feature, joint: int, known: Known, used: frozenset[int]) -> Feature:
        """A feature that lies before a joint, in the frame that the joint moves in."""
        return self._seen(feature, joint, known, used, forward=True)

    def _seen(
        self, feature: Feature, joint: int, known: Known, used: frozenset[int], *, forward: bool
    ) -> Feature:
        n = self.chain.size
        at, point, direction = feature.home, feature.point, feature.direction
        while True:
            links = self._links[at if forward else (at - 1) % n]
            for link in links if forward else reversed(links):
                step_over = _out_of if forward else _into
                point = None if point is None else step_over(link, point, free=False)
                direction = None if direction is None else step_over(link, direction, free=True)
            at = (at + 1) % n if forward else (at - 1) % n
            if at == joint:
                return Feature(home=joint, name=feature.name, point=point, direction=direction)
            if at not in used:
                continue
            s, c = known[at]
            if not self.chain.revolute[at]:
                if point is not None:
                    point = (point[0], point[1], point[2] - s if forward else point[2] + s)
                continue
            moved = turn_back if forward else turn
            point = None if point is None else moved(c, s, point)
            direction = None if direction is None else moved(c, s, direction)

    def solve(self, step: Step, known: Known, reading: Reading) -> list[Solved]:
        """Roots of a step, one or two.

        Args:
            step: what to solve.
            known: joints that it depends on.
            reading: what the scalars are.
        """
        return self.equation(step, known).roots(reading)

    def equation(self, step: Step, known: Known) -> Equation:
        """The equation of a step, its factors from joints that are known."""
        if step.relation in (Relation.DIRECTION, Relation.POINT, Relation.REST):
            u, v = self._both_sides(step, known)
            return LengthEquation(X=1.0, Y=v[2] - u[2]) if step.slides else TurnEquation(u=u, v=v)
        a = self.before(step.first, step.joint, known, step.arc)
        b = self.after(step.second, step.joint, known, step.arc)
        value = self._along_rest(step, known)
        if not step.slides:
            return _sine_equation(step.relation, a, b, value)
        if step.relation is Relation.DISTANCE:
            between = subtract(_point(b), _point(a))
            across = between[0] * between[0] + between[1] * between[1]
            return SquareEquation(along=between[2], across=across, square=value)
        moved = replace(b, point=None if b.point is None else add(b.point, Z_AXIS))
        still = relation_of(step.relation, a, b)
        return LengthEquation(X=relation_of(step.relation, a, moved) - still, Y=value - still)

    def _both_sides(self, step: Step, known: Known) -> tuple[Vec3, Vec3]:
        """What a joint turns, before and after it has turned."""
        if step.relation is Relation.REST:
            # All others are known: the joint's own moved frame, seen around the loop.
            own = Feature(home=step.joint, name="", point=ZERO, direction=(1.0, 0.0, 0.0))
            around = self._seen(own, own.home, known, step.rest, forward=True)
            if step.slides:
                return ZERO, _point(around)
            return (1.0, 0.0, 0.0), _direction(around)
        u = self.after(step.second, step.joint, known, step.arc)
        v = self.before(step.first, step.joint, known, step.rest)
        if step.relation is Relation.POINT:
            return _point(u), _point(v)
        return _direction(u), _direction(v)

    def _along_rest(self, step: Step, known: Known) -> Scalar:
        """The relation along the arc without the joint."""
        # Over the pose this way, a point is p + R·x, as it is printed; the other way it is not.
        b = self.before(step.second, step.first.home, known, step.rest)
        return relation_of(step.relation, step.first, b)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inverse:
    """The inverse of a transform, by the transform."""

    of: tuple[Mat3, Vec3]


_Link = tuple[Mat3, Vec3] | _Inverse


def _into(link: _Link, a: Vec3, *, free: bool) -> Vec3:
    """A point, or a free vector, of the frame behind a link in the one before it."""
    if isinstance(link, _Inverse):
        return _out_of(link.of, a, free=free)
    R, p = link
    return apply(R, a) if free else add(p, apply(R, a))


def _out_of(link: _Link, a: Vec3, *, free: bool) -> Vec3:
    """A point, or a free vector, of the frame before a link in the one behind it."""
    if isinstance(link, _Inverse):
        return _into(link.of, a, free=free)
    R, p = link
    return apply(transpose(R), a if free else subtract(a, p))


def relation_of(relation: Relation, a: Feature, b: Feature) -> Scalar:
    """What two features in one frame say of each other; of HEIGHT, the plane is the one with both.

    ``a`` and ``b`` may be exchanged.
    """
    if relation is Relation.ANGLE:
        return dot(_direction(a), _direction(b))
    if relation is Relation.DISTANCE:
        between = subtract(_point(a), _point(b))
        return dot(between, between)
    if relation is Relation.MOMENT:
        between = subtract(_point(b), _point(a))
        return dot(between, cross(_direction(a), _direction(b)))
    plane, other = (a, b) if a.direction is not None else (b, a)
    return dot(subtract(_point(other), _point(plane)), _direction(plane))


def _sine_equation(relation: Relation, a: Feature, b: Feature, value: Scalar) -> SineEquation:
    """X, Y and Z of a relation in the joint between a and b."""
    if relation is Relation.ANGLE:
        X, Y, axial = _turning(_direction(a), _direction(b))
        return SineEquation(X=X, Y=Y, Z=value - axial)
    if relation is Relation.DISTANCE:
        p, q = _point(a), _point(b)
        X, Y, axial = _turning(p, q)
        half = (dot(p, p) + dot(q, q) - value) * 0.5
        return SineEquation(X=X, Y=Y, Z=half - axial)
    if relation is Relation.HEIGHT:
        plane = a if a.direction is not None else b
        offset = dot(_point(plane), _direction(plane))
        left = _direction(a) if plane is a else _point(a)
        right = _point(b) if plane is a else _direction(b)
        X, Y, axial = _turning(left, right)
        return SineEquation(X=X, Y=Y, Z=value + offset - axial)
    first = _turning(_direction(a), cross(_point(b), _direction(b)))
    second = _turning(cross(_point(a), _direction(a)), _direction(b))
    X, Y, axial = (left + right for left, right in zip(first, second, strict=True))
    return SineEquation(X=-X, Y=-Y, Z=value + axial)


def _turning(a: Vec3, b: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """Factors of sine, cosine and one in a · Rz(θ)·b."""
    return a[1] * b[0] - a[0] * b[1], a[0] * b[0] + a[1] * b[1], a[2] * b[2]


def _point(feature: Feature) -> Vec3:
    return ZERO if feature.point is None else feature.point


def _direction(feature: Feature) -> Vec3:
    return ZERO if feature.direction is None else feature.direction


def _constant(T: Array) -> tuple[Mat3, Vec3]:
    """A constant transform with the zeros and ones that are meant."""
    rounded = np.where(np.abs(T - np.round(T)) < _EXACT, np.round(T), T) + 0.0
    R = tuple(tuple(row[:3]) for row in rounded[:3].tolist())
    length = max(float(np.max(np.abs(T[:3, 3]))), 1e-300)
    p = np.where(np.abs(T[:3, 3]) < _EXACT * max(length, 1.0), 0.0, T[:3, 3])
    return (R[0], R[1], R[2]), (float(p[0]), float(p[1]), float(p[2]))
