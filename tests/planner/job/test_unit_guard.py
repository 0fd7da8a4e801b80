"""Point lists that are off by a factor of 1000, and lists that only look so."""

import numpy as np
import pytest

from planner.errors import JobError
from planner.job.points import reach_of
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.library import load

# Tables VI.7 of [LAMMARI12]: the part's points. [m]
PART = [(x, y, 0.40 - 0.10 * x - 0.25 * y) for x in (0.05, 0.25, 0.45) for y in (0.05, 0.20, 0.35)]
BASE = [(x + 0.2, y + 1.3, z + 0.8) for x, y, z in PART]
POSE = "[part]\npose = { translation_mm = [0, 1500, 840], rotation_zyx_deg = [30, 0, 0] }\n"


def table(points, scale, header):
    rows = [f"P{i},{','.join(str(v * scale) for v in p)},0,0,1\n" for i, p in enumerate(points)]
    return {"points.csv": header + "".join(rows)}


def in_mm(points, scale=1.0):
    return table(points, 1000 * scale, "name,x_mm,y_mm,z_mm,nx,ny,nz\n")


def read(job_of, points, frame, scale):
    change = {'frame = "base"\n': f'frame = "{frame}"\n{POSE}'}
    return job_of(change=change, files=in_mm(points, scale))


@pytest.mark.parametrize(("points", "frame"), [(PART, "part"), (BASE, "base"), (BASE[:1], "base")])
@pytest.mark.parametrize("scale", [1000.0, 0.001])
def test_a_list_off_by_a_thousand_is_refused(job_of, points, frame, scale):
    with pytest.raises(JobError, match=r"off by a factor of 1000.*Is the unit right\?") as caught:
        read(job_of, points, frame, scale)
    assert caught.value.facts["factor"] == pytest.approx(1 / scale)
    assert caught.value.facts["key"] == "points"
    read(job_of, points, frame, 1.0)


@pytest.mark.parametrize(
    ("unit", "scale", "told"),
    [
        (
            "m",
            1000.0,
            "labelled metres and look like millimetres: head the columns x_mm, y_mm, z_mm",
        ),
        ("mm", 1.0, "labelled millimetres and look like metres: head the columns x_m, y_m, z_m"),
    ],
)
def test_a_wrong_label_is_named_where_it_stands(job_of, unit, scale, told):
    header = f"name,x_{unit},y_{unit},z_{unit},nx,ny,nz\n"
    with pytest.raises(JobError) as caught:
        job_of(files=table(BASE, scale, "\n" + header))
    assert caught.value.message.startswith("points.csv, line 2: the points are off by a factor of ")
    assert caught.value.message.endswith(f"Is the unit right? They are {told}.")
    assert (caught.value.facts["file"], caught.value.facts["line"]) == ("points.csv", 2)


def test_a_label_that_no_unit_replaces_asks_for_the_unit(job_of):
    with pytest.raises(
        JobError, match=r"Is the unit right\? Correct the unit in the header or key\.$"
    ):
        job_of(files=in_mm(BASE, 1000.0))


def test_points_of_the_job_file_are_named_there(job_of):
    rows = "".join(
        f'[[points.point]]\nname = "{k}"\nx_mm = {x}\ny_mm = {y}\nz_mm = {z}\n'
        "nx = 0\nny = 0\nnz = 1\n"
        for k, (x, y, z) in enumerate(BASE)
    )
    with pytest.raises(JobError) as caught:
        job_of(change={'file = "points.csv"\n': "", 'frame = "base"\n': f'frame = "base"\n{rows}'})
    assert caught.value.message.startswith("job.toml, line 8: points.point: the points are off")


@pytest.mark.parametrize(
    ("points", "frame"),
    [
        ([(x + 4.0, y, z) for x, y, z in BASE], "base"),  # out of reach: a finding, not a unit
        ([*BASE, (900.0, 0.0, 0.0)], "base"),  # one point mistyped
        ([(0.0, 0.0, 0.0)], "part"),  # the part's origin
        ([(0.002, 0.0, 0.0), (-0.002, 0.0, 0.0), (0.0, 0.002, 0.0)], "part"),  # a small bore
        ([(0.3, 0.0, 0.0), (0.3001, 0.0, 0.0)], "part"),  # two near points far from the origin
        ([(15.0, 15.0, 8.0), (15.1, 15.0, 8.0)], "base"),  # ten times too far
    ],
)
def test_other_odd_lists_are_left_to_the_plan(job_of, points, frame):
    assert len(read(job_of, points, frame, 1.0).points) == len(points)


def test_reach_bounds_every_posture():
    arm = load("measuring-arm")
    reach = reach_of(arm)
    assert reach == pytest.approx(0.40982 + 1.0 + 1.5139, abs=1e-15)
    rng = np.random.default_rng(5)
    q = rng.uniform(arm.q_min, arm.q_max, (200, 5))
    assert np.linalg.norm(Model(arm).forward(q)[:, :3, 3], axis=1).max() <= reach


def test_reach_of_slides():
    T = np.eye(4)
    T[:3, 3] = [0.0, 0.3, 0.4]
    slide = Joint(name="s", kind=JointKind.PRISMATIC, parent=-1, placement=T, q_min=-0.7, q_max=0.2)
    assert reach_of(Mechanism(name="m", joints=(slide,))) == pytest.approx(1.2)
    endless = Joint(name="s", kind=JointKind.PRISMATIC, parent=-1, placement=T)
    assert reach_of(Mechanism(name="m", joints=(endless,))) == np.inf
