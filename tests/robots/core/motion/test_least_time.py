"""Minimum synchronised times: Tableau 4, optimality, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import MotionError
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import minimum_time
from robots.core.motion.motion_law import LAW_NAMES
from tests.cases import some

EACH_LAW = pytest.mark.parametrize("name", LAW_NAMES)
POSITIVE = st.floats(0.05, 20.0)


def limits(KV, KA):
    """Limits, with a jerk that lets the acceleration rise in half the time the speed needs."""
    KV, KA = np.atleast_1d(KV), np.atleast_1d(KA)
    jerk = 2.0 * KA * KA / KV
    return JointLimits(max_speed=KV, max_acceleration=KA, max_jerk=jerk)


TABLEAU_4 = {
    "linear": (1.2566, "q4 velocity"),
    "cubic": (2.5066, "q4 acceleration"),
    "quintic": (2.4589, "q4 acceleration"),
    "bang-bang": (2.5133, "q4 velocity"),
    "trapezoid": (2.0900, "q4 velocity"),
}
ANNEX_D = np.deg2rad([90, 210, -90, 180, -45])
ANNEX_LIMITS = limits([3, 3, 3, 2.5, 2.5], [5, 5, 5, 3, 3])


@pytest.mark.parametrize("name", TABLEAU_4)
def test_tableau_4_to_the_printed_digits(name):
    duration, binding = TABLEAU_4[name]
    answer = minimum_time(name, ANNEX_D, ANNEX_LIMITS)
    assert f"{answer.duration:.4f}" == f"{duration:.4f}"
    assert str(answer.binding) == binding


def test_tableau_4_emp_column_of_the_trapezoid():
    # The EMP screen shows 2.0899703 s in single precision; its table truncates to 2.0899.
    answer = minimum_time("trapezoid", ANNEX_D, ANNEX_LIMITS)
    assert answer.duration == pytest.approx(2.0899703, abs=5e-7)
    # On a plateau both limits bind: Mrv = π/2.5 and Mra = π/3, both of joint 4.
    assert [str(b) for b in answer.bindings] == ["q4 velocity", "q4 acceleration"]
    assert answer.acceleration_time == pytest.approx((np.pi / 3) / (np.pi / 2.5), rel=1e-14)
    assert answer.has_plateau


@EACH_LAW
def test_erratum_displacement_counts_without_sign(name):
    # As printed (D_j, not |D_j|) the linear law and the trapezoid would answer 1.0 / 1.5 s here.
    given = limits([1, 1], [2, 2])
    backwards = minimum_time(name, [1.0, -3.0], given)
    assert backwards.duration == minimum_time(name, [1.0, 3.0], given).duration
    assert backwards.binding.joint == 1
    assert backwards.duration >= 3.0


@EACH_LAW
@given(st.lists(st.tuples(st.floats(-5, 5), POSITIVE, POSITIVE), min_size=1, max_size=6))
def test_limits_hold_and_one_is_reached(name, joints):
    D, KV, KA = map(np.array, zip(*joints, strict=True))
    D[0] += 6.0  # something moves
    given_limits = limits(KV, KA)
    answer = minimum_time(name, D, given_limits)
    motion = answer.motion(np.zeros(D.size))
    speed, acceleration = motion.peak_velocity / KV, motion.peak_acceleration / KA
    jerk = motion.peak_jerk / given_limits.max_jerk
    assert name != "double-s" or jerk.max() <= 1 + 1e-12
    assert speed.max() <= 1 + 1e-12
    assert name == "linear" or acceleration.max() <= 1 + 1e-12
    for binding in answer.bindings:
        reached = {"velocity": speed, "acceleration": acceleration, "jerk": jerk}[binding.kind]
        assert reached[binding.joint] == pytest.approx(1.0, rel=1e-12)


def reachable(T, speed, acceleration):
    """Farthest a point gets in T from rest to rest, by summing its fastest speed profile."""
    t = np.linspace(0, T, 4001)
    v = np.minimum(speed, acceleration * np.minimum(t, T - t))
    return np.sum((v[1:] + v[:-1]) / 2) * T / 4000


@pytest.mark.parametrize("seed", some(range(12), gate=5))
def test_trapezoid_is_time_optimal(seed):
    rng = np.random.default_rng(seed)
    D, KV, KA = rng.uniform(-3, 3, 4), rng.uniform(0.3, 3, 4), rng.uniform(0.3, 6, 4)
    # r goes from 0 to 1 under ṙ ≤ min KV/|D|, |r̈| ≤ min KA/|D|: bisect the duration.
    speed, acceleration = np.min(KV / np.abs(D)), np.min(KA / np.abs(D))
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if reachable(middle, speed, acceleration) < 1 else (low, middle)
    answer = minimum_time("trapezoid", D, limits(KV, KA))
    # The sum misses a corner of the profile by less than (T/4000)² · a.
    assert answer.duration == pytest.approx(high, rel=1e-6)


def test_trapezoid_becomes_a_triangle_continuously():
    # With KA = 1 and D = 1 the plateau disappears at KV = 1.
    KV = 1.0 + np.array([-1e-3, -1e-7, -1e-12, -1e-16, 0.0, 2e-16, 1e-12, 1e-3])
    answers = [minimum_time("trapezoid", 1.0, limits(v, 1.0)) for v in KV]
    durations = np.array([a.duration for a in answers])
    # T = KV·(1/KV² + 1): its slope is zero at KV = 1, so the step is the square of the change.
    np.testing.assert_allclose(durations, 2.0, atol=1.1e-6)
    np.testing.assert_allclose([a.acceleration_time for a in answers], 1.0, atol=1.1e-3)
    assert [a.has_plateau for a in answers[:2]] == [True, True]
    assert not any(a.has_plateau for a in answers[4:])
    assert str(answers[0].binding) == "q1 velocity"
    assert str(answers[-1].binding) == "q1 acceleration"


@given(POSITIVE, POSITIVE)
def test_trapezoid_is_never_slower_than_bang_bang(KV, KA):
    given = limits(KV, KA)
    trapezoid, bang = (minimum_time(n, 1.0, given).duration for n in ("trapezoid", "bang-bang"))
    assert trapezoid <= bang * (1 + 1e-15)


@EACH_LAW
def test_nothing_moves(name):
    answer = minimum_time(name, [0.0, -0.0], limits([1, 1], [1, 1]))
    assert answer.duration == 0.0
    assert answer.bindings == ()
    assert answer.binding is None
    motion = answer.motion([0.5, 1.0])
    np.testing.assert_array_equal(motion.position([0.0, 3.0]), [[0.5, 1.0]] * 2)


@EACH_LAW
def test_one_joint_and_joints_at_rest(name):
    alone = minimum_time(name, -2.0, limits(3.0, 5.0))
    among = minimum_time(name, [0.0, -2.0, 0.0], limits([0.01, 3.0, 1.0], [0.01, 5.0, 1.0]))
    assert alone.duration == among.duration
    assert among.binding.joint == 1


def test_refusals():
    with pytest.raises(MotionError, match=r"Joint q2: its displacement is inf rad"):
        minimum_time("cubic", [0.0, np.inf], limits([1, 1], [1, 1]))
    with pytest.raises(MotionError, match="no motion law 'sine'"):
        minimum_time("sine", [1.0], limits(1, 1))
