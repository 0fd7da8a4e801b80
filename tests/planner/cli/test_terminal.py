"""What comes from files and names is text on a terminal, never a command; libraries say nothing."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys

import pytest

from planner.cli.output import bold
from reports.console import PLAIN_WIDTH, Table, console_on
from reports.visible_text import EscapedStream

ESC = "\x1b[31m"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_control_characters_are_written_as_their_codes():
    behind = io.StringIO()
    print(f"a{ESC}b\x07\x9b\u202e", file=EscapedStream(behind))
    assert behind.getvalue() == "a⟨U+001B⟩[31mb⟨U+0007⟩⟨U+009B⟩⟨U+202E⟩\n"


def test_our_own_emphasis_passes_on_a_terminal_and_nothing_else(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    behind = Terminal()
    monkeypatch.setattr(sys, "stdout", EscapedStream(behind))
    print(bold(f"title{ESC}"))
    assert behind.getvalue() == "\x1b[1mtitle⟨U+001B⟩[31m\x1b[0m\n"
    off = io.StringIO()
    print("\x1b[1mforged\x1b[0m", file=EscapedStream(off))
    assert "\x1b" not in off.getvalue()


@pytest.mark.parametrize("file", [Terminal, io.StringIO])
def test_a_console_escapes_text_and_cells(file):
    behind = file()
    console = console_on(EscapedStream(behind))
    console.print(f"name{ESC}", style="bold")
    console.table(Table(headers=("column", "2"), rows=[(f"cell{ESC}", (f"styled{ESC}", "dim"))]))
    assert ESC not in behind.getvalue()
    assert behind.getvalue().count("⟨U+001B⟩[31m") == 3


def test_a_terminal_and_a_file_show_the_same_words(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(PLAIN_WIDTH))
    shown = []
    for file in (Terminal(), io.StringIO()):
        console = console_on(file)
        console.print("\n" + " ".join(f"word-{k}" for k in range(40)), style="bold")
        console.print("long " * 60, soft_wrap=True)
        console.print("begun ", style="red", end="")
        console.print("and ended")
        rows = [("q1", "0.5", ("ok", "green")), ("longer name", "12.25", "")]
        console.table(Table(headers=("joint", "found", ""), rows=rows, text=(0, 2)))
        text = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
        shown.append([line.rstrip() for line in text.splitlines()])
    assert shown[0] == shown[1]
    assert "longer name  12.25" in shown[1]


@pytest.mark.parametrize(
    "text",
    [
        '"key\\u001b[31m" = 1\n',
        '[robot]\nmodel = "no\\u001b[31mbody"\n',
        '[points]\nfile = "no\\u001b[31mfile.csv"\n',
        "\x1b[31m\n",
        'name = "\x1b[31m"\n',
    ],
)
def test_a_refused_job_brings_no_control_character_to_the_terminal(palpeur, tmp_path, text):
    job = tmp_path / f"job{ESC}.toml"
    job.write_text(text)
    for arguments in (["check", job], ["plan", job, "--out", tmp_path / "set"], [job], [f"-{ESC}"]):
        ran = palpeur(*arguments)
        assert ran.code == 2
        assert "\x1b" not in ran.out + ran.err
    assert "\x1b" not in palpeur("check", tmp_path / f"nobody{ESC}.toml").err


def test_a_bug_leaves_no_control_character_in_the_log(palpeur, monkeypatch, tmp_path):
    def broken(**_: object) -> int:
        raise ZeroDivisionError(ESC)

    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("planner.cli.app.print_diagnosis", broken)
    assert ESC not in palpeur("doctor").err
    assert ESC not in (tmp_path / "errors.log").read_text()


def test_json_escapes_what_a_terminal_would_obey_and_reads_back():
    from reports.document_text import document_text

    text = document_text({"name": "a\x9b31m\u202e\U000e0041é"})
    assert not any(sign in text for sign in "\x9b\u202e\U000e0041")
    assert "é" in text
    assert json.loads(text)["name"] == "a\x9b31m\u202e\U000e0041é"


def test_a_library_s_warning_goes_to_the_log_and_not_to_the_user(tmp_path):
    code = (
        "import numpy, warnings, logging, planner.cli.app as d\n"
        "def loud(**_):\n"
        "    numpy.zeros(1) / numpy.zeros(1)\n"
        "    warnings.warn('old', DeprecationWarning)\n"
        "    logging.getLogger('library').warning('beware')\n"
        "    return 0\n"
        "d.print_diagnosis = loud\n"
        "from planner.cli.main import run; run()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "doctor"],
        env=os.environ | {"PALPEUR_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    log = (tmp_path / "errors.log").read_text()
    assert "RuntimeWarning" in log
    assert "library: beware" in log
