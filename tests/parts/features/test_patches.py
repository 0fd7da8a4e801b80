"""Patches: closed-form areas, points on the surface, even shares of area, insets."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts.errors import FeatureError
from parts.features.band import swept
from parts.features.feature import feature_of_numbers
from parts.sampling.layouts import PatchShape, lay_out
from tests.cases import cases

SQUARE = PatchShape(width=1.0, height=1.0, round=False)

PHRASES = {
    "plane": "plane:center=10,20,30;normal=1,2,3;size=80,40",
    "disc": "plane:center=0,0,5;normal=0,0,1;diameter=40;hole=10",
    "cylinder": "cylinder:base=1,2,3;axis=0,1,1;diameter=20;height=30;inner",
    "cone": "cone:base=0,0,0;axis=0,0,1;diameter=24;top=12;height=15",
    "cup": "cone:base=0,0,0;axis=1,0,0;diameter=10;top=30;height=20;inner;from-deg=10;sweep-deg=90",
    "sphere": "sphere:center=1,1,1;diameter=25;axis=1,0,1;from-deg=-20;to-deg=90",
    "torus": "torus:center=0,0,9;axis=1,1,0;major=60;minor=15",
    "fillet": "torus:center=0,0,0;axis=0,0,1;major=60;minor=10;from-deg=100;to-deg=170;inner",
    "collar": "torus:center=0,0,0;axis=0,0,1;major=60;minor=10;from-deg=120;to-deg=250;inner",
}
AREAS = {  # [mm²]
    "plane": 80 * 40,
    "disc": np.pi * (20**2 - 5**2),
    "cylinder": np.pi * 20 * 30,
    "cone": np.pi * (12 + 6) * np.hypot(6, 15),
    "cup": np.pi / 4 * (5 + 15) * np.hypot(10, 20),
    "sphere": 2 * np.pi * 12.5 * 12.5 * (1 + np.sin(np.radians(20))),
    "torus": 4 * np.pi**2 * 30 * 7.5,
    "fillet": 2 * np.pi * (30 * 5 * np.radians(70)
                           + 25 * (np.sin(np.radians(170)) - np.sin(np.radians(100)))),
    "collar": 2 * np.pi * (30 * 5 * np.radians(130)
                           + 25 * (np.sin(np.radians(250)) - np.sin(np.radians(120)))),
}  # fmt: skip


def patch(name):
    return feature_of_numbers(PHRASES[name]).patch


@pytest.mark.parametrize("name", PHRASES)
def test_area_is_the_closed_form(name):
    assert patch(name).measure * 1e6 == pytest.approx(AREAS[name], rel=1e-12)


@pytest.mark.parametrize("name", PHRASES)
def test_points_lie_on_the_surface_with_its_outward_normal(name):
    piece = patch(name)
    uv = np.random.default_rng(1).random((500, 2))
    points = piece.at(uv)
    assert np.abs(piece.surface.distance(points.positions)).max() < 1e-16 * 1e3  # of 0.1 m
    assert np.abs(np.linalg.norm(points.normals, axis=1) - 1).max() < 1e-15
    outside = piece.surface.distance(points.positions + 1e-4 * points.normals)
    assert outside == pytest.approx(np.full(500, 1e-4), rel=1e-9)


@pytest.mark.parametrize("name", PHRASES)
def test_equal_squares_are_equal_areas(name):
    """The area element |∂p/∂u × ∂p/∂v| is the whole area everywhere in the square."""
    piece, h = patch(name), 1e-5
    uv = 0.02 + 0.96 * np.random.default_rng(2).random((50, 2))
    du, dv = np.array([[h, 0], [0, h]])
    along_u = piece.at(uv + du).positions - piece.at(uv - du).positions
    along_v = piece.at(uv + dv).positions - piece.at(uv - dv).positions
    element = np.linalg.norm(np.cross(along_u, along_v), axis=1) / (2 * h) ** 2
    # Central differences: truncation h² of curvature terms, rounding 1e-17/1e-5 of 1e-3.
    assert element == pytest.approx(np.full(50, piece.measure), rel=2e-6)


BOUNDED = ("plane", "disc", "cylinder", "cone", "cup", "sphere", "fillet", "collar")


@pytest.mark.parametrize("name", BOUNDED)
def test_the_inset_piece_keeps_its_distance_from_every_bound(name):
    piece, margin = patch(name), 0.8e-3
    count = cases(gate=120, soak=400)
    line = np.linspace(0, 1, count)
    sides = [np.column_stack([line, np.full(count, v)]) for v in (0, 1)]
    if name in ("plane", "cup"):
        sides += [np.column_stack([np.full(count, u), line]) for u in (0, 1)]
    if name == "sphere":
        sides = sides[:1]  # the other end is the pole, which is no edge
    edge = np.vstack([piece.at(side).positions for side in sides])
    inner = piece.inset(margin).at(np.random.default_rng(3).random((count, 2))).positions
    gaps = np.linalg.norm(inner[:, None] - edge, axis=2).min(axis=1)
    assert gaps.min() >= margin * (1 - 1e-9)
    nearest = piece.inset(margin).at(np.vstack(sides)).positions
    reach = np.linalg.norm(nearest[:, None] - edge, axis=2).min(axis=1)
    assert reach.min() < margin * 1.2  # and no wider than asked


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_torus_shares_invert(first, second):
    piece = patch("torus")
    t = piece.start + np.array([first, second]) * (piece.end - piece.start)
    back = piece.meridian.where(piece.meridian.shared(t))
    assert np.abs(back - t).max() < 1e-9 * piece.height  # flat near the inner equator: root of eps


def test_a_hole_and_a_boss_differ_by_their_normals():
    uv = lay_out("circles", 12, SQUARE)
    boss = feature_of_numbers(PHRASES["cylinder"].removesuffix(";inner")).patch.at(uv)
    hole = patch("cylinder").at(uv)
    assert np.array_equal(boss.positions, hole.positions)
    assert np.array_equal(boss.normals, -hole.normals)


def test_line_and_circle():
    line = feature_of_numbers("line:from=0,0,0;to=100,0,0;normal=0,0,1").patch
    assert (line.at(np.array([[0.25, 0.5]])).positions * 1000).tolist() == [[25, 0, 0]]
    assert (line.inset(0.01).at(np.array([[0, 0.5]])).positions * 1000)[0] == pytest.approx(
        [10, 0, 0]
    )
    circle = feature_of_numbers("circle:center=0,0,7;normal=0,0,1;diameter=20;inner").patch
    points = circle.at(np.random.default_rng(1).random((20, 2)))
    towards = np.array([0, 0, 0.007]) - points.positions
    assert np.linalg.norm(towards, axis=1) == pytest.approx(np.full(20, 0.01), abs=1e-17)
    assert np.abs(towards / 0.01 - points.normals).max() < 1e-15
    arc = feature_of_numbers("circle:center=0,0,7;normal=0,0,1;diameter=20;sweep-deg=90").patch
    assert arc.width == pytest.approx(0.01 * np.pi / 2)
    assert arc.inset(0.001).width == pytest.approx(0.01 * np.pi / 2 - 0.002)
    assert circle.inset(0.001) is circle


@pytest.mark.parametrize(
    ("phrase", "told"),
    [
        ("prism:a=1", "'prism' cannot be given by numbers; expected one of plane, line"),
        ("plane:center=0,0,0;normal=0,0,1", "The plane needs size="),
        ("plane:center=0,0,0;normal=0,0,0;size=1,1", "normal has no length"),
        ("plane:center=0,0;normal=0,0,1;size=1,1", "center is '0,0'; expected 3 finite numbers"),
        ("plane:center=0,0,nan;normal=0,0,1;size=1,1", "expected 3 finite numbers"),
        ("plane:center=0,0,0;normal=0,0,1;size=1,-1", "sides are 0.001 and -0.001 m"),
        ("circle:center=0,0,0;normal=0,0,1;diameter=1;diamter=2", "has no key 'diamter'"),
        ("circle:center=0,0,0;normal=0,0,1;diameter=1;diameter=2", "given twice"),
        ("circle:center=0,0,0;normal=0,0,1;diameter=-1", "diameter is -1 mm; expected above 0"),
        ("sphere:center=0,0,0;diameter=10;from-deg=30;to-deg=20", "expected a rising range"),
        ("sphere:center=0,0,0;diameter=10;to-deg=120", "expected a rising range within"),
        ("torus:center=0,0,0;axis=0,0,1;major=1;minor=20", "expected a rising range within"),
        ("plane:center=1e300,0,0;normal=0,0,1;size=1,1", "none beyond 1e+09"),
        ("cylinder:base=0,0,0;axis=0,0,1;diameter=2;height=1;sweep-deg=400", "sweeps 400 deg"),
        ("cone:base=0,0,0;axis=0,0,1;diameter=2;top=2;height=1", "top diameter must not be"),
        ("line:from=0,0,0;to=0,0,0;normal=0,0,1", "ends are the same point"),
        ("line:from=0,0,0;to=1,0,1;normal=0,0,1", "not square to it"),
    ],
)
def test_faults(phrase, told):
    with pytest.raises(FeatureError, match=re.escape(told)):
        feature_of_numbers(phrase)


@pytest.mark.parametrize("name", ["plane", "disc", "cylinder", "cup", "sphere", "fillet"])
def test_too_wide_a_margin(name):
    with pytest.raises(FeatureError, match=r"is left 0\.05 m away from its"):
        patch(name).inset(0.05)


@pytest.mark.parametrize("middle", [0.0, 0.4, 0.5 * np.pi, np.pi])
def test_of_equal_openings_it_is_always_the_same_one(middle):
    """A tube with a window on either side: neither rounding nor where angles begin anew chooses."""
    arc = np.linspace(0.5, np.pi - 0.5, 9)
    rng = np.random.default_rng(3)
    firsts = []
    for _ in range(8):
        angles = middle + np.concatenate([arc, arc + np.pi]) + rng.normal(scale=1e-7, size=18)
        first, sweep = swept((angles + np.pi) % (2.0 * np.pi) - np.pi, 0.7)
        assert sweep == pytest.approx(2.0 * np.pi - 1.0, abs=1e-6)
        firsts.append([np.cos(first), np.sin(first)])
    assert np.ptp(firsts, axis=0).max() < 1e-6
