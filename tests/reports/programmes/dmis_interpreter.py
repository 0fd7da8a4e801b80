"""A machine that runs a DMIS programme against the virtual cell, and writes its results.

Written from ISO 22093 (DMIS 5.2) as far as our programmes go: UNITS, DECPL, PRCOMP, DATSET/MCS,
SNSDEF/PROBE of an indexed head, SNSLCT, SNSET (APPRCH, SEARCH, RETRCT, CLRSRF), FEDRAT (MESVEL,
POSVEL), FEAT, GOTO, MEAS … PTMEAS … ENDMES, OUTPUT; statements of at most 80 characters a line,
continued behind " $"; $$ begins a comment. PTMEAS goes to the approach distance at POSVEL, searches
at MESVEL to the search distance past the nominal surface, and retracts at POSVEL. The results are
FA and, of every touch of a feature that is no point, PTDATA, compensated for the ball along the
nominal vector. A touch that does not find the surface stops the programme.

The machine is found in inch, without compensation, in another datum system, with feeds and
distances of its own.
"""

from __future__ import annotations

import re

import numpy as np

from tests.reports.programmes.ipp_interpreter import BESIDE, Machine, RefusedError

NUMBER = r"-?\d+\.\d+"
KINDS = {"POINT": (6, 0), "PLANE": (6, 0), "CIRCLE": (7, 1), "CYLNDR": (7, 1), "SPHERE": (4, 1)}


class DmisMachine(Machine):
    """The machine.

    Args:
        cell: the virtual part.
        sensors: name of each sensor, with the axis of its stylus. # (3,)
        home: where the ball stands. # (3,) [m]
        length: of the stylus. [m]
        radius: of the balls. [m]
    """

    def __init__(self, cell, sensors, home, length, radius):
        super().__init__(cell, home)
        self.sensors, self.length, self.radius = sensors, length, radius
        self.scale, self.decimals, self.compensated, self.datum = 25.4e-3, 4, False, ""
        self.known: dict[str, np.ndarray] = {}
        self.settings = {"APPRCH": 0.5, "SEARCH": 0.5, "RETRCT": 0.5, "CLRSRF": 2.0}
        self.feeds = {"MESVEL": 1.2, "POSVEL": 6.0}  # [m/min]
        self.features: dict[str, tuple[str, list[float]]] = {}
        self.touched: dict[str, list[np.ndarray]] = {}
        self.open: tuple[str, int] | None = None
        self.results: list[str] = []

    def execute(self, text):
        """Run a programme to its ENDFIL, or to a touch that finds nothing."""
        for statement in self.statements(text):
            self.statement(statement)
            if self.run.stopped or self.run.ended:
                break
        else:
            raise RefusedError("no ENDFIL")
        head = ["DMISMN/'results', 05.2", "UNITS/MM, ANGDEC", "D(MCS) = DATSET/MCS"]
        self.run.log = [*head, *self.results, "ENDFIL"]
        return self.run

    @staticmethod
    def statements(text):
        """Statements, continued lines joined, comments left out."""
        found, waiting = [], ""
        for line in text.split("\n"):
            if len(line) > 80:
                raise RefusedError(f"more than 80 characters: {line}")
            if line.startswith("$$"):
                continue
            waiting += line
            if waiting.endswith(" $"):
                waiting = waiting[:-1]
            else:
                found.append(waiting)
                waiting = ""
        if waiting or not found or found[-1] != "":
            raise RefusedError("the last statement has no end")
        return found[:-1]

    def statement(self, text):
        """One statement."""
        for pattern, action in self._ACTIONS:
            if match := re.fullmatch(pattern, text):
                action(self, *match.groups())
                return
        raise RefusedError(text)

    def units(self):
        self.scale = 1e-3

    def compensate(self):
        self.compensated = True

    def decimal_places(self, places):
        self.decimals = int(places)

    def machine_system(self, label):
        self.datum = label

    def sensor(self, label, numbers):
        _, _, *rest = self.numbers(numbers, 7)
        axis, (length, ball) = np.array(rest[:3]), rest[3:]
        if label not in self.sensors or np.abs(axis - self.sensors[label]).max() > 1e-6:
            raise RefusedError(f"sensor {label}")
        if abs(1e-3 * length - self.length) > 1e-7 or abs(1e-3 * ball - 2.0 * self.radius) > 1e-7:
            raise RefusedError(f"sensor {label}: length or ball")
        self.known[label] = self.sensors[label]

    def select(self, label):
        if label not in self.known:
            raise RefusedError(f"sensor {label}")
        self.axis = self.known[label]

    def set_sensor(self, which, value):
        self.settings[which] = float(value)

    def feed(self, which, value):
        if not 0.0 < float(value) <= 300.0:
            raise RefusedError(f"{which} {value}")
        self.feeds[which] = float(value)

    def feature(self, label, kind, side, numbers):
        count, sided = KINDS[kind]
        if label in self.features or bool(side) != bool(sided):
            raise RefusedError(f"F({label})")
        self.features[label] = (
            f"{kind}{', ' + side if side else ''}",
            self.numbers(numbers, count),
        )

    def measure(self, kind, label, count):
        if self.open or label not in self.features or label in self.touched:
            raise RefusedError(f"MEAS F({label})")
        if not self.features[label][0].startswith(kind):
            raise RefusedError(f"MEAS/{kind} of {self.features[label][0]}")
        self.open, self.touched[label] = (label, int(count)), []

    def end_measure(self):
        if self.open is None or len(self.touched[self.open[0]]) != self.open[1]:
            raise RefusedError("ENDMES")
        self.open = None

    def goto(self, numbers):
        self.move(self.metres(self.numbers(numbers, 3)), self.feeds["POSVEL"] / 60.0)

    def touch(self, numbers):
        values = self.numbers(numbers, 6)
        if self.open is None:
            raise RefusedError("PTMEAS outside MEAS")
        surface, normal = self.metres(values[:3]), np.array(values[3:])
        normal = normal / np.linalg.norm(normal)
        approach, search, retract = (
            self.scale * self.settings[name] for name in ("APPRCH", "SEARCH", "RETRCT")
        )
        centre = surface + self.radius * normal
        self.move(centre + approach * normal, self.feeds["POSVEL"] / 60.0)
        hit = self.search(centre - search * normal, self.feeds["MESVEL"] / 60.0)
        if hit is None:
            self.run.stopped = "surface not found"
            return
        self.move(hit + retract * normal, self.feeds["POSVEL"] / 60.0)
        there = hit - self.radius * normal if self.compensated else hit
        self.touched[self.open[0]].append(np.concatenate([1e3 * there, normal]))

    def output(self, label):
        if label not in self.touched or self.open:
            raise RefusedError(f"OUTPUT/FA({label})")
        kind, numbers = self.features[label]
        rows = self.touched[label]
        if kind == "POINT":
            numbers, rows = rows[0].tolist(), []
        told = ", ".join(f"{value:.{self.decimals}f}" for value in numbers)
        head, _, side = kind.partition(", ")
        self.results.append(f"FA({label}) = FEAT/{head}, {side + ', ' if side else ''}CART, {told}")
        for row in rows:
            told = ", ".join(f"{value:.{self.decimals}f}" for value in row)
            self.results.append(f"PTDATA/CART, {told}")

    def end(self):
        if self.open:
            raise RefusedError("ENDFIL in MEAS")
        self.run.ended = True

    def nothing(self, *_):
        """What says nothing about motion."""

    def metres(self, values):
        """A place in the machine's coordinates. [m]."""
        if np.isnan(self.axis).any():
            raise RefusedError("no sensor is selected")
        place = self.scale * np.array(values)
        return place if self.datum else place + BESIDE

    @staticmethod
    def numbers(text, count):
        words = text.split(", ")
        if len(words) != count or not all(re.fullmatch(NUMBER, word) for word in words):
            raise RefusedError(f"{count} numbers in {text!r}")
        return [float(word) for word in words]

    _ACTIONS = (
        (r"DMISMN/'[^']*', 05\.2", nothing),
        (r"UNITS/MM, ANGDEC", units),
        (r"DECPL/ALL, (\d+)", decimal_places),
        (r"PRCOMP/ON", compensate),
        (r"D\((\w+)\) = DATSET/MCS", machine_system),
        (r"S\(([\w-]+)\) = SNSDEF/PROBE, INDEX, POL, (.*)", sensor),
        (r"MODE/PROG, MAN", nothing),
        (r"F\(([\w-]+)\) = FEAT/(\w+)(?:, (INNER|OUTER))?, CART, (.*)", feature),
        (r"SNSLCT/S\(([\w-]+)\)", select),
        (rf"SNSET/(APPRCH|SEARCH|RETRCT|CLRSRF), ({NUMBER})", set_sensor),
        (rf"FEDRAT/(MESVEL|POSVEL), MPM, ({NUMBER})", feed),
        (r"MEAS/(\w+), F\(([\w-]+)\), (\d+)", measure),
        (r"ENDMES", end_measure),
        (r"GOTO/CART, (.*)", goto),
        (r"PTMEAS/CART, (.*)", touch),
        (r"OUTPUT/FA\(([\w-]+)\)", output),
        (r"ENDFIL", end),
    )
