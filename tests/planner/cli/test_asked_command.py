"""Only what is asked for is built, and nobody can tell."""

from __future__ import annotations

import pytest
import typer

from planner.cli.app import app
from planner.cli.main import requested_application
from tests.planner.cli.command_house import COMMANDS


def commands_in(group, path=()):
    for name, command in getattr(group, "commands", {}).items():
        yield " ".join((*path, name))
        yield from commands_in(command, (*path, name))


def options_of(command):
    return [(item.name, item.opts, item.default) for item in command.params]


def help_of(command):
    return command.get_help(typer.Context(command, info_name=command.name))


def asked(*arguments):
    return typer.main.get_command(requested_application(app, arguments))


@pytest.fixture(scope="module")
def built():
    return typer.main.get_command(app)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_found_alone_and_is_the_same(command, built):
    words = command.split()
    thin, whole = asked("-q", *words, "some.toml", "--json"), built
    assert list(commands_in(thin)) == [" ".join(words[:k]) for k in range(1, len(words) + 1)]
    assert options_of(thin) == options_of(whole)
    for name in words:
        thin, whole = thin.commands[name], whole.commands[name]
    assert options_of(thin) == options_of(whole)
    assert help_of(thin) == help_of(whole)


@pytest.mark.parametrize("words", [(), ("--help",), ("nonsense",), ("--quiet", "Robot")])
def test_help_and_slips_see_everything(words):
    assert len(set(commands_in(asked(*words)))) > len(COMMANDS)


@pytest.mark.parametrize("words", [("robot",), ("robot", "--help"), ("robot", "forwrd")])
def test_a_group_is_listed_whole(words):
    found = set(commands_in(asked(*words)))
    assert found == {"robot"} | {name for name in COMMANDS if name.startswith("robot ")}


def test_the_application_is_not_changed():
    before = len(app.registered_commands), len(app.registered_groups)
    asked("robot", "forward")
    assert (len(app.registered_commands), len(app.registered_groups)) == before


@pytest.mark.parametrize("group", [(), ("robot",), ("stewart",), ("biped",)])
def test_a_group_without_a_command_shows_its_help_and_no_error(palpeur, group):
    ran = palpeur(*group)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == palpeur(*group, "--help").out
    assert ran.err.startswith(" ".join(("Usage: palpeur", *group)))
