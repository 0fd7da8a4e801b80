"""A blade: a twisted, tapering, cambered section, known exactly by its parameters.

At the angle s round the section, x = ½ c cos s and y = h (1 − ½ cos s) sin s + k sin² s, with
chord c, half thickness h and camber k; with the share w of the span the section shrinks and turns
about z. The shape is nobody's blade: it only has thin edges, a hollow side and a twist.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.geometry.surfaces import Plane
from parts.library.quilt import Cloth, LibraryPart, grid_triangles, sewn
from robots.core.arrays import Array

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
        [
            -TAPER * px - scale * TWIST * py,
            -TAPER * py + scale * TWIST * px,
            np.full_like(w, SPAN),
        ],
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
    skin = Cloth(
        name="blade",
        corners=grid_triangles(net.positions),
        normals=grid_triangles(net.normals),
        deflection=_deflection(s, w),
    )
    cloths = [skin, _lid("root", root[::-1], -1.0), _lid("tip", tip, 1.0)]
    return LibraryPart(
        name="blade",
        summary="A twisted, tapering blade of 90 mm span and 50 mm chord: one freeform face.",
        geometry=sewn("blade", cloths),
        facts={"span_m": SPAN, "chord_m": CHORD, "deflection_m": skin.deflection},
    )


def _lid(name: str, ring: Array, side: float) -> Cloth:
    """Triangles between the upper and the lower side, as the hollow section is not a fan."""
    n = len(ring)
    order = np.arange(n) if side > 0 else np.roll(np.arange(n), 1)
    loop = ring[order]
    upper, lower = loop[: n // 2 + 1], np.concatenate([loop[n // 2 :], loop[:1]])[::-1]
    corners = grid_triangles(np.stack([upper, lower], axis=1))
    surface = Plane(point=ring[0], axis=np.array([0.0, 0.0, side]))
    return Cloth(name=name, corners=corners, surface=surface)


def _deflection(s: Array, w: Array) -> float:
    """Twice the distance from the middles of the cells' diagonals to the tangent planes there."""
    at = blade_points(0.5 * (s[:-1, :-1] + s[1:, 1:]), 0.5 * (w[:-1, :-1] + w[1:, 1:]))
    net = blade_points(s, w).positions
    gap = 0.5 * (net[:-1, :-1] + net[1:, 1:]) - at.positions
    return float(2.0 * np.abs(np.sum(gap * at.normals, axis=-1)).max())
