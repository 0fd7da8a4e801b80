"""What has no zone is refused with the reason."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import FitError
from parts.fits.fitting import FIT_KINDS, fit
from parts.fits.zone import circumscribed, inscribed, minimum_zone

FEWEST = {"line2d": 2, "line3d": 2, "plane": 3, "circle2d": 3, "circle3d": 3}
FEWEST |= {"sphere": 4, "cylinder": 5, "cone": 6, "torus": 7}


@pytest.mark.parametrize("kind", FIT_KINDS)
def test_too_few_or_no_numbers(kind, rough):
    points = rough(kind).points
    with pytest.raises(FitError, match=f"measure at least {FEWEST[kind]}"):
        minimum_zone(kind, points[: FEWEST[kind] - 1])
    points[3, 0] = np.nan
    with pytest.raises(FitError, match=r"Point 4 .* expected finite"):
        minimum_zone(kind, points)


def test_degenerate_points(rough):
    row = np.linspace(0.0, 1.0, 9)[:, None] * np.array([1.0, 2.0, 3.0])
    with pytest.raises(FitError, match="lie on one line"):
        minimum_zone("plane", row)
    flat = rough("circle3d", noise=0.0).points
    with pytest.raises(FitError, match="lie in one plane"):
        minimum_zone("sphere", flat)
    with pytest.raises(FitError, match="lie in one plane"):
        circumscribed("cylinder", flat)
    with pytest.raises(FitError, match="lie on one line"):
        inscribed("circle2d", row[:, :2])


def test_wrong_words(rough):
    points = rough("plane").points
    with pytest.raises(FitError, match="There is no fit of a 'box'"):
        minimum_zone("box", points)
    with pytest.raises(FitError, match="'plane' has no circumscribed or inscribed feature"):
        inscribed("plane", points)
    with pytest.raises(FitError, match="only a line3d has one"):
        minimum_zone("plane", points, direction=[1.0, 0.0, 0.0])


def test_a_fit_of_other_points(rough):
    case = rough("plane")
    with pytest.raises(FitError, match="of a plane with 39 points; expected a plane with these 40"):
        minimum_zone("plane", case.points, fit("plane", case.points[1:]))
    with pytest.raises(FitError, match="of a plane with 40 points; expected a sphere"):
        circumscribed("sphere", case.points, fit("plane", case.points))


@pytest.mark.parametrize("direction", [[0.0, 0.0, 0.0], [1.0, 2.0], [np.nan, 0.0, 1.0]])
def test_directions_that_are_none(direction, rough):
    with pytest.raises(FitError, match="expected three numbers, not all zero"):
        minimum_zone("line3d", rough("line3d").points, direction=direction)


def test_a_direction_along_the_line(rough):
    points = rough("line3d", noise=1e-9).points
    axis = fit("line3d", points).value("axis")
    with pytest.raises(FitError, match=r"lies along the line \(sine .*; give one across it"):
        minimum_zone("line3d", points, direction=axis)


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [("circle2d", {"sweep": 2.0}), ("cylinder", {"sweep": 2.0}), ("sphere", {"cap": 1.2})],
)
def test_points_that_do_not_close_round_an_inscribed_feature(kind, sizes, rough):
    points = rough(kind, count=60, noise=1e-6, **sizes).points
    with pytest.raises(FitError, match=r"do not close round an inscribed .* grows without end"):
        inscribed(kind, points)
    assert circumscribed(kind, points).certificate.optimal


@pytest.mark.parametrize("kind", FIT_KINDS)
def test_points_without_deviations_have_a_zone_of_rounding(kind, rough):
    zone = minimum_zone(kind, rough(kind, noise=0.0).points)
    assert zone.width < 1e-14
    assert zone.proved == "global"
    if not len(zone.contacts):
        assert "to rounding" in zone.certificate.proof


def test_results_are_read_only(rough):
    zone = minimum_zone("plane", rough("plane").points)
    for name in ("residuals", "contacts", "sides", "multipliers"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(zone, name)[0] = 1
