"""Entry point of ``palpeur``: runs a command and turns whatever happens into an exit code.

Bad input ends with one message on stderr and code 2. An exception that nobody expected is a bug: it
ends with code 1, a sentence that says so, and the traceback in a log file; with ``PALPEUR_DEBUG=1``
the traceback is printed as well.
"""

from __future__ import annotations

import contextlib
import gc
import io
import logging
import os
import signal
import stat
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, NoReturn, TextIO

from planner.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    import typer
    from _typeshed import ReadableBuffer
    from typer.models import CommandInfo

PROGRAMME = "palpeur"
_COMPLETION = "_PALPEUR_COMPLETE"
_QUIET = ("--quiet", "-q")


def run() -> NoReturn:
    """Run the command line of this process and exit."""
    from planner.cli.failures import logged

    # Imports and values are thousands of objects that live to the end: collecting among them, and
    # taking them apart when the process ends, would cost a small job a fifth of its time.
    gc.set_threshold(200_000, 20, 50)
    # None of ours; to look for them, pydantic reads the metadata of all that is installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Matrices are small here: NumPy's threads would wait for work, and take processor time for it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))
    arguments = sys.argv[1:]
    quiet_libraries(lambda text: logged(text, " ".join(arguments)))
    code = main(arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done and told; the process only ends
    if "ompl" not in sys.modules:  # which counts what is not taken apart as leaks, aloud
        gc.freeze()
    sys.exit(code)


def main(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: as after ``palpeur`` on the command line.

    Returns:
        Exit code, see ``ExitCode``.
    """
    from planner.cli.failures import exit_code_of

    make_stdout_patient()
    _print_whatever_comes()
    with escaped_streams():
        try:
            code = _invoke(arguments)
            sys.stdout.flush()
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 the last stop before the user
            return exit_code_of(error, " ".join(arguments))
    return code


def _invoke(arguments: Sequence[str]) -> int:
    import typer

    from planner.cli.app import app
    from planner.cli.session import Session

    if _COMPLETION in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
        command = typer.main.get_command(app)
        command.main(list(arguments), prog_name=PROGRAMME, complete_var=_COMPLETION)
        return ExitCode.DONE
    _check(arguments)
    rest = _without_quiet(arguments)
    session = Session(quiet=len(rest) < len(arguments))
    session.tell_of_compiling()
    command = typer.main.get_command(requested_application(app, rest))
    try:
        with command.make_context(PROGRAMME, rest, obj=session) as context:
            return int(command.invoke(context) or ExitCode.DONE)
    except typer.Exit as stop:
        return stop.exit_code


def _print_whatever_comes() -> None:
    """A name that is no text, or a sign that the terminal lacks, is shown as its number."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _check(arguments: Sequence[str]) -> None:
    """What no shell can give, and what no command should have to expect."""
    from planner.errors import OptionError
    from robots.core.caps import check_environment

    if any("\0" in argument for argument in arguments):
        raise OptionError("An argument holds a zero byte, which no name or number has.")
    check_environment()


def _without_quiet(arguments: Sequence[str]) -> list[str]:
    """The arguments without ``--quiet``, which may stand anywhere before ``--``."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [a for a in arguments[:end] if a not in _QUIET] + list(arguments[end:])


# --- Asked command -------------------------------------------------------------------------------
# Typer reads the options of every command from its signature, which takes longer than most commands
# run; so an application is thinned out first to what the arguments name.


def requested_application(app: typer.Typer, arguments: Sequence[str]) -> typer.Typer:
    """An application that has only the command that the arguments name, in all its groups.

    Where they name none, as for help or with a slip, everything is there to be listed.

    Args:
        app: whose groups have no option that takes a value: the first word names the command.
        arguments: of the command line.
    """
    return _thinned(app, [word for word in arguments if not word.startswith("-")])


def _thinned(app: typer.Typer, words: Sequence[str]) -> typer.Typer:
    name = words[0] if words else ""
    commands = [info for info in app.registered_commands if _name(info) == name]
    groups = [info for info in app.registered_groups if info.name == name]
    if not commands and not groups:
        return app
    found = copy(app)
    found.registered_commands, found.registered_groups = commands, []
    for info in groups:
        group = copy(info)
        if info.typer_instance is not None:
            group.typer_instance = _thinned(info.typer_instance, words[1:])
        found.registered_groups.append(group)
    return found


def _name(info: CommandInfo) -> str:
    import typer

    if info.name is not None:
        return info.name
    return typer.main.get_command_name(info.callback.__name__) if info.callback else ""


# --- Patient pipe --------------------------------------------------------------------------------
# ``palpeur evaluate … | head`` must say with its exit code whether the part is good, however few
# lines were read.


class PatientPipe(io.FileIO):
    """A pipe that takes everything; what nobody reads any more is dropped."""

    def write(self, data: ReadableBuffer) -> int:
        """Write, or drop from now on."""
        try:
            return super().write(data)
        except BrokenPipeError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self.fileno())
            os.close(null)
            return memoryview(data).nbytes


def make_stdout_patient() -> None:
    """Let the command finish its work when the reader of its output leaves."""
    told = sys.stdout
    if not isinstance(told, io.TextIOWrapper):
        return
    try:
        piped = stat.S_ISFIFO(os.fstat(told.fileno()).st_mode)
    except OSError:  # no file behind it, as where a test listens
        return
    if piped:
        told.flush()
        pipe = io.BufferedWriter(PatientPipe(told.fileno(), "w", closefd=False))
        sys.stdout = io.TextIOWrapper(
            pipe,
            told.encoding,
            told.errors,
            line_buffering=told.line_buffering or told.write_through,
        )


# --- Terminal ------------------------------------------------------------------------------------
# What comes from files and names is text there, never a command. A terminal obeys control
# characters: one name with an escape sequence could move the cursor over a verdict, set the title,
# or answer in the user's place. So both streams of the command write every unseen character as its
# code; only the two sequences of our own emphasis pass, on a terminal.


@contextlib.contextmanager
def escaped_streams() -> Iterator[None]:
    """Escape what is written to stdout and stderr."""
    from reports.visible_text import EscapedStream

    before = sys.stdout, sys.stderr
    sys.stdout = EscapedStream(sys.stdout)
    sys.stderr = EscapedStream(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def quiet_libraries(note: Callable[[str], object]) -> None:
    """Send warnings and log records of libraries to a log; nothing in them is meant for a user.

    Args:
        note: writes a text into the log.
    """

    def on_warning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        del file
        text = warnings.formatwarning(message, category, filename, lineno, line)
        note(text)
        if os.environ.get("PALPEUR_DEBUG"):
            sys.stderr.write(text)

    warnings.showwarning = on_warning
    logging.lastResort = _Noted(note)


class _Noted(logging.Handler):
    """Records of libraries that nobody handles.

    Args:
        note: writes a text into the log.
    """

    def __init__(self, note: Callable[[str], object]) -> None:
        super().__init__(logging.WARNING)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        """See ``logging.Handler``."""
        self._note(f"{record.name}: {record.getMessage()}\n")
