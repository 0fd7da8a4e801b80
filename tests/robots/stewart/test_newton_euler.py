"""Newton-Euler with all reactions as unknowns against virtual work; balances of the reactions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.mechanism import Body
from robots.core.pose import rotation_z
from robots.stewart.errors import PlatformError
from robots.stewart.legs import STROKE
from robots.stewart.model import PlatformModel
from robots.stewart.platform import LegBodies, LegEnd
from tests.cases import cases
from tests.robots.stewart.newton_euler import reactions

AGREEMENT = 1e-8  # asked; rounding leaves about 1e-14
WRENCH = np.array([10.0, -20.0, 30.0, 4.0, 5.0, -6.0])


def relative(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).max() / np.abs(other).max())


@pytest.mark.parametrize("end", list(LegEnd))
def test_agrees_with_virtual_work(make_model, make_states, end):
    model, count = make_model(31, end), cases(gate=4, soak=10)
    m = make_states(model.platform, count)
    by_work = model.forces(m.T, m.V, m.A, WRENCH)
    for k in range(count):
        found = reactions(model.platform, m.T[k], m.V[k], m.A[k], WRENCH)
        assert relative(found.drive, by_work[k]) < AGREEMENT


def test_agrees_along_the_published_motion(staicu, published):
    m = published(np.linspace(0.0, 3.0, 13))
    by_work = PlatformModel(staicu).forces(m.T, m.V, m.A)
    found = np.array([reactions(staicu, *s).drive for s in zip(m.T, m.V, m.A, strict=True)])
    assert relative(found, by_work) < AGREEMENT


def test_base_carries_all_weight_at_rest(staicu):
    found = reactions(staicu, staicu.home, np.zeros(6), np.zeros(6))
    weight = 9.81 * (100.0 + 6 * (2.5 + 20.0 + 10.0 + 2.5 + 5.0))
    assert np.abs(found.force[:, 0].sum(axis=0) - [0, 0, weight]).max() < 1e-9


def test_passive_joints_hand_on_no_moment_about_their_axes(make_platform, make_states):
    platform = make_platform(32)
    m = make_states(platform, 1)
    found = reactions(platform, m.T[0], m.V[0], m.A[0])
    first = np.array([leg.first_axis for leg in platform.legs])
    assert np.abs(np.einsum("ij,ij->i", found.moment[:, 0], first)).max() < 1e-10


def test_a_massless_leg_only_pushes_along_itself(staicu):
    """Two-force member: the reaction at both ends is the drive's force along the leg."""
    legs = tuple(replace(leg, bodies=LegBodies()) for leg in staicu.legs)
    platform = replace(staicu, legs=legs, body=Body(mass=100.0, inertia=np.diag([300.0, 300, 600])))
    found = reactions(platform, staicu.home, np.zeros(6), np.zeros(6))
    for k, leg in enumerate(platform.legs):
        n = (staicu.home[:3, 3] + leg.platform - leg.base) / 3.0
        for joint in (0, STROKE, 5):
            assert np.abs(found.force[k, joint] - found.drive[k] * n).max() < 1e-10
    sine = staicu.home[2, 3] / 3.0
    assert found.drive == pytest.approx(np.full(6, 981.0 / 6 / sine), rel=1e-12)


def test_singular_pose_is_refused(staicu):
    T = np.array(staicu.home)
    T[:3, :3] = rotation_z(np.pi / 2)
    with pytest.raises(PlatformError, match="no joint reactions hold it in this pose"):
        reactions(staicu, T, np.zeros(6), np.zeros(6))
