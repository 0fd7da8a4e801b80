"""Branches: the best of all sequences, limits along the whole line, singular lines refused."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.order.chooser import _TIE_BREAK, Chooser, SequenceCost, choose
from planner.reach.closed_form import candidates, end_solutions
from planner.reach.lines import ArmLines
from planner.reach.margins import SINGULAR, exact_margins, rough_margins
from planner.reach.placement import place
from planner.reach.reach import Candidates
from planner.touch.lines import LineMotions, rough_line_times
from robots.arm.inverse import ArmInverse
from robots.core.motion.joint_limits import JointLimits

TURN = 350.0  # [deg]


@pytest.fixture(scope="module")
def wide_arm(corrected_job, with_joints):
    """The arm with ranges of ±350°: eight families, and whole turns of every joint."""
    reach = np.full(5, np.radians(TURN))
    return with_joints(corrected_job.mechanism, q_min=-reach, q_max=reach)


def first(points, count):
    return ProbePoints(
        names=points.names[:count],
        positions=points.positions[:count],
        normals=points.normals[:count],
    )


def problem(job, count, required=0.0):
    inverse = ArmInverse(job.mechanism, engine="compiled")
    job = replace(job, points=first(job.points, count))
    placed = place(job)
    found = candidates(inverse, placed, end_solutions(inverse, placed))
    limits = JointLimits.of(job.mechanism)
    rough = rough_line_times(LineMotions(found.lines, "quintic"), limits).duration
    return found, SequenceCost(lines=rough, limits=limits, required=required)


def exhaustive(found, costs, order):
    """Least cost over every combination of candidates, one per point."""
    q, best = found.lines.q_starts, np.inf
    layers = [np.nonzero(found.point == k)[0] for k in order]
    for rows in product(*layers):
        cost = 2.0 * sum(costs.lines[list(rows)])
        cost += sum(float(costs.travel(q[a], q[b])) for a, b in pairwise(rows))
        best = min(best, cost)
    return best


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_dynamic_programming_equals_exhaustive_search(change, wide_arm, order):
    found, costs = problem(change(mechanism=wide_arm), 3)
    # Thin out at random, so that exhaustive search ends: a dozen candidates of each point.
    rng = np.random.default_rng(5)
    valid = np.nonzero(exact_margins(found.lines).keep(0.0))[0]
    rows = np.sort(rng.choice(valid, 40, replace=False))
    found = Candidates(
        lines=found.lines.take(rows),
        point=found.point[rows],
        margins=rough_margins(found.lines.take(rows)),
    )
    costs = replace(costs, lines=costs.lines[rows])
    choice = choose(found, costs, np.array(order))
    assert choice.cost <= exhaustive(found, costs, order) + 3 * _TIE_BREAK
    assert choice.cost >= exhaustive(found, costs, order) - 1e-12
    assert choice.visits.tolist() == order
    assert np.array_equal(found.point[choice.chosen], order)
    assert np.array_equal(choice.candidate[order], choice.chosen)


def test_whole_turns_are_alternatives_where_the_range_allows(change, wide_arm):
    """±350° leaves two ways to every joint angle but those within 10° of zero."""
    found, _ = problem(change(mechanism=wide_arm), 1)
    for family in range(8):
        q = found.lines.q_starts[found.lines.families == family]
        turns = (q - q[0]) / (2.0 * np.pi)
        assert np.abs(turns - np.round(turns)).max() < 1e-12
        assert np.all(np.abs(q) <= np.radians(TURN))
        two_ways = np.abs(np.angle(np.exp(1j * q[0]))) > np.radians(360.0 - TURN)
        assert len(q) == len(np.unique(np.round(turns), axis=0)) == 2 ** np.sum(two_ways)


def test_among_equals_the_posture_nearer_mid_range_is_taken(change, wide_arm):
    """A single point: every whole turn costs the same."""
    found, costs = problem(change(mechanism=wide_arm), 1)
    q = found.lines.q_starts[choose(found, costs, np.arange(1)).chosen[0]]
    assert np.all(np.abs(q) <= np.pi)


def test_the_same_choice_in_every_run(change, wide_arm):
    job = change(mechanism=wide_arm)
    first_run, second_run = (choose(*problem(job, 4), np.arange(4)) for _ in range(2))
    assert np.array_equal(first_run.chosen, second_run.chosen)
    assert first_run.cost == second_run.cost


# A line that runs past the arm: the elbow is bent most where the ball is nearest to the shoulder.
NEAREST = 0.56  # place on the line, between the places 0.5 and 0.625 of the grid


@pytest.fixture(scope="module")
def passing(inverse):
    """One line in front of the arm, x from left to right, stylus down."""
    start, tangent = np.array([-0.2 * NEAREST, 1.4, 0.9]), np.array([0.2, 0.0, 0.0])
    axis = np.array([0.0, 0.0, -1.0])
    solved = inverse.solve(start, axis)
    family = int(np.nonzero(solved.solved)[0][0])
    return ArmLines(
        inverse=inverse,
        starts=start[None],
        ends=(start + tangent)[None],
        axes=axis[None],
        families=np.array([family]),
        q_starts=solved.q[family][None],
    )


def limited(lines, mechanism):
    """The same line for an arm with other limits."""
    other = ArmInverse(mechanism, engine="compiled")
    return ArmLines(
        inverse=other,
        starts=lines.starts,
        ends=lines.ends,
        axes=lines.axes,
        families=lines.families,
        q_starts=lines.q_starts,
    )


def elbow(lines, lam):
    return lines.joints(np.zeros(len(lam), dtype=np.int64), np.asarray(lam))[:, 2]


def test_a_limit_is_kept_between_the_ends_too(passing, corrected_job, with_joints):
    arm = corrected_job.mechanism
    dense = elbow(passing, np.linspace(0.0, 1.0, 2001))
    low = dense.argmin()
    assert low / 2000 == pytest.approx(NEAREST, abs=1e-3)
    # The limit lies above the lowest place of the line and below all places of the first grid.
    grid = elbow(passing, np.linspace(0.0, 1.0, 9)).min()
    q_min = arm.q_min.copy()
    q_min[2] = 0.5 * (dense[low] + grid)
    lines = limited(passing, with_joints(arm, q_min=q_min))
    rough, exact = rough_margins(lines), exact_margins(lines)
    assert rough.limit[0, 2] > 0.0
    assert exact.limit[0, 2] < 0.0
    assert exact.limit[0, 2] == pytest.approx(dense[low] - q_min[2], abs=1e-9)
    found = Candidates(lines=lines, point=np.zeros(1, dtype=np.int64), margins=rough)
    costs = SequenceCost(lines=np.ones(1), limits=JointLimits.of(arm))
    chooser = Chooser(found, costs)
    assert chooser.choose(np.arange(1)).visits.size == 0
    assert chooser.choose(np.arange(1)).candidate.tolist() == [-1]


def test_a_joint_exactly_on_its_limit_is_within(passing, corrected_job, with_joints):
    arm = corrected_job.mechanism
    q_min = np.full(5, -7.0)
    q_min[2] = elbow(passing, np.linspace(0.0, 1.0, 200001)).min()
    on_limit = with_joints(arm, q_min=q_min, q_max=np.full(5, 7.0))
    margins = exact_margins(limited(passing, on_limit))
    assert abs(margins.limit[0, 2]) < 1e-12
    assert margins.keep(0.0)[0]
    assert not margins.keep(1e-9)[0]


def test_the_required_margin_counts(passing):
    margins = exact_margins(passing)
    least = float(margins.limit.min())
    assert margins.keep(least - 1e-9)[0]
    assert not margins.keep(least + 1e-9)[0]


def test_exact_margins_equal_dense_samples(passing, inverse):
    q = passing.joints(np.zeros(5001, dtype=np.int64), np.linspace(0.0, 1.0, 5001))
    arm = inverse.model.mechanism
    margins = exact_margins(passing)
    dense = np.minimum(q - arm.q_min, arm.q_max - q).min(axis=0)
    assert margins.limit[0] == pytest.approx(dense, abs=1e-7)  # (step of 2e-4)² beside a valley
    assert np.all(margins.limit[0] <= dense + 1e-12)
    assert margins.singularity[0] == pytest.approx(inverse.margins(q).least.min(), abs=1e-7)


@pytest.mark.parametrize(("miss", "valid"), [(0.0, False), (1e-3, False), (1e-2, True)])
def test_a_line_through_the_first_axis_is_refused(inverse, miss, valid):
    """The wrist centre passes the first axis at a distance: its fraction of the reach counts."""
    start, tangent = np.array([-0.13, miss, 2.6]), np.array([0.3, 0.0, 0.0])
    axis = np.array([0.0, 0.6, -0.8])
    solved = inverse.solve(start, axis)
    family = int(np.nonzero(solved.solved)[0][0])
    lines = ArmLines(
        inverse=inverse,
        starts=start[None],
        ends=(start + tangent)[None],
        axes=axis[None],
        families=np.array([family]),
        q_starts=solved.q[family][None],
    )
    margin = float(exact_margins(lines).singularity[0])
    assert margin == pytest.approx(miss / inverse.family.reach, abs=1e-6)
    assert (margin >= SINGULAR) is valid


def test_points_without_a_candidate_are_left_out(corrected_job):
    found, costs = problem(corrected_job, 3)
    rows = np.nonzero(found.point != 1)[0]
    lines = found.lines.take(rows)
    found = Candidates(lines=lines, point=found.point[rows], margins=rough_margins(lines))
    choice = choose(found, replace(costs, lines=costs.lines[rows]), np.arange(3))
    assert choice.visits.tolist() == [0, 2]
    assert choice.candidate[1] == -1
    assert choice.margins.limit.shape == (2, 5)
