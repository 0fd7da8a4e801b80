"""FANUC TP programmes as text, and the KAREL that they call, as far as measuring needs them.

Source: FANUC Robot series R-30iB, Handling Tool operator's manual (B-83284EN): motion instructions
(4.3: J and L, msec, sec and mm/sec, FINE), skip and high-speed skip (4.3.6, 4.3.7: with Skip,LBL
a motion whose condition is met ends and the next line follows; where it is not met to the end the
programme jumps to the label; PR[…]=LPOS or JPOS keeps the place of the trigger), registers and
position registers (4.5, PR[i,j]: element j), IF and JMP LBL (4.7), WAIT (4.8), SKIP CONDITION
(4.9), UFRAME_NUM, UTOOL_NUM (4.12), OVERRIDE, MESSAGE, ABORT, remarks (4.14 and on). KAREL
Reference Manual (MARRCRLRF04071E): GET_TPE_PRM, GET_JPOS_REG, CNV_JPOS_REL, IO_STATUS (appendix
A), OPEN FILE with 'RW' and 'AP', WRITE with field width and decimals (chapter 7). What is not known
here is refused.
"""

from __future__ import annotations

import re

import numpy as np

from tests.reports.programmes.virtual_arm import (
    FaultError,
    HaltedError,
    LineMove,
    RefusedError,
    timed_move,
)

_RAMP = 2.0  # [m/s²] of lines; the controller's own
_MOTION = re.compile(
    r"(?P<kind>[JL]) P\[(?P<place>\d+)\] (?P<rate>\d+(?:\.\d+)?)(?P<unit>msec|sec|mm/sec) FINE"
    r"(?: Skip,LBL\[(?P<label>\d+)\],PR\[(?P<register>\d+)\]=(?P<form>JPOS))?"
)
_NUMBER = r"-?\d*\.?\d+"


def _parts(text):
    """Lines of the programme and its positions."""
    body = text.replace("\r\n", "\n")
    if not re.match(r"/PROG  [A-Z][A-Z0-9_]{0,35}\n/ATTR\n", body) or not body.endswith("/END\n"):
        raise RefusedError("not a TP programme")
    _, _, rest = body.partition("/MN\n")
    lines, _, positions = rest.partition("/POS\n")
    statements = []
    for line in lines.splitlines():
        match = re.fullmatch(r" *(\d+):(.*?) ;", line)
        if match is None:
            raise RefusedError(f"not a line: {line!r}")
        statements.append(match[2].strip())
    found = {}
    pattern = re.compile(
        r"P\[(\d+)\]\{\n   GP1:\n\tUF : (\d+), UT : (\d+),\t\n((?:\t[JE].*\n)+)\};\n"
    )
    place = 0
    inside = positions.removesuffix("/END\n")
    while place < len(inside):
        match = pattern.match(inside, place)
        if match is None:
            raise RefusedError(f"not a position: {inside[place : place + 60]!r}")
        cells = [c.strip() for c in match[4].replace("\n", " ").split(",")]
        values = []
        for axis, cell in enumerate(cells, start=1):
            label = f"J{axis}" if axis <= 6 else f"E{axis - 6}"
            value = re.fullmatch(rf"{label}= +({_NUMBER}) (deg|mm)", cell)
            if value is None:
                raise RefusedError(f"not an axis: {cell!r}")
            values.append(
                np.radians(float(value[1])) if value[2] == "deg" else float(value[1]) / 1e3
            )
        if int(match[1]) in found:
            raise RefusedError("a position twice")
        found[int(match[1])] = (int(match[2]), int(match[3]), np.array(values))
        place = match.end()
    return statements, found


class FanucTp:
    """One programme on one arm.

    Args:
        text: of the TP programme.
        karel: text of ``palplog``.
        arm: a ``VirtualArm``.
        controller: map between the arm's joints and the controller's.
        angular: whether each axis of the controller turns.
        deceleration: of the ball after a skip; the controller's own. [m/s²]
        latency: until it begins. [s]
    """

    def __init__(self, text, karel, arm, controller, *, angular, deceleration, latency):
        self.lines, self.positions = _parts(text)
        self.karel = Karel(karel)
        self.arm, self.controller = arm, controller
        self.deceleration, self.latency = deceleration, latency
        self.scale = np.where(angular, 180.0 / np.pi, 1e3)
        self.labels = {}
        for place, line in enumerate(self.lines):
            match = re.fullmatch(r"LBL\[(\d+)\]", line)
            if match is not None:
                if match[1] in self.labels:
                    raise RefusedError("a label twice")
                self.labels[match[1]] = place
        self.r, self.pr = {}, {}
        self.frame = self.tool = self.skip = None
        self.message, self.file = "", None

    def run(self):
        """Carry the programme out. Returns its record."""
        try:
            place, count = 0, 0
            while place < len(self.lines):
                count += 1
                if count > 100_000:
                    raise FaultError("a loop without end")
                jump = self._one(self.lines[place])
                place = place + 1 if jump is None else self._label(jump)
        except HaltedError as halted:
            self.arm.record.halted = str(halted)
        return self.arm.record

    def _label(self, number):
        if number not in self.labels:
            raise FaultError(f"no LBL[{number}]")
        return self.labels[number]

    def _one(self, line):
        """Carry one line out. Returns the label to jump to."""
        if line == "" or line.startswith("!") or re.fullmatch(r"LBL\[\d+\]", line):
            return None
        if line[:2] in ("J ", "L "):
            return self._motion(line)
        if line == "ABORT":
            raise HaltedError(self.message)
        for pattern, action in self._ACTIONS:
            match = re.fullmatch(pattern, line)
            if match is not None:
                return action(self, match)
        raise RefusedError(line)

    # --- motion ---

    def _motion(self, line):
        match = _MOTION.fullmatch(line)
        if match is None:
            raise RefusedError(line)
        if int(match["place"]) not in self.positions:
            raise FaultError(f"P[{match['place']}] is not taught")
        frame, tool, values = self.positions[int(match["place"])]
        if (frame, tool) != (self.frame, self.tool):
            raise FaultError("the position is of another frame or tool")
        if (self.frame, self.tool) != (self.controller.base_number, self.controller.tool_number):
            raise FaultError("another frame or tool than the ball's")
        if values.size != self.controller.order.size:
            raise FaultError("a position of another number of axes")
        arm, rate = self.arm, float(match["rate"])
        goal = self.controller.from_controller(values)
        if match["kind"] == "L":
            if match["unit"] != "mm/sec":
                raise RefusedError(line)
            motion = LineMove(arm.model, arm.q, goal, np.eye(4), 1e-3 * rate, _RAMP)
        elif match["unit"] in ("msec", "sec"):
            duration = rate * (1e-3 if match["unit"] == "msec" else 1.0)
            if np.abs(goal - arm.q).max() <= 0.0:
                return None
            motion = timed_move(arm.model, arm.q, goal, duration)
        else:
            raise RefusedError(line)
        if match["label"] is None:
            arm.start(motion)
            arm.finish()
            return None
        if self.skip is None:
            raise FaultError("Skip without SKIP CONDITION")
        if self.skip and arm.touching():  # met already: the motion does not begin
            self._keep(match["register"])
            return None
        arm.start(motion)
        while arm.moving:
            arm.step()
            if self.skip and arm.touching():
                self._keep(match["register"])
                arm.stop(self.deceleration, self.latency)
                return None
        return match["label"]

    def _keep(self, register):
        self.pr[int(register)] = self.controller.to_controller(self.arm.q) * self.scale

    # --- the other lines ---

    def _frame(self, match):
        self.frame = int(match[1])

    def _tool(self, match):
        self.tool = int(match[1])

    def _override(self, match):
        if match[1] != "100":
            raise FaultError("an override that scales the search")

    def _joints(self, match):
        self.pr[int(match[1])] = self.controller.to_controller(self.arm.q) * self.scale

    def _difference(self, match):
        if int(match[2]) not in self.pr:
            raise FaultError("a register without a value")
        values = self.pr[int(match[2])]
        if not 1 <= int(match[3]) <= values.size:
            raise FaultError("no such element")
        self.r[match[1]] = values[int(match[3]) - 1] - float(match[4].strip("()"))

    def _if_far(self, match):
        if match[1] != match[3] or match[1] not in self.r:
            raise FaultError("a register without a value")
        value = self.r[match[1]]
        return match[5] if value > float(match[2]) or value < float(match[4]) else None

    def _if_input(self, match):
        return match[2] if self._input(match[1]) else None

    def _input(self, number):
        return self.arm.touching() if int(number) == self.controller.probe_input else False

    def _condition(self, match):
        self.skip = int(match[1]) == self.controller.probe_input

    def _jump(self, match):
        return match[1]

    def _wait(self, match):
        self.arm.note("sleep", float(match[1]))

    def _message(self, match):
        self.message = match[1]
        self.arm.note("message", match[1])

    def _call(self, match):
        given = [int(match[1]), match[2]] if match[2] is not None else [int(match[1])]
        before = self.karel.file
        self.karel.run(given, self.pr)
        if self.karel.file != before:
            self.arm.record.log = self.karel.file
            self.arm.note("log", self.karel.file.removeprefix(before or ""))

    _ACTIONS = (
        (r"UFRAME_NUM=(\d+)", _frame),
        (r"UTOOL_NUM=(\d+)", _tool),
        (r"OVERRIDE=(\d+)%", _override),
        (r"PR\[(\d+)\]=JPOS", _joints),
        (r"R\[(\d+)\]=PR\[(\d+),(\d+)\]-(\d*\.\d+|\(-\d*\.\d+\))", _difference),
        (
            r"IF R\[(\d+)\]>(\d*\.\d+) OR R\[(\d+)\]<\((-\d*\.\d+)\),JMP LBL\[(\d+)\]",
            _if_far,
        ),
        (r"IF DI\[(\d+)\]=ON,JMP LBL\[(\d+)\]", _if_input),
        (r"SKIP CONDITION DI\[(\d+)\]=ON", _condition),
        (r"JMP LBL\[(\d+)\]", _jump),
        (r"WAIT +(\d*\.\d\d)\(sec\)", _wait),
        (r"MESSAGE\[([ -Z^-~]{1,24})\]", _message),
        (r"CALL PALPLOG\((\d+)(?:,'([^']{0,34})')?\)", _call),
    )


# ------------------------------------------------------------------------------------------- KAREL


class Karel:
    """A KAREL programme with one body: IF, assignments, calls, files.

    Args:
        text: of the source.
    """

    def __init__(self, text):
        lines = [line.strip() for line in text.replace("\r\n", "\n").splitlines()]
        lines = [line for line in lines if line and not line.startswith("--")]
        name = re.fullmatch(r"PROGRAM (\w{1,12})", lines[0])
        if name is None or lines[-1] != f"END {name[1]}":
            raise RefusedError("not a KAREL programme")
        begin = lines.index("BEGIN")
        self.types = {}
        for line in lines[1:begin]:
            if line == "VAR" or re.fullmatch(r"%[A-Z]+( = .*)?", line):
                continue
            match = re.fullmatch(
                r"([\w, ]+) : (FILE|INTEGER|REAL|STRING\[\d+\]|JOINTPOS|"
                r"ARRAY\[(\d+)\] OF REAL)",
                line,
            )
            if match is None:
                raise RefusedError(line)
            for variable in match[1].split(","):
                if len(variable.strip()) > 12:
                    raise RefusedError("a name beyond 12 characters")
                self.types[variable.strip()] = (match[2], match[3])
        self.body, rest = self._block(lines[begin + 1 : -1])
        if rest:
            raise RefusedError(rest[0])
        self.file = None

    def _block(self, lines):
        found = []
        while lines:
            line = lines[0]
            if line in ("ELSE", "ENDIF"):
                return found, lines
            lines = lines[1:]
            match = re.fullmatch(r"IF (\w+) (=|<>) (\d+) THEN", line)
            if match is None:
                found.append(line)
                continue
            then, lines = self._block(lines)
            otherwise = []
            if lines and lines[0] == "ELSE":
                otherwise, lines = self._block(lines[1:])
            if not lines or lines[0] != "ENDIF":
                raise RefusedError("ENDIF is missing")
            lines = lines[1:]
            found.append((match[1], match[2], int(match[3]), then, otherwise))
        return found, lines

    def run(self, given, registers):
        """Once, with arguments and position registers."""
        self.given, self.registers = given, registers
        self.values, self.open = {}, None
        self._run(self.body)
        if self.open is not None:
            raise FaultError("the file stays open")

    def _run(self, body):
        for one in body:
            if isinstance(one, tuple):
                name, sign, value, then, otherwise = one
                if name not in self.values:
                    raise FaultError(f"{name} is not initialised")
                equal = self.values[name] == value
                self._run(then if equal == (sign == "=") else otherwise)
            else:
                self._one(one)

    def _one(self, line):
        match = re.fullmatch(r"GET_TPE_PRM\((\d+), (\w+), (\w+), (\w+), (\w+), (\w+)\)", line)
        if match is not None:
            place = int(match[1])
            there = 1 <= place <= len(self.given)
            value = self.given[place - 1] if there else None
            self._set(match[2], 3 if isinstance(value, str) else 1)
            if isinstance(value, str):
                self._set(match[5], value)
            elif there:
                self._set(match[3], value)
            self._set(match[6], 0 if there else 1)
            return
        match = re.fullmatch(r"OPEN FILE (\w+) \('(RW|AP)', '([A-Z0-9]+:[A-Z0-9.]+)'\)", line)
        if match is not None:
            self._kind(match[1], "FILE")
            if match[2] == "RW" or self.file is None:
                self.file = ""
            self.open = match[1]
            return
        match = re.fullmatch(r"CLOSE FILE (\w+)", line)
        if match is not None:
            if self.open != match[1]:
                raise FaultError("the file is not open")
            self.open = None
            return
        match = re.fullmatch(r"WRITE (\w+) \((.*), CR\)", line)
        if match is not None:
            if self.open != match[1]:
                raise FaultError("the file is not open")
            self.file += "".join(self._cells(match[2])) + "\n"
            return
        match = re.fullmatch(r"(\w+) = GET_JPOS_REG\((\d+), (\w+)\)", line)
        if match is not None:
            self._kind(match[1], "JOINTPOS")
            there = int(match[2]) in self.registers
            if there:
                self.values[match[1]] = self.registers[int(match[2])]
            self._set(match[3], 0 if there else 1)
            return
        match = re.fullmatch(r"CNV_JPOS_REL\((\w+), (\w+), (\w+)\)", line)
        if match is not None:
            posture = self.values[match[1]]
            size = int(self.types[match[2]][1])
            if size < len(posture):
                raise FaultError("the array is too short")
            self.values[match[2]] = dict(enumerate(posture.tolist(), start=1))
            self._set(match[3], 0)
            return
        match = re.fullmatch(r"(\w+) = IO_STATUS\((\w+)\)", line)
        if match is not None:
            self._kind(match[2], "FILE")
            self._set(match[1], 0 if self.open == match[2] else 1)
            return
        match = re.fullmatch(
            r"(\w+)\[(\d+)\] = (-?)\((\w+)\[(\d+)\] - (\d*\.\d+|\(-\d*\.\d+\))\)", line
        )
        if match is not None:
            if int(match[5]) not in self.values.get(match[4], {}):
                raise FaultError("an element without a value")
            value = self.values[match[4]][int(match[5])] - float(match[6].strip("()"))
            if int(match[2]) > int(self.types[match[1]][1]):
                raise FaultError("beyond the array")
            self.values.setdefault(match[1], {})[int(match[2])] = -value if match[3] else value
            return
        match = re.fullmatch(
            r"(\w+)\[(\d+)\] = (\w+)\[(\d+)\] - (\d*\.\d+|\(-\d*\.\d+\)) \* (\w+)\[(\d+)\]", line
        )
        if match is not None:
            left, right = (self.values.get(match[k], {}) for k in (3, 6))
            if int(match[4]) not in left or int(match[7]) not in right:
                raise FaultError("an element without a value")
            product = float(match[5].strip("()")) * right[int(match[7])]
            self.values[match[1]][int(match[2])] = left[int(match[4])] - product
            return
        if line == "ABORT":
            raise HaltedError("the log")
        raise RefusedError(line)

    def _cells(self, text):
        for cell in re.findall(r"'[^']*'|[^,' ][^,]*", text):
            match = re.fullmatch(r"(\w+)\[(\d+)\]::(\d+)::(\d+)", cell)
            if cell.startswith("'"):
                yield cell[1:-1]
            elif match is not None:
                if int(match[2]) not in self.values.get(match[1], {}):
                    raise FaultError("an element without a value")
                value = self.values[match[1]][int(match[2])]
                yield f"{value:{match[3]}.{match[4]}f}"
            elif cell in self.values and isinstance(self.values[cell], str):
                yield self.values[cell]
            else:
                raise RefusedError(cell)

    def _set(self, name, value):
        if name not in self.types:
            raise RefusedError(f"{name} is not declared")
        wanted = {str: "STRING", int: "INTEGER"}[type(value)]
        if not self.types[name][0].startswith(wanted):
            raise FaultError(f"{name} is of another type")
        self.values[name] = value

    def _kind(self, name, kind):
        if self.types.get(name, ("",))[0] != kind:
            raise FaultError(f"{name} is of another type")
