"""G-code of machine tools and gantries that touch: LinuxCNC (G38.3) and FANUC custom macro (G31).

Three sliding axes at right angles carry the ball; a head behind them is set by hand and stands
still for a whole programme. A straight move of the axes is then a straight line of the ball, and
the path of the plan is written without approximation: a search is one block, at touch speed, that
the control's own probe input ends.

Sources: LinuxCNC, G-code reference (G38.n, G61, M50), G-code overview (parameters 5061-5070,
5211-5240, 5400, 5420-5422; comments LOG, LOGOPEN, ABORT), O-codes. FANUC 30i, User's manual
B-63944EN: skip function G31; custom macro, system variables #5041, #5061, #5201, #5221, #4120,
#3000, #3004; external output commands POPEN, DPRNT, PCLOS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

import numpy as np

from planner.errors import OutputError
from planner.plan import Plan
from reports.programmes.axes import to_degrees
from reports.programmes.probing import approach_speed, positioning_speed, retract_speed
from reports.programmes.robot_programme import Home, home_of
from reports.programmes.source import Move, ProgrammeSource, Touch
from reports.programmes.text import MM, ascii_text, number, numbers
from robots.core.arrays import Array
from robots.core.controller import Controller
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model

LINUXCNC_PATH = "robot/palpeur.ngc"
FANUC_PATH = "robot/palpeur.nc"
LOG = "palpeur_hits.csv"
LETTERS = "XYZ"
_SQUARE = 1e-6  # cosine between two axes that count as at right angles
_STILL = 1e-9  # [rad] that the head may differ from point to point
_ANGLE = 9  # decimals of degrees
_PER_MINUTE = 60.0 * MM  # mm/min per m/s

# LinuxCNC
_LENGTH = 9  # decimals of mm
_SYSTEMS = ("G54", "G55", "G56", "G57", "G58", "G59", "G59.1", "G59.2", "G59.3")
_HIDDEN = '()#%;,"'  # mean something in a comment that is logged

# FANUC
_NANO = 6  # decimals of mm
_PROGRAMME, _DIGITS_OF_HIT = 7100, 7101
_FANUC_SYSTEMS = 6
_MOST_POINTS = 9_999
_NEAR = 0.001  # [mm] from an end of the search: no contact, or one that was there before
_LARGEST = 9_999.0  # [mm] DPRNT prints four digits before the point
_UPPER = re.compile(r"[^A-Z0-9 .,+*/=-]")
_NOT_PRINTED = re.compile(r"[^A-Z0-9_/+,-]")
_PRINTED = re.compile(r"[A-Z0-9_/+-]+")


def linuxcnc_fault(mechanism: Mechanism, controller: Controller) -> str:
    """Say why LinuxCNC cannot move a robot; empty where it can."""
    return gantry_fault(mechanism) or _system_fault(controller, "LinuxCNC", len(_SYSTEMS))


def fanuc_fault(mechanism: Mechanism, controller: Controller) -> str:
    """Say why a FANUC control of machine tools cannot move a robot; empty where it can."""
    return gantry_fault(mechanism) or _system_fault(controller, "FANUC", _FANUC_SYSTEMS)


def _system_fault(controller: Controller, name: str, most: int) -> str:
    if controller.base_number <= most:
        return ""
    return (
        f"controller.base_number is {controller.base_number}; {name} has the work coordinate "
        f"systems 1 (G54) to {most}, and 0 stands for the machine's own coordinates"
    )


def gantry_fault(mechanism: Mechanism) -> str:
    """Say why a robot is no gantry of three sliding axes at right angles; empty where it is."""
    kinds = [joint.kind for joint in mechanism.movable]
    sliding = kinds.count(JointKind.PRISMATIC)
    if not mechanism.is_chain or kinds[:3] != [JointKind.PRISMATIC] * 3 or sliding != 3:
        return (
            "G-code moves three sliding axes at right angles, with a head that stands still behind "
            f"them; the joints of this robot are {', '.join(kind.value for kind in kinds)}"
        )
    J = Model(mechanism, "single-use").jacobian(np.zeros((1, len(kinds))))[0, :3, :3]
    cosines = np.abs(J.T @ J - np.eye(3))
    if cosines.max() > _SQUARE:
        return f"its sliding axes are not at right angles (cosine {cosines.max():.3g})"
    return ""


def head_fault(source: ProgrammeSource) -> str:
    """Say why a head would have to turn in the programme; empty where it stands still."""
    touches = source.steps.touches
    joints = source.plan.job.mechanism.movable
    turning = [k for k, joint in enumerate(joints) if joint.kind.angular]
    if not turning:
        return ""
    q = np.array([[touch.q_clearance, touch.q_contact] for touch in touches])[..., turning]
    away = np.abs(q - q[0, 0]).max(axis=1)
    row, place = np.unravel_index(int(np.argmax(away)), away.shape)
    if away[row, place] <= _STILL:
        return ""
    return (
        f"the head is set by hand for a whole programme, but {joints[turning[int(place)]].name} "
        f"turns by {np.degrees(away[row, place]):.4g} deg between {touches[0].name} and "
        f"{touches[int(row)].name}; fix the stylus with approach.axis, or split the job"
    )


def fanuc_plan_fault(source: ProgrammeSource) -> str:
    """Say why a plan does not fit into a FANUC programme; empty where it does."""
    touches, controller = source.steps.touches, source.plan.job.controller
    if len(touches) > _MOST_POINTS:
        return f"{len(touches)} points are more than its {_MOST_POINTS} labels; split the job"
    if controller is not None:
        values = controller.to_controller(
            np.array([q for touch in touches for q in (touch.q_clearance, touch.q_search_end)])
        )
        far = MM * float(
            np.abs(values[:, [j.kind is JointKind.PRISMATIC for j in _axes(source)]]).max()
        )
        if far > _LARGEST:
            return f"an axis goes to {far:.0f} mm, but DPRNT prints {_LARGEST:.0f} mm at most"
    return head_fault(source)


def linuxcnc(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.ngc``."""
    return {LINUXCNC_PATH: ("\n".join(_LinuxCnc(source).lines()) + "\n").encode("ascii")}


def fanuc(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.nc``."""
    return {FANUC_PATH: ("\r\n".join(_Fanuc(source).lines()) + "\r\n").encode("ascii")}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Machine:
    """Axes of a gantry as its control counts them.

    Args:
        controller: of the job.
        slides: places, among the controller's axes, of those that slide: X, Y, Z. # (3,)
        head: joints of the head, one value for the whole programme, by index. # [deg]
        columns: of the log: joint by joint as in the robot file.
        home: where the programme starts and ends.
    """

    controller: Controller
    slides: tuple[int, ...]
    head: dict[int, float]
    columns: tuple[str, ...]
    home: Home

    @property
    def start(self) -> Array:
        """Values of the three axes where the programme starts. # (3,) [mm]."""
        return self.values(self.home.posture)

    def values(self, q: Array) -> Array:
        """Values of the three axes at joints. # (3,) [mm]."""
        return MM * self.controller.to_controller(q)[list(self.slides)]

    def joint_of(self, place: int) -> int:
        """Index of the joint that X, Y or Z moves, from 0."""
        return int(self.controller.order[self.slides[place]])

    def inverse(self, place: int) -> tuple[int, float]:
        """Sign and offset [mm] that give the joint of X, Y or Z: q = sign · (value - offset)."""
        axis = self.slides[place]
        return int(self.controller.signs[axis]), MM * float(self.controller.offsets[axis])


def _machine(source: ProgrammeSource) -> _Machine:
    plan, touches = source.plan, source.steps.touches
    controller = plan.job.controller
    if controller is None:  # ``Export.refusal`` says so, with an example
        raise OutputError(f"The job {plan.job.name!r} has no [controller].", key="controller")
    joints = plan.job.mechanism.movable
    slides = tuple(
        place
        for place, joint in enumerate(controller.order.tolist())
        if joints[joint].kind is JointKind.PRISMATIC
    )
    head = _head(plan, touches)
    home = home_of(source, controller)
    turning = list(head)
    away = np.vstack([home.posture, home.way_in, home.way_out]) - touches[0].q_clearance
    if np.abs(away[:, turning]).max(initial=0.0) > _STILL:  # the head stands otherwise at home
        home = home_of(source, replace(controller, home=None))
    return _Machine(
        controller=controller,
        slides=slides,
        head=head,
        columns=tuple(
            f"q{k}_{'deg' if joint.kind.angular else 'mm'}"
            for k, joint in enumerate(joints, start=1)
        ),
        home=home,
    )


def _axes(source: ProgrammeSource) -> list[Joint]:
    """Joints in the order of the controller's axes."""
    controller, joints = source.plan.job.controller, source.plan.job.mechanism.movable
    return [] if controller is None else [joints[k] for k in controller.order.tolist()]


def _head(plan: Plan, touches: Sequence[Touch]) -> dict[int, float]:
    """Angles of the head, the same for all touches, by joint. [deg]."""
    turning = [k for k, joint in enumerate(plan.job.mechanism.movable) if joint.kind.angular]
    angles = (to_degrees(plan) * touches[0].q_clearance)[turning]
    return dict(zip(turning, angles.tolist(), strict=True))


class _Dialect:
    """What both dialects write of a plan.

    Args:
        source: of the plan.
    """

    decimals: int

    def __init__(self, source: ProgrammeSource) -> None:
        self.source = source
        self.steps = source.steps
        self.touches = source.steps.touches
        self.machine = _machine(source)

    def lines(self) -> list[str]:
        """The whole programme."""
        return [*self._head(), *self._body(), *self._tail()]

    def _body(self) -> Iterable[str]:
        place = 0
        for step in self.steps.steps:
            if isinstance(step, Move):
                path = step.path if place else self.machine.home.way_in
                yield from self._travel(path, step.speed)
            else:
                place += 1
                yield from self._touch(step, place)
        yield from self._travel(self.machine.home.way_out, 0.0)

    def _travel(self, path: Array, speed: float) -> Iterable[str]:
        for q in path:
            yield self.line("G1", q, self.positioning(speed))

    def positioning(self, speed: float) -> str:
        """The feed for a speed of the plan."""
        share = 0.01 * self.machine.controller.speed_override_percent
        return self.feed(share * positioning_speed(self.source.plan.job, speed))

    def approach(self, touch: Touch) -> str:
        """The feed to the start of a search."""
        return self.positioning(approach_speed(self.source.plan.job, touch))

    def retract(self, touch: Touch) -> str:
        """The feed back to a clearance point."""
        return self.positioning(retract_speed(self.source.plan.job, touch))

    def feed(self, speed: float) -> str:
        """A feed that is not above a speed. [mm/min]."""
        scale = 10.0**self.decimals
        return f"F{floor(_PER_MINUTE * speed * scale * (1.0 + 1e-15)) / scale:.{self.decimals}f}"

    def words(self, q: Array) -> list[str]:
        """Words of the three axes at joints."""
        return [
            f"{letter}{value}"
            for letter, value in zip(
                LETTERS, numbers(self.machine.values(q), self.decimals), strict=True
            )
        ]

    def line(self, code: str, q: Array, *more: str) -> str:
        """A block that moves the axes to joints."""
        return " ".join([code, *self.words(q), *more])

    def about(self, hidden: str) -> list[str]:
        """What a reader must know before the first run."""
        machine, plan = self.machine, self.source.plan
        controller, joints = machine.controller, plan.job.mechanism.movable
        touch = self.touches[0]
        axes = [
            f"{LETTERS[place]} = {'-' if sign < 0 else ''}{ascii_text(name, hidden=hidden)} "
            f"{offset:+.6f} mm"
            for place in range(3)
            for sign, offset in [machine.inverse(place)]
            for name in [joints[machine.joint_of(place)].name]
        ]
        head = [
            f"the head is set by hand before the start and stands still: "
            f"{ascii_text(joints[k].name, hidden=hidden)} at {angle:.6f} deg"
            for k, angle in machine.head.items()
        ]
        tolerance = MM * controller.start_tolerance_sliding
        speeds = sorted({MM * one.speed for one in self.touches})
        told = f"{speeds[0]:g}" if len(speeds) == 1 else f"{speeds[0]:g} to {speeds[-1]:g}"
        return [
            *self.source.about(hidden=hidden),
            "mm, mm/min and s; straight moves of three axes at right angles, so that the ball",
            "  runs on the straight lines of the plan; corners are exact stops",
            *axes,
            *head,
            f"starts within {tolerance:g} mm of "
            + " ".join(
                f"{letter}{value:.3f}"
                for letter, value in zip(LETTERS, machine.start.tolist(), strict=True)
            )
            + " and refuses elsewhere",
            *machine.home.lines,
            f"search at {told} mm/s with the feed override off, from {MM * touch.search_before:g} "
            f"mm before to {MM * touch.search_after:g} mm",
            "  past the nominal surface (other points as their blocks say)",
            f"certified for a control that stops within {MM * touch.overrun:.4g} mm of the trigger "
            "and latches the axes",
            "  at it; the control decides accelerations, latency and following error",
            "a point that is not found: retract at touch speed to the clearance point, log, stop",
            f"hits are logged as joints of the robot file to {LOG}; palpeur evaluate reads it",
        ]

    def log_head(self) -> list[str]:
        """What the log says of its columns."""
        return [
            "joints at the trigger, zero and sign of the robot file",
            "base frame, ball centres by the forward model, not compensated",
            f"job sha256 {self.source.plan.job.sha256}",
        ]

    def _head(self) -> Iterable[str]:
        raise NotImplementedError

    def _touch(self, touch: Touch, place: int) -> Iterable[str]:
        raise NotImplementedError

    def _tail(self) -> Iterable[str]:
        raise NotImplementedError


# ---------------------------------------------------------------------------------------- LinuxCNC


class _LinuxCnc(_Dialect):
    """G38.3 ends at contact or at the end of the search, and #5070 says which."""

    decimals = _LENGTH

    def _head(self) -> Iterable[str]:
        machine = self.machine
        number_ = machine.controller.base_number
        yield from (f"; {line}" for line in self.about(""))
        yield f"G21 G90 G94 G17 G40 G49 G80 G61 {_SYSTEMS[max(number_, 1) - 1]}"
        yield from self._checks(number_)
        yield f"(LOGOPEN,{LOG})"
        yield from (f"(LOG,// {line})" for line in self.log_head())
        yield f"(LOG,{','.join(['name', *machine.columns])})"

    def _checks(self, system: int) -> Iterable[str]:
        machine, first = self.machine, 5201 + 20 * max(system, 1)
        yield from self._refuse(
            1,
            [f"[#{5211 + k} NE 0]" for k in range(3)] + [f"[#{first + 9} NE 0]"],
            "a G92 offset or a rotation is active; clear it",
        )
        if system == 0:
            yield from self._refuse(
                2,
                [f"[#{first + k} NE 0]" for k in range(3)],
                "G54 is not zero; the joints are of machine coordinates",
            )
        if machine.controller.tool_number > 0:
            yield from self._refuse(
                3,
                [f"[#5400 NE {machine.controller.tool_number}]"],
                f"tool {machine.controller.tool_number} with the probe is not in the spindle",
            )
        tolerance = number(MM * machine.controller.start_tolerance_sliding, self.decimals)
        yield from self._refuse(
            4,
            [
                f"[ABS[#{5420 + k} - [{number(value, self.decimals)}]] GT {tolerance}]"
                for k, value in enumerate(machine.start.tolist())
            ],
            "not at the start posture",
        )

    def _refuse(self, label: int, conditions: Sequence[str], why: str) -> Iterable[str]:
        yield f"o{label} if [{' OR '.join(conditions)}]"
        yield f"  (ABORT,{why})"
        yield f"o{label} endif"

    def _touch(self, touch: Touch, place: int) -> Iterable[str]:
        name = ascii_text(touch.name, hidden=_HIDDEN)
        slow = self.feed(touch.speed)
        label = 100 + place
        yield f"; point {name}"
        yield self.line("G1", touch.q_search_start, self.approach(touch))
        yield "M50 P0"
        yield self.line("G38.3", touch.q_search_end, slow)
        yield "M50 P1"
        yield f"o{label} if [#5070 EQ 0]"
        yield "  " + self.line("G1", touch.q_clearance, slow)
        yield f"  (LOG,// {name} is not found)"
        yield "  (LOGCLOSE)"
        yield f"  (ABORT,{name} is not found)"
        yield f"o{label} endif"
        yield from self._hit()
        shown = [
            f"#<q{k + 1}>" if k not in self.machine.head else number(self.machine.head[k], _ANGLE)
            for k in range(len(self.machine.columns))
        ]
        yield f"(LOG,{name},%.9f{','.join(shown)})"
        if touch.settle > 0.0:
            yield f"G4 P{touch.settle:.6f}"
        yield self.line("G1", touch.q_back_off, slow)
        yield self.line("G1", touch.q_clearance, self.retract(touch))

    def _hit(self) -> Iterable[str]:
        for place in range(3):
            sign, offset = self.machine.inverse(place)
            yield (
                f"#<q{self.machine.joint_of(place) + 1}> = "
                f"[{sign} * [#{5061 + place} - [{number(offset, self.decimals)}]]]"
            )

    def _tail(self) -> Iterable[str]:
        yield "(LOGCLOSE)"
        yield "M2"


# ------------------------------------------------------------------------------------------- FANUC
# DPRNT prints at most eight digits of a number, of which four behind the point. Those that lack to
# a tenth of a nanometre follow as digits of their own: 1234.5678 9 0 1.


class _Fanuc(_Dialect):
    """G31 ends at contact or at the end of the search; where it ended says which."""

    decimals = _NANO

    def _head(self) -> Iterable[str]:
        controller = self.machine.controller
        yield "%"
        yield f"O{_PROGRAMME}(PALPEUR)"
        yield from (
            f"({_capitals(line)})"
            for line in [
                *self.about(""),
                "blocks have six decimals: a control of a coarser increment rounds them to its own",
                "a contact within 0.001 mm of an end of the search counts as none",
                *self._names(),
            ]
        )
        system = max(controller.base_number, 1)
        yield f"G21 G90 G94 G17 G40 G49 G80 G61 G{53 + system}"
        if controller.base_number == 0:
            both = [f"#{5201 + k}" for k in range(3)] + [f"#{5221 + k}" for k in range(3)]
            yield from self._refuse(1, _sum(both), "0", "WORK OFFSET IS NOT ZERO")
        if controller.tool_number > 0:
            yield from self._refuse(
                2, f"ABS[#4120-{controller.tool_number}]", "0", "PROBE IS NOT IN THE SPINDLE"
            )
        tolerance = number(MM * controller.start_tolerance_sliding, self.decimals)
        for k, value in enumerate(numbers(self.machine.start, self.decimals)):
            yield from self._refuse(
                3 + k, f"ABS[#{5041 + k}-[{value}]]", tolerance, "NOT AT THE START POSTURE"
            )
        yield "POPEN"
        columns = ",".join(["NAME", *self.machine.columns]).upper()
        for line in self.log_head():
            yield f"DPRNT[//*{_NOT_PRINTED.sub('*', line.upper())}]"
        yield f"DPRNT[{columns}]"
        for slot, (value, *digits) in enumerate(self._constants()):
            for place, one in enumerate([value, *digits]):
                yield f"#{131 + 4 * slot + place}={one}"

    def _names(self) -> list[str]:
        return [
            f"{self._label(place)} is point {touch.name}"
            for place, touch in enumerate(self.touches, start=1)
            if self._label(place) != touch.name
        ]

    def _label(self, place: int) -> str:
        """A name that DPRNT can print: the point's own, or its place."""
        name = self.touches[place - 1].name
        return name if _PRINTED.fullmatch(name) else f"K{place}"

    def _refuse(self, label: int, value: str, limit: str, why: str) -> Iterable[str]:
        yield f"IF[{value}LE{limit}]GOTO{label}"
        yield f"#3000={label}({why})"
        yield f"N{label}"

    def _touch(self, touch: Touch, place: int) -> Iterable[str]:
        label, block = self._label(place), 10 * place
        slow = self.feed(touch.speed)
        yield f"(POINT {_capitals(touch.name)})"
        yield self.line("G1", touch.q_search_start, self.approach(touch))
        yield "#3004=2"
        yield self.line("G31", touch.q_search_end, slow)
        yield "#3004=0"
        start, end = (
            _sum(
                f"#{5061 + k}-[{value}]"
                for k, value in enumerate(numbers(self.machine.values(q), self.decimals))
            )
            for q in (touch.q_search_start, touch.q_search_end)
        )
        yield f"IF[{end}GT{_NEAR:.3f}]GOTO{block}"
        yield self.line("G1", touch.q_clearance, slow)
        yield f"DPRNT[//*{label}*IS*NOT*FOUND]"
        yield "PCLOS"
        yield f"#3000={10 + place}({label} IS NOT FOUND)"
        yield f"N{block}"
        yield f"IF[{start}GT{_NEAR:.3f}]GOTO{block + 1}"
        yield f"DPRNT[//*{label}*PROBE*WAS*DEFLECTED*BEFORE]"
        yield "PCLOS"
        yield f"#3000={10 + place}({label} PROBE WAS DEFLECTED BEFORE)"
        yield f"N{block + 1}"
        yield f"M98 P{_DIGITS_OF_HIT}"
        yield f"DPRNT[{label},{','.join(self._printed())}]"
        if touch.settle > 0.0:
            yield f"G4 X{ceil(1e3 * touch.settle - 1e-6) / 1e3:.3f}"
        yield self.line("G1", touch.q_back_off, slow)
        yield self.line("G1", touch.q_clearance, self.retract(touch))

    def _printed(self) -> list[str]:
        """Joint by joint: four decimals of a variable, then single digits."""
        slots = {joint: slot for slot, joint in enumerate(self.machine.head)}
        found = []
        for k in range(len(self.machine.columns)):
            first = 131 + 4 * slots[k] if k in slots else 101 + 4 * k
            rest = "".join(f"#{first + place}[10]" for place in (1, 2, 3))
            found.append(f"#{first}[44]{rest}")
        return found

    def _constants(self) -> Iterable[tuple[str, ...]]:
        """Angles of the head: four decimals, then three digits."""
        for angle in self.machine.head.values():
            text = number(angle, 7)
            yield text[:-3], *text[-3:]

    def _tail(self) -> Iterable[str]:
        yield "PCLOS"
        yield "M30"
        yield f"O{_DIGITS_OF_HIT}(DIGITS OF A HIT)"
        for place in range(3):
            sign, offset = self.machine.inverse(place)
            first = 101 + 4 * self.machine.joint_of(place)
            value = f"#{5061 + place}-[{number(offset, self.decimals)}]"
            yield f"#120=[{value}]*[{sign}]"
            yield "#121=ROUND[ABS[#120]*10000000]"
            yield "#122=FIX[#121/1000]"
            yield "#123=#121-#122*1000"
            yield f"#{first}=#122/10000"
            yield f"IF[#120GE0]GOTO{place + 1}"
            yield f"#{first}=0-#122/10000"
            yield f"IF[#122GT0]GOTO{place + 1}"
            yield "#123=0(BETWEEN -0.0001 AND 0 THERE IS NO DIGIT FOR THE SIGN)"
            yield f"N{place + 1}"
            yield f"#{first + 1}=FIX[#123/100]"
            yield f"#{first + 2}=FIX[[#123-#{first + 1}*100]/10]"
            yield f"#{first + 3}=#123-#{first + 1}*100-#{first + 2}*10"
        yield "M99"
        yield "%"


def _sum(values: Iterable[str]) -> str:
    return "+".join(f"ABS[{value}]" for value in values)


def _capitals(text: str) -> str:
    """A comment of a FANUC programme."""
    return _UPPER.sub(" ", ascii_text(text).upper())
