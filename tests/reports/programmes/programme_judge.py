"""What a run of a programme must have done, by its plan; and changes of a text that must be seen.

``faults`` compares a record with the plan: every motion, in order, with its speed; the hits with
those of a virtual measurement without noise; the log with the hits. A mutant is noticed where its
programme is refused, halts, collides, or any run of it has faults.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from planner.evaluation.job_evaluation import evaluate_job
from planner.evaluation.task import nominal_points
from planner.plan import SegmentKind
from reports.programmes.interpolation import TOLERANCE
from reports.programmes.rates import joint_rates
from reports.programmes.robot_programme import LINE_CHORD, SEARCH_CHORD, home_of
from reports.programmes.source import ProgrammeSource
from robots.core.controller import Controller
from robots.core.pose import inverse_pose, transform_points
from tests.cases import some
from tests.reports.programmes.virtual_arm import FaultError, HaltedError, RefusedError
from tests.reports.programmes.virtual_cell import CrashError, VirtualCell

AT = 1e-9  # [rad, m] of postures in programmes
HIT = 1e-9  # [m]
TURNED = 5e-6  # [rad] of the stylus along a line
READ = 1e-10  # [rad, m] of joints in the log
SPEED = 1.0 + 1e-9
_QUINTIC = 1.875 * (1.0 + 1e-6)  # peak of a degree-5 law over its mean
_PLACES = np.linspace(0.0, 1.0, 9)[:, None]
_MOST_CHORDS = 40


# ---------------------------------------------------------------------------------------- Judging


@dataclass
class Expected:
    """One touch as the plan has it."""

    name: str
    k: int
    way: np.ndarray  # (m, n) the travel that leads here, as it is certified


def home_way(plan):
    """Where programmes of a plan start and end."""
    joints = plan.job.mechanism.movable
    n = len(joints)
    own = Controller(
        axes=tuple(j.name for j in joints),
        order=np.arange(n),
        signs=np.ones(n),
        offsets=np.zeros(n),
    )
    return home_of(ProgrammeSource(plan), plan.job.controller or own)


@lru_cache(maxsize=8)
def visits(plan) -> list[Expected]:
    """The touches in order of time, found once for all the runs that are held to them."""
    found, way = [], None
    for place, segment in enumerate(plan.timeline):
        if segment.kind is SegmentKind.TRAVEL:
            t = np.linspace(segment.start, segment.end, 2000)
            way = plan.trajectory.segment_state(np.full(t.size, place), t).q
        elif segment.kind is SegmentKind.PROBE:
            found.append(Expected(segment.point, segment.point_index, way))
            way = None
    return found


def faults(plan, record, *, hits=None) -> list[str]:
    """What a whole run did wrong.

    Args:
        plan: with motion.
        record: of the run.
        hits: what the cell expects, by name; that of the nominal part when None.
    """
    if record.halted:
        return [f"halted: {record.halted}"]
    wrong: list[str] = []
    points, expected = plan.planned_points, visits(plan)
    legs = _Legs(record.legs)
    home = home_way(plan)
    q = points[expected[0].k].q_clearance
    for visit in expected:
        point, name = points[visit.k], visit.name
        ways = {
            kind: _time_of(plan, visit, kind) for kind in (SegmentKind.PROBE, SegmentKind.RETRACT)
        }
        here = visit.way is not None and np.abs(q - point.q_clearance).max() < AT
        moves = legs.none() if here else legs.joint_moves(point.q_clearance)
        wrong += _travel_faults(plan, visit, [q, *moves], legs.last)
        if visit.way is None:
            wrong += _corner_faults("from home", moves, [home.posture, *home.way_in])
        length = plan.placed.distances[visit.k]
        for what, stage, goal, peak in (
            ("approach", legs.until(point.q_search_start), point.q_search_start,
             _QUINTIC * length / ways[SegmentKind.PROBE]),
            ("search", legs.search(), point.q_search_end, point.touch_speed),
            ("back-off", legs.until(point.q_back_off), point.q_back_off, point.touch_speed),
            ("retract", legs.until(point.q_clearance), point.q_clearance,
             _QUINTIC * length / ways[SegmentKind.RETRACT]),
        ):  # fmt: skip
            wrong += (
                f"{name}: {what} {fault}" for fault in _stage_faults(plan, stage, goal, peak, what)
            )
            if what == "search":
                wrong += (f"{name}: {fault}" for fault in _search_faults(point, stage))
        q = point.q_clearance
    wrong += _corner_faults("home", [leg.end for leg in legs.rest], list(home.way_out))
    if any(leg.kind != "joint" for leg in legs.rest):
        wrong.append("a line after the last point")
    return [*wrong, *_log_faults(plan, record, expected, hits)]


def _corner_faults(what, found, corners) -> Iterator[str]:
    corners = [q for k, q in enumerate(corners) if k == 0 or np.any(q != corners[k - 1])]
    if len(found) != len(corners) or any(
        np.abs(a - b).max() > AT for a, b in zip(found, corners, strict=False)
    ):
        yield f"another way {what}"


class _Legs:
    """Motions of a run, taken in order."""

    def __init__(self, legs):
        self.rest, self.last = list(legs), []

    def none(self):
        """No moves."""
        self.last = []
        return self.last

    def joint_moves(self, goal):
        """Ends of joint moves up to a posture."""
        self.last = []
        while self.rest and self.rest[0].kind == "joint":
            self.last.append(self.rest.pop(0))
            if np.abs(self.last[-1].end - goal).max() < AT:
                break
        return [leg.end for leg in self.last]

    def until(self, goal):
        """Moves up to a posture; of none that ends there the first."""
        for count, leg in enumerate(self.rest[:_MOST_CHORDS], start=1):
            if leg.stopped:
                break
            if np.abs(leg.end - goal).max() < AT:
                found, self.rest = self.rest[:count], self.rest[count:]
                return found
        found, self.rest = self.rest[:1], self.rest[1:]
        return found

    def search(self):
        """Moves up to one that is stopped; without one the first."""
        for count, leg in enumerate(self.rest[:_MOST_CHORDS], start=1):
            if leg.stopped:
                found, self.rest = self.rest[:count], self.rest[count:]
                return found
        return self.until(np.inf)


def _time_of(plan, visit, kind):
    return next(s for s in plan.timeline if s.kind is kind and s.point_index == visit.k).duration


def _stage_faults(plan, stage, goal, peak, what) -> Iterator[str]:
    """Of moves that are to be a straight line of the ball at some speed at most."""
    if not stage:
        yield "is missing"
        return
    model = plan.trajectory.model
    start, end = stage[0].start, stage[-1].end if what != "search" else stage[-1].target
    if what != "search" and np.abs(end - goal).max() > AT:
        yield "ends elsewhere"
    # The line through the whole way; searches may be stopped before the last of their chords.
    line = model.forward(np.array([start, goal]))
    way = line[1, :3, 3] - line[0, :3, 3]
    length = np.linalg.norm(way)
    for leg in stage:
        fine = what == "search" or leg.kind == "path"
        bend = SEARCH_CHORD if fine else LINE_CHORD
        if leg.hit is not None and what != "search":
            yield "meets the part"
        speed = leg.speed
        if np.all(leg.target == leg.start):
            continue
        if leg.kind in ("joint", "path"):
            q = leg.start + _PLACES * (leg.target - leg.start)
            lead = np.abs(leg.target - leg.start).max()
            rates = np.broadcast_to((leg.target - leg.start) / lead, q.shape)
            if leg.kind == "joint":
                speed *= np.linalg.norm(model.velocity(q, rates)[:, :3], axis=1).max()
            else:
                q = leg.samples
            arms = model.forward(q)[:, :3, 3] - line[0, :3, 3]
            if length > 0.0:
                arms = arms - np.outer(arms @ way / length, way / length)
            if np.linalg.norm(arms, axis=1).max() > bend * 1.01:
                yield "leaves the line"
            if _turn(model.forward(q), line[0], q.shape[1]) > (TURNED if fine else 100.0 * TURNED):
                yield "turns the stylus"
        elif np.abs(leg.target - goal).max() > AT:
            yield "goes elsewhere"
        slow = leg.kind == "line" and what == "back-off" and speed < 0.9 * peak
        if speed > peak * SPEED or slow:
            yield f"at {speed} m/s"


def _turn(T, first, n):
    """Largest turn from an orientation; of fewer than six joints that of the stylus alone."""
    if n < 6:
        return float(np.linalg.norm(T[:, :3, 2] - first[:3, 2], axis=1).max())
    return float(np.abs(T[:, :3, :3] - first[:3, :3]).max())


def _search_faults(point, stage) -> Iterator[str]:
    if not stage or not stage[-1].stopped or stage[-1].hit is None:
        yield "nobody saw a hit"
        return
    leg = stage[-1]
    if np.abs(stage[0].start - point.q_search_start).max() > AT:
        yield "the search starts elsewhere"
    if leg.kind != "joint" and not leg.speed >= 0.9 * point.touch_speed:
        yield f"searches at {leg.speed} m/s"
    if leg.overrun > point.overrun * SPEED:
        yield f"overrun of {leg.overrun} m"


def _travel_faults(plan, visit, corners, legs) -> Iterator[str]:
    goal = plan.planned_points[visit.k].q_clearance
    for leg in legs:
        yield from (f"{visit.name}: {fault}" for fault in _rate_faults(plan, leg))
    if np.abs(corners[-1] - goal).max() > AT:
        yield f"{visit.name}: not travelled to"
    elif visit.way is not None:
        ends = np.array([visit.way[0], *(corners[1:] or corners)])
        if np.degrees(_from_polyline(visit.way, ends).max()) > TOLERANCE * 1.01:
            yield f"{visit.name}: another way than the certified one"
        if np.degrees(_from_polyline(ends, visit.way).max()) > TOLERANCE * 1.01:
            yield f"{visit.name}: leaves the certified way"
    elif not legs:
        yield f"{visit.name}: nothing goes to the first clearance point"


def _from_polyline(points, corners):
    """Largest difference of a joint from the nearest place of a polyline. # (m,)."""
    a, way = corners[:-1], np.diff(corners, axis=0)
    square = np.sum(way * way, axis=1)
    rel = points[:, None] - a
    along = np.sum(rel * way, axis=2) / np.where(square > 0.0, square, 1.0)
    foot = a + np.clip(along, 0.0, 1.0)[..., None] * way
    return np.abs(points[:, None] - foot).max(axis=2).min(axis=1)


def _rate_faults(plan, leg) -> Iterator[str]:
    """Speeds and accelerations of a joint move beyond the limits of job and robot."""
    moved = np.abs(leg.target - leg.start)
    lead = moved.max()
    if lead <= 0.0:
        return
    limits = plan.job.joint_limits()
    if leg.duration is not None:
        if leg.duration < joint_rates(plan, leg.start, leg.target).duration * (1.0 - 1e-6):
            yield "a joint move in less time than the limits need"
        return
    for what, value, limit in (
        ("speed", leg.speed, limits.max_speed),
        ("acceleration", leg.acceleration, limits.max_acceleration),
    ):
        if np.any(value * moved / lead > limit * (1.0 + 1e-6) + 1e-9):
            yield f"a joint move beyond the {what} limits"


def log_rows(text: str) -> list[list[str]]:
    """Cells of a log, comments left out."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [row for row in csv.reader(io.StringIO("\n".join(lines))) if row]


def _log_faults(plan, record, expected, hits) -> Iterator[str]:
    rows = log_rows(record.log)
    by_joints = any(leg.kind != "line" and leg.hit is not None for leg in record.legs)
    if "# MISSED" in record.log:
        yield "a miss in the log"
    joints = plan.job.mechanism.movable
    units = ["deg" if joint.kind.angular else "mm" for joint in joints]
    header = ["name", *(f"q{k}_{unit}" for k, unit in enumerate(units, start=1))]
    if not rows or rows[0] != header:
        yield f"the log begins with {rows[:1]}"
        return
    if [row[0] for row in rows[1:]] != [visit.name for visit in expected]:
        yield "the log has other points, or in another order"
        return
    if hits is None:
        hits = VirtualCell(plan).expected()
    scale = np.array([np.pi / 180.0 if unit == "deg" else 1e-3 for unit in units])
    seen = [leg.hit for leg in record.legs if leg.hit is not None]
    for row, read in zip(rows[1:], seen, strict=False):
        try:
            q = np.array([float(cell) for cell in row[1:]]) * scale
        except ValueError:
            yield f"{row[0]}: no numbers in the log"
            continue
        if q.shape != scale.shape:
            yield f"{row[0]}: {len(q)} joints in the log"
            continue
        if np.abs(q - read).max() > READ:
            yield f"{row[0]}: other joints than the controller's"
        k = next(visit.k for visit in expected if visit.name == row[0])
        normal = plan.placed.normals[k]
        away = plan.trajectory.model.forward(q)[:3, 3] - hits[row[0]].centre
        along = abs(float(away @ normal))
        across = float(np.linalg.norm(away - (away @ normal) * normal))
        if along > HIT or across > (SEARCH_CHORD if by_joints else HIT):
            yield f"{row[0]}: hit {along:.3g} m elsewhere, {across:.3g} m beside"


def peak_ball_speed(plan, record) -> float:
    """Of all motions of a run. [m/s]."""
    model, peaks = plan.trajectory.model, []
    for leg in record.legs:
        lead = np.abs(leg.target - leg.start).max()
        if leg.kind == "joint" and lead > 0.0:
            q = leg.start + np.linspace(0.0, 1.0, 33)[:, None] * (leg.target - leg.start)
            rates = np.broadcast_to((leg.target - leg.start) * leg.speed / lead, q.shape)
            peaks.append(np.linalg.norm(model.velocity(q, rates)[:, :3], axis=1).max())
        else:
            peaks.append(leg.speed)
    return float(max(peaks))


def miss_faults(plan, record, name) -> list[str]:
    """What a run did wrong in which one surface is not there."""
    wrong = []
    point = next(p for p in plan.planned_points if p.name == name)
    if not record.halted:
        wrong.append("a miss does not stop the programme")
    if not any(np.abs(leg.end - point.q_search_end).max() < AT for leg in record.legs):
        wrong.append("the search ends elsewhere")
    if record.log.count("# MISSED") != 1 or f"# MISSED {name}\n" not in record.log:
        wrong.append("the log does not tell of a miss")
    before = [visit.name for visit in visits(plan)]
    before = before[: before.index(name)]
    if [row[0] for row in log_rows(record.log)[1:]] != before:
        wrong.append("the log of a run with a miss")
    if not record.legs:
        return [*wrong, "no motion at all"]
    last = record.legs[-1]
    if np.abs(last.end - point.q_clearance).max() > AT:
        wrong.append("a miss does not retract")
    legs = _Legs([leg for leg in record.legs if leg is not None])
    while legs.rest and np.abs(legs.rest[0].start - point.q_search_end).max() > AT:
        legs.rest.pop(0)
    stage = legs.until(point.q_clearance)
    wrong += (
        f"a miss: {fault}"
        for fault in _stage_faults(plan, stage, point.q_clearance, point.touch_speed, "retract")
    )
    return wrong


class Runs:
    """How a dialect is run, and everything that its programme is judged by.

    In the gate two points are missed and two searches begun with a probe that is triggered, and
    every fourth start is tried; in the soak all of them.

    Args:
        plan: with motion.
        run: (text, *, cell=None, start=None, stuck=None) → Record.
    """

    def __init__(self, plan, run):
        self.plan, self.run = plan, run
        self.start = home_way(plan).posture
        self._reasons = None

    def all_faults(self, text) -> list[str]:
        """The first that is found in any run: whole, missing each point, stuck, from elsewhere."""
        try:
            reasons = []
            for told in self._scenarios(text):
                if isinstance(told, str):
                    return [told]
                reasons.append(told.halted)
        except (RefusedError, FaultError, HaltedError, CrashError, RecursionError) as seen:
            return [f"{type(seen).__name__}: {seen}"]
        if self._reasons is None:  # the first text is the programme itself
            self._reasons = reasons
        return [] if reasons == self._reasons else ["it says another reason for a stop"]

    def _scenarios(self, text):
        """Records, and faults as text."""
        plan = self.plan
        for one in some(list(self._starts()), gate=4):
            record = self.run(text, start=one)
            if not record.halted or record.legs:
                yield "starts from elsewhere"
            yield record
        record = self.run(text, start=self.start, stuck=True)
        if not record.halted or record.legs:
            yield "starts with a probe that is triggered"
        yield record
        record = self.run(text)
        yield from faults(plan, record)
        yield record
        for visit in some(visits(plan), gate=2):
            record = self.run(text, cell=VirtualCell(plan, away=(visit.name,)))
            yield from miss_faults(plan, record, visit.name)
            yield record
            begin = plan.planned_points[visit.k].q_search_start
            record = self.run(text, stuck=begin)
            if not record.halted or any(np.abs(l.start - begin).max() < AT for l in record.legs):
                yield f"{visit.name}: searches with a probe that is triggered"
            yield record

    def _starts(self):
        """Postures farther from the start than the tolerance, joint by joint."""
        for k in range(len(self.start)):
            for off in (-0.02, 0.02):
                start = np.array(self.start)
                start[k] += off
                yield start


def five_axes_faults(runs, text) -> list[str]:
    """Of many points: a whole run, and one that misses the last."""
    name = visits(runs.plan)[-1].name
    missed = runs.run(text, cell=VirtualCell(runs.plan, away=(name,)))
    return [*faults(runs.plan, runs.run(text)), *miss_faults(runs.plan, missed, name)]


SHIFT = 1e-3 * np.array([0.25, -0.24, 0.2])  # 0.4 mm
TURN = np.radians([0.12, -0.13, 0.09])  # 0.2°


def alignment_error(plan, run, text, folder) -> float:
    """A part stands elsewhere; how far off ``palpeur evaluate`` finds it from the log. [m].

    Args:
        plan: whose points hold a part in all six directions.
        run: as for ``Runs``.
        text: of the programme.
        folder: for the log.
    """
    cell = VirtualCell(plan, shift=SHIFT, turn=TURN)
    (folder / "hits.csv").write_text(run(text, cell=cell).log)
    job = plan.job
    job = replace(job, evaluation=replace(job.evaluation, alignment="normals"))
    found = evaluate_job(job, folder / "hits.csv").evaluation.alignment.fit.T_base_part
    T = job.part.T_base_part
    stands = inverse_pose(T) @ cell.displacement @ T
    points = nominal_points(job).positions
    away = transform_points(found, points) - transform_points(stands, points)
    return float(np.linalg.norm(away, axis=1).max())


# ---------------------------------------------------------------------------------------- Mutants


def mutants(text, operators, count, seed=18):
    """Different texts, each with one change of meaning: (name of the change, text).

    Args:
        text: of a programme.
        operators: by name: (rng, lines) → lines, or None where it finds nothing to change.
        count: how many.
        seed: of the draw.
    """
    rng = np.random.default_rng(seed)
    names = list(operators)
    found, seen = [], {text}
    for attempt in range(100 * count):
        name = names[attempt % len(names)]
        lines = operators[name](rng, text.split("\n"))
        changed = None if lines is None else "\n".join(lines)
        if changed is not None and changed not in seen:
            seen.add(changed)
            found.append((name, changed))
            if len(found) == count:
                return found
    raise AssertionError(f"only {len(found)} mutants of {count}")


def changed_line(pattern, change, *, flags=0):
    """An operator that changes one of the lines in which a pattern is found.

    Args:
        pattern: of the part that changes.
        change: (rng, match) → its replacement.
        flags: of the pattern.
    """
    compiled = re.compile(pattern, flags)

    def operator(rng, lines):
        places = [k for k, line in enumerate(lines) if compiled.search(line)]
        if not places:
            return None
        k = int(rng.choice(places))
        matches = list(compiled.finditer(lines[k]))
        match = matches[int(rng.integers(len(matches)))]
        new = change(rng, match)
        return [
            *lines[:k],
            lines[k][: match.start()] + new + lines[k][match.end() :],
            *lines[k + 1 :],
        ]

    return operator


def dropped_line(pattern):
    """An operator that leaves out one of the lines in which a pattern is found."""
    compiled = re.compile(pattern)

    def operator(rng, lines):
        places = [k for k, line in enumerate(lines) if compiled.search(line)]
        if not places:
            return None
        k = int(rng.choice(places))
        return [*lines[:k], *lines[k + 1 :]]

    return operator


def swapped(pattern):
    """An operator that exchanges a group of two lines in which a pattern is found."""
    compiled = re.compile(pattern)

    def operator(rng, lines):
        places = [k for k, line in enumerate(lines) if compiled.search(line)]
        if len(places) < 2:
            return None
        i, j = sorted(rng.choice(places, 2, replace=False).tolist())
        a, b = compiled.search(lines[i]), compiled.search(lines[j])
        if a[1] == b[1]:
            return None
        new = list(lines)
        new[i] = lines[i][: a.start(1)] + b[1] + lines[i][a.end(1) :]
        new[j] = lines[j][: b.start(1)] + a[1] + lines[j][b.end(1) :]
        return new

    return operator


def times(*factors):
    """Multiply a number by one of some factors."""

    def change(rng, match):
        digits = len(match[0].partition(".")[2])
        return f"{float(match[0]) * float(rng.choice(factors)):.{max(digits, 1)}f}"

    return change


def to(*texts):
    """Replace by one of some texts."""
    return lambda rng, _match: str(rng.choice(texts))
