"""Error of the evaluation, under the parts room's base."""

from __future__ import annotations

from parts.errors import PartError


class EvaluationError(PartError):
    """Measured points that cannot be compared; ``facts`` holds value, limit and unit."""
