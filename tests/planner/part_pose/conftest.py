"""The placing of the corrected nine-point job, and variations of its settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.job import PlacedPart
from planner.part_pose import best_pose as search
from planner.part_pose.best_pose import best_pose
from planner.part_pose.rating import PoseRating
from robots.core.pose import make_pose, rotation_zyx
from tests.cases import cases


@pytest.fixture(scope="session")
def placing(corrected_job):
    """In the gate by a search of a fifth of the poses, which ends within 0.1 % of the whole one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_FIRST", cases(gate=500, soak=2000))
        patch.setattr(search, "_ROUNDS", cases(gate=10, soak=50))
        return best_pose(corrected_job)


@pytest.fixture(scope="session")
def judge(corrected_job):
    return PoseRating(corrected_job)


@pytest.fixture(scope="session")
def settled(corrected_job):
    """The corrected job with other ``[place]`` settings, in mm and degrees."""

    def changed(job=corrected_job, shift_mm=None, yaw_deg=None, **settings):
        if shift_mm is not None:
            settings["shift"] = np.array(shift_mm) / 1e3
        if yaw_deg is not None:
            settings["yaw"] = np.radians(yaw_deg)
        return replace(job, place=replace(job.place, **settings))

    return changed


@pytest.fixture(scope="session")
def put(corrected_job):
    """The corrected job with its part in another pose: ``put([0, 1.5, 0.84], [30, 0, 0])``."""

    def changed(translation, rotation_deg, job=corrected_job):
        T = make_pose(rotation_zyx(np.radians(rotation_deg)), np.array(translation, dtype=float))
        return replace(job, part=PlacedPart(T_base_part=T))

    return changed
