"""Names for what is half-written say whose it is, and fit beside any name."""

from __future__ import annotations

import os

import pytest

from planner.processes import half_written, host, left_behind, own_start, started


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
