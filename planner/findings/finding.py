"""A finding: a code, a severity, its subject, its numbers, and the nearest fix."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Severity(Enum):
    """How grave a finding is; only an error makes a result infeasible."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a finding.

    Args:
        name: what it is, such as "clearance".
        value: in ``unit``.
        unit: as in the message: "mm", "deg"; "1" for a ratio.
    """

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Base of all subjects."""

    @property
    def point(self) -> str:
        """Name of the point that a finding counts against; empty for none."""
        return ""

    @property
    def feature(self) -> str:
        """Name of the feature that a finding is about; empty for none."""
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing a reader should know.

    Args:
        code: stable; ``palpeur explain CODE`` prints its page.
        severity: error, warning or note.
        subject: point, travel, joint, feature … that it is about.
        message: one sentence with values and units.
        hint: the nearest fix.
        quantities: the numbers of the message, for programs.
        left_out: whether it concerns a point that no motion of the plan touches, so that it says
            nothing against the motions.
    """

    code: str
    severity: Severity
    subject: Subject
    message: str
    hint: str = ""
    quantities: tuple[Quantity, ...] = ()
    left_out: bool = field(default=False, compare=False)

    @property
    def where(self) -> str:
        """The subject for a reader; programs compare ``subject``."""
        return where_text(self.subject)

    def value(self, name: str) -> float | None:
        """A number of the finding, by its name; None where it has none of this name."""
        return next((item.value for item in self.quantities if item.name == name), None)

    def document(self) -> dict[str, str]:
        """The finding as it stands in JSON."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "where": self.where,
            "message": self.message,
            "hint": self.hint,
        }

    def __str__(self) -> str:
        """One line for a reader, the hint on a second one."""
        line = f"{self.code} {self.severity.value}: {self.where}: {self.message}"
        return f"{line}\n    {self.hint}" if self.hint else line


# ---------------------------------------------------------------------------------------- Subjects
# Programs compare subjects; ``where_text`` composes what a reader and JSON see.


@dataclass(frozen=True, slots=True)
class Point(Subject):
    """A probe point, with its probing line.

    Args:
        name: of the point.
        of: feature that the finding is about as well; empty for none.
    """

    name: str
    of: str = field(default="", compare=False)

    @property
    def point(self) -> str:
        """See ``Subject``."""
        return self.name

    @property
    def feature(self) -> str:
        """See ``Subject``."""
        return self.of


@dataclass(frozen=True, slots=True)
class Travel(Subject):
    """The motion from one point to the next.

    Args:
        start: point that it leaves.
        goal: point that it goes to.
        by_goal: whether it is named by its goal alone, and counts against that point.
    """

    start: str
    goal: str
    by_goal: bool = False

    @property
    def point(self) -> str:
        """See ``Subject``."""
        return self.goal if self.by_goal else ""


@dataclass(frozen=True, slots=True)
class Segments(Subject):
    """All motions of one kind, such as "probing lines"."""

    kind: str


@dataclass(frozen=True, slots=True)
class Motion(Subject):
    """The motion as a whole."""


@dataclass(frozen=True, slots=True)
class Points(Subject):
    """The probe points as a whole, or those of a file.

    Args:
        origin: what they are called, such as the name of their file.
    """

    origin: str = "points"


@dataclass(frozen=True, slots=True)
class PartOfFile(Subject):
    """A part of a point file, such as a feature that gives no points."""

    name: str


@dataclass(frozen=True, slots=True)
class Geometry(Subject):
    """The geometry file of the part."""

    file: str


@dataclass(frozen=True, slots=True)
class Solid(Subject):
    """A solid of the cell, or the part."""

    name: str


@dataclass(frozen=True, slots=True)
class Feature(Subject):
    """A feature of the part."""

    name: str

    @property
    def feature(self) -> str:
        """See ``Subject``."""
        return self.name


@dataclass(frozen=True, slots=True)
class Requirement(Subject):
    """What a tolerance requires of a feature.

    Args:
        name: as reports call it.
        of: the feature.
    """

    name: str
    of: str

    @property
    def feature(self) -> str:
        """See ``Subject``."""
        return self.of


@dataclass(frozen=True, slots=True)
class Robot(Subject):
    """The robot as a whole."""

    name: str = "robot"


@dataclass(frozen=True, slots=True)
class Joint(Subject):
    """A joint of the robot.

    Args:
        name: of the joint.
        titled: whether it is called so ("joint q3"), as where motors stand beside joints.
    """

    name: str
    titled: bool = False


@dataclass(frozen=True, slots=True)
class Joints(Subject):
    """Joints that share a finding."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Motor(Subject):
    """A motor of the robot."""

    name: str


@dataclass(frozen=True, slots=True)
class Motors(Subject):
    """All motors of the robot."""


@dataclass(frozen=True, slots=True)
class Capsules(Subject):
    """Two capsules that must not touch."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Feet(Subject):
    """The soles of a biped, as one."""


@dataclass(frozen=True, slots=True)
class SupportEdge(Subject):
    """An edge of the support polygon; without a name the polygon as a whole."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class Platform(Subject):
    """The platform of a hexapod.

    Args:
        called: name in sentences.
    """

    called: str = "platform"


@dataclass(frozen=True, slots=True)
class Legs(Subject):
    """One or more legs of a hexapod."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PoseChange(Subject):
    """The platform's move from a pose of a presentation to the next; both numbered from 1."""

    start: int
    goal: int


def where_text(subject: Subject) -> str:
    """A subject as a reader sees it, and as ``where`` in JSON has it."""
    match subject:
        case Travel(start=start, goal=goal, by_goal=by_goal):
            return goal if by_goal else f"{start} to {goal}"
        case Joint(name=name, titled=True):
            return f"joint {name}"
        case Motor(name=name):
            return f"motor {name}"
        case Legs(names=names):
            return f"leg{'s' if len(names) > 1 else ''} {' and '.join(names)}"
        case PoseChange(start=first, goal=second):
            return f"pose {first} to {second}"
        case Joints(names=names):
            return ", ".join(names)
        case Capsules(first=one, second=other):
            return f"{one}, {other}"
        case Segments(kind=text) | Points(origin=text) | Geometry(file=text):
            return text
        case Platform(called=text):
            return text
        case SupportEdge(name=name):
            return name or "support polygon"
        case Motion() | Motors() | Feet():
            return type(subject).__name__.lower()
        case (
            Point(name=name)
            | PartOfFile(name=name)
            | Solid(name=name)
            | Feature(name=name)
            | Requirement(name=name)
            | Robot(name=name)
            | Joint(name=name)
        ):
            return name
    raise TypeError(f"{subject!r} has no text")


# ------------------------------------------------------------------------------------------ Aspects


class Aspect(Enum):
    """Something that a plan checks where it is known; the value is its name in every document."""

    PART_GEOMETRY = "part geometry"
    LINK_SHAPES = "link shapes"
    SELF_CONTACT = "contact of some links with each other"
    STYLUS_SHAPE = "stylus shape"
    PART_POSE = "part pose"
    MASSES = "masses"
    DYNAMICS = "torques, power and energy (masses unknown)"
    ACCELERATION_LIMITS = "acceleration limits"
    ACCELERATIONS = "accelerations"
    TORQUE_LIMITS = "torque limits"

    @property
    def clearance(self) -> bool:
        """Whether collisions can stay unseen without it."""
        return self in (
            Aspect.PART_GEOMETRY,
            Aspect.LINK_SHAPES,
            Aspect.SELF_CONTACT,
            Aspect.STYLUS_SHAPE,
        )
