"""Errors of the robots room.

RobotError
├── PoseError                a rotation, direction or pose that is not one
├── MechanismError           a mechanism that cannot exist (tree, limits, bodies)
│   ├── RobotFileError       a robot file that cannot be read as a mechanism
│   └── DescriptionError     a description phrase with a fault, and where it is
├── StateError               joint values of the wrong shape, or not finite
├── MotionError              a displacement, limit or law that allows no motion
├── EquationError            a quantity or export that cannot be generated
├── InverseError             an inverse model asked for what is not defined
├── IdentificationError      an arm's calibration, see ``identification/errors.py``
├── BenchmarkError           a benchmark whose process failed, see ``benchmark/kernels.py``
└── CapError                 a cap in the environment that is none, or no number
"""

from __future__ import annotations


class RobotError(Exception):
    """Base of everything this package raises on purpose.

    Args:
        message: a whole sentence: what, where, value, limit, unit and the nearest fix.
        **facts: the same facts, kept as attributes in ``facts`` for programs.
    """

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts


class PoseError(RobotError):
    """A rotation, direction or pose that is not one."""


class MechanismError(RobotError):
    """A mechanism that cannot exist: its tree, limits or bodies contradict themselves."""


class RobotFileError(MechanismError):
    """A robot file that cannot be read as a mechanism."""


class DescriptionError(MechanismError):
    """A description phrase with a fault; ``facts`` holds position, found and expected."""


class StateError(RobotError):
    """Joint values of the wrong shape, or not finite."""


class MotionError(RobotError):
    """A displacement, limit or law that allows no motion."""


class EquationError(RobotError):
    """A quantity or export that cannot be generated."""


class InverseError(RobotError):
    """An inverse model asked for what is not defined."""


class CapError(RobotError):
    """A cap that the environment sets and that is none, or no number."""
