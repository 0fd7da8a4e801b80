"""The three worked Jacobians of [COURSE-JAC], corrected, against the model at random postures."""

import numpy as np
import pytest

from robots.core.model import Model
from robots.library import load


def states(model, count=20):
    return np.random.default_rng(1).uniform(-np.pi, np.pi, (count, model.dof))


def stacked(rows):
    """Rows of batched entries as a batch of matrices."""
    return np.stack([np.stack(np.broadcast_arrays(*row), axis=-1) for row in rows], axis=-2)


def test_planar_3r():
    """ "Manipulateur planaire à 3 segments": J as printed."""
    model = Model(load("planar-3r"))
    a1, a2, a3 = 0.5, 0.4, 0.3
    q = states(model)
    t1, t12, t123 = q[:, 0], q[:, :2].sum(1), q.sum(1)
    s1, s12, s123 = np.sin(t1), np.sin(t12), np.sin(t123)
    c1, c12, c123 = np.cos(t1), np.cos(t12), np.cos(t123)
    zero, one = 0 * s1, 1 + 0 * s1
    J = stacked(
        [
            [-a1 * s1 - a2 * s12 - a3 * s123, -a2 * s12 - a3 * s123, -a3 * s123],
            [a1 * c1 + a2 * c12 + a3 * c123, a2 * c12 + a3 * c123, a3 * c123],
            [zero] * 3,
            [zero] * 3,
            [zero] * 3,
            [one] * 3,
        ]
    )
    assert model.jacobian(q) == pytest.approx(J, abs=1e-14)


def test_anthropomorphic():
    """ "Manipulateur anthropomorphe": J as printed."""
    model = Model(load("anthropomorphic"))
    a2, a3 = 0.5, 0.4
    q = states(model)
    t1, t2, t23 = q[:, 0], q[:, 1], q[:, 1] + q[:, 2]
    s1, c1, s2, c2, s23, c23 = (
        np.sin(t1),
        np.cos(t1),
        *(f(t) for t in (t2, t23) for f in (np.sin, np.cos)),
    )
    zero, one = 0 * s1, 1 + 0 * s1
    reach, rise = a2 * c2 + a3 * c23, a2 * s2 + a3 * s23
    J = stacked(
        [
            [-s1 * reach, -c1 * rise, -a3 * c1 * s23],
            [c1 * reach, -s1 * rise, -a3 * s1 * s23],
            [zero, reach, a3 * c23],
            [zero, s1, s1],
            [zero, -c1, -c1],
            [one, zero, zero],
        ]
    )
    assert model.jacobian(q) == pytest.approx(J, abs=1e-14)


def test_the_remark_on_the_anthropomorphic_arm_corrected():
    """wx·cos θ1 = -wy·sin θ1; as printed (wx·sin θ1 = -wy·cos θ1) it does not hold."""
    model = Model(load("anthropomorphic"))
    q, qd = states(model), states(model)[::-1]
    w = model.velocity(q, qd)[:, 3:]
    s1, c1 = np.sin(q[:, 0]), np.cos(q[:, 0])
    assert w[:, 0] * c1 == pytest.approx(-w[:, 1] * s1, abs=1e-14)
    assert np.max(np.abs(w[:, 0] * s1 + w[:, 1] * c1)) > 0.1


def test_stanford():
    """ "Manipulateur Stanford": zi, p3, p6 as printed, α = (-π/2, π/2, 0, -π/2, π/2, 0)."""
    model = Model(load("stanford"))
    d2, d6 = 0.15367, 0.26289
    q = states(model)
    (s1, s2, _, s4, s5, _), (c1, c2, _, c4, c5, _) = np.sin(q).T, np.cos(q).T
    d3, zero, one = q[:, 2], 0 * s1, 1 + 0 * s1
    vector = lambda *xyz: np.stack(np.broadcast_arrays(*xyz), axis=-1)  # noqa: E731
    z0, z1 = vector(zero, zero, one), vector(-s1, c1, zero)
    z2 = z3 = vector(c1 * s2, s1 * s2, c2)
    z4 = vector(-c1 * c2 * s4 - s1 * c4, -s1 * c2 * s4 + c1 * c4, s2 * s4)
    z5 = vector(
        c1 * (c2 * c4 * s5 + s2 * c5) - s1 * s4 * s5,
        s1 * (c2 * c4 * s5 + s2 * c5) + c1 * s4 * s5,
        -s2 * c4 * s5 + c2 * c5,
    )
    p0 = p1 = vector(zero, zero, zero)
    p3 = vector(d3 * c1 * s2 - d2 * s1, d3 * s1 * s2 + d2 * c1, d3 * c2)
    p6 = p3 + d6 * z5
    turning = [(z0, p0), (z1, p1), None, (z3, p3), (z4, p3), (z5, p3)]
    columns = [
        np.concatenate([z2, 0 * z2], -1)
        if joint is None
        else np.concatenate([np.cross(joint[0], p6 - joint[1]), joint[0]], -1)
        for joint in turning
    ]
    assert model.forward(q)[:, :3, 3] == pytest.approx(p6, abs=1e-14)
    assert model.jacobian(q) == pytest.approx(np.stack(columns, axis=-1), abs=1e-13)
