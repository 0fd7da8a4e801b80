"""Keys of the shown motion bound what the eye is told wrongly; their number is bounded, too."""

from __future__ import annotations

import numpy as np
import pytest

from reports.scene.frames import MOST, RATE, frames
from reports.scene.motion import CHORD, SHORTEST, scene_motion
from robots.core.mechanism import JointKind

NAMES = ["nine", "walled", "gantry"]


def balls(plan, q):
    return plan.trajectory.model.forward(q)[:, :3, 3]


@pytest.mark.parametrize("name", NAMES)
def test_even_joints_between_keys_keep_the_ball_on_its_way(plans, scenes, name):
    plan, motion = plans[name], scenes[name].motion
    t = np.linspace(0.0, motion.duration, 20_011)  # a prime beside the halvings
    true = plan.trajectory.state(t).q
    away = np.linalg.norm(balls(plan, motion.at(t)) - balls(plan, true), axis=1)
    # Errors are looked for at three places of an interval; between them they may be a little worse.
    assert away.max() <= 1.15 * CHORD
    assert away.max() <= 1.15 * motion.deviation
    angular = [j.kind is JointKind.REVOLUTE for j in plan.job.mechanism.movable]
    assert np.abs(motion.at(t) - true)[:, angular].max() <= np.radians(1.0)


@pytest.mark.parametrize("name", NAMES)
def test_keys_rise_from_the_first_instant_to_the_last_and_hold_every_border(plans, scenes, name):
    plan, motion = plans[name], scenes[name].motion
    assert motion.t[0] == 0.0
    assert motion.t[-1] == plan.totals.duration
    assert np.diff(motion.t).min() > SHORTEST / 2.0 * 0.99 or np.all(
        np.isin(motion.borders, motion.t)
    )
    for segment in plan.timeline:
        # Sums of times are right to rounding only.
        assert np.abs(motion.t - segment.start).min() < 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_a_turn_between_neighbours_has_one_shorter_way(plans, scenes, name):
    steps = np.abs(np.diff(scenes[name].motion.q, axis=0))
    angular = [j.kind is JointKind.REVOLUTE for j in plans[name].job.mechanism.movable]
    assert steps[:, angular].max() <= np.pi / 2.0


def test_a_rest_needs_no_key_of_its_own(gantry_plan):
    motion = scene_motion(gantry_plan)
    still = np.all(np.diff(motion.q, axis=0) == 0.0, axis=1)
    dwells = sum(segment.law == "rest" for segment in gantry_plan.timeline)
    assert still.sum() <= dwells


@pytest.mark.parametrize("most", [2, 20, 60, 100])
def test_keys_keep_to_their_number_and_tell_what_that_costs(nine_plan, most):
    motion = scene_motion(nine_plan, most)
    assert len(motion.t) <= most
    assert (motion.t[0], motion.t[-1]) == (0.0, nine_plan.totals.duration)
    assert motion.deviation > CHORD


def test_a_player_shows_every_border_in_real_time_at_most_sixty_times_a_second(scenes):
    motion = scenes["nine"].motion
    film = frames(motion)
    assert (film.t[0], film.t[-1]) == (0.0, motion.duration)
    assert np.all(np.isin(motion.borders, film.t))
    assert film.whole
    assert film.rate == RATE
    assert len(film.t) <= motion.duration * RATE + len(motion.borders)
    assert np.diff(film.t).max() <= 1.0 / RATE + 1e-12
    assert np.array_equal(film.q, motion.at(film.t))


def test_a_longer_motion_has_fewer_frames_a_second(scenes):
    motion = scenes["nine"].motion
    film = frames(motion, 60)
    assert len(motion.borders) < len(film.t) <= 60
    assert 0.0 < film.rate < RATE
    assert film.whole


def test_a_motion_of_too_many_segments_leaves_some_out(scenes):
    film = frames(scenes["nine"].motion, 9)
    assert len(film.t) == 9
    assert not film.whole
    assert (film.t[0], film.t[-1]) == (0.0, scenes["nine"].motion.duration)


def test_the_budget_holds_a_short_motion_whole():
    assert MOST >= 60 * RATE  # a minute
