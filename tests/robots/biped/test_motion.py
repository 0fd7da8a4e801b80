"""A motion ends where its robot falls."""

from dataclasses import replace

import numpy as np

from robots.biped.biped_file import open_biped
from robots.biped.posture.support_polygon import signed_margin
from robots.biped.scenarios.squat import squat
from robots.biped.scenarios.tilt import tilt

LEG = open_biped("bip-leg")


def test_a_fall_is_the_end():
    whole = tilt(LEG, 0.0, float(np.radians(20.0)), stabilised=False)
    ended = whole.until_fall()
    count = len(ended.t)
    assert ended.t[-2] < whole.verdict.time <= ended.t[-1] < whole.t[-1]
    for name in ("t", "q", "qd", "qdd", "tau", "T_world_base", "com", "zmp", "margin", "ground"):
        np.testing.assert_array_equal(getattr(ended, name), getattr(whole, name)[:count])
    assert len(ended.support) == count
    assert {len(curve) for curve in ended.curves.values()} == {count}
    outside = signed_margin(ended.support[-1], ended.com[-1, :2])
    assert ended.verdict.margin == outside < 0.0
    assert outside > -1e-3  # the last sample is just over the edge; 170 mm at the end of all
    assert (ended.verdict.time, ended.verdict.edge) == (whole.verdict.time, "toe")


def test_without_a_fall_it_is_whole():
    motion = squat(LEG, 0.0, 0.3, 0.1, duration=0.5, period=0.05)
    assert motion.until_fall() is motion


def test_a_robot_that_has_fallen_keeps_two_samples():
    ahead = replace(LEG.feet[0], sole=LEG.feet[0].sole - [0.0, 0.0, 0.25])
    fallen = squat(replace(LEG, feet=(ahead,)), 0.0, 0.3, 0.1, duration=0.5, period=0.05)
    assert (fallen.verdict.time, fallen.verdict.edge) == (0.0, "heel")
    assert len(fallen.until_fall().t) == 2
