"""Distances of convex pieces from each other and from triangles, for compiled loops.

A piece is the convex hull of its corners. The points of two pieces that are nearest to each other
are found by the method of Gilbert, Johnson and Keerthi: the point of the differences of all their
points that is nearest to zero is sought by simplices of up to four corners. What counts is not that
the search ends: for every direction n that it tries, no point of one piece is nearer to any of the
other than the gap min n·a - max n·b over the corners, so that the greatest of these gaps is a lower
bound whatever rounding has done to the direction. The distance between the two points that it ends
with is an upper one.

Source: Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between complex
objects in three-dimensional space", IEEE J. Robotics and Automation 4 (1988) 193-203; the cases of
a point nearest to a triangle are those of Ericson, "Real-Time Collision Detection", 2005, §5.1.5.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.clearance.segments import Vec, cross, dot, minus
from planner.clearance.tree import Stack, Tree, leaf_start

_STEPS = 64  # of a search at most; a dozen are usual
_EQUAL = 1e-12  # share of the squared distance, within which both bounds are taken as one
_MEET = 1e-12  # [m] nearer pieces meet
_INSIDE = 0.25  # share of the nearest face's squared distance: what is nearer lies inside


# Rows of the work array of a search. # (12, 4) [m]
DIFFERENCE = 0  # up to four of corners, first piece less second; behind each its share
FIRST = 4  # the corner of the first piece in each
TRIANGLE = 8  # corners of the triangle that is looked at
PLACE = 11  # filled: nearest point of the first piece
_SHARE = 3  # column


def new_simplex() -> NDArray[np.float64]:
    """Work array of one call."""
    return np.empty((12, 4))


def piece_distance(
    a: Any, count_a: int, b: Any, count_b: int, limit: float, simplex: Any
) -> tuple[float, float]:
    """Bounds of the distance of two pieces: never nearer, and as near as two of their points.

    Args:
        a: corners of the first; those from ``count_a`` on do not count. # (k, 3) [m]
        count_a: of its corners.
        b: corners of the second. # (k, 3) [m]
        count_b: of its corners.
        limit: distance from which on it need not be told, however small; ``inf`` for none. [m]
        simplex: work, see above; its place is filled.

    Returns:
        Lower and upper bound, both zero where they meet; the lower one ends the search as soon as
        it is above zero and reaches the limit, so that pieces that meet are told from others.
    """
    size, lower = 1, 0.0
    _take(simplex, 0, _corner(a, 0), _corner(b, 0))
    simplex[0, _SHARE] = 1.0
    v = _corner(simplex, 0)
    _fill_place(simplex, size)
    for _ in range(_STEPS):
        square = dot(v, v)
        if square <= _MEET * _MEET:
            lower, v = 0.0, (0.0, 0.0, 0.0)
            break
        first, second = _extreme(a, count_a, v, -1.0), _extreme(b, count_b, v, 1.0)
        w = minus(_corner(a, first), _corner(b, second))
        along = dot(v, w)
        lower = max(lower, along / math.sqrt(square))
        told = lower > 0.0 and lower >= limit
        if told or square - along <= _EQUAL * square or _known(simplex, size, w):
            break
        _take(simplex, size, _corner(a, first), _corner(b, second))
        size = _reduced(simplex, size + 1, square)
        if size == 4:
            lower, v = 0.0, (0.0, 0.0, 0.0)
            _fill_place(simplex, size)
            break
        nearer = _nearest(simplex, size)
        if dot(nearer, nearer) >= square:  # rounding: it gets no better
            break
        v = nearer
        _fill_place(simplex, size)
    return lower, max(math.sqrt(dot(v, v)), lower)


def nearest_triangle(
    tree: Tree, corners: Any, count: int, reach: tuple[float, float], stack: Stack, work: Any
) -> tuple[float, int]:
    """The triangle nearest to a piece.

    Args:
        tree: of the triangles.
        corners: of the piece. # (k, 3) [m]
        count: of its corners.
        reach: distance under which a triangle counts, and under which one is near enough to look no
            further. [m]
        stack: work.
        work: of the distances, see above; its place is the nearest point of the piece.

    Returns:
        A distance that the piece is no nearer than, and the sorted triangle; the first of ``reach``
        and -1 when none counts.
    """
    boxes = tree.boxes
    nodes, gaps = stack.nodes, stack.gaps
    leaves = (len(boxes) + 1) // 2
    best, found, top = reach[0], -1, 0
    x = y = z = 0.0
    nodes[0], gaps[0] = 0, _box_gap(boxes, 0, corners, count)
    while top >= 0:
        node, gap = nodes[top], gaps[top]
        top -= 1
        if gap >= best:
            continue
        if node < leaves - 1:
            near, far = 2 * node + 1, 2 * node + 2
            near_gap = _box_gap(boxes, near, corners, count)
            far_gap = _box_gap(boxes, far, corners, count)
            if far_gap < near_gap:
                near, far, near_gap, far_gap = far, near, far_gap, near_gap
            if far_gap < best:
                top += 1
                nodes[top], gaps[top] = far, far_gap
            if near_gap < best:
                top += 1
                nodes[top], gaps[top] = near, near_gap
            continue
        leaf = node - leaves + 1
        for item in range(
            leaf_start(leaf, leaves, len(tree.corners)),
            leaf_start(leaf + 1, leaves, len(tree.corners)),
        ):
            for k in range(9):
                work[TRIANGLE + k // 3, k % 3] = tree.corners[item, k]
            if _beside_plane(work[TRIANGLE:], corners, count) >= best:
                continue
            lower, _ = piece_distance(corners, count, work[TRIANGLE:], 3, best, work)
            if lower < best:
                best, found = lower, item
                x, y, z = _corner(work, PLACE)
                if best < reach[1]:
                    return best, found
    if found >= 0:
        work[PLACE, 0], work[PLACE, 1], work[PLACE, 2] = x, y, z
    return best, found


def _corner(corners: Any, k: int) -> Vec:
    return (corners[k, 0], corners[k, 1], corners[k, 2])


def _extreme(corners: Any, count: int, v: Vec, sign: float) -> int:
    """The corner farthest along sign·v."""
    best, found = -math.inf, 0
    for k in range(count):
        value = sign * (corners[k, 0] * v[0] + corners[k, 1] * v[1] + corners[k, 2] * v[2])
        if value > best:
            best, found = value, k
    return found


def _known(simplex: Any, size: int, w: Vec) -> bool:
    """Whether a difference is a corner of the simplex already."""
    for k in range(size):
        if simplex[k, 0] == w[0] and simplex[k, 1] == w[1] and simplex[k, 2] == w[2]:
            return True
    return False


def _take(simplex: Any, k: int, first: Vec, second: Vec) -> None:
    for i in range(3):
        simplex[k, i] = first[i] - second[i]
        simplex[FIRST + k, i] = first[i]


def _nearest(simplex: Any, size: int) -> Vec:
    """The point of the simplex by its shares."""
    x = y = z = 0.0
    for k in range(size):
        x += simplex[k, _SHARE] * simplex[k, 0]
        y += simplex[k, _SHARE] * simplex[k, 1]
        z += simplex[k, _SHARE] * simplex[k, 2]
    return (x, y, z)


def _fill_place(simplex: Any, size: int) -> None:
    """The nearest point of the first piece, by the shares of the simplex."""
    for k in range(3):
        simplex[PLACE, k] = 0.0
        for i in range(size):
            simplex[PLACE, k] += simplex[i, _SHARE] * simplex[FIRST + i, k]


def _box_gap(boxes: Any, node: int, corners: Any, count: int) -> float:
    """A distance that a piece keeps from a box: along the axes, and towards the box's centre."""
    cx, cy, cz = boxes[node, 0], boxes[node, 1], boxes[node, 2]
    ex, ey, ez = boxes[node, 3], boxes[node, 4], boxes[node, 5]
    lx, ly, lz = corners[0, 0], corners[0, 1], corners[0, 2]
    hx, hy, hz = lx, ly, lz
    for k in range(1, count):
        x, y, z = corners[k, 0], corners[k, 1], corners[k, 2]
        lx, hx = min(lx, x), max(hx, x)
        ly, hy = min(ly, y), max(hy, y)
        lz, hz = min(lz, z), max(hz, z)
    gx = max(lx - cx - ex, cx - ex - hx, 0.0)
    gy = max(ly - cy - ey, cy - ey - hy, 0.0)
    gz = max(lz - cz - ez, cz - ez - hz, 0.0)
    gap = math.sqrt(gx * gx + gy * gy + gz * gz)
    n = (cx - 0.5 * (lx + hx), cy - 0.5 * (ly + hy), cz - 0.5 * (lz + hz))
    length = math.sqrt(dot(n, n))
    if length > 0.0:
        farthest = -math.inf
        for k in range(count):
            reach = n[0] * corners[k, 0] + n[1] * corners[k, 1] + n[2] * corners[k, 2]
            farthest = max(farthest, reach)
        shadow = abs(n[0]) * ex + abs(n[1]) * ey + abs(n[2]) * ez
        gap = max(gap, (n[0] * cx + n[1] * cy + n[2] * cz - shadow - farthest) / length)
    return gap - 1e-13


def _beside_plane(triangle: Any, corners: Any, count: int) -> float:
    """A distance that a piece keeps from a triangle's plane; zero where it crosses the plane."""
    p = _corner(triangle, 0)
    normal = cross(minus(_corner(triangle, 1), p), minus(_corner(triangle, 2), p))
    length = math.sqrt(dot(normal, normal))
    if length <= 1e-16:
        return 0.0
    low, high = math.inf, -math.inf
    for k in range(count):
        height = (
            normal[0] * (corners[k, 0] - p[0])
            + normal[1] * (corners[k, 1] - p[1])
            + normal[2] * (corners[k, 2] - p[2])
        )
        low, high = min(low, height), max(high, height)
    return max(low, -high, 0.0) / length * (1.0 - 1e-9)


# ---------------------------------------------------------------------------------------- Simplices
# The point of a simplex that is nearest to zero lies in the simplex of some of its corners; these
# are kept, in front, with their shares. Four that are kept hold zero.


def _reduced(simplex: Any, size: int, square: float) -> int:
    """Keep the corners whose simplex holds the point nearest to zero; their number.

    Args:
        simplex: the corners.
        size: how many.
        square: of the distance from zero of all but the last. [m²]
    """
    if size == 2:
        return _of_segment(simplex)
    if size == 3:
        _triangle_shares(simplex, 0, 1, 2)
        return _compact(simplex, 3)
    return _of_tetrahedron(simplex, square)


def _of_segment(simplex: Any) -> int:
    a, b = _corner(simplex, 0), _corner(simplex, 1)
    u = minus(b, a)
    uu = dot(u, u)
    t = min(max(-dot(a, u) / uu, 0.0), 1.0) if uu > 0.0 else 0.0
    simplex[0, _SHARE], simplex[1, _SHARE] = 1.0 - t, t
    return _compact(simplex, 2)


def _of_tetrahedron(simplex: Any, square: float) -> int:
    """The nearest of the faces that zero lies beyond; all four corners where there is none.

    Which side of a face zero lies on is rounding where the tetrahedron is flat, as it is when the
    last corner lies in the plane of the others: neither that it holds zero nor which face is the
    nearest can be read from the sides then. It holds zero if a point inside is nearer to zero than
    every face is; and the nearest face is no farther than the simplex was before.
    """
    nearest = _take_face(simplex, False)
    if nearest == math.inf:
        _shares_of_zero(simplex)
        inside = _nearest(simplex, 4)
        nearest = _take_face(simplex, True)
        if dot(inside, inside) < _INSIDE * nearest:
            _shares_of_zero(simplex)
            return 4
    elif nearest >= square:
        _take_face(simplex, True)
    return _compact(simplex, 4)


def _take_face(simplex: Any, every: bool) -> float:
    """Shares of the face nearest to zero among those that zero lies beyond, or among all.

    Returns:
        The square of its distance; ``inf`` where zero lies beyond none, and shares stay. [m²]
    """
    best = math.inf
    s0 = s1 = s2 = s3 = 0.0
    for face in range(4):
        i = 1 if face == 0 else 0
        j = 2 if face <= 1 else 1
        k = 3 if face <= 2 else 2
        p = _corner(simplex, i)
        normal = cross(minus(_corner(simplex, j), p), minus(_corner(simplex, k), p))
        opposite = dot(normal, minus(_corner(simplex, face), p))
        here = -dot(normal, p)
        if not every and here * opposite > 0.0:  # zero and the fourth corner are on one side
            continue
        square = _triangle_shares(simplex, i, j, k)
        if square < best:
            best = square
            s0, s1 = simplex[0, _SHARE], simplex[1, _SHARE]
            s2, s3 = simplex[2, _SHARE], simplex[3, _SHARE]
    if best < math.inf:
        simplex[0, _SHARE], simplex[1, _SHARE] = s0, s1
        simplex[2, _SHARE], simplex[3, _SHARE] = s2, s3
    return best


def _shares_of_zero(simplex: Any) -> None:
    """Shares of four corners in zero, which lies in their tetrahedron: volumes across from them."""
    a, b = _corner(simplex, 0), _corner(simplex, 1)
    c, d = _corner(simplex, 2), _corner(simplex, 3)
    across = (
        abs(dot(b, cross(c, d))),
        abs(dot(a, cross(c, d))),
        abs(dot(a, cross(b, d))),
        abs(dot(a, cross(b, c))),
    )
    total = across[0] + across[1] + across[2] + across[3]
    for k in range(4):
        simplex[k, _SHARE] = across[k] / total if total > 0.0 else 0.25


def _triangle_shares(simplex: Any, i: int, j: int, k: int) -> float:
    """Shares of three corners in the point of their triangle nearest to zero; its square."""
    a, b, c = _corner(simplex, i), _corner(simplex, j), _corner(simplex, k)
    ab, ac = minus(b, a), minus(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    d3, d4 = -dot(ab, b), -dot(ac, b)
    d5, d6 = -dot(ab, c), -dot(ac, c)
    vc, vb, va = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    u, v, w = 1.0, 0.0, 0.0
    if d1 <= 0.0 and d2 <= 0.0:
        u, v, w = 1.0, 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        u, v, w = 0.0, 1.0, 0.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / (d1 - d3) if d1 != d3 else 0.0
        u, w = 1.0 - v, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        u, v, w = 0.0, 0.0, 1.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / (d2 - d6) if d2 != d6 else 0.0
        u, v = 1.0 - w, 0.0
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6)) if d4 - d3 + d5 - d6 > 0.0 else 0.0
        u, v = 0.0, 1.0 - w
    else:
        total = va + vb + vc
        v, w = vb / total, vc / total
        u = 1.0 - v - w
    for place in range(4):
        simplex[place, _SHARE] = 0.0
    simplex[i, _SHARE], simplex[j, _SHARE], simplex[k, _SHARE] = u, v, w
    x = u * a[0] + v * b[0] + w * c[0]
    y = u * a[1] + v * b[1] + w * c[1]
    z = u * a[2] + v * b[2] + w * c[2]
    return x * x + y * y + z * z


def _compact(simplex: Any, size: int) -> int:
    """Bring the corners that have a share to the front; their number, three at most."""
    kept = 0
    for k in range(size):
        if simplex[k, _SHARE] > 0.0:
            for i in range(4):
                simplex[kept, i] = simplex[k, i]
                simplex[FIRST + kept, i] = simplex[FIRST + k, i]
            kept += 1
    return kept
