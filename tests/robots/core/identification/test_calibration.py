"""Calibration: what was injected is found, to what the noise allows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.errors import IdentificationError, NotIdentifiableError
from robots.core.identification.arm import IdentifiedArm, residuals, start_centres
from robots.core.identification.calibration import calibrate, nominal_misfit
from robots.core.identification.identifiability import exact_points, identifiable
from robots.core.identification.measurements import ArmNoise, MeasurementKind, Prior
from robots.core.joint_samples import joint_samples
from robots.core.model import Model
from tests.cases import some

ENCODER = 1e-5  # [rad], two arc seconds
KINDS = list(MeasurementKind)


def distances_between(points):
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def noisy(given, seed):
    rng = np.random.default_rng(seed)
    return replace(given, q=given.q + ENCODER * rng.normal(size=given.q.shape))


@pytest.mark.parametrize("kind", some(KINDS, gate=2))
def test_injected_errors_come_back(make_scene, kind):
    scene = make_scene(kind)
    names = [scene.arm.names[k] for k in identifiable(scene.arm, scene.given).kept]
    scene = make_scene(kind, only=tuple(names))
    found = calibrate(scene.nominal, scene.given)
    assert list(found.names) == names
    injected = scene.errors[[scene.arm.names.index(name) for name in names]]
    # Rounding of a metre, 2e-16, times a condition of some hundreds.
    np.testing.assert_allclose(found.values, injected, atol=1e-9)
    assert found.after.rms < 1e-12
    assert found.improved


@pytest.mark.parametrize("kind", some(KINDS, gate=1))
def test_errors_in_all_parameters_leave_the_same_shape(make_scene, kind):
    # What is dropped is absorbed exactly, not to first order: the kept parameters are a chart.
    scene = make_scene(kind)
    found = calibrate(scene.nominal, scene.given)
    assert found.after.rms < 1e-12
    q = joint_samples(scene.nominal, 30, slide=1.0, skip=900)
    ours = Model(found.mechanism).forward(q)[:, :3, 3]
    theirs = Model(scene.true).forward(q)[:, :3, 3]
    np.testing.assert_allclose(distances_between(ours), distances_between(theirs), atol=1e-10)
    if kind is MeasurementKind.POINT:
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("kind", some(KINDS, gate=1))
def test_encoder_noise_agrees_with_the_covariance(make_scene, kind):
    scene = make_scene(kind)
    exact = calibrate(scene.nominal, scene.given)
    found = calibrate(scene.nominal, noisy(scene.given, 5), noise=ArmNoise(encoder=ENCODER))
    # A chi² lies within five standard deviations, √(2·freedom), of its freedom.
    assert abs(found.chi_squared - found.freedom) < 5.0 * np.sqrt(2.0 * found.freedom)
    pull = found.values - exact.values
    distance = float(pull @ np.linalg.solve(found.covariance, pull))
    assert distance < len(pull) + 5.0 * np.sqrt(2.0 * len(pull))
    assert distance > len(pull) - 5.0 * np.sqrt(2.0 * len(pull))
    assert found.validation is not None
    assert found.validation.after.rms < 0.1 * found.validation.before.rms
    assert not found.outliers


def test_scipy_finds_the_same(make_scene):
    from scipy.optimize import least_squares

    scene = make_scene(MeasurementKind.LENGTH)
    given = noisy(scene.given, 6)
    found = calibrate(scene.nominal, given)
    kept = [scene.arm.names.index(name) for name in found.names]

    def misfit(values):
        errors = np.zeros(len(scene.arm.names))
        errors[kept] = values
        return 1e3 * residuals(scene.arm.model, given, errors, np.zeros((0, 3))).ravel()

    peer = least_squares(misfit, np.zeros(len(kept)), x_scale="jac", xtol=1e-15, ftol=1e-15)
    # The peer differences its Jacobian, good to 1e-8 of the corrections of 1e-3, times condition.
    np.testing.assert_allclose(found.values, peer.x, atol=1e-8)
    freedom = given.count - len(kept)
    variance = 2.0 * peer.cost / freedom
    covariance = variance * np.linalg.inv(peer.jac.T @ peer.jac)
    np.testing.assert_allclose(found.deviations, np.sqrt(np.diag(covariance)), rtol=1e-4)


def test_a_calibrated_arm_can_be_calibrated_again(make_scene):
    scene = make_scene(MeasurementKind.LENGTH)
    first = calibrate(scene.nominal, scene.given)
    again = calibrate(first.mechanism, scene.given)
    assert len(again.names) == len(first.names)
    assert np.max(np.abs(again.values)) < 1e-9
    assert not again.improved or again.before.rms < 1e-12


def test_an_outlier_is_named(make_scene):
    scene = make_scene(MeasurementKind.POINT)
    points = scene.given.points.copy()
    points[17] += [0.0, 0.002, 0.0]
    given = replace(noisy(scene.given, 8), points=points)
    for noise in (None, ArmNoise(encoder=ENCODER)):
        found = calibrate(scene.nominal, given, noise=noise)
        assert [outlier.block for outlier in found.outliers] == [17]
        outlier = found.outliers[0]
        assert outlier.label == "posture 18"
        assert outlier.misfit == pytest.approx(0.002, rel=0.1)
        assert outlier.ratio > 1.0


def test_a_joint_that_never_moves_is_refused_with_names(make_scene):
    scene = make_scene(MeasurementKind.POINT)
    q = scene.given.q.copy()
    q[:, 3] = 0.3
    given = exact_points(IdentifiedArm(scene.true, scene.given.kind), q)
    with pytest.raises(NotIdentifiableError, match=r"do not distinguish .*q4") as caught:
        calibrate(scene.nominal, given)
    assert caught.value.facts["condition"] > 1e5
    assert caught.value.facts["rank"] < 23
    # With a prior, the open combinations stay near nominal and nothing is refused.
    found = calibrate(
        scene.nominal,
        given,
        noise=ArmNoise(reading=1e-5),
        prior=Prior(angle=1e-3, length=1e-3),
    )
    assert np.all(found.deviations < 1.001e-3)


def test_too_few_measurements_are_refused_with_the_least_count(make_scene):
    scene = make_scene(MeasurementKind.POINT)
    with pytest.raises(NotIdentifiableError, match=r"21 equations for 23 unknowns.*at least 8"):
        calibrate(scene.nominal, scene.given.only(range(7)))
    found = calibrate(scene.nominal, scene.given.only(range(8, 17)))
    assert found.validation is None  # too few to keep any out


def test_parameters_may_be_chosen(make_scene):
    scene = make_scene(MeasurementKind.LENGTH, only=("q3 r",))
    found = calibrate(scene.nominal, scene.given, parameters=["q3 r", "q2 theta"])
    assert found.names == ("q2 theta", "q3 r")
    place = scene.arm.names.index("q3 r")
    assert found.values[1] == pytest.approx(scene.errors[place], abs=1e-12)
    with pytest.raises(NotIdentifiableError, match=r"q3 r looks like \+1 q2 r"):
        calibrate(scene.nominal, scene.given, parameters=["q2 r", "q3 r"])
    with pytest.raises(IdentificationError, match="did you mean 'q2 theta'"):
        calibrate(scene.nominal, scene.given, parameters=["q2 theeta"])


def test_a_wrong_robot_is_refused(make_scene):
    scene = make_scene(MeasurementKind.LENGTH)
    six = make_scene(MeasurementKind.LENGTH, robot="industrial-6r").nominal
    with pytest.raises(IdentificationError, match=r"5 joint values per posture.*6 joint"):
        calibrate(six, scene.given)
    with pytest.raises(IdentificationError, match="give the noise too"):
        calibrate(scene.nominal, scene.given, prior=Prior(angle=1.0, length=1.0))


def test_the_nominal_misfit_is_that_before(make_scene):
    scene = make_scene(MeasurementKind.SPHERE)
    found = calibrate(scene.nominal, scene.given)
    assert nominal_misfit(scene.nominal, scene.given).rms == found.before.rms
    assert nominal_misfit(found.mechanism, scene.given).rms < 1e-12
    centres = start_centres(scene.arm.model, scene.given, np.zeros(len(scene.arm.names)))
    assert set(found.centres) == set(scene.given.names)
    # Only the shape is found: the centres are where the uncorrected base sees them.
    assert np.max(np.abs(np.array(list(found.centres.values())) - centres)) < 0.02
