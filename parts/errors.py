"""Errors of the parts room.

PartError
├── PointsError     probe points that cannot be used: file, line, column, found, expected
│   └── NotNominalError  a datum system that nominal values do not determine
├── FeatureError    a feature, or a choice of one, that is not one
├── SamplingError   points that cannot be laid out as asked
├── AlignmentError  datum points that do not hold the part, or a fit that has no answer
├── ProbeError      a stylus that cannot exist
├── EvaluationError measured points that cannot be compared
├── FitError        points that hold no such feature
└── LibraryError    a library part that does not exist
"""

from __future__ import annotations

from robots.core.errors import PalpeurError


class PartError(PalpeurError):
    """Base of everything that the parts room raises on purpose."""


class PointsError(PartError):
    """Probe points that cannot be used; ``facts`` holds file, line and column, or the point."""


class NotNominalError(PointsError):
    """A datum system that nominal values do not determine; its message is the reason."""


class FeatureError(PartError):
    """A feature, or a choice of one, that is not one."""


class SamplingError(PartError):
    """Points that cannot be laid out on a feature as asked; ``facts`` holds what was possible."""


class AlignmentError(PartError):
    """Datum points that do not hold the part, or a fit without an answer."""


class ProbeError(PartError):
    """A stylus that cannot exist."""


class LibraryError(PartError):
    """A library part that does not exist."""


class EvaluationError(PartError):
    """Measured points that cannot be compared; ``facts`` holds value, limit and unit."""


class FitError(PartError):
    """Points that hold no such feature; ``facts`` holds value, limit and unit where there are."""
