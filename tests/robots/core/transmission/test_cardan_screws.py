"""Cardan with two screws: published added inertias, rods of constant length."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from robots.core.errors import StateError, TransmissionError

ROTOR = 3.5e-5


def thesis_12(q, drive, b):
    """[GASTEBOIS17] eq. (12), l2' and l2'', without the modulus."""
    c1, s1 = np.cos(q[..., 0]), np.sin(q[..., 0])
    c2, s2 = np.cos(q[..., 1] + drive.gamma), np.sin(q[..., 1] + drive.gamma)
    c, d, e, h = drive.c, drive.d, drive.e, drive.h
    one = (s1 * b - c1 * d + h) ** 2 + (c1 * s2 * b + s1 * s2 * d - c2 * c + e) ** 2
    two = (s1 * b + c1 * d - h) ** 2 + (c1 * s2 * b - s1 * s2 * d - c2 * c + e) ** 2
    first = -c1 * c2 * b - s1 * c2 * d - s2 * c - np.sqrt(drive.rod**2 - one)
    second = -c1 * c2 * b + s1 * c2 * d - s2 * c - np.sqrt(drive.rod**2 - two)
    return np.stack([first, second], axis=-1)


def printed_inertia(drive, b):
    """Rotor inertia at q = 0 by eq. (12), differences of both sides."""
    turn, step = 2 * np.pi / drive.pitch, 1e-6
    sides = np.eye(2) * step
    J = turn * (thesis_12(sides, drive, b) - thesis_12(-sides, drive, b)).T / (2 * step)
    return np.diag(ROTOR * J.T @ J)


def test_the_ankle_has_the_published_inertias(ankle):
    J = ankle.jacobian(np.zeros(2))
    added = np.diag(ROTOR * J.T @ J)
    np.testing.assert_allclose(added, [0.2423, 0.6005], atol=5e-5)  # half of the last digit


def test_the_printed_equation_needs_the_other_sign_of_b(ankle, spread):
    np.testing.assert_allclose(printed_inertia(ankle, ankle.b), [0.2421, 0.6138], atol=5e-5)
    np.testing.assert_allclose(printed_inertia(ankle, -ankle.b), [0.2423, 0.6005], atol=5e-5)
    q = spread(ankle.joint_range, 50)
    travel = thesis_12(q, ankle, -ankle.b) - thesis_12(np.zeros(2), ankle, -ankle.b)
    turned = 2 * np.pi / ankle.pitch * travel
    np.testing.assert_allclose(ankle.motor_position(q), turned, atol=1e-11)


@pytest.mark.parametrize("name", ["ankle", "lumbar"])
def test_carriages_found_from_the_rods_length_in_space(name, request, spread):
    drive = request.getfixturevalue(name)

    def carriage(q, side):
        # x along the screws, y lateral, z across: frontal about z, then sagittal about y
        flexed = Rotation.from_euler("y", q[1] + drive.gamma)
        turn = flexed * Rotation.from_euler("z", -q[0])
        anchor = turn.apply([-drive.b, side * drive.d, drive.c])
        guide = np.array([0.0, side * drive.h, drive.e])
        return brentq(
            lambda x: np.linalg.norm(guide + np.array([x, 0, 0]) - anchor) - drive.rod,
            anchor[0],
            1.0,
            xtol=1e-15,
        )

    for q in spread(drive.joint_range, 10):
        travel = [carriage(q, s) - carriage(np.zeros(2), s) for s in (1, -1)]
        turned = drive.screw_sense * 2 * np.pi / drive.pitch * np.array(travel)
        np.testing.assert_allclose(drive.motor_position(q), turned, atol=1e-9)


@pytest.mark.parametrize("name", ["ankle", "lumbar"])
def test_jacobian_against_finite_differences(name, request, spread):
    drive = request.getfixturevalue(name)
    q = spread(drive.joint_range * 0.99, 200)
    step = 1e-5
    for k in range(2):
        side = step * np.eye(2)[k]
        slope = (drive.motor_position(q + side) - drive.motor_position(q - side)) / (2 * step)
        np.testing.assert_allclose(drive.jacobian(q)[..., k], slope, rtol=1e-6)


@pytest.mark.parametrize("name", ["ankle", "lumbar"])
def test_bias_against_finite_differences(name, request, spread):
    drive = request.getfixturevalue(name)
    q = spread(drive.joint_range * 0.99, 100)
    qd, step = np.array([0.8, -1.3]), 1e-5
    change = (drive.jacobian(q + step * qd) - drive.jacobian(q - step * qd)) / (2 * step)
    np.testing.assert_allclose(drive.bias(q, qd), change @ qd, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", ["ankle", "lumbar"])
def test_round_trip_over_the_whole_range(name, request):
    drive = request.getfixturevalue(name)
    axes = [np.linspace(low, high, 41) for low, high in drive.joint_range]
    q = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    back = drive.joint_position(drive.motor_position(q))
    assert back.shape == q.shape
    assert np.abs(back - q).max() < 1e-10  # asked for: 0.02°, 3.5e-4 rad


def test_flexion_moves_both_motors_alike_and_roll_one_against_the_other(ankle):
    flexed = ankle.motor_position(np.column_stack([np.zeros(19), np.linspace(-0.78, 0.78, 19)]))
    np.testing.assert_allclose(flexed[:, 0], flexed[:, 1], atol=1e-12)
    assert np.ptp(flexed[:, 0]) > 100.0  # it does move
    J = ankle.jacobian(np.zeros(2))
    assert J[0, 0] == pytest.approx(-J[1, 0], rel=1e-12)
    assert J[0, 1] == pytest.approx(J[1, 1], rel=1e-12)


def test_the_mirror_image_exchanges_the_motors(ankle, spread):
    q = spread(ankle.joint_range, 50)
    mirrored = ankle.motor_position(q * [-1, 1])
    np.testing.assert_allclose(mirrored, ankle.motor_position(q)[:, ::-1], atol=1e-11)


@pytest.mark.parametrize("name", ["ankle", "lumbar"])
def test_one_posture_per_pair_of_motor_positions(name, request):
    """Signs of the minors are the same everywhere: one to one on a box (Gale and Nikaido)."""
    drive = request.getfixturevalue(name)
    axes = [np.linspace(low, high, 61) for low, high in drive.joint_range]
    J = drive.jacobian(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1))
    signs = np.sign(J).reshape(-1, 2, 2)
    assert (signs == signs[0]).all()
    assert signs[0, 0, 0] * signs[0, 1, 1] == -signs[0, 0, 1] * signs[0, 1, 0] != 0


def test_beyond_the_range_is_refused_with_numbers(ankle):
    with pytest.raises(TransmissionError, match=r"Joint q1 stands at -25°.*-20° to 20°.*by 5°"):
        ankle.motor_position(np.radians([-25.0, 0.0]))


def test_motor_positions_without_posture_are_refused(ankle):
    edge = ankle.motor_position(np.radians([0.0, 45.0]))
    with pytest.raises(TransmissionError, match=r"Motors m1, m2 at .* in sample 2 ask for no") as e:
        ankle.joint_position(np.array([edge, 1.05 * edge, [1e4, -1e4]]))
    assert e.value.facts["sample"] == (1,)


def test_a_rod_that_is_too_short_is_refused(ankle):
    with pytest.raises(TransmissionError, match="too short"):
        dataclasses.replace(ankle, rod=12e-3)


def test_a_range_with_a_dead_point_is_refused(ankle):
    with pytest.raises(TransmissionError, match="dead point"):
        dataclasses.replace(ankle, joint_range=np.radians([[-20, 20], [-45, 100]]))


def test_a_cardan_has_two_joints_and_two_motors(ankle):
    with pytest.raises(TransmissionError, match="two of each"):
        dataclasses.replace(ankle, motors=("m1",))


def test_not_finite_and_wrong_shapes_are_refused(ankle):
    with pytest.raises(StateError, match="joint position of q2 is inf"):
        ankle.motor_position(np.array([0.0, np.inf]))
    with pytest.raises(StateError, match="motor position of m1 in sample 1 is nan"):
        ankle.joint_position(np.array([[np.nan, 0.0]]))
    with pytest.raises(StateError, match="2 entries"):
        ankle.bias(np.zeros(2), np.zeros(3))


@pytest.mark.parametrize("batch", [(), (0,), (3,), (2, 3)])
def test_batches_keep_their_shape(ankle, batch):
    q = np.full((*batch, 2), 0.1)
    assert ankle.motor_position(q).shape == (*batch, 2)
    assert ankle.joint_position(ankle.motor_position(q)).shape == (*batch, 2)
    assert ankle.jacobian(q).shape == (*batch, 2, 2)
    assert ankle.bias(q, q).shape == (*batch, 2)
