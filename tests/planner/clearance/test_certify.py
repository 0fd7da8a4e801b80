"""Certified clearance where the answer is known: walls, grazing, tunnels, swallowed balls."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.clearance.certify import (
    Advance,
    IntervalVerdict,
    Tolerance,
    certify,
    floors,
    keeps,
    yes_or_no,
)
from planner.clearance.checker import Checker
from planner.clearance.paths import StraightPaths
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.capsule import Capsule
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.pose import make_pose
from tests.cases import some

RADIUS = 0.01
DEFAULT = Tolerance()


def table_robot(capsule=None):
    """A ball on two slides: q is its (x, y) in metres."""
    x_axis = make_pose(np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=float), np.zeros(3))
    kind = {"kind": JointKind.PRISMATIC, "q_min": -2.0, "q_max": 2.0}
    joints = (
        Joint(name="x", parent=-1, placement=x_axis, **kind),
        Joint(name="y", parent=0, placement=x_axis, **kind),
    )
    ball = capsule or Capsule(name="ball", joint=1, start=[0, 0, 0], end=[0, 0, 0], radius=RADIUS)
    return Mechanism(name="table", joints=joints, capsules=(ball,))


def solid(mesh, closed=True):
    return Solid(name="wall", kind=SolidKind.OBSTACLE, mesh=mesh, closed=closed)


def checker_of(*solids, capsule=None):
    return Checker(Model(table_robot(capsule)), Cell(solids=solids))


def straight(*rows):
    rows = np.array(rows, dtype=float)
    return StraightPaths(rows[:, :2], rows[:, 2:])


def test_the_robot_is_what_the_tests_say():
    q = np.array([[0.3, -0.2]])
    np.testing.assert_allclose(Model(table_robot()).forward(q)[0, :3, 3], [0.3, -0.2, 0.0])


def test_a_pass_beside_a_box(brute):
    checker = checker_of(solid(brute.box([0, 0.5, 0], [0.2, 0.4, 1])))
    found = certify(checker, straight([-1, 0, 1, 0], [-1, 0.25, 1, 0.25]), required=0.05)
    assert found.seen[0] == pytest.approx(0.3 - RADIUS, abs=1e-9)
    slack = found.seen[0] - found.certified[0]
    assert 0.0 <= slack <= DEFAULT.of(found.seen[0]) + 1e-12
    assert (
        found.keeps(0.05).tolist()
        == keeps(checker, straight([-1, 0, 1, 0], [-1, 0.25, 1, 0.25]), 0.05).tolist()
        == [True, False]
    )
    assert abs(found.lam[0] - 0.5) <= 0.05 + 1e-9
    np.testing.assert_allclose(found.place[0], [2 * found.lam[0] - 1, 0, 0], atol=1e-12)


def test_a_plane_that_is_approached_straight_on(brute):
    checker = checker_of(solid(brute.box([1.5, 0, 0], [1, 1, 1])))
    found = certify(checker, straight([0, 0, 0.95, 0]), required=0.0)
    assert found.seen[0] == pytest.approx(0.05 - RADIUS, abs=1e-9)
    assert found.lam[0] == 1.0


def test_a_motion_of_no_length(brute):
    checker = checker_of(solid(brute.box([1.5, 0, 0], [1, 1, 1])))
    paths = straight([0.95, 0, 0.95, 0], [0.995, 0, 0.995, 0])
    found = certify(checker, paths, required=0.02)
    np.testing.assert_allclose(found.seen, [0.04, -0.005], atol=1e-9)
    np.testing.assert_allclose(found.certified[0], 0.04, atol=1e-9)
    assert found.keeps(0.02).tolist() == keeps(checker, paths, 0.02).tolist() == [True, False]


def test_a_start_in_collision(brute):
    checker = checker_of(solid(brute.box([0, 0, 0], [0.2, 0.2, 0.2])))
    paths = straight([0, 0, 1, 0], [1, 0, 0, 0])
    found = certify(checker, paths, required=0.0)
    assert not found.keeps(0.0).any()
    assert not keeps(checker, paths, 0.0).any()
    assert found.lam[0] == pytest.approx(0.0, abs=0.02)
    assert found.lam[1] == pytest.approx(1.0, abs=0.02)
    np.testing.assert_allclose(found.seen, -0.1 - RADIUS, atol=1e-3)


def test_one_thin_triangle_is_not_jumped_over():
    needle = TriangleMesh(
        vertices=np.array([[0.1234567, -1e-4, -0.3], [0.1234567, 1e-4, -0.3], [0.1234567, 0, 0.3]]),
        faces=np.array([[0, 1, 2]]),
    )
    point = Capsule(name="point", joint=1, start=[0, 0, 0], end=[0, 0, 0], radius=0.0)
    checker = checker_of(solid(needle, closed=False), capsule=point)
    paths = straight([-1, 0, 1, 0], [-1, 5e-4, 1, 5e-4], [-1, 0, 0.123, 0])
    found = certify(checker, paths, required=0.0)
    assert found.keeps(0.0).tolist() == [False, True, True]
    assert keeps(checker, paths, 0.0).tolist() == [False, True, True]
    assert found.lam[0] == pytest.approx(1.1234567 / 2, abs=1e-3)


def test_a_ball_that_flies_through_a_body_and_one_that_never_leaves_it(brute):
    checker = checker_of(solid(brute.sphere([0, 0, 0], 0.4)))
    paths = straight([-1, 0, 1, 0], [-0.1, 0, 0.1, 0.05])
    found = certify(checker, paths, required=0.0)
    assert not found.keeps(0.0).any()
    assert not keeps(checker, paths, 0.0).any()
    assert np.all(found.seen < -0.35)  # swallowed: far from the skin, on the wrong side


def test_grazing_motions_end(brute):
    """Ends 20 µm from what is required are given, and decided; 1 nm is not worth the intervals."""
    checker = checker_of(solid(brute.box([0, -0.5, 0], [4, 1, 1])))
    heights = np.array([-1e-6, 1e-9, 2e-5, 2e-4, 3e-3]) + RADIUS + 0.005
    paths = StraightPaths(
        np.stack([np.full(5, -1.0), heights], axis=1), np.stack([np.full(5, 1.0), heights], axis=1)
    )
    found = certify(checker, paths, required=0.005)
    assert found.keeps(0.005).tolist() == [False, False, True, True, True]
    assert keeps(checker, paths, 0.005).tolist() == [False, False, True, True, True]
    np.testing.assert_allclose(found.seen, heights - RADIUS, atol=1e-9)
    # Undecided, but honest: what is certified is within the tolerance even so.
    assert np.all(found.seen[1:] - found.certified[1:] <= DEFAULT.of(found.seen[1:]) + 1e-12)
    assert found.judged.max() < 30_000


def test_sideways_or_not_the_cost_stays_small(brute):
    checker = checker_of(solid(brute.box([0, -0.5, 0], [4, 1, 1])))
    rng = np.random.default_rng(6)
    starts = np.stack([rng.uniform(-1, 1, 200), rng.uniform(0.05, 0.5, 200)], axis=1)
    found = certify(checker, StraightPaths(starts, starts + np.array([0.3, 0.0])), required=0.01)
    assert found.keeps(0.01).all()
    # Parallel to the wall every step is the tolerance wide, to both sides.
    steps = 0.3 / (2.0 * DEFAULT.of(starts[:, 1] - RADIUS))
    assert np.all(found.judged <= 2.5 * steps + 10)


def test_nothing_around_and_no_motion():
    empty = Checker(Model(table_robot()), Cell())
    found = certify(empty, straight([0, 0, 1, 1]), required=0.1)
    assert np.isinf(found.certified[0])
    assert found.pair[0] == -1
    assert np.isnan(found.place).all()
    assert keeps(empty, straight([0, 0, 1, 1]), 0.1).all()
    none = StraightPaths(np.zeros((0, 2)), np.zeros((0, 2)))
    assert certify(empty, none, required=0.1).certified.shape == (0,)


def test_the_answers_do_not_depend_on_company(brute):
    checker = checker_of(solid(brute.sphere([0, 0.3, 0], 0.2, 0.1)))
    rng = np.random.default_rng(7)
    ends = rng.uniform(-1, 1, (50, 2, 2))
    together = certify(checker, StraightPaths(ends[:, 0], ends[:, 1]), required=0.01)
    for k in (0, 7, 31):
        alone = certify(
            checker, StraightPaths(ends[k : k + 1, 0], ends[k : k + 1, 1]), required=0.01
        )
        assert alone.certified[0] == together.certified[k]
        assert alone.seen[0] == together.seen[k]
        assert alone.lam[0] == together.lam[k]


def test_progress_counts_settled_motions(brute):
    told = []
    checker = checker_of(solid(brute.sphere([0, 0.3, 0], 0.2)))
    paths = straight([-1, 0, 1, 0], [-1, -0.5, 1, -0.5])
    certify(checker, paths, required=0.01, progress=lambda *step: told.append(step))
    done = [step[1] for step in told]
    assert done == sorted(done)
    assert told[-1][1:] == (2, 2)


def test_a_path_that_does_not_exist_keeps_nothing(brute):
    class Broken:
        """A branch that ends at 0.6."""

        count = 1

        def joints(self, index, lam):
            x = np.where(lam < 0.6, lam, np.nan)
            return np.stack([x, np.zeros(index.size)], axis=1)

        def spread(self, index, low, high):
            x = np.where(high < 0.6, 0.5 * (high - low), np.nan)
            return np.stack([x, np.zeros(index.size)], axis=1)

        def along(self, index, low, high):
            return np.zeros_like(self.spread(index, low, high))

    checker = checker_of(solid(brute.box([0, 1, 0], [0.1, 0.1, 0.1])))
    assert not keeps(checker, Broken(), 0.01).any()


@pytest.mark.parametrize("seed", some(range(5), gate=2))
def test_any_function_of_bounded_slope_is_bounded(seed):
    """Against sums of waves whose slope is known, without any geometry."""
    rng = np.random.default_rng(seed)
    waves = SimpleNamespace(
        a=rng.uniform(0, 0.02, (40, 6)), f=rng.uniform(0, 30, 6), p=rng.uniform(0, 6, (40, 6))
    )
    slope = waves.a @ waves.f

    def value(index, lam):
        return 0.06 + np.sum(
            waves.a[index] * np.sin(waves.f * lam[:, None] + waves.p[index]), axis=1
        )

    def judge(index, low, high, floor):
        del floor
        here = value(index, 0.5 * (low + high))
        return IntervalVerdict(lower=here - slope[index] * 0.5 * (high - low), here=here)

    course = Advance(judge, floors(0.0, DEFAULT), ends=True).run(40)
    lam = np.linspace(0, 1, 20001)
    true = np.array([value(np.full(lam.size, k), lam).min() for k in range(40)])
    kept = course.certified >= 0.0
    assert np.all(course.certified <= true)
    assert np.all(course.seen >= true - 1e-6)
    assert np.all(true[kept] - course.certified[kept] <= DEFAULT.of(true[kept]) + 1e-6)
    yes = Advance(judge, yes_or_no(0.0, DEFAULT), ends=False).run(40).certified >= 0.0
    assert np.all(true[yes] >= 0.0)
    assert np.all(true[~yes] < DEFAULT.grazing + 1e-6)


@pytest.mark.parametrize("gap", [1e-5, 4e-5])
def test_a_motion_that_leaves_from_a_place_nearer_than_the_tolerance(brute, gap):
    """As from a clearance point 10 µm off: it was called feasible, and proven to keep -0.49 mm."""
    checker = checker_of(solid(brute.box([0, 0, 0], [1, 0.4, 1])))
    y = 0.2 + RADIUS + gap
    paths = straight([0, y, 0.3, y + 0.1], [0, y, 0, y + 0.1], [0, y, 0.2, y - 2.0 * gap])
    kept = keeps(checker, paths, 0.0)
    np.testing.assert_array_equal(kept, [True, True, False])
    found = certify(checker, paths, required=0.0)
    np.testing.assert_array_equal(found.keeps(0.0), kept)
    assert np.all(found.certified <= found.seen)


def test_a_motion_that_grazes_on_its_way_is_certified_to_keep_what_it_keeps(brute):
    """30 µm are less than a tolerance; the motion keeps what is required all the same."""
    checker = checker_of(solid(brute.sphere([0, 0, 0], 0.2, subdivisions=2)))
    top = checker.nearest(np.array([[0.0, 0.4]])).value[0]
    y = 0.4 - top + 3e-5
    found = certify(checker, straight([-0.5, y, 0.5, y]), required=0.0, grazing=True)
    assert 0.0 < found.seen[0] < DEFAULT.grazing
    assert found.keeps(0.0)[0]
