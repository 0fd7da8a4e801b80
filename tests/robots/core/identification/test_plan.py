"""Which postures to measure."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import IdentificationError
from robots.core.identification.calibration import calibrate
from robots.core.identification.measurements import ArmNoise, MeasurementKind
from robots.core.identification.posture_plan import Site, plan_postures
from robots.core.self_pairs import self_clearances
from tests.cases import some

SITES = {
    MeasurementKind.SPHERE: (30, Site(kind=MeasurementKind.SPHERE, candidates=700)),
    MeasurementKind.LENGTH: (30, Site(kind=MeasurementKind.LENGTH, length=0.5, candidates=500)),
    MeasurementKind.POINT: (14, Site(kind=MeasurementKind.POINT, candidates=300)),
}


@pytest.mark.parametrize("kind", some(list(SITES), gate=1))
def test_planned_postures_beat_random_ones(make_scene, kind):
    arm = make_scene(kind, starts=40).nominal
    count, site = SITES[kind]
    plan = plan_postures(arm, count, site)
    assert plan.measurements.count == count
    # The best of forty draws is beaten, the middle one clearly.
    assert plan.worst < plan.random_best
    assert plan.gain > 1.25
    q = plan.measurements.q
    assert np.all((q >= arm.q_min) & (q <= arm.q_max))
    assert np.all(self_clearances(arm, arm.self_pairs, q) > 0.0)


def test_the_promise_is_the_calibrations_own_covariance(make_scene):
    arm = make_scene(MeasurementKind.SPHERE, starts=40).nominal
    noise = ArmNoise(encoder=1e-5, reading=1e-5)
    site = Site(kind=MeasurementKind.SPHERE, noise=noise, candidates=700)
    plan = plan_postures(arm, 30, site)
    found = calibrate(arm, plan.measurements, noise=noise)
    assert found.names == plan.names
    # The measurements are exact, so the only difference is rounding through the condition.
    np.testing.assert_allclose(plan.deviations, found.deviations, rtol=1e-6)
    positions = found.mechanism.name, len(plan.centres)
    assert positions == (arm.name, 3)


def test_spheres_that_stand_already_are_used(make_scene):
    arm = make_scene(MeasurementKind.SPHERE, starts=40).nominal
    at = np.array([[1.0, 0.6, 0.5], [0.2, -1.3, 0.4]])
    plan = plan_postures(arm, 24, Site(kind=MeasurementKind.SPHERE, centres=at, candidates=500))
    np.testing.assert_allclose(np.array(list(plan.centres.values())), at, atol=1e-10)


def test_what_cannot_be_planned_is_refused(make_scene):
    arm = make_scene(MeasurementKind.SPHERE, starts=40).nominal
    far = Site(kind=MeasurementKind.SPHERE, centres=np.array([[9.0, 0.0, 0.0]]), candidates=60)
    with pytest.raises(IdentificationError, match="with its ball at sphere 1"):
        plan_postures(arm, 20, far)
    # Inside the outer radius, but q3's limits leave a hole at this height.
    hole = Site(kind=MeasurementKind.SPHERE, centres=np.array([[0.2, -1.3, 0.8]]), candidates=60)
    with pytest.raises(IdentificationError, match="with its ball at sphere 1"):
        plan_postures(arm, 20, hole)
    with pytest.raises(IdentificationError, match="calibrated length"):
        plan_postures(arm, 20, Site(kind=MeasurementKind.LENGTH))
    with pytest.raises(IdentificationError, match="place at least one"):
        plan_postures(arm, 20, Site(kind=MeasurementKind.SPHERE, spheres=0))
    with pytest.raises(IdentificationError, match="choose from 8 up to"):
        plan_postures(arm, 5, Site(kind=MeasurementKind.POINT, candidates=60))
