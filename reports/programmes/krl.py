"""KUKA KRL programme that measures (KSS 8.3 on).

Every point has two routines: one searches, and one holds the whole cycle, so that RESUME in the
interrupt routine comes back behind the search. Straight lines are shifts of the pose that the
controller itself shows at the clearance point: the stylus is held whatever tool it knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from reports.programmes.axes import ROBOT_AXES, axis_values
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
_INTERRUPT = 21
_VALUE = 9  # decimals of deg and mm
_SPEED = 9  # decimals of m/s
_TIME = 6  # decimals of s
_AT_REST = "0.01"  # [deg, or mm] a clearance point is left from there only
_HOME_SPEED, _HOME_RAMP = 5, 20  # per cent, between home and the plan's motion
# Controllers reach the end of a timed block from rest to rest; whatever their law, a trapezoid or
# a polynomial, its peak is at most twice its mean.
_PEAK = 2.0
_HIDDEN = ";"


def krl(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.src`` and ``robot/palpeur.dat``."""
    controller = source.plan.job.controller
    if controller is None:
        raise ValueError("KRL needs [controller]")
    programme = _Programme(source, controller)
    texts = {"src": programme.source_lines(), "dat": programme.data_lines()}
    return {
        f"robot/{NAME}.{ending}": ("\r\n".join(text) + "\r\n").encode("ascii")
        for ending, text in texts.items()
    }


class _Programme:
    """The two files of a programme.

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
        count = len(controller.axes)
        self._axes = [
            f"A{k}" if k <= ROBOT_AXES else f"E{k - ROBOT_AXES}" for k in range(1, count + 1)
        ]
        first = source.steps.steps[0]
        self._begin = first.path[-1] if isinstance(first, Move) else first.q_clearance
        self._home = home_of(source, controller)

    # --- data -------------------------------------------------------------------------------------

    def data_lines(self) -> list[str]:
        """The data list: named points and what routines share."""
        lines = [
            *("&ACCESS RVP", "&REL 1", f"DEFDAT {NAME}"),
            "; X_ are clearance points: axes in deg, or mm where they slide; S_, E_ and B_ are the",
            "; shifts from there to search start, search end and back-off, in mm along $BASE",
            f"DECL E6AXIS XHOME={self._axis(self._home.posture)}",
        ]
        for touch, label in zip(self._touches, self._labels, strict=True):
            lines.append(f"DECL E6AXIS X_{label}={self._axis(touch.q_clearance)}")
            if self._controller.cartesian:
                for letter, place, q in _places(touch):
                    shift = self._shift(place - touch.clearance, q - touch.q_clearance)
                    lines.append(f"DECL E6POS {letter}_{label}={shift}")
        return [
            *lines,
            "DECL E6AXIS XHIT={A1 0.0,A2 0.0,A3 0.0,A4 0.0,A5 0.0,A6 0.0}",
            *("DECL E6AXIS XNOW", "DECL E6POS REF", "DECL E6POS GOAL"),
            *("DECL BOOL TOUCHED=FALSE", "DECL BOOL NEAR=FALSE", "DECL INT I"),
            f"DECL REAL QL[{len(self._axes)}]",
            *("DECL CHAR TEXT[255]", "DECL INT HANDLE=0", "DECL INT OFS=0"),
            *("DECL STATE_T STAT", "DECL MODUS_T MODE", "ENDDAT"),
        ]

    def _axis(self, q: Array) -> str:
        values = axis_values(self._source.plan, self._controller, q)
        words = [
            f"{axis} {value}"
            for axis, value in zip(self._axes, numbers(values, _VALUE), strict=True)
        ]
        idle = range(len(self._axes) + 1, ROBOT_AXES + 1)
        return "{" + ",".join([*words, *(f"A{k} 0.0" for k in idle)]) + "}"

    def _shift(self, way: Array, joints: Array) -> str:
        words = [
            f"{axis} {value}" for axis, value in zip("XYZ", numbers(MM * way, _VALUE), strict=True)
        ]
        plan, controller = self._source.plan, self._controller
        outer = axis_values(plan, controller, joints) - axis_values(plan, controller, 0.0 * joints)
        words += ["A 0.0", "B 0.0", "C 0.0"]
        words += [
            f"{axis} {value}"
            for axis, value in zip(
                self._axes[ROBOT_AXES:], numbers(outer[ROBOT_AXES:], _VALUE), strict=True
            )
        ]
        return "{" + ",".join(words) + "}"

    # --- programme --------------------------------------------------------------------------------

    def source_lines(self) -> list[str]:
        """The programme and its routines."""
        return [
            *("&ACCESS RVP", "&REL 1", f"DEF {NAME}()"),
            *(f"; {line}" for line in self._about()),
            *self._start(),
            *self._way(),
            *self._end(),
            "CLOSE_LOG()",
            "END",
            *self._cycles(),
            *self._hit(),
            *self._standing(),
            *self._logging(),
        ]

    def _about(self) -> Iterator[str]:
        controller = self._controller
        yield from about_robot(self._source, controller, self._home, hidden=_HIDDEN)
        yield from log_notes(self._touches, self._names, _HIDDEN)
        for k in range(len(self._axes) + 1, ROBOT_AXES + 1):
            yield f"A{k} has no joint in the job and is driven to 0"
        yield f"probe: $IN[{probe_input(controller)}] is TRUE while it is deflected"
        yield f"hits: {LOG} among the user files of the controller; `palpeur evaluate` reads it"
        if controller.cartesian:
            base = controller.base_number
            frame = f"BASE_DATA[{base}]" if base else "$NULLFRAME"
            yield f"$BASE is {frame} and must be the base of the robot file; only shifts are used,"
            yield "  so that the tool need not be calibrated for the lines of the ball"
            yield "THE CONTROLLER solves the straight lines (SLIN) by its own model of the arm"
        else:
            yield "the search is a spline of the axes (PTP_SPLINE) through postures on its line;"
            yield "  straight axis moves between them would keep the ball within 1 um of it; its"
            yield "  time is twice what the touch speed asks, as the controller chooses the profile"
        yield "THE CONTROLLER decides accelerations, and how fast BRAKE F stops after the trigger;"
        yield "  $AXIS_INT is what it latched when it saw the input"
        yield "travel: TIME_BLOCK sets the times of the plan, as far as its machine data allow;"
        yield "  corners of a detour are exact stops"
        yield "REAL has 24 bits: axes are known to about 0.00001 deg, whatever digits are printed"

    def _start(self) -> Iterator[str]:
        controller = self._controller
        yield from ("BAS(#INITMOV,0)", "$ADVANCE=0", "$IPO_MODE=#BASE")
        tool, base = controller.tool_number, controller.base_number
        yield f"$TOOL=TOOL_DATA[{tool}]" if tool else "$TOOL=$NULLFRAME"
        yield f"$BASE=BASE_DATA[{base}]" if base else "$BASE=$NULLFRAME"
        yield f"$OV_PRO={max(int(controller.speed_override_percent), 1)}"
        yield "; it starts from home only: drive there by hand"
        angles = floored(float(np.degrees(controller.start_tolerance)), 6)
        lengths = floored(MM * controller.start_tolerance_sliding, 6)
        yield f"STAND(XHOME,{angles},{lengths})"
        yield "OPEN_LOG()"
        yield from _axis_speeds(_HOME_SPEED, _HOME_RAMP)
        yield from (f"SPTP {self._axis(q)}" for q in self._home.way_in[:-1])
        yield f"SPTP X_{self._labels[0]}"
        yield from _axis_speeds(100, 100)

    def _end(self) -> Iterator[str]:
        if len(self._home.way_out):
            yield from _axis_speeds(_HOME_SPEED, _HOME_RAMP)
            yield from (f"SPTP {self._axis(q)}" for q in self._home.way_out[:-1])
            yield "SPTP XHOME"

    def _way(self) -> Iterator[str]:
        labels = iter(zip(self._labels, self._names, strict=True))
        here = self._begin
        for step in self._source.steps.steps:
            if isinstance(step, Touch):
                label, name = next(labels)
                yield f"TOUCH_{label}()"
                yield "IF NOT TOUCHED THEN"
                yield f'  CWRITE($FCT_CALL,STAT,MODE,"krl_fwriteln",HANDLE,"# MISSED {name}")'
                yield from ("  CLOSE_LOG()", "  HALT", "  RETURN", "ENDIF")
                yield "TO_JOINTS()"
                places = ",".join(["%.9f"] * len(self._axes))
                values = ",".join(f"QL[{k}]" for k in range(1, len(self._axes) + 1))
                yield from ("StrClear(TEXT[])", "OFS=0")
                yield f'SWRITE(TEXT[],STAT,OFS,"{name},{places}",{values})'
                yield 'CWRITE($FCT_CALL,STAT,MODE,"krl_fwriteln",HANDLE,TEXT[])'
            elif step.duration > 0.0:
                yield from self._travel(here, step)
                here = step.path[-1]

    def _travel(self, here: Array, move: Move) -> Iterator[str]:
        """Straight moves of the axes from corner to corner, each to a stop."""
        ways = np.abs(np.diff(np.vstack([here, move.path]), axis=0)).max(axis=1)
        shares = ways / max(float(ways.sum()), 1e-300)
        for row, share in enumerate(shares.tolist()):
            last = row == len(shares) - 1
            goal = f"X_{self._label_of(move.point)}" if last else self._axis(move.path[row])
            yield from _timed([goal], [1.0], share * move.duration)

    def _label_of(self, point: str) -> str:
        return next(
            label
            for touch, label in zip(self._touches, self._labels, strict=True)
            if touch.name == point
        )

    # --- cycles -----------------------------------------------------------------------------------

    def _cycles(self) -> Iterator[str]:
        for touch, label in zip(self._touches, self._labels, strict=True):
            if self._controller.cartesian:
                yield from self._straight_cycle(touch, label)
            else:
                yield from self._joint_cycle(touch, label)

    def _straight_cycle(self, touch: Touch, label: str) -> Iterator[str]:
        speed = floored(touch.speed, _SPEED)
        way_in = float(np.linalg.norm(touch.search_start - touch.clearance))
        way_out = float(np.linalg.norm(touch.back_off - touch.clearance))
        yield f"DEF TOUCH_{label}()"
        yield from self._begin_cycle(label)
        yield "REF=$POS_ACT"
        yield from self._to(f"S_{label}", _mean(way_in, touch.approach_time, touch.speed))
        yield from self._search(label)
        yield f"WAIT SEC {number(touch.settle, _TIME)}"
        yield from self._to(f"B_{label}", speed)
        yield f"$VEL.CP={_mean(way_out, touch.retract_time, touch.speed)}"
        yield from ("SLIN REF", "END")
        yield f"DEF SEARCH_{label}()"
        yield f"SHIFT(E_{label})"
        yield f"$VEL.CP={speed}"
        yield from (f"INTERRUPT ON {_INTERRUPT}", "SLIN GOAL")
        yield from (f"INTERRUPT OFF {_INTERRUPT}", "END")

    def _to(self, shift: str, speed: str) -> Iterator[str]:
        yield from (f"SHIFT({shift})", f"$VEL.CP={speed}", "SLIN GOAL")

    def _joint_cycle(self, touch: Touch, label: str) -> Iterator[str]:
        yield f"DEF TOUCH_{label}()"
        yield from self._begin_cycle(label)
        yield from self._line(touch.q_clearance, touch.q_search_start, touch.approach_time)
        yield from self._search(label)
        yield f"WAIT SEC {number(touch.settle, _TIME)}"
        yield from self._back(touch)
        yield from self._line(touch.q_back_off, touch.q_clearance, touch.retract_time)
        yield "END"
        yield f"DEF SEARCH_{label}()"
        yield f"INTERRUPT ON {_INTERRUPT}"
        postures = line_postures(self._model, touch.q_search_start, touch.q_search_end)
        yield from self._at_touch_speed(touch, touch.q_search_start, postures)
        yield from (f"INTERRUPT OFF {_INTERRUPT}", "END")

    def _back(self, touch: Touch) -> Iterator[str]:
        """From wherever the ball stopped: timed as from the search end."""
        yield from self._at_touch_speed(touch, touch.q_search_end, touch.q_back_off[None])

    def _at_touch_speed(self, touch: Touch, here: Array, postures: Array) -> Iterator[str]:
        times = chord_times(self._model, np.vstack([here, postures]), touch.speed)
        total = float(times.sum())
        goals = [self._axis(q) for q in postures]
        yield from _timed(goals, (times / total).tolist(), _PEAK * total)

    def _line(self, here: Array, there: Array, duration: float) -> Iterator[str]:
        postures = line_postures(self._model, here, there, tolerance=LINE_CHORD)
        ways = np.abs(np.diff(np.vstack([here, postures]), axis=0)).max(axis=1)
        goals = [self._axis(q) for q in postures]
        yield from _timed(goals, (ways / ways.sum()).tolist(), duration)

    def _begin_cycle(self, label: str) -> Iterator[str]:
        yield f"STAND(X_{label},{_AT_REST},{_AT_REST})"

    def _search(self, label: str) -> Iterator[str]:
        signal = f"$IN[{probe_input(self._controller)}]"
        yield "TOUCHED=FALSE"
        yield f"INTERRUPT DECL {_INTERRUPT} WHEN {signal}==TRUE DO HIT()"
        yield "; a probe that is deflected already does not search: it counts as missed"
        yield from (f"IF NOT {signal} THEN", f"  SEARCH_{label}()", "ENDIF")

    # --- shared routines --------------------------------------------------------------------------

    def _hit(self) -> Iterator[str]:
        yield from ("DEF HIT()", f"INTERRUPT OFF {_INTERRUPT}", "BRAKE F", "XHIT=$AXIS_INT")
        yield from ("TOUCHED=TRUE", "RESUME", "END")
        if self._controller.cartesian:
            yield from ("DEF SHIFT(D:IN)", "DECL E6POS D", "GOAL=REF")
            for field in ("X", "Y", "Z", *self._axes[ROBOT_AXES:]):
                yield f"GOAL.{field}=REF.{field}+D.{field}"
            yield "END"

    def _standing(self) -> Iterator[str]:
        joints = self._source.plan.job.mechanism.movable
        yield "; goes on only from within T deg, or U mm where axes slide, of a posture"
        yield from ("DEF STAND(X:IN,T:IN,U:IN)", "DECL E6AXIS X", "DECL REAL T,U")
        yield from ("NEAR=FALSE", "WHILE NOT NEAR", "  XNOW=$AXIS_ACT", "  NEAR=TRUE")
        for axis, k in zip(self._axes, self._controller.order.tolist(), strict=True):
            limit = "T" if joints[k].kind.angular else "U"
            yield f"  IF ABS(XNOW.{axis}-X.{axis})>{limit} THEN"
            yield from ("    NEAR=FALSE", "  ENDIF")
        yield from ("  IF NOT NEAR THEN", "    HALT", "  ENDIF", "ENDWHILE", "END")

    def _logging(self) -> Iterator[str]:
        plan, controller = self._source.plan, self._controller
        offsets = axis_values(plan, controller, np.zeros(len(self._axes)))
        yield "DEF TO_JOINTS()"
        for axis, k, sign, offset in zip(
            self._axes, controller.order, controller.signs, offsets, strict=True
        ):
            text = number(float(offset), _VALUE)
            yield f"QL[{k + 1}]={'-' if sign < 0.0 else ''}1.0*(XHIT.{axis}-({text}))"
        yield "END"
        yield from ("DEF OPEN_LOG()", "MODE=#SYNC")
        yield f'CWRITE($FCT_CALL,STAT,MODE,"krl_fopen","{LOG}","w",HANDLE)'
        yield "; without a log nothing is measured"
        yield from ("WHILE STAT.RET1<>#CMD_OK", "  HALT")
        yield f'  CWRITE($FCT_CALL,STAT,MODE,"krl_fopen","{LOG}","w",HANDLE)'
        yield "ENDWHILE"
        for line in log_head(self._source):
            yield f'CWRITE($FCT_CALL,STAT,MODE,"krl_fwriteln",HANDLE,"{line}")'
        yield from ("END", "DEF CLOSE_LOG()")
        yield 'CWRITE($FCT_CALL,STAT,MODE,"krl_fclose",HANDLE)'
        yield "END"


def _places(touch: Touch) -> Iterable[tuple[str, Array, Array]]:
    """Letter, place of the ball and joints of what is named beside the clearance point."""
    return (
        ("S", touch.search_start, touch.q_search_start),
        ("E", touch.search_end, touch.q_search_end),
        ("B", touch.back_off, touch.q_back_off),
    )


def _axis_speeds(speed: int, ramp: int) -> Iterator[str]:
    yield from ("FOR I=1 TO 6", f"  $VEL_AXIS[I]={speed}", f"  $ACC_AXIS[I]={ramp}", "ENDFOR")


def _timed(goals: Sequence[str], shares: Sequence[float], duration: float) -> Iterator[str]:
    """A block of axis moves from rest to rest in a given time."""
    yield from ("PTP_SPLINE", "  TIME_BLOCK START")
    for goal, share in zip(goals, shares, strict=True):
        yield f"  SPTP {goal}"
        yield f"  TIME_BLOCK PART={number(100.0 * share, _TIME)}"
    yield f"  TIME_BLOCK END={number(duration, _TIME)}"
    yield "ENDSPLINE"


def _mean(length: float, time: float, least: float) -> str:
    """Speed that takes as long as the plan. [m/s]."""
    return floored(max(length / time, least) if time > 0.0 else least, _SPEED)
