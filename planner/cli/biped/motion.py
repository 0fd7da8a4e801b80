"""``palpeur biped squat | tilt | walk | push``: the request, its values, the answer."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np
import typer

from planner.cli.moves.motion_values import listed_numbers
from planner.cli.output import Form
from planner.cli.session import Session
from planner.errors import OptionError
from robots.biped.biped import Biped
from robots.biped.library import known_drives, open_biped
from robots.biped.motion import BipedMotion
from robots.biped.posture.headings import WAYS
from robots.core.arrays import Array
from robots.core.transmission.drives import Drives

Scenario = Callable[[Biped, "Drives | None"], BipedMotion]

_STEEPEST = 45.0  # [deg]
_LONGEST = 60.0  # [s]
_STEPS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionRequest:
    """What every command of a motion is given.

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
        from reports.biped.motion_document import motion_document, sample_rows
        from reports.biped.shown_motion import shown_motion
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
            "Give one of --speed (m/s of the centre of mass) and --impulse (N s).",
            option="--speed",
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
