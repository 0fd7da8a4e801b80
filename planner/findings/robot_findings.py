"""Findings about a robot: what was read from its file, and what a job puts in place of the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planner.findings import Finding, Quantity, Severity
from planner.findings.finding import Joint, Robot
from robots.core.mechanism import Mechanism

if TYPE_CHECKING:
    from planner.job import Job

_MOST_NAMED = 8


def robot_findings(job: Job) -> list[Finding]:
    """What was taken from the robot's file, and what the job puts in place of what it lacks."""
    return [*reading_findings(job.mechanism), *_assumed_accelerations(job)]


def _assumed_accelerations(job: Job) -> Iterator[Finding]:
    for unit in dict.fromkeys(item.unit for item in job.assumed_accelerations):
        same = [item for item in job.assumed_accelerations if item.unit == unit]
        names = named([item.joint for item in same])
        yield Finding(
            code="R111",
            severity=Severity.WARNING,
            subject=Robot(job.mechanism.name),
            message=f"The robot file has no acceleration limit for {names}; the job's default of "
            f"{same[0].value:g} {unit} is used, so durations and torques depend on it.",
            quantities=(Quantity("default acceleration", same[0].value, unit),),
            hint="Give the drives' own limits: max_acceleration_… under robot.limits of each "
            "joint.",
        )


def reading_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """What was taken, held, left unread and is not known."""
    yield from choice_findings(mechanism)
    yield from mass_findings(mechanism)
    yield from unread_shape_findings(mechanism)
    yield from still_joint_findings(mechanism)


def choice_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """The link taken as tool frame, and what branches off the chain to it."""
    if mechanism.tip is None:
        return
    yield Finding(
        code="R109",
        severity=Severity.NOTE,
        subject=Robot(mechanism.name),
        message=f"The tool frame is {mechanism.tip}.",
        hint="Another link: --tip LINK on the command line, tip under [robot] in a job.",
    )
    side = mechanism.side_branches
    sentences = []
    if side.joints:
        behind = f": {_quoted(side.links)}, {side.mass:.4g} kg" if side.links else ""
        sentences.append(
            f"Joints off the chain to the tool frame are held: {named(list(map(str, side.joints)))}"
            f". Masses and shapes of the links behind them count{behind}."
        )
    if side.fixed_mass:
        sentences.append(
            f"Links fixed beside the chain count as well: {_quoted(side.fixed_links)}, "
            f"{side.fixed_mass:.4g} kg."
        )
    if sentences:
        yield Finding(
            code="R110",
            severity=Severity.NOTE,
            subject=Robot(mechanism.name),
            message=" ".join(sentences),
            hint="Remove from the file what is not mounted.",
        )


def mass_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """Say that the masses are not known."""
    if mechanism.masses_known:
        return
    limited = [joint.name for joint in mechanism.movable if math.isfinite(joint.max_effort)]
    unchecked = f"; torque limits of {named(limited)} are not checked" if limited else ""
    yield Finding(
        code="R112",
        severity=Severity.WARNING if limited else Severity.NOTE,
        subject=Robot(mechanism.name),
        message=f"masses not known; torques, power and energy are not evaluated{unchecked}",
        hint='Give [joint.body] tables and remove masses = "unknown"; in URDF, <inertial>.',
    )


def unread_shape_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """Links with collision geometry that is not read, one finding per kind of geometry."""
    for kind in dict.fromkeys(shape.kind for shape in mechanism.unread_shapes):
        links = [shape.link for shape in mechanism.unread_shapes if shape.kind == kind]
        sought = next(
            (s.sought for s in mechanism.unread_shapes if s.kind == kind and s.sought), ()
        )
        one = len(links) == 1
        subject = f"{'Link' if one else 'Links'} {_quoted(links)} {'has' if one else 'have'}"
        yield Finding(
            code="R106",
            severity=Severity.WARNING,
            subject=Robot(mechanism.name),
            message=f"{subject} {kind} shapes, which are not checked.",
            hint="Give these links spheres, cylinders or boxes, or capsules in a robot file."
            if not sought
            else f"Put the meshes where they are looked for ({named(sought)}), name their folder "
            "with --meshes (in a job robot.meshes), or give these links spheres, cylinders, boxes, "
            "or capsules in a robot file.",
        )


def still_joint_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """Movable joints whose range is a single value."""
    for joint in mechanism.movable:
        if joint.q_min == joint.q_max:
            yield Finding(
                code="R108",
                severity=Severity.WARNING,
                subject=Joint(joint.name),
                message=f"The joint cannot move: both limits are {joint.q_min:g} "
                f"{joint.kind.unit}.",
                hint="Give its range; URDF takes a limit that is left out as zero.",
            )


def _quoted(links: Sequence[str]) -> str:
    return named([repr(link) for link in links])


def named(names: Sequence[str]) -> str:
    """The first names of a list, and how many more."""
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown
