"""A ROS 2 node that measures: FollowJointTrajectory for the motion, a Bool topic for the probe.

The node is one Python file with its data. It speaks of joints as the robot file does, by their
names: on a ROS robot that file is the URDF, so [controller] gives no more than home and tolerance.
Every motion is a goal from rest to rest with positions and speeds, which the joint trajectory
controller joins by cubics: a straight joint move stays straight, a line of the ball is as many
points as its cubics need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files

import numpy as np

from reports.programmes.rates import (
    JointRates,
    joint_rates,
    line_rates,
    onto_start,
    stop_deceleration,
)
from reports.programmes.robot_programme import (
    LOG,
    Home,
    about_robot,
    chord_times,
    home_of,
    line_postures,
    log_head,
    log_notes,
    logged_names,
    point_labels,
)
from reports.programmes.source import ProgrammeSource, Touch
from reports.programmes.text import ascii_text, number, numbers
from robots.core.arrays import Array
from robots.core.controller import Controller
from robots.core.model import Model

PATH = "robot/palpeur_node.py"
_TEMPLATE = "ros2_node.txt"
_POSITION, _SPEED, _TIME = 12, 12, 9  # decimals
_ONTO = 1.0  # [s] onto the start posture, at least
_FROM_HOME = 0.05  # of the speed, on the way from home
_RAMP_TIME = 0.05  # [s] at most, of a search up to its speed
_SLACK = 1.0 - 1e-6  # of the touch speed: cubics between points are not the line itself
_STRETCH = 1.0 + 1e-5  # of the time of a joint move: its numbers are rounded
_NOTHING_BETWEEN = 0.1  # of a ramp, that a cubic of its own would be too short for
_CUBIC_PEAK = 1.5  # of the mean speed of a cubic from rest to rest
_LINE_POINTS = 8  # of a line, at least
_FULL_RANK = 1e-9
_SPATIAL = 6  # joints that a pose of the ball determines
_STEP = 1e-3  # of a line, of differences


def ros2(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur_node.py``."""
    template = files("reports.programmes").joinpath(_TEMPLATE).read_text(encoding="ascii")
    controller = source.plan.job.controller or _as_the_file(source)
    home = home_of(source, controller)
    fields = {
        "ABOUT": "\n".join(_about(source, controller, home)),
        "DATA": "\n".join(_Data(source, controller, home).lines()),
    }
    for name, text in fields.items():
        template = template.replace(f"@{name}@", text)
    return {PATH: template.encode("ascii")}


def _as_the_file(source: ProgrammeSource) -> Controller:
    """A controller that counts joints as the robot file does."""
    joints = source.plan.job.mechanism.movable
    n = len(joints)
    return Controller(
        axes=tuple(joint.name for joint in joints),
        order=np.arange(n),
        signs=np.ones(n),
        offsets=np.zeros(n),
    )


def _about(source: ProgrammeSource, controller: Controller, home: Home) -> list[str]:
    hidden, touches = '"\\', source.steps.touches
    own = about_robot(source, controller, home, hidden=hidden)
    return [
        *(line for line in own if not line.startswith("axis ")),  # of a vendor's controller
        *log_notes(touches, logged_names(touches, point_labels(touches)), hidden),
        "refuses to start from elsewhere than home",
        "joints have the names, signs and zeros of the robot file, which is the URDF of the robot",
        "THE CONTROLLER DECIDES: how it follows; how it stops when a goal is cancelled (a joint",
        "  trajectory controller holds its place); a hit is read from the last joint_states before",
        "  the probe's message: late or early by no more than their periods",
        f"writes {LOG}; then palpeur evaluate JOB {LOG}",
    ]


class _Data:
    """Literals of the node.

    Args:
        source: the plan.
        controller: for its tolerances and override.
        home: where it begins and ends.
    """

    def __init__(self, source: ProgrammeSource, controller: Controller, home: Home) -> None:
        self._source, self._plan = source, source.plan
        self._model: Model = source.plan.trajectory.model
        self._controller, self._home = controller, home
        self._share = controller.speed_override_percent / 100.0
        self._q = home.posture
        touches = source.steps.touches
        names = logged_names(touches, point_labels(touches))
        self._names = dict(zip((touch.name for touch in touches), names, strict=True))

    def lines(self) -> Iterator[str]:
        """All of them."""
        joints = self._plan.job.mechanism.movable
        names = [ascii_text(joint.name, hidden='"\\', longest=60) for joint in joints]
        quoted = ", ".join(f'"{name}"' for name in names)
        turning = self._controller.start_tolerance
        sliding = self._controller.start_tolerance_sliding
        limits = [turning if joint.kind.angular else sliding for joint in joints]
        shown = [180.0 / np.pi if joint.kind.angular else 1e3 for joint in joints]
        yield f"JOINTS = [{quoted}]"
        yield f"START = {_row(self._home.posture, _POSITION)}"
        yield f"TOLERANCE = {_row(limits, 9)}"
        onto = onto_start(self._plan, self._home.posture, max(limits)).duration
        yield f"ONTO_START = {number(max(onto, _ONTO), _TIME)}  # [s]"
        yield f"SHOWN = {_row(shown, 15)}  # degrees per radian, millimetres per metre"
        yield "HEAD = ["
        yield from (f'    "{line}",' for line in log_head(self._source))
        yield "]"
        yield "# (what, point, rows of: time, positions, speeds)"
        yield "STEPS = ["
        for what, point, rows in self._steps():
            yield f'    ("{what}", "{point}", ['
            yield from (f"        {_shown(row)}," for row in rows)
            yield "    ]),"
        yield "]"

    def _steps(self) -> Iterator[tuple[str, str, list[Array]]]:
        slow = _FROM_HOME * self._share
        yield from self._way("from home", self._home.way_in, slow)
        for step in self._source.steps.steps:
            if isinstance(step, Touch):
                yield from self._touch(step)
            elif step.duration > 0.0:
                yield from self._way(self._names[step.point], step.path, self._share)
        yield from self._way("home", self._home.way_out, slow)

    def _way(
        self, point: str, corners: Array, share: float
    ) -> Iterator[tuple[str, str, list[Array]]]:
        """Straight joint moves from rest to rest."""
        for q in corners:
            rates = joint_rates(self._plan, self._q, q, share)
            if rates.duration > 0.0:
                yield "travel", point, _straight(self._q, q, rates)
            self._q = q

    def _touch(self, touch: Touch) -> Iterator[tuple[str, str, list[Array]]]:
        name, v = self._names[touch.name], _SLACK * touch.speed
        a = stop_deceleration(touch.speed, touch.overrun, self._plan.job.touch.latency)
        clear, back = touch.q_clearance, touch.q_back_off
        start, end = touch.q_search_start, touch.q_search_end
        yield "approach", name, self._timed(clear, start, touch.approach_time)
        yield "search", name, self._line(start, end, v, max(a, v / _RAMP_TIME))
        yield "miss", name, self._line(end, clear, v, max(a, v / _RAMP_TIME))
        yield "settle", name, [np.array([touch.settle])]
        # From wherever the search stopped: one cubic, slow enough from its end.
        longest = float(chord_times(self._model, np.array([end, back]), touch.speed)[0])
        rest = np.zeros_like(back)
        yield "back-off", name, [np.concatenate([[_CUBIC_PEAK * longest], back, rest])]
        yield "retract", name, self._timed(back, clear, touch.retract_time)

    def _timed(self, start: Array, end: Array, duration: float) -> list[Array]:
        """A line in the time that it has in the plan."""
        ends = self._model.forward(np.array([start, end]))[:, :3, 3]
        length = float(np.linalg.norm(ends[1] - ends[0]))
        rates = line_rates(length, duration, self._share)
        return self._line(start, end, rates.speed, rates.acceleration)

    def _line(self, start: Array, end: Array, v: float, a: float) -> list[Array]:
        """Rows of a straight line of the ball with a trapezoid of speed."""
        model = self._model
        ends = model.forward(np.array([start, end]))[:, :3, 3]
        length = float(np.linalg.norm(ends[1] - ends[0]))
        if length <= 0.0:
            return []
        v = min(v, float(np.sqrt(a * length)))
        ramp, whole = 0.5 * v * v / a, length / v + v / a
        count = max(_LINE_POINTS, len(line_postures(model, start, end)))
        places = np.concatenate([np.linspace(0.0, length, count + 1)[1:], [ramp, length - ramp]])
        ways = np.unique(np.round(places[(places > 0.0) & (places <= length)], 12))
        ways[-1] = length
        q, rates = _on_line(model, start, end, ways / length)
        rising, falling = ways < ramp, ways > length - ramp
        left = np.maximum(length - ways, 0.0)
        t = np.where(rising, np.sqrt(2.0 * ways / a), v / a + (ways - ramp) / v)
        t = np.where(falling, whole - np.sqrt(2.0 * left / a), t)
        speed = np.where(rising, np.sqrt(2.0 * a * ways), v)
        speed = np.where(falling, np.sqrt(2.0 * a * left), speed)
        qd = rates * (speed / length)[:, None]
        return [np.concatenate([[t[k]], q[k], qd[k]]) for k in range(len(ways))]


def _straight(start: Array, end: Array, rates: JointRates) -> list[Array]:
    """Rows of a straight joint move with a trapezoid of speed."""
    way = end - start
    lead = float(np.abs(way).max())
    v = min(rates.speed, float(np.sqrt(rates.acceleration * lead)))
    # Two ramps take the whole way where hardly anything would be left between them.
    rise = v / rates.acceleration
    rise = lead / v if lead / v - rise < _NOTHING_BETWEEN * rise else rise
    ramp, duration = 0.5 * v * rise / lead, lead / v + rise
    rows = [(rise, start + ramp * way)]
    if ramp < 0.5 - 1e-9:
        rows.append((duration - rise, end - ramp * way))
    speed = way * v / lead / _STRETCH
    found = [np.concatenate([[_STRETCH * t], q, speed]) for t, q in rows]
    return [*found, np.concatenate([[_STRETCH * duration], end, np.zeros_like(end)])]


def _on_line(model: Model, start: Array, end: Array, share: Array) -> tuple[Array, Array]:
    """Postures at places of a line, and their rates by its parameter. # (m, n) each."""
    q = _postures(model, start, end, share)
    if q.shape[1] > _SPATIAL:  # which of all motions it is, the postures say
        before, after = (_postures(model, start, end, share + h) for h in (-_STEP, _STEP))
        rates = (after - before) / (2.0 * _STEP)
    else:
        T = model.forward(q)
        ends = model.forward(np.array([start, end]))
        J, _ = _task(model, q, T, ends[1, :3, :3])
        way = ends[1, :3, 3] - ends[0, :3, 3]
        rates = np.einsum("kni,i->kn", np.linalg.pinv(J, rcond=_FULL_RANK)[:, :, :3], way)
    q[-1] = end
    return q, np.asarray(rates)


def _postures(model: Model, start: Array, end: Array, share: Array) -> Array:
    """Postures with the ball at places of a line, by Newton steps from joints between. # (m, n)."""
    q = start + share[:, None] * (end - start)
    ends = model.forward(np.array([start, end]))
    way = ends[1, :3, 3] - ends[0, :3, 3]
    for _ in range(30):
        T = model.forward(q)
        J, turn = _task(model, q, T, ends[1, :3, :3])
        gap = np.concatenate([ends[0, :3, 3] + share[:, None] * way - T[:, :3, 3], turn], axis=1)
        if float(np.abs(gap).max()) <= 1e-13:
            break
        q = q + np.einsum("kni,ki->kn", np.linalg.pinv(J, rcond=_FULL_RANK), gap)
    return np.asarray(q)


def _task(model: Model, q: Array, T: Array, R: Array) -> tuple[Array, Array]:
    """Jacobians of ball and orientation, of fewer than six joints of the axis alone; the turns."""
    turn = R @ T[:, :3, :3].transpose(0, 2, 1)
    skew = 0.5 * np.stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ],
        axis=1,
    )
    J = np.array(model.jacobian(q))
    if q.shape[1] < _SPATIAL:
        z = T[:, :3, 2]
        across = np.eye(3) - z[:, :, None] * z[:, None, :]
        J[:, 3:] = across @ J[:, 3:]
        skew = np.einsum("kij,kj->ki", across, skew)
    return J, skew


def _row(values: Array | Sequence[float], decimals: int) -> str:
    return f"[{', '.join(numbers(values, decimals))}]"


def _shown(row: Array) -> str:
    n = (row.size - 1) // 2
    if n == 0:
        return f"[{number(float(row[0]), _TIME)}]"
    t, q, qd = number(float(row[0]), _TIME), row[1 : 1 + n], row[1 + n :]
    return f"[{t}, {_row(q, _POSITION)}, {_row(qd, _SPEED)}]"
