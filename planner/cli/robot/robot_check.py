"""``palpeur robot check``: what is doubtful about a robot file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import tip_document
from planner.cli.output import FORMAT, print_json
from planner.cli.robot.robot_document import self_pair_names
from planner.cli.robot.robot_models import is_singular
from planner.cli.robot_reference import RobotReference
from planner.findings import Finding, Quantity, Severity, subjects
from planner.findings.robot_findings import reading_findings
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Joint, Mechanism
from robots.core.model import Model
from robots.core.self_pairs import self_clearances

_POSTURES = 64


def print_audit(robot: RobotReference, *, as_json: bool, strict: bool) -> int:
    """Print the findings.

    Args:
        robot: library name or path, and tip.
        as_json: in JSON.
        strict: whether warnings fail too.
    """
    mechanism = robot.open()
    findings = tuple(audit(mechanism))
    failing = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    passed = not any(finding.severity in failing for finding in findings)
    if as_json:
        print_json(_document(mechanism, findings, passed=passed))
    else:
        for finding in findings:
            print(finding)
        print(f"{mechanism.name}: {_summary(mechanism, findings)}")
    return ExitCode.DONE if passed else ExitCode.FAILED


def audit(mechanism: Mechanism) -> Iterator[Finding]:
    """Everything doubtful, in the order of the joints, then the whole robot."""
    massless = _massless(mechanism)
    for index, joint in enumerate(mechanism.joints):
        yield from _body_findings(joint)
        if joint.movable:
            yield from _limit_findings(joint)
            if index in massless:
                yield _no_mass(joint)
    if mechanism.total_mass > 0.0 and mechanism.dof:
        yield from _mass_matrix_findings(mechanism)
    yield from reading_findings(mechanism)
    yield from _collision_findings(mechanism)


def _body_findings(joint: Joint) -> Iterator[Finding]:
    for reason in joint.body.inconsistencies():
        yield Finding(
            code="R101",
            severity=Severity.WARNING,
            subject=subjects.Joint(joint.name),
            message=f"The body is not physically consistent: {reason}.",
            hint='Check whether the tensor stands at = "origin" or at = "com", then its digits.',
        )


def _limit_findings(joint: Joint) -> Iterator[Finding]:
    unit = "deg" if joint.kind.angular else "mm"
    si = joint.kind.unit
    absent = [
        f"{end}_{unit}"
        for end, value in (("min", joint.q_min), ("max", joint.q_max))
        if np.isinf(value)
    ]
    if absent:
        yield _missing("R102", joint, absent)
    drive = {f"max_speed_{si}_s": joint.max_speed}
    drive[f"max_acceleration_{si}_s2"] = joint.max_acceleration
    if absent := [key for key, value in drive.items() if np.isinf(value)]:
        yield _missing("R103", joint, absent)


def _missing(code: str, joint: Joint, keys: list[str]) -> Finding:
    what = "position limit" if code == "R102" else "speed or acceleration limit"
    return Finding(
        code=code,
        severity=Severity.WARNING,
        subject=subjects.Joint(joint.name),
        message=f"A {what} is missing: {', '.join(keys)}.",
        hint="Nothing is assumed in its place: add it to the joint's table of a robot file, or "
        f"in a job under robot.limits.{joint.name}.",
    )


def _massless(mechanism: Mechanism) -> set[int]:
    """Indices of joints that carry no inertia at all, beyond them neither."""
    heavy: set[int] = set()
    for index, joint in reversed(list(enumerate(mechanism.joints))):
        own = joint.body.mass > 0.0 or np.any(joint.body.inertia) or joint.motor_inertia > 0.0
        if own or index in heavy:
            heavy |= {index, joint.parent}
    return set(range(len(mechanism.joints))) - heavy


def _no_mass(joint: Joint) -> Finding:
    return Finding(
        code="R104",
        severity=Severity.WARNING,
        subject=subjects.Joint(joint.name),
        message="Neither its body nor any beyond it has mass.",
        hint="Add [joint.body] tables if torques matter.",
    )


def _mass_matrix_findings(mechanism: Mechanism) -> Iterator[Finding]:
    q = joint_samples(mechanism, _POSTURES, slide=1.0)
    singular = is_singular(Model(mechanism, "single-use").mass_matrix(q))
    if np.any(singular):
        yield Finding(
            code="R105",
            severity=Severity.WARNING,
            subject=subjects.Robot(mechanism.name),
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
                subject=subjects.Capsules(a, b),
                message=f"The two capsules overlap by {-greatest * 1e3:.3g} mm or more in each of "
                f"{_POSTURES} postures, so no motion would be free of collision.",
                quantities=(Quantity("overlap", -1e3 * float(greatest), "mm"),),
                hint="Leave the pair out of self_collision, or shorten one of the capsules.",
            )


def _document(
    mechanism: Mechanism, findings: tuple[Finding, ...], *, passed: bool
) -> dict[str, object]:
    return {
        "format": FORMAT,
        "robot": mechanism.name,
        **tip_document(mechanism),
        "passed": passed,
        "joints": len(mechanism.joints),
        "dof": mechanism.dof,
        "total_mass_kg": mechanism.total_mass,
        "capsules": [capsule.name for capsule in mechanism.capsules],
        "self_collision": self_pair_names(mechanism),
        "findings": [finding.document() for finding in findings],
    }


def _summary(mechanism: Mechanism, findings: tuple[Finding, ...]) -> str:
    counts = ", ".join(
        f"{sum(finding.severity is severity for finding in findings)} {severity.value}s"
        for severity in Severity
    )
    return (
        f"{len(mechanism.joints)} joints, {mechanism.dof} variables, "
        f"{mechanism.total_mass:g} kg, {len(mechanism.capsules)} capsules, "
        f"{len(mechanism.self_pairs)} pairs of them watched; {counts}"
    )
