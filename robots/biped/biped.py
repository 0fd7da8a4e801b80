"""Biped and Foot: a mechanism that stands, and what it stands on.

World axes of the whole module: x forward, y left, z up; gravity along −z. The mechanism's own base
axes are those of its source; ``T_world_base`` says how they lie in the world while it stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from robots.biped.errors import BipedError
from robots.core.arrays import Array, freeze_field, frozen
from robots.core.mechanism import Mechanism, checked_placement


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Foot:
    """One foot's sole: a convex polygon fixed to a link, or to the base of a single leg.

    Args:
        name: "right" or "left".
        link: name of the joint that carries the foot; empty when the base is the foot.
        sole: corners in the link's frame, counter-clockwise seen from above. # (k, 3) [m]

    Raises:
        BipedError: fewer than three corners, or corners that lie on no plane.
    """

    name: str
    link: str
    sole: Array

    def __post_init__(self) -> None:
        sole = np.array(self.sole, dtype=float)
        if sole.ndim != 2 or sole.shape[1] != 3 or len(sole) < 3 or not np.isfinite(sole).all():
            raise BipedError(
                f"The sole of foot {self.name!r} has shape {sole.shape}; give at least three "
                "corners of three finite coordinates in metres.",
                foot=self.name,
            )
        flat = np.linalg.svd(sole - sole.mean(axis=0), compute_uv=False)[2]
        if flat > 1e-6:
            raise BipedError(
                f"The corners of the sole of foot {self.name!r} are off one plane by "
                f"{1e3 * flat:.3g} mm; a sole is flat to 0.001 mm here.",
                foot=self.name,
                value=flat,
                limit=1e-6,
                unit="m",
            )
        freeze_field(self, "sole", sole)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Biped:
    """A standing robot: one leg on its foot, or a tree with two feet.

    Args:
        mechanism: the joints and bodies.
        feet: one or two.
        source: where the feet's dimensions come from.
        T_world_base: base frame in the world while the robot stands on level ground at z = 0 in
            ``q_standing``. # (4, 4) [m]
        q_standing: posture in which it stands; zero when not given. # (n,) [rad]
        q_stops: lower and upper stops of the joints, where these are not the mechanism's limits,
            which they are when not given. # (2, n) [rad]

    Raises:
        BipedError: a foot on a link that the mechanism does not have, or no foot at all; gravity
            that does not point down in the world; a posture or stops of the wrong shape.
    """

    mechanism: Mechanism
    feet: tuple[Foot, ...]
    source: str = ""
    T_world_base: Array = field(default_factory=lambda: np.eye(4))
    q_standing: Array | None = None
    q_stops: Array | None = None

    def __post_init__(self) -> None:
        self._check_feet()
        self._check_upright()
        n = self.mechanism.dof
        limits = np.array([self.mechanism.q_min, self.mechanism.q_max])
        posture = np.zeros(n) if self.q_standing is None else self.q_standing
        stops = limits if self.q_stops is None else self.q_stops
        object.__setattr__(self, "q_standing", self._shaped("q_standing", posture, (n,)))
        object.__setattr__(self, "q_stops", self._shaped("q_stops", stops, (2, n)))

    def _check_feet(self) -> None:
        names = [joint.name for joint in self.mechanism.joints]
        if not 1 <= len(self.feet) <= 2:
            raise BipedError(f"{self.name} has {len(self.feet)} feet; a biped has one or two.")
        for foot in self.feet:
            if foot.link and foot.link not in names:
                raise BipedError(
                    f"Foot {foot.name!r} of {self.name} stands on link {foot.link!r}, which does "
                    f"not exist; it has {', '.join(names)}.",
                    foot=foot.name,
                )

    def _check_upright(self) -> None:
        """Gravity of the mechanism, which is in base axes, must point down in the world."""
        T = checked_placement(self.T_world_base, "T_world_base")
        object.__setattr__(self, "T_world_base", T)
        gravity = T[:3, :3] @ self.mechanism.gravity
        size = float(np.linalg.norm(gravity))
        if size > 0.0 and gravity[2] > -size * (1.0 - 1e-9):
            raise BipedError(
                f"With this T_world_base, gravity of {self.name} is {gravity.round(4).tolist()} "
                "m/s² in the world; it must point along -z: turn T_world_base.",
                gravity=gravity.tolist(),
            )

    def _shaped(self, what: str, value: Array, shape: tuple[int, ...]) -> Array:
        array = np.array(value, dtype=float)
        if array.shape != shape or np.isnan(array).any():
            raise BipedError(
                f"{what} of {self.name} has shape {array.shape} or holds NaN; give {shape} numbers "
                "in radians, in the order of q.",
                field=what,
            )
        return frozen(array)

    @property
    def name(self) -> str:
        """The mechanism's name."""
        return self.mechanism.name

    def foot(self, name: str) -> Foot:
        """A foot by name.

        Raises:
            BipedError: there is none of that name.
        """
        for foot in self.feet:
            if foot.name == name:
                return foot
        known = ", ".join(foot.name for foot in self.feet)
        raise BipedError(f"{self.name} has no foot {name!r}; it has {known}.", foot=name)
