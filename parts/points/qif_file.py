"""QIF 3.0 documents (ISO 23952) → points.

Read are the points of the measurement plan (``NominalPointSet``) and the point features that have
no set there, or measured point sets and measured point features. A document with nominal and
measured points is refused until the caller says which. Features that give no points are told.
"""

from __future__ import annotations

from typing import Literal

from parts.points.faults import fault
from parts.points.found import FoundPoints, found_in
from parts.points.qif_document import FORMAT, QifDocument, qif_document
from parts.points.qif_measured import has_measured_points, measured_points
from parts.points.qif_nominal import QifRows, nominal_points
from parts.points.qif_units import LengthUnits, length_units
from parts.points.source import Compensation, PointSource

QifChoice = Literal["nominal", "measured"]


def qif_points(raw: bytes, *, origin: str, choice: QifChoice | None = None) -> FoundPoints:
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
    return found_in(rows.rows, _source(document, units, rows, notes=[*notes, *rows.notes]))


def _measured(document: QifDocument, units: LengthUnits) -> FoundPoints:
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
    return found_in(found.rows, source)


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
