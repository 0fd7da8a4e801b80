"""A robot as a JSON document, and how much arithmetic its quantities cost."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict

import numpy as np

from planner.cli.opening import tip_document
from planner.cli.output import FORMAT
from robots.core.capsule import Capsule
from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.errors import EquationError
from robots.core.language import internal_tables, parse, to_phrase
from robots.core.mechanism import Joint, Mechanism
from robots.core.quantities import quantity
from robots.core.recording import OperationCounts

COUNTED = ("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics", "lagrange")


def counted(mechanism: Mechanism) -> dict[str, OperationCounts]:
    """Operations per sample of those main quantities that the mechanism has."""
    if mechanism.dof == 0:
        return {}
    return {name: quantity(name).record(mechanism).counts for name in defined(mechanism, COUNTED)}


def defined(mechanism: Mechanism, names: Iterable[str]) -> tuple[str, ...]:
    """The quantities that exist: without inertia, torques determine no accelerations."""
    found = []
    for name in names:
        with suppress(EquationError):
            quantity(name).record(mechanism)
            found.append(name)
    return tuple(found)


def robot_document(mechanism: Mechanism) -> dict[str, object]:
    """Everything ``robot show`` tells, in SI; a limit that does not exist is null."""
    phrase = to_phrase(mechanism)
    return {
        "format": FORMAT,
        "name": mechanism.name,
        "source": mechanism.source,
        "dof": mechanism.dof,
        "gravity_m_s2": mechanism.gravity,
        "total_mass_kg": mechanism.total_mass,
        "joints": [_joint(mechanism, joint) for joint in mechanism.joints],
        "tool": {
            "joint": mechanism.joints[mechanism.tool_joint].name,
            "T_joint_tool": mechanism.tool,
        },
        **tip_document(mechanism),
        "capsules": [_capsule(mechanism, capsule) for capsule in mechanism.capsules],
        "self_collision": self_pair_names(mechanism),
        "description": phrase,
        "tables": asdict(internal_tables(parse(phrase))),
        "operations": {name: asdict(found) for name, found in counted(mechanism).items()},
        "warnings": list(mechanism.warnings()),
    }


def self_pair_names(mechanism: Mechanism) -> list[tuple[str, str]]:
    """The pairs of capsules that must not touch each other, by name."""
    names = [capsule.name for capsule in mechanism.capsules]
    return [(names[a], names[b]) for a, b in mechanism.self_pairs]


def _capsule(mechanism: Mechanism, capsule: Capsule) -> dict[str, object]:
    return {
        "name": capsule.name,
        "joint": None if capsule.joint < 0 else mechanism.joints[capsule.joint].name,
        "from_m": capsule.start,
        "to_m": capsule.end,
        "radius_m": capsule.radius,
    }


def _joint(mechanism: Mechanism, joint: Joint) -> dict[str, object]:
    pair = rows_of(joint.placement)
    document: dict[str, object] = {
        "name": joint.name,
        "type": joint.kind.value,
        "parent": None if joint.parent < 0 else mechanism.joints[joint.parent].name,
        "T_parent_joint": joint.placement,
        "rows": [
            _row(row) for row in ((pair.joint,) if pair.is_single else (pair.carrier, pair.joint))
        ],
        "body": _body(joint),
    }
    return document | (_drive(joint) if joint.movable else {})


def _row(row: DhRow) -> dict[str, float]:
    return {"alpha_rad": row.alpha, "d_m": row.d, "theta_rad": row.theta, "r_m": row.r}


def _body(joint: Joint) -> dict[str, object]:
    body = joint.body
    return {
        "mass_kg": body.mass,
        "com_m": body.com,
        "inertia_kg_m2": body.inertia,
        "at": body.at,
        "inconsistencies": list(body.inconsistencies()),
    }


def _drive(joint: Joint) -> dict[str, object]:
    unit, effort = ("rad", "nm") if joint.kind.angular else ("m", "n")
    motor = "motor_inertia_kg_m2" if joint.kind.angular else "motor_mass_kg"
    viscous = "viscous_nm_s" if joint.kind.angular else "viscous_n_s_m"
    return {
        f"min_{unit}": _finite(joint.q_min),
        f"max_{unit}": _finite(joint.q_max),
        f"max_speed_{unit}_s": _finite(joint.max_speed),
        f"max_acceleration_{unit}_s2": _finite(joint.max_acceleration),
        f"max_jerk_{unit}_s3": _finite(joint.max_jerk),
        f"max_{'torque' if joint.kind.angular else 'force'}_{effort}": _finite(joint.max_effort),
        f"coulomb_{effort}": joint.coulomb,
        viscous: joint.viscous,
        motor: joint.motor_inertia,
    }


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
