"""Forces of poses that are beyond what the legs' drives give, as findings."""

from __future__ import annotations

import numpy as np

from planner.findings import Finding, Quantity, Severity
from planner.findings.subjects import Legs
from robots.core.arrays import Array
from robots.stewart.platform import Platform

_HINT = "Choose another pose, lighten the load, or lower the platform's acceleration."


def force_findings(
    platform: Platform, forces: Array, origin: str, lines: tuple[int, ...]
) -> list[list[Finding]]:
    """A finding for every force beyond its drive, listed by pose.

    Args:
        platform: whose drives.
        forces: positive pushes. # (N, 6) [N]
        origin: name of the table, for messages.
        lines: of the poses in it. # (N,)
    """
    found: list[list[Finding]] = [[] for _ in forces]
    limits = np.array([leg.max_force for leg in platform.legs])
    for pose, k in np.argwhere(np.abs(forces) > limits).tolist():
        force, limit, leg = float(forces[pose, k]), float(limits[k]), platform.legs[k].name
        finding = Finding(
            code="S210",
            severity=Severity.ERROR,
            subject=Legs((leg,)),
            message=f"In pose {pose + 1} ({origin}, line {lines[pose]}) leg {leg}: force "
            f"{force:.6g} N exceeds its limit ±{limit:.6g} N by {abs(force) - limit:.4g} N.",
            quantities=(Quantity("force", force, "N"), Quantity("limit", limit, "N")),
            hint=_HINT,
        )
        found[pose].append(finding)
    return found
