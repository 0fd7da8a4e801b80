"""3-2-1: known poses, exactness with six points, degenerate datums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from parts.alignment.alignment import move_points, pose_of, rotate
from parts.alignment.datums import DatumPlane, three_two_one
from parts.errors import AlignmentError

PRIMARY = [[0.1, 0.1, 0.0], [0.9, 0.2, 0.0], [0.3, 0.8, 0.0]]
SECONDARY = [[0.2, 0.0, 0.1], [0.8, 0.0, 0.3]]
TERTIARY = [[0.0, 0.4, 0.2]]
OUT = {"z": [0, 0, -1.0], "y": [0, -1.0, 0], "x": [-1.0, 0, 0]}


def datum(name, points, T, noise=0.0, seed=0, **changes):
    rng = np.random.default_rng(seed)
    points = np.array(points) + noise * rng.normal(size=(len(points), 3))
    given_ = {
        "name": name,
        "normal": OUT[name],
        "point": [0, 0, 0],
        "measured": move_points(T, points),
        "outward": rotate(T, np.array(OUT[name]) + 0.2),
    }
    return DatumPlane(**(given_ | changes))


def corner(T, noise=0.0):
    sets = {"z": PRIMARY, "y": SECONDARY, "x": TERTIARY}
    return [datum(name, points, T, noise, seed) for seed, (name, points) in enumerate(sets.items())]


def random_pose(seed):
    rng = np.random.default_rng(seed)
    return pose_of(Rotation.random(rng=rng).as_matrix(), rng.normal(size=3))


@given(st.integers(0, 10_000))
def test_a_known_pose_is_found_again(seed):
    T = random_pose(seed)
    found = three_two_one(*corner(T))
    assert np.abs(found.T_base_part - T).max() < 1e-13  # arms of about 1 m
    assert np.abs(found.residuals).max() < 1e-14
    assert found.method == "3-2-1"
    assert 1.0 <= found.condition < 100.0


@given(st.integers(0, 10_000))
def test_six_points_are_met_whatever_the_part_does_and_the_datums_have_an_order(seed):
    """3 + 2 + 1 conditions for six motions: noise moves the pose, never leaves a residual."""
    T, G = random_pose(seed), random_pose(seed + 1)
    found = three_two_one(*corner(T, 0.01))
    assert np.abs(found.residuals).max() < 1e-14
    again = three_two_one(*[
        DatumPlane(name=d.name, normal=d.normal, point=d.point, measured=move_points(G, d.measured),
                   outward=rotate(G, d.outward)) for d in corner(T, 0.01)
    ])  # fmt: skip
    assert np.abs(again.T_base_part - G @ found.T_base_part).max() < 1e-12


def test_more_points_leave_the_scatter_of_the_plane():
    rng = np.random.default_rng(5)
    many = np.column_stack([rng.uniform(0, 1, (30, 2)), 1e-4 * rng.normal(size=30)])
    T = random_pose(9)
    _, second, third = corner(T)
    found = three_two_one(datum("z", many, T), second, third)
    # The oracle: the singular value of the centred cloud is the scatter across its best plane.
    scatter = np.linalg.svd(many - many.mean(axis=0))[1][2] / np.sqrt(30)
    assert np.sqrt(np.mean(found.residuals[:30] ** 2)) == pytest.approx(scatter, rel=1e-9)
    assert np.abs(found.residuals[30:]).max() < 1e-14


def test_faults_are_told():
    T = random_pose(2)
    first, second, third = corner(T)
    with pytest.raises(AlignmentError, match="primary plane 'z' are collinear"):
        three_two_one(datum("z", np.outer([1, 2, 3], [1, 1, 0]), T), second, third)
    with pytest.raises(AlignmentError, match="stand above each other"):
        three_two_one(first, datum("y", [[0.5, 0, 0.1], [0.5, 0, 0.4]], T), third)
    with pytest.raises(AlignmentError, match="'y' has 1 measured points; it needs at least 2"):
        three_two_one(first, datum("y", SECONDARY[:1], T), third)
    with pytest.raises(AlignmentError, match="normals are coplanar"):
        three_two_one(first, second, datum("x", TERTIARY, T, normal=[0, 1, 1]))
    with pytest.raises(AlignmentError, match=r"are 45 deg to each other .* RPS"):
        three_two_one(first, datum("y", SECONDARY, T, normal=[0, -1, -1]), third)
    with pytest.raises(AlignmentError, match="cannot tell which side"):
        three_two_one(datum("z", PRIMARY, T, outward=rotate(T, np.array([1.0, 0, 0]))), second,
                      third)  # fmt: skip
    with pytest.raises(AlignmentError, match=r"normal of z have length|has length 0"):
        datum("z", PRIMARY, T, normal=[0, 0, 0])
