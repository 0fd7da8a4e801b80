"""What holds the solvers to account: poses of every kind, and a search that knows no structure."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.chain_inverse.chain import Chain, chain_of
from robots.library import open_robot


def library_chain(name: str, lock: int | None = None) -> Chain:
    """The chain of a library arm. Args: lock: joint of seven that is held at 0.3 rad."""
    mechanism = open_robot(name)
    locked = {} if lock is None else {mechanism.movable[lock].name: 0.3}
    return chain_of(mechanism, locked=locked)


def general_chain(seed: int = 4) -> Chain:
    """Six revolute joints whose axes neither meet nor are parallel."""
    random = np.random.default_rng(seed)
    links = np.tile(np.eye(4), (7, 1, 1))
    for link in links:
        R, _ = np.linalg.qr(random.normal(size=(3, 3)))
        link[:3, :3] = R * np.sign(np.linalg.det(R))
        link[:3, 3] = random.normal(size=3) * 0.3
    return Chain(
        name="general",
        names=tuple(f"q{k}" for k in range(1, 7)),
        revolute=(True,) * 6,
        links=links,
        length=2.0,
    )


def crx_chain() -> Chain:
    """FANUC CRX-10iA, whose wrist is offset by 150 mm.

    Source: fanuc_crx_description/urdf/crx10ia_urdf_macro.xacro of FANUC's fanuc_description.
    """
    placed = (
        ((0.0, 0.0, 0.245), (0.0, 0.0, 1.0)),
        ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, 0.0, 0.54), (0.0, -1.0, 0.0)),
        ((0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)),
        ((0.54, 0.0, 0.0), (0.0, -1.0, 0.0)),
        ((0.0, -0.15, 0.0), (-1.0, 0.0, 0.0)),
        ((0.16, 0.0, 0.0), (0.0, 0.0, 1.0)),
    )
    links, turned = [], np.eye(3)
    for origin, axis in placed:
        z = np.array(axis)
        x = np.roll(z, 1)
        frame = np.stack([x, np.cross(z, x), z], axis=1)  # the joint's z is its axis
        link = np.eye(4)
        link[:3, :3], link[:3, 3] = turned.T @ frame, turned.T @ np.array(origin)
        links.append(link)
        turned = frame
    return Chain(
        name="crx-10ia",
        names=tuple(f"J{k}" for k in range(1, 7)),
        revolute=(True,) * 6,
        links=np.array(links),
        length=1.3,
    )


def turned_apart(a: Array, b: Array) -> Array:
    """Largest difference of two postures' angles. # (..., n) -> (...)."""
    return np.max(np.abs((a - b + np.pi) % (2.0 * np.pi) - np.pi), axis=-1)


def lost(q: Array, found: Array, nearest: float = 1e-4) -> list[int]:
    """Rows of q that no row of found comes near to."""
    return [k for k, row in enumerate(q) if not np.any(turned_apart(found, row) < nearest)]


def lost_of_each(q: Array, pose: Indices, found: Array) -> list[int]:
    """Rows of q, one per pose, that no posture found for their pose comes near to."""
    return [k for k, row in enumerate(q) if lost(row[None], found[pose == k]) != []]


def near_singular(chain: Chain, count: int, away: Array | float, seed: int = 0) -> Array:
    """Postures some way off where the determinant of the Jacobian vanishes. # (count, 6)."""
    random = np.random.default_rng(seed)
    units = np.repeat([chain.length, 1.0], 3)[:, None]

    def determinant(q: Array) -> Array:
        return np.asarray(np.linalg.det(chain.jacobian(q) / units))

    a = random.uniform(-np.pi, np.pi, (40 * count + 40, 6))
    b = a + random.uniform(-1.0, 1.0, a.shape)
    start = determinant(a)
    crossing = start * determinant(b) < 0.0
    a, b, start = (array[crossing][:count] for array in (a, b, start))
    for _ in range(60):
        middle = (a + b) / 2.0
        same = (determinant(middle) * start > 0.0)[:, None]
        a, b = np.where(same, middle, a), np.where(same, b, middle)
    direction = random.normal(size=a.shape)
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    return a + direction * np.reshape(away, (-1, 1))


def brute_force(chain: Chain, T: Array, starts: int, seed: int = 0) -> tuple[Indices, Array]:
    """Postures by damped least squares from random starts: pose of each, and angles."""
    random = np.random.default_rng(seed)
    pose = np.repeat(np.arange(len(T)), starts)
    q = random.uniform(-np.pi, np.pi, (pose.size, chain.size))
    units = np.repeat([chain.length, 1.0], 3)[:, None]
    active = np.arange(pose.size)
    for _ in range(60):
        gap = chain.gap(chain.forward(q[active]), T[pose[active]])
        J = chain.jacobian(q[active]) / units
        Jt = np.swapaxes(J, 1, 2)
        square = J @ Jt
        damping = 0.5 * np.sum(gap**2, axis=1) + 1e-14
        square[:, range(6), range(6)] += damping[:, None]
        step = (Jt @ np.linalg.solve(square, gap[..., None]))[..., 0]
        longest = np.max(np.abs(step), axis=1, keepdims=True)
        q[active] += step * np.minimum(1.0, 0.7 / np.maximum(longest, 0.7))
        active = active[np.linalg.norm(gap, axis=1) > 1e-9]
        if active.size == 0:
            break
    polished = chain.polished(q, T[pose], 4)
    good = polished.certified
    return pose[good], polished.q[good]
