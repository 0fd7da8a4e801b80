"""order = "fastest": never slower than the job's own order, and said so."""

import re
from dataclasses import replace

import numpy as np
import pytest

from planner.findings import Severity, page
from planner.motion.travel import travel_times
from planner.plan import SegmentKind
from planner.planning import plan

NORMAL = np.array([0.1, 0.25, 1.0]) / np.linalg.norm([0.1, 0.25, 1.0])


def home_seconds(made, home):
    """What straight ways from home to the first clearance point, and back from the last, take."""
    q = made.trajectory.state(np.array([0.0, made.trajectory.duration])).q
    return float(np.sum(travel_times(home, q, made.job.joint_limits())))


def visits(made):
    return [s.point_index for s in made.timeline if s.kind is SegmentKind.PROBE]


@pytest.fixture(scope="module")
def scattered(probe_points):
    """Twenty-five points of the inclined plane in random order."""
    rng = np.random.default_rng(11)
    x, y = rng.uniform(0.05, 0.3, (2, 25))
    rows = np.stack([x, y, 0.4 - 0.1 * x - 0.25 * y], axis=1)
    return probe_points(np.hstack([rows, np.tile(NORMAL, (25, 1))]))


@pytest.fixture(scope="module")
def pair(change, scattered):
    """The job as given, and with a free order."""
    return [
        plan(change(points=scattered, travel={"order": order})) for order in ("as-given", "fastest")
    ]


def test_scattered_points_are_visited_faster(pair):
    given, chosen = pair
    assert given.feasible
    assert chosen.feasible
    assert chosen.totals.duration < 0.9 * given.totals.duration
    assert visits(given) == list(range(25))
    assert visits(chosen) != visits(given)
    assert sorted(visits(chosen)) == list(range(25))


def test_points_stay_in_the_order_of_the_job(pair):
    given, chosen = pair
    assert [p.name for p in chosen.planned_points] == [p.name for p in given.planned_points]
    q = np.array([p.q_clearance for p in chosen.planned_points])
    # Each probing line starts at the clearance posture of the point that it names.
    t = np.array([s.start for s in chosen.timeline if s.kind is SegmentKind.PROBE])
    assert np.abs(chosen.trajectory.state(t).q - q[visits(chosen)]).max() < 1e-12
    margins = {p.name: p.joint_margin for p in given.planned_points}
    assert all(
        p.joint_margin == pytest.approx(margins[p.name], rel=1e-9) for p in chosen.planned_points
    )


def test_the_gain_is_told(pair):
    given, chosen = pair
    assert given.finding_list == ()
    (note,) = chosen.finding_list
    assert (note.code, note.severity) == ("P110", Severity.NOTE)
    ways = [home_seconds(one, given.job.controller.home) for one in (given, chosen)]
    gain = given.totals.duration + ways[0] - chosen.totals.duration - ways[1]
    told = re.match(
        r"the visiting order is (\S+) s \((\S+) %\) faster than the job's", note.message
    )
    # The note counts line times from a grid, which are a little short.
    assert float(told[1]) == pytest.approx(gain, rel=0.01)
    assert float(told[2]) == pytest.approx(
        100.0 * gain / (given.totals.duration + ways[0]), rel=0.01
    )
    assert [(q.name, q.unit) for q in note.quantities] == [("gap", "%"), ("home legs", "s")]
    assert note.quantities[1].value == pytest.approx(ways[1], rel=1e-12)
    assert page("P110").title == "visiting order chosen"


def test_a_home_that_is_stated_and_usable_belongs_to_the_tour(change, scattered):
    """The tour begins and ends near home; a home beyond the joint margins is not counted."""
    base = change(points=scattered, travel={"order": "fastest"})

    def at(home):
        controller = replace(base.mechanism.controller, home=home)
        return plan(replace(base, mechanism=replace(base.mechanism, controller=controller)))

    homeless, outside = at(None), at(np.full(5, 9.0))
    assert visits(outside) == visits(homeless)
    assert outside.totals == homeless.totals
    notes = [one.finding_list[-1] for one in (homeless, outside)]
    assert "home" not in notes[0].message
    assert "without home: it keeps too little margin or clearance" in notes[1].message
    assert all([q.name for q in note.quantities] == ["gap"] for note in notes)
    home = homeless.planned_points[visits(homeless)[12]].q_clearance  # half way through
    seconds = [
        one.totals.duration + home_seconds(one, home) for one in (at(np.array(home)), homeless)
    ]
    assert seconds[0] < 0.97 * seconds[1]


def test_a_plan_is_never_slower_than_the_job_s_own_order(change, corrected):
    made = plan(change(travel={"order": "fastest"}))
    assert made.totals.duration <= corrected.totals.duration
    assert made.finding_list[-1].code == "P110"


def test_an_order_that_cannot_be_improved_is_kept(change, probe_points):
    rows = [[x, 0.2, 0.35 - 0.1 * x, *NORMAL] for x in (0.1, 0.2, 0.3)]
    made = plan(change(points=probe_points(rows), travel={"order": "fastest"}))
    assert visits(made) == [0, 1, 2]
    assert "is the job's own" in made.finding_list[0].message


def test_the_same_order_in_every_run(change, scattered, pair):
    again = plan(change(points=scattered, travel={"order": "fastest"}))
    assert visits(again) == visits(pair[1])
    assert again.totals == pair[1].totals


def test_points_out_of_reach_are_left_out(change, probe_points):
    rows = [[x, 0.2, 0.35 - 0.1 * x, *NORMAL] for x in (0.3, 0.1, 0.2)]
    rows.insert(1, [5.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    made = plan(change(points=probe_points(rows), travel={"order": "fastest"}))
    assert sorted(visits(made)) == [0, 2, 3]
    assert [p.reachable for p in made.planned_points] == [True, False, True, True]
    assert [f.code for f in made.finding_list] == ["P101", "P110"]
