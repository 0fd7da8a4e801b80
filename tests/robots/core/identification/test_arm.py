"""The arm with errors as a mechanism: the same as its equations, and as a file."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.identification.arm import IdentifiedArm, nominal_length, reach
from robots.core.identification.measurements import MeasurementKind
from robots.core.joint_samples import joint_samples
from robots.core.model import Model
from robots.core.robot_file import read_robot, write_toml
from robots.library import load

ROBOTS = ("measuring-arm", "industrial-7r", "stanford", "gantry-5")


@pytest.mark.parametrize("kind", list(MeasurementKind))
@pytest.mark.parametrize("robot", ROBOTS)
def test_a_corrected_arm_is_what_the_equations_say(robot, kind):
    # Two roads: placements changed and the ordinary model, against the recorded error chain.
    arm = IdentifiedArm(load(robot), kind)
    errors = 1e-2 * np.random.default_rng(1).normal(size=len(arm.names))
    q = joint_samples(arm.nominal, 20, slide=1.0)
    found = Model(arm.corrected(errors)).forward(q)[:, :3, 3]
    np.testing.assert_allclose(found, arm.model.positions(q, errors), atol=1e-13)


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_corrected_arm_reads_back_from_its_file(robot):
    arm = IdentifiedArm(load(robot), MeasurementKind.POINT)
    errors = 1e-3 * np.random.default_rng(2).normal(size=len(arm.names))
    corrected = arm.corrected(errors)
    again = read_robot(write_toml(corrected), origin="calibrated.toml")
    q = joint_samples(arm.nominal, 50, slide=1.0)
    # Axes tilted by a milliradian have rows a thousand times as long: 1e-12 of a metre is left.
    np.testing.assert_allclose(Model(again).forward(q), Model(corrected).forward(q), atol=1e-12)
    assert again.self_pairs == arm.nominal.self_pairs
    np.testing.assert_array_equal(again.q_min, arm.nominal.q_min)


def test_no_error_is_the_nominal_arm_exactly():
    arm = IdentifiedArm(load("measuring-arm"), MeasurementKind.POINT)
    same = arm.corrected(np.zeros(len(arm.names)))
    for ours, theirs in zip(same.joints, arm.nominal.joints, strict=True):
        np.testing.assert_array_equal(ours.placement, theirs.placement)


def test_only_points_tell_where_the_base_stands():
    names = {kind: IdentifiedArm(load("measuring-arm"), kind).names for kind in MeasurementKind}
    six = {"base x", "base y", "base z", "base rx", "base ry", "base rz"}
    assert six <= set(names[MeasurementKind.POINT])
    assert not six & set(names[MeasurementKind.SPHERE])
    assert "expansion" not in names[MeasurementKind.LENGTH]


def test_the_longest_length_keeps_the_scale():
    arm = IdentifiedArm(load("measuring-arm"), MeasurementKind.SPHERE)
    assert arm.names[-1] == "q4 r"  # 1513.9 mm, table VI.2
    assert nominal_length(arm.nominal, arm.parameters[-1]) == pytest.approx(1.5139)
    assert reach(arm.nominal) == pytest.approx(0.40982 + 1.0 + 1.5139)
