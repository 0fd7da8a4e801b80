"""``--q`` and its kin: one state without a table, to the same bits as a table of one row."""

from __future__ import annotations

import re

import pytest

ARM, Q, QD, QDD = "measuring-arm", "-30,-40,60,90,-20", "1,-2,3.5,4,0", "-10,20,30,-40,1e1"
HEADS = {"q": "q{}_deg", "qd": "qd{}_deg_s", "qdd": "qdd{}_deg_s2", "tau": "tau{}_nm"}


def table(**groups):
    """A states file of one row from the texts of the options."""
    heads = [
        HEADS[g].format(k + 1) for g, text in groups.items() for k in range(text.count(",") + 1)
    ]
    return f"{','.join(heads)}\n{','.join(groups.values())}\n"


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("forward", {"q": Q}),
        ("jacobian", {"q": Q}),
        ("mass", {"q": Q}),
        ("lagrange", {"q": Q}),
        ("singularities", {"q": Q}),
        ("velocity", {"q": Q, "qd": QD}),
        ("acceleration", {"q": Q, "qd": QD, "qdd": QDD}),
        ("dynamics", {"q": Q}),
        ("dynamics", {"q": Q, "qd": QD, "qdd": QDD}),
        ("dynamics --forward", {"q": Q, "tau": "1,-2,3,0.4,0"}),
    ],
)
def test_a_state_is_a_table_of_one_row(palpeur, file, command, given):
    head = ("robot", *command.split()[:1], ARM, *command.split()[1:])
    options = [part for name, text in given.items() for part in (f"--{name}", text)]
    states = file("one.csv", table(**given))
    for form in ("--json", "--csv") if command != "singularities" else ("--json",):
        told = palpeur(*head, *options, form)
        assert told.code == 0
        assert told.out == palpeur(*head, "--states", states, form).out


def test_a_target_is_a_table_of_one_row(palpeur, file):
    states = file("one.csv", "x_mm,y_mm,z_mm,nx,ny,nz,q1_deg,q2_deg,q3_deg,q4_deg,q5_deg\n"
                             "-300,900,700,0,0,1,1,2,3,4,5\n")  # fmt: skip
    head = ("robot", "inverse", ARM, "--json")
    at = ("--at", "-300,900,700", "--normal", "0,0,1", "--q", "1,2,3,4,5")
    told, tabled = palpeur(*head, *at), palpeur(*head, "--states", states)
    assert (told.code, told.out) == (tabled.code, tabled.out)


def test_units_are_said_and_may_be_given(palpeur):
    """Degrees and millimetres; the Stanford arm's third joint slides."""
    plain = palpeur("robot", "forward", "stanford", "--json", "--q=-90,0,300,0,90,0")
    assert "-90 deg, 0 deg, 300 mm" in plain.err
    units = "-1.5707963267948966rad, 0deg, 0.3 m,0,90,0"
    other = palpeur("robot", "forward", "stanford", "--json", "--q", units)
    assert (other.rows, other.code) == (plain.rows, 0)


def test_joints_stand_in_the_order_of_their_numbers(palpeur, file):
    """A tree may list q2 before q1; the first value is that of q1 all the same."""
    joint = '[[joint]]\nname = "{}"\ntype = "{}"\nparent = "{}"\nmin_{u} = -100\nmax_{u} = 100\n'
    drive = "max_speed_{0} = 1\nmax_acceleration_{0}2 = 1\n"
    robot = file(
        "two.toml",
        'format = 1\n[robot]\nname = "two"\n'
        + joint.format("q2", "prismatic", "base", u="mm") + drive.format("m_s")
        + joint.format("q1", "revolute", "q2", u="deg") + drive.format("rad_s"),
    )  # fmt: skip
    said = palpeur("robot", "forward", robot, "--q", "30,50", "--json")
    assert "q = 30 deg, 50 mm" in said.err
    assert said.rows[0]["T"][2][3] == 0.05


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--q", "1,2,3"), ("3", "5", "q4 [deg]")),
        (("--q", "1,2,3,4,5,6"), ("6", "5")),
        (("--q", "1,2,3,4,"), ("q5", "''", "deg")),
        (("--q", "1,2,x,4,5"), ("q3", "'x'", "deg")),
        (("--q", "1,2,nan,4,5"), ("q3", "'nan'", "deg")),
        (("--q", "1,2,1e400,4,5"), ("q3", "1e400", "deg")),
        (("--q", "1,2,3mm,4,5"), ("q3", "'3mm'", "deg")),
        (("--q", "1,2,3,4,5", "--states", "x.csv"), ("--states", "--q")),
        ((), ("--states", "--q")),
    ],
)  # fmt: skip
def test_what_is_no_state_is_one_message(palpeur, options, told):
    ran = palpeur("robot", "forward", ARM, *options)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert [part for part in told if part not in ran.err] == []


def test_a_rate_that_is_missing_is_asked_for(palpeur):
    ran = palpeur("robot", "acceleration", ARM, "--q", Q, "--qd", QD)
    assert ran.code == 2
    assert "--qdd" in ran.err


def test_outside_the_limits_it_is_answered_with_a_note(palpeur):
    """As for a table: the models hold there, too; joint, value, limit and unit are said."""
    ran = palpeur("robot", "forward", ARM, "--q", "0,-100,0,0,0", "--json")
    assert ran.code == 0
    assert re.search(r"R205 note: .*'q2'.*-100 deg.* limit -90", ran.err)
