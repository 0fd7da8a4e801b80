"""FANUC TP as text (.ls): a programme that measures; a KAREL programme (.kl) writes its log.

All positions are joints, so that neither frame numbers nor a configuration string decide where a
move ends. TP cannot write files: ``palplog.kl`` does, which needs option R632 (KAREL). Everything
else is of the basic software, but for the high-speed skip (``PR[…]=JPOS``), an option on older
controllers.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

import numpy as np

from planner.errors import OutputError
from reports.programmes.axes import axis_scales, axis_values
from reports.programmes.rates import joint_rates, line_rates, onto_start
from reports.programmes.robot_programme import (
    LINE_CHORD,
    Home,
    about_robot,
    chord_times,
    home_of,
    line_postures,
    log_head,
    log_notes,
    logged_names,
    point_labels,
    probe_input,
)
from reports.programmes.source import Move, ProgrammeSource, Touch
from reports.programmes.text import number
from robots.core.arrays import Array
from robots.core.controller import Controller
from robots.core.mechanism import Mechanism

PATH, LOG_PATH = "robot/palpeur.ls", "robot/palplog.kl"
LOG_FILE = "UD1:PALPEUR.CSV"
_AXES, _EXTERNAL = 6, 3
_REMARK = 32  # characters that a line of remark holds
_ARGUMENT = 34  # characters of a text argument
_VALUE = 9  # decimals of deg and mm
_NOW, _HIT, _DIFFERENCE = 91, 92, 191  # PR, PR, R
_LONGEST = 32_000  # [ms] that a joint move may be given
_SLOWEST = 0.1  # [mm/s] steps of speeds
_FROM_HOME = 0.05  # of the speed, on the way from home and back
_ONTO = 1.0  # [s] onto the start posture, at least
_PEAK = 2.0  # of the mean speed of a joint move with a time, at most: it may be all ramps
_MM = 1e3  # per metre
_LABELS, _LAST_LABEL = 1000, 32_766  # of hits, misses and chords of joint searches
_ELSEWHERE, _TRIGGERED, _MISSED, _END = 900, 901, 902, 999  # labels


def fanuc_fault(mechanism: Mechanism, controller: Controller) -> str:
    """Say why joints cannot stand in six robot axes and three more; empty where they can."""
    kinds = {joint.name: joint.kind.angular for joint in mechanism.movable}
    sliding = [name for name in controller.axes[:_AXES] if not kinds[name]]
    if sliding and controller.cartesian:
        return (
            f"joint {sliding[0]!r} slides, but an arm's six axes turn; name a track after them in "
            "controller.axes, or say controller.cartesian = false"
        )
    if mechanism.dof > _AXES + _EXTERNAL:
        return (
            f"the robot has {mechanism.dof} joints, but a motion group {_AXES} axes and "
            f"{_EXTERNAL} extended ones"
        )
    return ""


def fanuc(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.ls`` and ``robot/palplog.kl``."""
    controller = source.plan.job.controller
    if controller is None:
        raise ValueError("a programme of a robot's own controller needs [controller]")
    texts = {
        PATH: _Programme(source, controller, home_of(source, controller)).text(),
        LOG_PATH: _logger(source, controller),
    }
    return {path: ("\r\n".join(lines) + "\r\n").encode("ascii") for path, lines in texts.items()}


_ATTRIBUTES = """\
/PROG  PALPEUR
/ATTR
OWNER\t\t= MNEDITOR;
COMMENT\t\t= "PALPEUR";
PROG_SIZE\t= 0;
CREATE\t\t= DATE 00-01-01  TIME 00:00:00;
MODIFIED\t= DATE 00-01-01  TIME 00:00:00;
FILE_NAME\t= ;
VERSION\t\t= 0;
LINE_COUNT\t= {count};
MEMORY_SIZE\t= 0;
PROTECT\t\t= READ_WRITE;
TCD:  STACK_SIZE\t= 0,
      TASK_PRIORITY\t= 50,
      TIME_SLICE\t= 0,
      BUSY_LAMP_OFF\t= 0,
      ABORT_REQUEST\t= 0,
      PAUSE_REQUEST\t= 0;
DEFAULT_GROUP\t= 1,*,*,*,*;
CONTROL_CODE\t= 00000000 00000000;
/MN"""


class _Programme:
    """Lines and positions of the programme.

    Args:
        source: the plan.
        controller: of the robot.
        home: where it begins and ends.
    """

    def __init__(self, source: ProgrammeSource, controller: Controller, home: Home) -> None:
        self._source, self._plan, self._controller = source, source.plan, controller
        self._share = controller.speed_override_percent / 100.0
        self._home, self._q = home, home.posture
        self._input = f"DI[{probe_input(controller)}]"
        self._positions: dict[str, int] = {}
        self._label = _LABELS
        touches = source.steps.touches
        short = point_labels(touches)
        names = [
            name if len(name) <= _ARGUMENT else label
            for name, label in zip(logged_names(touches, short), short, strict=True)
        ]
        self._names = dict(zip((touch.name for touch in touches), names, strict=True))

    def text(self) -> list[str]:
        """The whole file."""
        lines = [*self._remarks(), *self._lines()]
        numbered = [f"{k:4}:{line} ;" for k, line in enumerate(lines, start=1)]
        head = _ATTRIBUTES.format(count=len(lines)).splitlines()
        return [*head, *numbered, "/POS", *self._position_lines(), "/END"]

    def _remarks(self) -> Iterator[str]:
        for line in _about(self._source, self._controller, self._home, self._names):
            for part in textwrap.wrap(line, _REMARK) or [""]:
                yield f"  !{part}"

    def _lines(self) -> Iterator[str]:
        controller = self._controller
        yield f"  UFRAME_NUM={controller.base_number}"
        yield f"  UTOOL_NUM={controller.tool_number}"
        yield "  OVERRIDE=100%"
        yield from self._start()
        yield f"  SKIP CONDITION {self._input}=ON"
        yield "  CALL PALPLOG(0)"
        tolerance = max(controller.start_tolerance, controller.start_tolerance_sliding)
        onto = onto_start(self._plan, self._q, tolerance).duration
        yield f"J {self._position(self._q)} {_time(max(onto, _ONTO))} FINE"
        yield from self._way(self._home.way_in, _FROM_HOME * self._share)
        misses: list[str] = []
        for step in self._source.steps.steps:
            yield from self._move(step) if isinstance(step, Move) else self._touch(step, misses)
        yield from self._way(self._home.way_out, _FROM_HOME * self._share)
        yield f"  JMP LBL[{_END}]"
        yield from misses
        for label, told in (
            (_ELSEWHERE, "NOT AT START POSTURE"),
            (_TRIGGERED, "PROBE IS TRIGGERED"),
            (_MISSED, "NO SURFACE FOUND"),
        ):
            yield f"  LBL[{label}]"
            yield f"  MESSAGE[{told}]"
            yield "  ABORT"
        yield f"  LBL[{_END}]"

    def _start(self) -> Iterator[str]:
        """Refuse to run from elsewhere."""
        controller = self._controller
        values = axis_values(self._plan, controller, self._q)
        scales = axis_scales(self._plan, controller)
        joints = self._plan.job.mechanism.movable
        yield f"  PR[{_NOW}]=JPOS"
        for axis, (value, scale, k) in enumerate(
            zip(values.tolist(), scales.tolist(), controller.order.tolist(), strict=True), start=1
        ):
            turns = joints[k].kind.angular
            limit = controller.start_tolerance if turns else controller.start_tolerance_sliding
            shown = number(limit * scale, 3)
            far = f"R[{_DIFFERENCE}]>{shown} OR R[{_DIFFERENCE}]<(-{shown})"
            yield f"  R[{_DIFFERENCE}]=PR[{_NOW},{axis}]-{_constant(value)}"
            yield f"  IF {far},JMP LBL[{_ELSEWHERE}]"
        yield f"  IF {self._input}=ON,JMP LBL[{_TRIGGERED}]"

    def _move(self, move: Move) -> Iterator[str]:
        yield f"  !{self._names[move.point][:_REMARK]}"
        if move.duration > 0.0:  # not from home, which is behind it
            yield from self._way(move.path, self._share)

    def _way(self, corners: Array, share: float) -> Iterator[str]:
        """Straight joint moves with exact stops."""
        for q in corners:
            rates = joint_rates(self._plan, self._q, q, share)
            duration = rates.duration
            if duration > 0.0 and np.isfinite(self._plan.job.touch.positioning_speed):
                # The controller shapes a move with a time: its peak, too, keeps the speed.
                duration = max(duration, _PEAK * float(np.abs(q - self._q).max()) / rates.speed)
            if duration > 0.0:
                yield f"J {self._position(q)} {_time(duration)} FINE"
            self._q = q

    def _touch(self, touch: Touch, misses: list[str]) -> Iterator[str]:
        name = self._names[touch.name]
        miss, hit = self._next_label(), self._next_label()
        slow = 1e3 * touch.speed
        approach = self._rate(touch.clearance - touch.search_start, touch.approach_time)
        retract = self._rate(touch.clearance - touch.back_off, touch.retract_time)
        clear, start = touch.q_clearance, touch.q_search_start
        yield from self._line(clear, start, approach, LINE_CHORD)
        yield f"  IF {self._input}=ON,JMP LBL[{_TRIGGERED}]"
        yield from self._search(touch, miss, hit)
        if touch.settle > 0.0:
            yield f"  WAIT {np.ceil(100.0 * touch.settle - 1e-9) / 100.0:.2f}(sec)"
        yield from self._back_off(touch)
        yield f"  CALL PALPLOG(1,'{name}')"
        yield from self._line(touch.q_back_off, clear, retract, LINE_CHORD)
        misses += [
            f"  LBL[{miss}]",
            *self._line(touch.q_search_end, clear, slow, LINE_CHORD),
            f"  CALL PALPLOG(2,'{name}')",
            f"  JMP LBL[{_MISSED}]",
        ]

    def _search(self, touch: Touch, miss: int, hit: int) -> Iterator[str]:
        """Until the input is on. With Skip a motion jumps to its label where it was not."""
        latch = f"PR[{_HIT}]=JPOS"
        if self._controller.cartesian:
            end = self._position(touch.q_search_end)
            yield f"L {end} {_speed(1e3 * touch.speed)} FINE Skip,LBL[{miss}],{latch}"
            return
        model = self._plan.trajectory.model
        corners = np.vstack(
            [
                touch.q_search_start,
                line_postures(model, touch.q_search_start, touch.q_search_end),
            ]
        )
        times = _PEAK * chord_times(model, corners, touch.speed)
        for k, (q, duration) in enumerate(zip(corners[1:], times.tolist(), strict=True)):
            last = k == len(times) - 1
            onward = miss if last else self._next_label()
            yield f"J {self._position(q)} {_time(duration)} FINE Skip,LBL[{onward}],{latch}"
            if not last:
                yield f"  JMP LBL[{hit}]"
                yield f"  LBL[{onward}]"
        yield f"  LBL[{hit}]"

    def _next_label(self) -> int:
        self._label += 1
        if self._label > _LAST_LABEL:
            raise OutputError(
                f"A TP programme has labels to {_LAST_LABEL}, which these points would pass; "
                "divide the job.",
                limit=_LAST_LABEL,
            )
        return self._label

    def _back_off(self, touch: Touch) -> Iterator[str]:
        """From wherever the search stopped, at touch speed at most."""
        q = touch.q_back_off
        if self._controller.cartesian:
            yield f"L {self._position(q)} {_speed(1e3 * touch.speed)} FINE"
        else:
            ends = np.array([touch.q_search_end, q])
            longest = _PEAK * float(chord_times(self._plan.trajectory.model, ends, touch.speed)[0])
            yield f"J {self._position(q)} {_time(longest)} FINE"

    def _line(self, start: Array, end: Array, speed: float, chord: float) -> Iterator[str]:
        """Straight for the ball, at a speed in mm/s."""
        if self._controller.cartesian:
            yield f"L {self._position(end)} {_speed(speed)} FINE"
            return
        model = self._plan.trajectory.model
        corners = np.vstack([start, line_postures(model, start, end, tolerance=chord)])
        for q, duration in zip(
            corners[1:], _PEAK * chord_times(model, corners, 1e-3 * speed), strict=True
        ):
            yield f"J {self._position(q)} {_time(float(duration))} FINE"

    def _rate(self, way: Array, duration: float) -> float:
        """Speed of an approach or retract in the plan's time. [mm/s]."""
        return 1e3 * line_rates(float(np.linalg.norm(way)), duration, self._share).speed

    def _position(self, q: Array) -> str:
        values = axis_values(self._plan, self._controller, q)
        text = self._joints(values)
        return f"P[{self._positions.setdefault(text, len(self._positions) + 1)}]"

    def _joints(self, values: Array) -> str:
        """Axes of one position, three to a line."""
        scales = axis_scales(self._plan, self._controller)
        cells = []
        for axis, (value, scale) in enumerate(zip(values.tolist(), scales.tolist(), strict=True)):
            label = f"J{axis + 1}" if axis < _AXES else f"E{axis + 1 - _AXES}"
            unit = "mm" if scale == _MM else "deg"
            cells.append(f"{label}= {number(value, _VALUE):>16} {unit}")
        rows = [cells[k : k + 3] for k in range(0, len(cells), 3)]
        return ",\r\n".join("\t" + ",\t".join(row) for row in rows)

    def _position_lines(self) -> Iterator[str]:
        frame, tool = self._controller.base_number, self._controller.tool_number
        for text, place in self._positions.items():
            yield f"P[{place}]{{"
            yield "   GP1:"
            yield f"\tUF : {frame}, UT : {tool},\t"
            yield text
            yield "};"


def _speed(speed: float) -> str:
    """Of a line, rounded down: the controller has steps of 0.1 mm/s."""
    steps = max(np.floor(speed / _SLOWEST + 1e-6), 1.0)
    return f"{number(steps * _SLOWEST, 1)}mm/sec"


def _time(duration: float) -> str:
    """Of a joint move, rounded up: whole milliseconds, or tenths of a second."""
    milliseconds = int(np.ceil(1e3 * duration - 1e-9))
    if milliseconds <= _LONGEST:
        return f"{max(milliseconds, 1)}msec"
    return f"{np.ceil(10.0 * duration) / 10.0:.1f}sec"


def _constant(value: float) -> str:
    """A number in an expression; one below zero in brackets."""
    shown = number(value, _VALUE)
    return f"({shown})" if shown.startswith("-") else shown


_COUNTED = (
    "axes are counted one by one here: most FANUC arms count axis 3 from the horizontal;",
    "  if this one does, say so by coupled in [controller]",
)


def _about(
    source: ProgrammeSource, controller: Controller, home: Home, names: Mapping[str, str]
) -> list[str]:
    tolerance = np.degrees(controller.start_tolerance)
    straight = (
        f"straight lines by its own geometry: tool {controller.tool_number} must be the ball"
        if controller.cartesian
        else "lines are joint moves: within 1 um of straight in a search, 0.1 mm elsewhere, at "
        "half the touch speed on average"
    )
    return [
        *about_robot(source, controller, home, hidden=";"),
        *log_notes(source.steps.touches, [names[t.name] for t in source.steps.touches], hidden=";"),
        *(
            f"axis {one.axis} has {one.factor:+g} times axis {one.of} in it, besides"
            for one in controller.coupled
        ),
        *([] if controller.coupled else _COUNTED),
        f"refuses to start from farther than {tolerance:g} deg from home",
        f"probe: DI[{probe_input(controller)}], on while it is deflected",
        "THE CONTROLLER DECIDES: speed and acceleration along each move within speed or time "
        f"given; {straight}; how it slows down after a skip; all moves end in an exact stop",
        "Skip jumps to its label where the input stayed off: that is the miss",
        f"uses PR[{_NOW}], PR[{_HIT}], R[{_DIFFERENCE}]; keeps joints in single precision",
        f"log: {LOG_FILE}, by palplog.kl (KAREL, option R632)",
    ]


# ----------------------------------------------------------------------------------------- Logging
# One KAREL programme for the three things that are logged: a new file, a hit, a miss.

_LOGGER = """PROGRAM palplog
%COMMENT = 'PALPEUR LOG'
%NOLOCKGROUP
%NOPAUSE = ERROR + COMMAND + TPENABLE
VAR
  hits : FILE
  kind, task, status, unused : INTEGER
  value : REAL
  words, name : STRING[40]
  posture : JOINTPOS
  shown : ARRAY[9] OF REAL
  q : ARRAY[9] OF REAL
BEGIN
  GET_TPE_PRM(1, kind, task, value, words, status)
  IF task = 0 THEN
    OPEN FILE hits ('RW', '{file}')
{head}
  ELSE
    GET_TPE_PRM(2, kind, unused, value, name, status)
    OPEN FILE hits ('AP', '{file}')
    IF task = 1 THEN
      posture = GET_JPOS_REG({hit}, status)
      IF status <> 0 THEN
        ABORT
      ENDIF
      CNV_JPOS_REL(posture, shown, status)
{map}
      WRITE hits (name{cells}, CR)
    ELSE
      WRITE hits ('# MISSED ', name, CR)
    ENDIF
  ENDIF
  status = IO_STATUS(hits)
  IF status <> 0 THEN
    ABORT
  ENDIF
  CLOSE FILE hits
END palplog"""


def _logger(source: ProgrammeSource, controller: Controller) -> list[str]:
    plan = source.plan
    offsets = controller.offsets * axis_scales(plan, controller)
    mapped = []
    for axis, (k, sign, offset) in enumerate(
        zip(controller.order.tolist(), controller.signs.tolist(), offsets.tolist(), strict=True),
        start=1,
    ):
        minus = "-" if sign < 0.0 else ""
        mapped.append((k, f"      q[{k + 1}] = {minus}(shown[{axis}] - {_constant(offset)})"))
    parted = [
        f"      shown[{one.axis}] = shown[{one.axis}] - {_constant(one.factor)} * shown[{one.of}]"
        for one in controller.coupled
    ]
    text = _LOGGER.format(
        file=LOG_FILE,
        head="\n".join(f"    WRITE hits ('{line}', CR)" for line in log_head(source)),
        hit=_HIT,
        map="\n".join([*parted, *(line for _, line in sorted(mapped))]),
        cells="".join(f", ',', q[{k}]::16::{_VALUE}" for k in range(1, len(mapped) + 1)),
    )
    head = [
        *(f"-- {line}" for line in source.about()),
        f"-- log of palpeur.ls: joints of PR[{_HIT}] with the zero and sign of the robot file",
        "-- translate it for the controller (ktrans), whose option R632 runs it",
    ]
    return [*head, *text.split("\n")]
