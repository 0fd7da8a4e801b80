"""Mis-fixturing: estimates against random errors, and proofs that hold."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from planner.job import FeatureApproach
from planner.part_pose.bounds import FixturedLines, FixturingErrorKind, _Boxes, _Cover, prove
from planner.part_pose.moved import moved
from planner.part_pose.pose_space import directions_around, even_directions
from planner.part_pose.tolerance import (
    LARGEST,
    erroneous_pose,
    estimate,
    mis_fixturing,
    replanned,
    slack_at,
)
from planner.planning import plan
from planner.reach.placement import place
from tests.cases import cases
from tests.planner.touching import searching

KINDS = list(FixturingErrorKind)


# Each pose and each kind once in the gate, every pair in the soak.
PAIRS = [("given", KINDS[0]), ("best", KINDS[1]), ("given", KINDS[1]), ("best", KINDS[0])]


@pytest.fixture(scope="module", params=PAIRS[: cases(gate=2, soak=4)], ids=str)
def standing_kind(request):
    return request.param


@pytest.fixture(scope="module")
def standing(standing_kind, placing):
    return getattr(placing, standing_kind[0])


@pytest.fixture(scope="module")
def held(standing_kind, standing):
    return FixturedLines(standing.plan, standing_kind[1])


@pytest.fixture(scope="module")
def sized(placing):
    """``sized("best", kind)`` → the estimate for a pose, made once."""
    return cache(lambda name, kind: estimate(FixturedLines(getattr(placing, name).plan, kind)))


@pytest.fixture(scope="module")
def found(sized, standing_kind):
    return sized(*standing_kind)


def random_errors(count, seed):
    rng = np.random.default_rng(seed)
    v = rng.normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True), rng.random(count) ** (1 / 3)


def test_postures_under_errors_are_those_of_the_moved_part(held):
    job = held.job
    rng = np.random.default_rng(3)
    for _ in range(4):
        error = rng.normal(size=3) * 0.02
        placed = place(moved(job, erroneous_pose(job, held.kind, error, held.reference)))
        line, errors = np.arange(9), np.tile(error, (9, 1))
        for lam, ball in ((0.0, placed.clearances), (1.0, placed.line_ends)):
            q = held.at(line, errors, np.full(9, lam)).q
            tool = held.inverse.model.forward(q)
            np.testing.assert_allclose(tool[:, :3, 3], ball, atol=1e-12)
            np.testing.assert_allclose(tool[:, :3, 2], placed.axes, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_lines_of_different_lengths_and_directions(placing, kind):
    """Some points have a distance, a direction or an axis of their own."""
    job = placing.given.plan.job
    features = (
        FeatureApproach(name="near", distance=0.03),
        FeatureApproach(name="up", direction=np.array([0.0, 0.0, 1.0])),
        FeatureApproach(name="leaning", axis=np.array([0.0, -0.2, -1.0])),
    )
    points = replace(job.points, features=("near", "up", "leaning") * 3)
    approach = replace(job.approach, features=features)
    job = searching(job, search_after=0.01)
    held = FixturedLines(plan(replace(job, points=points, approach=approach)), kind)
    assert len(held) == 9
    test_postures_under_errors_are_those_of_the_moved_part(held)
    proven = prove(held, estimate(held).size)
    assert proven.counterexample is None
    assert proven.size > 0.0


def test_no_error_is_the_plan_itself(standing, held):
    line, none = np.arange(9), np.zeros((9, 3))
    at = held.at(line, none, np.zeros(9))
    np.testing.assert_allclose(
        at.q, [p.q_clearance for p in standing.plan.planned_points], atol=1e-12
    )
    least = slack_at(held, line, none)
    margins = [
        min(p.joint_margin, p.singularity_margin - 1e-3) for p in standing.plan.planned_points
    ]
    # 33 places along the line against the exact minimum
    np.testing.assert_allclose(least, margins, atol=1e-4)


def test_inside_the_estimate_nothing_fails(held, found):
    count = cases(gate=300, soak=20_000)
    directions, sizes = random_errors(count, seed=11)
    line = np.arange(count) % 9
    errors = found.size * np.maximum(sizes, 0.95)[:, None] * directions * (1.0 - 1e-6)
    assert slack_at(held, line, errors).min() > 0.0


def test_just_outside_it_fails_where_it_says(held, found):
    first = found.first
    line = np.array([held.names.index(first.point)])
    inside = slack_at(held, line, 0.9999 * found.size * first.direction[None])
    outside = slack_at(held, line, 1.0001 * found.size * first.direction[None])
    assert inside[0] > 0.0 > outside[0]
    column = held.limits.index(first.limit)
    at = held.at(line, 1.0001 * found.size * first.direction[None], np.array([first.place]))
    assert at.slack[0, column] < 0.0


def test_the_proof_is_near_the_estimate_and_never_above(held, found):
    proof = prove(held, found.size)
    assert proof.counterexample is None
    assert 0.9 * found.size <= proof.size < found.size


def test_a_proof_of_too_much_fails(held, found):
    cover = _Cover(held)
    assert not cover.proves(1.02 * found.size)


def test_no_box_loses_more_than_its_bound(held, found):
    """Random places in random boxes: the slack lost is below the bound, and not far below."""
    rng = np.random.default_rng(5)
    m = 4000
    boxes = _Boxes(
        line=rng.integers(0, 9, m),
        error=rng.uniform(-1, 1, (m, 3)) * found.size,
        half=rng.uniform(0, 0.04, m),
        lam=rng.uniform(0.1, 0.9, m),
        reach=rng.uniform(0, 0.1, m),
    )
    middle = held.at(boxes.line, boxes.error, boxes.lam)
    loss = _Cover(held)._loss(boxes, middle.q)
    worst = np.zeros(15)
    for _ in range(20):
        error = boxes.error + boxes.half[:, None] * rng.choice([-1, 1], (m, 3))
        lam = boxes.lam + boxes.reach * rng.choice([-1, 1], m)
        lost = middle.slack - held.at(boxes.line, error, lam).slack
        known = np.isfinite(loss) & (loss > 1e-12)
        ratio = np.where(known, lost / np.where(known, loss, 1.0), 0.0)
        worst = np.maximum(worst, ratio.max(axis=0))
    assert np.all(worst <= 1.0)
    assert worst[:5].max() > 0.5


def test_a_better_pose_tolerates_more(sized):
    for kind in KINDS:
        given, best = (sized(name, kind) for name in ("given", "best"))
        # measured: 66 to 186 mm, 4.6 to 13.0 deg
        assert best.size > 2.5 * given.size


def test_a_required_margin_takes_from_the_tolerance(change):
    job = change(checks={"joint_margin": np.radians(2.0)})
    plain, less = (
        estimate(FixturedLines(plan(j), FixturingErrorKind.TRANSLATION)) for j in (change(), job)
    )
    assert less.size < 0.7 * plain.size


def test_planning_anew_agrees(placing, sized):
    """Branches may change in a new plan, so it tolerates no less than the branches held."""
    size = sized("given", FixturingErrorKind.TRANSLATION).size
    again = replanned(
        placing.given.plan, FixturingErrorKind.TRANSLATION, 0.99 * size, lambda _: None
    )
    assert again.first is None
    beyond = replanned(placing.given.plan, FixturingErrorKind.TRANSLATION, 0.4, lambda _: None)
    # halved four times between 0.4/9 and 0.4/3 m: to 5.6 mm
    assert size - 0.0056 < beyond.size < 0.4
    assert beyond.first.limit.startswith("P10")
    assert beyond.first.point in placing.given.plan.placed.names


def test_nothing_served_tolerates_nothing(put):
    nothing = plan(put([9.0, 9.0, 0.84], [30, 0, 0]))
    found = mis_fixturing(nothing, FixturingErrorKind.ROTATION)
    assert (found.size, found.first, found.proven) == (0.0, None, None)


def test_all_together(placing):
    found = mis_fixturing(placing.best.plan, FixturingErrorKind.TRANSLATION)
    assert 0.15 < found.proven < found.size < LARGEST[FixturingErrorKind.TRANSLATION]
    assert found.directions > 2000
    assert found.plans >= 14


def test_directions_cover_the_sphere():
    directions = even_directions(194)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0, atol=1e-15)
    probes, _ = random_errors(2000, seed=1)
    nearest = np.arccos(np.clip((probes @ directions.T).max(axis=1), -1, 1))
    assert np.degrees(nearest.max()) < 12.0
    around = directions_around(directions, 0.1, 12)
    cosines = np.einsum("mi,mki->mk", directions, around)
    np.testing.assert_allclose(cosines, np.cos(0.1), atol=1e-14)
