"""The base of every error of the house, and the errors of the robots room.

PalpeurError                 also of ``parts.errors.PartError`` and ``planner.errors.PlannerError``
RobotError
├── PoseError                a rotation, direction or pose that is not one
├── MechanismError           a mechanism that cannot exist (tree, limits, bodies)
│   ├── RobotFileError       a robot file that cannot be read as a mechanism
│   │   └── MeshError        a link's mesh that is unreadable, unsafe or of a wrong size
│   │       └── UnreadMeshError    that gives no shape
│   │           └── MissingMeshError   that is in none of the folders
│   └── DescriptionError     a description phrase with a fault, and where it is
├── StateError               joint values of the wrong shape, or not finite
├── MotionError              a displacement, limit or law that allows no motion
│   └── OverloadError        a load that a drive cannot hold even at rest
├── EquationError            a quantity or export that cannot be generated
│   └── MassesUnknownError   a quantity that needs masses, of a robot whose masses are not known
├── InverseError             an inverse model asked for what is not defined
├── IdentificationError      measurements, noise or counts that cannot be used
│   └── NotIdentifiableError what was asked for cannot be told from these measurements
├── TransmissionError        a position that a transmission cannot take, or one that cannot be
├── BenchmarkError           a benchmark whose process failed, see ``benchmark/kernels.py``
└── CapError                 a cap in the environment that is none, or no number
"""

from __future__ import annotations

from typing import TypeVar

Fact = TypeVar("Fact")


class PalpeurError(Exception):
    """Base of everything that the house raises on purpose.

    Args:
        message: a whole sentence: what, where, value, limit, unit and the nearest fix.
        **facts: the same facts for programs, by name; no program reads them from the message.
    """

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts

    def fact(self, name: str, kind: type[Fact]) -> Fact | None:
        """Look up a fact; None where the error has none of this name and type."""
        value = self.facts.get(name)
        return value if isinstance(value, kind) else None


class RobotError(PalpeurError):
    """Base of everything that the robots room raises on purpose."""


class PoseError(RobotError):
    """A rotation, direction or pose that is not one."""


class MechanismError(RobotError):
    """A mechanism that cannot exist: its tree, limits or bodies contradict themselves."""


class RobotFileError(MechanismError):
    """A robot file that cannot be read as a mechanism."""


class MeshError(RobotFileError):
    """A link's mesh that cannot be read, leads out of its folder, or has an impossible size."""


class UnreadMeshError(MeshError):
    """A link's mesh that gives no shape: outside of the folders, of an unread kind, or empty."""


class MissingMeshError(UnreadMeshError):
    """A link's mesh that is in none of the folders; ``facts`` holds mesh and sought."""


class DescriptionError(MechanismError):
    """A description phrase with a fault; ``facts`` holds position, found and expected."""


class StateError(RobotError):
    """Joint values of the wrong shape, or not finite."""


class MotionError(RobotError):
    """A displacement, limit or law that allows no motion."""


class OverloadError(MotionError):
    """A load that a drive cannot hold even at rest, so that no duration is long enough.

    Args:
        message: as everywhere.
        joint: index of the overloaded joint.
        s: where on the path, 0 to 1.
        static: the load at rest there. # [N or N m]
        limit: of the drive. # [N or N m]
        **facts: what else is known.
    """

    def __init__(
        self, message: str, *, joint: int, s: float, static: float, limit: float, **facts: object
    ) -> None:
        super().__init__(message, joint=joint, s=s, static=static, limit=limit, **facts)
        self.joint = joint
        self.s = s
        self.static = static
        self.limit = limit


class EquationError(RobotError):
    """A quantity or export that cannot be generated."""


class MassesUnknownError(EquationError):
    """A quantity that needs masses, of a robot whose masses are not known."""


class InverseError(RobotError):
    """An inverse model asked for what is not defined."""


class CapError(RobotError):
    """A cap that the environment sets and that is none, or no number."""


class TransmissionError(RobotError):
    """A joint or motor position that a transmission cannot take, or a transmission that cannot be.

    ``facts`` holds joint or motor, value, limit, unit and, in a batch, the sample.
    """


class IdentificationError(RobotError):
    """Measurements, noise or counts that cannot be used."""


class NotIdentifiableError(IdentificationError):
    """Parameters that these measurements do not tell apart; ``facts`` holds their names."""
