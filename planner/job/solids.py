"""The cell: every solid that the robot must keep away from, in the base frame."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parts.geometry import TriangleMesh


class SolidKind(Enum):
    """What a solid is to the robot."""

    PART = "part"  # the stylus may touch its probed surface, in a probing line
    OBSTACLE = "obstacle"  # fixture, table, wall
    KEEP_OUT = "keep-out"  # a volume without material that must stay empty


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solid:
    """A body of the cell.

    Args:
        name: shown in findings.
        kind: what it is to the robot.
        mesh: its skin. Base frame.
        closed: whether the skin is watertight, so that it has an inside.
    """

    name: str
    kind: SolidKind
    mesh: TriangleMesh
    closed: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cell:
    """What stands around the robot.

    Args:
        solids: the part, if it has a geometry, then the obstacles in the job's order.
    """

    solids: tuple[Solid, ...] = ()

    @property
    def part(self) -> Solid | None:
        """The part's solid; None where the job names no geometry."""
        return next((s for s in self.solids if s.kind is SolidKind.PART), None)
