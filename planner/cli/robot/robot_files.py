"""``palpeur robot show ROBOT --as toml|urdf|phrase``: a robot in another form."""

from __future__ import annotations

from collections.abc import Callable

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import opened_robot
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.errors import OptionError
from robots.core.language import phrase_of
from robots.core.mechanism import Mechanism
from robots.core.robot_file import write_toml
from robots.core.urdf import write_urdf


def _phrase(mechanism: Mechanism) -> str:
    return phrase_of(mechanism).text + "\n"


_WRITERS: dict[str, Callable[[Mechanism], str]] = {
    "toml": write_toml,
    "urdf": write_urdf,
    "phrase": _phrase,
}


def print_file(robot: RobotReference, form: str, session: Session) -> int:
    """Print a robot as a file of another form.

    Raises:
        OptionError: a form that is not written; the message lists those that are.
    """
    if form not in _WRITERS:
        raise OptionError(
            f"--as {form!r} is not a form of robot; choose one of {', '.join(_WRITERS)}.",
            option="--as",
            value=form,
        )
    print(_WRITERS[form](opened_robot(robot, session)), end="")
    return ExitCode.DONE
