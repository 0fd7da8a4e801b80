"""DMIS: a public programme, the subset, and what lies outside it."""

import re

import numpy as np
import pytest

from parts.errors import PointsError
from parts.points import Compensation, found_points, read_points

HEAD = "DMISMN/'T', 05.2\nUNITS/MM, ANGDEC\n"
TOUCH = "MEAS/PLANE, F(A), 1\nPTMEAS/CART, 1, 2, 3, 0, 0, 1\nENDMES\n"


def read(text, **options):
    return found_points(text.encode(), origin="a.dmi", **options)


def test_the_public_program_of_nist(shared_data):
    found = read_points(shared_data / "simple_in.dms")
    names = [f"A_CIRCLE-{number}" for number in (1, 2, 3, 4)]
    assert list(found.names) == names
    assert set(found.points.features) == {"A_CIRCLE"}
    expected = [[75, 50, 40], [25, 50, 40], [50, 75, 40], [50, 25, 40]]
    assert np.array_equal(found.positions, 0.001 * np.array(expected))
    # A hole of diameter 50 about (50, 50): out of the material is towards its axis.
    assert found.points.normals.tolist() == [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0]]
    assert found.source.notes == ("Nominal features: A_CIRCLE (CIRCLE).",)


def test_both_goto_forms_continuations_and_comments(samples):
    found = found_points(samples["a.dmi"], origin="a.dmi")
    assert found.names == ("PLN1-1", "PLN1-2")
    assert found.positions.tolist() == [[-0.04, -0.02, 0.0305], [0.04, 0.0254, 0.0305]]
    assert found.source.compensation is Compensation.SURFACE
    text = samples["a.dmi"].decode().replace("ENDMES", "$$ a note $\nENDMES $$ 'another")
    assert read(text).positions.tolist() == found.positions.tolist()
    lower = samples["a.dmi"].decode().lower().replace("pln1", "PLN1")
    assert read(lower).positions.tolist() == found.positions.tolist()


@pytest.mark.parametrize(
    ("unit", "metre"), [("MM", 0.001), ("CM", 0.01), ("M", 1.0), ("INCH", 0.0254), ("FEET", 0.3048)]
)
def test_units(unit, metre):
    text = f"UNITS/{unit}, ANGDEC\n{TOUCH}ENDFIL\n"
    assert read(text).positions[0].tolist() == [metre * 1, metre * 2, float(f"{metre * 3:.12g}")]


def test_point_features_that_nothing_measures_are_points():
    text = (
        HEAD
        + "F(P1)=FEAT/POINT,CART,1,2,3,0,0,1\nF(P2)=FEAT/POINT,CART,4,5,6,1,0,0\n"
        + "F(P3)=FEAT/POINT,CART,7,8,9,1,0,0\nFA(P1)=FEAT/POINT,CART,1.1,2,3,0,0,1\n"
        + "MEAS/POINT,F(P2),1\nPTMEAS/CART,4,5,6.5,1,0,0\nENDMES\nCONST/POINT,F(P3),MIDPT,FA(P1)\n"
        + "ENDFIL\nGARBAGE 'after the end\n"
    )
    found = read(text)
    assert found.names == ("P1", "P2-1")
    assert found.positions.tolist() == [[0.001, 0.002, 0.003], [0.004, 0.005, 0.0065]]


def test_what_is_doubtful_is_noted():
    found = read(HEAD + "PRCOMP/OFF\nD(PCS)=TRANS/XORIG,10\n" + TOUCH)
    assert found.source.compensation is Compensation.UNSTATED
    assert found.source.notes == (
        "There is no ENDFIL: the file may be cut short.",
        "PRCOMP/OFF: the file does not say whether its points are centres.",
        "The points stand in the datum system that line 4 sets.",
    )
    assert read(TOUCH, unit="cm").positions.tolist() == [[0.01, 0.02, 0.03]]
    assert read(TOUCH, unit="cm").source.unit_from == "given by you: the file has no UNITS"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TOUCH, "a.dmi, line 2: no UNITS stands before the first point; give it."),
        ("UNITS/ELL\n" + TOUCH, "line 1: found 'ELL'; expected one of MM, CM, M, INCH, FEET."),
        (
            HEAD + TOUCH + "UNITS/INCH\n" + TOUCH,
            "line 6: the unit changes from mm to in between points; use one.",
        ),
        (
            HEAD + TOUCH + "D(B)=ROTATE/ZAXIS,90\n" + TOUCH,
            "line 8: the coordinate system is that of line 6, but earlier points stand in that of "
            "the machine; split the programme.",
        ),
        (
            HEAD + TOUCH.replace("ENDMES\n", ""),
            "line 3: MEAS has no ENDMES: the file is cut short.",
        ),
        (HEAD + TOUCH.replace("ENDMES\n", "") + TOUCH, "MEAS stands within that of line 3"),
        (HEAD + TOUCH.replace(" 1\n", " 3\n", 1), "line 3: found 1 PTMEAS for A; expected 3."),
        (HEAD + "PTMEAS/CART,1,2,3,0,0,1\n", "line 3: PTMEAS stands outside MEAS"),
        (HEAD + "ENDMES\n", "line 3: ENDMES stands without MEAS."),
        (HEAD + TOUCH.replace("F(A)", "A"), "found 'A'; expected a feature such as F(PLN1)."),
        (HEAD + TOUCH.replace("CART", "POL"), "found 'POL' after PTMEAS; only CART coordinates"),
        (HEAD + TOUCH.replace("3, 0", "3"), "line 4: found 5 coordinates; expected x, y, z, i, j"),
        (HEAD + TOUCH.replace(" 2,", " VAR,"), "line 4, column y: found 'VAR'; expected a number."),
        (HEAD + TOUCH.replace("0, 1", "0, 0"), "line 4, column nx, ny, nz: point 'A-1': its norm"),
        (HEAD + "DO/I,1,3\n" + TOUCH + "ENDDO\n", "line 3: DO is outside what is read"),
        (HEAD + "M(X)=MACRO/'A'\n", "line 3: MACRO is outside what is read"),
        (HEAD + "MEAS/PLANE, $\n", "line 3: the last line is continued by $, but nothing follows"),
        (HEAD + "TEXT/OPER,'never\n", 'line 3: the text in quotes does not end: "TEXT/OPER'),
        (HEAD, "a.dmi: there is no point in this DMIS file."),
        (
            HEAD + "A $\n" * 40_000,
            "line 3: the statement has more than 65536 characters; raise it with ",
        ),
    ],
)
def test_bad_programmes(text, message):
    with pytest.raises(PointsError, match=re.escape(message)):
        read(text)
