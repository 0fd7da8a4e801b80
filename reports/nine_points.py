"""The published nine-point job beside its correction: what differs, and why."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.plan import Plan, SegmentKind

_STORY = (
    "Both jobs touch the same nine points of an inclined plane with the same five-joint arm. The "
    "first one repeats the numbers printed in the thesis [LAMMARI12], errors included; the second "
    "does what its text describes. Three things differ.",
    "1. Where the part stands. The text turns it by +30 degrees and moves it by (0, 1.5, 0.84) m. "
    "The printed points come from the inverse rotation, -30 degrees, and 0.33 m along x that the "
    "text never mentions.",
    "2. How the probe is held. The printed program uses the plane's normal in the part's own axes, "
    "not turned with the part, so the probe leans {lean:.1f} degrees away from the surface. The "
    "corrected job turns the normal with the part.",
    "3. How the probe approaches. The text retracts 50 mm along the normal. The printed points are "
    "50 mm higher along z instead: the two planes are only {apart:.2f} mm apart, and the approach "
    "is {off:.2f} degrees off the normal.",
    "In both jobs the duration of a probing line is the minimum that the joints allow, computed "
    "exactly. As published that makes joint 5 reach its 25 rad/s² in every probing line, which is "
    "what the thesis reports, and the job takes about 3 s, as it says.",
)


def difference_paragraphs(published: Plan) -> Iterator[str]:
    """Yield what differs between the two jobs, with the figures of the published one."""
    facts = _facts(published)
    for paragraph in _STORY:
        yield paragraph.format(**facts)


def difference_rows(published: Plan, corrected: Plan) -> list[tuple[str, str, str]]:
    """Quantity, as published, corrected."""
    mine, other = _figures(published), _figures(corrected)
    return [(name, mine[name], other[name]) for name in mine]


def _facts(published: Plan) -> dict[str, float]:
    """How far the published job is from its own surface; the normal is taken from its points."""
    placed = published.placed
    centred = placed.surfaces - placed.surfaces.mean(axis=0)
    normal = np.linalg.svd(centred)[2][2]
    cosines = np.abs([placed.normals[0] @ normal, placed.directions[0] @ normal])
    lean, off = np.degrees(np.arccos(np.minimum(cosines, 1.0)))
    apart = 1e3 * published.job.approach.distance * cosines[1]
    return {"lean": float(lean), "off": float(off), "apart": float(apart)}


def _figures(plan: Plan) -> dict[str, str]:
    """What to compare, in the order of the table."""
    travel = sum(s.duration for s in plan.timeline if s.kind is SegmentKind.TRAVEL)
    totals = plan.totals
    torques = " / ".join(f"{load.peak_torque:.2f}" for load in plan.joint_loads[:3])
    least = min(plan.planned_points, key=lambda point: point.joint_margin)
    return {
        "duration": f"{totals.duration:.4f} s",
        "  in probing lines": f"{totals.duration - travel:.4f} s",
        "  in travel": f"{travel:.4f} s",
        "peak torques of joints 1 to 3": f"{torques} N m",
        "peak acceleration of joint 5": f"{plan.joint_loads[4].peak_acceleration:.2f} rad/s²",
        "total power": f"{totals.min_power:.1f} to {totals.peak_power:.1f} W",
        "net work": f"{totals.net_work:.3f} J",
        "smallest joint margin": (
            f"{np.degrees(least.joint_margin):.2f} deg, {least.margin_joint} at {least.name}"
        ),
    }
