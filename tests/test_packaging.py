"""The wheel: what is inside, what is not, and that it works away from the checkout."""

from __future__ import annotations

import email.message
import email.parser
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("planner", "robots", "parts", "reports")
TEST_TOOLS = {"hypothesis", "import-linter", "mypy", "pin", "pytest", "pytest-xdist", "ruff"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel built from a copy of the sources, so that nothing stale in build/ gets in."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "palpeur.py"):
        shutil.copy(ROOT / name, source)
    for room in (*ROOMS, "tests"):
        shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__"))
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    done = subprocess.run([*command, str(source)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def contents(wheel) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def metadata(contents) -> email.message.Message:
    (name,) = (name for name in contents if name.endswith(".dist-info/METADATA"))
    return email.parser.BytesParser().parsebytes(contents[name])


def declared_version() -> str:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]


def test_every_module_and_robot_file_is_inside(contents):
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    library = list((ROOT / "robots/library").glob("*.toml"))
    assert library, "robots/library holds no robot file"
    inside = [ROOT / "palpeur.py", *(ROOT / room / "py.typed" for room in ROOMS)]
    kernels = ROOT / "robots/core/kernels"
    ahead = [*kernels.glob("objects/*.o"), *kernels.glob("bitcode/*.bc")]  # where `make` has been
    files = [*sources, *library, *inside, *ahead]
    assert {path.relative_to(ROOT).as_posix() for path in files} - set(contents) == set()


def test_nothing_else_is_inside(contents):
    roots = {name.partition("/")[0] for name in contents}
    assert {root for root in roots if not root.endswith(".dist-info")} == {
        "palpeur.py",
        *ROOMS,
    }
    assert [name for name in contents if "tests" in Path(name).parts or name.endswith(".pyc")] == []


def test_the_metadata_says_what_it_is(metadata, contents):
    assert metadata["Name"] == "palpeur"
    assert metadata["Version"] == declared_version()
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert {"test", "dev", "cluster"} <= set(metadata.get_all("Provides-Extra"))
    for name in ("LICENSE", "NOTICE"):
        assert any(found.endswith(f".dist-info/licenses/{name}") for found in contents)
    assert "reports/scene/notices.txt" in contents
    (name,) = (name for name in contents if name.endswith("entry_points.txt"))
    assert "palpeur = planner.cli.main:run" in contents[name].decode()


def test_users_do_not_get_the_test_tools(metadata):
    required = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    names = {re.match(r"[\w.-]+", line)[0].lower() for line in required}
    assert "numpy" in names
    assert names & TEST_TOOLS == set()


def test_every_dependency_has_a_lower_bound(metadata):
    loose = [line for line in metadata.get_all("Requires-Dist") if ">=" not in line]
    assert [line for line in loose if not line.startswith("palpeur[")] == []


def test_the_command_tells_the_same_version():
    command = Path(sysconfig.get_path("scripts"), "palpeur")
    assert command.is_file(), "the command is not installed here: run `make test`"
    done = subprocess.run([command, "--version"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert declared_version() in done.stdout.split()


@pytest.mark.soak
def test_the_wheel_works_in_a_clean_environment_outside_the_checkout(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env/bin/python"
    away = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*command: str | Path) -> str:
        options = {"cwd": tmp_path, "env": away, "capture_output": True, "text": True}
        done = subprocess.run(command, check=False, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(python, "-m", "pip", "install", "--quiet", wheel)
    palpeur = tmp_path / "env/bin/palpeur"
    assert declared_version() in run(palpeur, "--version").split()
    assert "measuring-arm" in run(palpeur, "robot", "list")
    assert run(palpeur, "robot", "show", "measuring-arm")
    assert str(tmp_path) in run(python, "-c", "import robots; print(robots.__file__)")
    door = "import palpeur as pp; print(pp.__version__, pp.load_robot('measuring-arm').dof)"
    assert run(python, "-c", door).split() == [declared_version(), "5"]
    probe = "import importlib.util as u; print(u.find_spec('pytest'), u.find_spec('tests'))"
    assert run(python, "-c", probe).split() == ["None", "None"]
