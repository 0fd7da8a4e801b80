"""The drives of a biped, or why they are not known: a file may have none."""

from __future__ import annotations

from dataclasses import dataclass

from robots.biped.library import open_drives
from robots.core.errors import RobotFileError
from robots.core.transmission.drives import Drives


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownDrives:
    """Drives, or the reason why there are none.

    Args:
        drives: None where they are not known.
        reason: one sentence; empty where they are.
    """

    drives: Drives | None
    reason: str = ""


def known_drives(robot: str) -> KnownDrives:
    """The drives of a robot whose file has been read as a biped already."""
    try:
        return KnownDrives(drives=open_drives(robot))
    except RobotFileError as error:
        return KnownDrives(drives=None, reason=error.message)
