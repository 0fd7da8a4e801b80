"""``palpeur biped transmission``: motors beside joints; what lies beyond a range is said."""

import json

import pytest

from planner.cli.biped.biped_app import transmission
from planner.errors import OptionError
from robots.core.errors import RobotFileError

HEADER = "q1_deg,q2_deg,q3_deg,q4_deg"


def rows(capsys):
    return json.loads(capsys.readouterr().out)["rows"]


def test_the_zero_posture_has_the_published_figures(capsys):
    assert transmission("bip-leg", as_json=True) == 0
    (row,) = rows(capsys)
    added = [joint["reflected_inertia_kg_m2"] for joint in row["joints"]]
    assert added == pytest.approx([0.2423, 0.6005, 0.2400, 0.6463], abs=5e-5)
    assert [motor["position_rad"] for motor in row["motors"]] == [0.0] * 4
    turns = row["joints"][2]["motor_turns_per_joint_turn"]
    assert abs(turns["m3"]) == pytest.approx(58.5, abs=0.05)
    assert set(row["joints"][0]["motor_turns_per_joint_turn"]) == {"m1", "m2"}
    assert row["within_range"] is True


def test_a_posture_as_text(capsys):
    assert transmission("bip-leg", posture="0,-16,85,-70") == 0
    out = capsys.readouterr().out
    assert "motor turns per joint turn" in out
    assert "encoder mdeg" in out
    assert [line.split()[0] for line in out.splitlines()] == [
        "joint", "q1", "q2", "q3", "q4", "motor", "m1", "m2", "m3", "m4",
    ]  # fmt: skip


def test_a_posture_beyond_the_range_is_told_and_fails(capsys):
    assert transmission("bip-leg", posture="0,0,95,0") == 1
    assert "Joint q3 stands at 95°" in capsys.readouterr().out
    assert transmission("bip-leg", posture="0,0,95,0", as_json=True) == 1
    (row,) = rows(capsys)
    assert row["within_range"] is False
    assert "Joint q3" in row["reason"]


def test_a_table_with_rates_and_torques(capsys, tmp_path):
    table = tmp_path / "states.csv"
    rates = "qd1_deg_s,qd2_deg_s,qd3_deg_s,qd4_deg_s"
    torques = "tau1_nm,tau2_nm,tau3_nm,tau4_nm"
    table.write_text(
        f"{HEADER},{rates},{torques}\n0,0,45,0,1,2,90,4,5,6,100,8\n30,0,0,0,0,0,0,0,0,0,0,0\n"
    )
    assert transmission("bip-leg", states=str(table), as_json=True) == 1
    first, second = rows(capsys)
    motor = first["motors"][2]
    assert abs(motor["speed_rad_s"]) == pytest.approx(1.5708 * 115.1, rel=1e-3)
    assert abs(motor["torque_nm"]) == pytest.approx(100 / 115.1, rel=1e-3)
    power = sum(m["speed_rad_s"] * m["torque_nm"] for m in first["motors"])
    asked = (1 * 5 + 2 * 6 + 90 * 100 + 4 * 8) * 3.14159265358979 / 180
    assert power == pytest.approx(asked, rel=1e-12)
    assert second["within_range"] is False
    assert transmission("bip-leg", states=str(table), as_csv=True) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "state,within_range,motor,position_rad,speed_rad_s,torque_nm"
    assert len(lines) == 1 + 2 * 4
    assert lines[5] == "2,0,m1,,,"
    transmission("bip-leg", states=str(table))
    out = capsys.readouterr().out
    assert "states.csv, line 2" in out
    assert "rpm" in out
    assert "N m" in out


def test_every_joint_of_the_whole_robot_has_its_motor(capsys):
    assert transmission("bip2000", as_json=True) == 0
    (row,) = rows(capsys)
    turns = {j["joint"]: j["motor_turns_per_joint_turn"] for j in row["joints"]}
    assert len(turns) == len(row["motors"]) == 15
    assert abs(turns["q9"]["m9"]) == pytest.approx(271.16)
    assert abs(turns["q4"]["m4"]) == pytest.approx(96.1, abs=0.05)
    assert set(turns["q15"]) == {"m14", "m15"}


def test_faults_of_the_options():
    with pytest.raises(OptionError, match="exclude each other"):
        transmission("bip-leg", posture="0,0,0,0", states="x.csv")
    with pytest.raises(OptionError, match="--posture has 2 values; bip-leg has 4 joints: q1, q2"):
        transmission("bip-leg", posture="0,0")
    with pytest.raises(RobotFileError, match="There is no library biped 'bip-leeg'"):
        transmission("bip-leeg")
