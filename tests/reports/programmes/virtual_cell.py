"""The part and the arm that interpreters of robot programmes run against.

The part is the true part of ``planner.virtual_measuring``: each point of the job brings the surface
of its own feature, which is there within ``REACH`` of the point. So a hit in the cell is the hit of
``palpeur measure`` where the programme does what the plan says, and something else where it does
not. The probe's input is true while the ball is in the surface.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np

from planner.evaluation import nominal_points
from planner.reach.reach import some_points
from planner.virtual_measuring.measuring import Prober, _measuring, _some, injected
from planner.virtual_measuring.true_part import PartErrors, TruePart
from robots.core.model import Model
from robots.core.orientation import rotation_exp
from robots.core.pose import inverse_pose, make_pose, transform_points

REACH = 2.5e-3  # [m] across the normal, about every point: where its surface is
DEPTH = 10e-3  # [m] of material behind a surface
STEP = 0.2e-3  # [m] of the ball between two looks
_ROUNDS = 80  # of bisection


class CrashError(AssertionError):
    """What no programme may do: the ball touches outside a search, or stays in the surface."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Expected:
    """A hit as ``palpeur measure`` has it."""

    q: np.ndarray  # (n,) [rad or m]
    centre: np.ndarray  # (3,) [m]


class VirtualCell:
    """A true part before an arm.

    Args:
        plan: whose points the part has.
        part: what is wrong with it.
        shift: of the part, base axes. # (3,) [m]
        turn: of the part about the middle of its points, a rotation vector. # (3,) [rad]
        away: names of points whose surface is not there.
        seed: of form errors.
    """

    def __init__(
        self,
        plan,
        *,
        part=None,
        shift=(0, 0, 0),
        turn=(0, 0, 0),
        away: Collection[str] = (),
        seed=1,
    ):
        self.plan = plan = getattr(plan, "_base", plan)
        job = plan.job
        reached = np.array([k for k, p in enumerate(plan.planned_points) if p.reachable])
        measuring = _measuring(plan)
        self.truth = TruePart(_some(nominal_points(job), reached), part or PartErrors(), seed)
        clean = injected(measuring, runs=1, seed=seed)[0]
        self.errors = replace(clean, shift=np.asarray(shift, float), turn=np.asarray(turn, float))
        self._prober = (job, measuring, some_points(plan.placed, reached), self.truth)
        self.names = self.truth.points.names
        self.model = Model(plan.job.mechanism)
        self._to_part = inverse_pose(job.part.T_base_part)
        self._radius = job.probe.ball_radius
        self._there = np.array([name not in away for name in self.names])

    @property
    def displacement(self) -> np.ndarray:
        """Where the part stands, seen from where the job has it, base frame. # (4, 4)."""
        R, middle = rotation_exp(self.errors.turn), self.errors.middle
        return make_pose(R, middle + self.errors.shift - R @ middle)

    def expected(self) -> dict[str, Expected]:
        """The hits that ``palpeur measure`` has, by name, in the job's order."""
        found = Prober(*self._prober).run(self.errors)
        rows = zip(self.names, found.q, found.centres, strict=True)
        return {name: Expected(q=q, centre=centre) for name, q, centre in rows}

    def ball(self, q: np.ndarray) -> np.ndarray:
        """Centre of the ball. # (..., n) → (..., 3) [m]."""
        q = np.asarray(q, float)
        return self.model.forward(q.reshape(-1, q.shape[-1]))[:, :3, 3].reshape(*q.shape[:-1], 3)

    def gaps(self, centres: np.ndarray) -> np.ndarray:
        """Between the ball and each surface, infinite where that is not. # (m, 3) → (m, k) [m]."""
        nominal = transform_points(self._to_part, self.errors.nominal_place(centres))
        asked = np.repeat(nominal[:, None, :], len(self.names), axis=1)
        gaps = self.truth.distances(asked) - self._radius
        arms = asked - self.truth.points.positions
        normals = self.truth.points.normals
        along = np.sum(arms * normals, axis=2)
        across = np.linalg.norm(arms - along[..., None] * normals, axis=2)
        there = (across <= REACH) & (gaps >= -DEPTH) & self._there
        return np.where(there, gaps, np.inf)

    def deflected(self, centre: np.ndarray) -> bool:
        """Whether the probe's input is true with the ball there. # (3,) [m]."""
        return bool(self.gaps(np.asarray(centre, float)[None]).min() <= 0.0)

    def first_contact(
        self, path: Callable[[np.ndarray], np.ndarray], length: float, end: float = 1.0
    ) -> float | None:
        """Where along a path the input becomes true; None where it does not.

        Args:
            path: ball centre at parameters from 0 to ``end``. # (m,) → (m, 3) [m]
            length: about that of the path, for the number of looks. [m]
            end: of the path's parameter.
        """
        looks = np.linspace(0.0, end, max(int(np.ceil(length / STEP)), 1) + 1)
        least = self.gaps(path(looks)).min(axis=1)
        rising = np.flatnonzero((least[1:] <= 0.0) & (least[:-1] > 0.0))
        if rising.size == 0:
            return None
        low, high = float(looks[rising[0]]), float(looks[rising[0] + 1])
        for _ in range(_ROUNDS):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            if self.deflected(path(np.array([middle]))[0]):
                high = middle
            else:
                low = middle
        return high

    def free(self, path: Callable[[np.ndarray], np.ndarray], length: float, what: str) -> None:
        """Hold that a motion outside a search touches nothing, and ends free.

        Raises:
            CrashError: it does, or it does not.
        """
        if self.first_contact(path, length) is not None:
            raise CrashError(f"{what}: the ball touches outside a search")
        if self.deflected(path(np.array([1.0]))[0]):
            raise CrashError(f"{what}: the ball stays in the surface")
