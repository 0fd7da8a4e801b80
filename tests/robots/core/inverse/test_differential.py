"""First and second order: round trips, residuals, null space, the three objectives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.errors import InverseError
from robots.core.inverse import Task
from robots.core.inverse.differential import Damping, joint_accelerations, joint_velocities
from robots.core.inverse.null_space import (
    BodyPoint,
    joint_limit_distance,
    manipulability,
    obstacle_distance,
)
from robots.core.mechanism import Joint, Mechanism
from robots.core.model import Model
from robots.library import load
from tests.cases import cases

ARM = Task.POSITION_AND_AXIS


def state(model, seed, count=3):
    return np.random.default_rng(seed).normal(size=(count, model.dof))


@pytest.mark.parametrize("task", Task)
@settings(max_examples=cases(gate=3, soak=15), deadline=None)
@given(seed=st.integers(0, 500))
def test_what_a_mechanism_does_it_can_be_asked_for(make_mechanism, task, seed):
    """Direct then inverse, first and second order: nothing is left over (law, random trees)."""
    model = Model(make_mechanism(seed), "numpy")
    q, qd, qdd = state(model, seed)
    R = model.forward(q)[:3, :3]
    rate = task.rate(R, model.velocity(q, qd))
    first = joint_velocities(model, task, q, rate)
    # A posture with condition 1e5 amplifies rounding of 1e-15 to 1e-10.
    assert first.residual == pytest.approx(0.0, abs=1e-9)
    again = task.rate(R, model.velocity(q, first.value))
    assert again == pytest.approx(rate, abs=1e-9)
    assert np.linalg.norm(first.value) <= np.linalg.norm(qd) * (1 + 1e-9)  # least norm
    second = task.rate(R, model.acceleration(q, qd, qdd))
    if task.has_axis:
        w, a = model.velocity(q, qd)[3:], R[:, 2]
        second[-3:] += np.cross(w, np.cross(w, a))
    found = joint_accelerations(model, task, (q, qd), second)
    scale = 1 + np.max(np.abs(second))
    assert found.residual == pytest.approx(0.0, abs=1e-9 * scale)


def test_the_measuring_arm_gives_back_its_own_accelerations():
    """Square and regular: the inverse of second order is the very qdd, spin of the probe included.

    [LAMMARI12] §III.5 eq. (III.16), with the five-coordinate task.
    """
    model = Model(load("measuring-arm"))
    q, qd, qdd = state(model, 7)
    h = 1e-4
    axes = []
    for t in (-h, 0.0, h):
        axes.append(model.forward(q + qd * t + 0.5 * qdd * t * t)[:3, 2])
    second = (axes[0] - 2 * axes[1] + axes[2]) / h**2  # ä by differences: h² and rounding/h²
    asked = np.concatenate([model.acceleration(q, qd, qdd)[:3], second])
    found = joint_accelerations(model, ARM, (q, qd), asked)
    assert found.value == pytest.approx(qdd, abs=1e-5)
    assert found.rank == found.full_rank == 5


def test_the_six_by_five_jacobian_of_the_source_does_not_hold_the_axis():
    """Erratum III.5: J⁺(v; ω = 0) errs in both; the five-coordinate task errs in neither."""
    model = Model(load("measuring-arm"))
    q = np.array([1.3, 1.4, 0.05, 0.03, -1.7])
    v = np.array([0.0, 0.0, 0.1])
    wrong = np.linalg.pinv(model.jacobian(q)) @ np.concatenate([v, np.zeros(3)])
    right = joint_velocities(model, ARM, q, np.concatenate([v, np.zeros(3)]))
    error = model.velocity(q, wrong)[:3] - v
    assert np.linalg.norm(error) > 1e-4 * np.linalg.norm(v)
    made = model.velocity(q, right.value)
    assert made[:3] == pytest.approx(v, abs=1e-13)
    axis = model.forward(q)[:3, 2]
    assert np.cross(made[3:], axis) == pytest.approx([0, 0, 0], abs=1e-13)
    assert abs(made[3:] @ axis) > 1e-4  # holding the axis takes ω along it, not ω = 0


def test_a_component_along_the_axis_cannot_be_had_and_is_reported():
    model = Model(load("measuring-arm"))
    q = np.array([0.3, 0.4, 0.5, 0.6, 0.7])
    axis = model.forward(q)[:3, 2]
    found = joint_velocities(model, ARM, q, np.concatenate([np.zeros(3), 0.2 * axis]))
    assert found.residual == pytest.approx(np.concatenate([np.zeros(3), 0.2 * axis]))
    assert found.value == pytest.approx(np.zeros(5), abs=1e-14)


def test_at_a_singularity_the_lost_part_is_the_residual():
    """Elbow stretched: no velocity along the arm; the part normal to it is still produced."""
    model = Model(load("anthropomorphic"))
    q = np.array([0.4, 0.7, 0.0])
    along = model.forward(q)[:3, 3] / np.linalg.norm(model.forward(q)[:3, 3])
    up = np.array([0.0, 0.0, 1.0])
    found = joint_velocities(model, Task.POSITION, q, up)
    assert found.rank == 2
    assert found.full_rank == 3
    assert found.residual == pytest.approx((up @ along) * along, abs=1e-12)


def test_a_joint_through_the_tool_asks_for_no_infinite_speed():
    """Shoulder singularity: column 1 is 1e-17 by rounding, and must count as zero."""
    model = Model(load("anthropomorphic"))
    q3 = 1.0
    q = np.array([0.3, np.arctan2(0.5 + 0.4 * np.cos(q3), 0.4 * np.sin(q3)), q3])
    found = joint_velocities(model, Task.POSITION, q, [1.0, 1.0, 1.0])
    assert found.rank == 2
    assert np.max(np.abs(found.value)) < 100


def test_damping_bounds_the_speeds_and_says_so():
    model = Model(load("anthropomorphic"))
    q = np.array([0.4, 0.7, 1e-5])
    along = model.forward(q)[:3, 3]
    plain = joint_velocities(model, Task.POSITION, q, along)
    damped = joint_velocities(
        model, Task.POSITION, q, along, damping=Damping(maximum=0.05, threshold=0.05)
    )
    assert np.max(np.abs(plain.value)) > 1e4
    assert np.linalg.norm(damped.value) <= np.linalg.norm(along) / 0.05
    assert damped.damping == pytest.approx(0.05, rel=1e-3)
    assert plain.damping == 0
    assert np.linalg.norm(damped.residual) > 0.5 * np.linalg.norm(along)
    far = joint_velocities(
        model,
        Task.POSITION,
        [0.4, 0.7, 1.5],
        along,
        damping=Damping(maximum=0.05, threshold=0.05),
    )
    assert far.damping == 0
    assert far.residual == pytest.approx(0, abs=1e-12)
    fixed = joint_velocities(model, Task.POSITION, q, along, damping=Damping(maximum=0.1))
    assert fixed.damping == 0.1


def limited_4r():
    free = load("planar-4r")
    joints = tuple(
        Joint(
            name=j.name,
            kind=j.kind,
            parent=j.parent,
            placement=j.placement,
            q_min=-2.0,
            q_max=2.5,
        )
        for j in free.joints
    )
    return Model(Mechanism(name="limited-4r", joints=joints, tool=free.tool))


OBSTACLES = [[0.3, 0.9, 0.0], [-0.4, 0.2, 0.1]]
OBJECTIVES = {
    "manipulability": lambda m, q: manipulability(m, Task.PLANE_POSITION, q),
    "limits": joint_limit_distance,
    "obstacle": lambda m, q: obstacle_distance(
        m, q, [BodyPoint(joint="q3"), BodyPoint(joint="q4", offset=(0.1, 0, 0))], OBSTACLES
    ),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradients_match_differences(name):
    model, h = limited_4r(), 1e-6
    for q in state(model, 3, 5):
        gradient = OBJECTIVES[name](model, q).gradient
        steps = h * np.eye(model.dof)
        ahead = [OBJECTIVES[name](model, q + s).value for s in steps]
        behind = [OBJECTIVES[name](model, q - s).value for s in steps]
        # Truncation h² and rounding 1e-16/h.
        assert gradient == pytest.approx((np.array(ahead) - behind) / (2 * h), abs=1e-8)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_null_space_leaves_the_task_and_improves_the_objective(name):
    """[COURSE-JAC] q̇ = J⁺v + (I - J⁺J)·k·∇w, for its three objectives."""
    model = limited_4r()
    task, rate = Task.PLANE_POSITION, np.array([0.1, -0.2])
    for q in state(model, 4, 5):
        w = OBJECTIVES[name](model, q)
        found = joint_velocities(model, task, q, rate, wish=2.0 * w.gradient)
        assert found.residual == pytest.approx([0, 0], abs=1e-12)
        plain = joint_velocities(model, task, q, rate)
        extra = found.value - plain.value
        assert model.velocity(q, extra)[:2] == pytest.approx([0, 0], abs=1e-12)
        assert w.gradient @ extra >= -1e-15
        step = 1e-4 * extra / max(np.linalg.norm(extra), 1e-9)
        gain = OBJECTIVES[name](model, q + step).value - w.value
        assert gain > 0 or np.linalg.norm(extra) < 1e-2


def test_the_second_order_null_space_leaves_the_task():
    model = limited_4r()
    q, qd, wish = state(model, 5)
    task, asked = Task.PLANE_POSE, np.array([0.1, 0.2, -0.3])
    found = joint_accelerations(model, task, (q, qd), asked, wish=wish)
    assert found.residual == pytest.approx(np.zeros(3), abs=1e-12)
    made = model.acceleration(q, qd, found.value)[[0, 1, 5]]
    assert made == pytest.approx(asked, abs=1e-12)
    plain = joint_accelerations(model, task, (q, qd), asked)
    assert np.linalg.norm(found.value - plain.value) > 1e-3


def test_batches_carry_their_shape():
    model = Model(load("measuring-arm"))
    q = np.random.default_rng(0).uniform(-1, 1, (2, 3, 5))
    found = joint_velocities(model, ARM, q, np.ones(6) * 0.1)
    assert found.value.shape == (2, 3, 5)
    assert found.residual.shape == (2, 3, 6)
    assert found.rank.shape == found.damping.shape == (2, 3)
    one = joint_velocities(model, ARM, q[1, 2], np.ones(6) * 0.1)
    assert found.value[1, 2] == pytest.approx(one.value, abs=1e-12)


def test_wrong_requests_are_refused():
    model = Model(load("anthropomorphic"))
    with pytest.raises(InverseError, match="has 3 components"):
        joint_velocities(model, Task.POSITION, np.zeros(3), [1.0, 2.0])
    with pytest.raises(InverseError, match="never of full row rank"):
        joint_velocities(
            model, Task.POSE, np.ones(3), np.ones(6), damping=Damping(maximum=0.1, threshold=0.1)
        )
    with pytest.raises(InverseError, match="at least one"):
        obstacle_distance(model, np.zeros(3), [], OBSTACLES)
