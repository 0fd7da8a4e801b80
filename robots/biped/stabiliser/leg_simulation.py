"""Forward dynamics of the leg on a tilting ground, with the stabiliser in the loop.

One control cycle - stabiliser, follower, and the leg's own motion for one period under constant
torques by the classical Runge-Kutta step - is one recorded programme that runs on its own result,
so thousands of cycles are one call of machine code. The foot stays on the ground: what the
simulation says after a fall is what a sole glued to the ground would do.

Source: [GASTEBOIS17] §2.5.12
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from robots.biped.errors import BipedError
from robots.biped.motion import BipedMotion
from robots.biped.posture.ground import ground_axes
from robots.biped.posture.support_polygon import SupportPolygon, supports_on_tilts
from robots.biped.posture.verdict import Stance, StanceVerdict, motion_verdict
from robots.biped.posture.zero_moment import zero_moment_path
from robots.biped.stabiliser.leg_stabiliser import (
    Follower,
    Reference,
    Stabiliser,
    StabiliserStep,
    follower_torques,
)
from robots.biped.stabiliser.tilting_ground import (
    TILTS,
    GroundMotion,
    Tilt,
    leg_accelerations,
    less_tilt,
    on_tilting_ground,
    standing_points,
)
from robots.core.arrays import Array, Indices, Mask
from robots.core.equations.algebra import Functions
from robots.core.equations.tree import Tree, grouped, tree_of
from robots.core.kernels.cycles import Recurrence
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.recording import Programme, Recorder, recording_functions

Scalar = Any
Joints = list[Scalar]
_INSTANTS = 3  # of the ground per cycle: start, middle and end, for the Runge-Kutta step


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegRun:
    """Simulated motion of the leg; k instants, one per control period.

    Args:
        t: # (k,) [s]
        q: physical joint positions; qd, qdd their rates. # (k, n) [rad]
        qd: # (k, n) [rad/s]
        qdd: # (k, n) [rad/s²]
        tau: torques of the drives, their rotors included. # (k, n) [N m]
        q_goal: virtual robot: the set-points. # (k, n) [rad]
        qd_goal: # (k, n) [rad/s]
        fallen: whether the stabiliser had seen a fall. # (k,) bool
        ground: α, β, their speeds and accelerations. # (k, 6)
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    q_goal: Array
    qd_goal: Array
    fallen: Mask
    ground: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class LegSimulation:
    """A leg, its stabiliser and its follower, ready to run.

    Args:
        stabiliser: of the leg.
        follower: gains and limits of the drives.
        rotor_inertia: what the rotors add to each joint's inertia, held constant; default the
            mechanism's ``motor_inertia`` alone. # (n,) [kg m²]

    Raises:
        BipedError: another number of rotor inertias than joints.
    """

    stabiliser: Stabiliser
    follower: Follower = field(default_factory=Follower)
    rotor_inertia: Array | None = None

    def __post_init__(self) -> None:
        self.follower.numbers(self.stabiliser.biped.mechanism)
        if self.rotor_inertia is not None and np.shape(self.rotor_inertia) != (self.dof,):
            raise BipedError(
                f"{np.size(self.rotor_inertia)} rotor inertias for {self.dof} joints; give one per "
                "joint, in kg m²."
            )

    @property
    def dof(self) -> int:
        """Number of joints n."""
        return self.stabiliser.dof

    @cached_property
    def mechanism(self) -> Mechanism:
        """The leg on its tilting ground, with its rotors."""
        plain = on_tilting_ground(self.stabiliser.biped)
        if self.rotor_inertia is None:
            return plain
        added = iter([0.0] * TILTS + [float(x) for x in self.rotor_inertia])
        joints = tuple(
            replace(joint, motor_inertia=joint.motor_inertia + next(added))
            if joint.movable
            else joint
            for joint in plain.joints
        )
        return replace(plain, joints=joints)

    def run(
        self,
        ground: GroundMotion,
        *,
        stabilised: bool = True,
        qd: Array | None = None,
        duration: float | None = None,
    ) -> LegRun:
        """Simulate from the stabiliser's posture on.

        Args:
            ground: how it tilts; it rests afterwards.
            stabilised: False freezes the set-points.
            qd: speeds of the joints at the start; default rest. # (n,) [rad/s]
            duration: default the ground's. [s]
        """
        period, n = self.stabiliser.period, self.dof
        total = ground.duration if duration is None else duration
        cycles = max(1, round(total / period)) + 1  # one more: torques and accelerations at the end
        instants = np.asarray(0.5 * period * np.arange(2 * cycles + 1), dtype=np.float64)
        halves = ground.samples(instants)
        tilts = np.concatenate([halves[:-2:2], halves[1::2], halves[2::2]], axis=1)
        q = self.stabiliser.start.q
        start = np.zeros(self._size)
        start[:n], start[2 * n] = q, 0.0 if stabilised else 1.0
        start[2 * n + 1 : 3 * n + 1] = q
        start[3 * n + 1 : 4 * n + 1] = 0.0 if qd is None else qd
        gains = (self.stabiliser.settings, self.follower.numbers(self.stabiliser.biped.mechanism))
        rows = self._recurrence(start, tilts, *gains, steps=cycles)
        return self._read(rows, halves[:-2:2], stabilised)

    def _read(self, rows: Array, ground: Array, stabilised: bool) -> LegRun:
        n, now, later = self.dof, rows[:-1], rows[1:]
        parts = np.split(now[:, : 4 * n + 1], [n, 2 * n, 2 * n + 1, 3 * n + 1], axis=1)
        return LegRun(
            t=np.asarray(self.stabiliser.period * np.arange(len(now)), dtype=np.float64),
            q=parts[3],
            qd=parts[4],
            qdd=later[:, 4 * n + 1 : 5 * n + 1],
            tau=later[:, 5 * n + 1 :],
            q_goal=parts[0],
            qd_goal=parts[1],
            fallen=(parts[2][:, 0] > 0.0) & stabilised,
            ground=ground,
        )

    @property
    def _size(self) -> int:
        """Virtual q, qd, fallen; physical q, qd; of the cycle before: qdd, tau."""
        return 6 * self.dof + 1

    @cached_property
    def programme(self) -> Programme:
        """One control cycle as a programme of (state, ground, stabiliser's and drives' gains)."""
        stabiliser = self.stabiliser
        recorder = Recorder()
        state = recorder.argument("state", (self._size,))
        ground = recorder.argument("ground", (6 * _INSTANTS,))
        settings = recorder.argument("settings", stabiliser.settings.shape)
        gains = recorder.argument("drives", (2 + self.dof,))
        tilts = [_tilt(ground[6 * k : 6 * k + 6]) for k in range(_INSTANTS)]
        outputs = self._cycle(state, tilts, (settings, gains), recording_functions())
        return recorder.programme("leg cycle", outputs, (self._size,))

    @cached_property
    def _recurrence(self) -> Recurrence:
        return Recurrence(self.programme)

    def _cycle(
        self,
        state: Sequence[Scalar],
        tilts: Sequence[Tilt],
        gains: tuple[Sequence[Scalar], Sequence[Scalar]],
        fn: Functions,
    ) -> Joints:
        """Stabiliser, follower, motion."""
        n, period = self.dof, self.stabiliser.period
        goal, goal_speed = state[:n], state[n : 2 * n]
        q, qd = state[2 * n + 1 : 3 * n + 1], state[3 * n + 1 : 4 * n + 1]
        before = StabiliserStep(goal, goal_speed, state[2 * n])
        after = self.stabiliser.equations(before, tilts[0], gains[0], fn)
        change = [(b - a) / period for a, b in zip(goal_speed, after.qd, strict=True)]
        tree = grouped(tree_of(self.mechanism))
        reference = Reference(goal, after.qd, change)
        tau = follower_torques(tree, tilts[0], (q, qd), (reference, gains[1]), fn)
        moved, qdd = _runge_kutta((tree, tau, period), tilts, (list(q), list(qd)), fn)
        return [*after.q, *after.qd, after.fallen, *moved[0], *moved[1], *qdd, *tau]


def _tilt(flat: Sequence[Scalar]) -> Tilt:
    return Tilt((flat[0], flat[1]), (flat[2], flat[3]), (flat[4], flat[5]))


def _runge_kutta(
    driven: tuple[Tree, Joints, float],
    tilts: Sequence[Tilt],
    state: tuple[Joints, Joints],
    fn: Functions,
) -> tuple[tuple[Joints, Joints], Joints]:
    """State after one period under constant torques, and the accelerations at its start."""
    tree, tau, period = driven
    start, middle, end = tilts
    q, qd = state

    def slope(tilt: Tilt, at: tuple[Joints, Joints]) -> tuple[Joints, Joints]:
        return at[1], leg_accelerations(tree, tilt, (*at, tau), fn)

    def ahead(slopes: tuple[Joints, Joints], step: float) -> tuple[Joints, Joints]:
        return _plus(q, slopes[0], step), _plus(qd, slopes[1], step)

    first = slope(start, state)
    second = slope(middle, ahead(first, 0.5 * period))
    third = slope(middle, ahead(second, 0.5 * period))
    fourth = slope(end, ahead(third, period))
    mean = tuple(
        [(a + 2.0 * (b + c) + d) * (1.0 / 6.0) for a, b, c, d in zip(*parts, strict=True)]
        for parts in zip(first, second, third, fourth, strict=True)
    )
    return ahead((mean[0], mean[1]), period), first[1]


def _plus(x: Joints, slope: Joints, step: float) -> Joints:
    return [a + step * b for a, b in zip(x, slope, strict=True)]


# --- Resulting motion ----------------------------------------------------------------------------

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
        verdict = motion_verdict(t, self.com, self.zmp, supports)
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
        return zero_moment_path(self.axes, wrench[:, :3], wrench[:, 3:])

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


def _fall_remarks(verdict: StanceVerdict) -> tuple[str, ...]:
    if verdict.stance is not Stance.FALLEN:
        return ()
    return (
        f"The leg falls over its {verdict.edge} edge at {verdict.time:.3f} s; what a turning sole "
        "does then is not simulated.",
    )
