"""Error of the fits, under the parts room's base."""

from __future__ import annotations

from parts.errors import PartError


class FitError(PartError):
    """Points that hold no such feature; ``facts`` holds value, limit and unit where there are."""
