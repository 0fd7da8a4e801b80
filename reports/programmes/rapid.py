"""ABB RAPID programme that measures (RobotWare 6 on).

A robot that the controller solves searches by SearchL; its goals are made of joints by
CalcRobT, so that the line is that of the joints whatever tool is calibrated. Joints that it does
not solve are external axes of a unit without tool point, which SearchExtJ moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reports.programmes.axes import EXTERNAL_AXES, ROBOT_AXES, axis_values
from reports.programmes.robot_programme import (
    LINE_CHORD,
    LOG,
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
from reports.programmes.text import MM, floored, number, numbers
from robots.core.arrays import Array
from robots.core.controller import Controller

NAME = "palpeur"
_VALUE = 9  # decimals of deg and mm
_SPEED = 6  # decimals of mm/s and deg/s
_TIME = 6  # decimals of s
_NOT_CONNECTED = "9E9"
_AT_REST = "0.01"  # [deg, or mm] a clearance point is left from there only
_HOME_SPEED = "v50"  # [mm/s] between home and the plan's motion
_TEXT = 80  # characters of a string
_STOPS, _BACK = 12, 0.999  # places where a search may stop; between them speeds differ by less
_FREE = "5000"  # [mm/s, deg/s] of what does not move in a search
_EXTERNAL = "abcdef"


def rapid(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.mod``."""
    controller = source.plan.job.controller
    if controller is None:
        raise ValueError("RAPID needs [controller]")
    lines = list(_Programme(source, controller).lines())
    return {f"robot/{NAME}.mod": ("\r\n".join(lines) + "\r\n").encode("ascii")}


class _Programme:
    """One module.

    Args:
        source: of the plan.
        controller: of the robot.
    """

    def __init__(self, source: ProgrammeSource, controller: Controller) -> None:
        self._source, self._controller = source, controller
        self._touches = source.steps.touches
        self._labels = point_labels(self._touches)
        self._names = logged_names(self._touches, self._labels)
        self._model = source.plan.trajectory.model
        self._turning = [
            source.plan.job.mechanism.movable[k].kind.angular for k in controller.order.tolist()
        ]
        first = source.steps.steps[0]
        self._begin = first.path[-1] if isinstance(first, Move) else first.q_clearance
        self._home = home_of(source, controller)
        frames = (controller.tool_number, controller.base_number)
        self._tool = f"tool{frames[0]}\\WObj:=wobj{frames[1]}"
        self._signal = f"di{probe_input(controller)}"
        robot = ROBOT_AXES if controller.cartesian else 0
        self._fields = [
            f"robax.rax_{k + 1}" if k < robot else f"extax.eax_{_EXTERNAL[k - robot]}"
            for k in range(len(controller.axes))
        ]

    def lines(self) -> Iterator[str]:
        """The module."""
        yield f"MODULE {NAME}"
        yield from (f"  ! {line}" for line in self._about())
        yield from (f"  {line}" for line in self._data())
        yield from (f"  {line}" for line in self._run())
        cycle = self._straight_cycle() if self._controller.cartesian else self._joint_cycle()
        yield from (f"  {line}" for line in cycle)
        yield from (f"  {line}" for line in self._shared())
        yield "ENDMODULE"

    def _about(self) -> Iterator[str]:
        controller = self._controller
        yield from about_robot(self._source, controller, self._home)
        yield from log_notes(self._touches, self._names)
        yield f"probe: {self._signal} is 1 while it is deflected"
        yield f"hits: HOME:/{LOG}, which `palpeur evaluate` reads"
        if controller.cartesian:
            yield f"goals of lines are joints, made to targets by CalcRobT for {self._tool}:"
            yield "  the tool's orientation is held, so that it need not be calibrated for the ball"
            yield "THE CONTROLLER solves the lines (MoveL, SearchL) by its own model of the arm"
        else:
            yield "the joints are external axes of one mechanical unit without tool point, which"
            yield "  SearchExtJ and MoveExtJ move: eax_a is axis 1, and so on"
            yield "the search is a row of straight joint moves, each to a stop, that keep the ball"
            yield "  within 1 um of its line and at touch speed or below"
        yield "THE CONTROLLER decides accelerations, and how fast \\Stop stops after the trigger;"
        yield "  the place of the hit is the one that it latched when it saw the input"
        yield "travel: \\T gives the times of the plan; the controller may be slower where it meets"
        yield "  its own limits; corners of a detour are stop points"
        yield "num has 24 bits: axes are known to about 0.00001 deg, whatever digits are printed"

    # --- data -------------------------------------------------------------------------------------

    def _data(self) -> Iterator[str]:
        yield f"LOCAL CONST jointtarget jHome:={self._joints(self._home.posture)};"
        for touch, label in zip(self._touches, self._labels, strict=True):
            if self._controller.cartesian:
                postures = {
                    "clear": touch.q_clearance,
                    "start": touch.q_search_start,
                    "end": touch.q_search_end,
                    "back": touch.q_back_off,
                }
                for name, q in postures.items():
                    yield f"LOCAL CONST jointtarget j{name}_{label}:={self._joints(q)};"
            else:
                yield from self._joint_data(touch, label)
        yield "LOCAL VAR bool touched:=FALSE;"
        yield "LOCAL VAR bool missed:=FALSE;"
        yield "LOCAL VAR iodev hits;"

    def _joint_data(self, touch: Touch, label: str) -> Iterator[str]:
        """Postures of the lines of a touch, with the speeds of its searches."""
        yield f"LOCAL CONST jointtarget jclear_{label}:={self._joints(touch.q_clearance)};"
        yield f"LOCAL CONST jointtarget jback_{label}:={self._joints(touch.q_back_off)};"
        start, end = touch.q_search_start, touch.q_search_end
        for name, q in (
            ("in", line_postures(self._model, touch.q_clearance, start, tolerance=LINE_CHORD)),
            ("line", line_postures(self._model, start, end)),
            (
                "out",
                line_postures(
                    self._model, touch.q_back_off, touch.q_clearance, tolerance=LINE_CHORD
                ),
            ),
        ):
            rows = ",".join(self._joints(row) for row in q)
            yield f"LOCAL CONST jointtarget j{name}_{label}{{{len(q)}}}:=[{rows}];"
            if name == "line":
                speeds = ",".join(self._speeds(touch, np.vstack([start, q])))
                yield f"LOCAL CONST speeddata v{name}_{label}{{{len(q)}}}:=[{speeds}];"
        yield f"LOCAL CONST speeddata vback_{label}:={self._back_speed(touch)};"

    def _back_speed(self, touch: Touch) -> str:
        """Speeds that keep touch speed from wherever in the search the ball stopped."""
        way = np.linspace(touch.q_search_start, touch.q_search_end, _STOPS)
        ends = (np.vstack([q, touch.q_back_off]) for q in way)
        found = [self._axis_speeds(touch, both)[0] for both in ends if np.ptp(both, axis=0).any()]
        sliding, angular = _BACK * np.min(found, axis=0)
        return self._speed_text(sliding, angular)

    def _speeds(self, touch: Touch, postures: Array) -> list[str]:
        """Speeds of the axes, of which the one that takes longest gives the pace."""
        return [self._speed_text(*pair) for pair in self._axis_speeds(touch, postures)]

    def _axis_speeds(self, touch: Touch, postures: Array) -> Array:
        """Largest of the axes that slide and of those that turn; infinite for none. # (m, 2)."""
        times = chord_times(self._model, postures, touch.speed)
        values = axis_values(self._source.plan, self._controller, postures)
        ways = np.abs(np.diff(values, axis=0)) / times[:, None]
        turning = np.array(self._turning)
        both = [ways[:, kind].max(axis=1, initial=0.0) for kind in (~turning, turning)]
        speeds = np.stack(both, axis=1)
        return np.where(speeds > 0.0, speeds, np.inf)

    def _speed_text(self, sliding: float, angular: float) -> str:
        words = [
            floored(speed, _SPEED) if np.isfinite(speed) else _FREE for speed in (sliding, angular)
        ]
        return f"[{_FREE},{_FREE},{','.join(words)}]"

    def _joints(self, q: Array) -> str:
        values = numbers(axis_values(self._source.plan, self._controller, q), _VALUE)
        robot = values[:ROBOT_AXES] if self._controller.cartesian else []
        outer = values[len(robot) :]
        robot = [*robot, *["0"] * (ROBOT_AXES - len(robot))]
        outer = [*outer, *[_NOT_CONNECTED] * (EXTERNAL_AXES - len(outer))]
        return f"[[{','.join(robot)}],[{','.join(outer)}]]"

    # --- programme --------------------------------------------------------------------------------

    def _run(self) -> Iterator[str]:
        controller = self._controller
        angles = floored(float(np.degrees(controller.start_tolerance)), 6)
        lengths = floored(MM * controller.start_tolerance_sliding, 6)
        yield f"PROC {NAME}_run()"
        yield f"  IF NOT palpeur_near(jHome,{angles},{lengths}) THEN"
        yield '    TPWrite "not at home: drive there by hand";'
        yield from ("    EXIT;", "  ENDIF")
        yield f"  VelSet {floored(controller.speed_override_percent, 3)},5000;"
        if controller.cartesian:
            yield from ("  ConfJ \\On;", "  ConfL \\On;")
        yield "  palpeur_open;"
        corners = [self._joints(q) for q in self._home.way_in[:-1]]
        for goal in (*corners, f"jclear_{self._labels[0]}"):
            yield f"  {self._move(goal, _HOME_SPEED)}"
        here, labels = self._begin, iter(zip(self._touches, self._labels, self._names, strict=True))
        for step in self._source.steps.steps:
            if isinstance(step, Touch):
                yield f"  {self._call(*next(labels))}"
            elif step.duration > 0.0:
                yield from (f"  {line}" for line in self._travel(here, step))
                here = step.path[-1]
        for row in range(len(self._home.way_out)):
            last = row == len(self._home.way_out) - 1
            goal = "jHome" if last else self._joints(self._home.way_out[row])
            yield f"  {self._move(goal, _HOME_SPEED)}"
        yield from ("  Close hits;", "ENDPROC")

    def _call(self, touch: Touch, label: str, name: str) -> str:
        words = [f'"{name}"']
        rest = number(touch.settle, _TIME)
        if self._controller.cartesian:
            way_in = float(np.linalg.norm(touch.search_start - touch.clearance))
            way_out = float(np.linalg.norm(touch.back_off - touch.clearance))
            words += [f"j{one}_{label}" for one in ("clear", "start", "end", "back")]
            words += [
                _mean(way_in, touch.approach_time, touch.speed),
                floored(MM * touch.speed, _SPEED),
                _mean(way_out, touch.retract_time, touch.speed),
            ]
        else:
            words += [f"j{one}_{label}" for one in ("clear", "back", "in", "line", "out")]
            words += [f"vline_{label}", f"vback_{label}"]
            words += [number(touch.approach_time, _TIME), number(touch.retract_time, _TIME)]
        return f"palpeur_touch {','.join([*words, rest])};"

    def _travel(self, here: Array, move: Move) -> Iterator[str]:
        """Straight moves of the joints from corner to corner, each to a stop."""
        ways = np.abs(np.diff(np.vstack([here, move.path]), axis=0)).max(axis=1)
        shares = ways / max(float(ways.sum()), 1e-300)
        for row, share in enumerate(shares.tolist()):
            last = row == len(shares) - 1
            goal = f"jclear_{self._label_of(move.point)}" if last else self._joints(move.path[row])
            yield self._move(goal, f"vmax\\T:={number(share * move.duration, _TIME)}")

    def _label_of(self, point: str) -> str:
        return next(
            label
            for touch, label in zip(self._touches, self._labels, strict=True)
            if touch.name == point
        )

    def _move(self, goal: str, speed: str) -> str:
        if self._controller.cartesian:
            return f"MoveAbsJ {goal}\\NoEOffs,{speed},fine,{self._tool};"
        return f"MoveExtJ {goal},{speed},fine;"

    # --- cycles -----------------------------------------------------------------------------------

    def _straight_cycle(self) -> Sequence[str]:
        def goal(name: str) -> str:
            return f"CalcRobT({name},{self._tool})"

        def line(name: str, speed: str) -> str:
            return f"MoveL {goal(name)},[{speed},{_FREE},{_FREE},{_FREE}],fine,{self._tool};"

        search = f"[search_speed,{_FREE},{_FREE},{_FREE}]"
        return [
            "PROC palpeur_touch(string name,jointtarget clear,jointtarget start,jointtarget last,"
            "jointtarget back,num speed_in,num search_speed,num speed_out,num rest)",
            "  VAR robtarget hit;",
            *_begin_cycle(),
            f"  {line('start', 'speed_in')}",
            "  missed:=FALSE;",
            f"  SearchL \\Stop,{self._signal},hit,{goal('last')},{search},{self._tool};",
            f"  IF NOT missed palpeur_log name,CalcJointT(hit,{self._tool});",
            "  WaitTime rest;",
            f"  {line('back', 'search_speed')}",
            f"  {line('clear', 'speed_out')}",
            *_end_cycle(),
        ]

    def _joint_cycle(self) -> Sequence[str]:
        return [
            "PROC palpeur_touch(string name,jointtarget clear,jointtarget back,"
            "jointtarget way_in{*},jointtarget line{*},jointtarget way_out{*},"
            "speeddata line_speed{*},speeddata back_speed,num time_in,num time_out,num rest)",
            "  VAR jointtarget hit;",
            *_begin_cycle(),
            "  FOR i FROM 1 TO Dim(way_in,1) DO",
            "    MoveExtJ way_in{i},vmax\\T:=time_in/Dim(way_in,1),fine;",
            "  ENDFOR",
            "  touched:=FALSE;",
            "  FOR i FROM 1 TO Dim(line,1) DO",
            "    IF NOT touched THEN",
            "      missed:=FALSE;",
            f"      SearchExtJ \\Stop,{self._signal},hit,line{{i}},line_speed{{i}};",
            "      touched:=NOT missed;",
            "    ENDIF",
            "  ENDFOR",
            "  IF touched palpeur_log name,hit;",
            "  WaitTime rest;",
            "  MoveExtJ back,back_speed,fine;",
            "  FOR i FROM 1 TO Dim(way_out,1) DO",
            "    MoveExtJ way_out{i},vmax\\T:=time_out/Dim(way_out,1),fine;",
            "  ENDFOR",
            *_end_cycle(),
        ]

    # --- shared routines --------------------------------------------------------------------------

    def _shared(self) -> Iterator[str]:
        joints = self._source.plan.job.mechanism.movable
        order = self._controller.order.tolist()
        yield "! whether the axes are within limits in deg, or mm where they slide, of a posture"
        yield "FUNC bool palpeur_near(jointtarget there,num angle,num length)"
        yield from ("  VAR jointtarget here;", "  here:=CJointT();")
        for field, k in zip(self._fields, order, strict=True):
            limit = "angle" if joints[k].kind.angular else "length"
            yield f"  IF Abs(here.{field}-there.{field})>{limit} RETURN FALSE;"
        yield from ("  RETURN TRUE;", "ENDFUNC")
        yield from ("PROC palpeur_open()", f'  Open "HOME:"\\File:="{LOG}",hits\\Write;')
        for line in log_head(self._source):
            pieces = [line[at : at + _TEXT] for at in range(0, len(line), _TEXT)]
            yield from (f'  Write hits,"{piece}"\\NoNewLine;' for piece in pieces[:-1])
            yield f'  Write hits,"{pieces[-1]}";'
        yield "ENDPROC"
        yield from (
            "PROC palpeur_log(string name,jointtarget hit)",
            "  Write hits,name\\NoNewLine;",
        )
        signs, offsets = self._controller.signs, self._offsets()
        rows = {
            k: (field, sign, offset)
            for field, k, sign, offset in zip(self._fields, order, signs, offsets, strict=True)
        }
        for k in range(len(order)):
            field, sign, offset = rows[k]
            value = f"(NumToDnum(hit.{field})-({number(float(offset), _VALUE)}))"
            minus = "-1*" if sign < 0.0 else ""
            yield f'  Write hits,","+DnumToStr({minus}{value},{_VALUE})\\NoNewLine;'
        yield from ('  Write hits,"";', "ENDPROC")

    def _offsets(self) -> Array:
        return axis_values(
            self._source.plan, self._controller, np.zeros(len(self._controller.axes))
        )


def _begin_cycle() -> list[str]:
    return [
        f"  IF NOT palpeur_near(clear,{_AT_REST},{_AT_REST}) THEN",
        '    TPWrite "not at the clearance point of "+name;',
        "    EXIT;",
        "  ENDIF",
    ]


def _end_cycle() -> list[str]:
    """Report a miss, and the handler that takes one for what it is."""
    return [
        "  IF missed THEN",
        '    Write hits,"# MISSED "+name;',
        "    Close hits;",
        '    TPWrite "no hit at "+name;',
        "    EXIT;",
        "  ENDIF",
        "ERROR",
        "  ! no hit to the end of the search, or the probe was deflected before it",
        "  IF ERRNO=ERR_WHLSEARCH OR ERRNO=ERR_SIGSUPSEARCH THEN",
        "    missed:=TRUE;",
        "    TRYNEXT;",
        "  ENDIF",
        "  RAISE;",
        "ENDPROC",
    ]


def _mean(length: float, time: float, least: float) -> str:
    """Speed that takes as long as the plan. [mm/s]."""
    return floored(MM * (max(length / time, least) if time > 0.0 else least), _SPEED)
