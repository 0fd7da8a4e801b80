"""Tables of an evaluation: characteristics, features, sizes, deviations."""

from __future__ import annotations

import numpy as np

from parts.evaluation import Characteristic, Conformance, FeatureResult
from planner.evaluation import Evaluation
from reports.content.table import Table, Value, ValueStatus, columns, fixed, number, rows_of, text
from reports.evaluation.shown import EvaluationSubject

_DECIMALS = 4  # of mm
_NONE = float("nan")
_STATUS = {
    Conformance.PASS: ValueStatus.GOOD,
    Conformance.FAIL: ValueStatus.BAD,
    Conformance.UNDECIDED: ValueStatus.DOUBTFUL,
}
TWO_SIDED = ("diameter", "distance")
KINDS = {"line3d": "line", "circle3d": "circle", "line2d": "line", "circle2d": "circle"}


def characteristics_table(shown: EvaluationSubject) -> Table:
    """Nominal, measured, deviation, tolerance, uncertainty, verdict."""
    heads = columns(
        "characteristic",
        *((head, "mm") for head in ("nominal", "measured", "deviation")),
        "tolerance [mm]",
        ("uncertainty U", "mm"),
        "verdict",
        "decided by",
        "how",
    )
    rows = [_characteristic(item) for item in shown.evaluation.characteristics]
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


def sizes_table(evaluation: Evaluation) -> Table:
    """Sizes of features beside those that they should have."""
    heads = columns(
        *("feature", "size", ("nominal", ""), ("measured", ""), ("deviation", "")),
        *(("standard deviation", ""), "unit"),
    )
    rows = [_size(one, name) for one in evaluation.features for name in one.sizes]
    note = "By least squares. The standard deviation is what the residuals alone say of the size."
    return Table(key="sizes", title="Sizes", columns=heads, rows=rows_of(rows), note=note)


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
    """A tolerance in millimetres: ± for sizes, the zone otherwise; a dash without one."""
    if item.tolerance is None:
        return "–"
    sign = "±" if item.kind in TWO_SIDED else ""
    return f"{sign}{1e3 * item.tolerance:.{_DECIMALS}f}"


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


def _characteristic(item: Characteristic) -> tuple[Value, ...]:
    known = item.uncertainty
    seen = verdict_status(item)
    told = Value(text=tolerance_text(item), number=_scaled(item.tolerance))
    return (
        text(item.name),
        *(
            fixed(1e3 * value, _DECIMALS, state)
            for value, state in (
                (item.nominal, ValueStatus.PLAIN),
                (item.measured, ValueStatus.PLAIN),
                (item.deviation, seen),
            )
        ),
        told if item.tolerance is not None and item.kind not in TWO_SIDED else text(told.text),
        fixed(_NONE if known is None else 1e3 * known.expanded, _DECIMALS),
        text(verdict_text(item), seen),
        text(item.worst or "–"),
        text(item.method),
    )


def _scaled(value: float | None) -> float | None:
    return None if value is None else 1e3 * value


def _rule(shown: EvaluationSubject) -> str:
    told = (
        "Tolerance: width or diameter of the zone; ± from nominal where it says so. Rows without "
        "one are told for information."
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
    return (
        *(text(one.name), text(name)),
        *(fixed(scale * v, decimals) for v in (nominal, measured, measured - nominal)),
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
