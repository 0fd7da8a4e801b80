"""A hint: a feature near which the fit is to begin."""

from __future__ import annotations

from typing import TypeVar

from parts.fits.errors import FitError

T = TypeVar("T")


def expected(shape: object, kind: type[T]) -> T:
    """The hint as the type that the fit needs.

    Raises:
        FitError: another feature was given.
    """
    if not isinstance(shape, kind):
        raise FitError(
            f"The hint is a {type(shape).__name__}; expected a {kind.__name__}. Give a feature of "
            "the kind that is fitted, or none: the fit finds its own start.",
            value=type(shape).__name__,
        )
    return shape
