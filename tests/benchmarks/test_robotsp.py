"""The 245 holes of RoboTSP's drilling cell: visiting order with branches, beside published figures.

``PALPEUR_ROBOTSP`` names a clone of github.com/crigroup/raveutils, whose ``data`` folder holds the
cell of [SUAREZ18]: a Denso VS060 with a drill and a camera, panel, jig and base. Its holes are the
targets of ``data/benchmarks.hdf5`` of github.com/crigroup/robotsp to the last digit. The speeds and
accelerations of the joints, the home posture and the 10 mm between drill and panel are those of
that repository's ``scripts/run_benchmarks.py``.

RoboTSP orders the targets by distance, chooses a branch for each of them at a few turns about the
drill, and plans each move with BiRRT and shortcuts, checked at samples. We plan a job that touches
every hole: the motion beside RoboTSP's is that of the travels between clearance points, from home
and back as programmes of the plan run them, at full speed. The approach and retract of every hole,
which RoboTSP has not, are in our CPU time.

Different, or missing: the robot's shape is that of the library (convex pieces about the maker's
meshes) instead of the meshes of the cell; drill, camera and couplings are capsules that contain the
cell's cylinders and boxes, and the bit is a line.
RoboTSP itself needs OpenRAVE and Python 2 and was not run: its CPU times are those of its authors'
machine.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
import trimesh

from planner.detours.find import proven_way
from planner.job import read_job
from planner.motion.travel import travel_times
from planner.plan import SegmentKind
from planner.planning import plan
from planner.proof import prove
from planner.reach.robot import reach_of

pytestmark = pytest.mark.benchmark

CLONE = os.environ.get("PALPEUR_ROBOTSP", "")
# Of ``others`` and ``discretization`` in benchmarks.hdf5 (ab73f7e), 245 targets: turns of 45° as
# its authors compare them, CPU time of the whole; and of 15°, the shortest motion there, without
# the CPU time of BiRRT.
USUAL_SECONDS, USUAL_MOTION = 22.2, 78.6
FINE_SECONDS, FINE_MOTION = 25.0, 74.7
SPEED = (1.0, 0.7, 0.7, 1.0, 0.7, 1.57)  # [rad/s]
ACCELERATION = (5.0, 4.25, 4.25, 5.25, 6.0, 8.0)  # [rad/s²]
RANGE = ((-170, 170), (-120, 120), (-125, 155), (-270, 270), (-95, 95), (-185, 185))  # [deg]
FLANGE = 70.0  # of link6, beyond the wrist [mm]
TIP = 70.5  # of the drill, beyond the middle of the bit [mm]

JOB = """\
format = 1
[job]
name = "airbus-challenge"
[robot]
model = "denso-vs060"
tool = {{ translation_mm = {wrist}, rotation_zyx_deg = [0, 0, 0] }}
{limits}
[probe]
stylus_length_mm = {length}
ball_diameter_mm = 0
{capsules}
[part]
geometry = "panel.stl"
unit = "mm"
pose = {{ translation_mm = {panel}, rotation_zyx_deg = [0, 0, 0] }}
[[cell.obstacle]]
name = "jig"
geometry = "jig.stl"
unit = "mm"
pose = {{ translation_mm = {jig}, rotation_zyx_deg = [0, 0, 0] }}
[[cell.obstacle]]
name = "base"
box_mm = {base_size}
pose = {{ translation_mm = {base}, rotation_zyx_deg = [0, 0, 0] }}
[points]
file = "points.csv"
frame = "base"
compensated = true
[approach]
distance_mm = 10
law = "quintic"
[touch]
mode = "to-rest"
[travel]
order = "fastest"
[controller]
axes = ["joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"]
home_deg = [0, -20, 130, 0, 70, 0]
"""


class Solid(NamedTuple):
    """A box or cylinder of a body, axes along the body's. [mm]."""

    name: str
    middle: np.ndarray
    half: np.ndarray  # of a box, or of the box about a cylinder
    radius: float  # of a cylinder, else 0


def numbers(element: ElementTree.Element, tag: str) -> np.ndarray:
    """Of a child, or of the parent of one that is missing: none, zeros."""
    found = element.find(tag)
    text = "" if found is None else found.text or ""
    return np.array([float(word) for word in text.split()] or [0.0, 0.0, 0.0])


def solids(file: Path) -> list[Solid]:
    """Bodies of a KinBody file, each with one solid, where its reference body is at zero."""
    found = []
    for body in ElementTree.parse(file).getroot().findall("body"):
        geometry = body.find("geom")
        assert geometry is not None
        middle = 1e3 * (numbers(body, "translation") + numbers(geometry, "translation"))
        if geometry.get("type") == "box":
            found.append(Solid(body.get("name", ""), middle, 1e3 * numbers(geometry, "extents"), 0))
        elif geometry.get("type") == "cylinder":  # along y, turned about x or z
            radius, height = (1e3 * numbers(geometry, key)[0] for key in ("radius", "height"))
            along = 2 if numbers(geometry, "rotationaxis")[0] else 0
            half = np.where(np.arange(3) == along, 0.5 * height, radius)
            found.append(Solid(body.get("name", ""), middle, half, radius))
    return found


SLICES = 3  # of a flat box at most: one capsule about it would be far thicker
INSET = 0.5  # of a capsule's ends from the solid's, in its radius: less overhang, a little thicker


def capsules_of(solid: Solid, origin: np.ndarray) -> list[str]:
    """Tables of capsules that contain a solid, lengthwise and side by side."""
    half = solid.half
    if solid.radius:
        along = int(np.argmax(half != solid.radius))
        across, count, size = (along + 1) % 3, 1, solid.radius
    else:
        across, along = np.argsort(half)[1:].tolist()
        count = min(SLICES, int(np.ceil(1.5 * half[across] / half.min())))
        size = float(np.hypot(half.min(), half[across] / count))
    inset = min(INSET * size, half[along])
    found = []
    for k in range(count):
        ends = np.tile(origin + solid.middle, (2, 1))
        ends[:, across] += ((2 * k + 1) / count - 1.0) * (0.0 if solid.radius else half[across])
        ends[:, along] += np.array([-1.0, 1.0]) * (half[along] - inset)
        first, last = np.round(ends, 3).tolist()
        found.append(
            f'[[probe.capsule]]\nname = "{solid.name} {k + 1}"\nfrom_mm = {first}\n'
            f"to_mm = {last}\nradius_mm = {np.hypot(size, inset) + 0.01:.2f}"
        )
    return found


def cell(data: Path, folder: Path, *, count: int = 245) -> Path:
    """The job of the cell, or of its first holes, with its files."""
    robot = ElementTree.parse(data / "robots" / "denso_driller.robot.xml").getroot()
    world = ElementTree.parse(data / "worlds" / "airbus_challenge.env.xml").getroot()
    objects = data / "objects"
    offsets = {body.get("name"): 1e3 * numbers(body, "translation") for body in robot.iter("body")}
    # Tool frame: the neck of the drill, on its coupling; the drill points along the flange's z.
    neck = offsets["coupling_makita"]
    drill = {one.name: one for one in solids(objects / "makita.kinbody.xml")}
    length = drill.pop("drillbit").middle[2] + TIP
    [flat] = solids(objects / "coupling_ensenso.kinbody.xml")
    [plate] = solids(objects / "coupling_makita.kinbody.xml")
    box = next(body for body in robot.iter("body") if body.get("name") == "camera").find("geom")
    # The camera is turned by a quarter about z.
    camera = Solid(
        "camera", 1e3 * numbers(box, "translation"), 1e3 * numbers(box, "extents")[[1, 0, 2]], 0.0
    )
    beside = [(one, np.zeros(3)) for one in drill.values()]
    beside += [(flat, -neck), (plate, np.zeros(3)), (camera, offsets["camera"] - neck)]
    capsules = [text for one, origin in beside for text in capsules_of(one, origin)]
    panel = ElementTree.parse(objects / "airbus_panel.kinbody.xml").getroot()
    holes = [
        1e3 * numbers(body, "translation")
        for body in panel.iter("body")
        if body.get("name", "").startswith("hole")
    ]
    where = {
        one.get("file", "").split("/")[-1]: 1e3 * numbers(one, "translation")
        for one in world.iter("kinbody")
    }
    at_panel = where["airbus_panel.kinbody.xml"]
    # Turned by 90° about y, then -90° about x: (x, y, z) of the panel is (z, -x, -y) of the cell.
    placed = at_panel + np.array(holes)[:, [2, 0, 1]] * [1.0, -1.0, -1.0]
    slab = next(body for body in solids(objects / "airbus_panel.kinbody.xml"))
    middle = at_panel + slab.middle[[2, 0, 1]] * [1.0, -1.0, -1.0]
    trimesh.creation.box(2.0 * slab.half[[2, 0, 1]]).export(folder / "panel.stl")
    frame = ElementTree.parse(objects / "airbus_jig.kinbody.xml").getroot().find(".//geom")
    jig = where["airbus_jig.kinbody.xml"] + 1e3 * numbers(frame, "translation")
    (folder / "jig.stl").write_bytes((objects / "meshes" / "airbus_jig.stl").read_bytes())
    [base] = solids(objects / "driller_base.kinbody.xml")
    rows = [
        f"H{k:03d},{x:.9f},{y:.9f},{z:.9f},-1,0,0" for k, (x, y, z) in enumerate(placed[:count])
    ]
    (folder / "points.csv").write_text("\n".join(["name,x_mm,y_mm,z_mm,nx,ny,nz", *rows]))
    limits = [
        f"[robot.limits.joint_{k}]\nmin_deg = {low}\nmax_deg = {high}\n"
        f"max_speed_rad_s = {v}\nmax_acceleration_rad_s2 = {a}"
        for k, ((low, high), v, a) in enumerate(
            zip(RANGE, SPEED, ACCELERATION, strict=True), start=1
        )
    ]
    job = folder / "job.toml"
    job.write_text(
        JOB.format(
            wrist=(neck + np.array([0.0, 0.0, FLANGE])).tolist(),
            limits="\n".join(limits),
            length=round(float(length), 6),
            capsules="\n".join(capsules),
            panel=np.round(middle, 6).tolist(),
            jig=np.round(jig, 6).tolist(),
            base_size=(2.0 * base.half).tolist(),
            base=np.round(where["driller_base.kinbody.xml"] + base.middle, 6).tolist(),
        )
    )
    return job


@pytest.mark.soak
@pytest.mark.skipif(not CLONE, reason="PALPEUR_ROBOTSP names no clone of crigroup/raveutils")
def test_245_holes_beside_robotsp(tmp_path, speed):
    few, whole = tmp_path / "few", tmp_path / "whole"
    few.mkdir()
    whole.mkdir()
    plan(read_job(cell(Path(CLONE) / "data", few, count=6)))  # compiles
    job = read_job(cell(Path(CLONE) / "data", whole))
    begin = time.process_time()
    made = plan(job)
    model = reach_of(job).model
    first, last = made.trajectory.state(np.array([0.0, made.trajectory.duration])).q
    home = job.controller.home
    ways = [proven_way(job, model, home, end) for end in (first, last)]
    seconds = time.process_time() - begin
    assert made.motion_proven
    assert len(made.contact_segments) == 245
    assert prove(made).passed
    travel = sum(one.duration for one in made.timeline if one.kind is SegmentKind.TRAVEL)
    motion = travel
    for way in ways:
        assert way is not None, "no proven way between home and the holes"
        corners = np.concatenate([home[None], way])
        motion += float(np.sum(travel_times(corners[:-1], corners[1:], job.joint_limits())))
    [order] = [one for one in made.finding_list if one.code == "P110"]
    stated = {quantity.name: quantity.value for quantity in order.quantities}
    assert stated["home legs"] == pytest.approx(motion - travel, rel=1e-9)
    print(
        f"{seconds:.1f} CPU s, motion {motion:.2f} s ({travel:.2f} s of it between the holes, "
        f"{made.trajectory.duration:.1f} s with approaches and retracts); RoboTSP, on its authors' "
        f"machine, {USUAL_SECONDS} CPU s and {USUAL_MOTION} s; by turns of 15° {FINE_SECONDS} CPU "
        f"s besides its motion planner's, and {FINE_MOTION} s"
    )
    speed.ratio("245 holes, motion: RoboTSP", USUAL_MOTION / motion)
    speed.ratio("245 holes, motion: RoboTSP by turns of 15°", FINE_MOTION / motion)
