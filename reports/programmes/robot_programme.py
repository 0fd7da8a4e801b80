"""What the programmes of all robot controllers have in common: log, names, search by joints.

A programme goes to named places and searches there; the hits are logged as joints, with the zero
and sign of the robot file, so that ``palpeur evaluate`` reads the log as it is: the ball's centre
follows by the forward model, whatever tool the controller knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from planner.detours.find import proven_way
from reports.programmes.source import ProgrammeSource, Touch
from reports.programmes.text import ascii_text, labels
from robots.core.arrays import Array
from robots.core.controller import Controller
from robots.core.model import Model

LOG = "palpeur_hits.csv"
SEARCH_CHORD = 1e-6  # [m] between the search line and what joint moves make of it
LINE_CHORD = 1e-4  # [m] likewise, approach and retract
_PLAIN = re.compile(r"[A-Za-z0-9_.:+/() -]{1,40}")  # names that every controller's texts hold
_FULL_RANK = 1e-9
_ROUNDS = 30
_THERE = 1e-13  # [m or rad]
_MOST_CHORDS = 255
_LOOKS = np.linspace(0.0, 1.0, 9)
_MARGIN = 1e-9  # relative, of the speed along a chord that is looked at in nine places


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Home:
    """Where a programme starts and ends, and how it gets to the plan's motion and back.

    Args:
        posture: where it starts. # (n,) [rad or m]
        way_in: corners of straight joint moves from there to the first clearance point.
            # (p, n) [rad or m]
        way_out: likewise from the last clearance point; none where the programme ends there.
            # (p, n)
        lines: what a reader must know about it.
    """

    posture: Array
    way_in: Array
    way_out: Array
    lines: tuple[str, ...]


def home_of(source: ProgrammeSource, controller: Controller) -> Home:
    """The home of a programme: the controller's, where the way from there is proven.

    A way that nobody proved is never written: a programme then starts at its first clearance point,
    or ends at its last.
    """
    plan, touches = source.plan, source.steps.touches
    first, last = touches[0].q_clearance, touches[-1].q_clearance
    nothing = np.zeros((0, first.size))
    ends = "ends at the last clearance point"
    if controller.home is None:
        lines = ("home: the first clearance point; drive there by hand", f"  it {ends}")
        return Home(posture=first, way_in=first[None], way_out=nothing, lines=lines)
    model = plan.trajectory.model
    way_in = proven_way(plan.job, model, controller.home, first)
    if way_in is None:
        lines = (
            "home: the first clearance point; NOT that of [controller], from which no way is",
            f"  proven to keep its clearance; it {ends}",
        )
        return Home(posture=first, way_in=first[None], way_out=nothing, lines=lines)
    from_home = proven_way(plan.job, model, controller.home, last)
    back = "and back" if from_home is not None else f"alone; it {ends}"
    lines = (
        "home: that of [controller]; the way from there to the first clearance point",
        f"  {back} is proven like a travel, at low speed",
    )
    way_out = nothing
    if from_home is not None:  # the order of the plan counts on the same way, whichever way it goes
        way_out = np.concatenate([from_home[-2::-1], controller.home[None]])
    return Home(posture=controller.home, way_in=way_in, way_out=way_out, lines=lines)


def probe_input(controller: Controller) -> int:
    """Number of the input that a programme reads, of a job that its format does not refuse."""
    if controller.probe_input is None:
        raise ValueError("a programme that reads the probe's input needs controller.probe_input")
    return controller.probe_input


def point_labels(touches: Sequence[Touch], longest: int = 14) -> tuple[str, ...]:
    """Identifiers of points: letters, digits and _, distinct in capitals."""
    plain = (touch.name.replace("-", "_") for touch in touches)
    return labels(plain, "P", longest=longest)


def logged_names(touches: Sequence[Touch], identifiers: Sequence[str]) -> tuple[str, ...]:
    """Names as the log has them: the job's, or the identifier where a text cannot hold that."""
    return tuple(
        touch.name if _PLAIN.fullmatch(touch.name) and touch.name == touch.name.strip() else label
        for touch, label in zip(touches, identifiers, strict=True)
    )


def log_notes(touches: Sequence[Touch], names: Sequence[str], hidden: str = "") -> list[str]:
    """Which points the log calls otherwise than the job does."""
    return [
        f"the log calls {ascii_text(touch.name, hidden=hidden)} {name}; rename the point in the job"
        for touch, name in zip(touches, names, strict=True)
        if touch.name != name
    ]


def log_head(source: ProgrammeSource) -> list[str]:
    """First lines of a log: comments, then the columns."""
    joints = source.plan.job.mechanism.movable
    units = ["deg" if joint.kind.angular else "mm" for joint in joints]
    columns = [f"q{k}_{unit}" for k, unit in enumerate(units, start=1)]
    return [
        "# Palpeur hits: joints at the trigger, zero and sign of the robot file",
        "# base frame, centres of the ball by the forward model, not compensated",
        f"# job sha256 {source.plan.job.sha256}",
        ",".join(["name", *columns]),
    ]


def about_robot(
    source: ProgrammeSource, controller: Controller, home: Home, *, hidden: str = ""
) -> list[str]:
    """What a programme that measures says first, whatever its language."""
    touches = source.steps.touches
    speeds = sorted({round(1e3 * touch.speed, 9) for touch in touches})
    told = f"{speeds[0]:g}" if len(speeds) == 1 else f"{speeds[0]:g} to {speeds[-1]:g}"
    overrun = max((touch.overrun for touch in touches), default=0.0)
    return [
        *source.about(hidden=hidden),
        f"{len(touches)} touches; searches at {told} mm/s; overrun after a trigger at most "
        f"{1e3 * overrun:.3f} mm",
        *_about_axes(source, controller, hidden),
        *home.lines,
        "CERTIFIED: the path, misses included: straight lines of the ball, the stylus held, and",
        "  straight joint moves between; NOT the times, which the controller decides",
    ]


def _about_axes(source: ProgrammeSource, controller: Controller, hidden: str) -> Iterator[str]:
    joints = source.plan.job.mechanism.movable
    for place, (k, sign, offset) in enumerate(
        zip(controller.order, controller.signs, controller.offsets, strict=True), start=1
    ):
        name = ascii_text(joints[k].name, hidden=hidden, longest=24)
        shown = _shown(float(offset), joints[k].kind.angular)
        yield f"axis {place} = {'-' if sign < 0.0 else '+'}{name} {shown}"


def _shown(offset: float, angular: bool) -> str:
    value = np.degrees(offset) if angular else 1e3 * offset
    return f"{value:+.9g} {'deg' if angular else 'mm'}"


def line_postures(
    model: Model, q_first: Array, q_last: Array, *, tolerance: float = SEARCH_CHORD
) -> Array:
    """Postures along a straight line of the ball, dense enough for straight joint moves.

    Args:
        model: of the robot.
        q_first: posture at the start, which is not in the answer. # (n,) [rad or m]
        q_last: posture at the end, with the same orientation of the stylus. # (n,)
        tolerance: between the line and the ball's path. [m]

    Returns:
        # (m, n) [rad or m]; the last is ``q_last``.
    """
    count = 1
    while True:
        q = _on_line(model, q_first, q_last, count)
        bend = _bend(model, np.vstack([q_first, q]))
        if bend <= tolerance or count >= _MOST_CHORDS:
            return q
        more = int(np.ceil(count * np.sqrt(bend / tolerance)))
        count = min(max(more, count + 1) | 1, _MOST_CHORDS)  # odd: no corner amid the search


def chord_times(model: Model, postures: Array, speed: float) -> Array:
    """Least times of straight joint moves at an even rate that keep a speed of the ball.

    Args:
        model: of the robot.
        postures: from the first on. # (m + 1, n)
        speed: of the ball, nowhere more. [m/s]

    Returns:
        # (m,) [s]
    """
    way = np.diff(postures, axis=0)
    q = (postures[:-1, None] + way[:, None] * _LOOKS[None, :, None]).reshape(-1, way.shape[1])
    rates = model.velocity(q, np.repeat(way, len(_LOOKS), axis=0))[:, :3]
    lengths = np.linalg.norm(rates, axis=1).reshape(len(way), len(_LOOKS))
    # Between looks the length is above both neighbours by far less than what they differ by.
    spread = np.abs(np.diff(lengths, axis=1)).max(axis=1, initial=0.0)
    return np.asarray((lengths.max(axis=1) + spread) * (1.0 + _MARGIN) / speed)


def _bend(model: Model, postures: Array) -> float:
    """Largest distance of the ball from the line through the first and last place. [m]."""
    way = np.diff(postures, axis=0)
    q = (postures[:-1, None] + way[:, None] * _LOOKS[None, :, None]).reshape(-1, way.shape[1])
    ball = model.forward(q)[:, :3, 3]
    ends = model.forward(postures[[0, -1]])[:, :3, 3]
    line = ends[1] - ends[0]
    length = float(np.linalg.norm(line))
    if length == 0.0:
        return 0.0
    arms = ball - ends[0]
    across = arms - np.outer(arms @ line / length, line / length)
    return float(np.linalg.norm(across, axis=1).max())


def _on_line(model: Model, q_first: Array, q_last: Array, count: int) -> Array:
    """Postures at even places of the line, by Newton steps from joints between. # (count, n)."""
    share = (np.arange(1, count + 1) / count)[:, None]
    q = q_first + share * (q_last - q_first)
    ends = model.forward(np.array([q_first, q_last]))
    places = ends[0, :3, 3] + share * (ends[1, :3, 3] - ends[0, :3, 3])
    for _ in range(_ROUNDS):
        T = model.forward(q)
        gaps = _gaps(T, places, ends[1, :3, :3])
        if float(np.abs(gaps).max()) <= _THERE:
            break
        J = np.array(model.jacobian(q))
        if q.shape[1] < 6:
            J[:, 3:] = _across(T[:, :3, 2]) @ J[:, 3:]
            gaps[:, 3:] = np.einsum("kij,kj->ki", _across(T[:, :3, 2]), gaps[:, 3:])
        q = q + np.einsum("kni,ki->kn", np.linalg.pinv(J, rcond=_FULL_RANK), gaps)
    q[-1] = q_last
    return np.asarray(q)


def _gaps(T: Array, places: Array, R: Array) -> Array:
    """What ball and orientation lack: a shift and a turn, base axes. # (k, 6)."""
    turn = R @ T[:, :3, :3].transpose(0, 2, 1)
    skew = 0.5 * np.stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ],
        axis=1,
    )
    return np.concatenate([places - T[:, :3, 3], skew], axis=1)


def _across(z: Array) -> Array:
    """Projections across directions. # (k, 3, 3)."""
    return np.eye(3) - z[:, :, None] * z[:, None, :]
