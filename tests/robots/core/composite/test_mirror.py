"""Mirror images: BIP's left leg from its right one, and laws of reflection."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.composite.coupling import split
from robots.core.composite.sub_model import sub_model
from robots.core.composite.symmetry import mirror_pairs, mirrored, mirrored_mechanism, rearranged
from robots.core.errors import MechanismError, StateError
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.library import load
from tests.cases import cases

Make = Callable[..., Mechanism]
FIELDS = ("T", "motion", "d_motion", "mass_matrix", "d_mass_matrix", "inertia", "d_inertia")
MOMENTA = ("momentum", "d_momentum")
# The file turns the frame of q9 and not that of q11: all axes of the image are turned round.
FLIPS = {"q9": "xyz"}
SAGITTAL = (1.0, 0.0, 0.0)  # pelvis axes: x right


def test_left_leg_of_bip_is_the_image_of_the_right_leg_as_data() -> None:
    """Bodies 7/14, 9/16, … with the ± signs of the source."""
    bip = load("bip2000")
    image = mirrored_mechanism(split(bip, "q9").carried, SAGITTAL, FLIPS)
    left = split(bip, "q11").carried
    assert len(image.joints) == 6
    for ours, theirs in zip(image.joints, left.joints, strict=True):
        assert pytest.approx(theirs.placement, abs=1e-15) == ours.placement
        assert ours.body.mass == theirs.body.mass
        assert pytest.approx(theirs.body.com, abs=0) == ours.body.com
        assert pytest.approx(theirs.body.inertia, abs=0) == ours.body.inertia
        assert ours.motor_inertia == theirs.motor_inertia
    thigh = bip.joints[bip.index("q4")].body, bip.joints[bip.index("q8")].body
    assert thigh[0].com[2] == -thigh[1].com[2] == -0.045


def test_model_of_the_left_leg_from_the_right_legs_model() -> None:
    bip, q = load("bip2000"), np.random.default_rng(2).normal(size=(3, 6))
    right, left = (Model(split(bip, name).carried, "numpy") for name in ("q9", "q11"))
    image, truth = mirrored(sub_model(right, q), SAGITTAL, FLIPS), sub_model(left, q)
    for name in (*FIELDS, *MOMENTA):
        assert pytest.approx(getattr(truth, name), abs=1e-12) == getattr(image, name)


def test_legs_of_bip_are_found_as_a_pair() -> None:
    (pair,) = mirror_pairs(load("bip2000"))
    assert (pair.first, pair.second, pair.link) == ("q9", "q11", "pelvis")
    assert pair.normal == SAGITTAL
    assert pair.signs == (1.0,) * 6


@given(seed=st.integers(0, 300), axis=st.sampled_from("xyz"), state=st.integers(0, 1000))
@settings(max_examples=cases(gate=2, soak=8), deadline=None, derandomize=True)
def test_model_of_the_image_is_the_image_of_the_model(
    make_mechanism: Make, seed: int, axis: str, state: int
) -> None:
    """For any plane; an x or y turned round makes the joint count the other way."""
    mechanism = make_mechanism(seed)
    rng = np.random.default_rng(state)
    normal, q = rng.normal(size=3), rng.normal(size=mechanism.dof)
    flips = {joint.name: axis for joint in mechanism.joints}
    other = {j.name: -1.0 if j.kind.angular and axis != "z" else 1.0 for j in mechanism.movable}
    if axis == "z":  # a slide along an axis that is turned round
        other |= {j.name: -1.0 for j in mechanism.movable if not j.kind.angular}
    s = np.array(list(other.values()))
    image = Model(mirrored_mechanism(mechanism, normal, flips), "numpy")
    truth = sub_model(image, s * q)
    found = mirrored(sub_model(Model(mechanism, "numpy"), q), normal, flips)
    found = rearranged(found, found.joints, other)
    for name in (*FIELDS, *MOMENTA):
        assert pytest.approx(getattr(truth, name), abs=1e-10) == getattr(found, name)


def test_twice_reflected_is_the_robot(spatial: Make) -> None:
    robot = sub_model(Model(spatial(3), "numpy"), np.array([0.1, 0.2, -0.3, 2.0]))
    twice = mirrored(mirrored(robot, (1, 2, 3)), (1, 2, 3))
    for name in (*FIELDS, *MOMENTA):
        assert pytest.approx(getattr(robot, name), abs=1e-12) == getattr(twice, name)


def test_energy_does_not_know_left_from_right(spatial: Make) -> None:
    robot = sub_model(Model(spatial(4), "numpy"), np.array([0.1, 0.2, -0.3, 2.0]))
    image = mirrored(robot, (0, 1, 0))
    assert pytest.approx(robot.mass_matrix, abs=0) == image.mass_matrix
    # Gravity in the plane of symmetry asks for the same torques; across it, for the opposite.
    assert pytest.approx(robot.gravity_torques((3, 0, -9)), abs=1e-12) == image.gravity_torques(
        (3, 0, -9)
    )
    assert pytest.approx(robot.gravity_torques((0, 1, 0)), abs=1e-12) == -image.gravity_torques(
        (0, 1, 0)
    )


def test_a_chain_has_no_pairs(spatial: Make) -> None:
    assert mirror_pairs(spatial(4)) == ()


def test_refusals(spatial: Make) -> None:
    robot = sub_model(Model(spatial(1), "numpy"), np.zeros(4))
    for normal in ((0, 0, 0), (1, 2), (np.nan, 0, 1)):
        with pytest.raises(StateError, match="normal"):
            mirrored(robot, normal)
    with pytest.raises(MechanismError, match='"x", "y", "z" or "xyz", not \'xy\''):
        mirrored(robot, (1, 0, 0), {"q1": "xy"})
    with pytest.raises(MechanismError, match="joints are q1, q2, q3, q4"):
        rearranged(robot, ["q1", "q2"], {})
    with pytest.raises(StateError, match=r"\+1 or -1"):
        rearranged(robot, robot.joints, {"q1": 2.0})
