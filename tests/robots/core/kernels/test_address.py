"""Addresses are NumPy's own, whether ctypes lends the bytes or not."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.kernels.address import address_of


def read_only():
    array = np.arange(6.0)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0),
        np.arange(6.0)[2:],
        np.zeros((2, 3), dtype="u1"),
        np.zeros((0, 3)),
        read_only(),
    ],
    ids=["own", "part", "bytes", "empty", "read-only"],
)
def test_the_address_is_numpys(array):
    assert address_of(array) == array.ctypes.data


def test_nothing_is_held_after_the_call():
    array = np.arange(6.0)
    address_of(array)
    array.resize(12)  # refused while somebody holds the bytes
    assert array.size == 12
