"""The drawing in a QIF 3.0 document (ISO 23952): a model with its definition, or a plan.

QIF states features by where they are, not by faces of another file, so each is found on the part
by its surface. As in STEP files, a fact that is not understood in full is not taken but listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import TypeVar

import numpy as np

from parts.drawing.drawing import (
    NAN,
    Datum,
    DatumElement,
    DatumReference,
    Dimension,
    Drawing,
    GeometricTolerance,
    UnreadItem,
)
from parts.errors import PartError
from parts.features.recognition import FormFeature, form_features
from parts.geometry.geometry import Geometry
from parts.geometry.surfaces import Cylinder, Plane, Sphere
from parts.points.file_text import is_number
from parts.points.qif_document import (
    Element,
    QifDocument,
    length_units,
    name_of,
    qif_document,
    unit_at,
)
from robots.core.arrays import Array

_KINDS: Mapping[str, str] = {
    "Flatness": "flatness",
    "Straightness": "straightness",
    "Circularity": "roundness",
    "Cylindricity": "cylindricity",
    "Parallelism": "parallelism",
    "Perpendicularity": "perpendicularity",
    "Angularity": "angularity",
    "Position": "position",
    "Coaxiality": "coaxiality",
    "Concentricity": "concentricity",
    "Symmetry": "symmetry",
    "SurfaceProfile": "surface profile",
    "LineProfile": "line profile",
    "CircularRunout": "circular runout",
    "TotalRunout": "total runout",
}
_SIZES: Mapping[str, str] = {
    "Diameter": "diameter",
    "SphericalDiameter": "spherical diameter",
    "Radius": "radius",
    "DistanceBetween": "distance",
}
_MATERIALS = {"MAXIMUM": "MMC", "LEAST": "LMC", "REGARDLESS": "", "NONE": "", "": ""}
_ZONES = {
    "DiametricalZone": "diameter",
    "SphericalZone": "sphere",
    "PlanarZone": "width",
    "NonDiametricalZone": "width",
    "ParallelPlanesZone": "width",
}
_PRECEDENCE = ("PRIMARY", "SECONDARY", "TERTIARY")
_UNDERSTOOD = frozenset(
    ("Attributes", "Name", "Description", "ToleranceValue", "Tolerance", "MaterialCondition",
     "ZoneShape", "DatumReferenceFrameId")
)  # fmt: skip
_NEAR = 1e-5  # [m]: nominal places are printed with a few micrometres
_SAME_TURN = 1e-5  # sine between directions
_Fact = TypeVar("_Fact", Datum, Dimension, GeometricTolerance)


class _UnreadError(PartError):
    """Why something is not taken; a sentence without its full stop."""


def read_qif_drawing(raw: bytes, origin: str, geometry: Geometry) -> Drawing:
    """Read datums, dimensions and tolerances of a QIF document for a part.

    Args:
        raw: content of the file.
        origin: its name.
        geometry: of the part, in the frame of the document.

    Raises:
        PointsError: no QIF document, too large, or units that contradict themselves.
    """
    return _Reading(qif_document(raw, origin), geometry).drawing()


class _Reading:
    def __init__(self, document: QifDocument, geometry: Geometry) -> None:
        self._document = document
        self._units = length_units(document)
        self._forms = form_features(geometry)
        self._unread: list[UnreadItem] = []
        self._by_id = {e.get("id"): e for e in document.every("*") if e.get("id")}
        self._items = {
            one.get("id"): document.text(one, "FeatureNominalId")
            for one in document.ending("FeatureItem")
        }
        self._faces: dict[str, tuple[int, ...]] = {}

    def drawing(self) -> Drawing:
        """Everything that can be read; the rest is listed."""
        definitions = self._document.ending("CharacteristicNominal")
        sizes = [one for one in definitions if self._word(one) in _SIZES]
        frames = [one for one in definitions if self._word(one) in _KINDS]
        for one in definitions:
            if one not in sizes and one not in frames:
                self._skip(one, f"what {name_of(one)} means is not read")
        return Drawing(
            datums=tuple(self._read(self._document.every("DatumDefinition"), self._datum)),
            dimensions=tuple(self._read(iter(sizes), self._dimension)),
            tolerances=tuple(self._read(iter(frames), self._tolerance)),
            unread=tuple(sorted(self._unread, key=lambda one: one.identity)),
        )

    def _read(
        self, elements: Iterator[Element], read: Callable[[Element], _Fact]
    ) -> Iterator[_Fact]:
        for one in elements:
            try:
                yield read(one)
            except _UnreadError as reason:
                self._skip(one, str(reason))

    def _skip(self, one: Element, reason: str) -> None:
        kind = name_of(one).removesuffix("CharacteristicNominal").removesuffix("Definition")
        own = self._document.text(one, "Name") or self._document.text(one, "DatumLabel")
        number = one.get("id") or ""
        self._unread.append(
            UnreadItem(
                name=f"{kind} {own[:100]!r}" if own else kind,
                reason=reason,
                identity=int(number) if number.isdecimal() and len(number) < 10 else 0,
            )
        )

    # ------------------------------------------------------------------------------------- Facts

    def _datum(self, one: Element) -> Datum:
        label = self._document.text(one, "DatumLabel")
        if not label:
            raise _UnreadError("it has no letter")
        if self._document.child(one, "DatumTargetIds") is not None:
            raise _UnreadError("it has targets, which are not read")
        return Datum(label=label, faces=self._faces_of(one))

    def _dimension(self, one: Element) -> Dimension:
        asked = self._definition(one)
        tolerance = self._document.child(asked, "Tolerance")
        nominal = self._length(one, "TargetValue")
        if not isfinite(nominal):
            raise _UnreadError("it has no TargetValue")
        lower = upper = NAN
        if tolerance is not None:
            lower, upper = (self._length(tolerance, f"{end}Value") for end in ("Min", "Max"))
            known = {"MinValue", "MaxValue", "DefinedAsLimit", "Attributes"}
            if strange := [name_of(part) for part in tolerance if name_of(part) not in known]:
                raise _UnreadError(f"what {strange[0]} means is not read")
            if self._document.text(tolerance, "DefinedAsLimit").lower() not in ("true", "1"):
                lower, upper = nominal + lower, nominal + upper
        kind = _SIZES[self._word(one)]
        faces = self._faces_of(one)
        origin: tuple[int, ...] = ()
        if kind == "distance":
            pair = self._document.child(one, "FeatureNominalPairs", "FeaturePair")
            if pair is None:
                raise _UnreadError("it has no pair of features")
            faces, origin = (
                self._faces_at(self._document.text(pair, end))
                for end in ("FirstFeature", "SecondFeature")
            )
        return Dimension(
            kind=kind,
            nominal=nominal,
            lower=lower,
            upper=upper,
            faces=faces,
            origin_faces=origin,
            name=self._document.text(one, "Name"),
            identity=self._number(one),
        )

    def _tolerance(self, one: Element) -> GeometricTolerance:
        asked = self._definition(one)
        value = self._length(asked, "ToleranceValue")
        material = self._document.text(asked, "MaterialCondition")
        if material not in _MATERIALS:
            raise _UnreadError(f"its material condition {material[:40]!r} is not understood")
        if not isfinite(value) or value < 0.0 or (value == 0.0 and not _MATERIALS[material]):
            raise _UnreadError("its ToleranceValue is missing, or not above zero")
        zone = "width"
        shape = self._document.child(asked, "ZoneShape")
        if shape is not None:
            names = [name_of(part) for part in shape]
            if len(names) != 1 or names[0] not in _ZONES:
                raise _UnreadError(f"the form of its zone, {names}, is not understood")
            zone = _ZONES[names[0]]
        return GeometricTolerance(
            kind=_KINDS[self._word(one)],
            value=value,
            faces=self._faces_of(one),
            zone=zone,
            material=_MATERIALS[material],
            datums=self._system(self._document.text(asked, "DatumReferenceFrameId")),
            name=self._document.text(one, "Name"),
            identity=self._number(one),
        )

    def _definition(self, one: Element) -> Element:
        found = self._at(self._document.text(one, "CharacteristicDefinitionId"))
        strange = [name_of(part) for part in found if name_of(part) not in _UNDERSTOOD]
        if strange:
            raise _UnreadError(f"what {strange[0]} means here is not read")
        return found

    def _system(self, identity: str) -> tuple[DatumReference, ...]:
        if not identity:
            return ()
        found: dict[int, DatumReference] = {}
        for one in self._document.every("Datum", below=self._at(identity)):
            word = self._document.text(one, "Precedence", "PrecedenceEnum")
            simple = self._document.child(one, "SimpleDatum")
            if simple is None or word not in _PRECEDENCE or _PRECEDENCE.index(word) in found:
                raise _UnreadError(f"a datum of its frame {identity} is not understood")
            label = self._document.text(
                self._at(self._document.text(simple, "DatumDefinitionId")), "DatumLabel"
            )
            material = self._document.text(simple, "MaterialModifier")
            if material not in _MATERIALS:
                raise _UnreadError(f"the material {material[:40]!r} of datum {label} is not read")
            boundary = {"MMC": ("MMB",), "LMC": ("LMB",), "": ()}[_MATERIALS[material]]
            element = DatumElement(label=label, modifiers=boundary)
            found[_PRECEDENCE.index(word)] = DatumReference(elements=(element,))
        if sorted(found) != list(range(len(found))) or not found:
            raise _UnreadError(f"the datums of its frame {identity} have gaps in their precedence")
        return tuple(found[place] for place in sorted(found))

    # ---------------------------------------------------------------------------------- Features

    def _faces_of(self, one: Element) -> tuple[int, ...]:
        """Faces of the features that a fact names."""
        listed = self._document.child(one, "FeatureNominalIds")
        found: dict[int, None] = {}
        for part in () if listed is None else listed:
            found.update(dict.fromkeys(self._faces_at((part.text or "").strip())))
        if not found:
            raise _UnreadError("it is linked to no feature")
        return tuple(found)

    def _faces_at(self, identity: str) -> tuple[int, ...]:
        if identity not in self._faces:
            self._faces[identity] = self._form(self._at(identity)).faces
        return self._faces[identity]

    def _form(self, one: Element) -> FormFeature:
        """The part's feature where a nominal feature is."""
        word = name_of(one).removesuffix("FeatureNominal")
        told = self._document.text(one, "Name") or f"{word} #{one.get('id')}"
        if word == "Plane":
            point, axis = self._place(one, "Location"), self._vector(one, "Normal")
            found = [form for form in self._forms if _is_plane(form, point, axis)]
        elif word == "Cylinder":
            point = self._place(one, "Axis", "AxisPoint")
            axis, size = self._vector(one, "Axis", "Direction"), self._diameter(one)
            found = [form for form in self._forms if _is_cylinder(form, point, axis, size)]
        elif word == "Sphere":
            point, size = self._place(one, "Location"), self._diameter(one)
            found = [form for form in self._forms if _is_sphere(form, point, size)]
        else:
            raise _UnreadError(f"its feature {told[:60]!r} is a {word or name_of(one)}, which is "
                               "not sought on the part")  # fmt: skip
        if len(found) != 1:
            raise _UnreadError(
                f"{len(found) or 'no'} features of the part lie where its {word.lower()} "
                f"{told[:60]!r} is"
            )
        if not np.isnan(found[0].residual):
            raise _UnreadError(
                f"its {word.lower()} {told[:60]!r} lies on a mesh, which has no faces to name; "
                "give the part as STEP"
            )
        return found[0]

    def _diameter(self, one: Element) -> float:
        definition = self._at(self._document.text(one, "FeatureDefinitionId"))
        return self._length(definition, "Diameter")

    def _place(self, one: Element, *path: str) -> Array:
        element = self._document.child(one, *path)
        scale = float(unit_at(self._document, self._units, *filter(_there, (element, one))).scale)
        return scale * self._triple(element, path[-1])

    def _vector(self, one: Element, *path: str) -> Array:
        vector = self._triple(self._document.child(one, *path), path[-1])
        length = float(np.linalg.norm(vector))
        if not length > 0.0:
            raise _UnreadError(f"its {path[-1]} has no length")
        return np.asarray(vector / length)

    def _triple(self, element: Element, name: str) -> Array:
        if element is None:
            raise _UnreadError(f"its feature has no {name}")
        return np.array([float(text) for text in self._document.listed(element, columns="xyz")])

    def _length(self, one: Element, name: str) -> float:
        """A length; NaN where it is left out. [m]."""
        element = self._document.child(one, name)
        if element is None:
            return NAN
        text = (element.text or "").strip()
        if not is_number(text) or not isfinite(float(text)):
            raise _UnreadError(f"its {name} {text[:40]!r} is no number")
        unit = unit_at(self._document, self._units, element, one)
        return float(text) * float(unit.scale)

    def _at(self, identity: str) -> Element:
        found = self._by_id.get(self._items.get(identity, identity))
        if found is None:
            raise _UnreadError(
                f"it is linked to {identity[:20] or 'nothing'!r}, which is not there"
            )
        return found

    def _word(self, one: Element) -> str:
        return name_of(one).removesuffix("CharacteristicNominal")

    def _number(self, one: Element) -> int:
        number = one.get("id") or ""
        return int(number) if number.isdecimal() and len(number) < 10 else 0


def _there(element: Element) -> bool:
    return element is not None


def _is_plane(form: FormFeature, point: Array, axis: Array) -> bool:
    if form.kind != "plane" or not isinstance(form.surface, Plane):
        return False
    level = abs(float((form.point - point) @ form.axis)) < _NEAR
    return level and float(form.axis @ axis) > 1.0 - _SAME_TURN**2


def _is_cylinder(form: FormFeature, point: Array, axis: Array, size: float) -> bool:
    surface = form.surface
    if not isinstance(surface, Cylinder):
        return False
    along = float(np.linalg.norm(np.cross(surface.axis, axis))) < _SAME_TURN
    off = float(np.linalg.norm(np.cross(point - surface.point, surface.axis)))
    return along and off < _NEAR and not abs(2.0 * surface.radius - size) > _NEAR


def _is_sphere(form: FormFeature, point: Array, size: float) -> bool:
    surface = form.surface
    if not isinstance(surface, Sphere):
        return False
    off = float(np.linalg.norm(surface.centre - point))
    return off < _NEAR and not abs(2.0 * surface.radius - size) > _NEAR
