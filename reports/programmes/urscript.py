"""URScript for Universal Robots: a programme that measures, hits sent to a socket as CSV.

Every target is a posture of the joints: ``movel`` takes one and moves the tool centre point, the
ball, straight to where it puts it. So no pose depends on where the controller thinks its base is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reports.programmes.axes import six_rotary_fault
from reports.programmes.rates import (
    joint_rates,
    line_rates,
    onto_start,
    stop_deceleration,
)
from reports.programmes.robot_programme import (
    LOG,
    Home,
    about_robot,
    home_of,
    log_head,
    log_notes,
    logged_names,
    point_labels,
    probe_input,
)
from reports.programmes.source import Move, ProgrammeSource, Touch
from reports.programmes.text import number, numbers
from robots.core.arrays import Array, Indices
from robots.core.controller import Controller
from robots.core.mechanism import Mechanism

NAME = "palpeur"
PATH = f"robot/{NAME}.script"
LOG_PORT = 30110
_LOG_HOST = "192.168.0.1"
_ANGLE = 12  # decimals of rad
_LENGTH = 9  # decimals of m
_RATE = 9  # decimals of speeds and accelerations
_FROM_HOME = 0.05  # of the speed, on the way from home
_JOINTS = 6
_INPUTS = 8  # standard digital ones

# The search runs in a thread of its own, so that the programme can watch the input meanwhile.
# ``to_str`` shows six decimals only: nine are made of whole numbers, which it shows in full.
_ROUTINES = """\
thread palpeur_moving():
  movel(palpeur_target, a=palpeur_a, v=palpeur_v)
  palpeur_arrived = True
  return False
end
def palpeur_nine(x):
  local size = x
  local sign = ""
  if x < 0:
    size = -x
    sign = "-"
  end
  local whole = floor(size)
  local rest = floor((size - whole) * 1000000000 + 0.5)
  if rest >= 1000000000:
    whole = whole + 1
    rest = rest - 1000000000
  end
  local digits = to_str(1000000000 + rest)
  return str_cat(str_cat(sign, to_str(whole)), str_cat(".", str_sub(digits, 1, 9)))
end
def palpeur_refuse(reason):
  textmsg("palpeur STOP: ", reason)
  popup(reason, title="Palpeur", error=True, blocking=True)
  halt
end
def palpeur_start(q_start, tolerance):
  if get_standard_digital_in(palpeur_input):
    palpeur_refuse("the probe is triggered before the start")
  end
  local q = get_actual_joint_positions()
  local k = 0
  while k < 6:
    if norm(q[k] - q_start[k]) > tolerance:
      palpeur_refuse("the arm is not at the start posture; drive it there by hand")
    end
    k = k + 1
  end
end
def palpeur_search(name, q_end):
  if get_standard_digital_in(palpeur_input):
    palpeur_refuse(str_cat("the probe is triggered before the search of ", name))
  end
  palpeur_target = q_end
  palpeur_arrived = False
  local hit = False
  local mover = run palpeur_moving()
  while not hit and not palpeur_arrived:
    if get_standard_digital_in(palpeur_input):
      palpeur_q = get_actual_joint_positions()
      hit = True
    else:
      sync()
    end
  end
  kill mover
  stopl(palpeur_stop)
  if not hit:
    textmsg("palpeur MISS: ", name)
    socket_send_line(str_cat("# MISSED ", name), "palpeur")
    movel(palpeur_clear, a=palpeur_a, v=palpeur_v)
    palpeur_refuse(str_cat("no surface found at ", name))
  end
end
def palpeur_log(name):
  local line = name
  local k = 0
  while k < 6:
    local angle = palpeur_sign[k] * (palpeur_q[palpeur_axis[k]] - palpeur_zero[k])
    line = str_cat(line, str_cat(",", palpeur_nine(r2d(angle))))
    k = k + 1
  end
  textmsg("palpeur HIT: ", line)
  if not socket_send_line(line, "palpeur"):
    palpeur_refuse("the log does not take the hit")
  end
end
"""


def urscript_fault(mechanism: Mechanism, controller: Controller) -> str:
    """Say why a robot or its controller cannot be a Universal Robots one; empty where they can."""
    wired = controller.probe_input
    if wired is not None and wired >= _INPUTS:
        return (
            f"controller.probe_input is {wired}, but the standard digital inputs "
            f"are 0 to {_INPUTS - 1}"
        )
    return six_rotary_fault(mechanism, controller)


def urscript(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.script``."""
    controller = source.plan.job.controller
    if controller is None:
        raise ValueError("a programme of a robot's own controller needs [controller]")
    home = home_of(source, controller)
    lines = [
        f"def {NAME}():",  # first of all: a controller that is sent the file reads from here
        *(f"  # {line}" for line in _about(source, controller, home)),
        *(f"  {line}" for line in _Programme(source, controller, home).lines()),
        "end",
    ]
    return {PATH: ("\n".join(lines) + "\n").encode("ascii")}


def _about(source: ProgrammeSource, controller: Controller, home: Home) -> list[str]:
    tolerance = np.degrees(controller.start_tolerance)
    stylus = 1e3 * source.plan.job.probe.stylus_length
    return [
        *about_robot(source, controller, home),
        "PolyScope 5.6 or later; targets are values of the axes in rad, lengths in m, times in s",
        *_notes(source),
        f"refuses to start from farther than {tolerance:g} deg from home",
        f"tool centre point: the ball, {stylus:.6f} mm along z of the flange",
        f"probe: standard digital input {probe_input(controller)}, true while it is deflected",
        "THE CONTROLLER DECIDES: speed and acceleration along each move, within those given here;",
        "  straight lines by its own geometry; it reads the input once a frame of 2 ms, by which",
        "  a hit is read late, and its speed slider slows searches down, too; moves do not blend",
        f"log: CSV to port {LOG_PORT} of palpeur_host, to be set below; on that machine:",
        f"  nc -l {LOG_PORT} > {LOG}, and then palpeur evaluate JOB {LOG}",
    ]


def _notes(source: ProgrammeSource) -> list[str]:
    touches = source.steps.touches
    return log_notes(touches, logged_names(touches, point_labels(touches)))


class _Programme:
    """Statements of the programme.

    Args:
        source: the plan.
        controller: of the robot.
        home: where it begins and ends.
    """

    def __init__(self, source: ProgrammeSource, controller: Controller, home: Home) -> None:
        self._source, self._plan, self._controller = source, source.plan, controller
        self._share = controller.speed_override_percent / 100.0
        self._steps = source.steps.steps
        self._home, self._q = home, home.posture
        touches = source.steps.touches
        names = logged_names(touches, point_labels(touches))
        self._names = dict(zip((touch.name for touch in touches), names, strict=True))

    def lines(self) -> Iterator[str]:
        """All of them, one to a line, not indented."""
        controller = self._controller
        place = np.argsort(controller.order)  # axis of each joint
        yield f"global palpeur_input = {probe_input(controller)}"
        yield f'global palpeur_host = "{_LOG_HOST}"'
        yield f"global palpeur_sign = {_whole(controller.signs[place])}"
        yield f"global palpeur_zero = {_row(controller.offsets[place])}"
        yield f"global palpeur_axis = {_whole(place)}"
        for name in ("q", "target", "clear"):
            yield f"global palpeur_{name} = {_row(np.zeros(_JOINTS), 1)}"
        yield "global palpeur_arrived = False"
        for name in ("a", "v", "stop"):
            yield f"global palpeur_{name} = 0.001"
        yield from _ROUTINES.splitlines()
        stylus = number(self._plan.job.probe.stylus_length, _LENGTH)
        yield f"set_tcp(p[0.0, 0.0, {stylus}, 0.0, 0.0, 0.0])"
        tolerance = number(controller.start_tolerance, _LENGTH)
        yield f"palpeur_start({self._posture(self._q)}, {tolerance})"
        yield f'if not socket_open(palpeur_host, {LOG_PORT}, "palpeur"):'
        yield '  palpeur_refuse("nothing listens to the log")'
        yield "end"
        for line in log_head(self._source):
            yield f'socket_send_line("{line}", "palpeur")'
        rates = onto_start(self._plan, self._q, controller.start_tolerance)
        a, v = number(rates.acceleration, _RATE), number(rates.speed, _RATE)
        yield f"movej({self._posture(self._q)}, a={a}, v={v})"
        yield "# from home"
        yield from self._way(self._home.way_in, _FROM_HOME * self._share)
        for step in self._steps:
            yield from self._move(step) if isinstance(step, Move) else self._touch(step)
        yield "# home"
        yield from self._way(self._home.way_out, _FROM_HOME * self._share)
        yield 'socket_close("palpeur")'
        yield 'textmsg("palpeur: done")'

    def _move(self, move: Move) -> Iterator[str]:
        yield f"# {self._names[move.point]}"
        yield f"palpeur_clear = {self._posture(move.path[-1])}"
        if move.duration > 0.0:
            yield from self._way(move.path[:-1], self._share)
            yield from self._way(move.path[-1:], self._share, target="palpeur_clear")

    def _way(self, corners: Array, share: float, target: str = "") -> Iterator[str]:
        """Straight joint moves with exact stops."""
        for q in corners:
            rates = joint_rates(self._plan, self._q, q, share)
            self._q = q
            if rates.duration > 0.0:
                a, v = number(rates.acceleration, _RATE), number(rates.speed, _RATE)
                yield f"movej({target or self._posture(q)}, a={a}, v={v})"

    def _touch(self, touch: Touch) -> Iterator[str]:
        name, speed = self._names[touch.name], number(touch.speed, _RATE)
        latency = self._plan.job.touch.latency
        stop = number(stop_deceleration(touch.speed, touch.overrun, latency), _RATE)
        end, back_off = self._posture(touch.q_search_end), self._posture(touch.q_back_off)
        way = touch.clearance - touch.search_start
        yield self._line(self._posture(touch.q_search_start), way, touch.approach_time)
        yield f"palpeur_a = {stop}"
        yield f"palpeur_v = {speed}"
        yield f"palpeur_stop = {stop}"
        yield f'palpeur_search("{name}", {end})'
        if touch.settle > 0.0:
            yield f"sleep({number(touch.settle, 6)})"
        yield f"movel({back_off}, a={stop}, v={speed})"
        yield f'palpeur_log("{name}")'
        way = touch.clearance - touch.back_off
        yield self._line("palpeur_clear", way, touch.retract_time)

    def _line(self, target: str, way: Array, duration: float) -> str:
        rates = line_rates(float(np.linalg.norm(way)), duration, self._share)
        a, v = number(rates.acceleration, _RATE), number(rates.speed, _RATE)
        return f"movel({target}, a={a}, v={v})"

    def _posture(self, q: Array) -> str:
        return _row(self._controller.to_controller(q))


def _row(values: Array, decimals: int = _ANGLE) -> str:
    return f"[{', '.join(numbers(values, decimals))}]"


def _whole(values: Array | Indices) -> str:
    return f"[{', '.join(str(int(value)) for value in values)}]"
