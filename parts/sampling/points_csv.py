"""Probe points → our point file, which reads back to the same numbers."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

from parts.points.probe_points import ProbePoints

HEADER = ("name", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz", "feature")


def points_csv(points: ProbePoints) -> str:
    """``name,x_mm,y_mm,z_mm,nx,ny,nz,feature`` in full precision.

    Millimetres are the decimals of the metres with the point moved, so that reading them back
    gives every bit again.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEADER)
    rows = zip(
        points.names,
        points.positions.tolist(),
        points.normals.tolist(),
        points.features,
        strict=True,
    )
    for name, position, normal, feature in rows:
        writer.writerow(
            [name, *map(_millimetres, position), *(repr(n + 0.0) for n in normal), feature]
        )
    return stream.getvalue()


def _millimetres(metres: float) -> str:
    if metres == 0.0:
        return "0"
    shifted = Decimal(repr(metres)).scaleb(3)
    whole = shifted.to_integral_value()
    return format(whole if whole == shifted else shifted, "f")
