"""The internal tables of [LIEGEOIS80] §4.2, entry by entry, and what its example does not hold."""

import pytest

from robots.core.language import internal_tables, mechanism_of, parse, tables_text
from robots.core.language.tables import CONSTANT_ROTATION, PRISMATIC
from robots.core.mechanism import Body

LISTING = (
    "RY(01MIN,01MAX),TYK(L1),RX(02MIN,02MAX),TYK(L2),RX(03MIN,03MAX),\n"
    "TZK(L3),RX(04MIN,04MAX),TZK(0),RY(05MIN,05MAX),TZK(0),RZ(06MIN,06MAX),TZK(L6);"
)
MRR = """0 1 0 0|0 1 0 1|2 0 0 0|0 2 0 1|3 0 0 0|0 0 3 1|
         4 0 0 0|0 0 4 1|0 5 0 0|0 0 5 1|0 0 6 0|0 0 6 1"""


def rows(text):
    return [tuple(row.split()) for row in text.split("|")]


@pytest.fixture
def report():
    return internal_tables(parse(LISTING))


def test_table_mrr(report):
    assert [frame.row for frame in report.frames] == rows(MRR)
    assert (report.frame_count, report.dof) == (12, 6)


def test_constant_translations(report):
    printed = rows("0 L1 0|0 L2 0|0 0 L3|0 0 0|0 0 0|0 0 L6")
    assert [segment.translation for segment in report.segments] == printed


def test_grouped_rotations(report):
    """The three parallel axes are '2', '23', '234'; the text's θ1, θ3, θ4 is an erratum."""
    printed = rows("0 1 0|2 0 0|23 0 0|234 0 0|0 5 0|0 0 6")
    assert [segment.rotation for segment in report.segments] == printed


def test_bodies_and_limits(report):
    assert [body.length for body in report.bodies] == ["L1", "L2", "L3", "0", "0", "L6"]
    limits = [(f.number, f.lower, f.upper) for f in report.freedoms]
    assert limits == [(i, f"0{i}MIN", f"0{i}MAX") for i in range(1, 7)]


def test_mass_data(report):
    """Inertia entries I21, I22 of the scan are IZ1, IZ2: no inertia about the body's own axis."""
    assert [(body.mass, *body.com) for body in report.bodies] == rows(
        "M1 0 D1 0|M2 0 D2 0|M3 0 0 D3|0 0 0 0|0 0 0 0|M6 0 0 D6"
    )
    assert [body.inertia for body in report.bodies] == rows(
        "IX1 0 IZ1|IX2 0 IZ2|IX3 IY3 0|0 0 0|0 0 0|IX6 IY6 0"
    )


def test_the_printed_text_holds_the_tables_in_order(report):
    text = tables_text(report)
    titles = [
        *("MRR TABLE", "CONSTANT TRANSLATIONS", "ROTATIONS", "NUMBER OF CHANGES OF FRAME 12"),
        *("NUMBER OF DEGREES OF FREEDOM 6", "BODIES DESCRIBED", "LIMITS OF THE DEGREES"),
        *("MASS DATA", "INERTIA TENSORS"),
    ]
    places = [text.index(title) for title in titles]
    assert places == sorted(places)
    assert "\n234  0  0\n" in text
    assert "BODY 3 :  IX3  IY3  0" in text
    assert not any(line != line.rstrip() for line in text.split("\n"))


def rotations(phrase):
    return [segment.rotation for segment in internal_tables(parse(phrase)).segments]


def test_a_slide_does_not_break_a_group_but_a_turn_does():
    assert rotations("RX,TZ,RX") == rows("1 0 0|0 0 0|13 0 0")
    assert rotations("RX,RYK(10),RX") == rows("1 0 0|0 K(10) 0|2 0 0")
    assert rotations("RX,RY,RX") == rows("1 0 0|0 2 0|3 0 0")


def test_branches_group_along_their_own_line():
    assert rotations("RX,[RX],[RY],RX") == rows("1 0 0|12 0 0|0 3 0|14 0 0")


def test_groups_of_ten_and_more_keep_their_numbers_apart():
    groups = [row[0] for row in rotations(",".join(["RX"] * 10))]
    assert groups[1] == "1.2"
    assert groups[-1] == "1.2.3.4.5.6.7.8.9.10"


def test_codes_beyond_the_report():
    frames = internal_tables(parse("TX(0,5),RYK(90),TZK(A),TZK(-B)")).frames
    assert [frame.code for frame in frames][:2] == [PRISMATIC, CONSTANT_ROTATION]
    tables = internal_tables(parse("TZK(4),RX,TZK(A),TZK(-B),TXK(1)"))
    assert [s.label for s in tables.segments] == ["0", "1"]
    assert tables.segments[1].translation == ("1", "0", "A-B")
    assert tables.bodies[0].com == ("DX1", "DY1", "DZ1")


def test_numbers_replace_symbols_when_a_mechanism_is_given():
    description = parse("RX,TZK(400)")
    body = Body(mass=2.5, com=[0, 0, 0.2], inertia=[[1, 0, 0], [0, 2, 0], [0, 0, 3]])
    mechanism = mechanism_of(description, {}, bodies={"q1": body})
    text = tables_text(internal_tables(description), mechanism)
    assert "1     2.5      0      0  0.2" in text
    assert "BODY 1 :  1   2   3   0   0   0   at com" in text
