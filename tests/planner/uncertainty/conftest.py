"""The nine points with a stated uncertainty, as a plan and as measured points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.job import UncertaintySettings
from planner.uncertainty import Measuring, measuring_of

# What a good arm of this size has; every source is there, sliding joints aside.
STATED = UncertaintySettings(
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
def stated():
    return STATED


@pytest.fixture(scope="session")
def uncertain(corrected):
    """The plan of the nine points with every source of error."""
    return replace(corrected, job=replace(corrected.job, uncertainty=STATED))


@pytest.fixture(scope="session")
def measuring(uncertain):
    return measuring_of(uncertain)


@pytest.fixture(scope="session")
def with_settings(measuring):
    """The nine points with some sources only: ``with_settings(length=1e-5)``."""

    def changed(base=measuring, **values) -> Measuring:
        return replace(base, settings=UncertaintySettings(**values))

    return changed


@pytest.fixture(scope="session")
def every(stated):
    """The sources that the stated settings have, by name, with their values."""
    names = [n for n in stated.__dataclass_fields__ if isinstance(getattr(stated, n), float)]
    return {n: getattr(stated, n) for n in names if n != "coverage" and getattr(stated, n) > 0.0}
