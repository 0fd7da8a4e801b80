"""Tolerances of a drawing that an evaluation can judge, and those that it cannot."""

from __future__ import annotations

from math import nan

import pytest

from parts.drawing.drawing import (
    Datum,
    DatumElement,
    DatumReference,
    Dimension,
    Drawing,
    GeometricTolerance,
)
from parts.drawing.suggestion import suggested_tolerances
from parts.evaluation.tolerance import ToleranceSpec
from parts.features.recognition import form_features
from parts.library import open_part


@pytest.fixture(scope="module")
def block():
    return open_part("block").geometry


@pytest.fixture(scope="module")
def features(block):
    kinds: dict[str, list] = {}
    for one in form_features(block):
        kinds.setdefault(one.kind, []).append(one)
    return kinds


def frame(*labels):
    return tuple(DatumReference(elements=(DatumElement(label=label),)) for label in labels)


def test_what_can_be_judged(block, features):
    top, side = features["plane"][:2]
    hole = features["hole"][0]
    drawing = Drawing(
        datums=(Datum(label="A", faces=top.faces), Datum(label="B", faces=side.faces)),
        dimensions=(
            Dimension(kind="diameter", nominal=0.01, lower=0.0098, upper=0.0102, faces=hole.faces),
        ),
        tolerances=(
            GeometricTolerance(kind="flatness", value=1e-4, faces=(*top.faces, *side.faces)),
            GeometricTolerance(
                kind="perpendicularity",
                value=2e-4,
                faces=hole.faces,
                zone="diameter",
                datums=frame("A"),
            ),
            GeometricTolerance(
                kind="position",
                value=3e-4,
                faces=hole.faces,
                zone="diameter",
                datums=frame("A", "B"),
            ),
        ),
    )
    found = suggested_tolerances(drawing, block)
    assert found.left_out == ()
    assert found.datums == ("A", "B")
    size, *others = found.specs
    assert (size.feature, size.kind, size.datum) == (hole.name, "diameter", "")
    assert size.value == pytest.approx(2e-4, rel=1e-12)
    assert others == [
        ToleranceSpec(feature=top.name, kind="flatness", value=1e-4),
        ToleranceSpec(feature=side.name, kind="flatness", value=1e-4),
        ToleranceSpec(feature=hole.name, kind="perpendicularity", value=2e-4, datum=top.name),
        ToleranceSpec(feature=hole.name, kind="position", value=3e-4),
    ]


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"material": "MMC"}, "it has a material modifier, which is not evaluated"),
        ({"modifiers": ("free state",)}, "it has free state, which is not evaluated"),
        ({"projected": 0.01}, "it has a projected zone, which is not evaluated"),
        ({"datums": frame("A", "C")}, "it refers to other datums than A|B"),
        ({"kind": "total runout"}, "total runout is not evaluated"),
        ({"kind": "perpendicularity"}, "it is not taken from one datum that is one feature"),
        ({"zone": "width"}, "a zone of this form is not evaluated for the hole"),
        ({"whole_part": True}, "it holds of every face that has no other tolerance"),
    ],
)
def test_what_cannot_be_judged_is_said(block, features, facts, reason):
    hole = features["hole"][0]
    plain = {"kind": "position", "value": 3e-4, "faces": hole.faces, "zone": "diameter"}
    most = GeometricTolerance(**plain, datums=frame("A", "B"))
    odd = GeometricTolerance(**{**plain, "datums": frame("A", "B"), **facts, "value": 4e-4})
    again = GeometricTolerance(**{**plain, "datums": frame("A", "B"), "value": 5e-4})
    found = suggested_tolerances(Drawing(tolerances=(most, odd, again)), block)
    assert [spec.value for spec in found.specs] == [3e-4, 5e-4]
    [left] = found.left_out
    assert left.reason.startswith(reason)


def test_sizes_that_are_not_judged(block, features):
    hole = features["hole"][0]

    def why(**facts):
        plain = {"kind": "diameter", "nominal": 0.01, "lower": 0.0099, "upper": 0.0101}
        one = Dimension(**{**plain, "faces": hole.faces, **facts})
        return suggested_tolerances(Drawing(dimensions=(one,)), block).left_out[0].reason

    assert why(upper=0.0102) == ("its limits are not the same on both sides of the nominal value")
    assert why(lower=nan) == "it has no limits on both sides"
    assert why(fit="H7", lower=nan, upper=nan) == "the limits of H7 are not known here"
    assert why(kind="radius") == "a radius is not evaluated"
    assert why(kind="distance") == "it is not one of two features"
