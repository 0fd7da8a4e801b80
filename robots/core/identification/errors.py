"""Errors of the identification of an arm.

RobotError
└── IdentificationError      measurements, noise or counts that cannot be used
    └── NotIdentifiableError what was asked for cannot be told from these measurements
"""

from __future__ import annotations

from robots.core.errors import RobotError


class IdentificationError(RobotError):
    """Measurements, noise or counts that cannot be used."""


class NotIdentifiableError(IdentificationError):
    """Parameters that these measurements do not tell apart; ``facts`` holds their names."""
