"""Postures and rates along probing lines, straight stylus and bent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.arm.equations import FAMILIES
from robots.arm.inverse import ArmInverse, task_bias, task_jacobian

SIDES = {"straight": (0.0, 0.0), "bent": (0.02, -0.03)}


@pytest.fixture(params=SIDES)
def inverse(request, arm, make_tool):
    return ArmInverse(replace(arm, tool=make_tool(-np.pi / 2, 0.15, SIDES[request.param])))


def lines_of(inverse, count, length=0.05, seed=1):
    """Lines from random postures well away from singularities, and those postures. # (n, 17)"""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (20 * count, 5))
    q = q[inverse.margins(q).least > 0.2][:count]
    assert len(q) == count
    T = inverse.model.forward(q)
    u = rng.normal(size=(count, 3))
    tangent = length * u / np.linalg.norm(u, axis=1, keepdims=True)
    theta = q + inverse.family.offsets
    signs = [inverse.family.radius(theta), np.cos(theta[:, 2]), inverse.family.wrist_sine(theta)]
    table = [T[:, :3, 3], tangent, T[:, :3, 2], np.sign(np.stack(signs, axis=1)), q]
    return np.concatenate(table, axis=1)


def test_the_ball_runs_straight_and_the_stylus_keeps_its_direction(inverse):
    lines = lines_of(inverse, 60)
    for lam in (0.0, 0.3, 1.0):
        q = inverse.along_lines(lines, np.full(60, lam))[:, :5]
        T = inverse.model.forward(q)
        np.testing.assert_allclose(T[:, :3, 3], lines[:, :3] + lam * lines[:, 3:6], atol=1e-13)
        np.testing.assert_allclose(T[:, :3, 2], lines[:, 6:9], atol=1e-13)
        if lam == 0.0:
            np.testing.assert_allclose(q, lines[:, 12:], atol=1e-12)


def test_rates_are_the_derivatives_of_the_postures(inverse):
    lines, h = lines_of(inverse, 60), 1e-4
    before, here, after = (
        inverse.along_lines(lines, np.full(60, 0.4 + step)) for step in (-h, 0.0, h)
    )
    # h² times derivatives of a few units, and 1e-14 of the postures over h and h².
    np.testing.assert_allclose((after - before)[:, :5] / (2 * h), here[:, 5:10], atol=1e-8)
    np.testing.assert_allclose((after - before)[:, 5:10] / (2 * h), here[:, 10:], atol=1e-8)


def test_rates_are_those_of_the_square_task(inverse):
    """J5·q' = (tangent, 0) and J5·q'' = -bias, solved as five equations in five unknowns."""
    lines = lines_of(inverse, 100, seed=4)
    q, tangent = lines[:, 12:], lines[:, 3:6]
    J = task_jacobian(inverse.model, q)
    right = np.concatenate([tangent, np.zeros((100, 2))], axis=1)
    first = np.linalg.solve(J, right[..., None])[..., 0]
    second = np.linalg.solve(J, -task_bias(inverse.model, q, first)[..., None])[..., 0]
    dq, ddq = inverse.line_rates(q, tangent)
    np.testing.assert_allclose(dq, first, atol=1e-12)
    np.testing.assert_allclose(ddq, second, atol=1e-12)


def test_the_stylus_may_turn_about_itself(inverse):
    """Holding a direction is not ω = 0: ω lies along the stylus, and is not zero."""
    lines = lines_of(inverse, 40)
    dq, _ = inverse.line_rates(lines[:, 12:], lines[:, 3:6])
    twist = inverse.model.velocity(lines[:, 12:], dq)
    np.testing.assert_allclose(twist[:, :3], lines[:, 3:6], atol=1e-14)
    spin = np.sum(twist[:, 3:] * lines[:, 6:9], axis=1)
    np.testing.assert_allclose(twist[:, 3:], spin[:, None] * lines[:, 6:9], atol=1e-14)
    assert np.abs(spin).max() > 1e-3


def test_whole_turns_of_the_start_are_kept(inverse):
    lines = lines_of(inverse, 20)
    turned = lines.copy()
    turned[:, 12:] += 2 * np.pi * np.array([0, 0, 0, 1, 0])
    lam = np.full(20, 0.7)
    apart = inverse.along_lines(turned, lam) - inverse.along_lines(lines, lam)
    np.testing.assert_allclose(apart[:, 3], 2 * np.pi, atol=1e-12)
    np.testing.assert_allclose(np.delete(apart, 3, axis=1), 0.0, atol=1e-11)


def test_no_jump_along_a_line_on_which_an_angle_passes_half_a_turn(inverse):
    """q1 from 179° to 181°: the line's own angles go on where atan2 would jump."""
    q = np.array([np.pi - 0.01, 0.3, 0.4, 0.8, -0.9])
    T = inverse.model.forward(q)
    tangent = 0.1 * np.array([0, -1.0, 0])
    line = np.concatenate([T[:3, 3], tangent, T[:3, 2], [1, 1, -1], q])
    lam = np.linspace(0, 1, 101)
    found = inverse.along_lines(np.tile(line, (101, 1)), lam)[:, :5]
    assert found[-1, 0] > np.pi
    assert np.abs(np.diff(found, axis=0)).max() < 2e-3


def test_all_families_end_where_the_inverse_of_the_end_is(inverse):
    lines = lines_of(inverse, 10)
    start = inverse.solve(lines[:, :3], lines[:, 6:9])
    end = inverse.solve(lines[:, :3] + lines[:, 3:6], lines[:, 6:9])
    for family in range(8):
        good = start.solved[:, family] & (start.margins.least[:, family] > 0.1)
        assert good.any()
        rows = lines[good].copy()
        rows[:, 9:12], rows[:, 12:] = FAMILIES[family], start.q[good, family]
        found = inverse.along_lines(rows, np.ones(len(rows)))[:, :5]
        apart = np.abs(np.sin(0.5 * (found - end.q[good, family])))
        assert apart.max() < 1e-11
