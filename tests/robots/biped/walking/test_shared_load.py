"""The load on two feet is shared by where the ZMP lies between them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.biped.posture.zero_moment import GroundWrench
from robots.biped.walking.free_base import load_shares, moment_about, shared
from tests.cases import cases

SOLES = np.array([[[0.0, -0.11, 0.0], [0.2, 0.11, 0.0]]])
BOTH = np.array([[True, True]])

number = st.floats(-50, 50)


@pytest.mark.parametrize(("part", "share"), [(0.0, 0.0), (0.25, 0.25), (1.0, 1.0), (1.3, 1.0)])
def test_share_is_the_place_between_the_feet(part, share):
    zmp = SOLES[:, 0] + part * (SOLES[:, 1] - SOLES[:, 0])
    np.testing.assert_allclose(load_shares(zmp, SOLES, BOTH), [[1 - share, share]], atol=1e-14)


def test_one_foot_takes_all():
    zmp = np.array([[0.1, 0.0, 0.0]])
    np.testing.assert_array_equal(load_shares(zmp, SOLES, np.array([[True, False]])), [[1, 0]])
    np.testing.assert_array_equal(load_shares(zmp, SOLES, np.array([[False, True]])), [[0, 1]])


@settings(max_examples=cases(gate=10, soak=40), deadline=None)
@given(fx=number, fy=number, twist=number, x=st.floats(-0.1, 0.3), y=st.floats(-0.15, 0.15))
def test_pushes_add_up_and_press_where_the_zmp_is(fx, fy, twist, x, y):
    force = np.array([[fx, fy, 1000.0]])
    zmp = np.array([[x, y, 0.0]])
    whole = GroundWrench(force=force, moment=np.cross(zmp, force) + np.array([0.0, 0.0, twist]))
    shares = load_shares(zmp, SOLES, BOTH)
    parts = shared(whole, zmp, SOLES, shares)
    np.testing.assert_allclose(sum(part.force for part in parts), force, atol=1e-9)
    np.testing.assert_allclose(sum(part.moment for part in parts), whole.moment, atol=1e-9)
    off = zmp - np.einsum("kf,kfa->ka", shares, SOLES)
    for foot, part in enumerate(parts):
        pressed = SOLES[:, foot] + off
        # About its own pressure point each push only twists about the vertical.
        np.testing.assert_allclose(moment_about(part, pressed)[:, :2], 0.0, atol=1e-9)
