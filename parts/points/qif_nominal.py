"""Nominal points of a QIF document: planned point sets, and point features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from parts.points.decimals import metre
from parts.points.faults import shown
from parts.points.file_text import check_count
from parts.points.found import PointRow
from parts.points.qif_document import Element, QifDocument, name_of
from parts.points.qif_units import LengthUnits, Unit, unit_at

_POINT_NOMINALS = ("PointFeatureNominal", "EdgePointFeatureNominal")


@dataclass(frozen=True, slots=True, kw_only=True)
class QifRows:
    """Points of one kind.

    Args:
        rows: the points.
        units: labels of the units that occur.
    """

    rows: tuple[PointRow, ...]
    units: frozenset[str]


def planned_points(document: QifDocument, units: LengthUnits) -> QifRows:
    """Points of ``NominalPointSet`` elements, each called after its feature, or its set.

    Raises:
        PointsError: another count than the set states; a point with a fault.
    """
    features = features_of_sets(document)
    rows: list[PointRow] = []
    used: set[str] = set()
    for points in document.every("NominalPointSet"):
        name = points.get("id") or ""
        feature = features.get(name, "")
        inside = list(document.every("MeasurePoint", below=points))
        count = document.count(points, "n")
        if len(inside) != count:
            raise document.error(
                points,
                f"NominalPointSet {name[:20]!r} holds {len(inside)} points; expected n = {count}.",
            )
        for number, element in enumerate(inside, start=1):
            check_count(len(rows) + 1, document.origin, element.sourceline)
            called = f"{feature or f'set {name}'}-{number}"
            place = document.child(element, "Point")
            unit = _unit(document, units, element, place, points)
            rows.append(_row(document, element, place, unit=unit, name=called, feature=feature))
            used.add(unit.label)
    return QifRows(rows=tuple(_distinct(rows)), units=frozenset(used))


def feature_points(document: QifDocument, units: LengthUnits) -> QifRows:
    """Points of point and edge point features, each called as its feature.

    Raises:
        PointsError: a point with a fault.
    """
    items = _names_by_nominal(document)
    rows: list[PointRow] = []
    used: set[str] = set()
    for kind in _POINT_NOMINALS:
        for element in document.every(kind):
            check_count(len(rows) + 1, document.origin, element.sourceline)
            number = element.get("id") or ""
            name = items.get(number) or document.text(element, "Name") or f"point {number}"
            place = document.child(element, "Location")
            unit = _unit(document, units, element, place)
            rows.append(_row(document, element, place, unit=unit, name=name, feature=name))
            used.add(unit.label)
    rows.sort(key=lambda row: row.line)
    return QifRows(rows=tuple(_distinct(rows)), units=frozenset(used))


def features_of_sets(document: QifDocument) -> Mapping[str, str]:
    """Name of the feature that refers to each point set, by the set's id.

    Items name features; measurements and nominals may refer to sets too, and are called as their
    item where they have no name of their own.
    """
    items = _ending(document, "FeatureItem")
    by_item = {item.get("id") or "": document.text(item, "FeatureName") for item in items}
    by_nominal = _names_by_nominal(document)
    sets: dict[str, str] = {}
    for kind in ("FeatureItem", "FeatureMeasurement", "FeatureNominal"):
        for feature in _ending(document, kind):
            name = (
                document.text(feature, "FeatureName")
                or by_item.get(document.text(feature, "FeatureItemId"), "")
                or by_nominal.get(feature.get("id") or "", "")
                or document.text(feature, "Name")
            )
            for listed in document.every("PointList", below=feature):
                for reference in listed:
                    sets.setdefault((reference.text or "").strip(), name)
    return sets


def _names_by_nominal(document: QifDocument) -> Mapping[str, str]:
    """Name of the first item of each feature nominal, by the nominal's id."""
    names: dict[str, str] = {}
    for item in _ending(document, "FeatureItem"):
        nominal = document.text(item, "FeatureNominalId")
        names.setdefault(nominal, document.text(item, "FeatureName"))
    return names


def _ending(document: QifDocument, end: str) -> list[Element]:
    return [element for element in document.every("*") if name_of(element).endswith(end)]


def _unit(
    document: QifDocument, units: LengthUnits, element: Element, place: Element, *owners: Element
) -> Unit:
    """Unit of a point's coordinates, which must be there."""
    if place is None:
        number = shown(element.get("id") or "")
        raise document.error(element, f"{name_of(element)} {number} has no coordinates.")
    return unit_at(document, units, place, *owners)


def _row(
    document: QifDocument, element: Element, place: Element, *, unit: Unit, name: str, feature: str
) -> PointRow:
    x, y, z = (metre(t, unit.scale) for t in document.listed(place, columns="xyz"))
    vector = document.child(element, "Normal")
    normal = None
    if vector is not None:
        i, j, k = map(float, document.listed(vector, columns="ijk"))
        normal = (i, j, k)
    line = element.sourceline or 0
    return PointRow(name=name, line=line, position=(x, y, z), normal=normal, feature=feature)


def _distinct(rows: list[PointRow]) -> list[PointRow]:
    """Rows whose names are distinct: a feature that has several sets numbers on."""
    seen: dict[str, int] = {}
    out = []
    for row in rows:
        seen[row.name] = again = seen.get(row.name, 0) + 1
        out.append(row if again == 1 else replace(row, name=f"{row.name} ({again})"))
    return out
