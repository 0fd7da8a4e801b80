"""The direct models through the command line: keys, numbers, units, exit codes."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from robots.core.model import Model
from robots.library import load

ARM = "measuring-arm"
Q = np.radians([[0, 0, 0, 0, 0], [30, -40, 60, 90, -20]])
FULL = """\
q1_rad,q2_rad,q3_rad,q4_rad,q5_rad,qd1_rad_s,qd2_rad_s,qd3_rad_s,qd4_rad_s,qd5_rad_s,\
qdd1_rad_s2,qdd2_rad_s2,qdd3_rad_s2,qdd4_rad_s2,qdd5_rad_s2,tau1_nm,tau2_nm,tau3_nm,tau4_nm,tau5_nm
0.1,0.2,0.3,0.4,0.5,1,-1,0.5,2,-2,3,4,-5,6,7,10,60,10,0.01,0.001
"""
MOTION = [np.array([float(x) for x in FULL.splitlines()[1].split(",")[k : k + 5]])
          for k in (0, 5, 10, 15)]  # fmt: skip


@pytest.fixture
def motion(file):
    return file("motion.csv", FULL)


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("forward", {"T": (4, 4)}),
        ("jacobian", {"J": (6, 5)}),
        ("velocity", {"velocity": (6,)}),
        ("acceleration", {"acceleration": (6,)}),
        ("dynamics", {"tau": (5,)}),
        ("mass", {"mass": (5, 5)}),
        (
            "lagrange",
            {"mass": (5, 5), "coriolis": (5, 5, 5), "centrifugal": (5, 5), "gravity": (5,)},
        ),
    ],
)
def test_json_has_the_contract_s_keys_and_shapes(palpeur, motion, command, keys):
    ran = palpeur("robot", command, ARM, "--states", motion, "--json")
    assert (ran.code, ran.err) == (0, "")
    (row,) = ran.rows
    assert {key: np.shape(value) for key, value in row.items()} == keys


def test_forward_of_the_arm_at_zero_is_what_the_table_of_lengths_says(palpeur, states):
    rows = palpeur("robot", "forward", ARM, "--states", states, "--json").rows
    # d3 along x, then r4 down from the shoulder at r1; z_tool = -Y5
    np.testing.assert_allclose(np.array(rows[0]["T"])[:3, 3], [1, 0, 0.40982 - 1.5139], atol=1e-15)
    np.testing.assert_allclose([row["T"] for row in rows], Model(load(ARM)).forward(Q), atol=1e-15)


def test_numbers_are_those_of_the_model(palpeur, motion):
    model, (q, qd, qdd, tau) = Model(load(ARM)), MOTION
    expected = {
        ("velocity",): model.velocity(q, qd),
        ("acceleration",): model.acceleration(q, qd, qdd),
        ("dynamics",): model.torques(q, qd, qdd),
        ("dynamics", "--forward"): model.forward_dynamics(q, qd, tau),
    }
    for (command, *options), right in expected.items():
        (row,) = palpeur("robot", command, ARM, *options, "--states", motion, "--json").rows
        np.testing.assert_allclose(next(iter(row.values())), right, rtol=1e-12)


def test_the_sum_of_the_contract_holds_between_two_commands(palpeur, motion):
    (row,) = palpeur("robot", "lagrange", ARM, "--states", motion, "--json").rows
    (dynamics,) = palpeur("robot", "dynamics", ARM, "--states", motion, "--json").rows
    _, qd, qdd, _ = MOTION
    A, B, C = (np.array(row[key]) for key in ("mass", "coriolis", "centrifugal"))
    assert np.all(B[:, np.tril_indices(5)[0], np.tril_indices(5)[1]] == 0.0)  # j < k only
    tau = A @ qdd + np.einsum("ijk,j,k", B, qd, qd) + C @ qd**2 + row["gravity"]
    np.testing.assert_allclose(tau, dynamics["tau"], rtol=1e-11, atol=1e-13)


def test_torques_of_rest_are_gravity_s_and_say_what_was_left_out(palpeur, states):
    ran = palpeur("robot", "dynamics", ARM, "--states", states, "--json")
    assert ran.code == 0
    np.testing.assert_allclose(
        [row["tau"] for row in ran.rows], Model(load(ARM)).gravity_torques(Q), atol=1e-13
    )
    assert "qd and qdd; taken as zero" in ran.err


def test_a_wrench_on_the_environment_costs_its_transposed_jacobian(palpeur, file):
    wrench = "fx_n,fy_n,fz_n,mx_nm,my_nm,mz_nm"
    header = "q1_deg,q2_deg,q3_deg,q4_deg,q5_deg"
    table = file("w.csv", f"{header},{wrench}\n30,-40,60,90,-20,1,2,3,4,5,6\n")
    (row,) = palpeur("robot", "dynamics", ARM, "--states", table, "--json").rows
    model = Model(load(ARM))
    right = model.gravity_torques(Q[1]) + model.jacobian(Q[1]).T @ [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(row["tau"], right, atol=1e-12)


@pytest.mark.parametrize(
    ("command", "missing"),
    [("velocity", "qd1_rad_s"), ("acceleration", "qd1_rad_s"), ("inverse", "x_m, y_m, z_m")],
)
def test_missing_columns_are_named(palpeur, states, command, missing):
    ran = palpeur("robot", command, ARM, "--states", states, "--json")
    assert (ran.code, ran.out) == (2, "")
    assert missing in ran.err
    assert "states.csv" in ran.err


def test_forward_dynamics_needs_torques(palpeur, states):
    ran = palpeur("robot", "dynamics", ARM, "--forward", "--states", states)
    assert ran.code == 2
    assert "tau1_nm" in ran.err


def test_a_singular_mass_matrix_is_a_failure_with_null_in_its_place(palpeur, file):
    names = [f"q{k}_rad" for k in range(1, 7)] + [f"tau{k}_nm" for k in range(1, 7)]
    table = file("t.csv", ",".join(names) + "\n" + ",".join(["0.1"] * 12) + "\n")
    ran = palpeur("robot", "dynamics", "liegeois-6r", "--forward", "--states", table, "--json")
    assert ran.code == 1
    assert ran.rows == [{"qdd": [None] * 6}]
    assert "R204" in ran.err
    assert "line 2" in ran.err


def test_states_outside_the_limits_are_told_but_answered(palpeur, file):
    table = file("o.csv", "q1_deg,q2_deg,q3_deg,q4_deg,q5_deg\n0,0,0,0,0\n0,91,0,0,0\n")
    ran = palpeur("robot", "forward", ARM, "--states", table)
    assert ran.code == 0
    assert "R205 note: 1 of 2 states are outside the joint limits, first q2 in line 3" in ran.err


def test_csv_reads_back_and_text_is_a_table(palpeur, states):
    ran = palpeur("robot", "forward", ARM, "--states", states, "--csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert list(rows[0]) == [f"T{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3, 4)]
    found = np.array([[float(x) for x in row.values()] for row in rows])
    expected = Model(load(ARM), "single-use").forward(Q)  # as the command asks
    np.testing.assert_array_equal(found, expected[:, :3].reshape(2, 12))
    for command in ("forward", "jacobian", "dynamics", "mass", "lagrange"):
        ran = palpeur("robot", command, ARM, "--states", states)
        assert ran.code == 0
        assert "\x1b" not in ran.out
        assert "state" in ran.out


def test_json_and_csv_exclude_each_other(palpeur, states):
    ran = palpeur("robot", "mass", ARM, "--states", states, "--csv", "--json")
    assert (ran.code, ran.out) == (2, "")


def test_states_come_from_standard_input(palpeur, states):
    text = states.read_text()
    ran = palpeur("robot", "forward", ARM, "--states", "-", "--json", stdin=text)
    assert len(ran.rows) == 2
    ran = palpeur("robot", "forward", ARM, "--states", "-", stdin="q1_deg\n")
    assert ran.code == 2
    assert "standard input, line 1" in ran.err


def test_sliding_joints_have_lengths(palpeur, file):
    header = "q1_deg,q2_deg,q3_{},q4_deg,q5_deg,q6_deg"
    poses = [
        palpeur("robot", "forward", "stanford", "--json", "--states",
                file("s.csv", f"{header.format(unit)}\n10,20,{value},30,40,50\n")).rows
        for unit, value in (("mm", 250), ("m", 0.25))
    ]  # fmt: skip
    assert poses[0] == poses[1]
    wrong = file("w.csv", f"{header.format('deg')}\n1,2,3,4,5,6\n")
    ran = palpeur("robot", "forward", "stanford", "--states", wrong)
    assert ran.code == 2
    assert "prismatic" in ran.err


@pytest.mark.parametrize("name", ["measuring-arn", "nothing-like-it", "missing.toml", "x.step"])
def test_unknown_robots_are_bad_input(palpeur, states, name):
    ran = palpeur("robot", "forward", name, "--states", states)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: ")


def test_a_robot_file_by_path_and_a_robot_that_cannot_move(palpeur, file, states):
    row = 'format = 1\n[robot]\nname = "r"\n[[joint]]\nname = "a"\ntype = "{}"\n'
    one = file("one.toml", row.format("revolute"))
    ran = palpeur("robot", "forward", one, "--states", "-", "--json", stdin="q1_deg\n90\n")
    np.testing.assert_allclose(ran.rows[0]["T"][0], [0, -1, 0, 0], atol=1e-15)
    none = file("none.toml", row.format("fixed"))
    ran = palpeur("robot", "forward", none, "--states", states)
    assert ran.code == 2
    assert "only fixed joints" in ran.err
