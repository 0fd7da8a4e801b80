"""The loops against NumPy's own linear algebra, compiled and as plain Python."""

from dataclasses import replace

import numpy as np
import pytest

from planner.reach import serial_search
from planner.reach.serial_search import SerialTask


@pytest.fixture(scope="module", params=["industrial-6r", "angled-6r", "industrial-7r", "gantry-5"])
def case(request, robots):
    """A task, postures, twists, and the task's matrices without units."""
    task = SerialTask(robots[request.param])
    rng = np.random.default_rng(1)
    low, high = task.mechanism.q_min, task.mechanism.q_max
    at = task.posed(low + (high - low) * rng.random((40, task.model.dof)))
    twists = rng.normal(size=(40, 6))
    J = task.model.jacobian(at.q) * task.units
    J = np.concatenate([J[:, :3] / task.length, at.rotations.transpose(0, 2, 1) @ J[:, 3:]], axis=1)
    told = [twists[:, :3] / task.length, np.einsum("mki,mk->mi", at.rotations, twists[:, 3:])]
    return task, at, twists, J, np.concatenate(told, axis=1)


def test_damped_steps_are_those_of_the_formula(case):
    task, at, twists, J, b = case
    damping = np.linspace(0.0, 2.0, 40)
    A, b = J[:, :5], b[:, :5]
    gram = A @ A.transpose(0, 2, 1) + damping[:, None, None] * np.eye(5)
    expected = np.einsum("mri,mr->mi", A, np.linalg.solve(gram, b[..., None])[..., 0]) * task.units
    # Condition numbers of AAᵀ stay below 1e8 in these postures.
    assert task.damped(at, twists, damping) == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_square_solutions_hold_the_locked_joints(case):
    task, at, twists, J, b = case
    rows = task.free.size
    A = J[:, :rows][:, :, task.free]
    expected = np.zeros_like(at.q)
    solved = np.linalg.solve(A, b[:, :rows, None])[..., 0]
    expected[:, task.free] = solved * task.units[task.free]
    assert task.square(at, twists) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert rows == min(6, task.model.dof)


def test_conditions_are_those_of_the_norms(case):
    task, at, _, J, _ = case
    rows = task.free.size
    A = J[:, :rows][:, :, task.free]
    norms = np.linalg.norm(A, axis=(1, 2)) * np.linalg.norm(np.linalg.inv(A), axis=(1, 2))
    found = task.condition(at)
    assert np.abs(found) == pytest.approx(rows / norms, rel=1e-9)
    assert np.array_equal(np.sign(found), np.sign(np.linalg.det(A)))
    assert np.abs(found).max() <= 1.0


def test_plain_python_gives_what_machine_code_gives(case):
    task, at, twists, _, _ = case
    n, rows = task.model.dof, task.free.size
    posed, some = np.ascontiguousarray(at.rows[:5]), np.ascontiguousarray(twists[:5])
    bench = serial_search.bench_of(task.units, task.length, rows)
    steps = np.zeros((5, n))
    serial_search.square_solutions(posed, some, task.free, bench, steps)
    assert steps == pytest.approx(task.square(at, twists)[:5], rel=1e-9, abs=1e-12)
    found = np.empty(5)
    serial_search.conditions(posed, task.free, bench, found)
    assert found == pytest.approx(task.condition(at)[:5], rel=1e-9)
    wanted = np.column_stack([some, np.full(5, 0.1)])
    serial_search.damped_steps(posed, wanted, bench, steps)
    assert steps == pytest.approx(task.damped(at, twists, np.full(40, 0.1))[:5], rel=1e-9)


def test_a_singular_system_is_told(robots):
    """The gantry's stylus along its ram: the head turns about the probe axis alone."""
    task = SerialTask(robots["gantry-5"])
    at = task.posed(np.array([[0.1, 0.2, -0.3, 0.4, 0.0]]))
    assert abs(task.condition(at)[0]) < 1e-15
    still = replace(at, rows=np.concatenate([at.rows[:, :16], np.zeros((1, 30))], axis=1))
    assert task.condition(still)[0] == 0.0
    assert np.all(np.isnan(task.square(still, np.ones((1, 6)))))
