"""``palpeur robot inverse``: solutions that reach the target, and honest failures."""

from __future__ import annotations

import numpy as np
import pytest

from robots.arm.inverse import BRANCH_NAMES
from robots.core.model import Model
from robots.library import load

ARM = Model(load("measuring-arm"))
Q = np.array([0.3, -0.7, 1.0, 1.5, -0.4])


def line(*numbers) -> str:
    return ",".join(repr(float(x)) for x in numbers) + "\n"


def inverse(palpeur, text, *options, robot="measuring-arm"):
    return palpeur("robot", "inverse", robot, "--states", "-", "--json", *options, stdin=text)


def test_lammari_12_tableau_2_first_and_last_point(palpeur):
    """[LAMMARI12] Tableaux 1 and 2; points are printed to 1e-4 m, the normal is the unit one.

    sources.md decision 3: the unit normal moves q5 by up to 4.0e-3°; 5e-5 m of rounding at 1.5 m
    moves the others by a few thousandths of a degree.
    """
    text = "x_m,y_m,z_m,nx,ny,nz\n"
    text += "0.3983,1.5183,1.2725,0.0965609,0.241402,0.965609\n"
    text += "0.8947,1.5781,1.1575,0.0965609,0.241402,0.965609\n"
    ran = inverse(palpeur, text)
    assert ran.code == 0
    printed = (
        [75.300622, 86.454360, -1.5858521, 1.8695438, -99.825592],
        [60.448860, 71.717099, 10.621187, -2.0255005, -97.276259],
    )
    for row, right in zip(ran.rows, printed, strict=True):
        found = np.degrees([solution["q"] for solution in row["solutions"]])
        assert np.abs(found - right).max(axis=1).min() < 6e-3


def test_every_solution_reaches_point_and_axis(palpeur):
    T = ARM.forward(Q)
    normal = -T[:3, 2]
    (row,) = inverse(palpeur, "x_m,y_m,z_m,nx,ny,nz\n" + line(*T[:3, 3], *normal)).rows
    assert len(row["solutions"]) == 8
    assert {solution["branch"] for solution in row["solutions"]} == set(BRANCH_NAMES)
    low, high = ARM.mechanism.q_min, ARM.mechanism.q_max
    for solution in row["solutions"]:
        assert set(solution) >= {"q", "branch", "residual", "within_limits"}
        q = np.array(solution["q"])
        assert solution["within_limits"] == bool(np.all((q >= low) & (q <= high)))
        np.testing.assert_allclose(
            solution["limit_margins_rad"], np.minimum(q - low, high - q), atol=1e-12
        )
        assert solution["residual"] < 1e-12
        again = ARM.forward(solution["q"])
        np.testing.assert_allclose(again[:3, 3], T[:3, 3], atol=1e-9)
        np.testing.assert_allclose(again[:3, 2], T[:3, 2], atol=1e-9)
    assert min(np.abs(np.array(s["q"]) - Q).max() for s in row["solutions"]) < 1e-8


def test_solutions_within_limits_come_first_and_joint_4_has_another_turn(palpeur):
    T = ARM.forward(Q)
    (row,) = inverse(palpeur, "x_m,y_m,z_m,nx,ny,nz\n" + line(*T[:3, 3], *-T[:3, 2])).rows
    verdicts = [solution["within_limits"] for solution in row["solutions"]]
    assert verdicts == sorted(verdicts, reverse=True)
    own = min(row["solutions"], key=lambda s: np.abs(np.array(s["q"]) - Q).max())
    assert own["branch"] == "shoulder+ elbow+ wrist-"
    assert own["singular"] == []
    assert own["singularity_margin"] > 0.3
    np.testing.assert_allclose(own["alternatives"], [Q - [0, 0, 0, 2 * np.pi, 0]], atol=1e-12)


def test_a_singular_target_is_named_and_keeps_the_joint_that_it_leaves_free(palpeur):
    """Stylus along the forearm: q5 = 0 leaves q4 open, and the table's posture settles it."""
    q = np.array([0.3, -0.2, 0.7, 2.1, 0.0])
    T = ARM.forward(q)
    header = "x_m,y_m,z_m,nx,ny,nz,q1_rad,q2_rad,q3_rad,q4_rad,q5_rad\n"
    (row,) = inverse(palpeur, header + line(*T[:3, 3], *-T[:3, 2], *q)).rows
    first = row["solutions"][0]
    np.testing.assert_allclose(first["q"], q, atol=1e-12)
    assert first["singular"] == ["wrist"]
    assert len(row["solutions"]) < 8  # the two wrists are one posture here, listed once


def test_whole_poses_are_answered_by_branch(palpeur):
    T = ARM.forward(Q)
    header = ",".join(f"T{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3, 4))
    (row,) = inverse(palpeur, header + "\n" + line(*T[:3].ravel())).rows
    assert row["solutions"][0]["branch"] == "q1- q4+"
    assert np.max(np.abs(ARM.forward(row["solutions"][0]["q"]) - T)) < 1e-12


def test_positions_of_five_joints_stay_numerical(palpeur):
    (row,) = inverse(palpeur, "x_m,y_m,z_m\n" + line(*ARM.forward(Q)[:3, 3])).rows
    assert row["solutions"][0]["branch"] == "numerical 1"


def test_the_normal_is_opposite_to_the_tool_axis(palpeur):
    T = ARM.forward(Q)
    by_normal = inverse(palpeur, "x_m,y_m,z_m,nx,ny,nz\n" + line(*T[:3, 3], *-T[:3, 2])).rows
    by_axis = inverse(palpeur, "x_m,y_m,z_m,ax,ay,az\n" + line(*T[:3, 3], *(7 * T[:3, 2]))).rows
    assert len(by_normal[0]["solutions"]) == len(by_axis[0]["solutions"])
    np.testing.assert_allclose(
        by_normal[0]["solutions"][0]["q"], by_axis[0]["solutions"][0]["q"], atol=1e-8
    )


def test_poses_written_by_forward_come_back(palpeur):
    text = "q1_deg,q2_deg,q3_deg,q4_deg,q5_deg,q6_deg\n10,20,30,40,50,60\n"
    arguments = ("robot", "forward", "industrial-6r", "--csv", "--states", "-")
    poses = palpeur(*arguments, stdin=text).out
    ran = inverse(palpeur, poses, robot="industrial-6r")
    assert ran.code == 0
    model = Model(load("industrial-6r"))
    right = model.forward(np.radians([10, 20, 30, 40, 50, 60]))
    for solution in ran.rows[0]["solutions"]:
        np.testing.assert_allclose(model.forward(solution["q"]), right, atol=1e-9)


def test_poses_of_few_digits_are_made_rotations(palpeur):
    model = Model(load("industrial-6r"))
    T = np.round(model.forward([*Q, 0.2])[:3], 4)
    header = ",".join(f"T{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3, 4))
    ran = inverse(palpeur, header + "\n" + line(*T.ravel()), robot="industrial-6r")
    assert ran.code == 0
    again = model.forward(ran.rows[0]["solutions"][0]["q"])[:3]
    np.testing.assert_allclose(again, T, atol=1e-4)  # half a unit of the fourth digit, and room
    bad = T.copy()
    bad[0, 0] += 0.1
    ran = inverse(palpeur, header + "\n" + line(*bad.ravel()), robot="industrial-6r")
    assert ran.code == 2
    assert "line 2" in ran.err


def test_a_position_alone_is_a_target(palpeur):
    model = Model(load("anthropomorphic"))
    p = model.forward([0.3, 0.4, -0.8])[:3, 3]
    ran = inverse(palpeur, "x_mm,y_mm,z_mm\n" + line(*(1000 * p)), robot="anthropomorphic")
    assert ran.code == 0
    for solution in ran.rows[0]["solutions"]:
        np.testing.assert_allclose(model.forward(solution["q"])[:3, 3], p, atol=1e-9)


def test_a_first_guess_comes_first(palpeur):
    T = ARM.forward(Q)
    header = "x_m,y_m,z_m,nx,ny,nz,q1_rad,q2_rad,q3_rad,q4_rad,q5_rad\n"
    (row,) = inverse(palpeur, header + line(*T[:3, 3], *-T[:3, 2], *(Q + 0.05))).rows
    np.testing.assert_allclose(row["solutions"][0]["q"], Q, atol=1e-8)


def test_out_of_reach_and_out_of_limits_are_failures_that_say_which(palpeur):
    beyond = ARM.forward([0.3, 0.5, 2.5, 1.5, -0.4])  # folded: |q3| above 110 degrees
    text = "x_m,y_m,z_m,nx,ny,nz\n3,0,0,0,0,1\n" + line(*beyond[:3, 3], *-beyond[:3, 2])
    ran = inverse(palpeur, text)
    assert ran.code == 1
    far, limited = ran.rows
    assert far["solutions"] == []
    assert far["reason"].startswith("Unreachable: the wrist centre would be 513.")
    assert "R201 error: line 2" in ran.err
    assert not any(solution["within_limits"] for solution in limited["solutions"])
    assert len(limited["solutions"]) == 8
    assert "R202 error: line 3" in ran.err
    assert "beyond its" in limited["reason"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x_m,y_m,z_m,nx,ny,nz\n1,1,1,0,0,0\n", "line 2, columns nx, ny, nz"),
        ("x_m,y_m,z_m,nx,ny,nz,ax,ay,az\n1,1,1,0,0,1,0,0,1\n", "twice"),
        ("nx,ny,nz\n0,0,1\n", "x_m, y_m, z_m"),
        ("x_m,y_m,z_m,nx,ny\n1,1,1,0,0\n", "nz is missing"),
    ],
)
def test_targets_that_are_none_are_bad_input(palpeur, text, part):
    ran = inverse(palpeur, text)
    assert (ran.code, ran.out) == (2, "")
    assert part in ran.err


def test_text_and_csv_list_solutions(palpeur):
    text = "x_m,y_m,z_m\n0.5,0.5,0.5\n"
    for form in ((), ("--csv",)):
        ran = palpeur("robot", "inverse", "measuring-arm", "--states", "-", *form, stdin=text)
        assert ran.code == 0
        assert "within_limits" in ran.out.splitlines()[0]


def test_explain_prints_the_equations_and_their_types(palpeur):
    ran = palpeur("robot", "inverse", "stanford", "--explain")
    assert ran.code == 0
    assert "type 2" in ran.out
    assert "X S1 + Y C1 = Z" in ran.out


def test_a_joint_of_seven_held_still_gives_every_branch(palpeur):
    model = Model(load("franka-panda"))
    q = np.array([0.3, 0.4, 0.2, -1.5, 0.3, 1.6, np.radians(20.0)])
    header = ",".join(f"T{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3, 4))
    table = header + "\n" + line(*model.forward(q)[:3].ravel())
    arguments = ("robot", "inverse", "franka-panda", "--json", "--states", "-")
    ran = palpeur(*arguments, "--lock", "panda_joint7=20", stdin=table)
    solutions = ran.rows[0]["solutions"]
    assert min(np.max(np.abs(np.array(s["q"]) - q)) for s in solutions) < 1e-9
    assert all(abs(s["q"][6] - q[6]) < 1e-12 for s in solutions)


def test_a_joint_to_lock_must_be_one_of_the_robot(palpeur):
    ran = palpeur("robot", "inverse", "franka-panda", "--explain", "--lock", "elbow=3")
    assert ran.code == 2
    assert "--lock is 'elbow=3'; expected JOINT=VALUE" in ran.err
