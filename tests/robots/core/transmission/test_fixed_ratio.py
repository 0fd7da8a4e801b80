"""Gears of one ratio."""

import numpy as np
import pytest

from robots.core.errors import StateError, TransmissionError
from robots.core.transmission.drives import FixedRatio

HIP = FixedRatio(joint="q9", motor="m9", ratio=271.16)  # bip2000.md


def test_the_motor_turns_the_ratio_times_as_far():
    q = np.array([[0.1], [-2.0]])
    np.testing.assert_allclose(HIP.motor_position(q), [[27.116], [-542.32]])
    np.testing.assert_allclose(HIP.joint_position(HIP.motor_position(q)), q, rtol=1e-15)
    assert (HIP.jacobian(q) == 271.16).all()
    assert HIP.jacobian(q).shape == (2, 1, 1)
    assert (HIP.bias(q, q) == 0.0).all()


def test_it_keeps_a_range_that_is_given():
    limited = FixedRatio(joint="q", motor="m", ratio=-50.0, joint_range=np.array([[-1.0, 1.0]]))
    with pytest.raises(TransmissionError, match=r"Joint q stands at 68\.75"):
        limited.motor_position(np.array([1.2]))
    with pytest.raises(TransmissionError, match=r"Joint q stands at 68\.75"):
        limited.joint_position(np.array([-60.0]))
    with pytest.raises(ValueError, match="read-only"):
        limited.joint_range[0, 0] = 0.0


@pytest.mark.parametrize("ratio", [0.0, np.nan, np.inf])
def test_a_ratio_that_is_none_is_refused(ratio):
    with pytest.raises(TransmissionError, match="The ratio of joint q is"):
        FixedRatio(joint="q", motor="m", ratio=ratio)


def test_not_finite_is_refused():
    with pytest.raises(StateError, match="joint position of q9 is nan"):
        HIP.motor_position(np.array([np.nan]))
