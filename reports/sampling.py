"""Answers of ``palpeur sample``: probe points on a feature, and what they are worth."""

from __future__ import annotations

import numpy as np

from parts.features.feature import Feature
from parts.geometry import Geometry
from parts.sampling.layouts import Design
from parts.sampling.sample import Sample
from reports.answers import FORMAT


def sample_document(
    geometry: Geometry, feature: Feature, found: Sample, edge_margin: float
) -> dict[str, object]:
    """Points with what they are worth, in JSON. Args: edge_margin. [m]."""
    points = found.points
    rows = zip(points.names, points.positions * 1e3, points.normals, points.features, strict=True)
    keys = ("x_mm", "y_mm", "z_mm", "nx", "ny", "nz")
    return {
        "format": FORMAT,
        "part": geometry.source,
        "feature": {"name": feature.name, "kind": feature.kind},
        "strategy": found.strategy,
        "edge_margin_mm": edge_margin * 1e3,
        "laid_out": found.laid_out,
        "off_surface": found.off_surface,
        "not_reached": found.not_reached,
        "star_discrepancy": found.discrepancy,
        "fit": {
            "parameters": found.design.parameters,
            "surface_per_sigma": found.design.surface,
            "sizes_per_sigma": found.design.sizes,
        },
        "points": [
            {"name": name, **dict(zip(keys, [*p, *n], strict=True)), "feature": label}
            for name, p, n, label in rows
        ],
        "warnings": geometry.audit.warnings,
        "notes": geometry.notes,
    }


def sample_sentences(
    geometry: Geometry, feature: Feature, found: Sample, file: str = ""
) -> list[str]:
    """What a reader should know beside the points. Args: file: that they were written to."""
    where = f", written to {file}" if file else ""
    lines = [
        f"{len(found.points)} points ({found.strategy}) on {feature.kind} {feature.name!r} of "
        f"{geometry.source}{where}.",
        f"Star discrepancy {found.discrepancy:.3f}; {_worth(found.design)}.",
    ]
    if found.off_surface or found.not_reached:
        lines.append(
            f"Of {found.laid_out} places laid out, {found.off_surface} are off the surface or near "
            f"its edge, and at {found.not_reached} the stylus does not fit."
        )
    if feature.kind in ("freeform", "facets"):
        lines.append(
            f"The points lie on triangles, their normals are "
            f"{'interpolated' if feature.kind == 'freeform' else 'those of the triangles'}."
        )
    audit = geometry.audit
    if audit.sheet_faces:
        lines.append(
            f"{audit.sheets} sheets beside the solids of the file ({audit.sheet_faces} faces) were "
            "left out; --sheets include makes them part."
        )
    if audit.turned:
        lines.append(
            f"{audit.turned} of {audit.triangles} triangles were turned round: their closed pieces "
            "were inside out."
        )
    return [*lines, *(f"Warning: {text}" for text in audit.warnings)]


def _worth(design: Design) -> str:
    if not np.isfinite(design.surface):
        return (
            f"these points do not determine the {design.parameters} parameters of the feature: "
            "take more, or hammersley"
        )
    return (
        f"a fit knows the surface to {design.surface:.3g} times the standard deviation of one "
        "probing, or better"
    )
