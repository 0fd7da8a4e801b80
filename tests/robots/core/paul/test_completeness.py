"""Every root that an independent search finds is returned, and every returned root is one.

The equations are written out again here, as printed in table II.1 (type 8 corrected), and searched
by Newton's method from a dense grid of starts with complex-step derivatives: nothing is shared with
the solvers.
"""

import numpy as np
import pytest

from robots.core import paul
from tests.cases import some

S, C = np.sin, np.cos
TURN = np.linspace(-np.pi, np.pi, 16, endpoint=False)
SLIDE = np.linspace(-6.0, 6.0, 16)

# name: solver, coefficients, equations of (coefficients, unknowns), starts per unknown
TYPES = {
    "1": (paul.solve_type_1, "X Y", lambda k, u: [k["X"] * u[0] - k["Y"]], [SLIDE]),
    "2": (
        paul.solve_type_2,
        "X Y Z",
        lambda k, u: [k["X"] * S(u[0]) + k["Y"] * C(u[0]) - k["Z"]],
        [TURN],
    ),
    "3": (
        paul.solve_type_3,
        "X1 Y1 Z1 X2 Y2 Z2",
        lambda k, u: [
            k["X1"] * S(u[0]) + k["Y1"] * C(u[0]) - k["Z1"],
            k["X2"] * S(u[0]) + k["Y2"] * C(u[0]) - k["Z2"],
        ],
        [TURN],
    ),
    "4": (
        paul.solve_type_4,
        "X1 Y1 X2 Y2",
        lambda k, u: [
            k["X1"] * u[1] * S(u[0]) - k["Y1"],
            k["X2"] * u[1] * C(u[0]) - k["Y2"],
        ],
        [TURN, SLIDE],
    ),
    "5": (
        paul.solve_type_5,
        "X1 Y1 Z1 X2 Y2 Z2",
        lambda k, u: [
            k["X1"] * S(u[0]) - k["Y1"] - k["Z1"] * u[1],
            k["X2"] * C(u[0]) - k["Y2"] - k["Z2"] * u[1],
        ],
        [TURN, SLIDE],
    ),
    "6": (
        paul.solve_type_6,
        "W X Y Z1 Z2",
        lambda k, u: [
            k["W"] * S(u[1]) - k["X"] * C(u[0]) - k["Y"] * S(u[0]) - k["Z1"],
            k["W"] * C(u[1]) - k["X"] * S(u[0]) + k["Y"] * C(u[0]) - k["Z2"],
        ],
        [TURN, TURN],
    ),
    "7": (
        paul.solve_type_7,
        "W1 W2 X Y Z1 Z2",
        lambda k, u: [
            k["W1"] * C(u[1]) + k["W2"] * S(u[1]) - k["X"] * C(u[0]) - k["Y"] * S(u[0]) - k["Z1"],
            k["W1"] * S(u[1]) - k["W2"] * C(u[1]) - k["X"] * S(u[0]) + k["Y"] * C(u[0]) - k["Z2"],
        ],
        [TURN, TURN],
    ),
    "8": (
        paul.solve_type_8,
        "X Y Z1 Z2",
        lambda k, u: [
            k["X"] * C(u[0]) + k["Y"] * C(u[0] + u[1]) - k["Z1"],
            k["X"] * S(u[0]) + k["Y"] * S(u[0] + u[1]) - k["Z2"],
        ],
        [TURN, TURN],
    ),
}
SAMPLES = 40


RIGHT_SIDES = {"1": "Y", "2": "Z", "4": "Y1 Y2", "5": "Y1 Y2"}  # Z1 Z2 for the others
SAMPLES = 40
MADE_SOLVABLE = np.arange(SAMPLES) % 3 > 0


def random_coefficients(name, rng):
    """Coefficients; in two of three samples the right sides are moved so that a root exists."""
    _, names, equations, starts = TYPES[name]
    k = {key: rng.uniform(-2.0, 2.0, SAMPLES) for key in names.split()}
    gaps = equations(k, [rng.uniform(-3.0, 3.0, SAMPLES) for _ in starts])
    for right, gap in zip(RIGHT_SIDES.get(name, "Z1 Z2").split(), gaps, strict=True):
        k[right] = k[right] + np.where(MADE_SOLVABLE, gap, 0.0)
    return k


def searched(name, k):
    """Unknowns (U, samples, starts) after Newton from the grid, and which of them are roots."""
    _, _, equations, starts = TYPES[name]
    wide = {key: value[:, None] for key, value in k.items()}
    grid = [axis.ravel() for axis in np.meshgrid(*starts)]
    u = np.array([np.tile(axis, (SAMPLES, 1)) for axis in grid])
    h = 1e-30
    for _ in range(40):
        gap = np.stack(equations(wide, u), axis=-1)
        columns = []
        for j in range(len(u)):
            tilted = u.astype(complex)
            tilted[j] += 1j * h
            columns.append(
                np.stack(np.broadcast_arrays(*equations(wide, tilted)), axis=-1).imag / h
            )
        J = np.stack(columns, axis=-1)
        JT = np.swapaxes(J, -1, -2)
        normal = JT @ J + 1e-14 * np.eye(len(u))
        step = np.linalg.solve(normal, JT @ gap[..., None])[..., 0]
        size = np.linalg.norm(step, axis=-1, keepdims=True)
        u = u - np.moveaxis(step / np.maximum(1.0, 2.0 * size), -1, 0)  # at most 0.5 per step
    gap = np.abs(np.stack(equations(wide, u), axis=-1)).max(axis=-1)
    return u, gap < 1e-11


def distances(name, found, roots):
    """Distance of each found root to the nearest returned one. # (found)."""
    gap = found[:, None, :] - roots[None, :, :]
    angular = [axis is TURN for axis in TYPES[name][3]]
    gap[..., angular] = (gap[..., angular] + np.pi) % (2.0 * np.pi) - np.pi
    return np.linalg.norm(gap, axis=-1).min(axis=1, initial=np.inf)


@pytest.mark.parametrize("name", some(TYPES, gate=3))
def test_returned_roots_are_exactly_those_that_a_search_finds(name):
    solve = TYPES[name][0]
    k = random_coefficients(name, np.random.default_rng(20 + int(name)))
    answer = solve(**k)
    u, converged = searched(name, k)
    assert converged.any(axis=-1)[MADE_SOLVABLE].all()  # the search itself is not empty-handed
    for i in range(SAMPLES):
        found = u[:, i, converged[i]].T
        roots = answer.roots[i, answer.valid[i]]
        # Newton stops at a residual of 1e-11; a root this random is well-conditioned to 1e-6.
        assert (distances(name, found, roots) < 1e-5).all()
        in_grid = roots[(np.abs(roots) <= SLIDE[-1]).all(axis=1)]
        assert (distances(name, in_grid, found) < 1e-5).all()


@pytest.mark.parametrize("name", TYPES)
def test_every_returned_root_satisfies_the_printed_equations(name):
    solve, _, equations, _ = TYPES[name]
    k = random_coefficients(name, np.random.default_rng(40 + int(name)))
    answer = solve(**k)
    wide = {key: value[:, None] for key, value in k.items()}
    gap = np.abs(np.stack(equations(wide, np.moveaxis(answer.roots, -1, 0)), axis=-1)).max(axis=-1)
    assert answer.valid.any()
    # A dozen operations on numbers up to 2; type 4's length may be larger.
    assert gap[answer.valid].max() < 1e-13
    # The residual that the solver states is this imbalance.
    assert answer.residual[answer.valid] == pytest.approx(gap[answer.valid], abs=1e-14)
    assert np.isnan(answer.residual[~answer.valid]).all()
    assert np.isnan(answer.roots[~answer.valid]).all()


def test_type_8_as_printed_does_not_solve_the_two_link_arm():
    # The source prints X cos θi in the second line; no posture of the arm satisfies that.
    X, Y, ti, tj = 1.0, 0.8, 0.6, 0.9
    Z1, Z2 = X * C(ti) + Y * C(ti + tj), X * S(ti) + Y * S(ti + tj)
    theta_i, theta_j = paul.solve_type_8(X, Y, Z1, Z2).roots[0]
    assert (theta_i, theta_j) == pytest.approx((ti, tj), abs=1e-15 * 8)
    assert abs(X * C(theta_i) + Y * S(theta_i + theta_j) - Z2) > 0.2
