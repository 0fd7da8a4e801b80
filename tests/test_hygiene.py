"""Hygiene of the sources: no code out of data, XML without teeth, private temporary files.

Each rule says what it forbids; ``ALLOWED`` lists every exception with its reason, and an exception
that nothing needs any longer fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("planner", "robots", "parts", "reports")

MODULES = {
    **dict.fromkeys(
        ("pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "copyreg"),
        "runs what a file says",
    ),
    **dict.fromkeys(("multiprocessing", "concurrent.futures.process"), "speaks pickle"),
    **dict.fromkeys(("distributed", "dask"), "speaks pickle"),
    **dict.fromkeys(("code", "codeop", "runpy", "imp"), "runs text"),
    **dict.fromkeys(("xml", "xmlrpc", "plistlib"), "expands entities"),
    **dict.fromkeys(("tarfile",), "may write anywhere"),
    **dict.fromkeys(
        (
            "socket",
            "socketserver",
            "http",
            "urllib.request",
            "urllib3",
            "requests",
            "httpx",
            "aiohttp",
            "ftplib",
            "smtplib",
            "ssl",
        ),
        "talks to the network",
    ),
    **dict.fromkeys(("yaml",), "makes objects that a file names"),
}
CALLS = {
    **dict.fromkeys(("eval", "exec", "compile", "__import__"), "runs text"),
    **dict.fromkeys(("read_pickle", "to_pickle", "unpickle", "set_loads"), "runs what a file says"),
    **dict.fromkeys(
        ("sympify", "lambdify", "parse_expr"), "SymPy evaluates text with eval or exec"
    ),
    **dict.fromkeys(
        ("system", "popen", "spawnv", "execv", "execvp"), "starts a shell or a program"
    ),
    **dict.fromkeys(("extract", "extractall", "unpack_archive"), "may write anywhere"),
    **dict.fromkeys(("mktemp",), "a name that others may take first"),
    **dict.fromkeys(("import_module",), "loads code by a name"),
    **dict.fromkeys(("CDLL", "cdll", "LoadLibrary"), "loads machine code"),
    **dict.fromkeys(("umask",), "changes what every later file allows"),
    **dict.fromkeys(("ProcessPoolExecutor",), "speaks pickle"),
}
ALLOWED = {
    (
        "robots/core/benchmark/kernels.py",
        "pickle",
    ): "to a child of its own, by a pipe",
    ("planner/batch/cluster.py", "distributed"): "only with --cluster; docs/threat-model.md",
    (
        "robots/core/kernels/ahead.py",
        "import_module",
    ): "modules of the packages that its caller names",
    ("planner/batch/worker.py", "import_module"): "names written in the source",
    ("planner/batch/worker.py", "CDLL"): "the C library of the process: prctl",
    ("planner/result_files.py", "CDLL"): "the C library of the process: renameat2",
    ("planner/processes.py", "CDLL"): "the C library of the process: malloc_trim",
    (
        "robots/core/kernels/recordings.py",
        "marshal",
    ): "numbers and names, out of the cache whose machine code is run: docs/threat-model.md",
    ("robots/core/views.py", "import_module"): "one name, written in the source",
    ("robots/core/kernels/direct_call.py", "import_module"): "a module of NumPy, by its name",
    ("robots/core/kernels/machine.py", "CDLL"): "the process itself: addresses of sin and cos",
    ("planner/batch/cluster.py", "socket"): "why the scheduler of --cluster refuses a connection",
    ("reports/scene/viser_scene.py", "socket"): "asks whether this machine can listen on loopback",
    ("parts/geometry/three_mf.py", "xml"): "expat, which refuses a document type: no entities",
    ("reports/batch/files.py", "xml"): "only escapes what is written",
    ("reports/programmes/text.py", "xml"): "only escapes what is written",
    ("reports/pdf/document.py", "compile"): "Typst: our template, the report as JSON beside it",
    ("reports/evaluation/evaluation_set.py", "compile"): "likewise for an evaluation",
    ("robots/core/kernels/loop.py", "exec"): "text made of counted names; no input reaches it",
    ("robots/core/singularities/determinant.py", "sympify"): "an expression, never text",
    ("robots/core/singularities/determinant.py", "lambdify"): "expressions of our own symbols",
}
XML_PARSER = {
    "resolve_entities": False,
    "no_network": True,
    "huge_tree": False,
    "load_dtd": False,
    "dtd_validation": False,
}


@cache
def sources(word: str = "") -> list[Path]:
    """Files of the rooms; those that hold a word."""
    paths = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    return [path for path in paths if word in path.read_text(encoding="utf-8")]


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Imports and calls of a file: all that the rules speak of, sought once for all of them."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    kinds = (ast.Import, ast.ImportFrom, ast.Call)
    return tuple(node for node in ast.walk(tree) if isinstance(node, kinds))


def imported(node: ast.AST) -> Iterator[str]:
    """Dotted names that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield node.module or ""
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def forbidden_module(name: str) -> str | None:
    return next((m for m in MODULES if name == m or name.startswith(f"{m}.")), None)


HARMLESS = {("re", "compile"), ("platform", "system")}


def called(node: ast.AST) -> str:
    """Last name of what is called; of ``re.compile`` and its like nothing."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    if not isinstance(node.func, ast.Attribute):
        return ""
    owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
    return "" if (owner, node.func.attr) in HARMLESS else node.func.attr


def faults(nodes: Iterable[ast.AST]) -> set[str]:
    """Names of everything that the two lists forbid."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {module for name in imported(node) if (module := forbidden_module(name))}
        elif isinstance(node, ast.Call) and (name := called(node)) in CALLS:
            found.add(name)
    return found


def keywords(call: ast.Call) -> dict[str | None, object]:
    constant = ast.Constant
    return {k.arg: k.value.value for k in call.keywords if isinstance(k.value, constant)}


@cache
def all_calls() -> tuple[tuple[Path, str, ast.Call], ...]:
    found = ((path, node) for path in sources() for node in nodes_of(path))
    return tuple((path, called(node), node) for path, node in found if isinstance(node, ast.Call))


def calls(name: str) -> Iterator[tuple[Path, ast.Call]]:
    for path, last, node in all_calls():
        if last == name:
            yield path.relative_to(ROOT), node


def test_nothing_dangerous_but_what_is_listed():
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in sources()
        for name in faults(nodes_of(path))
    }
    assert sorted(found - ALLOWED.keys()) == []
    assert sorted(ALLOWED.keys() - found) == [], "exceptions that nothing needs"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import pickle", "pickle"),
        ("def f():\n    from pickle import loads", "pickle"),
        ("import xml.etree.ElementTree as E", "xml"),
        ("from concurrent.futures import process", "concurrent.futures.process"),
        ("from multiprocessing.pool import Pool", "multiprocessing"),
        ("from urllib import request", "urllib.request"),
        ("x = eval(text)", "eval"),
        ("x = builtins.compile(text, '', 'exec')", "compile"),
        ("pd.read_pickle(path)", "read_pickle"),
        ("os.system('ls')", "system"),
    ],
)
def test_the_scan_sees_what_it_forbids(text, name):
    assert faults(ast.walk(ast.parse(text))) == {name}


def test_the_scan_lets_the_harmless_pass():
    text = "import re, json\nfrom urllib.parse import quote\nre.compile('a')\nmodel.evaluate()\n"
    assert faults(ast.walk(ast.parse(text))) == set()


def test_arrays_are_loaded_without_objects():
    for path, call in calls("load"):
        if ast.unparse(call.func) in {"np.load", "numpy.load"}:
            assert keywords(call).get("allow_pickle") is False, path
    for _, call in (*calls("jit"), *calls("njit")):
        assert "cache" not in keywords(call), "Numba keeps its cache by pickle"


def test_every_xml_parser_is_without_teeth():
    parsers = list(calls("XMLParser"))
    assert len(parsers) >= 2
    for path, call in parsers:
        assert XML_PARSER.items() <= keywords(call).items(), path
    for name in ("fromstring", "parse", "iterparse", "XML"):
        for path, call in calls(name):
            if ast.unparse(call.func).startswith("etree."):
                assert len(call.args) == 2, f"{path}: a parser of our own must be given"
    scanners = [path for path, _ in calls("ParserCreate")]
    assert len(scanners) == 1
    for path in scanners:  # without a document type there are no entities, inside or outside
        assert "StartDoctypeDeclHandler = refused" in path.read_text(encoding="utf-8"), path


def test_no_program_is_started_by_a_shell():
    for name in ("run", "Popen", "call", "check_call", "check_output"):
        for path, call in calls(name):
            assert "shell" not in keywords(call), path


# --- temporary files -----------------------------------------------------------------------------


def test_temporary_files_are_made_by_functions_that_keep_them_private():
    """0700 and 0600 by the standard library; what writes into a fixed name says 0600 itself."""
    private = {"TemporaryDirectory", "mkstemp", "NamedTemporaryFile", "TemporaryFile", "mkdtemp"}
    for path in sources("tempfile"):
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("tempfile."):
                assert called(node) in private, path
                assert called(node) != "NamedTemporaryFile" or "delete" not in keywords(node), path
            assert "tempfile.gettempdir" not in (
                ast.unparse(node) if isinstance(node, ast.Call) else ""
            ), path


def test_files_that_are_made_by_flags_are_private():
    for path in sources("O_CREAT"):
        for node in nodes_of(path):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func) == "os.open"
                and "O_CREAT" in ast.unparse(node)
            ):
                assert len(node.args) == 3, path
                assert ast.unparse(node.args[2]) in {"384", "0o600"}, path  # 0o600


def test_the_cache_and_the_log_are_private(tmp_path, monkeypatch):
    from planner.cli.failures import exit_code_of
    from robots.core.kernels import cache

    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path / "cache"))
    cache.write("0" * 64, b"code")
    assert exit_code_of(RuntimeError("no"), "plan job.toml") == 1
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "cache").rglob("*")}
    assert modes == {"kernels": 0o700, f"{'0' * 64}.o": 0o600, "errors.log": 0o600}
