"""The functions that a reading gives its scalars: sine, cosine, root and sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from robots.core.equations.algebra import Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """What the equations may do to a scalar besides adding and multiplying it."""

    sin: Callable[[Scalar], Scalar]
    cos: Callable[[Scalar], Scalar]
    sign: Callable[[Scalar], Scalar]
    sqrt: Callable[[Scalar], Scalar]


def numbers() -> Functions:
    """Floats and NumPy arrays."""
    import numpy as np

    return Functions(sin=np.sin, cos=np.cos, sign=np.sign, sqrt=np.sqrt)


def symbols() -> Functions:
    """SymPy expressions."""
    import sympy

    return Functions(sin=sympy.sin, cos=sympy.cos, sign=sympy.sign, sqrt=sympy.sqrt)
