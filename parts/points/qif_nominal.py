"""Nominal points of a QIF document: planned point sets, and point features."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from parts.points.decimals import metre
from parts.points.faults import shown
from parts.points.file_text import check_count
from parts.points.found import PointRow
from parts.points.qif_document import Element, QifDocument, name_of
from parts.points.qif_units import LengthUnits, Unit, unit_at
from parts.points.source import Untaken

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
    untaken: tuple[Untaken, ...] = ()


def nominal_points(document: QifDocument, units: LengthUnits) -> QifRows:
    """Points of the plan (``NominalPointSet``), and point features that have no set of their own.

    Raises:
        PointsError: another count than a set states; a point with a fault.
    """
    known = features_of(document)
    used: set[str] = set()
    sets = _set_rows(document, units, known, used)
    covered = _covered(document)
    untaken: list[Untaken] = []
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
                Untaken(name=name, line=element.sourceline, reason=f"it is {made}", lost=False)
            )
        elif kind in _POINT_NOMINALS:
            place = document.child(element, "Location")
            unit = _unit(document, units, element, place)
            features.append(row_of(document, element, place, unit=unit, name=name, feature=name))
            used.add(unit.label)
        else:
            untaken.append(
                Untaken(
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
    """Which feature the points of each set belong to.

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
            reference,
            f"{name_of(reference)} has {shown(' '.join(texts))}; expected places from 1.",
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
