"""Points as CSV, in millimetres: for spreadsheets, where no name is a formula."""

from __future__ import annotations

import csv
import io

import numpy as np

from reports.evaluation.shown import EvaluationSubject, UncertaintySubject
from reports.tables import spreadsheet_text

_CSV = (
    *("point", "feature", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz"),
    *("measured_x_mm", "measured_y_mm", "measured_z_mm", "deviation_mm", "along_normal_mm"),
    *("beside_mm", "limit_mm", "within"),
)


def deviations_csv(shown: EvaluationSubject) -> str:
    """Every point on a line, in millimetres; empty where there is no limit."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV)
    points, limits, outside = shown.evaluation.points, shown.limits, shown.outside
    for k, name in enumerate(points.names):
        limited = bool(np.isfinite(limits[k]))
        writer.writerow(
            [
                *(spreadsheet_text(name), spreadsheet_text(points.features[k])),
                *(1e3 * points.nominal[k]).tolist(),
                *points.normals[k].tolist(),
                *(1e3 * points.measured[k]).tolist(),
                *(1e3 * v for v in (float(points.profile[k]), float(points.along[k]))),
                1e3 * float(points.offsets[k]),
                1e3 * float(limits[k]) if limited else "",
                ("false" if outside[k] else "true") if limited else "",
            ]
        )
    return text.getvalue()


def uncertainty_csv(shown: UncertaintySubject) -> str:
    """Every point on a line, in millimetres, with the shares of the budget."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = shown.points[0].budget.names if shown.points else ()
    writer.writerow(
        [
            *("point", "sigma_mm", "sigma_first_order_mm", "interval_low_mm", "interval_high_mm"),
            *("coverage", "best_branch"),
            *(f"variance_mm2 {spreadsheet_text(name)}" for name in names),
        ]
    )
    for point in shown.points:
        best = next((b.branch for b in point.branches if b.allowed), "")
        writer.writerow(
            [
                spreadsheet_text(point.name),
                *(1e3 * v for v in (point.sigma_normal, point.sigma_first_order)),
                *(1e3 * end for end in point.interval),
                point.coverage,
                spreadsheet_text(best),
                *(1e6 * point.budget.variances).tolist(),
            ]
        )
    return text.getvalue()
