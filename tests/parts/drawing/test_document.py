"""A drawing as a document: facts in millimetres, faces by their features."""

from __future__ import annotations

import json

import pytest

from parts.drawing.document import drawing_document
from parts.drawing.drawing import (
    Datum,
    DatumElement,
    DatumReference,
    DatumTarget,
    Dimension,
    Drawing,
    GeometricTolerance,
    UnreadItem,
)
from parts.features.recognition import form_features
from parts.library import open_part


@pytest.fixture(scope="module")
def block():
    return open_part("block").geometry


def test_the_contract(block):
    hole = next(one for one in form_features(block) if one.kind == "hole")
    plane = next(one for one in form_features(block) if one.kind == "plane")
    a = DatumReference(elements=(DatumElement(label="A"),))
    common = DatumReference(
        elements=(DatumElement(label="B", modifiers=("MMB",)), DatumElement(label="C"))
    )
    lower = GeometricTolerance(
        kind="position", value=5e-5, faces=hole.faces, zone="diameter", datums=(a,)
    )
    drawing = Drawing(
        datums=(
            Datum(
                label="A",
                faces=plane.faces,
                targets=(DatumTarget(name="A1", kind="point", point=(0.01, 0.0, -0.0254)),),
            ),
        ),
        dimensions=(
            Dimension(kind="diameter", nominal=0.02, lower=0.0199, upper=0.02005, faces=hole.faces),
            Dimension(
                kind="angle",
                nominal=1.0471975511965976,
                angular=True,
                faces=plane.faces,
                origin_faces=hole.faces,
                modifiers=("theoretical",),
            ),
        ),
        tolerances=(
            GeometricTolerance(
                kind="position",
                value=0.1e-3,
                faces=hole.faces,
                zone="diameter",
                material="MMC",
                datums=(a, common),
                projected=0.0127,
                lower=(lower,),
            ),
        ),
        unread=(UnreadItem(name="datum 'Z'", reason="it is linked to no face", identity=7),),
    )
    document = drawing_document(drawing, block)
    assert json.loads(json.dumps(document)) == document
    assert document == {
        "datums": [
            {
                "label": "A",
                "features": [plane.name],
                "targets": [
                    {
                        "name": "A1",
                        "type": "point",
                        "features": [],
                        "point_mm": [10.0, 0.0, -25.4],
                    }
                ],
            }
        ],
        "dimensions": [
            {
                "type": "diameter",
                "nominal_mm": 20.0,
                "lower_mm": 19.9,
                "upper_mm": 20.05,
                "features": [hole.name],
            },
            {
                "type": "angle",
                "nominal_deg": 60.0,
                "modifiers": ["theoretical"],
                "features": [plane.name],
                "origin_features": [hole.name],
            },
        ],
        "tolerances": [
            {
                "type": "position",
                "value_mm": 0.1,
                "diameter": True,
                "modifier": "MMC",
                "datums": ["A", "B-C"],
                "datum_modifiers": {"B": ["MMB"]},
                "projected_mm": 12.7,
                "features": [hole.name],
                "lower": [
                    {
                        "type": "position",
                        "value_mm": 0.05,
                        "diameter": True,
                        "datums": ["A"],
                        "features": [hole.name],
                    }
                ],
            }
        ],
        "unread": [{"name": "datum 'Z'", "reason": "it is linked to no face", "statement": 7}],
    }
