"""Gravity torques Q(i), from the tip to the base.

Source: [LIEGEOIS80] eqs. (3-9), (3-10), §4.4. Q stands on the right-hand side of eq. (3-1), with
the components of gravity's acceleration: it is the torque that gravity exerts.
"""

from __future__ import annotations

from robots.core.mechanism import BASE
from robots.core.symbols.condensed.augmented import AugmentedBodies
from robots.core.symbols.condensed.frames import Frames, along
from robots.core.symbols.condensed.terms import (
    ZERO,
    GravityTorque,
    Sum,
    Term,
    Vector,
    added,
    collected,
    scaled,
    weighted,
)


def gravity_torques(frames: Frames, bodies: AugmentedBodies) -> list[Sum]:
    """Q of every joint; a parallel joint farther out enters by reference, ``+Q(4)``."""
    Q = [ZERO] * frames.chain.dof
    for index in reversed(range(frames.chain.dof)):
        if frames.chain.links[index].turns:
            Q[index] = _torque(frames, bodies, index, Q)
        else:
            Q[index] = _force(frames, bodies, index)
        if frames.chain.slanted:
            Q[index] = collected(Q[index])
    return Q


def _force(frames: Frames, bodies: AugmentedBodies, index: int) -> Sum:
    """Gravity on all that slides, along the slide. Source: eq. (3-10)."""
    mass = bodies.carried[index]
    parts = []
    for axis, size in enumerate(frames.chain.links[index].axis):
        v = frames.to_inner(along(axis, scaled(size, mass)), index, BASE)
        parts.append(v)
    return _along_gravity(bodies, parts)


def _torque(frames: Frames, bodies: AugmentedBodies, index: int, Q: list[Sum]) -> Sum:
    chain = frames.chain
    parts: list[Vector] = []
    references: list[Term] = []
    waiting = [index]
    while waiting:
        k = waiting.pop(0)
        joint = chain.links[k]
        if k != index and joint.turns and _shares_axis(frames, index, k):
            if Q[k]:
                sign = float(joint.sense * chain.links[index].sense)
                reference = GravityTorque(joint=k + 1)
                references.append(Term(coefficient=sign, factors=(reference,)))
            continue
        for piece in bodies.masses[k]:
            v = along(piece.axis, Sum(terms=(piece.weight,)))
            parts.append(frames.to_inner(v, k, BASE, derive=index))
        waiting.extend(chain.children(k))
    return added(_along_gravity(bodies, parts), Sum(terms=tuple(references)))


def _shares_axis(frames: Frames, index: int, other: int) -> bool:
    """Whether the joints' axes keep parallel at all q, so that their derivatives are the same."""
    return frames.chain.run(index, other) == other


def _along_gravity(bodies: AugmentedBodies, parts: list[Vector]) -> Sum:
    return added(
        *(
            weighted(piece.weight, added(*(part[piece.axis] for part in parts)))
            for piece in bodies.gravity
        )
    )
