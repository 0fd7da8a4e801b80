"""What a plan did not check, because the job and the robot do not say enough: typed facts.

A verdict names them before anything else. Texts are composed where a reader sees them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from planner.findings.finding import Aspect
from planner.job.solids import SolidKind
from planner.job.stylus import STYLUS
from robots.core.mechanism import BASE, JointKind, Mechanism
from robots.core.self_pairs import PairReason, unwatched_pairs

if TYPE_CHECKING:
    from planner.job import Job
    from planner.job.settings import Probe

_SPAN = 0.01  # [m] a link that is shorter from joint to joint lies within its neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchecked:
    """An aspect that was not checked.

    Args:
        aspect: what it is.
        of: names of the joints (of the joint that carries a link, or of the link where its file
            has a shape that is not read; "base" for the base) that it is not known of, or pairs of
            capsules; empty where it is not known at all.
        reasons: why pairs of capsules are not watched, each once; empty for other aspects.
    """

    aspect: Aspect
    of: tuple[str, ...] = ()
    reasons: tuple[PairReason, ...] = ()


class Surrounding(Enum):
    """Something that clearances of a plan are measured to."""

    PART = "part"
    OBSTACLES = "obstacles"
    ITSELF = "robot itself"


def unchecked_aspects(job: Job) -> tuple[Unchecked, ...]:
    """List what a plan of the job cannot check, in the order of ``Aspect``."""
    return tuple(_unchecked(job))


def surroundings(job: Job) -> tuple[Surrounding, ...]:
    """List what clearances are measured to."""
    kinds = {solid.kind for solid in job.cell.solids}
    present = {
        Surrounding.PART: SolidKind.PART in kinds,
        Surrounding.OBSTACLES: bool(kinds - {SolidKind.PART}),
        Surrounding.ITSELF: bool(job.mechanism.self_pairs),
    }
    return tuple(surrounding for surrounding, there in present.items() if there)


def links_without_shape(mechanism: Mechanism, probe: tuple[str, ...] = STYLUS) -> tuple[str, ...]:
    """Name the joints whose link reaches from joint to joint and has no capsule; "base" for it.

    Args:
        mechanism: with the capsules of its probe.
        probe: names of the probe's capsules.
    """
    rigid = _rigid_bodies(mechanism)
    shaped = {rigid[capsule.joint] for capsule in mechanism.capsules if capsule.name not in probe}
    return tuple(_name(mechanism, link) for link in _spanning(mechanism) if link not in shaped)


def _unchecked(job: Job) -> Iterator[Unchecked]:
    mechanism = job.mechanism
    if job.cell.part is None:
        yield Unchecked(aspect=Aspect.PART_GEOMETRY)
    probe = (*STYLUS, *(body.name for body in job.probe.bodies))
    bare = links_without_shape(mechanism, probe)
    some = any(capsule.name not in probe for capsule in mechanism.capsules)
    unread = tuple(shape.link for shape in mechanism.unread_shapes)
    if bare or unread or not some:
        which = bare or tuple(dict.fromkeys(unread))
        yield Unchecked(aspect=Aspect.LINK_SHAPES, of=which if some else ())
    unwatched = [pair for pair in unwatched_pairs(mechanism) if pair.reason.open]
    if unwatched:
        of = tuple(f"{pair.a} with {pair.b}" for pair in unwatched)
        reasons = {pair.reason for pair in unwatched}
        told = tuple(reason for reason in PairReason if reason in reasons)
        yield Unchecked(aspect=Aspect.SELF_CONTACT, of=of, reasons=told)
    if not _has_shape(job.probe):
        yield Unchecked(aspect=Aspect.STYLUS_SHAPE)
    if job.frame == "part" and not job.part.posed:
        yield Unchecked(aspect=Aspect.PART_POSE)
    yield from _masses(mechanism, job.probe)
    if job.assumed_accelerations:
        names = tuple(one.joint for one in job.assumed_accelerations)
        every = len(names) == mechanism.dof
        yield Unchecked(aspect=Aspect.ACCELERATION_LIMITS, of=() if every else names)
    if "linear" in (job.approach.law, job.travel.law):
        yield Unchecked(aspect=Aspect.ACCELERATIONS)
    if not mechanism.masses_known:
        return
    limits = job.effort_limits
    free = [j.name for j, limit in zip(mechanism.movable, limits, strict=True) if np.isinf(limit)]
    if free:
        none = len(free) == mechanism.dof
        yield Unchecked(aspect=Aspect.TORQUE_LIMITS, of=() if none else tuple(free))


def _has_shape(probe: Probe) -> bool:
    """Whether ball and stylus take room."""
    return probe.stylus_length > 0.0 and probe.ball_diameter > 0.0


def _masses(mechanism: Mechanism, probe: Probe) -> Iterator[Unchecked]:
    """Links of which neither mass nor inertia is known: torques and energies leave them out."""
    if not mechanism.masses_known:
        yield Unchecked(aspect=Aspect.DYNAMICS)
        return
    if mechanism.total_mass - probe.mass <= 1e-9 * probe.mass:
        yield Unchecked(aspect=Aspect.MASSES)
        return
    rigid = _rigid_bodies(mechanism)
    heavy = {
        rigid[k]
        for k, joint in enumerate(mechanism.joints)
        if joint.body.mass > 0.0 or joint.body.inertia.any() or joint.motor_inertia > 0.0
    }
    links = [link for link in _spanning(mechanism) if link not in heavy and link != BASE]
    if links:
        yield Unchecked(aspect=Aspect.MASSES, of=tuple(_name(mechanism, link) for link in links))


def _rigid_bodies(mechanism: Mechanism) -> dict[int, int]:
    """The movable joint, or the base, that each joint's body moves with, by index."""
    rigid = {BASE: BASE}
    for k, joint in enumerate(mechanism.joints):
        rigid[k] = rigid[joint.parent] if joint.kind is JointKind.FIXED else k
    return rigid


def _spanning(mechanism: Mechanism) -> list[int]:
    """Links that reach from their own joint to another one, or to the tool; the base first."""
    rigid = _rigid_bodies(mechanism)
    origins = {BASE: np.zeros(3)}  # of each joint's frame, in the frame of its rigid body
    turns = {BASE: np.eye(3)}
    found: set[int] = set()
    for k, joint in enumerate(mechanism.joints):
        T = joint.placement
        origin = origins[joint.parent] + turns[joint.parent] @ T[:3, 3]
        if float(np.linalg.norm(origin)) > _SPAN:
            found.add(rigid[joint.parent])
        still = joint.kind is JointKind.FIXED
        origins[k] = origin if still else np.zeros(3)
        turns[k] = turns[joint.parent] @ T[:3, :3] if still else np.eye(3)
    return sorted(found)


def _name(mechanism: Mechanism, link: int) -> str:
    return "base" if link == BASE else mechanism.joints[link].name
