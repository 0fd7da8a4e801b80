"""Choices made when reading a robot file: tool frame, fixed joints, unread shapes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class TipRule(Enum):
    """Why a link is the tip."""

    GIVEN = "given"
    NAMED = "named"
    FARTHEST = "farthest"

    @property
    def reason(self) -> str:
        """In words."""
        return {
            TipRule.GIVEN: "as given",
            TipRule.NAMED: "by its name",
            TipRule.FARTHEST: "the last link behind the most moving joints",
        }[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class TipLink:
    """The link of a robot file whose frame is the tool frame.

    Args:
        link: its name.
        root: name of the link whose frame is the base frame.
        rule: why this link.
        moving: number of moving joints between root and tip.
    """

    link: str
    root: str
    rule: TipRule
    moving: int

    def __str__(self) -> str:
        """For a reader: which link, of which base, and why."""
        return f"link {self.link!r} in the frame of {self.root!r}, {self.rule.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldJoint:
    """A joint off the chain to the tip, held at one value.

    Args:
        name: in the file.
        value: at which it is held. [rad or m]
        unit: of the value.
        mimics: name of the joint that it follows in the file; empty for one of its own.
    """

    name: str
    value: float
    unit: str
    mimics: str = ""

    def __str__(self) -> str:
        """For a reader: name and value."""
        return f"{self.name!r} at {self.value:.4g} {self.unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBranches:
    """Everything off the chain to the tip; it is rigid, and its masses and shapes count.

    Args:
        joints: that could move, and are held.
        links: behind held joints, with mass or shape.
        mass: of these, as far as moving joints of the chain carry them. [kg]
        fixed_links: beside the chain without a joint that could move, with mass or shape.
        fixed_mass: of these, likewise. [kg]
    """

    joints: tuple[HeldJoint, ...] = ()
    links: tuple[str, ...] = ()
    mass: float = 0.0
    fixed_links: tuple[str, ...] = ()
    fixed_mass: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadShape:
    """Collision geometry of a link that is not read, so that its space is not checked.

    Args:
        link: its name.
        kind: of geometry: mesh, or the name of an element that is not known.
        line: in the file, of the first one.
        count: of this kind in this link.
        sought: places where its mesh was looked for; empty where none was.
    """

    link: str
    kind: str
    line: int
    count: int = 1
    sought: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshShape:
    """Capsules with convex pieces that were fitted about the meshes of a link, and contain them.

    Args:
        link: its name.
        capsules: their names.
        excess: volume of the union of what each capsule and its piece have in common, over that of
            the meshes' convex hull, minus one.
        mesh_excess: over the volume inside the meshes, minus one; NaN where they are not closed.
        files: names of the meshes, as the file gives them.
        visual: whether they are for drawing, as the link has no collision geometry.
    """

    link: str
    capsules: tuple[str, ...]
    excess: float
    mesh_excess: float
    files: tuple[str, ...]
    visual: bool = False


def is_package(folder: Path) -> bool:
    """Whether a folder is that of a ROS package."""
    return (folder / "package.xml").is_file()
