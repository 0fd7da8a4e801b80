"""A leg as a mechanism of the core: closed-form joints close its loop; its axes are the paper's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.model import Model
from robots.stewart.errors import PlatformError
from robots.stewart.legs import STROKE, body_links, joint_values, leg_axes, leg_chain
from robots.stewart.model import PlatformModel
from robots.stewart.platform import LegEnd, Platform

CLOSED = 5e-15  # a dozen roundings of numbers near 1
ENDS = list(LegEnd)


def with_leg(platform: Platform, **changes: object) -> Platform:
    first, *rest = platform.legs
    return replace(platform, legs=(replace(first, **changes), *rest))


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("index", range(6))
def test_chain_reaches_the_platform(make_platform, make_states, end, index):
    platform = make_platform(5, end)
    state = make_states(platform, 40)
    q = joint_values(platform, index, state.T)
    assert np.abs(Model(leg_chain(platform, index)).forward(q) - state.T).max() < CLOSED


@pytest.mark.parametrize("end", ENDS)
def test_chain_moves_with_the_platform(make_platform, make_states, end):
    platform = make_platform(6, end)
    state = make_states(platform, 20)
    joints = PlatformModel(platform, "numpy").joint_motion(state.T, state.V, state.A)
    for index in range(6):
        model = Model(leg_chain(platform, index))
        q, qd, qdd = (
            joint_values(platform, index, state.T),
            joints.qd[:, index],
            joints.qdd[:, index],
        )
        assert np.abs(model.velocity(q, qd) - state.V).max() < 1e-13
        assert np.abs(model.acceleration(q, qd, qdd) - state.A).max() < 1e-12


def _z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])


@pytest.mark.parametrize("index", range(6))
def test_axes_are_those_of_the_paper(staicu, index):
    """Eqs. (3)-(4) with φ = 0, corrected: second row of a_α, α3 alternating, θ1 = a32."""
    sign = 1.0 if index % 2 == 0 else -1.0
    alpha_1 = np.array([0, 2, 2, -2, -2, 0])[index] * np.pi / 3
    theta_1 = np.array([[0, 0, -1.0], [0, 1, 0], [1, 0, 0]])
    theta_2 = np.array([[0, 0, -1.0], [-1, 0, 0], [0, 1, 0]])
    tilt = _z(np.arctan2(staicu.home[2, 3], 2.8))
    steps = [
        theta_1 @ _z(-sign * np.pi / 3) @ _z(alpha_1),
        tilt @ theta_2,
        theta_1,
        tilt @ theta_1,
        theta_1,
        _z(sign * 2 * np.pi / 3) @ theta_2,
    ]
    chain = Model(leg_chain(staicu, index))
    ours = chain.transforms(joint_values(staicu, index, staicu.home))[:, :3, 2]
    a = np.eye(3)
    for k, step in enumerate(steps):
        a = step @ a
        assert abs(a[2] @ ours[k]) == pytest.approx(1.0, abs=1e-14), f"axis {k + 1}"
    assert np.abs(a[2] - [0, 0, 1]).max() < 1e-14


def test_masses_and_limits_arrive_in_the_chain(staicu):
    chain = leg_chain(with_leg(staicu, max_force=7.0, viscous=3.0, coulomb=2.0), 0)
    stroke = chain.joints[STROKE]
    assert (stroke.q_min, stroke.q_max, stroke.max_effort) == (2.8, 5.5, 7.0)
    assert (stroke.viscous, stroke.coulomb) == (3.0, 2.0)
    assert chain.total_mass == pytest.approx(2.5 + 20 + 10 + 2.5 + 5)
    assert body_links(leg_axes(staicu, 0)) == (0, 1, 2, 3, 4)


def test_centre_of_mass_lies_along_the_leg(staicu):
    """Cylinder 1.35 m from A, piston 1.40 m before B: the paper's mid-lengths (decision 6)."""
    chain = leg_chain(staicu, 0)
    poses = Model(chain).transforms(joint_values(staicu, 0, staicu.home))
    A = staicu.legs[0].base
    B = staicu.home[:3, :3] @ staicu.legs[0].platform + staicu.home[:3, 3]
    n = (B - A) / 3.0
    for joint, place in ((1, A + 1.35 * n), (2, B - 1.40 * n)):
        found = poses[joint] @ [*chain.joints[joint].body.com, 1.0]
        assert np.abs(found[:3] - place).max() < 1e-14


def test_leg_along_its_first_axis_is_refused(staicu):
    leg = staicu.legs[0]
    along = staicu.home[:3, 3] + leg.platform - leg.base
    with pytest.raises(PlatformError, match="'A' lies along the first axis"):
        leg_chain(with_leg(staicu, first_axis=along), 0)


def test_leg_without_length_is_refused(staicu):
    leg = staicu.legs[0]
    with pytest.raises(PlatformError, match="'A' has no length at home"):
        leg_chain(with_leg(staicu, base=staicu.home[:3, 3] + leg.platform), 0)


def test_locked_end_is_refused_where_it_matters(staicu):
    second = leg_axes(staicu, 0).triad[:, 1]
    locked = with_leg(staicu, platform_direction=second)
    with pytest.raises(PlatformError, match="end joint is locked at home"):
        leg_chain(locked, 0)


def test_a_ball_without_bodies_never_locks(make_platform, make_states):
    """Its three crossed axes are a way to write it down: the forces do not depend on them."""
    platform = make_platform(3)
    light = replace(platform.legs[0].bodies, end=platform.legs[0].bodies.end.__class__())
    light = replace(light, end_cross=light.end)
    plain = with_leg(platform, bodies=light)
    locked = with_leg(plain, platform_direction=leg_axes(platform, 0).triad[:, 1])
    state = make_states(platform, 5)
    one, other = models = [PlatformModel(made, "numpy") for made in (plain, locked)]
    found, expected = (model.forces(state.T, state.V, state.A) for model in models)
    assert np.allclose(found, expected, rtol=1e-12, atol=0)
    home = (platform.home, np.ones(6), np.ones(6))
    assert np.allclose(other.forces(*home), one.forces(*home), rtol=1e-12, atol=0)
