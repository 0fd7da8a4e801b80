"""A block with three through holes and a cone that stands on it.

The block is made of six square cells. Their outlines carry corners at the same angles as the
circles inside them, so all faces meet corner to corner.
"""

from __future__ import annotations

import numpy as np

from parts.geometry.surfaces import Cone, Cylinder, Plane
from parts.library.quilt import Cloth, LibraryPart, fan_triangles, grid_triangles, sewn
from robots.core.arrays import Array

UP = np.array([0.0, 0.0, 1.0])
CELL = 0.040  # [m]
COLUMNS, ROWS = 3, 2
HEIGHT = 0.030  # [m]
HOLES = {"hole-20": (0, 0, 0.010), "hole-12": (1, 0, 0.006), "hole-30": (0, 1, 0.015)}
CONE = (2, 1)  # cell
CONE_BASE, CONE_TOP, CONE_HEIGHT = 0.012, 0.006, 0.015  # [m] radii, height
_SEGMENTS = 64  # round a circle; a multiple of 8 has the cells' corners


def block() -> LibraryPart:
    """120 × 80 × 30 mm, holes of 20, 12 and 30 mm, a cone from 24 to 12 mm, 15 mm high."""
    holes = {(c, r): radius for c, r, radius in HOLES.values()}
    floors = {cell: _plate(cell, 0.0, holes.get(cell)) for cell in _cells()}
    tops = {
        cell: _plate(cell, HEIGHT, CONE_BASE if cell == CONE else holes.get(cell))
        for cell in _cells()
    }
    cloths = [
        _flat("top", np.concatenate(list(tops.values())), HEIGHT, 1.0),
        _flat("bottom", np.concatenate(list(floors.values()))[:, ::-1], 0.0, -1.0),
        *_walls(),
        *(_hole(name, (c, r), radius) for name, (c, r, radius) in HOLES.items()),
        *_cone(),
    ]
    return LibraryPart(
        name="block",
        summary="A block of 120 × 80 × 30 mm with holes of 20, 12 and 30 mm and a cone.",
        geometry=sewn("block", cloths),
        facts={
            "cone_half_angle_rad": float(np.arctan2(CONE_BASE - CONE_TOP, CONE_HEIGHT)),
            "hole_radius_m": HOLES["hole-20"][2],
        },
    )


def middle_of(cell: tuple[int, int], z: float = 0.0) -> Array:
    """Middle of a cell. # (3,) [m]."""
    return np.array([(cell[0] + 0.5) * CELL, (cell[1] + 0.5) * CELL, z])


def _cells() -> list[tuple[int, int]]:
    return [(c, r) for c in range(COLUMNS) for r in range(ROWS)]


def _directions() -> Array:
    angles = 2.0 * np.pi * np.arange(_SEGMENTS) / _SEGMENTS
    return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(_SEGMENTS)])


def _outline(cell: tuple[int, int], z: float) -> Array:
    """Corners of a cell's square at the angles of its circle. # (n, 3)."""
    d = _directions()
    return np.asarray(middle_of(cell, z) + 0.5 * CELL * d / np.abs(d).max(axis=1)[:, None])


def _circle(cell: tuple[int, int], radius: float, z: float) -> Array:
    return np.asarray(middle_of(cell, z) + radius * _directions())


def _plate(cell: tuple[int, int], z: float, radius: float | None) -> Array:
    """A cell seen from above, around its circle if it has one. # (t, 3, 3)."""
    if radius is None:
        return fan_triangles(middle_of(cell, z), _outline(cell, z))
    return _between(_circle(cell, radius, z), _outline(cell, z))


def _between(inner: Array, outer: Array) -> Array:
    """Triangles between two closed rings, of which the outer lies to the right."""
    net = np.stack([inner, outer])
    return grid_triangles(np.concatenate([net, net[:, :1]], axis=1))


def _flat(name: str, corners: Array, z: float, side: float) -> Cloth:
    surface = Plane(point=z * UP, axis=side * UP)
    return Cloth(name=name, corners=corners, surface=surface)


def _walls() -> list[Cloth]:
    outline = np.concatenate([_outline(cell, 0.0) for cell in _cells()])
    sides = {"left": (0, 0.0), "right": (0, COLUMNS * CELL), "front": (1, 0.0),
             "back": (1, ROWS * CELL)}  # fmt: skip
    return [_wall(name, axis, at, outline) for name, (axis, at) in sides.items()]


def _wall(name: str, axis: int, at: float, outline: Array) -> Cloth:
    line = outline[np.abs(outline[:, axis] - at) < 1e-9]
    _, first = np.unique(np.rint(line[:, 1 - axis] * 1e9), return_index=True)
    foot = line[first]
    outward = np.zeros(3)
    outward[axis] = 1.0 if at > 0.0 else -1.0
    net = np.stack([foot, foot + HEIGHT * UP], axis=1)
    if np.cross(foot[-1] - foot[0], UP) @ outward < 0.0:
        net = net[::-1]
    surface = Plane(point=foot[0], axis=outward)
    return Cloth(name=name, corners=grid_triangles(net), surface=surface)


def _hole(name: str, cell: tuple[int, int], radius: float) -> Cloth:
    low, high = _circle(cell, radius, 0.0), _circle(cell, radius, HEIGHT)
    surface = Cylinder(point=middle_of(cell), axis=UP, radius=radius, reversed=True)
    return Cloth(name=name, corners=_between(low, high), surface=surface)


def _cone() -> list[Cloth]:
    low = _circle(CONE, CONE_BASE, HEIGHT)
    high = _circle(CONE, CONE_TOP, HEIGHT + CONE_HEIGHT)
    slope = (CONE_BASE - CONE_TOP) / CONE_HEIGHT
    apex = middle_of(CONE, HEIGHT + CONE_BASE / slope)
    surface = Cone(apex=apex, axis=-UP, half_angle=float(np.arctan(slope)))
    lid = fan_triangles(middle_of(CONE, HEIGHT + CONE_HEIGHT), high)
    return [
        Cloth(name="cone", corners=_between(high, low), surface=surface),
        _flat("cone-top", lid, HEIGHT + CONE_HEIGHT, 1.0),
    ]
