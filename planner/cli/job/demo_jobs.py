"""``palpeur demo``: the published nine-point job, as printed and corrected, and what differs."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.job.planned_job import (
    Source,
    Wanted,
    exit_code,
    print_proof,
    proven,
    write_set,
)
from planner.cli.output import FORMAT, bold, print_json, print_table
from planner.cli.session import Session

if TYPE_CHECKING:
    from planner.plan_types import Plan
    from planner.proof import Proof

PUBLISHED, CORRECTED = "nine-points-as-published", "nine-points-corrected"
_WIDTH = 88
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
    "In both jobs the duration of a probing line is the least that the joints allow, computed "
    "exactly. As published that makes joint 5 reach its 25 rad/s² in every probing line, which is "
    "what the thesis reports, and the job takes about 3 s, as it says.",
)


def run_demo(out: str, *, as_json: bool, figures: bool, session: Session) -> int:
    """Plan both jobs, write both report sets, compare them.

    Args:
        out: folder that gets one folder for each job.
        as_json: whether both plans are printed as JSON.
        figures: whether they are drawn.
        session: of this run.

    Raises:
        OutputError: a folder must not be replaced, or cannot be written.
    """
    from planner.library import path_of
    from planner.result_files import REPORT_SET, check_set

    folders = {name: Path(out) / name for name in (PUBLISHED, CORRECTED)}
    for folder in folders.values():
        check_set(folder, REPORT_SET, force=session.force)
    done = {}
    for name in session.watched(tuple(folders), "planning"):
        done[name] = proven(path_of(name), session)
    _print(done, as_json=as_json)
    worst = max(exit_code(item) for item in done.values())
    if worst is ExitCode.NOT_VALIDATED:
        return worst
    for name in session.watched(tuple(folders), "writing"):
        options = Wanted(figures=figures).options()
        write_set(done[name], folders[name], options, session, Source(job=str(path_of(name))))
    _tell_where(folders, as_json=as_json, session=session)
    return worst


def _print(done: dict[str, Proof], *, as_json: bool) -> None:
    from reports.plan_document import plan_document

    if as_json:
        plans = {name: plan_document(item) for name, item in done.items()}
        print_json({"format": FORMAT, "plans": plans})
        return
    for item in done.values():
        print_proof(item, as_json=False)
        print()
    _print_difference(done[PUBLISHED].plan, done[CORRECTED].plan)


def _tell_where(folders: dict[str, Path], *, as_json: bool, session: Session) -> None:
    if as_json:
        session.say("\n".join(f"Report set written to {folder}" for folder in folders.values()))
        return
    print("\n" + bold("Report sets"))
    for name, folder in folders.items():
        print(f"  {name}: {folder}")


def _print_difference(published: Plan, corrected: Plan) -> None:
    print(bold("What differs between the two, and why"))
    facts = _facts(published)
    for paragraph in _STORY:
        print(textwrap.fill(paragraph.format(**facts), _WIDTH) + "\n")
    mine, other = _figures(published), _figures(corrected)
    print_table(("", "as published", "corrected"), [(k, mine[k], other[k]) for k in mine])


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
    travel = sum(s.duration for s in plan.segments if s.kind.value == "travel")
    totals = plan.totals
    torques = " / ".join(f"{load.peak_torque:.2f}" for load in plan.joints[:3])
    least = min(plan.points, key=lambda point: point.joint_margin)
    return {
        "duration": f"{totals.duration:.4f} s",
        "  in probing lines": f"{totals.duration - travel:.4f} s",
        "  in travel": f"{travel:.4f} s",
        "peak torques of joints 1 to 3": f"{torques} N m",
        "peak acceleration of joint 5": f"{plan.joints[4].peak_acceleration:.2f} rad/s²",
        "total power": f"{totals.min_power:.1f} to {totals.peak_power:.1f} W",
        "net work": f"{totals.net_work:.3f} J",
        "smallest joint margin": (
            f"{np.degrees(least.joint_margin):.2f} deg, {least.margin_joint} at {least.name}"
        ),
    }
