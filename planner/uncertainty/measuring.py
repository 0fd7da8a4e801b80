"""Points as they are measured: with which postures, on what, and what can be wrong."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from planner.errors import JobError
from planner.job import Job, UncertaintySettings
from planner.plan import Plan
from robots.core.arrays import Array, Indices, freeze_field
from robots.core.mechanism import Mechanism
from robots.core.pose import inverse_pose

if TYPE_CHECKING:
    from planner.presenting.presentation import Presentation


NOT_CARRIED = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Carrier:
    """A pose of a presenter, wrong in the same way for all points that are measured in it.

    Args:
        origin: of its platform, base frame. # (3,) [m]
        covariance: of that origin, then of the small rotation about it, base axes.
            # (6, 6) [m², m rad, rad²]
        T_moved: the part from where the job gives it to where this pose holds it, base frame.
            # (4, 4)
    """

    origin: Array
    covariance: Array
    T_moved: Array = field(default_factory=lambda: np.eye(4))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measuring:
    """Measured points with their postures.

    Args:
        mechanism: the arm, its tool frame at the ball.
        settings: what can be wrong.
        names: of the points.
        q: joints at contact. # (k, n) [rad or m]
        surfaces: points of the surface, base frame. # (k, 3) [m]
        normals: out of the material. # (k, 3) unit
        velocities: of the ball at the trigger, base axes; none: at rest. # (k, 3) [m/s]
        carriers: poses of a presenter; none where the part stands still.
        carried: carrier of each point, -1 for none. # (k,)

    Raises:
        JobError: arrays that do not fit each other, or are not finite.
    """

    mechanism: Mechanism
    settings: UncertaintySettings
    names: tuple[str, ...]
    q: Array
    surfaces: Array
    normals: Array
    velocities: Array = field(default_factory=lambda: np.zeros((0, 3)))
    carriers: tuple[Carrier, ...] = ()
    carried: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        count = len(self.names)
        if not len(self.velocities):
            object.__setattr__(self, "velocities", np.zeros((count, 3)))
        shapes = {"q": (count, self.mechanism.dof)}
        shapes |= dict.fromkeys(("surfaces", "normals", "velocities"), (count, 3))
        for name, shape in shapes.items():
            array = np.array(getattr(self, name), dtype=np.float64)
            if array.shape != shape or not np.all(np.isfinite(array)):
                raise JobError(
                    f"Uncertainty of {count} points: {name} has shape {array.shape}; expected "
                    f"{shape}, all finite. Leave out points that are not reached.",
                    found=array.shape,
                    expected=shape,
                )
            freeze_field(self, name, array)
        given = self.carried if len(self.carried) or not count else np.full(count, NOT_CARRIED)
        carried = np.array(given, dtype=np.int64)
        if carried.shape != (count,) or np.any(carried >= len(self.carriers)):
            raise JobError(
                f"Uncertainty of {count} points on {len(self.carriers)} carriers: carried is "
                f"{carried.tolist()}; expected the index of a carrier, or -1, for each point.",
                found=carried.tolist(),
            )
        freeze_field(self, "carried", carried)

    def __len__(self) -> int:
        """Number of points k."""
        return len(self.names)

    @property
    def at_home(self) -> Array:
        """The surface points where the job gives the part, base frame. # (k, 3) [m]."""
        shifts = np.array([*(c.T_moved[:3, 3] for c in self.carriers), np.zeros(3)])
        return self.turned_home(self.surfaces - shifts[self.carried])

    @property
    def middle(self) -> Array:
        """Middle of the points at home, about which the part is turned wrongly and grows.

        # (3,) [m]
        """
        return np.asarray(np.mean(self.at_home, axis=0)) if len(self) else np.zeros(3)

    @property
    def turns(self) -> Array:
        """How each point's carrier turns the part from where the job gives it. # (k, 3, 3)."""
        known = [carrier.T_moved[:3, :3] for carrier in self.carriers]
        return np.array([*known, np.eye(3)])[self.carried]

    def turned_home(self, vectors: Array) -> Array:
        """Vectors at the points, turned back to where the job gives the part. # (..., k, 3)."""
        return np.einsum("kji,...kj->...ki", self.turns, vectors) if self.carriers else vectors

    def take(self, chosen: Indices) -> Measuring:
        """Some of the points, in the order given; their middle is their own."""
        arrays = {name: getattr(self, name)[chosen] for name in _PER_POINT}
        return replace(self, names=tuple(self.names[k] for k in chosen), **arrays)


_PER_POINT = ("q", "surfaces", "normals", "velocities", "carried")


def settings_of(job: Job) -> UncertaintySettings:
    """What can be wrong in a job.

    Raises:
        JobError: the job has no [uncertainty].
    """
    if job.uncertainty is None:
        raise JobError(
            f"The job {job.name!r} has no [uncertainty], and nothing is guessed; add the table "
            "with the standard deviations that are known, such as encoder_deg, length_mm, "
            "angle_deg, probe_mm.",
            key="uncertainty",
        )
    return job.uncertainty


def measuring_of(plan: Plan) -> Measuring:
    """The points that a plan reaches, in the job's order.

    Raises:
        JobError: the job has no [uncertainty].
    """
    reached = np.array(
        [k for k, p in enumerate(plan.planned_points) if p.reachable], dtype=np.int64
    )
    q = [plan.planned_points[k].q_contact for k in reached]
    return Measuring(
        mechanism=plan.job.mechanism,
        settings=settings_of(plan.job),
        names=tuple(plan.planned_points[k].name for k in reached),
        q=np.reshape(q, (len(q), plan.job.mechanism.dof)),
        surfaces=plan.placed.surfaces[reached],
        normals=plan.placed.normals[reached],
        velocities=-plan.placed.touch_speeds[reached, None] * plan.placed.directions[reached],
    )


def measuring_of_presentation(presentation: Presentation) -> Measuring:
    """The points of all poses of a presenter; the arm is wrong in the same way in all of them.

    Raises:
        JobError: the job has no [uncertainty], or no [presenter].
    """
    from planner.presenting.presentation import presenter_of

    T = presenter_of(presentation.job).T_base_hexapod
    back = inverse_pose(presentation.job.part.T_base_part)
    turn = np.kron(np.eye(2), T[:3, :3])
    carriers, parts = [], []
    for place, pose in enumerate(presentation.poses):
        own = measuring_of(pose.plan)
        carriers.append(
            Carrier(
                origin=(T @ pose.T_hexapod_platform)[:3, 3],
                covariance=turn @ pose.covariance @ turn.T,
                T_moved=pose.T_base_part @ back,
            )
        )
        parts.append(replace(own, carried=np.full(len(own), place), carriers=tuple(carriers)))
    if not parts:
        raise JobError(
            f"The job {presentation.job.name!r}: no point is measurable in any pose of the "
            "presenter, so there is no uncertainty to report; see the findings of the presentation."
        )
    return _joined(parts, tuple(carriers))


def _joined(parts: list[Measuring], carriers: tuple[Carrier, ...]) -> Measuring:
    return replace(
        parts[0],
        names=tuple(name for part in parts for name in part.names),
        q=np.concatenate([part.q for part in parts]),
        surfaces=np.concatenate([part.surfaces for part in parts]),
        normals=np.concatenate([part.normals for part in parts]),
        velocities=np.concatenate([part.velocities for part in parts]),
        carried=np.concatenate([part.carried for part in parts]),
        carriers=carriers,
    )
