"""The nine points, and a ball with a bore beside it, as jobs that are measured virtually."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.planning import plan
from planner.virtual_measuring.machine_tests import machine_tests

RADIUS, BALL = 0.025, 0.003
CENTRE = np.array([0.25, 0.2, 0.3])
BORE = 0.02


@pytest.fixture(scope="session")
def stated(stated):
    """Fewer draws do for what is measured virtually."""
    return replace(stated, samples=200)


@pytest.fixture(scope="session")
def uncertain():
    """A plan with another [uncertainty]."""

    def changed(planned, settings):
        return replace(planned, job=replace(planned.job, uncertainty=settings))

    return changed


@pytest.fixture(scope="session")
def round_plan(corrected_job):
    """A ball and the wall of a bore, touched from above by a stylus that stands upright."""
    polar, around = (
        np.radians([0, *[35] * 4, *[70] * 6]),
        np.radians([0, *(45 + 90 * np.arange(4)), *(60 * np.arange(6))]),
    )
    ball = np.column_stack(
        [np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)]
    )
    turn, height = np.radians(45.0 * np.arange(8)), np.tile([-0.004, -0.012], 4)
    wall = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(8)])
    bore = CENTRE + [0.1, 0.0, 0.0] + BORE * wall + height[:, None] * [0.0, 0.0, 1.0]
    points = ProbePoints(
        names=tuple(f"B{k}" for k in range(11)) + tuple(f"W{k}" for k in range(8)),
        positions=np.concatenate([CENTRE + RADIUS * ball, bore]),
        normals=np.concatenate([ball, -wall]),
        features=("ball",) * 11 + ("bore",) * 8,
    )
    upright = np.array([0.0, 0.0, -1.0])
    job = replace(
        corrected_job,
        points=points,
        probe=replace(corrected_job.probe, ball_diameter=2 * BALL),
        approach=replace(corrected_job.approach, axis=upright, distance=0.01),
    )
    planned = plan(job)
    assert all(point.reachable for point in planned.planned_points)
    return planned


@pytest.fixture(scope="module")
def places_sought_once():
    """For one arm and one sphere they are the same in every test, and take a second to find."""
    module = sys.modules[machine_tests.__module__]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("sphere_places", "length_places"):
            patch.setattr(module, name, remembering(getattr(module, name)))
        yield


def remembering(sought):
    kept = {}

    def places(mechanism, *arguments):
        key = (id(mechanism), *arguments)
        if key not in kept:
            kept[key] = mechanism, sought(mechanism, *arguments)
        return kept[key][1]

    return places
