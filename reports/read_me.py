"""``README.txt`` of the report set: what each file holds, in which units and frames."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from importlib.metadata import version

from planner.plan import Plan
from reports.provenance import SetOptions
from reports.tables import SIDE
from reports.verdict import not_checked, withheld

_WIDTH = 88
_FILES = {
    "plan.json": "the plan: points, segments, joints, findings, validation. Format 1. Peaks are of "
    "the exact motion, not of the samples.",
    "trajectory.parquet, trajectory.csv": "the motion sampled every {period:g} ms: time; segment, "
    "the index in the segments of plan.json, from 0; the point that the segment serves; joint "
    "positions q, speeds qd, accelerations qdd, torques tau; total power; ball centre x, y, z in "
    "the base frame. SI units and radians, as the column names say. Read the rows so: {side}.",
    "points.csv": "every point: ball centre at contact and normal in the base frame, joints at "
    "contact and at the clearance point, least margins along its probing line. Cells are empty "
    "where a point is not reached.",
    "report.html": "everything for a reader, in one page that needs no network: summary, findings, "
    "replay, curves, tables, validation.",
    "report.pdf": "the same for signature.",
    "tables.xlsx": "the tables of the report as a workbook.",
    "scene.glb": "cell, robot and motion as glTF. scene.html, if it is there: the replay alone.",
    "plan.qif": "the measuring plan as QIF 3.0: features and points, no motion.",
    "program.dmi, program.ipp": "the same as programmes in DMIS and I++ DME; all motion stands in "
    "them. The comments of a DMIS programme say what is proven; I++ has none.",
    "robot/": "robot programmes, those that were asked for.",
    "inputs/": "the job and the files it names, as they were read.",
    "provenance.json": "hashes of all files, versions, command; palpeur verify reads it.",
    "figures/": "position, speed, acceleration, torque and power of every joint, total power, and "
    "the path of the ball, as PNG and SVG; only where they were asked for.",
}
_FORMULAS = (
    "In the CSV files an apostrophe stands before names that begin with = + - @ or a tab, so that "
    "no spreadsheet takes them for a formula. plan.json and the Parquet file have the names as "
    "they are."
)


def read_me(plan: Plan, options: SetOptions) -> str:
    """Text of the file.

    Args:
        plan: that the set is of.
        options: what the set holds.
    """
    job = plan.job
    inputs = [f"  {item.sha256}  {item.name}" for item in job.inputs]
    files = [
        f"{name}\n{_paragraph(text.format(period=1e3 * job.sampling_period, side=SIDE))}"
        for name, text in _FILES.items()
    ]
    parts = [
        f"Report set of the job {job.name!r}, written by palpeur {version('palpeur')}.",
        "\n".join(["Verdict", *map(_paragraph, _verdict(plan, options))]),
        *files,
        _paragraph(_FORMULAS),
        "\n".join(["Inputs, by SHA-256:", f"  {job.sha256}  the job file", *inputs]),
    ]
    return "\n\n".join(parts) + "\n"


def _verdict(plan: Plan, options: SetOptions) -> Iterator[str]:
    """Whether it is feasible, what was not checked, and which programmes there are."""
    missing = not_checked(plan.unchecked)
    yield ("feasible" if plan.feasible else "NOT FEASIBLE") + (f"; {missing}" if missing else "")
    refused = withheld(plan, options)
    if refused:
        yield f"No programmes that could move a machine are written: {refused}."
    elif plan.left_out:
        yield f"The programmes leave out {len(plan.left_out)} of {len(plan.planned_points)} points:"
        yield from plan.left_out


def _paragraph(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
