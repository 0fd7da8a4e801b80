"""Address of an array's data, without NumPy's ctypes interface."""

from __future__ import annotations

from ctypes import addressof, c_char
from typing import Any

from numpy.typing import NDArray

_first_byte: Any = c_char.from_buffer  # NumPy does not declare that it lends its bytes


def address_of(array: NDArray[Any]) -> int:
    """Address of the first number of a C-ordered array.

    ``array.ctypes`` takes four times as long, which a call with ten small arrays feels. An array
    that is empty or may only be read has no byte that ctypes lends, so it goes that way.
    """
    try:
        return addressof(_first_byte(array))
    except (TypeError, ValueError):
        return array.ctypes.data
