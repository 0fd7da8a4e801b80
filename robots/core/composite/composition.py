"""Composition of a robot from sub-robots, and its comparison with the monolithic model.

The recipe asks for the models of its sub-robots and joins them; whether those models hold numbers
or recorded nodes is the reading's choice, so that a composite is evaluated, compiled and counted
by the very lines that state it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from robots.core.composite.coupling import (
    MountedRobot,
    base_distal_change,
    chain,
    split,
    tree,
    variables_of,
    without,
)
from robots.core.composite.sub_model import BASE_LINK, SubModel, recorded_sub_model, sub_model
from robots.core.composite.symmetry import MirrorPair, mirrored, rearranged
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Lagrange, Model
from robots.core.quantities import quantity
from robots.core.recording import Programme, Recorder
from robots.core.rerooted import reroot

# Gives the model of a sub-robot at some of the whole's variables, each with a sign.
Leaf = Callable[[Mechanism, Sequence[int], Sequence[float]], SubModel]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Composition:
    """A robot, and the recipe that makes its model from sub-robots' models.

    Args:
        title: what the sub-robots are.
        whole: the robot, with its variables and gravity.
        recipe: joins the models that it asks for; joints keep the names of the whole.
    """

    title: str
    whole: Mechanism
    recipe: Callable[[Leaf], SubModel]
    _models: dict[int, Model] = field(default_factory=dict)

    def model(self, q: object) -> SubModel:
        """The composite at a state, or at each state of a batch. # (..., n) [rad or m].

        Raises:
            StateError: joint values that are not finite.
        """
        state = np.asarray(q, dtype=np.float64)

        def leaf(part: Mechanism, places: Sequence[int], signs: Sequence[float]) -> SubModel:
            if id(part) not in self._models:
                self._models[id(part)] = Model(part, "single-use")
            return sub_model(self._models[id(part)], state[..., list(places)] * np.array(signs))

        return self._ordered(self.recipe(leaf))

    def record(self) -> Programme:
        """The whole composite as one programme: A, B, C and gravity as the quantity "lagrange"."""
        recorder = Recorder()
        q = recorder.argument("q", (self.whole.dof,))

        def leaf(part: Mechanism, places: Sequence[int], signs: Sequence[float]) -> SubModel:
            own = [s * q[k] for k, s in zip(places, signs, strict=True)]
            return recorded_sub_model(part, own)

        found = self._ordered(self.recipe(leaf)).lagrange(self.whole.gravity)
        parts = (found.A, found.B, found.C, found.gravity)
        flat = np.concatenate([np.ravel(part) for part in parts])
        return recorder.programme("composite lagrange", list(flat), flat.shape)

    def _ordered(self, robot: SubModel) -> SubModel:
        return rearranged(robot, [joint.name for joint in self.whole.movable], {})


def cut(whole: Mechanism, joint: str, keep: Sequence[str] = ()) -> Composition:
    """Two sub-robots: what carries a joint, and the subtree that it begins.

    Args:
        whole: the robot.
        joint: the first of the carried robot.
        keep: links whose motion is wanted of the composite.

    Raises:
        MechanismError: no such joint, or nothing carries it.
    """
    parts = split(whole, joint)

    def recipe(leaf: Leaf) -> SubModel:
        carrier, carried = (_plain(leaf, whole, p) for p in (parts.carrier, parts.carried))
        branch = MountedRobot(robot=_kept(carried, keep), link=parts.link)
        return chain(_kept(carrier, (parts.link, *keep)), branch)

    return Composition(title=f"cut at {joint}", whole=whole, recipe=recipe)


def by_symmetry(whole: Mechanism, pair: MirrorPair, keep: Sequence[str] = ()) -> Composition:
    """A body with two limbs, both from the model of the first limb alone.

    Args:
        whole: the robot.
        pair: the limbs, from ``mirror_pairs``.
        keep: links whose motion is wanted of the composite; frames of the second limb are the
            reflected ones with z turned round.

    Raises:
        MechanismError: the pair is not of this mechanism, or nothing else remains of it.
    """
    root = without(whole, [pair.first, pair.second])
    limb, twin = split(whole, pair.first).carried, split(whole, pair.second).carried
    ones = [1.0] * limb.dof

    def recipe(leaf: Leaf) -> SubModel:
        own = leaf(limb, variables_of(whole, limb), ones)
        image = mirrored(leaf(limb, variables_of(whole, twin), pair.signs), pair.normal)
        other = _as_twin(image, twin, pair.signs)
        branches = [
            MountedRobot(robot=_kept(robot, keep), link=pair.link) for robot in (own, other)
        ]
        return tree(_kept(_plain(leaf, whole, root), (pair.link, *keep)), branches)

    title = f"{pair.second} from {pair.first} by symmetry"
    return Composition(title=title, whole=whole, recipe=recipe)


def standing_on(composition: Composition, link: str) -> Composition:
    """The same robot with a link as its base: a biped on its foot, by base-distal change.

    Args:
        composition: made with ``keep`` holding the link.
        link: the new base; gravity keeps the direction that it has there at q = 0.

    Raises:
        MechanismError: no such link, or it was not kept.
    """
    seen = reroot(composition.whole, link)

    def recipe(leaf: Leaf) -> SubModel:
        return base_distal_change(composition.recipe(reordered(leaf)), link)

    def reordered(leaf: Leaf) -> Leaf:
        """The leaf asked in the old order of variables."""
        new = {int(old): k for k, old in enumerate(seen.order)}
        return lambda part, places, signs: leaf(part, [new[k] for k in places], signs)

    title = f"{composition.title}, standing on {link}"
    return Composition(title=title, whole=seen.mechanism, recipe=recipe)


def _as_twin(image: SubModel, twin: Mechanism, signs: Sequence[float]) -> SubModel:
    """A limb's image with the names of the other limb, and its sense of the variables."""
    names = [joint.name for joint in twin.movable]
    links = (*(joint.name for joint in twin.joints), BASE_LINK)
    named = image.with_values(joints=tuple(names), links=links)
    return rearranged(named, names, dict(zip(names, signs, strict=True)))


def _kept(robot: SubModel, links: Sequence[str]) -> SubModel:
    """The motion of those links that the robot has."""
    return robot.only(*(name for name in links if name in robot.links))


def _plain(leaf: Leaf, whole: Mechanism, part: Mechanism) -> SubModel:
    """The model of a part at the whole's own variables."""
    places = variables_of(whole, part)
    return leaf(part, places, [1.0] * len(places))


# ------------------------------------------------------------ Comparison with the monolithic model

STATES = 16  # postures compared, spread over the joint ranges


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompositeComparison:
    """Deviation of a composite from the monolithic model, and the cost of each.

    Args:
        title: of the composition.
        inertia: largest difference in A. [kg m², kg m or kg]
        coriolis: largest difference in B and C. [N m s² and the like]
        gravity: largest difference in the gravity torques. [N m or N]
        relative: the largest of the three, each beside the largest entry of its kind.
        composite: the composite as one programme, whose operations count.
        monolithic: quantity "lagrange" of the whole robot.
    """

    title: str
    inertia: float
    coriolis: float
    gravity: float
    relative: float
    composite: Programme
    monolithic: Programme


def compared(composition: Composition, states: int = STATES) -> CompositeComparison:
    """Both models on the same postures.

    Args:
        composition: what to compare.
        states: how many postures.

    Raises:
        StateError: a negative number of states.
    """
    whole = composition.whole
    q = joint_samples(whole, states, slide=1.0)
    own = composition.model(q).lagrange(whole.gravity)
    peer = Model(whole, "single-use").lagrange(q)
    far = {name: _largest(_array(own, name) - _array(peer, name)) for name in _PARTS}
    sizes = {name: max(_largest(_array(peer, name)), 1e-300) for name in _PARTS}
    return CompositeComparison(
        title=composition.title,
        inertia=far["A"],
        coriolis=max(far["B"], far["C"]),
        gravity=far["gravity"],
        relative=max(
            far["A"] / sizes["A"],
            max(far["B"], far["C"]) / max(sizes["B"], sizes["C"]),
            far["gravity"] / sizes["gravity"] if sizes["gravity"] > 1e-300 else 0.0,
        ),
        composite=composition.record(),
        monolithic=quantity("lagrange").record(whole),
    )


_PARTS = ("A", "B", "C", "gravity")


def _array(values: Lagrange, name: str) -> np.ndarray:
    return np.asarray(getattr(values, name))


def _largest(values: np.ndarray) -> float:
    return float(np.abs(values).max(initial=0.0))
