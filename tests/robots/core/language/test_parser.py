"""The phrase grammar: the report's example, its spellings, and every way to break it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.errors import DescriptionError
from robots.core.language import parse
from robots.core.language.syntax import Branch, ConstantMove, JointMove, MoveKind
from tests.cases import cases

REPORT = (
    "RY (θ_1 MIN, θ_1 MAX), TYK (L1), RX (θ_2 MIN, θ_2 MAX),\n TYK (L2), RX (θ_3 MIN, θ_3 MAX), "
    "TZK (L3),\n RX (θ_4 MIN, θ_4 MAX), TZK (∅), RY (θ_5 MIN, θ_5 MAX),\n TZK (∅), "
    "RZ (θ_6 MIN, θ_6 MAX), TZK (L6) ;"
)
LISTING = (
    "RY(01MIN,01MAX),TYK(L1),RX(02MIN,02MAX),TYK(L2),RX(03MIN,03MAX),\n"
    "TZK(L3),RX(04MIN,04MAX),TZK(0),RY(05MIN,05MAX),TZK(0),RZ(06MIN,06MAX),TZK(L6);"
)
VALID = "RY(-170,170.5),TYK(L1),[RXK(90),TZ(0,-LMAX)],RX,TZK(-1e2);"


def test_the_report_phrase_is_read():
    """[LIEGEOIS80] §4.1.1, as typeset."""
    description = parse(REPORT)
    assert [joint.axis for joint in description.joints()] == list("YXXXYZ")
    assert {"θ_1MIN", "θ_6MAX", "L1", "L6"} <= set(description.symbols())


def test_the_report_listing_is_the_same_robot():
    """[LIEGEOIS80] §4.2, as the line printer gave it: 0 for θ."""
    typeset = str(parse(REPORT)).replace("θ_", "0")
    assert typeset == LISTING.replace("\n", "")
    assert str(parse(LISTING)) == typeset


@pytest.mark.parametrize("spelling", ["ROTX(-1,1)", "rx(-1,1)", "RX (−1 , +1)", "RX(-1.,1e0);"])
def test_spellings_of_one_joint(spelling):
    (move,) = parse(spelling).moves
    assert isinstance(move, JointMove)
    assert (move.kind, move.axis) == (MoveKind.ROTATION, "X")
    assert (move.lower.number, move.upper.number) == (-1, 1)


@pytest.mark.parametrize("zero", ["0", "Ø", "∅", "-0", "0.0", "1e-999"])
def test_spellings_of_zero(zero):
    (move, _) = parse(f"TZK({zero}),RX").moves
    assert isinstance(move, ConstantMove)
    assert move.value.text == "0"


def test_brackets_are_branches():
    first, branch, last = parse("RX,[TZK(5),RY],RZ").moves
    assert isinstance(branch, Branch)
    assert [m.axis for m in (first, *branch.moves, last)] == list("XZYZ")


@pytest.mark.parametrize(
    ("phrase", "position", "found", "expected"),
    [
        ("", 0, "the end of the phrase", "a move such as"),
        ("RX(1,2)]", 7, "']'", '",", ";" or the end of the phrase'),
        ("RX(1,2) RY", 8, "'RY'", '","'),
        ("RX(1,2),", 8, "the end of the phrase", "a move such as"),
        ("RW(1,2)", 0, "'RW'", "a move such as"),
        ("RX(1,)", 5, "')'", "the upper limit"),
        ("RX(1)", 4, "')'", '"," and the upper limit'),
        ("RX(2,1)", 5, "'1'", "an upper limit not below the lower one, 2"),
        ("RX(INF,INF)", 7, "'INF'", "an upper limit"),
        ("TYK", 3, "the end of the phrase", "a length in millimetres"),
        ("TYK(1,2)", 5, "','", '")"'),
        ("RXK(INF)", 4, "'INF'", "an angle in degrees"),
        ("TYK(40O)", 6, "'O' in '40O'", "a number such as"),
        ("TYK(1.2.3)", 7, "'.' in '1.2.3'", "a number such as"),
        ("TYK(1e400)", 4, "'1e400'", "below 1e+300"),
        ("[RX", 3, "the end of the phrase", '"," or "]"'),
        ("RX;RY", 3, "'RY'", "the end of the phrase"),
        ("RX$", 2, "'$'", "one of ( ) , ; [ ]"),
        ("RX\x00", 2, "U+0000", "one of"),
        ("TYK(A),RX(A,1)", 10, "'A'", "an angle in one place and a length in another"),
    ],
)
def test_faults_are_pointed_at(phrase, position, found, expected):
    with pytest.raises(DescriptionError) as caught:
        parse(phrase)
    facts = caught.value.facts
    assert facts["position"] == position
    assert facts["found"] == found
    assert expected in facts["expected"]


def test_the_caret_stands_under_the_character():
    with pytest.raises(DescriptionError) as caught:
        parse("RY(-170,),TYK(400)")
    message, shown, caret = str(caught.value).split("\n")
    assert message.startswith(
        "Description phrase, character 9: found ')'; expected the upper limit"
    )
    assert shown[caret.index("^")] == ")"


def test_the_caret_is_right_in_a_long_phrase_of_many_lines():
    phrase = "RX,\n" + "RY(-170,170)," * 20 + "?," + "RZ," * 40 + "\nRX"
    with pytest.raises(DescriptionError) as caught:
        parse(phrase)
    _, shown, caret = str(caught.value).split("\n")
    assert shown[caret.index("^")] == "?"
    assert len(shown) < 140


def test_depth_and_length_are_bounded():
    with pytest.raises(DescriptionError, match="at most 50 brackets"):
        parse("[" * 2000)
    with pytest.raises(DescriptionError, match="at most 100000 are read"):
        parse("RX," * 40_000)


def fault_of(phrase):
    try:
        parse(phrase)
    except DescriptionError as error:
        return error
    return None


def parses_or_says_where(phrase):
    """A fault is one DescriptionError with a caret; any other exception fails the test."""
    if (error := fault_of(phrase)) is not None:
        message, shown, caret = str(error).split("\n")
        assert message.startswith("Description phrase, character ")
        assert caret.strip() == "^"
        assert caret.index("^") <= len(shown)
        assert 0 <= error.facts["position"] <= len(phrase)


@pytest.mark.parametrize("phrase", [VALID, LISTING])
def test_deleting_any_character_parses_or_says_where(phrase):
    parse(phrase)
    for place in range(len(phrase)):
        parses_or_says_where(phrase[:place] + phrase[place + 1 :])


@settings(max_examples=cases(gate=20, soak=300))
@given(place=st.integers(0, len(VALID)), character=st.characters(), replaced=st.booleans())
def test_one_wrong_character_parses_or_says_where(place, character, replaced):
    parses_or_says_where(VALID[:place] + character + VALID[place + replaced :])


@given(text=st.text(alphabet="RXTYZK()[],;-.019eEINFØθ \n", max_size=40))
def test_any_text_parses_or_says_where(text):
    parses_or_says_where(text)
