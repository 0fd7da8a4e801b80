"""The drawing in a STEP file: semantic product and manufacturing information (PMI) of AP242.

It is read from the instances of the file, by the CAx-IF recommended practices for its
representation; the translator loses magnitudes and units. A fact that is not understood in full is
not taken but listed, with the reason: a tolerance without its modifier would be another tolerance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isfinite
from typing import TypeVar

from parts.drawing.drawing import (
    NAN,
    Datum,
    DatumElement,
    DatumReference,
    DatumTarget,
    Dimension,
    Drawing,
    GeometricTolerance,
    UnreadItem,
)
from parts.drawing.instances import (
    Instances,
    Measure,
    Measures,
    UnreadError,
    attribute,
    coordinates,
    record,
    reference,
    references,
    text,
    words,
)
from parts.drawing.targets import SIZES, Target, Targets, no_face
from parts.drawing.topology import Topology
from parts.geometry.geometry import Geometry
from parts.geometry.part21 import Enumeration, ExchangeFile, Instance, Reference, Typed, Value
from parts.geometry.source_file import SourceFile
from parts.geometry.surfaces import Cylinder, Plane, Sphere, Surface


def read_drawing(file: SourceFile, geometry: Geometry) -> Drawing:
    """Read the drawing in the file of a part; an empty one where its format has none.

    Args:
        file: of the part.
        geometry: that was read from it.

    Raises:
        PartError: over a cap, or not the file of the geometry.
    """
    if geometry.sha256 != sha256(file.raw).hexdigest():
        raise file.error("it is not the file that the geometry was read from; read the part again.")
    if b"ISO-10303-21" not in file.raw[:1000]:
        return Drawing()
    faces: dict[int, list[int]] = defaultdict(list)
    for face in geometry.faces:
        if face.identity:
            faces[face.identity].append(face.index)
    drawing = drawing_of(file, {identity: tuple(rows) for identity, rows in faces.items()})
    return without_contradictions(drawing, geometry)


def drawing_of(file: SourceFile, faces: Mapping[int, tuple[int, ...]]) -> Drawing:
    """The drawing in the text of a STEP file.

    Args:
        file: as read.
        faces: indices into the geometry's faces by the number of the face's statement; several
            where a shape is placed several times.

    Raises:
        PartError: over a cap.
    """
    instances = Instances(ExchangeFile(file))
    measures = Measures(instances)
    targets = Targets(instances, faces, Topology(instances, faces, measures))
    return Drawing(
        datums=_Datums(instances, targets, measures).read(),
        dimensions=_Dimensions(instances, targets, measures).read(),
        tolerances=_Tolerances(instances, targets, measures).read(),
        unread=_with_pictures(instances).unread,
    )


_Fact = TypeVar("_Fact", Dimension, GeometricTolerance)


def _once(instances: Instances, facts: Iterable[_Fact]) -> tuple[_Fact, ...]:
    """Facts without those that are said twice, which are listed."""
    known: dict[_Fact, int] = {}
    for one in facts:
        if one in known:
            instances.skip(one.identity, f"it says the same as #{known[one]}")
        else:
            known[one] = one.identity
    return tuple(known)


# ------------------------------------------------------------------------------------------ Datums

_TARGET_TYPES = ("DATUM_TARGET", "PLACED_DATUM_TARGET_FEATURE")


class _Datums:
    """Datums, their features and their targets."""

    def __init__(self, instances: Instances, targets: Targets, measures: Measures) -> None:
        self._instances, self._targets, self._measures = instances, targets, measures
        self._established = instances.links(3, 2, "SHAPE_ASPECT_RELATIONSHIP")
        self._target_features = instances.links(3, 2, "FEATURE_FOR_DATUM_TARGET_RELATIONSHIP")
        self._parameters: dict[int, list[int]] = defaultdict(list)  # of a target
        for one in instances.every("SHAPE_DEFINITION_REPRESENTATION"):
            self._take_parameters(one)

    def _take_parameters(self, one: Instance) -> None:
        ends = references(tuple(one.records.values()))
        if len(ends) != 2:
            return
        if "SHAPE_REPRESENTATION_WITH_PARAMETERS" not in self._instances.types(ends[1]):
            return
        try:
            owner = self._instances.instance(ends[0])
            target = reference(owner, record(owner, "PROPERTY_DEFINITION"), 2)
            self._parameters[target].append(ends[1])
        except UnreadError as reason:
            self._instances.skip(one.identity, reason)

    def read(self) -> tuple[Datum, ...]:
        """Datums by letter; of different ones with one letter, none is known to be right."""
        by_label: dict[str, dict[int, Datum]] = defaultdict(dict)
        for one in self._instances.every("DATUM"):
            try:
                datum = self._datum(one)
                by_label[datum.label][one.identity] = datum
            except UnreadError as reason:
                self._instances.skip(one.identity, reason)
        datums = []
        for label in sorted(by_label, key=lambda label: (len(label), label)):
            first, *others = by_label[label].items()
            alike = all(datum == first[1] for _, datum in others)
            if alike:
                datums.append(first[1])
            for identity, _ in others if alike else (first, *others):
                count = len(by_label[label])
                self._instances.skip(
                    identity,
                    f"it says the same as #{first[0]}"
                    if alike
                    else f"{count} datums with different features are called {label!r}",
                )
        return tuple(datums)

    def _datum(self, one: Instance) -> Datum:
        label = _letter(one)
        established = self._established.get(one.identity, [])
        related = dict.fromkeys((*established, *self._targets.parts(one.identity)))
        targets = [o for o in related if not self._instances.types(o).isdisjoint(_TARGET_TYPES)]
        features = [other for other in related if other not in targets]
        found = self._targets.holds(one.identity, *features)
        read: list[DatumTarget] = []
        for target in targets:
            try:
                read.append(self._target(label, self._instances.instance(target)))
            except UnreadError as reason:
                self._instances.skip(target, reason)
        if len(read) < len(targets):  # the rest of them would be another datum
            raise UnreadError(
                f"{len(targets) - len(read)} of its {len(targets)} targets are unread"
            )
        if not found.faces and not read:
            raise UnreadError(no_face(found))
        return Datum(
            label=label,
            faces=tuple(found.faces),
            targets=tuple(sorted(read, key=lambda target: (len(target.name), target.name))),
        )

    def _target(self, label: str, one: Instance) -> DatumTarget:
        numbers = [one.records[name] for name in _TARGET_TYPES if one.records.get(name)]
        features = self._target_features.get(one.identity, [])
        found = self._targets.linked(one.identity, *features)
        placed = self._placed(one.identity)
        outline: tuple[tuple[float, ...], ...] = ()
        if len(found.sheets) == 1 and not found.faces:  # the area itself, drawn as a sheet
            outline = self._targets.topology.corners(next(iter(found.sheets)))
        elif found.sheets:
            found = self._targets.holds(one.identity, *features)
        if not found.faces and not placed.point and not outline:
            kinds = " and ".join(dict.fromkeys(found.others.values()))
            beside = f", only {kinds}" if kinds else ""
            raise UnreadError(f"it has neither a face nor a position{beside}")
        return replace(
            placed,
            outline=outline,
            name=label + (text(one, numbers[0], -1) if numbers else ""),
            kind=text(one, record(one, "SHAPE_ASPECT"), 1),
            faces=tuple(found.faces),
        )

    def _placed(self, target: int) -> DatumTarget:
        """Position and sizes of a target, as far as it has them."""
        point: tuple[float, ...] = ()
        sizes = {"diameter": NAN, "length": NAN, "width": NAN}
        for representation in self._parameters.get(target, ()):
            one = self._instances.instance(representation)
            values = record(one, "REPRESENTATION", "SHAPE_REPRESENTATION_WITH_PARAMETERS")
            for item in references(attribute(one, values, 1)):
                if "AXIS2_PLACEMENT_3D" in self._instances.types(item):
                    point = self._point(item, self._context_unit(reference(one, values, 2)))
                    continue
                name = self._instances.name(item).removeprefix("target ")
                if name not in sizes:
                    raise UnreadError(f"its parameter #{item} {name!r} is not understood")
                sizes[name] = self._measures.length(item)
        return DatumTarget(
            name="",
            kind="",
            point=point,
            diameter=sizes["diameter"],
            length=sizes["length"],
            width=sizes["width"],
        )

    def _context_unit(self, context: int) -> float:
        """Metres of the unit of lengths in a representation."""
        one = self._instances.instance(context)
        for unit in references(one.records.get("GLOBAL_UNIT_ASSIGNED_CONTEXT", ())):
            if "LENGTH_UNIT" in self._instances.types(unit):
                return self._measures.unit(unit).value
        raise UnreadError(f"its position is in no unit of length, in #{context}")

    def _point(self, placement: int, unit: float) -> tuple[float, ...]:
        """Origin of a placement in metres."""
        axes = self._instances.instance(placement)
        at = 0 if "PLACEMENT" in axes.records else 1
        values = record(axes, "PLACEMENT", "AXIS2_PLACEMENT_3D")
        one = self._instances.instance(reference(axes, values, at))
        return tuple(unit * number for number in coordinates(one))


def _letter(one: Instance) -> str:
    label = text(one, record(one, "DATUM"), -1)
    if "DATUM" not in one.records or not label:
        raise UnreadError(f"#{one.identity} is no datum with a letter")
    return label


# -------------------------------------------------------------------------------------- Dimensions

_LOCATIONS = (
    "DIMENSIONAL_LOCATION",
    "ANGULAR_LOCATION",
    "DIRECTED_DIMENSIONAL_LOCATION",
    "DIMENSIONAL_LOCATION_WITH_PATH",
)
_VALUES = ("nominal value", "lower limit", "upper limit")


@dataclass(slots=True)
class _Items:
    """What a dimension's representation holds."""

    measures: dict[str, Measure]
    modifiers: dict[str, None]


class _Dimensions:
    """Sizes, distances and angles."""

    def __init__(self, instances: Instances, targets: Targets, measures: Measures) -> None:
        self._instances, self._targets, self._measures = instances, targets, measures
        self._values = instances.links(0, 1, "DIMENSIONAL_CHARACTERISTIC_REPRESENTATION")
        self._ranges = instances.links(1, 0, "PLUS_MINUS_TOLERANCE")
        self._qualifiers = instances.links(2, 3, "MEASURE_QUALIFICATION")

    def read(self) -> tuple[Dimension, ...]:
        """All that can be read."""
        found: list[Dimension] = []
        for one in self._instances.every(*SIZES, *_LOCATIONS):
            try:
                found.append(self._dimension(one))
            except UnreadError as reason:
                self._instances.skip(one.identity, reason)
        return _once(self._instances, found)

    def _dimension(self, one: Instance) -> Dimension:
        kind, feature, origin = _dimensioned(one)
        representations = self._values.get(one.identity, [])
        ranges = self._ranges.get(one.identity, [])
        if len(representations) != 1 or len(ranges) > 1:
            raise UnreadError(
                f"it has {len(representations)} values and {len(ranges)} tolerances in the file"
            )
        items = self._items(representations[0])
        angular = any(measure.angular for measure in items.measures.values())
        if angular and not all(measure.angular for measure in items.measures.values()):
            raise UnreadError("its values are lengths and angles")
        nominal, lower, upper = (
            items.measures[name].value if name in items.measures else NAN
            for name in ("nominal value", "lower limit", "upper limit")
        )
        fit = ""
        if ranges and (isfinite(lower) or isfinite(upper)):
            raise UnreadError("it has limits and a tolerance")
        if ranges:
            fit, below, above = self._range(ranges[0], angular=angular)
            if not fit:
                lower, upper = nominal + below, nominal + above
        elif "maximum" in items.modifiers:
            nominal, upper = NAN, nominal
        elif "minimum" in items.modifiers:
            nominal, lower = NAN, nominal
        if lower >= upper:
            raise UnreadError(f"its lower limit, {lower:.9g}, is not below the upper, {upper:.9g}")
        if not any(isfinite(value) for value in (nominal, lower, upper)):
            raise UnreadError("it has no value")
        size = next(value for value in (nominal, upper, lower) if isfinite(value))
        faces, start = Target(), Target()
        if origin is None:
            rims = self._targets.of_rims(size) if kind == "diameter" else None
            faces = self._targets.faces(feature, rims)
        elif kind == "distance" and not angular:
            start, faces, deep = self._targets.between(origin, feature, size)
            kind = "depth" if deep else kind
        else:
            faces, start = self._targets.faces(feature), self._targets.faces(origin)
        return Dimension(
            kind=kind,
            nominal=_none_as_one(nominal),
            lower=_none_as_one(lower),
            upper=_none_as_one(upper),
            faces=tuple(faces.faces),
            origin_faces=tuple(start.faces),
            angular=angular,
            directed="DIRECTED_DIMENSIONAL_LOCATION" in one.records,
            fit=fit,
            modifiers=tuple(items.modifiers),
            identity=one.identity,
        )

    def _items(self, representation: int) -> _Items:
        one = self._instances.instance(representation)
        found = _Items({}, {})
        for item in references(attribute(one, record(one, "REPRESENTATION"), 1)):
            self._add(item, found)
        return found

    def _add(self, item: int, found: _Items) -> None:
        """Take a value, a note, or a group of notes."""
        one = self._instances.instance(item)
        if "DESCRIPTIVE_REPRESENTATION_ITEM" in one.records:
            note = text(one, one.records["DESCRIPTIVE_REPRESENTATION_ITEM"], -1)
            found.modifiers.setdefault(note.lower())
            return
        if "COMPOUND_REPRESENTATION_ITEM" in one.records:
            for part in references(one.records["COMPOUND_REPRESENTATION_ITEM"]):
                if "DESCRIPTIVE_REPRESENTATION_ITEM" not in self._instances.types(part):
                    raise UnreadError(f"its note #{part} is not understood")
                self._add(part, found)
            return
        name = text(one, record(one, "REPRESENTATION_ITEM"), 0)
        if name not in _VALUES or name in found.measures:
            raise UnreadError(f"its value #{item} {name!r} is not understood")
        found.measures[name] = self._measures.measure(item)
        own = references(one.records.get("QUALIFIED_REPRESENTATION_ITEM", ()))
        for qualifier in (*own, *self._qualifiers.get(item, ())):
            if "TYPE_QUALIFIER" in self._instances.types(qualifier):
                word = self._instances.name(qualifier)
                if word != "designed":  # as all of a drawing is
                    found.modifiers.setdefault(word.lower())

    def _range(self, identity: int, *, angular: bool) -> tuple[str, float, float]:
        """A tolerance class, or the deviations below and above."""
        one = self._instances.instance(identity)
        if "LIMITS_AND_FITS" in one.records:
            values = one.records["LIMITS_AND_FITS"]
            fit = text(one, values, 0) + text(one, values, 2)
            if not fit:
                raise UnreadError(f"its tolerance class #{identity} is empty")
            return fit, NAN, NAN
        values = record(one, "TOLERANCE_VALUE")
        below, above = (self._measures.measure(reference(one, values, at)) for at in (0, 1))
        if below.angular != angular or above.angular != angular:
            raise UnreadError("its value and its tolerance are a length and an angle")
        return "", below.value, above.value


def _none_as_one(value: float) -> float:
    """A value, where every NaN is the same object: equal facts are then equal."""
    return value if isfinite(value) else NAN


def _dimensioned(one: Instance) -> tuple[str, int, int | None]:
    """What is dimensioned: its kind, feature and origin."""
    name = next(name for name in (*_LOCATIONS, *SIZES) if name in one.records)
    if name in SIZES:
        values = record(one, "DIMENSIONAL_SIZE", name)
        at = 4 if name == "DIMENSIONAL_SIZE_WITH_DATUM_FEATURE" and len(values) > 4 else 0
        kind = text(one, values, at + 1).lower()
        default = "angle" if "ANGULAR_SIZE" in one.records else "size"
        return kind or default, reference(one, values, at), None
    values = record(one, "SHAPE_ASPECT_RELATIONSHIP", name)
    kind = text(one, values, 0).lower().removeprefix("linear ")
    default = "angle" if "ANGULAR_LOCATION" in one.records else "distance"
    return kind or default, reference(one, values, 3), reference(one, values, 2)


# -------------------------------------------------------------------------------------- Tolerances

_KINDS = {
    "FLATNESS_TOLERANCE": "flatness",
    "STRAIGHTNESS_TOLERANCE": "straightness",
    "ROUNDNESS_TOLERANCE": "roundness",
    "CYLINDRICITY_TOLERANCE": "cylindricity",
    "PARALLELISM_TOLERANCE": "parallelism",
    "PERPENDICULARITY_TOLERANCE": "perpendicularity",
    "ANGULARITY_TOLERANCE": "angularity",
    "POSITION_TOLERANCE": "position",
    "COAXIALITY_TOLERANCE": "coaxiality",
    "CONCENTRICITY_TOLERANCE": "concentricity",
    "SYMMETRY_TOLERANCE": "symmetry",
    "SURFACE_PROFILE_TOLERANCE": "surface profile",
    "LINE_PROFILE_TOLERANCE": "line profile",
    "CIRCULAR_RUNOUT_TOLERANCE": "circular runout",
    "TOTAL_RUNOUT_TOLERANCE": "total runout",
}
_PLAIN = "GEOMETRIC_TOLERANCE"
_WITH_DATUMS = "GEOMETRIC_TOLERANCE_WITH_DATUM_REFERENCE"
_WITH_MODIFIERS = "GEOMETRIC_TOLERANCE_WITH_MODIFIERS"
_WITH_UNIT = "GEOMETRIC_TOLERANCE_WITH_DEFINED_UNIT"
_WITH_AREA = "GEOMETRIC_TOLERANCE_WITH_DEFINED_AREA_UNIT"
_WITH_MAXIMUM = "GEOMETRIC_TOLERANCE_WITH_MAXIMUM_TOLERANCE"
_UNEQUAL = "UNEQUALLY_DISPOSED_GEOMETRIC_TOLERANCE"
_UNDERSTOOD = frozenset(
    (
        _PLAIN,
        _WITH_DATUMS,
        _WITH_MODIFIERS,
        _WITH_UNIT,
        _WITH_AREA,
        _WITH_MAXIMUM,
        _UNEQUAL,
        *_KINDS,
    )
)
_MATERIAL = {"maximum material requirement": "MMC", "least material requirement": "LMC"}
_BOUNDARY = {"maximum material requirement": "MMB", "least material requirement": "LMB"}
_AREAS = {"CIRCULAR": "circle", "RECTANGULAR": "rectangle", "SQUARE": "square"}
_ZONE_FORMS = {
    "cylindrical or circular": "diameter",
    "cylindrical": "diameter",
    "circular": "diameter",
    "within a cylinder": "diameter",
    "within a circle": "diameter",
    "spherical": "sphere",
    "within a sphere": "sphere",
    "between two equidistant surfaces": "width",
    "between two equidistant curves": "width",
    "between two parallel planes": "width",
    "between two coaxial cylinders": "width",
    "between two concentric circles": "width",
}
_ZONES = ("TOLERANCE_ZONE", "TOLERANCE_ZONE_WITH_DATUM", "ORIENTED_TOLERANCE_ZONE")
_PROJECTED = "PROJECTED_ZONE_DEFINITION"
_DEFINITIONS = (
    _PROJECTED,
    "RUNOUT_ZONE_DEFINITION",
    "NON_UNIFORM_ZONE_DEFINITION",
    "TOLERANCE_ZONE_DEFINITION",
)


class _Tolerances:
    """Geometric tolerances with their zones and datum systems, composite ones in one piece."""

    def __init__(self, instances: Instances, targets: Targets, measures: Measures) -> None:
        self._instances, self._targets, self._measures = instances, targets, measures
        self._zones: dict[int, list[Instance]] = defaultdict(list)  # of a tolerance
        for one in instances.every(*_ZONES):
            for held in references(tuple(one.records.values())):
                if not instances.types(held).isdisjoint(_KINDS):
                    self._zones[held].append(one)
        self._definitions: dict[int, list[Instance]] = defaultdict(list)  # of a zone
        for one in instances.every(*_DEFINITIONS):
            for held in references(tuple(one.records.values())):
                if not instances.types(held).isdisjoint(_ZONES):
                    self._definitions[held].append(one)

    def read(self) -> tuple[GeometricTolerance, ...]:
        """All that can be read."""
        above = self._frames_above()
        read: dict[int, GeometricTolerance] = {}
        for one in self._instances.every(*_KINDS):
            try:
                read[one.identity] = self._tolerance(one)
            except UnreadError as reason:
                self._instances.skip(one.identity, reason)
        lower: dict[int, list[GeometricTolerance]] = defaultdict(list)
        for identity in sorted(above, key=lambda identity: len(_upwards(above, identity))):
            first = _upwards(above, identity)[-1]
            if first in read and identity in read:
                lower[first].append(read.pop(identity))
            elif read.pop(identity, None) is not None:
                self._instances.skip(identity, f"it stands below #{first}, which is not read")
        return _once(
            self._instances,
            (replace(one, lower=tuple(lower.get(identity, ()))) for identity, one in read.items()),
        )

    def _frames_above(self) -> dict[int, int]:
        """For each lower frame of a composite tolerance, the frame that it stands below."""
        above: dict[int, int] = {}
        for one in self._instances.every("GEOMETRIC_TOLERANCE_RELATIONSHIP"):
            try:
                values = record(one, "GEOMETRIC_TOLERANCE_RELATIONSHIP")
                upper, lower = reference(one, values, 2), reference(one, values, 3)
                name = text(one, values, 0)
                if name != "composite":
                    raise UnreadError(f"what {name!r} means for #{upper} and #{lower} is not read")
                if lower in above or lower in (upper, *_upwards(above, upper)):
                    raise UnreadError(f"#{lower} would stand below itself, or below two others")
                above[lower] = upper
            except UnreadError as reason:
                self._instances.skip(one.identity, reason)
        return above

    def _tolerance(self, one: Instance) -> GeometricTolerance:
        strange = one.records.keys() - _UNDERSTOOD
        kinds = one.records.keys() & _KINDS.keys()
        if strange or len(kinds) != 1:
            raise UnreadError(f"what {words(min(strange or one.records))} means here is not read")
        values = record(one, _PLAIN)
        value = self._measures.length(reference(one, values, 2))
        modifiers = _enumerated(one.records.get(_WITH_MODIFIERS, ()))
        material = [_MATERIAL[name] for name in modifiers if name in _MATERIAL]
        if value < 0.0 or (value == 0.0 and not material):
            raise UnreadError(f"its value is {value:.9g} m; expected above zero")
        if len(material) > 1:
            raise UnreadError("it holds at maximum and at least material")
        zone, projected = self._zone(one.identity)
        kind = _KINDS[min(kinds)]
        curves = {"position": self._targets.of_outlines, "straightness": self._targets.of_elements}
        target = self._targets.faces(reference(one, values, 3), curves.get(kind))
        unit_shape, unit = self._unit(one)
        return GeometricTolerance(
            kind=kind,
            value=value,
            faces=tuple(target.faces),
            zone=zone,
            material=material[0] if material else "",
            modifiers=tuple(name for name in modifiers if name not in _MATERIAL),
            datums=self._datums(one),
            projected=projected,
            unequal=self._only_length(one, _UNEQUAL),
            maximum=self._only_length(one, _WITH_MAXIMUM),
            unit=unit,
            unit_shape=unit_shape,
            all_around=target.all_around,
            whole_part=target.whole_part,
            name=text(one, values, 0),
            identity=one.identity,
        )

    def _only_length(self, one: Instance, name: str) -> float:
        """The length that a type of the tolerance adds; NaN where it is not of that type."""
        if name not in one.records:
            return NAN
        return self._measures.length(reference(one, one.records[name], 0))

    def _unit(self, one: Instance) -> tuple[str, tuple[float, ...]]:
        """Shape and extents of the piece that a tolerance holds for."""
        if _WITH_UNIT not in one.records:
            return "", ()
        extents = [self._measures.length(reference(one, one.records[_WITH_UNIT], 0))]
        if _WITH_AREA not in one.records:
            return "length", tuple(extents)
        shape, second = (attribute(one, one.records[_WITH_AREA], at) for at in (0, 1))
        name = _AREAS.get(shape.name, "") if isinstance(shape, Enumeration) else ""
        if not name:
            raise UnreadError("the shape of its unit area is not understood")
        if isinstance(second, Reference):
            extents.append(self._measures.length(second.identity))
        if len(extents) != (2 if name == "rectangle" else 1) and name != "square":
            raise UnreadError(f"its unit area is a {name} with {len(extents)} extents")
        if len(set(extents)) == 1 and name == "rectangle":
            name = "square"
        return name, tuple(extents if name == "rectangle" else extents[:1])

    def _zone(self, tolerance: int) -> tuple[str, float]:
        """Form of the zone, and the height that it is projected to."""
        form, projected = "width", NAN
        zones = self._zones.get(tolerance, [])
        if len(zones) > 1:
            raise UnreadError(f"it has {len(zones)} zones")
        for one in zones:
            if "TOLERANCE_ZONE" not in one.records or len(one.records.keys() & set(_ZONES)) > 1:
                raise UnreadError(f"what its {words(min(one.records))} means is not read")
            name = self._instances.name(reference(one, one.records["TOLERANCE_ZONE"], -1))
            if name.lower() not in _ZONE_FORMS:
                raise UnreadError(f"the form of its zone, {name[:60]!r}, is not understood")
            form = _ZONE_FORMS[name.lower()]
            for definition in self._definitions.get(one.identity, []):
                if _PROJECTED not in definition.records:
                    raise UnreadError(
                        f"what its {words(max(definition.records))} means is not read"
                    )
                length = reference(definition, definition.records[_PROJECTED], -1)
                projected = self._measures.length(length)
        return form, projected

    # ------------------------------------------------------------------------------ Datum systems

    def _datums(self, one: Instance) -> tuple[DatumReference, ...]:
        """The datum system of a tolerance."""
        simple = len(one.records) == 1
        values = (
            next(iter(one.records.values()))[4:] if simple else one.records.get(_WITH_DATUMS, ())
        )
        found: list[DatumReference] = []
        systems = references(values)
        if len(systems) > 1:
            raise UnreadError(f"it has {len(systems)} datum systems")
        for system in systems:
            instance = self._instances.instance(system)
            if "DATUM_SYSTEM" not in instance.records:
                raise UnreadError(f"its datum system #{system} is not understood")
            compartments = attribute(instance, instance.records["DATUM_SYSTEM"], -1)
            found = [self._compartment(one) for one in references(compartments)]
            if not found:
                raise UnreadError(f"its datum system #{system} is empty")
        return tuple(found)

    def _compartment(self, identity: int) -> DatumReference:
        one = self._instances.instance(identity)
        values = record(one, "GENERAL_DATUM_REFERENCE", "DATUM_REFERENCE_COMPARTMENT")
        base, modifiers = attribute(one, values, -2), self._boundary(attribute(one, values, -1))
        if isinstance(base, Reference):
            return DatumReference(
                elements=(DatumElement(label=self._label(base), modifiers=modifiers),)
            )
        elements = [self._element(part) for part in references(base)]
        if not isinstance(base, Typed) or not elements:
            raise UnreadError(f"datum reference #{identity} has no datum")
        return DatumReference(elements=tuple(elements), modifiers=modifiers)

    def _element(self, identity: int) -> DatumElement:
        one = self._instances.instance(identity)
        values = record(one, "GENERAL_DATUM_REFERENCE", "DATUM_REFERENCE_ELEMENT")
        base = attribute(one, values, -2)
        if not isinstance(base, Reference):
            raise UnreadError(f"datum reference #{identity} has no datum")
        return DatumElement(
            label=self._label(base), modifiers=self._boundary(attribute(one, values, -1))
        )

    def _label(self, base: Reference) -> str:
        return _letter(self._instances.instance(base.identity))

    def _boundary(self, value: Value) -> tuple[str, ...]:
        """Modifiers of a datum reference."""
        if references(value):  # of a DATUM_REFERENCE_MODIFIER_WITH_VALUE
            raise UnreadError("a modifier of its datums has a value, which is not read")
        return tuple(_BOUNDARY.get(name, name) for name in _enumerated(value))


def _upwards(above: Mapping[int, int], identity: int) -> list[int]:
    """Frames above a frame, the uppermost last."""
    found: list[int] = []
    while identity in above:
        identity = above[identity]
        found.append(identity)
    return found


def _enumerated(value: Value) -> tuple[str, ...]:
    """Enumerated names in a value, typed or not, as words."""
    if isinstance(value, Enumeration):
        return (words(value.name),)
    if isinstance(value, Typed):
        return _enumerated(value.value)
    if isinstance(value, tuple):
        return tuple(name for one in value for name in _enumerated(one))
    return ()


# ---------------------------------------------------------------------------------------- Pictures

_ANNOTATIONS = (
    "ANNOTATION_OCCURRENCE",
    "ANNOTATION_CURVE_OCCURRENCE",
    "ANNOTATION_FILL_AREA_OCCURRENCE",
    "ANNOTATION_SYMBOL_OCCURRENCE",
    "ANNOTATION_TEXT_OCCURRENCE",
    "TESSELLATED_ANNOTATION_OCCURRENCE",
)
_CALLOUTS = ("DRAUGHTING_CALLOUT", "LEADER_DIRECTED_CALLOUT")
_MEANINGS = frozenset((*_KINDS, *SIZES, *_LOCATIONS, *_TARGET_TYPES, "DATUM", "DATUM_FEATURE"))


def _with_pictures(instances: Instances) -> Instances:
    """List what is drawn, for people to read, and has no meaning that a program could read."""
    meant: set[int] = set()
    for one in instances.every(
        "DRAUGHTING_MODEL_ITEM_ASSOCIATION", "DRAUGHTING_MODEL_ITEM_ASSOCIATION_WITH_PLACEHOLDER"
    ):
        ends = references(tuple(one.records.values()))
        if ends and not instances.types(ends[0]).isdisjoint(_MEANINGS):
            meant.update(ends[1:])
    drawn: set[int] = set()
    for one in instances.every(*_CALLOUTS):
        drawn.update(references(tuple(one.records.values())))
        if one.identity not in meant:
            instances.skip(one.identity, _GRAPHIC)
    for identity in instances.identities(*_ANNOTATIONS):
        if identity not in drawn and identity not in meant:
            instances.skip(identity, _GRAPHIC)
    return instances


_GRAPHIC = "it is drawn only, as a picture or a note; the file does not say what it means"


# ------------------------------------------------------- Dimensions that the shape contradicts

_AGREES = (
    0.01  # relative; a model need not stand at the nominal size, nor a drawing show all digits
)
_PARALLEL = 1e-6  # 1 less the cosine between normals


def without_contradictions(drawing: Drawing, geometry: Geometry) -> Drawing:
    """The drawing without dimensions that cannot be those of their faces, which are listed.

    Args:
        drawing: of the part.
        geometry: that its faces belong to.
    """
    kept: list[Dimension] = []
    unread = list(drawing.unread)
    for one in drawing.dimensions:
        found = _contradiction(one, geometry)
        if not found:
            kept.append(one)
            continue
        unread.append(
            UnreadItem(
                name=f"{one.kind} of {1e3 * _size(one):.6g} mm",
                reason=f"the faces that it is linked to have {found}",
                identity=one.identity,
            )
        )
    unread.sort(key=lambda item: item.identity)
    return replace(drawing, dimensions=tuple(kept), unread=tuple(unread))


def _contradiction(one: Dimension, geometry: Geometry) -> str:
    """What the faces have instead; empty where they agree, or nothing can be said."""
    surfaces, starts = (
        [geometry.faces[index].surface for index in faces]
        for faces in (one.faces, one.origin_faces)
    )
    if one.kind in ("diameter", "spherical diameter", "radius", "spherical radius"):
        scale = 2.0 if "diameter" in one.kind else 1.0
        radii = [s.radius for s in surfaces if isinstance(s, Cylinder | Sphere)]
        if all(isinstance(s, Plane) for s in surfaces):
            return f"no {one.kind}"
        others = [scale * radius for radius in radii if not _agrees(scale * radius, one)]
        return f"{1e3 * others[0]:.6g} mm" if others else ""
    if one.kind == "distance" and len(surfaces) == len(starts) == 1:
        return _other_distance(starts[0], surfaces[0], one)
    return ""


def _other_distance(first: Surface | None, second: Surface | None, one: Dimension) -> str:
    if not isinstance(first, Plane) or not isinstance(second, Plane):
        return ""
    if 1.0 - abs(float(first.axis @ second.axis)) > _PARALLEL:
        return "no distance, as they are not parallel"
    apart = abs(float((second.point - first.point) @ first.axis))
    return "" if _agrees(apart, one) else f"a distance of {1e3 * apart:.6g} mm"


def _agrees(found: float, one: Dimension) -> bool:
    """Whether a size is within the limits, or near enough to the value that is said."""
    if one.lower <= found <= one.upper:
        return True
    return abs(found - _size(one)) <= _AGREES * _size(one) or "maximum" in one.modifiers


def _size(one: Dimension) -> float:
    """Nominal value, or a limit where there is none. [m]."""
    return next(v for v in (one.nominal, one.upper, one.lower) if isfinite(v))
