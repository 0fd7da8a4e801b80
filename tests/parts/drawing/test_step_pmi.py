"""Drawings in STEP files: each trap of real files once, in a text that has nothing else."""

from __future__ import annotations

from math import isnan, radians

import numpy as np
import pytest

from parts.drawing.drawing import Datum, DatumElement, DatumReference, DatumTarget
from parts.drawing.step_pmi import drawing_of
from parts.errors import PartError
from tests.cases import cases
from tests.parts.drawing.step_texts import (
    aspect,
    composed,
    datum,
    drawing,
    length,
    nominal,
    reasons,
    source,
    system,
    valued,
)

MMC = "GEOMETRIC_TOLERANCE_WITH_MODIFIERS((.MAXIMUM_MATERIAL_REQUIREMENT.))"
MMB = "(SIMPLE_DATUM_REFERENCE_MODIFIER(.MAXIMUM_MATERIAL_REQUIREMENT.))"
ONE_FACE = aspect(300, 101) + length(310, 0.2)


def labels(tolerance):
    return [one.label for one in tolerance.datums]


# -------------------------------------------------------------------------------------- Tolerances


def test_a_plain_tolerance():
    [one] = drawing(ONE_FACE + "#400=FLATNESS_TOLERANCE('Flat.1','',#310,#300);").tolerances
    assert (one.kind, one.value, one.faces, one.zone) == ("flatness", 0.2e-3, (1,), "width")
    assert (one.name, one.identity, one.datums, one.material) == ("Flat.1", 400, (), "")


def test_a_tolerance_in_inches_on_a_part_in_millimetres():
    text = aspect(300, 101) + length(310, 0.01, unit=12)
    [one] = drawing(text + "#400=FLATNESS_TOLERANCE('','',#310,#300);").tolerances
    assert one.value == pytest.approx(0.254e-3, rel=1e-15)


def test_modifiers_and_datums_of_a_complex_instance():
    text = (
        ONE_FACE
        + datum(200, "A", 102)
        + datum(210, "B", 103)
        + datum(220, "C", 104)
        + system(230, "#200,$", f"#210,{MMB}", "#220,$")
        + "#400=(GEOMETRIC_TOLERANCE('P','',#310,#300)"
        f"GEOMETRIC_TOLERANCE_WITH_DATUM_REFERENCE((#230)){MMC}POSITION_TOLERANCE());"
        "#401=TOLERANCE_ZONE('',$,#20,.F.,(#400),#402);"
        "#402=TOLERANCE_ZONE_FORM('within a cylinder');"
    )
    read = drawing(text)
    [one] = read.tolerances
    assert (one.kind, one.material, one.zone, one.modifiers) == ("position", "MMC", "diameter", ())
    assert labels(one) == ["A", "B", "C"]
    assert [reference.all_modifiers for reference in one.datums] == [(), ("MMB",), ()]
    assert read.datums == tuple(Datum(label="ABC"[n], faces=(n + 2,)) for n in range(3))
    assert read.unread == ()


def test_a_common_datum_keeps_the_modifiers_of_each():
    text = (
        ONE_FACE
        + datum(200, "E", 102)
        + datum(210, "F", 103)
        + f"#220=DATUM_REFERENCE_ELEMENT($,$,#20,.F.,#200,{MMB});"
        "#221=DATUM_REFERENCE_ELEMENT($,$,#20,.F.,#210,$);"
        + system(230, "COMMON_DATUM_LIST((#220,#221)),$")
        + "#400=CIRCULAR_RUNOUT_TOLERANCE('','',#310,#300,(#230));"
    )
    [one] = drawing(text).tolerances
    assert one.datums == (
        DatumReference(
            elements=(DatumElement(label="E", modifiers=("MMB",)), DatumElement(label="F"))
        ),
    )
    assert labels(one) == ["E-F"]


@pytest.mark.parametrize(
    ("form", "zone"),
    [
        ("cylindrical or circular", "diameter"),
        ("within a cylinder", "diameter"),
        ("spherical", "sphere"),
        ("between two coaxial cylinders", "width"),
        ("between two equidistant surfaces", "width"),
    ],
)
def test_names_of_zones(form, zone):
    text = f"""#400=STRAIGHTNESS_TOLERANCE('','',#310,#300);
        #401=TOLERANCE_ZONE('',$,#20,.F.,(#400),#402);
        #402=TOLERANCE_ZONE_FORM('{form}');"""
    [one] = drawing(ONE_FACE + text).tolerances
    assert one.zone == zone


def test_zero_at_maximum_material_is_a_value_and_zero_alone_is_none():
    text = aspect(300, 101) + length(310, 0.0)
    read = drawing(
        text + "#400=POSITION_TOLERANCE('','',#310,#300);"
        f"#401=(GEOMETRIC_TOLERANCE('','',#310,#300){MMC}POSITION_TOLERANCE());"
    )
    [one] = read.tolerances
    assert (one.identity, one.value, one.material) == (401, 0.0, "MMC")
    assert reasons(read) == ["its value is 0 m; expected above zero"]


def test_one_tolerance_of_two_bores_in_halves():
    text = (
        "".join(aspect(300 + n, 100 + n) for n in range(1, 5))
        + composed(320, 301, 302, kind="COMPOSITE_SHAPE_ASPECT")
        + composed(330, 303, 304, kind="COMPOSITE_SHAPE_ASPECT")
        + composed(340, 320, 330)
        + length(310, 0.1)
        + "#400=POSITION_TOLERANCE('2X','',#310,#340);"
    )
    [one] = drawing(text).tolerances
    assert one.faces == (1, 2, 3, 4)


def test_a_set_of_faces_in_one_link():
    text = aspect(300) + length(310, 0.1)
    text += """#301=ITEM_IDENTIFIED_REPRESENTATION_USAGE('',$,#300,$,
        SET_REPRESENTATION_ITEM((#102,#103)));
        #400=CYLINDRICITY_TOLERANCE('','',#310,#300);"""
    [one] = drawing(text).tolerances
    assert one.faces == (2, 3)


def test_all_around_and_the_whole_part():
    text = (
        aspect(301, 101)
        + aspect(302, 102)
        + composed(300, 301, 302, kind="ALL_AROUND_SHAPE_ASPECT")
        + length(310, 0.1)
        + "#400=SURFACE_PROFILE_TOLERANCE('','',#310,#300);"
        "#401=SURFACE_PROFILE_TOLERANCE('','',#310,#20);"
    )
    around, whole = drawing(text).tolerances
    assert (around.all_around, around.whole_part, around.faces) == (True, False, (1, 2))
    assert (whole.all_around, whole.whole_part, whole.faces) == (False, True, (1, 2, 3, 4, 5, 6))


def test_a_tolerance_of_a_centre_line_is_one_of_its_bore():
    text = (
        aspect(301, 101)
        + aspect(300, 110, kind="CENTRE_OF_SYMMETRY")
        + "#302=SHAPE_ASPECT_DERIVING_RELATIONSHIP('','',#300,#301);"
        + length(310, 0.1)
        + "#400=POSITION_TOLERANCE('','',#310,#300);"
    )
    [one] = drawing(text).tolerances
    assert one.faces == (1,)


def test_unequally_disposed_projected_and_per_unit():
    text = ONE_FACE + length(311, 0.05) + length(312, 10.0) + length(313, 10.0) + length(314, 5.0)
    text += """#400=(GEOMETRIC_TOLERANCE('','',#310,#300)SURFACE_PROFILE_TOLERANCE()
        UNEQUALLY_DISPOSED_GEOMETRIC_TOLERANCE(#311));
        #401=(FLATNESS_TOLERANCE()GEOMETRIC_TOLERANCE('','',#310,#300)
        GEOMETRIC_TOLERANCE_WITH_DEFINED_AREA_UNIT(.RECTANGULAR.,#313)
        GEOMETRIC_TOLERANCE_WITH_DEFINED_UNIT(#312));
        #402=POSITION_TOLERANCE('','',#310,#300);
        #403=TOLERANCE_ZONE('',$,#20,.F.,(#402),#404);
        #404=TOLERANCE_ZONE_FORM('cylindrical or circular');
        #405=PROJECTED_ZONE_DEFINITION(#403,(),#300,#314);"""
    profile, flat, position = drawing(text).tolerances
    assert profile.unequal == pytest.approx(0.05e-3, rel=1e-15)
    assert (flat.unit_shape, flat.unit) == ("square", (0.01,))
    assert position.projected == pytest.approx(5e-3, rel=1e-15)
    assert isnan(flat.projected)
    assert isnan(position.unequal)


COMPOSITE = (
    ONE_FACE
    + length(311, 0.05)
    + length(312, 0.02)
    + """#400=POSITION_TOLERANCE('','',#310,#300);
    #401=POSITION_TOLERANCE('','',#311,#300);
    #402=POSITION_TOLERANCE('','',#312,#300);
    #410=GEOMETRIC_TOLERANCE_RELATIONSHIP('composite','',#401,#402);
    #411=GEOMETRIC_TOLERANCE_RELATIONSHIP('composite','',#400,#401);"""
)


def test_frames_of_a_composite_tolerance_stand_together():
    read = drawing(COMPOSITE)
    [one] = read.tolerances
    assert [one.value, *(low.value for low in one.lower)] == pytest.approx([2e-4, 5e-5, 2e-5])
    assert len(list(read.frames())) == 3


def test_a_lower_frame_never_stands_alone():
    """Without the upper one it would read as a tolerance of location, which it is not."""
    read = drawing(COMPOSITE.replace("#400=POSITION_TOLERANCE('','',#310", "#400=X('','',#310"))
    assert read.tolerances == ()
    assert {one.identity for one in read.unread} >= {401, 402}


def test_frames_below_themselves():
    read = drawing(COMPOSITE + "#412=GEOMETRIC_TOLERANCE_RELATIONSHIP('composite','',#402,#400);")
    assert len(read.tolerances) == 1
    assert reasons(read) == ["#400 would stand below itself, or below two others"]


def test_what_is_said_twice_is_read_once():
    read = drawing(
        ONE_FACE + "#400=FLATNESS_TOLERANCE('one','',#310,#300);"
        "#401=FLATNESS_TOLERANCE('two','',#310,#300);"
    )
    assert [one.identity for one in read.tolerances] == [400]
    assert reasons(read) == ["it says the same as #400"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("FLATNESS_TOLERANCE('','',#310,#999)", "it is linked to #999, which is not in the file"),
        ("FLATNESS_TOLERANCE('','',#999,#300)", "#999 is not in the file"),
        ("FLATNESS_TOLERANCE('','',#310)", "#400 has 3 attributes, which are too few"),
        ("FLATNESS_TOLERANCE('','',$,#300)", "#400 refers to nothing where it must"),
        ("FLATNESS_TOLERANCE('','',#311,#300)", "#311 is an angle where a length belongs"),
        ("FLATNESS_TOLERANCE('','',#312,#300)", "#312 is a length measure in a unit of angle"),
        ("FLATNESS_TOLERANCE('','',#313,#300)", "its value is -0.001 m; expected above zero"),
        (
            "FLATNESS_TOLERANCE('','',#314,#300)",
            "its unit #325 is called 'INCH' but is 0.001 m",
        ),
        (
            "FLATNESS_TOLERANCE('','',#315,#300)",
            "its unit #326 is a unit of length and of angle",
        ),
        ("FLATNESS_TOLERANCE('','',#316,#300)", "its unit #327 is none of length or angle"),
        ("FLATNESS_TOLERANCE('','',#310,#301)", "it is linked to no face but to edge curve"),
        ("FLATNESS_TOLERANCE('','',#310,#302)", "it is linked to no face"),
        (
            "FLATNESS_TOLERANCE('','',#310,#303)",
            "it is linked to face #107, which is not in the geometry",
        ),
        (
            "(FLATNESS_TOLERANCE()GEOMETRIC_TOLERANCE('','',#310,#300)SECRET_TOLERANCE(1.))",
            "what secret tolerance means here is not read",
        ),
        (
            "FLATNESS_TOLERANCE('','',#310,#300",
            "#400 cannot be read: a list has no end",
        ),
    ],
)
def test_what_is_not_understood_in_full_is_listed_and_not_taken(text, reason):
    beside = (
        ONE_FACE
        + aspect(301, 110)
        + aspect(302)
        + aspect(303, 101, 107)
        + "#107=ADVANCED_FACE('',(),#1,.T.);"
        "#311=PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE(1.),#13);"
        "#324=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.),#11);"
        "#325=(CONVERSION_BASED_UNIT('inch',#324)LENGTH_UNIT()NAMED_UNIT($));"
        "#326=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT($,.RADIAN.));"
        "#327=(MASS_UNIT()NAMED_UNIT(*)SI_UNIT(.KILO.,.GRAM.));"
        + length(312, 1.0, unit=13)
        + length(313, -1.0)
        + length(314, 1.0, unit=325)
        + length(315, 1.0, unit=326)
        + length(316, 1.0, unit=327)
    )
    read = drawing(f"{beside}#400={text};")
    assert read.tolerances == ()
    assert [(one.identity, one.reason) for one in read.unread] == [(400, reason)]


@pytest.mark.parametrize(
    ("zone", "reason"),
    [
        ("TOLERANCE_ZONE('',$,#20,.F.,(#400),#402)", "the form of its zone, 'odd', is not"),
        ("TOLERANCE_ZONE_WITH_DATUM('',$,#20,.F.,(#400),#402,#1)", "what its tolerance zone with"),
    ],
)
def test_a_zone_that_is_not_understood(zone, reason):
    text = f"""#400=POSITION_TOLERANCE('','',#310,#300);
        #401={zone};#402=TOLERANCE_ZONE_FORM('odd');"""
    read = drawing(ONE_FACE + text)
    assert read.tolerances == ()
    assert reasons(read)[0].startswith(reason)


def test_a_damaged_instance_that_stands_twice():
    read = drawing(ONE_FACE + length(310, 0.9) + "#400=FLATNESS_TOLERANCE('','',#310,#300);")
    assert read.tolerances == ()
    assert reasons(read) == ["#310 stands 2 times in the file"]


def test_aspects_that_are_parts_of_each_other():
    text = composed(300, 301) + composed(301, 300) + aspect(302, 101) + length(310, 0.1)
    text += """#303=SHAPE_ASPECT_RELATIONSHIP('','',#301,#302);
        #400=FLATNESS_TOLERANCE('','',#310,#300);"""
    [one] = drawing(text).tolerances
    assert one.faces == (1,)


def test_a_copy_of_a_face_is_that_face():
    """A sheet that a CAD system extracted from a solid, with the corners of one of its faces."""
    rows = []
    for face, height in ((301, 0.0), (302, 5.0), (303, 0.0), (304, 7.0)):
        n = 100 * face
        corners = [(0.0, 0.0), (10.0, 0.0), (0.0, 10.0)]
        rows += [
            f"#{n + k}=CARTESIAN_POINT('',({x},{y},{height}));" for k, (x, y) in enumerate(corners)
        ]
        rows += [f"#{n + 10 + k}=VERTEX_POINT('',#{n + k});" for k in range(3)]
        rows += [
            f"#{n + 20 + k}=EDGE_CURVE('',#{n + 10 + k},#{n + 10 + (k + 1) % 3},#1,.T.);"
            f"#{n + 30 + k}=ORIENTED_EDGE('',*,*,#{n + 20 + k},.T.);"
            for k in range(3)
        ]
        rows.append(
            f"#{n + 40}=EDGE_LOOP('',(#{n + 30},#{n + 31},#{n + 32}));"
            f"#{n + 41}=FACE_OUTER_BOUND('',#{n + 40},.T.);#{n + 42}=PLANE('',#1);"
            f"#{face}=ADVANCED_FACE('',(#{n + 41}),#{n + 42},.T.);"
        )
    text = "".join(rows) + aspect(410, 303) + aspect(411, 304) + length(310, 0.1)
    text += "#400=FLATNESS_TOLERANCE('','',#310,#410);#401=FLATNESS_TOLERANCE('','',#310,#411);"
    read = drawing_of(source(text), {301: (1,), 302: (2,)})
    assert [one.faces for one in read.tolerances] == [(1,)]
    assert reasons(read) == ["it is linked to face #304, which is not in the geometry"]


# ------------------------------------------------------------------------------------------ Datums


def test_a_face_that_hangs_on_the_datum_itself():
    text = "#200=DATUM('',$,#20,.F.,'A');" + aspect(200, 101).split("\n", 1)[1]
    assert drawing(text).datums == (Datum(label="A", faces=(1,)),)


def test_targets_with_their_places():
    text = """#200=DATUM('',$,#20,.F.,'K');
        #201=PLACED_DATUM_TARGET_FEATURE('','circle',#20,.T.,'1');
        #202=SHAPE_ASPECT_RELATIONSHIP('','',#201,#200);
        #203=FEATURE_FOR_DATUM_TARGET_RELATIONSHIP('',$,#210,#201);
        #204=PROPERTY_DEFINITION('','',#201);
        #205=SHAPE_DEFINITION_REPRESENTATION(#204,#206);
        #206=SHAPE_REPRESENTATION_WITH_PARAMETERS('',(#207,#209),#19);
        #207=AXIS2_PLACEMENT_3D('orientation',#208,$,$);
        #208=CARTESIAN_POINT('',(10.,20.,-5.));
        #220=DATUM_TARGET('','area',#20,.T.,'2');
        #221=SHAPE_ASPECT_RELATIONSHIP('','',#220,#200);
        #222=GEOMETRIC_ITEM_SPECIFIC_USAGE('','',#220,$,#102);"""
    read = drawing(text + nominal(209, 1.5, "target diameter", unit=12) + aspect(210, 101))
    first = DatumTarget(name="K1", kind="circle", faces=(1,), point=(0.01, 0.02, -0.005))
    [one] = read.datums
    assert (one.label, one.faces) == ("K", ())
    assert one.targets[0].diameter == pytest.approx(0.0381, rel=1e-15)
    assert [(t.name, t.kind, t.faces) for t in one.targets] == [
        ("K1", "circle", (1,)),
        ("K2", "area", (2,)),
    ]
    assert one.targets[0].point == pytest.approx(first.point, rel=1e-15)
    assert read.unread == ()


def test_a_datum_is_not_taken_without_one_of_its_targets():
    text = """#210=DATUM_TARGET('','area',#20,.T.,'1');
        #211=SHAPE_ASPECT_RELATIONSHIP('','',#210,#200);
        #212=GEOMETRIC_ITEM_SPECIFIC_USAGE('','',#210,$,#101);
        #220=DATUM_TARGET('','area',#20,.T.,'2');
        #221=SHAPE_ASPECT_RELATIONSHIP('','',#220,#200);"""
    read = drawing(datum(200, "A", 102) + text)
    assert read.datums == ()
    assert reasons(read) == [
        "1 of its 2 targets are unread",
        "it has neither a face nor a position",
    ]


def test_two_datums_with_one_letter():
    read = drawing(datum(200, "A", 101) + datum(210, "A", 102) + datum(220, "B", 103))
    assert [one.label for one in read.datums] == ["B"]
    assert reasons(read) == ["2 datums with different features are called 'A'"] * 2


def test_a_datum_without_a_feature():
    assert reasons(drawing("#200=DATUM('',$,#20,.F.,'A');")) == ["it is linked to no face"]


# -------------------------------------------------------------------------------------- Dimensions

DIAMETER = aspect(300, 101) + "#400=DIMENSIONAL_SIZE(#300,'diameter');"
DISTANCE = aspect(300, 101) + aspect(301, 102)


def test_a_diameter_with_deviations_in_another_unit():
    text = DIAMETER + nominal(410, 20.0) + valued(420, 400, 410)
    text += length(411, -0.002, unit=12) + length(412, 0.05)
    text += "#413=TOLERANCE_VALUE(#411,#412);#414=PLUS_MINUS_TOLERANCE(#413,#400);"
    [one] = drawing(text).dimensions
    assert (one.kind, one.faces, one.origin_faces) == ("diameter", (1,), ())
    values = (one.nominal, one.lower, one.upper)
    assert values == pytest.approx((0.02, 0.0199492, 0.02005), rel=1e-12)


def test_limits_fits_and_notes():
    limits = nominal(411, 19.9, "lower limit") + nominal(412, 20.1, "upper limit")
    [one] = drawing(DIAMETER + limits + valued(420, 400, 411, 412)).dimensions
    assert isnan(one.nominal)
    assert (one.lower, one.upper) == pytest.approx((0.0199, 0.0201), rel=1e-12)

    fit = "#413=LIMITS_AND_FITS('H','hole','7','');#414=PLUS_MINUS_TOLERANCE(#413,#400);"
    [one] = drawing(DIAMETER + nominal(410, 20.0) + valued(420, 400, 410) + fit).dimensions
    assert (one.fit, one.nominal, isnan(one.lower)) == ("H7", 0.02, True)

    notes = """#411=DESCRIPTIVE_REPRESENTATION_ITEM('dimensional note','theoretical');
        #412=COMPOUND_REPRESENTATION_ITEM('',SET_REPRESENTATION_ITEM((#413)));
        #413=DESCRIPTIVE_REPRESENTATION_ITEM('dimensional note','statistical');"""
    text = DIAMETER + nominal(410, 20.0) + notes + valued(420, 400, 410, 411, 412)
    assert drawing(text).dimensions[0].modifiers == ("theoretical", "statistical")


def test_a_maximum_is_an_upper_limit_and_no_nominal_value():
    text = DIAMETER + valued(420, 400, 410)
    text += """#410=(LENGTH_MEASURE_WITH_UNIT()MEASURE_REPRESENTATION_ITEM()
        MEASURE_WITH_UNIT(LENGTH_MEASURE(0.2),#11)QUALIFIED_REPRESENTATION_ITEM((#411))
        REPRESENTATION_ITEM('nominal value'));
        #411=TYPE_QUALIFIER('maximum');"""
    [one] = drawing(text).dimensions
    assert (isnan(one.nominal), isnan(one.lower), one.upper) == (True, True, 0.2e-3)
    assert one.modifiers == ("maximum",)


def test_distances_and_angles_have_two_ends():
    text = DISTANCE + "#400=DIRECTED_DIMENSIONAL_LOCATION('linear distance','',#300,#301);"
    [one] = drawing(text + nominal(410, 75.0) + valued(420, 400, 410)).dimensions
    assert (one.kind, one.origin_faces, one.faces) == ("distance", (1,), (2,))
    assert (one.directed, one.angular) == (True, False)

    text = DISTANCE + "#400=ANGULAR_LOCATION('angle',$,#300,#301,.EQUAL.);"
    text += nominal(410, 60.0, unit=13) + valued(420, 400, 410)
    text += """#411=PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE(-0.5),#13);
        #412=PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE(0.5),#13);
        #413=TOLERANCE_VALUE(#411,#412);#414=PLUS_MINUS_TOLERANCE(#413,#400);"""
    [one] = drawing(text).dimensions
    assert (one.kind, one.angular) == ("angle", True)
    assert (one.lower, one.upper) == pytest.approx((radians(59.5), radians(60.5)), rel=1e-12)


def test_a_size_that_is_a_datum_feature_itself():
    text = aspect(300, 101, kind="DIMENSIONAL_SIZE_WITH_DATUM_FEATURE").replace(
        ".T.);", ".T.,#300,'diameter');"
    )
    [one] = drawing(text + nominal(410, 20.0) + valued(420, 300, 410)).dimensions
    assert (one.kind, one.faces) == ("diameter", (1,))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it has 0 values and 0 tolerances in the file"),
        (valued(420, 400, 410) + valued(430, 400, 410), "it has 2 values and 0 tolerances in the"),
        (valued(420, 400, 410, 411), "its values are lengths and angles"),
        (valued(420, 400, 412), "its value #412 'size' is not understood"),
        (
            valued(420, 400, 410) + "#440=PLUS_MINUS_TOLERANCE(#441,#400);"
            "#441=TOLERANCE_VALUE(#415,#414);",
            "its lower limit, 0.0201, is not below the upper, 0.0199",
        ),
        (
            valued(420, 400, 410, 413) + "#440=PLUS_MINUS_TOLERANCE(#441,#400);"
            "#441=TOLERANCE_VALUE(#414,#415);",
            "it has limits and a tolerance",
        ),
        (
            valued(420, 400, 410) + "#440=PLUS_MINUS_TOLERANCE(#441,#400);"
            "#441=TOLERANCE_VALUE(#416,#416);",
            "its value and its tolerance are a length and an angle",
        ),
    ],
)
def test_dimensions_that_contradict_themselves(text, reason):
    values = (
        nominal(410, 20.0)
        + nominal(411, 20.0, "lower limit", unit=13)
        + nominal(412, 20.0, "size")
        + nominal(413, 19.0, "lower limit")
        + length(414, -0.1)
        + length(415, 0.1)
        + "#416=PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE(1.),#13);"
    )
    read = drawing(DIAMETER + values + text)
    assert read.dimensions == ()
    assert reasons(read)[0].startswith(reason)


# ------------------------------------------------------------------------------- Pictures and size


def test_what_is_drawn_only_is_listed():
    text = (
        ONE_FACE
        + """#400=FLATNESS_TOLERANCE('','',#310,#300);
        #500=DRAUGHTING_CALLOUT('Flatness.1',(#501));
        #501=TESSELLATED_ANNOTATION_OCCURRENCE('Flatness.1',(),#1);
        #502=DRAUGHTING_MODEL_ITEM_ASSOCIATION('','',#400,$,#500);
        #510=DRAUGHTING_CALLOUT('Text.1',(#511));
        #511=TESSELLATED_ANNOTATION_OCCURRENCE('Text.1',(),#1);
        #512=DRAUGHTING_MODEL_ITEM_ASSOCIATION('','',#300,$,#510);
        #521=TESSELLATED_ANNOTATION_OCCURRENCE('Position.1',(),#1);"""
    )
    read = drawing(text)
    assert len(read.tolerances) == 1
    assert [one.name for one in read.unread] == [
        "draughting callout 'Text.1'",
        "tessellated annotation occurrence 'Position.1'",
    ]
    assert all("drawn only" in reason for reason in reasons(read))


def test_a_file_without_a_drawing():
    read = drawing("")
    assert (read.datums, read.dimensions, read.tolerances, read.unread) == ((), (), (), ())


def test_links_have_a_cap(monkeypatch):
    count = 300
    text = "".join(composed(n, n + 1) for n in range(1000, 1000 + count)) + length(310, 0.1)
    text += "".join(f"#{n}=FLATNESS_TOLERANCE('','',#310,#1000);" for n in range(400, 420))
    monkeypatch.setenv("PALPEUR_CAP_DRAWING_LINKS", "5000")
    with pytest.raises(
        PartError, match=r"part\.stp: its drawing .* more than 5000 links; .*raise it"
    ):
        drawing_of(source(text), {})


def test_damaged_texts_are_read_as_far_as_they_go():
    """Whatever is lost of a file, what is read is sound and nothing breaks."""
    whole = (
        COMPOSITE
        + datum(200, "A", 102)
        + datum(210, "B", 103)
        + system(230, "#200,$", f"#210,{MMB}")
        + f"#420=(GEOMETRIC_TOLERANCE('P','',#310,#300){MMC}"
        "GEOMETRIC_TOLERANCE_WITH_DATUM_REFERENCE((#230))POSITION_TOLERANCE());"
        + DIAMETER.replace("#400", "#430")
        + nominal(440, 20.0)
        + valued(450, 430, 440)
    )
    rng = np.random.default_rng(21)
    for _ in range(cases(gate=25, soak=5000)):
        start, count = int(rng.integers(len(whole))), int(rng.integers(1, 60))
        read = drawing(whole[:start] + whole[start + count :])
        assert {label for one in read.tolerances for label in labels(one)} <= {"A", "B"}
        for one in read.frames():
            assert one.faces
            assert one.value > 0.0
