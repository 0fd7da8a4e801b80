"""The architecture as a test: doors between rooms, exported names, imports at start."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("planner", "robots", "parts", "reports")
DOOR = "palpeur.py"  # tested in test_front_door
CODE_SUFFIXES = {".py", ".pyi", ".pyx", ".ipynb", ".c", ".h", ".cpp", ".rs", ".js", ".ts", ".sh"}
FORBIDDEN_WORDS = {"util", "utils", "helper", "helpers", "manager", "managers"}
HEAVY = {
    *("lxml", "llvmlite", "matplotlib", "pandas", "pinocchio"),
    *("pyarrow", "pydantic", "scipy", "sympy", "trimesh", "jinja2", "typst", "xlsxwriter"),
    *("openpyxl", "viser", "zstandard", "msgspec", "websockets", "numba", "ompl"),
}


def listed_files(pattern: str = "*") -> list[Path]:
    """Files git tracks or would track, relative to the root; deleted ones are not listed."""
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    command += ["--cached", "--others", "--exclude-standard", "--", pattern]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in sorted(set(found.split("\0")) - {""}) if (ROOT / name).exists()]


def product_files() -> list[Path]:
    return [path for path in listed_files("*.py") if path.parts[0] != "tests"]


def parsed(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))


# --- names and places ----------------------------------------------------------------------------


def test_there_is_something_to_look_at():
    assert {path.parts[0] for path in product_files()} == {DOOR, *ROOMS}


def test_code_lives_in_the_four_rooms_and_the_tests_only():
    allowed = {DOOR, *ROOMS, "tests"}
    code = [path for path in listed_files() if path.suffix in CODE_SUFFIXES]
    assert [str(path) for path in code if path.parts[0] not in allowed] == []


def test_no_module_has_an_empty_name():
    named = [
        (path, re.split(r"[._]", part)) for path in listed_files("*.py") for part in path.parts
    ]
    assert [str(path) for path, words in named if FORBIDDEN_WORDS & set(words)] == []


def test_every_module_has_a_docstring():
    opening = re.compile(r'(?:#[^\n]*\n|\s)*(?:"""|")\s*[^\s"]')  # parsing takes far longer
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in listed_files("*.py")}
    assert [str(path) for path, text in texts.items() if not opening.match(text)] == []


def test_rooms_are_packages_and_tests_are_not():
    folders = {folder for path in product_files() for folder in path.parents} - {Path()}
    assert [str(f) for f in sorted(folders) if not (ROOT / f / "__init__.py").is_file()] == []
    assert [str(p) for p in listed_files("tests/**/__init__.py")] == []


# --- exported names ------------------------------------------------------------------------------


PACKAGES = [".".join(p.parent.parts) for p in product_files() if p.name == "__init__.py"]


def declared_names(tree: ast.Module) -> tuple[set[str], list[str]]:
    """Names an ``__init__.py`` re-exports, and the statements that do anything else."""
    names: set[str] = set()
    exported: set[str] = set()
    other: list[str] = []
    for node in tree.body[ast.get_docstring(tree) is not None :]:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        if isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names if alias.asname == alias.name}
            exported |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names |= set(ast.literal_eval(node.value))
        else:
            other.append(f"line {node.lineno}: {ast.unparse(node)[:60]}")
    other += [f"{name} is imported but not re-exported" for name in sorted(exported - names)]
    return names, other


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_exports_exactly_what_it_declares(package):
    names, other = declared_names(parsed(Path(*package.split("."), "__init__.py")))
    assert other == []
    module = importlib.import_module(package)
    found = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not (isinstance(value, types.ModuleType) and value.__name__ == f"{package}.{name}")
        and name != "annotations"  # left behind by `from __future__ import annotations`
    }
    assert found == {name for name in names if not name.startswith("_")}


# --- what starting costs -------------------------------------------------------------------------


def imported_by(code: str, *arguments: str) -> set[str]:
    """Top-level names of everything a fresh interpreter imports while it runs the code."""
    command = [sys.executable, "-X", "importtime", "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"^import time: +\d+ \| +\d+ \| +(\S+)$", done.stderr, flags=re.MULTILINE)
    return {name.partition(".")[0] for name in lines}


def test_the_import_probe_sees_a_heavy_module():
    assert "pydantic" in imported_by("def late():\n    import pydantic\nlate()")


def test_importing_a_room_is_light():
    imported = imported_by(f"import {', '.join(ROOMS)}, robots.core, palpeur")
    assert {*ROOMS, "palpeur"} <= imported
    assert imported & HEAVY == set()


def test_no_module_starts_with_scipy():
    """A plan imports what it needs of it: 0.1 s of CPU that a small job does without."""
    line = re.compile(r"^(from|import) scipy\b", re.MULTILINE)
    assert not [path for path in product_files() if line.search((ROOT / path).read_text("utf-8"))]


def test_a_check_of_five_points_imports_what_it_needs():
    """Each of the others costs it 15 ms to 0.2 s of CPU; np.unique brings masked arrays along."""
    code = (
        "import sys; from planner.cli.main import main; code = main(sys.argv[1:]);"
        "print(code, *sys.modules)"
    )
    job = ROOT / "planner" / "job" / "template" / "job.toml"
    command = [sys.executable, "-c", code, "check", job]
    ran = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    exit_code, *loaded = ran.stdout.splitlines()[-1].split()
    assert exit_code == "0", ran.stderr
    assert {*HEAVY, "numpy.ma", "rich"} & {*loaded} == {"llvmlite", "pydantic"}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_command_line_starts_light(option):
    imported = imported_by("from planner.cli.main import run; run()", option)
    assert "planner" in imported
    assert imported & HEAVY == set()


# --- doors ---------------------------------------------------------------------------------------


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from importlinter.cli import lint_imports_command as run; run()"
    command = [sys.executable, "-c", code, "--no-cache", "--config", str(folder / "pyproject.toml")]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)


def test_the_doors_between_the_rooms_hold():
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def model_house(tmp_path):
    """The contracts over a house of empty rooms, for a test to put one import into."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    rooms = [*ROOMS, "planner/cli", "robots/core", "robots/library", "robots/arm", "robots/biped"]
    rooms += ["robots/core/caps", "robots/core/motion", "planner/motion", "planner/proof"]
    forbidden = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = forbidden["tool"]["importlinter"]["contracts"][-1]
    rooms += sorted(name.replace(".", "/") for name in contract["forbidden_modules"])
    for room in rooms:
        (tmp_path / room).mkdir(exist_ok=True)
        (tmp_path / room / "__init__.py").touch()
    for leaf in ("arrays", "catalogue", "errors", "views"):
        (tmp_path / f"robots/core/{leaf}.py").touch()
    return tmp_path


# An import in a file of the model house, and the code the contracts end with.
DOORS = [
    ("planner/cli/main.py", "reports", 0),
    ("planner/stage.py", "robots.arm", 0),
    ("robots/arm/inverse.py", "robots.core", 0),
    ("planner/stage.py", "reports", 1),
    ("planner/stage.py", "planner.cli.main", 1),
    ("planner/batch/run.py", "reports", 1),
    ("planner/proof/proof.py", "planner.planning", 1),
    ("planner/proof/proof.py", "planner.proof.check", 0),
    ("parts/mesh.py", "robots.core", 1),
    ("parts/mesh.py", "robots.core.caps", 0),
    ("parts/mesh.py", "robots.core.views", 0),
    ("parts/mesh.py", "robots.core.arrays", 0),
    ("parts/mesh.py", "robots.core.catalogue", 0),
    ("parts/mesh.py", "robots.core.errors", 0),
    ("robots/arm/inverse.py", "parts", 1),
    ("robots/arm/inverse.py", "robots.biped", 1),
    ("robots/core/pose.py", "robots.library", 1),
    ("robots/core/pose.py", "planner", 1),
]
# All of them in one process: loading import-linter takes longer than its work.
EACH = """
import json, pathlib, sys
from importlinter.cli import lint_imports

for line in sys.stdin:
    file, imported = json.loads(line)
    path = pathlib.Path(file)
    before = path.read_text() if path.exists() else None
    path.write_text(f"import {imported}\\n")
    print("CODE", lint_imports(config_filename="pyproject.toml", no_cache=True), flush=True)
    path.unlink() if before is None else path.write_text(before)
"""


def test_each_door_opens_one_way(model_house):
    (model_house / "planner/cli/main.py").write_text("import reports\n")
    asked = "".join(json.dumps([file, imported]) + "\n" for file, imported, _ in DOORS)
    command = [sys.executable, "-c", EACH]
    done = subprocess.run(
        command, cwd=model_house, input=asked, check=False, capture_output=True, text=True
    )
    codes = [int(code) for code in re.findall(r"^CODE (\d)$", done.stdout, flags=re.MULTILINE)]
    told = [(*case[:2], code) for case, code in zip(DOORS, codes, strict=True)]
    assert told == DOORS, done.stdout + done.stderr


def test_a_new_room_in_robots_must_be_given_a_place(model_house):
    (model_house / "robots/extra.py").touch()
    assert lint_imports(model_house).returncode == 1
