"""The command as a whole: help, versions, exit codes, quiet, pipes, interruptions, bugs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import typer

from planner.cli import main as entry
from planner.cli.exit_codes import ExitCode
from planner.cli.failures import exit_code_of
from planner.library import path_of
from tests.cases import some

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = ["demo", "init", "plan", "check", "motion", "explain", "schema", "doctor", "completion"]
ROBOT = [
    *("list", "show", "check", "forward", "inverse", "velocity", "acceleration", "jacobian"),
    *("dynamics", "mass", "lagrange", "workspace", "singularities", "equations", "bench"),
]


RUN = "from planner.cli.main import run; run()"


def spawn(*arguments: object, code: str = RUN, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=120, **options
    )


def test_exit_codes_are_the_contract_s():
    assert sorted(ExitCode) == [0, 1, 2, 3, 130]


def test_version(palpeur):
    ran = palpeur("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"palpeur {version('palpeur')}\n", "")


@pytest.mark.parametrize("command", [(), *((c,) for c in (*COMMANDS, "robot"))])
def test_help_of_every_command(palpeur, command):
    ran = palpeur(*command, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Usage: palpeur")
    listed = COMMANDS if not command else ROBOT if command == ("robot",) else []
    assert [name for name in listed if name not in ran.out] == []


@pytest.mark.parametrize("command", ROBOT)
def test_help_of_every_robot_command(palpeur, command):
    ran = palpeur("robot", command, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert "--json" in ran.out or command == "equations"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("fly",), "No such command"),
        (("robot", "fly"), "No such command"),
        (("robot", "show"), "ROBOT"),
        (("robot", "forward", "measuring-arm"), "--states"),
        (("robot", "show", "measuring-arm", "--fast"), "No such option"),
        (("robot", "bench", "measuring-arm", "--samples", "many"), "samples"),
        (("robot", "bench", "measuring-arm", "--samples", "1"), "samples"),
        (("schema", "part"), "job, robot and plan"),
        (("completion", "tcsh"), "bash, zsh, fish"),
    ],
)
def test_wrong_usage_is_two_with_one_message_on_stderr(palpeur, arguments, part):
    ran = palpeur(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert part in ran.err
    assert "Error: " in ran.err


def test_quiet_stands_anywhere_and_leaves_only_the_result(palpeur, states):
    command = ["robot", "dynamics", "measuring-arm", "--states", states, "--json"]
    loud = palpeur(*command)
    assert "R206" in loud.err
    for place in (0, 2, len(command)):
        quiet = palpeur(*command[:place], "--quiet", *command[place:])
        assert (quiet.code, quiet.out, quiet.err) == (0, loud.out, "")
    # errors are told even so
    assert palpeur("-q", "robot", "show", "nobody").err.startswith("Error: ")


def test_a_bug_is_called_one_without_a_traceback(palpeur, monkeypatch, tmp_path):
    def broken(**_: object) -> int:
        raise ZeroDivisionError("of course")

    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("planner.cli.app.print_diagnosis", broken)
    ran = palpeur("doctor")
    assert (ran.code, ran.out) == (1, "")
    assert "Internal error: ZeroDivisionError: of course" in ran.err
    assert "a bug in Palpeur" in ran.err
    log = tmp_path / "errors.log"
    assert str(log) in ran.err
    assert "Traceback" in log.read_text()


def test_debugging_shows_the_traceback(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PALPEUR_DEBUG", "1")
    assert exit_code_of(ZeroDivisionError("x"), "doctor") == 1
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            "robot forward arm --states s.csv",
            "`palpeur robot forward` needs more memory than there",
        ),
        ("plan job.toml --out set", "`palpeur plan` needs more memory than there is"),
        ("--quiet", "`palpeur` needs more memory than there is"),
    ],
)
def test_a_lack_of_memory_is_told_of_the_command_that_ran(capsys, arguments, told):
    with pytest.raises(MemoryError) as caught:
        np.empty(1 << 60, dtype=np.uint8)
    assert exit_code_of(caught.value, arguments) == 2
    said = capsys.readouterr().err
    assert told in said
    assert "Unable to allocate 1.00 EiB" in said
    assert ("states" in said) == ("--states" in arguments)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), typer.Abort()])
def test_an_interruption_is_130(capsys, error):
    assert exit_code_of(error, "") == 130
    assert capsys.readouterr().err == (
        "Interrupted: nothing half-written stays, earlier files are as they were; the same command "
        "starts anew.\n"
    )


def test_ctrl_c_inside_a_command_is_130(palpeur, monkeypatch):
    def stopped(**_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("planner.cli.app.print_diagnosis", stopped)
    assert palpeur("doctor").code == 130


def test_little_memory_is_told(capsys):
    assert exit_code_of(MemoryError(), "") == 2
    assert "memory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "unbuffered"),
    some(
        [
            (("biped", "squat", "bip-leg", "--hip", "80", "--json"), 1, ""),
            (("robot", "equations", "industrial-6r", "--as", "c"), 0, ""),
            (("biped", "squat", "bip-leg", "--hip", "80", "--json"), 1, "1"),
            (("robot", "equations", "industrial-6r", "--as", "c"), 0, "1"),
        ],
        gate=2,
    ),
)
def test_a_reader_that_leaves_early_does_not_change_the_verdict(arguments, code, unbuffered):
    programme = "from planner.cli.main import run; run()"
    process = subprocess.Popen(
        [sys.executable, "-c", programme, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()  # before anything is written
    error = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=120), error) == (code, b"")


def test_the_process_ends_with_the_code():
    done = spawn("robot", "show", "nobody")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_a_plan_with_searched_detours_ends_without_a_word_and_colour(tmp_path):
    """Nor is anything bold off a terminal, as the answer of the first command is on one."""
    job = shutil.copytree(path_of("obstructed").parent, tmp_path / "walled") / "job.toml"
    points = job.with_name("points.csv")
    head, *rows = points.read_text().splitlines(keepends=True)
    points.write_text(head + "".join(r for r in rows if r.split(",")[0] in {"P21", "P20", "P5"}))
    explain = "import sys; from planner.cli.main import main; main(['explain', sys.argv[2], 'P20'])"
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"FORCE_COLOR": "1"}
    done = spawn("check", job, code=f"{explain}; {RUN}", env=environment)
    assert done.stdout.startswith("P20: measurable")
    assert "detour" in done.stdout
    assert "\x1b" not in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_bold_needs_a_terminal_and_no_no_color(monkeypatch):
    from planner.cli.output import bold

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(os, "name", "posix")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert bold("x") == "\x1b[1mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert bold("x") == "x"


def test_a_shell_gets_completions():
    environment = os.environ | {
        "_PALPEUR_COMPLETE": "complete_bash",
        "COMP_WORDS": "palpeur robot ske",
        "COMP_CWORD": "1",
    }
    done = spawn(env=environment | {"COMP_WORDS": "palpeur mot"})
    assert (done.returncode, done.stdout.strip()) == (0, "motion")


def test_run_is_the_entry_point(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["palpeur", "--version"])
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit) as stop:
            entry.run()
        assert stop.value.code == 0
        # All is done and told: Ctrl-C does not turn the code into that of an interruption.
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
