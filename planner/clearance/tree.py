"""A binary tree of boxes over triangles: built, and searched by compiled loops."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.clearance.segments import Vec, cross, dot, minus, segment_triangle, unit_share

DEPTH = 64  # entries of a stack; a tree is never deeper
EDGE = 1e-10  # share of a triangle's area, within which a ray is too near an edge to tell the side


class Tree(NamedTuple):
    """The arrays of a ``TriangleTree`` that a search reads.

    Args:
        boxes: centre and half size. # (2·leaves - 1, 6) [m]
        corners: of the sorted triangles. # (n, 9) [m]
    """

    boxes: NDArray[np.float64]
    corners: NDArray[np.float64]


class Stack(NamedTuple):
    """Work of one search.

    Args:
        nodes: boxes to look into. # (DEPTH,)
        gaps: squared distances that they are no nearer than. # (DEPTH,) [m²]
    """

    nodes: NDArray[np.int64]
    gaps: NDArray[np.float64]


class Left(NamedTuple):
    """Triangles that a search leaves out: those whose stamp is this one; none for -1.

    Args:
        stamps: of the sorted triangles. # (n,)
        stamp: of those left out.
    """

    stamps: NDArray[np.int64]
    stamp: int


def corners_of(corners: Any, item: int) -> tuple[Vec, Vec, Vec]:
    """The corners of one sorted triangle."""
    return (
        (corners[item, 0], corners[item, 1], corners[item, 2]),
        (corners[item, 3], corners[item, 4], corners[item, 5]),
        (corners[item, 6], corners[item, 7], corners[item, 8]),
    )


def box_gap(boxes: Any, node: int, a: Vec, u: Vec, inverse: float) -> float:
    """A lower bound of the squared distance of a + [0, 1]·u from a box.

    The greater of two: the gap of the box from the segment's own box; and along the line from the
    box's centre to the point of the segment that is nearest to the centre, the whole segment
    lying beyond that point and the box within its half sizes' shadow.
    """
    w = (boxes[node, 0] - a[0], boxes[node, 1] - a[1], boxes[node, 2] - a[2])
    ex, ey, ez = boxes[node, 3], boxes[node, 4], boxes[node, 5]
    gx = max(abs(w[0] - 0.5 * u[0]) - 0.5 * abs(u[0]) - ex, 0.0)
    gy = max(abs(w[1] - 0.5 * u[1]) - 0.5 * abs(u[1]) - ey, 0.0)
    gz = max(abs(w[2] - 0.5 * u[2]) - 0.5 * abs(u[2]) - ez, 0.0)
    gap = gx * gx + gy * gy + gz * gz
    t = unit_share(dot(w, u) * inverse)
    dx, dy, dz = t * u[0] - w[0], t * u[1] - w[1], t * u[2] - w[2]
    square = dx * dx + dy * dy + dz * dz
    beyond = square - abs(dx) * ex - abs(dy) * ey - abs(dz) * ez
    if beyond > 0.0 and beyond * beyond > gap * square:
        gap = beyond * beyond / square
    return float(gap * (1.0 - 1e-13))


def search(
    tree: Tree, segment: tuple[Vec, Vec], reach: tuple[float, float], left: Left, stack: Stack
) -> tuple[float, int]:
    """The triangle nearest to a segment.

    Args:
        tree: of the triangles.
        segment: start, and vector to the end. [m]
        reach: squared distance under which a triangle counts, and under which one is near enough
            to look no further. [m²]
        left: triangles that do not count.
        stack: work.

    Returns:
        Squared distance and sorted triangle; the first of ``reach`` and -1 when none counts.
    """
    boxes, corners = tree.boxes, tree.corners
    nodes, gaps = stack.nodes, stack.gaps
    a, u = segment
    uu = dot(u, u)
    inverse = 1.0 / uu if uu > 0.0 else 0.0
    leaves = (len(boxes) + 1) // 2
    best, found, top = reach[0], -1, 0
    nodes[0], gaps[0] = 0, box_gap(boxes, 0, a, u, inverse)
    while top >= 0:
        node, gap = nodes[top], gaps[top]
        top -= 1
        if gap >= best:
            continue
        if node < leaves - 1:
            near, far = 2 * node + 1, 2 * node + 2
            near_gap = box_gap(boxes, near, a, u, inverse)
            far_gap = box_gap(boxes, far, a, u, inverse)
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
            leaf_start(leaf, leaves, len(corners)), leaf_start(leaf + 1, leaves, len(corners))
        ):
            if left.stamp >= 0 and left.stamps[item] == left.stamp:
                continue
            square, _ = segment_triangle(a, u, corners_of(corners, item), best)
            if square < best:
                best, found = square, item
                if best < reach[1]:
                    return best, found
    return best, found


def ray_meets(boxes: Any, node: int, x: Vec, direction: Vec) -> bool:
    """Whether a ray may meet a box."""
    enter, leave = 0.0, 1e300
    for k in range(3):
        offset, half = boxes[node, k] - x[k], boxes[node, k + 3]
        near, far = (offset - half) / direction[k], (offset + half) / direction[k]
        enter, leave = max(enter, min(near, far)), min(leave, max(near, far))
    return enter <= leave * (1.0 + 1e-12) + 1e-12


def count_crossings(
    tree: Tree, ray: tuple[Vec, Vec], owners: Any, counts: Any, stack: Stack
) -> bool:
    """Count how often a ray leaves and enters each solid.

    Args:
        tree: of the triangles.
        ray: start, and a direction without a component of zero. [m]
        owners: solid of every sorted triangle. # (n,)
        counts: filled: crossings signed by the side, crossings; a last row of zeros.
            # (solids + 1, 2)
        stack: work.

    Returns:
        Whether every crossing was clear of the triangles' edges.
    """
    boxes, corners = tree.boxes, tree.corners
    nodes = stack.nodes
    leaves = (len(boxes) + 1) // 2
    for solid in range(len(counts) - 1):  # set to 0 it would be a call that a loop cannot make
        counts[solid, 0] = counts[solid, 1] = counts[len(counts) - 1, 0]
    nodes[0], top, sure = 0, 0, True
    while top >= 0:
        node = nodes[top]
        top -= 1
        if not ray_meets(boxes, node, ray[0], ray[1]):
            continue
        if node < leaves - 1:
            nodes[top + 1], nodes[top + 2] = 2 * node + 1, 2 * node + 2
            top += 2
            continue
        leaf = node - leaves + 1
        for item in range(
            leaf_start(leaf, leaves, len(corners)), leaf_start(leaf + 1, leaves, len(corners))
        ):
            side = crossing(corners_of(corners, item), ray)
            if side == 2:
                sure = False
            elif side != 0:
                counts[owners[item], 0] += side
                counts[owners[item], 1] += 1
    return sure


def crossing(corners: tuple[Vec, Vec, Vec], ray: tuple[Vec, Vec]) -> int:
    """+1 or -1 by the side from which a ray crosses a triangle, 0 where not, 2 where unsure."""
    x, direction = ray
    p, q, r = minus(corners[0], x), minus(corners[1], x), minus(corners[2], x)
    a = dot(direction, cross(p, q))
    b = dot(direction, cross(q, r))
    c = dot(direction, cross(r, p))
    e, f = minus(q, p), minus(r, p)
    normal = cross(e, f)
    scale = EDGE * (dot(e, e) + dot(f, f)) + 1e-15 * (dot(p, p) + dot(q, q) + dot(r, r))
    if min(a, b, c) < -scale and max(a, b, c) > scale:
        return 0
    total = a + b + c
    height = dot(normal, p) * total  # the sign tells whether the plane lies before the ray
    if abs(a) <= scale or abs(b) <= scale or abs(c) <= scale:
        return 2
    if height < 0.0:
        return 0
    return 1 if total > 0.0 else -1


# -------------------------------------------------------------------------------------- Tree build
# The tree is complete and needs no pointers: the boxes under box i are 2i + 1 and 2i + 2, and leaf
# l of 2^k holds the sorted triangles from l·n/2^k to (l + 1)·n/2^k.


def leaf_start(leaf: int, leaves: int, count: int) -> int:
    """First sorted triangle of a leaf."""
    return leaf * count // leaves


def build_tree(centres: Any, extents: Any, order: Any, boxes: Any) -> None:
    """Sort triangles and box them.

    Args:
        centres: of the triangles' boxes. # (n, 3) [m]
        extents: half sizes of the triangles' boxes. # (n, 3) [m]
        order: triangles; sorted in place. # (n,)
        boxes: filled: centre, half size. # (2·leaves - 1, 6) [m]
    """
    leaves, count = (len(boxes) + 1) // 2, len(order)
    width = leaves
    first = 0
    while width > 1:  # ``width`` leaves lie under each box of this level
        for k in range(leaves // width):
            start = leaf_start(k * width, leaves, count)
            end = leaf_start((k + 1) * width, leaves, count)
            middle = leaf_start(k * width + width // 2, leaves, count)
            _split(centres, order, (start, middle, end))
        first = 2 * first + 1
        width //= 2
    for leaf in range(leaves):
        start, end = leaf_start(leaf, leaves, count), leaf_start(leaf + 1, leaves, count)
        _box(centres, extents, order, (start, end), boxes[first + leaf])
    for node in range(first - 1, -1, -1):
        _join(boxes[2 * node + 1], boxes[2 * node + 2], boxes[node])


def _split(centres: Any, order: Any, span: tuple[int, int, int]) -> None:
    """Put the lesser triangles along the longest side before the middle."""
    start, middle, end = span
    axis, longest = 0, -1.0
    for k in range(3):
        low = high = centres[order[start], k]
        for i in range(start + 1, end):
            value = centres[order[i], k]
            low, high = min(low, value), max(high, value)
        if high - low > longest:
            axis, longest = k, high - low
    low_end, high_end = start, end - 1
    while low_end < high_end:  # Hoare's selection
        pivot = centres[order[(low_end + high_end) // 2], axis]
        i, j = low_end, high_end
        while i <= j:
            while centres[order[i], axis] < pivot:
                i += 1
            while centres[order[j], axis] > pivot:
                j -= 1
            if i <= j:
                kept = order[i]
                order[i] = order[j]
                order[j] = kept
                i += 1
                j -= 1
        if middle <= j:
            high_end = j
        elif middle >= i:
            low_end = i
        else:
            break


def _box(centres: Any, extents: Any, order: Any, span: tuple[int, int], box: Any) -> None:
    start, end = span
    for k in range(3):
        low = centres[order[start], k] - extents[order[start], k]
        high = centres[order[start], k] + extents[order[start], k]
        for i in range(start + 1, end):
            low = min(low, centres[order[i], k] - extents[order[i], k])
            high = max(high, centres[order[i], k] + extents[order[i], k])
        _side(low, high, k, box)


def _join(left: Any, right: Any, box: Any) -> None:
    for k in range(3):
        low = min(left[k] - left[k + 3], right[k] - right[k + 3])
        high = max(left[k] + left[k + 3], right[k] + right[k + 3])
        _side(low, high, k, box)


def _side(low: float, high: float, k: int, box: Any) -> None:
    """One side of a box, a hair too wide so that rounding leaves nothing out."""
    box[k] = 0.5 * (low + high)
    box[k + 3] = 0.5 * (high - low) * (1.0 + 1e-14) + 1e-15 * (abs(low) + abs(high))
