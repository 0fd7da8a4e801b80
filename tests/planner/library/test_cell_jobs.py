"""Jobs with a part in a cell: every point is measurable, or fails for the intended reason.

Kinematics come from the closed-form inverse; distances from a brute force of this file: points
along the capsules' axes against every triangle.
"""

import numpy as np
import pytest

from parts.geometry import audit
from parts.geometry.proximity import closest_on_triangles
from planner import library
from planner.job import read_job
from planner.job.solids import SolidKind
from planner.reach.closed_form import candidates, end_solutions
from planner.reach.margins import SINGULAR, exact_margins
from planner.reach.placement import place
from robots.arm.inverse import ArmInverse
from robots.core.model import Model
from tests.cases import cases, some
from tests.planner.library.geometry_files import COUPONS, blade_mesh, coupons_mesh, geometry_files

NAMES = ("blade", "block-with-holes", "obstructed", "unreachable")
STEP = 0.005  # [m] along a capsule's axis


class Served:
    """A job, its placed points, and the ways to serve each point within limits."""

    def __init__(self, name):
        self.job = read_job(library.path_of(name))
        inverse = ArmInverse(self.job.mechanism, engine="compiled")
        self.placed = place(self.job)
        self.model = Model(self.job.mechanism)
        self.found = candidates(inverse, self.placed, end_solutions(inverse, self.placed))
        self.kept = self.found.margins.keep(self.job.checks.joint_margin)

    def ways(self, name):
        """Rows of the candidates that serve a point."""
        point = self.placed.names.index(name)
        return np.nonzero(self.kept & (self.found.point == point))[0]

    def line(self, name, lam):
        """Joints of the first way of a point. # (len(lam), 5)."""
        row = self.ways(name)[0]
        return self.found.lines.joints(np.full(len(lam), row), np.asarray(lam, dtype=float))

    def contact(self, name):
        """Where contact lies on the line of a point."""
        return self.placed.at_contact()[self.placed.names.index(name)]

    def distance(self, q, capsule, solid):
        """From a capsule to a solid, posture by posture. # (m,) [m]."""
        body = next(c for c in self.job.mechanism.capsules if c.name == capsule)
        mesh = next(s for s in self.job.cell.solids if s.name == solid).mesh
        count = 2 + int(np.linalg.norm(body.end - body.start) / STEP)
        axis = np.linspace(body.start, body.end, count)
        T = self.model.transforms(q)[:, body.joint]
        points = np.einsum("mij,kj->mki", T[:, :3, :3], axis) + T[:, None, :3, 3]
        at = np.repeat(points.reshape(-1, 3), len(mesh), axis=0)
        corners = np.tile(mesh.triangles, (points.size // 3, 1, 1))
        away = np.linalg.norm(at - closest_on_triangles(at, corners), axis=1)
        return away.reshape(len(q), -1).min(axis=1) - body.radius


@pytest.fixture(scope="module")
def served():
    jobs = {}

    def of(name):
        if name not in jobs:
            jobs[name] = Served(name)
        return jobs[name]

    return of


def test_geometry_files_are_what_makes_them():
    folder = library.path_of("blade").parent.parent
    made = geometry_files()
    assert {path.relative_to(folder).as_posix() for path in folder.glob("*/*.stl")} == set(made)
    for name, content in made.items():
        assert (folder / name).read_bytes() == content
        assert len(content) < 110_000


@pytest.mark.parametrize("mesh", [blade_mesh(), coupons_mesh()], ids=["blade", "coupons"])
def test_meshes_made_for_the_jobs_are_sound(mesh):
    found = audit(mesh)
    assert (found.watertight, found.consistent, found.inverted) == (True, True, False)
    assert found.warnings == ()


@pytest.mark.parametrize("name", NAMES)
def test_points_lie_on_the_part(served, name):
    job = served(name).job
    assert job.surface.audit.warnings == ()
    assert job.surface.normals.inward_names() == ()
    # The coarse blade; chords of the cone: 12 mm (1 - cos(pi/64)) = 14 µm; single precision of STL.
    limit = {"blade": 1e-4, "block-with-holes": 1.5e-5}.get(name, 1e-6)
    assert job.surface.normals.distances.max() < limit
    assert job.points.warnings == ()


@pytest.mark.parametrize("name", NAMES)
def test_all_solids_are_closed(served, name):
    solids = served(name).job.cell.solids
    assert all(solid.closed for solid in solids)
    part, *others = (solid.kind for solid in solids)
    assert part is SolidKind.PART
    assert set(others) == {SolidKind.OBSTACLE}


@pytest.mark.parametrize("name", NAMES[:3])
def test_every_point_is_served_with_room_to_spare(served, name):
    job = served(name)
    margins = np.degrees(job.found.margins.limit.min(axis=1))
    for point in job.placed.names:
        rows = job.ways(point)
        assert margins[rows].max() > 12.0
        assert job.found.margins.singularity[rows].max() > 0.1


@pytest.mark.parametrize("name", some(NAMES[:3], gate=2))
def test_every_line_keeps_clear_of_table_post_and_wall(served, name):
    job = served(name)
    solids = [solid.name for solid in job.job.cell.solids[1:]]
    points = some(job.placed.names, gate=5)
    q = np.concatenate([job.line(point, [0.0, 0.5, 1.0]) for point in points])
    for capsule in ("wrist", "stylus ball", "stylus shank", "forearm"):
        for solid in solids:
            assert job.distance(q, capsule, solid).min() > job.job.checks.clearance


def test_the_stylus_stands_upright_in_the_holes(served):
    """A straight stylus along the normal would pass through the wall across."""
    block = served("block-with-holes")
    features = np.array(block.job.points.features)
    assert set(features) == {
        *("top", "left", "right", "front", "back", "cone", "hole-30", "hole-20")
    }
    placed, T = block.placed, block.job.part.T_base_part
    for name, count, radius, middle in (("hole-30", 8, 15, (20, 60)), ("hole-20", 4, 10, (20, 20))):
        rows = features == name
        assert rows.sum() == count
        np.testing.assert_allclose(placed.axes[rows], -T[:3, [2]].T.repeat(count, 0), atol=1e-12)
        there = 1e3 * (placed.clearances[rows] - T[:3, 3]) @ T[:3, :3]
        np.testing.assert_allclose(there[:, :2], np.tile(middle, (count, 1)), atol=1e-9)
        walls = 1e3 * block.job.points.positions[rows][:, :2] - middle
        np.testing.assert_allclose(np.linalg.norm(walls, axis=1), radius, atol=1e-9)


def test_in_the_holes_nothing_but_the_wall_is_near(served):
    """At contact the shank is 0.8 mm from the wall, less the sagitta of 64 facets of 18 µm."""
    block = served("block-with-holes")
    for name in ("H1", "H7", "K3"):
        start, contact = block.line(name, [0.0, block.contact(name)])
        assert block.distance(start[None], "stylus ball", "part")[0] > 0.0079
        assert block.distance(start[None], "stylus shank", "part")[0] > 0.0087
        near = block.distance(contact[None], "stylus shank", "part")[0]
        assert near == pytest.approx(0.0008, abs=2e-5)


def test_a_wall_stands_between_the_two_groups(served):
    job = served("obstructed")
    names, features = job.placed.names, job.job.points.features
    assert features == ("left",) * 5 + ("right",) * 5
    for pair, free in ((names[3:5], True), (names[4:6], False), (names[5:7], True)):
        q = np.concatenate([job.line(name, [0.0]) for name in pair])
        move = np.linspace(*q, 41)
        near = [job.distance(move, link, "wall").min() for link in ("forearm", "wrist")]
        assert (min(near) > job.job.checks.clearance) == free
    over = np.linspace(*(np.concatenate([job.line(name, [0.0]) for name in names[4:6]])), 41)
    over[:, 1] += np.radians(25.0)
    assert job.distance(over, "forearm", "wall").min() > job.job.checks.clearance


def test_the_reasons_of_reach_limits_and_singularity(served):
    job = served("unreachable")
    names = [name for name, *_ in COUPONS]
    assert list(job.placed.names) == names
    without = {name for name in names if job.ways(name).size == 0}
    assert without == {"far", "limit"}
    rows = {name: job.found.point == names.index(name) for name in names}
    assert not rows["far"].any()
    assert np.degrees(-job.found.margins.limit[rows["limit"], 0]).min() == pytest.approx(12, 1e-6)
    exact = exact_margins(job.found.lines.take(job.ways("singular"))).singularity
    assert exact.max() < 1e-9 < SINGULAR  # the grid that ``ways`` judges by steps over it
    assert list(np.nonzero(job.placed.approach_cosines <= 0.0)[0]) == [names.index("inside")]


def test_the_reason_of_torque(served):
    job = served("unreachable")
    limit = job.job.checks.torque_limits[1]
    asked = {
        name: np.abs(job.model.gravity_torques(job.line(name, np.linspace(0, 1, 9)))[:, 1]).max()
        for name in job.placed.names
        if job.ways(name).size
    }
    assert {name for name, torque in asked.items() if torque > limit} == {"heavy"}
    assert asked["heavy"] == pytest.approx(75.2, abs=0.1)


@pytest.mark.parametrize(
    ("name", "capsule", "solid", "start", "end"),
    [
        ("stylus", "stylus shank", "stylus-post", True, False),
        ("stylus", "wrist", "stylus-post", True, True),
        ("wrist", "wrist", "wrist-post", True, False),
        ("wrist", "stylus shank", "wrist-post", True, True),
        ("beam", "wrist", "beam", False, True),
        ("beam", "forearm", "beam", True, True),
    ],
)
def test_the_reasons_of_collision(served, name, capsule, solid, start, end):
    """Whether the clearance is kept at the clearance point, and over the last third of the line."""
    job = served("unreachable")
    required = job.job.checks.clearance
    last = job.line(name, np.linspace(2 / 3, 1, 8))
    assert (job.distance(job.line(name, [0.0]), capsule, solid).min() > required) == start
    assert (job.distance(last, capsule, solid).min() > required) == end


def test_the_reason_of_travel(served):
    """The wall parts the cell: the elbow's own place is free on both sides, never between."""
    job = served("unreachable")
    ends = [job.line(name, [0.0])[0] for name in ("good-3", "walled-in")]
    solids = ("wall", "gallows")
    for q in ends:
        assert min(job.distance(q[None], "forearm", s).min() for s in solids) > 0.005
    steps = cases(gate=15, soak=41)
    across = np.linspace(ends[0][0], ends[1][0], steps)
    for q2, q3 in np.radians([[70, -28], [85, -60], [20, 30], [80, 60], [89, 89], [60, 109]]):
        q = np.tile(ends[0], (steps, 1))
        q[:, 0], q[:, 1], q[:, 2] = across, q2, q3
        links = ("upper arm", "forearm")
        assert min(job.distance(q, link, s).min() for link in links for s in solids) < 0.0
