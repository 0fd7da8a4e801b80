"""From a scenario's coordinates to its motion: loads, zero-moment point, limits, verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robots.biped.biped import Biped, Foot
from robots.biped.errors import BipedError
from robots.biped.motion import BipedMotion
from robots.biped.posture.ground import Ground
from robots.biped.posture.standing import support_of
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.posture.verdict import StanceVerdict, follow
from robots.biped.posture.zero_moment import GroundWrench, zero_moment_path
from robots.biped.walking.free_base import FREE, FreeBase, FreeState, load_shares, shared
from robots.core.arrays import Array, Mask
from robots.core.mechanism import Joint
from robots.core.model import Model
from robots.core.pose import inverse_pose
from robots.core.rounding import apart_digits, readable

_LEVEL: Array = np.eye(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Loads:
    """Loads of a motion on the ground.

    Args:
        state: the motion.
        efforts: of all joints if the base were driven and the feet free. # (k, 6 + n)
        push: of the ground, from the full dynamics.
        zmp: # (k, 3) [m]
        com: # (k, 3) [m]
    """

    state: FreeState
    efforts: Array
    push: GroundWrench
    zmp: Array
    com: Array

    def pushes(self, soles: Array, loaded: Mask) -> tuple[GroundWrench, GroundWrench]:
        """What the ground exerts on each of two feet; points (k, 2, 3) of the soles."""
        return shared(self.push, self.zmp, soles, load_shares(self.zmp, soles, loaded))


def loads_of(free: FreeBase, state: FreeState, axes: Array = _LEVEL) -> Loads:
    """Loads of a motion.

    Args:
        free: the robot.
        state: its motion.
        axes: of the ground in the world, level when not given. # (k, 3, 3)

    Raises:
        BipedError: the ground would have to pull.
    """
    efforts = free.efforts(state)
    push = free.push(state, efforts)
    return Loads(
        state=state,
        efforts=efforts,
        push=push,
        zmp=zero_moment_path(axes, push.force, push.moment),
        com=free.model.center_of_mass(state.x),
    )


def standing_torques(free: FreeBase, loads: Loads, axes: Array = _LEVEL) -> Array:
    """Joint torques of a motion on feet that stay where the robot stands. # (k, n) [N m].

    Args:
        free: the robot.
        loads: of its motion.
        axes: of the ground in the world, level when not given. # (k, 3, 3)
    """
    if not free.biped.feet[0].link:
        return loads.efforts[:, FREE:]
    k = len(loads.zmp)
    places = np.array([T[:3, 3] for T in standing_feet(free.biped)]) * [1.0, 1.0, 0.0]
    soles = np.broadcast_to(places @ np.swapaxes(axes, -1, -2), (k, len(places), 3))
    pushes = loads.pushes(soles, np.ones((k, len(places)), dtype=bool))
    return np.asarray((loads.efforts - free.feet_efforts(loads.state, pushes))[:, FREE:])


def scenario_motion(
    free: FreeBase,
    loads: Loads,
    tau: Array,
    *,
    title: str,
    t: Array,
    T_world_base: Array,
    support: Sequence[SupportPolygon],
    verdict: StanceVerdict,
    curves: dict[str, Array],
    remarks: tuple[str, ...],
    ground: Array | None = None,
    remedy: str = "",
) -> BipedMotion:
    """The answer of a scenario; arguments as in ``BipedMotion``.

    Args:
        free: the robot.
        loads: of its motion.
        tau: joint torques. # (k, n) [N m]
        title: for a reader.
        t: # (k,) [s]
        T_world_base: # (k, 4, 4)
        support: of every sample. # k
        verdict: of the motion.
        curves: further ones. # each (k,)
        remarks: of the scenario itself; those on limits are added.
        ground: its tilt at every instant; level when not given. # (k, 2) [rad]
        remedy: what would do where the motion cannot be.
    """
    state = loads.state
    margin = follow(t, loads.zmp, support, on_edge_is_out=True).margin
    return BipedMotion(
        biped=free.biped,
        title=title,
        t=t,
        q=state.q,
        qd=state.qd,
        qdd=state.qdd,
        tau=tau,
        T_world_base=T_world_base,
        com=loads.com,
        zmp=loads.zmp,
        support=tuple(one.corners for one in support),
        margin=margin,
        ground=np.zeros((len(t), 2)) if ground is None else ground,
        verdict=verdict,
        curves=curves,
        remedy=remedy,
        remarks=(
            *remarks,
            *limit_remarks(free.biped, t, state.q),
            *rate_remarks(free.biped, state.qd, tau),
        ),
    )


# ---------------------------------------------------------------------------------- Feet that stay

_SLIP = 1e-9  # [m] what two feet may move against each other by rounding


def foot_poses(biped: Biped, foot: Foot, q: Array) -> Array:
    """Pose of a foot's link in the base frame. # (..., n) -> (..., 4, 4)."""
    if not foot.link:
        return np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
    robot = biped.mechanism
    held = replace(robot, tool=np.eye(4), tool_joint=robot.index(foot.link))
    return Model(held, "single-use").forward(q)


def standing_feet(biped: Biped) -> tuple[Array, ...]:
    """Poses of the feet in the world while the robot stands. # each (4, 4)."""
    q = np.asarray(biped.q_standing)
    return tuple(biped.T_world_base @ foot_poses(biped, foot, q) for foot in biped.feet)


def standing_support(biped: Biped) -> SupportPolygon:
    """What the robot stands on, on all its feet."""
    names = [foot.name for foot in biped.feet]
    return support_of(biped, dict(zip(names, standing_feet(biped), strict=True)), Ground())


def base_over_feet(biped: Biped, q: Array) -> Array:
    """Pose of the base while the feet stay where the robot stands. # (k, n) -> (k, 4, 4).

    Raises:
        BipedError: postures that move the feet against each other.
    """
    there = standing_feet(biped)
    found = [
        T @ inverse_pose(foot_poses(biped, foot, q))
        for T, foot in zip(there, biped.feet, strict=True)
    ]
    slip = float(np.abs(found[0] - found[-1]).max(initial=0.0))
    if slip > _SLIP:
        raise BipedError(
            f"These postures of {biped.name} move its feet against each other by up to "
            f"{1e3 * slip:.3g} mm (or mrad); both cannot stay on the ground.",
            value=slip,
            limit=_SLIP,
            unit="m",
        )
    return found[0]


# ------------------------------------------------------------------------------- Remarks on limits

_ROUNDING = 1e-9  # [rad] a joint on its limit is within it


def limit_remarks(biped: Biped, t: Array, q: Array) -> tuple[str, ...]:
    """One sentence for each joint and side that a motion goes beyond.

    Args:
        biped: whose ranges and stops.
        t: # (k,) [s]
        q: # (k, n) [rad]
    """
    found = []
    for number, joint in enumerate(biped.mechanism.movable):
        course = q[:, number]
        low, high = np.asarray(biped.q_stops)[:, number]
        for worst, over, stop in (
            (int(np.argmin(course)), low - course.min(), low),
            (int(np.argmax(course)), course.max() - high, high),
        ):
            if over > _ROUNDING:
                place = (
                    f"{joint.name} reaches {np.degrees(course[worst]):.1f} deg at {t[worst]:.2f} s"
                )
                found.append(f"{place}, {_beyond(joint, float(course[worst]), float(stop))}.")
    return tuple(found)


def rate_remarks(biped: Biped, qd: Array, tau: Array) -> tuple[str, ...]:
    """One sentence for each joint that is too fast or too strong, where a limit is known.

    Args:
        biped: whose limits.
        qd: # (k, n) [rad/s]
        tau: # (k, n) [N m]
    """
    found = []
    for number, joint in enumerate(biped.mechanism.movable):
        for what, peak, limit, unit in (
            ("turns with", np.abs(qd[:, number]).max(), joint.max_speed, "rad/s"),
            ("gives", np.abs(tau[:, number]).max(), joint.max_effort, "N m"),
        ):
            if peak > limit:
                most, allowed = apart_digits(float(peak), float(limit), 3)
                found.append(
                    f"{joint.name} {what} up to {most} {unit}; its limit is {allowed} {unit}."
                )
    return tuple(found)


def _beyond(joint: Joint, value: float, stop: float) -> str:
    over = readable(abs(np.degrees(value - stop)), 1)
    ends = f"from {np.degrees(joint.q_min):.1f} to {np.degrees(joint.q_max):.1f} deg"
    if not joint.q_min - _ROUNDING <= value <= joint.q_max + _ROUNDING:
        return f"{over} deg beyond its limit; the transmission's range is {ends}"
    return (
        f"{over} deg beyond the simulation's stop ({np.degrees(stop):.1f} deg), within the "
        f"transmission's range {ends}"
    )
