"""What clearance tests measure against: brute force in NumPy, by other formulas than the engine."""

from __future__ import annotations

import types
from dataclasses import dataclass

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from parts.geometry.proximity import closest_on_triangles
from robots.core.capsule import Capsule
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.motion.joint_motion import PathState
from robots.core.pose import make_pose

SHARES = np.linspace(0.0, 1.0, 5)
CYCLE = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=float)  # turns z to x to y


@pytest.fixture(scope="session")
def brute():
    """Slow, plain answers."""
    return types.SimpleNamespace(
        segment=segment, segments=segments, winding=winding, axis=axis, sphere=sphere, box=box
    )


def segment(start, end, corners):
    """Distance of one segment from triangles (n, 3, 3), 0 where it meets one."""
    best = min(
        np.linalg.norm(
            closest_on_triangles(np.tile(p, (len(corners), 1)), corners) - p, axis=1
        ).min()
        for p in (start, end)
    )
    for k in range(3):
        best = min(best, segments(start, end, corners[:, k], corners[:, (k + 1) % 3]).min())
    return 0.0 if _meets(start, end, corners) else float(best)


def _meets(start, end, corners):
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(b - a, c - a)
    before, after = (np.einsum("ij,ij->i", normal, p - a) for p in (start, end))
    cut = np.flatnonzero(before * after < 0.0)
    x = start + (before[cut] / (before[cut] - after[cut]))[:, None] * (end - start)
    sides = [
        np.einsum("ij,ij->i", normal[cut], np.cross(q[cut] - p[cut], x - p[cut]))
        for p, q in ((a, b), (b, c), (c, a))
    ]
    return cut.size > 0 and bool((np.min(sides, axis=0) >= 0.0).any())


def segments(start, end, p, r):
    """Distances of one segment from many: least of the inner stationary point and four ends."""
    u, v, w = end - start, r - p, start - p
    a, b, c = u @ u, v @ u, np.einsum("ij,ij->i", v, v)
    d, e = w @ u, np.einsum("ij,ij->i", w, v)
    det = a * c - b * b
    best = np.full(len(p), np.inf)
    fine = np.where(det > 0.0, det, 1.0)
    s, t = (b * e - c * d) / fine, (a * e - b * d) / fine
    inner = (det > 1e-14 * a * c) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    gap = np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=1)
    best[inner] = gap[inner]
    for s in (0.0, 1.0):
        t = np.clip((e + s * b) / np.where(c > 0.0, c, 1.0), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(w + s * u - t[:, None] * v, axis=1))
    for t in (0.0, 1.0):
        s = np.clip((t * b - d) / (a if a > 0.0 else 1.0), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(w + s[:, None] * u - t * v, axis=1))
    return best


def winding(points, corners):
    """How often the triangles wind around each point, by their solid angles."""
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
    top = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
    low = la * lb * lc
    low += np.einsum("ijk,ijk->ij", a, b) * lc + np.einsum("ijk,ijk->ij", b, c) * la
    low += np.einsum("ijk,ijk->ij", c, a) * lb
    return np.rint(np.arctan2(top, low).sum(axis=1) / (2 * np.pi)).astype(int)


def axis(start, end, solids):
    """Signed distance of an axis from solids of one group, as the checker states it."""
    corners = np.concatenate([s.mesh.triangles for s in solids])
    gap = segment(start, end, corners)
    points = start + SHARES[:, None] * (end - start)
    inside = np.any([s.closed & (winding(points, s.mesh.triangles) != 0) for s in solids], axis=0)
    if inside.any():
        return -max(segment(p, p, corners) for p in points[inside])
    return gap


def sphere(center, radius, bumps=0.0, subdivisions=3):
    """A closed ball, with hills."""
    import trimesh

    made = trimesh.creation.icosphere(subdivisions=subdivisions)
    v = np.array(made.vertices)
    hills = 1.0 + bumps * np.sin(9 * v[:, 0]) * np.cos(7 * v[:, 1]) * np.sin(8 * v[:, 2] + 1)
    return TriangleMesh(
        vertices=np.asarray(center) + radius * hills[:, None] * v, faces=np.array(made.faces)
    )


def box(center, size):
    """A closed box of twelve triangles."""
    import trimesh

    made = trimesh.creation.box(extents=size)
    return TriangleMesh(vertices=made.vertices + np.asarray(center), faces=np.array(made.faces))


@pytest.fixture(scope="session")
def portal():
    """A robot that holds its stylus upright, and its lines."""
    return types.SimpleNamespace(robot=robot, lines=SlideLines)


def robot(ball=0.003, shank=0.002, length=0.05, quill=0.03):
    """Three slides: q is the ball's centre. The stylus points down, the quill is above it."""
    turn = make_pose(CYCLE, np.zeros(3))
    kind = {"kind": JointKind.PRISMATIC, "q_min": -2.0, "q_max": 2.0, "placement": turn}
    joints = tuple(Joint(name=n, parent=k - 1, **kind) for k, n in enumerate("xyz"))
    top, end = [0, 0, length], [0, 0, length + 0.2]
    capsules = (
        Capsule(name="stylus ball", joint=2, start=[0, 0, 0], end=[0, 0, 0], radius=ball),
        Capsule(name="stylus shank", joint=2, start=top, end=[0, 0, 0], radius=shank),
        Capsule(name="quill", joint=2, start=[0, 0, length + quill], end=end, radius=quill),
    )
    return Mechanism(name="portal", joints=joints, capsules=capsules)


@dataclass(frozen=True)
class SlideLines:
    """Lines of the three slides: the joints are the ball's centre."""

    model: Model
    starts: np.ndarray
    ends: np.ndarray

    def __len__(self):
        return len(self.starts)

    @property
    def axes(self):
        return np.tile([0.0, 0.0, -1.0], (len(self), 1))

    def take(self, chosen):
        return SlideLines(self.model, self.starts[chosen], self.ends[chosen])

    def joints(self, index, lam):
        return self.starts[index] + lam[:, None] * (self.ends - self.starts)[index]

    def path(self, index, lam):
        dq = (self.ends - self.starts)[index]
        return PathState(q=self.joints(index, lam), dq=dq, ddq=np.zeros_like(dq))
