"""Remarks on joints beyond their stops or ranges: joint, value, limit, time."""

from dataclasses import replace

import numpy as np

from robots.biped.biped import Biped
from robots.biped.biped_file import open_biped
from robots.biped.scenarios.scenario import limit_remarks, rate_remarks

LEG = open_biped("bip-leg")
T = np.array([0.0, 1.0, 2.0])


def test_within_everything_is_silent():
    q = np.tile([0.0, 0.0, 0.5, 0.0], (3, 1))
    assert limit_remarks(LEG, T, q) == ()
    assert rate_remarks(LEG, q, q) == ()


def test_stop_and_range_are_told_apart():
    q = np.tile([0.0, 0.0, 0.5, 0.0], (3, 1))
    q[1, 2], q[2, 0] = np.radians(85.0), np.radians(-21.0)
    ankle, knee = limit_remarks(LEG, T, q)
    assert ankle.startswith("q1 reaches -21.0 deg at 2.00 s, 1.0 deg beyond its limit")
    assert "range is from -20.0 to 20.0 deg" in ankle
    assert "4.2 deg beyond the simulation's stop (80.8 deg), within" in knee


def test_a_joint_on_its_limit_is_within():
    low, high = np.asarray(LEG.q_stops)
    assert limit_remarks(LEG, T[:2], np.array([low, high])) == ()


def test_speed_and_torque_limits_where_known():
    joints = list(LEG.mechanism.joints)
    joints[1] = replace(joints[1], max_speed=0.5, max_effort=20.0)
    limited = Biped(
        mechanism=replace(LEG.mechanism, joints=tuple(joints)),
        feet=LEG.feet,
        T_world_base=LEG.T_world_base,
    )
    values = np.zeros((3, 4))
    values[1, 0] = -30.0
    fast, strong = rate_remarks(limited, values, values)
    assert fast == "q1 turns with up to 30 rad/s; its limit is 0.5 rad/s."
    assert strong == "q1 gives up to 30 N m; its limit is 20 N m."
