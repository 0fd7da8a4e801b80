"""What stands behind a face as a stylus sees it, against drawings and against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.clearance.patch import Stand, hidden
from tests.cases import cases

STAND = Stand(
    ball=np.zeros(3), axis=np.array([0.0, 0.0, -1.0]), length=50.0, within=8.0, looked=24.0
)


def quad(a, b, low, high):
    """An upright rectangle over the segment from a to b. # (2, 3, 3)."""
    corners = np.array([[*a, low], [*b, low], [*b, high], [*a, high]], dtype=float)
    return corners[[[0, 1, 2], [0, 2, 3]]]


def triangle(*corners):
    return np.array([corners], dtype=float)


WALL = quad((-2, -9), (-2, 9), 0.0, 20.0)  # 2 from the axis, seen to 77 deg either side


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (triangle((-2, 0, 20), (-9, -4, 20), (-9, 4, 20)), True),  # the top, at its rim
        (triangle((-2, -9, 20), (-2, 9, 20), (-30, 0, 20)), True),  # all of it
        (triangle((-2, 0, 20), (-1.9, 0.1, 20), (-9, 4, 20)), False),  # a little before it
        (triangle((-3, 0, 40), (-9, -4, 45), (-9, 4, 45)), True),  # above, but further back
        (triangle((2, 0, 5), (6, 4, 5), (6, -4, 5)), False),  # on the free side
        (triangle((-4, 1, -3), (4, 1, -3), (0, -4, -3)), False),  # below the ball
        (triangle((-40, 0, 5), (-44, 4, 5), (-44, -4, 5)), False),  # behind, but far away
        (triangle((-5, 7, 5), (-5, 17, 5), (-9, 9, 5)), True),  # seen past the wall, out of reach
        (triangle((-9, 20, 5), (-5, 19, 5), (-9, 21, 5)), True),  # not near; behind all the same
        (triangle((-3, 17, 5), (-1, 19, 5), (-3, 22, 5)), False),  # not near; seen past the wall
    ],
)
def test_beside_a_wall(other, expected):
    assert hidden(WALL, other, STAND)[0] == expected


def test_a_wall_hides_only_with_what_stands_beside_the_shank():
    behind = triangle((-4, 0, 5), (-6, -2, 5), (-6, 2, 5))
    for low, high, expected in ((-30, 3, True), (-30, -1, False), (60, 80, False), (49, 80, True)):
        assert hidden(quad((-2, -9), (-2, 9), low, high), behind, STAND)[0] == expected
    # A face that goes on below the ball, under it, hides with its upper part alone.
    slope = triangle((3, -40, -5), (3, 40, -5), (-7, 0, 5))  # at the ball's height 2 off the axis
    assert hidden(slope, triangle((-6.9, 0, 9), (-8, 1, 9), (-8, -1, 9)), STAND)[0]
    assert not hidden(slope, triangle((1.5, 0, 9), (3, 1, 9), (3, -1, 9)), STAND)[0]


def test_no_face_and_no_others():
    none = np.zeros((0, 3, 3))
    assert hidden(WALL, none, STAND).shape == (0,)
    assert not hidden(none, triangle((-4, 0, 5), (-6, -2, 5), (-6, 2, 5)), STAND)[0]


@settings(deadline=None, max_examples=cases(gate=15, soak=60))
@given(seed=st.integers(0, 10_000), turn=st.floats(0.0, 6.2))
def test_against_rays_of_brute_force(seed, turn):
    """Random triangles round an axis in space that stands anywhere."""
    rng = np.random.default_rng(seed)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R = R * np.sign(np.linalg.det(R))
    face = np.concatenate([quad((-2, -6), (-3, 0), 0, 20), quad((-3, 0), (-2, 9), 0, 20)])
    others = rng.uniform([-9, -9, 0], [9, 9, 30], (12, 1, 3)) + rng.normal(size=(12, 3, 3))
    stand = Stand(ball=R[0] * 3, axis=-R[:, 2], length=50.0, within=8.0, looked=24.0)
    found = hidden(face @ R.T + stand.ball, others @ R.T + stand.ball, stand)
    phi = turn + 2 * np.pi * np.arange(5000) / 5000
    front = np.minimum.reduce([cast(edge, phi) for t in face for edge in edges(t)])
    for k, other in enumerate(others):
        reach = np.minimum.reduce([cast(edge, phi) for edge in edges(other)])
        inside = np.isfinite(reach) & (reach < 1e3)
        gap = np.where(inside, reach - np.minimum(front, 1e6), np.inf)
        limit = 8.0 if reach.min() < 7.99 else 24.0
        deep = (gap < -1e-2) & (reach < limit - 1e-2)  # plainly before it
        if deep.any():
            assert not found[k]
        elif reach.min() > 8.1 or reach.min() < 7.9:  # plainly near or not
            least = np.where(reach < limit + 1e-2, gap, np.inf).min()
            if least > 1e-2 and inside.any() and not around(other):
                assert found[k]


def edges(corners):
    return [(corners[i, :2], corners[(i + 1) % 3, :2]) for i in range(3)]


def cast(edge, phi):
    """Distances at which rays from the origin meet an edge; inf where they do not."""
    (ax, ay), (bx, by) = edge
    c, s = np.cos(phi), np.sin(phi)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (ay * c - ax * s) / ((ay - by) * c - (ax - bx) * s)
        distance = (ax + share * (bx - ax)) * c + (ay + share * (by - ay)) * s
    return np.where((share >= 0) & (share <= 1) & (distance > 0), distance, np.inf)


def around(corners):
    a, b, c = corners[:, :2]
    sides = [p[0] * q[1] - p[1] * q[0] for p, q in ((a, b), (b, c), (c, a))]
    return min(sides) > 0 or max(sides) < 0
