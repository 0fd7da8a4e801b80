"""Least durations under torque limits, against brute force."""

import numpy as np
import pytest

from robots.core.errors import MotionError
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import JointMotion
from robots.core.motion.motion_law import LINEAR, QUINTIC, trapezoid
from robots.core.motion.time_scaling import EffortParts, effort_model, minimum_duration_with_efforts
from tests.cases import some


def limits(effort, speed=100.0):
    n = np.size(effort)
    return JointLimits(
        max_speed=np.full(n, speed),
        max_acceleration=np.full(n, 1e6),
        max_effort=np.atleast_1d(effort),
    )


def straight(law, displacement):
    D = np.atleast_1d(np.asarray(displacement, dtype=float))
    return JointMotion(law=law, start=0 * D, displacement=D, duration=1.0)


def parts_of_s(static, viscous, inertial):
    """Efforts as functions of s, for the linear law from 0 to 1, where q = s and q' = 1."""

    def model(state):
        values = [
            np.stack([f(s) for s in np.moveaxis(state.q, -1, 0)], -1) + 0 * state.q
            for f in (static, viscous, inertial)
        ]
        return EffortParts(static=values[0], viscous=values[1], inertial=values[2])

    return model


LINE = straight(LINEAR, 1.0)


def mass_under_weight(state):
    return EffortParts(static=0.5 + 0 * state.q, viscous=0 * state.q, inertial=2.0 * state.ddq)


def test_lifting_a_mass_in_closed_form():
    # |0.5 ± 2·(10/√3)·|D|/T²| ≤ 3: the acceleration phase binds.
    answer = minimum_duration_with_efforts(straight(QUINTIC, 1.5), limits(3.0), mass_under_weight)
    expected = np.sqrt(2 * 10 / np.sqrt(3) * 1.5 / (3.0 - 0.5))
    assert answer.duration == pytest.approx(expected, rel=1e-12)
    assert str(answer.binding) == "q1 torque"
    assert answer.binding.s == pytest.approx(0.5 - np.sqrt(3) / 6, abs=1e-6)


def test_breaks_of_the_law_are_seen():
    law = trapezoid(0.25)
    answer = minimum_duration_with_efforts(straight(law, -1.5), limits(3.0), mass_under_weight)
    # Going down, braking at the end is what weighs: +2·|q''| + 0.5 ≤ 3 after s = 0.75.
    assert answer.duration == pytest.approx(np.sqrt(2 * 16 / 3 * 1.5 / 2.5), rel=1e-12)
    assert answer.binding.s >= 0.75


def test_viscous_friction_in_closed_form():
    model = parts_of_s(lambda s: 1 + 0 * s, lambda s: 4 * s, lambda s: 0 * s)
    answer = minimum_duration_with_efforts(LINE, limits(3.0), model)
    assert answer.duration == pytest.approx(4 / 2, rel=1e-13)
    assert answer.binding.s == 1.0


def test_speed_limit_binds_when_drives_are_strong():
    for effort in (1e3, np.inf):
        answer = minimum_duration_with_efforts(
            straight(QUINTIC, 1.5), limits(effort, speed=0.1), mass_under_weight
        )
        assert str(answer.binding) == "q1 velocity"
        assert answer.duration == pytest.approx(15 * 1.5 / 0.8, rel=1e-13)


def hump(s):
    return np.exp(-(((s - 0.5) / 0.1) ** 2))


def test_inertia_may_help_so_that_longer_is_infeasible():
    # Weight 1.2 at mid-path exceeds the limit 1; inertia takes u² off it there.
    model = parts_of_s(lambda s: 1.2 * hump(s), lambda s: 0 * s, lambda s: -hump(s))
    answer = minimum_duration_with_efforts(LINE, limits(1.0), model)
    # -1 ≤ (1.2 - u²)·hump: the greatest u is √2.2; u below √0.2 would be too slow.
    assert answer.duration == pytest.approx(1 / np.sqrt(2.2), rel=1e-12)
    assert answer.binding.s == pytest.approx(0.5, abs=1e-6)

    # With another joint that forbids 1 < T, only a window is left, or nothing.
    def two(weight):
        def parts(state):
            h = hump(state.q)
            return EffortParts(
                static=1.2 * h * [1.0, 0.0], viscous=0 * h, inertial=h * [-1.0, weight]
            )

        return parts

    both = straight(LINEAR, [1.0, 1.0])
    answer = minimum_duration_with_efforts(both, limits([1.0, 1.0]), two(4.0))
    assert answer.duration == pytest.approx(2.0, rel=1e-12)  # 4u² ≤ 1, and u² ≥ 0.2
    assert answer.binding.joint == 1
    with pytest.raises(MotionError, match="No duration keeps the efforts") as caught:
        minimum_duration_with_efforts(both, limits([1.0, 1.0]), two(6.0))  # 6u² ≤ 1 < 1.2
    assert "joint q1 holds 1.2 N m at rest, its limit is 1 N m" in str(caught.value)
    assert caught.value.facts["s"] == pytest.approx(0.5, abs=1e-6)
    assert caught.value.facts["static"] == pytest.approx(1.2, rel=1e-12)


def test_islands_between_forbidden_bands():
    # τ = 2u - u² (a hump over u with its top 1 at u = 1), limit 0.75: u in (1/2, 3/2) is forbidden.
    model = parts_of_s(lambda s: 0 * s, lambda s: 2 + 0 * s, lambda s: -1 + 0 * s)
    # Above the band -0.75 ≤ τ allows u up to 1 + √1.75.
    answer = minimum_duration_with_efforts(LINE, limits(0.75), model)
    assert answer.duration == pytest.approx(1 / (1 + np.sqrt(1.75)), rel=1e-13)
    # A speed limit inside the band pushes T down to its lower edge.
    answer = minimum_duration_with_efforts(LINE, limits(0.75, speed=1.2), model)
    assert answer.duration == pytest.approx(2.0, rel=1e-13)


@pytest.mark.parametrize("seed", some(range(8), gate=4))
def test_random_efforts_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    c = rng.normal(size=(3, 2, 4)) * np.array([0.6, 0.5, 0.5])[:, None, None]
    path = straight(LINEAR, [1.0, 1.0])

    def model(state):
        waves = np.stack([np.cos(3 * k * state.q + k * k) for k in range(4)], axis=-1)
        static, viscous, inertial = (np.sum(waves * ck, axis=-1) for ck in c)
        return EffortParts(static=static, viscous=viscous, inertial=inertial)

    given = limits([1.0, 1.3], speed=3.0)
    s, u = np.linspace(0, 1, 1001), np.linspace(3.0, 3e-3, 2000)
    dense = model(path.state(s))
    feasible = [np.all(np.abs(dense.at(x)) <= given.max_effort) for x in u]
    if not any(feasible):
        with pytest.raises(MotionError, match="No duration"):
            minimum_duration_with_efforts(path, given, model)
        return
    answer = minimum_duration_with_efforts(path, given, model)
    brute = u[int(np.argmax(feasible))]
    # The scan is coarse in u (1.5e-3) and, at 1001 places, blind to 1e-6 of the summits.
    assert 1 / answer.duration == pytest.approx(brute, abs=1.6e-3)
    at = np.abs(dense.at(1 / answer.duration)) / given.max_effort
    assert at.max() <= 1 + 1e-11


def test_a_path_at_rest_must_still_be_held():
    rest = straight(QUINTIC, 0.0)
    assert minimum_duration_with_efforts(rest, limits(1.0), mass_under_weight).duration == 0.0
    with pytest.raises(MotionError, match=r"holds 0.5 N m at rest, its limit is 0.4 N m"):
        minimum_duration_with_efforts(rest, limits(0.4), mass_under_weight)


def test_parts_of_a_pendulum_with_friction():
    # Two axes: Coriolis couples, gravity and both frictions act.
    def torques(q, qd, qdd):
        coupled = qd[..., :1] * qd[..., 1:] * np.sin(q[..., ::-1])
        friction = 0.3 * qd + 0.2 * np.sign(qd)
        return 2 * qdd + coupled + 5 * np.cos(q) + friction

    path = straight(QUINTIC, [1.0, -0.7])
    s, T = np.linspace(0.05, 0.95, 9), 0.37
    state = path.state(s)
    expected = torques(state.q, state.dq / T, state.ddq / T**2)
    np.testing.assert_allclose(effort_model(torques)(state).at(1 / T), expected, rtol=1e-13)
    strong = minimum_duration_with_efforts(path, limits([30.0, 30.0]), effort_model(torques))
    state = path.state(np.linspace(0, 1, 20001))
    peak = np.abs(torques(state.q, state.dq / strong.duration, state.ddq / strong.duration**2))
    assert peak.max() == pytest.approx(30.0, rel=1e-7)


def test_an_effort_that_is_not_finite_is_refused():
    model = parts_of_s(lambda s: np.where(s > 0.5, np.nan, 0.0), lambda s: 0 * s, lambda s: 0 * s)
    with pytest.raises(MotionError, match=r"Joint q1: its effort is not finite at s = 0.50"):
        minimum_duration_with_efforts(LINE, limits(1.0), model)
