"""Singular sets: each condition met within limits, with its type."""

import numpy as np
import pytest

from robots.core.inverse import Task
from robots.core.mechanism import Joint, Mechanism
from robots.core.model import Model
from robots.core.singularities.determinant import singular_sets
from robots.library import load
from tests.cases import some

EXPECTED = [
    ("anthropomorphic", Task.POSITION, {"sin(q3)": 1, "d3*cos(q2)": 2}),  # elbow, shoulder
    (
        "measuring-arm",
        Task.POSITION_AND_AXIS,
        {"cos(q3)": 1, "sin(q5)": 2, "d3*cos(q2)": 2},  # elbow, wrist, shoulder
    ),
    ("stanford", Task.POSE, {"sin(q2)": 1, "q3": 1, "sin(q5)": 2}),  # the d2 cylinder, wrist
    ("industrial-6r", Task.POSE, {"d4*sin(q3)": 1, "sin(q5)": 2, "d3*cos(q2)": 1}),
]


@pytest.mark.parametrize(("robot", "task", "types"), some(EXPECTED, gate=2))
def test_the_sets_of_the_library_and_their_types(robot, task, types):
    """The shoulder of the industrial arm is a boundary: its wrist cannot come nearer to axis 1 than
    the shoulder's offset."""
    model = Model(load(robot))
    found = singular_sets(model, task)
    assert len(found.sets) == len(types)
    for item in found.sets:
        (expected,) = [v for k, v in types.items() if str(item.condition).startswith(k)]
        assert item.within_limits
        assert item.example.kind.course_type == expected
        assert np.all((item.q >= model.mechanism.q_min) & (item.q <= model.mechanism.q_max))
        assert found.determinant.value(item.q) == pytest.approx(0.0, abs=1e-9)


def test_a_set_beyond_the_limits_is_said_to_be_so():
    free = load("anthropomorphic")
    joints = [
        Joint(name=j.name, kind=j.kind, parent=j.parent, placement=j.placement, q_min=lo, q_max=hi)
        for j, (lo, hi) in zip(free.joints, [(-3, 3), (0.2, 0.8), (0.3, 0.6)], strict=True)
    ]
    found = singular_sets(
        Model(Mechanism(name="m", joints=tuple(joints), tool=free.tool)), Task.POSITION
    )
    assert [item.within_limits for item in found.sets] == [False, False]
    assert found.sets[0].q.shape == (0,)


def test_conditions_that_hold_together_have_no_example():
    found = singular_sets(Model(load("planar-4r")), Task.PLANE_POSITION)
    assert [item.example for item in found.sets] == [None]
