"""Arrays of the house: their types, and the read-only copies that values keep.

A leaf: like ``robots.core.caps`` every room may import it, see ``pyproject.toml``.
"""

from __future__ import annotations

from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robots.core.errors import PalpeurError

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]

UNIT_TOLERANCE = 1e-9
"""How far the length of a direction may be from one: rounding, not another vector."""

Scalar = TypeVar("Scalar", bound=np.generic)


@overload
def frozen(values: NDArray[Scalar], *, copy: bool | None = True) -> NDArray[Scalar]: ...
@overload
def frozen(
    values: ArrayLike, dtype: type[Scalar], *, copy: bool | None = True
) -> NDArray[Scalar]: ...
def frozen(
    values: ArrayLike, dtype: type[Any] | None = None, *, copy: bool | None = True
) -> NDArray[Any]:
    """Copy into an array that nobody can write to.

    Args:
        values: numbers; an array keeps its type.
        dtype: type of the copy, for values that may not be an array.
        copy: None freezes the array itself: for one that was just made and that nobody else has.
    """
    array = np.array(values, dtype=dtype, copy=copy)
    array.flags.writeable = False
    return array


def freeze_fields(
    value: object, *names: str, dtype: type[Any] | None = None, copy: bool | None = True
) -> None:
    """Replace fields of a frozen dataclass under construction by read-only copies."""
    for name in names:
        freeze_field(value, name, getattr(value, name), dtype, copy=copy)


def freeze_field(
    value: object,
    name: str,
    values: ArrayLike,
    dtype: type[Any] | None = None,
    *,
    copy: bool | None = True,
) -> None:
    """Set a field of a frozen dataclass under construction to a read-only copy of its values."""
    array = np.asarray(values, dtype=dtype)
    object.__setattr__(value, name, frozen(array, copy=copy))


def freeze_vectors(value: object, *names: str, of: str, error: type[PalpeurError]) -> None:
    """Replace fields of a frozen dataclass by read-only copies of three finite numbers.

    Args:
        value: under construction.
        *names: of the fields.
        of: what the value is, for the message.
        error: raised for another shape, or a number that is not finite.
    """
    for name in names:
        freeze_fields(value, name, dtype=np.float64)
        array = getattr(value, name)
        if array.shape != (3,) or not np.isfinite(array).all():
            raise error(
                f"The {of}'s {name} is {array.tolist()}; expected three finite numbers.", field=name
            )


def freeze_directions(value: object, *names: str, of: str, error: type[PalpeurError]) -> None:
    """Do the same for unit vectors; only the rounding of their length is corrected."""
    freeze_vectors(value, *names, of=of, error=error)
    for name in names:
        array = getattr(value, name)
        length = float(np.linalg.norm(array))
        if abs(length - 1.0) > UNIT_TOLERANCE:
            raise error(
                f"The {of}'s {name} {array.tolist()} has length {length:g}; "
                "expected a unit vector.",
                field=name,
                found=length,
                limit=UNIT_TOLERANCE,
            )
        freeze_field(value, name, array / length)
