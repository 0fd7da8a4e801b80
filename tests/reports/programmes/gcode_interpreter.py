"""Runs the text of G-code programmes against the virtual cell: LinuxCNC and FANUC macro B.

Written from the manuals, and no more of them than our programmes use; all else is refused.

LinuxCNC: G-code reference (docs/src/gcode/g-code.adoc: G1, G4, G38.2-G38.5, G54-G59.3, G61, G64),
M-code reference (M2, M50), overview (numbered parameters 5061-5070, 5211-5213, 5221-5230 and those
of the next systems, 5400, 5420-5422; comments with LOGOPEN, LOG, LOGCLOSE, ABORT; format %.nf in
LOG), O-codes (if, endif). A control stops a motion after the trigger, but #5061 to #5063 have the
place of the trigger; G38.3 that ends without contact sets #5070 to 0 and is no error; one that
starts with the probe deflected is.

FANUC 30i/31i/32i, User's manual B-63944EN: skip function (G31, #5061 to #5063 hold the place of the
skip, without one the end of the block), custom macro (arithmetic, IF GOTO, M98/M99, variables #3000
alarm, #3004 bit 1 feed override off, #4120 tool, #5041-#5043 position, #5201-#5203 and #5221-#5223
offsets), external output commands (POPEN, DPRNT with * for a space and [cd] digits before and
behind the point, PCLOS).

The machine is found in the state a programme may find it in: inch, incremental, inverse time feed,
blending, tool length and cutter compensation on, another work system, feed override at 120 %.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from tests.reports.programmes.virtual_cell import CrashError

LATENCY, DECELERATION = 1e-3, 4.0  # [s], [m/s²] of the simulated control, within the certified
OVERRIDE = 1.2
OFFSETS = {54: (0.0, 0.0, 0.0), 55: (7.0, -3.0, 5.0)}  # [mm]; further systems are not set up


class RefusedError(Exception):
    """A statement that the interpreter does not know, or that the control would not run."""


class AlarmError(Exception):
    """The programme stopped itself."""


class JumpError(Exception):
    """GOTO."""


@dataclass
class Motion:
    """A straight motion of the axes as it was driven."""

    kind: str  # "move" or "search"
    start: np.ndarray  # (n,) joints [rad or m]
    end: np.ndarray  # (n,) where it was to end
    speed: float  # [m/s]
    exact: bool  # whether it stops at its end
    hit: bool = False
    overrun: float = 0.0


@dataclass
class Run:
    """What came of a programme."""

    motions: list[Motion] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    closed: bool = False
    stopped: str = ""
    dwells: list[float] = field(default_factory=list)


class Control:
    """A control with three axes and a probe.

    Args:
        cell: the virtual part before the machine.
        controller: how the real machine's axes count the joints.
        head: values of the joints that do not slide, others NaN. # (n,)
        at: where the axes stand. # (3,) [mm]
        tool: number of the tool in the spindle.
        offset: of G54. [mm]
        stuck: number of the search that finds the probe deflected already; 0 for none.
    """

    def __init__(self, cell, controller, head, at, *, tool=3, offset=(0.0, 0.0, 0.0), stuck=0):
        self.cell, self.controller, self.head = cell, controller, head
        self.run = Run()
        self.at = np.array(at, float)  # machine coordinates
        self.tool = tool
        self.stuck = stuck
        self.offsets = {**OFFSETS, 54: tuple(offset)}
        self.modal = {
            "unit": 20,
            "distance": 91,
            "feed": 93,
            "path": 64,
            "length": 43,
            "cutter": 41,
            "plane": 18,
            "system": 55,
        }
        self.feed = 0.0
        self.override = True
        self.open = False
        self.parameters: dict[object, float] = {}

    # ------------------------------------------------------------------------------- Motion

    def joints(self, values):
        """Joints of the real machine. # (..., 3) [mm] → (..., n)."""
        q = np.broadcast_to(self.head, (*np.shape(values)[:-1], len(self.head))).copy()
        axes = [k for k, joint in enumerate(self.controller.order) if np.isnan(self.head[joint])]
        for place, axis in enumerate(axes):
            sign, offset = self.controller.signs[axis], self.controller.offsets[axis]
            q[..., self.controller.order[axis]] = sign * (
                1e-3 * np.asarray(values)[..., place] - offset
            )
        return q

    def target(self, words):
        """Machine coordinates that a block asks for. [mm]."""
        expected = {"unit": 21, "distance": 90, "feed": 94, "length": 49, "cutter": 40}
        for group, code in expected.items():
            if self.modal[group] != code:
                raise RefusedError(f"motion under G{self.modal[group]}")
        system = self.modal["system"]
        if system not in self.offsets:
            raise RefusedError(f"G{system} is not set up")
        values = self.at.copy()
        for place, letter in enumerate("XYZ"):
            if letter not in words:
                raise RefusedError(f"{letter} is missing")
            values[place] = words[letter] + self.offsets[system][place]
        return values

    def speed(self, words):
        """Of the tool. [m/s]."""
        self.feed = words.get("F", self.feed)
        if self.feed <= 0.0:
            raise RefusedError("no feed")
        return self.feed / 60e3 * (OVERRIDE if self.override else 1.0)

    def path(self, start, end):
        """Ball centre along a motion."""
        return lambda t: self.cell.ball(self.joints(start + np.asarray(t)[:, None] * (end - start)))

    def move(self, words):
        """G1."""
        start, end = self.at, self.target(words)
        length = 1e-3 * float(np.linalg.norm(end - start))
        motion = self.drive("move", start, end, self.speed(words))
        self.cell.free(self.path(start, end), length, f"move {len(self.run.motions)}")
        self.at = end
        return motion

    def drive(self, kind, start, end, speed):
        """Record a motion."""
        motion = Motion(
            kind=kind,
            start=self.joints(start),
            end=self.joints(end),
            speed=speed,
            exact=self.modal["path"] == 61,
        )
        self.run.motions.append(motion)
        return motion

    def search(self, words):
        """Motion that ends at contact; whether it did, and where. → (bool, (3,) [mm])."""
        start, end = self.at, self.target(words)
        way = end - start
        length = float(np.linalg.norm(way))  # [mm]
        speed = self.speed(words)
        motion = self.drive("search", start, end, speed)
        t = self.cell.first_contact(self.path(start, end), 1e-3 * length)
        if self.stuck == sum(one.kind == "search" for one in self.run.motions):
            t = 0.0
        if t is None:
            self.at = end
            return False, end
        motion.hit = True
        motion.overrun = speed * LATENCY + speed**2 / (2.0 * DECELERATION)
        hit = start + t * way
        self.at = hit + 1e3 * motion.overrun * way / length
        return True, hit

    def codes(self, codes):
        """Modal G codes of a block, those of motion left out."""
        groups = {
            20: "unit",
            21: "unit",
            90: "distance",
            91: "distance",
            93: "feed",
            94: "feed",
            61: "path",
            64: "path",
            43: "length",
            49: "length",
            40: "cutter",
            41: "cutter",
            17: "plane",
            18: "plane",
            19: "plane",
        }
        for code in codes:
            if code in groups:
                self.modal[groups[code]] = int(code)
            elif code in (54, 55, 56, 57, 58, 59):
                self.modal["system"] = int(code)
            elif code != 80:
                raise RefusedError(f"G{code:g} is not known")

    def offset_now(self):
        """Of the work system. # (3,) [mm]."""
        return np.array(self.offsets[self.modal["system"]])

    def print(self, line):
        """A line of the log."""
        if not self.open or self.run.closed:
            raise RefusedError("the log is not open")
        self.run.log.append(line)


# ------------------------------------------------------------------------------------ Expressions

_TOKENS = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*|\.\d+)|(?P<name>\#<\w+>)|(?P<word>[A-Z]+)|(?P<sign>[\[\]#+\-*/]))"
)
_FUNCTIONS = {"ABS": abs, "FIX": np.trunc, "ROUND": lambda x: np.floor(x + 0.5)}
_COMPARE = {
    "GT": np.greater,
    "LT": np.less,
    "GE": np.greater_equal,
    "LE": np.less_equal,
    "EQ": np.equal,
    "NE": np.not_equal,
}


class Expression:
    """Value of an expression; brackets, then * /, then + -, then comparisons, then AND OR."""

    def __init__(self, text, value):
        self.tokens, place = [], 0
        text = text.rstrip()
        while place < len(text):
            match = _TOKENS.match(text, place)
            if not match:
                raise RefusedError(f"expression {text!r}")
            self.tokens.append(match[0].strip())
            place = match.end()
        self.value_of = value
        self.place = 0

    def value(self):
        """Of all of it."""
        found = self.logic()
        if self.place != len(self.tokens):
            raise RefusedError(f"expression {self.tokens}")
        return found

    def peek(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise RefusedError(f"expression {self.tokens}: {wanted} is missing")
        self.place += 1
        return token

    def logic(self):
        left = self.comparison()
        while self.peek() in ("AND", "OR"):
            word, right = self.take(), self.comparison()
            left = float(bool(left) and bool(right) if word == "AND" else bool(left) or bool(right))
        return left

    def comparison(self):
        left = self.sum()
        while self.peek() in _COMPARE:
            left = float(_COMPARE[self.take()](left, self.sum()))
        return left

    def sum(self):
        left = self.product()
        while self.peek() in ("+", "-"):
            left = left + self.product() if self.take() == "+" else left - self.product()
        return left

    def product(self):
        left = self.factor()
        while self.peek() in ("*", "/"):
            left = left * self.factor() if self.take() == "*" else left / self.factor()
        return left

    def factor(self):
        token = self.take()
        if token == "-":
            return -self.factor()
        if token == "[":
            found = self.logic()
            self.take("]")
            return found
        if token == "#":
            return self.value_of(int(self.take()))
        if token.startswith("#<"):
            return self.value_of(token[2:-1])
        if token in _FUNCTIONS:
            self.take("[")
            found = self.logic()
            self.take("]")
            return float(_FUNCTIONS[token](found))
        if re.fullmatch(r"[\d.]+", token):
            return float(token)
        raise RefusedError(f"{token} is not known")


_WORD = re.compile(r"([A-Z])(-?\d+\.?\d*)")


def words_of(text):
    """Words of a block: G codes, others by letter."""
    if "".join("".join(pair) for pair in _WORD.findall(text)) != text.replace(" ", ""):
        raise RefusedError(f"block {text!r}")
    codes, words = [], {}
    for letter, value in _WORD.findall(text):
        if letter == "G":
            codes.append(float(value))
        elif letter in words:
            raise RefusedError(f"{letter} twice in {text!r}")
        else:
            words[letter] = float(value)
    return codes, words


# --------------------------------------------------------------------------------------- LinuxCNC


class LinuxCnc(Control):
    """LinuxCNC."""

    def execute(self, text):
        """Run a programme to its end or its abort."""
        lines = [line.strip() for line in text.split("\n")]
        if any(len(line) > 255 for line in lines):
            raise RefusedError("a line of more than 255 characters")
        place, open_ifs, ended = 0, [], False
        try:
            while place < len(lines) and not ended:
                line = lines[place]
                place += 1
                if match := re.fullmatch(r"o(\d+) if \[(.*)\]", line):
                    open_ifs.append(match[1])
                    if not Expression(f"[{match[2]}]", self.parameter).value():
                        place = self.after_endif(lines, place, match[1])
                        open_ifs.pop()
                elif match := re.fullmatch(r"o(\d+) endif", line):
                    if not open_ifs or open_ifs.pop() != match[1]:
                        raise RefusedError(f"{line} without if")
                else:
                    ended = self.block(line)
        except AlarmError as alarm:
            self.run.stopped = str(alarm)
        else:
            if not ended:
                raise RefusedError("no M2")
        return self.run

    @staticmethod
    def after_endif(lines, place, label):
        for k in range(place, len(lines)):
            if lines[k] == f"o{label} endif":
                return k + 1
        raise RefusedError(f"o{label} has no endif")

    def parameter(self, key):
        """Value of a parameter."""
        if isinstance(key, str):
            if key not in self.parameters:
                raise RefusedError(f"#<{key}> is not set")
            return self.parameters[key]
        if 5061 <= key <= 5063 or key == 5070:
            if key not in self.parameters:
                raise RefusedError(f"#{key} before any probe")
            return self.parameters[key]
        if 5211 <= key <= 5213:
            return 0.0
        if 5220 < key <= 5230 + 20:
            system, which = 54 + (key - 5221) // 20, (key - 5221) % 20
            return 0.0 if which > 2 or system not in self.offsets else self.offsets[system][which]
        if key == 5400:
            return float(self.tool)
        if 5420 <= key <= 5422:
            if self.modal["unit"] != 21:
                raise RefusedError("position in inch")
            return float((self.at - self.offset_now())[key - 5420])
        raise RefusedError(f"#{key} is not known")

    def block(self, line):
        """One line; whether the programme ends with it."""
        if not line or line.startswith(";"):
            return False
        if match := re.fullmatch(r"\((LOGOPEN|LOG|ABORT),(.*)\)", line):
            self.comment(match[1], match[2])
        elif line == "(LOGCLOSE)":
            self.run.closed = True
        elif match := re.fullmatch(r"#<(\w+)> = (.*)", line):
            self.parameters[match[1]] = Expression(match[2], self.parameter).value()
        elif line.startswith("("):
            raise RefusedError(line)
        else:
            return self.command(line)
        return False

    def comment(self, kind, text):
        if "(" in text or ")" in text:
            raise RefusedError("a parenthesis in a comment")
        if kind == "LOGOPEN":
            self.open = True
        elif kind == "ABORT":
            raise AlarmError(text)
        else:
            self.print(self.filled(text))

    def filled(self, text):
        """A text of LOG: parameters in the format that stands before them, at first %.6f."""
        decimals = 6
        found = ""
        for piece in re.split(r"(%\.\df|#<\w+>|#\d+)", text):
            if re.fullmatch(r"%\.\df", piece):
                decimals = int(piece[2])
            elif piece.startswith("#"):
                key = piece[2:-1] if piece.startswith("#<") else int(piece[1:])
                found += f"{self.parameter(key):.{decimals}f}"
            elif "%" in piece or "#" in piece:
                raise RefusedError(f"LOG {text!r}")
            else:
                found += piece
        return found

    def command(self, line):
        codes, words = words_of(line)
        if line == "M2":
            return True
        if line in ("M50 P0", "M50 P1"):
            self.override = line == "M50 P1"
        elif codes == [1.0]:
            self.move(words)
        elif codes == [38.3]:
            self.probe(words)
        elif codes == [4.0] and set(words) == {"P"}:
            self.run.dwells.append(words["P"])
        elif codes and not words:
            self.codes(codes)
        else:
            raise RefusedError(line)
        return False

    def probe(self, words):
        if self.stuck == 1 + sum(one.kind == "search" for one in self.run.motions):
            raise AlarmError("probe is already tripped")
        done, at = self.search(words)
        for place, value in enumerate(at - self.offset_now()):
            self.parameters[5061 + place] = float(value)
        self.parameters[5070] = float(done)


# ------------------------------------------------------------------------------------------ FANUC


class Fanuc(Control):
    """FANUC custom macro B."""

    def execute(self, text):
        """Run the first programme of a file to its M30 or its alarm."""
        lines = [line.strip() for line in text.split("\r\n")]
        if lines[0] != "%" or lines[-2:] != ["%", ""]:
            raise RefusedError("no % at begin and end")
        self.programmes: dict[int, list[str]] = {}
        for line in lines[1:-2]:
            if match := re.fullmatch(r"O(\d{4})\([A-Z0-9 ]*\)", line):
                self.programmes[int(match[1])] = []
            elif not self.programmes:
                raise RefusedError(line)
            else:
                list(self.programmes.values())[-1].append(line)
        self.variables: dict[int, float] = {}
        try:
            self.call(next(iter(self.programmes)), "M30")
        except AlarmError as alarm:
            self.run.stopped = str(alarm)
        return self.run

    def call(self, number, end):
        """Run a programme."""
        lines = self.programmes.get(number)
        if lines is None:
            raise RefusedError(f"no O{number}")
        labels: dict[int, int] = {}
        for place, line in enumerate(lines):
            if match := re.fullmatch(r"N(\d+)", line):
                if int(match[1]) in labels or int(match[1]) > 99_999:
                    raise RefusedError(line)
                labels[int(match[1])] = place
        place = 0
        while place < len(lines):
            line = lines[place]
            place += 1
            if not line.startswith("#3000"):
                line = re.sub(r"\([A-Z0-9 .,+*/=-]*\)", "", line)
            if line == end:
                return
            if match := re.fullmatch(r"IF\[(.*)\]GOTO(\d+)", line):
                if Expression(f"[{match[1]}]", self.variable).value():
                    if int(match[2]) not in labels:
                        raise RefusedError(line)
                    place = labels[int(match[2])]
            else:
                self.block(line)
        raise RefusedError(f"O{number} has no {end}")

    def variable(self, key):
        """Value of a variable."""
        if 100 <= key <= 199 or 5061 <= key <= 5063:
            if key not in self.variables:
                raise RefusedError(f"#{key} is vacant")
            return self.variables[key]
        if 5041 <= key <= 5043:
            return float((self.at - self.offset_now())[key - 5041])
        if 5201 <= key <= 5203:
            return 0.0
        if 5221 <= key <= 5223:
            return self.offsets[54][key - 5221]
        if key == 4120:
            return float(self.tool)
        raise RefusedError(f"#{key} is not known")

    def block(self, line):
        """One block."""
        if not line or re.fullmatch(r"N\d+", line):
            return
        if match := re.fullmatch(r"#3000=\d+\(([A-Z0-9_/+ -]+)\)", line):
            raise AlarmError(match[1])
        if line in ("#3004=2", "#3004=0"):
            self.override = line == "#3004=0"
        elif match := re.fullmatch(r"#(1\d\d)=(.*)", line):
            self.variables[int(match[1])] = Expression(match[2], self.variable).value()
        elif line == "POPEN":
            self.open = True
        elif line == "PCLOS":
            self.run.closed = True
        elif match := re.fullmatch(r"DPRNT\[(.*)\]", line):
            self.print(self.filled(match[1]))
        elif match := re.fullmatch(r"M98 P(\d+)", line):
            self.call(int(match[1]), "M99")
        else:
            self.command(line)

    def filled(self, text):
        found = ""
        for piece in re.split(r"(#\d+\[\d\d\])", text):
            if match := re.fullmatch(r"#(\d+)\[(\d)(\d)\]", piece):
                before, behind = int(match[2]), int(match[3])
                value = self.variable(int(match[1]))
                if before + behind > 8 or abs(value) >= 10**before:
                    raise RefusedError(f"DPRNT {piece} of {value}")
                found += f"{value:.{behind}f}"
            elif not re.fullmatch(r"[A-Z0-9_/+,.*-]*", piece):
                raise RefusedError(f"DPRNT {text!r}")
            else:
                found += piece.replace("*", " ")
        return found

    def command(self, line):
        codes, words = words_of(line)
        for value in re.findall(r"\.(\d+)", line.split("F")[0]):
            if len(value) > 6:
                raise RefusedError(f"too many digits in {line!r}")
        if codes == [1.0]:
            self.move(words)
        elif codes == [31.0]:
            _, at = self.search(words)
            for place, value in enumerate(at - self.offset_now()):
                self.variables[5061 + place] = float(value)
        elif codes == [4.0] and set(words) == {"X"}:
            self.run.dwells.append(words["X"])
        elif codes and not words:
            self.codes(codes)
        else:
            raise RefusedError(line)


DIALECTS = {"linuxcnc": LinuxCnc, "fanuc": Fanuc}
NOTICED = (RefusedError, CrashError, AssertionError)
