"""Pieces that scenes of free bodies are made of: slides, turns, rings of bars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from reports.scene.model import RoundBody, SceneLink
from reports.scene.palette import Paint
from robots.core.arrays import Array
from robots.core.mechanism import BASE, JointKind

_EDGE = 0.009  # radius of a ring's bars [m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneChain:
    """Links that hang together, with the values of their joints.

    Args:
        links: numbered from zero, their variables too.
        q: # (k, variables) [rad or m]
    """

    links: tuple[SceneLink, ...]
    q: Array


def joined(parts: tuple[SceneChain, ...]) -> SceneChain:
    """All links in one tree, all variables in one row."""
    links: list[SceneLink] = []
    variables = 0
    for part in parts:
        first = len(links)
        links += [
            replace(
                link,
                parent=BASE if link.parent == BASE else first + link.parent,
                variable=link.variable + variables if link.variable >= 0 else -1,
            )
            for link in part.links
        ]
        variables += part.q.shape[1]
    return SceneChain(links=tuple(links), q=np.concatenate([part.q for part in parts], axis=1))


def slides(name: str, bodies: tuple[RoundBody, ...] = ()) -> Iterator[SceneLink]:
    """Along x, y and z, variables 0 to 2; the last frame has the world's axes."""
    before = np.eye(4)
    for axis in range(3):
        frame = axis_frame(axis)
        carried = bodies if axis == 2 else ()
        parent = BASE if axis == 0 else axis - 1
        moved = (JointKind.PRISMATIC, axis)
        yield link(f"{name} {'xyz'[axis]}", parent, moved, before.T @ frame, carried)
        before = frame


def free(name: str, first: Array, bodies: tuple[RoundBody, ...]) -> Iterator[SceneLink]:
    """Three slides, turns about z, y and x, and a last link that carries the bodies.

    Args:
        name: of the links.
        first: rotation of the last link where all turns are zero. # (3, 3)
        bodies: in the frame of the last link.
    """
    yield from slides(name)
    before = axis_frame(2)
    for number, axis in enumerate((2, 1, 0), start=3):
        frame = axis_frame(axis)
        moved = (JointKind.REVOLUTE, number)
        yield link(f"{name} about {'xyz'[axis]}", number - 1, moved, before.T @ frame)
        before = frame
    placement = np.eye(4)
    placement[:3, :3] = before[:3, :3].T @ first
    yield link(name, 5, (JointKind.FIXED, -1), placement, bodies)


def axis_frame(axis: int) -> Array:
    """The axes in another order, so that one of them is z. # (4, 4)."""
    frame = np.eye(4)
    frame[:3, :3] = np.roll(np.eye(3), 2 - axis, axis=1)
    return frame


def link(
    name: str,
    parent: int,
    moved: tuple[JointKind, int],
    placement: Array,
    bodies: tuple[RoundBody, ...] = (),
) -> SceneLink:
    """A link; ``moved`` is the kind of its joint and the place of its variable."""
    kind, variable = moved
    return SceneLink(
        name=name, parent=parent, kind=kind, variable=variable, placement=placement, bodies=bodies
    )


def ring(name: str, corners: Array, paint: Paint) -> tuple[RoundBody, ...]:
    """Bars round a polygon in the plane z = 0 of a link. # (m, 2) [m]."""
    places = np.column_stack([corners, np.zeros(len(corners))])
    pairs = zip(places, np.roll(places, -1, axis=0), strict=True)
    return tuple(
        RoundBody(name=f"{name} {number}", start=start, end=end, radius=_EDGE, paint=paint)
        for number, (start, end) in enumerate(pairs, start=1)
    )


def held(places: Array) -> Array:
    """Places with gaps filled by the last one before, or the first one after. # (k, 3) [m]."""
    told = np.isfinite(places).all(axis=1)
    if told.all() or not told.any():
        return np.nan_to_num(places)
    rows = np.maximum.accumulate(np.where(told, np.arange(len(places)), int(told.argmax())))
    return np.asarray(places[rows])
