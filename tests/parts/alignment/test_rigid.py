"""Rotations and poses: the matrix of the source entry by entry, SciPy as the oracle."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from parts.alignment.alignment import (
    inverse,
    move_points,
    pose_of,
    rotate,
    rotation_of,
    rotation_zyx,
)

angles = st.tuples(*[st.floats(-7, 7)] * 3)


@given(angles)
def test_roll_pitch_yaw_is_the_matrix_of_the_source(given_angles):
    """[LAMMARI12] §VI.6, the expanded matrix entry by entry."""
    phi, gamma, alpha = given_angles
    cf, sf, cg, sg = np.cos(phi), np.sin(phi), np.cos(gamma), np.sin(gamma)
    ca, sa = np.cos(alpha), np.sin(alpha)
    printed = [
        [cf * cg, cf * sg * sa - sf * ca, cf * sg * ca + sf * sa],
        [sf * cg, sf * sg * sa + cf * ca, sf * sg * ca - cf * sa],
        [-sg, cg * sa, cg * ca],
    ]
    # Three factors of at most 1 and one sum: a few units in the last place.
    assert np.abs(rotation_zyx(given_angles) - printed).max() < 1e-15
    by_scipy = Rotation.from_euler("xyz", [alpha, gamma, phi]).as_matrix()
    assert np.abs(rotation_zyx(given_angles) - by_scipy).max() < 1e-14


def test_right_angles_are_exact():
    assert rotation_zyx([np.pi / 2, 0, 0]).tolist() == [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert rotation_zyx([0, np.pi, 0]).tolist()[1] == [0, 1, 0]


@given(angles)
def test_rotation_vector_agrees_with_scipy(vector):
    v = np.array(vector)
    assert np.abs(rotation_of(v) - Rotation.from_rotvec(v).as_matrix()).max() < 1e-14
    # Where the angle is tiny the series replaces the quotient.
    assert np.abs(rotation_of(v * 1e-9) - Rotation.from_rotvec(v * 1e-9).as_matrix()).max() < 1e-15


def test_inverse_takes_points_back(pose):
    T, points = pose(4), np.random.default_rng(1).normal(size=(20, 3))
    assert np.abs(move_points(inverse(T), move_points(T, points)) - points).max() < 1e-14
    assert np.abs(rotate(T, points) - points @ T[:3, :3].T).max() == 0.0
    assert np.array_equal(pose_of(T[:3, :3], T[:3, 3]), T)
