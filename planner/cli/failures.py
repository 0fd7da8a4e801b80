"""From an exception to a message on stderr and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import typer

from planner.cli.exit_codes import ExitCode
from reports.visible_text import visible
from robots.core.errors import PalpeurError

# Typer carries its own copy of click since 0.21; the bases are reached through what it exports.
_USAGE_ERROR, _COMMAND_ERROR = typer.BadParameter.__mro__[1:3]
_HELP = "NoArgsIsHelpError"  # a group without a command: its help, which is no fault to be told
_GROUPS = ("robot", "stewart", "biped", "part", "examples")
# What a command that names it can be given less of.
_SMALLER = (
    ("--states", " Give fewer states at a time."),
    ("--samples", " Ask for fewer --samples."),
    ("--period-ms", " Ask for a longer --period-ms."),
    ("--count", " Ask for a smaller --count."),
    ("plan", " A longer period_ms, fewer points or a coarser geometry of the part need less."),
    ("check", " A longer period_ms, fewer points or a coarser geometry of the part need less."),
    ("place", " Fewer points or a coarser geometry of the part need less."),
    ("evaluate", " Fewer measured points need less."),
    ("batch", " Fewer --workers need less."),
)
# Files and report sets take their names when they are whole.
_INTERRUPTED = (
    "Interrupted: nothing half-written stays, earlier files are as they were; the same command "
    "starts anew."
)
_EXPECTED = {
    "int_parsing": "a whole number, such as 12",
    "int_parsing_size": "a smaller whole number",
    "int_from_float": "a whole number, such as 12",
    "float_parsing": "a number, such as 1.5",
    "finite_number": "a finite number",
    "bool_parsing": "yes or no",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
}


class Resumable(KeyboardInterrupt):
    """A command was interrupted that keeps what is finished, and has said so."""


def exit_code_of(error: BaseException, arguments: str) -> int:
    """Tell the user what happened.

    Args:
        error: what a command raised.
        arguments: the command line, for the log of an internal error.
    """
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        print("Interrupted." if isinstance(error, Resumable) else _INTERRUPTED, file=sys.stderr)
        return ExitCode.INTERRUPTED
    if isinstance(error, PalpeurError):
        print(f"Error: {error.message}", file=sys.stderr)
        return ExitCode.BAD_INPUT
    if isinstance(error, _COMMAND_ERROR):
        _tell_usage(error)
        return ExitCode.BAD_INPUT
    if isinstance(error, OSError) and error.strerror:  # a full disk, a name too long, no rights
        place = f"{str(error.filename)[:200]}: " if error.filename else ""
        print(f"Error: {place}{error.strerror}.", file=sys.stderr)
        return ExitCode.BAD_INPUT
    if isinstance(error, MemoryError):
        print(f"Error: {_memory_text(error, arguments)}", file=sys.stderr)
        return ExitCode.BAD_INPUT
    _tell_bug(error, arguments)
    return ExitCode.FAILED


def _memory_text(error: MemoryError, arguments: str) -> str:
    """Which command ran out of memory, over what, and which of its inputs is to be smaller."""
    words = arguments.split()
    names = [word for word in words if not word.startswith("-")]
    command = " ".join(["palpeur", *names[: 2 if names[:1] and names[0] in _GROUPS else 1]])
    over = f" ({str(error).rstrip('.')})" if str(error) else ""
    given = next((less for option, less in _SMALLER if option in words), "")
    return f"`{command}` needs more memory than there is{over}.{given}"


def _tell_usage(error: BaseException) -> None:
    if type(error).__name__ == _HELP:
        print(usage_text(error), file=sys.stderr)
        return
    context = getattr(error, "ctx", None)
    if context is not None:
        print(context.get_usage(), file=sys.stderr)
        print(f"Try '{context.command_path} --help' for help.", file=sys.stderr)
    print(f"Error: {usage_text(error)}", file=sys.stderr)


def _tell_bug(error: BaseException, arguments: str) -> None:
    text = "".join(traceback.format_exception(error))
    if os.environ.get("PALPEUR_DEBUG"):
        print(text, file=sys.stderr)
    log = logged(text, arguments)
    where = f"The details are in {log}." if log else "PALPEUR_DEBUG=1 shows the details."
    print(
        f"Internal error: {type(error).__name__}: {error}\n"
        f"This is a bug in Palpeur, not a fault of your input. {where}",
        file=sys.stderr,
    )


def logged(text: str, arguments: str) -> Path | None:
    """The log with this error at its end; None where no folder can be written."""
    from robots.core.kernels.cache import cache_folder

    log = cache_folder().parent / "errors.log"
    try:
        log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(private, "a", encoding="utf-8", errors="backslashreplace") as file:
            stamp = datetime.now().astimezone().isoformat(timespec="seconds")
            file.write(visible(f"{stamp} palpeur {arguments}\n{text}\n"))
    except OSError:
        return None
    return log


def usage_text(error: BaseException) -> str:
    """The message of a usage error; of a value that does not fit with the value.

    Args:
        error: of Typer, which keeps what pydantic found as its cause.
    """
    text = str(error.format_message())  # type: ignore[attr-defined]
    for item in _found(error.__cause__):
        expected = _EXPECTED.get(str(item["type"]))
        context = item.get("ctx")
        if expected is not None:
            limits = context if isinstance(context, Mapping) else {}
            told = f"found {str(item['input'])[:60]}; expected {expected.format(**limits)}."
            return text.partition(": ")[0] + f": {told}"
    return text


def _found(cause: BaseException | None) -> list[Mapping[str, object]]:
    """What pydantic found; nothing where something else was raised."""
    from pydantic import ValidationError

    return [dict(item) for item in cause.errors()] if isinstance(cause, ValidationError) else []
