"""Rigid tip angles: the judge's figures, and the tilted ground itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.biped.errors import BipedError
from robots.biped.posture.balance import tip_angle
from robots.biped.posture.ground import Ground
from robots.biped.posture.support_polygon import SupportPolygon

CORNERS = np.array([[-0.12, -0.06], [0.17, -0.09], [0.17, 0.09], [-0.12, 0.06]])
FOOT = SupportPolygon.of(CORNERS)


@given(st.tuples(st.floats(-0.1, 0.1), st.floats(-0.05, 0.05), st.floats(0.2, 2.0)))
def test_the_ground_tilted_by_it_brings_the_centre_of_mass_over_the_edge(com):
    for direction, sign in (((1, 0), 1.0), ((-1, 0), -1.0)):
        ground = Ground(beta=sign * tip_angle(com, FOOT, direction))
        level = np.pad(CORNERS, ((0, 0), (0, 1)))
        tilted = SupportPolygon.of(level @ ground.rotation.T)
        margin = tilted.signed_margin(ground.rotation @ com)
        assert margin == pytest.approx(0.0, abs=1e-12)


def test_fallen_already_is_negative():
    assert tip_angle([0.3, 0.0, 1.0], FOOT, (1, 0)) == pytest.approx(-np.arctan(0.13))


@pytest.mark.parametrize("com", [[0.0, 0.0, 0.0], [0.0, 0.0, np.nan], [0.0, 0.0]])
def test_bad_centres_are_refused(com):
    with pytest.raises(BipedError, match="height above the ground above zero"):
        tip_angle(com, FOOT, (1, 0))
