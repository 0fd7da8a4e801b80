"""Errors of the biped module.

RobotError
└── BipedError           a biped, a ground or a scenario that cannot be
    └── PostureError     a posture that the robot cannot take; carries joint, value, limit, unit
"""

from __future__ import annotations

from robots.core.errors import RobotError


class BipedError(RobotError):
    """A biped, a ground or a scenario that cannot be."""


class PostureError(BipedError):
    """A posture that the robot cannot take."""
