"""Whatever is in a file, the command ends with 0, 1 or 2 and a message, never a traceback."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.cli.main import main
from robots.library import text_of
from tests.cases import cases

PHRASE = "RY(-160,160),TYK(800),RX(-90,90),[TXK(100),RZ],TZ(0,500),TZK(L1);"
DESCRIBED = """\
format = 1
[robot]
name = "described"
description = "{}"
[lengths_mm]
L1 = 200
"""
WHOLE = text_of("stanford")
LINES = WHOLE.splitlines(keepends=True)
quick = settings(
    max_examples=cases(gate=5, soak=60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
few = settings(max_examples=cases(gate=6, soak=25), deadline=None)


def outcome(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


def check(text: str, suffix: str = ".toml") -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"robot{suffix}")
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        code, out, err = outcome("robot", "check", str(path))
    assert "Traceback" not in err
    assert "Internal error" not in err, err
    assert code in (0, 1, 2)
    assert (code == 2) == (err.startswith("Error: ") and not out)


@quick
@given(st.integers(0, len(WHOLE)), st.text(max_size=12), st.integers(0, 12))
def test_a_robot_file_broken_anywhere(place, inserted, removed):
    check(WHOLE[:place] + inserted + WHOLE[place + removed :])


@quick
@given(st.data())
def test_a_robot_file_with_another_value_somewhere(data):
    keyed = [k for k, line in enumerate(LINES) if "=" in line.partition("#")[0]]
    k = data.draw(st.sampled_from(keyed))
    value = data.draw(
        st.sampled_from(
            ["nan", "-inf", "1e999", "-1", "0", "true", '""', "[]", "{}", '"base"', "1e308",
             "99999999999999999999", "[1,2]", "[0,0,0,0]", "1979-05-27", "'q1'", "5e-324"]
        )
    )  # fmt: skip
    changed = LINES[k].partition("=")[0] + f"= {value}\n"
    check("".join([*LINES[:k], changed, *LINES[k + 1 :]]))


@quick
@given(st.text(max_size=200))
def test_any_text_as_a_robot_file(text):
    check(text)
    check(text, ".urdf")


@quick
@given(st.integers(0, len(PHRASE)), st.text(max_size=4), st.integers(0, 3))
def test_a_phrase_broken_anywhere(place, inserted, removed):
    phrase = PHRASE[:place] + inserted + PHRASE[place + removed :]
    check(DESCRIBED.format(phrase.replace("\\", "").replace('"', "")))


def test_a_phrase_broken_at_every_character():
    for place in range(len(PHRASE)):
        for phrase in (PHRASE[:place] + PHRASE[place + 1 :], PHRASE[:place] + "?" + PHRASE[place:]):
            check(DESCRIBED.format(phrase))


HEADER = "q1_deg,q2_deg,q3_mm,q4_deg,q5_deg,q6_deg,T11,T12"
STATES = f"{HEADER[:-8]}\n10,20,300,40,50,60\n"
COMMANDS = st.sampled_from(
    [
        ("forward",),
        ("inverse", "--starts", "1"),
        ("velocity",),
        ("velocity", "--inverse"),
        ("dynamics",),
        ("dynamics", "--forward"),
        ("lagrange",),
        ("singularities",),
    ]
)


@few
@given(COMMANDS, st.integers(0, len(STATES)), st.text(max_size=20), st.integers(0, 8))
def test_states_broken_anywhere(command, place, inserted, removed):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "states.csv")
        text = STATES[:place] + inserted + STATES[place + removed :]
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        name, *options = command
        code, out, err = outcome("robot", name, "stanford", "--states", str(path), *options)
    assert "Internal error" not in err, err
    assert code in (0, 1, 2)
    if code == 2:
        assert out == ""
        assert err.splitlines()[-1].startswith("Error: ") or "Error: " in err


@quick
@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=10), st.text(max_size=10))
def test_any_motion_asked_for(start, end, kv, ka):
    code, _, err = outcome("motion", f"--from={start}", f"--to={end}", f"--kv={kv}", f"--ka={ka}")
    assert "Internal error" not in err, err
    assert code in (0, 2)


@quick
@given(st.lists(st.text(max_size=12), max_size=4))
def test_any_arguments(arguments):
    if not {"demo", "init"} & set(arguments):  # these write files
        code, _, err = outcome(*arguments)
        assert "Internal error" not in err, err
        assert code in (0, 1, 2)
