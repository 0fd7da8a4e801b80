"""Answers of an arm's calibration: identified parameters, the calibrated robot file, a plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reports.answers import FORMAT, table_lines, tip_document
from reports.document_text import csv_text
from robots.core.errors import NotIdentifiableError
from robots.core.identification.calibration import ArmCalibration, Misfit
from robots.core.identification.measurements import ArmMeasurements, MeasurementKind
from robots.core.identification.posture_plan import PosturePlan
from robots.core.mechanism import Mechanism
from robots.core.robot_file import write_toml

# Columns of a table of measurements beside those of the joints.
SPHERE, PAIR = "sphere", "pair"

# --- identified parameters -----------------------------------------------------------------------


def calibration_document(
    nominal: Mechanism, found: ArmCalibration, given: ArmMeasurements, written: str
) -> dict[str, object]:
    """A calibration in JSON. Args: written: name of the robot file, or nothing."""
    checked = found.validation
    return {
        "format": FORMAT,
        "robot": nominal.name,
        **tip_document(nominal),
        "kind": given.kind.value,
        "measurements": found.count,
        "identifiable": True,
        "improved": found.improved,
        "parameters": [
            {"name": p.name, "unit": p.unit, "correction": value, "deviation": sigma}
            for p, value, sigma in zip(
                found.parameters, found.values, found.deviations, strict=True
            )
        ],
        "covariance": found.covariance,
        "dropped": [
            {"name": d.name, "reason": d.reason, "looks_like": dict(d.looks_like)}
            for d in found.dropped
        ],
        "spheres": [{"name": name, "centre_m": c} for name, c in found.centres.items()],
        "residual": _misfits(found.before, found.after),
        "validation": None
        if checked is None
        else {**_misfits(checked.before, checked.after), "folds": checked.folds},
        "outliers": [
            {"measurement": o.block + 1, "label": o.label, "misfit_m": o.misfit, "ratio": o.ratio}
            for o in found.outliers
        ],
        "condition": found.condition,
        "observability": found.observability,
        "chi_squared": found.chi_squared,
        "freedom": found.freedom,
        "iterations": found.iterations,
        "file": written or None,
    }


def refusal_document(
    nominal: Mechanism, given: ArmMeasurements, error: NotIdentifiableError
) -> dict[str, object]:
    """Measurements that cannot distinguish the parameters, in JSON."""
    return {
        "format": FORMAT,
        "robot": nominal.name,
        **tip_document(nominal),
        "kind": given.kind.value,
        "measurements": given.count,
        "identifiable": False,
        "message": error.message,
        "facts": error.facts,
    }


def calibration_lines(
    found: ArmCalibration, given: ArmMeasurements, *, weighted: bool
) -> Iterator[str]:
    """A calibration for a terminal. Args: weighted: whether the noise was given."""
    yield from table_lines(("parameter", "correction", "deviation", "unit"), _rows(found))
    for dropped in found.dropped:
        yield f"{dropped.name} stays: {dropped.reason}"
    for name, centre in found.centres.items():
        yield f"sphere {name} at {', '.join(f'{1e3 * x:.4f}' for x in centre)} mm"
    yield f"residuals, mm: {_both(found.before, found.after)}, {found.count} {given.kind.value}s"
    if found.validation is None:
        yield "validation: too few measurements to keep some out"
    else:
        told = _both(found.validation.before, found.validation.after)
        yield f"kept out, mm:  {told}, {found.validation.folds} folds"
    yield f"condition {found.condition:.4g}, observability {found.observability:.4g}"
    if weighted:  # without it the squares are no proportion of anything
        yield f"chi² {found.chi_squared:.4g} for {found.freedom} degrees of freedom"
    for outlier in found.outliers:
        yield (
            f"outlier: {outlier.label} is {_mm(outlier.misfit)} mm off, {outlier.ratio:.3g} times "
            "the limit"
        )
    if not found.improved:
        yield "The calibrated arm does no better than the nominal one."


def calibrated_file(
    nominal: Mechanism, found: ArmCalibration, given: ArmMeasurements, origin: str
) -> str:
    """Robot file of the calibrated arm, with what was found in comments."""
    how = (
        f"calibrated by Palpeur from {found.count} {given.kind.value} measurements in {origin}: "
        f"residual {_mm(found.before.rms)} mm RMS before, {_mm(found.after.rms)} mm after"
    )
    source = f"{nominal.source}; {how}" if nominal.source else how
    arm = replace(found.mechanism, name=f"{nominal.name}, calibrated", source=source)
    lines = [
        f"# {nominal.name}, {how}.",
        "# The corrections are in the placements below; the tool ends at the ball's centre.",
        "#",
        *(f"# {name}: {value} {unit} ± {sigma}" for name, value, sigma, unit in _rows(found)),
    ]
    return "\n".join(lines) + "\n\n" + write_toml(arm)


def _rows(found: ArmCalibration) -> list[tuple[str, str, str, str]]:
    """Name, correction, deviation and unit of every parameter, for a reader."""
    rows = []
    for parameter, value, sigma in zip(
        found.parameters, found.values, found.deviations, strict=True
    ):
        angular = parameter.unit == "rad"
        factor, unit = (180.0 / np.pi, "deg") if angular else (1e3, "mm")
        rows.append((parameter.name, f"{factor * value:.6f}", f"{factor * sigma:.2g}", unit))
    return rows


def _both(before: Misfit, after: Misfit) -> str:
    return (
        f"RMS {_mm(before.rms)} → {_mm(after.rms)}, "
        f"largest {_mm(before.largest)} → {_mm(after.largest)}"
    )


def _mm(length: float) -> str:
    return f"{1e3 * length:.4g}"


def _misfits(before: Misfit, after: Misfit) -> dict[str, object]:
    return {
        "before_rms_m": before.rms,
        "before_max_m": before.largest,
        "after_rms_m": after.rms,
        "after_max_m": after.largest,
    }


# --- a plan of postures --------------------------------------------------------------------------


def plan_document(mechanism: Mechanism, plan: PosturePlan) -> dict[str, object]:
    """A plan in JSON."""
    given = plan.measurements
    return {
        "format": FORMAT,
        "robot": mechanism.name,
        **tip_document(mechanism),
        "kind": given.kind.value,
        "measurements": given.count,
        "candidates": plan.candidates,
        "parameters": [
            {"name": name, "deviation": sigma}
            for name, sigma in zip(plan.names, plan.deviations, strict=True)
        ],
        "dropped": [{"name": d.name, "reason": d.reason} for d in plan.dropped],
        "condition": plan.condition,
        "worst_m": plan.worst,
        "random": {"median_m": plan.random_median, "best_m": plan.random_best, "draws": plan.draws},
        "gain": plan.gain,
        "spheres": [{"name": name, "centre_m": c} for name, c in plan.centres.items()],
        "postures": [
            {"group": given.groups[row] if given.groups else None, "q": q}
            for row, q in enumerate(given.q)
        ],
    }


def plan_lines(plan: PosturePlan) -> list[str]:
    """What a plan promises, for a terminal."""
    given = plan.measurements
    lines = [
        f"{given.count} {given.kind.value} measurements of {plan.candidates} candidates, "
        f"{len(plan.names)} parameters, condition {plan.condition:.4g}",
        f"worst parameter to expect: {1e3 * plan.worst:.4g} mm at the ball; random postures: "
        f"{1e3 * plan.random_median:.4g} mm (median), {1e3 * plan.random_best:.4g} mm (best of "
        f"{plan.draws}); gain {plan.gain:.3g}",
        "The paths between the postures, and obstacles around the arm, are not checked.",
    ]
    for name, centre in plan.centres.items():
        lines.append(f"sphere {name} at {', '.join(f'{1e3 * x:.3f}' for x in centre)} mm")
    return lines


def posture_table(mechanism: Mechanism, given: ArmMeasurements) -> str:
    """Postures as CSV, in the columns that ``--measurements`` reads."""
    joints = mechanism.movable
    names = [f"q{k}_{'deg' if j.kind.angular else 'mm'}" for k, j in enumerate(joints, start=1)]
    factors = np.array([180.0 / np.pi if j.kind.angular else 1e3 for j in joints])
    columns = _own_columns(given)
    rows = (
        [*(cells[row] for cells in columns.values()), *(f"{x:.6f}" for x in q)]
        for row, q in enumerate(given.q * factors)
    )
    return csv_text([*columns, *names], rows)


def _own_columns(given: ArmMeasurements) -> dict[str, list[str]]:
    if given.kind is MeasurementKind.SPHERE:
        return {SPHERE: list(given.groups)}
    if given.kind is MeasurementKind.LENGTH:
        lengths = 1e3 * given.lengths[given.group_index]
        return {PAIR: list(given.groups), "length_mm": [f"{x:.6f}" for x in lengths]}
    return {}
