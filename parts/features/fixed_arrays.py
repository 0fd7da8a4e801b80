"""Arrays of immutable values: copied, checked, read-only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parts.errors import FeatureError


def fix_points(value: object, what: str, *names: str) -> None:
    """Replace fields by read-only copies of three finite numbers.

    Args:
        value: a frozen dataclass under construction.
        what: its kind, for messages.
        *names: of the fields.

    Raises:
        FeatureError: another shape, or a number that is not finite.
    """
    for name in names:
        array = np.array(getattr(value, name), dtype=np.float64)
        if array.shape != (3,) or not np.isfinite(array).all():
            raise FeatureError(
                f"The {what}'s {name} is {array.tolist()}; expected three finite numbers.",
                field=name,
            )
        _set(value, name, array)


def fix_directions(value: object, what: str, *names: str) -> None:
    """The same for directions, which must be of length one.

    Raises:
        FeatureError: as for ``fix_points``, or another length.
    """
    fix_points(value, what, *names)
    for name in names:
        length = float(np.linalg.norm(getattr(value, name)))
        if abs(length - 1.0) > 1e-9:
            raise FeatureError(
                f"The {what}'s {name} has length {length:g}; expected a unit vector.", field=name
            )


def _set(value: object, name: str, array: NDArray[np.float64]) -> None:
    array.flags.writeable = False
    object.__setattr__(value, name, array)
