"""Numerical inverse geometry: identity with forward geometry, all branches, honest verdicts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.denavit_hartenberg import DhRow
from robots.core.errors import InverseError
from robots.core.inverse import Method, Settings, Target, Task, solve, solve_many
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.library import load
from tests.cases import cases


def planar_2r(a1=0.5, a2=0.3, limit=np.inf, kind=JointKind.REVOLUTE):
    tool = np.eye(4)
    tool[0, 3] = a2
    second = DhRow(d=a1).pose()
    return Mechanism(
        name="planar-2r",
        joints=(
            Joint(name="q1", kind=JointKind.REVOLUTE, parent=-1, placement=np.eye(4)),
            Joint(name="q2", kind=kind, parent=0, placement=second, q_min=-limit, q_max=limit),
        ),
        tool=tool,
    )


def turned(a, b):
    """Largest difference of two postures of revolute joints, whole turns apart."""
    return np.max(np.abs(np.angle(np.exp(1j * (np.asarray(a) - b)))))


@pytest.mark.parametrize("task", Task)
@settings(max_examples=cases(gate=3, soak=20), deadline=None)
@given(seed=st.integers(0, 300))
def test_forward_of_inverse_is_identity(make_mechanism, task, seed):
    """From a start 0.1 away, on random trees: the tool comes back to 1e-9."""
    model = Model(make_mechanism(seed))
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.5, 1.5, model.dof)
    T = model.forward(q)
    target = Target(task=task, T=T)
    start = q + rng.uniform(-0.1, 0.1, model.dof)
    found = solve(model, target, start=start, starts=4)
    assert found.success, found.best.reason
    for answer in found.answers:
        gap = target.gap(model.forward(answer.q))
        assert gap.position <= 1e-9
        assert gap.angle <= 1e-9


def test_planar_2r_has_its_two_closed_form_solutions():
    a1, a2, x, y = 0.5, 0.3, 0.4, 0.35
    found = solve(Model(planar_2r(a1, a2)), Target.plane_position([x, y]), starts=16)
    cosine = (x * x + y * y - a1 * a1 - a2 * a2) / (2 * a1 * a2)
    expected = []
    for q2 in (np.arccos(cosine), -np.arccos(cosine)):
        q1 = np.arctan2(y, x) - np.arctan2(a2 * np.sin(q2), a1 + a2 * np.cos(q2))
        expected.append([q1, q2])
    assert len(found.answers) == 2
    for posture in expected:
        assert min(turned(answer.q, posture) for answer in found.answers) < 1e-9
    assert all(a.rank == 2 and a.reason == "" for a in found.answers)


def test_every_branch_of_the_measuring_arm_is_found():
    """Oracle: a posture drawn within limits is one of the answers to its own point and axis."""
    model = Model(load("measuring-arm"))
    rng = np.random.default_rng(0)
    q = rng.uniform(model.mechanism.q_min, model.mechanism.q_max, (20, 5))
    T = model.forward(q)
    targets = Target.position_and_axis(T[:, :3, 3], T[:, :3, 2])
    for posture, found in zip(q, solve_many(model, targets), strict=True):
        assert min(turned(a.q, posture) for a in found.answers) < 1e-6
        assert all(a.success and min(a.limit_margins) >= 0 for a in found.answers)
        assert all(a.position_residual <= 1e-10 for a in found.answers)


def test_newton_as_in_the_source_converges_quadratically_near_a_solution():
    """(II.34) with the corrected sign: residuals square; with the printed sign they would grow."""
    model = Model(load("measuring-arm"))
    q = np.array([0.3, 0.4, 0.5, 0.6, 0.7])
    T = model.forward(q)
    target = Target.position_and_axis(T[:3, 3], T[:3, 2])
    residuals = []
    for count in range(1, 5):
        newton = Settings(method=Method.NEWTON, most_iterations=count)
        best = solve(model, target, start=q + 0.02, starts=1, settings=newton).best
        residuals.append(best.position_residual)
    assert best.success
    assert best.q == pytest.approx(q, abs=1e-9)
    assert residuals[1] < 10 * residuals[0] ** 2
    assert residuals[2] < 10 * residuals[1] ** 2 + 1e-14


def test_a_target_beyond_reach_is_a_failure_with_the_best_distance():
    found = solve(Model(planar_2r()), Target.plane_position([1.0, 0.0]))
    assert not found.success
    assert found.answers == ()
    assert not found.best.converged
    assert found.best.position_residual == pytest.approx(0.2, abs=1e-6)  # 1.0 less a1 + a2
    assert "Unreachable from 64 starts" in found.best.reason
    assert "singular, rank 1 of 2" in found.best.reason


def test_a_target_at_the_boundary_is_reached():
    """A double root: the residual converges even though the joints are known to its root only."""
    found = solve(Model(planar_2r()), Target.plane_position([0.8, 0.0]))
    assert found.success
    assert found.best.q == pytest.approx([0, 0], abs=1e-4)


def test_a_solution_out_of_limits_is_not_a_success():
    model = Model(planar_2r(limit=0.3))
    found = solve(model, Target.plane_position([0.3, 0.3]))
    assert not found.success
    assert found.best.converged
    assert not found.best.within_limits
    assert "joint 'q2'" in found.best.reason
    assert "beyond its" in found.best.reason
    assert min(found.best.limit_margins) < 0


def test_a_redundant_arm_finds_its_way_within_limits():
    """Bounds hold in the second attempt: the planar 4R has postures to spare."""
    free = load("planar-4r")
    joints = tuple(
        Joint(name=j.name, kind=j.kind, parent=j.parent, placement=j.placement, q_min=lo, q_max=hi)
        for j, (lo, hi) in zip(
            free.joints, [(-0.2, 0.2), (0.0, 1.2), (0.0, 1.2), (0.0, 1.2)], strict=True
        )
    )
    model = Model(Mechanism(name="limited", joints=joints, tool=free.tool))
    q = np.array([0.19, 0.01, 1.19, 0.01])
    found = solve(model, Target.plane_position(model.forward(q)[:2, 3]), starts=8)
    assert found.success
    assert np.all(found.best.limit_margins >= 0)


def test_sliding_limits_are_kept():
    model = Model(planar_2r(limit=0.2, kind=JointKind.PRISMATIC))
    reached = solve(model, Target.position([0.8, 0.0, 0.15]))
    assert reached.success
    assert reached.best.q[1] == pytest.approx(0.15, abs=1e-9)
    beyond = solve(model, Target.position([0.8, 0.0, 0.25]))
    assert not beyond.success
    assert "250 mm, 50 mm beyond its upper limit 200" in beyond.best.reason


def test_a_singular_start_is_left():
    """Stretched, with the target straight inwards: no joint has a slope, yet there is a way."""
    found = solve(Model(planar_2r()), Target.plane_position([0.6, 0.0]), start=[0, 0], starts=1)
    assert found.success


def test_answers_are_ordered_by_distance_and_repeatable():
    model = Model(planar_2r())
    target = Target.plane_position([0.4, 0.35])
    near = np.array([1.4, -1.6])
    first, second = (solve(model, target, start=near, starts=16) for _ in range(2))
    distances = [np.linalg.norm(a.q - near) for a in first.answers]
    assert distances == sorted(distances)
    for a, b in zip(first.answers, second.answers, strict=True):
        assert np.array_equal(a.q, b.q)


def test_a_batch_gives_what_single_calls_give():
    model = Model(load("measuring-arm"))
    q = np.random.default_rng(5).uniform(-1, 1, (3, 5))
    T = model.forward(q)
    targets = Target.position_and_axis(T[:, :3, 3], T[:, :3, 2])
    for i, found in enumerate(solve_many(model, targets, start=q + 0.05, starts=1)):
        single = Target.position_and_axis(T[i, :3, 3], T[i, :3, 2])
        alone = solve(model, single, start=q[i] + 0.05, starts=1)
        assert found.best.q == pytest.approx(alone.best.q, abs=1e-12)
        assert found.best.q == pytest.approx(q[i], abs=1e-8)


def test_wrong_requests_are_refused():
    model = Model(planar_2r())
    point = Target.plane_position([0.4, 0.35])
    with pytest.raises(InverseError, match="use solve_many"):
        solve(model, Target.plane_position(np.zeros((2, 2))))
    with pytest.raises(InverseError, match="one or more"):
        solve(model, point, starts=0)
    with pytest.raises(InverseError, match=r"start has shape \(3,\)"):
        solve(model, point, start=[0, 0, 0])
    with pytest.raises(InverseError, match="not finite"):
        solve(model, point, start=[0, np.nan])
    with pytest.raises(InverseError, match="at least one"):
        solve_many(model, Target.plane_position(np.zeros((0, 2))))
    with pytest.raises(InverseError, match="position_tolerance"):
        Settings(position_tolerance=0.0)
