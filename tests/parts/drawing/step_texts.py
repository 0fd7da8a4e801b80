"""STEP texts with a drawing, made for the tests: each statement stands for what it is about."""

from __future__ import annotations

from parts.drawing.drawing import Drawing
from parts.drawing.step_pmi import drawing_of
from parts.geometry.source_file import SourceFile

HEAD = "ISO-10303-21;\nHEADER;\nFILE_NAME('#9=X(');\nENDSEC;\nDATA;\n"
TAIL = "ENDSEC;\nEND-ISO-10303-21;\n"
# Units #11 (mm), #12 (inch), #13 (degree), the part #20, faces #101 to #106, an edge #110.
COMMON = """
#11=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));
#12=(CONVERSION_BASED_UNIT('INCH',#14)LENGTH_UNIT()NAMED_UNIT($));
#13=(CONVERSION_BASED_UNIT('DEGREE',#15)NAMED_UNIT($)PLANE_ANGLE_UNIT());
#14=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#11);
#15=PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE(0.0174532925199433),#18);
#18=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));
#19=(GLOBAL_UNIT_ASSIGNED_CONTEXT((#18,#11))REPRESENTATION_CONTEXT('',''));
#20=PRODUCT_DEFINITION_SHAPE('','',$);
#101=ADVANCED_FACE('',(),#1,.T.);
#102=ADVANCED_FACE('',(),#1,.T.);
#103=ADVANCED_FACE('',(),#1,.T.);
#104=ADVANCED_FACE('',(),#1,.T.);
#105=ADVANCED_FACE('',(),#1,.T.);
#106=ADVANCED_FACE('',(),#1,.T.);
#110=EDGE_CURVE('',#1,#1,#1,.T.);
"""
FACES = {100 + n: (n,) for n in range(1, 7)}


def source(text: str) -> SourceFile:
    """A STEP file of this text and what all of them have."""
    return SourceFile(name="part.stp", raw=(HEAD + COMMON + text + TAIL).encode(), folder=None)


def drawing(text: str) -> Drawing:
    """The drawing of a text; the geometry's face n is #100+n."""
    return drawing_of(source(text), FACES)


def reasons(read: Drawing) -> list[str]:
    """Why things are unread."""
    return [one.reason for one in read.unread]


def aspect(number: int, *items: int, kind: str = "SHAPE_ASPECT") -> str:
    """A shape aspect and its links to items."""
    links = "".join(
        f"#{1000 * number + item}=GEOMETRIC_ITEM_SPECIFIC_USAGE('','',#{number},$,#{item});\n"
        for item in items
    )
    return f"#{number}={kind}('','',#20,.T.);\n{links}"


def composed(number: int, *parts: int, kind: str = "COMPOSITE_GROUP_SHAPE_ASPECT") -> str:
    """A shape aspect that is composed of others."""
    links = "".join(
        f"#{1000 * number + part}=SHAPE_ASPECT_RELATIONSHIP('','',#{number},#{part});\n"
        for part in parts
    )
    return f"#{number}={kind}('','',#20,.T.);\n{links}"


def length(number: int, value: float, unit: int = 11) -> str:
    """A measure with its unit."""
    return f"#{number}=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE({value}),#{unit});\n"


def datum(number: int, letter: str, face: int) -> str:
    """A datum, and its feature with the next number."""
    return (
        f"#{number}=DATUM('',$,#20,.F.,'{letter}');\n"
        + aspect(number + 1, face, kind="DATUM_FEATURE")
        + f"#{number + 2}=SHAPE_ASPECT_RELATIONSHIP('',$,#{number + 1},#{number});\n"
    )


def system(number: int, *compartments: str) -> str:
    """A datum system; of each compartment its datum and its modifiers: "#201,$"."""
    places = range(number + 1, number + 1 + len(compartments))
    rows = "".join(
        f"#{place}=DATUM_REFERENCE_COMPARTMENT('',$,#20,.F.,{compartment});\n"
        for place, compartment in zip(places, compartments, strict=True)
    )
    members = ",".join(f"#{place}" for place in places)
    return f"#{number}=DATUM_SYSTEM('',$,#20,.F.,({members}));\n{rows}"


def nominal(number: int, value: float, name: str = "nominal value", unit: int = 11) -> str:
    """A value of a dimension."""
    quantity = "PLANE_ANGLE" if unit == 13 else "LENGTH"
    return (
        f"#{number}=({quantity}_MEASURE_WITH_UNIT()MEASURE_REPRESENTATION_ITEM()"
        f"MEASURE_WITH_UNIT({quantity}_MEASURE({value}),#{unit})REPRESENTATION_ITEM('{name}'));\n"
    )


def valued(number: int, dimension: int, *items: int) -> str:
    """The representation of a dimension."""
    listed = ",".join(f"#{item}" for item in items)
    return (
        f"#{number}=DIMENSIONAL_CHARACTERISTIC_REPRESENTATION(#{dimension},#{number + 1});\n"
        f"#{number + 1}=SHAPE_DIMENSION_REPRESENTATION('',({listed}),#19);\n"
    )
