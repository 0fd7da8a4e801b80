"""Audit of a robot: what is doubtful about its joints, its bodies, its capsules and its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from planner.findings import Finding, Quantity, Severity, finding
from planner.findings.robot_findings import reading_findings
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.self_pairs import self_clearances, self_pair_names
from robots.core.singular_mass import is_singular_mass

_POSTURES = 64  # spread over the joint ranges


def audit(mechanism: Mechanism) -> Iterator[Finding]:
    """Everything doubtful about a robot: its joints, the whole robot, what was not read.

    What is the same for several joints is said once, with all of them named.
    """
    same: dict[tuple[str, str], list[str]] = {}
    for joint, code, message in _joint_doubts(mechanism):
        same.setdefault((code, message), []).append(joint)
    for (code, message), joints in same.items():
        yield Finding(
            code=code,
            severity=Severity.WARNING,
            subject=finding.Joints(tuple(joints)),
            message=message,
            hint=_joint_hint(code, joints),
        )
    yield from _effort_findings(mechanism)
    if mechanism.masses_known and mechanism.total_mass > 0.0 and mechanism.dof:
        yield from _mass_matrix_findings(mechanism)
    yield from reading_findings(mechanism)
    yield from _collision_findings(mechanism)


def _joint_doubts(mechanism: Mechanism) -> Iterator[tuple[str, str, str]]:
    """Joint, code and message of what is doubtful about single joints."""
    massless = _massless(mechanism)
    for index, joint in enumerate(mechanism.joints):
        for reason in joint.body.inconsistencies() if mechanism.masses_known else ():
            yield joint.name, "R101", f"The body is not physically consistent: {reason}."
        if not joint.movable:
            continue
        unit, si = "deg" if joint.kind.angular else "mm", joint.kind.unit
        position = {f"min_{unit}": joint.q_min, f"max_{unit}": joint.q_max}
        drive = {
            f"max_speed_{si}_s": joint.max_speed,
            f"max_acceleration_{si}_s2": joint.max_acceleration,
        }
        if absent := _infinite(position):
            yield joint.name, "R102", f"A position limit is missing: {absent}."
        if absent := _infinite(drive):
            yield joint.name, "R103", f"A speed or acceleration limit is missing: {absent}."
        if index in massless and mechanism.masses_known:
            yield joint.name, "R104", "Neither its body nor any beyond it has mass."


def _effort_findings(mechanism: Mechanism) -> Iterator[Finding]:
    """Joints whose torque or force nothing limits, where it is evaluated."""
    if not mechanism.masses_known or mechanism.total_mass == 0.0:
        return
    free = [joint for joint in mechanism.movable if np.isinf(joint.max_effort)]
    if free:
        keys = {"max_torque_nm" if joint.kind.angular else "max_force_n" for joint in free}
        yield Finding(
            code="R113",
            severity=Severity.NOTE,
            subject=finding.Joints(tuple(joint.name for joint in free)),
            message="No torque or force limit is known, so none is checked.",
            hint=f"Give {' or '.join(sorted(keys, reverse=True))}: in the joint's table of a robot "
            "file, or in a job under robot.limits.NAME. In a URDF file an effort of 0 is none.",
        )


def _joint_hint(code: str, joints: Sequence[str]) -> str:
    if code == "R101":
        return 'Check whether the tensor stands at = "origin" or at = "com", then its digits.'
    if code == "R104":
        return "Add [joint.body] tables if torques matter."
    limits = ", ".join(f"robot.limits.{joint}" for joint in joints)
    return (
        "Nothing is assumed in its place: add it to the joint's table of a robot file, or in a job "
        f"under {limits}."
    )


def _infinite(limits: Mapping[str, float]) -> str:
    """Names of the limits that there are not."""
    return ", ".join(key for key, value in limits.items() if np.isinf(value))


def _massless(mechanism: Mechanism) -> set[int]:
    """Indices of joints that carry no inertia at all, beyond them neither."""
    heavy: set[int] = set()
    for index, joint in reversed(list(enumerate(mechanism.joints))):
        own = joint.body.mass > 0.0 or np.any(joint.body.inertia) or joint.motor_inertia > 0.0
        if own or index in heavy:
            heavy |= {index, joint.parent}
    return set(range(len(mechanism.joints))) - heavy


def _mass_matrix_findings(mechanism: Mechanism) -> Iterator[Finding]:
    q = joint_samples(mechanism, _POSTURES, slide=1.0)
    singular = is_singular_mass(Model(mechanism).mass_matrix(q))
    if np.any(singular):
        yield Finding(
            code="R105",
            severity=Severity.WARNING,
            subject=finding.Robot(mechanism.name),
            message=f"The mass matrix is not positive definite at {int(singular.sum())} of "
            f"{_POSTURES} postures; accelerations cannot be computed from torques there.",
            hint="Give the missing inertia about the joint axes, or motor_inertia_kg_m2.",
        )


def _collision_findings(mechanism: Mechanism) -> Iterator[Finding]:
    q = joint_samples(mechanism, _POSTURES, slide=1.0)
    clearances = self_clearances(mechanism, mechanism.self_pairs, q)
    pairs = zip(self_pair_names(mechanism), clearances.max(axis=0, initial=-np.inf), strict=True)
    for (a, b), greatest in pairs:
        if greatest < 0.0:
            yield Finding(
                code="R107",
                severity=Severity.WARNING,
                subject=finding.Capsules(a, b),
                quantities=(Quantity("overlap", -1e3 * float(greatest), "mm"),),
                message=f"The two capsules overlap by {-greatest * 1e3:.3g} mm or more in each of "
                f"{_POSTURES} postures, so no motion would be free of collision.",
                hint="Leave the pair out of self_collision, or shorten one of the capsules.",
            )
