"""The geometry files beside the library's jobs: what made them, so that they can be made again.

Each is a binary STL in millimetres, written by ``parts.library.stl_bytes``. A test compares the
committed files with what is made here.
"""

from __future__ import annotations

import numpy as np

from parts.geometry import TriangleMesh
from parts.library import open_part, stl_bytes
from parts.library.blade import blade_points
from planner.job.cell import box_mesh
from robots.core.arrays import Array, Indices
from robots.core.pose import make_pose, rotation_about, transform_points

_AROUND, _ALONG = 80, 10  # of the blade; a twentieth of the library part's triangles
_CROWDED = 0.55  # towards its sharp edge at s = 0: facets turn by less than 40 deg everywhere
_UP = np.array([0.0, 0.0, 1.0])
COUPON = (0.06, 0.06, 0.04)  # [m] the probed face is 60 × 60 mm

# Name, azimuth [deg], radius [m], height [m], tilt of the normal from z towards the robot [deg].
COUPONS: tuple[tuple[str, float, float, float, float], ...] = (
    ("good-1", 10.0, 1.4, 0.0, 10.0),
    ("far", 35.0, 2.85, 0.0, 10.0),
    ("limit", -12.0, 1.5, 0.0, 10.0),
    ("singular", 4.0, 1.6, 0.0, 42.2),
    ("good-2", 25.0, 1.4, 0.0, 10.0),
    ("inside", 30.0, 1.85, 0.15, 105.0),
    ("stylus", 16.0, 1.65, 0.0, 55.0),
    ("wrist", 22.0, 1.65, 0.0, 55.0),
    ("beam", 38.0, 1.65, 0.0, 10.0),
    ("good-3", 40.0, 1.4, 0.0, 10.0),
    ("walled-in", 120.0, 1.4, 0.0, 10.0),
    ("heavy", 135.0, 2.2, 0.0, 30.0),
)


def geometry_files() -> dict[str, bytes]:
    """Content of every geometry file, by its path below the library."""
    return {
        "block-with-holes/block.stl": stl_bytes(open_part("block").geometry.mesh),
        "blade/blade.stl": stl_bytes(blade_mesh()),
        "obstructed/plate.stl": stl_bytes(open_part("inclined-plate").geometry.mesh),
        "unreachable/coupons.stl": stl_bytes(coupons_mesh()),
    }


def blade_mesh() -> TriangleMesh:
    """The library's blade on a coarser net of the same surface, closed at root and tip."""
    even = 2.0 * np.pi * np.arange(_AROUND) / _AROUND
    s = even - _CROWDED * np.sin(even)
    w = np.arange(_ALONG + 1) / _ALONG
    net = blade_points(*np.meshgrid(s, w, indexing="ij")).positions
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(_AROUND), np.arange(_ALONG)))
    here, right = i * (_ALONG + 1) + j, (i + 1) % _AROUND * (_ALONG + 1) + j
    skin = [[here, right, right + 1], [here, right + 1, here + 1]]
    faces = np.concatenate([np.stack(corners, axis=1) for corners in skin])
    lid = _lid() * (_ALONG + 1)
    faces = np.concatenate([faces, lid[:, ::-1], lid + _ALONG])
    return TriangleMesh(vertices=net.reshape(-1, 3), faces=faces)


def _lid() -> Indices:
    """Triangles across the section, by its corners; strips, as the hollow section is not a fan."""
    i = np.arange(_AROUND // 2)
    upper = np.stack([i, i + 1, (_AROUND - i - 1) % _AROUND], axis=1)[:-1]
    lower = np.stack([i, (_AROUND - i - 1) % _AROUND, (_AROUND - i) % _AROUND], axis=1)[1:]
    return np.concatenate([upper, lower])


def coupons_mesh() -> TriangleMesh:
    """Boxes around the robot, base frame; the middle of the top of each one is probed."""
    solid = coupon_mesh()
    count = len(solid.vertices)
    poses = [coupon_pose(*place) for _, *place in COUPONS]
    return TriangleMesh(
        vertices=np.concatenate([transform_points(T, solid.vertices) for T in poses]),
        faces=np.concatenate([solid.faces + k * count for k in range(len(poses))]),
    )


def coupon_mesh() -> TriangleMesh:
    """One coupon: the middle of its top is the origin."""
    box = box_mesh(np.array(COUPON))
    return TriangleMesh(vertices=box.vertices - 0.5 * COUPON[2] * _UP, faces=box.faces)


def coupon_pose(azimuth: float, radius: float, height: float, tilt: float) -> Array:
    """Pose of a coupon in the base frame: z is the normal of its top. # (4, 4).

    Args:
        azimuth: about base z. [deg]
        radius: of its top from base z. [m]
        height: of its top. [m]
        tilt: of the normal, from base z towards the robot. [deg]
    """
    about = rotation_about(_UP, np.radians(azimuth))
    tipped = rotation_about(np.array([0.0, 1.0, 0.0]), -np.radians(tilt))
    place = about @ np.array([radius, 0.0, height])
    return make_pose(about @ tipped, place)
