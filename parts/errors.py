"""Errors of the parts room.

PartError
└── PointsError     probe points that cannot be used: file, line, column, found, expected
"""

from __future__ import annotations


class PartError(Exception):
    """Base of everything this package raises on purpose.

    Args:
        message: a whole sentence: what, where, value, limit, unit and the nearest fix.
        **facts: the same facts, kept as attributes in ``facts`` for programs.
    """

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts


class PointsError(PartError):
    """Probe points that cannot be used; ``facts`` holds file, line and column, or the point."""
