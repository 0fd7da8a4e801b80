"""Exact distances of segments from segments and triangles, for compiled loops.

Squared distances are taken between two computed points wherever an edge or an end is nearest, so
they are never rounded to less than a point of the triangle can give.

Source: own derivation; the cases are those of two convex sets whose nearest points lie in a face,
on an edge or at a corner.
"""

from __future__ import annotations

# Squared sine of a triangle's corner below which it is taken as its three edges: it is narrower
# than 1e-8 of its length then, and its normal is rounding.
NEEDLE = 1e-16
Vec = tuple[float, float, float]


def segment_segment(a: Vec, u: Vec, p: Vec, v: Vec) -> tuple[float, float]:
    """Squared distance of a + [0, 1]·u from p + [0, 1]·v, and the place s on the first."""
    r = minus(a, p)
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    ur, vr = dot(u, r), dot(v, r)
    s, t = 0.0, 0.0
    if uu <= 0.0:
        t = unit_share(vr / vv) if vv > 0.0 else 0.0
    elif vv <= 0.0:
        s = unit_share(-ur / uu)
    else:
        det = uu * vv - uv * uv
        s = unit_share((uv * vr - ur * vv) / det) if det > 0.0 else 0.0
        t = unit_share((uv * s + vr) / vv)
        s = unit_share((uv * t - ur) / uu)
    gap = minus(along(r, u, s), (t * v[0], t * v[1], t * v[2]))
    return dot(gap, gap), s


def within(normal: Vec, corners: tuple[Vec, Vec, Vec], x: Vec) -> bool:
    """Whether the foot of x in a triangle's plane lies in the triangle."""
    p, q, r = corners
    return (
        dot(normal, cross(minus(q, p), minus(x, p))) >= 0.0
        and dot(normal, cross(minus(r, q), minus(x, q))) >= 0.0
        and dot(normal, cross(minus(p, r), minus(x, r))) >= 0.0
    )


def segment_triangle(
    a: Vec, u: Vec, corners: tuple[Vec, Vec, Vec], limit: float
) -> tuple[float, float]:
    """Squared distance of a + [0, 1]·u from a triangle, and the place s on the segment.

    Args:
        a: start of the segment. [m]
        u: from its start to its end. [m]
        corners: of the triangle. [m]
        limit: squared distance from which the answer may be any number that is not less. [m²]
    """
    p, q, r = corners
    e, f = minus(q, p), minus(r, p)
    normal = cross(e, f)
    nn = dot(normal, normal)
    flat = nn > NEEDLE * dot(e, e) * dot(f, f)
    best, place = limit, 0.0
    if flat:
        first = dot(normal, minus(a, p))
        last = first + dot(normal, u)
        low = min(first * first, last * last)
        if first * last > 0.0 and low >= limit * nn:
            return limit, 0.0
        if first * last <= 0.0:
            s = first / (first - last) if first != last else 0.0
            if within(normal, corners, along(a, u, s)):
                return 0.0, s
        if first * first < best * nn and within(normal, corners, a):
            best, place = first * first / nn, 0.0
        if last * last < best * nn and within(normal, corners, along(a, u, 1.0)):
            best, place = last * last / nn, 1.0
    for edge in range(3):
        start = p if edge == 0 else q if edge == 1 else r
        side = e if edge == 0 else minus(r, q) if edge == 1 else minus(p, r)
        square, s = segment_segment(a, u, start, side)
        if square < best:
            best, place = square, s
    return best, place


def point_triangle(x: Vec, corners: tuple[Vec, Vec, Vec]) -> float:
    """Squared distance of a point from a triangle."""
    p, q, r = corners
    e, f, g = minus(q, p), minus(r, p), minus(r, q)
    normal = cross(e, f)
    nn = dot(normal, normal)
    if nn > NEEDLE * dot(e, e) * dot(f, f) and within(normal, corners, x):
        height = dot(normal, minus(x, p))
        return height * height / nn
    return min(point_segment(x, p, e), point_segment(x, p, f), point_segment(x, q, g))


def point_segment(x: Vec, p: Vec, v: Vec) -> float:
    """Squared distance of a point from p + [0, 1]·v."""
    r, vv = minus(x, p), dot(v, v)
    t = unit_share(dot(r, v) / vv) if vv > 0.0 else 0.0
    gap = along(r, v, -t)
    return dot(gap, gap)


def minus(a: Vec, b: Vec) -> Vec:
    """Difference."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a: Vec, b: Vec) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec, b: Vec) -> Vec:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def along(a: Vec, u: Vec, s: float) -> Vec:
    """The point a + s·u."""
    return (a[0] + s * u[0], a[1] + s * u[1], a[2] + s * u[2])


def unit_share(value: float) -> float:
    """The value, held between 0 and 1."""
    return min(max(value, 0.0), 1.0)
