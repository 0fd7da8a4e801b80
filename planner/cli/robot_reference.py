"""ROBOT and ``--tip`` of a command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robots.core.mechanism import Mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotReference:
    """A robot as a command names it.

    Args:
        model: library name, or path of a robot file.
        tip: of a URDF file, the link whose frame is the tool frame; empty for the rule.
    """

    model: str
    tip: str = ""

    def open(self) -> Mechanism:
        """The robot.

        Raises:
            RobotFileError: as ``robots.library.open_robot``.
        """
        from robots.library import open_robot

        return open_robot(self.model, tip=self.tip)
