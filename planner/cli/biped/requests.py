"""Options of ``palpeur biped`` in SI: postures, states, ground, motions."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np
import typer

from planner.cli.moves.motion_values import listed_numbers
from planner.cli.output import Form
from planner.cli.session import Session
from planner.errors import OptionError
from planner.tables import States, read_states
from robots.biped.biped import Biped
from robots.biped.biped_file import known_drives, open_biped
from robots.biped.errors import PostureError
from robots.biped.motion import BipedMotion
from robots.biped.posture.ground import WAYS, Ground
from robots.core.arrays import Array
from robots.core.inverse.limits import limit_breaches
from robots.core.mechanism import Mechanism
from robots.core.transmission.driven_posture import DrivenState
from robots.core.transmission.drives import Drives


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PostureInput:
    """Postures and where each came from.

    Args:
        q: # (k, n) [rad]
        where: of each, for messages; empty for a posture of the command line. # k
        table: that they were read from, if any.
    """

    q: Array
    where: tuple[str, ...]
    table: States | None = None

    def or_zero(self, group: str) -> Array:
        """Rates of the table; zero where it has none. # (k, n)."""
        return np.zeros_like(self.q) if self.table is None else self.table.or_zero(group)


def postures_of(biped: Biped, *, posture: str, states: str) -> PostureInput:
    """Postures of ``--posture`` or ``--states``; the robot's standing posture without both.

    Args:
        biped: the robot.
        posture: angles of all joints in degrees, separated by commas; or name=angle for some, the
            others as the robot stands.
        states: path of a table with columns q; "-" reads standard input.

    Raises:
        OptionError: both, or a posture that does not fit the robot.
        StatesError: a table that cannot be read.
    """
    if posture and states:
        raise OptionError("--posture and --states exclude each other; give one.")
    if states:
        return table_of(biped, states, "the posture")
    return PostureInput(q=_posture(biped, posture)[None], where=("",))


def table_of(biped: Biped, states: str, purpose: str) -> PostureInput:
    """Postures of a table.

    Raises:
        StatesError: a table that cannot be read, or one without postures.
    """
    table = read_states(states, biped.mechanism)
    q = table.require("q", purpose)
    where = tuple(f"{table.origin}, line {line}" for line in table.lines)
    return PostureInput(q=q, where=where, table=table)


def driven_states(
    mechanism: Mechanism, drives: Drives, *, posture: str, states: str
) -> list[DrivenState]:
    """Joint states of ``--posture`` or ``--states``, in the drives' order; zero without both.

    Raises:
        OptionError: both, or a posture of another number of joints.
        StatesError: a table that cannot be read.
    """
    names = [joint.name for joint in mechanism.movable]
    order = [names.index(name) for name in drives.joints]
    if posture and states:
        raise OptionError("--posture and --states exclude each other; give one.")
    if states:
        return _of_table(read_states(states, mechanism), order)
    q = np.radians(listed_numbers(posture, "--posture")) if posture else np.zeros(mechanism.dof)
    if q.size != mechanism.dof:
        raise OptionError(
            f"--posture has {q.size} values; {mechanism.name} has {mechanism.dof} joints: "
            f"{', '.join(names)}. "
            "Give one angle in degrees for each.",
            option="--posture",
            found=int(q.size),
            expected=mechanism.dof,
        )
    return [DrivenState(where="", q=q[order])]


def _of_table(table: States, order: list[int]) -> list[DrivenState]:
    q = table.require("q", "the transmission")[:, order]
    qd, tau = table.groups.get("qd"), table.groups.get("tau")
    return [
        DrivenState(
            where=f"{table.origin}, line {line}",
            q=q[k],
            qd=None if qd is None else qd[k, order],
            tau=None if tau is None else tau[k, order],
        )
        for k, line in enumerate(table.lines)
    ]


@contextmanager
def limit_breaches_first(biped: Biped, given: PostureInput) -> Iterator[None]:
    """A posture that cannot be stood in as it is beyond a joint's limit is told by that joint.

    Postures beyond a limit that can be stood in are answered, with a note.

    Raises:
        BipedError: what was raised, or a posture beyond a limit: file, line, joint.
    """
    try:
        yield
    except PostureError as error:
        row = error.fact("posture", int)
        if row is None:
            raise
        told = limit_breaches(biped.mechanism, given.q[row])
        if told:
            where = given.where[row] or "--posture"
            message = (
                f"{where}: {told}; the robot cannot stand so. Give a posture within the limits."
            )
            raise PostureError(message, **error.facts) from error
        where = f"{given.where[row]}: " if given.where[row] else ""
        raise PostureError(where + error.message, **error.facts) from error


def ground_of(tilt: str) -> Ground:
    """The ground of ``--tilt α,β`` in degrees; level without it.

    Raises:
        OptionError: not two numbers.
        BipedError: a tilt too steep to be a ground.
    """
    if not tilt:
        return Ground()
    angles = listed_numbers(tilt, "--tilt")
    if angles.size != 2:
        raise OptionError(
            f"--tilt has {angles.size} values; give roll and pitch of the ground in degrees, "
            "as in 10,20.",
            option="--tilt",
            found=int(angles.size),
        )
    alpha, beta = np.radians(angles).tolist()
    return Ground(alpha=alpha, beta=beta)


def _posture(biped: Biped, text: str) -> Array:
    standing = np.array(biped.q_standing, dtype=np.float64)
    if not text:
        return standing
    if "=" in text:
        return _named(biped.mechanism, text, standing)
    angles = np.radians(listed_numbers(text, "--posture"))
    if angles.size != standing.size:
        raise OptionError(
            f"--posture has {angles.size} values; {biped.name} has {standing.size} joints: "
            f"{_names(biped.mechanism)}. Give one angle in degrees for each, or some by name, "
            f"as in {biped.mechanism.movable[0].name}=5.",
            option="--posture",
            found=int(angles.size),
            expected=int(standing.size),
        )
    return angles


def _named(mechanism: Mechanism, text: str, standing: Array) -> Array:
    """Joints given by name; the others stay."""
    places = {joint.name: place for place, joint in enumerate(mechanism.movable)}
    given: set[str] = set()
    for part in text.split(","):
        name, _, value = (item.strip() for item in part.partition("="))
        if name not in places or name in given:
            wrong = "twice" if name in given else f"but {mechanism.name} has no such joint"
            raise OptionError(
                f"--posture names {name!r} {wrong}; its joints are {_names(mechanism)}.",
                option="--posture",
                found=name,
            )
        given.add(name)
        angle = listed_numbers(value, f"--posture, {name}")
        standing[places[name]] = np.radians(float(angle[0]))
    return standing


def _names(mechanism: Mechanism) -> str:
    return ", ".join(joint.name for joint in mechanism.movable)


Scenario = Callable[[Biped, "Drives | None"], BipedMotion]

_STEEPEST = 45.0  # [deg]
_LONGEST = 60.0  # [s]
_STEPS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionRequest:
    """Options common to all motions.

    Args:
        robot: name or path of a biped file.
        scenario: "squat", "tilt", "walk" or "push".
        command: that makes the same again.
        out: folder; empty for none.
        form: of the answer.
        session: for messages.
    """

    robot: str
    scenario: str
    command: str
    out: str
    form: Form
    session: Session

    @classmethod
    def of(
        cls,
        context: typer.Context,
        robot: str,
        options: Mapping[str, object],
        *,
        out: str,
        force: bool,
        as_json: bool,
        as_csv: bool,
    ) -> MotionRequest:
        """The request of a command.

        Args:
            context: of the command, whose name is the scenario's.
            robot: name or path.
            options: with their values; one without a value was not given.
            out: folder; empty for none.
            force: whether files that Palpeur did not write may be replaced.
            as_json: whether JSON is wanted.
            as_csv: whether CSV is wanted.

        Raises:
            OptionError: both JSON and CSV.
        """
        scenario = str(context.info_name)
        words = ["palpeur", "biped", scenario, robot, *_told(options)]
        return cls(
            robot=robot,
            scenario=scenario,
            command=shlex.join(words),
            out=out,
            form=Form(json=as_json, csv=as_csv),
            session=context.obj.forced(force),
        )

    def answer(self, scenario: Scenario) -> int:
        """Judge, write and print a motion; exit code 1 when it falls, tips or passes a limit.

        Args:
            scenario: makes the motion of a robot with its drives.

        Raises:
            RobotError: no such biped, one that this scenario is not for, or a motion that cannot
                be.
            OutputError: the folder holds other files, or cannot be written.
        """
        from reports.biped.answers import motion_lines
        from reports.biped.motion import motion_document, sample_rows, shown_motion
        from reports.document_text import document_text

        if self.out:
            from planner.result_files import check_set
            from reports.biped.motion_set import KIND, write_motion_set

            check_set(
                Path(self.out), KIND, force=self.session.force
            )  # before the work, not after it
        biped, known = open_biped(self.robot), known_drives(self.robot)
        motion = scenario(biped, known.drives)
        shown = shown_motion(motion, known, scenario=self.scenario, command=self.command)
        document = motion_document(shown)
        if self.out:
            write_motion_set(
                shown, document_text(document), Path(self.out), force=self.session.force
            )
            self.session.say(
                f"figures, motion.csv, motion.json and page.html written to {self.out}"
            )
        return self.form.show(
            json=lambda: document,
            csv=lambda: sample_rows(shown),
            text=lambda: motion_lines(shown),
            passed=shown.feasible,
        )


def _told(options: Mapping[str, object]) -> Iterator[str]:
    for option, value in options.items():
        if value is True:
            yield option
        elif value is not None and value is not False:
            yield option
            yield f"{value:g}" if isinstance(value, float) else str(value)


def ground_tilt(text: str) -> tuple[float, float]:
    """Roll and pitch of ``--to``. [rad].

    Raises:
        OptionError: not two angles of a ground.
    """
    angles = listed_numbers(text, "--to")
    if angles.size != 2 or np.abs(angles).max() > _STEEPEST:
        raise OptionError(
            f"--to is {text!r}; give roll and pitch of the ground in degrees, each within "
            f"±{_STEEPEST:g}, as in 10,20.",
            option="--to",
            found=text,
        )
    alpha, beta = np.radians(angles).tolist()
    return alpha, beta


def check_steps(steps: int) -> None:
    """Raise where there are no such steps."""
    if not 1 <= steps <= _STEPS:
        raise OptionError(
            f"--steps is {steps}; give at least 1 and at most {_STEPS}.", option="--steps"
        )


def check_blow(speed: float | None, impulse: float | None) -> None:
    """Raise where a blow is not given by one of its two values, zero or more."""
    if (speed is None) == (impulse is None):
        raise OptionError(
            "Give one of --speed (m/s of the centre of mass) and --impulse (N s).", option="--speed"
        )
    for option, value, unit in (("--speed", speed, "m/s"), ("--impulse", impulse, "N s")):
        if value is not None and not 0.0 <= value < inf:
            raise OptionError(
                f"{option} is {value:g} {unit}; give 0 or more, and the sense by --direction.",
                option=option,
                value=value,
                limit=0.0,
                unit=unit,
            )


def blow_direction(text: str) -> Array:
    """Where a blow pushes: a word, or x and y. # (2,)."""
    word = text.strip().lower()
    if word in WAYS:
        return np.array(WAYS[word])
    numbers = listed_numbers(text, "--direction") if "," in text else np.zeros(0)
    if numbers.size != 2 or not numbers.any():
        raise OptionError(
            f"--direction is {text!r}; give {', '.join(WAYS)}, or x,y with x forward and y left.",
            option="--direction",
            found=text,
        )
    return numbers


def check_above_zero(option: str, value: float, unit: str) -> None:
    """Raise where a value is not a finite number above zero."""
    if not 0.0 < value < inf:
        raise OptionError(
            f"{option} is {value:g} {unit}; give a finite number above 0.",
            option=option,
            value=value,
            limit=0.0,
            unit=unit,
        )


def check_duration(value: float) -> None:
    """Raise where a duration is none, or too long."""
    if not 0.0 < value <= _LONGEST:
        raise OptionError(
            f"--duration is {value:g} s; give more than 0 and at most {_LONGEST:g} s for each way.",
            option="--duration",
            value=value,
            limit=_LONGEST,
        )
