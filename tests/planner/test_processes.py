"""Names for what is half-written say whose it is, and fit beside any name; memory is returned."""

from __future__ import annotations

import os
import platform
import resource
from pathlib import Path

import numpy as np
import pytest

from planner.processes import (
    half_written,
    host,
    left_behind,
    own_start,
    return_memory,
    started,
)


def test_this_process_began_when_the_system_says():
    assert own_start() == started(os.getpid())


@pytest.mark.parametrize("name", ["plan.json", "x" * 255, "é" * 127, "a[*]?", "odd\udcff"])
def test_a_half_written_file_fits_and_is_found_once_its_process_is_gone(tmp_path, name):
    path = tmp_path / name
    fresh = half_written(path)
    fresh.touch()
    assert left_behind(path) == []
    dead = fresh.with_name(fresh.name.replace(f".{os.getpid()}-", f".{2**22 + 1}-"))
    fresh.rename(dead)
    assert left_behind(path) == [dead]
    assert left_behind(tmp_path / "another") == []


def test_what_another_host_writes_is_not_left_behind(tmp_path):
    fresh = half_written(tmp_path / "plan.json")
    (tmp_path / fresh.name.replace(host(), "elsewhere").replace(f".{os.getpid()}-", ".1-")).touch()
    assert left_behind(tmp_path / "plan.json") == []


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the memory of other C libraries")
def test_free_memory_goes_back_to_the_system():
    def resident():
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    blocks = [np.ones(8_000) for _ in range(800)]  # 51 MB, in pieces that the heap keeps
    kept = blocks[::40]  # scattered: what is between them is not at the heap's end
    del blocks
    before = resident()
    return_memory()
    assert before - resident() > 30e6
    assert all(np.all(block == 1.0) for block in kept)
