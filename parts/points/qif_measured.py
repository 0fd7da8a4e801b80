"""Measured point sets and measured point features of a QIF document."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from parts.points.decimals import is_number, metre
from parts.points.faults import fault
from parts.points.file_text import check_count
from parts.points.found import PointRow
from parts.points.qif_document import Element, QifDocument, name_of
from parts.points.qif_nominal import (
    QifFeatures,
    distinct,
    features_of,
    made_otherwise,
    plain_word,
    references,
    row_of,
)
from parts.points.qif_units import LengthUnits, Unit, declared_unit, unit_at
from parts.points.source import Untaken

_BINARY = ("BinaryPoints", "BinaryNormals", "BinaryCompensated", "BinaryProbeRadii")
_SYSTEMS = ("CoordinateSystemId", "TranformId")  # the schema's own spelling
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
    untaken: tuple[Untaken, ...] = ()


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
    """Whether a document holds measured point sets, or locations of measured points."""
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
    untaken: list[Untaken] = []
    counts: Counter[str] = Counter()
    results = {
        element.get("id"): found
        for found in document.every("MeasurementResults")
        for element in document.every("*", below=found)
        if element.get("id")
    }
    sets = {element.get("id") or "": element for element in document.every("MeasuredPointSet")}
    of_sets: set[str] = set()
    for feature in document.ending("FeatureMeasurement"):
        if any((one.text or "").strip() in sets for one in references(document, feature)):
            of_sets.add(feature.get("id") or "")
    for element in document.every("MeasuredPointSet"):
        _check_subset(document, element)
        unit = _unit(document, units, element)
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
        if number in of_sets:
            continue
        name = known.name(document, feature) or f"{plain_word(kind)} {number}"
        place = document.child(feature, "Location")
        found = results.get(number, feature)
        made = made_otherwise(document, known.items_of(document, feature))
        if taken.setdefault(name, found) is not found:
            repeated[found] += 1
        elif made:
            untaken.append(
                Untaken(name=name, line=feature.sourceline, reason=f"it is {made}", lost=False)
            )
        elif kind in _POINT_MEASUREMENTS and place is not None:
            unit = unit_at(document, units, place, feature)
            used.add(unit.label)
            row = row_of(document, feature, place, unit=unit, name=name, feature=name)
            alone.append(_Measured(row=row, compensated=True, radius=None))
        else:
            untaken.append(
                Untaken(
                    name=name,
                    line=feature.sourceline,
                    reason=f"the file has the result of this {plain_word(kind)}, but not its "
                    "measured points",
                    advice="export the points with the results (MeasuredPointSet)",
                )
            )
        check_count(len(points) + len(alone), document.origin, feature.sourceline)
    points += alone
    for found, count in repeated.items():
        if count:
            untaken.append(
                Untaken(
                    name=f"MeasurementResults {found.get('id') or ''}".strip(),
                    line=found.sourceline,
                    reason=f"{count} features are measured a second time, as on another part; the "
                    "first results are taken",
                    advice="put the results of each part into a file of its own",
                )
            )
    return _one_state(document, points, frozenset(used), tuple(untaken))


def _one_state(
    document: QifDocument,
    points: list[_Measured],
    used: frozenset[str],
    untaken: tuple[Untaken, ...],
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


def _unit(document: QifDocument, units: LengthUnits, points: Element) -> Unit:
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
