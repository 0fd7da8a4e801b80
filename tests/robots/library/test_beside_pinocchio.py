"""Every arm that one can buy beside Pinocchio: the library's model, and its URDF read by the peer.

    python -m tests.robots.library.test_beside_pinocchio     # prints the greatest deviations

Arms whose masses are not published get seeded ones, so that their torques have a value as well.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.mechanism import Body, Mechanism
from robots.core.model import Model
from robots.core.urdf import read_urdf, write_urdf
from robots.library import load, maker_of, names
from tests.cases import some
from tests.robots.core.urdf.pinocchio_chain import PinocchioChain

ARMS = tuple(name for name in names() if maker_of(name))
STATES = 20
FORWARD = 1e-12  # [m], and of entries of rotations
TORQUE = 1e-9  # relative to the greatest torque of the state


def weighed(arm: Mechanism) -> Mechanism:
    """The arm with its maker's masses, or else with seeded ones."""
    if arm.masses_known:
        return arm
    rng = np.random.default_rng(19)
    joints = [
        replace(
            joint,
            body=Body(
                mass=rng.uniform(0.5, 20.0),
                com=rng.uniform(-0.2, 0.2, 3),
                inertia=np.diag(rng.uniform(0.9, 1.1, 3) * rng.uniform(0.01, 0.5)),
            ),
        )
        for joint in arm.joints
    ]
    return replace(arm, joints=tuple(joints), masses_known=True)


def deviations(name: str) -> tuple[float, float]:
    """Greatest deviations over random states: forward geometry [m], torques, relative."""
    arm = weighed(load(name))
    text = write_urdf(arm)
    peer, ours = PinocchioChain(text, read_urdf(text)), Model(arm, engine="numpy")
    rng = np.random.default_rng(3)
    forward = torque = 0.0
    for _ in range(STATES):
        q = rng.uniform(arm.q_min, arm.q_max)
        qd, qdd = (rng.uniform(-1.0, 1.0, arm.dof) * limit for limit in (arm.max_speed, 10.0))
        forward = max(forward, np.abs(ours.forward(q) - peer.forward(q)).max())
        rubbing = [
            j.viscous * v + j.coulomb * np.sign(v) for j, v in zip(arm.movable, qd, strict=True)
        ]
        theirs = peer.torques(q, qd, qdd)
        apart = np.abs(ours.torques(q, qd, qdd) - rubbing - theirs).max()
        torque = max(torque, apart / np.abs(theirs).max())
    return forward, torque


@pytest.mark.parametrize("name", some(ARMS, gate=5))
def test_geometry_and_torques_are_pinocchio_s(name):
    forward, torque = deviations(name)
    assert forward <= FORWARD
    assert torque <= TORQUE


if __name__ == "__main__":
    for one in ARMS:
        found = deviations(one)
        print(f"{one:24} {found[0]:.1e} m   {found[1]:.1e}")
