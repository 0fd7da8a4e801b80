"""No command writes over a file that it did not write, or that was changed since."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from planner.cli.main import main
from planner.cli.own_file import check_own_file, write_own_file
from planner.errors import OutputError

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
    """A job to lose, and a memory of its own."""
    monkeypatch.setattr("planner.cli.own_file.memory_folder", lambda: tmp_path / "written")
    monkeypatch.chdir(tmp_path)
    assert main(["--quiet", "init", "."]) == 0


def refusal(command: str, name: object) -> str:
    return (
        f"{name} is not overwritten: `palpeur {command}` did not write it, or it was changed "
        "since; give another file with --out, or move this one away."
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
        if read and command[0] != "measure"
        else f"Error: {refusal(spoken(command), name)}\n"
    )
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize("command", [COMMANDS[k] for k in (0, 1, 2, 6)], ids=spoken)
def test_the_same_command_again(palpeur, command):
    for _ in range(2):
        assert palpeur(*command, "--out", "new.txt").code == 0
    with Path("new.txt").open("a") as file:
        file.write("x")
    changed = Path("new.txt").read_bytes()
    ran = palpeur(*command, "--out", "new.txt")
    assert (ran.code, ran.err) == (2, f"Error: {refusal(spoken(command), 'new.txt')}\n")
    assert Path("new.txt").read_bytes() == changed


def test_another_result_takes_the_place_of_an_earlier_one(palpeur):
    for count in ("5", "7"):
        ran = palpeur("sample", "block", "--feature", "top", "--count", count, "--out", "new.csv")
        assert ran.code == 0
    assert len(Path("new.csv").read_text().splitlines()) == 8


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


def test_an_input_is_never_replaced(tmp_path):
    """Even its own: a second calibration would start from the first one's result."""
    write_own_file(tmp_path / "arm.toml", "arm", "palpeur robot calibrate")
    check_own_file(tmp_path / "arm.toml", "palpeur robot calibrate", ["measuring-arm", "-", "a\0"])
    with pytest.raises(OutputError, match=r"arm\.toml is read by this command and is not overw"):
        check_own_file(tmp_path / "arm.toml", "palpeur robot calibrate", ["arm.toml"])


def test_the_file_of_another_command(tmp_path):
    write_own_file(tmp_path / "a", "text", "palpeur sample")
    with pytest.raises(OutputError, match="`palpeur measure` did not write it"):
        write_own_file(tmp_path / "a", "other", "palpeur measure")
    assert (tmp_path / "a").read_text() == "text"


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_link_is_somebody_elses(tmp_path):
    write_own_file(tmp_path / "a", "text", "palpeur sample")
    for name, target in (("link", "a"), ("dangling", "nothing")):
        (tmp_path / name).symlink_to(target)
        with pytest.raises(OutputError, match=f"{name} is not overwritten"):
            write_own_file(tmp_path / name, "text", "palpeur sample")


def test_a_lost_memory_loses_no_file(tmp_path, monkeypatch):
    write_own_file(tmp_path / "a", "text", "palpeur sample")
    lost = tmp_path / "job.toml" / "written"  # cannot be a folder
    monkeypatch.setattr("planner.cli.own_file.memory_folder", lambda: lost)
    with pytest.raises(OutputError, match="a is not overwritten"):
        write_own_file(tmp_path / "a", "other", "palpeur sample")
    write_own_file(tmp_path / "b", "text", "palpeur sample")
    assert (tmp_path / "b").read_text() == "text"


@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
def test_a_device_has_no_owner():
    write_own_file(Path("/dev/null"), "text", "palpeur sample")
    assert Path("/dev/null").is_char_device()


def test_an_empty_file_is_a_name_kept_free(palpeur):
    Path("eq.txt").touch()
    assert palpeur("robot", "equations", "planar-3r", "--out", "eq.txt").code == 0
    assert Path("eq.txt").stat().st_size > 0
