"""Powers of ten as 128-bit fractions: what turns a power of two into a power of ten."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

LEAST = -292  # power in the first row
MOST = 324  # power in the last row
_BITS = 128


@cache
def powers_of_ten() -> NDArray[np.uint64]:
    """The leading 128 bits of 10^LEAST to 10^MOST, rounded up unless exact. # (617·2,).

    Every power has two words, the upper first. They are g = ⌈10^e·2^(127 - f)⌉, where f is the
    floor of log2 10^e; made with whole numbers, so they are exact.
    """
    positive = 1
    words = {}
    for exponent in range(MOST + 1):
        words[exponent] = _leading(positive)
        if 0 < exponent <= -LEAST:
            words[-exponent] = _leading_of_inverse(positive)
        positive *= 10
    joined = b"".join(words[k].to_bytes(_BITS // 8, "big") for k in range(LEAST, MOST + 1))
    table = np.frombuffer(joined, dtype=">u8").astype(np.uint64)
    table.setflags(write=False)
    return table


def _leading(number: int) -> int:
    excess = number.bit_length() - _BITS
    return number << -excess if excess <= 0 else -(-number >> excess)


def _leading_of_inverse(number: int) -> int:
    """Of 1/number, which is no power of two."""
    return (1 << (number.bit_length() + _BITS - 1)) // number + 1
