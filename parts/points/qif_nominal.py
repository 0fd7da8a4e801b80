"""Nominal points of a QIF document: planned point sets, and point features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from parts.points.decimals import metre
from parts.points.file_text import check_count
from parts.points.found import PointRow
from parts.points.qif_document import Element, QifDocument, name_of
from parts.points.qif_units import LengthUnits, unit_at

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
                points, f"NominalPointSet {name} holds {len(inside)} points; expected n = {count}."
            )
        for number, element in enumerate(inside, start=1):
            check_count(len(rows) + 1, document.origin, element.sourceline)
            called = f"{feature or f'set {name}'}-{number}"
            place = document.child(element, "Point")
            rows.append(_row(document, units, called, feature, element, place, points))
            used.add(unit_at(document, units, place, points).label)
    return QifRows(rows=tuple(_distinct(rows)), units=frozenset(used))


def feature_points(document: QifDocument, units: LengthUnits) -> QifRows:
    """Points of point and edge point features, each called as its feature.

    Raises:
        PointsError: a point with a fault.
    """
    items: dict[str, str] = {}
    for item in _ending(document, "FeatureItem"):
        nominal = document.text(item, "FeatureNominalId")
        items.setdefault(nominal, document.text(item, "FeatureName"))
    rows: list[PointRow] = []
    used: set[str] = set()
    for kind in _POINT_NOMINALS:
        for element in document.every(kind):
            check_count(len(rows) + 1, document.origin, element.sourceline)
            number = element.get("id") or ""
            name = items.get(number) or document.text(element, "Name") or f"point {number}"
            place = document.child(element, "Location")
            rows.append(_row(document, units, name, name, element, place))
            used.add(unit_at(document, units, place).label)
    rows.sort(key=lambda row: row.line)
    return QifRows(rows=tuple(_distinct(rows)), units=frozenset(used))


def features_of_sets(document: QifDocument) -> Mapping[str, str]:
    """Name of the feature that refers to each point set, by the set's id."""
    names: dict[str, str] = {}
    for kind in ("FeatureItem", "FeatureMeasurement"):
        for feature in _ending(document, kind):
            listed = document.child(feature, "PointList")
            name = document.text(feature, "FeatureName")
            for reference in () if listed is None or not name else listed:
                names.setdefault((reference.text or "").strip(), name)
    return names


def _ending(document: QifDocument, end: str) -> list[Element]:
    return [element for element in document.every("*") if name_of(element).endswith(end)]


def _row(
    document: QifDocument,
    units: LengthUnits,
    name: str,
    feature: str,
    element: Element,
    place: Element,
    *owners: Element,
) -> PointRow:
    if place is None:
        raise document.error(element, f"{name_of(element)} {name!r} has no coordinates.")
    unit = unit_at(document, units, place, *owners)
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
