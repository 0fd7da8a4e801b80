"""What a drawing says of a part: its datums, dimensions and geometric tolerances, on its faces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

GEOMETRIC_KINDS = (
    "flatness", "straightness", "roundness", "cylindricity", "parallelism", "perpendicularity",
    "angularity", "position", "coaxiality", "concentricity", "symmetry", "surface profile",
    "line profile", "circular runout", "total runout",
)  # fmt: skip
ZONES = ("width", "diameter", "sphere")
NAN = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatumTarget:
    """A place of a part that a datum is taken from.

    Args:
        name: the datum's letter and a number, "A1".
        kind: "point", "line", "rectangle", "circle", "area", …, as the file calls it.
        faces: that it lies on; empty where the file does not say.
        point: its centre; empty where the file gives no position. # (3,) [m]
        diameter: of a circle. [m]
        length: of a line or a rectangle. [m]
        width: of a rectangle. [m]
        outline: corners of an area that lies beside the part, as that of a vee does; empty where
            it lies on faces. # (n, 3) [m]
    """

    name: str
    kind: str
    faces: tuple[int, ...] = ()
    point: tuple[float, ...] = ()
    diameter: float = NAN
    length: float = NAN
    width: float = NAN
    outline: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Datum:
    """A datum, by its feature, its targets, or both.

    Args:
        label: its letter.
        faces: of the datum feature, indices into the geometry's faces.
        targets: that it is established from; empty where all of the feature is.
    """

    label: str
    faces: tuple[int, ...] = ()
    targets: tuple[DatumTarget, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DatumElement:
    """A datum where a tolerance refers to it.

    Args:
        label: its letter.
        modifiers: "MMB", "LMB", "translation", …
    """

    label: str
    modifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DatumReference:
    """A compartment of a datum system: a datum, or several that are taken together (A-B).

    Args:
        elements: one, or those of a common datum.
        modifiers: of all of them together.
    """

    elements: tuple[DatumElement, ...]
    modifiers: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """As in a feature control frame, without modifiers: "A", "A-B"."""
        return "-".join(one.label for one in self.elements)

    @property
    def all_modifiers(self) -> tuple[str, ...]:
        """Its own, then those of its elements, each once."""
        own = (*self.modifiers, *(name for one in self.elements for name in one.modifiers))
        return tuple(dict.fromkeys(own))


@dataclass(frozen=True, slots=True, kw_only=True)
class GeometricTolerance:
    """A feature control frame.

    Args:
        kind: one of ``GEOMETRIC_KINDS``.
        value: width or diameter of its zone; zero only with a material modifier. [m]
        faces: that it holds, indices into the geometry's faces.
        zone: one of ``ZONES``.
        material: "MMC", "LMC" or empty for neither.
        modifiers: others, "free state", "tangent plane", …
        datums: its datum system, primary first.
        projected: height of a projected zone; NaN for none. [m]
        unequal: how far an unequally disposed zone lies outside of the material; NaN. [m]
        maximum: that the value may grow to with a bonus; NaN. [m]
        unit: extents of any piece of the feature that it holds for by itself: a length, the side
            of a square, both sides of a rectangle, or a diameter; empty for the whole. [m]
        unit_shape: "length", "square", "rectangle", "circle" or empty.
        all_around: whether it holds all around a profile.
        whole_part: whether it holds on every face (that has no tolerance of its own).
        lower: further frames of a composite tolerance, in their order.
        name: that the file gives it.
        identity: number of its statement in the file.
    """

    kind: str
    value: float
    faces: tuple[int, ...]
    zone: str = "width"
    material: str = ""
    modifiers: tuple[str, ...] = ()
    datums: tuple[DatumReference, ...] = ()
    projected: float = NAN
    unequal: float = NAN
    maximum: float = NAN
    unit: tuple[float, ...] = ()
    unit_shape: str = ""
    all_around: bool = False
    whole_part: bool = False
    lower: tuple[GeometricTolerance, ...] = ()
    name: str = field(default="", compare=False)
    identity: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """A size, distance or angle with its limits.

    Args:
        kind: "diameter", "radius", "distance", "angle", "thickness", … as the file calls it;
            "depth" for a distance from a plane to the far rims of bores.
        nominal: [m], or [rad] where it is ``angular``; NaN where only limits are given.
        lower: limit; NaN for none. [m] or [rad]
        upper: limit; NaN for none. [m] or [rad]
        faces: of its feature, or of that which a distance or angle leads to.
        origin_faces: of that which a distance or angle starts from; empty for sizes.
        angular: whether its values are angles.
        directed: whether a distance starts from its origin, which is then no matter of choice.
        fit: tolerance class of limits and fits, "H7"; its limits stand in ISO 286.
        modifiers: "theoretical" (basic), "auxiliary" (reference), "statistical", "maximum", …
        name: that the file gives it.
        identity: number of its statement in the file.
    """

    kind: str
    nominal: float
    faces: tuple[int, ...]
    lower: float = NAN
    upper: float = NAN
    origin_faces: tuple[int, ...] = ()
    angular: bool = False
    directed: bool = False
    fit: str = ""
    modifiers: tuple[str, ...] = ()
    name: str = field(default="", compare=False)
    identity: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadItem:
    """Something of a drawing that is not taken.

    Args:
        name: what it is, with the name that the file gives it.
        reason: why, a sentence without its full stop.
        identity: number of its statement in the file.
    """

    name: str
    reason: str
    identity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The drawing in a CAD file, as far as it can be read.

    Args:
        datums: by letter.
        dimensions: in the order of the file.
        tolerances: in the order of the file; lower frames stand with the upper one.
        unread: what the file has beside, so that nothing of it is lost in silence.
    """

    datums: tuple[Datum, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    tolerances: tuple[GeometricTolerance, ...] = ()
    unread: tuple[UnreadItem, ...] = ()

    def frames(self) -> Iterator[GeometricTolerance]:
        """Every feature control frame, those of composite tolerances each by itself."""
        for one in self.tolerances:
            yield one
            yield from one.lower
