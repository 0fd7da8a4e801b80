"""Findings about what was read from a robot file: tool frame, branches, shapes, ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.findings.finding import Finding, Severity
from robots.core.mechanism import Mechanism

_MOST_NAMED = 8


def reading_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """What was taken, held and left unread."""
    yield from choice_findings(mechanism)
    yield from unread_shape_findings(mechanism)
    yield from still_joint_findings(mechanism)


def choice_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """The link taken as tool frame, and what branches off the chain to it."""
    if mechanism.tip is None:
        return
    yield Finding(
        code="R109",
        severity=Severity.NOTE,
        where=mechanism.name,
        message=f"The tool frame is {mechanism.tip}.",
        hint="Another link: --tip LINK on the command line, tip under [robot] in a job.",
    )
    side = mechanism.side_branches
    if not side.joints and not side.mass:
        return
    held = f", their joints held: {named(list(map(str, side.joints)))}" if side.joints else ""
    links = named([repr(link) for link in side.links]) if side.links else "links without mass"
    yield Finding(
        code="R110",
        severity=Severity.NOTE,
        where=mechanism.name,
        message=f"Branches off the chain to the tool frame are fixed to it{held}. Masses and "
        f"shapes of their links count: {links}, {side.mass:.4g} kg on moving joints.",
        hint="Remove the branch from the file where it is not mounted.",
    )


def unread_shape_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """Links with collision geometry that is not read, one finding per kind of geometry."""
    for kind in dict.fromkeys(shape.kind for shape in mechanism.unread_shapes):
        links = [repr(shape.link) for shape in mechanism.unread_shapes if shape.kind == kind]
        subject = f"Link {links[0]} has" if len(links) == 1 else f"Links {named(links)} have"
        yield Finding(
            code="R106",
            severity=Severity.WARNING,
            where=mechanism.name,
            message=f"{subject} {kind} shapes, which are not checked.",
            hint="Give these links spheres, cylinders or boxes, or capsules in a robot file.",
        )


def still_joint_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """Movable joints whose range is a single value."""
    for joint in mechanism.movable:
        if joint.q_min == joint.q_max:
            yield Finding(
                code="R108",
                severity=Severity.WARNING,
                where=joint.name,
                message=f"The joint cannot move: both limits are {joint.q_min:g} "
                f"{joint.kind.unit}.",
                hint="Give its range; URDF takes a limit that is left out as zero.",
            )


def named(names: Sequence[str]) -> str:
    """The first names of a list, and how many more."""
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown
