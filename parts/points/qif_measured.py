"""Measured point sets of a QIF document."""

from __future__ import annotations

from dataclasses import dataclass

from parts.points.decimals import is_number, metre
from parts.points.faults import fault
from parts.points.file_text import check_count
from parts.points.found import PointRow
from parts.points.qif_document import Element, QifDocument
from parts.points.qif_nominal import features_of_sets
from parts.points.qif_units import LengthUnits, Unit, declared_unit, unit_at

_BINARY = ("BinaryPoints", "BinaryNormals", "BinaryCompensated", "BinaryProbeRadii")
_SYSTEMS = ("CoordinateSystemId", "TranformId")  # the schema's own spelling
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRows:
    """Points of all measured sets.

    Args:
        rows: the points.
        units: labels of the units that occur.
        compensated: whether the points lie on the surface; otherwise ball centres.
        ball_diameter: of the ball, where all sets state the same one. [m]
    """

    rows: tuple[PointRow, ...]
    units: frozenset[str]
    compensated: bool
    ball_diameter: float | None


def measured_points(document: QifDocument, units: LengthUnits) -> MeasuredRows:
    """Points of ``MeasuredPointSet`` elements, each called after its feature, or its set.

    Raises:
        PointsError: binary lists, a coordinate system of the set's own, another count than stated,
            sets of which some are compensated and some are not, a point with a fault.
    """
    features = features_of_sets(document)
    rows: list[PointRow] = []
    used: set[str] = set()
    states: set[bool] = set()
    radii: set[float | None] = set()
    for points in document.every("MeasuredPointSet"):
        _check_subset(document, points)
        unit = _unit(document, units, points)
        used.add(unit.label)
        states |= _states(document, points)
        radii.add(_radius(document, points, unit))
        feature = features.get(points.get("id") or "", "")
        rows += _rows(document, points, unit, feature)
        check_count(len(rows), document.origin, points.sourceline)
    if len(states) > 1:
        raise fault(
            document.origin,
            "some measured points are compensated for the ball and some are not; put them into two "
            "files.",
        )
    radius = radii.pop() if len(radii) == 1 else None
    return MeasuredRows(
        rows=tuple(rows),
        units=frozenset(used),
        compensated=states != {False},
        ball_diameter=None if radius is None else 2.0 * radius,
    )


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


def _states(document: QifDocument, points: Element) -> set[bool]:
    one = document.child(points, "Compensated")
    several = document.child(points, "Compensations")
    element = one if one is not None else several
    texts = [] if element is None else (element.text or "").split()
    expected = 1 if one is not None else document.count(points, "count")
    if len(texts) != expected or not _TRUTH.keys() >= set(texts):
        raise document.error(
            points,
            f"Compensated is {' '.join(texts[:3])[:40]!r}; expected true or false"
            + (": it says whether the points lie on the surface." if one is not None else "")
            + ("" if one is not None else f" for each of {expected} points."),
        )
    return {_TRUTH[text] for text in texts}


def _radius(document: QifDocument, points: Element, unit: Unit) -> float | None:
    """Radius of the ball; None where none is stated. [m]."""
    listed = document.child(points, "ProbeRadii")
    text = document.text(points, "ProbeRadius")
    if listed is not None:
        several = set(document.listed(listed, count=document.count(points, "count")))
        if len(several) > 1:
            raise document.error(
                listed, "the points have balls of different radii; only one is read."
            )
        text = several.pop() if several else ""
    elif not text:
        return None
    if not is_number(text) or float(text) < 0.0:
        raise document.error(
            points, f"ProbeRadius is {text[:40]!r}; expected a length of zero or more."
        )
    return metre(text, unit.scale)


def _rows(document: QifDocument, points: Element, unit: Unit, feature: str) -> list[PointRow]:
    count = document.count(points, "count")
    places, vectors = document.child(points, "Points"), document.child(points, "Normals")
    if places is None:
        raise document.error(points, "the set has no Points.")
    lengths = [metre(text, unit.scale) for text in document.listed(places, count=3 * count)]
    normals: list[float] = []
    if vectors is not None:
        normals = [float(text) for text in document.listed(vectors, count=3 * count)]
    name = feature or f"set {points.get('id') or ''}".strip()
    line = places.sourceline or 0
    return [
        PointRow(
            name=f"{name}-{row + 1}",
            line=line,
            position=(lengths[3 * row], lengths[3 * row + 1], lengths[3 * row + 2]),
            normal=(normals[3 * row], normals[3 * row + 1], normals[3 * row + 2])
            if normals
            else None,
            feature=feature,
        )
        for row in range(count)
    ]
