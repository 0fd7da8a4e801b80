"""``palpeur biped com``: figures, forms, exit codes, and what users get wrong."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from planner.cli.biped.biped_app import com
from planner.errors import OptionError, StatesError
from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError, PostureError

LEG_SQUAT = "q2=-16,q3=85,q4=-70"
SQUAT = f"{LEG_SQUAT},q6=-16,q7=85,q8=-70"


def test_the_standing_robot_s_figures(capsys):
    assert com("bip2000", as_json=True) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["com_m"] == pytest.approx([-0.02185, -0.00412, 1.01097], abs=5e-6)
    assert row["mass_kg"] == pytest.approx(104.81)
    tips = row["tip_angles_rad"]
    assert np.degrees(tips["forward"]) == pytest.approx(10.75, abs=0.01)
    assert np.degrees(tips["backward"]) == pytest.approx(5.55, abs=0.01)
    assert row["omega_1_s"] == pytest.approx(3.1151, abs=5e-5)
    assert row["capture_speeds_m_s"]["forward"] == pytest.approx(0.598, abs=5e-4)
    assert row["capture_speeds_m_s"]["backward"] == pytest.approx(0.306, abs=5e-4)
    assert (row["stance"], row["out_of_limits"]) == ("standing", "")
    assert sorted(row["edges"]) == ["heel", "left", "right", "toe"]


def test_squat_of_leg_and_robot(capsys):
    assert com("bip-leg", posture=LEG_SQUAT) == 0
    assert "stands, 15.96 mm inside, nearest edge heel" in capsys.readouterr().out
    assert com("bip2000", posture=SQUAT) == 1
    said = capsys.readouterr().out
    assert "falls over heel, 83.89 mm beyond it" in said
    assert "frozen" not in said


def test_tilted_ground_makes_the_frozen_leg_fall(capsys):
    assert com("bip-leg", ground="0,17.9") == 0
    assert com("bip-leg", ground="0,18") == 1
    assert "falls over toe" in capsys.readouterr().out


def test_fallen_postures_have_no_room_left_in_json(capsys):
    assert com("bip2000", posture=SQUAT, as_json=True) == 1
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert set(row["tip_angles_rad"].values()) == {None}
    assert set(row["capture_speeds_m_s"].values()) == {None}


def test_table_of_postures_as_csv(tmp_path, capsys):
    file = tmp_path / "squat.csv"
    file.write_text("q1_deg,q2_deg,q3_deg,q4_deg\n0,0,0,0\n0,-16,85,-70\n")
    assert com("bip-leg", states=str(file), as_csv=True) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["state"] for row in rows] == ["1", "2"]
    assert float(rows[1]["com_x_m"]) == pytest.approx(-0.104, abs=5e-4)
    assert rows[1]["nearest_edge"] == "heel"


def test_limits_are_noted(capsys):
    assert com("bip-leg", posture="q3=-5") == 0
    assert "note: out of limits: joint 'q3'" in capsys.readouterr().out


def test_all_joints_and_named_joints_say_the_same(capsys):
    com("bip-leg", posture="0,-16,85,-70", as_json=True)
    listed = capsys.readouterr().out
    com("bip-leg", posture="q4=-70, q3=85 ,q2=-16", as_json=True)
    assert capsys.readouterr().out == listed


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"posture": "0,0", "states": "x.csv"}, OptionError, "exclude each other"),
        ({"posture": "1,2,3"}, OptionError, "has 3 values; bip-leg has 4 joints: q1, q2, q3, q4"),
        ({"posture": "q9=3"}, OptionError, "'q9' but bip-leg has no such joint"),
        ({"posture": "q2=3,q2=4"}, OptionError, "'q2' twice"),
        ({"posture": "q2=x"}, OptionError, "--posture, q2: value 1 is 'x'"),
        ({"posture": "q2="}, OptionError, "--posture, q2: value 1 is ''"),
        ({"posture": "q2=3,4"}, OptionError, "names '4'"),
        ({"ground": "5"}, OptionError, "--tilt has 1 values"),
        ({"ground": "0,90"}, BipedError, "beta is 90 deg"),
        ({"states": "missing.csv"}, StatesError, "cannot be read"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        com("bip-leg", **options)


def test_a_posture_without_a_flat_foot_is_told():
    with pytest.raises(PostureError, match="whichever foot it stands on"):
        com("bip2000", posture="q2=20,q6=-20")


@pytest.mark.parametrize(
    ("robot", "posture", "message"),
    [
        (
            "bip2000",
            "q2=300",
            "--posture: joint 'q2' would stand at 300 deg, 255 deg beyond its upper limit 45; the "
            "robot cannot stand so. Give a posture within the limits.",
        ),
        (
            "bip-leg",
            "q2=-160000",
            "--posture: joint 'q2' would stand at -160000 deg, 1.6e+05 deg beyond its lower limit "
            "-45; the robot cannot stand so. Give a posture within the limits.",
        ),
    ],
)
def test_a_posture_out_of_range_is_told_by_its_joint(robot, posture, message):
    with pytest.raises(PostureError) as caught:
        com(robot, posture=posture)
    assert caught.value.message == message


def test_a_row_out_of_range_is_told_by_line_and_joint(tmp_path):
    file = tmp_path / "fast.csv"
    file.write_text("q1_deg,q2_deg,q3_deg,q4_deg\n0,0,-5,0\n0,-160000,85,-70\n")
    with pytest.raises(PostureError) as caught:
        com("bip-leg", states=str(file))
    assert caught.value.message == (
        "fast.csv, line 3: joint 'q2' would stand at -160000 deg, 1.6e+05 deg beyond its lower "
        "limit -45; the robot cannot stand so. Give a posture within the limits."
    )


def test_a_row_without_a_flat_foot_is_told_by_its_line(tmp_path):
    joints = [joint.name for joint in open_biped("bip2000").mechanism.movable]
    angles = {"q2": "20", "q6": "-20"}
    file = tmp_path / "feet.csv"
    head = ",".join(f"{name}_deg" for name in joints)
    file.write_text(head + "\n" + ",".join(angles.get(name, "0") for name in joints) + "\n")
    with pytest.raises(PostureError, match=r"^feet\.csv, line 2: Posture 1 of bip2000: whichever"):
        com("bip2000", states=str(file))
