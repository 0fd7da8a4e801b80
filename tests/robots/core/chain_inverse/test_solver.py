"""Whole chains: every branch by name and status, whatever the chain and the pose."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from robots.arm.inverse import ArmInverse
from robots.core.arrays import Array
from robots.core.chain_inverse.answers import solve_branches
from robots.core.chain_inverse.chain import Chain, chain_of, wrapped
from robots.core.chain_inverse.pencil import Pencil
from robots.core.chain_inverse.solver import Branches, ChainInverse, Method, Status
from robots.core.errors import InverseError
from robots.core.inverse.solver import solve_many
from robots.core.inverse.task import Target, Task
from robots.core.model import Model
from robots.library import load, open_robot
from tests.cases import cases, some
from tests.robots.core.chain_inverse.oracle import (
    brute_force,
    crx_chain,
    general_chain,
    library_chain,
    lost,
    near_singular,
    turned_apart,
)

CLOSED = {
    "ur5e": 8,
    "industrial-6r": 8,
    "kuka-kr6-r700-sixx": 8,
    "staubli-tx2-60": 8,
    "stanford": 8,
    "gantry-6": 2,
    "scara-4": 2,
}
FIVE = {"measuring-arm": 8, "cylindrical-5": 4, "gantry-5": 2, "cmm-indexing-head": 2}
POLYNOMIAL = {
    "yaskawa-hc10": partial(library_chain, "yaskawa-hc10"),
    "ufactory-xarm6": partial(library_chain, "ufactory-xarm6"),
    "crx-10ia": crx_chain,
    "franka-fr3, joint 1 held": partial(library_chain, "franka-fr3", lock=0),
}
NEAR = {
    "ur5e": partial(library_chain, "ur5e"),
    "industrial-6r": partial(library_chain, "industrial-6r"),
    **POLYNOMIAL,
    "general": general_chain,
}


@cache
def inverse_of(name: str) -> ChainInverse:
    """Of a chain by its name, or of an arm of the library: derived once for all tests."""
    return ChainInverse(NEAR[name]() if name in NEAR else library_chain(name), "numpy")


def drawn(chain: Chain, count: int, seed: int = 5) -> Array:
    """Random postures, the task's joints included."""
    reach = np.where(chain.revolute, np.pi, chain.length)
    return np.random.default_rng(seed).uniform(-reach, reach, (count, chain.size))


def missing(chain: Chain, q: Array, found: Branches) -> list[int]:
    """Postures that are not among the branches of the pose they make."""
    away = np.abs(wrapped(found.q - q[:, None, : chain.own], chain.revolute[: chain.own]))
    nearest = np.where(found.solved, np.max(away, axis=2), np.inf)
    return np.nonzero(np.min(nearest, axis=1) > 1e-4)[0].tolist()


@pytest.mark.parametrize("name", some(list(CLOSED), gate=7))
def test_closed_forms_have_the_posture_that_made_the_pose(name: str) -> None:
    inverse = inverse_of(name)
    chain = inverse.chain
    q = drawn(chain, cases(gate=40, soak=2000))
    found = inverse.solve(chain.forward(q))
    assert inverse.method is Method.CLOSED
    assert len(inverse.names) == CLOSED[name]
    assert missing(chain, q, found) == []


@pytest.mark.parametrize("name", list(FIVE))
def test_five_joints_hold_position_and_axis(name: str) -> None:
    chain = chain_of(open_robot(name), Task.POSITION_AND_AXIS)
    inverse = ChainInverse(chain, "numpy")
    q = drawn(chain, cases(gate=40, soak=2000))
    assert inverse.method is Method.CLOSED
    assert len(inverse.names) == FIVE[name]
    assert missing(chain, q, inverse.solve(chain.forward(q))) == []


@pytest.mark.parametrize("name", some(list(POLYNOMIAL), gate=2))
def test_offset_wrists_have_all_roots_of_the_pencil(name: str) -> None:
    inverse = inverse_of(name)
    chain = inverse.chain
    T = chain.forward(drawn(chain, cases(gate=6, soak=500)))
    found, pencil = inverse.solve(T), Pencil(chain).solve(T, determinants=False)
    assert inverse.method is Method.POLYNOMIAL
    for k in range(len(T)):
        assert lost(pencil.q[pencil.pose == k], found.q[k][found.solved[k]]) == []


def test_closed_form_and_pencil_agree_on_every_root() -> None:
    inverse = inverse_of("ur5e")
    chain = inverse.chain
    T = chain.forward(drawn(chain, cases(gate=15, soak=500)))
    found, pencil = inverse.solve(T), Pencil(chain).solve(T)
    for k in range(len(T)):
        mine, other = found.q[k][found.solved[k]], pencil.q[pencil.pose == k]
        assert len(mine) == len(other)
        assert lost(other, mine) == lost(mine, other) == []


def test_seven_joints_with_one_held() -> None:
    for name, lock in (("franka-panda", 6), ("kuka-iiwa-7-r800", 2)):
        chain = library_chain(name, lock=lock)
        inverse = ChainInverse(chain, "numpy")
        q = drawn(chain, cases(gate=25, soak=1000))
        assert inverse.method is Method.CLOSED
        assert missing(chain, q, inverse.solve(chain.forward(q))) == []


def test_a_general_chain_is_left_to_the_pencil() -> None:
    inverse = inverse_of("general")
    chain = inverse.chain
    q = drawn(chain, cases(gate=8, soak=200))
    assert inverse.method is Method.PENCIL
    assert missing(chain, q, inverse.solve(chain.forward(q))) == []


@pytest.mark.parametrize("name", some(list(NEAR), gate=3))
def test_next_to_singularities_nothing_is_lost(name: str) -> None:
    inverse = inverse_of(name)
    chain, count = inverse.chain, cases(gate=6, soak=1000)
    q = near_singular(chain, count, 10.0 ** np.random.default_rng(1).uniform(-4, -2, count))
    found = inverse.solve(chain.forward(q))
    values = np.linalg.svd(chain.jacobian(q), compute_uv=False)
    regular = values[:, -1] > 1e-8 * values[:, 0]  # below, a posture is of a family, and no root
    assert np.count_nonzero(~regular) <= 1 + count // 200
    lost_ones = missing(chain, q, found)
    assert not np.any(regular[lost_ones])
    assert np.all(np.any(found.status[lost_ones] == Status.SINGULAR, axis=1))


def test_the_measuring_arm_agrees_with_its_hand_written_inverse() -> None:
    arm = open_robot("measuring-arm")
    chain = chain_of(arm, Task.POSITION_AND_AXIS)
    T = chain.forward(drawn(chain, cases(gate=300, soak=100_000)))
    found = ChainInverse(chain, "compiled").solve(T)
    own = ArmInverse(arm).solve(T[:, :3, 3], T[:, :3, 2])
    assert np.all(found.solved)
    assert np.all(own.solved)
    apart = turned_apart(found.q[:, :, None], own.q[:, None])
    # An angle is as sharp as its singularity is far: 1e-12 where every margin is above 0.02.
    margins = own.margins
    least = np.min([margins.shoulder, margins.elbow, margins.wrist], axis=0)
    nearest = np.min(apart, axis=1)
    assert np.max(nearest * np.minimum(least / 0.02, 1.0)) < 1e-12


@pytest.mark.parametrize("name", some([*POLYNOMIAL, "general"], gate=3))
def test_no_pose_that_is_singular_goes_without_an_answer(name: str) -> None:
    """Exactly singular, and at right angles, where steps divide by zero and roots meet."""
    inverse = inverse_of(name)
    chain, count = inverse.chain, cases(gate=3, soak=400)
    right = drawn(chain, count, seed=9)
    straight = np.random.default_rng(9).random(right.shape) < 0.5
    right[straight] = np.round(right[straight] / (0.5 * np.pi)) * 0.5 * np.pi
    q = np.concatenate([near_singular(chain, count, 0.0), right])
    T = chain.forward(q)
    found = inverse.solve(T)
    assert np.all(np.any(found.solved, axis=1))
    assert np.all(np.isfinite(found.q))
    pose, branch = np.nonzero(found.solved)
    assert np.max(np.abs(chain.forward(found.q[pose, branch]) - T[pose])) < 1e-8 * chain.length


@pytest.mark.parametrize(
    ("name", "family"),
    [("crx-10ia", {2: -0.5 * np.pi}), ("yaskawa-hc10", {1: np.pi, 2: 0.0, 3: 0.0})],
)
def test_postures_apart_from_a_family_of_their_pose_are_found(name: str, family: dict) -> None:
    """Along a family polynomials vanish, and with them what tells the pose's other postures."""
    inverse = inverse_of(name)
    chain = inverse.chain
    q = drawn(chain, cases(gate=1, soak=60), seed=12)
    q[:, list(family)] = list(family.values())
    T = chain.forward(q)
    found = inverse.solve(T)
    pose, searched = brute_force(chain, T, 48)
    values = np.linalg.svd(chain.jacobian(searched), compute_uv=False)
    apart = values[:, -1] > 1e-3 * values[:, 0]
    assert np.count_nonzero(apart) > len(T)
    assert np.all(np.any(found.status == Status.SINGULAR, axis=1))
    for k in range(len(T)):
        assert lost(searched[apart & (pose == k)], found.q[k][found.solved[k]]) == []


@pytest.mark.parametrize("name", ["yaskawa-hc10", "general"])
def test_a_pose_that_nothing_decides_is_uncertified_and_its_neighbours_are_solved(
    name: str,
) -> None:
    inverse = inverse_of(name)
    chain = inverse.chain
    q = drawn(chain, 3)
    T = chain.forward(q)
    T[1, 0, 3] = np.nan
    found = inverse.solve(T)
    assert set(found.status[1].tolist()) == {Status.UNCERTIFIED}
    assert missing(chain, q[[0, 2]], inverse.solve(T[[0, 2]])) == []
    assert np.all(np.any(found.solved[[0, 2]], axis=1))
    assert np.all(np.isfinite(found.q))


# ------------------------------------------------------------------------------ Names and statuses


def test_names_are_signs_of_roots_by_joint() -> None:
    names = inverse_of("industrial-6r").names
    assert names[0] == "q1+ q3+ q5+"
    assert len(set(names)) == 8


def test_a_name_stays_with_its_posture_along_a_path() -> None:
    inverse = inverse_of("industrial-6r")
    chain = inverse.chain
    start = np.array([0.4, -0.7, 0.6, 0.5, 0.9, -0.3])
    path = start + np.linspace(0.0, 0.3, 30)[:, None] * np.array([1.0, 0.5, -0.6, 0.8, 0.4, 1.0])
    found = inverse.solve(chain.forward(path))
    branch = np.argmin(np.max(np.abs(found.q - path[:, None]), axis=2), axis=1)
    assert len(set(branch.tolist())) == 1


def test_a_pose_out_of_reach_by_a_metre_says_so_on_every_branch() -> None:
    for inverse in map(inverse_of, ("industrial-6r", "yaskawa-hc10", "general")):
        T = np.eye(4)[None].copy()
        T[0, :3, 3] = [3.0 * inverse.chain.length, 0.0, 1.0]
        found = inverse.solve(T)
        assert set(found.status[0].tolist()) == {Status.OUT_OF_REACH}
        assert np.all(np.isfinite(found.q))


@pytest.mark.parametrize(("beyond", "status"), [(-1e-6, 0), (1e-12, 1), (1e-6, 3)])
def test_at_the_end_of_reach_the_elbow_folds(beyond: float, status: int) -> None:
    arm = open_robot("anthropomorphic")
    inverse = ChainInverse(chain_of(arm, Task.POSITION), "numpy")
    tip = _stretched(inverse.chain)
    T = np.eye(4)[None].copy()
    T[0, :3, 3] = tip[0] + beyond * tip[1]
    found = inverse.solve(T)
    assert status in found.status[0].tolist()
    assert np.any(found.solved) == (status != Status.OUT_OF_REACH)


def test_the_distance_to_the_fold_is_that_to_the_end_of_reach() -> None:
    inverse = ChainInverse(chain_of(open_robot("anthropomorphic"), Task.POSITION), "numpy")
    tip, outwards = _stretched(inverse.chain)
    short = np.array([1e-3, 1e-4])
    T = np.tile(np.eye(4), (2, 1, 1))
    T[:, :3, 3] = tip - short[:, None] * outwards
    found = np.min(inverse.fold_distances(T), axis=1)
    # First order: what is left out goes with the square.
    assert np.all(np.abs(found / short - 1.0) < 5.0 * short / inverse.chain.length + 1e-5)


def _stretched(chain: Chain) -> tuple[Array, Array]:
    """Farthest point from the shoulder in one direction, and that direction."""
    angles = np.linspace(-np.pi, np.pi, 20001)
    postures = np.zeros((len(angles), 6))
    postures[:, 1] = 0.5
    postures[:, 2] = angles
    shoulder = chain.links[0] @ chain.links[1]
    reach = np.linalg.norm(chain.forward(postures)[:, :3, 3] - shoulder[:3, 3], axis=1)
    best = int(np.argmax(reach))
    fine = np.linspace(angles[best] - 4e-4, angles[best] + 4e-4, 2001)
    postures = np.zeros((len(fine), 6))
    postures[:, 1], postures[:, 2] = 0.5, fine
    points = chain.forward(postures)[:, :3, 3]
    reach = np.linalg.norm(points - shoulder[:3, 3], axis=1)
    tip = points[int(np.argmax(reach))]
    direction = (tip - shoulder[:3, 3]) / np.linalg.norm(tip - shoulder[:3, 3])
    return tip, direction


def test_a_free_joint_is_named_and_takes_the_value_near() -> None:
    inverse = inverse_of("industrial-6r")
    chain = inverse.chain
    q = np.array([[0.4, -0.7, 0.6, 0.5, 0.0, -0.3]])
    found = inverse.solve(chain.forward(q), near=np.full(6, 0.25))
    rows = np.nonzero(found.status[0] == Status.SINGULAR)[0]
    assert rows.size > 0
    assert {found.joints[k] for k in found.free[0, rows]} == {"q4"}
    assert np.min(turned_apart(found.q[0, rows][:, 3:4], np.array([0.25]))) < 1e-9
    assert found.reason(0, int(rows[0])) == "singular: joint q4 is free"


def test_a_family_is_told_wherever_its_free_joint_leaves_the_others_in_reach() -> None:
    """UR5e with q5 = 0: q6 is free, but not every value of it leaves the elbow in reach."""
    inverse = inverse_of("ur5e")
    chain = inverse.chain
    q = drawn(chain, cases(gate=30, soak=1000))
    q[:, 4] = 0.0
    found = inverse.solve(chain.forward(q))
    assert np.all(np.any(found.status == Status.SINGULAR, axis=1))
    assert np.all(np.isfinite(found.q))


def test_every_posture_brings_the_tool_to_its_pose_by_the_robots_own_model() -> None:
    from robots.core.model import Model

    arm, inverse = open_robot("ur5e"), inverse_of("ur5e")
    T = inverse.chain.forward(drawn(inverse.chain, 20))
    found = inverse.solve(T)
    pose, branch = np.nonzero(found.solved)
    reached = Model(arm, "numpy").forward(found.q[pose, branch])
    assert np.max(np.abs(reached - T[pose])) < 1e-12


def test_a_snapped_chain_is_solved_as_it_is() -> None:
    """Axes up to 0.05 mm off meeting: steps for what is meant, then Newton on what is."""
    exact = library_chain("industrial-6r")
    random = np.random.default_rng(6)
    links = exact.links.copy()
    links[1:6, :3, 3] += random.uniform(-3e-5, 3e-5, (5, 3))
    chain = Chain(
        name="rounded", names=exact.names, revolute=exact.revolute, links=links, length=exact.length
    )
    inverse = ChainInverse(chain, "numpy")
    assert inverse.method is Method.CLOSED
    assert inverse.plan is not None
    assert not inverse.plan.exact
    q = drawn(chain, cases(gate=25, soak=1000))
    assert missing(chain, q, inverse.solve(chain.forward(q))) == []


# -------------------------------------------------------------------------------------- Bad input


def test_more_joints_than_the_task_needs_are_to_be_locked() -> None:
    with pytest.raises(
        InverseError, match=r"1 joint more than the task needs.*Lock 1 of panda_joint1"
    ):
        ChainInverse.of(open_robot("franka-panda"))


@pytest.mark.parametrize("value", [np.nan, np.inf, "0.1", None])
def test_a_joint_is_locked_at_a_finite_number_only(value: Any) -> None:
    with pytest.raises(InverseError, match=r"Joint 'panda_joint7' is locked at .*; give a finite"):
        ChainInverse.of(open_robot("franka-panda"), locked={"panda_joint7": value})


def test_one_joint_is_left_to_solve_for() -> None:
    arm = open_robot("scara-4")
    locked = {joint.name: 0.0 for joint in arm.movable}
    with pytest.raises(InverseError, match=r"All 4 joints of 'scara-4' are locked: none is left"):
        ChainInverse.of(arm, Task.POSITION, locked)


@pytest.mark.parametrize("sliding", [(1, 4), (2,)])
def test_a_chain_without_a_solvable_form_is_left_to_the_numerical_inverse(
    sliding: tuple[int, ...],
) -> None:
    general = general_chain()
    revolute = tuple(k not in sliding for k in range(6))
    chain = replace(general, revolute=revolute)
    with pytest.raises(InverseError, match=rf"it has 6, {len(sliding)} of them sliding\. The num"):
        ChainInverse(chain, "numpy")


def test_a_tree_is_no_chain() -> None:
    with pytest.raises(InverseError, match=r"is no serial chain: .* do not carry the tool"):
        ChainInverse.of(open_robot("bip2000"))


@pytest.mark.parametrize("low", [3.5, -9.0, -2.9])
def test_limits_beyond_a_turn_are_met_by_whole_turns(low: float) -> None:
    """The last joint within (low, low + 2.5); -1 rad less or more whole turns is in two of them."""
    arm = load("yaskawa-gp7")
    joints = list(arm.joints)
    joints[5] = replace(joints[5], q_min=low, q_max=low + 2.5)
    model = Model(replace(arm, joints=tuple(joints)), "numpy")
    q = np.array([0.3, 0.2, -0.4, 0.5, 0.7, -1.0])
    inverse = ChainInverse.of(model.mechanism, engine="numpy")
    target = Target(task=Task.POSE, T=model.forward(q)[None])
    (found,) = solve_branches(model, inverse, target)
    own = [one.q for one in found.answers if np.allclose(one.q[:5], q[:5], atol=1e-8)]
    turns = [k for k in (-1.0, 0.0, 1.0) if low <= -1.0 + 2.0 * np.pi * k <= low + 2.5]
    assert [round(float((one[5] + 1.0) / (2.0 * np.pi)), 9) for one in own] == turns
    assert all(low <= one.q[5] <= low + 2.5 for one in found.answers)
    assert found.best.converged


def test_a_locked_joint_stays_where_no_branch_reaches() -> None:
    """The numerical search behind the branches holds the lock too: unlocked it reaches the pose."""
    model = Model(load("franka-panda"), "numpy")
    q = np.array([0.4, -0.6, 0.3, -2.1, 0.2, 1.9, -2.3])
    target = Target(task=Task.POSE, T=model.forward(q)[None])
    locked = {"panda_joint7": 2.5}
    assert solve_many(model, target, start=q)[0].success
    (found,) = solve_branches(
        model, ChainInverse.of(model.mechanism, locked=locked, engine="numpy"), target, starts=16
    )
    assert not found.success
    assert found.best.q[6] == 2.5
    assert found.best.position_residual > 1e-3


@pytest.mark.parametrize("turns", [0, 1])
def test_a_joint_locked_beyond_its_limit_is_not_turned_back_into_it(turns: int) -> None:
    model = Model(load("franka-panda"), "numpy")
    q = np.array([0.4, -0.6, 0.3, -2.1, 0.2, 1.9, -2.3])
    inverse = ChainInverse.of(
        model.mechanism, locked={"panda_joint7": -2.3 + 2.0 * np.pi * turns}, engine="numpy"
    )
    target = Target(task=Task.POSE, T=model.forward(q)[None])
    (found,) = solve_branches(model, inverse, target)
    assert found.success == (turns == 0)
    assert found.best.q[6] == -2.3 + 2.0 * np.pi * turns


@pytest.mark.parametrize("name", list(FIVE))
def test_a_position_and_an_axis_are_as_good_as_a_pose_whose_roll_is_free(name: str) -> None:
    inverse = ChainInverse(chain_of(open_robot(name), Task.POSITION_AND_AXIS), "numpy")
    T = inverse.chain.forward(drawn(inverse.chain, 40))
    found = inverse.axis_angles(T[:, :3, 3], T[:, :3, 2])
    assert np.array_equal(found, inverse.angles(T), equal_nan=True)
    with pytest.raises(InverseError, match="'ur5e' leaves no roll free: a position and an axis"):
        inverse_of("ur5e").axis_angles(T[0, :3, 3], T[0, :3, 2])


def test_the_raw_closed_form_is_refused_where_there_is_none() -> None:
    with pytest.raises(
        InverseError, match="has no closed form: it is solved by the steps from one"
    ):
        _ = inverse_of("yaskawa-hc10").programme
