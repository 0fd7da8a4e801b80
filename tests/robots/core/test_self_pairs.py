"""Default self-collision pairs, and distances between capsules."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.capsule import Capsule
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.pose import make_pose, rotation_x, rotation_y
from robots.core.self_pairs import (
    PairReason,
    default_self_pairs,
    segment_distance,
    self_clearances,
    unwatched_pairs,
)
from robots.library import load, maker_of, names
from tests.cases import cases, some

POINT = st.tuples(*[st.floats(-2, 2, width=32)] * 3).map(np.array)


@given(a=POINT, b=POINT, c=POINT, d=POINT)
def test_segments_are_as_near_as_a_constrained_minimum_says(a, b, c, d):
    """Oracle: alternating projection on the unit square, whose limit is the minimum (convex)."""
    found = segment_distance(a, b, c, d)
    s, t = np.meshgrid(np.linspace(0, 1, 33), np.linspace(0, 1, 33))
    gaps = (a + s[..., None] * (b - a)) - (c + t[..., None] * (d - c))
    coarse = np.linalg.norm(gaps, axis=-1).min()
    # Half a grid step along each segment is all that the grid can miss.
    assert coarse - (np.linalg.norm(b - a) + np.linalg.norm(d - c)) / 64 - 1e-12 <= found
    assert found <= coarse + 1e-12


@pytest.mark.parametrize(
    ("segments", "distance"),
    [
        (([0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]), 1.0),  # parallel
        (([0, 0, 0], [1, 0, 0], [0.5, -1, 2], [0.5, 1, 2]), 2.0),  # crossing
        (([0, 0, 0], [1, 0, 0], [3, 0, 0], [5, 0, 0]), 2.0),  # one behind the other
        (([0, 0, 0], [0, 0, 0], [3, 4, 0], [3, 4, 0]), 5.0),  # two points
        (([0, 0, 0], [2, 0, 0], [1, 0, 0], [1, 0, 0]), 0.0),  # a point on a segment
    ],
)
def test_segments_by_hand(segments, distance):
    found = segment_distance(*(np.array(p, dtype=float) for p in segments))
    assert found == pytest.approx(distance, abs=1e-15)


def test_segments_that_are_parallel_but_for_rounding():
    """One behind the other on one line, or side by side, in any orientation."""
    draw = np.random.default_rng(5)
    turns = np.linalg.qr(draw.normal(size=(500, 3, 3)))[0]
    line = [turns @ [x, 0.3, -0.7] for x in (0.1, 1.1, 3.1, 5.1)]
    beside = [*line[:2], *(turns @ [x, 0.3, 0.3] for x in (0.4, 0.9))]
    assert segment_distance(*line) == pytest.approx(np.full(500, 2.0), abs=1e-14)
    assert segment_distance(*beside) == pytest.approx(np.full(500, 1.0), abs=1e-14)


def test_clearances_use_the_models_own_frames():
    arm = load("measuring-arm")
    q = joint_samples(arm, 5, slide=1.0)
    frames = Model(arm).transforms(q)
    column, wrist = arm.capsules[0], arm.capsules[-1]
    centre = frames[:, wrist.joint, :3, 3]
    foot = np.clip(centre[:, 2], column.start[2], column.end[2])
    expected = np.hypot(np.hypot(centre[:, 0], centre[:, 1]), centre[:, 2] - foot)
    pair = (0, len(arm.capsules) - 1)
    found = self_clearances(arm, [pair], q)[:, 0]
    assert found == pytest.approx(expected - column.radius - wrist.radius, abs=1e-14)


def named_pairs(robot):
    names = [capsule.name for capsule in robot.capsules]
    return {(names[a], names[b]) for a, b in robot.self_pairs}


def test_neighbours_and_what_turns_about_one_place_are_left_out():
    # The axes of q1 and q2 meet in the shoulder, those of q4 and q5 in the wrist.
    assert named_pairs(load("measuring-arm")) == {
        ("column", "forearm"),
        ("column", "wrist"),
        ("upper arm", "wrist"),
    }
    arm = load("industrial-6r")
    pairs = named_pairs(arm)
    assert ("forearm", "flange") not in pairs
    assert ("upper arm", "forearm") not in pairs
    assert ("column", "upper arm") in pairs


def test_a_capsule_on_a_fixed_joint_belongs_to_its_carrier():
    arm = load("measuring-arm")
    mount = replace(arm.joints[0], name="mount", kind=type(arm.joints[0].kind).FIXED, parent=2)
    plate = Capsule(name="plate", joint=5, start=[0, 0.3, 0], end=[0, 0.3, 0], radius=0.01)
    arm = replace(arm, joints=(*arm.joints, mount), tool_joint=4)
    arm = replace(arm, capsules=(*arm.capsules, plate))
    arm = replace(arm, self_pairs=default_self_pairs(arm))
    pairs = named_pairs(arm)
    assert ("forearm", "plate") not in pairs
    assert ("upper arm", "plate") not in pairs
    assert ("column", "plate") in pairs


def test_a_pair_that_touches_in_every_posture_is_never_watched():
    arm = load("measuring-arm")
    # Two balls about the elbow, one carried by the wrist's side of the forearm.
    inner = Capsule(name="inner", joint=1, start=[1, 0, 0], end=[1, 0, 0], radius=0.2)
    outer = Capsule(name="outer", joint=3, start=[0, 0, -1.5], end=[0, 0, -1.5], radius=0.2)
    arm = replace(arm, capsules=(inner, outer), self_pairs=())
    assert default_self_pairs(arm) == ()
    smaller = replace(arm, capsules=(inner, replace(outer, start=[0, 0, 0], end=[0, 0, 0])))
    assert default_self_pairs(smaller) == ((0, 1),)


@pytest.mark.parametrize("name", [name for name in names() if not maker_of(name)])
def test_library_robots_are_free_at_rest(name):
    """Mid-range and all joints at zero."""
    robot = load(name)
    rest = np.vstack([np.zeros((1, robot.dof)), joint_samples(robot, 1, slide=1.0)])
    assert np.all(self_clearances(robot, robot.self_pairs, rest) > 0.03)


def test_no_capsules_no_pairs():
    assert default_self_pairs(load("stanford")) == ()


def wrist_of_balls(limit, *, lean=0.0):
    """Two joints at one point: a ball on the base, one that swings towards it within a limit."""
    joints = tuple(
        Joint(
            name=f"q{k}",
            kind=JointKind.REVOLUTE,
            parent=k - 1,
            placement=placement,
            q_min=-limit,
            q_max=limit,
        )
        for k, placement in enumerate((np.eye(4), make_pose(rotation_x(np.pi / 2))))
    )
    still = Capsule(name="still", joint=-1, start=[0, 1, lean], end=[0, 1, lean], radius=0.2)
    swung = Capsule(name="swung", joint=1, start=[1, 0, 0], end=[1, 0, 0], radius=0.2)
    return Mechanism(name="wrist", joints=joints, capsules=(still, swung))


@pytest.mark.parametrize("margin", [1e-4, 1e-2, 0.5])
@pytest.mark.parametrize("lean", [0.0, 0.1])
def test_apart_is_said_up_to_the_very_limit_of_contact(margin, lean):
    """Where the sine of the limit is so large that the balls' centres come to two radii."""
    level = (2.0 + lean**2 - 0.4**2) / 2.0
    contact = np.arcsin(np.sqrt(level**2 - lean**2))
    for limit, reason in (
        (contact - margin, PairReason.NEVER_TOUCHING),
        (contact + margin, PairReason.COMMON_POINT),
    ):
        (pair,) = unwatched_pairs(wrist_of_balls(limit, lean=lean))
        assert pair.reason is reason


@pytest.mark.parametrize(
    "name", some(["franka-panda", "ufactory-xarm6", "kuka-iiwa-7-r800"], gate=1)
)
def test_pairs_proven_apart_are_apart_in_random_postures_and_at_the_limits(name):
    arm = replace(load(name), self_pairs=())  # so that a verdict on every pair is told
    names = [capsule.name for capsule in arm.capsules]
    apart = [
        (names.index(pair.a), names.index(pair.b))
        for pair in unwatched_pairs(arm)
        if pair.reason is PairReason.NEVER_TOUCHING
    ]
    assert len(apart) > 3
    rng = np.random.default_rng(7)
    share = np.clip(rng.uniform(-0.2, 1.2, size=(cases(gate=800, soak=4000), arm.dof)), 0.0, 1.0)
    q = arm.q_min + share * (arm.q_max - arm.q_min)
    assert self_clearances(arm, apart, q).min() > 0.0


def test_a_pair_drawn_into_each_other_on_one_axis_is_as_neighbours_are():
    reasons = {(p.a, p.b): p.reason for p in unwatched_pairs(load("measuring-arm"))}
    assert reasons["column", "upper arm"] is PairReason.ROUND
    arm = load("measuring-arm")
    moved = replace(arm.capsules[0], start=np.add(arm.capsules[0].start, [0.01, 0.0, 0.0]))
    arm = replace(arm, capsules=(moved, *arm.capsules[1:]))
    reasons = {(p.a, p.b): p.reason for p in unwatched_pairs(arm)}
    assert reasons["column", "upper arm"] is PairReason.COMMON_POINT


def with_flange(corners):
    """The industrial arm, its flange told by the corners of a convex piece."""
    arm = load("industrial-6r")
    return replace(
        arm,
        capsules=tuple(
            replace(c, corners=corners) if c.name == "flange" else c for c in arm.capsules
        ),
    )


def test_links_about_one_point_are_watched_where_a_piece_can_tell_contact():
    arm = with_flange([])
    flange = next(c for c in arm.capsules if c.name == "flange")
    thin = flange.end + 1e-3 * np.vstack([np.zeros(3), np.eye(3)])
    for corners, watched in (([], False), (thin, True)):
        arm = with_flange(corners)
        found = replace(arm, self_pairs=default_self_pairs(arm))
        assert (("forearm", "flange") in named_pairs(found)) is watched
        assert any(p.reason.open for p in unwatched_pairs(found)) is not watched
    # a piece that always reaches into the forearm's capsule tells no more than a capsule
    deep = np.vstack([np.zeros(3), 0.3 * np.eye(3), -0.3 * np.eye(3)])
    assert ("forearm", "flange") not in named_pairs(
        replace(with_flange(deep), self_pairs=default_self_pairs(with_flange(deep)))
    )


def test_bodies_whose_capsules_overlap_keep_the_gap_of_their_pieces():
    """Two cubes in two balls that overlap; the gap is that of the faces, or along the diagonal."""
    cube = 0.1 * (np.array(list(product((-1, 1), repeat=3))))
    still = Capsule(name="s", joint=-1, start=[0] * 3, end=[0] * 3, radius=0.2, corners=cube)
    slide = Joint(name="x", kind=JointKind.PRISMATIC, parent=-1, q_min=0, q_max=1,
                  placement=make_pose(rotation_y(np.pi / 2)))  # fmt: skip
    moved = Capsule(name="m", joint=0, start=[0] * 3, end=[0] * 3, radius=0.2, corners=cube)
    arm = Mechanism(name="cubes", joints=(slide,), capsules=(still, moved))
    q = np.array([[0.1], [0.25], [0.35], [0.5]])
    found = self_clearances(arm, [(0, 1)], q)[:, 0]
    assert found[0] <= 0.0
    assert found[1:] == pytest.approx([0.05, 0.15, 0.1], abs=1e-12)  # capsules tell the last
