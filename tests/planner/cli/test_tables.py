"""Tables of states: units to SI, and errors that say where."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import StatesError
from planner.tables import read_states, states_of
from robots.library import load
from tests.cases import cases

STANFORD = load("stanford")  # RRPRRR
HEADER = "q1_deg,q2_rad,q3_mm,q4_rad,q5_rad,q6_rad"


def read(text: str):
    return states_of(text, "table.csv", STANFORD)


def test_units_become_si():
    table = read(f"{HEADER}\n90,1,250,0,0,-1e-3\n")
    np.testing.assert_allclose(table.groups["q"], [[np.pi / 2, 1, 0.25, 0, 0, -1e-3]], rtol=1e-15)


@pytest.mark.parametrize(
    ("header", "group", "factor"),
    [
        ("qd{}_deg_s", "qd", np.pi / 180),
        ("qd{}_rad_s", "qd", 1.0),
        ("qdd{}_deg_s2", "qdd", np.pi / 180),
        ("qdd{}_rad_s2", "qdd", 1.0),
        ("tau{}_nm", "tau", 1.0),
    ],
)
def test_rates_and_torques(header, group, factor):
    slide = {"qd": "qd3_mm_s", "qdd": "qdd3_mm_s2", "tau": "tau3_n"}[group]
    names = [slide if k == 3 else header.format(k) for k in range(1, 7)]
    table = read(",".join(names) + "\n" + "2,2,2,2,2,2\n")
    scale = 2.0 * np.array([factor] * 6)
    scale[2] = 2.0 if group == "tau" else 2e-3
    np.testing.assert_allclose(table.groups[group], [scale], rtol=1e-15)


def test_columns_may_stand_in_any_order_and_rows_be_spaced():
    names = HEADER.split(",")[::-1]
    table = read(f" {' , '.join(names)} \n\n 6,5,4,3000,2,180 \n\n")
    np.testing.assert_allclose(table.groups["q"], [[np.pi, 2, 3, 4, 5, 6]])
    assert table.lines == (3,)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_windows_files_are_read(file, ending, mark):
    path = file("s.csv", mark + f"{HEADER}{ending}1,2,3,4,5,6{ending}".encode())
    assert len(read_states(str(path), STANFORD)) == 1


def test_a_missing_group_names_its_columns():
    table = read(f"{HEADER}\n1,2,3,4,5,6\n")
    with pytest.raises(
        StatesError, match=r"line 1: the test needs the columns qd1_rad_s, .*qd3_m_s"
    ):
        table.require("qd", "the test")
    np.testing.assert_array_equal(table.or_zero("qd"), np.zeros((1, 6)))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["empty"]),
        ("\n\n", ["empty"]),
        (HEADER, ["no state"]),
        (f"{HEADER}\n1,2,3,4,5\n", ["line 2", "5 cells", "6 columns"]),
        (f"{HEADER}\n1,2,3,4,5,6,7\n", ["line 2", "7 cells"]),
        (f"{HEADER}\n1,2,3,4,5,6\n1,2,x,4,5,6\n", ["line 3", "q3_mm", "'x'", "a number"]),
        (f"{HEADER}\n1,2,nan,4,5,6\n", ["line 2", "q3_mm", "a finite number"]),
        (f"{HEADER}\n1,2,-inf,4,5,6\n", ["a finite number"]),
        (f"{HEADER}\n1,2,1e400,4,5,6\n", ["at most 1e+09"]),
        (f"{HEADER}\n1,2,-1.000000001e9,4,5,6\n", ["'-1.000000001e9'; expected at most 1e+09."]),
        (f"{HEADER}\n1,2,,4,5,6\n", ["an empty cell"]),
        (f"{HEADER}\n1,2,1_0,4,5,6\n", ["'1_0'"]),
        (f"{HEADER}\n1,2,٣,4,5,6\n", ["a number"]),
        (f'{HEADER}\n1,2,"3,4,5,6\n', ["not CSV"]),
        (HEADER.replace("q2_rad,", "") + "\n1,2,3,4,5\n", ["q2_rad is missing"]),
        (f"{HEADER},q1_rad\n1,2,3,4,5,6,7\n", ["q1_rad", "the same as column q1_deg"]),
        (f"{HEADER},q1_deg\n1,2,3,4,5,6,7\n", ["q1_deg", "the same as column q1_deg"]),
        (HEADER.replace("q3_mm", "q3_deg") + "\n", ["q3_deg", "prismatic", "q3_m or q3_mm"]),
        (HEADER.replace("q1_deg", "q1_mm") + "\n", ["q1_mm", "revolute", "q1_rad or q1_deg"]),
        (HEADER.replace("q1_deg", "q1") + "\n", ["'q1'", "no unit", "q1_rad or q1_deg"]),
        (HEADER.replace("q1_deg", "q7_deg") + "\n", ["q7_deg", "6 joint variables", "q6"]),
        (HEADER.replace("q1_deg", "Q1_deg") + "\n", ["did you mean q1_deg?"]),
        (HEADER.replace(",", ";", 1) + "\n", ["line 1: the header has commas and semicolons;"]),
        (HEADER.replace(",", ";") + "\n1;2;3\n", ["separate by semicolons and write decimals"]),
        (f"{HEADER},\n1,2,3,4,5,6,7\n", ["number 7", "no name"]),
        (f"{HEADER},nx,ny\n", ["nz is missing beside nx, ny"]),
    ],
)
def test_errors_say_where_what_and_what_instead(text, parts):
    with pytest.raises(StatesError) as caught:
        read(text)
    message = str(caught.value)
    assert message.startswith("table.csv")
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize(("sign", "plural"), [(";", "semicolons"), ("\t", "tabs")])
def test_columns_are_separated_as_in_the_header(sign, plural):
    header = HEADER.replace(",", sign)
    table = read(f"\n{header}\n1{sign}2{sign}3{sign}4{sign}5{sign}6\n")
    np.testing.assert_array_equal(table.groups["q"], read(f"{HEADER}\n1,2,3,4,5,6\n").groups["q"])
    with pytest.raises(StatesError) as caught:
        read(f"{header}\n1{sign}2\n")
    assert str(caught.value) == (
        "table.csv, line 2: 2 cells where the header has 6 columns; "
        f"separate by {plural} and write decimals with a point."
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            f'{HEADER}\n1,"-1,5",3,4,5,6\n',
            "line 2, column q2_rad: found '-1,5'; expected a number with a decimal point, as -1.5.",
        ),
        (
            HEADER.replace(",", ";") + "\n1;2;,5e3;4;5;6\n",
            "line 2, column q3_mm: found ',5e3'; expected a number with a decimal point, as .5e3.",
        ),
        (
            HEADER.replace("q1_deg", "Q1_deg") + "\n",
            "line 1, column 'Q1_deg': this column is not known: did you mean q1_deg?",
        ),
        (
            "q1_deg,q2_deg,q3_mm,q5_deg\n1,2,3,4\n",
            "line 1: columns q4_deg, q6_deg are missing beside q1_deg, q2_deg, q3_mm, q5_deg.",
        ),
        (
            "q1_deg,q2_rad,q3_mm,q5_deg,q6_rad\n1,2,3,4,5\n",
            "line 1: column q4_rad is missing beside q1_deg, q2_rad, q3_mm, q5_deg, q6_rad, whose "
            "units are mixed (rad and deg); either will do.",
        ),
        ("q1_deg\n1\n", "line 1: columns q2_deg, q3_m, q4_deg, q5_deg, q6_deg are missing beside "
         "q1_deg."),
    ],
)  # fmt: skip
def test_the_whole_sentence(text, told):
    with pytest.raises(StatesError) as caught:
        read(text)
    assert str(caught.value) == f"table.csv, {told}"


def test_the_largest_number_is_read():
    table = read(f"{HEADER}\n1,1e9,3,4,5,-1e9\n")
    assert table.groups["q"][0, [1, 5]].tolist() == [1e9, -1e9]


def test_bytes_that_are_no_text_are_refused(file):
    path = file("s.csv", HEADER.encode() + b"\n1,2,3,\xff,5,6\n")
    with pytest.raises(StatesError, match=r"s\.csv, line 2: byte 48 is not UTF-8"):
        read_states(str(path), STANFORD)


def test_files_that_cannot_be_read_say_why(tmp_path):
    for path, reason in ((tmp_path / "none.csv", "No such file"), (tmp_path, "directory")):
        with pytest.raises(StatesError, match=reason):
            read_states(str(path), STANFORD)
    with pytest.raises(StatesError, match="null"):
        read_states("a\0b", STANFORD)


@pytest.mark.parametrize(
    ("cap", "value", "part"),
    [("ROWS", "2", "more than 2 states"), ("COLUMNS", "5", "at most 5 are read"),
     ("BYTES", "40", "more than 40 bytes")],
)  # fmt: skip
def test_caps_are_named(monkeypatch, file, cap, value, part):
    monkeypatch.setenv(f"PALPEUR_CAP_TABLE_{cap}", value)
    path = file("s.csv", f"{HEADER}\n" + "1,2,3,4,5,6\n" * 3)
    with pytest.raises(StatesError, match=f"{part}.*raise it with PALPEUR_CAP_TABLE_{cap}=…"):
        read_states(str(path), STANFORD)


@settings(max_examples=cases(gate=40, soak=200), deadline=None)
@given(st.text(max_size=80), st.integers(0, len(HEADER)), st.integers(0, 8))
def test_no_table_does_anything_but_work_or_explain(inserted, place, removed):
    whole = f"{HEADER}\n1,2,3,4,5,6\n"
    broken = whole[:place] + inserted + whole[place + removed :]
    with contextlib.suppress(StatesError):  # any other exception is a fault
        assert np.all(np.isfinite(read(broken).or_zero("q")))


def test_a_joint_s_name_is_its_number_wherever_it_stands_in_the_tree():
    """BIP 2000's tree begins with q9 and q10."""
    bip = load("bip2000")
    names = [joint.name for joint in bip.movable]
    assert names[:3] == ["q9", "q10", "q4"]
    header = ",".join(f"q{k}_rad" for k in range(1, 16))
    table = states_of(f"{header}\n{','.join(map(str, range(1, 16)))}\n", "table.csv", bip)
    assert [f"q{value:g}" for value in table.groups["q"][0]] == names
    with pytest.raises(StatesError, match=r"joint 9 \(q9\) is revolute; expected q9_rad or q9_deg"):
        states_of(header.replace("q9_rad", "q9_mm") + "\n", "table.csv", bip)
