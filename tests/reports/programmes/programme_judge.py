"""What a run of a programme must have done, by its plan; and changes of a text that must be seen.

``faults`` compares a record with the plan: every motion, in order, with its speed; the hits with
those of a virtual measurement without noise; the log with the hits. A mutant is noticed where its
programme is refused, halts, collides, or any run of it has faults.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from planner.evaluation import nominal_points
from planner.plan import SegmentKind
from planner.reach.reach import some_points
from planner.virtual_measuring import measure_virtually
from planner.virtual_measuring.measuring import Prober, _measuring, _some, injected
from planner.virtual_measuring.true_part import PartErrors, TruePart
from reports.programmes.interpolation import TOLERANCE
from robots.core.pose import inverse_pose, transform_points
from tests.reports.programmes.virtual_arm import Fault, Halted, Refused

AT = 1e-9  # [rad, m] of postures in programmes
HIT = 1e-9  # [m]
SPEED = 1.0 + 1e-9
_AROUND = 0.015  # [m] of a point there is surface
_LOOKS = np.linspace(0.0, 1.0, 9)


class VirtualPart:
    """The true part: where the free ball first meets it.

    Args:
        plan: whose points it has.
        displaced: of the whole part, base frame. # (4, 4)
        away: names of the points whose surface is not there.
    """

    def __init__(self, plan, *, displaced=None, away=()):
        job = plan.job
        rows = np.array([k for k, p in enumerate(plan.planned_points) if p.reachable])
        self._true = TruePart(_some(nominal_points(job), rows), PartErrors(), 1)
        self._contacts = plan.placed.contacts[rows]
        self._away = np.array([plan.planned_points[k].name in away for k in rows])
        self._to_part = inverse_pose(job.part.T_base_part) @ inverse_pose(
            np.eye(4) if displaced is None else displaced
        )
        self._radius = job.probe.ball_radius

    def gap(self, ball):
        """Between ball and the surface of the point that is nearest. [m]."""
        ball = np.asarray(ball)
        apart = np.linalg.norm(self._contacts - ball, axis=1)
        k = int(np.argmin(apart))
        if self._away[k] or apart[k] > _AROUND:
            return 1.0
        nominal = transform_points(self._to_part, ball)
        everywhere = np.broadcast_to(nominal, (len(self._contacts), 3))
        return float(self._true.distances(everywhere)[k] - self._radius)

    def first_contact(self, path):
        """Where a path of the ball meets the part, from 0 to 1; None where it does not."""
        gaps = [self.gap(ball) for ball in path(_LOOKS)]
        for k in range(1, len(_LOOKS)):
            if gaps[k] <= 0.0 < gaps[k - 1]:
                return brentq(
                    lambda s: self.gap(path(s)[0]), _LOOKS[k - 1], _LOOKS[k], xtol=1e-14, rtol=1e-14
                )
        return None


def true_hits(plan):
    """Joints and ball centres of a measurement without noise, by the name of the point."""
    measured = measure_virtually(getattr(plan, "_base", plan))[0]
    return dict(zip(measured.names, zip(measured.q, measured.centres, strict=True), strict=True))


# ---------------------------------------------------------------------------------------- Judging


@dataclass
class Expected:
    """One touch as the plan has it."""

    name: str
    k: int
    way: np.ndarray  # (m, n) the travel that leads here, as it is certified


def visits(plan) -> list[Expected]:
    """The touches in order of time."""
    found, way = [], None
    for place, segment in enumerate(plan.timeline):
        if segment.kind is SegmentKind.TRAVEL:
            t = np.linspace(segment.start, segment.end, 200)
            way = plan.trajectory.segment_state(np.full(t.size, place), t).q
        elif segment.kind is SegmentKind.PROBE:
            found.append(Expected(segment.point, segment.point_index, way))
            way = None
    return found


def faults(plan, record, *, hits=None, cartesian=True) -> list[str]:
    """What a whole run did wrong.

    Args:
        plan: with motion.
        record: of the run.
        hits: ball centres by name; those of the nominal part when None.
        cartesian: whether lines of the ball are moves of their own, not polylines of joints.
    """
    wrong = []
    if record.halted:
        return [f"halted: {record.halted}"]
    model, points = plan.trajectory.model, plan.planned_points
    expected = visits(plan)
    legs = list(record.legs)
    place = 0

    def take():
        nonlocal place
        place += 1
        return legs[place - 1] if place <= len(legs) else None

    q = points[expected[0].k].q_clearance
    for visit in expected:
        point = points[visit.k]
        # The way here: joint moves that end at the clearance point.
        corners = [q]
        while place < len(legs) and legs[place].kind == "joint":
            leg = take()
            corners.append(leg.end)
            wrong += _rate_faults(plan, leg)
            if np.abs(corners[-1] - point.q_clearance).max() < AT:
                break
        wrong += _travel_faults(plan, visit, corners)
        approach, search = take(), take()
        wrong += _line_faults(visit.name, "approach", approach, point.q_search_start)
        wrong += _peak_faults(plan, visit, approach, SegmentKind.PROBE)
        wrong += _search_faults(plan, visit, search, point, model)
        back, retract = take(), take()
        wrong += _line_faults(visit.name, "back-off", back, point.q_back_off)
        if back is not None and back.speed > point.touch_speed * SPEED:
            wrong.append(f"{visit.name}: back-off at {back.speed} m/s")
        wrong += _line_faults(visit.name, "retract", retract, point.q_clearance)
        wrong += _peak_faults(plan, visit, retract, SegmentKind.RETRACT)
        q = point.q_clearance
    if place != len(legs):
        wrong.append(f"{len(legs)} motions, expected {place}")
    return [*wrong, *_log_faults(plan, record, expected, hits)]


def _travel_faults(plan, visit, corners) -> Iterator[str]:
    goal = plan.planned_points[visit.k].q_clearance
    if np.abs(corners[-1] - goal).max() > AT:
        yield f"{visit.name}: not travelled to"
    elif visit.way is not None:
        ends = np.array([visit.way[0], *corners[1:]])
        if np.degrees(_from_polyline(visit.way, ends).max()) > TOLERANCE * 1.01:
            yield f"{visit.name}: another way than the certified one"
        if np.degrees(_from_polyline(ends, visit.way).max()) > TOLERANCE * 1.01:
            yield f"{visit.name}: leaves the certified way"
    elif len(corners) > 1 and np.abs(corners[0] - corners[-1]).max() > 0.02:
        yield f"{visit.name}: a way that is not of the plan"


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
    limits = plan.job.joint_limits()
    if lead > 0.0:
        for what, value, limit in (
            ("speed", leg.speed, limits.max_speed),
            ("acceleration", leg.acceleration, limits.max_acceleration),
        ):
            if np.any(value * moved / lead > limit * (1.0 + 1e-6) + 1e-9):
                yield f"a joint move beyond the {what} limits"


def _line_faults(name, what, leg, goal) -> Iterator[str]:
    if leg is None:
        yield f"{name}: no {what}"
    elif leg.kind != "line":
        yield f"{name}: the {what} is no straight line"
    elif np.abs(leg.end - goal).max() > AT:
        yield f"{name}: the {what} ends elsewhere"
    elif leg.hit is not None:
        yield f"{name}: the {what} meets the part"


def _peak_faults(plan, visit, leg, kind) -> Iterator[str]:
    """A line faster than the plan ever runs it."""
    segment = next(s for s in plan.timeline if s.kind is kind and s.point_index == visit.k)
    length = plan.placed.distances[visit.k]
    if leg is not None and leg.speed > 1.875 * length / segment.duration * (1.0 + 1e-6):
        yield f"{visit.name}: {kind.value} at {leg.speed} m/s"


def _search_faults(plan, visit, leg, point, model) -> Iterator[str]:
    name = visit.name
    if leg is None or leg.kind != "line":
        yield f"{name}: no search"
        return
    if np.abs(leg.start - point.q_search_start).max() > AT:
        yield f"{name}: the search starts elsewhere"
    if np.abs(leg.target - point.q_search_end).max() > AT:
        yield f"{name}: the search ends elsewhere"
    if not abs(leg.speed / point.touch_speed - 1.0) <= 1e-9:
        yield f"{name}: searches at {leg.speed} m/s"
    if leg.hit is None:
        yield f"{name}: nobody saw a hit"
    elif leg.overrun > point.overrun * SPEED:
        yield f"{name}: overrun of {leg.overrun} m"
    elif not leg.stopped:
        yield f"{name}: the search is not stopped"


def log_rows(text: str) -> list[list[str]]:
    """Cells of a log."""
    return [row for row in csv.reader(io.StringIO(text)) if row]


def _log_faults(plan, record, expected, hits) -> Iterator[str]:
    rows = log_rows(record.log)
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
        hits = {name: centre for name, (_, centre) in true_hits(plan).items()}
    scale = np.array([np.pi / 180.0 if unit == "deg" else 1e-3 for unit in units])
    for row in rows[1:]:
        try:
            q = np.array([float(cell) for cell in row[1:]]) * scale
        except ValueError:
            yield f"{row[0]}: no numbers in the log"
            continue
        if q.shape != scale.shape:
            yield f"{row[0]}: {len(q)} joints in the log"
            continue
        away = np.linalg.norm(plan.trajectory.model.forward(q)[:3, 3] - hits[row[0]])
        if away > HIT:
            yield f"{row[0]}: hit {away:.3g} m elsewhere"


def miss_faults(plan, record, name) -> list[str]:
    """What a run did wrong in which one surface is not there."""
    wrong = []
    point = next(p for p in plan.planned_points if p.name == name)
    if not record.halted:
        wrong.append("a miss does not stop the programme")
    told = [what for kind, what in record.events if kind in ("message", "popup")]
    if not any(name in str(what) and "MISS" in str(what) for what in told):
        wrong.append("a miss is not reported")
    before = [visit.name for visit in visits(plan)]
    before = before[: before.index(name)]
    if [row[0] for row in log_rows(record.log)[1:]] != before:
        wrong.append("the log of a run with a miss")
    if not record.legs:
        return [*wrong, "no motion at all"]
    last = record.legs[-1]
    if np.abs(last.end - point.q_clearance).max() > AT:
        wrong.append("a miss does not retract")
    if last.kind == "line" and last.speed > point.touch_speed * SPEED:
        wrong.append("a miss retracts fast")
    return wrong


@dataclass
class Runs:
    """How a dialect is run: text and a part → record."""

    plan: object
    run: Callable  # (text, *, part=None, start=None, stuck=None) → Record

    def all_faults(self, text) -> list[str]:
        """Of a whole run, of one with a miss, of a start from elsewhere, of a stuck probe."""
        plan = self.plan
        try:
            wrong = faults(plan, self.run(text))
            name = visits(plan)[-1].name
            missed = self.run(text, part=VirtualPart(plan, away=(name,)))
            wrong += miss_faults(plan, missed, name)
            elsewhere = self.run(text, start=self.start + 0.02)
            if not elsewhere.halted or elsewhere.legs:
                wrong.append("starts from elsewhere")
            stuck = self.run(text, stuck=True)
            if not stuck.halted or any(leg.speed == self.touch_speed for leg in stuck.legs):
                wrong.append("searches with a probe that is triggered already")
        except (Refused, Fault, Halted, RecursionError) as seen:
            wrong = [f"{type(seen).__name__}: {seen}"]
        return wrong

    @property
    def start(self):
        """Where a programme begins."""
        controller = self.plan.job.controller
        if controller is not None and controller.home is not None:
            return controller.home
        return self.plan.planned_points[visits(self.plan)[0].k].q_clearance

    @property
    def touch_speed(self):
        """Of the first point."""
        return self.plan.planned_points[visits(self.plan)[0].k].touch_speed


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
        return [*lines[:k], lines[k][: match.start()] + new + lines[k][match.end() :], *lines[k + 1 :]]

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
