"""A ball beside the stylus axis: nothing converges by luck, and what is missing does not exist."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.arm.inverse import ArmInverse
from robots.core.inverse import Target, solve
from tests.cases import cases, some
from tests.robots.arm.stylus_roll import StylusRoll

SIDES = [(0.0006, -0.0008), (0.012, 0.016), (-0.06, 0.08)]


def apart(a, b):
    return np.max(np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi), axis=-1)


def bent(arm, tool):
    return ArmInverse(replace(arm, tool=tool), "compiled")


def pose(inverse, q):
    T = inverse.model.forward(q)
    return T[..., :3, 3], T[..., :3, 2]


@pytest.mark.parametrize("side", some(SIDES, gate=2))
def test_every_drawn_posture_is_found(arm, make_tool, random_postures, side):
    """Unless a second posture with the same signs lies nearer to the straight stylus's."""
    inverse = bent(arm, make_tool(-np.pi / 2, 0.1, side))
    q = random_postures(cases(gate=200, soak=2000), seed=2)
    p, d = pose(inverse, q)
    found = inverse.solve(p, d)
    assert found.position_error[found.solved].max() < 1e-13
    assert found.axis_error[found.solved].max() < 1e-13
    assert not found.lost.any()
    nearest = np.where(found.solved, apart(found.q, q[:, None]), np.inf).min(axis=1)
    crowded = inverse._bent.solve(p, d, found.q).crowded
    assert not np.any((nearest > 1e-6) & ~crowded)


def test_missing_families_lie_at_the_straight_stylus_s_singularities(
    arm, make_tool, random_postures
):
    """Where all three margins clear the offset over the reach, all eight families exist."""
    inverse = bent(arm, make_tool(-np.pi / 2, 0.1, (0.012, 0.016)))
    straight = bent(arm, make_tool(-np.pi / 2, 0.1))
    p, d = pose(inverse, random_postures(cases(gate=200, soak=1000), seed=4))
    margin = straight.solve(p, d).margins.least
    found = inverse.solve(p, d)
    # 20 mm of 2.5 m turn the forearm by some 0.02 rad at the elbow's margin of one
    assert found.solved[margin > 0.2].all()
    assert not found.solved[margin < 0.02].all()


def test_families_that_do_not_exist_have_no_zero_on_a_fine_circle(arm, make_tool, random_postures):
    """The count of zeros over 20,000 rolls is the count of solutions: an exhaustive check."""
    inverse = bent(arm, make_tool(-np.pi / 2, 0.1, (0.06, 0.08)))
    p, d = pose(inverse, random_postures(cases(gate=8, soak=20), seed=6))
    offsets = inverse.family.offsets
    search = StylusRoll(
        inverse.family, lambda *given: inverse._families(*given, None) + offsets, p, d
    )
    found = inverse.solve(p, d)
    crowded = inverse._bent.solve(p, d, found.q).crowded
    roll = np.linspace(0.0, 2 * np.pi, 20_001)
    for k in np.nonzero(~crowded)[0]:
        rows = np.full(roll.size, k)
        value = search.values(rows, roll)
        within = inverse.family.shortfall(search.centers(rows, roll)) <= 0.0
        both = (within[1:] & within[:-1])[:, None]
        zeros = int(np.sum((np.signbit(value[1:]) != np.signbit(value[:-1])) & both))
        assert found.solved[k].sum() == zeros


def test_the_numerical_inverse_finds_the_same(arm, make_tool):
    inverse = bent(arm, make_tool(-np.pi / 2, 0.1, (0.012, 0.016)))
    for q in ([0.4, 0.3, 0.2, 0.9, -1.0], [-1.0, 0.8, -0.4, -2.0, 0.7]):
        p, d = pose(inverse, np.array(q))
        ours = inverse.solve(p, d)
        for answer in solve(inverse.model, Target.position_and_axis(p, d)).answers:
            # Newton's own tolerance over margins of 0.1
            assert apart(ours.q[ours.solved], answer.q).min() < 1e-8


def test_a_vanishing_offset_is_the_straight_stylus(arm, make_tool, random_postures):
    straight = bent(arm, make_tool(-np.pi / 2, 0.1))
    nearly = bent(arm, make_tool(-np.pi / 2, 0.1, (1e-8, 0.0)))
    q = random_postures(200, seed=8)
    q = q[straight.margins(q).least > 0.05]
    p, d = pose(straight, q)
    a, b = straight.solve(p, d), nearly.solve(p, d)
    assert b.solved.all()
    assert apart(a.q, b.q).max() < 1e-5
    np.testing.assert_allclose(a.margins.least, b.margins.least, atol=1e-5)


def test_margin_is_zero_where_the_task_is_singular(arm, make_tool, random_postures):
    """The determinant of J5 over the two farthest margins: no posture near it is called regular."""
    inverse = bent(arm, make_tool(-np.pi / 2, 0.1, (0.06, 0.08)))
    margins = inverse.margins(random_postures(2000))
    assert margins.tool is not None
    assert np.all((margins.least >= 0.0) & (margins.least <= 1.0))
    # 2,000 random postures come this near to the surface, which the three margins do not see
    nearest = int(margins.least.argmin())
    assert margins.least[nearest] < 1e-3
    assert margins.at((nearest,)).tool == margins.tool[nearest]


def test_out_of_reach_is_not_lost(arm, make_tool):
    inverse = bent(arm, make_tool(-np.pi / 2, 0.1, (0.012, 0.016)))
    found = inverse.solve([[3.0, 0, 0.4], [1.0, 0.5, 0.4]], [0, 0, -1])
    np.testing.assert_array_equal(found.reachable, [False, True])
    assert not found.lost.any()
    assert np.isfinite(found.q).all()
    # from the shoulder to the end of the stylus axis, less the 20 mm that the roll may gain
    distance = np.hypot(3.0, 0.4 + 0.1 - 0.40982)
    np.testing.assert_allclose(found.shortfall[0], distance - 2.5139 - 0.02, atol=1e-12)


def test_a_branch_that_ends_on_the_line_is_not_a_number(arm, make_tool):
    """A metre outwards: the arm is too short for the rest of the line."""
    inverse = bent(arm, make_tool(-np.pi / 2, 0.1, (0.012, 0.016)))
    q = np.array([0.4, 0.3, 1.2, 0.9, -1.0])
    T = inverse.model.forward(q)
    out = T[:3, 3] * np.array([1, 1, 0]) / np.linalg.norm(T[:2, 3])
    line = np.concatenate([T[:3, 3], out, T[:3, 2], [1, 1, -1], q])
    found = inverse.along_lines(np.tile(line, (2, 1)), np.array([0.0, 1.0]))
    np.testing.assert_allclose(found[0, :5], q, atol=1e-12)
    assert np.isnan(found[1]).all()
