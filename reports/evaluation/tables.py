"""Tables of an evaluation and of an uncertainty, and their points as CSV."""

from __future__ import annotations

import numpy as np

from parts.evaluation.characteristics import location_of
from parts.evaluation.results import Characteristic, FeatureResult
from parts.evaluation.tolerance import SIZE_KINDS, Conformance
from planner.evaluation.evaluation import Evaluation
from planner.job.uncertainty import UncertaintySettings
from planner.uncertainty.types import PointUncertainty
from reports.content.table import Table, Value, ValueStatus, columns, fixed, number, rows_of, text
from reports.document_text import csv_text
from reports.evaluation.subject import EvaluationSubject, UncertaintySubject
from reports.visible_text import spreadsheet_text
from robots.core.arrays import Array

_DECIMALS = 4  # of mm
_NONE = float("nan")
_STATUS = {
    Conformance.PASS: ValueStatus.GOOD,
    Conformance.FAIL: ValueStatus.BAD,
    Conformance.UNDECIDED: ValueStatus.DOUBTFUL,
}
TWO_SIDED = SIZE_KINDS
KINDS = {"line3d": "line", "circle3d": "circle", "line2d": "line", "circle2d": "circle"}
_MICRO = 1e6
_MOST_USED = 100.0  # of a tolerance: beyond it a share says no more
_UNITS = {
    **dict.fromkeys(("encoder", "encoder_resolution", "encoder_offset", "angle"), "rad"),
    "alignment_turn": "rad",
    "trigger_jitter": "s",
    "temperature": "K",
    "part_temperature": "K",
    "expansion": "1/K",
    "part_expansion": "1/K",
}
LATE = (
    "A reading is latched late by the trigger's latency, and the ball has gone on at touch speed: "
    "the mean of this pre-travel is taken out by calibration at the same speed, its jitter is not."
)
_PROCEDURE = ("samples", "digits", "coverage", "interval", "seed")
_CSV = (
    *("point", "feature", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz"),
    *("measured_x_mm", "measured_y_mm", "measured_z_mm", "deviation_mm", "along_normal_mm"),
    *("beside_mm", "limit_mm", "within"),
)


def characteristics_table(shown: EvaluationSubject) -> Table:
    """Nominal, measured, deviation, tolerance, uncertainty, verdict."""
    found = shown.evaluation.characteristics
    known = any(item.uncertainty is not None for item in found)
    heads = columns(
        ("label", ""),
        "verdict",  # in sight, however narrow the page
        "characteristic",
        *((head, "mm") for head in ("nominal", "measured", "deviation")),
        "tolerance [mm]",
        ("used", ""),
        *([("U", "mm")] if known else []),
        "decided by",
        "how",
    )
    labels = labels_of(shown.evaluation)
    rows = [_characteristic(item, labels, known=known) for item in found]
    return Table(
        key="characteristics",
        title="Characteristics",
        columns=heads,
        rows=rows_of(rows),
        note=_rule(shown),
    )


def features_table(evaluation: Evaluation) -> Table:
    """Form of every feature by least squares and by minimum zone, side by side."""
    heads = columns(
        *("feature", "kind", ("points", "")),
        *(("form, least squares", "mm"), ("form, minimum zone", "mm"), ("narrower by", "%")),
        *("zone proved", ("rms residual", "mm"), ("mean deviation", "mm"), "outliers", "fit"),
    )
    note = (
        "Least squares: orthogonal distances (ISO, NIST); a circle in space is that of its plane. "
        "Minimum zone: the narrowest one that holds all points, as ISO 1101 means form. Proved: "
        "whether no narrower zone exists at all (global), or none near this one (local)."
    )
    return Table(
        key="features",
        title="Features",
        columns=heads,
        rows=rows_of([_feature(one) for one in evaluation.features]),
        note=note,
    )


def coordinates_table(evaluation: Evaluation) -> Table:
    """Place and sizes of every feature beside those that it should have, row by row: X, Y, Z, D."""
    heads = columns(
        ("label", ""),
        *("feature", "of", ("nominal", ""), ("measured", ""), ("deviation", "")),
        *("tolerance", ("used", ""), ("standard deviation", ""), "unit"),
    )
    labels = labels_of(evaluation)
    rows = [
        (text(labels[one.name]), text(one.name), *row)
        for one in evaluation.features
        for row in (*_coordinates(one), *(_size(one, name) for name in one.sizes))
    ]
    note = (
        "By least squares, part frame after alignment. Of an axis the point beside the nominal "
        "one, of a plane where the nominal normal meets it; N: along a normal that is no axis of "
        "the part. The standard deviation is what the residuals alone say of a size."
    )
    return Table(
        key="coordinates", title="Measured features", columns=heads, rows=rows_of(rows), note=note
    )


def labels_of(evaluation: Evaluation) -> dict[str, str]:
    """Numbers of the features, as the picture of the part has them."""
    return {one.name: str(k + 1) for k, one in enumerate(evaluation.features)}


_ALONG = 0.999  # cosine: an axis of the part that is that of a feature


def _coordinates(one: FeatureResult) -> list[tuple[Value, ...]]:
    """X, Y and Z of a feature, as far as it has them."""
    if one.nominal is None or one.fit is None:
        return []
    nominal = location_of(one.nominal, one.deviations.nominal)
    found = location_of(one.fit.shape, one.deviations.measured)
    n, f = nominal.direction, found.direction
    if nominal.kind == "plane":
        height = float((found.point - nominal.point) @ f / (n @ f))
        along = int(np.argmax(np.abs(n)))
        if abs(n[along]) < _ALONG:
            return [_coordinate("N", 0.0, height)]
        place = float(nominal.point[along])
        return [_coordinate("XYZ"[along], place, place + float(np.sign(n[along])) * height)]
    measured = found.point
    if nominal.kind == "axis":
        measured = found.point + f * float((nominal.point - found.point) @ n / (f @ n))
    across = np.abs(n) < _ALONG if np.isfinite(n).all() else np.ones(3, dtype=bool)
    return [
        _coordinate(axis, float(nominal.point[k]), float(measured[k]))
        for k, axis in enumerate("XYZ")
        if across[k]
    ]


def _coordinate(axis: str, nominal: float, measured: float) -> tuple[Value, ...]:
    return (
        text(axis),
        *(fixed(1e3 * v, _DECIMALS) for v in (nominal, measured, measured - nominal)),
        *(text("–"), text("–"), text("–"), text("mm")),
    )


def deviations_table(shown: EvaluationSubject) -> Table:
    """Every point: nominal place, deviation, and the limit that it keeps or not."""
    points, limits, outside = shown.evaluation.points, shown.limits, shown.outside
    heads = columns(
        *("point", "feature", ("x", "mm"), ("y", "mm"), ("z", "mm")),
        *(("deviation", "mm"), ("limit ±", "mm"), "within", ("beside", "mm")),
        *((f"measured {axis}", "mm") for axis in "xyz"),
    )
    rows = [
        (
            *(text(points.names[k]), text(points.features[k] or "–")),
            *(fixed(float(v), _DECIMALS) for v in 1e3 * points.nominal[k]),
            fixed(1e3 * float(points.profile[k]), _DECIMALS, _point_status(bool(outside[k]))),
            fixed(1e3 * float(limits[k]), _DECIMALS),
            _within(float(limits[k]), bool(outside[k])),
            fixed(1e3 * float(points.offsets[k]), _DECIMALS),
            *(fixed(float(v), _DECIMALS) for v in 1e3 * points.measured[k]),
        )
        for k in range(len(points))
    ]
    note = (
        "x, y, z: nominal point, part frame. Deviation: along the normal, or from the geometry, "
        "positive out of the material. Limit: half the profile tolerance of the feature. Beside: "
        "how far from the nominal point it was touched."
    )
    return Table(key="deviations", title="Deviations", columns=heads, rows=rows_of(rows), note=note)


def tolerance_text(item: Characteristic) -> str:
    """A tolerance in millimetres: limits of sizes, the zone otherwise; a dash without one.

    A projected zone has P and its length, a material requirement its letter and the bonus.
    """
    if item.tolerance is None:
        return "–"
    told = f"{1e3 * item.tolerance:.{_DECIMALS}f}"
    if item.kind in TWO_SIDED:
        if item.middle == 0.0:
            return f"±{told}"
        ends = (item.middle + item.tolerance, item.middle - item.tolerance)
        return " / ".join(f"{round(1e3 * end, _DECIMALS) + 0.0:+.{_DECIMALS}f}" for end in ends)
    if item.projected:
        told += f" P {1e3 * item.projected:g}"
    if not item.material:
        return told
    return f"{told} {item.material} {1e3 * item.bonus:+.{_DECIMALS}f}"


def used_value(item: Characteristic) -> Value:
    """Share of the tolerance that a deviation uses, with its bar; a dash without a tolerance."""
    if item.limit is None:
        return text("–")
    away = item.deviation - item.middle
    share = away / item.limit if item.limit > 0.0 else np.copysign(np.inf, away or 1.0)
    told = f"{100.0 * abs(share):.0f} %" if abs(share) < _MOST_USED else "beyond"
    return Value(
        text=told,
        number=float(100.0 * abs(share)) if np.isfinite(share) else None,
        status=verdict_status(item),
        bar=float(np.clip(share, -2.0, 2.0)),
    )


def verdict_text(item: Characteristic) -> str:
    """A verdict in a word; a dash without one."""
    found = item.verdict
    return "–" if found is None else {Conformance.FAIL: "FAIL"}.get(found, found.value)


def verdict_status(item: Characteristic) -> ValueStatus:
    """What a verdict means."""
    return ValueStatus.PLAIN if item.verdict is None else _STATUS[item.verdict]


def form_text(width: float | None) -> str:
    """A form error in millimetres; a dash without one."""
    return "–" if width is None else f"{1e3 * width:.{_DECIMALS}f}"


def _characteristic(
    item: Characteristic, labels: dict[str, str], *, known: bool
) -> tuple[Value, ...]:
    doubt = item.uncertainty
    seen = verdict_status(item)
    told = Value(text=tolerance_text(item), number=_scaled(item.tolerance))
    plain = item.kind not in TWO_SIDED and not item.material and not item.projected
    how = [item.method] if item.method else []
    how += [f"mating size {1e3 * item.size:.{_DECIMALS}f} mm"] if item.material else []
    how += [f"datum shift {1e3 * item.datum_shift:.{_DECIMALS}f} mm"] if item.datum_shift else []
    return (
        text(labels.get(item.feature, "–")),
        text(verdict_text(item), seen),
        text(item.name),
        *(
            fixed(1e3 * value, _DECIMALS, state)
            for value, state in (
                (item.nominal, ValueStatus.PLAIN),
                (item.measured, ValueStatus.PLAIN),
                (item.deviation, seen),
            )
        ),
        told if item.tolerance is not None and plain else text(told.text),
        used_value(item),
        *([fixed(_NONE if doubt is None else 1e3 * doubt.expanded, _DECIMALS)] if known else []),
        text(item.worst or "–"),
        text("; ".join(how)),
    )


def _scaled(value: float | None) -> float | None:
    return None if value is None else 1e3 * value


def _rule(shown: EvaluationSubject) -> str:
    told = (
        "Tolerance: width or diameter of the zone, with its material requirement and the bonus; of "
        "sizes the limits from nominal. Used: share of it, between its limits. Rows without one "
        "are for information."
    )
    if shown.coverage is None:
        return f"{told} No uncertainty is known: the limit alone decides."
    return (
        f"{told} U: expanded uncertainty, {100.0 * shown.coverage:g} %. Decision by ISO 14253-1: "
        "pass within the tolerance less U, FAIL beyond the tolerance plus U, undecided between."
    )


def _feature(one: FeatureResult) -> tuple[Value, ...]:
    squares, zone = one.form_error, one.zone_error
    gain = _NONE
    if squares and zone is not None:
        gain = 100.0 * (1.0 - zone / squares)
    return (
        *(text(one.name), text(KINDS.get(one.kind, one.kind))),
        Value(text=str(len(one.deviations)), number=float(len(one.deviations))),
        *(fixed(_NONE if v is None else 1e3 * v, _DECIMALS) for v in (squares, zone)),
        fixed(gain, 1),
        text("–" if one.zone is None else one.zone.proved),
        fixed(_NONE if one.rms is None else 1e3 * one.rms, _DECIMALS),
        fixed(1e3 * one.mean, _DECIMALS),
        _outliers(one),
        _fit(one),
    )


def _outliers(one: FeatureResult) -> Value:
    if not one.outliers:
        return text("–")
    names = ", ".join(one.deviations.names[stray.index] for stray in one.outliers[:3])
    more = f" and {len(one.outliers) - 3} more" if len(one.outliers) > 3 else ""
    return text(names + more + (" (left out)" if one.dropped else ""), ValueStatus.DOUBTFUL)


def _fit(one: FeatureResult) -> Value:
    if one.fit is None:
        return text(
            one.refusal or "none", ValueStatus.DOUBTFUL if one.refusal else ValueStatus.PLAIN
        )
    sure = one.fit.certificate
    told = f"condition {sure.condition:.3g}, {sure.agreeing} of {sure.starts} starts agree"
    if sure.strict_minimum:
        return text(f"minimum; {told}")
    return text(f"no strict minimum; {told}", ValueStatus.DOUBTFUL)


def _size(one: FeatureResult, name: str) -> tuple[Value, ...]:
    angular = "angle" in name
    scale, decimals = (float(np.degrees(1.0)), 5) if angular else (1e3, _DECIMALS)
    nominal, measured = one.nominal_sizes.get(name, _NONE), one.sizes[name]
    item = next((c for c in one.characteristics if c.kind == name and c.tolerance), None)
    stated = nominal if item is None else item.nominal
    return (
        text("D" if name == "diameter" else name),
        *(fixed(scale * v, decimals) for v in (stated, measured, measured - stated)),
        text("–" if item is None else tolerance_text(item)),
        text("–") if item is None else used_value(item),
        number(scale * _deviation_of(one, name), 3),
        text("deg" if angular else "mm"),
    )


def _deviation_of(one: FeatureResult, name: str) -> float:
    """Standard deviation of a size; NaN where the residuals do not tell it."""
    fit = one.fit
    if fit is None or (fit.dof < 1 and fit.given_sigma is None):
        return _NONE
    key = name.replace(" ", "_")
    known = next((k for k in (name, key) if k in fit.derived), None)
    return _NONE if known is None else float(fit.deviation_of(known)[0])


def _point_status(outside: bool) -> ValueStatus:
    return ValueStatus.BAD if outside else ValueStatus.PLAIN


def _within(limit: float, outside: bool) -> Value:
    if not np.isfinite(limit):
        return text("–")
    return text("no", ValueStatus.BAD) if outside else text("yes", ValueStatus.GOOD)


def points_table(shown: UncertaintySubject) -> Table:
    """Standard deviation and interval along the normal of every point, and its best branch."""
    heads = columns(
        *("point", ("sigma", "µm"), ("first order", "µm"), ("interval from", "µm"), ("to", "µm")),
        *("largest source", ("its share", "%"), "better branch"),
        *(("its sigma", "µm"), "method"),
    )
    note = (
        "Along the normal of each point, measured less true. First order: by derivatives; where it "
        "differs from sigma, errors are too large to be linear. Better branch: one that keeps the "
        "job's margins and whose sigma is below nine tenths of the planned one's."
    )
    return Table(
        key="uncertainty",
        title="Uncertainty of the points",
        columns=heads,
        rows=rows_of([_point(point) for point in shown.points]),
        note=note,
    )


def budget_table(shown: UncertaintySubject) -> Table:
    """How much of the variance each source has, over all points and at the worst one."""
    names, variances = budget(shown)
    if not names:
        return _budget(())
    total = variances.sum(axis=0)
    shares = 100.0 * variances / np.where(total > 0.0, total, 1.0)
    worst = shown.worst
    rows = [
        (
            text(names[k]),
            number(_MICRO * float(np.sqrt(variances[k].mean())), 4),
            fixed(float(100.0 * variances[k].sum() / (total.sum() or 1.0)), 1),
            number(_MICRO * float(np.sqrt(variances[k, worst])), 4),
            fixed(float(shares[k, worst]), 1),
            text(shown.points[int(np.argmax(variances[k]))].name),
        )
        for k in np.argsort(-variances.sum(axis=1), kind="stable").tolist()
    ]
    return _budget(tuple(rows), shown.points[worst].name)


def budget(shown: UncertaintySubject) -> tuple[tuple[str, ...], Array]:
    """Sources, and the variance that each gives each point. # (b, k) [m²]."""
    if not shown.points:
        return (), np.zeros((0, 0))
    names = shown.points[0].budget.names
    return names, np.stack([point.budget.variances for point in shown.points], axis=1)


def branches_table(shown: UncertaintySubject) -> Table:
    """Every branch that reaches a point, the best first."""
    rows = [
        (
            text(point.name),
            text(branch.branch),
            number(_MICRO * branch.sigma_normal, 4),
            text("planned" if branch.planned else "–"),
            text("yes") if branch.allowed else text("no", ValueStatus.DOUBTFUL),
        )
        for point in shown.points
        for branch in point.branches
    ]
    heads = columns("point", "branch", ("sigma", "µm"), "used", "keeps the margins")
    note = "Along the normal, to first order."
    return Table(key="branches", title="Branches", columns=heads, rows=rows_of(rows), note=note)


def settings_table(settings: UncertaintySettings) -> Table:
    """What was taken to be wrong, and how it was propagated."""
    rows = []
    for name in settings.__dataclass_fields__:
        value = getattr(settings, name)
        if name in _PROCEDURE:
            rows.append((text(name), text("–" if value is None else value), text("")))
        elif value:
            unit = _UNITS.get(name, "m")
            rows.append((text(name.replace("_", " ")), *_told(float(value), unit)))
    note = "From the job's [uncertainty]. What is not listed is taken to be exact."
    if settings.trigger_jitter > 0.0:
        note += f" {LATE}"
    return Table(
        key="assumptions",
        title="Assumptions",
        columns=columns("standard deviation of", ("value", ""), "unit"),
        rows=rows_of(rows),
        note=note,
    )


def _told(value: float, unit: str) -> tuple[Value, Value]:
    if unit == "rad":
        return number(float(np.degrees(value)), 4), text("deg")
    return (number(1e3 * value, 4), text("mm")) if unit == "m" else (number(value, 4), text(unit))


def _point(point: PointUncertainty) -> tuple[Value, ...]:
    shares = point.budget.shares
    better = point.better
    return (
        text(point.name),
        *(number(_MICRO * v, 4) for v in (point.sigma_normal, point.sigma_first_order)),
        *(number(_MICRO * end, 4) for end in point.interval),
        text(point.budget.largest or "–"),
        fixed(100.0 * shares.get(point.budget.largest, 0.0), 1),
        text(better.branch, ValueStatus.DOUBTFUL) if better is not None else text("–"),
        number(float("nan") if better is None else _MICRO * better.sigma_normal, 4),
        text(_method(point)),
    )


def _method(point: PointUncertainty) -> str:
    if not point.samples:
        return point.method
    return f"{point.samples:,} draws" + (", settled" if point.settled else "")


def _budget(rows: tuple[tuple[Value, ...], ...], worst: str = "") -> Table:
    heads = columns(
        *("source", ("sigma, all points", "µm"), ("share", "%")),
        *(("sigma, worst point", "µm"), ("share there", "%"), "largest at"),
    )
    told = f" Worst point: {worst}." if worst else ""
    note = f"Of the variance along the normals, to first order; all points: root mean square.{told}"
    return Table(key="budget", title="Budget", columns=heads, rows=rows, note=note)


def deviations_csv(shown: EvaluationSubject) -> str:
    """Every point on a line, in millimetres; empty where there is no limit."""
    rows = []
    points, limits, outside = shown.evaluation.points, shown.limits, shown.outside
    for k, name in enumerate(points.names):
        limited = bool(np.isfinite(limits[k]))
        rows.append(
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
    return csv_text(_CSV, rows)


def uncertainty_csv(shown: UncertaintySubject) -> str:
    """Every point on a line, in millimetres, with the shares of the budget."""
    names = shown.points[0].budget.names if shown.points else ()
    headers = (
        *("point", "sigma_mm", "sigma_first_order_mm", "interval_low_mm", "interval_high_mm"),
        *("coverage", "best_branch"),
        *(f"variance_mm2 {spreadsheet_text(name)}" for name in names),
    )
    rows = []
    for point in shown.points:
        best = next((b.branch for b in point.branches if b.allowed), "")
        rows.append(
            [
                spreadsheet_text(point.name),
                *(1e3 * v for v in (point.sigma_normal, point.sigma_first_order)),
                *(1e3 * end for end in point.interval),
                point.coverage,
                spreadsheet_text(best),
                *(1e6 * point.budget.variances).tolist(),
            ]
        )
    return csv_text(headers, rows)
