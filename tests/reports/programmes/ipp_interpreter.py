"""A server of I++ DME that runs the text of a session against the virtual cell.

Written from the I++ DME specification 1.4.3: §5 (tags, transactions), §6.3.2.11 (GoTo, with the
speed of GoToPar), §6.3.2.13 (PtMeas: approach position, end of search, latched centre of the tool,
retract from there with GoToPar), §6.3.2.18 (ChangeTool), §6.3.6 and §6.3.7 (parameter blocks: each
tool has its own, set to their defaults when the tool changes; a value beyond Max is cut with the
warning 0504, which this server refuses), §6.3.2 (OnPtMeasReport, SetCoordSystem, Home), error 1006
Surface Not Found; after an error nothing moves until ClearAllErrors.

The server is found in the coordinate system of a part that is not there, without a tool.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

LATENCY, DECELERATION = 1e-3, 4.0  # [s], [m/s²] of the simulated control, within the certified
BESIDE = np.array([0.01, 0.0, 0.02])  # [m] the system of a part that is not there
ZERO = 1e-9  # [m] of a motion that is none
# mm and mm/s
MAXIMA = {
    "GoToPar.Speed": 5000.0,
    "PtMeasPar.Speed": 20.0,
    "PtMeasPar.Approach": 50.0,
    "PtMeasPar.Search": 50.0,
    "PtMeasPar.Retract": 50.0,
}
DEFAULTS = {
    "GoToPar.Speed": 100.0,
    "PtMeasPar.Speed": 8.0,
    "PtMeasPar.Approach": 10.0,
    "PtMeasPar.Search": 10.0,
    "PtMeasPar.Retract": 10.0,
}


class RefusedError(Exception):
    """What the server does not know, or would not carry out."""


@dataclass
class Motion:
    """A straight motion of the ball."""

    kind: str  # "move" or "search"
    start: np.ndarray  # (3,) [m]
    end: np.ndarray  # (3,)
    speed: float  # [m/s]
    axis: np.ndarray  # (3,) of the stylus
    hit: np.ndarray | None = None
    overrun: float = 0.0


@dataclass
class Run:
    """What came of a session."""

    motions: list[Motion] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    stopped: str = ""
    ended: bool = False


class Machine:
    """What DMIS and I++ machines have in common: straight motions of the ball, and a probe.

    Args:
        cell: the virtual part.
        at: where the ball is. # (3,) [m]
    """

    def __init__(self, cell, at):
        self.cell, self.at = cell, np.array(at, float)
        self.run = Run()
        self.axis = np.full(3, np.nan)

    def move(self, end, speed):
        """A positioning move."""
        start, length = self.at, float(np.linalg.norm(end - self.at))
        if not speed > 0.0:
            raise RefusedError("no speed")
        if length <= ZERO:
            return
        self.run.motions.append(
            Motion(kind="move", start=start, end=end, speed=speed, axis=self.axis)
        )
        self.cell.free(self.path(start, end), length, f"move {len(self.run.motions)}")
        self.at = end

    def search(self, end, speed):
        """A search; the place of the hit, or None."""
        start, length = self.at, float(np.linalg.norm(end - self.at))
        if not (speed > 0.0 and length > 0.0):
            raise RefusedError("no search")
        motion = Motion(kind="search", start=start, end=end, speed=speed, axis=self.axis)
        self.run.motions.append(motion)
        t = self.cell.first_contact(self.path(start, end), length)
        if t is None:
            self.at = end
            return None
        motion.hit = start + t * (end - start)
        motion.overrun = speed * LATENCY + speed**2 / (2.0 * DECELERATION)
        self.at = motion.hit + motion.overrun * (end - start) / length
        return motion.hit

    @staticmethod
    def path(start, end):
        """Ball centre along a motion."""
        return lambda t: start + np.asarray(t)[:, None] * (end - start)


class IppServer(Machine):
    """The server.

    Args:
        cell: the virtual part.
        tools: name of each tool, with the axis of its stylus. # (3,)
        home: where Home() takes the ball. # (3,) [m]
        radius: of the balls. [m]
    """

    def __init__(self, cell, tools, home, radius):
        super().__init__(cell, home)
        self.tools, self.home, self.radius = tools, np.array(home), radius
        self.tool = ""
        self.properties: dict[str, float] = {}
        self.homed = self.session = self.erred = False
        self.system = "PartCsy"
        self.report: list[str] = []
        self.last = 0

    def execute(self, text):
        """Send all lines, and stop sending at the first error, as clients do."""
        if not text.endswith("\r\n"):
            raise RefusedError("the last line has no end")
        for line in text[:-2].split("\r\n"):
            match = re.fullmatch(r"(\d{5}) (\w+)\((.*)\)", line)
            if not match or "\n" in line:
                raise RefusedError(f"line {line!r}")
            self.run.log.append(line)
            self.tag(int(match[1]), match[2])
            getattr(self, f"do_{match[2]}", self.unknown)(match[3], match[1])
            if self.run.stopped:
                return self.run
            self.run.log += [f"{match[1]} &", f"{match[1]} %"]
        if self.session:
            raise RefusedError("the session does not end")
        self.run.ended = True
        return self.run

    def unknown(self, text, tag):
        raise RefusedError(f"command of tag {tag}: {text}")

    def tag(self, number, command):
        if command == "StartSession":
            if self.session:
                raise RefusedError("a session in a session")
            self.last = 0
        elif not self.session:
            raise RefusedError("no session")
        if number <= self.last:
            raise RefusedError(f"tag {number} after {self.last}")
        self.last = number

    def do_StartSession(self, text, _):
        self.empty(text)
        self.session = True

    def do_EndSession(self, text, _):
        self.empty(text)
        self.session = False

    def do_ClearAllErrors(self, text, _):
        self.empty(text)
        if self.run.motions:
            raise RefusedError("errors cleared after a motion")

    def do_Home(self, text, _):
        self.empty(text)
        if self.run.motions:
            raise RefusedError("Home in the middle of a job")
        self.homed, self.at = True, self.home

    def do_SetCoordSystem(self, text, _):
        if text not in ("MachineCsy", "PartCsy", "MoveableMachineCsy"):
            raise RefusedError(text)
        self.system = text

    def do_OnPtMeasReport(self, text, _):
        names = text.split(",")
        if not names or any(name not in ("X()", "Y()", "Z()") for name in names):
            raise RefusedError(text)
        self.report = [name[0] for name in names]

    def do_ChangeTool(self, text, _):
        name = text.strip('"')
        if f'"{name}"' != text or name not in self.tools:
            raise RefusedError(f"tool {text}")
        self.tool, self.axis, self.properties = name, self.tools[name], dict(DEFAULTS)

    def do_SetProp(self, text, _):
        match = re.fullmatch(r"Tool\.(\w+\.\w+)\((-?\d+\.\d+)\)", text)
        if not match or match[1] not in MAXIMA or not self.tool:
            raise RefusedError(text)
        value = float(match[2])
        if not 0.0 <= value <= MAXIMA[match[1]]:
            raise RefusedError(f"0504: {text}")
        self.properties[match[1]] = value

    def do_GoTo(self, text, _):
        place, direction = self.place(text)
        if direction is not None:
            raise RefusedError(text)
        self.move(place, self.speed("GoToPar"))

    def do_PtMeas(self, text, tag):
        place, direction = self.place(text)
        if direction is None:
            raise RefusedError(text)
        direction = direction / np.linalg.norm(direction)
        approach, search, retract = (
            1e-3 * self.properties[f"PtMeasPar.{name}"]
            for name in ("Approach", "Search", "Retract")
        )
        self.move(place + (approach + self.radius) * direction, self.speed("GoToPar"))
        hit = self.search(place + (self.radius - search) * direction, self.speed("PtMeasPar"))
        if hit is None:
            self.run.stopped = "1006 Surface Not Found"
            self.run.log.append(f'{tag} ! Error(2,1006,"PtMeas","Surface Not Found")')
            return
        self.move(hit + retract * direction, self.speed("GoToPar"))
        values = dict(zip("XYZ", (1e3 * hit).tolist(), strict=True))
        told = ", ".join(f"{name}({values[name]!r})" for name in self.report)
        self.run.log.append(f"{tag} # {told}")

    def speed(self, block):
        return 1e-3 * self.properties[f"{block}.Speed"]

    def place(self, text):
        """Place and direction of a command; both in the machine's coordinates."""
        number = r"\((-?\d+\.\d+)\)"
        ijk = r"(?:,IJK\((-?\d+\.\d+),(-?\d+\.\d+),(-?\d+\.\d+)\))?"
        match = re.fullmatch(f"X{number},Y{number},Z{number}{ijk}", text)
        if not match:
            raise RefusedError(text)
        if not self.homed or not self.tool:
            raise RefusedError("not homed, or no tool")
        values = np.array([float(value or "nan") for value in match.groups()])
        place = 1e-3 * values[:3]
        if self.system != "MachineCsy":
            place = place + BESIDE
        return place, None if match[4] is None else values[3:]

    @staticmethod
    def empty(text):
        if text:
            raise RefusedError(text)
