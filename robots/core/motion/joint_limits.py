"""The drives' limits, and which of them binds a motion.

Source: [LAMMARI12] §V.3 (KV, KA)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, freeze_field
from robots.core.errors import MotionError
from robots.core.mechanism import Mechanism

LimitKind = Literal["velocity", "acceleration", "jerk", "torque"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointLimits:
    """Largest speeds KV, accelerations KA, jerks and efforts of n joints.

    Args:
        max_speed: KV, finite and above zero. # (n,) [rad/s or m/s]
        max_acceleration: KA, finite and above zero. # (n,) [rad/s² or m/s²]
        max_effort: above zero; infinite where the effort is not limited. # (n,) [N m or N]
        names: used in messages; default q1, q2, …
        units: "rad" or "m" for each joint; default "rad".
        max_jerk: above zero; infinite where the jerk is not limited. # (n,) [rad/s³ or m/s³]

    Raises:
        MotionError: a limit that is not a number above zero, or lists of different lengths.
    """

    max_speed: Array
    max_acceleration: Array
    max_effort: Array = field(default_factory=lambda: np.zeros(0))
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    max_jerk: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        n = np.atleast_1d(self.max_speed).shape[0]
        effort = self.max_effort if np.size(self.max_effort) else np.full(n, np.inf)
        jerk = self.max_jerk if np.size(self.max_jerk) else np.full(n, np.inf)
        names = tuple(self.names) or tuple(f"q{j + 1}" for j in range(n))
        units = tuple(self.units) or ("rad",) * n
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "units", units)
        for text in (names, units):
            if len(text) != n:
                raise MotionError(f"There are {n} speed limits but {len(text)} names or units.")
        per = self.units
        self._set("max_speed", self.max_speed, [f"{u}/s" for u in per])
        self._set("max_acceleration", self.max_acceleration, [f"{u}/s²" for u in per])
        self._set("max_jerk", jerk, [f"{u}/s³" for u in per])
        self._set("max_effort", effort, ["N" if u == "m" else "N m" for u in per])

    @classmethod
    def of(cls, mechanism: Mechanism) -> JointLimits:
        """Limits of a mechanism's movable joints.

        Raises:
            MotionError: a joint without a speed or acceleration limit.
        """
        return cls(
            max_speed=mechanism.max_speed,
            max_acceleration=mechanism.max_acceleration,
            max_effort=mechanism.max_effort,
            names=tuple(joint.name for joint in mechanism.movable),
            units=tuple(joint.kind.unit for joint in mechanism.movable),
            max_jerk=mechanism.max_jerk,
        )

    @property
    def dof(self) -> int:
        """Number of joints n."""
        return len(self.names)

    @property
    def has_jerk(self) -> bool:
        """Whether every joint has a jerk limit, so that the double-S law can be used."""
        return bool(np.all(np.isfinite(self.max_jerk)))

    def require_jerk(self) -> Array:
        """Jerk limits, all finite. # (n,) [rad/s³ or m/s³].

        Raises:
            MotionError: a joint without one; the message names it and the key that is missing.
        """
        for joint in np.flatnonzero(np.isinf(self.max_jerk)):
            key = f"max_jerk_{self.units[joint]}_s3"
            raise MotionError(
                f"Joint {self.names[joint]}: it has no jerk limit, which the double-s law needs; "
                f"give {key} in its table of the robot file or of the job's limits, or choose "
                "another law.",
                joint=int(joint),
                name=self.names[joint],
                key=key,
            )
        return self.max_jerk

    def displacement(self, value: ArrayLike) -> Array:
        """Check one displacement per joint; any sign, finite. # (n,) [rad or m].

        Raises:
            MotionError: another number of joints, or a value that is not finite.
        """
        D = np.array(value, dtype=np.float64, ndmin=1)
        self._require_length(D, "displacements")
        for joint in np.flatnonzero(~np.isfinite(D)):
            raise MotionError(
                f"Joint {self.names[joint]}: its displacement is {D[joint]} {self.units[joint]}; "
                "it must be finite.",
                joint=int(joint),
                value=float(D[joint]),
                unit=self.units[joint],
            )
        return D

    def _set(self, field_name: str, value: ArrayLike, units: list[str]) -> None:
        limits = np.array(value, dtype=np.float64, ndmin=1)
        what = field_name.replace("max_", "")
        self._require_length(limits, f"{what} limits")
        may_be_infinite = field_name in ("max_effort", "max_jerk")
        for joint in np.flatnonzero(~(limits > 0.0) | (np.isinf(limits) & (not may_be_infinite))):
            domain = "above zero" if may_be_infinite else "finite and above zero"
            if limits[joint] == np.inf:
                key = f"{field_name}_{units[joint].replace('/', '_').replace('²', '2')}"
                raise MotionError(
                    f"Joint {self.names[joint]}: it has no {what} limit; give {key} in the robot "
                    "file or in the job's limits.",
                    joint=int(joint),
                    name=self.names[joint],
                    key=key,
                )
            raise MotionError(
                f"Joint {self.names[joint]}: its {what} limit is {limits[joint]} {units[joint]}; "
                f"it must be {domain}.",
                joint=int(joint),
                value=float(limits[joint]),
                unit=units[joint],
            )
        freeze_field(self, field_name, limits)

    def _require_length(self, value: Array, what: str) -> None:
        if value.shape != (self.dof,):
            raise MotionError(
                f"The {what} have shape {value.shape}; there are {self.dof} joints.",
                found=value.shape,
                expected=(self.dof,),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The limit that a motion reaches.

    Args:
        joint: index among the movable joints.
        name: the joint's name.
        kind: which limit.
        s: where in the motion, 0 to 1.
    """

    joint: int
    name: str
    kind: LimitKind
    s: float

    def __str__(self) -> str:
        return f"{self.name} {self.kind}"
