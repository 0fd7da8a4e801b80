"""Best fit to a surface: known poses, noise, surfaces that slide on themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from parts.alignment.alignment import inverse, move_points, pose_of
from parts.alignment.best_fit import best_fit_surface, nearest_on, nearest_on_surface
from parts.alignment.refinement import Contacts
from parts.errors import AlignmentError
from parts.features.feature import choose_feature
from parts.geometry.surfaces import Plane, Sphere, Torus
from parts.library import open_part
from parts.sampling.sample import AccessLimits, sample
from tests.cases import some


def ellipsoid(points):
    """Signed distance from x²/a² + y²/b² + z²/c² = 1, to first order and exact on it."""
    scale = np.array([1.0, 0.7, 0.45])
    value = np.sum((points / scale) ** 2, axis=1) - 1.0
    gradient = 2 * points / scale**2
    length = np.linalg.norm(gradient, axis=1)
    return Contacts(normals=gradient / length[:, None], residuals=value / length)


def on_ellipsoid(seed, count=60):
    directions = np.random.default_rng(seed).normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return directions * [1.0, 0.7, 0.45]


@pytest.mark.parametrize("seed", some(range(6), gate=3))
def test_a_known_pose_is_found_again(seed, pose):
    T = pose(seed, angle=0.3, shift=0.1)
    found = best_fit_surface(ellipsoid, move_points(T, on_ellipsoid(seed)))
    assert np.abs(found.T_base_part - T).max() < 1e-12
    assert found.rms < 1e-13
    assert found.convergence.strict_minimum
    assert found.convergence.step < 1e-12
    assert found.convergence.iterations < 15


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_left_as_residual_and_the_answer_moves_with_the_points(seed, pose):
    rng = np.random.default_rng(100 + seed)
    seen = on_ellipsoid(seed) + 1e-4 * rng.normal(size=(60, 3))
    G = pose(seed + 3, angle=0.2, shift=0.1)
    first, second = (
        best_fit_surface(ellipsoid, seen),
        best_fit_surface(ellipsoid, move_points(G, seen)),
    )
    assert np.abs(second.T_base_part - G @ first.T_base_part).max() < 1e-8  # flat valley: √eps
    # 60 values less 6 fitted motions: sigma · sqrt(54/60), within its own scatter (4/sqrt(2·54)).
    assert first.rms == pytest.approx(1e-4 * np.sqrt(0.9), rel=0.4)
    for _ in range(5):
        step = pose_of(Rotation.from_rotvec(1e-4 * rng.normal(size=3)).as_matrix(),
                       1e-4 * rng.normal(size=3))  # fmt: skip
        other = ellipsoid(move_points(inverse(step @ first.T_base_part), seen)).residuals
        assert np.sqrt(np.mean(other**2)) > first.rms


def test_surfaces_that_slide_on_themselves_are_refused():
    points = np.random.default_rng(1).normal(size=(30, 3))
    plane = Plane(point=[0, 0, 0.2], axis=[0, 0, 1])
    with pytest.raises(AlignmentError, match=r"slide along .*all directions are parallel"):
        best_fit_surface(nearest_on_surface(plane), plane.project(points))
    ball = Sphere(centre=[0.5, 0, 0], radius=0.3)
    with pytest.raises(AlignmentError) as caught:
        best_fit_surface(nearest_on_surface(ball), ball.project(points))
    free = caught.value.facts["free"]
    assert len(free) == 3
    assert all("through (0.5, 0, 0) m" in motion for motion in free)
    ring = Torus(centre=[0, 0, 0.1], axis=[0, 0, 1], major_radius=0.5, minor_radius=0.1)
    with pytest.raises(AlignmentError, match=r"turn about \(0, 0, 1\) through"):
        best_fit_surface(nearest_on_surface(ring), ring.project(points))


def test_too_few_points():
    with pytest.raises(AlignmentError, match="5 points cannot hold the six motions"):
        best_fit_surface(ellipsoid, np.ones((5, 3)))


def test_a_whole_part_is_found_again(pose):
    """The block's analytic faces: exact distances, so the answer is exact too."""
    block = open_part("block").geometry
    parts = [
        sample(
            choose_feature(block, name), "hammersley", 12, reach=AccessLimits(edge_margin=0.002)
        ).points
        for name in ("top", "left", "front", "hole-20", "cone")
    ]
    points = np.vstack([some.positions for some in parts])
    T = pose(5, angle=0.02, shift=5e-4)
    found = best_fit_surface(nearest_on(block), move_points(T, points))
    assert np.abs(found.T_base_part - T).max() < 1e-12
    assert found.rms < 1e-14
    assert found.convergence.strict_minimum
    assert found.method == "best-fit-surface"
