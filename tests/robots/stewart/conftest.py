"""The platform of [STAICU09] built in code, its published motion, and random platforms.

Numbers: the paper's, with decision 6 of sources.md; tensors in the frames of ``leg_chain``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from robots.core.mechanism import Body
from robots.core.pose import rotation_exp
from robots.stewart.model import PlatformModel
from robots.stewart.platform import Leg, LegBodies, LegEnd, Platform

L0, L_START = 2.8, 3.0
H = float(np.sqrt(L_START**2 - L0**2))
# α1 and α1 + α2 + α3 put A and B on their circles; α3 alternates (erratum of eq. (2)).
ALPHA_1 = np.array([0, 2, 2, -2, -2, 0]) * np.pi / 3
ALPHA_2 = np.array([-1, 1, -1, 1, -1, 1]) * np.pi / 3
ALPHA_3 = np.array([2, -2, 2, -2, 2, -2]) * np.pi / 3


@dataclass(frozen=True)
class Motion:
    T: np.ndarray
    V: np.ndarray
    A: np.ndarray


def on_circle(angle: float, radius: float = L0) -> np.ndarray:
    return radius * np.array([np.cos(angle), np.sin(angle), 0.0])


def staicu_bodies() -> LegBodies:
    """Cross J1 and J4: 0.2 about x1 and about z5; J5: 1 about the platform's normal."""
    return LegBodies(
        cross=Body(mass=2.5, inertia=np.diag([0.1, 0.1, 0.2])),
        cylinder=Body(mass=20.0, com=[0, 0, 1.35], inertia=np.diag([30.0, 30.0, 5.0])),
        piston=Body(mass=10.0, com=[0, 0, -1.4], inertia=np.diag([20.0, 20.0, 5.0])),
        end_cross=Body(mass=2.5, inertia=np.diag([0.2, 0.1, 0.1])),
        end=Body(mass=5.0, inertia=np.diag([2.0, 2.0, 1.0])),
    )


def staicu_platform(**changes: object) -> Platform:
    legs = tuple(
        Leg(
            name="ABCDEF"[k],
            base=on_circle(ALPHA_1[k]),
            platform=on_circle(ALPHA_1[k] + ALPHA_2[k] + ALPHA_3[k]),
            first_axis=on_circle(ALPHA_1[k] + ALPHA_2[k]),
            min_length=2.8,
            max_length=5.5,
            bodies=staicu_bodies(),
            **changes,
        )
        for k in range(6)
    )
    home = np.eye(4)
    home[2, 3] = H
    body = Body(mass=100.0, inertia=np.diag([300.0, 300.0, 600.0]))
    return Platform(name="staicu", legs=legs, home=home, body=body)


def mathworks_platform() -> Platform:
    """Radii 3 and 1 m, joints 2.5° and 10° beside every third of a turn, height 2 m, no masses."""
    thirds = np.repeat(np.deg2rad([0, 120, 240]), 2)
    sides = np.tile(np.deg2rad([-1.0, 1.0]), 3)
    base = [on_circle(a, 3.0) for a in thirds + 2.5 * sides]
    top = [on_circle(a, 1.0) for a in thirds + np.pi / 3 + 10.0 * sides]
    legs = tuple(
        Leg(name=str(k), base=base[k], platform=top[k - 1], first_axis=[0.1, 0.2, 1.0])
        for k in range(6)
    )
    home = np.eye(4)
    home[2, 3] = 2.0
    return Platform(name="mathworks", legs=legs, home=home)


def published_motion(t: object) -> Motion:
    """Eqs. (5)-(6) in the primary reading: the rotation turns about moving x, y, z."""
    time = np.asarray(t, dtype=float)
    rate = 2 * np.pi / 3
    s, c = np.sin(rate * time), np.cos(rate * time)
    rise = np.stack([1 - c, rate * s, rate**2 * c])
    swing = np.stack([s, rate * c, -(rate**2) * s])
    xyz = np.stack([0.02 * swing, 0.04 * rise, 0.06 * rise], axis=-1)
    angles = rise[..., None] * np.pi * np.array([1 / 90, 1 / 45, 1 / 30])
    T = np.zeros((*time.shape, 4, 4))
    T[..., :3, 3] = xyz[0] + [0, 0, H]
    T[..., 3, 3] = 1.0
    ones = [np.broadcast_to(e, (*time.shape, 3)) for e in np.eye(3)]
    turns = [rotation_exp(angles[0][..., [k]] * e) for k, e in enumerate(np.eye(3))]
    T[..., :3, :3] = turns[0] @ turns[1] @ turns[2]
    axes = [ones[0], _apply(turns[0], ones[1]), _apply(turns[0] @ turns[1], ones[2])]
    w, wd = np.zeros((*time.shape, 3)), np.zeros((*time.shape, 3))
    for k, axis in enumerate(axes):
        own = angles[1][..., [k]] * axis
        wd = wd + angles[2][..., [k]] * axis + np.cross(w, own)
        w = w + own
    return Motion(T, np.concatenate([xyz[1], w], -1), np.concatenate([xyz[2], wd], -1))


def random_body(rng: np.random.Generator, mass: float, size: float, com: np.ndarray) -> Body:
    """A real body: a cloud of four equal points about its centre."""
    points = rng.normal(size=(4, 3)) * size
    points -= points.mean(axis=0)
    inertia = sum(mass / 4 * (p @ p * np.eye(3) - np.outer(p, p)) for p in points)
    return Body(mass=mass, com=com, inertia=inertia)


def random_platform(seed: int, end: LegEnd = LegEnd.SPHERICAL) -> Platform:
    """An irregular 6-6 platform with tilted axes, off-centre bodies, friction and odd gravity."""
    rng = np.random.default_rng(seed)
    angles = np.array([10, 110, 130, 230, 250, 350]) * np.pi / 180
    legs = []
    for k, angle in enumerate(angles):
        near = angle + (np.pi / 4 if k % 2 == 0 else -np.pi / 4) * 0.9
        base = on_circle(angle, 1.0) + rng.normal(size=3) * 0.03
        top = on_circle(near, 0.5) + rng.normal(size=3) * 0.03
        bodies = LegBodies(
            cross=random_body(rng, 0.4, 0.05, rng.normal(size=3) * 0.01),
            cylinder=random_body(rng, 2.0, 0.2, np.array([0.01, 0.02, 0.4])),
            piston=random_body(rng, 1.0, 0.2, np.array([0.01, -0.02, -0.3])),
            end_cross=random_body(rng, 0.3, 0.05, rng.normal(size=3) * 0.01),
            end=random_body(rng, 0.5, 0.05, rng.normal(size=3) * 0.01),
        )
        leg = Leg(
            name=f"leg {k}",
            base=base,
            platform=top,
            first_axis=on_circle(angle + 1.3) + rng.normal(size=3) * 0.2,
            platform_direction=np.array([0.0, 0.0, -1.0]) + rng.normal(size=3) * 0.1,
            end=end,
            coulomb=3.0,
            viscous=20.0,
            bodies=bodies,
        )
        legs.append(leg)
    home = np.eye(4)
    home[:3, 3] = [0.02, -0.03, 1.0]
    body = random_body(rng, 12.0, 0.3, np.array([0.05, -0.02, 0.1]))
    return Platform(
        name=f"random-{seed}", legs=tuple(legs), home=home, body=body, gravity=[1.0, -2.0, -9.0]
    )


def random_states(platform: Platform, count: int, seed: int = 1) -> Motion:
    """Poses near home with any velocity and acceleration."""
    rng = np.random.default_rng(seed)
    T = np.tile(platform.home, (count, 1, 1))
    T[:, :3, :3] = T[:, :3, :3] @ rotation_exp(rng.normal(size=(count, 3)) * 0.12)
    T[:, :3, 3] += rng.normal(size=(count, 3)) * 0.08
    return Motion(T, rng.normal(size=(count, 6)), rng.normal(size=(count, 6)) * 3)


def frictionless(platform: Platform) -> Platform:
    legs = tuple(replace(leg, coulomb=0.0, viscous=0.0) for leg in platform.legs)
    return replace(platform, legs=legs)


def _apply(R: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", R, v)


@pytest.fixture(scope="session")
def staicu() -> Platform:
    return staicu_platform()


@pytest.fixture(scope="session")
def mathworks() -> Platform:
    return mathworks_platform()


@pytest.fixture(scope="session")
def published():
    """Function of time: pose, velocity and acceleration of the paper's motion."""
    return published_motion


@pytest.fixture(scope="session")
def make_platform():
    """Factory of irregular platforms by seed and end joint."""
    return random_platform


@pytest.fixture(scope="session")
def make_model():
    """Factory of their models, one of each: to record the equations takes longer than to ask."""

    @cache
    def make(seed, end=LegEnd.SPHERICAL, engine="numpy"):
        return PlatformModel(random_platform(seed, end), engine)

    return make


@pytest.fixture(scope="session")
def make_states():
    """Factory of random states of a platform."""
    return random_states


@pytest.fixture(scope="session")
def without_friction():
    return frictionless
