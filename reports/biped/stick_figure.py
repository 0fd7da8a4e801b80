"""A biped as bars, with the ground under it and the support polygon on the ground."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reports.biped.motion import poses_of
from robots.biped.biped import Biped, Foot
from robots.biped.motion import BipedMotion
from robots.biped.posture.ground import Ground
from robots.core.arrays import Array, Indices
from robots.core.mechanism import BASE, Mechanism

_SHORT = 1e-6  # [m]; joints whose axes meet have no bar between them
_FINE = 1e-4  # [m]; polygons nearer to each other than this are one
_RANK = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StickBar:
    """A straight piece of the figure.

    Args:
        name: of the link that carries it, or of the foot.
        joint: index of that link; ``BASE`` for the base.
        start: in the link's frame. # (3,) [m]
        end: # (3,) [m]
        sole: whether it is an edge of a sole.
    """

    name: str
    joint: int
    start: Array
    end: Array
    sole: bool = False


def stick_figure(biped: Biped) -> tuple[StickBar, ...]:
    """All bars of a robot, links first."""
    mechanism = biped.mechanism
    return (*_bones(biped), *(bar for foot in biped.feet for bar in _sole(foot, mechanism)))


def foot_joint(foot: Foot, mechanism: Mechanism) -> int:
    """Index of the link that carries a foot; ``BASE`` where the base is the foot."""
    return mechanism.index(foot.link) if foot.link else BASE


def bar_ends(motion: BipedMotion, rows: Indices, bars: tuple[StickBar, ...]) -> Array:
    """Where the bars are in the world at some samples.

    Args:
        motion: whose samples.
        rows: which ones. # (k,) whole numbers
        bars: of the figure.

    Returns:
        Start and end of every bar. # (k, bars, 2, 3) [m]
    """
    links = poses_of(motion, rows)
    places = np.array([[bar.start, bar.end] for bar in bars])
    carriers = links[:, [bar.joint + 1 for bar in bars]]
    turned = np.einsum("kbij,bej->kbei", carriers[..., :3, :3], places)
    return np.asarray(turned + carriers[..., None, :3, 3])


def _bones(biped: Biped) -> Iterator[StickBar]:
    """From every joint to those it carries; from a last one to what it ends with."""
    mechanism = biped.mechanism
    names = {BASE: "base"} | {k: joint.name for k, joint in enumerate(mechanism.joints)}
    carrying = {joint.parent for joint in mechanism.joints}
    footed = {foot_joint(foot, mechanism) for foot in biped.feet}
    for joint in mechanism.joints:
        yield from _bar(names[joint.parent], joint.parent, joint.placement[:3, 3])
    for index, joint in enumerate(mechanism.joints):
        if index not in carrying | footed:
            yield from _bar(joint.name, index, _tip(mechanism, index))


def _tip(mechanism: Mechanism, index: int) -> Array:
    """Where a last link ends: at the tool, else at its centre of mass."""
    tool = mechanism.tool[:3, 3]
    if index == mechanism.tool_joint and np.linalg.norm(tool) > _SHORT:
        return tool
    return mechanism.joints[index].body.com


def _bar(name: str, joint: int, end: Array) -> Iterator[StickBar]:
    if np.linalg.norm(end) > _SHORT:
        yield StickBar(name=name, joint=joint, start=np.zeros(3), end=np.asarray(end))


def _sole(foot: Foot, mechanism: Mechanism) -> Iterator[StickBar]:
    """The sole's edges, and a bar down to it from the joint above."""
    joint = foot_joint(foot, mechanism)
    yield from _bar(foot.name, joint, _below(foot.sole))
    for start, end in zip(foot.sole, np.roll(foot.sole, -1, axis=0), strict=True):
        yield StickBar(name=f"{foot.name} sole", joint=joint, start=start, end=end, sole=True)


def _below(sole: Array) -> Array:
    """Foot of the perpendicular from the link's origin to the sole. # (3,) [m]."""
    centred = sole - sole.mean(axis=0)
    normal = np.linalg.svd(centred)[2][2]
    return np.asarray((sole.mean(axis=0) @ normal) * normal)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroundPolygons:
    """Support polygons of a motion in the ground's frame, each once.

    Args:
        point: that the ground turns about. # (3,) [m]
        polygons: corners in the ground's plane, in the order of their first samples.
            # each (m, 2) [m]
        index: which one every sample has. # (k,)
    """

    point: Array
    polygons: tuple[Array, ...]
    index: Indices


def ground_polygons(motion: BipedMotion) -> GroundPolygons:
    """Polygons of all samples, seen along the normal of the ground of their sample."""
    point = ground_point(motion)
    found: dict[bytes, int] = {}
    polygons: list[Array] = []
    index = np.zeros(len(motion.t), dtype=np.int64)
    for row, ground in enumerate(grounds(motion, point)):
        lifted = ground.below(motion.support[row]) - ground.point
        flat = np.round((lifted @ ground.rotation)[:, :2] / _FINE) * _FINE + 0.0
        number = found.setdefault(flat.tobytes(), len(polygons))
        if number == len(polygons):
            polygons.append(flat)
        index[row] = number
    return GroundPolygons(point=point, polygons=tuple(polygons), index=index)


def grounds(motion: BipedMotion, point: Array) -> list[Ground]:
    """The ground of every sample."""
    return [Ground(alpha=a, beta=b, point=point) for a, b in motion.ground.tolist()]


def ground_point(motion: BipedMotion) -> Array:
    """A point that the ground has at all samples: the zero-moment points lie on it. # (3,) [m]."""
    told = np.isfinite(motion.zmp).all(axis=1)
    if not told.any():
        return np.zeros(3)
    normals = np.array([Ground(alpha=a, beta=b).normal for a, b in motion.ground[told].tolist()])
    heights = np.sum(normals * motion.zmp[told], axis=1)
    return np.asarray(np.linalg.lstsq(normals, heights, rcond=_RANK)[0])
