"""Detours of the measuring arm: which way, proven, checked by another collision library."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from planner.clearance.certify import certify, keeps
from planner.clearance.paths import StraightPaths
from planner.detours.find import (
    Detours,
    Ends,
    FreePaths,
    around_cube,
    drawn_back,
    find_ways,
    tips_of,
)
from planner.detours.motions import DetourKind
from planner.job.settings import Travel
from planner.motion.travel import travel_times
from planner.progress import silent
from tests.cases import SOAK

ROOT = Path(__file__).resolve().parents[3]


def find_detours(room, starts, ends, travel, *, progress=silent):
    """Ways around, rounded and timed."""
    free = FreePaths(room, travel.seed)
    return Detours.of(room, find_ways(room, starts, ends, travel, free, progress=progress))


@pytest.fixture(scope="module")
def over_wall(make_room, ends, wall):
    room = make_room([wall])
    return room, find_detours(room, *ends, Travel(clearance_plane=0.0))


@pytest.fixture(scope="module")
def around_part(make_room, ends, wall):
    room = make_room([], part=wall)
    return room, find_detours(room, *ends, Travel(clearance_cube=0.1))


@pytest.fixture(scope="module")
def under_roof(make_room, ends, wall, roof):
    room = make_room([wall, roof])
    return room, find_detours(room, *ends, Travel())


ROOMS = ("over_wall", "around_part", "under_roof")


@pytest.mark.parametrize("name", ROOMS)
def test_the_motion_is_proven_and_keeps_every_limit(request, ends, name):
    room, found = request.getfixturevalue(name)
    assert not keeps(room.checker, StraightPaths(*ends), room.required)[0]
    assert found.blocked == ()
    assert found.travels.tolist() == [0]
    motions = found.motions
    assert keeps(room.checker, motions, room.required)[0]
    assert certify(room.checker, motions, required=room.required).certified[0] >= room.required
    s = np.linspace(0.0, 1.0, 4001)
    zero = np.zeros(s.size, dtype=np.int64)
    path = motions.states(zero, motions.law_at(zero, s))
    assert np.all(room.inside(path.q))
    assert path.q[[0, -1]] == pytest.approx(np.concatenate(ends), abs=1e-12)
    T = motions.duration[0]
    assert np.max(np.abs(path.dq) / T / room.limits.max_speed) <= 1.0 + 1e-12
    assert np.max(np.abs(path.ddq) / T**2 / room.limits.max_acceleration) <= 1.0 + 1e-12
    assert travel_times(*ends, room.limits)[0] < T


@pytest.mark.parametrize("name", ROOMS)
def test_coal_sees_no_contact_and_the_same_clearance(request, name):
    """Capsules of the moving links against the boxes, at 1/500 of the motion."""
    coal = pytest.importorskip("coal")
    room, found = request.getfixturevalue(name)
    zero = np.zeros(500, dtype=np.int64)
    q = found.motions.joints(zero, np.linspace(0.0, 1.0, 500))
    least = np.inf
    T = room.model.transforms(q)
    for capsule in room.model.mechanism.capsules:
        if capsule.joint < 0:
            continue
        axis = capsule.end - capsule.start
        length = float(np.linalg.norm(axis))
        shape = coal.Capsule(capsule.radius, length) if length else coal.Sphere(capsule.radius)
        turn = coal_rotation(axis / length) if length else np.eye(3)
        for solid in room.cell.solids:
            low, high = solid.mesh.vertices.min(axis=0), solid.mesh.vertices.max(axis=0)
            brick = coal.Box(*(high - low))
            there = coal.Transform3s(np.eye(3), 0.5 * (low + high))
            for pose in T[:, capsule.joint]:
                center = pose[:3, :3] @ (0.5 * (capsule.start + capsule.end)) + pose[:3, 3]
                here = coal.Transform3s(pose[:3, :3] @ turn, center)
                request_, result = coal.DistanceRequest(), coal.DistanceResult()
                least = min(least, coal.distance(shape, here, brick, there, request_, result))
    assert least >= room.required
    own = room.checker.nearest(q).value.min()
    # Self pairs are not asked of coal here, so its least may be larger; its tolerance is 1e-6.
    assert least >= own - 1e-5


def coal_rotation(axis):
    """A rotation that takes z, along which capsules lie, to an axis."""
    side = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side)
    return np.stack([side, np.cross(axis, side), axis], axis=1)


def test_over_the_plane(over_wall):
    room, found = over_wall
    assert found.ways == (DetourKind.PLANE,)
    route = found.routes[0]
    tips = tips_of(room.model, route)
    assert tips.position[1:-1, 2] == pytest.approx(0.0, abs=1e-6)
    # Lifted straight up, the stylus held.
    assert tips.position[1, :2] == pytest.approx(tips.position[0, :2], abs=1e-6)
    assert tips.position[-2, :2] == pytest.approx(tips.position[-1, :2], abs=1e-6)
    assert tips.axis == pytest.approx(np.repeat([[0.0, 0.0, -1.0]], len(route), axis=0), abs=1e-6)


def test_a_plane_too_low_is_raised(make_room, ends, wall):
    found = find_detours(make_room([wall]), *ends, Travel(clearance_plane=-0.25, detour="plane"))
    assert found.ways == (DetourKind.PLANE,)


def test_postures_of_a_way_are_one_or_apart(arm, posture):
    """By rounding apart, a leg of 1e-15 rad leads anywhere and has corners of nanoseconds."""
    # One travel goes over one edge of the cube, the other over two: they are led together.
    places = ((-0.4, 0.9, -0.5), (0.0, 0.6, -0.5)), ((-0.4, 0.9, -0.5), (0.4, 0.9, -0.5))
    starts, goals = (np.array([posture(*pair[end]) for pair in places]) for end in (0, 1))
    box = np.array([-0.5, 0.5, -0.8]), np.array([0.5, 1.3, 0.0])
    seen = 0
    for tries in around_cube(arm, Ends(starts=starts, ends=goals), *box):
        legs = np.max(np.abs(np.diff(tries.routes[tries.possible], axis=1)), axis=2)
        assert np.all((legs == 0.0) | (legs > 1e-6))
        seen += legs.size
    assert seen > 0


def test_drawn_back_along_the_stylus_then_lifted(arm, posture):
    starts, goals = (posture(x, 0.9, -0.5)[None] for x in (-0.3, 0.3))
    routes = [t.routes[0] for t in drawn_back(arm, Ends(starts=starts, ends=goals), 0.0)]
    tips = tips_of(arm, routes[1])  # through all stages
    back = 0.03 * np.arange(5)[:, None] / 4 * [0.0, 0.0, 1.0]
    assert tips.position[:5] == pytest.approx(tips.position[0] + back, abs=1e-6)
    assert tips.position[-5:] == pytest.approx(tips.position[-1] + back[::-1], abs=1e-6)
    assert np.max(tips.position[:, 2]) == pytest.approx(0.0, abs=1e-6)


def test_around_the_cube(around_part):
    """Out through opposite sides, so over the top: never inside the part's box."""
    room, found = around_part
    assert found.ways == (DetourKind.CUBE,)
    tips = tips_of(room.model, found.routes[0])
    low, high = (np.array(c) for c in ((-0.15, 0.4, -3.1), (0.15, 3.1, -0.1)))
    inside = np.all((tips.position > low + 1e-6) & (tips.position < high - 1e-6), axis=1)
    assert not np.any(inside)


def test_under_a_roof_it_is_searched(under_roof):
    _, found = under_roof
    assert found.ways == (DetourKind.SEARCHED,)


def test_a_plane_under_a_roof_does_not_lead_there(make_room, ends, wall, roof):
    room = make_room([wall, roof])
    plane = find_detours(room, *ends, Travel(clearance_plane=1.5, detour="plane"))
    assert plane.travels.size == 0
    assert plane.motions.count == 0
    blocked = plane.blocked[0]
    assert (blocked.travel, blocked.motions, blocked.end) == (0, 0, False)


def test_no_way(make_room, ends, high_wall):
    """The search gives up after a stated number of motions and names what is in the way."""
    room = make_room([high_wall])
    found = find_detours(room, *(np.repeat(q, 2, axis=0) for q in ends), Travel())
    assert found.ways == ()
    first, second = found.blocked
    assert first.motions >= 3000
    assert second.motions == first.motions  # not searched again
    assert first.pair.against == "box 0"
    assert first.clearance < 0.0
    T = room.model.transforms(np.concatenate(ends))
    assert np.isfinite(first.place).all()
    assert abs(first.place[0]) < np.abs(T[:, :, 0, 3]).max()


def test_an_end_that_collides_is_said_to(make_room, ends):
    room = make_room([((-1.2, 0.5, -3.0), (-0.6, 1.5, -0.4))])
    found = find_detours(room, *ends, Travel(clearance_plane=0.0))
    assert found.blocked[0].end
    assert found.blocked[0].motions == 0
    assert found.blocked[0].clearance < room.required


def test_detours_that_are_switched_off(make_room, ends, wall):
    found = find_detours(make_room([wall]), *ends, Travel(clearance_plane=0.0, detour="none"))
    assert found.ways == ()
    assert not found.blocked[0].end


def test_many_travels_share_their_detours(make_room, posture, wall):
    room = make_room([wall])
    rng = np.random.default_rng(0)
    places = rng.uniform([0.5, 1.1, -0.6], [0.9, 1.4, -0.5], (2, 6, 3))
    left = np.array([posture(-x, y, z) for x, y, z in places[0]])
    right = np.array([posture(x, y, z) for x, y, z in places[1]])
    told = []
    found = find_detours(room, left, right, Travel(), progress=lambda *step: told.append(step))
    assert found.travels.tolist() == list(range(6))
    assert np.all(keeps(room.checker, found.motions, room.required))
    straight = travel_times(left, right, room.limits)
    assert np.all(found.motions.duration < straight + 0.6)
    assert told[-1] == ("detours", 6, 6)


def test_nothing_to_do(make_room, wall):
    none = np.zeros((0, 5))
    found = find_detours(make_room([wall]), none, none, Travel(clearance_plane=0.0))
    assert found.travels.size == 0
    assert found.motions.count == 0
    assert found.blocked == ()


SCRIPT = """
import hashlib, sys
sys.path.insert(0, "tests/planner/detours")
import numpy as np
from conftest import box, WALL, ROOF
from planner.job.solids import Cell, Solid, SolidKind
from planner.clearance.checker import Checker
from planner.detours.find import Detours, FreePaths, find_ways
from planner.detours.motions import TravelSpace
from planner.job import read_job
from planner.job.settings import Travel
from planner.library import path_of
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
mechanism = read_job(path_of("nine-points-corrected")).mechanism
model = Model(mechanism, engine="compiled")
cell = Cell(solids=tuple(
    Solid(name=f"box {k}", kind=SolidKind.OBSTACLE, mesh=box(*c), closed=True)
    for k, c in enumerate([WALL, ROOF])))
room = TravelSpace(model=model, cell=cell, checker=Checker(model, cell),
    limits=JointLimits.of(mechanism), lower=mechanism.q_min, upper=mechanism.q_max, required=0.01)
ends = np.array([[float(x) for x in sys.argv[1].split(",")],
                 [float(x) for x in sys.argv[2].split(",")]])
ways = find_ways(room, ends[:1], ends[1:], Travel(), FreePaths(room, Travel().seed))
found = Detours.of(room, ways)
print(hashlib.sha256(found.routes[0].tobytes() + found.motions.duration.tobytes()).hexdigest())
"""


def test_equal_input_gives_equal_bits(under_roof, ends):
    """Again in this process, and in the soak in another one."""
    room, found = under_roof
    again = find_detours(room, *ends, Travel())
    assert np.array_equal(again.routes[0], found.routes[0])
    assert np.array_equal(again.motions.duration, found.motions.duration)
    if not SOAK:
        return
    bits = found.routes[0].tobytes() + found.motions.duration.tobytes()
    arguments = [",".join(map(repr, q[0].tolist())) for q in ends]
    # A space keeps a leading minus sign from looking like an option.
    command = [sys.executable, "-c", SCRIPT, *(" " + text for text in arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == hashlib.sha256(bits).hexdigest()
    assert "leaked" not in done.stderr


def test_another_seed_is_another_search(under_roof, ends):
    room, found = under_roof
    other = find_detours(room, *ends, Travel(seed=7))
    assert other.ways == (DetourKind.SEARCHED,)
    assert not np.array_equal(other.routes[0], found.routes[0])
    assert keeps(room.checker, other.motions, room.required)[0]
