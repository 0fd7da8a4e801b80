"""Branch-free sine and cosine of whole vectors, as LLVM assembly.

x is reduced by the nearest multiple of π with fused multiply-adds (π as the sum of two doubles), so
that |r| ≤ π/2; polynomials in r² of degree 8 (near-minimax: Chebyshev interpolation, worst error
2e-17) give both functions; the parity of the multiple gives the sign. Absolute error stays below
4e-16 for |x| ≤ ``RANGE``; beyond it, and for NaN or infinity, the answer is NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robots.core.kernels.llvm_emitter import Emitter

RANGE = 1e9  # [rad]

_PI_HIGH = float.fromhex("0x1.921fb54442d18p+1")
_PI_LOW = float.fromhex("0x1.1a62633145c07p-53")
_INVERSE_PI = float.fromhex("0x1.45f306dc9c883p-2")
# Adding 1.5·2⁵² to a small number rounds it to an integer, whose lowest bit is then bit 0.
_ROUND = 6755399441055744.0

# sin r = r + r·r²·S(r²) and cos r = 1 + r²·C(r²) on |r| ≤ 1.0001·π/2, lowest power first.
SIN_POLYNOMIAL = (
    -0.16666666666666666,
    0.008333333333333316,
    -0.00019841269841254955,
    2.755731921915843e-06,
    -2.5052107616384595e-08,
    1.6058977272815506e-10,
    -7.643969031052769e-13,
    2.731428986122616e-15,
)
COS_POLYNOMIAL = (
    -0.5,
    0.04166666666666634,
    -0.0013888888888860676,
    2.4801587292437113e-05,
    -2.755731776616188e-07,
    2.0876630792310255e-09,
    -1.1464687487845909e-11,
    4.627646089543635e-14,
)


class Trigonometry:
    """Emits sin and cos; the two share the reduction of one angle."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._reduced: dict[str, tuple[str, str, str]] = {}

    def sin(self, x: str) -> str:
        """Name of sin x."""
        r, z, parity = self._reduce(x)
        out = self._out
        rz = out.value(f"fmul {out.vector} {r}, {z}")
        return self._signed(self._fma(rz, self._horner(z, SIN_POLYNOMIAL), r), parity)

    def cos(self, x: str) -> str:
        """Name of cos x."""
        _, z, parity = self._reduce(x)
        polynomial = self._horner(z, COS_POLYNOMIAL)
        return self._signed(self._fma(z, polynomial, self._out.constant(1.0)), parity)

    def _reduce(self, x: str) -> tuple[str, str, str]:
        """(r, r², sign bits) of x = nπ + r."""
        if x not in self._reduced:
            out = self._out
            kept = self._in_range(x)
            rounded = self._fma(kept, out.constant(_INVERSE_PI), out.constant(_ROUND))
            n = out.value(f"fsub {out.vector} {rounded}, {out.constant(_ROUND)}")
            r = self._fma(n, out.constant(-_PI_HIGH), kept)
            r = self._fma(n, out.constant(-_PI_LOW), r)
            z = out.value(f"fmul {out.vector} {r}, {r}")
            bits = out.value(f"bitcast {out.vector} {rounded} to <{out.lanes} x i64>")
            shift = "<" + ", ".join(["i64 63"] * out.lanes) + ">"
            parity = out.value(f"shl <{out.lanes} x i64> {bits}, {shift}")
            self._reduced[x] = (r, z, parity)
        return self._reduced[x]

    def _in_range(self, x: str) -> str:
        out = self._out
        size = out.value(f"call {out.vector} @llvm.fabs.v{out.lanes}f64({out.vector} {x})")
        inside = out.value(f"fcmp ole {out.vector} {size}, {out.constant(RANGE)}")
        nan = out.constant(float("nan"))
        return out.value(
            f"select <{out.lanes} x i1> {inside}, {out.vector} {x}, {out.vector} {nan}"
        )

    def _horner(self, z: str, coefficients: tuple[float, ...]) -> str:
        out = self._out
        total = out.constant(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = self._fma(total, z, out.constant(coefficient))
        return total

    def _fma(self, a: str, b: str, c: str) -> str:
        v = self._out.vector
        return self._out.value(
            f"call {v} @llvm.fma.v{self._out.lanes}f64({v} {a}, {v} {b}, {v} {c})"
        )

    def _signed(self, magnitude: str, parity: str) -> str:
        """Flip the sign where the multiple of π was odd."""
        out = self._out
        integers = f"<{out.lanes} x i64>"
        bits = out.value(f"bitcast {out.vector} {magnitude} to {integers}")
        flipped = out.value(f"xor {integers} {bits}, {parity}")
        return out.value(f"bitcast {integers} {flipped} to {out.vector}")
