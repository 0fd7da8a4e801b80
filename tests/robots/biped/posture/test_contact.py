"""Which corners touch: one foot, two, a heel that is lifted, a foot below the ground."""

from __future__ import annotations

import numpy as np
import pytest

from robots.biped.biped import Biped, Foot
from robots.biped.errors import BipedError, PostureError
from robots.biped.posture.ground import Ground
from robots.biped.posture.standing import sole_in_world, support_of
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.core.pose import make_pose, rotation_y

SOLE = np.array([[0.17, -0.09, 0], [0.17, 0.09, 0], [-0.12, 0.06, 0], [-0.12, -0.06, 0]])


@pytest.fixture(scope="module")
def walker() -> Biped:
    """Two soles under a pole."""
    joints = tuple(
        Joint(
            name=name,
            kind=JointKind.REVOLUTE,
            parent=-1,
            placement=make_pose(np.eye(3), np.array([0.0, y, 0.0])),
            body=Body(mass=1.0, com=[0.0, 0.0, 0.5]),
        )
        for name, y in (("r", -0.1), ("l", 0.1))
    )
    feet = (Foot(name="right", link="r", sole=SOLE), Foot(name="left", link="l", sole=SOLE))
    return Biped(mechanism=Mechanism(name="walker", joints=joints), feet=feet)


def at(x: float, y: float, z: float, pitch: float = 0.0) -> np.ndarray:
    return make_pose(rotation_y(pitch), np.array([x, y, z]))


def test_both_feet_and_one(walker):
    both = support_of(walker, {"right": at(0, -0.1, 0), "left": at(0, 0.1, 0)}, Ground())
    assert both.area == pytest.approx(0.29 * (0.38 + 0.32) / 2)
    one = support_of(walker, {"right": at(0, -0.1, 0), "left": at(0, 0.1, 0.02)}, Ground())
    assert one.area == pytest.approx(0.29 * 0.15)
    assert one.nearest_edge_name([0.17, -0.1]) == "toe"


def test_a_lifted_heel_leaves_the_toe_line_to_the_other_foot(walker):
    # Turned about the toe edge by 10 degrees, the heel is 50 mm up.
    lifted = at(0.17, 0.1, 0.0, np.radians(10)) @ at(-0.17, 0, 0)
    found = support_of(walker, {"right": at(0, -0.1, 0), "left": lifted}, Ground())
    assert found.corners[:, 1].max() == pytest.approx(0.19)
    assert found.corners[found.corners[:, 1] > 0.0, 0].min() == pytest.approx(0.17)
    with pytest.raises(PostureError, match="2 corners of the soles of walker touch the ground"):
        support_of(walker, {"left": lifted}, Ground())


def test_clearance_of_a_millimetre_still_bears(walker):
    poses = {"right": at(0, -0.1, 0.0009)}
    assert len(support_of(walker, poses, Ground()).corners) == 4
    with pytest.raises(PostureError, match=r"0 corners .* nearest is 0.9 mm above"):
        support_of(walker, poses, Ground(), touching=5e-4)


def test_below_the_ground_is_refused(walker):
    with pytest.raises(
        PostureError, match=r"corner of the soles of walker is 20 mm below"
    ) as found:
        support_of(walker, {"right": at(0, 0, 0), "left": at(0, 0.2, -0.02)}, Ground())
    assert found.value.facts["value"] == pytest.approx(-0.02)


def test_on_tilted_ground_the_polygon_is_projected(walker):
    ground = Ground(alpha=0.2, beta=0.3)
    found = support_of(walker, {"right": ground.T_world_ground}, ground)
    flat = (SOLE @ ground.rotation.T)[:, :2]
    assert all(np.min(np.linalg.norm(found.corners - c, axis=1)) < 1e-15 for c in flat)
    assert found.area == pytest.approx(0.29 * 0.15 * ground.normal[2])


def test_soles_in_batches_and_unknown_feet(walker):
    poses = np.stack([at(0, 0, 0), at(1, 2, 3)])
    np.testing.assert_allclose(sole_in_world(walker, "left", poses)[1], SOLE + np.array([1, 2, 3]))
    with pytest.raises(BipedError, match="no foot 'middle'; it has right, left"):
        support_of(walker, {"middle": at(0, 0, 0)}, Ground())
