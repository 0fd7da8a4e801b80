"""QIF 3.0 documents (ISO 23952) to points: nominal and measured point sets and point features.

Read are the points of the measurement plan (``NominalPointSet``) and the point features that have
no set there, or measured point sets and measured point features. A document with nominal and
measured points is refused until the caller says which. Features that give no points are told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from parts.points.file_text import check_count, fault, is_number, metre, shown
from parts.points.qif_document import (
    FORMAT,
    Element,
    LengthUnits,
    QifDocument,
    Unit,
    declared_unit,
    length_units,
    name_of,
    qif_document,
    unit_at,
)
from parts.points.raw_points import (
    Compensation,
    PointRow,
    PointSource,
    RawPoints,
    SkippedItem,
    raw_points,
)

QifChoice = Literal["nominal", "measured"]


def qif_points(raw: bytes, *, origin: str, choice: QifChoice | None = None) -> RawPoints:
    """Points from the content of a QIF document.

    Args:
        raw: content of the file.
        origin: names it in messages.
        choice: which points to take where the document has nominal and measured ones.

    Raises:
        PointsError: not QIF 3.0, no point, both kinds of points without a choice, or a fault; with
            file and line.
    """
    document = qif_document(raw, origin)
    units = length_units(document)
    nominal = any(
        True
        for kind in ("NominalPointSet", "PointFeatureNominal", "EdgePointFeatureNominal")
        for _ in document.every(kind)
    )
    measured = has_measured_points(document)
    if nominal and measured and choice is None:
        raise fault(
            origin,
            'the document has nominal and measured points; choose one (choice = "nominal" or '
            '"measured").',
            choices=("nominal", "measured"),
        )
    if measured and (not nominal or choice == "measured"):
        return _measured(document, units)
    if choice == "measured":
        raise fault(
            origin,
            "the document has no measured points (MeasuredPointSet, PointFeatureMeasurement).",
        )
    rows = nominal_points(document, units)
    notes = ["Measured points of the document are not taken."] if measured else []
    return raw_points(rows.rows, _source(document, units, rows, notes=[*notes, *rows.notes]))


def _measured(document: QifDocument, units: LengthUnits) -> RawPoints:
    found = measured_points(document, units)
    rows = QifRows(rows=found.rows, units=found.units, untaken=found.untaken)
    source = _source(
        document,
        units,
        rows,
        notes=["The points are the measured ones.", *found.notes],
        compensation=Compensation.SURFACE if found.compensated else Compensation.CENTRE,
        ball_diameter=found.ball_diameter,
    )
    return raw_points(found.rows, source)


def _source(
    document: QifDocument,
    units: LengthUnits,
    found: QifRows,
    *,
    notes: list[str],
    compensation: Compensation = Compensation.SURFACE,
    ball_diameter: float | None = None,
) -> PointSource:
    used = sorted(found.units)
    if len(used) > 1:
        notes.append(f"The lengths are in {' and '.join(used)}, each converted by its own unit.")
    return PointSource(
        origin=document.origin,
        format=FORMAT,
        unit=", ".join(used) or units.primary,
        unit_from="FileUnits" if units.stated else "no PrimaryUnits: the metre by the standard",
        compensation=compensation,
        ball_diameter=ball_diameter,
        notes=tuple(notes),
        untaken=found.untaken,
    )


# ---------------------------------------------------------------------------------- Nominal points

_POINT_NOMINALS = ("PointFeatureNominal", "EdgePointFeatureNominal")


@dataclass(frozen=True, slots=True, kw_only=True)
class QifRows:
    """Points of one kind.

    Args:
        rows: the points.
        units: labels of the units that occur.
        notes: where they come from, one sentence each.
        untaken: features that give no points.
    """

    rows: tuple[PointRow, ...]
    units: frozenset[str]
    notes: tuple[str, ...] = ()
    untaken: tuple[SkippedItem, ...] = ()


def nominal_points(document: QifDocument, units: LengthUnits) -> QifRows:
    """Points of the plan (``NominalPointSet``), and point features that have no set of their own.

    Raises:
        PointsError: another count than a set states; a point with a fault.
    """
    known = features_of(document)
    used: set[str] = set()
    sets = _set_rows(document, units, known, used)
    covered = _covered(document)
    untaken: list[SkippedItem] = []
    features: list[PointRow] = []
    for element in document.ending("FeatureNominal"):
        number = element.get("id") or ""
        if number in covered:
            continue
        kind = name_of(element)
        name = known.name(document, element) or f"{plain_word(kind)} {number}"
        made = made_otherwise(document, known.items.get(number, ()))
        if made:
            untaken.append(
                SkippedItem(name=name, line=element.sourceline, reason=f"it is {made}", lost=False)
            )
        elif kind in _POINT_NOMINALS:
            place = document.child(element, "Location")
            unit = _unit(document, units, element, place)
            features.append(row_of(document, element, place, unit=unit, name=name, feature=name))
            used.add(unit.label)
        else:
            untaken.append(
                SkippedItem(
                    name=name,
                    line=element.sourceline,
                    reason=f"the {plain_word(kind)} has no points of its own (NominalPointSet)",
                    advice="lay points out on it with palpeur sample",
                )
            )
        check_count(len(features), document.origin, element.sourceline)
    rows = [*sets, *sorted(features, key=lambda row: row.line)]
    check_count(len(rows), document.origin)
    notes = [f"The points are those of the {' and the '.join(_sources(sets, features))}."]
    return QifRows(
        rows=tuple(distinct(rows)),
        units=frozenset(used),
        notes=tuple(notes) if rows else (),
        untaken=tuple(untaken),
    )


def _sources(sets: list[PointRow], features: list[PointRow]) -> list[str]:
    named = [(sets, "nominal point sets"), (features, "nominal point features")]
    return [name for rows, name in named if rows]


def _set_rows(
    document: QifDocument, units: LengthUnits, known: QifFeatures, used: set[str]
) -> list[PointRow]:
    """Points of ``NominalPointSet`` elements, each called after its feature, or its set."""
    owners = known.owners
    counts: Counter[str] = Counter()
    rows: list[PointRow] = []
    for points in document.every("NominalPointSet"):
        name = points.get("id") or ""
        inside = list(document.every("MeasurePoint", below=points))
        count = document.count(points, "n")
        if len(inside) != count:
            raise document.error(
                points,
                f"NominalPointSet {name[:20]!r} holds {len(inside)} points; expected n = {count}.",
            )
        for number, element in enumerate(inside, start=1):
            check_count(len(rows) + 1, document.origin, element.sourceline)
            feature = owners.of(name, number)
            called = feature or f"set {name}"
            counts[called] += 1
            place = document.child(element, "Point")
            unit = _unit(document, units, element, place, points)
            label = f"{called}-{counts[called]}"
            rows.append(row_of(document, element, place, unit=unit, name=label, feature=feature))
            used.add(unit.label)
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOwners:
    """Feature of each set of points.

    Args:
        ranges: by the id of a set: first place, last place (0 for all) and name of a feature.
    """

    ranges: Mapping[str, tuple[tuple[int, int, str], ...]]

    def of(self, point_set: str, place: int) -> str:
        """Name of the feature of a point; empty where none refers to it.

        Args:
            point_set: id of its set.
            place: in the set, from 1.
        """
        for first, last, name in self.ranges.get(point_set, ()):
            if not last or first <= place <= last:
                return name
        return ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QifFeatures:
    """The features of a document by what refers to them.

    Args:
        by_item: each feature item, by its id.
        items: items of each feature nominal, by the nominal's id.
        owners: the features that refer to point sets, whole or in part.
    """

    by_item: Mapping[str, Element]
    items: Mapping[str, tuple[Element, ...]]
    owners: SetOwners

    def name(self, document: QifDocument, feature: Element) -> str:
        """Name of an item, nominal or measurement: its own, or that of its item; may be empty."""
        items = (*self.items_of(document, feature), *self.items.get(feature.get("id") or "", ()))
        return (
            document.text(feature, "FeatureName")
            or next((document.text(item, "FeatureName") for item in items), "")
            or document.text(feature, "Name")
        )

    def items_of(self, document: QifDocument, measurement: Element) -> tuple[Element, ...]:
        """The item that a measurement is of."""
        item = self.by_item.get(document.text(measurement, "FeatureItemId"))
        return () if item is None else (item,)


def features_of(document: QifDocument) -> QifFeatures:
    """The features of a document.

    Items name features; measurements and nominals may refer to sets too, and are called as their
    item where they have no name of their own.
    """
    items: dict[str, list[Element]] = {}
    by_item: dict[str, Element] = {}
    for item in document.ending("FeatureItem"):
        by_item[item.get("id") or ""] = item
        items.setdefault(document.text(item, "FeatureNominalId"), []).append(item)
    known = QifFeatures(
        by_item=by_item,
        items={key: tuple(value) for key, value in items.items()},
        owners=SetOwners(ranges={}),
    )
    ranges: dict[str, list[tuple[int, int, str]]] = {}
    for kind in ("FeatureItem", "FeatureMeasurement", "FeatureNominal"):
        for feature in document.ending(kind):
            name = known.name(document, feature)
            for reference in references(document, feature):
                first, last = _range(document, reference)
                ranges.setdefault((reference.text or "").strip(), []).append((first, last, name))
    owners = SetOwners(ranges={key: tuple(value) for key, value in ranges.items()})
    return replace(known, owners=owners)


def references(document: QifDocument, feature: Element) -> Iterator[Element]:
    """References of a feature to point sets, whole or in part."""
    for listed in document.every("PointList", below=feature):
        yield from listed


def _range(document: QifDocument, reference: Element) -> tuple[int, int]:
    """First and last place that a reference to a set means; 1 and 0 for all of it."""
    texts = (reference.get("range") or reference.get("index") or "").split()
    if not texts:
        return 1, 0
    if len(texts) > 2 or not all(text.isascii() and text.isdecimal() for text in texts):
        raise document.error(
            reference, f"{name_of(reference)} has {shown(' '.join(texts))}; expected places from 1."
        )
    return int(texts[0]), int(texts[-1])


def _covered(document: QifDocument) -> set[str]:
    """Ids of the nominals whose points a nominal set holds."""
    sets = {element.get("id") for element in document.every("NominalPointSet")}
    covered = set()
    for kind in ("FeatureItem", "FeatureNominal"):
        for feature in document.ending(kind):
            if any((one.text or "").strip() in sets for one in references(document, feature)):
                covered.add(document.text(feature, "FeatureNominalId") or feature.get("id") or "")
    return covered


def made_otherwise(document: QifDocument, items: Sequence[Element]) -> str:
    """How a feature comes about that is not measured; empty where one of its items is."""
    found = set()
    for item in items:
        mode = document.child(item, "DeterminationMode")
        if mode is not None and document.child(mode, "Set") is not None:
            found.add("set, not measured")
        elif mode is not None and any(True for _ in document.every("Constructed", below=mode)):
            found.add("constructed from others, not touched")
        else:
            return ""
    return next(iter(sorted(found)), "")


def plain_word(kind: str) -> str:
    """Kind of a feature in plain words: ``CircularArcFeatureNominal`` is a circular arc."""
    plain = re.sub(r"Feature(Nominal|Measurement)$", "", kind)
    return re.sub(r"(?<!^)(?=[A-Z])", " ", plain).lower()


def _unit(
    document: QifDocument, units: LengthUnits, element: Element, place: Element, *owners: Element
) -> Unit:
    """Unit of a point's coordinates, which must be there."""
    if place is None:
        number = shown(element.get("id") or "")
        raise document.error(element, f"{name_of(element)} {number} has no coordinates.")
    return unit_at(document, units, place, *owners)


def row_of(
    document: QifDocument, element: Element, place: Element, *, unit: Unit, name: str, feature: str
) -> PointRow:
    """A point at an element that holds its coordinates, with the normal of its owner."""
    x, y, z = (metre(t, unit.scale) for t in document.listed(place, columns="xyz"))
    vector = document.child(element, "Normal")
    normal = None
    if vector is not None:
        i, j, k = map(float, document.listed(vector, columns="ijk"))
        normal = (i, j, k)
    line = element.sourceline or 0
    return PointRow(name=name, line=line, position=(x, y, z), normal=normal, feature=feature)


def distinct(rows: list[PointRow]) -> list[PointRow]:
    """Rows whose names are distinct: a feature that has several sets numbers on."""
    seen: dict[str, int] = {}
    out = []
    for row in rows:
        seen[row.name] = again = seen.get(row.name, 0) + 1
        out.append(row if again == 1 else replace(row, name=f"{row.name} ({again})"))
    return out


# --------------------------------------------------------------------------------- Measured points

_BINARY = ("BinaryPoints", "BinaryNormals", "BinaryCompensated", "BinaryProbeRadii")
_SYSTEMS = ("CoordinateSystemId", "TranformId")  # the schema's own spelling
_SAME = 1e-9  # [m] a location and the point of its set are one
_POINT_MEASUREMENTS = ("PointFeatureMeasurement", "EdgePointFeatureMeasurement")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRows:
    """Points of all measured sets and point features.

    Args:
        rows: the points.
        units: labels of the units that occur.
        compensated: whether the points lie on the surface; otherwise ball centres.
        ball_diameter: of the ball, where all sets state the same one. [m]
        notes: what was done, one sentence each.
        untaken: features that give no points.
    """

    rows: tuple[PointRow, ...]
    units: frozenset[str]
    compensated: bool
    ball_diameter: float | None
    notes: tuple[str, ...] = ()
    untaken: tuple[SkippedItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """A measured point: whether it lies on the surface, and the radius of its ball. [m]."""

    row: PointRow
    compensated: bool
    radius: float | None

    @property
    def movable(self) -> bool:
        """Whether a centre can be brought to the surface."""
        return self.row.normal is not None and self.radius is not None


def has_measured_points(document: QifDocument) -> bool:
    """Return whether a document holds measured point sets, or locations of measured points."""
    if any(True for _ in document.every("MeasuredPointSet")):
        return True
    return any(
        document.child(element, "Location") is not None
        for kind in _POINT_MEASUREMENTS
        for element in document.every(kind)
    )


def measured_points(document: QifDocument, units: LengthUnits) -> MeasuredRows:
    """Points of ``MeasuredPointSet`` elements, and measured point features that have no set.

    Each is called after its feature, or its set. Where a document holds results of several parts,
    those of the first are taken. Centres of balls of several sizes are brought to the surface,
    which needs their normals and radii.

    Raises:
        PointsError: binary lists, a coordinate system of the set's own, another count than stated,
            balls of several sizes without normals, a point with a fault.
    """
    known = features_of(document)
    used: set[str] = set()
    points: list[_Measured] = []
    alone: list[_Measured] = []
    taken: dict[str, Element] = {}
    repeated: Counter[Element] = Counter()
    untaken: list[SkippedItem] = []
    counts: Counter[str] = Counter()
    results = {
        element.get("id"): found
        for found in document.every("MeasurementResults")
        for element in document.every("*", below=found)
        if element.get("id")
    }
    sets = {element.get("id") or "": element for element in document.every("MeasuredPointSet")}
    of_sets: set[str] = set()
    located: dict[str, tuple[float, float, float]] = {}
    for feature in document.ending("FeatureMeasurement"):
        if any((one.text or "").strip() in sets for one in references(document, feature)):
            of_sets.add(feature.get("id") or "")
    for element in document.every("MeasuredPointSet"):
        _check_subset(document, element)
        unit = _qif_measured_unit(document, units, element)
        used.add(unit.label)
        read = _set_points(document, element, unit, (known, counts))
        features = dict.fromkeys(one.row.feature for one in read if one.row.feature)
        found = results.get(element.get("id"), element)
        again = {name for name in features if taken.setdefault(name, found) is not found}
        repeated[found] += len(again)
        points += [one for one in read if one.row.feature not in again]
        check_count(len(points), document.origin, element.sourceline)
    for feature in document.ending("FeatureMeasurement"):
        number, kind = feature.get("id") or "", name_of(feature)
        name = known.name(document, feature) or f"{plain_word(kind)} {number}"
        place = document.child(feature, "Location")
        if number in of_sets:
            if kind in _POINT_MEASUREMENTS and place is not None and counts[name] == 1:
                unit = unit_at(document, units, place, feature)
                located[name] = row_of(
                    document, feature, place, unit=unit, name=name, feature=name
                ).position
            continue
        found = results.get(number, feature)
        made = made_otherwise(document, known.items_of(document, feature))
        if taken.setdefault(name, found) is not found:
            repeated[found] += 1
        elif made:
            untaken.append(
                SkippedItem(name=name, line=feature.sourceline, reason=f"it is {made}", lost=False)
            )
        elif kind in _POINT_MEASUREMENTS and place is not None:
            unit = unit_at(document, units, place, feature)
            used.add(unit.label)
            row = row_of(document, feature, place, unit=unit, name=name, feature=name)
            alone.append(_Measured(row=row, compensated=True, radius=None))
        else:
            untaken.append(
                SkippedItem(
                    name=name,
                    line=feature.sourceline,
                    reason=f"the file has the result of this {plain_word(kind)}, but not its "
                    "measured points",
                    advice="export the points with the results (MeasuredPointSet)",
                )
            )
        check_count(len(points) + len(alone), document.origin, feature.sourceline)
    radius = _radius_of_centres(located, points)
    if radius is not None:
        alone = [replace(one, compensated=False, radius=radius) for one in alone]
    points += alone
    for found, count in repeated.items():
        if count:
            untaken.append(
                SkippedItem(
                    name=f"MeasurementResults {found.get('id') or ''}".strip(),
                    line=found.sourceline,
                    reason=f"{count} features are measured a second time, as on another part; the "
                    "first results are taken",
                    advice="put the results of each part into a file of its own",
                )
            )
    return _one_state(document, points, frozenset(used), tuple(untaken))


def _radius_of_centres(
    located: Mapping[str, tuple[float, float, float]], points: Sequence[_Measured]
) -> float | None:
    """Radius of the ball whose centres a document gives as locations; None where it does not.

    A location does not say what it is. Where features with a set have theirs at the centre that
    the set holds, those of the features without one are centres of the same ball.

    Args:
        located: locations of point features that have a set of one point. [m]
        points: of the sets.
    """
    pairs = [
        (located[one.row.feature], one)
        for one in points
        if not one.compensated and one.row.feature in located
    ]
    radii = {one.radius for _, one in pairs}
    same = all(np.allclose(place, one.row.position, rtol=0.0, atol=_SAME) for place, one in pairs)
    return radii.pop() if len(radii) == 1 and same else None


def _one_state(
    document: QifDocument,
    points: list[_Measured],
    used: frozenset[str],
    untaken: tuple[SkippedItem, ...],
) -> MeasuredRows:
    """All points as centres of one ball, or all on the surface."""
    centres = [one for one in points if not one.compensated]
    radii = {one.radius for one in centres}
    diameters = radii or {one.radius for one in points if one.radius is not None}
    stated = next(iter(diameters)) if len(diameters) == 1 else None
    if len(radii) < 2:
        mixed = 0 < len(centres) < len(points)
        rows = [replace(one.row, settled=mixed and one.compensated) for one in points]
        told = f"{len(centres)} of {len(points)} points are centres of the ball; the others lie on "
        return MeasuredRows(
            rows=tuple(distinct(rows)),
            units=used,
            compensated=not centres,
            ball_diameter=None if stated is None else 2.0 * stated,
            notes=(f"{told}the surface.",) if mixed else (),
            untaken=untaken,
        )
    for one in centres:
        if not one.movable:
            raise fault(
                document.origin,
                f"{one.row.name} is the centre of a ball, but other points have another ball; it "
                "has no normal and radius to bring it to the surface. Put them into two files.",
                line=one.row.line or None,
            )
    moved = [one if one.compensated else _on_surface(one) for one in points]
    note = (
        f"{len(centres)} of {len(points)} points were centres of balls; they were moved to the "
        "surface by the radius of each, against their normals."
    )
    return MeasuredRows(
        rows=tuple(distinct([one.row for one in moved])),
        units=used,
        compensated=True,
        ball_diameter=None,
        notes=(note,),
        untaken=untaken,
    )


def _on_surface(point: _Measured) -> _Measured:
    normal = np.array(point.row.normal)
    length = float(np.linalg.norm(normal)) or 1.0
    x, y, z = (np.array(point.row.position) - (point.radius or 0.0) / length * normal).tolist()
    return replace(point, row=replace(point.row, position=(x, y, z)))


def _check_subset(document: QifDocument, points: Element) -> None:
    for name in _BINARY:
        if document.child(points, name) is not None:
            raise document.error(
                points, f"{name} is not read; write the set with lists of decimals."
            )
    for name in _SYSTEMS:
        if document.child(points, name) is not None:
            raise document.error(
                points,
                f"the set has a coordinate system of its own ({name}); only the common coordinate "
                "system is read.",
            )


def _qif_measured_unit(document: QifDocument, units: LengthUnits, points: Element) -> Unit:
    own = document.child(points, "Units")
    declared = [] if own is None else list(document.every("LinearUnit", below=own))
    if len(declared) > 1:
        raise document.error(points, f"the set declares {len(declared)} units of length; give one.")
    if declared and not points.get("linearUnit"):
        return declared_unit(document, declared[0])
    return unit_at(document, units, points)


def _states(document: QifDocument, points: Element, count: int) -> list[bool]:
    """Of each point of a set, whether it lies on the surface."""
    one = document.child(points, "Compensated")
    several = document.child(points, "Compensations")
    element = one if one is not None else several
    texts = [] if element is None else (element.text or "").split()
    expected = 1 if one is not None else count
    if len(texts) != expected or not _TRUTH.keys() >= set(texts):
        raise document.error(
            points,
            f"Compensated is {' '.join(texts[:3])[:40]!r}; expected true or false"
            + (": it says whether the points lie on the surface." if one is not None else "")
            + ("" if one is not None else f" for each of {expected} points."),
        )
    states = [_TRUTH[text] for text in texts]
    return states * count if one is not None else states


def _radii(
    document: QifDocument, points: Element, unit: Unit, count: int
) -> list[float] | list[None]:
    """Radius of the ball of each point; None where none is stated. [m]."""
    listed = document.child(points, "ProbeRadii")
    text = document.text(points, "ProbeRadius")
    if listed is None and not text:
        return [None] * count
    texts = [text] * count if listed is None else document.listed(listed, count=count)
    for one in dict.fromkeys(texts):
        if not is_number(one) or float(one) < 0.0:
            raise document.error(
                points, f"ProbeRadius is {one[:40]!r}; expected a length of zero or more."
            )
    return [metre(one, unit.scale) for one in texts]


def _set_points(
    document: QifDocument,
    points: Element,
    unit: Unit,
    known_and_counts: tuple[QifFeatures, Counter[str]],
) -> list[_Measured]:
    """Points of a set, each called after its feature and its place among the feature's points."""
    known, counts = known_and_counts
    count = document.count(points, "count")
    places, vectors = document.child(points, "Points"), document.child(points, "Normals")
    if places is None:
        raise document.error(points, "the set has no Points.")
    lengths = [metre(text, unit.scale) for text in document.listed(places, count=3 * count)]
    normals: list[float] = []
    if vectors is not None:
        normals = [float(text) for text in document.listed(vectors, count=3 * count)]
    states = _states(document, points, count)
    radii = _radii(document, points, unit, count)
    number = points.get("id") or ""
    line = places.sourceline or 0
    read = []
    for k in range(count):
        feature = known.owners.of(number, k + 1)
        called = feature or f"set {number}".strip()
        counts[called] += 1
        x, y, z = lengths[3 * k : 3 * k + 3]
        row = PointRow(
            name=f"{called}-{counts[called]}",
            line=line,
            position=(x, y, z),
            normal=(normals[3 * k], normals[3 * k + 1], normals[3 * k + 2]) if normals else None,
            feature=feature,
        )
        read.append(_Measured(row=row, compensated=states[k], radius=radii[k]))
    return read
