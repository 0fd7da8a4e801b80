"""``palpeur biped list | show | squat | tilt | walk | push``: answers, exit codes, refusals."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from planner.findings import page
from robots.biped.biped_file import text_of


def test_the_library_is_listed(palpeur):
    ran = palpeur("biped", "list", "--json")
    assert ran.code == 0
    told = {row["name"]: row["joints"] for row in ran.json["robots"]}
    assert told == {"bip-leg": 4, "bip2000": 15}
    assert "bip2000" in palpeur("biped", "list").out


def test_a_robot_is_shown_with_its_drives_and_its_balance(palpeur):
    told = palpeur("biped", "show", "bip2000", "--json").json
    assert told["mass_kg"] == pytest.approx(104.81)
    assert told["com_m"] == pytest.approx([-0.02185, -0.00412, 1.01097], abs=5e-6)
    added = {
        joint: value
        for one in told["transmissions"]
        for joint, value in zip(one["joints"], one["added_inertia_kg_m2"], strict=True)
    }
    published = [0.2423, 0.6005, 0.2400, 0.6463]
    assert [added[f"q{k}"] for k in range(1, 5)] == pytest.approx(published, abs=5e-5)
    assert any("not physically consistent" in warning for warning in told["warnings"])
    text = palpeur("biped", "show", "bip-leg").out
    assert "23.25 kg" in text
    assert "m1, m2" in text


def test_a_robot_as_a_file_is_the_library_s(palpeur):
    assert palpeur("biped", "show", "bip-leg", "--toml").out == text_of("bip-leg")


def test_the_published_squat_stands_on_the_leg(palpeur):
    ran = palpeur("biped", "squat", "bip-leg", "--json")
    assert ran.code == 0
    told = ran.json
    assert (told["format"], told["scenario"], told["feasible"]) == (1, "squat", True)
    assert told["verdict"]["stance"] == "standing"
    assert told["verdict"]["time_s"] is None
    samples = told["samples"]
    bottom = int(np.argmax(np.abs(np.array(samples["q_rad"])[:, 2])))
    assert samples["t_s"][bottom] == pytest.approx(7.0)
    # 104 mm behind the ankle, which stands at x = 0 of the world
    assert samples["com_m"][bottom][0] == pytest.approx(-0.104, abs=5e-4)
    # 85 and 70 degrees pass the stops of the simulation, not the transmissions' ranges
    codes = {(one["code"], one["severity"]) for one in told["findings"]}
    assert codes == {("B303", "warning")}
    worst = [one["message"] for one in told["findings"]]
    assert "85.00 deg at 7.000 s is 4.21 deg beyond the stop" in worst[1]


def test_the_same_squat_of_the_whole_robot_is_a_fall(palpeur):
    ran = palpeur("biped", "squat", "bip2000")
    assert ran.code == 1
    assert "Falls over the heel at 3.0" in ran.out
    assert "B301 error: heel" in ran.out
    assert ran.out.rstrip().endswith("NOT FEASIBLE")


def test_a_transmission_that_does_not_reach_is_an_error(palpeur):
    ran = palpeur("biped", "squat", "bip-leg", "--hip", "80", "--json")
    assert ran.code == 1
    (found,) = (one for one in ran.json["findings"] if one["code"] == "B304")
    assert found["where"] == "joint q4"
    assert (
        "-80.00 deg at 7.000 s is 5.00 deg beyond the range of its transmission"
        in (found["message"])
    )
    motors = np.array(ran.json["samples"]["motor_speed_rad_s"], dtype=float)
    assert np.isnan(motors[700]).all()  # no figure where a transmission does not reach
    assert np.isfinite(motors[0]).all()


def test_the_ground_tilts_under_the_leg(palpeur):
    ran = palpeur("biped", "tilt", "bip-leg", "--json")
    assert ran.code == 0
    told = ran.json
    assert told["least_margin_m"] > 0.02
    ground = np.degrees(np.array(told["samples"]["ground_rad"]))
    assert np.abs(ground).max(axis=0) == pytest.approx([10.0, 20.0], abs=1e-9)


def test_a_frozen_leg_falls(palpeur):
    ran = palpeur("biped", "tilt", "bip-leg", "--to", "0,20", "--frozen", "--json")
    assert ran.code == 1
    verdict = ran.json["verdict"]
    assert (verdict["stance"], verdict["edge"]) == ("fallen", "toe")
    # It tips forward at 17.9 degrees of its own; the ground has them at this instant.
    samples = ran.json["samples"]
    pitch = np.interp(verdict["time_s"], samples["t_s"], np.array(samples["ground_rad"])[:, 1])
    assert np.degrees(pitch) == pytest.approx(17.9, abs=0.1)


@pytest.mark.soak  # the leg's is in the gate
def test_the_ground_tilts_under_the_whole_robot(palpeur):
    ran = palpeur("biped", "tilt", "bip2000", "--json")
    assert ran.code == 0
    told = ran.json
    assert told["least_margin_m"] > 0.115
    assert told["findings"] == []
    assert len(told["motors"]) == 15
    ground = np.degrees(np.array(told["samples"]["ground_rad"]))
    assert np.abs(ground).max(axis=0) == pytest.approx([10.0, 20.0], abs=1e-9)


def test_the_whole_robot_frozen_ends_with_its_fall(palpeur):
    ran = palpeur("biped", "tilt", "bip2000", "--frozen", "--json")
    assert ran.code == 1
    told = ran.json
    assert (told["verdict"]["stance"], told["verdict"]["edge"]) == ("fallen", "toe")
    assert told["ends_at_fall"]
    over = told["samples"]["t_s"][-1] - told["verdict"]["time_s"]
    assert 0.0 <= over < 0.02  # a sample of 20 ms
    assert {len(rows) for rows in told["samples"]["curves"].values()} == {
        len(told["samples"]["t_s"])
    }
    (fall,) = told["findings"]
    assert "What follows is not simulated" in fall["message"]
    assert "pitch 9.91 deg then" in fall["hint"]


def test_feet_that_collide_are_a_finding(palpeur):
    ran = palpeur("biped", "walk", "bip2000", "--steps", "1", "--step-width", "0.17", "--json")
    assert ran.code == 1
    (found,) = ran.json["findings"]
    assert (found["code"], found["where"]) == ("B309", "feet")
    assert "overlap by up to 9.9 mm" in found["message"]
    assert found["hint"] == "Make the steps wider than 180.0 mm."
    assert "feet_distance_m" in ran.json["samples"]["curves"]


def test_a_push_within_the_limit_is_borne_and_one_beyond_is_not(palpeur):
    assert palpeur("biped", "push", "bip2000", "--speed", "0.2").code == 0
    ran = palpeur("biped", "push", "bip2000", "--speed", "0.8", "--json")
    assert ran.code == 1
    told = ran.json
    assert (told["verdict"]["stance"], told["verdict"]["edge"]) == ("fallen", "toe")
    assert told["least_margin_m"] < 0.0  # of the centre of mass, not of the commanded point
    (fall,) = (one for one in told["findings"] if one["code"] == "B301")
    assert "comes back from at most 0.551 m/s this way, a blow of 57.75 N s" in fall["hint"]
    assert palpeur("biped", "push", "bip2000", "--speed", "0.551").code == 0
    back = palpeur("biped", "push", "bip2000", "--speed", "0.5", "--direction", "backward")
    assert back.code == 1


def test_a_walk_as_csv(palpeur):
    ran = palpeur("biped", "walk", "bip2000", "--steps", "1", "--csv")
    assert ran.code == 0
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    heads = list(rows[0])
    for head in ("t_s", "q15_rad", "qd1_rad_s", "qdd1_rad_s2", "tau15_nm", "com_x_m", "zmp_y_m",
                 "margin_m", "ground_beta_rad", "m15_rad", "m1_rad_s", "m1_nm",
                 "zmp_reference_x_m"):  # fmt: skip
        assert head in heads
    assert float(rows[-1]["com_x_m"]) - float(rows[0]["com_x_m"]) == pytest.approx(0.2, abs=1e-3)
    assert min(float(row["margin_m"]) for row in rows) > 0.0


def test_motors_are_those_of_the_drives(palpeur):
    from robots.biped.biped_file import open_drives

    told = palpeur("biped", "squat", "bip-leg", "--json").json["samples"]
    drives = open_drives("bip-leg")
    q, qd, qdd, tau = (
        np.array(told[key])[300] for key in ("q_rad", "qd_rad_s", "qdd_rad_s2", "tau_nm")
    )
    assert told["motor_speed_rad_s"][300] == pytest.approx(drives.motor_speed(q, qd).tolist())
    wanted = drives.drive_torque(q, qd, qdd, tau).tolist()
    assert told["motor_torque_nm"][300] == pytest.approx(wanted)


def test_a_biped_without_transmissions_is_judged_all_the_same(palpeur, file):
    text = text_of("bip-leg")
    start, stop = text.index("[[transmission]]"), text.index("[[stop]]")
    path = file("own.toml", text[:start] + text[stop:])
    ran = palpeur("biped", "squat", path, "--json")
    assert ran.code == 0
    (found,) = (one for one in ran.json["findings"] if one["code"] == "B308")
    assert "transmission" in found["message"]
    assert ran.json["motors"] == []
    assert palpeur("biped", "show", path).code == 0


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("squat", "bip-lag"), "did you mean 'bip-leg'?"),
        (("sqat", "bip-leg"), "Did you mean 'squat'?"),
        (("squat", "bip-leg", "--knee", "85rad"), "--knee"),
        (("squat", "bip-leg", "--knee", "120"), "knee angle is 120 deg; it must be within ±90"),
        (("squat", "bip-leg", "--duration", "0"), "more than 0 and at most 60 s"),
        (("squat", "bip-leg", "--duration", "nan"), "more than 0 and at most 60 s"),
        (("squat", "bip-leg", "--json", "--csv"), "exclude each other"),
        (("tilt", "bip-leg", "--to", "10"), "give roll and pitch"),
        (("tilt", "bip-leg", "--to", "10deg,20"), "value 1 is '10deg'"),
        (("tilt", "bip-leg", "--to", "10,80"), "each within ±45"),
        (("walk", "bip-leg"), "bip2000"),
        (("walk", "bip2000", "--speed", "5"), "the limit is"),
        (("walk", "bip2000", "--steps", "51"), "at most 50"),
        (("push", "bip2000"), "Give one of --speed"),
        (("push", "bip2000", "--speed", "-1"), "--speed is -1 m/s; give 0 or more"),
        (("push", "bip2000", "--impulse", "nan"), "--impulse is nan N s; give 0 or more"),
        (("push", "bip2000", "--speed", "1", "--impulse", "1"), "Give one of --speed"),
        (("push", "bip2000", "--speed", "9"), "comes back from at most 0.551 m/s"),
        (("push", "bip-leg", "--speed", "9"), "without a step from at most"),
        (("walk", "bip2000", "--step-width", "-1"), "--step-width is -1 m; give a finite"),
        (("walk", "bip2000", "--speed", "-1"), "--speed is -1 m/s; give a finite number above 0."),
        (("walk", "bip2000", "--steps", "0"), "--steps is 0; give at least 1 and at most 50."),
        (("push", "bip2000", "--speed", "0.3", "--direction", "up"), "forward, backward, left"),
        (("push", "bip2000", "--speed", "0.3", "--direction", "0,0"), "forward, backward, left"),
        (("show", "missing.toml"), "missing.toml"),
        (("com", "bip-leg", "--posture", "1,2"), "--posture has 2 values"),
        (("transmission", "bip-leg", "--posture", "1,2"), "--posture has 2 values"),
        (("zmp", "bip-leg"), "--states"),
        (("composite", "bip-leg", "--at", "q9"), "q9"),
    ],
)
def test_bad_input_is_one_message(palpeur, asked, told):
    ran = palpeur("biped", *asked)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("Error:") == 1
    assert told in ran.err


@pytest.mark.parametrize(
    "asked",
    [
        ("com", "bip-leg"),
        ("transmission", "bip-leg"),
        ("composite", "bip-leg", "--at", "q2"),
    ],
)
def test_every_answer_is_one_document_or_a_table(palpeur, asked):
    ran = palpeur("biped", *asked, "--json")
    assert (ran.code, ran.json["format"]) == (0, 1)
    rows = list(csv.reader(io.StringIO(palpeur("biped", *asked, "--csv").out)))
    assert len(rows) > 1
    assert len({len(row) for row in rows}) == 1


def test_the_zero_moment_point_of_a_table(palpeur, file):
    states = file("states.csv", "q1_deg,q2_deg,q3_deg,q4_deg\n0,0,0,0\n0,-16,85,-70\n")
    ran = palpeur("biped", "zmp", "bip-leg", "--states", states, "--json")
    assert ran.code == 0
    assert len(ran.rows) == 2


def test_the_findings_have_pages(palpeur):
    for number in range(301, 310):
        assert palpeur("explain", f"B{number}").code == 0
    assert page("b301").title == "robot falls"
