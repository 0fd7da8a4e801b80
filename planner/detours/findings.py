"""Findings about travel around obstacles: what goes around, and what does not get there."""

from __future__ import annotations

from collections.abc import Sequence

from planner.detours.find import Blocked, Detours
from planner.detours.motions import DetourKind
from planner.findings import Finding, Quantity, Severity, finding
from planner.job.settings import Travel
from robots.core.arrays import Array


def detour_findings(
    detours: Detours, names: Sequence[tuple[str, str]], straight: Array, travel: Travel
) -> list[Finding]:
    """One finding for each travel of a request, in its order.

    Args:
        detours: what was found.
        names: points that each travel of the request leaves and goes to.
        straight: least times of the straight joint motions. # (k,) [s]
        travel: settings of the job.
    """
    found = {
        int(k): _around(names[k], way, float(duration - straight[k]), travel)
        for k, way, duration in zip(
            detours.travels, detours.ways, detours.motions.duration, strict=True
        )
    }
    found |= {item.travel: _blocked(names[item.travel], item, travel) for item in detours.blocked}
    return [found[k] for k in sorted(found)]


def _around(names: tuple[str, str], way: DetourKind, more: float, travel: Travel) -> Finding:
    where = _DETOURS[way]
    if way is DetourKind.PLANE and travel.clearance_plane is not None:
        where += f" (z = {1e3 * travel.clearance_plane:g} mm)"
    if way is DetourKind.CUBE and travel.clearance_cube is not None:
        where += f" ({1e3 * travel.clearance_cube:g} mm)"
    return Finding(
        code="P138",
        severity=Severity.NOTE,
        subject=finding.Travel(*names),
        message=f"direct path violates the clearance; {where} adds {more:.3f} s",
        quantities=(Quantity("extra time", more, "s"),),
        hint="No action needed. A different visiting order may avoid the detour.",
    )


_DETOURS = {
    DetourKind.PLANE: "detour over the clearance plane",
    DetourKind.CUBE: "detour around the clearance cube",
    DetourKind.LIFTED: "detour lifted over the obstacle",
    DetourKind.EARLIER: "detour along an earlier one",
    DetourKind.SEARCHED: "detour found by search",
}


def _blocked(names: tuple[str, str], blocked: Blocked, travel: Travel) -> Finding:
    return Finding(
        code="P137",
        severity=Severity.ERROR,
        subject=finding.Travel(*names),
        message=f"no collision-free travel was found: {_in_the_way(blocked)}{_tried(blocked)}",
        quantities=()
        if blocked.pair is None
        else (Quantity("clearance", 1e3 * blocked.clearance, "mm"),),
        hint=_hint(blocked, travel),
    )


def _in_the_way(blocked: Blocked) -> str:
    if blocked.pair is None:
        return "something is in the way"
    x, y, z = (1e3 * float(value) for value in blocked.place)
    near = (
        f"is {-1e3 * blocked.clearance:.1f} mm deep in"
        if blocked.clearance < 0.0
        else f"comes within {1e3 * blocked.clearance:.1f} mm of"
    )
    where = "at one of its ends" if blocked.end else "on the direct path"
    return (
        f"{where} {blocked.pair.moving} {near} {blocked.pair.against} at "
        f"({x:.0f}, {y:.0f}, {z:.0f}) mm"
    )


def _tried(blocked: Blocked) -> str:
    return f"; {blocked.motions} motions were looked at" if blocked.motions else ""


def _hint(blocked: Blocked, travel: Travel) -> str:
    if blocked.end:
        return "choose another approach distance or direction for the point that is too near"
    if travel.detour == "none":
        return 'detours are switched off: set detour = "auto" in [travel]'
    if travel.detour == "plane":
        return 'raise the clearance plane or enlarge the cube, or set detour = "auto" in [travel]'
    return (
        "let another visiting order avoid this travel, or set a clearance plane above the obstacle"
    )
