"""The nine points with a stated uncertainty, as a plan and as measured points."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.job import UncertaintySettings
from planner.uncertainty.measuring import Measuring, measuring_of


@pytest.fixture(scope="session")
def uncertain(corrected, stated):
    """The plan of the nine points with every source of error."""
    return replace(corrected, job=replace(corrected.job, uncertainty=stated))


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
