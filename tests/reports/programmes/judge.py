"""The judge of programmes that measure: what the arm in the cell did, beside what the plan says.

Any interpreter can be judged: it is made with a cell, a start posture and options of the arm, has
``run()``, ``arm``, ``log`` (lines), ``closed`` and ``first_speeds``, and ends before its end by one
of its own exceptions.
"""

from __future__ import annotations

import numpy as np

from reports.programmes.robot_programme import LINE_CHORD, SEARCH_CHORD, home_of
from reports.programmes.source import ProgrammeSource, Touch, steps_of
from tests.cases import some
from tests.reports.programmes.virtual_cell import Search, VirtualCell

SHIFT = np.array([0.25e-3, -0.24e-3, 0.2e-3])  # 0.4 mm
TURN = np.radians([0.12, -0.13, 0.09])  # 0.2°
HIT = 1e-9  # [m] of hits
PLACE = 1e-8  # [m] of other places
TIME = 2e-5  # relative; times are printed with six decimals
_MICROSECONDS = 2e-5


class WrongError(AssertionError):
    """A programme that does something else than its plan."""


class Judge:
    """Runs programmes of one plan.

    Args:
        plan: with a search.
        stops: exceptions by which an interpreter's programme stops itself.
        home_speed: of the way from home and back, as the interpreter has it.
    """

    def __init__(self, plan, stops, home_speed):
        self.plan, self.stops, self.home_speed = plan, stops, home_speed
        self.controller = plan.job.controller
        self.steps = steps_of(plan)
        self.touches = self.steps.touches
        self.ways = home_of(ProgrammeSource(plan), self.controller)
        self.home = self.ways.posture
        kinds = [joint.kind.angular for joint in plan.job.mechanism.movable]
        c = self.controller
        self.tolerances = np.where(kinds, c.start_tolerance, c.start_tolerance_sliding)
        touch = plan.job.touch
        self.arm = {"latency": touch.latency, "deceleration": self._deceleration()}
        self.moved = VirtualCell(plan, shift=SHIFT, turn=TURN)
        self.nominal = VirtualCell(plan)
        self.expected = self.moved.expected()
        self.as_planned = self.nominal.expected()

    def _deceleration(self):
        """Of the arm: so that it stops nowhere later than the plan has it."""
        latency = self.plan.job.touch.latency
        return max(t.speed**2 / (2.0 * (t.overrun - t.speed * latency)) for t in self.touches)

    def judge(self, make, places=None):
        """Hold every run of a programme to the plan.

        Args:
            make: ``make(cell, start, **options)`` → a machine.
            places: of the touches that are missed, stuck and nudged; by default the first and the
                last in the gate, all in the soak.

        Raises:
            WrongError, or whatever an interpreter refuses by.
        """
        machine = make(self.moved, self.home + 0.8 * self.tolerances, **self.arm)
        machine.run()
        self._measured(machine)
        places = some(range(len(self.touches)), gate=2) if places is None else places
        for place in places:
            self._missed(make, self.touches[place], place)
        self._refused(make, places)
        return machine

    # --- a run that measures ----------------------------------------------------------------------

    def _measured(self, machine):
        names, values = self._log(machine, len(self.touches))
        if names != [touch.name for touch in self.touches]:
            raise WrongError(f"the log names {names}")
        _need(machine.closed, "the log is open at the end")
        self._events(machine, self.touches)
        searches = machine.arm.searches
        hits = [s for s in searches if s.hit is not None]
        _need(len(hits) == len(self.touches), f"{len(hits)} hits")
        for touch, hit, q in zip(self.touches, hits, values, strict=True):
            self._hit(touch, hit, q, self.expected[touch.name])
        _near(machine.arm.rests, [touch.settle for touch in self.touches], 1e-6, "rests")
        speeds = [self.home_speed] * (len(self.ways.way_in) + len(self.ways.way_out))
        _need(machine.first_speeds == speeds, f"speeds {machine.first_speeds}")

    def _hit(self, touch, search, q, expected):
        ball = self.moved.ball(q)
        _near(ball, self.moved.ball(search.hit), HIT, "the log is not the hit")
        _near(q, search.hit, HIT, "the log is not the hit")
        gap = self.moved.gaps(ball[None])[0]
        gap = gap[self.moved.names.index(touch.name)]
        _need(abs(gap) <= HIT, f"{touch.name}: the logged ball is {gap} m off the surface")
        across = HIT if self.controller.cartesian else SEARCH_CHORD + HIT
        slope = max(abs(touch.cosine), 0.1)
        _near(ball, expected.centre, across / slope, f"{touch.name}: another hit than measured")

    def _log(self, machine, count):
        log = machine.log
        _need(len(log) >= 4 and all(line.startswith("# ") for line in log[:3]), "head of the log")
        joints = self.plan.job.mechanism.movable
        units = ["deg" if joint.kind.angular else "mm" for joint in joints]
        columns = [f"q{k}_{unit}" for k, unit in enumerate(units, start=1)]
        _need(log[3] == ",".join(["name", *columns]), f"columns {log[3]}")
        rows = [line.split(",") for line in log[4:] if not line.startswith("#")]
        _need(len(rows) == count, f"{len(rows)} hits in the log, not {count}")
        scales = np.where([unit == "deg" for unit in units], np.pi / 180.0, 1e-3)
        _need(all(len(row) == len(scales) + 1 for row in rows), "cells of the log")
        values = [np.array([float(v) for v in row[1:]]) * scales for row in rows]
        return [row[0] for row in rows], values

    # --- what the arm did -------------------------------------------------------------------------

    def _events(self, machine, touches, missed=None):
        """Every place in its order, with its time."""
        events = iter(machine.arm.events)
        here = None
        for step in self.steps.steps:
            if isinstance(step, Touch):
                if step not in touches:
                    break
                here = self._cycle(events, here, step, missed=step is missed)
            elif step.duration > 0.0 and here is not None:
                if missed is not None and here is None:
                    break
                here = self._travel(events, step, touches)
                if here is None:
                    break
            elif here is None:
                here = self._home_way(events, self.ways.way_in)
        if missed is None:
            self._home_way(events, self.ways.way_out)
        left = list(events)
        _need(not left, f"{len(left)} more motions than the plan has")

    def _home_way(self, events, corners):
        here = None
        for corner in corners:
            here = self._go(events, None, self.nominal.ball(corner), None, corner)
        return here

    def _travel(self, events, move, touches):
        if move.point not in [touch.name for touch in touches]:
            return None
        for corner in move.path[:-1]:
            self._go(events, None, self.nominal.ball(corner), None, corner)
        total = move.duration if len(move.path) == 1 else None
        return self._go(events, None, self.nominal.ball(move.path[-1]), total, move.path[-1])

    def _cycle(self, events, here, touch, *, missed):
        q = touch.q_search_start
        here = self._go(events, here, touch.search_start, touch.approach_time, q)
        here = self._search(events, touch, missed=missed)
        length = float(np.linalg.norm(touch.back_off - here))
        far = float(np.linalg.norm(touch.back_off - touch.search_end))
        most = 1.01 * length if self.controller.cartesian else 2.05 * far
        times = (length / touch.speed, most / touch.speed)
        here = self._go(events, here, touch.back_off, times, touch.q_back_off)
        self._backed_off(touch, missed=missed)
        return self._go(events, here, touch.clearance, touch.retract_time, touch.q_clearance)

    def _backed_off(self, touch, *, missed):
        speed = self._last.speed
        _need(speed <= touch.speed * (1.0 + 1e-9), f"backs off at {speed} m/s")
        _need(not missed or speed >= 0.9 * touch.speed, f"backs off at {speed} m/s")

    def _go(self, events, here, place, duration, q):
        """Motions to a place, near the straight line to it where ``here`` says from where."""
        total = 0.0
        while True:
            event = self._last = next(events, None)
            _need(event is not None, f"no motion to {place}")
            _need(not isinstance(event, Search), "a search where the plan has none")
            total += event.duration
            if float(np.linalg.norm(event.goal - place)) <= PLACE:
                _near(event.q, q, PLACE, f"joints at {place}")
                break
            _need(here is not None, f"a motion to {event.goal}, not to {place}")
            off = _off_line(event.goal, here, place)
            _need(off <= 2.0 * LINE_CHORD, f"{event.goal} is {off} m off the line to {place}")
        if isinstance(duration, tuple):
            _need(total >= duration[0] * (1.0 - 1e-8), f"too fast to {place}: {total} s")
            _need(total <= duration[1], f"too slow to {place}: {total} s")
        elif duration is not None:
            _near([total], [duration], _MICROSECONDS + TIME * duration, f"time to {place}")
        return place

    def _search(self, events, touch, *, missed):
        """One search, or several behind one another."""
        begin = touch.search_start
        while True:
            event = next(events, None)
            _need(isinstance(event, Search), f"{touch.name}: no search")
            _need(event.speed <= touch.speed * (1.0 + 1e-9), f"searches at {event.speed} m/s")
            _need(event.speed >= 0.99 * touch.speed, f"searches at {event.speed} m/s")
            _near(event.start, begin, SEARCH_CHORD + PLACE, f"{touch.name}: start of search")
            off = _off_line(event.goal, touch.search_start, touch.search_end)
            _need(off <= PLACE, f"{touch.name}: the search is {off} m off its line")
            _need(event.overrun <= touch.overrun * (1.0 + 1e-9), f"overrun {event.overrun}")
            begin = event.goal
            last = float(np.linalg.norm(event.goal - touch.search_end)) <= PLACE
            if event.hit is not None:
                _need(not missed, "a hit where nothing is")
                ball = self.nominal.ball(event.hit)
                return ball - event.overrun * touch.direction
            if last:
                _need(missed, f"{touch.name}: a miss")
                return touch.search_end

    # --- runs that do not measure -----------------------------------------------------------------

    def _missed(self, make, touch, place):
        """The part is away at one point: back to its clearance point, report, stop."""
        for options in ({}, {"goes_on": True}) if place == 0 else ({},):
            try:
                machine = make(
                    VirtualCell(self.plan, away={touch.name}), self.home, **self.arm, **options
                )
            except TypeError:  # an interpreter whose programmes end by themselves
                continue
            stopped = _stopped(machine, self.stops)
            _need(stopped or options, f"{touch.name} is away, and the programme goes on")
            self._events(machine, self.touches[: place + 1], missed=touch)
            names, _ = self._log(machine, place)
            _need(names == [t.name for t in self.touches[:place]], f"the log names {names}")
            _need(machine.log[-1] == f"# MISSED {touch.name}", f"the log ends {machine.log[-1]}")
            _need(machine.closed, "the log is open after a miss")

    def _refused(self, make, places):
        for k, tolerance in enumerate(self.tolerances):
            start = self.home.copy()
            start[k] += 1.25 * tolerance * (-1) ** k
            machine = make(self.nominal, start, **self.arm)
            _need(_stopped(machine, self.stops), f"it starts with joint {k + 1} off home")
            _need(not machine.arm.events and not machine.log, "it moves though not at home")
        machine = make(self.nominal, self.home, log_opens=False, **self.arm)
        _need(_stopped(machine, self.stops), "it measures without a log")
        _need(not machine.arm.events, "it moves without a log")
        for place in places:
            self._stuck(make, place)
            self._nudged(make, place)

    def _stuck(self, make, place):
        """The probe stays deflected behind a number of hits."""
        touches = self.touches[: place + 1]
        machine = make(self.nominal, self.home, stuck=place, **self.arm)
        _need(_stopped(machine, self.stops), "it measures with a probe that is stuck")
        names, _ = self._log(machine, place)
        _need(names == [t.name for t in touches[:-1]], f"the log names {names}")
        hits = [search.hit is not None for search in machine.arm.searches]
        good = sum(hits) == place and (not hits or hits[-1])
        _need(good, "a search with a stuck probe")
        # From where the search would begin it backs off at touch speed.
        events = machine.arm.motions
        at = [np.linalg.norm(e.goal - touches[-1].search_start) <= PLACE for e in events].index(
            True
        )
        far = float(np.linalg.norm(touches[-1].back_off - touches[-1].search_start))
        times = (far / touches[-1].speed, np.inf)
        self._go(iter(events[at + 1 :]), None, touches[-1].back_off, times, touches[-1].q_back_off)

    def _nudged(self, make, place):
        """Somebody pushes the arm before a point."""
        machine = make(self.nominal, self.home, **self.arm)
        machine.run()
        goals = [motion.goal for motion in machine.arm.motions]
        near = np.linalg.norm(np.array(goals) - self.touches[place].clearance, axis=1) <= PLACE
        push = np.zeros(len(self.home))
        push[0] = (
            np.radians(0.05) if self.tolerances[0] == self.controller.start_tolerance else 5e-5
        )
        nudge = (int(np.flatnonzero(near)[0]) + 1, push)
        machine = make(self.nominal, self.home, nudge=nudge, **self.arm)
        _need(_stopped(machine, self.stops), "it searches from a place where it was pushed")
        _need(len(machine.arm.motions) == nudge[0], "it goes on from where it was pushed")


def _stopped(machine, stops):
    try:
        machine.run()
    except stops:
        return True
    return False


def _off_line(place, first, last):
    way = last - first
    along = float((place - first) @ way) / max(float(way @ way), 1e-300)
    foot = first + np.clip(along, 0.0, 1.0) * way
    return float(np.linalg.norm(place - foot))


def _need(good, what):
    if not good:
        raise WrongError(what)


def _near(found, expected, tolerance, what):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    good = found.shape == expected.shape and np.all(np.abs(found - expected) <= tolerance)
    _need(bool(good), f"{what}: {found} instead of {expected}")
