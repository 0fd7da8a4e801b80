"""Branch-free atan2 of whole vectors, as LLVM assembly.

The quotient of the smaller by the larger of |x| and |y| is folded at tan(π/8), a polynomial of
degree 21 (near-minimax, error 2e-18) gives its angle, and selections place it in the right octant.
atan2(0, 0) is 0; the error stays below 4e-16 rad; NaN stays NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robots.core.kernels.llvm_emitter import Emitter

# atan t = t + t·t²·P(t²) on |t| ≤ 1.0001·tan(π/8), lowest power first.
POLYNOMIAL = (
    -0.3333333333333333,
    0.19999999999995513,
    -0.1428571428466482,
    0.11111111015117626,
    -0.09090904572487347,
    0.07692183059894114,
    -0.06664509603255386,
    0.05858132894427922,
    -0.05085365922344248,
    0.03922923713835943,
    -0.01917392228554793,
)
_FOLD = math.tan(math.pi / 8.0)


def arctangent(out: Emitter, y: str, x: str) -> str:
    """Name of atan2(y, x)."""
    a, b = _magnitude(out, y), _magnitude(out, x)
    steep = out.value(f"fcmp ogt {out.vector} {a}, {b}")
    small, large = _select(out, steep, b, a), _select(out, steep, a, b)
    angle = _first_octant(out, small, large)
    complement = out.value(f"fsub {out.vector} {out.constant(math.pi / 2.0)}, {angle}")
    angle = _select(out, steep, complement, angle)
    behind = out.value(f"fcmp olt {out.vector} {x}, {out.constant(0.0)}")
    supplement = out.value(f"fsub {out.vector} {out.constant(math.pi)}, {angle}")
    angle = _select(out, behind, supplement, angle)
    v = out.vector
    return out.value(f"call {v} @llvm.copysign.v{out.lanes}f64({v} {angle}, {v} {y})")


def opposite(out: Emitter, angle: str) -> str:
    """Name of the angle half a turn away, within [-π, π] where the angle is."""
    v, half = out.vector, out.constant(math.pi)
    turn = out.value(f"call {v} @llvm.copysign.v{out.lanes}f64({v} {half}, {v} {angle})")
    return out.value(f"fsub {v} {angle}, {turn}")


def _first_octant(out: Emitter, small: str, large: str) -> str:
    """Angle of the quotient small/large, both positive."""
    v = out.vector
    limit = out.value(f"fmul {v} {large}, {out.constant(_FOLD)}")
    folded = out.value(f"fcmp ogt {v} {small}, {limit}")
    difference = out.value(f"fsub {v} {small}, {large}")
    total = out.value(f"fadd {v} {small}, {large}")
    numerator = _select(out, folded, difference, small)
    denominator = _select(out, folded, total, large)
    origin = out.value(f"fcmp oeq {v} {denominator}, {out.constant(0.0)}")
    t = out.value(f"fdiv {v} {numerator}, {_select(out, origin, out.constant(1.0), denominator)}")
    z = out.value(f"fmul {v} {t}, {t}")
    polynomial = _polynomial(out, z)
    tz = out.value(f"fmul {v} {t}, {z}")
    angle = _fma(out, tz, polynomial, t)
    turned = out.value(f"fadd {v} {angle}, {out.constant(math.pi / 4.0)}")
    return _select(out, folded, turned, angle)


def _polynomial(out: Emitter, z: str) -> str:
    """Even and odd powers apart: two chains that do not wait for each other."""
    square = out.value(f"fmul {out.vector} {z}, {z}")
    even, odd = (_horner(out, square, POLYNOMIAL[k::2]) for k in (0, 1))
    return _fma(out, odd, z, even)


def _horner(out: Emitter, z: str, coefficients: Sequence[float]) -> str:
    total = out.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = _fma(out, total, z, out.constant(coefficient))
    return total


def _magnitude(out: Emitter, x: str) -> str:
    return out.value(f"call {out.vector} @llvm.fabs.v{out.lanes}f64({out.vector} {x})")


def _select(out: Emitter, condition: str, yes: str, no: str) -> str:
    return out.value(
        f"select <{out.lanes} x i1> {condition}, {out.vector} {yes}, {out.vector} {no}"
    )


def _fma(out: Emitter, a: str, b: str, c: str) -> str:
    v = out.vector
    return out.value(f"call {v} @llvm.fma.v{out.lanes}f64({v} {a}, {v} {b}, {v} {c})")
