"""A block on the measuring hexapod, nearer and farther from the arm, and what presenting gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.job import read_job
from planner.part_pose.moved import moved
from planner.presenting import present as presenting
from planner.presenting.present import present
from tests.cases import cases

JOB = Path(__file__).parent / "job" / "job.toml"


@pytest.fixture(scope="session", autouse=True)
def _few_poses():
    """A third of the poses of the hexapod is looked at, in the gate."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presenting, "_SPREAD", cases(gate=100, soak=300))
        yield


@pytest.fixture(scope="session")
def presented_job():
    """Top and four sides of a block; at home the arm's wrist cannot get round to the far sides."""
    return read_job(JOB)


@pytest.fixture(scope="session")
def on():
    """The job with another presenter: ``on(job, most_poses=1)``; strokes and place in metres."""

    def changed(job, strokes=None, at=None, **changes):
        presenter = job.presenter
        platform = presenter.platform
        if strokes is not None:
            low, high = strokes
            legs = (replace(leg, min_length=low, max_length=high) for leg in platform.legs)
            platform = replace(platform, legs=tuple(legs))
        T = np.array(presenter.T_base_hexapod)
        if at is not None:
            T[:3, 3] = at
        other = replace(presenter, platform=platform, T_base_hexapod=T, **changes)
        return replace(moved(job, other.T_base_part(platform.home)), presenter=other)

    return changed


@pytest.fixture(scope="session")
def far_job(presented_job, on):
    """Higher, farther and with strokes of 90 mm: one pose does not do."""
    return on(presented_job, strokes=(0.56, 0.65), at=(0.0, 1.3, -0.6), part_mass=4.0)


@pytest.fixture(scope="session")
def presentation(presented_job):
    return present(presented_job)


@pytest.fixture(scope="session")
def far(far_job):
    return present(far_job)
