"""Whether programmes for measuring machines do what the plan says; and mutants of their texts."""

from __future__ import annotations

import re

import numpy as np

from planner.evaluation.reading import read_measured
from reports.programmes.probing import styli, tool_names
from reports.programmes.source import Move
from tests.reports.programmes.dmis_interpreter import KINDS, DmisMachine
from tests.reports.programmes.gcode_judge import SHIFT, TURN, doubled, dropped, replaced
from tests.reports.programmes.ipp_interpreter import IppServer, RefusedError
from tests.reports.programmes.virtual_cell import VirtualCell

NEAR = 1.1e-9  # [m]
SPEED = 1e-9  # relative, above
SLOW = 1e-6  # relative, below


class Bench:
    """A plan, its cell, and the runs of programmes.

    Args:
        plan: of any robot.
        source: of the plan.
        dialect: "ipp" or "dmis".
        folder: where logs are written.
    """

    def __init__(self, plan, source, dialect, folder):
        self.plan, self.source, self.dialect, self.folder = plan, source, dialect, folder
        self.job = plan.job
        self.steps, self.touches = source.steps.steps, source.steps.touches
        self.cell = VirtualCell(plan, shift=SHIFT, turn=TURN)
        self.expected = self.cell.expected()
        self.away = {
            name: VirtualCell(plan, shift=SHIFT, turn=TURN, away=names)
            for name, names in self._missing()
        }
        directions = styli(self.touches)
        self.axes = [directions.axes[k] for k in directions.of_touch]
        names = tool_names(plan.job, directions)
        self.tools = dict(zip(names, directions.axes, strict=True))
        self.home = self.touches[0].clearance + 0.05 * self.touches[0].normal

    def _missing(self):
        """Points to take away: each of a plane, a round feature as a whole."""
        begun = set()
        for touch in self.touches:
            own = [t for t in self.touches if t.feature == touch.feature and touch.feature]
            if all(abs(t.normal @ touch.normal) > 1.0 - 1e-9 for t in own):
                yield touch.name, [touch.name]
            elif touch.feature not in begun:
                begun.add(touch.feature)
                yield touch.name, [t.name for t in own]

    def execute(self, text, cell=None):
        """Run a programme."""
        radius, cell = self.job.probe.ball_radius, cell or self.cell
        tools = {**self.tools, "OTHER": np.array([0.0, 1.0, 0.0])}
        if self.dialect == "ipp":
            machine = IppServer(cell, tools, self.home, radius)
        else:
            machine = DmisMachine(cell, tools, self.home, self.job.probe.stylus_length, radius)
        run = machine.execute(text)
        if self.dialect == "dmis":
            self._features(machine)
        return run

    def judge(self, text):
        """Hold everything; raises where something is wrong."""
        run = self.execute(text)
        assert not run.stopped
        assert run.ended
        self._motions(run.motions, self.wanted())
        self._hits(run)
        for name, cell in self.away.items():
            run = self.execute(text, cell)
            assert run.stopped, name
            self._motions(run.motions, self.wanted(missed=name))

    def _hits(self, run):
        path = self.folder / ("log.ipp" if self.dialect == "ipp" else "log.dmi")
        path.write_text("\n".join(run.log) + "\n")
        # DMIS results are in the machine's coordinates, and say no frame; I++ logs are known.
        frame = "base" if self.dialect == "dmis" else None
        self.found = found = read_measured(path, self.job, frame=frame)
        assert len(found.names) == len(self.touches)
        radius = self.job.probe.ball_radius if found.compensated else 0.0
        assert found.frame == "base"
        # Results name touches by feature and place, or as the job does; they come in their order.
        for touch, name, place in zip(self.touches, found.names, found.xyz, strict=True):
            if touch.name != name:
                assert name.rpartition("-")[0] in (touch.feature, touch.name)
            there = self.expected[touch.name].centre - radius * touch.normal
            assert np.abs(place - there).max() <= NEAR

    def _features(self, machine):
        """Nominals of the features are those of the plan."""
        named = {feature.label: feature for feature in self.source.features}
        assert set(machine.features) == set(named)
        for label, (kind, numbers) in machine.features.items():
            nominal = named[label].nominal
            assert KINDS[kind.partition(", ")[0]]
            words = [*(1e3 * nominal.location), *nominal.axis]
            words = words[:3] if kind.startswith("SPHERE") else words
            if ", " in kind:
                words = [*words, 1e3 * nominal.diameter]
                assert kind.endswith("INNER" if nominal.inner else "OUTER")
            assert np.abs(np.array(numbers) - words).max() <= 1e-6

    def wanted(self, missed=""):
        """Kind, end, stylus, least and greatest speed of every motion."""
        place = 0
        for step in self.steps:
            if isinstance(step, Move):
                speed = step.speed if step.speed > 0.0 else 0.05
                yield from (
                    ("move", c, self.axes[place], 0.99 * speed, speed) for c in step.centres
                )
                continue
            axis = self.axes[place]
            mean = (step.approach - step.search_before) / step.approach_time
            yield "move", step.search_start, axis, 0.99 * mean, mean
            yield "search", step.search_end, axis, step.speed, step.speed
            if step.name == missed:
                return
            back = float((step.back_off - step.contact) @ step.direction)
            mean_back = float(np.linalg.norm(step.clearance - step.back_off)) / step.retract_time
            rest = self.expected[step.name].centre + back * step.direction
            # I++ says with which speed a machine retracts; in DMIS it is that of positioning.
            slow = step.speed if self.dialect == "ipp" else mean
            yield "move", rest, axis, 0.99 * slow, slow
            yield "move", step.clearance, axis, 0.99 * mean_back, mean_back
            place += 1

    def _moving(self, wanted):
        """Without motions of no length: a stylus turns about its ball, or back and forth meet."""
        at = self.home
        for motion in wanted:
            kind, end, *_ = motion
            if kind == "search" or np.linalg.norm(end - at) > 2.0 * NEAR:
                yield motion
            at = end

    def _motions(self, found, wanted):
        wanted = list(self._moving(wanted))
        assert len(found) == len(wanted)
        for motion, (kind, end, axis, least, most) in zip(found, wanted, strict=True):
            assert motion.kind == kind
            assert np.abs(motion.end - end).max() <= NEAR
            assert np.abs(motion.axis - axis).max() <= 1e-6
            assert least * (1.0 - SLOW) <= motion.speed <= most * (1.0 + SPEED)
            if kind == "search" and motion.hit is not None:
                assert motion.overrun <= max(t.overrun for t in self.touches) * (1.0 + SPEED)


# ---------------------------------------------------------------------------------------- Mutants

_NUMBER = r"-?\d+\.\d+"


def mutants(text, dialect, count, seed=18):
    """So many different wrong programmes. # (name, text)."""
    rng = np.random.default_rng(seed)
    end = "\r\n" if dialect == "ipp" else "\n"
    kinds, found, tries = list(_KINDS[dialect]), {}, 0
    # A statement of DMIS on one line; runs are of what a machine reads.
    while len(found) < count:
        name = kinds[tries % len(kinds)]
        tries += 1
        assert tries < 50 * count
        lines = text.split(end)
        if dialect == "dmis":
            lines = re.sub(r" \$\n", " ", text).split(end)
        lines = _KINDS[dialect][name](lines, rng)
        if lines is None:
            continue
        mutant = end.join(lines if dialect == "ipp" else _folded(lines))
        if mutant != text and mutant not in found.values():
            found[f"{name} {len(found)}"] = mutant
    return found


def _folded(lines):
    for whole in lines:
        line = whole
        while len(line) > 80:
            cut = line.rfind(", ", 0, 78) + 1
            yield line[:cut] + " $"
            line = line[cut:].lstrip()
        yield line


def number_changed(pattern, which=None):
    """A number that is something else: shifted by 2 µm to 5 mm, or of the other sign."""

    def change(lines, rng):
        rows = [k for k, line in enumerate(lines) if re.search(pattern, line)]
        if not rows:
            return None
        k = int(rng.choice(rows))
        places = list(re.finditer(_NUMBER, lines[k]))[which or slice(None)]
        match = places[int(rng.integers(len(places)))]
        value = float(match[0])
        by = float(rng.choice([-1, 1]) * 10.0 ** rng.uniform(-2.7, 0.7))
        value = -value if rng.integers(3) == 0 and abs(value) > 1e-6 else value + by
        wrong = f"{value:.9f}"
        return [
            *lines[:k],
            lines[k][: match.start()] + wrong + lines[k][match.end() :],
            *lines[k + 1 :],
        ]

    return change


def number_scaled(pattern, factors=(1 / 25.4, 1e-3, 0.5, 1.02, 2.0, 10.0, 25.4, 60.0)):
    """A number in another unit, or too much."""

    def change(lines, rng):
        rows = [k for k, line in enumerate(lines) if re.search(pattern, line)]
        if not rows:
            return None
        k, factor = int(rng.choice(rows)), float(rng.choice(factors))
        match = list(re.finditer(_NUMBER, lines[k]))[-1]
        wrong = f"{factor * float(match[0]):.9f}"
        return [
            *lines[:k],
            lines[k][: match.start()] + wrong + lines[k][match.end() :],
            *lines[k + 1 :],
        ]

    return change


def swapped(pattern):
    """Two lines one for the other; I++ keeps its tags ascending."""

    def change(lines, rng):
        rows = [k for k, line in enumerate(lines) if re.search(pattern, line)]
        if len(rows) < 2:
            return None
        a, b = sorted(rng.choice(rows, 2, replace=False).tolist())
        lines = list(lines)
        tagged = re.match(r"\d{5} ", lines[a])
        cut = 6 if tagged else 0
        lines[a], lines[b] = lines[a][:cut] + lines[b][cut:], lines[b][:cut] + lines[a][cut:]
        return lines

    return change


_KINDS = {
    "ipp": {
        "touch dropped": dropped("PtMeas\\("),
        "touch twice": doubled("PtMeas\\("),
        "touch is a move": replaced("PtMeas\\(", r"PtMeas(.*),IJK\(.*\)\)", r"GoTo\1)"),
        "touch elsewhere": number_changed("PtMeas\\(", slice(0, 3)),
        "direction": number_changed("PtMeas\\(", slice(3, 6)),
        "no direction": replaced("PtMeas\\(", r",IJK\(.*\)\)", ")"),
        "direction turned round": replaced(
            "PtMeas\\(",
            r"IJK\((-?)([\d.]+),(-?)([\d.]+),(-?)([\d.]+)\)",
            lambda m: "IJK(" + ",".join(("" if m[k] else "-") + m[k + 1] for k in (1, 3, 5)) + ")",
        ),
        "points swapped": swapped("PtMeas\\("),
        "move elsewhere": number_changed("GoTo\\("),
        "move dropped": dropped("GoTo\\("),
        "moves swapped": swapped("GoTo\\("),
        "touch speed": number_scaled(r"PtMeasPar\.Speed"),
        "approach": number_scaled(r"PtMeasPar\.Approach"),
        "search": number_scaled(r"PtMeasPar\.Search"),
        "retract": number_scaled(r"PtMeasPar\.Retract"),
        "positioning speed": number_scaled(r"GoToPar\.Speed"),
        "property dropped": dropped("SetProp"),
        "property of another": replaced(
            "SetProp",
            "PtMeasPar|GoToPar",
            lambda m: {"PtMeasPar": "GoToPar", "GoToPar": "PtMeasPar"}[m[0]],
        ),
        "not homed": dropped("Home\\("),
        "homed again": lambda lines, _: [*lines[:-3], "99997 Home()", "99998 EndSession()", ""],
        "no tool": dropped("ChangeTool"),
        "other tool": replaced("ChangeTool", r'"\w+"', '"OTHER"'),
        "unknown tool": replaced("ChangeTool", r'"\w+"', '"T"'),
        "other frame": replaced("SetCoordSystem", "MachineCsy", "PartCsy"),
        "no frame": dropped("SetCoordSystem"),
        "nothing reported": dropped("OnPtMeasReport"),
        "too little reported": replaced("OnPtMeasReport", r",Z\(\)", ""),
        "no session": dropped("StartSession"),
        "no end": dropped("EndSession"),
        "tag twice": replaced("GoTo", r"^\d{5}", "00003"),
        "line end": lambda lines, _: ["\n".join(lines[:9]), *lines[9:]],
    },
    "dmis": {
        "touch dropped": dropped("^PTMEAS"),
        "touch twice": doubled("^PTMEAS"),
        "touch is a move": replaced("^PTMEAS", r"PTMEAS/CART((?:, [\d.-]+){3}).*", r"GOTO/CART\1"),
        "touch elsewhere": number_changed("^PTMEAS", slice(0, 3)),
        "direction": number_changed("^PTMEAS", slice(3, 6)),
        "direction turned round": replaced(
            "^PTMEAS",
            r"(-?)(\d\.\d+), (-?)(\d\.\d+), (-?)(\d\.\d+)$",
            lambda m: ", ".join(("" if m[k] else "-") + m[k + 1] for k in (1, 3, 5)),
        ),
        "points swapped": swapped("^PTMEAS"),
        "move elsewhere": number_changed("^GOTO"),
        "move dropped": dropped("^GOTO"),
        "moves swapped": swapped("^GOTO"),
        "touch speed": number_scaled("MESVEL"),
        "touch speed dropped": dropped("MESVEL"),
        "approach": number_scaled("APPRCH"),
        "search": number_scaled("SEARCH"),
        "retract": number_scaled("RETRCT"),
        "distance dropped": dropped("APPRCH|SEARCH|RETRCT"),
        "positioning speed": number_scaled("POSVEL"),
        "positioning speed dropped": dropped("POSVEL"),
        "speeds mixed": replaced(
            "FEDRAT", "MESVEL|POSVEL", lambda m: {"MESVEL": "POSVEL", "POSVEL": "MESVEL"}[m[0]]
        ),
        "no sensor": dropped("^SNSLCT"),
        "unknown sensor": dropped("SNSDEF"),
        "other stylus": number_changed("SNSDEF", slice(2, 7)),
        "inch": replaced("^UNITS", "MM", "INCH"),
        "no unit": dropped("^UNITS"),
        "not compensated": dropped("^PRCOMP"),
        "other frame": dropped("DATSET"),
        "few decimals": replaced("^DECPL", "9", "3"),
        "no decimals": dropped("^DECPL"),
        "nominal": number_changed(r"^F\(.*FEAT"),
        "kind": replaced(r"^F\(.*FEAT/PLANE", "PLANE", "CIRCLE"),
        "count": replaced("^MEAS/", r"\d+$", "7"),
        "not opened": dropped("^MEAS/"),
        "not closed": dropped("^ENDMES"),
        "no result": dropped("^OUTPUT"),
        "results swapped": swapped("^OUTPUT"),
        "no end": dropped("^ENDFIL"),
    },
}


def noticed(bench, mutant):
    """Why a mutant is found out; empty where it is not."""
    try:
        bench.judge(mutant)
    except (RefusedError, AssertionError, ValueError, KeyError) as why:
        return type(why).__name__ + ": " + (str(why).splitlines() or [""])[0]
    except Exception as why:  # noqa: BLE001 (an error of ours that refuses the log counts, too)
        return type(why).__name__
    return ""
