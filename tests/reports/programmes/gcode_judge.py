"""Whether a G-code programme does what the plan says, and nothing else; and mutants of its text.

The judge runs the text from several states of machine and part, and compares every motion, every
line of the log and every stop with the plan and with ``palpeur measure``.
"""

from __future__ import annotations

import re

import numpy as np

from planner.evaluation.reading import joint_points
from reports.programmes.source import Move
from tests.cases import some
from tests.reports.programmes.gcode_interpreter import DIALECTS, RefusedError
from tests.reports.programmes.virtual_cell import VirtualCell

NEAR = 1e-9  # [m]
SPEED = 1e-9  # relative, above a speed that is asked for
SLOW = 5e-9  # relative, below it: a feed is cut off at the nanometre per minute
SHIFT = (0.3e-3, -0.2e-3, 0.15e-3)  # [m]: 0.4 mm
TURN = np.radians(0.2) * np.array([0.6, 0.0, 0.8])


class Bench:
    """A plan, its cell, and the runs of programmes.

    Args:
        plan: of a gantry.
        source: of the plan.
        dialect: "linuxcnc" or "fanuc".
    """

    def __init__(self, plan, source, dialect):
        self.plan, self.touches = plan, source.steps.touches
        self.steps, self.dialect = source.steps.steps, dialect
        self.cell = VirtualCell(plan, shift=SHIFT, turn=TURN)
        self.expected = self.cell.expected()
        self.away = {
            touch.name: VirtualCell(plan, shift=SHIFT, turn=TURN, away=[touch.name])
            for touch in self.touches
        }
        q = self.touches[0].q_clearance
        joints = plan.job.mechanism.movable
        self.head = np.array([q[k] if j.kind.angular else np.nan for k, j in enumerate(joints)])
        self.controller = plan.job.controller
        slides = [k for k, joint in enumerate(self.controller.order) if np.isnan(self.head[joint])]
        self.home = q if self.controller.home is None else self.controller.home
        self.start = 1e3 * self.controller.to_controller(self.home)[slides]

    def execute(self, text, *, cell=None, at=None, **machine):
        """Run a programme."""
        control = DIALECTS[self.dialect](
            cell or self.cell,
            self.controller,
            self.head,
            self.start if at is None else at,
            **machine,
        )
        return control.execute(text)

    def judge(self, text):
        """Hold everything; raises where something is wrong.

        In the gate two touches are missed and two find the probe triggered, in the soak all.
        """
        self._whole(self.execute(text))
        for name, cell in some(self.away.items(), gate=2):
            self._missed(name, self.execute(text, cell=cell))
        for place, touch in some(list(enumerate(self.touches, start=1)), gate=2):
            self._stuck(touch.name, place, self.execute(text, stuck=place))
        for axis in range(3):
            self._refused(self.execute(text, at=self.start + 2.0 * np.eye(3)[axis]))
            self._whole(self.execute(text, at=self.start - 0.3 * np.eye(3)[axis]), first=1e-3)
        self._refused(self.execute(text, tool=1))
        # Set where a programme could not see it by its start: the machine stands as far beside.
        offset = np.array([0.0, 4.0, 0.0])
        self._refused(self.execute(text, offset=offset, at=self.start + offset))

    def _refused(self, run):
        assert run.stopped
        assert not run.motions
        assert not run.log

    def _whole(self, run, first=NEAR):
        assert not run.stopped
        assert run.closed
        self._motions(run.motions, self.wanted(), first)
        rests = [touch.settle for touch in self.touches if touch.settle > 0.0]
        assert len(run.dwells) == len(rests)
        assert all(0.0 <= a - b < 1e-3 for a, b in zip(run.dwells, rests, strict=True))
        found = joint_points(
            "\n".join(run.log).encode(),
            origin="log",
            mechanism=self.plan.job.mechanism,
            probe_radius=self.plan.job.probe.ball_radius,
        )
        assert found.names == tuple(touch.name for touch in self.touches)
        for name, xyz in zip(found.names, found.xyz, strict=True):
            assert np.abs(xyz - self.expected[name].centre).max() <= NEAR
        self.found = found

    def _missed(self, name, run):
        assert run.stopped
        assert name in run.stopped
        assert run.closed
        assert run.log[-1].startswith("//")
        assert name in run.log[-1]
        self._motions(run.motions, self.wanted(missed=name), NEAR)

    def _stuck(self, name, place, run):
        assert run.stopped
        assert sum(motion.kind == "search" for motion in run.motions) in (place - 1, place)
        assert run.motions[-1].kind == ("search" if self.dialect == "fanuc" else "move")
        assert not any(line.startswith(f"{name},") for line in run.log)

    def wanted(self, missed=""):
        """Kind, end, speed and greatest speed of every motion, up to a point that is missed."""
        yield from self._cycle(missed)
        if not missed and self.controller.home is not None:
            yield "move", self.home, None, 0.05

    def _cycle(self, missed):
        for step in self.steps:
            if isinstance(step, Move):
                speed = step.speed if step.speed > 0.0 else 0.05
                yield from (("move", q, None, speed) for q in step.path)
                continue
            length = step.approach - step.search_before
            yield "move", step.q_search_start, None, length / step.approach_time
            yield "search", step.q_search_end, step.speed, step.overrun
            if step.name == missed:
                yield "move", step.q_clearance, step.speed, None
                return
            yield "move", step.q_back_off, step.speed, None
            length = float(np.linalg.norm(step.clearance - step.back_off))
            yield "move", step.q_clearance, None, length / step.retract_time

    def _motions(self, found, wanted, first):
        wanted = list(wanted)
        assert len(found) == len(wanted)
        for place, (motion, (kind, end, speed, most)) in enumerate(zip(found, wanted, strict=True)):
            assert motion.kind == kind
            assert motion.exact
            assert np.abs(motion.end - end).max() <= (first if place == 0 else NEAR)
            if speed is not None:
                # Feeds of moves may be turned up at the machine by their override.
                scale = 1.0 if kind == "search" else 1.2
                assert motion.speed <= scale * speed * (1.0 + SPEED)
                assert motion.speed >= scale * speed * (1.0 - SLOW)
            if kind == "search":
                assert motion.overrun <= most * (1.0 + SPEED)
            elif most is not None:
                assert 1.19 * most <= motion.speed <= 1.2 * most * (1.0 + SPEED)


# ---------------------------------------------------------------------------------------- Mutants

_NUMBER = r"-?\d+\.\d+"
_MODAL = {
    "G21": "G20",
    "G90": "G91",
    "G94": "G93",
    "G61": "G64",
    "G54": "G55",
    "G40": "",
    "G49": "",
}


def mutants(text, dialect, count, seed=18):
    """So many different wrong programmes. # (name, text)."""
    rng = np.random.default_rng(seed)
    end = "\r\n" if dialect == "fanuc" else "\n"
    kinds = list(_KINDS[dialect])
    found: dict[str, str] = {}
    tries = 0
    while len(found) < count:
        name = kinds[tries % len(kinds)]
        tries += 1
        assert tries < 50 * count
        lines = _KINDS[dialect][name](text.split(end), rng)
        mutant = None if lines is None else end.join(lines)
        if mutant is not None and mutant != text and mutant not in found.values():
            found[f"{name} {len(found)}"] = mutant
    return found


def _rows(lines, pattern):
    return [k for k, line in enumerate(lines) if re.search(pattern, line.strip())]


def _pick(lines, rng, pattern):
    rows = _rows(lines, pattern)
    return int(rng.choice(rows)) if rows else None


def dropped(pattern):
    """A line that is left out."""

    def change(lines, rng):
        k = _pick(lines, rng, pattern)
        return None if k is None else [*lines[:k], *lines[k + 1 :]]

    return change


def doubled(pattern):
    """A line that stands there twice."""

    def change(lines, rng):
        k = _pick(lines, rng, pattern)
        return None if k is None else [*lines[: k + 1], *lines[k:]]

    return change


def replaced(pattern, old, new, some=1):
    """A line in which something else stands."""

    def change(lines, rng):
        k = _pick(lines, rng, pattern)
        if k is None:
            return None
        return [*lines[:k], re.sub(old, new, lines[k], count=some), *lines[k + 1 :]]

    return change


def shifted(pattern):
    """A coordinate that is something else by 2 µm to 5 mm, or has the other sign."""

    def change(lines, rng):
        k = _pick(lines, rng, pattern)
        if k is None:
            return None
        places = list(re.finditer(r"([XYZ])(" + _NUMBER + ")", lines[k]))
        match = places[int(rng.integers(len(places)))]
        value = float(match[2])
        how = rng.integers(3)
        by = float(rng.choice([-1, 1]) * 10.0 ** rng.uniform(-2.7, 0.7))
        value = -value if how == 0 else value + by
        wrong = f"{match[1]}{value:.6f}"
        return [
            *lines[:k],
            lines[k][: match.start()] + wrong + lines[k][match.end() :],
            *lines[k + 1 :],
        ]

    return change


def feed(pattern):
    """A feed in another unit, or too much."""

    def change(lines, rng):
        k = _pick(lines, rng, pattern)
        if k is None:
            return None
        factor = float(rng.choice([1 / 60.0, 1.05, 2.0, 10.0, 60.0]))
        wrong = re.sub(r"F(" + _NUMBER + ")", lambda m: f"F{float(m[1]) * factor:.6f}", lines[k])
        return [*lines[:k], wrong, *lines[k + 1 :]]

    return change


def modal(lines, rng):
    """The block of modal codes with one of them wrong or missing."""
    k = _pick(lines, rng, r"^G21 ")
    code = str(rng.choice(list(_MODAL)))
    new = _MODAL[code] if rng.integers(2) else ""
    return [
        *lines[:k],
        re.sub(rf"{code}\b ?", f"{new} " if new else "", lines[k]).strip(),
        *lines[k + 1 :],
    ]


def swapped(head):
    """Two points one for the other."""

    def change(lines, rng):
        rows = [*_rows(lines, head)]
        stops = [*rows[1:], _rows(lines, r"^(\(LOGCLOSE\)|PCLOS)$")[-1]]
        a, b = sorted(rng.choice(len(rows), 2, replace=False).tolist())
        parts = [lines[i:j] for i, j in zip(rows, stops, strict=True)]
        parts[a], parts[b] = parts[b], parts[a]
        return [*lines[: rows[0]], *(line for part in parts for line in part), *lines[stops[-1] :]]

    return change


def without_branch(begin, end):
    """A branch that is not there."""

    def change(lines, rng):
        k = _pick(lines, rng, begin)
        if k is None:
            return None
        stop = next(j for j in range(k, len(lines)) if re.search(end, lines[j].strip()))
        return [*lines[:k], *lines[stop + 1 :]]

    return change


def renamed(lines, rng):
    """The hit of one point logged as another's."""
    rows = _rows(lines, r"^(\(LOG,[TRB]\d,|DPRNT\[[TRB]\d,)")
    k, other = rng.choice(rows, 2, replace=False).tolist()
    name = re.search(r"[,\[]([TRB]\d),", lines[other])[1]
    return [*lines[:k], re.sub(r"([,\[])[TRB]\d,", rf"\g<1>{name},", lines[k]), *lines[k + 1 :]]


_COMMON = {
    "search dropped": dropped(r"^G(38\.3|31)"),
    "search is a move": replaced(r"^G(38\.3|31)", r"^G(38\.3|31)", "G1"),
    "search elsewhere": shifted(r"^G(38\.3|31)"),
    "search too fast": feed(r"^G(38\.3|31)"),
    "search without feed": replaced(r"^G(38\.3|31)", r" F.*", ""),
    "move elsewhere": shifted(r"^G1 "),
    "move at another feed": feed(r"^G1 .*F\d"),
    "move dropped": dropped(r"^G1 "),
    "move twice": doubled(r"^G1 "),
    "modal code": modal,
    "points swapped": swapped(r"^(; point|\(POINT)"),
    "name of another": renamed,
    "hit not logged": dropped(r"^(\(LOG,[TRB]|DPRNT\[[TRB])"),
    "hit logged twice": doubled(r"^(\(LOG,[TRB]|DPRNT\[[TRB])"),
    "unit of the log": replaced(r"^(\(LOG,name|DPRNT\[NAME)", r"(_mm|_MM)\b", "_m"),
    "columns swapped": replaced(
        r"^(\(LOG,name|DPRNT\[NAME)", "([qQ])1(.*)[qQ]2", r"\g<1>2\2\g<1>1"
    ),
    "log has no header": dropped(r"^(\(LOG,name|DPRNT\[NAME)"),
    "miss is not logged": dropped(r"not found\)$|NOT\*FOUND\]$"),
    "other axis latched": replaced(r"#506[123]", r"#506[12]", "#5063"),
    "log never opened": dropped(r"^(\(LOGOPEN|POPEN)"),
}
_KINDS = {
    "linuxcnc": {
        **_COMMON,
        "override stays on": dropped("^M50 P0"),
        "override stays off": replaced("^M50 P1", "P1", "P0"),
        "no miss branch": without_branch(r"^o\d+ if \[#5070", r"^o\d+ endif"),
        "miss branch turned round": replaced(r"#5070", "EQ 0", "EQ 1"),
        "input ignored": replaced(r"#5070", "EQ 0", "EQ 2"),
        "goes on after a miss": dropped(r"^\(ABORT,\w+ is not"),
        "no retract after a miss": without_branch(r"^o\d+ if \[#5070", r"^$(?!)|G1 "),
        "no start check": without_branch("^o4 if", "^o4 endif"),
        "no tool check": without_branch("^o3 if", "^o3 endif"),
        "no offset check": without_branch("^o2 if", "^o2 endif"),
        "wide start check": replaced("^o4 if", r"GT 0\.5", "GT 9.5", some=0),
        "position instead of hit": replaced(
            r"^#<q\d> =", "#506([123])", lambda m: f"#542{int(m[1]) - 1}"
        ),
        "sign of the hit": replaced(
            r"^#<q\d> =", r"\[(-?)1 \*", lambda m: "[1 *" if m[1] else "[-1 *"
        ),
        "offset of the hit": replaced(r"^#<q\d> =", r"- \[", "- [1"),
        "hit not taken": dropped(r"^#<q\d> ="),
        "digits": replaced(r"^\(LOG,[TRB]", r"%\.9f", "%.3f"),
        "no end": dropped("^M2$"),
        "log not closed": lambda lines, _: dropped(r"^\(LOGCLOSE\)$")(lines[::-1], _Last())[::-1],
    },
    "fanuc": {
        **_COMMON,
        "override stays on": dropped(r"^#3004=2"),
        "override stays off": dropped(r"^#3004=0"),
        "no miss branch": without_branch(r"^IF\[ABS\[#5061.*GOTO\d+0$", r"^N\d+0$"),
        "miss branch turned round": replaced(r"^IF\[ABS\[#5061.*GOTO\d+0$", "GT", "LT"),
        "input ignored": replaced(r"^IF\[ABS\[#5061.*GOTO\d+0$", r"0\.001", "-1"),
        "goes on after a miss": dropped("^#3000.*NOT FOUND"),
        "never found": replaced(r"^IF\[ABS\[#5061.*GOTO\d+0$", r"0\.001", "9.0"),
        "no start check": without_branch(r"^IF\[ABS\[#504", "^#3000"),
        "no tool check": without_branch(r"^IF\[ABS\[#4120", "^#3000"),
        "no offset check": without_branch(r"^IF\[ABS\[#5201", "^#3000"),
        "wide start check": replaced(r"^IF\[ABS\[#504", r"LE0\.5", "LE9.5"),
        "position instead of hit": replaced(r"^#120=", "#506([123])", lambda m: f"#504{m[1]}"),
        "sign of the hit": replaced(
            "^#120=", r"\*\[(-?)1\]", lambda m: "*[1]" if m[1] else "*[-1]"
        ),
        "offset of the hit": replaced("^#120=", r"-\[", "-[1"),
        "hit not taken": dropped("^M98"),
        "digits": replaced(r"^DPRNT\[[TRB]", r"(#1\d\d)\[44\]", r"\1[43]"),
        "no end": dropped("^M30$"),
        "label of another": replaced(r"^N\d+0$", "^N", "N9"),
        "digit shifted": replaced(r"^#122=", "1000", "100"),
    },
}


class _Last:
    """Chooses the first that is offered."""

    @staticmethod
    def choice(rows):
        return rows[0]


def noticed(bench, mutant):
    """Why a mutant is found out; empty where it is not."""
    try:
        bench.judge(mutant)
    except (RefusedError, AssertionError, ValueError) as why:
        return type(why).__name__ + ": " + (str(why).splitlines() or [""])[0]
    except Exception as why:  # noqa: BLE001 (an error of ours that refuses the log counts, too)
        return type(why).__name__
    return ""
