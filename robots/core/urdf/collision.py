"""``<collision>`` elements of a link → capsules.

Spheres and capsules are read as they are, cylinders and boxes as the smallest capsule about them.
A cylinder with a sphere of its own radius at both ends is a capsule: URDF has no other way to say
it, and ours are written so. Meshes are not read, which is noted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from robots.core.arrays import Array
from robots.core.capsule import Capsule, default_capsule_name, unique_name
from robots.core.file_reading import UnreadShape
from robots.core.urdf.document import Element, UrdfText
from robots.core.urdf.enclosing import Enclosing, around_box, around_cylinder

# A sphere caps a cylinder when it stands at its end to this, relative to the cylinder's size.
_AT_THE_END = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solid:
    """A collision geometry: its capsule about its own centre, and whether it is a bare cylinder."""

    name: str
    frame: Array  # in the joint's frame # (4, 4)
    capsule: Enclosing
    cylinder: tuple[float, float] | None = None  # radius, length [m]

    def ends(self, half_length: float) -> tuple[Array, Array]:
        """Points on the axis. # (3,) each."""
        reach = half_length * self.frame[:3, self.capsule.axis]
        return self.frame[:3, 3] - reach, self.frame[:3, 3] + reach


@dataclass(slots=True, kw_only=True, eq=False)
class Collisions:
    """Collects the capsules of a document's links, and what is not read."""

    document: UrdfText
    capsules: list[Capsule] = field(default_factory=list)
    unread: dict[tuple[str, str], UnreadShape] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def add(self, link: Element, joint: int, frame: Array, carrier: str | None) -> None:
        """Read the collisions of a link.

        Args:
            link: of the document.
            joint: index of the joint that carries it, -1 for the base.
            frame: the link's frame in that joint's frame. # (4, 4)
            carrier: name of that joint, None for the base.

        Raises:
            RobotFileError: sizes that are not numbers, zero or more.
        """
        solids = []
        for element in link.findall("collision"):
            name = element.get("name") or default_capsule_name(carrier)
            shape = self._shape(link, element)
            if shape is not None:
                pose = frame @ self.document.origin_of(element)
                solids.append(_Solid(name=name, frame=pose, capsule=shape[0], cylinder=shape[1]))
        for solid in _merged(solids):
            start, end = solid.ends(solid.capsule.half_length)
            self.capsules.append(
                Capsule(
                    name=unique_name(solid.name, self.names),
                    joint=joint,
                    start=start,
                    end=end,
                    radius=solid.capsule.radius,
                )
            )

    def _shape(
        self, link: Element, collision: Element
    ) -> tuple[Enclosing, tuple[float, float] | None] | None:
        """Capsule of a geometry and, of a cylinder, its sizes; None for what is not read."""
        geometry = self.document.child(collision, "geometry")
        shape = next(iter(geometry), None) if geometry is not None else None
        kind = "empty geometry" if shape is None else str(shape.tag)
        if kind == "sphere":
            radius = self._size(shape, "radius")
            return Enclosing(axis=2, half_length=0.0, radius=radius), None
        if kind == "box":
            size = self.document.numbers(shape, "size", [np.nan] * 3)
            if not min(size) >= 0.0:
                raise self.document.error(shape, "needs a size of three numbers, zero or more.")
            return around_box(size), None
        if kind in ("cylinder", "capsule"):
            radius, length = (self._size(shape, key) for key in ("radius", "length"))
            if kind == "capsule":
                return Enclosing(axis=2, half_length=length / 2.0, radius=radius), None
            return around_cylinder(radius, length), (radius, length)
        self._note_unread(link.get("name"), kind, collision.sourceline)
        return None

    def _note_unread(self, link: str, kind: str, line: int) -> None:
        earlier = self.unread.get((link, kind))
        self.unread[link, kind] = (
            UnreadShape(link=link, kind=kind, line=line)
            if earlier is None
            else replace(earlier, count=earlier.count + 1)
        )

    def _size(self, shape: Element, key: str) -> float:
        value = self.document.number(shape, key, np.nan)
        if not value >= 0.0:
            raise self.document.error(shape, f"needs a {key}, a number, zero or more.")
        return value


def _merged(solids: list[_Solid]) -> list[_Solid]:
    """The solids, a cylinder and the two spheres at its ends made one."""
    caps: set[int] = set()
    found = []
    for solid in solids:
        ends = _cap_of_both_ends(solid, solids) if solid.cylinder else None
        if ends is None or solid.cylinder is None:
            found.append(solid)
            continue
        caps |= ends
        radius, length = solid.cylinder
        exact = Enclosing(axis=2, half_length=length / 2.0, radius=radius)
        found.append(_Solid(name=solid.name, frame=solid.frame, capsule=exact))
    return [solid for solid in found if id(solid) not in caps]


def _cap_of_both_ends(cylinder: _Solid, solids: list[_Solid]) -> set[int] | None:
    """Identities of the spheres that round off a cylinder's two ends."""
    radius, length = cylinder.cylinder or (0.0, 0.0)
    slack = _AT_THE_END * (radius + length + float(np.abs(cylinder.frame[:3, 3]).max()))
    found: set[int] = set()
    for end in cylinder.ends(length / 2.0):
        at_end = [
            id(solid)
            for solid in solids
            if solid.cylinder is None
            and solid.capsule.half_length == 0.0
            and abs(solid.capsule.radius - radius) <= slack
            and np.linalg.norm(solid.frame[:3, 3] - end) <= slack
        ]
        if not at_end:
            return None
        found.add(at_end[0])
    return found
