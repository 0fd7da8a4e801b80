"""A controller that runs KRL: the part of the language that our programmes use, and nothing else.

Written from the semantics of KUKA's public manuals:

- KUKA System Software 8.3, Operating and Programming Instructions for System Integrators (KSS 8.3
  SI): declarations and expressions, WHILE/FOR/IF, sub-programmes and parameters; INTERRUPT DECL
  binds a rising edge of a condition to a sub-programme from the level of its declaration down,
  INTERRUPT ON/OFF, BRAKE [F], RESUME (cancels the interrupt programme and every sub-programme below
  the level of the declaration; an error where the motion runs at that level itself); SPTP, SLIN,
  PTP_SPLINE with TIME_BLOCK; $ADVANCE, $TOOL, $BASE, $IPO_MODE, $VEL.CP [m/s], $OV_PRO.
- KUKA System Variables for KSS 8: $AXIS_ACT, $POS_ACT ($TOOL in $BASE; angles A, B, C about z, y,
  x), $AXIS_INT (axes at the instant of the interrupt), $IN, $VEL_AXIS [%].
- CREAD/CWRITE for KSS 8.2: CWRITE to $FCT_CALL with krl_fopen, krl_fwriteln, krl_fclose; SWRITE;
  StrClear.

What is not known is refused. The controller solves straight lines by the job's own robot. Its tool
is some frame on the flange, not the ball; frames other than the job's stand elsewhere.
"""

from __future__ import annotations

import re
from copy import deepcopy

import numpy as np

from robots.core.pose import angles_zyx, inverse_pose, make_pose, rotation_zyx
from tests.reports.programmes.expression_reader import ExpressionReader
from tests.reports.programmes.virtual_arm import RefusedError
from tests.reports.programmes.virtual_cell import Arm, CrashError

_TOKEN = re.compile(
    r"\s*(?:(?P<num>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|(?P<text>\"[^\"]*\")|(?P<enum>#\w+)"
    r"|(?P<name>[$A-Za-z_][$\w]*)|(?P<op><>|==|<=|>=|[-+*/<>=(){}\[\],.]))"
)
_NAMES = re.compile(r"[A-Z]\d?|[A-Z]+\d?")
_TOOL = make_pose(rotation_zyx(np.array([0.3, -0.2, 0.5])), [0.007, -0.003, -0.02])
_ELSEWHERE = make_pose(rotation_zyx(np.array([0.6, 0.1, -0.3])), [0.05, 0.4, 0.1])
_MOST_HALTS = 3
# A data list keeps the values of the last run: nothing may rest on those of the file.
_LAST_RUN = {"TOUCHED": True, "NEAR": True, "OFS": 7, "TEXT": "old", "HANDLE": 5, "MODE": None}


class HaltedError(Exception):
    """The programme waits for somebody; nobody comes."""


class _ResumeError(Exception):
    pass


class _ReturnError(Exception):
    pass


class Krl:
    """One run of a programme.

    Args:
        files: by path, as they are written.
        job: whose robot it is.
        cell: with its part.
        start: joints where the robot stands. # (n,)
        log_opens: whether the file of the log can be opened.
        goes_on: whether somebody starts the programme again when it halts.
        **arm: for ``Arm``.
    """

    def __init__(self, files, job, cell, start, *, log_opens=True, goes_on=False, **arm):
        self._goes_on, self._halts = goes_on, 0
        self.controller, self.mechanism = job.controller, job.mechanism
        self.arm = Arm(cell, start, **arm)
        self.log: list[str] = []
        self.closed = False
        self._log_opens = log_opens
        source, data = (
            files[f"robot/palpeur.{end}"].decode("ascii").split("\r\n") for end in ("src", "dat")
        )
        self.shared = {}
        self._data(data)
        self.shared |= {k: v for k, v in _LAST_RUN.items() if k in self.shared}
        self.routines = _routines(source)
        self.system = {
            "$VEL": {},
            "$VEL_AXIS": {},
            "$ACC_AXIS": {},
            "$ADVANCE": 3,
            "$OV_PRO": 100,
            "$IPO_MODE": None,
            "$TOOL": None,
            "$BASE": None,
            "$AXIS_INT": None,
        }
        self.ready = False  # BAS(#INITMOV, 0)
        self.interrupts = {}  # number → (frame, condition, routine)
        self.enabled = set()
        self.braked = False
        self.frames = []
        self.first_speeds = []

    def run(self):
        """Run the programme to its end.

        Raises:
            RefusedError, HaltedError, CrashError: it does not get there.
        """
        self._call("palpeur", [])
        return self

    # --- axes and poses ---------------------------------------------------------------------------

    def _axes(self):
        count = len(self.controller.axes)
        return [f"A{k}" if k <= 6 else f"E{k - 6}" for k in range(1, count + 1)]

    def _scales(self):
        kinds = [self.mechanism.movable[k].kind.angular for k in self.controller.order]
        return np.where(kinds, 180.0 / np.pi, 1e3)

    def _shown(self, q):
        values = self.controller.to_controller(q) * self._scales()
        found = {f"A{k}": 0.0 for k in range(1, 7)}
        return {**found, **dict(zip(self._axes(), values.tolist(), strict=True))}

    def _joints(self, value):
        names = self._axes()
        for name, v in value.items():
            if name not in names and v != 0.0:
                raise CrashError(f"axis {name} is idle but driven to {v}")
        if any(name not in value for name in names):
            raise RefusedError(f"axes are missing: {value}")
        values = np.array([value[name] for name in names]) / self._scales()
        q = self.controller.from_controller(values)
        low, high = self.mechanism.q_min, self.mechanism.q_max
        if np.any(q < low - 1e-9) or np.any(q > high + 1e-9):
            raise RefusedError("an axis beyond its limit switch")
        return q

    def _frame(self, name, index=0):
        own = self.controller.tool_number if name == "TOOL_DATA" else self.controller.base_number
        if index != own or own == 0:
            raise RefusedError(f"{name}[{index}] is not calibrated")
        return ("tool",) if name == "TOOL_DATA" else ("base",)

    def _pose_of_tool(self, q):
        T = self.arm.cell.model.forward(q[None])[0] @ _TOOL
        return inverse_pose(self._base()) @ T

    def _base(self):
        base = self.system["$BASE"]
        if base is None or self.system["$TOOL"] is None:
            raise RefusedError("a pose before $TOOL and $BASE are set")
        if base == ("null",):
            return np.eye(4) if self.controller.base_number == 0 else _ELSEWHERE
        if base != ("base",):
            raise RefusedError("$BASE is no base")
        return np.eye(4)

    def _pose_shown(self, q):
        T = self._pose_of_tool(q)
        a, b, c = np.degrees(angles_zyx(T[:3, :3]).angles)
        found = dict(zip("XYZ", (1e3 * T[:3, 3]).tolist(), strict=True)) | {"A": a, "B": b, "C": c}
        shown = self._shown(q)
        return found | {name: shown[name] for name in self._axes()[6:]}

    def _solved(self, value):
        """Joints of a pose, by Newton steps from where the arm stands."""
        angles = np.radians([value["A"], value["B"], value["C"]])
        place = 1e-3 * np.array([value["X"], value["Y"], value["Z"]])
        goal = self._base() @ make_pose(rotation_zyx(angles), place) @ inverse_pose(_TOOL)
        goal = goal.copy()
        q = np.array(self.arm.q)
        outer = self._axes()[6:]
        held = [int(self.controller.order[6 + k]) for k in range(len(outer))]
        if outer:
            shown = self._shown(q) | {name: value[name] for name in outer}
            q[held] = self._joints(shown)[held]
        free = [k for k in range(len(q)) if k not in held]
        model = self.arm.cell.model
        for _ in range(60):
            T = model.forward(q[None])[0]
            R = goal[:3, :3] @ T[:3, :3].T
            turn = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
            gap = np.concatenate([goal[:3, 3] - T[:3, 3], turn])
            if np.abs(gap).max() < 1e-14:
                break
            J = np.array(model.jacobian(q[None])[0])[:, free]
            step = np.linalg.lstsq(J, gap, rcond=1e-9)[0]
            q[free] += step * min(1.0, 0.3 / max(np.abs(step).max(), 1e-300))
        if np.abs(gap).max() > 1e-10:
            raise RefusedError("a pose that the arm does not reach")
        return q

    # --- motion -----------------------------------------------------------------------------------

    def _ready(self):
        if not self.ready:
            raise RefusedError("a motion before BAS(#INITMOV, 0)")
        if self.system["$ADVANCE"] != 0:
            raise RefusedError("the advance run is on: the search would be left behind")
        if self.system["$IPO_MODE"] != "#BASE":
            raise RefusedError("$IPO_MODE")
        if self.system["$OV_PRO"] != int(self.controller.speed_override_percent):
            raise RefusedError("another override")

    def _armed(self):
        """The interrupt that a motion watches, None for none."""
        for number in self.enabled:
            return number
        return None

    def _sptp(self, value):
        self._ready()
        speed = {self.system["$VEL_AXIS"].get(k) for k in range(1, 7)}
        if None in speed or len(speed) != 1:
            raise RefusedError("$VEL_AXIS is not set for all axes")
        if self._armed() is not None:
            raise RefusedError("a search by a move of unknown time")
        self.first_speeds.append(speed.pop())
        self.arm.go_joints([self._joints(value)])

    def _slin(self, value):
        self._ready()
        if not self.controller.cartesian:
            raise RefusedError("this controller solves no straight lines")
        speed = self.system["$VEL"].get("CP")
        if speed is None or not speed > 0.0:
            raise RefusedError("$VEL.CP")
        goal = self._solved(value)
        number = self._armed()
        if number is None:
            self.arm.go_line(goal, speed)
        else:
            before = self.arm.deflected
            self._found(number, self.arm.search_line(goal, speed), before)

    def _block(self, goals, parts, duration):
        self._ready()
        if not goals or abs(sum(parts) - 100.0) > 1e-4 or not duration > 0.0:
            raise RefusedError("a spline block whose times do not add up")
        if any(self.system["$VEL_AXIS"].get(k) != 100.0 for k in range(1, 7)):
            raise RefusedError("axes too slow for the times of a block")
        postures = [self._joints(goal) for goal in goals]
        number = self._armed()
        path, end = self.arm.joint_path(postures)
        looks = self.arm.cell.ball(path(np.linspace(0.0, end, 201)))
        length = np.linalg.norm(np.diff(looks, axis=0), axis=1).sum()
        peak = 2.0 * length / duration  # from rest to rest it is at most twice the mean
        if number is None:
            self.arm.go_joints(postures, duration, peak)
            return
        before = self.arm.deflected
        self._found(number, self.arm.search_joints(postures, peak), before)

    def _found(self, number, hit, before):
        frame, (line, level), routine = self.interrupts[number]
        if hit is None or before or not (line == self.controller.probe_input and level):
            if hit is not None:
                raise CrashError("the ball runs into the part unseen")
            return
        if frame == len(self.frames):
            raise RefusedError("RESUME at the level of the interrupt's declaration")
        self.system["$AXIS_INT"] = self._shown(hit)
        self.braked = False
        self._call(routine, [])

    # --- statements -------------------------------------------------------------------------------

    def _call(self, name, args):
        if name not in self.routines:
            raise RefusedError(f"no routine {name}")
        params, body = self.routines[name]
        if len(params) != len(args):
            raise RefusedError(f"{name} takes {len(params)} values")
        self.frames.append(dict(zip(params, deepcopy(args), strict=True)))
        depth = len(self.frames)
        try:
            self._run(body)
        except _ReturnError:
            pass
        finally:
            del self.frames[depth - 1 :]
            self.interrupts = {k: v for k, v in self.interrupts.items() if v[0] < depth}
            self.enabled &= set(self.interrupts)

    def _run(self, body):
        for statement in body:
            depth = len(self.frames)
            try:
                self._do(statement)
            except _ResumeError as resume:
                if resume.args[0] != depth:
                    raise

    def _do(self, statement):
        kind, *rest = statement
        getattr(self, f"_do_{kind}")(*rest)

    def _do_if(self, condition, body, other):
        self._run(body if self._truth(condition) else other)

    def _do_while(self, condition, body):
        rounds = 0
        while self._truth(condition):
            self._run(body)
            rounds += 1
            if rounds > 1000:
                raise RefusedError("an endless loop")

    def _do_for(self, name, first, last, body):
        for value in range(int(self._value(first)), int(self._value(last)) + 1):
            self._set((name, []), value)
            self._run(body)

    def _do_decl(self, kind, names):
        if kind not in ("E6POS", "E6AXIS", "REAL", "INT", "BOOL"):
            raise RefusedError(f"DECL {kind}")
        for name in names:
            self.frames[-1].setdefault(name, None)

    def _do_set(self, target, expression):
        self._set(target, self._value(expression))

    def _do_call(self, name, args):
        if name == "BAS":
            if [self._value(a) for a in args] != ["#INITMOV", 0.0]:
                raise RefusedError("BAS")
            self.ready = True
        elif name == "StrClear":
            self._assign_text(args[0], "")
        elif name == "SWRITE":
            self._swrite(args)
        elif name == "CWRITE":
            self._cwrite(args)
        else:
            self._call(name, [self._value(a) for a in args])

    def _do_halt(self):
        self._halts += 1
        if not self._goes_on or self._halts > _MOST_HALTS:
            raise HaltedError("HALT")

    def _do_return(self):
        raise _ReturnError

    def _do_resume(self):
        for frame, _, _ in self.interrupts.values():
            if not self.braked:
                raise CrashError("RESUME without BRAKE: the arm goes on")
            raise _ResumeError(frame)
        raise RefusedError("RESUME outside an interrupt")

    def _do_brake(self):
        self.braked = True

    def _do_wait(self, expression):
        self.arm.rests.append(float(self._value(expression)))

    def _do_declare(self, number, condition, routine):
        self.interrupts[number] = (len(self.frames), condition, routine)

    def _do_interrupt(self, switch, number):
        if number not in self.interrupts:
            raise RefusedError(f"interrupt {number} is not declared")
        (self.enabled.add if switch == "ON" else self.enabled.discard)(number)

    def _do_sptp(self, expression):
        self._sptp(self._value(expression))

    def _do_slin(self, expression):
        self._slin(self._value(expression))

    def _do_spline(self, goals, parts, end):
        self._block(
            [self._value(g) for g in goals],
            [self._value(p) for p in parts],
            float(self._value(end)),
        )

    # --- log --------------------------------------------------------------------------------------

    def _assign_text(self, expression, text):
        if expression[0] != "text_of" or expression[1] not in self.shared:
            raise RefusedError("a text is meant")
        self.shared[expression[1]] = text

    def _swrite(self, args):
        form = args[3]
        if form[0] != "text":
            raise RefusedError("SWRITE takes a format")
        pieces = re.split(r"(%\.\d+f)", form[1])
        if any("%" in piece for piece in pieces[::2]):
            raise RefusedError(f"format {form[1]!r}")
        values = [self._value(a) for a in args[4:]]
        if len(values) != len(pieces) // 2 or len(values) > 10:
            raise RefusedError("SWRITE: values for the format")
        text = "".join(
            piece if place % 2 == 0 else piece % values[place // 2]
            for place, piece in enumerate(pieces)
        )
        if self.shared["OFS"] != 0:
            raise RefusedError("SWRITE behind the offset of an earlier one")
        self.shared["OFS"] = len(text)
        self._assign_text(args[0], self.shared[args[0][1]] + text)

    def _cwrite(self, args):
        if args[0] != ("name", "$FCT_CALL", []) or self.shared.get("MODE") != "#SYNC":
            raise RefusedError("CWRITE to something else")
        name, own = args[3][1], args[4:]
        if name == "krl_fopen":
            good = own[0][0] == "text" and own[1] == ("text", "w")
            if not good or self.log or not own[0][1].endswith(".csv"):
                raise RefusedError("krl_fopen")
            self.shared["STAT"] = {"RET1": "#CMD_OK" if self._log_opens else "#CMD_ABORT"}
            self.shared["HANDLE"] = 1 if self._log_opens else 0
            return
        if self._value(own[0]) != 1 or self.closed:
            raise RefusedError("no file is open")
        if name == "krl_fwriteln":
            text = own[1]
            self.log.append(text[1] if text[0] == "text" else self.shared[text[1]])
        elif name == "krl_fclose":
            self.closed = True
        else:
            raise RefusedError(name)

    # --- values -----------------------------------------------------------------------------------

    def _truth(self, expression):
        value = self._value(expression)
        if not isinstance(value, bool):
            raise RefusedError("a condition is BOOL")
        return value

    def _value(self, e):
        kind = e[0]
        if kind in ("num", "enum", "text", "bool"):
            return e[1]
        if kind == "struct":
            return {name: float(self._value(v)) for name, v in e[1]}
        if kind == "not":
            return not self._truth(e[1])
        if kind == "neg":
            return -self._value(e[1])
        if kind == "abs":
            return abs(self._value(e[1]))
        if kind == "op":
            return _operate(e[1], self._value(e[2]), self._value(e[3]))
        if kind == "name":
            return deepcopy(self._read(e[1], e[2]))
        raise RefusedError(f"expression {e}")

    def _read(self, name, steps):
        if name == "$IN":
            return bool(self._index(steps) == self.controller.probe_input and self.arm.deflected)
        if name == "$AXIS_ACT":
            value = self._shown(self.arm.q)
        elif name == "$POS_ACT":
            value = self._pose_shown(self.arm.q)
        elif name in ("TOOL_DATA", "BASE_DATA"):
            return self._frame(name, self._index(steps))
        elif name == "$NULLFRAME":
            return ("null",)
        elif name in self.system:
            value = self.system[name]
        else:
            value = self._space(name)[name]
        for step in steps:
            key = step[1] if step[0] == "field" else int(self._value(step[1]))
            if not isinstance(value, dict) or key not in value:
                raise RefusedError(f"{name} has no {key}")
            value = value[key]
        if value is None:
            raise RefusedError(f"{name} has no value")
        return value

    def _index(self, steps):
        if len(steps) != 1 or steps[0][0] != "index":
            raise RefusedError("an index is meant")
        return int(self._value(steps[0][1]))

    def _space(self, name):
        for space in (self.frames[-1] if self.frames else {}, self.shared):
            if name in space:
                return space
        raise RefusedError(f"{name} is not declared")

    def _set(self, target, value):
        name, steps = target
        if name.startswith("$"):
            if name not in self.system or name == "$AXIS_INT":
                raise RefusedError(f"{name} cannot be set")
            space = self.system
        else:
            space = self._space(name)
        if not steps:
            space[name] = deepcopy(value)
            return
        if len(steps) != 1:
            raise RefusedError("a deep assignment")
        if space[name] is None:
            raise RefusedError(f"{name} has no value")
        kind, key = steps[0]
        key = key if kind == "field" else int(self._value(key))
        if not name.startswith("$") and key not in space[name]:
            raise RefusedError(f"{name} has no {key}")
        space[name][key] = value

    def _data(self, lines):
        if lines[:2] != ["&ACCESS RVP", "&REL 1"] or not lines[2].startswith("DEFDAT palpeur"):
            raise RefusedError("a data list begins otherwise")
        body = [line for line in lines[3:] if line.strip() and not line.lstrip().startswith(";")]
        if body[-1] != "ENDDAT":
            raise RefusedError("ENDDAT")
        self.frames = []
        for line in body[:-1]:
            match = re.fullmatch(r"DECL (\w+) (\w+)(?:\[(\d+)\])?(?:=(.+))?", line)
            if not match:
                raise RefusedError(line)
            kind, name, size, value = match.groups()
            if name in self.shared or len(name) > 24:
                raise RefusedError(f"name {name}")
            if size and kind == "REAL":
                self.shared[name] = dict.fromkeys(range(1, int(size) + 1))
            elif size and kind == "CHAR":
                self.shared[name] = ""
            elif kind in ("E6AXIS", "E6POS", "BOOL", "INT", "STATE_T", "MODUS_T"):
                self.shared[name] = self._value(_expression(value)) if value else None
            else:
                raise RefusedError(line)


def _operate(op, a, b):
    if op == "AND":
        return a and b
    if op == "OR":
        return a or b
    found = {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: a / b,
        "==": lambda: a == b,
        "<>": lambda: a != b,
        "<": lambda: a < b,
        ">": lambda: a > b,
        "<=": lambda: a <= b,
        ">=": lambda: a >= b,
    }
    if isinstance(a, dict) or isinstance(b, dict) or a is None or b is None:
        raise RefusedError("an operation of structures")
    return found[op]()


# ------------------------------------------------------------------------------------------ Reading


def _routines(lines):
    if lines[:2] != ["&ACCESS RVP", "&REL 1"]:
        raise RefusedError("a source begins otherwise")
    lines = [line.strip() for line in lines[2:]]
    lines = [line for line in lines if line and not line.startswith(";")]
    found, at = {}, 0
    while at < len(lines):
        match = re.fullmatch(r"DEF (\w+)\(([^)]*)\)", lines[at])
        if not match or match[1] in found or len(match[1]) > 24:
            raise RefusedError(f"a routine is meant: {lines[at]}")
        params = []
        for word in filter(None, match[2].split(",")):
            param = re.fullmatch(r"(\w+):IN", word)
            if not param:
                raise RefusedError(word)
            params.append(param[1])
        body, at = _body(lines, at + 1, ("END",))
        found[match[1]] = (params, body)
        at += 1
    return found


def _body(lines, at, ends):
    found = []
    while True:
        if at >= len(lines):
            raise RefusedError(f"{ends[0]} is missing")
        line = lines[at]
        if line in ends:
            return found, at
        statement, at = _statement(lines, at)
        found.append(statement)


_SIMPLE = {"HALT": ("halt",), "RETURN": ("return",), "RESUME": ("resume",), "BRAKE F": ("brake",)}


def _statement(lines, at):
    line = lines[at]
    if line in _SIMPLE:
        return _SIMPLE[line], at + 1
    if match := re.fullmatch(r"IF (.+) THEN", line):
        body, at = _body(lines, at + 1, ("ENDIF", "ELSE"))
        other = []
        if lines[at] == "ELSE":
            other, at = _body(lines, at + 1, ("ENDIF",))
        return ("if", _expression(match[1]), body, other), at + 1
    if match := re.fullmatch(r"WHILE (.+)", line):
        body, at = _body(lines, at + 1, ("ENDWHILE",))
        return ("while", _expression(match[1]), body), at + 1
    if match := re.fullmatch(r"FOR (\w+)=(\S+) TO (\S+)", line):
        body, at = _body(lines, at + 1, ("ENDFOR",))
        return ("for", match[1], _expression(match[2]), _expression(match[3]), body), at + 1
    if line == "PTP_SPLINE":
        return _spline(lines, at + 1)
    if match := re.fullmatch(r"DECL (\w+) ([\w,]+)", line):
        return ("decl", match[1], match[2].split(",")), at + 1
    if match := re.fullmatch(
        r"INTERRUPT DECL (\d+) WHEN \$IN\[(\d+)\]==(TRUE|FALSE) DO (\w+)\(\)", line
    ):
        condition = (int(match[2]), match[3] == "TRUE")
        return ("declare", int(match[1]), condition, match[4]), at + 1
    if match := re.fullmatch(r"INTERRUPT (ON|OFF) (\d+)", line):
        return ("interrupt", match[1], int(match[2])), at + 1
    if match := re.fullmatch(r"WAIT SEC (.+)", line):
        return ("wait", _expression(match[1])), at + 1
    if match := re.fullmatch(r"(SPTP|SLIN) (.+)", line):
        return (match[1].lower(), _expression(match[2])), at + 1
    if match := re.fullmatch(r"(\w+)\((.*)\)", line):
        return ("call", match[1], _arguments(match[2])), at + 1
    if match := re.fullmatch(r"([$\w.\[\]]+)=(.+)", line):
        target = _expression(match[1])
        if target[0] == "name":
            return ("set", (target[1], target[2]), _expression(match[2])), at + 1
    raise RefusedError(f"statement {line!r}")


def _spline(lines, at):
    goals, parts, end = [], [], None
    if lines[at] != "TIME_BLOCK START":
        raise RefusedError("a spline block without times")
    at += 1
    while lines[at] != "ENDSPLINE":
        if match := re.fullmatch(r"SPTP (.+)", lines[at]):
            goals.append(_expression(match[1]))
        elif match := re.fullmatch(r"TIME_BLOCK PART=(.+)", lines[at]):
            parts.append(_expression(match[1]))
        elif match := re.fullmatch(r"TIME_BLOCK END=(.+)", lines[at]):
            end = _expression(match[1])
        else:
            raise RefusedError(f"in a spline block: {lines[at]}")
        if len(goals) - len(parts) not in (0, 1) or (end is not None and len(goals) != len(parts)):
            raise RefusedError("times in a spline block")
        at += 1
    if end is None:
        raise RefusedError("a spline block without an end")
    return ("spline", goals, parts, end), at + 1


def _arguments(text):
    if not text.strip():
        return []
    reader = _Reader(text)
    found = [reader.argument()]
    while reader.take(","):
        found.append(reader.argument())
    reader.done()
    return found


def _expression(text):
    reader = _Reader(text)
    found = reader.expression()
    reader.done()
    return found


class _Reader(ExpressionReader):
    """Expressions of KRL."""

    def __init__(self, text):
        super().__init__(text, _TOKEN)

    def done(self):
        if self.at < len(self.tokens):
            raise RefusedError(f"{self.peek()[1]!r} behind an expression")

    def argument(self):
        name, value = self.peek()
        after = self.tokens[self.at + 1 : self.at + 3]
        if name == "name" and [t[1] for t in after] == ["[", "]"]:
            self.at += 3
            return ("text_of", value)
        return self.expression()

    def operand(self):
        if self.take("{"):
            return self.struct()
        kind, text = self.peek()
        self.at += 1
        if kind == "num":
            return ("num", float(text))
        if kind == "text":
            return ("text", text[1:-1])
        if kind == "enum":
            return ("enum", text)
        if kind != "name":
            raise RefusedError(f"{text!r} in an expression")
        if text in ("TRUE", "FALSE"):
            return ("bool", text == "TRUE")
        if text == "ABS":
            self.need("(")
            found = self.expression()
            self.need(")")
            return ("abs", found)
        return ("name", text, self.steps())

    def steps(self):
        found = []
        while True:
            if self.take("."):
                found.append(("field", self.peek()[1]))
                self.at += 1
            elif self.take("["):
                found.append(("index", self.expression()))
                self.need("]")
            else:
                return found

    def struct(self):
        found = []
        while True:
            kind, name = self.peek()
            if kind != "name" or not _NAMES.fullmatch(name) or name in dict(found):
                raise RefusedError(f"field {name!r}")
            self.at += 1
            found.append((name, self.expression(3)))
            if self.take("}"):
                return ("struct", found)
            self.need(",")
