"""The disk cache of machine code: private, safe against damage, shared by processes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from robots.core.kernels import Kernel, cache
from robots.core.kernels import machine as machine_module
from tests.cases import cases

KEY = "ab" * 32
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")


def evaluated(example):
    """With a programme of its own, which this process has not loaded before."""
    programme, direct = replace(example[0]), example[1]
    x, y = np.linspace(-2, 2, 30).reshape(10, 3), np.linspace(-1, 1, 20).reshape(10, 2)
    found = Kernel(programme, "compiled")(x, y, out=np.empty((10, 5)))
    np.testing.assert_allclose(found, direct(x, y), rtol=1e-14, atol=1e-14)
    return found


def entries(folder: Path):
    return sorted((folder / "kernels").glob("*.o"))


@pytest.fixture
def compilations(monkeypatch, machine):
    """How often the compiler was asked."""
    assert machine is not None
    calls = []
    compile_text = machine_module.object_code

    def counted(text, target):
        calls.append(text)
        return compile_text(text, target)

    monkeypatch.setattr(machine_module, "object_code", counted)
    return calls


def test_what_was_written_is_read(cache_dir):
    assert cache.read(KEY) is None
    cache.write(KEY, b"machine code")
    assert cache.read(KEY) == b"machine code"
    assert [p.name for p in entries(cache_dir)] == [f"{KEY}.o"]
    assert len(list((cache_dir / "kernels").iterdir())) == 1  # nothing temporary is left


@posix
def test_the_folder_is_its_owners_only(cache_dir):
    cache.write(KEY, b"machine code")
    assert stat.S_IMODE((cache_dir / "kernels").stat().st_mode) == 0o700


def test_the_second_load_does_not_compile(cache_dir, compilations, example, monkeypatch):
    first = evaluated(example)
    assert len(compilations) == 1
    assert len(entries(cache_dir)) == 1

    def fail(*_):
        raise AssertionError("compiled although the cache has it")

    monkeypatch.setattr(machine_module, "object_code", fail)
    np.testing.assert_array_equal(evaluated(example), first)


@pytest.mark.parametrize(
    "damage",
    {
        "empty": lambda _: b"",
        "truncated": lambda content: content[:-7],
        "only a digest": lambda content: content[:32],
        "one bit": lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
        "other text": lambda _: b"not machine code" * 10,
    }.items(),
    ids=lambda item: item[0],
)
def test_a_damaged_entry_is_compiled_again(damage, cache_dir, compilations, example):
    evaluated(example)
    (entry,) = entries(cache_dir)
    content = entry.read_bytes()
    entry.write_bytes(damage[1](content))
    evaluated(example)
    assert len(compilations) == 2
    assert entry.read_bytes()[:32] == content[:32]
    evaluated(example)
    assert len(compilations) == 2


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_to_is_not_used(mode, cache_dir, compilations, example):
    evaluated(example)
    (cache_dir / "kernels").chmod(mode)
    assert cache.read(entries(cache_dir)[0].stem) is None
    cache.write(KEY, b"machine code")
    assert len(entries(cache_dir)) == 1
    evaluated(example)
    assert len(compilations) == 2


@posix
def test_a_folder_of_someone_else_is_not_used(monkeypatch):
    cache.write(KEY, b"machine code")
    monkeypatch.setattr(os, "getuid", lambda: 123_456)
    assert cache.read(KEY) is None


def test_a_folder_that_cannot_be_made_costs_only_time(cache_dir, compilations, example):
    cache_dir.write_text("a file where the folder should be")
    evaluated(example)
    evaluated(example)
    assert len(compilations) == 2


def test_a_disk_that_refuses_costs_only_time(cache_dir, compilations, example, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        evaluated(example)
    assert list((cache_dir / "kernels").iterdir()) == []
    evaluated(example)
    assert len(compilations) == 2


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_costs_only_time(cache_dir, compilations, example):
    (cache_dir / "kernels").mkdir(mode=0o700, parents=True)
    (cache_dir / "kernels").chmod(0o500)
    evaluated(example)
    assert entries(cache_dir) == []
    assert len(compilations) == 1


def test_another_programme_or_machine_is_another_entry(cache_dir, example, machine):
    from robots.core.kernels.compiled import CompiledForm

    programme, _ = example
    CompiledForm(programme, machine)
    CompiledForm(replace(programme, outputs=programme.outputs[::-1]), machine)
    CompiledForm(programme, replace(machine, lanes=2))
    assert len(entries(cache_dir)) == 3


WORK = """
import sys
import numpy as np
from robots.core.kernels import Kernel
from robots.core.quantities import quantity
from robots.library import load
kernel = Kernel(quantity("mass_matrix").record(load("measuring-arm")), "compiled")
sys.stdin.readline()
print(kernel(np.linspace(-2, 2, 55).reshape(11, 5)).tobytes().hex())
"""


def test_processes_that_compile_at_once_agree(cache_dir, machine):
    """They wait on a line from here, then compile the same kernel together."""
    assert machine is not None
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WORK],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(cases(gate=2, soak=4))
    ]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), answers
    assert len({out for out, _ in answers}) == 1
    assert len(answers[0][0]) == 11 * 25 * 16 + 1
    # The kernel, and the direct call that all kernels share.
    assert len(list((cache_dir / "kernels").iterdir())) == 2


@pytest.mark.parametrize(
    ("platform", "variable", "tail"),
    [
        ("linux", "XDG_CACHE_HOME", ("palpeur", "kernels")),
        ("win32", "LOCALAPPDATA", ("palpeur", "kernels")),
    ],
)
def test_the_folder_follows_the_platform(platform, variable, tail, tmp_path, monkeypatch):
    monkeypatch.delenv("PALPEUR_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert cache.cache_folder() == tmp_path.joinpath(*tail)


def test_without_any_setting_it_is_the_users_cache_folder(monkeypatch, tmp_path):
    for variable in ("PALPEUR_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache.cache_folder() == tmp_path / ".cache" / "palpeur" / "kernels"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache.cache_folder() == tmp_path / "Library" / "Caches" / "palpeur" / "kernels"
