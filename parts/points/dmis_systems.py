"""Datum systems of a DMIS programme, computed from the nominal values of its features.

``DATSET``, ``TRANS`` and ``ROTATE`` start from the system that is active. A measured feature
``FA(…)`` stands where its nominal stands, in the system that was active when it was measured: the
alignment of a part that is as drawn. ``DATSET`` with one direction leaves the turn about it open
(the standard does not say what becomes of the other two axes); a ``ROTATE`` about it settles it.
What cannot be computed so raises ``NotNominalError``, with the reason.

Source: ISO 22093 (DMIS 5.2), datum statements.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from parts.errors import NotNominalError
from parts.points.file_text import is_number
from robots.core.arrays import Array

PARALLEL = 1e-4  # sine; nominal directions are printed with four digits or more
_SAME_AXIS = 1e-9  # sine; an axis that turns by less stays
_SAME_PLACE = 1e-9  # [m]
_RIGHT = 1e-15  # the cosine of 90 degrees is zero, not the rounding of pi
_ORIGINS = {"XORIG": 0, "YORIG": 1, "ZORIG": 2}
_AXES = {"XAXIS": 0, "YAXIS": 1, "ZAXIS": 2}
_DIRECTIONS = {
    f"{sign}{letter}DIR": (axis, -1.0 if sign == "-" else 1.0)
    for sign in ("", "+", "-")
    for axis, letter in enumerate("XYZ")
}
_ROUND = ("CIRCLE", "ARC", "ELLIPS", "CPARLN")  # a centre, and a normal of its plane
_PLACES = ("POINT", "SPHERE", "EDGEPT")  # a place; its vector is that of the surface
_AXIAL = ("LINE", "CYLNDR", "CONE")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DatumSystem:
    """A coordinate system of a programme.

    Args:
        label: as users know it, such as "D(PCS)".
        line: of the statement that sets it; 0 for the machine's.
        root: what its pose is known in: 0 is the machine; otherwise the line of the statement
            that nominal values do not determine.
        axes: its axes in the root, as columns. # (3, 3)
        origin: its origin in the root. # (3,) [m]
        open_axis: 0, 1 or 2: the axis about which its turn is not determined; None where it is.
        open_line: of the statement that leaves it open.
    """

    label: str = "the machine"
    line: int = 0
    root: int = 0
    axes: Array = field(default_factory=lambda: np.eye(3))
    origin: Array = field(default_factory=lambda: np.zeros(3))
    open_axis: int | None = None
    open_line: int = 0

    @property
    def base(self) -> tuple[int, int]:
        """Systems of equal base know their poses to each other."""
        return (self.root, self.open_line if self.open_axis is not None else 0)

    @property
    def is_machine(self) -> bool:
        """Whether it is the machine's own."""
        return self.line == 0

    def same_as(self, other: DatumSystem) -> bool:
        """Return whether both are the same system under two names."""
        return (
            self.base == other.base
            and bool(np.abs(self.axes - other.axes).max() <= _SAME_AXIS)
            and bool(np.abs(self.origin - other.origin).max() <= _SAME_PLACE)
        )

    def to_root(self, position: Array) -> Array:
        """A place of this system in its root. # (3,) [m]."""
        return np.asarray(self.origin + self.axes @ position)

    def from_root(self, position: Array) -> Array:
        """A place of the root in this system. # (3,) [m]."""
        return np.asarray(self.axes.T @ (position - self.origin))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DatumFeature:
    """A nominal feature where it was measured.

    Args:
        label: as the programme calls it, such as "FA(PLN1)".
        kind: such as "PLANE".
        system: that was active when it was measured or, where it was not, defined.
        location: in that system. # (3,) [m]
        direction: normal or axis, in that system, of any length; None where it has none. # (3,)
    """

    label: str
    kind: str
    system: DatumSystem
    location: Array
    direction: Array | None

    def place_in(self, system: DatumSystem) -> Array:
        """Where it stands in the root of ``system``. # (3,) [m].

        Raises:
            NotNominalError: its pose to that system is not known.
        """
        if self.system.root != system.root or self.system.open_axis is not None:
            raise NotNominalError(
                f"{self.label} was measured in {self.system.label}, whose pose to {system.label} "
                "is not known from nominal values"
            )
        return self.system.to_root(self.location)

    def vector_in(self, system: DatumSystem) -> Array:
        """Its direction in the root of ``system``, of length one. # (3,).

        Raises:
            NotNominalError: it has none, or its pose to that system is not known.
        """
        self.place_in(system)
        length = 0.0 if self.direction is None else float(np.linalg.norm(self.direction))
        if self.direction is None or length < 1e-9 or self.kind in _PLACES:
            raise NotNominalError(f"{self.label} ({self.kind}) has no direction of its own")
        return np.asarray(self.system.axes @ (self.direction / length))


Features = Mapping[str, DatumFeature]


def translated(
    system: DatumSystem, words: Sequence[str], features: Features, scale: float
) -> DatumSystem:
    """The system after ``TRANS/XORIG,…``: each origin by a value or a feature.

    Args:
        system: that is active.
        words: after the stroke.
        features: by label, as the words name them.
        scale: metres per unit of the values.

    Raises:
        NotNominalError: nominal values do not determine it.
    """
    shifts: dict[int, float | DatumFeature] = {}
    for word, value in zip(words[::2], [*words[1::2], ""], strict=False):
        axis = _ORIGINS.get(word.upper())
        if axis is None or axis in shifts:
            raise NotNominalError(f"{word!r} is not an origin that is computed")
        shifts[axis] = float(value) * scale if is_number(value) else _named(value, features)
    if not shifts or len(words) % 2:
        raise NotNominalError("it names no origin with its value or feature")
    by_feature = {axis: value for axis, value in shifts.items() if isinstance(value, DatumFeature)}
    by_value = {axis: value for axis, value in shifts.items() if isinstance(value, float)}
    if system.open_axis is not None:
        across = {axis for axis in shifts if axis != system.open_axis}
        one = {by_feature[axis].label for axis in across if axis in by_feature}
        if across and (across & by_value.keys() or len(across) < 2 or len(one) != 1):
            raise NotNominalError(_open(system))
    origin = _origin(system, system.axes, by_feature)
    for axis, length in by_value.items():
        origin = origin + length * system.axes[:, axis]
    return replace(system, origin=origin)


def rotated(
    system: DatumSystem, words: Sequence[str], features: Features, angle: float | None
) -> DatumSystem:
    """The system after ``ROTATE/ZAXIS,…``: by an angle, or until an axis lies along a feature.

    Args:
        system: that is active.
        words: after the stroke.
        features: by label, as the words name them.
        angle: of ``words[1]``, counter-clockwise about the axis; None where it is none. [rad]

    Raises:
        NotNominalError: nominal values do not determine it.
    """
    axis = _AXES.get(words[0].upper()) if words else None
    if axis is None or len(words) < 2:
        raise NotNominalError("it names no axis with its angle or feature")
    if system.open_axis not in (None, axis):
        raise NotNominalError(_open(system))
    if angle is not None:
        return replace(system, axes=system.axes @ _turn(axis, angle))
    turned, sign = _DIRECTIONS.get(words[2].upper() if len(words) > 2 else "", (axis, 0.0))
    if turned == axis:
        raise NotNominalError("it does not say which other axis goes along the feature")
    feature = _named(words[1], features)
    across = sign * _across(feature, system, system.axes[:, axis], system.origin)
    axes = np.empty((3, 3))
    axes[:, axis], axes[:, turned] = system.axes[:, axis], across
    return replace(system, axes=_completed(axes, (axis, turned)), open_axis=None, open_line=0)


def datum_set(
    system: DatumSystem, words: Sequence[str], features: Features, line: int
) -> DatumSystem:
    """The system after ``DATSET/DAT(A),ZDIR,ZORIG,DAT(B),XDIR,YORIG,…``.

    Args:
        system: that is active.
        words: after the stroke.
        features: by label, as the words name them.
        line: of the statement.

    Raises:
        NotNominalError: nominal values do not determine it.
    """
    directions: dict[int, tuple[float, DatumFeature]] = {}
    origins: dict[int, DatumFeature] = {}
    current: DatumFeature | None = None
    for word in words:
        large = word.upper()
        if current is not None and large in _DIRECTIONS:
            axis, sign = _DIRECTIONS[large]
            directions.setdefault(axis, (sign, current))
        elif current is not None and large in _ORIGINS:
            origins.setdefault(_ORIGINS[large], current)
        else:
            current = _named(word, features)
    axes, open_axis = _aligned(system, directions, origins)
    if open_axis is None and not directions and system.open_axis is not None:
        raise NotNominalError(_open(system))
    if open_axis is not None:
        across = [origins[axis].label for axis in origins if axis != open_axis]
        if across and (len(across) < 2 or len(set(across)) > 1):
            raise NotNominalError("its one direction leaves the other axes open")
    return replace(
        system,
        axes=axes,
        origin=_origin(system, axes, origins),
        open_axis=open_axis,
        open_line=line if open_axis is not None else 0,
    )


def _aligned(
    system: DatumSystem,
    directions: Mapping[int, tuple[float, DatumFeature]],
    origins: Mapping[int, DatumFeature],
) -> tuple[Array, int | None]:
    """Axes of a ``DATSET``, and the axis about which their turn is open."""
    if not directions:
        return system.axes, None
    (first, (sign, feature)), *others = directions.items()
    if system.open_axis is not None and not others:
        raise NotNominalError(_open(system))
    vector = sign * feature.vector_in(system)
    if not others:
        old = system.axes[:, first]
        if np.linalg.norm(np.cross(old, vector)) <= _SAME_AXIS and old @ vector > 0.0:
            return system.axes, None
        return _tilt(old, vector) @ system.axes, first
    axes = np.empty((3, 3))
    axes[:, first] = vector
    second, (sign, feature) = others[0]
    axes[:, second] = sign * _across(feature, system, vector, _pivot(system, first, origins))
    return _completed(axes, (first, second)), None


def _pivot(system: DatumSystem, first: int, origins: Mapping[int, DatumFeature]) -> Array | None:
    """The place through which the first axis goes; None where it depends on the other axes."""
    across = [origins[axis] for axis in origins if axis != first]
    if not across:
        return system.origin
    if len(across) == 2 and across[0].label == across[1].label:
        return across[0].place_in(system)
    return None


def _across(feature: DatumFeature, system: DatumSystem, axis: Array, pivot: Array | None) -> Array:
    """Direction across an axis that a feature gives, by its own direction or by its place."""
    vector: Array | None = None
    if feature.kind not in _PLACES:
        own = feature.vector_in(system)
        along = float(np.linalg.norm(np.cross(own, axis))) <= PARALLEL
        if not along and feature.kind in _ROUND:
            raise NotNominalError(
                f"{feature.label} ({feature.kind}) gives two directions: its normal, and its centre"
            )
        if along and feature.kind == "PLANE":
            raise NotNominalError(f"{feature.label} is square to that axis and gives no direction")
        vector = None if along else own
    if vector is None:
        if pivot is None:
            raise NotNominalError(f"the axis from which {feature.label} is seen is not determined")
        vector = feature.place_in(system) - pivot
    across = vector - (vector @ axis) * axis
    length = float(np.linalg.norm(across))
    if length <= _SAME_AXIS * max(1.0, float(np.linalg.norm(vector))):
        raise NotNominalError(f"{feature.label} lies on that axis and gives no direction")
    return np.asarray(across / length)


def _origin(system: DatumSystem, axes: Array, origins: Mapping[int, DatumFeature]) -> Array:
    """The origin in the root; along axes that nothing moves it stays."""
    origin = np.array(system.origin)
    for axis, feature in origins.items():
        along = axes[:, axis]
        origin += ((feature.place_in(system) - system.origin) @ along) * along
        if feature.kind in _PLACES or feature.kind in _ROUND:
            continue
        sine = float(np.linalg.norm(np.cross(feature.vector_in(system), along)))
        cosine = abs(float(feature.vector_in(system) @ along))
        fits = sine <= PARALLEL if feature.kind == "PLANE" else cosine <= PARALLEL
        if feature.kind not in (*_AXIAL, "PLANE") or not fits:
            raise NotNominalError(
                f"{feature.label} ({feature.kind}) does not stand square to the "
                f"{'XYZ'[axis]} axis, so it gives no {'XYZ'[axis]}ORIG"
            )
    return origin


def _named(word: str, features: Features) -> DatumFeature:
    if word not in features:
        raise NotNominalError(f"{word!r} is not a feature or datum whose nominal is known")
    return features[word]


def _open(system: DatumSystem) -> str:
    letter = "XYZ"[system.open_axis or 0]
    return (
        f"the DATSET of line {system.open_line} gives one direction only and leaves the turn about "
        f"{letter} open"
    )


def _turn(axis: int, angle: float) -> Array:
    """Rotation about a coordinate axis. # (3, 3)."""
    one, two = (axis + 1) % 3, (axis + 2) % 3
    cosine, sine = (
        float(round(value)) if abs(value - round(value)) < _RIGHT else value
        for value in (math.cos(angle), math.sin(angle))
    )
    matrix = np.eye(3)
    matrix[one, one] = matrix[two, two] = cosine
    matrix[one, two], matrix[two, one] = -sine, sine
    return matrix


def _tilt(old: Array, new: Array) -> Array:
    """The smallest rotation that brings a direction to another one. # (3, 3)."""
    cosine = float(old @ new)
    if cosine < -1.0 + 1e-12:
        side = np.eye(3)[int(np.argmin(np.abs(old)))]
        side = side - (side @ old) * old
        side /= np.linalg.norm(side)
        return np.asarray(2.0 * np.outer(side, side) - np.eye(3))
    x, y, z = np.cross(old, new)
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + skew + skew @ skew / (1.0 + cosine))


def _completed(axes: Array, given: tuple[int, int]) -> Array:
    """Three axes of which two are given; right-handed. # (3, 3)."""
    first, second = given
    sign = 1.0 if (first + 1) % 3 == second else -1.0
    axes[:, 3 - first - second] = sign * np.cross(axes[:, first], axes[:, second])
    return axes
