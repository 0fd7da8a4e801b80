"""Errors of the measuring arm.

RobotError
└── MechanismError
    └── ArmFamilyError       a mechanism that is not a measuring arm of this family
"""

from __future__ import annotations

from robots.core.errors import MechanismError


class ArmFamilyError(MechanismError):
    """A mechanism that is not a measuring arm of this family; the message names the first row."""
