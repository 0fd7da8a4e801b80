"""Drawings of parts as text and as tables of a job."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from math import radians

from parts.drawing.drawing import (
    Datum,
    DatumElement,
    DatumReference,
    Dimension,
    Drawing,
    GeometricTolerance,
    UnreadItem,
)
from parts.library import open_part
from reports.part import tolerance_tables
from reports.part.document import area_text, dimension_text, drawing_lines, frame_text

BLOCK = open_part("block").geometry
TOP, HOLE = (BLOCK.face(name).index for name in ("top", "hole-20"))
A = DatumReference(elements=(DatumElement(label="A", modifiers=("MMB",)),))
POSITION = GeometricTolerance(
    kind="position", value=1e-4, faces=(HOLE,), zone="diameter", material="MMC", datums=(A,)
)
DRAWING = Drawing(
    datums=(Datum(label="A", faces=(TOP,)),),
    dimensions=(
        Dimension(kind="diameter", nominal=0.02, lower=0.0199, upper=0.0201, faces=(HOLE,)),
    ),
    tolerances=(GeometricTolerance(kind="flatness", value=5e-5, faces=(TOP,)), POSITION),
    unread=(UnreadItem(name="note 'Ra 3.2'", reason="it is drawn only", identity=7),),
)


def test_lines_name_features_and_what_is_not_read():
    assert list(drawing_lines(DRAWING, BLOCK)) == [
        "datum A: top",
        "tolerance flatness 0.05: top",
        "tolerance position ⌀0.1 MMC | A MMB: hole-20",
        "dimension diameter 20 (19.9 to 20.1) mm: hole-20",
        "Not read of the drawing (1):",
        "  note 'Ra 3.2': it is drawn only.",
    ]


def test_angles_are_degrees_and_values_per_unit_have_their_extents():
    angle = Dimension(
        kind="angle",
        nominal=radians(60.0),
        lower=radians(59.5),
        upper=radians(60.5),
        faces=(TOP,),
        angular=True,
    )
    assert dimension_text(angle) == "angle 60 (59.5 to 60.5)°"
    per_unit = replace(POSITION, material="", datums=(), zone="width", unit=(0.025, 0.025))
    assert frame_text(per_unit) == "position 0.1 / 25 × 25"


def test_tables_of_a_job_hold_what_can_be_judged_and_comments_the_rest():
    text = "\n".join(tolerance_tables(DRAWING, BLOCK))
    found = tomllib.loads(text)["tolerance"]
    assert {"feature": "top", "kind": "flatness", "value_mm": 0.05} in found
    sizes = {one["feature"]: one for one in found if one["kind"] == "diameter"}
    assert (sizes["hole-20"]["nominal_mm"], sizes["hole-20"]["value_mm"]) == (20.0, 0.1)
    assert all(one["kind"] != "position" for one in found)  # MMC is not judged
    assert "# left out: position" in text


def test_areas_have_no_exponent():
    assert [area_text(a) for a in (0.0712634, 2.23e-1, 1.5e-6, 0.0)] == [
        "71260",
        "223000",
        "1.5",
        "0",
    ]
