"""The virtual COM robot: the thesis's formulas, and the model of a leg with masses on its axes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.biped.errors import BipedError
from robots.biped.posture.com_robot import AxialLeg, ComRobot, com_robot
from robots.core.denavit_hartenberg import DhRow
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.core.model import Model

LEG = AxialLeg(m2=5.93, m3=10.9, m4=58.3, l2=0.41, l3=0.43, l2_cdg=0.26, l3_cdg=0.25, l4_cdg=0.44)
postures = st.tuples(*[st.floats(-2.0, 2.0)] * 4).map(np.array)


def leg_mechanism(leg: AxialLeg) -> Mechanism:
    """Figure 8's rows, with the masses on the x axes of the links."""
    rows = [DhRow(), DhRow(alpha=np.pi / 2), DhRow(d=leg.l2), DhRow(d=leg.l3)]
    bodies = [(0.0, 0.0), (leg.m2, leg.l2_cdg), (leg.m3, leg.l3_cdg), (leg.m4, leg.l4_cdg)]
    joints = tuple(
        Joint(
            name=f"q{k + 1}",
            kind=JointKind.REVOLUTE,
            parent=k - 1,
            placement=row.pose(),
            body=Body(mass=mass, com=[along, 0.0, 0.0]),
        )
        for k, (row, (mass, along)) in enumerate(zip(rows, bodies, strict=True))
    )
    return Mechanism(name="axial leg", joints=joints, gravity=np.array([-9.81, 0.0, 0.0]))


def test_position_and_jacobian_are_those_of_the_mechanism():
    q = np.random.default_rng(3).uniform(-2, 2, size=(200, 4))
    model, robot = Model(leg_mechanism(LEG)), com_robot(LEG)
    # Lengths are below one metre, so 1e-15 is rounding.
    np.testing.assert_allclose(robot.position(q), model.center_of_mass(q), atol=2e-15)
    np.testing.assert_allclose(robot.jacobian(q), model.center_of_mass_jacobian(q), atol=2e-15)


@given(postures)
def test_barycentre_of_the_bodies(q):
    """(37): the centres of (36) corrected, weighted by the masses."""
    weighted = np.array(LEG.masses) @ LEG.centres(q) / sum(LEG.masses)
    np.testing.assert_allclose(com_robot(LEG).position(q), weighted, atol=2e-15)


@given(postures)
def test_pose_is_equation_44(q):
    robot = com_robot(LEG)
    c1, s1, c, s = np.cos(q[0]), np.sin(q[0]), np.cos(sum(q[1:])), np.sin(sum(q[1:]))
    x, y, z = robot.position(q)
    printed = [[c1 * c, -c1 * s, s1, x], [s1 * c, -s1 * s, -c1, y], [s, c, 0, z], [0, 0, 0, 1]]
    np.testing.assert_allclose(robot.pose(q), printed, atol=1e-15)


def test_equivalent_lengths_by_hand():
    """(42) with the line of l4G that the second system lacks."""
    robot = com_robot(LEG)
    total = 5.93 + 10.9 + 58.3
    assert robot.l2_g == pytest.approx((5.93 * 0.26 + 10.9 * 0.41 + 58.3 * 0.41) / total)
    assert robot.l3_g == pytest.approx((10.9 * 0.25 + 58.3 * 0.43) / total)
    assert robot.l4_g == pytest.approx(58.3 * 0.44 / total)


def test_erratum_of_36_is_no_rounding():
    """As printed, z of G4 is s2·l2 + s23·l3cdg: the trunk would not swing with q4 at all."""
    q = np.array([0.0, 0.4, 0.5, 0.6])
    printed = np.sin(0.4) * LEG.l2 + np.sin(0.9) * LEG.l3_cdg
    assert LEG.centres(q)[2, 2] - printed > 0.5
    right = np.sin(0.4) * LEG.l2 + np.sin(0.9) * LEG.l3 + np.sin(1.5) * LEG.l4_cdg
    assert LEG.centres(q)[2, 2] == pytest.approx(right)


@given(postures)
def test_jacobian_is_the_derivative(q):
    robot, h = com_robot(LEG), 1e-6
    columns = [(robot.position(q + h * e) - robot.position(q - h * e)) / (2 * h) for e in np.eye(4)]
    # Central differences: h² = 1e-12 of the third derivative, rounding 1e-16/h = 1e-10.
    np.testing.assert_allclose(robot.jacobian(q), np.transpose(columns), atol=1e-9)


def test_stretched_leg_does_not_gain_height():
    J = com_robot(LEG).jacobian(np.zeros(4))
    np.testing.assert_array_equal(J[0], np.zeros(4))
    assert J[2, 1] == pytest.approx(com_robot(LEG).position(np.zeros(4))[0])


def test_batches():
    robot = ComRobot(l2_g=0.3, l3_g=0.2, l4_g=0.1)
    assert robot.position(np.zeros((2, 3, 4))).shape == (2, 3, 3)
    assert robot.jacobian(np.zeros((2, 3, 4))).shape == (2, 3, 3, 4)
    assert robot.pose(np.zeros((0, 4))).shape == (0, 4, 4)


@pytest.mark.parametrize("q", [[0.0] * 3, [0.0, 0.0, np.nan, 0.0], 1.0])
def test_bad_angles_are_refused(q):
    with pytest.raises(BipedError, match="4 joints, each with a finite angle"):
        com_robot(LEG).position(q)


@pytest.mark.parametrize(("m2", "l3"), [(-1.0, 0.4), (np.nan, 0.4), (1.0, np.inf)])
def test_bad_legs_are_refused(m2, l3):
    with pytest.raises(BipedError, match="no mass below zero"):
        AxialLeg(m2=m2, m3=1.0, m4=1.0, l2=0.4, l3=l3, l2_cdg=0.2, l3_cdg=0.2, l4_cdg=0.2)
    with pytest.raises(BipedError, match="one above it"):
        AxialLeg(m2=0, m3=0, m4=0, l2=0.4, l3=0.4, l2_cdg=0.2, l3_cdg=0.2, l4_cdg=0.2)
