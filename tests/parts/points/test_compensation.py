"""Ball centres and surface points: who says which, and what a ball does."""

import numpy as np
import pytest

from parts.errors import PointsError
from parts.points import Compensation, read_points, read_raw_points, same_ball, surface_points


@pytest.fixture
def path(samples, tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(samples["a.csv"])
    return file


def test_a_csv_file_says_nothing_and_the_caller_may(path):
    assert read_points(path).source.compensation is Compensation.UNSTATED
    surface = read_points(path, ball_diameter=0.004, compensated=True)
    assert surface.source.compensation is Compensation.SURFACE
    centres = read_points(path, ball_diameter=0.004, compensated=False)
    moved = surface.positions - centres.positions
    # 2 mm along each normal; coordinates near 0.04 m round to 7e-18.
    assert np.abs(moved - 0.002 * surface.points.normals).max() < 1e-17
    assert centres.source.compensation is Compensation.SURFACE


def test_a_ball_without_a_word_is_refused(path):
    with pytest.raises(PointsError, match="does not say whether its points are centres of it"):
        read_points(path, ball_diameter=0.004)
    assert read_points(path, ball_diameter=0.0).source.compensation is Compensation.UNSTATED


def test_a_word_against_the_file_is_refused(samples):
    found = read_raw_points(samples["a.xyz"], origin="a.xyz")
    with pytest.raises(PointsError, match="XYZ files give points on the surface, but they are sa"):
        surface_points(found, compensated=False)
    found = read_raw_points(samples["a.pts"], origin="a.pts", unit="mm")
    with pytest.raises(PointsError, match="text files give centres of the ball, but they are said"):
        surface_points(found, ball_diameter=0.004, compensated=True)


def test_centres_without_normals_cannot_move(path):
    path.write_text("name,x_mm,y_mm,z_mm\nA,1,2,3\n")
    with pytest.raises(PointsError, match=r"1 of 1 points have no normal \(A\)"):
        read_points(path, ball_diameter=0.004, compensated=False)


def test_balls_that_are_none(path):
    for diameter in (-0.001, float("nan"), float("inf")):
        with pytest.raises(PointsError, match=r"ball's diameter is .* m; expected zero or more"):
            read_points(path, ball_diameter=diameter, compensated=False)


def test_balls_are_compared_at_the_precision_that_is_shown():
    assert same_ball(4.99956542208e-3, 4.99957e-3)
    assert same_ball(4.999565e-3, 4.9995649e-3)  # apart by less than they are shown with
    assert not same_ball(4.99956542208e-3, 4.9996e-3)
    assert not same_ball(4e-3, 4.0001e-3)
    assert same_ball(0.0, 0.0)
    assert not same_ball(0.0, 1e-6)
