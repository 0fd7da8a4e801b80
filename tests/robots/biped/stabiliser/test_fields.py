"""Virtual fields: the thesis's walls, equilibria, potentials, polygons of three to eight edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from robots.biped.errors import BipedError, PostureError
from robots.biped.posture.ground import R_WORLD_SOURCE, Ground
from robots.biped.stabiliser.fields import Fields, PolygonFields

RECTANGLE = np.array([[0.17, -0.09], [0.17, 0.09], [-0.12, 0.09], [-0.12, -0.09]])


def regular(edges: int, turn: float = 0.1) -> np.ndarray:
    angles = turn + 2.0 * np.pi * np.arange(edges) / edges
    return 0.1 * np.stack([np.cos(angles), np.sin(angles)], axis=1) + [0.02, -0.01]


def inside(corners: np.ndarray, weights: list[float]) -> np.ndarray:
    """A point well inside: a mean of the corners."""
    shares = 0.2 + np.array(weights[: len(corners)])
    return shares @ corners / shares.sum()


@given(st.floats(-0.3, 0.3), st.floats(-0.4, 0.4))
def test_distances_are_those_of_the_thesis(alpha, beta):
    """[GASTEBOIS17] eq. (71), its foot a rectangle: half-width a, front b, back c; Z = 0 here."""
    a, b, c, place = 0.09, 0.17, 0.12, np.array([0.5, 0.01, 0.02])  # the source's x up, y, z
    # The source's β is about its -y, and its corners lie at -cβ·(Z ∓ …) along z.
    sole = np.array([[b, -a, 0.0], [b, a, 0.0], [-c, a, 0.0], [-c, -a, 0.0]])
    corners = (sole @ Ground(alpha=alpha, beta=beta).rotation.T)[:, :2]
    found = PolygonFields(corners, Fields()).distances((R_WORLD_SOURCE @ place)[:2])
    _, y, z = place
    ca, sa, cb, sb = np.cos(alpha), np.sin(alpha), np.cos(beta), np.sin(beta)
    size = np.hypot(cb, sa * sb)
    front, back = cb * b - z, z + cb * c
    aside = cb * y + sa * sb * z
    left, right = (a * ca * cb + aside) / size, (a * ca * cb - aside) / size
    np.testing.assert_allclose(found, [front, left, back, right], atol=1e-15)


@given(st.floats(0.002, 0.2), st.floats(0.002, 0.2))
def test_opposite_walls_settle_at_the_root_of_their_gains(k1, k2):
    """Δ1/Δ2 = √(k1/k2): the softening leaves the law of the sources as it is beyond ε."""
    fields = PolygonFields(RECTANGLE, Fields(repulsion=(k1, 0.01, k2, 0.01), softening=1e-3))
    x = brentq(lambda x: fields.force(np.array([x, 0.0]))[0], -0.119, 0.169, xtol=1e-14)
    front, _, back, _ = fields.distances(np.array([x, 0.0]))
    assert front / back == pytest.approx(np.sqrt(k1 / k2), rel=1e-4)


@given(st.integers(3, 8), st.lists(st.floats(0.0, 1.0), min_size=8, max_size=8))
def test_the_force_is_the_slope_of_a_potential(edges, weights):
    fields = PolygonFields(regular(edges), Fields(attraction=0.01))
    p, h = inside(regular(edges), weights), 1e-5
    slope = [
        (fields.potential(p + step) - fields.potential(p - step)) / (2.0 * h)
        for step in h * np.eye(2)
    ]
    # Central differences of k/Δ with Δ ≥ 5 mm: h²·6k/Δ⁴ is 2e-2 N where the force is 800 N.
    np.testing.assert_allclose(fields.force(p), -np.array(slope), rtol=1e-3, atol=1e-3)


@given(st.integers(3, 8), st.lists(st.floats(0.0, 1.0), min_size=8, max_size=8))
def test_the_field_has_no_curl(edges, weights):
    fields = PolygonFields(regular(edges), Fields(attraction=0.01, softening=1e-4))
    p, h = inside(regular(edges), weights), 1e-6
    x, y = np.eye(2) * h
    by_x = (fields.force(p + x)[1] - fields.force(p - x)[1]) / (2.0 * h)
    by_y = (fields.force(p + y)[0] - fields.force(p - y)[0]) / (2.0 * h)
    # A field of this strength changes over centimetres; differences lose ten digits of sixteen.
    assert abs(by_x - by_y) <= 1e-6 * np.linalg.norm(fields.force(p)) / 0.01 + 1e-6


@pytest.mark.parametrize("edges", range(3, 9))
def test_a_regular_polygon_pushes_to_its_middle(edges):
    fields = PolygonFields(regular(edges), Fields())
    np.testing.assert_allclose(fields.force(np.array([0.02, -0.01])), 0.0, atol=1e-12)
    for corner in regular(edges):
        p = np.array([0.02, -0.01]) + 0.5 * (corner - [0.02, -0.01])
        assert fields.force(p) @ (p - [0.02, -0.01]) < 0.0


def test_forces_stay_finite_at_walls_and_at_the_attractor():
    fields = PolygonFields(RECTANGLE, Fields(repulsion=0.02, softening=0.005, attraction=1.0))
    near = fields.force(np.array([0.17 - 1e-12, 0.0]))
    assert near[0] == pytest.approx(-0.02 / 0.005**2, rel=0.2)
    still = Fields(repulsion=1e-9, attraction=1.0, target=(0.03, 0.02))
    target = PolygonFields(RECTANGLE, still)
    np.testing.assert_allclose(target.force(np.array([0.03, 0.02])), 0.0, atol=1e-6)
    assert target.force(np.array([-0.07, 0.02]))[0] == pytest.approx(1.0 / 0.1**2, rel=1e-6)


def test_outside_there_is_no_force_but_a_fall():
    fields = PolygonFields(RECTANGLE, Fields())
    with pytest.raises(PostureError, match=r"10\.0 mm outside edge 0 .* has fallen") as caught:
        fields.force(np.array([0.18, 0.0]))
    assert caught.value.facts["value"] == pytest.approx(-0.01)
    with pytest.raises(PostureError):
        fields.potential(np.array([0.0, -0.2]))
    with pytest.raises(PostureError):
        fields.force(np.array([np.nan, 0.0]))


def test_bad_polygons_and_gains_are_refused():
    with pytest.raises(BipedError, match="counter-clockwise"):
        PolygonFields(RECTANGLE[::-1], Fields())
    with pytest.raises(BipedError, match="turn at corner 2 is to the right"):
        PolygonFields([[0, 0], [1, 0], [0.4, 0.4], [0, 1]], Fields())
    with pytest.raises(BipedError, match="2 gains for 4 walls"):
        PolygonFields(RECTANGLE, Fields(repulsion=(1.0, 2.0)))
    with pytest.raises(BipedError, match="softening is 0; it must be finite and above zero"):
        Fields(softening=0.0)
    with pytest.raises(BipedError, match="attraction is -1; it must be finite and zero or more"):
        Fields(attraction=-1.0)
    with pytest.raises(BipedError, match="repulsion is nan"):
        Fields(repulsion=float("nan"))
