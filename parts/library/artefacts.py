"""Library parts of exactly known geometry: ball, block, blade, inclined plate of [LAMMARI12].

The drawing data of the plate are few: the plane 0.10 x + 0.25 y + z = 0.40 m; the source gives no
outline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from parts.errors import LibraryError
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere
from parts.library.synthetic import LibraryPart, SewnPatches, fan_triangles, grid_triangles, sew
from robots.core.arrays import Array
from robots.core.catalogue import unknown_name

SLOPES = (0.10, 0.25)  # of the plane: z = 0.40 − 0.10 x − 0.25 y
LEVEL = 0.40  # [m]
FOOTPRINT = (0.50, 0.40)  # [m] of the plate; the source gives no outline
DIAMETER = 0.025  # [m]
_SEGMENTS = 96  # round the equator


def plane() -> Plane:
    """The surface that is probed, in the part frame."""
    normal = np.array([*SLOPES, 1.0])
    return Plane(point=np.array([0.0, 0.0, LEVEL]), axis=normal / np.linalg.norm(normal))


def inclined_plate() -> LibraryPart:
    """The plate as a solid on a flat bottom; the source shows only its upper face."""
    x, y = FOOTPRINT
    low = np.array([[0, 0, 0], [x, 0, 0], [x, y, 0], [0, y, 0.0]])
    high = low + np.outer(LEVEL - low[:, :2] @ SLOPES, [0, 0, 1])
    sides = {"front": (0, 1), "right": (1, 2), "back": (2, 3), "left": (3, 0)}
    cloths = [_quad("top", high), _quad("bottom", low[::-1])]
    for name, (a, b) in sides.items():
        cloths.append(_quad(name, np.array([low[a], low[b], high[b], high[a]])))
    return LibraryPart(
        name="inclined-plate",
        summary="The plate of [LAMMARI12]: its top is the plane 0.10 x + 0.25 y + z = 0.40 m.",
        geometry=sew("inclined-plate", cloths),
        facts={"volume_m3": x * y * (LEVEL - SLOPES[0] * x / 2 - SLOPES[1] * y / 2)},
    )


def _quad(name: str, corners: Array) -> SewnPatches:
    normal = np.cross(corners[1] - corners[0], corners[3] - corners[0])
    surface = Plane(point=corners[0], axis=normal / np.linalg.norm(normal))
    net = np.array([[corners[0], corners[3]], [corners[1], corners[2]]])
    return SewnPatches(name=name, corners=grid_triangles(net), surface=surface)


def ball() -> LibraryPart:
    """The whole ball about the origin."""
    angles = 2.0 * np.pi * np.arange(_SEGMENTS + 1) / _SEGMENTS
    heights = np.pi * (np.arange(_SEGMENTS // 2 + 1) / (_SEGMENTS // 2) - 0.5)
    phi, theta = np.meshgrid(angles, heights, indexing="ij")
    net = np.stack([np.cos(theta) * np.cos(phi), np.cos(theta) * np.sin(phi), np.sin(theta)], -1)
    surface = Sphere(centre=np.zeros(3), radius=DIAMETER / 2)
    cloth = SewnPatches(name="ball", corners=grid_triangles(DIAMETER / 2 * net), surface=surface)
    return LibraryPart(
        name="ball",
        summary="A sphere artefact of 25 mm diameter about the origin.",
        geometry=sew("ball", [cloth]),
        facts={"radius_m": DIAMETER / 2},
    )


# ------------------------------------------------------------------------------------------- Block
# The block is made of six square cells. Their outlines carry corners at the same angles as the
# circles inside them, so all faces meet corner to corner.

UP = np.array([0.0, 0.0, 1.0])
CELL = 0.040  # [m]
COLUMNS, ROWS = 3, 2
HEIGHT = 0.030  # [m]
HOLES = {"hole-20": (0, 0, 0.010), "hole-12": (1, 0, 0.006), "hole-30": (0, 1, 0.015)}
CONE = (2, 1)  # cell
CONE_BASE, CONE_TOP, CONE_HEIGHT = 0.012, 0.006, 0.015  # [m] radii, height
_BLOCK_SEGMENTS = 64  # round a circle; a multiple of 8 has the cells' corners


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
        geometry=sew("block", cloths),
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
    angles = 2.0 * np.pi * np.arange(_BLOCK_SEGMENTS) / _BLOCK_SEGMENTS
    return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(_BLOCK_SEGMENTS)])


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


def _flat(name: str, corners: Array, z: float, side: float) -> SewnPatches:
    surface = Plane(point=z * UP, axis=side * UP)
    return SewnPatches(name=name, corners=corners, surface=surface)


def _walls() -> list[SewnPatches]:
    outline = np.concatenate([_outline(cell, 0.0) for cell in _cells()])
    sides = {"left": (0, 0.0), "right": (0, COLUMNS * CELL), "front": (1, 0.0),
             "back": (1, ROWS * CELL)}  # fmt: skip
    return [_wall(name, axis, at, outline) for name, (axis, at) in sides.items()]


def _wall(name: str, axis: int, at: float, outline: Array) -> SewnPatches:
    line = outline[np.abs(outline[:, axis] - at) < 1e-9]
    _, first = np.unique(np.rint(line[:, 1 - axis] * 1e9), return_index=True)
    foot = line[first]
    outward = np.zeros(3)
    outward[axis] = 1.0 if at > 0.0 else -1.0
    net = np.stack([foot, foot + HEIGHT * UP], axis=1)
    if np.cross(foot[-1] - foot[0], UP) @ outward < 0.0:
        net = net[::-1]
    surface = Plane(point=foot[0], axis=outward)
    return SewnPatches(name=name, corners=grid_triangles(net), surface=surface)


def _hole(name: str, cell: tuple[int, int], radius: float) -> SewnPatches:
    low, high = _circle(cell, radius, 0.0), _circle(cell, radius, HEIGHT)
    surface = Cylinder(point=middle_of(cell), axis=UP, radius=radius, reversed=True)
    return SewnPatches(name=name, corners=_between(low, high), surface=surface)


def _cone() -> list[SewnPatches]:
    low = _circle(CONE, CONE_BASE, HEIGHT)
    high = _circle(CONE, CONE_TOP, HEIGHT + CONE_HEIGHT)
    slope = (CONE_BASE - CONE_TOP) / CONE_HEIGHT
    apex = middle_of(CONE, HEIGHT + CONE_BASE / slope)
    surface = Cone(apex=apex, axis=-UP, half_angle=float(np.arctan(slope)))
    lid = fan_triangles(middle_of(CONE, HEIGHT + CONE_HEIGHT), high)
    return [
        SewnPatches(name="cone", corners=_between(high, low), surface=surface),
        _flat("cone-top", lid, HEIGHT + CONE_HEIGHT, 1.0),
    ]


# ------------------------------------------------------------------------------------------- Blade
# At the angle s round the section, x = ½ c cos s and y = h (1 − ½ cos s) sin s + k sin² s, with
# chord c, half thickness h and camber k; with the share w of the span the section shrinks and turns
# about z. The shape is nobody's blade: it only has thin edges, a hollow side and a twist.

SPAN = 0.090  # [m]
CHORD = 0.050  # [m] at the root
THICKNESS = 0.005  # [m] half of it at mid-chord
CAMBER = 0.008  # [m] rise of the mean line
TAPER = 0.3  # of the chord, from root to tip
TWIST = np.radians(35.0)
_AROUND, _ALONG = 192, 96


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BladePoints:
    """Points of the true surface.

    Args:
        positions: # (..., 3) [m]
        normals: outward. # (..., 3) unit
    """

    positions: Array
    normals: Array


def blade_points(s: Array, w: Array) -> BladePoints:
    """The true surface. Args: s round the section [rad]; w share of the span, 0 to 1."""
    x = 0.5 * CHORD * np.cos(s)
    y = THICKNESS * (1.0 - 0.5 * np.cos(s)) * np.sin(s) + CAMBER * np.sin(s) ** 2
    dx = -0.5 * CHORD * np.sin(s)
    dy = THICKNESS * (np.cos(s) - 0.5 * np.cos(2.0 * s)) + CAMBER * np.sin(2.0 * s)
    scale, turn = 1.0 - TAPER * w, TWIST * w
    c, sn = np.cos(turn), np.sin(turn)
    px, py = c * x - sn * y, sn * x + c * y
    positions = np.stack([scale * px, scale * py, SPAN * w], axis=-1)
    along_s = np.stack([scale * (c * dx - sn * dy), scale * (sn * dx + c * dy), 0.0 * w], axis=-1)
    along_w = np.stack(
        [-TAPER * px - scale * TWIST * py, -TAPER * py + scale * TWIST * px, np.full_like(w, SPAN)],
        axis=-1,
    )
    across = np.cross(along_s, along_w)
    normals = across / np.linalg.norm(across, axis=-1, keepdims=True)
    return BladePoints(positions=positions, normals=normals)


def blade() -> LibraryPart:
    """The blade on its root plane z = 0, closed by planes at root and tip."""
    s, w = np.meshgrid(
        2.0 * np.pi * np.arange(_AROUND + 1) / _AROUND,
        np.arange(_ALONG + 1) / _ALONG,
        indexing="ij",
    )
    net = blade_points(s, w)
    root, tip = net.positions[:-1, 0], net.positions[:-1, -1]
    skin = SewnPatches(
        name="blade",
        corners=grid_triangles(net.positions),
        normals=grid_triangles(net.normals),
        deflection=_deflection(s, w),
    )
    cloths = [skin, _lid("root", root[::-1], -1.0), _lid("tip", tip, 1.0)]
    return LibraryPart(
        name="blade",
        summary="A twisted, tapering blade of 90 mm span and 50 mm chord: one freeform face.",
        geometry=sew("blade", cloths),
        facts={"span_m": SPAN, "chord_m": CHORD, "deflection_m": skin.deflection},
    )


def _lid(name: str, ring: Array, side: float) -> SewnPatches:
    """Triangles between the upper and the lower side, as the hollow section is not a fan."""
    n = len(ring)
    order = np.arange(n) if side > 0 else np.roll(np.arange(n), 1)
    loop = ring[order]
    upper, lower = loop[: n // 2 + 1], np.concatenate([loop[n // 2 :], loop[:1]])[::-1]
    corners = grid_triangles(np.stack([upper, lower], axis=1))
    surface = Plane(point=ring[0], axis=np.array([0.0, 0.0, side]))
    return SewnPatches(name=name, corners=corners, surface=surface)


def _deflection(s: Array, w: Array) -> float:
    """Twice the distance from the middles of the cells' diagonals to the tangent planes there."""
    at = blade_points(0.5 * (s[:-1, :-1] + s[1:, 1:]), 0.5 * (w[:-1, :-1] + w[1:, 1:]))
    net = blade_points(s, w).positions
    gap = 0.5 * (net[:-1, :-1] + net[1:, 1:]) - at.positions
    return float(2.0 * np.abs(np.sum(gap * at.normals, axis=-1)).max())


_MAKERS: dict[str, Callable[[], LibraryPart]] = {
    "ball": ball,
    "blade": blade,
    "block": block,
    "inclined-plate": inclined_plate,
}


def names() -> tuple[str, ...]:
    """Names of the library's parts, sorted."""
    return tuple(sorted(_MAKERS))


def open_part(name: str) -> LibraryPart:
    """Make a part of the library.

    Raises:
        LibraryError: no such name; the message gives the nearest.
    """
    if name not in _MAKERS:
        raise unknown_name("part", name, names(), LibraryError)
    return _MAKERS[name]()
