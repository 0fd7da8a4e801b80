"""The functions that a reading gives its scalars: sine, cosine, root, sign, atan2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from robots.core.equations.algebra import Scalar
from robots.core.errors import EquationError


def _not_in_this_reading(a: Scalar, b: Scalar) -> Scalar:
    """Stand in where a reading, such as exact polynomials, has no such function."""
    raise EquationError(f"This reading of the equations has no atan2 or maximum of {a!r}, {b!r}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """What the equations may do to a scalar besides adding and multiplying it."""

    sin: Callable[[Scalar], Scalar]
    cos: Callable[[Scalar], Scalar]
    sign: Callable[[Scalar], Scalar]
    sqrt: Callable[[Scalar], Scalar]
    atan2: Callable[[Scalar, Scalar], Scalar] = _not_in_this_reading
    maximum: Callable[[Scalar, Scalar], Scalar] = _not_in_this_reading


def numbers() -> Functions:
    """Floats and NumPy arrays."""
    import numpy as np

    return Functions(
        sin=np.sin,
        cos=np.cos,
        sign=np.sign,
        sqrt=np.sqrt,
        atan2=np.arctan2,
        maximum=np.maximum,
    )


def symbols() -> Functions:
    """SymPy expressions."""
    import sympy

    return Functions(
        sin=sympy.sin,
        cos=sympy.cos,
        sign=sympy.sign,
        sqrt=sympy.sqrt,
        atan2=sympy.atan2,
        maximum=sympy.Max,
    )
