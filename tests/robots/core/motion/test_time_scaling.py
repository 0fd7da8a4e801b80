"""Least durations of geometric paths under speed and acceleration limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.errors import MotionError
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import JointMotion, PathState, minimum_time
from robots.core.motion.motion_law import BANG_BANG, CUBIC, LINEAR, QUINTIC, motion_law, trapezoid
from robots.core.motion.time_scaling import minimum_duration
from tests.cases import cases, some

LIMITS = JointLimits(max_speed=np.array([3.0, 2.0]), max_acceleration=np.array([25.0, 8.0]))


def straight(law, displacement):
    D = np.atleast_1d(np.asarray(displacement, dtype=float))
    return JointMotion(law=law, start=0 * D, displacement=D, duration=1.0)


class Wave:
    """q = a·sin(k·r + c) with the quintic law inside: derivatives by the chain rule."""

    breaks = ()

    def __init__(self, a, k, c):
        self.a, self.k, self.c = (np.array(x) for x in (a, k, c))

    def state(self, s, side="right"):
        r, dr, ddr = (
            f[..., None] for f in (QUINTIC.r(s), QUINTIC.dr(s, side), QUINTIC.ddr(s, side))
        )
        x, ak = self.k * r + self.c, self.a * self.k
        return PathState(
            q=self.a * np.sin(x),
            dq=ak * np.cos(x) * dr,
            ddq=ak * (np.cos(x) * ddr - self.k * np.sin(x) * dr**2),
        )


@pytest.mark.parametrize(
    ("D", "expected"),
    [
        (4.0, 15 * 4.0 / (8 * 3.0)),
        (-4.0, 15 * 4.0 / (8 * 3.0)),
        (0.2, np.sqrt(10 * 0.2 / (np.sqrt(3) * 25.0))),
    ],
)
def test_straight_quintic_path_in_closed_form(D, expected):
    limits = JointLimits(max_speed=np.array([3.0]), max_acceleration=np.array([25.0]))
    answer = minimum_duration(straight(QUINTIC, D), limits)
    assert answer.duration == pytest.approx(expected, rel=1e-14)
    assert answer.binding.kind == ("velocity" if abs(D) > 1 else "acceleration")


@pytest.mark.parametrize("law", [LINEAR, CUBIC, BANG_BANG, QUINTIC])
@given(D=st.tuples(st.floats(-3, 3), st.floats(0.1, 3)))
@settings(max_examples=cases(gate=4, soak=10))
def test_straight_paths_take_the_laws_least_time(law, D):
    answer = minimum_duration(straight(law, D), LIMITS)
    expected = minimum_time(law.name, D, LIMITS)
    assert answer.duration == pytest.approx(expected.duration, rel=1e-12)


def test_trapezoid_of_given_shape():
    law = motion_law("trapezoid", acceleration_fraction=0.2)
    answer = minimum_duration(straight(law, [0.0, 3.0]), LIMITS)
    expected = max(3 / 0.8 / 2, np.sqrt(3 / (0.2 * 0.8) / 8))
    assert answer.duration == pytest.approx(expected, rel=1e-13)
    # Breaks that fall together or on an end are still paths.
    assert minimum_duration(straight(trapezoid(1e-18), [1.0, 0.0]), LIMITS).duration > 1e6


@pytest.mark.parametrize("seed", some(range(5), gate=2))
def test_curved_paths_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    path = Wave(rng.uniform(0.2, 2, 2), rng.uniform(-6, 6, 2), rng.uniform(0, 6, 2))
    answer = minimum_duration(path, LIMITS)
    state = path.state(np.linspace(0, 1, 400_001))
    brute = np.concatenate(
        [
            np.abs(state.dq).max(axis=0) / LIMITS.max_speed,
            np.sqrt(np.abs(state.ddq).max(axis=0) / LIMITS.max_acceleration),
        ]
    )
    # The dense grid misses a summit by (2.5e-6)² of its curvature.
    assert answer.duration == pytest.approx(brute.max(), rel=1e-8)
    assert answer.duration >= brute.max() * (1 - 1e-15)
    column = int(np.argmax(brute))
    binding = answer.binding
    assert binding.joint == column % 2
    assert binding.kind == ("velocity" if column < 2 else "acceleration")
    at = path.state(np.array([binding.s]))
    by_speed = np.abs(at.dq) / LIMITS.max_speed / answer.duration
    by_acceleration = np.abs(at.ddq) / LIMITS.max_acceleration / answer.duration**2
    reached = by_speed if binding.kind == "velocity" else by_acceleration
    assert reached[0, binding.joint] == pytest.approx(1.0, rel=1e-12)


def test_a_path_that_does_not_move():
    answer = minimum_duration(straight(QUINTIC, [0.0, 0.0]), LIMITS)
    assert (answer.duration, answer.binding) == (0.0, None)


def test_refusals():
    with pytest.raises(MotionError, match=r"gives q of shape \(1, 1\).*2 joints"):
        minimum_duration(straight(QUINTIC, 1.0), LIMITS)
    broken = Wave([1.0, np.nan], [1.0, 1.0], [0.0, 0.0])
    with pytest.raises(MotionError, match=r"Joint q2: the path gives q = nan rad at s = 0;"):
        minimum_duration(broken, LIMITS)
