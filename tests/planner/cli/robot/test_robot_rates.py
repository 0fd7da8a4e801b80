"""The inverse kinematic models through the command line."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.model import Model
from robots.library import load

Q = [0.3, -0.7, 1.0, 1.5, -0.4]
QD = [1.0, -2.0, 0.5, 0.25, 3.0]
QDD = [-1.0, 4.0, 2.0, 0.5, -3.0]
POSTURE = [f"q{k}_rad" for k in range(1, 6)]
SPEEDS = [f"qd{k}_rad_s" for k in range(1, 6)]
TWIST = ["vx_m_s", "vy_m_s", "vz_m_s", "wx_rad_s", "wy_rad_s", "wz_rad_s"]
TWIST_RATE = ["ax_m_s2", "ay_m_s2", "az_m_s2", "wdx_rad_s2", "wdy_rad_s2", "wdz_rad_s2"]
ARM = Model(load("measuring-arm"))


@pytest.fixture
def table(file):
    def write(names, values):
        text = ",".join(names) + "\n" + ",".join(repr(float(x)) for x in values) + "\n"
        return file("rates.csv", text)

    return write


def test_speeds_come_back_from_the_velocity_they_make(palpeur, table):
    twist = ARM.velocity(Q, QD)
    states = table([*POSTURE, *TWIST], [*Q, *twist])
    for task in ((), ("--task", "position-and-axis")):
        ran = palpeur(
            "robot", "velocity", "measuring-arm", "--inverse", *task, "--states", states, "--json"
        )
        assert (ran.code, ran.err) == (0, "")
        (row,) = ran.rows
        np.testing.assert_allclose(row["qd"], QD, rtol=1e-10)
        assert (row["rank"], row["solved"]) == (5, True)
        assert np.linalg.norm(row["residual"]) < 1e-12


def test_accelerations_come_back_from_what_they_make(palpeur, table):
    rate = ARM.acceleration(Q, QD, QDD)
    states = table([*POSTURE, *SPEEDS, *TWIST_RATE], [*Q, *QD, *rate])
    for task in ((), ("--task", "position-and-axis")):
        ran = palpeur(
            *("robot", "acceleration", "measuring-arm", "--inverse", "--json"),
            *(*task, "--states", states),
        )
        assert ran.code == 0
        np.testing.assert_allclose(ran.rows[0]["qdd"], QDD, rtol=1e-10)


def test_a_position_alone_leaves_the_rest_free(palpeur, table):
    states = table([*POSTURE, *TWIST[:3]], [*Q, 0.1, 0.2, -0.3])
    (row,) = palpeur(
        "robot", "velocity", "measuring-arm", "--inverse", "--states", states, "--json"
    ).rows
    np.testing.assert_allclose((ARM.jacobian(Q) @ row["qd"])[:3], [0.1, 0.2, -0.3], atol=1e-13)


def test_a_motion_that_a_singular_posture_cannot_make_fails_with_its_residual(palpeur, table):
    # At q = 0 no joint moves the stretched arm's tool along y except the first; about x, none.
    states = table([*POSTURE, *TWIST], [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0])
    ran = palpeur("robot", "velocity", "measuring-arm", "--inverse", "--states", states, "--json")
    assert ran.code == 1
    assert not ran.rows[0]["solved"]
    assert np.linalg.norm(ran.rows[0]["residual"]) > 0.1
    assert "R203" in ran.err
    assert "line 2" in ran.err
    ran = palpeur("robot", "velocity", "measuring-arm", "--inverse", "--states", states)
    assert ran.code == 1
    assert "residual" in ran.out


def test_unknown_tasks_and_missing_columns_are_bad_input(palpeur, table, states):
    head = ("robot", "velocity", "measuring-arm", "--inverse", "--states")
    ran = palpeur(*head, states)
    assert ran.code == 2
    assert "vx_m_s, vy_m_s, vz_m_s" in ran.err
    ran = palpeur(*head, states, "--task", "fly")
    assert ran.code == 2
    assert "position-and-axis" in ran.err
    linear = table([*POSTURE, *TWIST[:3]], [*Q, 1, 1, 1])
    ran = palpeur(*head, linear, "--task", "pose")
    assert ran.code == 2
    assert "wx_rad_s" in ran.err
