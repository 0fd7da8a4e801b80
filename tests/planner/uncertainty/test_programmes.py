"""The programmes of the Monte Carlo beside matrices that are multiplied one sample at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.job import UncertaintySettings
from planner.uncertainty.deviations import inputs_of, record_displacement, record_touch
from robots.core.geometric_errors import ErrorModel
from robots.core.kernels import Kernel
from robots.core.kernels.machine import this_machine
from robots.core.pose import rotation_exp

ENGINES = [
    pytest.param(
        "compiled", marks=pytest.mark.skipif(this_machine() is None, reason="no fused multiply-add")
    ),
    "numpy",
]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_displacement_is_a_rotation_about_the_arm_s_root(engine):
    rng = np.random.default_rng(8)
    turns, arms, shifts = (
        rng.normal(size=(20, 3)),
        rng.normal(size=(3, 3)),
        rng.normal(size=(20, 3)),
    )
    growth = rng.normal(size=20)
    displaced = Kernel(record_displacement(), engine)
    found = displaced(shifts[:, None], turns[:, None], growth[:, None, None], arms)
    turned = arms @ np.swapaxes(rotation_exp(turns), 1, 2) - arms
    expected = shifts[:, None] + turned + growth[:, None, None] * arms
    np.testing.assert_allclose(found, expected, atol=2e-14)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("angle", [0.0, 1e-160, 1e-140, 1e-12, 1e-6])
def test_nothing_cancels_in_a_small_turn(engine, angle):
    turn, arm = angle * np.array([0.6, 0.0, 0.8]), np.array([0.3, -2.0, 0.7])
    found = Kernel(record_displacement(), engine)(np.zeros(3), turn, np.zeros(1), arm)
    expected = np.cross(turn, arm) + 0.5 * np.cross(turn, np.cross(turn, arm))
    np.testing.assert_allclose(found, expected, rtol=1e-11)


SOURCES = {
    "encoder": 1e-2,
    "encoder_resolution": 2e-2,
    "angle": 1e-2,
    "length": 1e-3,
    "probe": 1e-3,
    "probe_normal": 2e-3,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "names",
    [tuple(SOURCES), ("encoder",), ("encoder_resolution",), ("length", "probe_normal"), ("probe",)],
    ids="+".join,
)
def test_a_touch_is_the_arm_with_its_errors_and_the_probe(measuring, engine, names):
    settings = UncertaintySettings(**{name: SOURCES[name] for name in names})
    given = inputs_of(replace(measuring, settings=settings))
    rng = np.random.default_rng(len(names))
    q, normal = measuring.q[3], measuring.normals[3]
    errors, own, steps = (
        1e-2 * rng.normal(size=n) for n in (len(given.parameters), given.own, len(given.stepped))
    )
    believed = rng.normal(size=3)
    numbers = [a for a in (q, believed, normal, errors, own, steps) if a.size]
    found = Kernel(record_touch(measuring.mechanism, given), engine)(*numbers)

    read, touched = q.copy(), own[len(given.reading) :]
    read[given.reading] += own[: len(given.reading)]
    read[given.stepped] += steps
    expected = believed - ErrorModel(measuring.mechanism, given.parameters).positions(read, errors)
    if "probe" in names:
        expected = expected + touched[:3]
    if "probe_normal" in names:
        expected = expected + touched[-1] * normal
    np.testing.assert_allclose(found, expected, atol=1e-14)
