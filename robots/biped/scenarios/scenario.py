"""From the coordinates of a scenario to its answer: loads, zero-moment point, torques, verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robots.biped.motion import BipedMotion
from robots.biped.posture.ground_wrench import GroundWrench
from robots.biped.posture.judging import follow
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.posture.zero_moment import zero_moment_points
from robots.biped.scenarios.fixed_feet import standing_feet
from robots.biped.scenarios.limit_remarks import limit_remarks, rate_remarks
from robots.biped.verdict import Verdict
from robots.biped.walking.free_base import FREE, FreeBase, FreeState
from robots.biped.walking.shared_load import load_shares, shared
from robots.core.arrays import Array, Mask

_LEVEL: Array = np.eye(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Loads:
    """What a motion asks of the ground.

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tale:
    """What a scenario says about its motion.

    Args:
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

    title: str
    t: Array
    T_world_base: Array
    support: Sequence[SupportPolygon]
    verdict: Verdict
    curves: dict[str, Array]
    remarks: tuple[str, ...]
    ground: Array | None = None
    remedy: str = ""


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
        zmp=zero_moment_points(axes, push.force, push.moment),
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


def told(free: FreeBase, loads: Loads, tau: Array, tale: Tale) -> BipedMotion:
    """The answer of a scenario."""
    state = loads.state
    margin = follow(tale.t, loads.zmp, tale.support, on_edge_is_out=True).margin
    return BipedMotion(
        biped=free.biped,
        title=tale.title,
        t=tale.t,
        q=state.q,
        qd=state.qd,
        qdd=state.qdd,
        tau=tau,
        T_world_base=tale.T_world_base,
        com=loads.com,
        zmp=loads.zmp,
        support=tuple(one.corners for one in tale.support),
        margin=margin,
        ground=np.zeros((len(tale.t), 2)) if tale.ground is None else tale.ground,
        verdict=tale.verdict,
        curves=tale.curves,
        remedy=tale.remedy,
        remarks=(
            *tale.remarks,
            *limit_remarks(free.biped, tale.t, state.q),
            *rate_remarks(free.biped, state.qd, tau),
        ),
    )
