"""No command writes over a file that does not say that the command wrote it, but by force."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from planner.cli.main import main
from planner.result_files import write_result
from tests.cases import some

COMMANDS = (
    ("measure", "job.toml"),
    ("sample", "block", "--feature", "top", "--count", "5"),
    ("robot", "equations", "planar-3r"),
    ("robot", "calibrate", "measuring-arm", "--plan", "24"),
    ("robot", "calibrate", "measuring-arm", "--measurements", "points.csv"),
    ("stewart", "calibrate", "measuring-hexapod", "--measured", "points.csv"),
    ("motion", "--from", "0", "--to", "1", "--kv", "1", "--ka", "1"),
)


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    """A job to lose."""
    monkeypatch.chdir(tmp_path)
    assert main(["--quiet", "init", "."]) == 0


def refusal(command: str, name: object) -> str:
    return (
        f"{name} is there already, and nothing in it shows that `palpeur {command}` wrote it and "
        "that it is unchanged; give another file with --out, or --force to replace it."
    )


def spoken(command: tuple[str, ...]) -> str:
    words = command[: 2 if command[0] in ("robot", "stewart") else 1]
    return " ".join(words) + (" --plan" if "--plan" in command else "")


@pytest.mark.parametrize("name", ["job.toml", "points.csv"])
@pytest.mark.parametrize("command", COMMANDS, ids=spoken)
def test_a_file_of_somebody_else_stays(palpeur, command, name, capsys):
    capsys.readouterr()
    before = Path(name).read_bytes()
    ran = palpeur(*command, "--out", name)
    assert (ran.code, ran.out) == (2, "")
    read = name in command
    assert ran.err == (
        f"Error: {name} is read by this command and is not overwritten; give another file with "
        "--out.\n"
        if read
        else f"Error: {refusal(spoken(command), name)}\n"
    )
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize("command", some([COMMANDS[k] for k in (0, 1, 3, 6)], gate=2), ids=spoken)
def test_a_table_cannot_say_whose_it_is_and_is_replaced_by_force_only(palpeur, command):
    assert palpeur(*command, "--out", "new.csv").code == 0
    before = Path("new.csv").read_bytes()
    ran = palpeur(*command, "--out", "new.csv")
    assert (ran.code, ran.err) == (2, f"Error: {refusal(spoken(command), 'new.csv')}\n")
    Path("new.csv").write_text("mine")
    assert palpeur(*command, "--out", "new.csv", "--force").code == 0
    assert Path("new.csv").read_bytes() == before


def test_an_input_is_not_replaced_by_force(palpeur):
    before = Path("job.toml").read_bytes()
    ran = palpeur("measure", "job.toml", "--out", "job.toml", "--force")
    assert (ran.code, ran.out) == (2, "")
    assert "job.toml is read by this command and is not overwritten" in ran.err
    assert Path("job.toml").read_bytes() == before


@pytest.mark.parametrize("form", ["text", "latex", "python", "c", "matlab"])
def test_a_text_says_whose_it_is_until_it_is_changed(palpeur, form):
    command = ("robot", "equations", "planar-3r", "--as", form, "--out", "new.txt")
    for _ in range(2):
        assert palpeur(*command).code == 0
    with Path("new.txt").open("a") as file:
        file.write("x")
    changed = Path("new.txt").read_bytes()
    ran = palpeur(*command)
    assert (ran.code, ran.err) == (2, f"Error: {refusal('robot equations', 'new.txt')}\n")
    assert Path("new.txt").read_bytes() == changed
    assert palpeur(*command, "--force").code == 0
    assert Path("new.txt").read_bytes() == changed[:-1]


def test_one_of_several_runs_is_somebody_elses(palpeur):
    Path("m-2.csv").write_text("mine")
    ran = palpeur("measure", "job.toml", "--runs", "2", "--out", "m.csv")
    assert (ran.code, ran.err) == (2, f"Error: {refusal('measure', 'm-2.csv')}\n")
    assert not Path("m-1.csv").exists()


def test_equations_in_a_folder(palpeur):
    command = ("robot", "equations", "planar-3r", "--as", "python", "--out", "code/")
    assert palpeur(*command).code == palpeur(*command).code == 0
    (path,) = Path("code").iterdir()
    path.write_text("mine")
    ran = palpeur(*command)
    assert (ran.code, ran.err) == (2, f"Error: {refusal('robot equations', path)}\n")
    assert path.read_text() == "mine"


def test_a_set_goes_into_a_folder_of_others_by_force_and_leaves_them_what_is_theirs(palpeur):
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("mine")
    Path("mine/plan.json").write_text("mine, too")
    command = ("plan", "job.toml", "--data-only", "--out", "mine")
    ran = palpeur(*command)
    assert (ran.code, ran.out) == (2, "")
    assert "mine holds notes.txt and 1 more, which is of no report set" in ran.err
    assert "--force to replace files of the same names there" in ran.err
    assert palpeur(*command, "--force").code == 0
    assert Path("mine/notes.txt").read_text() == "mine"
    assert Path("mine/plan.json").read_text() != "mine, too"
    assert "not part of the set: 1 files" in palpeur("verify", "mine").out
    ran = palpeur(*command)
    assert ran.code == 2
    assert "mine holds notes.txt, which is of no report set" in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
def test_a_device_has_no_owner():
    write_result(Path("/dev/null"), "text", "palpeur sample")
    assert Path("/dev/null").is_char_device()


def test_an_empty_file_is_a_name_kept_free(palpeur):
    Path("eq.txt").touch()
    assert palpeur("robot", "equations", "planar-3r", "--out", "eq.txt").code == 0
    assert Path("eq.txt").stat().st_size > 0
