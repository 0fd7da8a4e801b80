"""Points that hold no feature are refused with the reason."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import FitError, PartError
from parts.fits.fitting import FIT_KINDS, fit
from tests.cases import some

FEWEST = {"line2d": 2, "line3d": 2, "plane": 3, "circle2d": 3, "circle3d": 3}
FEWEST |= {"sphere": 4, "cylinder": 5, "cone": 6, "torus": 7}


def width(kind):
    return 2 if kind.endswith("2d") else 3


def ring(count=12, noise=0.0):
    angle = np.linspace(0.0, 6.0, count)
    points = np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1)
    return points + noise * np.random.default_rng(3).normal(size=points.shape)


def row(kind):
    return np.linspace(0.0, 1.0, 9)[:, None] * np.array([1.0, 2.0, 3.0])[: width(kind)]


@pytest.mark.parametrize("kind", FIT_KINDS)
def test_too_few_points(kind):
    points = np.random.default_rng(0).normal(size=(FEWEST[kind] - 1, width(kind)))
    with pytest.raises(FitError, match=f"measure at least {FEWEST[kind]}") as caught:
        fit(kind, points)
    assert caught.value.facts["value"] == len(points)
    assert caught.value.facts["limit"] == FEWEST[kind]
    assert isinstance(caught.value, PartError)


@pytest.mark.parametrize("kind", FIT_KINDS)
def test_no_points_at_all(kind):
    with pytest.raises(FitError, match="0 points do not hold"):
        fit(kind, np.zeros((0, width(kind))))


@pytest.mark.parametrize("kind", FIT_KINDS)
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_no_number(kind, value, known):
    points = known(kind).points
    points[7, 1] = value
    with pytest.raises(FitError, match=r"Point 8 .*\(1 such points\); expected finite") as caught:
        fit(kind, points)
    assert caught.value.facts["where"] == 7


@pytest.mark.parametrize("kind", FIT_KINDS)
def test_one_place(kind):
    with pytest.raises(FitError, match="All 20 points are the same"):
        fit(kind, np.full((20, width(kind)), 0.3))


@pytest.mark.parametrize("kind", [kind for kind in FIT_KINDS if not kind.startswith("line")])
def test_collinear_points(kind):
    with pytest.raises(FitError, match=r"lie on one line .*; add points off that line"):
        fit(kind, row(kind))


@pytest.mark.parametrize("kind", ["sphere", "cylinder", "cone", "torus"])
def test_coplanar_points(kind):
    with pytest.raises(FitError, match=r"lie in one plane .*; add points off that plane"):
        fit(kind, ring())


@pytest.mark.parametrize("kind", ["cylinder", "cone", "torus"])
@pytest.mark.parametrize("noise", some([1e-6, 1e-4], gate=1))
def test_points_on_a_circle_that_noise_lifts_off_its_plane(kind, noise):
    with pytest.raises(FitError, match=r"noise|loose|can move"):
        fit(kind, ring(noise=noise))


def test_two_rulings_hold_no_cylinder():
    h = np.linspace(0.0, 1.0, 6)
    rulings = [np.stack([0 * h + x, 0 * h, h], axis=1) for x in (0.0, 0.5)]
    with pytest.raises(FitError, match="in one plane"):
        fit("cylinder", np.concatenate(rulings))


def test_five_points_are_on_several_cylinders():
    points = np.random.default_rng(1).normal(size=(5, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    with pytest.raises(FitError, match="Two different features fit the 5 points as a cylinder"):
        fit("cylinder", points)


def test_a_cylinder_is_no_cone(known):
    case = known("cylinder", amplitude=1e-5)
    with pytest.raises(FitError, match=r"hides the cone's apex_angle.*or fit a cylinder"):
        fit("cone", case.points)


def test_an_arc_that_noise_straightens(known):
    case = known("circle2d", sweep=np.radians(2.0), amplitude=1e-4)
    with pytest.raises(FitError, match=r"hides the circle's diameter|equally well") as caught:
        fit("circle2d", case.points)
    assert caught.value.facts["unit"] in ("m", "1")


def test_points_on_both_sides_of_an_apex():
    rng = np.random.default_rng(2)
    angle, h = rng.uniform(0, 2 * np.pi, 40), rng.uniform(-1.0, 1.0, 40)
    points = np.stack([h * np.cos(angle), h * np.sin(angle), h], axis=1)
    with pytest.raises(FitError):
        fit("cone", points)


def test_shapes_and_words_that_are_wrong():
    with pytest.raises(FitError, match=r"have shape \(5, 2\); expected \(k, 3\)"):
        fit("plane", np.zeros((5, 2)))
    with pytest.raises(FitError, match="no table of numbers"):
        fit("plane", [[0.0, 1.0], [2.0, 3.0, 4.0]])
    with pytest.raises(FitError, match="There is no fit of a 'box'; expected one of line2d"):
        fit("box", np.zeros((5, 3)))
    with pytest.raises(FitError, match="outward directions have shape"):
        fit("plane", np.random.default_rng(0).normal(size=(5, 3)), outward=np.zeros((4, 3)))
