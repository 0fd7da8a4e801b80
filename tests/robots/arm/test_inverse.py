"""All inverse solutions of the arm: every posture is found, none is invented, none is lost."""

from __future__ import annotations

import numpy as np
import pytest

from robots.arm.inverse import BRANCH_NAMES, ArmInverse, branch_name
from robots.core.errors import StateError
from robots.core.inverse import Target, solve
from robots.core.paul import solve_type_2, solve_type_3, solve_type_8
from tests.cases import cases

ARMS = ["shipped", "with a stylus", "other lengths", "offsets", "equal arms"]


def apart(a, b):
    """Largest difference of joints modulo whole turns."""
    return np.max(np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi), axis=-1)


def pose(inverse, q):
    T = inverse.model.forward(q)
    return T[..., :3, 3], T[..., :3, 2]


@pytest.mark.parametrize("name", ARMS)
def test_eight_families_reach_the_target_and_every_drawn_posture_is_among_them(
    arms, name, random_postures
):
    inverse = ArmInverse(arms[name])
    q = random_postures(12_000)
    p, d = pose(inverse, q)
    found = inverse.solve(p, d)
    # Rounding of the inverse and the forward model, a few units of 1e-16 times the reach.
    assert found.position_error.max() <= 1e-12
    assert found.axis_error.max() <= 1e-12
    assert found.solved.all()
    assert found.reachable.all()
    assert not found.lost.any()
    # Joints lose digits as one over the margin; 1e-12 allows for margins of 1e-3 and below.
    nearest = np.min(apart(found.q, q[:, None]), axis=1)
    assert np.max(nearest * inverse.margins(q).least) <= 1e-12
    assert np.all((found.q > -np.pi) & (found.q <= np.pi))


def test_eight_different_postures_with_the_signs_of_their_names(arm, random_postures):
    inverse = ArmInverse(arm)
    q = random_postures(500, seed=3)
    found = inverse.solve(*pose(inverse, q))
    theta, d3, r4 = found.q, 1.0, 1.5139
    radius = r4 * np.sin(theta[..., 1] + theta[..., 2]) + d3 * np.cos(theta[..., 1])
    signs = np.sign(np.stack([radius, np.cos(theta[..., 2]), np.sin(theta[..., 4])], axis=-1))
    for family in range(8):
        words = [{"+": 1.0, "-": -1.0}[word[-1]] for word in branch_name(family).split()]
        assert np.all(signs[:, family] == words)
    assert len(set(BRANCH_NAMES)) == 8
    for a in range(8):
        for b in range(a):
            assert np.min(apart(found.q[:, a], found.q[:, b])) > 1e-3


@pytest.mark.parametrize("name", ARMS)
def test_numpy_and_compiled_engines_agree(arms, name, random_postures):
    one, other = (ArmInverse(arms[name], engine) for engine in ("numpy", "compiled"))
    q = random_postures(1000, seed=5)
    q = q[one.margins(q).least > 1e-3]
    a, b = (each.solve(*pose(one, q)) for each in (one, other))
    # 1e-16 of rounding over margins of 1e-3
    assert apart(a.q, b.q).max() < 1e-11


def test_paul_solvers_give_the_same_eight(arm, random_postures):
    """Types 2 (q1), 8 (q2, q3), 2 (q4) and 3 (q5), solved one after the other without our code."""
    inverse = ArmInverse(arm)
    q = random_postures(cases(gate=60, soak=300), seed=7)
    q = q[inverse.margins(q).least > 1e-2]
    for (x, y, z), d in zip(*pose(inverse, q), strict=True):
        roots = []
        for (q1,) in solve_type_2(x, -y, 0.0).roots:
            along = x * np.cos(q1) + y * np.sin(q1)
            # S23 = cos(q2 + q3 - 90 deg), C23 = -sin(q2 + q3 - 90 deg): a two-link arm
            for q2, bent in solve_type_8(1.0, 1.5139, along, z - 0.40982).roots:
                q3 = bent + np.pi / 2
                c, s = np.cos(q2 + q3), np.sin(q2 + q3)
                x3 = np.array([np.cos(q1) * c, np.sin(q1) * c, s])
                y3 = np.array([-np.cos(q1) * s, -np.sin(q1) * s, c])
                v = d @ np.column_stack([x3, y3, np.cross(x3, y3)])
                for (q4,) in solve_type_2(v[0], -v[2], 0.0).roots:
                    across = np.cos(q4) * v[0] + np.sin(q4) * v[2]
                    q5 = solve_type_3(X1=1, Y1=0, Z1=across, X2=0, Y2=1, Z2=-v[1]).roots[0, 0]
                    roots.append([q1, q2, q3, q4, q5])
        ours = inverse.solve([x, y, z], d).q
        distance = apart(ours[:, None], np.array(roots)[None])
        assert distance.shape == (8, 8)
        # 1e-16 over margins of 1e-2 squared: type 8 has its own rounding near the edge
        assert distance.min(axis=1).max() < 1e-11
        assert sorted(distance.argmin(axis=1)) == list(range(8))


def test_the_numerical_inverse_finds_no_posture_that_we_do_not_have(arm, random_postures):
    inverse = ArmInverse(arm)
    for q in random_postures(5, seed=11) * np.array([1, 0.5, 0.6, 1, 0.55]):
        p, d = pose(inverse, q)
        ours = inverse.solve(p, d).q
        answers = solve(inverse.model, Target.position_and_axis(p, d)).answers
        assert answers
        for answer in answers:
            # Newton's own tolerance of 1e-10 over margins of 1e-2 or more
            assert apart(ours, answer.q).min() < 1e-7


def test_no_family_is_lost_in_very_many_targets(arm):
    inverse = ArmInverse(arm, "compiled")
    rng = np.random.default_rng(13)
    count = cases(gate=20_000, soak=100_000)
    p, d = rng.uniform(-2.6, 2.6, (count, 3)), rng.normal(size=(count, 3))
    found = inverse.solve(p, d)
    distance = np.linalg.norm(p - [0, 0, 0.40982], axis=-1)
    within = (distance <= 2.5139) & (distance >= 0.5139)
    assert 0.2 < np.mean(within) < 0.8  # the box holds both kinds
    np.testing.assert_array_equal(found.reachable, within)
    np.testing.assert_array_equal(found.solved, np.repeat(within[:, None], 8, axis=1))
    assert not found.lost.any()


def test_a_kernel_that_forgets_a_root_is_caught(arm, random_postures, monkeypatch):
    inverse = ArmInverse(arm)
    p, d = pose(inverse, random_postures(50))
    right = inverse._branches

    def forgetful(*arrays, out=None):
        found = right(*arrays, out=out).copy()
        found[..., 10 + 2] += 1e-6  # q3 of the third family
        return found

    monkeypatch.setattr(inverse, "_branches", forgetful)
    lost = inverse.solve(p, d).lost
    assert lost[:, 2].all()
    assert not np.delete(lost, 2, axis=1).any()


def test_direction_length_does_not_matter_and_batches_broadcast(arm):
    inverse = ArmInverse(arm)
    p, d = np.array([0.8, 0.9, 0.7]), np.array([0.1, -0.2, -0.9])
    for scale in (1e-200, 7.0, 1e200):  # squares of these underflow and overflow
        np.testing.assert_allclose(inverse.solve(p, d * scale).q, inverse.solve(p, d).q, atol=1e-14)
    many = inverse.solve(np.tile(p, (2, 3, 1)), d)
    assert many.q.shape == (2, 3, 8, 5)
    assert many.solved.shape == many.lost.shape == many.margins.wrist.shape == (2, 3, 8)
    assert many.reachable.shape == many.shortfall.shape == (2, 3)
    np.testing.assert_array_equal(many.q[1, 2], inverse.solve(p, d).q)
    empty = inverse.solve(np.zeros((0, 3)), d)
    assert empty.q.shape == (0, 8, 5)


@pytest.mark.parametrize(
    ("p", "d", "near", "part"),
    [
        ([0.8, np.nan, 0.7], [0, 0, -1], None, "1 values that are not finite"),
        ([0.8, 0.1, 0.7], [0, np.inf, -1], None, "1 values that are not finite"),
        ([0.8, 0.1], [0, 0, -1], None, r"shapes \(2,\) and \(3,\)"),
        ([[1, 1, 1], [1, 1, 2]], [[0, 0, -1], [0, 0, 0]], None, r"target \(1,\) has length zero"),
        ([0.8, 0.1, 0.7], [0, 0, -1], [0, 0, 0, np.nan, 0], "five finite angles"),
        ([0.8, 0.1, 0.7], [0, 0, -1], [0, 0, 0], "five finite angles"),
    ],
)
def test_targets_that_are_none_are_refused(arm, p, d, near, part):
    with pytest.raises(StateError, match=part):
        ArmInverse(arm).solve(p, d, near=near)
