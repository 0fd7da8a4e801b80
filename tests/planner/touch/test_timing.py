"""The cycle in time: approach that arrives at speed, search, stop, back-off, retract; the miss."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.job.settings import FeatureTouch, Touch
from planner.motion.motions import OneMotion
from planner.plan import SegmentKind
from planner.planning import plan
from planner.presenting.present import only
from planner.proof import prove
from planner.reach.placement import place
from planner.reach.reach import some_points
from planner.reach.robot import reach_of
from planner.touch.limits import TouchLimits
from planner.touch.lines import LineMotions
from planner.touch.timing import RISING, arriving_law, arriving_times, stopping_law
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import PathState
from tests.planner.touching import with_touch

KINDS = (
    SegmentKind.PROBE,
    SegmentKind.SEARCH,
    SegmentKind.STOP,
    SegmentKind.BACK_OFF,
    SegmentKind.RETRACT,
)


@pytest.fixture(scope="module")
def searched(corrected_job):
    """Two kinds of points, the second touched more slowly, and searched from nearer."""
    features = ("", "", "fine") * 3
    job = replace(corrected_job, points=replace(corrected_job.points, features=features))
    own = FeatureTouch(name="fine", speed=0.002, search_before=0.001, back_off=0.004)
    return plan(with_touch(job, mode="search", search_after=0.004, features=(own,)))


def speed_of(made, k):
    return 0.002 if made.job.points.features[k] == "fine" else 0.005


def ball(motion, model, t, side="right"):
    """Places and velocities of the ball. # (m, 3) each."""
    state = motion.trajectory.state(np.asarray(t, dtype=float), side)
    return model.forward(state.q)[:, :3, 3], model.velocity(state.q, state.qd)[:, :3]


def inside(segment, count):
    """Instants of a segment, its start a hair late: there the one before ends."""
    return segment.start + segment.duration * np.linspace(1e-9, 1.0, count)


def segments(motion, kind):
    return [s for s in motion.timeline if s.kind is kind]


# ----------------------------------------------------------------------------------- Arriving law


BETAS = np.concatenate([[0.0, 1.0, RISING], np.random.default_rng(0).uniform(0.0, RISING, 40)])


def test_an_approach_begins_at_rest_and_arrives_with_its_speed():
    """All six boundary conditions of a polynomial of degree five."""
    table, every = arriving_law(BETAS), np.arange(BETAS.size)
    for s, r, dr in ((0.0, 0.0, 0.0), (1.0, 1.0, BETAS)):
        found = table.at(every, np.full(BETAS.size, s))
        assert np.abs(found.r - r).max() < 1e-14
        assert np.abs(found.dr - dr).max() < 1e-13
        assert np.abs(found.ddr).max() < 1e-13


def test_its_progress_is_one_polynomial_of_degree_five():
    """Six places fix it; its derivatives are those of the polynomial through them."""
    s = np.linspace(0.0, 1.0, 41)
    nodes = 0.5 * (1.0 - np.cos(np.pi * np.arange(6) / 5.0))
    table = arriving_law(BETAS)
    assert table.pieces == 1
    for k in range(BETAS.size):
        fit = np.polynomial.Polynomial.fit(nodes, table.at(np.full(6, k), nodes).r, 5)
        found = table.at(np.full(s.size, k), s)
        assert np.abs(found.r - fit(s)).max() < 1e-12
        assert np.abs(found.dr - fit.deriv()(s)).max() < 1e-11
        assert np.abs(found.ddr - fit.deriv(2)(s)).max() < 1e-10


def test_up_to_twice_the_mean_speed_the_ball_never_turns_back():
    s = np.linspace(0.0, 1.0, 1001)
    for k in range(BETAS.size):
        assert arriving_law(BETAS).at(np.full(s.size, k), s).dr.min() >= -1e-12
    steep = arriving_law(np.array([2.6])).at(np.zeros(s.size, dtype=int), s)
    assert steep.dr.min() < -1e-3


# ----------------------------------------------------------------------------- Least time of lines


@pytest.fixture(scope="module")
def random_lines(corrected_job):
    """Lines of random points around the arm in all its postures, with random searches."""
    rng = np.random.default_rng(4)
    count = 40
    positions = np.column_stack(
        [
            rng.uniform(-0.9, 0.9, count),
            rng.uniform(0.6, 1.7, count),
            rng.uniform(-0.4, 1.2, count),
        ]
    )
    normals = rng.normal(size=(count, 3)) + np.array([0.0, -0.5, 1.5])
    names = tuple(f"P{k}" for k in range(count))
    points = ProbePoints(names=names, positions=positions, normals=normals)
    job = with_touch(replace(corrected_job, points=points, frame="base"), mode="search")
    placed = place(job)
    found = reach_of(job).candidates(placed)
    assert len(found.lines) >= 50
    rows = rng.choice(len(found.lines), min(len(found.lines), 80), replace=False)
    return found.lines.take(rows), some_points(placed, found.point[rows]), rng


def most(motions, limits, k, T):
    """The largest share of a speed or acceleration limit that one motion needs."""
    s = np.linspace(0.0, 1.0, 6001)
    state = OneMotion(motions, k).state(s, "left")
    speed = np.abs(state.dq) / T / limits.max_speed
    acceleration = np.abs(state.ddq) / T**2 / limits.max_acceleration
    return max(float(speed.max()), float(acceleration.max()))


def approaches(lines, placed, speed, T):
    start = placed.distances - placed.search_before
    between = (np.zeros(len(placed)), start / placed.lengths)
    return LineMotions(lines, arriving_law(speed * T / start), between=between), between, start


def test_the_least_time_of_an_approach_is_least(random_lines, limits):
    """On every line: its limits are kept, and a millionth less breaks one; so does much less."""
    lines, placed, rng = random_lines
    speed = rng.uniform(0.001, 0.03, len(placed))
    _, between, start = approaches(lines, placed, speed, np.ones(len(placed)))
    timed, possible = arriving_times(lines, between, (speed, start), limits, np.inf)
    longest = RISING * start / speed
    assert possible[timed.duration < longest].all()
    done = np.flatnonzero(timed.duration < longest)
    assert done.size >= 50
    kept = approaches(lines, placed, speed, timed.duration)[0]
    for factor in (1.0 - 1e-6, 0.98, 0.7, 0.3):
        shorter = factor * timed.duration
        motions = approaches(lines, placed, speed, shorter)[0]
        for k in done.tolist():
            assert most(motions, limits, k, shorter[k]) > 1.0 + 1e-7
    for k in done.tolist():
        # Between 6001 places a hill may be a little higher: 1 - cos(pi/6000).
        assert most(kept, limits, k, timed.duration[k]) == pytest.approx(1.0, abs=3e-7)


def test_a_joint_limit_that_binds_is_named(random_lines, limits):
    lines, placed, _ = random_lines
    speed = np.full(len(placed), 0.005)
    _, between, start = approaches(lines, placed, speed, speed)
    timed, _ = arriving_times(lines, between, (speed, start), limits, np.inf)
    names = {f"q{k} {what}" for k in range(1, 6) for what in ("velocity", "acceleration")}
    assert set(timed.bindings) <= names
    free = JointLimits(max_speed=np.full(5, 1e9), max_acceleration=np.full(5, 1e9))
    slow, _ = arriving_times(lines, between, (speed, start), free, 0.05)
    assert set(slow.bindings) == {"positioning speed"}


@pytest.mark.parametrize("rounds", [8, 1])
def test_an_approach_that_no_duration_allows_is_not_possible(
    random_lines, limits, rounds, monkeypatch
):
    """Whether its longest time is enough is known by a look at 6001 places; settled or not."""
    monkeypatch.setattr("planner.touch.timing._ROUNDS", rounds)
    lines, placed, _ = random_lines
    speed = np.geomspace(0.02, 2.0, len(placed))
    _, between, start = approaches(lines, placed, speed, np.ones(len(placed)))
    longest = RISING * start / speed
    timed, possible = arriving_times(lines, between, (speed, start), limits, np.inf)
    slowest = approaches(lines, placed, speed, longest)[0]
    shares = np.array([most(slowest, limits, k, longest[k]) for k in range(len(placed))])
    assert np.array_equal(possible, shares <= 1.0)
    assert 10 < np.count_nonzero(possible) < len(placed) - 10
    motions = approaches(lines, placed, speed, timed.duration)[0]
    for k in np.flatnonzero(possible).tolist():
        assert most(motions, limits, k, timed.duration[k]) < 1.0 + 1e-9


class Lost:
    """Lines of which one has no posture on a part of its way."""

    def __init__(self, lines, row, since):
        self._lines, self._row, self._since = lines, row, since
        for name in ("model", "starts", "ends"):
            setattr(self, name, getattr(lines, name))

    def __len__(self):
        return len(self._lines)

    def take(self, rows):
        own = np.flatnonzero(rows == self._row)
        return Lost(self._lines.take(rows), own[0] if own.size else -1, self._since)

    def path(self, index, lam):
        path = self._lines.path(index, lam)
        lost = ((index == self._row) & (lam > self._since))[:, None]
        parts = {name: getattr(path, name) for name in ("q", "dq", "ddq")}
        return PathState(**{name: np.where(lost, np.nan, part) for name, part in parts.items()})


def test_a_line_that_is_lost_on_its_way_allows_no_speed(random_lines, limits):
    """In its approach or in its search; the other lines have the numbers they had."""
    lines, placed, _ = random_lines
    every = np.arange(len(lines))
    found = SimpleNamespace(lines=lines, point=every)
    whole = TouchLimits(placed, found, limits, Touch())
    possible = whole.prove(every)
    row = int(np.flatnonzero(possible)[3])
    searched = (placed.distances - placed.search_before)[row] / placed.lengths[row]
    for since in (0.5 * searched, 0.5 * (1.0 + searched)):
        broken = TouchLimits(
            placed, SimpleNamespace(lines=Lost(lines, row, since), point=every), limits, Touch()
        )
        assert np.array_equal(broken.prove(every), possible & (every != row))
        assert broken.speeds[row] == 0.0
        assert np.array_equal(np.delete(broken.speeds, row), np.delete(whole.speeds, row))
    _, between, start = approaches(lines, placed, placed.touch_speeds, np.ones(len(placed)))
    lost = Lost(lines, row, 0.5 * searched)
    kept = arriving_times(lost, between, (placed.touch_speeds, start), limits, np.inf)[1]
    assert not kept[row]
    assert np.array_equal(np.delete(kept, row), np.delete(possible, row))


# -------------------------------------------------------------------------------------- In the plan


def test_kinds_and_laws(searched):
    laws = ("quintic", "linear", "stop", "trapezoid", "quintic")
    for kind, law in zip(KINDS, laws, strict=True):
        own = segments(searched, kind)
        assert len(own) == 9
        assert {s.law for s in own} == {law}


def test_the_approach_of_a_plan_arrives_with_the_touch_speed(searched):
    """Along its line, without acceleration at either end."""
    model, placed = searched.trajectory.model, searched.placed
    h = 1e-6
    for segment in segments(searched, SegmentKind.PROBE):
        k = segment.point_index
        v = -speed_of(searched, k) * placed.directions[k]
        _, first = ball(searched, model, [segment.start, segment.start + h])
        _, last = ball(searched, model, [segment.end - h, segment.end], "left")
        assert np.abs(first[0]).max() < 1e-12
        assert np.abs(last[1] - v).max() < 1e-12
        # r''' of 30 and a length of 47 mm in 0.09 s: 2000 m/s³, times h.
        for a, b in (first, last):
            assert np.linalg.norm(b - a) / h < 0.01


def test_the_speed_of_a_search_is_constant(searched):
    """To 1e-9 of it, and along the line; in the miss, too."""
    model, placed = searched.trajectory.model, searched.placed
    for motion in (searched, searched.miss):
        for segment in segments(motion, SegmentKind.SEARCH):
            k = segment.point_index
            part = np.linspace(1e-9, 1.0 - 1e-9, 101)
            place_, v = ball(motion, model, segment.start + part * segment.duration)
            asked = speed_of(searched, k)
            off = v + asked * placed.directions[k]
            assert np.linalg.norm(off, axis=1).max() < 1e-9 * asked
            way = np.sum((placed.contacts[k] - place_) * placed.directions[k], axis=1)
            expected = -placed.search_before[k] + asked * part * segment.duration
            assert np.abs(way - expected).max() < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_a_stop_covers_its_latency_and_an_even_deceleration(seed):
    """v·t + v²/2a, by quadrature of its speed; speed and time are those of the law's own terms."""
    rng = np.random.default_rng(seed)
    latency, v, a = rng.uniform(0.0, 0.02, 9), rng.uniform(1e-3, 0.3, 9), rng.uniform(0.05, 5.0, 9)
    latency[0] = 0.0
    table, T = stopping_law(latency, v, a), latency + v / a
    length = v * latency + v**2 / (2.0 * a)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    x, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    for k in range(9):
        covered, at = 0.0, np.full(4, k)
        for piece in range(2):
            ends = table.state(np.full(2, k), np.full(2, piece), np.array([0.0, 1.0]))
            state = table.state(at, np.full(4, piece), x)
            seconds = (ends.s[1] - ends.s[0]) * T[k]
            covered += seconds * np.sum(weights * state.dr) * length[k] / T[k]
            if seconds > 0.0:
                # In the latency at speed, then as hard as it is said.
                assert ends.dr * length[k] / T[k] == pytest.approx(
                    [v[k], v[k] if piece == 0 else 0.0], abs=1e-12
                )
                force = state.ddr * length[k] / T[k] ** 2
                assert force == pytest.approx(-a[k] * np.full(4, piece), abs=1e-9 * a[k])
        assert covered == pytest.approx(length[k], rel=1e-12)


@pytest.mark.parametrize("deceleration", [None, 0.5, 1.2])
def test_the_stop_of_a_plan(corrected_job, deceleration):
    """What the ball covers after the trigger is the overrun stated; the joints allow it."""
    job = with_touch(
        corrected_job, mode="search", speed=0.012, latency=0.004, deceleration=deceleration
    )
    made = plan(job)
    assert made.feasible
    model, placed = made.trajectory.model, made.placed
    nodes, weights = np.polynomial.legendre.leggauss(6)
    for motion, latency in ((made, 0.004), (made.miss, 0.0)):
        for segment in segments(motion, SegmentKind.STOP):
            k = segment.point_index
            slowing = segment.duration - latency
            if deceleration is None:
                assert 0.001 * (1 - 1e-9) <= slowing <= 0.020 * (1 + 1e-9)
            else:
                assert slowing == pytest.approx(0.012 / deceleration, rel=1e-9)
            t = segment.start + latency + slowing * 0.5 * (nodes + 1.0)
            velocity = ball(motion, model, t)[1]
            speed = -np.sum(velocity * placed.directions[k], axis=1)
            assert speed == pytest.approx(0.012 * 0.5 * (1.0 - nodes), abs=1e-9 * 0.012)
            covered = 0.012 * latency + 0.5 * slowing * np.sum(weights * speed)
            first, last = (ball(motion, model, [at])[0][0] for at in (segment.start, segment.end))
            gone = np.linalg.norm(first - last)
            assert gone == pytest.approx(covered, rel=1e-9)
            if motion is made:
                assert made.planned_points[k].overrun == pytest.approx(covered, rel=1e-9)
    limits = JointLimits.of(made.job.mechanism)
    t = np.concatenate([np.linspace(s.start, s.end, 50) for s in segments(made, SegmentKind.STOP)])
    share = np.abs(made.trajectory.state(t).qdd) / limits.max_acceleration
    assert share.max() <= 1.0 + 1e-9


def test_the_back_off_is_as_slow_as_the_touch(searched):
    model, placed = searched.trajectory.model, searched.placed
    for segment in segments(searched, SegmentKind.BACK_OFF):
        k = segment.point_index
        t = np.linspace(segment.start, segment.end, 2001)
        _, v = ball(searched, model, t)
        speed = np.sum(v * placed.directions[k], axis=1)
        assert speed.max() == pytest.approx(speed_of(searched, k), rel=1e-9)
        assert speed.min() > -1e-12
        first, last = (ball(searched, model, [at])[0][0] for at in (segment.start, segment.end))
        overrun = searched.planned_points[k].overrun
        assert np.abs(first - placed.contacts[k] + overrun * placed.directions[k]).max() < 1e-12
        assert np.abs(last - placed.back_offs[k]).max() < 1e-12


def test_a_miss_leaves_where_the_search_starts_and_comes_back_at_rest(searched):
    """It enters as the approach arrives, goes no deeper than its line, ends as the retract does."""
    model, placed, miss = searched.trajectory.model, searched.placed, searched.miss
    approach = {s.point_index: s for s in segments(searched, SegmentKind.PROBE)}
    order = [s.point_index for s in segments(searched, SegmentKind.PROBE)]
    assert [s.point_index for s in segments(miss, SegmentKind.SEARCH)] == order
    for k, number in zip(order, range(0, 27, 3), strict=True):
        search, stop, retract = miss.timeline[number : number + 3]
        assert {s.point_index for s in (search, stop, retract)} == {k}
        entered = miss.trajectory.state(np.array([search.start]))
        arrived = searched.trajectory.state(np.array([approach[k].end]), "left")
        assert np.abs(entered.q - arrived.q).max() < 1e-12
        assert np.abs(entered.qd - arrived.qd).max() < 1e-12
        point = searched.planned_points[k]
        assert np.abs(entered.q[0] - point.q_search_start).max() < 1e-12
        passed = miss.trajectory.state(np.array([search.end]), "left")
        stopping = miss.trajectory.state(np.array([stop.start]))
        assert np.abs(passed.q[0] - point.q_search_end).max() < 1e-12
        assert np.abs(passed.qd - stopping.qd).max() < 1e-12
        ends = [
            miss.trajectory.state(np.array([stop.end]), "left"),
            miss.trajectory.state(np.array([retract.start])),
            miss.trajectory.state(np.array([retract.end]), "left"),
        ]
        for state in ends:
            assert np.abs(state.qd).max() < 1e-12
        assert np.abs(ends[2].q[0] - point.q_clearance).max() < 1e-12
        t = np.append(np.linspace(search.start, retract.end, 501), stop.end)
        gone = placed.contacts[k] - ball(miss, model, t)[0]
        depth = np.sum(gone * placed.directions[k], axis=1)
        assert placed.search_after[k] < depth.max() <= placed.depths[k] + 1e-12


def test_a_miss_is_all_that_a_search_to_the_end_needs(corrected_job):
    """No dwell, no back-off, no travel in it; a plan to rest has none."""
    made = plan(with_touch(corrected_job, mode="search", settle=0.3))
    assert len(segments(made, SegmentKind.DWELL)) == 9
    kinds = {s.kind for s in made.miss.timeline}
    assert kinds == {SegmentKind.SEARCH, SegmentKind.STOP, SegmentKind.RETRACT}
    assert plan(corrected_job).miss is None


# ---------------------------------------------------------------------------- Limits of the drives


def test_a_heavy_approach_is_slowed_until_it_keeps_the_torque_limits(corrected_job):
    """It still arrives with the touch speed, and takes no longer than it must."""
    job = with_touch(corrected_job, mode="search")
    free = plan(job)
    probes = segments(free, SegmentKind.PROBE)

    def torques(made, kind):
        t = np.concatenate([inside(s, 400) for s in segments(made, kind)])
        state = made.trajectory.state(t, "left")
        return np.abs(made.trajectory.model.torques(state.q, state.qd, state.qdd))[:, 1]

    # Between what holding the arm asks and what the free approach does.
    holding = torques(free, SegmentKind.SEARCH).max()
    asked = torques(free, SegmentKind.PROBE).max()
    limit = holding + 0.3 * (asked - holding)
    limits = np.array([np.inf, limit, np.inf, np.inf, np.inf])
    held = plan(replace(job, checks=replace(job.checks, torque_limits=limits)))
    assert held.feasible
    assert prove(held).passed
    slowed = [s for s in segments(held, SegmentKind.PROBE) if s.binding == "torque"]
    assert slowed
    before = {s.point_index: s.duration for s in probes}
    model, placed = held.trajectory.model, held.placed
    for segment in slowed:
        assert segment.duration > before[segment.point_index]
        t = inside(segment, 4001)
        state = held.trajectory.state(t, "left")
        bears = np.abs(model.torques(state.q, state.qd, state.qdd))[:, 1].max()
        assert limit * (1.0 - 1e-6) < bears <= limit * (1.0 + 1e-9)
        _, v = ball(held, model, [segment.end], "left")
        assert np.abs(v[0] + 0.005 * placed.directions[segment.point_index]).max() < 1e-12


def test_what_no_slower_approach_helps_is_a_finding(corrected_job):
    """Gravity alone asks more of the second joint than the limit."""
    job = only(with_touch(corrected_job, mode="search"), np.arange(3))
    limits = np.array([np.inf, 1.0, np.inf, np.inf, np.inf])
    held = plan(replace(job, checks=replace(job.checks, torque_limits=limits)))
    assert not held.feasible
    said = [f.message for f in held.finding_list if f.code == "P105"]
    along = [one for one in said if not one.startswith("travel")]
    assert len(along) == 3  # what fails first along a line is enough to know
    assert all("no duration of an approach that ends at the touch speed" in one for one in along)


@pytest.mark.parametrize("order", ["as-given", "fastest"])
def test_the_positioning_speed_holds_wherever_the_ball_is_positioned(corrected_job, order):
    """Approach, retract and travel: kept by all, reached by those that are said to be bound."""
    job = with_touch(corrected_job, mode="search", positioning_speed=0.08)
    made = plan(replace(job, travel=replace(job.travel, order=order)))
    model = made.trajectory.model
    free = plan(with_touch(corrected_job, mode="search"))
    assert made.totals.duration > free.totals.duration
    bound = 0
    for motion in (made, made.miss):
        for kind in (SegmentKind.PROBE, SegmentKind.RETRACT, SegmentKind.TRAVEL):
            for segment in segments(motion, kind):
                t = inside(segment, 4001)
                speed = np.linalg.norm(ball(motion, model, t, "left")[1], axis=1).max()
                assert speed <= 0.08 * (1.0 + 1e-9)
                if segment.binding == "positioning speed":
                    bound += 1
                    assert speed > 0.08 * (1.0 - 2e-5)  # between 4001 instants
    assert bound >= 27
    assert prove(made).passed


def test_the_positioning_speed_holds_to_rest_too(corrected_job):
    made = plan(with_touch(corrected_job, positioning_speed=0.08))
    t = np.linspace(0.0, made.totals.duration, 40_001)
    speed = np.linalg.norm(ball(made, made.trajectory.model, t)[1], axis=1)
    assert 0.08 * (1.0 - 1e-5) < speed.max() <= 0.08 * (1.0 + 1e-9)


def test_a_search_is_one_of_its_own_for_every_speed(corrected_job):
    """Twice the speed takes half the time from start to contact."""
    slow, fast = (
        plan(with_touch(corrected_job, mode="search", speed=v, search_before=0.002))
        for v in (0.004, 0.008)
    )
    for one, other in zip(
        segments(slow, SegmentKind.SEARCH), segments(fast, SegmentKind.SEARCH), strict=True
    ):
        assert one.duration == pytest.approx(0.5, rel=1e-12)
        assert other.duration == pytest.approx(0.25, rel=1e-12)
