"""A programme is recorded once for equal dimensions, and anew for others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.arm.equations import branch_programme, line_programme, newton_programme
from robots.arm.family import arm_family
from robots.core.kernels.recordings import PROGRAMMES
from robots.core.quantities import quantity
from robots.core.recording import Recorder
from robots.core.remembered import remembered
from robots.library import load


@pytest.fixture
def recorded():
    """A recording of x + number, and what it was called with."""
    calls = []

    @remembered(repr, room=PROGRAMMES)
    def record(number):
        calls.append(number)
        recorder = Recorder()
        (x,) = recorder.argument("x", (1,))
        return recorder.programme("sum", [x * 2.0 + number], (1,))

    return record, calls


def test_equal_arguments_give_the_same_programme(recorded):
    record, calls = recorded
    assert record(0.1) is record(0.1)
    assert record(0.2) is not record(0.1)
    assert calls == [0.1, 0.2]


def test_zeros_of_either_sign_are_told_apart(recorded):
    record, calls = recorded
    record(0.0)
    record(-0.0)
    assert [np.signbit(number) for number in calls] == [False, True]


def test_what_was_not_used_for_long_is_forgotten(recorded):
    record, calls = recorded
    kept = record(0.0)
    for number in range(1, 200):
        record(float(number))
        assert record(0.0) is kept  # asked for again and again
    assert len(calls) == 200
    record(1.0)
    assert len(calls) == 201


def test_what_fails_is_not_remembered():
    calls = []

    @remembered(repr, room=PROGRAMMES)
    def record(number):
        calls.append(number)
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            record(1)
    assert calls == [1, 1]


@pytest.mark.parametrize("name", ["forward", "torques", "mass_matrix"])
def test_a_robot_read_twice_has_one_programme(name):
    assert quantity(name).record(load("measuring-arm")) is quantity(name).record(
        load("measuring-arm")
    )


def test_the_arms_programmes_are_remembered_by_dimensions():
    arm, again = load("measuring-arm"), load("measuring-arm")
    assert branch_programme(arm_family(arm)) is branch_programme(arm_family(again))
    assert branch_programme(arm_family(arm)) is not branch_programme(arm_family(arm), free=1)
    assert line_programme(arm, arm_family(arm)) is line_programme(again, arm_family(again))
    assert newton_programme(arm) is newton_programme(again)


@pytest.mark.parametrize("part", ["placement", "body", "gravity", "tool"])
def test_another_dimension_is_another_programme(part):
    arm = load("measuring-arm")
    torques, forward = (quantity(name).record(arm) for name in ("torques", "forward"))
    joint = arm.joints[2]
    match part:
        case "placement":
            moved = joint.placement.copy()
            moved[0, 3] += 1e-9
            other = replace(joint, placement=moved)
        case "body":
            other = replace(joint, body=replace(joint.body, mass=joint.body.mass + 1e-9))
        case _:
            other = joint
    changed = replace(arm, joints=(*arm.joints[:2], other, *arm.joints[3:]))
    if part == "gravity":
        changed = replace(arm, gravity=(0.0, 0.0, -9.80665))
    if part == "tool":
        tool = arm.tool.copy()
        tool[2, 3] += 1e-9
        changed = replace(arm, tool=tool)
    found = [quantity(name).record(changed).digest for name in ("torques", "forward")]
    assert found != [torques.digest, forward.digest]
