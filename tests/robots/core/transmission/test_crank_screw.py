"""Screw, rod and crank: published ratios of knee and hip."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq

from robots.core.errors import StateError, TransmissionError
from robots.core.transmission.screws import CrankScrew

# Published to one decimal: half of the last digit.
KNEE = [(0, 58.5), (45, 115.1), (90, 94.3)]
HIP = [(-75, 89.3), (-30, 115.3), (0, 96.1)]


@pytest.mark.parametrize(("degrees", "ratio"), KNEE)
def test_the_knee_has_the_published_ratios(knee, degrees, ratio):
    J = knee.jacobian(np.radians([degrees]))
    assert abs(J[0, 0]) == pytest.approx(ratio, abs=0.05)


@pytest.mark.parametrize(("degrees", "ratio"), HIP)
def test_the_hip_has_the_published_ratios(hip, degrees, ratio):
    J = hip.jacobian(np.radians([degrees]))
    assert abs(J[0, 0]) == pytest.approx(ratio, abs=0.05)


def thesis_18(q, R, e, L, angle):
    """[GASTEBOIS17] eq. (18) with q + γ − φ = ``angle``, without the modulus."""
    a = q + angle
    return np.cos(a) * R - np.sqrt(L**2 - (-np.sin(a) * R - e) ** 2)


def thesis_24(angle, R, e, L):
    """[GASTEBOIS17] eq. (24) at q + γ − φ = ``angle``."""
    return -np.cos(angle) * R + np.sqrt(L**2 - (np.sin(angle) * R - e) ** 2)


def test_the_knee_is_the_printed_equation_with_phi_less_half_a_turn(knee, spread):
    q = spread(knee.joint_range, 50)[:, 0]
    right = knee.gamma - (knee.phi - np.pi)
    printed = thesis_18(np.r_[q, 0.0], knee.R, knee.e, knee.rod, right)
    motor = 2 * np.pi / knee.pitch * (printed[:-1] - printed[-1])
    np.testing.assert_allclose(knee.motor_position(q[:, None])[:, 0], motor, atol=1e-11)


def test_the_printed_knee_equation_misses_the_published_ratios(knee):
    def printed(q):
        return thesis_18(q, knee.R, knee.e, knee.rod, knee.gamma - knee.phi)

    step = 1e-6
    for degrees, published in KNEE:
        q = np.radians(degrees)
        with np.errstate(invalid="ignore"):
            slope = (printed(q + step) - printed(q - step)) / (2 * step)
        ratio = 2 * np.pi / knee.pitch * slope
        assert not abs(abs(ratio) - published) < 1.0  # NaN where the rod would not reach


def test_the_hip_is_the_printed_equation_with_offset_and_signs(hip, spread):
    q = np.r_[spread(hip.joint_range, 50)[:, 0], 0.0]
    printed = thesis_24(q + hip.phi - hip.gamma + np.pi / 2, hip.R, hip.e, hip.rod)
    motor = -2 * np.pi / hip.pitch * (printed[:-1] - printed[-1])
    np.testing.assert_allclose(hip.motor_position(q[:-1, None])[:, 0], motor, atol=1e-11)


@pytest.mark.parametrize("name", ["knee", "hip"])
def test_carriage_found_from_the_rods_length_in_space(name, request, spread):
    drive = request.getfixturevalue(name)

    def carriage(q):
        a = drive.crank_sense * q + drive.offset + drive.gamma - drive.phi
        pin = drive.R * np.exp(1j * a)
        return brentq(
            lambda x: abs(complex(x, drive.e) - pin) - drive.rod, pin.real, 1.0, xtol=1e-15
        )

    for q in spread(drive.joint_range, 12)[:, 0]:
        turned = drive.screw_sense * 2 * np.pi / drive.pitch * (carriage(q) - carriage(0.0))
        assert drive.motor_position(np.array([q]))[0] == pytest.approx(turned, abs=1e-9)


@pytest.mark.parametrize("name", ["knee", "hip"])
def test_jacobian_against_finite_differences(name, request, spread):
    drive = request.getfixturevalue(name)
    q = spread(drive.joint_range + np.array([1e-3, -1e-3]), 200)
    step = 1e-5
    slope = (drive.motor_position(q + step) - drive.motor_position(q - step)) / (2 * step)
    np.testing.assert_allclose(drive.jacobian(q)[..., 0], slope, rtol=1e-6)


@pytest.mark.parametrize("name", ["knee", "hip"])
def test_bias_against_finite_differences(name, request, spread):
    drive = request.getfixturevalue(name)
    q = spread(drive.joint_range + np.array([1e-3, -1e-3]), 100)
    qd, step = np.full_like(q, 1.7), 1e-5
    change = (drive.jacobian(q + step) - drive.jacobian(q - step))[..., 0] / (2 * step)
    # differences of numbers near 100 over 1e-5 leave eight digits
    np.testing.assert_allclose(drive.bias(q, qd), change * qd**2, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", ["knee", "hip"])
def test_round_trip_over_the_whole_range(name, request):
    drive = request.getfixturevalue(name)
    q = np.linspace(*drive.joint_range[0], 2001)[:, None]
    back = drive.joint_position(drive.motor_position(q))
    assert np.abs(back - q).max() < 1e-10  # asked for: 0.02°, 3.5e-4 rad


def test_motors_count_from_the_zero_posture(knee, hip):
    assert knee.motor_position(np.zeros(1))[0] == 0.0
    assert hip.motor_position(np.zeros(1))[0] == 0.0


def test_beyond_the_range_is_refused_with_numbers(knee):
    with pytest.raises(
        TransmissionError, match=r"Joint q3 stands at 95° in sample 2.*0° to 90°"
    ) as e:
        knee.motor_position(np.radians([[30.0], [95.0]]))
    assert e.value.facts["value"] == pytest.approx(np.radians(95))
    assert e.value.facts["limit"] == pytest.approx(np.radians(90))
    assert e.value.facts["sample"] == (1,)


def test_a_motor_position_that_crank_and_rod_do_not_reach_is_refused(knee):
    with pytest.raises(
        TransmissionError, match=r"Motor m3 at 1000 rad.*reach from 51.2 to 161.2 mm"
    ):
        knee.joint_position(np.array([-1000.0, 1000.0])[1:])


def test_a_motor_position_beyond_the_joints_range_is_refused(knee):
    end = knee.motor_position(np.radians([90.0]))
    with pytest.raises(TransmissionError, match=r"Joint q3 stands at 9\d"):
        knee.joint_position(end * 1.01)


def test_a_range_with_a_dead_point_is_refused(knee):
    with pytest.raises(TransmissionError, match="dead point"):
        dataclasses.replace(knee, joint_range=np.radians([[-60, 90]]))


def test_a_rod_that_is_too_short_is_refused(knee):
    with pytest.raises(TransmissionError, match=r"too short at .*must be above 0"):
        dataclasses.replace(knee, rod=10e-3)


def test_ranges_without_end_and_empty_ones_are_refused(knee):
    with pytest.raises(TransmissionError, match="no ends"):
        dataclasses.replace(knee, joint_range=np.array([[0.0, np.inf]]))
    with pytest.raises(TransmissionError, match="a minimum and a larger maximum"):
        dataclasses.replace(knee, joint_range=np.array([[1.0, 0.5]]))


@pytest.mark.parametrize("name", ["pitch", "R", "rod"])
def test_lengths_of_zero_are_refused(knee, name):
    with pytest.raises(TransmissionError, match=f"{name} is 0.0 m; a length above zero"):
        dataclasses.replace(knee, **{name: 0.0})


def test_a_sense_is_one_or_minus_one(knee):
    with pytest.raises(TransmissionError, match="crank_sense is 0; give 1 or -1"):
        dataclasses.replace(knee, crank_sense=0)


def test_not_finite_and_wrong_shapes_are_refused(knee):
    with pytest.raises(StateError, match="joint position of q3 in sample 2 is nan"):
        knee.motor_position(np.array([[0.1], [np.nan]]))
    with pytest.raises(StateError, match=r"shape \(2,\).*1 entries, for q3"):
        knee.jacobian(np.zeros(2))


@pytest.mark.parametrize("batch", [(), (0,), (3,), (2, 3)])
def test_batches_keep_their_shape(knee, batch):
    q = np.full((*batch, 1), 0.4)
    assert knee.motor_position(q).shape == (*batch, 1)
    assert knee.joint_position(knee.motor_position(q)).shape == (*batch, 1)
    assert knee.jacobian(q).shape == (*batch, 1, 1)
    assert knee.bias(q, q).shape == (*batch, 1)


@given(
    e=st.floats(-0.06, 0.06),
    R=st.floats(0.02, 0.06),
    slack=st.floats(0.01, 0.2),
    middle=st.floats(0.6, 2.5),
    share=st.floats(0.0, 1.0),
)
def test_any_crank_without_dead_point_comes_back(e, R, slack, middle, share):
    given = {"e": e, "R": R, "rod": R + abs(e) + slack, "gamma": middle}
    drive = crank_or_none(given)
    assume(drive is not None)
    q = np.array([share - 0.5])
    # Where the carriage hardly moves with the joint, it tells little of it.
    assume(abs(drive.jacobian(q)[0, 0]) > 1.0)
    back = drive.joint_position(drive.motor_position(q))
    assert abs(back - q)[0] < 1e-10


def crank_or_none(given):
    names = {"joint": "q", "motor": "m", "pitch": 2e-3, "phi": 0.0}
    try:
        return CrankScrew(**names, **given, joint_range=np.array([[-0.5, 0.5]]))
    except TransmissionError:
        return None  # a dead point in this range
