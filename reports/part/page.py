"""A page with the part, offline: a click names the face and its feature."""

from __future__ import annotations

import base64
import math
from importlib.metadata import version

import numpy as np

from parts.drawing.document import feature_names, features_of
from parts.features.recognition import FormFeature, hole_patterns
from parts.features.visibility import visible_shares
from parts.part import Part
from reports.content.table import Fact, Table, Value, ValueStatus, columns, number, text
from reports.page.html import asset, data_block, filled
from reports.page.page import PageDetail, PageSummary
from reports.part.document import (
    area_text,
    dimension_text,
    feature_direction,
    feature_remarks,
    frame_text,
    sound,
)
from reports.part.picture import COLOURS
from reports.scene.solids import decimated
from robots.core.arrays import Array, Indices

_ASSETS = "reports.part/assets"
_DETAIL = PageDetail(buckets=0, rows=2000, cell=300, listing=0)
_TRIANGLES = 300_000  # that the page holds


def part_page(part: Part) -> str:
    """The page of a part; the same bytes for the same part.

    Args:
        part: every text in it may be hostile.
    """
    from markupsafe import Markup

    geometry, features = part.geometry, part.form_features
    seen = visible_shares(geometry, features)
    mesh = geometry.mesh
    thinned = (
        [
            f"The part has {len(mesh):,} triangles; the picture has at most {_TRIANGLES:,}, so "
            "faces may look coarser than they are."
        ]
        if len(mesh) > _TRIANGLES
        else []
    )
    return filled(
        "part.html.j2",
        "reports.part",
        style=asset("report.css") + asset("part.css", _ASSETS),
        script=asset("report.js") + asset("part.js", _ASSETS),
        drawn=Markup(data_block(_document(part, features, seen))),
        report=_summary(part),
        detail=_DETAIL,
        features=_table(features, seen),
        drawing=_drawing(part),
        patterns=[f"{one}: {', '.join(one.holes)}" for one in hole_patterns(features)],
        notes=[*geometry.audit.warnings, *geometry.notes, *thinned],
        provenance=_provenance(part),
    )


def _document(part: Part, features: tuple[FormFeature, ...], seen: Array) -> dict[str, object]:
    """What the script draws and tells, in millimetres."""
    geometry = part.geometry
    mesh = geometry.mesh
    owner = np.full(len(mesh), len(features))
    for place, one in enumerate(features):
        owner[one.triangles] = place
    # a face of a mesh is cut where its features are
    keys = geometry.face_of_triangle * (len(features) + 1) + owner
    order = np.argsort(keys, kind="stable")
    groups, first = np.unique(keys[order], return_index=True)
    pieces = [_piece(mesh.vertices, mesh.faces[rows], len(mesh))
              for rows in np.split(order, first[1:])]  # fmt: skip
    vertices, triangles, faces, start = [], [], [], 0
    for index, (corners, own) in enumerate(pieces):
        vertices.append(corners)
        triangles.append(own + start)
        faces.append(np.full(len(own), index))
        start += len(corners)
    middle = mesh.bounds.mean(axis=0)
    positions = 1e3 * (np.concatenate(vertices) - middle)
    return {
        "positions": _packed(positions.astype("<f4")),
        "triangles": _packed(np.concatenate(triangles).astype("<u4")),
        "face": _packed(np.concatenate(faces).astype("<u4")),
        "radius": 0.5e3 * float(np.linalg.norm(mesh.size)),
        "faces": [
            {
                "name": geometry.faces[face].name,
                "kind": geometry.faces[face].kind,
                "feature": feature,
            }
            for face, feature in (divmod(key, len(features) + 1) for key in groups.tolist())
        ],
        "features": [
            {
                "name": one.name,
                "kind": one.kind,
                "colour": COLOURS[one.kind],
                "facts": _facts(one, float(share)),
            }
            for one, share in zip(features, seen, strict=True)
        ],
        "source": geometry.source,
    }


def _piece(vertices: Array, faces: Indices, whole: int) -> tuple[Array, Indices]:
    """A face's own corners and triangles, fewer where the part has too many."""
    used, corners = np.unique(faces, return_inverse=True)
    own, rows = vertices[used], corners.reshape(-1, 3)
    if whole <= _TRIANGLES or len(rows) < 12:
        return own, rows
    coarse = decimated(own, rows, max(12, _TRIANGLES * len(rows) // whole))
    return coarse.vertices, np.asarray(coarse.faces)


def _packed(values: object) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")


def _facts(one: FormFeature, visible: float) -> list[list[str]]:
    """Labels and values for a reader who clicks."""
    facts = [["kind", ", ".join([one.kind, *feature_remarks(one, visible)])]]
    if not math.isnan(one.diameter):
        facts.append(["width" if one.kind == "slot" else "diameter", f"{_mm(one.diameter)} mm"])
    if not math.isnan(one.depth):
        facts.append(["length" if one.kind == "slot" else "depth", f"{_mm(one.depth)} mm"])
    facts.append(["position", " · ".join(f"{_mm(float(value))}" for value in one.point) + " mm"])
    if (direction := feature_direction(one)) != "-":
        facts.append(["normal" if one.kind == "plane" else "axis", direction])
    if not math.isnan(one.residual):
        off = f"corners within {1e6 * one.residual:.2g} µm, triangles {1e6 * one.deflection:.2g} µm"
        facts.append(["fitted", off])
    facts.append(["area", f"{area_text(one.area)} mm²"])
    facts.append(["faces", ", ".join(f"#{face}" for face in one.faces)])
    if one.neighbours:
        facts.append(["beside", ", ".join(one.neighbours)])
    return facts


def _mm(value: float) -> str:
    return f"{round(1e3 * value, 4) + 0.0:g}" if abs(value) < 1.0 else f"{1e3 * value:.4f}"


def _table(features: tuple[FormFeature, ...], seen: Array) -> Table:
    heads = columns(
        "no.", "feature", ("⌀", "mm"), ("depth", "mm"), ("area", "mm²"), ("x", "mm"), ("y", "mm"),
        ("z", "mm"), "axis or normal", "faces", "kind",
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for place, (one, share) in enumerate(zip(features, seen, strict=True), start=1):
        rows.append(
            (
                number(place, 6),
                text(one.name),
                number(_finite(1e3 * one.diameter), 7),
                number(_finite(1e3 * one.depth), 7),
                number(1e6 * one.area, 5),
                *(number(round(1e3 * float(value), 4) + 0.0, 8) for value in one.point),
                text(feature_direction(one)),
                text(", ".join(f"#{face}" for face in one.faces)),
                text(", ".join([one.kind, *feature_remarks(one, float(share))])),
            )
        )
    return Table(
        key="features",
        title="Features",
        columns=heads,
        rows=tuple(rows),
        note="Numbers are those in the picture that palpeur part show --picture writes. For a "
        "bore, x, y and z are the centre of its opening, and the axis points out of it.",
    )


def _drawing(part: Part) -> tuple[Table, ...]:
    """Tables of datums, tolerances, dimensions and what is unread; none without a drawing."""
    drawing, names = part.drawing, feature_names(part.geometry)

    def named(faces: tuple[int, ...]) -> Value:
        return text(", ".join(features_of(faces, names)) or "no face")

    tables = (
        Table(
            key="datums",
            title="Datums",
            columns=columns("datum", "features", "targets"),
            rows=tuple(
                (text(one.label), named(one.faces), text(", ".join(t.name for t in one.targets)))
                for one in drawing.datums
            ),
        ),
        Table(
            key="tolerances",
            title="Tolerances",
            columns=columns("tolerance", "features"),
            rows=tuple((text(frame_text(one)), named(one.faces)) for one in drawing.frames()),
        ),
        Table(
            key="dimensions",
            title="Dimensions",
            columns=columns("dimension", "from", "features"),
            rows=tuple(
                (
                    text(dimension_text(one)),
                    named(one.origin_faces) if one.origin_faces else text(""),
                    named(one.faces),
                )
                for one in drawing.dimensions
            ),
        ),
        Table(
            key="unread",
            title="Not read",
            columns=columns("what", "why"),
            rows=tuple((text(one.name), text(one.reason)) for one in drawing.unread),
        ),
    )
    return tuple(table for table in tables if table.rows)


def _finite(value: float) -> float | None:
    return None if math.isnan(value) else value


def _summary(part: Part) -> PageSummary:
    geometry = part.geometry
    audit = geometry.audit
    good = sound(geometry)
    size = " × ".join(f"{1e3 * edge:.5g}" for edge in audit.size)
    kinds = [one.kind for one in part.form_features]
    counted = ", ".join(f"{kinds.count(kind)} × {kind}" for kind in dict.fromkeys(kinds))
    return PageSummary(
        title=geometry.source,
        verdict="The skin is closed and its outside is known."
        if good
        else f"{len(audit.warnings)} doubt{'s' * (len(audit.warnings) != 1)} about this geometry; "
        "see the notes.",
        status=ValueStatus.GOOD if good else ValueStatus.DOUBTFUL,
        facts=(
            Fact(label="size", value=text(size), unit="mm", detail=geometry.unit_note),
            Fact(label="features", value=text(len(kinds)), detail=counted),
            Fact(label="faces", value=text(len(geometry.faces))),
            Fact(label="triangles", value=text(f"{len(geometry.mesh):,}")),
        ),
    )


def _provenance(part: Part) -> Table:
    return Table(
        key="provenance",
        title="Provenance",
        columns=columns("what", "value"),
        rows=(
            (text("file"), text(part.geometry.source)),
            (text("SHA-256"), text(part.geometry.sha256)),
            (text("unit"), text(part.geometry.unit_note)),
            (text("palpeur"), text(version("palpeur"))),
        ),
    )
