"""Shapes that the scene is made of besides solids: capsules, and the marks of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices

_AROUND = 32  # sides of a circle
_RINGS = 8  # of half a ball
_MARK_AROUND, _MARK_RINGS = 12, 3
_STEM = 0.16  # thickness of a mark's stem and arms, over its radius
_STEM_LENGTH = 5.0
_ARM_LENGTH = 2.1
_SIDES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnShape:
    """Triangles with normals.

    Args:
        vertices: # (v, 3) [m]
        faces: counter-clockwise from outside. # (f, 3)
        normals: # (v, 3) unit
    """

    vertices: Array
    faces: Indices
    normals: Array


def capsule(length: float, radius: float) -> DrawnShape:
    """A capsule whose axis runs from the origin along z; a ball for length 0. [m]."""
    return _revolved(length, radius, _AROUND, _RINGS)


def reached_mark(size: float) -> DrawnShape:
    """A ball with a thin stem along z: a point that is reached. Args: size, its radius. [m]."""
    ball = _revolved(0.0, size, _MARK_AROUND, _MARK_RINGS)
    return _joined(ball, _stem(size))


def failed_mark(size: float) -> DrawnShape:
    """Three crossed bars with a thin stem along z: a point that is not reached."""
    thin, far = 0.42 * size, _ARM_LENGTH * size
    # Turned, so that from every side at least one pair of bars is seen as a cross.
    arms = [_box(np.where(np.arange(3) == axis, far, thin)) for axis in range(3)]
    return _joined(*(_tilted(arm) for arm in arms), _stem(size))


def _stem(size: float) -> DrawnShape:
    half = _STEM_LENGTH * size / 2.0
    box = _box(np.array([_STEM * size, _STEM * size, half]))
    return DrawnShape(
        vertices=box.vertices + np.array([0.0, 0.0, half]), faces=box.faces, normals=box.normals
    )


def _revolved(length: float, radius: float, around: int, rings: int) -> DrawnShape:
    """Two half balls; the skin between their rims is the cylinder."""
    quarter = np.linspace(0.0, np.pi / 2.0, rings + 1)[1:]
    latitude = (
        np.concatenate([-quarter[:-1][::-1], [0.0]])
        if length == 0.0
        else np.concatenate([-quarter[:-1][::-1], [0.0, 0.0]])
    )
    latitude = np.concatenate([latitude, quarter[:-1]])
    raised = np.arange(latitude.size) >= latitude.size // 2
    angle = 2.0 * np.pi * np.arange(around) / around
    out = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    flat = np.cos(latitude)[:, None, None] * out
    high = np.broadcast_to(np.sin(latitude)[:, None, None], (latitude.size, around, 1))
    skin = np.concatenate([flat, high], axis=-1).reshape(-1, 3)
    normals = np.concatenate([[[0.0, 0.0, -1.0]], skin, [[0.0, 0.0, 1.0]]])
    lift = np.concatenate([[0.0], np.repeat(raised, around), [1.0]])
    vertices = radius * normals
    vertices[:, 2] += length * lift
    return DrawnShape(vertices=vertices, faces=_skin(latitude.size, around), normals=normals)


def _skin(rings: int, around: int) -> Indices:
    """Triangles between rings of vertices that lie between two poles."""
    here = np.arange(around)
    next_ = (here + 1) % around
    last = 1 + (rings - 1) * around
    faces = [np.stack([np.zeros_like(here), 1 + next_, 1 + here], axis=1)]
    for ring in range(rings - 1):
        low, high = 1 + ring * around, 1 + (ring + 1) * around
        faces.append(np.stack([low + here, low + next_, high + next_], axis=1))
        faces.append(np.stack([low + here, high + next_, high + here], axis=1))
    faces.append(np.stack([last + here, last + next_, np.full_like(here, last + around)], axis=1))
    return np.concatenate(faces)


def _box(half: Array) -> DrawnShape:
    """A box about the origin with flat sides. Args: half, of its edges. # (3,) [m]."""
    vertices, normals, faces = [], [], []
    for place, out in enumerate(_SIDES):
        side = np.roll(np.abs(out), 1)
        other = np.cross(out, side)
        square = [out - side - other, out + side - other, out + side + other, out - side + other]
        vertices += square
        normals += [out] * 4
        faces += [
            [4 * place, 4 * place + 1, 4 * place + 2],
            [4 * place, 4 * place + 2, 4 * place + 3],
        ]
    return DrawnShape(
        vertices=np.array(vertices) * half, faces=np.array(faces), normals=np.array(normals)
    )


def _tilted(shape: DrawnShape) -> DrawnShape:
    """Turned so that the corner of a cube points along z."""
    third, half, sixth = 1.0 / np.sqrt(3.0), 1.0 / np.sqrt(2.0), 1.0 / np.sqrt(6.0)
    turn = np.array([[half, -half, 0.0], [sixth, sixth, -2.0 * sixth], [third, third, third]])
    return DrawnShape(
        vertices=shape.vertices @ turn.T, faces=shape.faces, normals=shape.normals @ turn.T
    )


def _joined(*shapes: DrawnShape) -> DrawnShape:
    starts = np.cumsum([0, *(len(shape.vertices) for shape in shapes)])
    return DrawnShape(
        vertices=np.concatenate([shape.vertices for shape in shapes]),
        faces=np.concatenate([s.faces + start for s, start in zip(shapes, starts, strict=False)]),
        normals=np.concatenate([shape.normals for shape in shapes]),
    )
