"""First order: a planar arm by hand, Pinocchio's Jacobian, laws, budgets, correlations."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import UncertaintySettings
from planner.uncertainty.job_uncertainty import (
    first_order,
    joint_covariance,
    normal_sigmas,
    point_uncertainties,
)
from planner.uncertainty.measuring import Carrier, Measuring, measuring_of
from planner.uncertainty.types import Budget
from robots.core.denavit_hartenberg import DhRow
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.pose import make_pose, rotation_exp, skew
from robots.core.robot_file import read_robot
from robots.library import text_of

L1, L2 = 0.7, 0.4


def planar(settings, q=(0.6, -1.1), normal=(0.0, 1.0, 0.0)):
    """One point touched by two links of 0.7 m and 0.4 m."""
    rows = (DhRow(), DhRow(d=L1))
    joints = tuple(
        Joint(name=f"q{k + 1}", kind=JointKind.REVOLUTE, parent=k - 1, placement=row.pose())
        for k, row in enumerate(rows)
    )
    arm = Mechanism(name="planar", joints=joints, tool=make_pose(translation=[L2, 0.0, 0.0]))
    tip = [
        L1 * math.cos(q[0]) + L2 * math.cos(q[0] + q[1]),
        L1 * math.sin(q[0]) + L2 * math.sin(q[0] + q[1]),
        0.0,
    ]
    return Measuring(
        mechanism=arm,
        settings=settings,
        names=("A",),
        q=np.array([q]),
        surfaces=np.array([tip]),
        normals=np.array([normal]),
    )


# --- by hand -------------------------------------------------------------------------------------


def test_a_planar_arm_by_hand():
    """Along y: (x·u1)² + (l2·c12·u2)² of the readings, (s1·u)² of the first link."""
    u, length = 1e-4, 2e-5
    found = first_order(planar(UncertaintySettings(encoder=u, length=length)))
    q1, q12 = 0.6, 0.6 - 1.1
    x, y = L1 * math.cos(q1) + L2 * math.cos(q12), L1 * math.sin(q1) + L2 * math.sin(q12)
    J = np.array([[-y, -L2 * math.sin(q12)], [x, L2 * math.cos(q12)], [0.0, 0.0]])
    link = np.array([math.cos(q1), math.sin(q1), 0.0])
    up = np.array([0.0, 0.0, 1.0])  # r of the second row
    expected = u**2 * J @ J.T + length**2 * (np.outer(link, link) + np.outer(up, up))
    np.testing.assert_allclose(found.covariances[0], expected, rtol=1e-12, atol=1e-25)
    assert found.sigma_normal[0] == pytest.approx(math.sqrt(expected[1, 1]), rel=1e-12)
    shares = found.budgets[0].shares
    assert shares["reading q1"] == pytest.approx((u * x) ** 2 / expected[1, 1], rel=1e-12)
    assert shares["lengths"] == pytest.approx((length * math.sin(q1)) ** 2 / expected[1, 1])
    assert sum(shares.values()) == pytest.approx(1.0, rel=1e-12)


def test_a_step_of_the_readings_counts_as_its_twelfth():
    steps = first_order(planar(UncertaintySettings(encoder_resolution=math.sqrt(12.0) * 1e-4)))
    noise = first_order(planar(UncertaintySettings(encoder=1e-4)))
    assert steps.sigma_normal[0] == pytest.approx(noise.sigma_normal[0], rel=1e-12)


def test_temperature_acts_along_the_reach():
    found = first_order(planar(UncertaintySettings(temperature=2.0, expansion=1e-5)))
    tip = planar(UncertaintySettings()).surfaces[0]
    np.testing.assert_allclose(found.covariances[0], (2e-5) ** 2 * np.outer(tip, tip), rtol=1e-12)


# --- oracle --------------------------------------------------------------------------------------


def test_readings_propagate_by_pinocchio_s_jacobian(with_settings):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is the independent engine")
    measuring = with_settings(encoder=1e-4)
    found = first_order(measuring)
    model, tool = in_pinocchio(pin, measuring.mechanism)
    data = model.createData()
    for k, q in enumerate(measuring.q):
        J = pin.computeFrameJacobian(model, data, q, tool, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)[
            :3
        ]
        np.testing.assert_allclose(found.covariances[k], 1e-8 * J @ J.T, rtol=1e-9, atol=1e-20)


def in_pinocchio(pin, mechanism):
    model = pin.Model()
    parent = 0
    for joint in mechanism.joints:
        placement = pin.SE3(np.array(joint.placement))
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, joint.name)
    frame = pin.Frame("tool", parent, pin.SE3(np.array(mechanism.tool)), pin.FrameType.OP_FRAME)
    return model, model.addFrame(frame)


# --- laws ----------------------------------------------------------------------------------------


def test_no_errors_no_uncertainty(with_settings):
    found = first_order(with_settings())
    assert np.all(found.covariances == 0.0)
    assert np.all(found.sigma_normal == 0.0)
    assert found.budgets[0].shares == {}
    assert found.budgets[0].largest == ""


def test_twice_the_errors_twice_the_uncertainty(with_settings, every):
    once = first_order(with_settings(**every))
    # a product of two doubled factors would be four: the thermal ones keep their expansion
    twice = {n: v if n.endswith("expansion") else 2.0 * v for n, v in every.items()}
    np.testing.assert_allclose(
        first_order(with_settings(**twice)).sigma_normal, 2.0 * once.sigma_normal, rtol=1e-12
    )


def test_variances_of_sources_add_up(with_settings, every):
    total = np.zeros((9, 3, 3))
    pairs = [{n: v} for n, v in every.items() if "temperature" not in n and "expansion" not in n]
    pairs += [{n: every[n] for n in ("temperature", "expansion")}]
    pairs += [{n: every[n] for n in ("part_temperature", "part_expansion")}]
    for one in pairs:
        total += first_order(with_settings(**one)).covariances
    whole = first_order(with_settings(**every))
    np.testing.assert_allclose(whole.covariances, total, rtol=1e-12, atol=1e-24)
    for budget, sigma in zip(whole.budgets, whole.sigma_normal, strict=True):
        assert budget.total == pytest.approx(sigma**2, rel=1e-12)


def test_turning_the_whole_cell_turns_the_covariance(measuring):
    """Robot, part and points turned together about the first axis."""
    turn = 0.8
    R = rotation_exp(np.array([0.0, 0.0, turn]))
    q = np.array(measuring.q)
    q[:, 0] += turn
    turned = replace(
        measuring, q=q, surfaces=measuring.surfaces @ R.T, normals=measuring.normals @ R.T
    )
    before, after = first_order(measuring), first_order(turned)
    np.testing.assert_allclose(
        after.covariances, R @ before.covariances @ R.T, rtol=1e-9, atol=1e-20
    )
    np.testing.assert_allclose(after.sigma_normal, before.sigma_normal, rtol=1e-9)


def test_a_stylus_error_is_the_same_everywhere(with_settings):
    """Three equal coordinates in the tool's frame are three equal ones in any frame."""
    found = first_order(with_settings(stylus=1e-5))
    np.testing.assert_allclose(found.covariances, np.tile(1e-10 * np.eye(3), (9, 1, 1)), atol=1e-22)


def test_the_normal_sigma_alone_is_the_same(measuring):
    np.testing.assert_allclose(
        normal_sigmas(measuring), first_order(measuring).sigma_normal, rtol=1e-12
    )


def test_the_table_of_sensitivities_sums_to_the_budget(measuring):
    found = first_order(measuring)
    for table, budget in zip(found.tables, found.budgets, strict=True):
        for name, variance in zip(budget.names, budget.variances, strict=True):
            rows = [(row.coefficient * row.sigma) ** 2 for row in table if row.source == name]
            assert sum(rows) == pytest.approx(variance, rel=1e-10, abs=1e-30)


# --- points together -----------------------------------------------------------------------------


def test_blocks_of_the_joint_covariance_are_the_points(measuring):
    joint = joint_covariance(measuring).reshape(9, 3, 9, 3)
    found = first_order(measuring)
    for k in range(9):
        np.testing.assert_allclose(joint[k, :, k, :], found.covariances[k], rtol=1e-12, atol=1e-24)
    matrix = joint_covariance(measuring)
    np.testing.assert_array_equal(matrix, matrix.T)
    values = np.linalg.eigvalsh(matrix)
    assert values[0] > -1e-12 * values[-1]


def test_touches_are_independent_and_offsets_are_not(with_settings):
    touches = joint_covariance(with_settings(probe=1e-5))
    np.testing.assert_allclose(touches, 1e-10 * np.eye(27), atol=1e-24)
    # A shift of the part moves all points alike: no distance between two points changes.
    shifts = joint_covariance(with_settings(alignment=1e-5)).reshape(9, 3, 9, 3)
    np.testing.assert_allclose(shifts[0, :, 7, :], 1e-10 * np.eye(3), atol=1e-24)


def test_a_part_that_is_turned_keeps_its_distances(with_settings):
    """Shifts and turns move all points as a rigid body: no distance has a variance."""
    measuring = with_settings(alignment=1e-5, alignment_turn=1e-4)
    joint = joint_covariance(measuring).reshape(9, 3, 9, 3)
    for i, j in ((0, 8), (1, 5), (2, 3)):
        along = measuring.surfaces[j] - measuring.surfaces[i]
        along /= np.linalg.norm(along)
        difference = joint[i, :, i, :] + joint[j, :, j, :] - joint[i, :, j, :] - joint[j, :, i, :]
        assert abs(along @ difference @ along) < 1e-12 * np.trace(joint[i, :, i, :])


def test_a_carrier_propagates_its_pose(with_settings):
    covariance = np.diag([1e-10, 4e-10, 9e-10, 1e-8, 2e-8, 3e-8])
    origin = np.array([0.2, 1.0, 0.5])
    base = with_settings()
    on_it = replace(
        base,
        carriers=(Carrier(origin=origin, covariance=covariance),),
        carried=np.array([0] * 5 + [-1] * 4),
    )
    found = first_order(on_it)
    for k in range(5):
        G = np.concatenate([np.eye(3), -skew(base.surfaces[k] - origin)], axis=1)
        np.testing.assert_allclose(
            found.covariances[k], G @ covariance @ G.T, rtol=1e-9, atol=1e-24
        )
        assert found.budgets[k].shares["presenter"] == pytest.approx(1.0)
    assert np.all(found.covariances[5:] == 0.0)


def test_sliding_joints_have_errors_of_their_own():
    """A gantry's three slides along its axes: readings of 3, steps of 4·sqrt(12) make 5."""
    arm = read_robot(text_of("gantry-5"), origin="gantry-5")
    count = sum(joint.kind is JointKind.PRISMATIC for joint in arm.movable)
    assert count == 3
    point = {"names": ("A",), "q": np.full((1, 5), 0.3), "normals": np.array([[0.0, 0.0, 1.0]])}
    settings = UncertaintySettings(
        encoder_slide=3e-6, encoder_resolution_slide=math.sqrt(12.0) * 4e-6
    )
    found = first_order(
        Measuring(mechanism=arm, settings=settings, surfaces=np.zeros((1, 3)), **point)
    )
    np.testing.assert_allclose(found.covariances[0], 25e-12 * np.eye(3), atol=1e-22)
    zeros = Measuring(
        mechanism=arm,
        settings=UncertaintySettings(encoder_offset_slide=2e-6),
        surfaces=np.zeros((1, 3)),
        **point,
    )
    np.testing.assert_allclose(first_order(zeros).covariances[0], 4e-12 * np.eye(3), atol=1e-22)


# --- edges ---------------------------------------------------------------------------------------


def test_a_job_without_the_table_is_refused(corrected):
    with pytest.raises(JobError, match=r"has no \[uncertainty\], and nothing is guessed"):
        measuring_of(corrected)
    with pytest.raises(JobError, match=r"such as encoder_deg, length_mm"):
        point_uncertainties(corrected)


def test_points_that_are_not_reached_are_left_out(uncertain):
    points = list(uncertain.planned_points)
    points[2] = replace(points[2], reachable=False, q_contact=np.full(5, np.nan))
    found = measuring_of(replace(uncertain, planned_points=tuple(points)))
    assert len(found) == 8
    assert "P3" not in found.names


def test_measured_points_are_checked(measuring):
    with pytest.raises(JobError, match=r"q has shape \(9, 4\); expected \(9, 5\), all finite"):
        replace(measuring, q=measuring.q[:, :4])
    q = np.array(measuring.q)
    q[3, 2] = np.nan
    with pytest.raises(JobError, match="Leave out points that are not reached"):
        replace(measuring, q=q)
    with pytest.raises(JobError, match="9 points on 0 carriers"):
        replace(measuring, carried=np.zeros(9, dtype=np.int64))


def test_no_points_no_results(measuring):
    none = measuring.take(np.zeros(0, dtype=np.int64))
    assert point_uncertainties(none) == ()
    assert joint_covariance(none).shape == (0, 0)


def test_a_budget_tells_its_largest_source():
    budget = Budget(names=("a", "b"), variances=np.array([1.0, 3.0]))
    assert budget.largest == "b"
    assert budget.shares == {"a": 0.25, "b": 0.75}
    assert budget.sigmas["a"] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        budget.variances[0] = 2.0
