"""Errors of the Stewart-Gough platform.

RobotError
└── PlatformError            a platform that cannot exist, or a pose that it cannot take
"""

from __future__ import annotations

from robots.core.errors import RobotError


class PlatformError(RobotError):
    """A platform that cannot exist, or a pose, length or motion that it cannot take."""
