"""The transmissions of BIP 2000, numbers from shared/bip2000.md [mm, degrees]."""

import numpy as np
import pytest

from robots.core.transmission.drives import Drives
from robots.core.transmission.screws import CardanScrews, CrankScrew


@pytest.fixture(scope="session")
def knee():
    return CrankScrew(
        joint="q3",
        motor="m3",
        pitch=3e-3,
        e=49e-3,
        R=55e-3,
        rod=106.2e-3,
        gamma=np.radians(2.51),
        phi=np.radians(-35.78),
        joint_range=np.radians([[0, 90]]),
    )


@pytest.fixture(scope="session")
def hip():
    return CrankScrew(
        joint="q4",
        motor="m4",
        pitch=-3e-3,
        e=49e-3,
        R=55e-3,
        rod=150.4e-3,
        gamma=np.radians(2.51),
        phi=np.radians(35),
        offset=np.pi / 2,
        crank_sense=-1,
        joint_range=np.radians([[-75, 20]]),
    )


@pytest.fixture(scope="session")
def ankle():
    return CardanScrews(
        joints=("q1", "q2"),
        motors=("m1", "m2"),
        pitch=4e-3,
        e=51.2e-3,
        h=37.9e-3,
        b=2e-3,
        c=60e-3,
        d=37.9e-3,
        rod=125.8e-3,
        gamma=np.radians(-5.78),
        joint_range=np.radians([[-20, 20], [-45, 45]]),
    )


@pytest.fixture(scope="session")
def lumbar():
    return CardanScrews(
        joints=("q14", "q15"),
        motors=("m14", "m15"),
        pitch=4e-3,
        e=184e-3,
        h=100e-3,
        b=-5e-3,
        c=184e-3,
        d=100e-3,
        rod=143.8e-3,
        gamma=0.0,
        screw_sense=1,
        joint_range=np.radians([[-10, 10], [-20, 10]]),
    )


@pytest.fixture(scope="session")
def leg(ankle, knee, hip):
    return Drives(
        transmissions=(ankle, knee, hip),
        joints=("q1", "q2", "q3", "q4"),
        rotor_inertias=np.array([3.5, 3.5, 7, 7]) * 1e-5,
    )


@pytest.fixture(scope="session")
def spread():
    """Random postures within a range, seeded."""

    def draw(joint_range, count, seed=8):
        low, high = np.asarray(joint_range).T
        return np.random.default_rng(seed).uniform(low, high, (count, len(low)))

    return draw
