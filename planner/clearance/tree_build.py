"""Sorting of triangles into a binary tree of boxes, as compiled loops.

The tree is complete and needs no pointers: the boxes under box i are 2i + 1 and 2i + 2, and leaf l
of 2^k holds the sorted triangles from l·n/2^k to (l + 1)·n/2^k.
"""

from __future__ import annotations

from typing import Any


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
