"""Determinants in closed form: the sources' formulas, and the numbers of the model."""

from functools import cache

import numpy as np
import pytest
import sympy

from robots.core.denavit_hartenberg import DhRow
from robots.core.inverse import Task
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.singularities.determinant import determinant
from robots.library import load
from tests.cases import some

q1, q2, q3, q4, q5, q6 = sympy.symbols("q1:7", real=True)
d2, d3, d4, r4, dt = sympy.symbols("d2 d3 d4 r4 dt", positive=True)
sin, cos = sympy.sin, sympy.cos


def chain(rows, tool_x=0.0, kinds=None):
    T = np.eye(4)
    T[0, 3] = tool_x
    kinds = kinds or [JointKind.REVOLUTE] * len(rows)
    joints = tuple(
        Joint(name=f"q{i + 1}", kind=kind, parent=i - 1, placement=row.pose())
        for i, (row, kind) in enumerate(zip(rows, kinds, strict=True))
    )
    return Mechanism(name="chain", joints=joints, tool=T)


PLANAR_2R = chain([DhRow(), DhRow(d=0.5)], 0.3)
FORMULAS = [
    # [COURSE-JAC] det J = a1·a2·sin θ2
    (PLANAR_2R, Task.PLANE_POSITION, d2 * dt * sin(q2)),
    ("planar-3r", Task.PLANE_POSE, d2 * d3 * sin(q2)),
    # elbow and shoulder of the course's arm; the course gives J only
    ("anthropomorphic", Task.POSITION, -d3 * dt * sin(q3) * (d3 * cos(q2) + dt * cos(q2 + q3))),
    ("stanford", Task.POSE, q3**2 * sin(q2) * sin(q5)),
    # sources.md, decision 5
    (
        "measuring-arm",
        Task.POSITION_AND_AXIS,
        -d3 * r4 * cos(q3) * (r4 * sin(q2 + q3) + d3 * cos(q2)) * sin(q5),
    ),
    (
        "industrial-6r",
        Task.POSE,
        d3
        * (d4 * sin(q3) + r4 * cos(q3))
        * (d3 * cos(q2) - d4 * cos(q2 + q3) + r4 * sin(q2 + q3))
        * sin(q5),
    ),
    (
        "liegeois-6r",
        Task.POSE,
        d3 * d4 * (d3 * sin(q2) + d4 * cos(q2 + q3)) * cos(q3) * cos(q5),
    ),
]


def mechanism_of(robot):
    return load(robot) if isinstance(robot, str) else robot


@cache
def of_library(robot, task):
    """Derived once for all tests."""
    return determinant(load(robot), task)


def determinant_of(robot, task):
    return of_library(robot, task) if isinstance(robot, str) else determinant(robot, task)


@pytest.mark.parametrize(("robot", "task", "formula"), some(FORMULAS, gate=4))
def test_formulas_come_out_factored(robot, task, formula):
    found = determinant_of(robot, task)
    assert found.of == "J"
    # The same factors, not only the same value: the unexpanded expressions are equal.
    assert found.expression == formula


SQUARE = {"J": lambda J: J, "J·Jᵀ": lambda J: J @ np.swapaxes(J, -1, -2)}
SQUARE["Jᵀ·J"] = lambda J: np.swapaxes(J, -1, -2) @ J
VALUES = [(robot, task) for robot, task, _ in FORMULAS] + [
    ("planar-3r", Task.POSE),
    ("planar-3r", Task.POSITION),
    ("planar-4r", Task.PLANE_POSITION),
    ("planar-4r", Task.PLANE_POSE),
    ("anthropomorphic", Task.POSE),
    ("anthropomorphic", Task.AXIS),
    ("anthropomorphic", Task.POSITION_AND_AXIS),
    ("measuring-arm", Task.POSITION),
    ("measuring-arm", Task.AXIS),
    ("measuring-arm", Task.POSE),
    ("stanford", Task.POSITION),
    ("industrial-6r", Task.POSITION_AND_AXIS),
]


@pytest.mark.parametrize(("robot", "task"), some(VALUES, gate=2))
def test_values_are_those_of_the_numeric_jacobian(robot, task):
    """Oracle: numpy on the model's Jacobian at random postures, sign included."""
    mechanism = mechanism_of(robot)
    q = np.random.default_rng(0).uniform(-3, 3, (6, mechanism.dof))
    J = task.jacobian(Model(mechanism), q)
    J = J[:, np.max(np.abs(J), axis=(0, 2)) > 1e-12]
    found = determinant_of(robot, task)
    assert found.value(q) == pytest.approx(np.linalg.det(SQUARE[found.of](J)), rel=1e-9, abs=1e-13)


def test_angles_that_are_no_quarter_turns_become_symbols():
    mechanism = chain([DhRow(), DhRow(alpha=0.4, d=0.5), DhRow(alpha=-0.7, d=0.3)], 0.2)
    found = determinant(mechanism, Task.POSITION)
    assert {str(s): v for s, v in found.constants.items()} == pytest.approx(
        {"alpha2": 0.4, "alpha3": -0.7, "d2": 0.5, "d3": 0.3, "dt": 0.2}
    )
    q = np.random.default_rng(1).uniform(-3, 3, (5, 3))
    expected = np.linalg.det(Model(mechanism).jacobian(q)[:, :3])
    assert found.value(q) == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_negative_lengths_keep_their_sign():
    mechanism = chain([DhRow(), DhRow(d=-0.5)], 0.3)
    found = determinant(mechanism, Task.PLANE_POSITION)
    assert found.expression == -d2 * dt * sin(q2)
    assert found.constants[d2] == 0.5


def test_conditions_read_as_equations():
    found = of_library("measuring-arm", Task.POSITION_AND_AXIS)
    assert [str(c) for c in found.conditions] == [
        "cos(q3) = 0 (q3 = ±90°)",
        "sin(q5) = 0 (q5 = 0 or ±180°)",
        "d3*cos(q2) + r4*sin(q2 + q3) = 0",
    ]
    assert [c.joints for c in found.conditions] == [(2,), (4,), (1, 2)]
    assert str(found).startswith("det(J) = ")
    stanford = of_library("stanford", Task.POSE)
    assert ("q3 = 0", 2) in [(c.text, c.multiplicity) for c in stanford.conditions]


def test_conditions_of_a_redundant_arm_hold_together():
    found = of_library("planar-4r", Task.PLANE_POSITION)
    assert found.of == "J·Jᵀ"
    assert len(found.conditions) == 1
    assert "sin(q4) = 0" in found.conditions[0].text
    assert found.value([0.3, 0, np.pi, 0]) == pytest.approx(0, abs=1e-15)
    assert found.value([0.3, 0.1, np.pi, 0]) > 1e-6


def test_a_mechanism_that_is_always_singular():
    """Three parallel sliding joints move the tool along a line only."""
    kinds = [JointKind.PRISMATIC] * 3
    rows = [DhRow(), DhRow(alpha=np.pi / 2), DhRow()]
    found = determinant(chain(rows, 0.1, kinds), Task.POSITION)
    assert found.of == "J·Jᵀ"
    assert not found.always_singular
    assert found.conditions == ()  # two directions in every posture, never fewer
    square = determinant(chain([DhRow(), DhRow(), DhRow()], 0.0), Task.POSE)
    assert square.value(np.zeros(3)) == 0 or square.of != "J"


def test_a_tool_on_the_only_axis_cannot_move():
    found = determinant(chain([DhRow()]), Task.POSITION)
    assert found.always_singular
    assert found.conditions == ()
    assert float(found.value([0.3])) == 0.0
