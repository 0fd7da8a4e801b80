"""A controller that runs RAPID: the part of the language that our programmes use, nothing else.

Written from the semantics of ABB's public manuals, Technical reference manual, RAPID Instructions,
Functions and Data types (3HAC050917) and RAPID Overview (3HAC050947):

- MoveAbsJ, MoveL, MoveExtJ: to a stop with zone ``fine``; the switch T gives the time.
- SearchL, SearchExtJ with the switch Stop: the move is stopped at a rising edge of the signal and
  the place at that instant is in the result; ERR_WHLSEARCH where it comes to its end without one,
  ERR_SIGSUPSEARCH where the signal is high before it begins. Both can be recovered in an ERROR
  handler; TRYNEXT goes on behind the instruction, RAISE passes the error to the caller.
- speeddata [v_tcp, v_ori, v_leax, v_reax] in mm/s and deg/s: of a move with several parts the one
  that takes longest gives the pace.
- CJointT, CalcRobT, CalcJointT (of a robtarget with its configuration), Open, Write, Close,
  TPWrite, VelSet, WaitTime, EXIT (the programme begins anew), NumToDnum, DnumToStr, Dim, Abs.
- strings have 80 characters at most, identifiers 32.

What is not known is refused. The controller solves straight lines by the job's own robot. Its tool
is some frame on the flange, not the ball; tools and work objects that the job does not name are not
there.
"""

from __future__ import annotations

import re
from copy import deepcopy

import numpy as np

from robots.core.pose import inverse_pose, make_pose, rotation_zyx
from tests.reports.programmes.expression_reader import ExpressionReader
from tests.reports.programmes.virtual_arm import RefusedError
from tests.reports.programmes.virtual_cell import Arm, CrashError

_TOKEN = re.compile(
    r"\s*(?:(?P<num>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|(?P<text>\"[^\"]*\")"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<op>:=|<>|<=|>=|[-+*/<>=(){}\[\],.;\\:]))"
)
_TOOL = make_pose(rotation_zyx(np.array([0.3, -0.2, 0.5])), [0.007, -0.003, -0.02])
_FAR = 8e9
_TYPES = {"jointtarget", "robtarget", "speeddata", "bool", "iodev", "num", "string"}
_WORDS = {
    "AND",
    "OR",
    "NOT",
    "TRUE",
    "FALSE",
    "THEN",
    "DO",
    "TO",
    "FROM",
    "IF",
    "ELSEIF",
    "ELSE",
    "ENDIF",
    "FOR",
    "ENDFOR",
    "RETURN",
    "PROC",
    "ENDPROC",
    "FUNC",
    "ENDFUNC",
    "MODULE",
    "ENDMODULE",
    "LOCAL",
    "CONST",
    "VAR",
    "PERS",
    "ERROR",
    "RAISE",
    "TRYNEXT",
    "EXIT",
}
_HANDLED = {"ERR_WHLSEARCH", "ERR_SIGSUPSEARCH", "ERR_FILEOPEN"}


class ExitError(Exception):
    """The programme ended itself before its end."""


class RapidError(Exception):
    """An error that a handler may recover."""


class _ReturnError(Exception):
    pass


class _TryNextError(Exception):
    pass


class Rapid:
    """One run of a programme.

    Args:
        files: by path, as they are written.
        job: whose robot it is.
        cell: with its part.
        start: joints where the robot stands. # (n,)
        log_opens: whether the file of the log can be opened.
        **arm: for ``Arm``.
    """

    def __init__(self, files, job, cell, start, *, log_opens=True, **arm):
        self.controller, self.mechanism = job.controller, job.mechanism
        self.arm = Arm(cell, start, **arm)
        self.log: list[str] = []
        self.closed, self.open = False, False
        self._log_opens = log_opens
        self.messages: list[str] = []
        self.first_speeds = []
        self.override = None
        self.configured = set()
        self.errno = None
        self.shared: dict[str, object] = {}
        self.constant: set[str] = set()
        self.frames: list[dict] = []
        text = files["robot/palpeur.mod"].decode("ascii")
        self.routines = _Module(text, self).routines
        # Where another programme calls the routine, variables keep the values of its last run.
        self.shared |= {k: True for k, v in self.shared.items() if v is False}

    def run(self):
        """Run the programme to its end.

        Raises:
            RefusedError, ExitError, CrashError, RapidError: it does not get there.
        """
        self._call("palpeur_run", [])
        return self

    # --- axes -------------------------------------------------------------------------------------

    def _kinds(self):
        return [self.mechanism.movable[k].kind.angular for k in self.controller.order]

    def _scales(self):
        return np.where(self._kinds(), 180.0 / np.pi, 1e3)

    @property
    def _arm_axes(self):
        return 6 if self.controller.cartesian else 0

    def _shown(self, q):
        values = (self.controller.to_controller(q) * self._scales()).tolist()
        robot, outer = values[: self._arm_axes], values[self._arm_axes :]
        robot += [0.0] * (6 - len(robot))
        outer += [9e9] * (6 - len(outer))
        return [robot, outer]

    def _joints(self, target):
        robot, outer = target
        count = len(self.controller.axes)
        outside = count - self._arm_axes
        if any(not v > _FAR for v in outer[outside:]) or any(v > _FAR for v in outer[:outside]):
            raise RefusedError("an external axis that is not there, or is missing")
        if not self._arm_axes and any(robot):
            raise CrashError("a robot axis that is not there is driven")
        values = np.array([*robot[: self._arm_axes], *outer[:outside]]) / self._scales()
        q = self.controller.from_controller(values)
        low, high = self.mechanism.q_min, self.mechanism.q_max
        if np.any(q < low - 1e-9) or np.any(q > high + 1e-9):
            raise RefusedError("an axis beyond its limit switch")
        return q

    # --- instructions -----------------------------------------------------------------------------

    def _fine(self, zone):
        if zone != ("name", "fine"):
            raise RefusedError(f"zone {zone}")

    def _frames(self, tool, switches):
        c = self.controller
        if tool != ("name", f"tool{c.tool_number}"):
            raise RefusedError(f"tool {tool}")
        if switches != {"WObj": ("name", f"wobj{c.base_number}")}:
            raise RefusedError(f"work object {switches}")

    def _ready(self):
        if self.override != self.controller.speed_override_percent or not self.open:
            raise RefusedError("a motion before VelSet and the log")

    def _time(self, speed, switches):
        """Time of a joint move in seconds; NaN where a named speed is taken."""
        if "T" in switches:
            if speed != ("name", "vmax"):
                raise RefusedError("a time beside a speed")
            time = float(self._value(switches["T"]))
            if not time > 0.0:
                raise RefusedError("a move without time")
            return time
        if speed[0] == "name" and re.fullmatch(r"v\d+", speed[1]):
            self.first_speeds.append(float(speed[1][1:]))
            return np.nan
        raise RefusedError(f"speed {speed}")

    def _do_moveabsj(self, args):
        self._ready()
        (goal, s1), (speed, s2), (zone, s3), (tool, s4) = args
        if set(s1) != {"NoEOffs"} or s3 or not self._arm_axes or "ConfJ" not in self.configured:
            raise RefusedError("MoveAbsJ")
        self._fine(zone)
        self._frames(tool, s4)
        self.arm.go_joints([self._joints(self._value(goal))], self._time(speed, s2))

    def _pace(self, goal, speed):
        """Largest ball speed and time of an external move at speeds of the axes. [m/s, s]."""
        values = self._value(speed)
        ways = np.abs(
            self.controller.to_controller(goal) - self.controller.to_controller(self.arm.q)
        )
        ways = ways * self._scales()
        limits = [values[3] if turns else values[2] for turns in self._kinds()]
        time = float((ways / limits).max())
        path, _ = self.arm.joint_path([goal])
        looks = self.arm.cell.ball(path(np.linspace(0.0, 1.0, 201)))
        steps = np.linalg.norm(np.diff(looks, axis=0), axis=1)
        return float(steps.max()) * 200.0 / time, time

    def _do_moveextj(self, args):
        self._ready()
        (goal, s1), (speed, s2), (zone, s3) = args
        if s1 or s3 or self._arm_axes:
            raise RefusedError("MoveExtJ")
        self._fine(zone)
        q = self._joints(self._value(goal))
        if speed[0] == "name" and not s2 and not re.fullmatch(r"v\d+", speed[1]):
            ball, time = self._pace(q, speed)
            self.arm.go_joints([q], time, ball)
            return
        self.arm.go_joints([q], self._time(speed, s2))

    def _line(self, goal, speed, tool):
        self._ready()
        if not self._arm_axes or "ConfL" not in self.configured:
            raise RefusedError("a straight line")
        self._frames(*tool)
        values = self._value(speed)
        if len(values) != 4 or not values[0] > 0.0:
            raise RefusedError("speeddata")
        return self._solved(self._value(goal)), 1e-3 * values[0]

    def _do_movel(self, args):
        (goal, s1), (speed, s2), (zone, s3), tool = args
        if s1 or s2 or s3:
            raise RefusedError("MoveL")
        self._fine(zone)
        self.arm.go_line(*self._line(goal, speed, tool))

    def _do_searchl(self, args):
        (mode, s0), (signal, s1), (result, s2), (goal, s3), (speed, s4), tool = args
        if mode is not None or set(s0) != {"Stop"} or s1 or s2 or s3 or s4:
            raise RefusedError("SearchL")
        q, v = self._line(goal, speed, tool)
        hit = self._searched(signal, lambda: self.arm.search_line(q, v))
        self._assign(result, [], self._target(hit))

    def _do_searchextj(self, args):
        (mode, s0), (signal, s1), (result, s2), (goal, s3), (speed, s4) = args
        if mode is not None or set(s0) != {"Stop"} or s1 or s2 or s3 or s4 or self._arm_axes:
            raise RefusedError("SearchExtJ")
        self._ready()
        q = self._joints(self._value(goal))
        v, _ = self._pace(q, speed)
        hit = self._searched(signal, lambda: self.arm.search_joints([q], v))
        self._assign(result, [], self._shown(hit))

    def _searched(self, signal, search):
        wired = signal == ("name", f"di{self.controller.probe_input}")
        if not wired and not re.fullmatch(r"di\d+", signal[1]):
            raise RefusedError(f"signal {signal}")
        if wired and self.arm.deflected:
            raise RapidError("ERR_SIGSUPSEARCH")
        hit = search()
        if hit is not None and not wired:
            raise CrashError("the ball runs into the part unseen")
        if hit is None:
            raise RapidError("ERR_WHLSEARCH")
        return hit

    def _target(self, q):
        """A robtarget: pose of the tool in the base, and the axes that settle the configuration."""
        return [self.arm.cell.model.forward(q[None])[0] @ _TOOL, np.array(q)]

    def _solved(self, target):
        """Joints of a target, by Newton steps from its configuration."""
        pose, near = target
        goal = pose @ inverse_pose(_TOOL)
        q = np.array(near, float)
        gap = np.abs(self.arm.cell.model.forward(q[None])[0] - goal).max()
        if gap > 1e-9:
            raise RefusedError("a target that its configuration does not reach")
        return q

    def _do_waittime(self, args):
        ((value, switches),) = args
        if switches:
            raise RefusedError("WaitTime")
        self.arm.rests.append(float(self._value(value)))

    def _do_velset(self, args):
        (percent, s1), (most, s2) = args
        if s1 or s2 or self._value(most) < 100.0:
            raise RefusedError("VelSet")
        self.override = self._value(percent)

    def _do_confj(self, args):
        self._conf("ConfJ", args)

    def _do_confl(self, args):
        self._conf("ConfL", args)

    def _conf(self, name, args):
        if args != [(None, {"On": None})]:
            raise RefusedError(name)
        self.configured.add(name)

    def _do_tpwrite(self, args):
        ((value, switches),) = args
        if switches:
            raise RefusedError("TPWrite")
        self.messages.append(self._text(value))

    def _do_open(self, args):
        (where, s1), (device, s2) = args
        path = s1.get("File", ("num", 0))
        good = where == ("text", "HOME:") and path[0] == "text" and path[1].endswith(".csv")
        if not good or device != ("name", "hits") or set(s2) != {"Write"} or self.log:
            raise RefusedError("Open")
        if not self._log_opens:
            raise RapidError("ERR_FILEOPEN")
        self.open, self._new_line = True, True

    def _do_write(self, args):
        (device, s1), (value, s2) = args
        if device != ("name", "hits") or s1 or not self.open or self.closed:
            raise RefusedError("Write: no file is open")
        if s2 and s2 != {"NoNewLine": None}:
            raise RefusedError("Write")
        if self._new_line:
            self.log.append("")
        self.log[-1] += self._text(value)
        self._new_line = not s2

    def _text(self, e):
        value = self._value(e)
        if not isinstance(value, str) or len(value) > 80:
            raise RefusedError(f"a string of 80 characters is meant: {value!r}")
        return value

    def _do_close(self, args):
        if args != [(("name", "hits"), {})] or not self.open or self.closed:
            raise RefusedError("Close")
        self.closed = True

    # --- statements -------------------------------------------------------------------------------

    def _call(self, name, args):
        if name not in self.routines:
            raise RefusedError(f"no routine {name}")
        params, variables, body, handler, function = self.routines[name]
        if len(params) != len(args):
            raise RefusedError(f"{name} takes {len(params)} values")
        frame = {}
        for (kind, param, array), value in zip(params, args, strict=True):
            _check_type(kind, value, array)
            frame[param] = deepcopy(value)
        frame |= dict.fromkeys(variables)
        self.frames.append(frame)
        depth = len(self.frames)
        try:
            self._run(body, handler)
            if function:
                raise RefusedError(f"{name} returns nothing")
        except _ReturnError as found:
            return found.args[0] if found.args else None
        finally:
            del self.frames[depth - 1 :]
        return None

    def _run(self, body, handler):
        for statement in body:
            try:
                self._do(statement, handler)
            except RapidError as error:
                if handler is None or getattr(error, "raised", False) == id(handler):
                    raise
                self.errno = error.args[0]
                try:
                    self._run(handler, None)
                except _TryNextError:
                    continue
                raise RefusedError("a handler without an end") from None

    def _do(self, statement, handler):
        kind, *rest = statement
        if kind == "if":
            for condition, body in rest[0]:
                if condition is None or self._truth(condition):
                    self._run(body, handler)
                    return
        elif kind == "for":
            name, first, last, body = rest
            for value in range(int(self._value(first)), int(self._value(last)) + 1):
                self.frames[-1][name] = float(value)
                self._run(body, handler)
            self.frames[-1].pop(name, None)
        elif kind == "set":
            self._assign(*rest)
        elif kind == "return":
            raise _ReturnError(*([self._value(rest[0])] if rest[0] is not None else []))
        elif kind == "exit":
            raise ExitError(self.messages[-1] if self.messages else "EXIT")
        elif kind == "trynext":
            raise _TryNextError
        elif kind == "raise":
            error = RapidError(self.errno)
            raise error
        else:
            self._do_call(*rest)

    def _do_call(self, name, args):
        own = getattr(self, f"_do_{name.lower()}", None)
        if name in self.routines:
            if any(switches for _, switches in args):
                raise RefusedError(name)
            self._call(name, [self._value(a) for a, _ in args])
        elif own is not None and name in _INSTRUCTIONS:
            try:
                own(args)
            except ValueError as error:
                raise RefusedError(f"{name}: {error}") from None
        else:
            raise RefusedError(f"instruction {name}")

    def _assign(self, target, index, value):
        if isinstance(value, tuple):
            value = self._value(value)
        name = target[1] if isinstance(target, tuple) else target
        if index or name in self.constant:
            raise RefusedError(f"assignment to {name}")
        for space in (self.frames[-1], self.shared):
            if name in space:
                space[name] = deepcopy(value)
                return
        raise RefusedError(f"{name} is not declared")

    # --- values -----------------------------------------------------------------------------------

    def _truth(self, e):
        value = self._value(e)
        if not isinstance(value, bool):
            raise RefusedError("a condition is bool")
        return value

    def _value(self, e):
        kind = e[0]
        if kind in ("num", "text", "bool"):
            return e[1]
        if kind == "list":
            return [self._value(one) for one in e[1]]
        if kind == "name":
            return self._named(e[1])
        if kind == "item":
            values, at = self._value(e[1]), int(self._value(e[2]))
            if not isinstance(values, list) or not 1 <= at <= len(values):
                raise RefusedError("an index out of the array")
            return values[at - 1]
        if kind == "field":
            return self._field(self._value(e[1]), e[2])
        if kind == "not":
            return not self._truth(e[1])
        if kind == "neg":
            return -self._value(e[1])
        if kind == "op":
            return _operate(e[1], self._value(e[2]), self._value(e[3]))
        if kind == "fun":
            return self._function(e[1], e[2])
        raise RefusedError(f"expression {e}")

    def _named(self, name):
        if name == "ERRNO" or name in _HANDLED:
            return self.errno if name == "ERRNO" else name
        for space in (self.frames[-1] if self.frames else {}, self.shared):
            if name in space:
                if space[name] is None:
                    raise RefusedError(f"{name} has no value")
                return deepcopy(space[name])
        raise RefusedError(f"{name} is not declared")

    def _field(self, value, name):
        match = re.fullmatch(r"rax_([1-6])|eax_([a-f])", name)
        if name in ("robax", "extax"):
            return value[0 if name == "robax" else 1]
        if not match or len(value) != 6:
            raise RefusedError(f"field {name}")
        return value[int(match[1]) - 1 if match[1] else "abcdef".index(match[2])]

    def _function(self, name, args):
        values = [a for a, _ in args]
        if name == "CalcRobT":
            (joints, s1), tool = args
            self._frames(*tool)
            if s1:
                raise RefusedError(name)
            return self._target(self._joints(self._value(joints)))
        if name == "CalcJointT":
            (target, s1), tool = args
            self._frames(*tool)
            if s1:
                raise RefusedError(name)
            return self._shown(self._solved(self._value(target)))
        if any(switches for _, switches in args):
            raise RefusedError(name)
        if name == "CJointT" and not args:
            return self._shown(self.arm.q)
        if name == "Abs" and len(args) == 1:
            return abs(self._value(values[0]))
        if name == "NumToDnum" and len(args) == 1:
            return float(self._value(values[0]))
        if name == "DnumToStr" and len(args) == 2:
            number, digits = (self._value(v) for v in values)
            if not 0 <= digits <= 15:
                raise RefusedError(name)
            return f"{number:.{int(digits)}f}"
        if name == "Dim" and len(args) == 2 and self._value(values[1]) == 1.0:
            return float(len(self._value(values[0])))
        if name in self.routines:
            return self._call(name, [self._value(v) for v in values])
        raise RefusedError(f"function {name}")


_INSTRUCTIONS = {
    "MoveAbsJ",
    "MoveExtJ",
    "MoveL",
    "SearchL",
    "SearchExtJ",
    "WaitTime",
    "VelSet",
    "ConfJ",
    "ConfL",
    "TPWrite",
    "Open",
    "Write",
    "Close",
}


def _operate(op, a, b):
    if op in ("AND", "OR"):
        if not (isinstance(a, bool) and isinstance(b, bool)):
            raise RefusedError(op)
        return a and b if op == "AND" else a or b
    if isinstance(a, str) != isinstance(b, str) or isinstance(a, list):
        raise RefusedError(f"{op} of unlike values")
    found = {
        "+": lambda: a + b,
        "=": lambda: a == b,
        "<>": lambda: a != b,
    }
    if not isinstance(a, str):
        found |= {
            "-": lambda: a - b,
            "*": lambda: a * b,
            "/": lambda: a / b,
            "<": lambda: a < b,
            ">": lambda: a > b,
            "<=": lambda: a <= b,
            ">=": lambda: a >= b,
        }
    if op not in found:
        raise RefusedError(op)
    return found[op]()


def _check_type(kind, value, array=None):
    """Refuse a value of another type; an array of values where one is meant."""
    if array is not None:
        good = isinstance(value, list) and len(value) > 0 and array in (0, len(value))
        if not good:
            raise RefusedError(f"an array of {kind} is meant")
        for one in value:
            _check_type(kind, one)
        return
    numbers = (int, float)
    good = {
        "jointtarget": lambda: (
            len(value) == 2
            and all(
                isinstance(part, list) and len(part) == 6 and all(type(v) in numbers for v in part)
                for part in value
            )
        ),
        "speeddata": lambda: len(value) == 4 and all(type(v) in numbers and v > 0 for v in value),
        "bool": lambda: isinstance(value, bool),
        "num": lambda: type(value) in numbers,
        "string": lambda: isinstance(value, str) and len(value) <= 80,
    }
    if kind not in good or not good[kind]():
        raise RefusedError(f"{value!r} is no {kind}")


# ------------------------------------------------------------------------------------------ Reading


class _Module(ExpressionReader):
    """One module, read by recursive descent."""

    EQUAL = "="

    def __init__(self, text, machine):
        lines = [
            line.split("!")[0] if line.lstrip().startswith("!") else line
            for line in text.split("\r\n")
        ]
        super().__init__("\n".join(lines), _TOKEN)
        self.routines = {}
        self.machine = machine
        self.need("MODULE")
        self.name()
        while not self.take("ENDMODULE"):
            self.take("LOCAL")  # seen in this module alone
            if self.peek()[1] in ("CONST", "VAR"):
                self.declaration()
            else:
                self.routine()
        if self.at != len(self.tokens):
            raise RefusedError("text behind ENDMODULE")

    def name(self):
        kind, text = self.peek()
        if kind != "name" or text in _WORDS or len(text) > 32:
            raise RefusedError(f"a name is meant, not {text!r}")
        self.at += 1
        return text

    def type(self):
        kind = self.name()
        if kind not in _TYPES:
            raise RefusedError(f"type {kind}")
        return kind

    def declaration(self):
        constant = self.take("CONST")
        if not constant:
            self.need("VAR")
        kind, name, array = self.type(), self.name(), None
        if self.take("{"):
            array = int(self.expression()[1])
            self.need("}")
        value = None
        if self.take(":="):
            value = self.machine._value(self.expression())
            _check_type(kind, value, array)
        elif constant:
            raise RefusedError(f"{name} has no value")
        self.need(";")
        if name in self.machine.shared:
            raise RefusedError(f"{name} a second time")
        self.machine.shared[name] = value
        if constant:
            self.machine.constant.add(name)

    def routine(self):
        function = self.take("FUNC")
        if function:
            self.type()
        else:
            self.need("PROC")
        end = "ENDFUNC" if function else "ENDPROC"
        name, params = self.name(), []
        self.need("(")
        while not self.take(")"):
            kind, param, array = self.type(), self.name(), None
            if self.take("{"):
                self.need("*")
                self.need("}")
                array = 0
            params.append((kind, param, array))
            if self.peek()[1] != ")":
                self.need(",")
        variables = []
        while self.take("VAR"):
            self.type()
            variables.append(self.name())
            self.need(";")
        body = self.block(("ERROR", end))
        handler = self.block((end,)) if self.take("ERROR") else None
        self.need(end)
        if name in self.routines:
            raise RefusedError(f"{name} a second time")
        self.routines[name] = (params, variables, body, handler, function)

    def block(self, ends):
        found = []
        while self.peek()[1] not in ends:
            found.append(self.statement())
        return found

    def statement(self):
        if self.take("IF"):
            return self.conditional()
        if self.take("FOR"):
            name = self.name()
            self.need("FROM")
            first = self.expression()
            self.need("TO")
            last = self.expression()
            self.need("DO")
            body = self.block(("ENDFOR",))
            self.need("ENDFOR")
            return ("for", name, first, last, body)
        for word in ("EXIT", "TRYNEXT", "RAISE"):
            if self.take(word):
                self.need(";")
                return (word.lower(),)
        if self.take("RETURN"):
            value = None if self.peek()[1] == ";" else self.expression()
            self.need(";")
            return ("return", value)
        name = self.name()
        if self.take(":="):
            value = self.expression()
            self.need(";")
            return ("set", name, [], value)
        args = [] if self.peek()[1] == ";" else self.arguments((";",))
        self.need(";")
        return ("call", name, args)

    def conditional(self):
        branches = [(self.expression(), None)]
        if not self.take("THEN"):  # the compact form: one instruction
            return ("if", [(branches[0][0], [self.statement()])])
        ends = ("ELSEIF", "ELSE", "ENDIF")
        branches[0] = (branches[0][0], self.block(ends))
        while self.take("ELSEIF"):
            condition = self.expression()
            self.need("THEN")
            branches.append((condition, self.block(ends)))
        if self.take("ELSE"):
            branches.append((None, self.block(("ENDIF",))))
        self.need("ENDIF")
        return ("if", branches)

    def arguments(self, ends):
        r"""Values with their switches; ``\Switch`` before a comma belongs to no value."""
        found = []
        while True:
            value = None if self.peek()[1] == "\\" else self.expression()
            switches = {}
            while self.take("\\"):
                switch = self.name()
                if switch in switches:
                    raise RefusedError(f"\\{switch} twice")
                switches[switch] = self.expression() if self.take(":=") else None
            found.append((value, switches))
            if self.peek()[1] in ends:
                return found
            self.need(",")

    def operand(self):
        if self.take("["):
            items = [self.expression()]
            while self.take(","):
                items.append(self.expression())
            self.need("]")
            return ("list", items)
        kind, text = self.peek()
        if kind in ("num", "text"):
            self.at += 1
            return (kind, float(text) if kind == "num" else text[1:-1])
        if text in ("TRUE", "FALSE"):
            self.at += 1
            return ("bool", text == "TRUE")
        name = self.name()
        if self.take("("):
            args = [] if self.peek()[1] == ")" else self.arguments((")",))
            self.need(")")
            return ("fun", name, args)
        found = ("name", name)
        while True:
            if self.take("{"):
                found = ("item", found, self.expression())
                self.need("}")
            elif self.take("."):
                found = ("field", found, self.name())
            else:
                return found
