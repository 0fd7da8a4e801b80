"""Surfaces: closed forms, the law that a projection is the closest point, motion, edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from parts.errors import PartError
from parts.geometry import Cone, Cylinder, Plane, Sphere, Torus
from parts.geometry.surfaces import across
from tests.cases import cases

AXIS = Rotation.from_euler("xyz", [0.3, -0.8, 0.1]).as_matrix() @ [0.0, 0.0, 1.0]
POINT = np.array([0.3, -0.2, 0.7])
SURFACES = [
    Plane(point=POINT, axis=AXIS),
    Cylinder(point=POINT, axis=AXIS, radius=0.25),
    Cylinder(point=POINT, axis=AXIS, radius=0.25, reversed=True),
    Cone(apex=POINT, axis=AXIS, half_angle=0.6),
    Cone(apex=POINT, axis=AXIS, half_angle=0.6, reversed=True),
    Sphere(centre=POINT, radius=0.4),
    Sphere(centre=POINT, radius=0.4, reversed=True),
    Torus(centre=POINT, axis=AXIS, major_radius=0.5, minor_radius=0.1),
]
IDS = [f"{s.kind}{'-reversed' * s.reversed}" for s in SURFACES]
EPS = 4e-16  # coordinates are below 4 m, so rounding is some units of this

queries = st.lists(st.tuples(*[st.floats(-2.0, 2.0, width=32)] * 3), min_size=1, max_size=20).map(
    np.array
)
every = pytest.mark.parametrize("surface", SURFACES, ids=IDS)


@every
@given(q=queries)
@settings(max_examples=cases(gate=10, soak=40), deadline=None, derandomize=True)
def test_a_projection_is_on_the_surface_and_stays(surface, q):
    feet = surface.project(q)
    assert np.abs(surface.distance(feet)).max() < 10 * EPS
    assert np.abs(surface.project(feet) - feet).max() < 20 * EPS


@every
@given(q=queries)
@settings(max_examples=cases(gate=10, soak=40), deadline=None, derandomize=True)
def test_distance_is_that_of_the_projection_and_its_sign_that_of_the_normal(surface, q):
    feet, normals = surface.project(q), surface.normal(q)
    gap, distance = q - feet, surface.distance(q)
    assert np.linalg.norm(gap, axis=1) == pytest.approx(np.abs(distance), abs=10 * EPS)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0, abs=4 * EPS)
    if surface.kind != "cone":  # beyond the apex of a cone the gap is not along the normal
        assert np.abs(gap - distance[:, None] * normals).max() < 10 * EPS


@every
def test_no_other_point_of_the_surface_is_nearer(surface):
    """Oracle: SciPy minimises the distance to points that are pulled onto the surface."""
    rng = np.random.default_rng(5)
    for q in rng.uniform(-1.0, 1.5, size=(cases(gate=2, soak=5), 3)):
        starts = surface.project(q + rng.normal(scale=0.3, size=(6, 3)))
        least = min(
            minimize(
                lambda p, q=q: np.linalg.norm(surface.project(p[None])[0] - q), start, tol=1e-12
            ).fun
            for start in starts
        )
        assert abs(surface.distance(q[None])[0]) <= least + 1e-9  # what a minimiser resolves


@every
def test_the_normal_is_the_gradient_of_the_distance(surface):
    q = POINT + np.random.default_rng(6).normal(scale=0.3, size=(50, 3))
    if surface.kind == "cone":
        q = q[np.abs((q - POINT) @ AXIS) > 0.1]
        q = q[(q - surface.apex) @ AXIS > 0.0]
    h = 1e-5
    steps = h * np.eye(3)
    gradient = np.stack(
        [(surface.distance(q + s) - surface.distance(q - s)) / (2 * h) for s in steps]
    )
    # error of central differences: h² times a third derivative, up to 1/r² near the axis
    near_axis = np.linalg.norm(np.cross(q - POINT, AXIS), axis=1) < 0.05
    assert np.abs(gradient.T - surface.normal(q))[~near_axis].max() < 1e-6


@every
def test_a_motion_carries_all_answers_along(surface):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("zyx", [1.0, 0.2, -0.7]).as_matrix()
    T[:3, 3] = [0.1, 0.9, -0.4]
    q = np.random.default_rng(7).normal(size=(30, 3))
    there = q @ T[:3, :3].T + T[:3, 3]
    moved = surface.moved(T)
    assert moved.reversed == surface.reversed
    assert moved.distance(there) == pytest.approx(surface.distance(q), abs=1e-14)
    assert np.abs(moved.normal(there) - surface.normal(q) @ T[:3, :3].T).max() < 1e-12


def test_closed_forms():
    z = [0.0, 0.0, 1.0]
    q = [[3.0, 4.0, 2.0]]
    assert Cylinder(point=[0, 0, 9], axis=z, radius=2.0).project(q)[0] == pytest.approx(
        [1.2, 1.6, 2]
    )
    assert Sphere(centre=[0, 0, 2], radius=10.0).distance(q)[0] == pytest.approx(-5.0)
    torus = Torus(centre=[0, 0, 0], axis=z, major_radius=5.0, minor_radius=1.0)
    assert torus.project(q)[0] == pytest.approx([3, 4, 1])
    cone = Cone(apex=[0, 0, 0], axis=z, half_angle=np.pi / 4)
    assert cone.distance([[2.0, 0.0, 0.0]])[0] == pytest.approx(np.sqrt(2.0))
    assert cone.distance([[0.0, 0.0, -3.0]])[0] == pytest.approx(3.0)  # sees only the apex
    assert cone.project([[1.0, 0.0, -3.0]])[0] == pytest.approx([0, 0, 0])


def test_on_an_axis_some_direction_is_taken_always_the_same():
    for surface in SURFACES[1:]:
        on_axis = np.tile(POINT, (2, 1))
        feet = surface.project(on_axis)
        assert np.array_equal(feet[0], feet[1])
        assert np.abs(surface.distance(feet)).max() < 10 * EPS
        assert np.linalg.norm(surface.normal(on_axis), axis=1) == pytest.approx(1.0)


def test_normals_stay_exact_far_along_the_axis():
    cylinder = Cylinder(point=POINT, axis=AXIS, radius=0.25)
    normals = cylinder.normal(POINT + 1000.0 * AXIS + np.array([[0.3, 0.1, 0.0]]))
    assert abs(normals[0] @ AXIS) < 1e-15


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Plane(point=[0, 0, np.nan], axis=[0, 0, 1]), "three finite numbers"),
        (lambda: Plane(point=[0, 0, 0], axis=[0, 0, 2]), "has length 2; expected a unit vector"),
        (lambda: Cylinder(point=[0, 0, 0], axis=[0, 0, 1], radius=0.0), "above zero"),
        (lambda: Sphere(centre=[0, 0, 0], radius=-1.0), "above zero"),
        (lambda: Cone(apex=[0, 0, 0], axis=[0, 0, 1], half_angle=1.6), "below π/2"),
        (lambda: SURFACES[0].project([[0, 0]]), "shape (1, 2); expected (k, 3)"),
        (lambda: SURFACES[0].project([[0, 0, 0], [0, np.inf, 0]]), "Point 1"),
        (lambda: SURFACES[1].moved(np.diag([2.0, 2.0, 2.0, 1.0])), "not a rotation"),
    ],
)
def test_what_cannot_be_is_refused(make, told):
    with pytest.raises(PartError) as caught:
        make()
    assert told in str(caught.value)


def test_no_query_gives_no_answer():
    for surface in SURFACES:
        assert surface.project(np.zeros((0, 3))).shape == (0, 3)
        assert surface.distance(np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize("axis", [(1, 1, 1), (1, -1, -1), (0, 0, 1), (0, -1, 1), (1, 2, 1)])
def test_a_direction_has_nearly_the_same_one_across_it_as_those_beside_it(axis):
    """Middles of a ball's corner in a mesh are off by 2 mrad: its layout must not turn by 120°."""
    exact = np.array(axis) / np.linalg.norm(axis)
    for off in np.random.default_rng(7).uniform(-2e-3, 2e-3, size=(20, 3)):
        near = (exact + off) / np.linalg.norm(exact + off)
        assert abs(across(near) @ near) < 1e-15
        assert np.linalg.norm(across(near) - across(exact)) < 6e-3
