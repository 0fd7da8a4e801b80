"""Closed forms, SciPy's SLSQP, and samples of the rivals that a global proof rules out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from parts.fits.fitting import fit, model_of
from parts.fits.global_optimality import inradius, narrowest, rivals
from parts.fits.zone import circumscribed, inscribed, minimum_zone
from tests.cases import cases, some


def polygon(n, radius=1.0, phase=0.1):
    angle = phase + np.arange(n) * 2.0 * np.pi / n
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def test_two_interlaced_squares_have_their_own_annulus():
    points = np.concatenate([polygon(4, 1.0), polygon(4, 0.9, phase=0.1 + np.pi / 4)])
    zone = minimum_zone("circle2d", points)
    assert zone.width == pytest.approx(0.1, rel=1e-14)
    assert np.abs(zone.geometry.centre).max() < 1e-14
    assert zone.geometry.radius == pytest.approx(0.95, rel=1e-14)
    assert circumscribed("circle2d", points).diameter == pytest.approx(2.0, rel=1e-14)
    assert inscribed("circle2d", points).diameter == pytest.approx(1.8, rel=1e-14)


def test_two_points_can_hold_a_circumscribed_circle():
    points = np.concatenate([polygon(16, 0.99), [[1.0, 0.0], [-1.0, 0.0]]])
    about = circumscribed("circle2d", points)
    assert about.diameter == pytest.approx(2.0, rel=1e-14)
    assert about.contacts.tolist() == [16, 17]
    np.testing.assert_allclose(about.multipliers, 0.5, atol=1e-12)
    # λ-weighted second derivative 1/r across the two, in units of an rms distance per step
    assert 0.0 < about.certificate.curvature < np.inf


def test_a_saddle_is_left():
    """Points of an ellipse's ends hold an inscribed circle in no direction along it."""
    angle = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    points = np.stack([1.05 * np.cos(angle), np.sin(angle)], axis=1)
    points = np.delete(points, [14, 15, 16, 44, 45, 46], axis=0)
    amid = inscribed("circle2d", np.concatenate([points, [[0.0, 0.95], [0.0, -0.95]]]))
    assert len(amid.contacts) == 3  # two of them alone are a saddle
    assert amid.certificate.optimal


def test_corners_of_a_bent_plate():
    """Corners up and down by h in turn: z = h x y; the zone is 2 h wide and level."""
    h = 1e-3
    points = np.array([[1.0, 1.0, h], [-1.0, 1.0, -h], [-1.0, -1.0, h], [1.0, -1.0, -h]])
    zone = minimum_zone("plane", points)
    assert zone.width == pytest.approx(2.0 * h, rel=1e-12)
    np.testing.assert_allclose(zone.multipliers, 0.25, atol=1e-12)
    assert abs(abs(zone.geometry.axis[2]) - 1.0) < 1e-15


def test_a_line_in_space_is_held_round_by_its_worst_points():
    h = np.linspace(-1.0, 1.0, 21)
    points = np.stack([1e-3 * (h**2), 0.0 * h, h], axis=1)  # a bow: sagitta 1e-3
    points[:, 1] += 1e-5 * np.cos(7.0 * h)
    zone = minimum_zone("line3d", points)
    assert zone.width == pytest.approx(1e-3, rel=2e-2)
    assert zone.width >= 1e-3


def test_straightness_along_a_direction_sees_that_direction_only():
    h = np.linspace(-1.0, 1.0, 21)
    points = np.stack([1e-3 * h**2, 3e-4 * h**3, h], axis=1)
    bow = minimum_zone("line3d", points, direction=[1.0, 0.0, 0.2])
    assert bow.width == pytest.approx(1e-3, rel=1e-5)  # the plane of the line is tilted by 1e-4
    assert bow.geometry.axis[0] > 0.999  # towards the direction
    np.testing.assert_allclose(bow.geometry.distance(points), bow.residuals, atol=1e-12)
    # Chebyshev: the cubic h³ less its best line is T₃/4, so 2 · 1/4 wide; 21 points have ±0.5
    side = minimum_zone("line3d", points, direction=[0.0, -1.0, 0.0])
    assert side.width == pytest.approx(0.5 * 3e-4, rel=1e-5)
    assert side.proved == "global"


@pytest.mark.parametrize("kind", some(["line3d", "cylinder", "cone", "torus", "sphere"], gate=1))
@pytest.mark.parametrize("seed", range(cases(gate=1, soak=2)))
def test_slsqp_finds_nothing_narrower(kind, seed, rough):
    points = rough(kind, seed=seed, count=20).points
    fitted = fit(kind, points)
    zone = minimum_zone(kind, points, fitted)
    model = model_of(kind)
    state, columns = model.state_of(fitted.shape), np.ascontiguousarray(points.T)
    unit = 1e-4  # the width's size: SLSQP wants unknowns near one

    def heights(x):
        moved = state.moved(model.freedoms, unit * x[:-1])
        d = model.level(moved.local(columns), moved.sizes).distance / unit
        return np.concatenate([x[-1] - d, x[-1] + d])

    found = np.inf
    rng = np.random.default_rng(seed)
    for _ in range(4):
        start = np.append(rng.normal(size=model.count), 0.5 * fitted.form_error / unit)
        end = minimize(
            lambda x: x[-1],
            start,
            method="SLSQP",
            constraints={"type": "ineq", "fun": heights},
            options={"maxiter": 200, "ftol": 1e-13},
        )
        if heights(end.x).min() > -1e-8:
            found = min(found, 2.0 * unit * end.x[-1])
    assert zone.width <= found * (1.0 + 1e-7)  # SLSQP's constraints hold to 1e-8
    assert found == pytest.approx(zone.width, rel=1e-3)  # it is the same optimum or near it


@pytest.mark.parametrize("side", some([circumscribed, inscribed], gate=1))
@pytest.mark.parametrize("seed", range(cases(gate=1, soak=2)))
def test_slsqp_finds_no_better_cylinder(side, seed, rough):
    points = rough("cylinder", seed=seed, count=20).points
    fitted, sign = fit("cylinder", points), 1.0 if side is circumscribed else -1.0
    ours = side("cylinder", points, fitted)
    model, unit, radius = model_of("cylinder"), 1e-4, fitted.shape.radius
    state, columns = model.state_of(fitted.shape), np.ascontiguousarray(points.T)

    def clear(x):
        moved = state.moved(model.freedoms, unit * np.append(x[:-1], 0.0))
        d = model.level(moved.local(columns), moved.sizes).distance / unit
        return sign * (x[-1] - d)

    end = minimize(
        lambda x: sign * x[-1],
        np.zeros(5),
        method="SLSQP",
        constraints={"type": "ineq", "fun": clear},
        options={"maxiter": 200, "ftol": 1e-13},
    )
    theirs = 2.0 * (radius + unit * end.x[-1])
    assert sign * (ours.diameter - theirs) <= 1e-10
    assert ours.diameter == pytest.approx(theirs, rel=1e-5)


@pytest.mark.parametrize("kind", ["circle2d", "sphere"])
@pytest.mark.parametrize("seed", range(cases(gate=1, soak=3)))
def test_no_other_centre_beats_a_global_proof(kind, seed, rough):
    sizes = {"cap": np.pi} if kind == "sphere" else {}
    points = rough(kind, seed=seed, count=60, noise=3e-4, **sizes).points
    zone = minimum_zone(kind, points)
    assert zone.proved == "global"
    assert zone.certificate.sharpness > 0.0
    amid = inscribed(kind, points)
    rng = np.random.default_rng(seed)
    d = points.shape[1]
    count = cases(gate=4_000, soak=20_000)
    steps = rng.normal(size=(count, d)) * 10.0 ** rng.uniform(-6.0, 0.0, (count, 1))
    rho = np.linalg.norm(points[None] - (zone.geometry.centre + steps)[:, None], axis=2)
    assert np.ptp(rho, axis=1).min() >= zone.width
    # amid the points: means of them
    centres = rng.dirichlet(np.full(len(points), 0.3), count // 4) @ points
    clear = np.linalg.norm(points[None] - centres[:, None], axis=2).min(axis=1)
    assert 2.0 * clear.max() <= amid.diameter


def even_cylinder(*, lobes=0.0, rounded=None):
    """Rings of 18 or 36 points, with three lobes or rounded coordinates."""
    count = cases(gate=18, soak=36)
    t, h = np.meshgrid(np.arange(count) * 2 * np.pi / count, np.arange(5) * 0.01)
    r = 0.02 + lobes * np.cos(3.0 * t)
    points = np.stack([r * np.cos(t), r * np.sin(t), h], axis=-1).reshape(-1, 3)
    return points if rounded is None else np.round(points, rounded)


def test_even_sets_that_touch_in_more_points_than_hold_them():
    points = even_cylinder(lobes=1e-5)
    fitted = fit("cylinder", points)
    zone = minimum_zone("cylinder", points, fitted)
    assert zone.width <= fitted.form_error
    assert zone.width == pytest.approx(2e-5, rel=1e-9)
    assert zone.certificate.optimal
    assert circumscribed("cylinder", points).diameter == pytest.approx(0.04002, rel=1e-13)
    assert inscribed("cylinder", points).diameter == pytest.approx(0.03998, rel=1e-13)
    raw = even_cylinder(rounded=5)
    for bound in some((minimum_zone, circumscribed, inscribed), gate=1):
        assert bound("cylinder", raw).certificate.optimal


def test_a_chessboard_of_heights():
    g = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    heights = 1e-3 * (-1.0) ** (g[:, 0] + g[:, 1])
    zone = minimum_zone("plane", np.column_stack([g, heights]))
    assert zone.width == pytest.approx(2e-3, rel=1e-12)
    assert zone.certificate.optimal
    assert zone.proved == "global"


def test_a_short_arc_is_not_called_global(rough):
    points = rough("circle2d", count=40, noise=1e-5, sweep=np.radians(60.0)).points
    zone = minimum_zone("circle2d", points)
    assert zone.proved == "local"
    assert "not a proof" in zone.certificate.proof
    assert zone.certificate.starts > 1
    assert zone.certificate.optimal


def test_the_inradius_is_that_of_the_ball_about_zero():
    assert inradius(polygon(6)) == pytest.approx(np.cos(np.pi / 6))
    assert inradius(polygon(6) + np.array([2.0, 0.0])) == 0.0
    assert inradius(polygon(6)[:3]) == 0.0
    assert inradius(np.array([[-0.2], [0.5]])) == 0.2
    assert inradius(np.array([[1.0, 0.0], [-1.0, 0.0], [0.5, 0.0]])) == 0.0


def test_a_tetrahedron_is_narrowest_between_two_edges():
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
    found = narrowest(corners)
    assert found.whole
    assert np.ptp(corners @ found.normal) == pytest.approx(2.0)  # its faces are 4/√3 away
    assert not narrowest(np.zeros((5, 3))).whole


@pytest.mark.parametrize("kind", ["plane", "circle2d", "cylinder"])
def test_large_sets_agree_with_their_extreme_points(kind, rough):
    points = rough(kind, count=20_000).points
    zone = minimum_zone(kind, points)
    assert np.abs(zone.residuals).max() <= 0.5 * zone.width + 1e-13
    few = np.argsort(-np.abs(zone.residuals))[:300]
    again = minimum_zone(kind, points[few])
    assert again.width == pytest.approx(zone.width, rel=1e-9)


def test_a_rival_centre_is_met_or_ruled_out():
    """Two annuli about centres 0.3 apart; from the wider one the search meets the narrower."""
    points = np.concatenate([polygon(40, 1.0), polygon(40, 1.02, phase=0.15)])
    away = points + np.array([0.3, 0.0])
    width = float(np.ptp(np.linalg.norm(away, axis=1)))
    met = rivals(away, width, 0.1, 1.0)
    assert not met.none
    assert np.ptp(np.linalg.norm(away - met.centre, axis=1)) < width
    assert rivals(points, 0.02, 0.02, 0.5).none
    assert rivals(points, 0.02, 0.02, 0.5).centre is None


def test_a_bowl_whose_contacts_barely_hold_it_is_proved_by_their_neighbours():
    """The lowest point is 1 mm off the diagonal of two highest corners: s is far below W."""
    rng = np.random.default_rng(1)
    corners = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 0.99], [1e-3, 0.0]])
    xy = np.concatenate([corners, rng.uniform(-0.9, 0.9, (200, 2))])
    points = np.column_stack([xy, 0.02 * np.sum(xy**2, axis=1)])
    zone = minimum_zone("plane", points)
    assert 0.0 < zone.certificate.sharpness < 0.1 * zone.width
    assert zone.proved == "global"
    found = narrowest(points)
    assert found.whole
    assert zone.width == pytest.approx(np.ptp(points @ found.normal), rel=1e-9)
