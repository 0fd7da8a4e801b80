"""The robot as it is drawn: its capsules, or a stick figure where the room of it is not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planner.job.stylus import BALL, STYLUS
from reports.scene import palette, quaternions
from reports.scene.model import RoundBody, SceneLink
from reports.scene.shapes import DrawnShape, capsule
from robots.core.arrays import Array
from robots.core.capsule import Capsule
from robots.core.mechanism import BASE, Mechanism
from robots.core.pose import transform_points

if TYPE_CHECKING:
    from planner.job import Job


LEAST_RADIUS = 0.003  # a thinner body would not be seen [m]
LEAST_BALL = 0.005  # [m]
_SLENDER = 0.03  # radius of a stick over the length of the longest one
_SHORT = 1e-9  # [m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneRobot:
    """Bodies of the base, links, and what a reader should know of them."""

    base: tuple[RoundBody, ...]
    links: tuple[SceneLink, ...]
    notes: tuple[str, ...]


def scene_robot(job: Job) -> SceneRobot:
    """The robot of a job with its probe."""
    return mechanism_bodies(job.mechanism, {*STYLUS, *(body.name for body in job.probe.bodies)})


def mechanism_bodies(mechanism: Mechanism, of_probe: set[str]) -> SceneRobot:
    """Bodies of a mechanism.

    Args:
        mechanism: with or without a probe.
        of_probe: names of the probe's capsules.
    """
    known = any(capsule.name not in of_probe for capsule in mechanism.capsules)
    sticks = () if known else _sticks(mechanism)
    capsules = (*mechanism.capsules, *sticks)
    bodies = [_body(capsule, of_probe) for capsule in capsules]
    carried = [
        tuple(b for b, c in zip(bodies, capsules, strict=True) if c.joint == joint)
        for joint in range(BASE, len(mechanism.joints))
    ]
    return SceneRobot(
        base=carried[0],
        links=_links(mechanism, carried[1:]),
        notes=tuple(_notes(capsules, bodies, known=known)),
    )


def _links(mechanism: Mechanism, carried: list[tuple[RoundBody, ...]]) -> tuple[SceneLink, ...]:
    variables = np.cumsum([joint.movable for joint in mechanism.joints]) - 1
    return tuple(
        SceneLink(
            name=joint.name,
            parent=joint.parent,
            kind=joint.kind,
            variable=int(variable) if joint.movable else -1,
            placement=joint.placement,
            bodies=bodies,
        )
        for joint, variable, bodies in zip(mechanism.joints, variables, carried, strict=True)
    )


def _body(capsule: Capsule, of_probe: set[str]) -> RoundBody:
    ball = capsule.name == BALL
    return RoundBody(
        name=capsule.name,
        start=capsule.start,
        end=capsule.end,
        radius=max(capsule.radius, LEAST_BALL if ball else LEAST_RADIUS),
        paint=_paint(capsule, of_probe),
    )


def _paint(capsule: Capsule, of_probe: set[str]) -> palette.Paint:
    if capsule.name == BALL:
        return palette.BALL
    if capsule.name in of_probe:
        return palette.STYLUS
    if capsule.joint == BASE:
        return palette.BASE
    return palette.LINKS[capsule.joint % len(palette.LINKS)]


def _sticks(mechanism: Mechanism) -> tuple[Capsule, ...]:
    """One capsule from every joint's origin to each joint that it carries, and to the ball."""
    ends = [(joint.parent, joint.name, joint.placement[:3, 3]) for joint in mechanism.joints]
    ends.append((mechanism.tool_joint, "tool", mechanism.tool[:3, 3]))
    lengths = [float(np.linalg.norm(end)) for _, _, end in ends]
    radius = max(_SLENDER * max(lengths), LEAST_RADIUS)
    return tuple(
        Capsule(name=f"to {name}", joint=carrier, start=np.zeros(3), end=end, radius=radius)
        for (carrier, name, end), length in zip(ends, lengths, strict=True)
        if length > _SHORT
    )


def _notes(capsules: tuple[Capsule, ...], bodies: list[RoundBody], *, known: bool) -> list[str]:
    notes = []
    if not known:
        notes.append(
            "The robot's file says nothing of the room that its links take: they are drawn as "
            "sticks between joints."
        )
    thicker = sum(b.radius > c.radius for b, c in zip(bodies, capsules, strict=True))
    if thicker:
        one = thicker == 1
        notes.append(
            f"{thicker} {'body' if one else 'bodies'} of the probe or the robot would be too thin "
            f"to be seen; {'it is' if one else 'they are'} drawn thicker."
        )
    return notes


def link_ends(
    base: tuple[RoundBody, ...], links: tuple[SceneLink, ...], transforms: Array
) -> Array:
    """Ends of all bodies in the base frame. # (k, links, 4, 4) -> (m, 3) [m]."""
    places = [np.stack([body.start, body.end]) for body in base]
    for index, link in enumerate(links):
        for body in link.bodies:
            both = np.stack([body.start, body.end])
            places += [transform_points(T, both) for T in transforms[:, index]]
    return np.concatenate(places) if places else np.zeros((0, 3))


def upright(body: RoundBody) -> tuple[DrawnShape, Array]:
    """A body along z from the origin, and the quaternion that lays it along its axis."""
    axis = body.end - body.start
    length = float(np.linalg.norm(axis))
    along = axis / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    return capsule(length, body.radius), quaternions.from_z(along[None])[0]
