"""From a simulated run of the leg to a BipedMotion: centre of mass, zero-moment point, verdict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robots.biped.motion import BipedMotion
from robots.biped.posture.ground import ground_axes
from robots.biped.posture.judging import judge
from robots.biped.posture.support_polygon import SupportPolygon, supports_on_tilts
from robots.biped.posture.zero_moment import zero_moment_points
from robots.biped.stabiliser.ground_motion import less_tilt
from robots.biped.stabiliser.leg_simulation import LegRun, LegSimulation
from robots.biped.stabiliser.tilting_ground import TILTS, standing_points
from robots.biped.verdict import Stance, Verdict
from robots.core.arrays import Array, Indices
from robots.core.model import Model

# A joint that rests at its limit follows its set-point to less than one count of its encoder, which
# at BIP's knee (4096 counts per motor turn, 58.5 motor turns per joint turn) is this much. [rad]
_RESOLUTION = 2.6e-5


def motion_of(
    simulation: LegSimulation, run: LegRun, *, title: str, every: int = 10
) -> BipedMotion:
    """The run as a motion of the robot in the world.

    Torques are those at the joints: what the drives give less what their own rotors take.

    Args:
        simulation: that gave the run.
        run: of it.
        title: what is shown to a reader.
        every: of so many control cycles, one becomes a sample; the last always does.
    """
    return _Reading(simulation, run, _chosen(len(run.t), every)).motion(title)


def _chosen(cycles: int, every: int) -> Indices:
    rows = np.arange(0, cycles, max(1, every))
    return rows if rows[-1] == cycles - 1 else np.append(rows, cycles - 1)


@dataclass(frozen=True)
class _Reading:
    simulation: LegSimulation
    run: LegRun
    rows: Indices

    def motion(self, title: str) -> BipedMotion:
        run, rows, biped = self.run, self.rows, self.simulation.stabiliser.biped
        t, supports = run.t[rows], self.supports
        verdict = judge(t, self.com, self.zmp, supports)
        rotors = self.simulation.rotor_inertia
        taken = 0.0 if rotors is None else rotors * run.qdd[rows]
        base = np.tile(np.eye(4), (len(rows), 1, 1))
        base[:, :3, :3] = self.axes
        com_margin, zmp_margin = (_margins(supports, p) for p in (self.com, self.zmp))
        return BipedMotion(
            biped=biped,
            title=title,
            t=t,
            q=run.q[rows],
            qd=run.qd[rows],
            qdd=run.qdd[rows],
            tau=run.tau[rows] - taken,
            T_world_base=base @ biped.T_world_base,
            com=self.com,
            zmp=self.zmp,
            support=tuple(polygon.corners for polygon in supports),
            margin=com_margin if verdict.stance is Stance.FALLEN else zmp_margin,
            ground=run.ground[rows, :TILTS],
            verdict=verdict,
            curves=self._curves(com_margin, zmp_margin),
            remarks=(*_limit_remarks(self.simulation, run), *_fall_remarks(verdict)),
            remedy=less_tilt(run.t, run.ground, verdict),
        )

    @cached_property
    def axes(self) -> Array:
        """Ground axes in the world. # (k, 3, 3)."""
        return ground_axes(self.run.ground[self.rows, :TILTS])

    @cached_property
    def supports(self) -> list[SupportPolygon]:
        """Support polygons. # k."""
        corners = standing_points(self.simulation.stabiliser.biped)
        return supports_on_tilts(np.array(corners), self.axes)

    @cached_property
    def com(self) -> Array:
        """Centre of mass, world axes. # (k, 3) [m]."""
        return self._model.center_of_mass(self._full[0])

    @cached_property
    def zmp(self) -> Array:
        """Zero-moment point on the tilted ground, world axes. # (k, 3) [m]."""
        wrench = self._model.base_wrench(*self._full)
        return zero_moment_points(self.axes, wrench[:, :3], wrench[:, 3:])

    @cached_property
    def _model(self) -> Model:
        return Model(self.simulation.mechanism, "single-use")

    @cached_property
    def _full(self) -> tuple[Array, Array, Array]:
        """Positions, speeds and accelerations of the ground's and the leg's joints."""
        run, rows = self.run, self.rows
        own = (run.q[rows], run.qd[rows], run.qdd[rows])
        tilts = np.split(run.ground[rows], 3, axis=1)
        full = [np.concatenate(pair, axis=1) for pair in zip(tilts, own, strict=True)]
        return full[0], full[1], full[2]

    def _curves(self, com_margin: Array, zmp_margin: Array) -> dict[str, Array]:
        names = [joint.name for joint in self.simulation.stabiliser.biped.mechanism.movable]
        goal, error = self.run.q_goal[self.rows], (self.run.q - self.run.q_goal)[self.rows]
        curves = {"com_margin_m": com_margin, "zmp_margin_m": zmp_margin}
        curves |= {f"{name}_goal_rad": goal[:, j] for j, name in enumerate(names)}
        return curves | {f"{name}_error_rad": error[:, j] for j, name in enumerate(names)}


def _margins(supports: list[SupportPolygon], points: Array) -> Array:
    return np.array(
        [float(polygon.signed_margin(p)) for polygon, p in zip(supports, points, strict=True)]
    )


def _limit_remarks(simulation: LegSimulation, run: LegRun) -> tuple[str, ...]:
    """Joint limits that the physical leg passed, with time and amount; drives at their limits."""
    mechanism = simulation.stabiliser.biped.mechanism
    remarks = []
    for j, joint in enumerate(mechanism.movable):
        past = np.maximum(joint.q_min - run.q[:, j], run.q[:, j] - joint.q_max)
        worst = int(np.argmax(past))
        if past[worst] > _RESOLUTION:
            remarks.append(
                f"Joint {joint.name} is {np.degrees(past[worst]):.4g} deg past its limit at "
                f"{run.t[worst]:.3f} s."
            )
        effort = np.abs(run.tau[:, j])
        limit = float(simulation.follower.numbers(mechanism)[2 + j])
        if 0.0 < limit <= effort.max():
            at = run.t[int(np.argmax(effort >= limit))]
            remarks.append(
                f"The drive of joint {joint.name} is at its limit of {limit:g} N m from {at:.3f} s."
            )
    return tuple(remarks)


def _fall_remarks(verdict: Verdict) -> tuple[str, ...]:
    if verdict.stance is not Stance.FALLEN:
        return ()
    return (
        f"The leg falls over its {verdict.edge} edge at {verdict.time:.3f} s; what a turning sole "
        "does then is not simulated.",
    )
