"""Answers of ``palpeur sample``: probe points on a feature, and what they are worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parts.features.feature import Feature
from parts.geometry import Geometry
from parts.points import ProbePoints
from parts.sampling.layouts import Design
from parts.sampling.sample import Sample
from reports.answers import FORMAT


def sample_document(
    geometry: Geometry,
    features: Sequence[Feature],
    samples: Sequence[Sample],
    points: ProbePoints,
) -> dict[str, object]:
    """Points with what they are worth, in JSON; of several features each under ``features``.

    Args:
        geometry: of the part.
        features: that were sampled.
        samples: one for each.
        points: of all, under the names that they have in the file.
    """
    rows = zip(points.names, points.positions * 1e3, points.normals, points.features, strict=True)
    keys = ("x_mm", "y_mm", "z_mm", "nx", "ny", "nz")
    worth = [_layout(one, found) for one, found in zip(features, samples, strict=True)]
    return {
        "format": FORMAT,
        "part": geometry.source,
        "strategy": samples[0].strategy,
        **(worth[0] if len(worth) == 1 else {"features": worth}),
        "points": [
            {"name": name, **dict(zip(keys, [*p, *n], strict=True)), "feature": label}
            for name, p, n, label in rows
        ],
        "warnings": (*geometry.audit.warnings, *(w for one in samples for w in one.warnings)),
        "notes": geometry.notes,
    }


def _layout(feature: Feature, found: Sample) -> dict[str, object]:
    return {
        "feature": {"name": feature.name, "kind": feature.kind},
        "edge_margin_mm": found.edge_margin * 1e3,
        "laid_out": found.laid_out,
        "off_surface": found.off_surface,
        "not_reached": found.not_reached,
        "star_discrepancy": found.discrepancy,
        "fit": {
            "parameters": found.design.parameters,
            "surface_per_sigma": found.design.surface,
            "sizes_per_sigma": found.design.sizes,
        },
    }


def sample_sentences(feature: Feature, found: Sample) -> list[str]:
    """What a reader should know of the points of one feature."""
    lines = [
        f"{len(found.points)} points ({found.strategy}) on {feature.kind} {feature.name!r}. "
        f"Star discrepancy {found.discrepancy:.3f}; {_worth(found.design)}.",
    ]
    if found.edge_margin:
        lines.append(f"They keep {1e3 * found.edge_margin:.3g} mm from the feature's edges.")
    lines += [f"Warning: {text}" for text in found.warnings]
    if found.off_surface or found.not_reached:
        lost = [
            f"{count} {what}"
            for count, what in (
                (found.off_surface, "off the surface or near its edge"),
                (found.not_reached, "where the stylus does not fit"),
            )
            if count
        ]
        lines.append(f"{found.laid_out} places were laid out: {', '.join(lost)}.")
    if feature.kind in ("freeform", "facets"):
        lines.append(
            f"The points lie on triangles, their normals are "
            f"{'interpolated' if feature.kind == 'freeform' else 'those of the triangles'}."
        )
    return lines


def part_sentences(geometry: Geometry, count: int, file: str = "") -> list[str]:
    """What a reader should know of the part. Args: file: that the points were written to."""
    audit, lines = geometry.audit, []
    if file:
        lines.append(f"{count} points of {geometry.source} written to {file}.")
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
            "take more, or lay them out otherwise"
        )
    return (
        f"a fit knows the surface to {design.surface:.3g} times the standard deviation of one "
        "probing, or better"
    )
