"""Proven plans with one error planted in each: the validation must find every one.

A plan that passed its validation is changed in one place. Whether the change is an error at all is
computed, never assumed: a change that alters nothing that the plan says (two equal numbers swapped,
a clearance that is still kept) is left out. ``PLANTS`` names the kinds; each is a function of a
proven plan and a random generator that gives the changed plan, or None where it has no place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace

import numpy as np

from parts.geometry import TriangleMesh
from planner.clearance.checker import Checker
from planner.job.solids import Cell, Solid, SolidKind
from planner.job.stylus import BALL, SHANK
from planner.motion.sampled_motion import InMemory, SampledMotion, sampled
from planner.motion.trajectory import Trajectory
from planner.plan import Plan, Samples, SegmentKind
from planner.proof import prove

RELATIVE = 1e-6  # size of a planted error of a number


@dataclass(frozen=True)
class Planted:
    """A plan with an error, and the motion that is written out with it."""

    plan: Plan
    motion: SampledMotion


Plant = Callable[[Plan, np.random.Generator], "Plan | Planted | None"]
PLANTS: dict[str, Plant] = {}


def _plant(name: str) -> Callable[[Plant], Plant]:
    def register(function: Plant) -> Plant:
        PLANTS[name] = function
        return function

    return register


def _one(draw, items):
    """One of some things; None of none."""
    items = list(items)
    return items[int(draw.integers(len(items)))] if items else None


# --- limits that are passed ----------------------------------------------------------------------


def _limited(plan: Plan, joint: int, **limits: float) -> Plan:
    """The same plan with other limits of one joint of those that move."""
    mechanism = plan.job.mechanism
    wanted = mechanism.movable[joint].name
    joints = tuple(
        replace(one, **limits) if one.name == wanted else one for one in mechanism.joints
    )
    return replace(plan, job=replace(plan.job, mechanism=replace(mechanism, joints=joints)))


def _limit_below(plan: Plan, draw, peak: str, limit: str) -> Plan | None:
    """A limit that the motion passes by a millionth of it."""
    moving = [k for k, load in enumerate(plan.joint_loads) if (getattr(load, peak) or 0.0) > 1e-9]
    joint = _one(draw, moving)
    if joint is None:
        return None
    bound = getattr(plan.joint_loads[joint], peak) / (1.0 + RELATIVE)
    if bound > getattr(plan.job.mechanism.movable[joint], limit):
        return None
    return _limited(plan, joint, **{limit: bound})


@_plant("speed limit passed by 1e-6")
def _speed(plan, draw):
    return _limit_below(plan, draw, "peak_velocity", "max_speed")


@_plant("acceleration limit passed by 1e-6")
def _acceleration(plan, draw):
    return _limit_below(plan, draw, "peak_acceleration", "max_acceleration")


@_plant("torque limit passed by 1e-6")
def _torque(plan, draw):
    if any(finding.code == "P105" for finding in plan.finding_list):
        return None  # the plan claims no torque limit there
    return _limit_below(plan, draw, "peak_torque", "max_effort")


@_plant("position limit passed by 1e-8")
def _position(plan, draw):
    moving = [s for s in plan.timeline if s.duration > 0.0]
    if not moving:
        return None
    joint = int(draw.integers(plan.job.mechanism.dof))
    t = np.array([s.start for s in moving])
    q = plan.trajectory.state(t, "right").q[:, joint]
    own = plan.job.mechanism.movable[joint]
    size = 1e-8
    if draw.random() < 0.5:
        top = float(q.max()) - size
        return _limited(plan, joint, q_max=top) if own.q_min < top <= own.q_max else None
    low = float(q.min()) + size
    return _limited(plan, joint, q_min=low) if own.q_max > low >= own.q_min else None


@_plant("segment quicker than its limits allow by 1e-6")
def _quicker(plan, draw):
    """A motion that is bound by a limit, in less time; all that follows comes earlier."""
    bound = [i for i, s in enumerate(plan.timeline) if s.duration > 0.0 and s.binding]
    moving = [i for i in bound if plan.timeline[i].kind not in _OWN_TIME]
    i = _one(draw, moving)
    if i is None:
        return None
    by_speed = any(word in plan.timeline[i].binding for word in ("velocity", "speed"))
    return _timed(plan, i, (1.0 + RELATIVE) ** -(1.0 if by_speed else 0.5))


_OWN_TIME = (SegmentKind.DWELL, SegmentKind.SEARCH, SegmentKind.STOP)


def _timed(plan: Plan, i: int, factor: float) -> Plan:
    """A plan whose segment i takes longer or less, truly: clock, trajectory and total agree."""
    changed = _with_times(plan, i, factor)
    duration = changed.timeline[-1].end
    return replace(changed, totals=replace(plan.totals, duration=duration))


def _with_times(motion, i: int, factor: float):
    """The same of a plan without its total, or of a miss."""
    durations = np.array([s.duration for s in motion.timeline])
    durations[i] *= factor
    starts = np.concatenate([[0.0], np.cumsum(durations)[:-1]])
    segments = tuple(
        replace(s, start=float(a), duration=float(d))
        for s, a, d in zip(motion.timeline, starts, durations, strict=True)
    )
    own = motion.trajectory
    trajectory = Trajectory(own.model, starts, durations, own.stretches, own._rests)
    return replace(motion, timeline=segments, trajectory=trajectory)


# --- numbers that are reported -------------------------------------------------------------------


def _load(quantity: str) -> Plant:
    def plant(plan: Plan, draw) -> Plan | None:
        working = [k for k, load in enumerate(plan.joint_loads) if getattr(load, quantity) != 0.0]
        joint = _one(draw, working)
        if joint is None:
            return None
        return _with_load(plan, joint, quantity, 1.0 + RELATIVE * draw.choice([-1.0, 1.0]))

    return plant


_EXACT = 1e-13  # of the largest torque: what double precision knows of any


def _rounding(plan: Plan, joint: int, quantity: str) -> float:
    """What the rounding of the largest torque makes of a joint's figure: a change below is none."""
    torque = _EXACT * max(load.peak_torque or 0.0 for load in plan.joint_loads)
    if quantity in ("peak_torque", "rms_torque"):
        return torque
    if quantity == "peak_power":
        return torque * plan.joint_loads[joint].peak_velocity
    if quantity in ("energy", "net_work"):
        t = np.linspace(0.0, plan.totals.duration, 4001)
        q = plan.trajectory.state(t).q[:, joint]
        return torque * float(np.sum(np.abs(np.diff(q))))
    return 0.0


def _with_load(plan: Plan, joint: int, quantity: str, factor: float) -> Plan | None:
    loads = list(plan.joint_loads)
    value = getattr(loads[joint], quantity)
    if value is None:  # masses that are not known
        return None
    # A number that rounding itself makes says nothing: below 1e-9 of the busiest joint's, or net
    # work that is left of ten thousand times as much, given and taken back.
    busiest = max(abs(getattr(load, quantity)) for load in loads)
    if abs(value) < 1e-9 * busiest:
        return None
    if quantity == "net_work" and abs(value) < 1e-4 * loads[joint].energy:
        return None
    if abs(value * (factor - 1.0)) < _rounding(plan, joint, quantity):
        return None
    loads[joint] = replace(loads[joint], **{quantity: value * factor})
    return replace(plan, joint_loads=tuple(loads))


for _quantity, _said in (
    ("peak_velocity", "peak speed"),
    ("peak_acceleration", "peak acceleration"),
    ("peak_torque", "peak torque"),
    ("rms_torque", "rms torque"),
    ("peak_power", "peak power of a joint"),
    ("energy", "energy of a joint"),
    ("net_work", "net work of a joint"),
):
    PLANTS[f"{_said} wrong by 1e-6"] = _load(_quantity)


def _total(quantity: str) -> Plant:
    def plant(plan: Plan, draw) -> Plan | None:
        value = getattr(plan.totals, quantity)
        if not value or (quantity == "net_work" and abs(value) < 1e-4 * plan.totals.energy):
            return None
        changed = value * (1.0 + RELATIVE * draw.choice([-1.0, 1.0]))
        return replace(plan, totals=replace(plan.totals, **{quantity: changed}))

    return plant


for _quantity, _said in (
    ("duration", "duration"),
    ("energy", "total energy"),
    ("net_work", "total net work"),
    ("peak_power", "peak power"),
    ("min_power", "minimum power"),
):
    PLANTS[f"{_said} wrong by 1e-6"] = _total(_quantity)


@_plant("loads of two joints swapped")
def _loads_swapped(plan, draw):
    if len(plan.joint_loads) < 2:
        return None
    a, b = draw.choice(len(plan.joint_loads), 2, replace=False)
    loads = list(plan.joint_loads)
    one, other = loads[a], loads[b]
    numbers = (
        "peak_velocity",
        "peak_acceleration",
        "peak_torque",
        "rms_torque",
        "peak_power",
        "energy",
        "net_work",
    )
    apart = [
        abs(getattr(one, n) - getattr(other, n))
        > 1e-4 * max(abs(getattr(one, n)), abs(getattr(other, n)))
        for n in numbers
        if getattr(one, n) is not None
    ]
    if not any(apart):
        return None
    loads[a], loads[b] = replace(other, name=one.name), replace(one, name=other.name)
    return replace(plan, joint_loads=tuple(loads))


# --- times ---------------------------------------------------------------------------------------


@_plant("start of a segment wrong by 1e-6")
def _start(plan, draw):
    late = [i for i, s in enumerate(plan.timeline) if s.start > 1e-3]
    i = _one(draw, late)
    if i is None:
        return None
    segments = list(plan.timeline)
    segments[i] = replace(segments[i], start=segments[i].start * (1.0 + RELATIVE))
    return replace(plan, timeline=tuple(segments))


@_plant("duration of a segment wrong by 1e-6")
def _duration(plan, draw):
    i = _one(draw, [i for i, s in enumerate(plan.timeline) if s.duration > 1e-3])
    if i is None:
        return None
    segments = list(plan.timeline)
    segments[i] = replace(segments[i], duration=segments[i].duration * (1.0 - RELATIVE))
    return replace(plan, timeline=tuple(segments))


@_plant("points of two segments swapped")
def _segments_swapped(plan, draw):
    rows = range(len(plan.timeline))
    pairs = [
        (i, j)
        for i in rows
        for j in rows
        if i < j and plan.timeline[i].point_index != plan.timeline[j].point_index
    ]
    pair = _one(draw, pairs)
    if pair is None:
        return None
    i, j = pair
    segments = list(plan.timeline)
    one, other = segments[i], segments[j]
    segments[i] = replace(one, point=other.point, point_index=other.point_index)
    segments[j] = replace(other, point=one.point, point_index=one.point_index)
    return replace(plan, timeline=tuple(segments))


# --- points --------------------------------------------------------------------------------------


def _reached(plan: Plan) -> list[int]:
    return [k for k, point in enumerate(plan.planned_points) if point.reachable]


def _with_point(plan: Plan, k: int, **values) -> Plan:
    points = list(plan.planned_points)
    points[k] = replace(points[k], **values)
    return replace(plan, planned_points=tuple(points))


@_plant("contact placed 1 um elsewhere")
def _contact(plan, draw):
    k = int(draw.integers(len(plan.planned_points)))
    contacts = np.array(plan.placed.contacts)
    contacts[k] += 1e-6 * _direction(draw)
    return replace(plan, placed=replace(plan.placed, contacts=contacts))


@_plant("normal turned by 1e-5 rad")
def _normal(plan, draw):
    k = int(draw.integers(len(plan.planned_points)))
    normals = np.array(plan.placed.normals)
    normals[k] += 1e-5 * _across(normals[k], draw)
    normals[k] /= np.linalg.norm(normals[k])
    return replace(plan, placed=replace(plan.placed, normals=normals))


@_plant("stylus axis turned by 1e-5 rad")
def _axis(plan, draw):
    k = int(draw.integers(len(plan.planned_points)))
    axes = np.array(plan.placed.axes)
    axes[k] += 1e-5 * _across(axes[k], draw)
    axes[k] /= np.linalg.norm(axes[k])
    return replace(plan, placed=replace(plan.placed, axes=axes))


def _direction(draw) -> np.ndarray:
    way = draw.normal(size=3)
    return way / np.linalg.norm(way)


def _across(axis, draw) -> np.ndarray:
    way = np.cross(axis, _direction(draw))
    return way / np.linalg.norm(way)


def _posture(name: str) -> Plant:
    def plant(plan: Plan, draw) -> Plan | None:
        reached = _reached(plan)
        if len(reached) < 2:
            return None
        a, b = draw.choice(reached, 2, replace=False)
        other = getattr(plan.planned_points[b], name)
        if np.max(np.abs(getattr(plan.planned_points[a], name) - other)) < 1e-7:
            return None
        return _with_point(plan, a, **{name: other})

    return plant


PLANTS["contact posture of another point"] = _posture("q_contact")
PLANTS["clearance posture of another point"] = _posture("q_clearance")
PLANTS["search start posture of another point"] = _posture("q_search_start")
PLANTS["search end posture of another point"] = _posture("q_search_end")
PLANTS["back-off posture of another point"] = _posture("q_back_off")


@_plant("two joints of a contact posture swapped")
def _joints_swapped(plan, draw):
    k = _one(draw, _reached(plan))
    if k is None:
        return None
    q = np.array(plan.planned_points[k].q_contact)
    a, b = draw.choice(q.size, 2, replace=False)
    if abs(q[a] - q[b]) < 1e-7:
        return None
    q[[a, b]] = q[[b, a]]
    return _with_point(plan, k, q_contact=q)


@_plant("a joint of a contact posture turned once more")
def _turned(plan, draw):
    """The same place and stylus, but not the posture that the motion takes there."""
    k = _one(draw, _reached(plan))
    turning = [j for j, one in enumerate(plan.job.mechanism.movable) if one.kind.angular]
    if k is None:
        return None
    q = np.array(plan.planned_points[k].q_contact)
    q[_one(draw, turning)] += 2.0 * np.pi * draw.choice([-1.0, 1.0])
    return _with_point(plan, k, q_contact=q)


@_plant("posture of another branch")
def _branch_posture(plan, draw):
    """Another posture that brings the ball to the same place, and states the same branch."""
    from planner.reach.placement import place
    from planner.reach.robot import reach_of

    k = _one(draw, _reached(plan))
    if k is None:
        return None
    found = reach_of(plan.job).candidates(place(plan.job))
    rows = np.nonzero(found.point == k)[0]
    own = plan.planned_points[k].q_clearance
    rows = [r for r in rows if np.max(np.abs(found.lines.q_starts[r] - own)) > 1e-6]
    row = _one(draw, rows)
    if row is None:
        return None
    at = plan.placed.at_contact()[[k]]
    q = found.lines.joints(np.array([row]), at)[0]
    if not np.all(np.isfinite(q)):
        return None
    return _with_point(plan, k, q_clearance=found.lines.q_starts[row], q_contact=q)


@_plant("branch name of another branch")
def _branch_name(plan, draw):
    k = _one(draw, _reached(plan))
    if k is None or not plan.planned_points[k].branch:
        return None
    words = plan.planned_points[k].branch.split(" ")
    j = int(draw.integers(len(words)))
    words[j] = words[j][:-1] + ("-" if words[j].endswith("+") else "+")
    return _with_point(plan, k, branch=" ".join(words))


@_plant("joint margin overstated by 1e-4 rad")
def _margin(plan, draw):
    k = _one(draw, [k for k in _reached(plan) if np.isfinite(plan.planned_points[k].joint_margin)])
    if k is None:
        return None
    return _with_point(plan, k, joint_margin=plan.planned_points[k].joint_margin + 1e-4)


@_plant("singularity margin overstated by 1e-6")
def _singular(plan, draw):
    k = _one(draw, _reached(plan))
    if k is None:
        return None
    margin = plan.planned_points[k].singularity_margin + RELATIVE
    return _with_point(plan, k, singularity_margin=margin)


@_plant("clearance of a point overstated by 0.1 mm")
def _point_clearance(plan, draw):
    stated = [k for k in _reached(plan) if plan.planned_points[k].min_clearance is not None]
    k = _one(draw, stated)
    if k is None:
        return None
    return _with_point(plan, k, min_clearance=plan.planned_points[k].min_clearance + 1e-4)


@_plant("a reached point called unreached")
def _unreached(plan, draw):
    k = _one(draw, _reached(plan))
    return None if k is None else _with_point(plan, k, reachable=False)


@_plant("an unreached point without its finding")
def _silent(plan, _):
    """A plan that misses points, or passes over what stands in the way, and is called feasible."""
    if plan.feasible:
        return None
    kept = tuple(f for f in plan.finding_list if f.severity.value != "error")
    return replace(plan, finding_list=kept)


# --- the probing cycle ---------------------------------------------------------------------------


def _at(plan: Plan, *kinds: SegmentKind) -> list[int]:
    """Segments of some kinds that take time."""
    return [i for i, s in enumerate(plan.timeline) if s.kind in kinds and s.duration > 0.0]


def _of_another_cycle(plan: Plan, **touch) -> Plan | None:
    """The motion of a job with another cycle, whose lengths are stated as those of this one."""
    from planner.planning import plan as planned

    own = plan.job.touch
    features = tuple(
        replace(one, **{k: None for k in touch if hasattr(one, k)}) for one in own.features
    )
    other = planned(replace(plan.job, touch=replace(own, **touch, features=features)))
    if _reached(other) != _reached(plan) or other.miss is None:
        return None
    return replace(other, job=plan.job, placed=plan.placed)


def _visited(plan: Plan) -> list[int]:
    """Points that are searched."""
    return [] if plan.miss is None else _reached(plan)


def _shortest(plan: Plan, name: str) -> float:
    return float(np.min(getattr(plan.placed, name)[_visited(plan)]))


@_plant("search faster by 1e-6")
def _faster(plan, draw):
    i = _one(draw, _at(plan, SegmentKind.SEARCH))
    return None if i is None else _timed(plan, i, 1.0 / (1.0 + RELATIVE))


@_plant("search of a miss slower by 1e-6")
def _slower_miss(plan, draw):
    if plan.miss is None:
        return None
    kinds = [i for i, s in enumerate(plan.miss.timeline) if s.kind is SegmentKind.SEARCH]
    return replace(plan, miss=_with_times(plan.miss, _one(draw, kinds), 1.0 + RELATIVE))


@_plant("touch speed of another job, 1e-6 above")
def _touch_speed(plan, _):
    """All of the cycle is planned for it: no jump anywhere."""
    if not _visited(plan) or plan.job.touch.features:
        return None
    return _of_another_cycle(plan, speed=plan.job.touch.speed * (1.0 + RELATIVE))


@_plant("touch speed stated of a point wrong by 1e-6")
def _stated_speed(plan, draw):
    k = _one(draw, _visited(plan))
    if k is None:
        return None
    speed = plan.planned_points[k].touch_speed * (1.0 + RELATIVE * draw.choice([-1.0, 1.0]))
    return _with_point(plan, k, touch_speed=speed)


@_plant("touch speed placed wrong by 1e-6")
def _placed_speed(plan, draw):
    k = _one(draw, _visited(plan))
    if k is None:
        return None
    speeds = np.array(plan.placed.touch_speeds)
    speeds[k] *= 1.0 + RELATIVE
    return replace(plan, placed=replace(plan.placed, touch_speeds=speeds))


def _moved_search(name: str) -> Plant:
    def plant(plan: Plan, _) -> Plan | None:
        if not _visited(plan) or plan.job.touch.features:
            return None
        length = _shortest(plan, name)
        if length < 1e-5:
            return None
        return _of_another_cycle(plan, **{name: length - 1e-6})

    return plant


PLANTS["search starts 1 um late"] = _moved_search("search_before")
PLANTS["miss ends its search 1 um early"] = _moved_search("search_after")
PLANTS["back-off 1 um short"] = _moved_search("back_off")


def _placed(name: str) -> Plant:
    def plant(plan: Plan, draw) -> Plan | None:
        k = _one(draw, _visited(plan))
        if k is None:
            return None
        values = np.array(getattr(plan.placed, name))
        values[k] += 1e-8
        return replace(plan, placed=replace(plan.placed, **{name: values}))

    return plant


for _quantity, _said in (
    ("search_before", "search start"),
    ("search_after", "search end"),
    ("depths", "line end"),
    ("back_off", "back-off"),
):
    PLANTS[f"{_said} placed 10 nm elsewhere"] = _placed(_quantity)


@_plant("stop longer than stated, by 1e-4 of it")
def _longer_stop(plan, draw):
    i = _one(draw, _at(plan, SegmentKind.STOP))
    return None if i is None else _timed(plan, i, 1.0 + 1e-4)


@_plant("latency longer by 1 us")
def _latency(plan, _):
    """All of the cycle is planned for it; the line is as long for it as it was."""
    visited = _visited(plan)
    if not visited or max(plan.planned_points[k].touch_speed for k in visited) < 2e-3:
        return None  # the overrun would not be longer by as much as a plan states it to
    other = _of_another_cycle(plan, latency=plan.job.touch.latency + 1e-6)
    if other is None:
        return None
    # What the points say of their overruns is true of what the job asks for.
    for k in _visited(plan):
        other = _with_point(other, k, overrun=plan.planned_points[k].overrun)
    return other


@_plant("stop 0.1 % harder than the job asks")
def _harder(plan, _):
    asked = plan.job.touch.deceleration
    if not _visited(plan) or asked is None or plan.job.touch.features:
        return None
    other = _of_another_cycle(plan, deceleration=1.001 * asked)
    if other is None:
        return None
    # No stop is shorter than a cycle of the controller, however hard it may be.
    shorter = [
        plan.planned_points[k].overrun - other.planned_points[k].overrun for k in _visited(plan)
    ]
    return other if max(shorter) > 1e-9 else None


@_plant("overrun understated by 10 nm")
def _overrun(plan, draw):
    k = _one(draw, _visited(plan))
    if k is None:
        return None
    return _with_point(plan, k, overrun=plan.planned_points[k].overrun - 1e-8)


@_plant("back-off faster than the touch speed by 1e-6")
def _fast_back_off(plan, draw):
    at_speed = [i for i in _at(plan, SegmentKind.BACK_OFF) if plan.timeline[i].binding == _TOUCH]
    i = _one(draw, at_speed)
    return None if i is None else _timed(plan, i, 1.0 / (1.0 + RELATIVE))


_TOUCH = "touch speed"


@_plant("positioning speed passed by 1e-6")
def _positioning(plan, draw):
    """The ball's speed is sampled: the motion passes the limit by that at least."""
    kinds = (SegmentKind.PROBE, SegmentKind.RETRACT, SegmentKind.TRAVEL)
    i = _one(draw, _at(plan, *kinds))
    if i is None:
        return None
    own = plan.timeline[i]
    t = own.start + own.duration * np.linspace(1e-6, 1.0 - 1e-6, 2001)
    state = plan.trajectory.state(t)
    speed = plan.trajectory.model.velocity(state.q, state.qd)[:, :3]
    limit = float(np.max(np.linalg.norm(speed, axis=1))) / (1.0 + RELATIVE)
    touch = plan.job.touch
    if limit <= 0.0 or limit >= touch.positioning_speed:
        return None
    return replace(plan, job=replace(plan.job, touch=replace(touch, positioning_speed=limit)))


@_plant("settle shortened by 1e-6")
def _settle(plan, draw):
    long = [i for i in _at(plan, SegmentKind.DWELL) if plan.timeline[i].duration > 0.01]
    i = _one(draw, long)
    return None if i is None else _timed(plan, i, 1.0 - RELATIVE)


def _ordered(plan: Plan, order: list[int]) -> Plan:
    """The segments in another order, or some of them only, truly run so."""
    rows = np.array(order)
    place = np.full(len(plan.timeline), -1)
    place[rows] = np.arange(rows.size)
    durations = np.array([plan.timeline[i].duration for i in order])
    starts = np.concatenate([[0.0], np.cumsum(durations)[:-1]])
    segments = tuple(
        replace(plan.timeline[i], start=float(a)) for i, a in zip(order, starts, strict=True)
    )
    own, stretches = plan.trajectory, []
    for stretch in own.stretches:
        kept = place[stretch.segment] >= 0
        segment = place[stretch.segment][kept]
        stretches.append(replace(stretch, index=stretch.index[kept], segment=segment))
    trajectory = Trajectory(own.model, starts, durations, stretches, own._rests[rows])
    totals = replace(plan.totals, duration=float(np.sum(durations)))
    return replace(plan, timeline=segments, trajectory=trajectory, totals=totals)


@_plant("travel before back-off")
def _early_travel(plan, draw):
    offs = [i for i in _at(plan, SegmentKind.BACK_OFF) if i + 2 < len(plan.timeline)]
    i = _one(draw, offs)
    if i is None:
        return None
    order = list(range(len(plan.timeline)))
    order[i : i + 3] = [i + 2, i, i + 1]
    return _ordered(plan, order)


@_plant("a back-off left out")
def _no_back_off(plan, draw):
    i = _one(draw, _at(plan, SegmentKind.BACK_OFF))
    return None if i is None else _ordered(plan, [k for k in range(len(plan.timeline)) if k != i])


@_plant("a rest after the stop left out")
def _no_rest(plan, draw):
    i = _one(draw, _at(plan, SegmentKind.DWELL))
    return None if i is None else _ordered(plan, [k for k in range(len(plan.timeline)) if k != i])


@_plant("misses left out")
def _no_miss(plan, _):
    return None if plan.miss is None else replace(plan, miss=None)


@_plant("the miss of one point left out")
def _one_miss(plan, draw):
    if plan.miss is None:
        return None
    k = _one(draw, _reached(plan))
    kept = [i for i, s in enumerate(plan.miss.timeline) if s.point_index != k]
    if not kept:
        return None
    segments = tuple(plan.miss.timeline[i] for i in kept)
    return replace(plan, miss=replace(plan.miss, timeline=segments))


@_plant("miss of another search end")
def _other_miss(plan, draw):
    """The miss alone; all else is the plan's own."""
    other = PLANTS["miss ends its search 1 um early"](plan, draw)
    return None if other is None else replace(plan, miss=other.miss)


@dataclass(frozen=True)
class _Jumping:
    """A trajectory that is off by a step in some time."""

    base: Trajectory
    first: float
    last: float
    joint: int
    size: float

    def state(self, t: np.ndarray, side: str = "right"):
        own, t = self.base.state(t, side), np.asarray(t)
        inside = (t >= self.first) & (t < self.last)
        if side == "left":
            inside = (t > self.first) & (t <= self.last)
        q = np.array(own.q)
        q[:, self.joint] += np.where(inside, self.size, 0.0)
        return replace(own, q=q)

    @property
    def stretches(self):
        return self.base.stretches


@_plant("miss with a jump of 1e-8")
def _jump(plan, draw):
    if plan.miss is None:
        return None
    own = plan.miss.timeline[int(draw.integers(len(plan.miss.timeline)))]
    joint = int(draw.integers(plan.job.mechanism.dof))
    jumping = _Jumping(plan.miss.trajectory, own.start, own.end, joint, 1e-8)
    return replace(plan, miss=replace(plan.miss, trajectory=jumping))


@_plant("start of a miss's segment wrong by 1e-6 s")
def _miss_start(plan, draw):
    if plan.miss is None:
        return None
    segments = list(plan.miss.timeline)
    i = int(draw.integers(len(segments)))
    segments[i] = replace(segments[i], start=segments[i].start + 1e-6)
    return replace(plan, miss=replace(plan.miss, timeline=tuple(segments)))


@_plant("a plan to rest of a job that searches")
def _to_rest(plan, _):
    from planner.planning import plan as planned
    from tests.planner.touching import with_touch

    if plan.miss is None:
        return None
    other = planned(with_touch(plan.job, mode="to-rest", features=()))
    return replace(other, job=plan.job)


# --- clearances ----------------------------------------------------------------------------------


def _stating(plan: Plan, i: int, **values) -> Plan:
    segments = list(plan.timeline)
    segments[i] = replace(segments[i], clearance=replace(segments[i].clearance, **values))
    return replace(plan, timeline=tuple(segments))


def _stated(plan: Plan) -> list[int]:
    """Moving segments that state a clearance and are not reported to collide."""
    return [
        i
        for i, s in enumerate(plan.timeline)
        if s.clearance is not None
        and s.duration > 0.0
        and s.kind is not SegmentKind.DWELL
        and s.clearance.seen >= 0.0
    ]


@_plant("clearance overstated by 0.1 mm")
def _overstated(plan, draw):
    """Both the distance found and the one certified."""
    i = _one(draw, _stated(plan))
    if i is None:
        return None
    own = plan.timeline[i].clearance
    return _stating(plan, i, certified=own.certified + 1e-4, seen=own.seen + 1e-4)


@_plant("clearance of a whole line overstated by 0.1 mm")
def _overstated_line(plan, draw):
    """By all that state it: the point, the segments of its visit and of its miss."""
    lines = [i for i in _stated(plan) if plan.timeline[i].kind is SegmentKind.PROBE]
    i = _one(draw, lines)
    if i is None:
        return None
    k = plan.timeline[i].point_index
    own = plan.timeline[i].clearance
    over = replace(own, certified=own.certified + 1e-4, seen=own.seen + 1e-4)

    def of(motion):
        return tuple(
            replace(s, clearance=over)
            if s.point_index == k and s.kind is not SegmentKind.TRAVEL
            else s
            for s in motion.timeline
        )

    miss = None if plan.miss is None else replace(plan.miss, timeline=of(plan.miss))
    changed = replace(plan, timeline=of(plan), miss=miss)
    return _with_point(changed, k, min_clearance=over.certified)


@_plant("certificate 0.1 mm above what was found")
def _certificate(plan, draw):
    i = _one(draw, _stated(plan))
    if i is None:
        return None
    return _stating(plan, i, certified=plan.timeline[i].clearance.seen + 1e-4)


@_plant("clearance of another pair of bodies")
def _pair(plan, draw):
    i = _one(draw, _stated(plan))
    if i is None:
        return None
    own = plan.timeline[i].clearance
    stated = {s.clearance.pair: s.clearance for s in plan.timeline if s.clearance}
    name = _one(draw, sorted(stated.keys() - {own.pair} - _same_there(plan, own.pair)))
    if name is None:
        return None
    other = stated[name]
    return _stating(plan, i, moving=other.moving, against=other.against)


def _same_there(plan: Plan, pair: str) -> set[str]:
    """The pair of the shank where it is that of the ball: the shank ends there, as thick."""
    radii = {c.name: c.radius for c in plan.job.mechanism.capsules}
    if radii.get(BALL) != radii.get(SHANK):
        return set()
    return {pair.replace(BALL, SHANK), pair.replace(SHANK, BALL)}


@_plant("a clearance left out")
def _left_out(plan, draw):
    i = _one(draw, _stated(plan))
    if i is None or not plan.feasible:
        return None
    segments = list(plan.timeline)
    segments[i] = replace(segments[i], clearance=None)
    return replace(plan, timeline=tuple(segments))


@_plant("a collision passed over")
def _collision(plan, draw):
    """A box of 60 mm in the way, which the plan knows of and has no word about."""
    if not _stated(plan) or not plan.job.mechanism.capsules:
        return None
    t = float(draw.uniform(0.0, plan.totals.duration))
    q = plan.trajectory.state(np.array([t])).q
    model = plan.trajectory.model
    T = model.transforms(q)[0]
    moving = [c for c in plan.job.mechanism.capsules if c.joint >= 0]
    capsule = _one(draw, moving)
    if capsule is None:
        return None
    pose = T[capsule.joint]
    share = draw.random()
    centre = pose[:3, :3] @ ((1 - share) * capsule.start + share * capsule.end) + pose[:3, 3]
    box = Solid(name="planted", kind=SolidKind.OBSTACLE, mesh=_box(centre, 0.06), closed=True)
    solids = (*plan.job.cell.solids, box)
    # An error only if the plan's motion meets it for more than an instant.
    checker = Checker(model, Cell(solids=(box,)))
    around = np.clip(t + np.linspace(-0.02, 0.02, 9), 0.0, plan.totals.duration)
    if not np.any(checker.collides(plan.trajectory.state(around).q)):
        return None
    return replace(plan, job=replace(plan.job, cell=Cell(solids=solids)))


def _box(centre: np.ndarray, edge: float) -> TriangleMesh:
    import trimesh

    mesh = trimesh.creation.box(extents=[edge] * 3)
    return TriangleMesh(
        vertices=np.asarray(mesh.vertices) + centre, faces=np.asarray(mesh.faces, dtype=np.int64)
    )


# --- what is written out -------------------------------------------------------------------------


def _sample(name: str, change: Callable[[np.ndarray, int, np.random.Generator], None]) -> Plant:
    def plant(plan: Plan, draw) -> Planted | None:
        motion = sampled(plan)
        if not 3 <= motion.count <= 200_000:
            return None
        (samples,) = motion.blocks()
        values = np.array(getattr(samples, name))
        before = values.copy()
        change(values, int(draw.integers(1, len(values) - 1)), draw)
        if not np.max(np.abs(values - before)) >= 1e-8:  # NaN stays what it is
            return None
        changed: Samples = replace(samples, **{name: values})
        return Planted(plan=plan, motion=InMemory(samples=changed))

    return plant


def _shifted(size: float):
    def change(values, row, draw):
        values[row, draw.integers(values.shape[1])] += size

    return change


def _swapped(values, row, draw):
    a, b = draw.choice(values.shape[1], 2, replace=False)
    values[row:, [a, b]] = values[row:, [b, a]]


PLANTS["ball of a sample 1 um off"] = _sample("position", _shifted(1e-6))
PLANTS["joint of a sample 1e-7 off"] = _sample("q", _shifted(1e-7))
PLANTS["two joints of samples swapped"] = _sample("q", _swapped)
PLANTS["two torques of samples swapped"] = _sample("tau", _swapped)


@_plant("torque of a sample wrong by 1e-6")
def _sample_torque(plan, draw):
    def change(values, row, _):
        joint = int(np.argmax(np.abs(values[row])))
        values[row, joint] *= 1.0 + RELATIVE

    return _sample("tau", change)(plan, draw)


# --- the harness ---------------------------------------------------------------------------------


@dataclass
class Catches:
    """How many of the planted errors were found, by kind; those that were not, by seed."""

    planted: Counter = field(default_factory=Counter)
    caught: Counter = field(default_factory=Counter)
    missed: dict = field(default_factory=lambda: defaultdict(list))
    by_check: dict = field(default_factory=lambda: defaultdict(Counter))

    @property
    def share(self) -> float:
        return sum(self.caught.values()) / max(sum(self.planted.values()), 1)

    def table(self) -> str:
        width = max((len(name) for name in self.planted), default=0)
        lines = [f"{'planted error':<{width}}  planted  caught   share  missed (seeds)"]
        for name in PLANTS:
            count, found = self.planted[name], self.caught[name]
            if count:
                seeds = " ".join(str(seed) for seed in self.missed.get(name, [])[:8])
                lines.append(
                    f"{name:<{width}}  {count:7d} {found:7d} {100.0 * found / count:6.1f}%  {seeds}"
                )
        lines.append(
            f"{'all':<{width}}  {sum(self.planted.values()):7d} {sum(self.caught.values()):7d} "
            f"{100.0 * self.share:6.2f}%"
        )
        return "\n".join(lines) + "\n"


def plant_all(plan: Plan, seed: int, catches: Catches, kinds: Container[str]) -> None:
    """Plant errors of some kinds in a proven plan, each alone, and see whether it is found.

    Args:
        plan: that is proven.
        seed: of the places.
        catches: of all plans.
        kinds: names of PLANTS.
    """
    for number, name in enumerate(PLANTS):
        if name not in kinds:
            continue
        draw = np.random.default_rng([30, seed, number])
        made = PLANTS[name](plan, draw)
        if made is None:
            continue
        planted = made if isinstance(made, Planted) else Planted(plan=made, motion=sampled(made))
        found = prove(planted.plan, planted.motion)
        catches.planted[name] += 1
        if found.passed:
            catches.missed[name].append(seed)
        else:
            catches.caught[name] += 1
            for check in found.failures:
                catches.by_check[name][check.name] += 1
