"""Error of the transmissions."""

from __future__ import annotations

from robots.core.errors import RobotError


class TransmissionError(RobotError):
    """A joint or motor position that a transmission cannot take, or a transmission that cannot be.

    ``facts`` holds joint or motor, value, limit, unit and, in a batch, the sample.
    """
