"""Bounds around a posture: no posture within the spread comes nearer than what is promised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.clearance.checker import Checker
from planner.clearance.links import Links, Spread
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.capsule import Capsule
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.library import load
from tests.cases import cases

ROUNDING = 1e-12  # of distances near a metre


def placement(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    T = np.eye(4)
    T[:3, :3] = Q * np.sign(np.linalg.det(Q))
    T[:3, 3] = rng.uniform(-0.4, 0.4, 3)
    return T


def tree_robot(seed):
    """Two arms on one trunk, with joints of every kind."""
    rng = np.random.default_rng(seed)
    kinds = "RPRFRPFR"
    parents = [-1, 0, 1, 2, 3, 1, 5, 6]
    names = {"R": JointKind.REVOLUTE, "P": JointKind.PRISMATIC, "F": JointKind.FIXED}
    joints = tuple(
        Joint(name=f"j{k}", kind=names[kind], parent=parent, placement=placement(rng))
        for k, (kind, parent) in enumerate(zip(kinds, parents, strict=True))
    )
    capsules = tuple(
        Capsule(
            name=f"c{k}",
            joint=joint,
            start=rng.uniform(-0.3, 0.3, 3),
            end=rng.uniform(-0.3, 0.3, 3),
            radius=float(rng.uniform(0.0, 0.05)),
        )
        for k, joint in enumerate((-1, 1, 2, 4, 6, 7))
    )
    pairs = ((0, 3), (1, 3), (3, 5), (4, 5), (2, 5), (0, 1))
    return Mechanism(name="tree", joints=joints, capsules=capsules, self_pairs=pairs)


def with_pieces(mechanism, seed):
    """Thick capsules, all but one with a piece of random corners near the axis."""
    rng = np.random.default_rng(seed + 100)
    capsules = tuple(
        replace(
            c,
            radius=c.radius + 0.1,
            corners=c.start
            + rng.uniform(size=(12, 1)) * (c.end - c.start)
            + rng.normal(scale=0.02, size=(12, 3)),
        )
        for c in mechanism.capsules
    )
    return replace(mechanism, capsules=(*capsules[:-1], replace(capsules[-1], corners=[])))


def robot(name, seed=0):
    if name == "tree":
        return tree_robot(seed)
    if name == "pieces":
        return with_pieces(tree_robot(seed), seed)
    arm = load("measuring-arm")
    tip = Capsule(name="stylus ball", joint=4, start=[0, -0.2, 0], end=[0, -0.2, 0], radius=0.001)
    capsules = (*arm.capsules, tip)
    return replace(arm, capsules=capsules, self_pairs=((0, 2), (0, len(capsules) - 1)))


@pytest.fixture(scope="module")
def cell(brute):
    ball = brute.sphere((0.7, 0.3, 0.4), 0.25, 0.2, 2)
    solids = (
        Solid(name="part", kind=SolidKind.PART, mesh=ball, closed=True),
        Solid(
            name="wall",
            kind=SolidKind.OBSTACLE,
            mesh=brute.box((-0.6, 0.2, 0.3), (0.1, 1, 1)),
            closed=False,
        ),
    )
    return Cell(solids=solids)


def moves(rng, q, spread, count, along=0.0):
    """Postures within the spread of each row, corners of it among them. # (m, count, n)"""
    share = rng.uniform(-1.0, 1.0, (len(q), count, q.shape[1]))
    share[:, : count // 2] = np.sign(share[:, : count // 2])
    along = np.broadcast_to(along, q.shape)[:, None]
    t = rng.uniform(-1.0, 1.0, (len(q), count, 1))
    t[:, ::3] = np.sign(t[:, ::3])
    t = np.where(np.any(along != 0.0, axis=2, keepdims=True), t, 1.0)
    return q[:, None] + t * along + np.abs(t) * share * (spread[:, None] - np.abs(along))


def together(rng, spread):
    """Joints of which some go together, all the way or a part of it. # (m, n)"""
    return spread * rng.choice([-1.0, -0.9, 0.0, 0.5, 1.0], spread.shape)


@pytest.mark.parametrize("name", ["arm", "tree", "pieces"])
@pytest.mark.parametrize(("touching", "joined"), [(True, False), (False, False), (True, True)])
def test_no_posture_nearby_comes_nearer(name, touching, joined, cell):
    rng = np.random.default_rng(11)
    for seed in range(cases(gate=1, soak=3)):
        mechanism = robot(name, seed)
        checker = Checker(Model(mechanism), cell)
        q = rng.uniform(-1.5, 1.5, (200, mechanism.dof))
        spread = rng.uniform(0.0, 1.0, q.shape) * 10.0 ** rng.uniform(-3, -0.3, (200, 1))
        floor = rng.choice([-0.1, 0.0, 0.03, 0.3, np.inf, -np.inf], 200)
        along = together(rng, spread) if joined else np.zeros_like(spread)
        found = checker.bounds(q, spread, floor, along=along, touching=touching)
        exact = checker.nearest(q, touching=touching)
        close = found.lower < floor
        assert np.array_equal(found.here[close], exact.value[close])
        assert (found.here <= exact.value + ROUNDING).all()
        assert (found.lower <= found.here + ROUNDING).all()
        assert (found.pair >= 0).all()
        around = moves(rng, q, spread, 40, along)
        values = checker.nearest(around.reshape(-1, q.shape[1]), touching=touching).value
        assert (values.reshape(200, 40).min(axis=1) >= found.lower - ROUNDING).all()
        assert 0 < close.sum() < 200


@pytest.mark.parametrize("name", ["arm", "pieces"])
def test_without_spread_the_bound_is_the_distance(name, cell):
    mechanism = robot(name)
    checker = Checker(Model(mechanism), cell)
    q = np.random.default_rng(12).uniform(-1.5, 1.5, (300, mechanism.dof))
    found = checker.bounds(q, np.zeros_like(q), np.full(300, np.inf))
    exact = checker.nearest(q)
    assert np.allclose(found.lower, exact.value, rtol=0, atol=ROUNDING)
    assert np.array_equal(found.here, exact.value)
    assert np.array_equal(found.pair, exact.pair)


def test_what_reaches_the_floor_is_not_looked_at_closer(cell):
    checker = Checker(Model(robot("arm")), cell)
    q = np.random.default_rng(13).uniform(-1.5, 1.5, (300, 5))
    exact = checker.nearest(q).value
    spread = np.full_like(q, 1e-3)
    found = checker.bounds(q, spread, exact - 0.05)
    # The arm is under 2.8 m long: five joints of 1 mrad move nothing by 14 mm, so the floor holds.
    assert (found.lower >= exact - 0.05).all()


def farther_end(other, axes):
    """How far the end of each axis went that went farther. # (m, c) [m]"""
    start, way = np.split(other - axes, 2, axis=2)
    return np.maximum(np.linalg.norm(start, axis=2), np.linalg.norm(start + way, axis=2))


def at_will(spread):
    """Joints of which nothing is known but the spread."""
    return Spread(most=spread, along=np.zeros_like(spread))


@pytest.mark.parametrize("name", ["arm", "tree"])
def test_motion_is_bounded_and_not_idly(name):
    """Ends stay within the bound; of small moves it is what the joints do one by one."""
    rng = np.random.default_rng(14)
    mechanism = robot(name)
    links = Links(mechanism)
    q = rng.uniform(-1.5, 1.5, (50, mechanism.dof))
    T = links.transforms(q)
    axes = links.axes(T)
    for size in (0.2, 0.02):
        spread = np.full_like(q, size)
        for along in (
            np.zeros_like(q),
            together(rng, spread),
            spread * rng.uniform(-1, 1, q.shape),
        ):
            motion, _ = links.motion(T, axes, Spread(spread, along))
            for moved in moves(rng, q, spread, 30, along).swapaxes(0, 1):
                gone = farther_end(links.axes(links.transforms(moved)), axes)
                assert (gone <= motion + ROUNDING).all()
    along = 1e-6 * rng.choice([-1.0, 1.0], q.shape)
    together_only, _ = links.motion(T, axes, Spread(np.abs(along), along))
    gone = farther_end(links.axes(links.transforms(q + along)), axes)
    # Second derivatives are metres here: a share of the microradian, squared.
    assert (together_only[:, : gone.shape[1]] <= gone + 1e-10).all()
    tiny, between = links.motion(T, axes, at_will(1e-6 * np.ones_like(q)))
    one_by_one = np.zeros_like(tiny)
    for j in range(mechanism.dof):
        step = np.zeros_like(q)
        step[:, j] = 1e-6
        other = links.axes(links.transforms(q + step))
        one_by_one += farther_end(other, axes)
    # Chords for arcs of a microradian, and the ends' sums taken apart.
    assert (tiny <= one_by_one * (1 + 1e-4) + 1e-11).all()
    assert between.shape == (50, len(mechanism.self_pairs))


@pytest.mark.parametrize("size", [0.03, 0.6])
def test_where_joints_undo_each_other_the_second_order_counts(size):
    """Joints along which the ball does not move at first: it goes most of the bound."""
    mechanism = robot("arm")
    links, model = Links(mechanism), Model(mechanism)
    rng = np.random.default_rng(5)
    q = rng.uniform(-1.5, 1.5, (400, mechanism.dof))
    ball = len(mechanism.capsules) - 1

    def place(q):
        return links.axes(links.transforms(q))[:, ball, :3]

    step = 1e-6 * np.eye(model.dof)
    J = np.stack([(place(q + d) - place(q - d)) / 2e-6 for d in step], axis=2)
    some = rng.normal(size=(400, 2))  # the ball takes three of the five joints
    along = np.einsum("mi,mij->mj", some, np.linalg.svd(J)[2][:, 3:])
    along *= size / np.abs(along).max(axis=1, keepdims=True)
    T = links.transforms(q)
    bound = links.motion(T, links.axes(T), Spread(np.abs(along), along))[0][:, ball]
    share = np.linalg.norm(place(q + along) - place(q), axis=1) / bound
    assert 0.75 < share.max() <= 1.0
    one_by_one = links.motion(T, links.axes(T), at_will(np.abs(along)))[0][:, ball]
    assert np.median(bound / one_by_one) < size


def test_joints_that_carry_both_do_not_count_between_them():
    mechanism = robot("arm")
    links = Links(replace(mechanism, self_pairs=((1, 2),)))
    q = np.random.default_rng(15).uniform(-1, 1, (5, 5))
    T = links.transforms(q)
    spread = np.zeros_like(q)
    spread[:, :2] = 0.5  # q1 and q2 carry the upper arm and the forearm alike
    motion, between = links.motion(T, links.axes(T), at_will(spread))
    assert (motion[:, 1:3] > 0.1).all()
    assert (between == 0.0).all()
    spread[:, 2] = 0.1
    assert (links.motion(T, links.axes(T), at_will(spread))[1] > 0.05).all()
