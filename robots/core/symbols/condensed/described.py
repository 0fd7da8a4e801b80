"""Equations with the symbols of a robot file's description, where they say the same as its numbers.

A description's condensed equations rest on the report's assumptions: centres of mass on the axes of
the bodies, diagonal tensors without inertia about those axes, bodies without length without mass.
Whether a file keeps to them is found by comparing numbers.

Source: [LIEGEOIS80] §4.1-4.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from robots.core.joint_samples import joint_samples
from robots.core.language import Description, internal_tables, parse
from robots.core.language.building import AXES, joint_axes
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.symbols.condensed.description_chain import from_description
from robots.core.symbols.condensed.equations import CondensedEquations, condensed_equations

_POSTURES = 8
_TOLERANCE = 1e-9  # relative: both methods compute the same numbers


def described_equations(mechanism: Mechanism, file: Mapping[str, Any]) -> CondensedEquations | None:
    """Equations in the symbols of a robot file's description; None where they do not describe it.

    Args:
        mechanism: the robot.
        file: document of its TOML file; empty where it was read from another format.
    """
    phrase = file.get("description") or file.get("robot", {}).get("description")
    along = np.flatnonzero(mechanism.gravity)
    if not phrase or along.size != 1:
        return None
    description = parse(phrase)
    if any(joint.motor_inertia for joint in mechanism.movable):
        return None
    values = _values(file, description, mechanism)
    values["G"] = float(mechanism.gravity[along[0]])
    chain = from_description(
        description, name=mechanism.name, gravity=AXES[int(along[0])], values=values
    )
    equations = condensed_equations(chain)
    return equations if _describes(equations, mechanism) else None


def _values(
    file: Mapping[str, Any], description: Description, mechanism: Mechanism
) -> dict[str, float]:
    """Values of lengths, angles and mass symbols. [SI]."""
    values = {name: float(x) / 1000.0 for name, x in file.get("lengths_mm", {}).items()}
    values |= {name: float(np.radians(x)) for name, x in file.get("angles_deg", {}).items()}
    tables = internal_tables(description)
    rows = zip(tables.freedoms, tables.bodies, mechanism.movable, strict=True)
    for freedom, symbols, joint in rows:
        C = joint_axes(freedom.axis)
        tensor = C @ joint.body.inertia_at_com @ C.T
        values[symbols.mass] = joint.body.mass
        values |= dict(zip(symbols.com, (C @ joint.body.com).tolist(), strict=True))
        values |= dict(zip(symbols.inertia, np.diagonal(tensor).tolist(), strict=True))
    values.pop("0", None)
    return values


def _describes(equations: CondensedEquations, mechanism: Mechanism) -> bool:
    """Whether the symbols with their values give the robot's own coefficients."""
    q = joint_samples(mechanism, _POSTURES, slide=1.0)
    found, right = equations.evaluate(q), Model(mechanism, engine="numpy").lagrange(q)
    pairs = ((found.A, right.A), (found.B, right.B), (found.C, right.C))
    return all(_close(a, b) for a, b in (*pairs, (found.gravity, right.gravity)))


def _close(found: Any, right: Any) -> bool:
    size = float(np.abs(right).max(initial=0.0))
    return bool(np.allclose(found, right, rtol=0.0, atol=_TOLERANCE * (1.0 + size)))
