"""Sampling faces: on the surface, off the edges, where the stylus fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.errors import SamplingError
from parts.features.feature import choose_feature, feature_of_numbers
from parts.features.patch import SurfacePoints
from parts.geometry import Face
from parts.library import open_part
from parts.library.artefacts import CHORD
from parts.probe import ProbeHead, Tip
from parts.sampling.layouts import STRATEGIES
from parts.sampling.sample import AccessLimits, sample, stylus_fits
from tests.cases import some

ANALYTIC = ("top", "hole-20", "cone", "front")
LAYOUTS = STRATEGIES[:-1]


@pytest.fixture(scope="module")
def block():
    return open_part("block").geometry


@pytest.fixture(scope="module")
def blade():
    return open_part("blade").geometry


@pytest.mark.parametrize(
    ("face", "strategy"),
    some([(face, strategy) for face in ANALYTIC for strategy in LAYOUTS], gate=3),
)
def test_points_are_on_the_surface_and_off_the_edges(block, face, strategy):
    feature, margin = choose_feature(block, face), 1.5e-3
    found = sample(feature, strategy, 25, reach=AccessLimits(edge_margin=margin))
    points = found.points
    surface = block.face(face).surface
    assert len(points) == 25
    assert np.abs(surface.distance(points.positions)).max() < 1e-15  # required: 1e-9
    assert np.abs(points.normals - surface.normal(points.positions)).max() < 1e-15
    assert feature.rim.distances(points.positions).min() >= margin
    assert set(points.features) == {face}
    assert points.names[:2] == ("P1", "P2")
    assert 0.0 < found.discrepancy < 0.65
    assert np.isfinite(found.design.surface)


def test_true_distance_from_the_edge_of_a_hole(block):
    """By the circles themselves, not their polygons."""
    found = sample(
        choose_feature(block, "top"), "hammersley", 60, reach=AccessLimits(edge_margin=0.002)
    )
    p = found.points.positions
    circles = [((20, 20), 10), ((60, 20), 6), ((20, 60), 15), ((100, 60), 12)]
    for centre, radius in circles:
        gap = np.linalg.norm(p[:, :2] - np.array(centre) / 1e3, axis=1) - radius / 1e3
        assert gap.min() >= 0.002
    assert p[:, 0].min() >= 0.002
    assert p[:, 0].max() <= 0.118
    assert p[:, 1].max() <= 0.078
    assert found.off_surface > 0
    assert 60 <= found.laid_out - found.off_surface <= 62  # none keeps 60: thinned by one or two


def test_hammersley_fills_what_is_left_of_a_face_most_evenly(block):
    feature = choose_feature(block, "top")
    figures = {name: sample(feature, name, 64).discrepancy for name in ("hammersley", "star")}
    assert figures["hammersley"] < 0.11
    assert figures["star"] > 2 * figures["hammersley"]


@pytest.mark.parametrize("strategy", ["hammersley", "stratified-by-curvature"])
def test_freeform(blade, strategy):
    feature = choose_feature(blade, "blade")
    found = sample(feature, strategy, 40, reach=AccessLimits(edge_margin=0.002))
    feet = blade.closest(found.points.positions)
    assert feet.distances.max() < 1e-12  # on the triangles; off the truth by the deflection
    assert np.abs(feet.normals - found.points.normals).max() < 1e-9
    assert found.points.positions[:, 2].min() >= 0.002
    assert found.points.positions[:, 2].max() <= 0.088
    assert found.discrepancy < 0.15


def test_curvature_draws_points_to_the_edges_of_the_blade(blade):
    feature = choose_feature(blade, "blade")

    def at_the_edges(strategy):
        p = sample(feature, strategy, 200).points.positions
        turn, scale = np.radians(35) * p[:, 2] / 0.09, 1 - 0.3 * p[:, 2] / 0.09
        x = (np.cos(turn) * p[:, 0] + np.sin(turn) * p[:, 1]) / scale
        return np.mean(np.abs(x) > 0.45 * CHORD)

    assert at_the_edges("stratified-by-curvature") > 2 * at_the_edges("hammersley")


def test_a_ball_that_is_too_large_for_a_corner_keeps_off(block):
    """Round the cone's foot the top meets it at an angle: a ball touches both."""
    feature = choose_feature(block, "top")
    tip = Tip(ball_radius=0.008)
    free = sample(feature, "hammersley", 150, reach=AccessLimits(geometry=block, tip=tip))
    gap = np.linalg.norm(free.points.positions[:, :2] - [0.100, 0.060], axis=1) - 0.012
    # Ball centre (gap, r) from the foot of the cone, whose flank leans by β = 21.8° from the
    # vertical: gap · cos β + r · sin β = r where it touches.
    lean = np.arctan2(6, 15)
    touching = 0.008 * (1 - np.sin(lean)) / np.cos(lean)
    assert gap.min() >= touching * 0.98
    assert free.not_reached > 0


def test_stylus_in_a_hole(block):
    hole = block.face("hole-12").surface
    points = hole.project(np.array([[0.066, 0.020, 0.020], [0.060, 0.026, 0.005]]))
    walls = SurfacePoints(positions=points, normals=hole.normal(points))
    up = np.array([0.0, 0.0, 1.0])
    small = Tip(ball_radius=0.002, shank_radius=0.0015, length=0.050)
    assert stylus_fits(block, walls, small, up).all()
    # Along the normal the shank must go through the opposite wall.
    assert not stylus_fits(block, walls, small).any()
    assert not stylus_fits(block, walls, Tip(ball_radius=0.007), up).any()
    thick = Tip(ball_radius=0.005, shank_radius=0.004, length=0.050)
    assert stylus_fits(block, walls, thick, up).all()


def test_the_head_stays_clear_of_the_part(block):
    """Upright in a bore, the head stands over its rim: how long must the stylus be?"""
    hole = block.face("hole-12").surface
    top = 0.030
    points = hole.project(np.array([[0.066, 0.020, top - 0.012]]))
    place = SurfacePoints(positions=points, normals=hole.normal(points))
    # The round end of the head may dip into the bore, whose rim is 2 to 10 mm from its axis.
    depth = 0.012 - (0.02 - np.sqrt(0.02**2 - 0.002**2))
    up = np.array([0.0, 0.0, 1.0])

    def fits(length: float, clearance: float = 0.0) -> bool:
        tip = Tip(ball_radius=0.002, shank_radius=0.001, length=length)
        head = ProbeHead(length=0.05, radius=0.02, clearance=clearance)
        return bool(stylus_fits(block, place, tip, up, head=head).all())

    assert fits(depth + 0.001)
    assert not fits(depth - 0.001)
    assert not fits(depth + 0.001, clearance=0.003)
    assert fits(depth + 0.004, clearance=0.003)


def test_a_shank_that_fits_is_clear_all_along(block):
    """Few places prove a whole shank: places that lie as dense as you like agree."""
    rng = np.random.default_rng(3)
    spots = block.mesh.bounds[0] + rng.random((60, 3)) * block.mesh.size
    close = block.closest(spots)
    points = SurfacePoints(positions=close.points, normals=close.normals)
    away = np.array([0.48, 0.36, 0.8])
    tip = Tip(ball_radius=0.002, shank_radius=0.0012, length=0.03)
    fit = stylus_fits(block, points, tip, away)
    along = np.linspace(tip.ball_radius, tip.length, 200)
    centres = points.positions + tip.ball_radius * points.normals
    axis = (centres[:, None] + along[:, None] * away).reshape(-1, 3)
    least = block.closest(axis).distances.reshape(len(centres), -1).min(axis=1)
    ball = block.closest(centres).distances
    slack = 2 * max(face.deflection for face in block.faces) + 0.005 * tip.ball_radius
    assert np.all(least[fit] >= tip.shank_radius - 2 * slack)
    assert np.all(ball[fit] >= tip.ball_radius - 2 * slack)
    assert fit[(least > 1.5 * tip.shank_radius) & (ball >= tip.ball_radius)].all()
    assert 5 < fit.sum() < 55


def test_no_room_is_told_with_the_reasons(block):
    feature = choose_feature(block, "hole-12")
    reach = AccessLimits(geometry=block, tip=Tip(ball_radius=0.007))
    with pytest.raises(SamplingError, match=r"no room for 5 points: .* stylus would touch"):
        sample(feature, "circles", 5, reach=reach)


def test_the_ball_and_features_by_numbers():
    found = sample(feature_of_numbers("sphere:center=0,0,0;diameter=25"), "hammersley", 25)
    assert np.linalg.norm(found.points.positions, axis=1) == pytest.approx(
        np.full(25, 0.0125), abs=1e-17
    )
    assert found.laid_out == 25
    line = sample(feature_of_numbers("line:from=0,0,0;to=90,0,0;normal=0,0,1"), "grid", 3)
    assert line.points.positions[:, 0] == pytest.approx([0.015, 0.045, 0.075])
    artefact = open_part("ball").geometry
    ball = sample(
        choose_feature(artefact, "sphere"), "helix", 30, reach=AccessLimits(edge_margin=0.001)
    )
    assert len(ball.points) == 30


def test_mesh_without_faces(block):
    whole = Face(
        name="mesh", index=0, kind="facets", surface=None, triangles=np.arange(len(block.mesh))
    )
    mesh = replace(block, faces=(whole,), corner_normals=None)
    found = sample(
        choose_feature(mesh, "#0"), "hammersley", 50, reach=AccessLimits(edge_margin=0.001)
    )
    assert mesh.closest(found.points.positions).distances.max() < 1e-14  # barycentric sums
    with pytest.raises(SamplingError, match="no coordinates for a helix"):
        sample(choose_feature(mesh, "#0"), "helix", 50)


def test_faults(block):
    feature = choose_feature(block, "top")
    with pytest.raises(SamplingError, match="0 points are requested; expected 1 to 10000"):
        sample(feature, "grid", 0)
    with pytest.raises(SamplingError, match="edge margin is -1"):
        AccessLimits(edge_margin=-1)
    with pytest.raises(SamplingError, match="plane is not laid out by curvature"):
        sample(feature, "stratified-by-curvature", 5)


def test_same_question_same_answer(block):
    feature = choose_feature(block, "top")
    first, second = (sample(feature, "hammersley", 33).points.positions for _ in range(2))
    assert np.array_equal(first, second)
