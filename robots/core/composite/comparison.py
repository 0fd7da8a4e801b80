"""A composite beside the monolithic model of the same robot: differences and arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.composite.composition import Composition
from robots.core.joint_samples import joint_samples
from robots.core.model import Lagrange, Model
from robots.core.quantities import quantity
from robots.core.recording import Programme

STATES = 16  # postures compared, spread over the joint ranges


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """How far a composite is from the monolithic model, and what each costs.

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


def compared(composition: Composition, states: int = STATES) -> Comparison:
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
    return Comparison(
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
