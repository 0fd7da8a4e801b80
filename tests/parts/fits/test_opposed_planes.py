"""Slots and tongues: width by least squares, block and gap, against searches over the normal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from parts.errors import FitError
from parts.evaluation.association import nominal_feature
from parts.fits.opposed_planes import (
    OpposedPlanes,
    enclosing_planes,
    fit_opposed_planes,
    mating_planes,
    opposed_planes,
)

MM = 1e-3
GRID = np.array([(x, z) for x in (-20.0, 0.0, 20.0) for z in (-6.0, 0.0, 5.0)])  # [mm]


def sides(width=10.0, upper=0.0, lower=0.0, hollow=True):
    """Points on two walls square to y, heights more than nominal [mm], and their normals."""
    tops, bottoms = 0.5 * width + upper + 0.0 * GRID[:, 0], -0.5 * width + lower + 0.0 * GRID[:, 0]
    points = np.vstack(
        [np.column_stack([GRID[:, 0], level, GRID[:, 1]]) for level in (tops, bottoms)]
    )
    out = np.repeat([[0.0, -1.0, 0.0] if hollow else [0.0, 1.0, 0.0]], len(GRID), axis=0)
    return points * MM, np.vstack([out, -out])


def searched(gap, start=(0.0, 0.0)):
    """The largest value of a function of the normal, by a simplex from several starts."""
    best = -np.inf
    for turn in (1e-3, 3e-5, 1e-6):
        corners = np.asarray(start) + turn * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        found = minimize(
            lambda x: -1e6 * gap(np.array([x[0], 1.0, x[1]]) / np.linalg.norm([x[0], 1.0, x[1]])),
            start,
            method="Nelder-Mead",
            options={"initial_simplex": corners, "xatol": 1e-13, "fatol": 1e-9, "maxiter": 800},
        )
        start, best = found.x, max(best, -1e-6 * found.fun)
    return best


def rough(seed, hollow=True):
    rng = np.random.default_rng(seed)
    n = len(GRID)
    return sides(upper=1e-2 * rng.normal(size=n), lower=1e-2 * rng.normal(size=n), hollow=hollow)


@pytest.mark.parametrize("hollow", [True, False])
def test_a_width_is_found_wherever_it_stands(hollow):
    points, normals = sides(hollow=hollow)
    near = opposed_planes(points, normals)
    assert (near.width, near.reversed) == (pytest.approx(10 * MM, abs=1e-15), hollow)
    turn = Rotation.from_rotvec([0.02, -0.01, 0.03])
    found = fit_opposed_planes(turn.apply(points) + 0.3, near.sides(normals), near).shape
    assert found.width == pytest.approx(10 * MM, abs=1e-13)
    np.testing.assert_allclose(found.axis, turn.apply(near.axis.copy()), atol=1e-12)
    assert nominal_feature(points, normals).kind == "width"
    np.testing.assert_allclose(near.normal(points), normals, atol=1e-15)
    assert near.distance(np.zeros((1, 3)))[0] == pytest.approx((5 if hollow else -5) * MM)


@pytest.mark.parametrize("seed", [1, 2])
def test_least_squares_and_envelopes_are_what_searches_find(seed):
    points, normals = rough(seed)
    near = opposed_planes(*sides())
    up, down = points[: len(GRID)], points[len(GRID) :]
    way = near.sides(normals)
    fitted = fit_opposed_planes(points, way, near)

    def spread(n):
        return -float(np.sum((up @ n - (up @ n).mean()) ** 2 + (down @ n - (down @ n).mean()) ** 2))

    assert -np.sum(fitted.residuals**2) <= searched(lambda n: 1e3 * spread(n)) * 1e-3 + 1e-15
    assert np.sum(fitted.residuals**2) == pytest.approx(
        -1e-3 * searched(lambda n: 1e3 * spread(n)), rel=1e-6
    )
    assert fitted.sum_squares == pytest.approx(float(np.sum(fitted.residuals**2)), rel=1e-9)
    # The block goes between all points, the gap over them. The room is linear in the normal but for
    # its length, so that a corner of it may be the best one near and another by w·t²/2 better: with
    # 0.02 of form on 40 mm, 10 · 0.0005² / 2 mm at most.
    block = mating_planes(points, way, fitted.shape)
    wide = enclosing_planes(points, way, fitted.shape)
    best = searched(lambda n: (up @ n).min() - (down @ n).max())
    assert -2e-10 <= best - block.width <= 1.25e-9
    best = -searched(lambda n: (down @ n).min() - (up @ n).max())
    assert -2e-10 <= wide.width - best <= 1.25e-9
    assert block.distance(points).max() <= 1e-12  # in the material, or on its surface
    assert wide.distance(points).min() >= -1e-12
    # about a tongue it is the other way round
    out, outwards = rough(seed, hollow=False)
    near = opposed_planes(*sides(hollow=False))
    tongue = fit_opposed_planes(out, near.sides(outwards), near).shape
    assert mating_planes(out, near.sides(outwards), tongue).width == pytest.approx(
        wide.width, abs=1e-12
    )


def test_a_burr_and_a_taper_by_hand():
    """A burr of 0.02 in the middle takes 0.02 off the block; a slot from 10 to 10.02 takes 10."""
    near = opposed_planes(*sides())
    burr = 0.02 * np.all(GRID == [0.0, 0.0], axis=1)
    for upper, block, mean in (
        (-burr, 9.98, 10 - 0.02 / 9),
        (0.0005 * (GRID[:, 0] + 20), 10, 10.01),
    ):
        points, normals = sides(upper=upper)
        fitted = fit_opposed_planes(points, near.sides(normals), near).shape
        # the normal of least squares leans by a quarter of a milliradian at most
        assert fitted.width == pytest.approx(mean * MM, abs=1e-9)
        block_ = mating_planes(points, near.sides(normals), fitted)
        assert block_.width == pytest.approx(block * MM, abs=1e-10)


def test_what_holds_no_width_is_refused():
    points, normals = sides()
    near = opposed_planes(points, normals)
    with pytest.raises(FitError, match="0 and 9 points"):
        fit_opposed_planes(points[:9], near.sides(normals[:9]), near)
    crossed = points * [1.0, -1.0, 1.0]
    with pytest.raises(FitError, match=r"run into each other by 0\.01 m"):
        fit_opposed_planes(crossed, near.sides(normals), near)
    with pytest.raises(FitError, match="run into each other"):
        mating_planes(crossed, near.sides(normals), near)
    on_line = points[:, 0] == 0.0
    with pytest.raises(FitError):
        fit_opposed_planes(points[on_line], near.sides(normals[on_line]), near)
    assert opposed_planes(points[:9], normals[:9]) is None
    assert isinstance(near, OpposedPlanes)
