"""Recipes: numbers, recorded programmes and costs of whole composites."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from robots.core.composite.composition import Composition, by_symmetry, compared, cut, standing_on
from robots.core.composite.sub_model import SubModel, sub_model
from robots.core.composite.symmetry import MirrorPair, mirror_pairs
from robots.core.errors import MechanismError
from robots.core.kernels import Kernel
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.library import load
from tests.cases import some

INERTIA, CORIOLIS = 1e-10, 1e-9  # the bounds


@pytest.fixture(scope="module")
def legs() -> MirrorPair:
    return mirror_pairs(load("bip2000"))[0]


def bip(name: str, legs: MirrorPair) -> Composition:
    whole = load("bip2000")
    made = {
        "cut": lambda: cut(whole, "q4"),
        "legs": lambda: by_symmetry(whole, legs),
        "right foot": lambda: standing_on(by_symmetry(whole, legs, keep=("q1",)), "q1"),
        "left foot": lambda: standing_on(by_symmetry(whole, legs, keep=("q5",)), "q5"),
    }
    return made[name]()


@pytest.mark.parametrize("name", some(["left foot", "cut", "legs", "right foot"], gate=1))
def test_bip_composites_are_bip(name: str, legs: MirrorPair) -> None:
    shown = compared(bip(name, legs), states=4)
    assert shown.inertia < INERTIA
    assert shown.coriolis < CORIOLIS
    assert shown.gravity < INERTIA
    assert shown.relative < 1e-13


@pytest.mark.parametrize("name", some(["legs", "left foot"], gate=1))
def test_the_programme_is_the_composite(name: str, legs: MirrorPair) -> None:
    composition = bip(name, legs)
    q = np.random.default_rng(5).uniform(-1, 1, size=(2, 15))
    flat = Kernel(composition.record(), "numpy")(q)
    found = composition.model(q).lagrange(composition.whole.gravity)
    parts = (found.A, found.B, found.C, found.gravity)
    assert pytest.approx(flat, abs=1e-10) == np.hstack([part.reshape(2, -1) for part in parts])


def test_symmetry_uses_one_legs_model_alone(legs: MirrorPair) -> None:
    """The recipe asks twice for one and the same leg, once for pelvis and trunk."""
    asked: list[tuple[str, ...]] = []
    q = np.linspace(-1, 1, 15)

    def leaf(part: Mechanism, places: Sequence[int], signs: Sequence[float]) -> SubModel:
        asked.append(tuple(joint.name for joint in part.joints))
        return sub_model(Model(part), q[list(places)] * np.array(signs))

    bip("legs", legs).recipe(leaf)
    right, trunk = ("q9", "q10", "q4", "q3", "q2", "q1"), ("pelvis", "q13", "q14", "q15")
    assert sorted(asked) == sorted([right, right, trunk])


def test_costs_are_counted_on_both_sides() -> None:
    shown = compared(cut(load("planar-4r"), "q3"))
    assert shown.title == "cut at q3"
    own, peer = shown.composite.counts, shown.monolithic.counts
    # Shared terms make both small; the composite pays for the blocks of a free base.
    assert peer.multiplications < own.multiplications < 3 * peer.multiplications
    assert own.sines_cosines == peer.sines_cosines == 8


def test_a_robot_whose_first_slides_have_no_rate_terms() -> None:
    """Relative differences of terms that vanish are zero, not nan."""
    gantry = load("gantry-5")
    shown = compared(cut(gantry, gantry.joints[1].name), states=3)
    assert np.isfinite(shown.relative)
    assert shown.relative < 1e-13


def test_a_link_that_was_not_kept(legs: MirrorPair) -> None:
    composition = standing_on(by_symmetry(load("bip2000"), legs), "q1")
    with pytest.raises(MechanismError, match="no link 'q1'"):
        composition.model(np.zeros(15))
