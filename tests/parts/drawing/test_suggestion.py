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
        ToleranceSpec(feature=hole.name, kind="perpendicularity", value=2e-4, datums=frame("A")),
        ToleranceSpec(feature=hole.name, kind="position", value=3e-4, datums=frame("A", "B")),
    ]
    assert [(one.label, one.feature) for one in found.datum_features] == [
        ("A", top.name),
        ("B", side.name),
    ]


def test_limits_material_and_boundaries(block, features):
    top, (hole, other) = features["plane"][0], features["hole"][:2]
    at_boundary = (
        *frame("A"),
        DatumReference(elements=(DatumElement(label="B", modifiers=("MMB",)),)),
    )
    drawing = Drawing(
        datums=(Datum(label="A", faces=top.faces), Datum(label="B", faces=other.faces)),
        dimensions=(
            Dimension(kind="diameter", nominal=0.03, lower=0.03, upper=0.0302, faces=hole.faces),
        ),
        tolerances=(
            GeometricTolerance(
                kind="position", value=0.0, faces=hole.faces, zone="diameter", material="MMC",
                datums=at_boundary,
            ),
        ),
    )  # fmt: skip
    found = suggested_tolerances(drawing, block)
    assert found.left_out == ()
    size, position = found.tables()["tolerance"]
    assert size == {
        "feature": hole.name, "kind": "diameter", "nominal_mm": 30.0,
        "lower_mm": 0.0, "upper_mm": 0.2,
    }  # fmt: skip
    assert position == {
        "feature": hole.name, "kind": "position", "value_mm": 0.0,
        "datums": ["A", "B(M)"], "material": "M",
    }  # fmt: skip


def bounded(modifier):
    return (
        *frame("A"),
        DatumReference(elements=(DatumElement(label="B", modifiers=(modifier,)),)),
    )


UNEVEN = DatumReference(
    elements=(DatumElement(label="A"), DatumElement(label="B", modifiers=("MMB",)))
)


def test_common_datums_and_projected_zones_become_tables(block, features):
    """A-B by its letters, C of two bores by its features; a zone where the bore opens."""
    first, second, third = features["hole"][:3]
    top = next(one for one in features["plane"] if one.name in first.neighbours)
    letters = DatumReference(elements=tuple(DatumElement(label=one) for one in "AB"))
    plain = {"kind": "position", "zone": "diameter"}
    drawing = Drawing(
        datums=(
            Datum(label="A", faces=first.faces),
            Datum(label="B", faces=second.faces),
            Datum(label="C", faces=(*first.faces, *second.faces)),
            Datum(label="D", faces=top.faces),
        ),
        tolerances=(
            GeometricTolerance(**plain, value=1e-4, faces=third.faces, datums=(letters,)),
            GeometricTolerance(**plain, value=2e-4, faces=third.faces, datums=frame("D", "C")),
            GeometricTolerance(
                **plain, value=3e-4, faces=first.faces, datums=frame("D", "B"), projected=0.02
            ),
        ),
    )
    found = suggested_tolerances(drawing, block)
    assert found.left_out == ()
    tables = found.tables()
    assert tables["datum"] == [
        {"label": "A", "feature": first.name},
        {"label": "B", "feature": second.name},
        {"label": "C", "feature": [first.name, second.name]},
        {"label": "D", "feature": top.name},
    ]
    assert [one["datums"] for one in tables["tolerance"]] == [["A-B"], ["D", "C"], ["D", "B"]]
    assert [one.get("projected_mm") for one in tables["tolerance"]] == [None, None, 20.0]


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"material": "MMC"}, "it is at MMC, but no size of"),
        ({"datums": bounded("LMB")}, "LMB of its datum B is not evaluated"),
        ({"datums": bounded("MMB")}, "the material boundary of its datum B, which is no bore"),
        ({"datums": (UNEVEN,)}, "the features of its datum A-B have different modifiers"),
        ({"modifiers": ("free state",)}, "it has free state, which is not evaluated"),
        ({"projected": 0.01, "datums": frame("F", "A")}, "it has a projected zone, but"),
        ({"datums": frame("A", "C")}, "its datum C is no feature of the part"),
        ({"kind": "symmetry"}, "symmetry is not evaluated"),
        ({"datums": ()}, "it has no datum"),
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
    labelled = zip("ABF", features["plane"], strict=False)
    datums = tuple(Datum(label=label, faces=one.faces) for label, one in labelled)
    found = suggested_tolerances(Drawing(datums=datums, tolerances=(most, odd, again)), block)
    assert [spec.value for spec in found.specs] == [3e-4, 5e-4]
    [left] = found.left_out
    assert left.reason.startswith(reason)


def composite(holes, *, lower, **changes):
    """Position of bores to A|B, with a lower frame."""
    faces = tuple(face for one in holes for face in one.faces)
    plain = {"kind": "position", "faces": faces, "zone": "diameter"}
    below = GeometricTolerance(**{**plain, "value": 1e-4, "datums": frame(*lower), **changes})
    return GeometricTolerance(**plain, value=8e-4, datums=frame("A", "B"), lower=(below,))


@pytest.mark.parametrize(
    ("lower", "changes", "told"),
    [
        (("A",), {}, None),
        (("A", "B"), {}, "0.1 mm to A|B, for the direction only"),
        (("B",), {}, "0.1 mm to B, for the direction only"),  # B does not lie across the bores
        ((), {}, "0.1 mm to none, for the direction only"),
        (("A",), {"modifiers": ("free state",)}, "it has free state"),
    ],
)
def test_a_composite_frame_is_two_tolerances_where_the_lower_can_be_judged(
    block, features, lower, changes, told
):
    holes = features["hole"][:2]
    planes = {"A": 2, "B": 1}  # the axis that a face of the block is square to
    datums = tuple(
        Datum(label=label, faces=next(
            one.faces for one in features["plane"] if abs(one.axis[axis]) > 0.99
        ))
        for label, axis in planes.items()
    )  # fmt: skip
    asked = composite(holes, lower=lower, **changes)
    found = suggested_tolerances(Drawing(datums=datums, tolerances=(asked,)), block)
    upper = [(one.name, 8e-4, "A|B") for one in holes]
    both = [*upper, *((one.name, 1e-4, "A") for one in holes)]
    got = [(spec.feature, spec.value, spec.system) for spec in found.specs]
    assert got == (upper if told else both)
    assert [told in one.reason for one in found.left_out] == ([True] if told else [])


def test_a_lower_frame_shares_its_datum_with_no_other_pattern(block, features):
    """One gauge would hold both patterns to each other, which the drawing does not ask."""
    first, second, third = features["hole"][:3]
    top = next(one for one in features["plane"] if one.axis[2] > 0.99)
    front = next(one for one in features["plane"] if one.axis[1] < -0.99)
    datums = (Datum(label="A", faces=top.faces), Datum(label="B", faces=front.faces))
    alone = GeometricTolerance(
        kind="position", value=2e-4, faces=third.faces, zone="diameter", datums=frame("A")
    )
    asked = (composite([first, second], lower="A"), alone)
    found = suggested_tolerances(Drawing(datums=datums, tolerances=asked), block)
    assert [(s.feature, s.value) for s in found.specs] == [
        (first.name, 8e-4), (second.name, 8e-4), (third.name, 2e-4)
    ]  # fmt: skip
    [left] = found.left_out
    assert "others to A would be held together with it" in left.reason


def test_sizes_that_are_not_judged(block, features):
    hole = features["hole"][0]

    def why(**facts):
        plain = {"kind": "diameter", "nominal": 0.01, "lower": 0.0099, "upper": 0.0101}
        one = Dimension(**{**plain, "faces": hole.faces, **facts})
        return suggested_tolerances(Drawing(dimensions=(one,)), block).left_out[0].reason

    assert why(lower=nan) == "it has no limits on both sides"
    assert why(fit="H7", lower=nan, upper=nan) == "the limits of H7 are not known here"
    assert why(kind="radius") == "a radius is not evaluated"
    assert why(kind="distance") == "it is not one of two features"
