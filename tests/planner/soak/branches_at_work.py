"""What a choice of branches is worth: points, duration and planning time of three jobs by arm.

The jobs are those of ``arms_at_work`` and the library's blade with the same poses. Figures of two
versions of the planner, or of one with the numerical search alone and with all branches beside it,
stand side by side:

    python -m tests.planner.soak.branches_at_work measure FILE [NAME…]   # a line of JSON per job
    python -m tests.planner.soak.branches_at_work search FILE [NAME…]    # with the search alone
    python -m tests.planner.soak.branches_at_work table BEFORE AFTER     # what became worse is told
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np

import palpeur as pp
from planner.findings import Severity
from planner.library import path_of
from planner.reach.branches import BranchSearch
from robots.core.pose import make_pose, rotation_zyx, transform_points
from robots.library import load
from tests.planner.soak.arms_at_work import (
    BLOCK,
    BLOCKS,
    PLATE,
    PLATES,
    Setup,
    arms,
    block_job,
    plate_job,
)

BLADE = "blade"
_SAME = 1e-3  # of a duration, below which nothing is said
# The blade stands on the middle of the block's bottom, turned to it as in the two library jobs.
_ON_BLOCK = make_pose(rotation_zyx([2.356194490192345, 0.0, 0.0]), [0.06, 0.04, 0.0])
_TABLE, _TABLE_AT = [500.0, 400.0, 40.0], (0.0, 0.0, -0.17)  # [mm], [m] in the blade's axes
_POST, _POST_AT = [24.0, 8.0, 145.0], (0.0, 0.005, -0.0775)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A plan in figures.

    Args:
        arm: its name.
        kind: of the job.
        measured: points without an error.
        points: of the job.
        feasible: whether the plan has no error.
        duration: of the motion. [s]
        seconds: of one processor, that planning took.
        codes: of the errors.
    """

    arm: str
    kind: str
    measured: int
    points: int
    feasible: bool
    duration: float
    seconds: float
    codes: tuple[str, ...]


def blade_job(arm: str, setup: Setup) -> pp.Job:
    """The library's blade where the block stands."""
    T = setup.T @ _ON_BLOCK
    obstacles = []
    for name, size, at in (("table", _TABLE, _TABLE_AT), ("post", _POST, _POST_AT)):
        there = T.copy()
        there[:3, 3] = transform_points(T, [at])[0]
        obstacles.append({"name": name, "box_mm": size, "pose": there})
    mounted = make_pose(rotation_zyx(np.radians([0.0, setup.mount, 0.0])))
    return pp.read_job(path_of("blade")).replace(
        robot=arm,
        robot_settings={"tool": load(arm).tool @ mounted},
        pose=T,
        probe={"stylus_length_mm": setup.stylus},
        cell={"obstacle": obstacles},
    )


def jobs(arm: str) -> Iterator[tuple[str, pp.Job]]:
    """The three jobs of an arm."""
    yield PLATE, plate_job(arm, PLATES[arm])
    yield BLOCK, block_job(arm, BLOCKS[arm])
    yield BLADE, blade_job(arm, BLOCKS[arm])


def rows(arms: Sequence[str]) -> Iterator[Row]:
    """Plans of all jobs of some arms."""
    for arm in arms:
        for kind, job in jobs(arm):
            began = time.process_time()
            plan = pp.plan(job)
            seconds = time.process_time() - began
            wrong = [one for one in plan.finding_list if one.severity is Severity.ERROR]
            yield Row(
                arm=arm,
                kind=kind,
                measured=len(plan.points) - len({one.where for one in wrong}),
                points=len(plan.points),
                feasible=plan.feasible,
                duration=plan.totals.duration,
                seconds=seconds,
                codes=tuple(sorted({one.code for one in wrong})),
            )


def table(before: Path, after: Path) -> Iterator[str]:
    """Lines of a table; a row that became worse ends with what did."""
    old, new = ({(row.arm, row.kind): row for row in _read(one)} for one in (before, after))
    yield "| arm | job | points | duration, s | planning, s | |"
    yield "|---|---|---|---|---|---|"
    for key in (key for key in new if key in old):
        a, b = old[key], new[key]
        worse = []
        if b.measured < a.measured or (a.feasible and not b.feasible):
            worse.append("points")
        # Fewer points take less time: durations compare where the points are as many.
        if b.measured <= a.measured and b.duration > a.duration * (1.0 + _SAME):
            worse.append("duration")
        points = f"{a.measured} → {b.measured} of {b.points}"
        duration = f"{a.duration:.3f} → {b.duration:.3f}"
        seconds = f"{a.seconds:.1f} → {b.seconds:.1f}"
        name, kind = key
        yield f"| `{name}` | {kind} | {points} | {duration} | {seconds} | {', '.join(worse)} |"
    both = [(old[key], new[key]) for key in new if key in old]
    total = [sum(pair[side].seconds for pair in both) for side in (0, 1)]
    ratios = sorted(b.duration / a.duration for a, b in both if a.measured == b.measured)
    if ratios:
        yield (
            f"{len(both)} jobs; planning {total[0]:.0f} → {total[1]:.0f} s; of {len(ratios)} with "
            f"equal points the duration is {ratios[0]:.3f} to {ratios[-1]:.3f} of the former, "
            f"median {ratios[len(ratios) // 2]:.3f}"
        )


def _read(path: Path) -> list[Row]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Row(**{**(one := json.loads(line)), "codes": tuple(one["codes"])}) for line in lines]


if __name__ == "__main__":
    task, first, *others = sys.argv[1:]
    if task in ("measure", "search"):
        inverse = BranchSearch.of if task == "measure" else lambda _: None
        with (
            Path(first).open("a", encoding="utf-8") as file,
            patch.object(BranchSearch, "of", inverse),
        ):
            for row in rows(others or arms()):
                file.write(json.dumps(asdict(row)) + "\n")
                file.flush()
    else:
        for line in table(Path(first), Path(others[0])):
            print(line)
