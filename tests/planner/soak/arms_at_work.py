"""The arms of the library at work: two jobs planned, proven and reported with each of them.

The jobs are a plate of 25 points and the library's block with holes (43 points on the top, four
sides, a cone and the walls of two holes), both with the robot's shapes checked. What an engineer
chooses, the stylus and the pose of the part with its fixture, stands in ``SETUPS``; ``search`` is
how it was found. As a script:

    python -m tests.planner.soak.arms_at_work search NAME…     # prints set-ups
    python -m tests.planner.soak.arms_at_work table [NAME…]    # the table of docs/robot-library.md
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

import palpeur as pp
from planner.findings import Severity
from planner.library import path_of
from planner.part_pose.best_pose import PoseSearch, distinct
from planner.part_pose.pose_space import PoseSpace
from planner.part_pose.rating import PoseRating
from reports.verdict import aspect_names
from robots.core.pose import angles_zyx, make_pose, rotation_zyx, transform_points
from robots.core.workspace import axis_reach
from robots.library import load, maker_of, names
from robots.robot import Robot

PLATE, BLOCK = "plate", "block"
STYLUSES = (100.0, 150.0, 70.0)  # [mm] of the block
_TABLE = (500.0, 400.0, 40.0)  # [mm] as large as an arm's own foot leaves room for
_FINALISTS = 12
# From the block's origin, in its own axes: middles of the table and of the post. [m]
_TABLE_AT, _POST_AT = (0.0, 0.0, -0.12), (0.06, 0.04, -0.0505)


@cache
def arms() -> tuple[str, ...]:
    """Of the library, those of makers that can turn a stylus; read when they are asked for."""
    return tuple(name for name in names() if maker_of(name) and load(name).dof >= 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What an engineer chooses for a job: the stylus, and where the part stands.

    Args:
        stylus: its length. [mm]
        place: T_base_part's translation. [mm]
        turn: its angles about z, y and x. [deg]
        mount: angle of the probe to the flange's z, about its y, as an angled adapter gives it: a
            flange that need not turn as far as the stylus reaches more of a block's sides. [deg]
    """

    stylus: float
    place: tuple[float, float, float]
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    mount: float = 0.0

    @property
    def T(self) -> np.ndarray:
        return make_pose(rotation_zyx(np.radians(self.turn)), np.array(self.place) / 1e3)


def _plate(x: float, z: float) -> Setup:
    return Setup(stylus=100.0, place=(x, 0.0, z))


def _block(
    stylus: float,
    x: float,
    z: float,
    *turn: float,
    mount: float = 0.0,
) -> Setup:
    about_z, about_y, about_x = (*turn, 0.0, 0.0, 0.0)[:3]
    return Setup(
        stylus=stylus,
        place=(x, 0.0, z),
        turn=(about_z, about_y, about_x),
        mount=mount,
    )


# The stylus is 100 mm long there, and the plate lies level.
PLATES = {
    "abb-crb-15000-5": _plate(520, 140),
    "abb-irb-120": _plate(360, 65),
    "abb-irb-1200-5": _plate(540, 100),
    "abb-irb-1200-7": _plate(430, 80),
    "abb-irb-2400": _plate(900, 165),
    "abb-irb-2600": _plate(955, 175),
    "denso-vs060": _plate(370, 70),
    "fanuc-crx-10ia": _plate(640, 115),
    "fanuc-lrmate-200id": _plate(440, 80),
    "fanuc-lrmate-200id-7l": _plate(545, 100),
    "fanuc-m10ia": _plate(835, 150),
    "franka-fr3": _plate(470, 85),
    "franka-panda": _plate(470, 85),
    "kuka-iiwa-14-r820": _plate(520, 95),
    "kuka-iiwa-7-r800": _plate(510, 95),
    "kuka-kr10-r1100-sixx": _plate(650, 120),
    "kuka-kr6-r700-sixx": _plate(435, 80),
    "staubli-rx160": _plate(940, 170),
    "staubli-tx2-60": _plate(370, 65),
    "staubli-tx2-60l": _plate(505, 90),
    "staubli-tx2-90": _plate(550, 100),
    "ufactory-lite6": _plate(280, 50),
    "ufactory-xarm6": _plate(420, 75),
    "ufactory-xarm7": _plate(425, 75),
    "ur10e": _plate(820, 275),
    "ur16e": _plate(565, 100),
    "ur3e": _plate(360, 120),
    "ur5e": _plate(535, 95),
    "yaskawa-gp7": _plate(640, 80),
    "yaskawa-gp8": _plate(480, -100),
    "yaskawa-hc10": _plate(745, 135),
}
BLOCKS = {
    "abb-crb-15000-5": _block(120, 541, 117, 34.6, mount=30),
    "abb-irb-120": _block(100, 269, 125, -38.5, mount=45),
    "abb-irb-1200-5": _block(80, 493, 230, 68.9, mount=15),
    "abb-irb-1200-7": _block(100, 319, 207, -39, mount=45),
    "abb-irb-2400": _block(120, 900, 325, 60),
    "abb-irb-2600": _block(100, 879, 101, -136.6),
    "denso-vs060": _block(100, 365, 125, 174.8),
    "fanuc-crx-10ia": _block(120, 580, 67, 41.8, mount=30),
    "fanuc-lrmate-200id": _block(100, 349, 124, -53.1, mount=30),
    "fanuc-lrmate-200id-7l": _block(100, 550, 90, -42.9, mount=30),
    "fanuc-m10ia": _block(200, 760, 380, 60),
    "franka-fr3": _block(150, 446, 372, 140.5),
    "franka-panda": _block(100, 362, 4, 47.2),
    "kuka-iiwa-14-r820": _block(100, 548, -116, 171.1),
    "kuka-iiwa-7-r800": _block(100, 518, -141, 180),
    "kuka-kr10-r1100-sixx": _block(100, 467, -295, 57.3),
    "kuka-kr6-r700-sixx": _block(100, 293, 17, -41.1, mount=45),
    "staubli-rx160": _block(120, 966, 282, -132.5, mount=15),
    "staubli-tx2-60": _block(85, 262, 232, -42, mount=60),
    "staubli-tx2-60l": _block(80, 490, 141, 134.6, mount=30),
    "staubli-tx2-90": _block(144, 509, 255, 55.1, mount=30),
    "ufactory-lite6": _block(144, 66, 140, -27.9, mount=45),
    "ufactory-xarm6": _block(120, 380, 190, 60),
    "ufactory-xarm7": _block(120, 385, 195, 60),
    "ur10e": _block(100, 686, -10, -34.3),
    "ur16e": _block(100, 513, 75, -43.6, mount=45),
    "ur3e": _block(100, 194, 64, -37.2, mount=45),
    "ur5e": _block(100, 485, 50, 45),
    "yaskawa-gp7": _block(144, 409, -187, -33.2, mount=45),
    "yaskawa-gp8": _block(90, 510, 158, 49.4, mount=60),
    "yaskawa-hc10": _block(200, 675, 340, 150),
}

# Arms that miss points of the block in every set-up tried; theirs is the one that measures most.
UNFINISHED = frozenset(
    {
        "denso-vs060",
        "kuka-iiwa-14-r820",
        "kuka-iiwa-7-r800",
        "staubli-tx2-60",
        "staubli-tx2-60l",
    }
)


def block_job(arm: str, setup: Setup, *, fixture: bool = True) -> pp.Job:
    """The library's job with another arm; the post goes with the block, and a smaller table."""
    job = pp.read_job(path_of("block-with-holes"))
    obstacles = [
        _box("table", _TABLE, _TABLE_AT, setup),
        _box("post", (80.0, 50.0, 99.0), _POST_AT, setup),
    ]
    return job.replace(
        robot=arm,
        robot_settings=_tool(arm, setup.mount),
        pose=setup.T,
        probe={"stylus_length_mm": setup.stylus},
        cell={"obstacle": obstacles} if fixture else None,
    )


def _tool(arm: str, mount: float) -> dict[str, Any]:
    """Settings of a robot whose probe is mounted at an angle."""
    if mount == 0.0:
        return {}
    turned = load(arm).tool @ make_pose(rotation_zyx(np.radians([0.0, mount, 0.0])))
    return {"tool": turned}


def _box(name: str, size: tuple[float, ...], at: tuple[float, ...], setup: Setup) -> dict[str, Any]:
    T = setup.T.copy()
    T[:3, 3] = transform_points(setup.T, np.array([at]))[0]
    return {"name": name, "box_mm": list(size), "pose": T}


def plate_job(arm: str, setup: Setup) -> pp.Job:
    """A plate of 160 mm with 25 points on it."""
    plate = trimesh.creation.box((0.16, 0.16, 0.02))
    plate.apply_translation((0.0, 0.0, -0.01))
    import pandas as pd

    grid = np.linspace(-65.0, 65.0, 5)
    x, y = (each.ravel() for each in np.meshgrid(grid, grid, indexing="ij"))
    flat = {"z_mm": 0.0, "nx": 0.0, "ny": 0.0, "nz": 1.0}
    points = pd.DataFrame({"name": [f"P{k + 1}" for k in range(25)], "x_mm": x, "y_mm": y} | flat)
    return pp.Job(
        name="plate of 25 points",
        robot=arm,
        part=pp.load_part(plate, unit="m"),
        pose=setup.T,
        points=points,
        compensated=True,
        probe={"stylus_length_mm": setup.stylus, "ball_diameter_mm": 4.0},
        approach={"distance_mm": 30.0, "direction": "normal"},
        touch={"speed_mm_s": 5.0},
        travel={"order": "fastest"},
        checks={"clearance_mm": 2.0},
    )


def job_of(arm: str, kind: str, setup: Setup) -> pp.Job:
    """One of the two jobs."""
    return block_job(arm, setup) if kind == BLOCK else plate_job(arm, setup)


# ------------------------------------------------------------------------------------------ Search


def search(
    arm: str,
    styluses: tuple[float, ...] = STYLUSES,
    *,
    full: bool = False,
    mount: float = 0.0,
) -> Iterator[str]:
    """Set-ups of the block that were planned, best last; the search ends with a feasible one.

    As ``palpeur place``, whose search it is; but the fixture goes with the part.
    """
    reach = 1e3 * axis_reach(Robot(load(arm), engine="numpy"))
    best = -1
    for stylus in styluses:
        middle = (round(0.5 * reach), 0.0, round(0.15 * reach))
        given = Setup(stylus=stylus, place=middle, mount=mount)
        span = {
            "x": [-0.2 * reach, 0.25 * reach],
            "y": [0.0, 0.0],
            "z": [-0.4 * reach, 0.4 * reach],
        }
        job = block_job(arm, given, fixture=False).replace(place={"range_mm": span, "full": full})
        space, rating = PoseSpace.of(job), PoseRating(job)
        found = PoseSearch(rating, space, 1, lambda *_: None).run(0.98, timed=False)
        value = found.bar.by_margin(found.tried)
        finalists = distinct(found.tried, value, _FINALISTS, space)
        for T, rated in zip(space.poses(finalists.moves), finalists.scores.points, strict=True):
            turn = np.degrees(angles_zyx(T[:3, :3]).angles)
            setup = Setup(
                stylus=stylus,
                place=tuple(np.round(1e3 * T[:3, 3]).tolist()),
                turn=tuple(np.round(turn, 1).tolist()),
                mount=mount,
            )
            plan = pp.plan(block_job(arm, setup))
            errors = [one for one in plan.finding_list if one.severity is Severity.ERROR]
            count = len(plan.points) - len({one.where for one in errors})
            if plan.feasible or count > best:
                best = count
                codes = " ".join(sorted({one.code for one in errors}))
                told = f"{count}/43, rated {rated:.0f} of {rating.points} {codes}"
                yield f"{arm}: {setup!r}  # {told}"
            if plan.feasible:
                return
            if rated < 0.9 * rating.points:
                break


# ------------------------------------------------------------------------------------------- Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An arm at one of the jobs; seconds are of one processor.

    Args:
        arm: its name.
        kind: of the job.
        measured: points without an error.
        points: of the job.
        proven: whether the plan is feasible and passes its proof.
        unchecked: what the plan says was not checked.
        seconds: of planning, proving and reporting; what was not done takes none.
        duration: of the motion. [s]
    """

    arm: str
    kind: str
    measured: int
    points: int
    proven: bool
    unchecked: tuple[str, ...]
    seconds: tuple[float, float, float]
    duration: float


def row(arm: str, kind: str, setup: Setup, folder: Path) -> Row:
    """Plan a job, prove the plan and write its report, as far as it goes."""
    job, times = job_of(arm, kind, setup), [time.process_time()]
    plan = pp.plan(job)
    times.append(time.process_time())
    proven = False
    if plan.feasible:
        proof = pp.prove(plan)
        times.append(time.process_time())
        proven = proof.passed
        if proven:
            pp.export(proof, folder / f"{arm}-{kind}")
            times.append(time.process_time())
    wrong = {one.where for one in plan.finding_list if one.severity is Severity.ERROR}
    seconds = [*np.diff(times).tolist(), 0.0, 0.0][:3]
    return Row(
        arm=arm,
        kind=kind,
        measured=len(plan.points) - len(wrong),
        points=len(plan.points),
        proven=proven,
        unchecked=tuple(aspect_names(plan.unchecked)),
        seconds=(seconds[0], seconds[1], seconds[2]),
        duration=plan.totals.duration,
    )


def table(arms: Sequence[str], folder: Path) -> Iterator[str]:
    """Lines of the table of docs/robot-library.md."""
    yield (
        "| arm | plate, s | block, s | stylus, mm | block at x, z, mm; turned, deg | mount, deg |"
    )
    yield "|---|---|---|---|---|---|"
    for arm in arms:
        cells = []
        for kind, setups in ((PLATE, PLATES), (BLOCK, BLOCKS)):
            found = row(arm, kind, setups[arm], folder)
            spent = " + ".join(f"{each:.1f}" for each in found.seconds)
            cells.append(spent if found.proven else f"{found.measured} of {found.points}")
        setup = BLOCKS[arm]
        x, _, z = setup.place
        turn = ", ".join(f"{angle:g}" for angle in setup.turn if angle) or "0"
        given = f"{setup.stylus:g} | {x:g}, {z:g}; {turn} | {setup.mount:g}"
        yield f"| `{arm}` | {cells[0]} | {cells[1]} | {given} |"


if __name__ == "__main__":
    task, *given = sys.argv[1:]
    chosen = [name for name in given if name in arms()] or list(arms())
    if task == "search":
        for one in chosen:
            began = time.process_time()
            angle = 45.0 if "--angled" in given else 0.0
            for line in search(one, full="--full" in given, mount=angle):
                print(line, f"{time.process_time() - began:.0f} s", flush=True)
            print(one, "ended", f"{time.process_time() - began:.0f} s", flush=True)
    else:
        with tempfile.TemporaryDirectory() as place:
            for line in table(chosen, Path(place)):
                print(line, flush=True)
