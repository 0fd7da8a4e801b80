"""Joint positions of given motors: the round trip over whole ranges."""

import numpy as np

from robots.core.transmission.screws import root_in_box

BOX = np.array([[-2.0, 2.0], [-1.0, 1.0]])


def twisted(q):
    x, y = q[..., 0], q[..., 1]
    return np.stack([x**3 + 0.05 * x + 0.2 * y, y**3 + y], axis=-1)


def slopes(q):
    x, y = q[..., 0], q[..., 1]
    rows = [[3.0 * x**2 + 0.05, 0.2 + 0.0 * y], [0.0 * x, 3.0 * y**2 + 1.0]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def test_it_finds_roots_where_plain_newton_runs_away():
    """In the middle x³ + 0.05 x is nearly flat: a full step for 1 would go to x = 20."""
    q = np.random.default_rng(3).uniform(BOX[:, 0], BOX[:, 1], (300, 2))
    found = root_in_box(twisted, slopes, twisted(q), BOX)
    np.testing.assert_allclose(found, q, atol=1e-11)


def test_a_target_without_root_ends_in_the_box_with_a_residual():
    found = root_in_box(twisted, slopes, np.array([[20.0, 0.0], [0.3, 0.1]]), BOX)
    assert (found >= BOX[:, 0]).all()
    assert (found <= BOX[:, 1]).all()
    left = np.abs(twisted(found) - [[20.0, 0.0], [0.3, 0.1]]).max(axis=-1)
    assert left[0] > 1.0
    assert left[1] < 1e-13


def test_no_targets_at_all():
    assert root_in_box(twisted, slopes, np.empty((0, 2)), BOX).shape == (0, 2)
