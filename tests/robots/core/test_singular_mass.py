"""Forward dynamics where mass matrices may be singular."""

from __future__ import annotations

import numpy as np

from robots.core.joint_samples import joint_samples, unit_samples
from robots.core.model import Model
from robots.core.singular_mass import accelerations, is_singular_mass
from robots.library import load


def test_accelerations_ask_for_the_torques_that_made_them():
    """Against inverse dynamics with the same wrench, an equation of its own."""
    model = Model(load("industrial-6r"))
    n = model.dof
    q = joint_samples(model.mechanism, 8, slide=1.0)
    qd, tau = (5.0 * part for part in np.split(2.0 * unit_samples(8, 2 * n) - 1.0, 2, axis=1))
    wrench = 3.0 * unit_samples(8, 6)
    found = accelerations(model, q, qd, tau, wrench)
    assert not np.any(found.singular)
    np.testing.assert_allclose(model.torques(q, qd, found.qdd, wrench), tau, atol=1e-9)


def test_a_robot_without_inertia_has_no_accelerations():
    model = Model(load("planar-3r"))
    q = np.zeros((2, 3))
    found = accelerations(model, q, q, q)
    assert np.all(found.singular)
    assert np.all(np.isnan(found.qdd))


def test_units_do_not_decide_what_is_singular():
    M = np.array([[2.0, 1.0], [1.0, 2.0]])
    scale = np.diag([1e-6, 1e6])
    same = np.ones((2, 2))
    assert is_singular_mass(np.array([M, scale @ M @ scale, same])).tolist() == [False, False, True]
