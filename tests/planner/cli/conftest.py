"""The command line, run in this process: exit code, stdout and stderr."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest

from planner.cli.main import main
from planner.presenting import present as presenting
from tests.cases import SOAK, cases

STATES = "q1_deg,q2_deg,q3_deg,q4_deg,q5_deg\n0,0,0,0,0\n30,-40,60,90,-20\n"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def rows(self):
        document = self.json
        assert document["format"] == 1
        return document["rows"]


@pytest.fixture
def palpeur(capsys, monkeypatch):
    """``palpeur("robot", "list")`` → what it answered; ``stdin`` is text."""

    def run(*arguments: object, stdin: str | None = None) -> Ran:
        if stdin is not None:
            stream = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
            monkeypatch.setattr(sys, "stdin", stream)
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Ran(code=int(code), out=out, err=err)

    return run


@pytest.fixture
def file(tmp_path):
    """``file("a.csv", text)`` → path of a new file."""

    def write(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture
def states(file):
    """Two postures of the measuring arm."""
    return file("states.csv", STATES)


@pytest.fixture
def first_figures(monkeypatch):
    """``first_figures(module, names)`` → files of the figures that sets hold, of all it draws.

    Two in the gate, all in the soak: drawing them is most of writing a set, and each has tests of
    its own.
    """

    def keep(module, names: list[str]) -> set[str]:
        kept = names if SOAK else names[:2]
        draw = module.figure_files
        monkeypatch.setattr(module, "figure_files", lambda all_: draw(islice(all_, len(kept))))
        return {f"{name}.{form}" for name in kept for form in ("png", "svg")}

    return keep


@pytest.fixture(scope="module")
def presented_once():
    """Several commands, or forms of an answer, ask what becomes of one presented job."""
    made, make = {}, presenting.present

    def remembered(job, *rest):
        if job.fingerprint not in made:
            made[job.fingerprint] = make(job, *rest)
        return made[job.fingerprint]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presenting, "present", remembered)
        patch.setattr(presenting, "_SPREAD", cases(gate=100, soak=300))
        yield
