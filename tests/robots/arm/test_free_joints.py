"""Degenerate targets: named, solved, and the free joint stays where the arm stands."""

from __future__ import annotations

import numpy as np
import pytest

from robots.arm.inverse import FREE, ArmInverse

D3, R4, R1 = 1.0, 1.5139, 0.40982


def apart(a, b):
    return np.max(np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi), axis=-1)


def pose(inverse, q):
    T = inverse.model.forward(q)
    return T[..., :3, 3], T[..., :3, 2]


def on_first_axis(q1, q3, q4, q5):
    """A posture whose wrist centre is on the first joint's axis: d·C2 + r·S23 = 0."""
    q2 = np.arctan2(D3 + R4 * np.sin(q3), -R4 * np.cos(q3))
    return np.array([q1, q2, q3, q4, q5])


def test_the_shoulder_joint_stays_and_is_named(arm):
    inverse = ArmInverse(arm)
    q = on_first_axis(1.234, 0.6, 0.5, -0.8)
    found = inverse.solve(*pose(inverse, q), near=q)
    assert found.solved.all()
    assert not found.lost.any()
    np.testing.assert_allclose(found.q[:, 0], 1.234, atol=1e-15)
    assert apart(found.q, q).min() < 1e-12
    for family in range(8):
        assert found.margins.at((family,)).degenerate == ["shoulder"]
    free = inverse.solve(*pose(inverse, q))
    assert free.solved.all()


def test_the_forearm_joint_stays_and_is_named(arm):
    inverse = ArmInverse(arm)
    q = np.array([0.3, -0.2, 0.7, 2.1, 0.0])  # stylus along -y5: q5 = 0 lies along the forearm
    found = inverse.solve(*pose(inverse, q), near=q)
    assert found.solved.all()
    assert apart(found.q, q).min() < 1e-12
    aligned = found.margins.wrist <= FREE
    assert aligned.any()
    np.testing.assert_allclose(found.q[aligned, 3], 2.1, atol=1e-15)
    assert all("wrist" in found.margins.at((k,)).degenerate for k in np.nonzero(aligned)[0])


def test_offsets_count_in_the_free_joint(make_arm, make_tool):
    inverse = ArmInverse(make_arm(offsets=(0.5, 0, 0, -0.7, 0), tool=make_tool(-np.pi / 2, 0.1)))
    q = np.array([0.3, -0.2, 0.7, 2.1, 0.0])
    found = inverse.solve(*pose(inverse, q), near=q)
    assert found.solved.all()
    assert apart(found.q, q).min() < 1e-12


def test_both_free_at_once(arm):
    inverse = ArmInverse(arm)
    q = on_first_axis(-2.0, -0.4, 1.1, 0.0)
    found = inverse.solve(*pose(inverse, q), near=q)
    assert found.solved.all()
    best = int(apart(found.q, q).argmin())
    assert apart(found.q[best], q) < 1e-12
    assert found.margins.at((best,)).degenerate == ["shoulder", "wrist"]


@pytest.mark.parametrize("degeneracy", ["shoulder", "wrist"])
def test_a_path_through_the_degeneracy_is_continuous(arm, degeneracy):
    """The nearest solution follows a joint path whose middle posture is degenerate."""
    inverse = ArmInverse(arm)
    middle = on_first_axis(0.9, 0.6, 0.5, -0.8)
    if degeneracy == "wrist":
        middle = np.array([0.3, -0.2, 0.7, 2.1, 0.0])
    direction = np.array([0.0, 0.3, -0.2, 0.0, 0.5])
    places = np.linspace(-0.1, 0.1, 201)
    assert places[100] == 0.0
    path = middle + places[:, None] * direction
    near = path[0]
    for q in path:
        found = inverse.solve(*pose(inverse, q), near=near)
        assert found.solved.all()
        near = found.q[apart(found.q, near).argmin()]
        # at margins of 5e-4 and more the joints keep twelve digits
        assert apart(near, q) < 1e-10


@pytest.mark.parametrize("distance", [0.0, 1e-13, 0.9 * FREE, 1.1 * FREE, 1e-8])
def test_nothing_is_lost_near_the_first_axis(arm, distance):
    """A joint is only taken as free where that costs less than a solution may miss."""
    inverse = ArmInverse(arm)
    p, d = np.array([0.0, distance, 1.6]), np.array([0.3, -0.2, -0.8])
    for near in (None, [2.0, 0, 0, 0, 0]):
        found = inverse.solve(p, d, near=near)
        assert found.solved.all()
        assert not found.lost.any()


@pytest.mark.parametrize("angle", [0.0, 1e-13, 0.9 * FREE, 1.1 * FREE, 1e-8])
def test_nothing_is_lost_near_the_forearm(arm, angle):
    inverse = ArmInverse(arm)
    p, d = pose(inverse, np.array([0.3, -0.2, 0.7, 2.1, angle]))
    found = inverse.solve(p, d, near=[0, 0, 0, -1.0, 0])
    assert found.solved.all()


@pytest.mark.parametrize("inner", [True, False])
def test_at_the_edge_of_reach_the_double_root_is_kept_and_named(arm, inner):
    inverse = ArmInverse(arm)
    q = np.array([0.4, 0.3, -np.pi / 2 if inner else np.pi / 2, 1.0, -0.9])
    found = inverse.solve(*pose(inverse, q))
    assert found.solved.all()
    assert not found.lost.any()
    # At a double root joints are known to the root of the rounding: √(8e-16) is 3e-8.
    assert apart(found.q, q).min() < 2e-7
    assert apart(found.q[0], found.q[2]) < 4e-7
    assert abs(found.shortfall) < 1e-15
    assert found.margins.at((0,)).degenerate == ["elbow"]
    assert inverse.margins(q).degenerate == ["elbow"]


@pytest.mark.parametrize("step", [1e-15, 1e-13, 1e-11, 1e-9, 1e-6, 1e-3])
def test_inside_the_edge_nothing_is_lost(arm, step):
    inverse = ArmInverse(arm)
    rng = np.random.default_rng(5)
    d = rng.normal(size=(200, 3))
    u = d / np.linalg.norm(d, axis=1, keepdims=True)
    for radius in (D3 + R4 - step, R4 - D3 + step):
        found = inverse.solve(u * radius + [0, 0, R1], rng.normal(size=(200, 3)))
        assert found.solved.all()
        assert found.reachable.all()
        assert found.position_error.max() < 1e-12


@pytest.mark.parametrize("step", [1e-8, 1e-6, 1e-3, 1.0])
def test_beyond_the_edge_the_shortfall_is_the_distance_to_it(arm, step):
    inverse = ArmInverse(arm)
    u = np.array([0.48, 0.6, 0.64])
    beyond = inverse.solve(u * (D3 + R4 + step) + [0, 0, R1], [0, 0, -1])
    within = inverse.solve(u * max(R4 - D3 - step, 0.0) + [0, 0, R1], [0, 0, -1])
    for found, amount in ((beyond, step), (within, min(step, R4 - D3))):
        assert not found.solved.any()
        assert not found.reachable
        assert not found.lost.any()
        assert np.all(np.isfinite(found.q))
        np.testing.assert_allclose(found.shortfall, amount, atol=1e-14)
        # the clamped arm points at the target: what is missing is the shortfall itself
        np.testing.assert_allclose(found.position_error, amount, atol=1e-12)


def test_the_shoulder_itself(arm, make_arm):
    """Out of reach for arms of two lengths; for equal ones q1 and q2 are both free."""
    p, d = np.array([0.0, 0.0, R1]), np.array([0.3, -0.2, -0.8])
    for engine in ("numpy", "compiled"):
        found = ArmInverse(arm, engine).solve(p, d)
        assert np.all(np.isfinite(found.q))
        assert not found.reachable
        assert not found.lost.any()
        np.testing.assert_allclose(found.shortfall, R4 - D3)
        folded = ArmInverse(make_arm(r1=R1, d3=0.7, r4=0.7), engine)
        near = np.array([0.5, 1.2, -np.pi / 2, 0.0, 0.0])
        found = folded.solve(p, d, near=near)
        assert found.solved.all()
        np.testing.assert_allclose(found.q[:, :3], np.tile(near[:3], (8, 1)), atol=1e-15)
        assert found.margins.at((0,)).degenerate[:2] == ["shoulder", "elbow"]
