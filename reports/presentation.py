"""A presentation on a hexapod as it is reported: JSON document and terminal summary."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version

import numpy as np

from planner.findings import Severity
from planner.findings.unchecked import unchecked_aspects
from planner.presenting.presentation import PlatformMove, Presentation, PresentedPose, presenter_of
from reports.answers import rounded_list, rounded_number
from reports.plan_document import FORMAT, Document
from reports.verdict import aspect_names, not_checked
from robots.core.arrays import Array
from robots.core.pose import angles_zyx

_MM, _UM = 1e3, 1e6


def presentation_document(found: Presentation) -> Document:
    """What was found, in millimetres, micrometres, degrees and seconds."""
    job = found.job
    presenter = presenter_of(job)
    return {
        "format": FORMAT,
        "palpeur": version("palpeur"),
        "job": {"name": job.name, "sha256": job.sha256},
        "robot": job.robot_model,
        "platform": presenter.model,
        "feasible": found.feasible,
        "unchecked": aspect_names(unchecked_aspects(job)),
        "points": len(job.points),
        "points_served": len(found.measurable),
        "points_served_at_home": len(found.measurable_at_home),
        "duration_s": rounded_number(found.duration),
        "length_sigma_um": rounded_number(_UM * presenter.length_sigma),
        "poses": [_pose(pose) for pose in found.poses],
        "moves": [_move(move) for move in found.moves],
        "findings": [finding.document() for finding in found.findings],
        "search": {
            "most_poses": presenter.most_poses,
            "seed": presenter.seed,
            "poses_tried": found.tried,
            "plans": found.planned,
        },
    }


def _pose(pose: PresentedPose) -> Document:
    plan = pose.plan
    deviations = np.sqrt(np.diag(pose.covariance))
    return {
        "T_hexapod_platform": _written(pose.T_hexapod_platform),
        "T_base_part": _written(pose.T_base_part),
        "leg_lengths_mm": rounded_list(_MM * pose.lengths),
        "pose_sigma": {
            "translation_um": rounded_list(_UM * deviations[:3]),
            "rotation_urad": rounded_list(_UM * deviations[3:]),
        },
        "feasible": plan.feasible,
        "duration_s": rounded_number(plan.totals.duration),
        "energy_j": rounded_number(plan.totals.energy),
        "points": [
            {"name": name, "presenter_sigma_um": rounded_number(_UM * sigma)}
            for name, sigma in zip(pose.points, pose.sigmas.tolist(), strict=True)
        ],
    }


def _move(move: PlatformMove) -> Document:
    return {
        "duration_s": rounded_number(move.duration),
        "motions": [
            {
                "duration_s": rounded_number(motion.duration),
                "binding": binding,
                "peak_speed_m_s": rounded_list(peaks.speed.value),
                "peak_acceleration_m_s2": rounded_list(peaks.acceleration.value),
                "peak_force_n": rounded_list(peaks.force.value),
            }
            for motion, binding, peaks in zip(move.motions, move.bindings, move.peaks, strict=True)
        ],
        "arm_waits": _waiting(move),
    }


def _waiting(move: PlatformMove) -> Document | None:
    rest = move.waiting
    if rest is None:
        return None
    return {
        "q": rounded_list(rest.q),
        "retreats": rest.retreats,
        "proven_clearance_mm": rounded_number(_MM * rest.clearance),
        "before_s": rounded_number(rest.before),
        "after_s": rounded_number(rest.after),
    }


def _written(T: Array) -> Document:
    """A pose as job files write it."""
    return {
        "translation_mm": rounded_list(_MM * T[:3, 3]),
        "rotation_zyx_deg": rounded_list(np.degrees(angles_zyx(T[:3, :3]).angles)),
    }


def presentation_lines(found: Presentation) -> Iterator[str]:
    """The lines of the summary."""
    job, presenter = found.job, presenter_of(found.job)
    count = len(job.points)
    yield job.name
    verdict = "every point is measurable" if found.feasible else "NOT EVERYTHING IS MEASURABLE"
    yield (
        f"{verdict}: {len(found.measurable)} of {count} points from {_poses(len(found.poses))} of "
        f"{presenter.platform.name}; {len(found.measurable_at_home)} of {count} with it at home"
    )
    missing = not_checked(unchecked_aspects(job))
    if missing:
        yield missing
    yield f"duration {found.duration:.4f} s, the moves between poses with it"
    for number, pose in enumerate(found.poses, start=1):
        if number > 1:
            yield from _presentation_summary_move(found.moves[number - 2])
        yield ""
        yield from _presentation_summary_pose(number, pose)
    told = [f for f in found.findings if f.severity is not Severity.NOTE]
    if told:
        yield ""
        yield from (str(finding) for finding in told)
    yield ""
    yield (
        f"{_poses(found.tried)} tried, {found.planned} plans. The presenter's share of the "
        f"uncertainty stands for legs that repeat to {1e6 * presenter.length_sigma:g} um."
    )


def _presentation_summary_pose(number: int, pose: PresentedPose) -> Iterator[str]:
    lengths = ", ".join(f"{1e3 * length:.4f}" for length in pose.lengths)
    yield f"pose {number}: legs {lengths} mm"
    yield f"  {len(pose.points)} points: {', '.join(pose.points)}"
    low, high = 1e6 * np.min(pose.sigmas), 1e6 * np.max(pose.sigmas)
    yield f"  presenter's standard deviation along the normals {low:.3g} to {high:.3g} um"
    totals = pose.plan.totals
    energy = "energy not evaluated" if totals.energy is None else f"{totals.energy:.5g} J"
    yield f"  plan {totals.duration:.4f} s, {energy}"


def _presentation_summary_move(move: PlatformMove) -> Iterator[str]:
    if not move.motions:
        yield "  no move to the next pose"
        return
    way = "straight" if len(move.motions) == 1 else "via home"
    time = sum(motion.duration for motion in move.motions)
    yield f"  platform moves {way} in {time:.4f} s ({'; '.join(move.bindings)})"
    rest = move.waiting
    if rest is None:
        yield "  THE ARM HAS NOWHERE TO WAIT"
        return
    where = "in a posture that it goes to" if rest.retreats else "at its last clearance point"
    yield (
        f"  the arm waits {where}, proven clear by {1e3 * rest.clearance:.4g} mm; its travels "
        f"before and after take {rest.before + rest.after:.4f} s"
    )


def _poses(count: int) -> str:
    return "1 pose" if count == 1 else f"{count} poses"
