"""Walking at 0.1 m/s: ZMP errors of the published size, margins, stops, energy."""

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError
from robots.biped.posture.verdict import Stance
from robots.biped.scenarios.walk import walk
from robots.biped.walking.free_base import FREE, FreeBase
from robots.biped.walking.gait import Gait
from robots.core.model import Model
from tests.cases import some

ROBOT = open_biped("bip2000")


@pytest.fixture(scope="module")
def motion():
    return walk(ROBOT, 0.1, 3)


@pytest.fixture(scope="module")
def unfiltered():
    return walk(ROBOT, 0.1, 3, filter_passes=0)


def errors(motion, point):
    reference = [motion.curves[f"zmp_reference_{axis}_m"] for axis in "xy"]
    return [np.abs(p - r).max() for p, r in zip(point, reference, strict=True)]


def test_walks_and_stands(motion):
    assert motion.verdict.stance is Stance.STANDING
    assert motion.margin.min() == pytest.approx(motion.verdict.margin)
    assert motion.margin.min() > 0.06
    assert motion.com[-1, 0] - motion.com[0, 0] == pytest.approx(0.6, abs=1e-3)


def test_cart_table_error_is_within_the_published_one(motion):
    """bip2000.md: at most 1.6 mm in x and 1.8 mm in y at 0.1 m/s."""
    x, y = errors(motion, [motion.curves[f"cart_zmp_{axis}_m"] for axis in "xy"])
    assert x <= 1.6e-3
    assert y <= 1.8e-3


def test_filter_brings_the_true_zmp_to_its_reference(motion, unfiltered):
    x, y = errors(motion, motion.zmp[:, :2].T)
    before = errors(unfiltered, unfiltered.zmp[:, :2].T)
    assert x < 2.1e-3
    assert y < 1.8e-3
    assert before[0] > 4 * x
    assert before[1] > 4 * y
    assert any("Before 1 pass of the dynamic filter" in remark for remark in motion.remarks)


def test_feet_follow_the_pattern(motion):
    model = Model(ROBOT.mechanism)
    poses = motion.T_world_base[:, None] @ model.transforms(motion.q)
    for name, link in (("right", "q1"), ("left", "q5")):
        T = poses[:, ROBOT.mechanism.index(link)]
        height = motion.curves[f"foot_height_{name}_m"]
        np.testing.assert_allclose(T[:, 2, 3] - 0.083, height, atol=1e-10)
        np.testing.assert_allclose(
            T[:, :3, :3], np.broadcast_to(T[0, :3, :3], T[:, :3, :3].shape), atol=1e-10
        )
        slide = np.abs(np.diff(T[:, :2, 3], axis=0)).max(axis=1)
        on_ground = (height[1:] == 0.0) & (height[:-1] == 0.0)
        assert slide[on_ground].max() < 1e-10


def test_power_of_the_joints_is_the_rate_of_energy(motion):
    """Feet on the ground rest, so the ground does no work: also a law for the shared load."""
    free = FreeBase(biped=ROBOT)
    x = free.coordinates(motion.q, motion.T_world_base)
    h = motion.t[1] - motion.t[0]
    xd = np.gradient(x, h, axis=0, edge_order=2)
    xd[:, FREE:] = motion.qd
    energies = free.model.energies(x, xd)
    rate = np.gradient(energies.kinetic + energies.potential, h)
    power = np.sum(motion.tau * motion.qd, axis=1)
    assert np.abs(power).max() > 20.0
    # Central differences in time are good to h²; where a swing starts the jerk jumps.
    np.testing.assert_allclose(rate[2:-2], power[2:-2], atol=1e-2 * np.abs(power).max())


def test_torques_go_over_without_a_jump(motion):
    """One knee bears up to 135 N m; the load goes over in 80 samples, so 5 N m each is smooth."""
    assert np.abs(motion.tau).max() > 100.0
    assert np.abs(np.diff(motion.tau, axis=0)).max() < 5.0


def test_shares_add_up(motion):
    right, left = (motion.curves[f"load_share_{name}"] for name in ("right", "left"))
    np.testing.assert_allclose(right + left, 1.0)
    assert right[motion.curves["foot_height_right_m"] > 0].max() == 0.0


def test_joints_stay_within_their_stops(motion):
    lower, upper = np.asarray(ROBOT.q_stops)
    assert (motion.q >= lower).all()
    assert (motion.q <= upper).all()
    assert not any("beyond" in remark for remark in motion.remarks)


def test_support_is_one_foot_in_the_swing(motion):
    area = np.array([_area(corners) for corners in motion.support])
    swing = (motion.curves["foot_height_right_m"] > 0) | (motion.curves["foot_height_left_m"] > 0)
    # One trapezoid: 0.29 m long, 0.18 m and 0.12 m wide.
    np.testing.assert_allclose(area[swing], 0.29 * 0.15)
    assert area[~swing].min() > 0.1


def _area(corners):
    x, y = corners.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def test_left_first(motion):
    mirrored = walk(ROBOT, 0.1, 3, gait=Gait(first="left"))
    assert mirrored.verdict.stance is Stance.STANDING
    # The robot is nearly symmetric; its centre of mass is 4 mm to the right.
    np.testing.assert_allclose(mirrored.com[:, 1], -motion.com[:, 1], atol=3e-3)


def test_step_too_long_says_the_longest():
    with pytest.raises(BipedError, match=r"longest step is about 0\.2\d\d m.*leg would need"):
        walk(ROBOT, 0.1, 2, gait=Gait(step_length=0.5))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"speed": 0.0}, "speed is 0.0 m/s"),
        ({"speed": 1.0}, "nothing is left to swing"),
        ({"steps": 0}, "0 steps"),
        ({"filter_passes": -1}, "-1 passes"),
        ({"gait": Gait(first="middle")}, "no foot 'middle'"),
    ],
)
def test_refusals(arguments, text):
    with pytest.raises(BipedError, match=text):
        walk(ROBOT, **arguments)


def test_a_leg_does_not_walk():
    with pytest.raises(BipedError, match="does not hang on two legs"):
        walk(open_biped("bip-leg"))


def test_feet_stay_apart(motion):
    """Ankles 220 mm apart, soles 90 mm to either side: 40 mm when one passes the other."""
    distance = motion.curves["feet_distance_m"]
    assert distance.min() == pytest.approx(0.04, abs=1e-12)
    assert distance.max() > 0.04  # a step ahead the slanted sides are farther from each other
    assert motion.remedy == ""
    assert "stay at least 40.0 mm apart; a swung sole is up to 40.0 mm above" in motion.remarks[-1]


@pytest.mark.parametrize(("width", "apart"), some([(0.179, False), (0.181, True)], gate=1))
def test_steps_narrower_than_the_soles_make_the_feet_collide(width, apart):
    narrow = walk(ROBOT, 0.1, 1, gait=Gait(step_width=width))
    least = narrow.curves["feet_distance_m"].min()
    assert (least > 0.0) == apart
    assert least == pytest.approx(width - 0.18, abs=2e-5)
    assert ("wider than 180.0 mm" in narrow.remedy) != apart
    assert ("overlap" in narrow.remarks[-1]) != apart


def test_a_wider_walk_stands_wider():
    wide = walk(ROBOT, 0.1, 1, gait=Gait(step_width=0.3))
    assert wide.verdict.stance is Stance.STANDING
    assert wide.support[0][:, 1].max() == pytest.approx(0.15 + 0.09)
    assert wide.curves["feet_distance_m"].min() == pytest.approx(0.12, abs=1e-12)
    with pytest.raises(BipedError, match=r"step_width is 0\.0 m"):
        Gait(step_width=0.0)
    with pytest.raises(BipedError, match=r"step_width is 1e-300 m; it must be at least 0\.01 m"):
        Gait(step_width=1e-300)
