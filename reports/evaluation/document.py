"""An evaluation, or an uncertainty, as JSON in SI: metres and radians."""

from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any

from parts.evaluation.results import Characteristic, FeatureResult
from parts.evaluation.tolerance import Uncertainty
from parts.fits.fit_result import Fit
from parts.fits.zone import Zone
from planner.evaluation.evaluation import Evaluation
from planner.uncertainty.types import PointUncertainty
from reports.evaluation.subject import EvaluationSubject, UncertaintySubject

FORMAT = 1


def evaluation_document(shown: EvaluationSubject) -> dict[str, Any]:
    """The whole evaluation."""
    found = shown.evaluation
    doubts = shown.uncertainty
    return {
        **_head(shown.job.name, shown.job.sha256),
        "conforms": found.conforms,
        "failed": [item.name for item in found.failed],
        "undecided": [item.name for item in found.undecided],
        "unmeasured": list(found.unmeasured),
        "misplaced": list(found.misplaced),
        "characteristics": [_characteristic(item) for item in found.characteristics],
        "features": [_feature(one) for one in found.features],
        "points": [
            {
                "name": one.name,
                "feature": one.feature or None,
                "nominal_m": one.nominal,
                "normal": one.normal,
                "measured_m": one.measured,
                "deviation_m": deviation,
                "along_normal_m": one.deviation,
                "beside_m": one.offset,
                "limit_m": limit,
                "within": None if math.isnan(limit) else abs(deviation) <= limit,
            }
            for one, deviation, limit in zip(
                found.points, found.points.profile.tolist(), shown.limits.tolist(), strict=True
            )
        ],
        "alignment": _alignment(found),
        "measured": _measured(found),
        "uncertainty": None if doubts is None else _uncertainty(doubts),
        "findings": [one.document() for one in found.findings],
        "inputs": [{"name": one.name, "sha256": one.sha256} for one in shown.source.others],
    }


def uncertainty_document(shown: UncertaintySubject) -> dict[str, Any]:
    """The uncertainty of a job."""
    return {
        **_head(shown.job.name, shown.job.sha256),
        **_uncertainty(shown),
        "findings": [one.document() for one in shown.findings],
        "inputs": [{"name": one.name, "sha256": one.sha256} for one in shown.source.others],
    }


def _head(name: str, sha256: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "palpeur": version("palpeur"),
        "job": {"name": name, "sha256": sha256},
    }


def _characteristic(item: Characteristic) -> dict[str, Any]:
    found = item.verdict
    return {
        "name": item.name,
        "feature": item.feature,
        "kind": item.kind,
        "datum": item.datum or None,
        "datums": item.system or None,
        "material": item.material or None,
        "nominal_m": item.nominal,
        "measured_m": item.measured,
        "deviation_m": item.deviation,
        "tolerance_m": item.tolerance,
        "middle_m": item.middle,
        "mating_size_m": item.size,
        "bonus_m": item.bonus,
        "projected_m": item.projected,
        "datum_shift_m": item.datum_shift,
        "limit_m": item.limit,
        "least_squares_m": item.least_squares,
        "uncertainty": None if item.uncertainty is None else _doubt(item.uncertainty),
        "verdict": None if found is None else found.value,
        "decided_by": item.worst or None,
        "method": item.method,
    }


def _doubt(one: Uncertainty) -> dict[str, Any]:
    return {
        "standard_m": one.standard,
        "expanded_m": one.expanded,
        "coverage": one.coverage,
        "draws": one.draws,
        "shift_m": one.shift,
        "first_order_m": one.first_order,
    }


def _feature(one: FeatureResult) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind,
        "points": list(one.deviations.names),
        "least_squares": None if one.fit is None else _fit(one.fit),
        "minimum_zone": None if one.zone is None else _zone(one.zone),
        "refusal": one.refusal or None,
        "sizes": {_key(name): value for name, value in one.sizes.items()},
        "nominal_sizes": {_key(name): value for name, value in one.nominal_sizes.items()},
        "mean_deviation_m": one.mean,
        "outliers": [
            {"name": one.deviations.names[stray.index], "size_m": stray.size, "ratio": stray.ratio}
            for stray in one.outliers
        ],
        "dropped": list(one.dropped),
    }


def _key(name: str) -> str:
    return f"{name.replace(' ', '_')}_{'rad' if 'angle' in name else 'm'}"


def _fit(fit: Fit) -> dict[str, Any]:
    sure = fit.certificate
    return {
        "form_m": fit.form_error if fit.has_redundancy else None,
        "rms_m": fit.rms if fit.has_redundancy else None,
        "degrees_of_freedom": fit.dof,
        "residuals_m": fit.residuals,
        "derived": {
            name: {"value": one.value, "unit": one.unit} for name, one in fit.derived.items()
        },
        "certificate": {
            "strict_minimum": sure.strict_minimum,
            "gradient": sure.gradient,
            "condition": sure.condition,
            "least_curvature": sure.least_curvature,
            "starts": sure.starts,
            "agreeing": sure.agreeing,
            "rival_m": sure.rival,
        },
    }


def _zone(zone: Zone) -> dict[str, Any]:
    return {
        "width_m": zone.width,
        "proved": zone.proved,
        "proof": zone.certificate.proof,
        "contacts": zone.contacts,
        "sides": zone.sides,
    }


def _alignment(found: Evaluation) -> dict[str, Any]:
    one = found.alignment
    return {
        "method": one.method,
        "T_part_measured": one.T_part_measured,
        "shift_m": one.shift,
        "turn_rad": one.turn,
        "rms_before_m": one.rms_before,
        "rms_after_m": one.rms_after,
        "datums": list(one.datums),
    }


def _measured(found: Evaluation) -> dict[str, Any]:
    one = found.measured
    return {
        "count": len(one),
        "frame": one.frame,
        "compensated": one.compensated,
        "compensated_along_nominal": one.along_nominal,
        "probe_radius_m": one.probe_radius,
        "compensation": found.compensation,
        "notes": list(one.notes),
    }


def _uncertainty(shown: UncertaintySubject) -> dict[str, Any]:
    settings = shown.measuring.settings
    return {
        "coverage": settings.coverage,
        "seed": settings.seed,
        "points": [_point(one) for one in shown.points],
        "assumptions": {name: getattr(settings, name) for name in settings.__dataclass_fields__},
    }


def _point(one: PointUncertainty) -> dict[str, Any]:
    return {
        "name": one.name,
        "sigma_normal_m": one.sigma_normal,
        "sigma_first_order_m": one.sigma_first_order,
        "interval_m": one.interval,
        "mean_m": one.mean,
        "covariance_m2": one.covariance,
        "method": one.method,
        "samples": one.samples,
        "settled": one.settled,
        "budget_m2": dict(zip(one.budget.names, one.budget.variances.tolist(), strict=True)),
        "shares": one.budget.shares,
        "branches": [
            {
                "branch": branch.branch,
                "sigma_normal_m": branch.sigma_normal,
                "planned": branch.planned,
                "allowed": branch.allowed,
            }
            for branch in one.branches
        ],
    }
