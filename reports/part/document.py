"""``palpeur part show`` and ``part audit`` as JSON and as text."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from parts.drawing.document import drawing_document, feature_names, features_of
from parts.drawing.drawing import Dimension, Drawing, GeometricTolerance
from parts.drawing.suggestion import suggested_tolerances
from parts.features.recognition import FormFeature, hole_patterns
from parts.features.visibility import visible_shares
from parts.geometry import Audit, Geometry
from parts.part import Part
from reports.answers import FORMAT, table_lines
from reports.visible_text import label
from robots.core.robot_file.source_text import toml_text


def part_document(part: Part) -> dict[str, object]:
    """Faces, features and health of a part, in JSON."""
    geometry, features = part.geometry, part.form_features
    owners = {face: one.name for one in features for face in one.faces}
    areas = geometry.mesh.areas
    seen = visible_shares(geometry, features).tolist()
    return {
        "format": FORMAT,
        "source": geometry.source,
        "unit": geometry.unit,
        "unit_note": geometry.unit_note,
        "watertight": geometry.audit.watertight,
        "size_mm": (1e3 * geometry.mesh.size).tolist(),
        "faces": [
            {
                "index": face.index,
                "name": face.name,
                "kind": face.kind,
                "area_mm2": 1e6 * float(areas[face.triangles].sum()),
                "feature": owners.get(face.index),
            }
            for face in geometry.faces
        ],
        "features": [_feature(one, share) for one, share in zip(features, seen, strict=True)],
        "patterns": [
            {
                "holes": one.holes,
                "diameter_mm": 1e3 * one.diameter,
                "circle_mm": None if math.isnan(one.circle) else 1e3 * one.circle,
            }
            for one in hole_patterns(features)
        ],
        **drawing_document(part.drawing, geometry),
        "warnings": geometry.audit.warnings,
        "notes": geometry.notes,
    }


def _feature(one: FormFeature, visible: float) -> dict[str, object]:
    document: dict[str, object] = {"name": one.name, "kind": one.kind}
    for key, value in (("diameter_mm", 1e3 * one.diameter), ("depth_mm", 1e3 * one.depth)):
        if not math.isnan(value):
            document[key] = value
    if not np.isnan(one.axis).any():
        document["axis"] = one.axis.tolist()
    document["point_mm"] = (1e3 * one.point).tolist()
    if one.kind in ("cylinder", "fillet", "round") and not math.isnan(one.span):
        document["span_deg"] = math.degrees(one.span)
    if one.surface is not None and one.kind != "plane":
        document["inner"] = one.inner
    if one.through is not None:
        document["through"] = one.through
        document["opening"] = one.opening or "plain"
    document["area_mm2"] = 1e6 * one.area
    document["visible"] = visible
    document["faces"] = list(one.faces)
    document["neighbours"] = list(one.neighbours)
    return document


def part_lines(part: Part) -> Iterator[str]:
    """Features by number, as the picture and the page have them, for a terminal."""
    geometry, features = part.geometry, part.form_features
    size = " × ".join(f"{1e3 * edge:.4g}" for edge in geometry.mesh.size)
    closed = "watertight" if geometry.audit.watertight else "not watertight"
    yield (
        f"{geometry.source}: {size} mm, {_counted(len(geometry.faces), 'face')}, "
        f"{_counted(len(features), 'feature')}, {closed}"
    )
    seen = visible_shares(geometry, features)
    headers = (
        "no.",
        "feature",
        "kind",
        "⌀ mm",
        "depth mm",
        "area mm²",
        "x mm",
        "y mm",
        "z mm",
        "axis or normal",
        "faces",
        "",
    )
    rows = [
        (
            str(number),
            label(one.name),
            one.kind,
            _short(1e3 * one.diameter),
            _short(1e3 * one.depth),
            area_text(one.area),
            *(_short(1e3 * float(value)) for value in one.point),
            feature_direction(one),
            _faces(one),
            "; ".join(feature_remarks(one, float(share))),
        )
        for number, (one, share) in enumerate(zip(features, seen, strict=True), start=1)
    ]
    yield from table_lines(headers, rows)
    for pattern in hole_patterns(features):
        yield f"pattern {pattern}: {', '.join(label(name) for name in pattern.holes)}"
    yield from drawing_lines(part.drawing, geometry)
    lost = [face for face in geometry.faces if face.kind == "unidentified"]
    if lost:
        yield f"Not identified: {', '.join(f'#{face.index}' for face in lost)}."
    for warning in geometry.audit.warnings:
        yield f"Warning: {warning}"


# ----------------------------------------------------------------------------------------- Drawing


def drawing_lines(drawing: Drawing, geometry: Geometry) -> Iterator[str]:
    """What the drawing in the file says, for a terminal; nothing where there is none."""
    names = feature_names(geometry)
    for datum in drawing.datums:
        yield f"datum {label(datum.label)}: {_named(datum.faces, names)}"
    for one in drawing.frames():
        yield f"tolerance {frame_text(one)}: {_named(one.faces, names)}"
    for size in drawing.dimensions:
        ends = " to ".join(_named(f, names) for f in (size.origin_faces, size.faces) if f)
        yield f"dimension {dimension_text(size)}: {ends or 'no face'}"
    if drawing.unread:
        yield f"Not read of the drawing ({len(drawing.unread)}):"
    for item in drawing.unread:
        yield f"  {label(item.name)}: {label(item.reason)}."


def tolerance_tables(drawing: Drawing, geometry: Geometry) -> Iterator[str]:
    """Tolerances of a drawing as tables of a job file, and what they leave out as comments."""
    found = suggested_tolerances(drawing, geometry)
    yield f"# Tolerances of the drawing in {label(geometry.source)}; features are those of"
    yield "# `palpeur part show`. Only those of features that the job measures may stay."
    if found.datums:
        system = "|".join(map(label, found.datums))
        yield f"# Most of them are in the datum system {system}: the alignment of the part."
    if tables := found.tables():
        yield ""
        yield from toml_text(tables).splitlines()
    if found.left_out:
        yield ""
    for item in found.left_out:
        yield f"# left out: {label(item.name)}: {label(item.reason)}"


def _named(faces: tuple[int, ...], names: dict[int, str]) -> str:
    return ", ".join(label(name) for name in features_of(faces, names)) or "no face"


def frame_text(one: GeometricTolerance) -> str:
    """A feature control frame on one line: "position ⌀0.1 MMC | A | B | C"."""
    sign = {"width": "", "sphere": "S⌀"}.get(one.zone, "⌀")
    value = f"{sign}{_short(1e3 * one.value)}"
    extents = " × ".join(_short(1e3 * extent) for extent in one.unit)
    words = [
        value + (f" / {extents}" if extents else ""),
        one.material,
        *one.modifiers,
        "" if math.isnan(one.projected) else f"projected {_short(1e3 * one.projected)}",
        "" if math.isnan(one.unequal) else f"unequal {_short(1e3 * one.unequal)}",
        "" if math.isnan(one.maximum) else f"at most {_short(1e3 * one.maximum)}",
        "all around" if one.all_around else "",
    ]
    datums = [" ".join([reference.label, *reference.all_modifiers]) for reference in one.datums]
    return " | ".join([label(f"{one.kind} {' '.join(filter(None, words))}"), *map(label, datums)])


def dimension_text(one: Dimension) -> str:
    """A dimension on one line: "diameter 8 (7.95 to 8.05) mm"."""
    scale, unit = (180.0 / math.pi, "°") if one.angular else (1e3, "mm")
    nominal, low, high = (_short(round(scale * v, 9)) for v in (one.nominal, one.lower, one.upper))
    limits = "" if low == high == "-" else f"({low} to {high})"
    words = [one.kind, "" if nominal == "-" else nominal, limits, unit, one.fit, *one.modifiers]
    return label(" ".join(filter(None, words)).replace(" °", "°"))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def area_text(area: float) -> str:
    """Four significant digits of square millimetres, without an exponent. Args: area [m²]."""
    return f"{float(f'{1e6 * area:.4g}'):.12g}"


def _short(value: float) -> str:
    """Four decimals at most: a tenth of a micrometre."""
    if math.isnan(value):
        return "-"
    text = f"{value + 0.0:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def feature_direction(one: FormFeature) -> str:
    """Axis or normal: "+z", or three numbers; a dash where there is none."""
    if np.isnan(one.axis).any():
        return "-"
    for name, unit in zip(("x", "y", "z"), np.eye(3), strict=True):
        for sign in (1.0, -1.0):
            if np.abs(one.axis - sign * unit).max() < 1e-9:
                return f"{'+' if sign > 0.0 else '-'}{name}"
    return "(" + ", ".join(_short(float(value)) for value in one.axis) + ")"


def _faces(one: FormFeature) -> str:
    shown = ", ".join(f"#{face}" for face in one.faces[:4])
    return f"{shown}, … ({len(one.faces)})" if len(one.faces) > 4 else shown


def feature_remarks(one: FormFeature, visible: float) -> Iterator[str]:
    """What a reader should know of a feature beside its sizes."""
    if one.through is not None:
        yield "through" if one.through else "blind"
    if one.opening:
        yield one.opening
    if one.kind in ("cylinder", "cone", "sphere", "torus"):
        yield "inner" if one.inner else "outer"
    if one.kind == "cylinder":
        yield f"{math.degrees(one.span):.4g}°"
    if visible == 0.0:
        yield "not seen from outside"


# ------------------------------------------------------------------------------------------ Health


def audit_document(part: Part) -> dict[str, object]:
    """Health of a part, in JSON."""
    audit = part.geometry.audit
    return {
        "format": FORMAT,
        "source": part.geometry.source,
        "sound": sound(part.geometry),
        "triangles": audit.triangles,
        "vertices": audit.vertices,
        "size_mm": (1e3 * audit.size).tolist(),
        "volume_mm3": 1e9 * audit.volume if audit.watertight else None,
        "area_mm2": 1e6 * audit.area,
        "watertight": audit.watertight,
        "consistent": audit.consistent,
        "inverted": audit.inverted,
        "open_edges": audit.open_edges,
        "non_manifold_edges": audit.non_manifold_edges,
        "miswound_edges": audit.miswound_edges,
        "duplicated_triangles": audit.duplicated_triangles,
        "duplicated_vertices": audit.duplicated_vertices,
        "degenerate_triangles": audit.degenerate_triangles,
        "pieces": audit.pieces,
        "sheets": audit.sheets,
        "sheet_faces_left_out": audit.sheet_faces,
        "unidentified_faces": [f.index for f in part.geometry.faces if f.kind == "unidentified"],
        "repairs": audit.repairs,
        "warnings": audit.warnings,
    }


def sound(geometry: Geometry) -> bool:
    """Whether a part has an inside and an outside, and all its faces are known."""
    audit = geometry.audit
    lost = any(face.kind == "unidentified" for face in geometry.faces)
    return audit.watertight and audit.consistent and not audit.inverted and not lost


def audit_lines(part: Part) -> Iterator[str]:
    """Health of a part, for a terminal."""
    audit = part.geometry.audit
    size = " × ".join(f"{1e3 * edge:.5g}" for edge in audit.size)
    verdict = "sound" if sound(part.geometry) else "not sound"
    count = len(audit.warnings)
    doubts = f", {count} warning{'s' * (count != 1)}" if count else ""
    yield f"{part.geometry.source}: {verdict}{doubts}"
    yield f"  size            {size} mm ({part.geometry.unit_note})"
    yield f"  triangles       {audit.triangles:,} over {audit.vertices:,} vertices"
    yield f"  watertight      {_yes(audit.watertight)}" + _edges(audit)
    yield f"  winding         {'consistent' if audit.consistent else 'not consistent'}"
    if audit.watertight:
        yield f"  volume          {1e9 * audit.volume:.6g} mm³"
    yield f"  area            {area_text(audit.area)} mm²"
    yield f"  pieces          {audit.pieces}"
    for done in audit.repairs:
        yield f"Done: {done}"
    for warning in audit.warnings:
        yield f"Warning: {warning}"
    for note in part.geometry.notes:
        yield f"Note: {note}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _edges(audit: Audit) -> str:
    if audit.watertight:
        return ""
    return f" ({audit.open_edges} open edges, {audit.non_manifold_edges} of more than two faces)"
