"""The jerk-limited law's least times: Ruckig, the limits themselves, and the trapezoid's limit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import MotionError
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import minimum_time
from robots.core.motion.motion_law import double_s_phases

POSITIVE = st.floats(0.01, 100.0)


def limits(KV, KA, KJ, **more):
    return JointLimits(
        max_speed=np.atleast_1d(KV),
        max_acceleration=np.atleast_1d(KA),
        max_jerk=np.atleast_1d(KJ),
        **more,
    )


def random_cases(count):
    """Displacement, speed, acceleration, jerk over four decades: all shapes come up."""
    rng = np.random.default_rng(11)
    return 10.0 ** rng.uniform(-2, 2, (count, 4)) * [1, 1, 1, 3]


def ruckig_duration(D, KV, KA, KJ):
    ruckig = pytest.importorskip("ruckig", reason="Ruckig is the independent engine")
    planner, order = ruckig.Ruckig(len(D)), ruckig.InputParameter(len(D))
    order.current_position, order.target_position = [0.0] * len(D), list(D)
    order.max_velocity, order.max_acceleration, order.max_jerk = list(KV), list(KA), list(KJ)
    found = ruckig.Trajectory(len(D))
    assert planner.calculate(order, found) == ruckig.Result.Working
    return found.duration


def test_durations_are_ruckigs():
    cases = random_cases(2000)
    shapes = set()
    for D, KV, KA, KJ in cases:
        answer = minimum_time("double-s", [D], limits(KV, KA, KJ))
        shapes.add(tuple(binding.kind for binding in answer.bindings))
        expected = ruckig_duration([D], [KV], [KA], [KJ])
        assert answer.duration == pytest.approx(expected, rel=1e-9)
    assert len(shapes) == 4


def test_several_joints_take_as_long_as_ruckigs_slowest_when_one_limits_all():
    """Joint 2 has every limit for itself, so that one law for all joints loses nothing."""
    D, KV, KA, KJ = [0.4, -2.0, 0.1], [1.5, 1.2, 2.0], [4.0, 3.0, 5.0], [40.0, 20.0, 50.0]
    answer = minimum_time("double-s", D, limits(KV, KA, KJ))
    assert answer.duration == pytest.approx(ruckig_duration(D, KV, KA, KJ), rel=1e-12)
    assert {binding.name for binding in answer.bindings} == {"q2"}


def test_a_thousand_at_once_are_those_one_by_one():
    D, KV, KA, KJ = random_cases(1000).T
    phases = double_s_phases(D / KV, D / KA, D / KJ)
    one_by_one = [
        minimum_time("double-s", [d], limits(v, a, j)).duration
        for d, v, a, j in zip(D, KV, KA, KJ, strict=True)
    ]
    assert np.array_equal(phases.duration, one_by_one)


@given(D=POSITIVE, KV=POSITIVE, KA=POSITIVE, KJ=POSITIVE)
def test_no_limit_is_exceeded_and_those_named_are_reached(D, KV, KA, KJ):
    motion = minimum_time("double-s", [D], limits(KV, KA, KJ)).motion([0.3])
    t = np.linspace(0.0, motion.duration, 301)
    # Rounding of the instants of switches: a few units in the last place.
    assert np.abs(motion.velocity(t)).max() <= KV * (1 + 1e-12)
    assert np.abs(motion.acceleration(t)).max() <= KA * (1 + 1e-12)
    assert motion.peak_jerk[0] <= KJ * (1 + 1e-9)
    assert motion.position(motion.duration)[0] == 0.3 + D
    speed = motion.velocity(t)[:, 0]
    assert speed == pytest.approx(speed[::-1], abs=1e-10 * KV)
    binding = {b.kind for b in minimum_time("double-s", [D], limits(KV, KA, KJ)).bindings}
    reached = {"velocity": motion.peak_velocity[0] / KV, "jerk": motion.peak_jerk[0] / KJ}
    reached["acceleration"] = motion.peak_acceleration[0] / KA
    for kind in binding:
        assert reached[kind] == pytest.approx(1.0, rel=1e-9)


@given(D=POSITIVE, KV=POSITIVE, KA=POSITIVE)
def test_more_jerk_is_never_slower_and_ends_at_the_trapezoid(D, KV, KA):
    jerks = KA * KA / KV * 10.0 ** np.arange(-2, 13)
    times = np.array([minimum_time("double-s", [D], limits(KV, KA, j)).duration for j in jerks])
    trapezoid = minimum_time("trapezoid", [D], limits(KV, KA, 1.0)).duration
    assert np.all(np.diff(times) <= 1e-12 * times[:-1])
    # T exceeds the trapezoid's time by less than twice the rise KA/KJ.
    assert times[-1] >= trapezoid * (1 - 1e-14)
    assert times[-1] - trapezoid <= 2.0 * KA / jerks[-1] + 1e-14 * trapezoid


def test_by_hand():
    """D = 1, KV = 1, KA = 2, KJ = 8: t_j = 1/4, t_a = 3/4, T = 1 + 3/4; then without plateau."""
    answer = minimum_time("double-s", [-1.0], limits(1.0, 2.0, 8.0))
    assert (answer.duration, answer.acceleration_time) == (1.75, 0.75)
    assert answer.jerk_time == pytest.approx(0.25, rel=1e-15)
    assert [str(b) for b in answer.bindings] == ["q1 velocity", "q1 acceleration", "q1 jerk"]
    # Pure jerk: T = 4·∛(D/2KJ) = 2 for D = 2, KJ = 8.
    pure = minimum_time("double-s", [2.0], limits(9.0, 9.0, 8.0))
    assert (pure.duration, pure.has_plateau) == (2.0, False)
    assert [str(b) for b in pure.bindings] == ["q1 jerk"]


def test_shapes_meet_without_a_step():
    """Durations and shapes are continuous where a phase disappears."""
    for KV, KA in ((1.0, 2.0), (1.0, 4.0), (2.0, 2.0)):
        edge = KA * KA / KV  # the jerk at which the acceleration is just reached
        times = [
            minimum_time("double-s", [1.0], limits(KV, KA, edge * (1 + x))).duration
            for x in (-1e-9, 0.0, 1e-9)
        ]
        assert times == pytest.approx([times[1]] * 3, rel=1e-8)


def test_an_enormous_jerk_is_a_trapezoid_and_no_motion_takes_no_time():
    answer = minimum_time("double-s", [1.0], limits(1.0, 2.0, 1e200))
    assert answer.duration == 1.5
    state = answer.motion([0.0]).state(np.linspace(0, 1, 11))
    assert np.all(np.isfinite(state.ddq))
    still = minimum_time("double-s", [0.0], limits(1.0, 2.0, 3.0))
    assert (still.duration, still.bindings) == (0.0, ())


def test_a_joint_without_a_jerk_limit_is_named_with_its_key():
    some = limits([1.0, 1.0], [2.0, 2.0], [8.0, np.inf], names=("q1", "rail"), units=("rad", "m"))
    with pytest.raises(MotionError, match=r"Joint rail: .*double-s law.*max_jerk_m_s3") as caught:
        minimum_time("double-s", [1.0, 1.0], some)
    assert caught.value.facts["key"] == "max_jerk_m_s3"
    assert minimum_time("trapezoid", [1.0, 1.0], some).duration == 1.5
    with pytest.raises(MotionError, match=r"Joint q1: its jerk limit is 0.0 rad/s³"):
        limits(1.0, 1.0, 0.0)
