"""Laws of the fits: rigid motions and scale, the outside, SciPy's answer, derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from parts.errors import FitError
from parts.fits.fitting import FIT_KINDS, fit, model_of
from parts.fits.least_squares import (
    FeatureState,
    FeatureStates,
    curvature_of,
    minimise,
    minimise_each,
    second_order,
    turn,
)
from parts.fits.solver import cloud_of, minimum_of
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Torus
from tests.cases import cases

SURFACES = ("plane", "sphere", "cylinder", "cone", "torus")
MODELS = tuple(kind for kind in FIT_KINDS if kind != "circle3d")


@given(st.integers(0, 10_000), st.sampled_from(FIT_KINDS), st.floats(-3.0, 3.0))
@settings(max_examples=cases(gate=10, soak=60))
def test_a_motion_and_a_scale_carry_the_fit_with_them(known, seed, kind, exponent):
    case = known(kind, seed=seed, place=False, amplitude=1e-4)
    rng = np.random.default_rng(seed)
    scale, d = 10.0**exponent, case.points.shape[1]
    R = Rotation.random(rng=rng).as_matrix()
    if d == 2:
        R = np.array([[0.6, -0.8], [0.8, 0.6]])
    before = fit(kind, case.points, outward=case.normals)
    moved = scale * (case.points @ R.T + rng.normal(size=d))
    after = fit(kind, moved, outward=case.normals @ R.T)
    # 4e-16 m of rounding at 1 m, times the condition of the feature
    assert np.abs(after.residuals / scale - before.residuals).max() < 1e-12
    for name, derived in before.derived.items():
        if derived.unit != "1" and len(derived.value) == 1:
            unit = 1.0 if derived.unit == "rad" else scale
            assert np.abs(after.value(name) / unit - derived.value).max() < 1e-11
            ours = after.deviation_of(name) / unit
            assert ours == pytest.approx(before.deviation_of(name), rel=1e-7)


@pytest.mark.parametrize("kind", ["circle2d", "circle3d", "sphere", "cylinder", "cone", "torus"])
def test_a_hole_has_its_outside_within(kind, known):
    case = known(kind)
    solid, hole = fit(kind, case.points), fit(kind, case.points, hollow=True)
    seen = fit(kind, case.points, outward=-case.normals)
    assert hole.shape.reversed
    assert not solid.shape.reversed
    np.testing.assert_array_equal(hole.residuals, -solid.residuals)
    np.testing.assert_array_equal(seen.residuals, hole.residuals)
    inward = np.sum(hole.shape.normal(case.points) * case.normals, axis=1)
    np.testing.assert_allclose(inward, -1.0, atol=1e-9)


def test_a_planes_axis_is_its_outward_normal(known):
    case = known("plane")
    up = fit("plane", case.points, outward=case.normals[0])
    down = fit("plane", case.points, outward=-case.normals)
    assert up.value("axis") @ case.normals[0] > 0.999
    np.testing.assert_array_equal(down.value("axis"), -up.value("axis"))
    np.testing.assert_array_equal(down.shape.axis, down.value("axis"))
    np.testing.assert_array_equal(down.residuals, -up.residuals)
    np.testing.assert_array_equal(down.covariance_of("axis"), up.covariance_of("axis"))


def _surface(kind, x):
    """A surface of the house from unconstrained numbers."""
    axis = x[3:6] / np.linalg.norm(x[3:6])
    if kind == "plane":
        return Plane(point=x[:3], axis=axis)
    if kind == "sphere":
        return Sphere(centre=x[:3], radius=abs(x[6]))
    if kind == "cylinder":
        return Cylinder(point=x[:3], axis=axis, radius=abs(x[6]))
    if kind == "cone":
        return Cone(apex=x[:3], axis=axis, half_angle=x[6])
    return Torus(centre=x[:3], axis=axis, major_radius=x[6], minor_radius=x[7])


def _numbers(shape):
    """The inverse of ``_surface``."""
    place = next(getattr(shape, n) for n in ("point", "centre", "apex") if hasattr(shape, n))
    sizes = [
        getattr(shape, n) for n in ("radius", "half_angle", "major_radius") if hasattr(shape, n)
    ]
    sizes += [getattr(shape, "minor_radius", 0.0)]
    return np.array([*place, *getattr(shape, "axis", (0.0, 0.0, 1.0)), *sizes, 0.0])[:8]


@pytest.mark.parametrize("kind", SURFACES)
@pytest.mark.parametrize("seed", range(3))
def test_scipy_finds_nothing_lower(kind, seed, known):
    case = known(kind, seed=seed, amplitude=0.0)
    rng = np.random.default_rng(seed)
    points = case.points + 1e-4 * rng.normal(size=case.points.shape)
    ours = fit(kind, points)
    scale = _numbers(ours.shape)
    start = scale + 1e-3 * rng.normal(size=8)
    oracle = least_squares(
        lambda x: _surface(kind, x).distance(points),
        start,
        method="trf",
        x_scale="jac",
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
    )
    theirs = float(2.0 * oracle.cost)
    assert ours.sum_squares <= theirs * (1.0 + 1e-9)
    assert theirs == pytest.approx(ours.sum_squares, rel=1e-6)  # it came from 1 mm away


def _some_state(rng, model):
    sizes = {"sphere": [0.8], "circle2d": [0.8], "cylinder": [0.8], "cone": [0.7, 0.3]}
    R = Rotation.random(rng=rng).as_matrix()
    chosen = sizes.get(model.kind, [1.1, 0.4])[: len(model.size_units)]
    return FeatureState(origin=0.3 * rng.normal(size=3), R=R, sizes=np.array(chosen))


@pytest.mark.parametrize("kind", MODELS)
def test_jacobians_agree_with_differences(kind):
    rng, model, h = np.random.default_rng(4), model_of(kind), 1e-6
    points, state = rng.normal(size=(3, 30)), _some_state(np.random.default_rng(5), model)
    J = model.rows(points, state).jacobian
    for column, unit in enumerate(np.eye(model.count)):
        ahead = model.rows(points, state.moved(model.freedoms, h * unit)).residuals
        back = model.rows(points, state.moved(model.freedoms, -h * unit)).residuals
        # differences: h² of curvature that reaches 1e3 near an axis, 1e-16 / h of rounding
        np.testing.assert_allclose((ahead - back) / (2 * h), J[column], atol=1e-7)


@pytest.mark.parametrize("kind", MODELS)
def test_derived_values_follow_their_slopes(kind):
    rng, model, h = np.random.default_rng(6), model_of(kind), 1e-6
    state = model.settled(_some_state(rng, model))
    for name, (_, slope, _unit) in model.derived(state).items():
        for column, unit in enumerate(np.eye(model.count)):
            ahead = model.derived(state.moved(model.freedoms, h * unit))[name].value
            back = model.derived(state.moved(model.freedoms, -h * unit))[name].value
            np.testing.assert_allclose((ahead - back) / (2 * h), slope[:, column], atol=1e-7)


def test_the_second_order_part_completes_the_second_derivative():
    """Beside plain second differences of the sum of squares, at a minimum with large residuals."""
    model = model_of("circle2d")
    angle = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = (1.0 + 0.3 * np.cos(2.0 * angle)) * np.stack([np.cos(angle), np.sin(angle)])
    points = np.concatenate([ring, np.zeros((1, 24))])
    state = FeatureState(origin=np.zeros(3), R=np.eye(3), sizes=np.ones(1))  # a minimum by symmetry
    rows, h = model.rows(points, state), 1e-4
    H = rows.jacobian @ rows.jacobian.T + second_order(model, points, state, rows.residuals)

    def cost(x, y):
        moved = model.rows(points, state.moved(model.freedoms, np.array([x, y, 0.0]))).residuals
        return 0.5 * moved @ moved

    along = (cost(h, 0.0) - 2.0 * cost(0.0, 0.0) + cost(-h, 0.0)) / h**2
    assert H[0, 0] == pytest.approx(along, rel=1e-6)
    assert abs(H[0, 0] - (rows.jacobian @ rows.jacobian.T)[0, 0]) > 0.1


def test_the_curvature_of_a_certificate_is_that_of_the_answer(known):
    """500 points of a short arc: the sample's minimum is far enough off for another curvature."""
    case = known(
        "cone", count=500, amplitude=0.0, half=0.4, low=0.05, high=0.1, sweep=np.radians(60)
    )
    points = case.points + 2.5e-4 * np.random.default_rng(0).normal(size=case.points.shape)
    model = model_of("cone")
    cloud, answer, *_ = minimum_of(model, points, {})
    S = second_order(model, cloud.unit, answer.state, answer.rows.residuals)
    least = np.linalg.eigvalsh(curvature_of(answer.triangle.R, S))[0]
    assert answer.least_curvature == pytest.approx(least, abs=1e-8)  # 2e-6 with the sample's
    assert fit("cone", points).certificate.least_curvature == answer.least_curvature


def test_a_turn_is_a_rotation_about_its_vector():
    omega = np.array([0.3, -0.4, 1.2])
    np.testing.assert_allclose(turn(omega), Rotation.from_rotvec(omega).as_matrix(), atol=1e-15)
    np.testing.assert_array_equal(turn(np.zeros(3)), np.eye(3))


@pytest.mark.parametrize("kind", FIT_KINDS)
def test_a_hint_leads_to_the_same_feature_and_names_its_axis(kind, known):
    case = known(kind)
    free = fit(kind, case.points)
    hinted = fit(kind, case.points, hint=free.shape)
    np.testing.assert_allclose(hinted.residuals, free.residuals, atol=1e-13)
    assert hinted.certificate.starts == 1
    if kind == "cylinder":
        back = Cylinder(point=free.shape.point, axis=-free.shape.axis, radius=free.shape.radius)
        assert fit(kind, case.points, hint=back).value("axis") @ free.value("axis") < -0.999


def test_a_hint_of_another_kind_is_refused(known):
    case = known("cylinder")
    sphere = Sphere(centre=np.zeros(3), radius=1.0)
    with pytest.raises(FitError, match="The hint is a Sphere; expected a Cylinder"):
        fit("cylinder", case.points, hint=sphere)


@pytest.mark.parametrize("kind", ["cylinder", "cone", "torus", "line3d"])
def test_starts_in_step_end_where_each_alone_does(kind, known):
    """Also one whose columns depend on each other, and one that is a minimum already."""
    case = known(kind)
    model = model_of(kind)
    points = cloud_of(case.points, model).unit
    starts = model.starts(points)
    ended = minimise(model, points, starts.one(0))
    flat = FeatureState(origin=np.zeros(3), R=np.eye(3), sizes=0.0 * ended.state.sizes)
    each = [*(starts.one(i) for i in range(len(starts))), ended.state, flat]
    together = minimise_each(model, points, FeatureStates.of(each))
    for start, one in zip(each, together, strict=True):
        alone = minimise(model, points, start)
        if alone.ended:
            assert one.cost == pytest.approx(alone.cost, rel=1e-8, abs=1e-24)
