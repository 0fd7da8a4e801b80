"""A measuring arm with errors, and measurements that it would make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from robots.core.identification.arm import IdentifiedArm
from robots.core.identification.identifiability import candidates, spread_centres
from robots.core.identification.measurements import ArmMeasurements, MeasurementKind
from robots.core.mechanism import Mechanism
from robots.core.pose import make_pose
from robots.library import load

LARGE = 1e-3  # errors of a milliradian or a millimetre, far more than a real arm has


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """An arm, its true self, and what the true one measures."""

    nominal: Mechanism
    true: Mechanism
    errors: np.ndarray  # of every candidate of ``arm``
    arm: IdentifiedArm
    given: ArmMeasurements


def with_tool(name: str) -> Mechanism:
    """A library robot with a bent stylus of 155 mm."""
    nominal = load(name)
    return replace(nominal, tool=nominal.tool @ make_pose(translation=[0.02, 0.03, 0.15]))


@pytest.fixture(scope="session")
def make_scene() -> Callable[..., Scene]:
    """Scene of a robot: errors in all candidates, or in those of some names only. Made once."""

    @cache
    def make(
        kind: MeasurementKind,
        *,
        robot: str = "measuring-arm",
        only: tuple[str, ...] = (),
        starts: int = 160,
        seed: int = 7,
    ) -> Scene:
        nominal = with_tool(robot)
        arm = IdentifiedArm(nominal, kind)
        errors = LARGE * np.random.default_rng(seed).normal(size=len(arm.names))
        if only:
            errors[[name not in only for name in arm.names]] = 0.0
        if kind is MeasurementKind.SPHERE:
            errors[-1] = 0.0  # the length that fixes the scale, which spheres do not tell
        true = arm.corrected(errors)
        centres = spread_centres(arm, 3) if kind is MeasurementKind.SPHERE else None
        given = candidates(IdentifiedArm(true, kind), starts, centres=centres, length=0.5)
        return Scene(nominal=nominal, true=true, errors=errors, arm=arm, given=given)

    return make
