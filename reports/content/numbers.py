"""Numbers as a reader sees them: true minus signs, no negative zero, powers of ten."""

from __future__ import annotations

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def signed(text: str) -> str:
    """A number with the sign of typography, not the hyphen; no negative zero."""
    return text.removeprefix("-") if not text.strip("-0.") else text.replace("-", "−")


def told(value: float, digits: int = 5) -> str:
    """A number with some significant digits, a power of ten where it needs one."""
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    return signed(mantissa) + (f"·10{raised(int(exponent))}" if exponent else "")


def raised(exponent: int) -> str:
    """An exponent in raised figures."""
    return str(exponent).translate(_RAISED)
