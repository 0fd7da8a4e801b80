"""``palpeur motion``: [LAMMARI12] Tableau 4, limits, samples, straight lines."""

from __future__ import annotations

import csv

import numpy as np
import pytest

TABLEAU = [
    *("--from", "0,0,0,0,0", "--to", "90,210,-90,180,-45"),
    *("--kv", "3,3,3,2.5,2.5", "--ka", "5,5,5,3,3"),
]


def rows_of(path) -> np.ndarray:
    with path.open() as file:
        reader = csv.reader(file)
        next(reader)
        return np.array([[float(x) for x in row] for row in reader])


@pytest.mark.parametrize(
    ("law", "printed"),
    [("linear", 1.2566), ("cubic", 2.5066), ("quintic", 2.4589), ("bang-bang", 2.5133),
     ("trapezoid", 2.0900)],
)  # fmt: skip
def test_tableau_4(palpeur, law, printed):
    ran = palpeur("motion", "--law", law, *TABLEAU, "--json")
    assert ran.code == 0
    assert abs(ran.json["duration_s"] - printed) < 5e-5  # half a unit of the last printed digit
    assert ran.json["law"] == law


def test_all_laws_in_one_table(palpeur):
    laws = palpeur("motion", "--all-laws", *TABLEAU, "--json").json["laws"]
    assert [round(item["duration_s"], 4) for item in laws] == [1.2566, 2.5066, 2.4589, 2.5133, 2.09]
    out = palpeur("motion", "--all-laws", *TABLEAU).out
    assert "2.0900" in out


def test_the_double_s_law_with_its_jerk_limits(palpeur):
    """By hand: D = 1 rad, 1 rad/s, 2 rad/s², 8 rad/s³ take 1.75 s."""
    move = ("--from", "0", "--to", "1", "--unit", "rad", "--kv", "1", "--ka", "2")
    ran = palpeur("motion", "--law", "double-s", *move, "--kj", "8", "--json").json
    assert (ran["duration_s"], ran["acceleration_time_s"], ran["plateau"]) == (1.75, 0.75, True)
    assert ran["jerk_time_s"] == pytest.approx(0.25)
    assert ran["binding"] == ["q1 velocity", "q1 acceleration", "q1 jerk"]
    assert len(ran["switches_s"]) == 6
    assert ran["joints"][0]["peak_jerk_rad_s3"] == pytest.approx(8.0)
    out = palpeur("motion", "--law", "double-s", *move, "--kj", "8").out
    assert "rises and falls in 0.250000 s each" in out
    laws = palpeur("motion", "--all-laws", *move, "--kj", "8", "--json").json["laws"]
    assert [item["law"] for item in laws][-2:] == ["trapezoid", "double-s"]
    trapezoid = palpeur("motion", *move, "--json").json["joints"][0]
    assert trapezoid["peak_jerk_rad_s3"] is None


def test_the_double_s_law_of_a_line_and_of_robots(palpeur):
    line = ("--straight", "--from", "0,0,0", "--to", "1000,0,0", "--kv", "1,1", "--ka", "2,2")
    ran = palpeur("motion", "--law", "double-s", *line, "--kj", "8,8", "--json").json
    assert ran["duration_s"] == 1.75
    robot = ("--robot", "measuring-arm", "--from", "0,0,0,0,0", "--to", "9,0,0,0,0")
    refused = palpeur("motion", "--law", "double-s", *robot)
    assert refused.code == 2
    assert "Joint q1: it has no jerk limit" in refused.err
    assert "max_jerk_rad_s3" in refused.err
    assert palpeur("motion", "--law", "double-s", *robot, "--kj", "300").code == 0
    laws = palpeur("motion", "--all-laws", *robot, "--json").json["laws"]
    assert "double-s" not in [item["law"] for item in laws]


def test_peaks_respect_the_limits_and_one_binds(palpeur):
    document = palpeur("motion", *TABLEAU, "--json").json
    speeds = [joint["peak_velocity_rad_s"] for joint in document["joints"]]
    accelerations = [joint["peak_acceleration_rad_s2"] for joint in document["joints"]]
    assert np.all(np.array(speeds) <= np.array([3, 3, 3, 2.5, 2.5]) * (1 + 1e-12))
    assert max(np.array(accelerations) / [5, 5, 5, 3, 3]) == pytest.approx(1.0)
    assert document["binding"] == ["q4 velocity", "q4 acceleration"]


def test_a_reversed_motion_takes_as_long(palpeur):
    """[LAMMARI12] §V.3 takes D without |·|; see sources.md."""
    forth = palpeur("motion", "--from", "0", "--to", "90", "--kv", "1", "--ka", "2", "--json").json
    back = palpeur("motion", "--from", "90", "--to", "0", "--kv", "1", "--ka", "2", "--json").json
    assert forth["duration_s"] == back["duration_s"] > 0


def test_nothing_moves_in_no_time(palpeur, tmp_path):
    path = tmp_path / "still.csv"
    ran = palpeur("motion", "--from", "5", "--to", "5", "--kv", "1", "--ka", "2", "--out", path)
    assert ran.code == 0
    assert rows_of(path).shape == (1, 4)


def test_samples_end_exactly_and_move_as_told(palpeur, tmp_path):
    path = tmp_path / "deep" / "motion.csv"
    ran = palpeur("motion", *TABLEAU, "--period-ms", "10", "--out", path)
    assert ran.code == 0
    assert "samples written" in ran.err
    header = path.read_text().splitlines()[0]
    assert header.startswith("t_s,q1_rad,q2_rad")
    assert "qdd5_rad_s2" in header
    table = rows_of(path)
    t, q, qd = table[:, 0], table[:, 1:6], table[:, 6:11]
    assert t[30] == 0.3
    np.testing.assert_allclose(np.degrees(q[-1]), [90, 210, -90, 180, -45], atol=1e-12)
    # the trapezoid's rate is linear between switches: the trapezium rule is exact but for the
    # two steps that hold a switch, where it errs by at most ka·h²/2
    area = np.sum(0.5 * (qd[1:] + qd[:-1]) * np.diff(t)[:, None], axis=0)
    np.testing.assert_allclose(area, q[-1] - q[0], atol=2 * 5 * 0.01**2)


def test_units_and_limits_come_from_a_robot(palpeur):
    ends = ("--from", "0,0,100,0,0,0", "--to", "10,20,300,0,0,0")
    ran = palpeur("motion", "--robot", "stanford", *ends, "--kv", "1", "--ka", "2", "--json")
    joint = ran.json["joints"][2]
    assert joint["displacement_m"] == pytest.approx(0.2)
    arm = palpeur("motion", "--robot", "measuring-arm", "--from", "0,0,0,0,0", "--to", "9,0,0,0,0")
    assert arm.code == 0


def test_a_straight_line_turns_and_moves(palpeur, tmp_path):
    path = tmp_path / "line.csv"
    ran = palpeur(
        *("motion", "--straight", "--law", "quintic", "--from", "0,0,0"),
        *("--to", "100,0,0,90,0,0", "--kv", "1,1", "--ka", "2,2", "--out", path, "--json"),
    )
    assert ran.code == 0
    assert ran.json["distance_m"] == pytest.approx(0.1)
    assert ran.json["angle_rad"] == pytest.approx(np.pi / 2)
    assert ran.json["duration_s"] == pytest.approx(15 / 8 * np.pi / 2)  # the turn's speed binds
    table = rows_of(path)
    np.testing.assert_allclose(table[-1, 1:13].reshape(3, 4)[:, 3], [0.1, 0, 0], atol=1e-15)
    slopes = np.diff(table[:, 4]) / np.diff(table[:, 0])
    np.testing.assert_allclose(
        slopes, 0.5 * (table[1:, 13] + table[:-1, 13]), atol=1e-6
    )  # rate at the middle, to h²
    half = palpeur(
        *("motion", "--straight", "--from", "0,0,0", "--to", "0,0,0,180,0,0", "--kv", "1,1"),
        *("--ka", "2,2"),
    )
    assert "both directions of rotation" in half.err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--from", "0", "--to", "1,2", "--kv", "1", "--ka", "1"), "--from has 1 values"),
        (("--from", "a", "--to", "1", "--kv", "1", "--ka", "1"), "--from: value 1 is 'a'"),
        (("--from", "0,nan", "--to", "1,1", "--kv", "1", "--ka", "1"), "value 2 is 'nan'"),
        (("--from", "0", "--to", "1", "--ka", "1"), "--kv is missing"),
        (("--from", "0", "--to", "1", "--kv", "-1", "--ka", "1"), "above zero"),
        (("--from", "0,0", "--to", "1,1", "--kv", "1,1,1", "--ka", "1"), "--kv has 3 values"),
        (("--from", "0", "--to", "1", "--kv", "1", "--ka", "1", "--law", "sine"), "trapezoid"),
        (("--from", "0", "--to", "1", "--kv", "1", "--ka", "1", "--law", "double-s"), "--kj"),
        (("--from", "0", "--to", "1", "--kv", "1", "--ka", "1", "--kj", "1,2"), "expected 1"),
        (("--from", "0", "--to", "1", "--kv", "1", "--ka", "1", "--unit", "yd"), "'yd'"),
        (("--from", "0", "--to", "1", "--robot", "planar-3r"), "3 joint variables"),
        (("--from", "0,0", "--to", "1,1", "--kv", "1,1", "--ka", "1,1", "--straight"), "a pose is"),
        (("--from", "0,0,0", "--to", "1,1,1", "--kv", "1", "--ka", "1", "--straight"), "give two"),
        (
            ("--from", "0", "--to", "1", "--kv", "1e-9", "--ka", "1", "--out", "/tmp/never.csv"),
            "Give a longer period",
        ),
    ],
)
def test_motions_that_cannot_be_are_bad_input(palpeur, arguments, part):
    ran = palpeur("motion", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert part in ran.err
