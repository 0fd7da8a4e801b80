"""The command that is asked for, without the fifty others.

Typer reads the options of every command from its signature, which takes longer than most commands
run; so an application is thinned out first to what the arguments name.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from typer.models import CommandInfo


def asked_application(app: typer.Typer, arguments: Sequence[str]) -> typer.Typer:
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
    if info.name is not None:
        return info.name
    return typer.main.get_command_name(info.callback.__name__) if info.callback else ""
