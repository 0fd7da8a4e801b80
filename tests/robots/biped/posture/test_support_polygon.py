"""The support polygon: the thesis's points (50)-(51) and walls (57)-(71), names, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.biped.errors import BipedError
from robots.biped.posture.ground import R_WORLD_SOURCE, Ground
from robots.biped.posture.support_polygon import SupportPolygon

angles = st.floats(-1.0, 1.0)
A, B, C = 0.07, 0.17, 0.12  # half-width, ankle to toe, ankle to heel [m]
Z = (B - C) / 2  # the thesis's world stands at the middle of the foot


def thesis_points(alpha: float, beta: float) -> np.ndarray:
    """A*, B*, C*, D*: eqs. (50)-(51), source axes."""
    ca, sa, cb, sb = np.cos(alpha), np.sin(alpha), np.cos(beta), np.sin(beta)
    rows = [(A, Z - B), (A, Z + C), (-A, Z + C), (-A, Z - B)]
    return np.array([[0.0, ca * a + sa * sb * z, -cb * z] for a, z in rows])


def rectangular_foot(alpha: float, beta: float) -> SupportPolygon:
    """The same foot on our ground."""
    level = [[x, y, 0.0] for x in (B - Z, -C - Z) for y in (A, -A)]
    return SupportPolygon.of(np.array(level) @ Ground(alpha=alpha, beta=beta).rotation.T)


@given(angles, angles)
def test_corners_are_the_thesis_s(alpha, beta):
    ours = rectangular_foot(alpha, beta).corners
    theirs = (thesis_points(alpha, beta) @ R_WORLD_SOURCE.T)[:, :2]
    for corner in theirs:
        assert np.min(np.linalg.norm(ours - corner, axis=1)) < 1e-15
    assert len(ours) == 4


@given(angles, angles, st.tuples(*[st.floats(-0.5, 0.5)] * 3))
def test_walls_are_the_thesis_s(alpha, beta, point):
    """Distances (71) from the planes (69), the sign kept that (70) takes away."""
    _, y, z = point
    ca, sa, cb, sb = np.cos(alpha), np.sin(alpha), np.cos(beta), np.sin(beta)
    slant = np.hypot(cb, sa * sb)
    side = cb * y + sa * sb * z
    walls = [
        -(z + cb * (Z - B)),
        z + cb * (Z + C),
        (side + A * ca * cb) / slant,
        (A * ca * cb - side) / slant,
    ]
    ours = rectangular_foot(alpha, beta).inward_distances(R_WORLD_SOURCE @ point)
    np.testing.assert_allclose(np.sort(ours), np.sort(walls), atol=1e-14)


def test_erratum_plane_one_has_c_beta():
    """(59) is printed with c_R; P1 passes through A* and D* only with c_beta."""
    for corner in thesis_points(0.3, 0.4)[[0, 3]]:
        assert corner[2] + np.cos(0.4) * (Z - B) == pytest.approx(0.0, abs=1e-16)


@given(angles, angles)
def test_projected_area_is_the_foot_s_times_the_cosine_of_the_tilt(alpha, beta):
    cosine = Ground(alpha=alpha, beta=beta).normal[2]
    assert rectangular_foot(alpha, beta).area == pytest.approx(2 * A * (B + C) * cosine)


def test_one_foot_has_names_and_two_beside_each_other_too():
    foot = np.array([[-0.12, -0.06], [0.17, -0.09], [0.17, 0.09], [-0.12, 0.06]])
    single = SupportPolygon.of(foot)
    named = [single.nearest_edge_name(p) for p in ([0.2, 0], [-0.2, 0], [0, 0.2], [0, -0.2])]
    assert named == ["toe", "heel", "left", "right"]
    shift = np.array([0.0, 0.11])
    both = SupportPolygon.of(np.concatenate([foot + shift, foot - shift]))
    assert set(both.edge_names) == {"toe", "heel", "left", "right"}
    assert both.nearest_edge_name([0.2, 0.0]) == "toe"


def test_names_follow_the_heading():
    foot = np.array([[-0.12, -0.06], [0.17, -0.09], [0.17, 0.09], [-0.12, 0.06]])
    turned = SupportPolygon.of(foot[:, ::-1] * [-1, 1], heading=(0.0, 2.0))
    assert turned.nearest_edge_name([0.0, 0.2]) == "toe"
    assert turned.nearest_edge_name([-0.2, 0.0]) == "left"


def test_feet_in_stride_have_numbered_edges():
    foot = np.array([[-0.12, -0.06], [0.17, -0.09], [0.17, 0.09], [-0.12, 0.06]])
    shift = np.array([0.1, 0.11])
    stride = SupportPolygon.of(np.concatenate([foot + shift, foot - shift]))
    assert stride.edge_names == tuple(f"edge {k}" for k in range(1, len(stride.corners) + 1))


def test_heights_do_not_count_and_batches_keep_their_shape():
    foot = rectangular_foot(0.0, 0.0)
    assert foot.signed_margin([0.0, 0.0]) == foot.signed_margin([0.0, 0.0, 5.0])
    assert foot.signed_margin(np.zeros((2, 7, 3))).shape == (2, 7)
    assert foot.reach([0.0, 0.0, 1.0], (5.0, 0.0)) == pytest.approx(B - Z)


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0], [0, 1], [1, 1], [1, 0]],  # clockwise
        [[0, 0], [1, 0], [0.4, 0.4], [0, 1]],  # a notch
        np.array([[np.cos(t), np.sin(t)] for t in np.arange(5) * 0.8 * np.pi]),  # a star
    ],
)
def test_what_is_not_convex_and_counter_clockwise_is_refused(corners):
    with pytest.raises(BipedError, match="not strictly convex and counter-clockwise"):
        SupportPolygon(corners=np.array(corners, float), edge_names=("a",) * len(corners))


def test_other_refusals():
    triangle = np.array([[0.0, 0], [1, 0], [0, 1]])
    with pytest.raises(BipedError, match="3 edges has 2 names"):
        SupportPolygon(corners=triangle, edge_names=("a", "b"))
    polygon = SupportPolygon.of(triangle)
    with pytest.raises(BipedError, match="two or three finite"):
        polygon.signed_margin([np.nan, 0.0])
    with pytest.raises(BipedError, match="not both zero"):
        polygon.reach([0.1, 0.1], (0.0, 0.0))
    with pytest.raises(BipedError, match="lie on one line"):
        SupportPolygon.of([[0, 0, 0], [1, 0, 3], [2, 0, 0]])
    with pytest.raises(ValueError, match="read-only"):
        polygon.corners[0, 0] = 1.0
