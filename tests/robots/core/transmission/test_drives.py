"""All drives of a robot: power is kept from motor to joint."""

import dataclasses

import numpy as np
import pytest

from robots.core.errors import StateError, TransmissionError
from robots.core.transmission.drives import Drives, FixedRatio


def test_added_rotor_inertias_are_the_published_ones(leg):
    added = leg.reflected_inertia(np.zeros(4))
    # Published to four decimals: half of the last digit.
    np.testing.assert_allclose(np.diag(added), [0.2423, 0.6005, 0.2400, 0.6463], atol=5e-5)
    np.testing.assert_allclose(added, np.diag(np.diag(added)), atol=1e-12)


def test_reflected_inertia_has_the_rotors_kinetic_energy(leg, spread):
    q, qd = spread(leg.joint_range, 40), np.array([0.3, -0.7, 1.1, 0.4])
    spun = leg.motor_speed(q, qd)
    by_joints = 0.5 * np.einsum("i,...ij,j->...", qd, leg.reflected_inertia(q), qd)
    by_rotors = 0.5 * np.sum(leg.rotor_inertias * spun**2, axis=-1)
    np.testing.assert_allclose(by_joints, by_rotors, rtol=1e-13)


def test_round_trip_of_the_whole_leg(leg, spread):
    q = spread(leg.joint_range, 2000)
    assert np.abs(leg.joint_position(leg.motor_position(q)) - q).max() < 1e-10


def test_no_power_is_lost(leg, spread):
    q = spread(leg.joint_range, 500)
    qd, tau = spread([[-3, 3]] * 4, 500, seed=1), spread([[-200, 200]] * 4, 500, seed=2)
    joints = np.sum(tau * qd, axis=-1)
    motors = np.sum(leg.motor_torque(q, tau) * leg.motor_speed(q, qd), axis=-1)
    # a sum of four products near 500 W, rounding of a few of them
    np.testing.assert_allclose(motors, joints, rtol=0, atol=1e-10)


def test_virtual_work_of_small_turns(leg, spread):
    """Torque against the finite difference of the positions, not of the Jacobian."""
    q = spread(leg.joint_range * 0.98 + 0.005, 50)
    torque, step = np.array([0.4, -0.2, 0.9, 0.3]), 1e-5
    for k in range(4):
        side = step * np.eye(4)[k]
        turned = (leg.motor_position(q + side) - leg.motor_position(q - side)) / (2 * step)
        np.testing.assert_allclose(leg.joint_torque(q, torque)[:, k], turned @ torque, rtol=1e-6)


def test_torques_there_and_back(leg, spread):
    q, tau = spread(leg.joint_range, 50), np.array([10.0, -60.0, 90.0, 40.0])
    back = leg.joint_torque(q, leg.motor_torque(q, tau))
    np.testing.assert_allclose(back, np.broadcast_to(tau, q.shape), rtol=1e-12)


def test_speeds_and_accelerations_along_a_motion(leg):
    middle, swing = leg.joint_range.mean(axis=1), 0.4 * np.ptp(leg.joint_range, axis=1)
    t, step = np.linspace(0.1, 2.0, 30)[:, None], 1e-4
    phase = np.array([0.0, 0.4, 1.0, 2.0])

    def motors(time):
        return leg.motor_position(middle + swing * np.sin(time + phase))

    q = middle + swing * np.sin(t + phase)
    qd, qdd = swing * np.cos(t + phase), -swing * np.sin(t + phase)
    speed = (motors(t + step) - motors(t - step)) / (2 * step)
    second = (motors(t + step) - 2 * motors(t) + motors(t - step)) / step**2
    np.testing.assert_allclose(leg.motor_speed(q, qd), speed, rtol=1e-6, atol=1e-6)
    # second differences: eps·100/1e-8 of rounding
    np.testing.assert_allclose(leg.motor_acceleration(q, qd, qdd), second, rtol=1e-5, atol=1e-4)


def test_windings_also_turn_their_rotors(leg, spread):
    """Work at the motors = work at the joints + change of the rotors' kinetic energy."""
    q, qd = spread(leg.joint_range, 20), np.array([0.3, -0.7, 1.1, 0.4])
    qdd, tau = np.array([2.0, 1.0, -3.0, 0.5]), np.array([10.0, -60.0, 90.0, 40.0])
    power = np.sum(leg.drive_torque(q, qd, qdd, tau) * leg.motor_speed(q, qd), axis=-1)
    spun = leg.rotor_inertias * leg.motor_speed(q, qd) * leg.motor_acceleration(q, qd, qdd)
    np.testing.assert_allclose(power, tau @ qd + spun.sum(axis=-1), rtol=1e-12)


def test_encoder_resolution_of_single_joints_and_of_the_cardan(leg):
    count = 360 / 4096
    found = np.degrees(leg.encoder_resolution(np.zeros(4)))
    J = leg.jacobian(np.zeros(4))
    assert found[2] == pytest.approx(count / abs(J[2, 2]))  # 1.50 mdeg
    # at q = 0 both screws share one turn of either joint: one count of both is one count each way
    assert found[1] == pytest.approx(count / abs(J[0, 1]))
    coarse = dataclasses.replace(leg, encoder_counts=1024).encoder_resolution(np.zeros(4))
    np.testing.assert_allclose(np.degrees(coarse), 4 * found)


def test_names_decide_the_order(ankle, knee, hip, leg, spread):
    turned = Drives(
        transmissions=(hip, ankle, knee),
        joints=("q4", "q3", "q2", "q1"),
        motors=("m2", "m4", "m1", "m3"),
        rotor_inertias=np.array([3.5, 7, 3.5, 7]) * 1e-5,
    )
    q = spread(leg.joint_range, 20)
    found = turned.motor_position(q[:, ::-1])
    np.testing.assert_array_equal(found, leg.motor_position(q)[:, [1, 3, 0, 2]])
    np.testing.assert_allclose(
        turned.reflected_inertia(q[:, ::-1]), leg.reflected_inertia(q)[:, ::-1, ::-1], rtol=1e-13
    )
    np.testing.assert_array_equal(turned.joint_range, leg.joint_range[::-1])


def test_motors_are_in_the_transmissions_order_when_left_out(leg):
    assert leg.motors == ("m1", "m2", "m3", "m4")


def test_within_range_says_which_joints_are_not(leg):
    q = np.radians([[0, 0, 10, 0], [0, 50, -1, 0]])
    assert leg.within_range(q).tolist() == [[True] * 4, [True, False, False, True]]
    with pytest.raises(TransmissionError, match="Joint q2 stands at 50° in sample 2"):
        leg.motor_position(q)


@pytest.mark.parametrize("batch", [(), (0,), (3,), (2, 3)])
def test_batches_keep_their_shape(leg, batch):
    q = np.full((*batch, 4), 0.1)
    assert leg.motor_position(q).shape == (*batch, 4)
    assert leg.joint_position(leg.motor_position(q)).shape == (*batch, 4)
    assert leg.motor_speed(q, q).shape == (*batch, 4)
    assert leg.motor_acceleration(q, q, q).shape == (*batch, 4)
    assert leg.motor_torque(q, q).shape == (*batch, 4)
    assert leg.joint_torque(q, q).shape == (*batch, 4)
    assert leg.drive_torque(q, q, q, q).shape == (*batch, 4)
    assert leg.reflected_inertia(q).shape == (*batch, 4, 4)
    assert leg.encoder_resolution(q).shape == (*batch, 4)
    assert leg.within_range(q).shape == (*batch, 4)


def test_one_posture_with_many_speeds(leg, spread):
    qd = spread([[-1, 1]] * 4, 5)
    many = leg.motor_acceleration(np.full(4, 0.1), qd, np.zeros(4))
    one = [leg.motor_acceleration(np.full(4, 0.1), v, np.zeros(4)) for v in qd]
    np.testing.assert_allclose(many, one, rtol=1e-13)


A, B = (FixedRatio(joint=n, motor=f"m{n}", ratio=10.0) for n in "ab")
GIVEN = {"transmissions": (A, B), "joints": ("a", "b"), "rotor_inertias": np.zeros(2)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transmissions": (A,)}, "Joint b is in no transmission"),
        ({"transmissions": (A, B, B)}, "Joint b is in 2 transmissions"),
        ({"joints": ("a",)}, "Joint b is not one of the robot's: a"),
        ({"joints": ("a", "b", "a")}, "Joint names repeat"),
        ({"motors": ("ma", "mc")}, "Motor mb is not one of the robot's"),
        ({"rotor_inertias": np.zeros(3)}, "rotor_inertias is .* give 2 values"),
        ({"rotor_inertias": np.array([1.0, -1.0])}, "zero or more"),
        ({"max_torque": np.array([np.nan, 1.0])}, "max_torque is"),
        ({"encoder_counts": 0}, "0 counts per turn; give one or more"),
    ],
)
def test_drives_that_cannot_be_are_refused(change, message):
    with pytest.raises(TransmissionError, match=message):
        Drives(**(GIVEN | change))


def test_not_finite_and_wrong_shapes_are_refused(leg):
    with pytest.raises(StateError, match="joint speed of q3 is nan"):
        leg.motor_speed(np.zeros(4), np.array([0, 0, np.nan, 0]))
    with pytest.raises(StateError, match=r"joint torque has shape \(3,\).*4 entries"):
        leg.motor_torque(np.zeros(4), np.zeros(3))


def test_arrays_are_read_only(leg):
    with pytest.raises(ValueError, match="read-only"):
        leg.rotor_inertias[0] = 1.0
