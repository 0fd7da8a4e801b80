"""Plans of the two library jobs, and variations of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.job import UncertaintySettings, read_job
from planner.library import path_of
from planner.planning import plan
from planner.presenting.present import only
from robots.arm.inverse import ArmInverse
from robots.core.motion.joint_limits import JointLimits
from tests.cases import SOAK
from tests.planner.touching import with_touch


@pytest.fixture(scope="session")
def published_job():
    return read_job(path_of("nine-points-as-published"))


@pytest.fixture(scope="session")
def corrected_job():
    return read_job(path_of("nine-points-corrected"))


@pytest.fixture(scope="session")
def published(published_job):
    return plan(published_job)


@pytest.fixture(scope="session")
def corrected(corrected_job):
    return plan(corrected_job)


@pytest.fixture(scope="session")
def walled_job():
    """The points nearest to a wall on either side of it, and in the soak their neighbours."""
    job = read_job(path_of("obstructed"))
    names = ("P21", "P20", "P5", "P4") if SOAK else ("P20", "P5", "P4")
    return only(job, np.array([job.points.index(name) for name in names]))


@pytest.fixture(scope="session")
def walled(walled_job):
    """Of the travels between the points one goes around the wall."""
    return plan(walled_job)


@pytest.fixture(scope="session")
def change(corrected_job):
    """The corrected job with changes to its tables: ``change(approach={"law": "cubic"})``.

    ``change(touch={"mode": "search", …})`` makes it search; what else is given is laid over the
    usual search.
    """

    def changed(base=corrected_job, **tables):
        touch = tables.pop("touch", {})
        parts = {
            name: replace(getattr(base, name), **value) if isinstance(value, dict) else value
            for name, value in tables.items()
        }
        if isinstance(touch, dict):
            return with_touch(replace(base, **parts), **touch)
        return replace(base, touch=touch, **parts)

    return changed


@pytest.fixture(scope="session")
def with_joints():
    """A mechanism with other joint properties: ``with_joints(arm, coulomb=[…])``."""

    def changed(mechanism, **values):
        joints = [
            replace(joint, **{name: float(value[k]) for name, value in values.items()})
            for k, joint in enumerate(mechanism.joints)
        ]
        return replace(mechanism, joints=tuple(joints))

    return changed


@pytest.fixture(scope="session")
def probe_points():
    """Points from rows (x, y, z, nx, ny, nz) in metres, named A, B, C…"""

    def made(rows):
        rows = np.asarray(rows, dtype=float)
        names = tuple(f"{chr(65 + k % 26)}{k // 26 or ''}" for k in range(len(rows)))
        return ProbePoints(names=names, positions=rows[:, :3], normals=rows[:, 3:])

    return made


@pytest.fixture(scope="session")
def stated():
    """What a good arm of this size has; every source of error is there, sliding joints aside."""
    return UncertaintySettings(
        encoder=np.radians(0.002),
        encoder_resolution=np.radians(0.004),
        encoder_offset=np.radians(0.005),
        length=5e-5,
        angle=np.radians(0.005),
        stylus=2e-5,
        probe=1e-5,
        probe_normal=5e-6,
        alignment=3e-5,
        alignment_turn=np.radians(0.01),
        temperature=2.0,
        expansion=23e-6,
        part_temperature=2.0,
        part_expansion=12e-6,
    )


@pytest.fixture(scope="session")
def inverse(corrected_job):
    return ArmInverse(corrected_job.mechanism, engine="compiled")


@pytest.fixture(scope="session")
def limits(corrected_job):
    return JointLimits.of(corrected_job.mechanism)
