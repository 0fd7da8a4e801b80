"""Standing: where a robot's parts are in the world, and which sole corners touch the ground.

The sole of the standing foot stays where it is in the robot's own standing posture, and turns with
the ground; everything else follows from the joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.biped import Biped, Foot
from robots.biped.errors import BipedError, PostureError
from robots.biped.posture.ground import Ground
from robots.biped.posture.support_polygon import SupportPolygon
from robots.core.arrays import Array
from robots.core.model import Model
from robots.core.pose import inverse_pose, make_pose


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """Postures of a robot that stands; k of them, world axes.

    Args:
        biped: whose postures.
        ground: what it stands on.
        q: # (k, n) [rad]
        foot: name of the foot that is flat on the ground in each. # k
        T_world_base: # (k, 4, 4)
        T_world_feet: of every foot's link by name. # each (k, 4, 4)
        com: centre of mass of the whole robot. # (k, 3) [m]
        support: what it stands on in each. # k
    """

    biped: Biped
    ground: Ground
    q: Array
    foot: tuple[str, ...]
    T_world_base: Array
    T_world_feet: dict[str, Array]
    com: Array
    support: tuple[SupportPolygon, ...]

    @property
    def margin(self) -> Array:
        """Signed margin of the centre of mass. # (k,) [m]."""
        pairs = zip(self.support, self.com, strict=True)
        return np.array([polygon.signed_margin(com) for polygon, com in pairs])


def stand(
    biped: Biped, q: ArrayLike, ground: Ground | None = None, *, model: Model | None = None
) -> Standing:
    """Stand on the ground in given postures.

    It stands on its first foot, or on the second where that would be below the ground otherwise.

    Args:
        biped: the robot.
        q: # (k, n) or (n,) [rad]
        ground: level, through the world's origin, when not given.
        model: of the biped's mechanism, for those who call often.

    Raises:
        PostureError: a posture in which no foot can be flat on the ground; it names the posture.
        BipedError: values of the wrong shape or not finite; a robot that does not stand flat in its
            own standing posture.
    """
    plane = Ground() if ground is None else ground
    postures = _postures(biped, q)
    model = Model(biped.mechanism, "single-use") if model is None else model
    feet = {foot.name: _foot_poses(biped, foot, model, postures) for foot in biped.feet}
    ways = {
        foot.name: _planted(biped, foot, model, plane) @ inverse_pose(feet[foot.name])
        for foot in biped.feet
    }
    chosen = _chosen_feet(biped, feet, ways, plane)
    T_world_base = np.array([ways[name][row] for row, name in enumerate(chosen)])
    T_world_feet = {name: T_world_base @ T for name, T in feet.items()}
    com = model.center_of_mass(postures)
    return Standing(
        biped=biped,
        ground=plane,
        q=postures,
        foot=chosen,
        T_world_base=T_world_base,
        T_world_feet=T_world_feet,
        com=_moved(T_world_base, com),
        support=tuple(
            support_of(biped, {name: T[row] for name, T in T_world_feet.items()}, plane)
            for row in range(len(postures))
        ),
    )


def _moved(T: Array, points: Array) -> Array:
    return np.asarray((T[:, :3, :3] @ points[:, :, None])[:, :, 0] + T[:, :3, 3])


def _postures(biped: Biped, q: ArrayLike) -> Array:
    postures = np.array(q, dtype=np.float64, ndmin=2)
    n = biped.mechanism.dof
    if postures.ndim != 2 or postures.shape[1] != n or not np.all(np.isfinite(postures)):
        raise BipedError(
            f"Postures of {biped.name} have shape {postures.shape}; give {n} finite joint values "
            "for each.",
            shape=postures.shape,
        )
    if len(postures) == 0:
        raise BipedError(f"No posture of {biped.name} is given; give at least one.")
    return postures


def _foot_poses(biped: Biped, foot: Foot, model: Model, q: Array) -> Array:
    """Poses of a foot's link in the base frame. # (k, n) -> (k, 4, 4)."""
    if not foot.link:
        return np.broadcast_to(np.eye(4), (len(q), 4, 4))
    return model.transforms(q)[:, biped.mechanism.index(foot.link)]


def _planted(biped: Biped, foot: Foot, model: Model, ground: Ground) -> Array:
    """Pose of a foot's link that is flat on the ground. # (4, 4)."""
    home = np.atleast_2d(np.asarray(biped.q_standing, dtype=np.float64))
    T_level_foot = biped.T_world_base @ _foot_poses(biped, foot, model, home)[0]
    off = float(np.abs(sole_in_world(biped, foot.name, T_level_foot)[:, 2]).max())
    if off > TOUCHING:
        raise BipedError(
            f"In its standing posture the sole of foot {foot.name!r} of {biped.name} is off the "
            f"level ground by {1e3 * off:.4g} mm, {1e3 * TOUCHING:g} mm are allowed; correct "
            "T_world_base, q_standing or the sole.",
            foot=foot.name,
            value=off,
            limit=TOUCHING,
            unit="m",
        )
    T_under_level = make_pose(np.eye(3), -ground.point * (1.0, 1.0, 0.0))
    return np.asarray(ground.T_world_ground @ T_under_level @ T_level_foot)


def _chosen_feet(
    biped: Biped, feet: dict[str, Array], ways: dict[str, Array], ground: Ground
) -> tuple[str, ...]:
    """The first foot on which all soles are above the ground, for each posture."""
    names = list(feet)
    depths = np.stack([_lowest(biped, feet, ways[name], ground) for name in names])
    fits = depths >= -TOUCHING
    stuck = ~np.any(fits, axis=0)
    if np.any(stuck):
        row = int(np.argmax(stuck))
        below = float(np.max(depths[:, row]))
        raise PostureError(
            f"Posture {row + 1} of {biped.name}: whichever foot it stands on, a corner of a sole "
            f"is at least {-1e3 * below:.4g} mm below the ground; lift or level that foot.",
            posture=row,
            value=below,
            limit=-TOUCHING,
            unit="m",
        )
    return tuple(names[k] for k in np.argmax(fits, axis=0).tolist())


def _lowest(biped: Biped, feet: dict[str, Array], T_world_base: Array, ground: Ground) -> Array:
    """Clearance of the lowest corner of all soles. # (k,) [m]."""
    soles = [sole_in_world(biped, name, T_world_base @ T) for name, T in feet.items()]
    return np.asarray(np.min(ground.clearance(np.concatenate(soles, axis=1)), axis=1))


# ----------------------------------------------------------------------------------------- Contact

TOUCHING = 1e-3  # [m] a corner nearer to the ground than this bears load


def support_of(
    biped: Biped, T_world_feet: Mapping[str, Array], ground: Ground, *, touching: float = TOUCHING
) -> SupportPolygon:
    """The hull of the corners in contact, projected along gravity.

    Args:
        biped: whose soles.
        T_world_feet: pose of each foot's link by the foot's name. # each (4, 4)
        ground: what they stand on.
        touching: clearance up to which a corner is in contact. [m]

    Raises:
        PostureError: no three corners touch, or a corner is below the ground.
        BipedError: a foot that the biped does not have.
    """
    soles = [sole_in_world(biped, name, T) for name, T in T_world_feet.items()]
    corners = np.concatenate(soles)
    clearance = ground.clearance(corners)
    _check_above(biped, float(np.min(clearance)), touching)
    bearing = corners[clearance <= touching]
    if len(bearing) < 3:
        raise PostureError(
            f"{len(bearing)} corners of the soles of {biped.name} touch the ground, the nearest is "
            f"{1e3 * float(np.min(clearance)):.4g} mm above it; three that span an area are needed "
            "to stand.",
            value=float(np.min(clearance)),
            limit=touching,
            unit="m",
        )
    return SupportPolygon.of(bearing, ground.rotation[:2, 0])


def sole_in_world(biped: Biped, foot: str, T_world_foot: Array) -> Array:
    """Corners of a sole. # (..., 4, 4) -> (..., k, 3) [m]."""
    R, p = T_world_foot[..., :3, :3], T_world_foot[..., None, :3, 3]
    return np.asarray(biped.foot(foot).sole @ np.swapaxes(R, -1, -2) + p)


def _check_above(biped: Biped, lowest: float, touching: float) -> None:
    if lowest < -touching:
        raise PostureError(
            f"A corner of the soles of {biped.name} is {-1e3 * lowest:.4g} mm below the ground; "
            "lift that foot, or let the robot stand on it.",
            value=lowest,
            limit=-touching,
            unit="m",
        )
