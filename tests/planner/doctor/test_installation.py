"""What the doctor says of files, folders, versions and the cache."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import time
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from planner import doctor
from planner.doctor import Health, cache_check, files_check
from robots.core.kernels import cache

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")


def wheel(site: Path, **more: str) -> PathDistribution:
    """An installation of three files, with the RECORD that an installer writes."""
    files = {"planner/a.py": "a = 1\n", "robots/b.py": "b = 2\n", "reports/page.css": "p {}\n"}
    rows = []
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(text.encode())
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        rows.append(f"{name},sha256={digest.rstrip(b'=').decode()},{len(text)}")
    info = site / "palpeur-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: palpeur\nVersion: 1\n")
    (info / "RECORD").write_text("\n".join([*rows, "planner/__pycache__/a.pyc,,", ""]))
    for name, text in more.items():
        (info / name).write_text(text)
    return PathDistribution(info)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def test_an_untouched_wheel_is_good(tmp_path):
    found = files_check(wheel(tmp_path))
    assert (found.health, found.found) == (Health.GOOD, "3 files are as they were installed")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda site: (site / "robots/b.py").write_text("b = 3\n"), "robots/b.py changed or miss"),
        (lambda site: (site / "robots/b.py").unlink(), "robots/b.py changed or missing"),
        (lambda site: _pipe(site / "robots/b.py"), "robots/b.py changed or missing"),
        (lambda site: (site / "planner/new.py").write_text(""), "planner/new.py not of this ver"),
        (lambda site: (site / "planner/numpy.so").write_text(""), "planner/numpy.so not of this"),
    ],
)
def test_a_changed_wheel_is_told(tmp_path, change, told):
    installed = wheel(tmp_path)
    change(tmp_path)
    found = files_check(installed)
    assert found.health is Health.BAD
    assert told in found.found
    assert "--force-reinstall" in found.found


def test_byte_code_is_no_foreign_file(tmp_path):
    installed = wheel(tmp_path)
    (tmp_path / "planner/__pycache__").mkdir()
    (tmp_path / "planner/__pycache__/a.cpython-311.pyc").touch()
    assert files_check(installed).health is Health.GOOD


def test_an_editable_installation_says_so(tmp_path):
    text = '{"url": "file:///home/me/palpeur", "dir_info": {"editable": true}}'
    installed = wheel(tmp_path, **{"direct_url.json": text})
    (tmp_path / "planner/a.py").write_text("changed")
    found = files_check(installed)
    assert found.health is Health.GOOD
    assert "editable" in found.found


def test_a_checkout_says_so(tmp_path):
    info = tmp_path / "palpeur.egg-info"
    info.mkdir()
    (info / "PKG-INFO").write_text("Name: palpeur\nVersion: 1\n")
    assert "checkout" in files_check(PathDistribution(info)).found


# --- folders -------------------------------------------------------------------------------------


@posix
def test_folders_that_everybody_may_write_to(tmp_path):
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.mkdir(mode=0o755)
    bad.mkdir()
    assert doctor.writable_check("x", iter([good, tmp_path / "none"])).health is Health.GOOD
    bad.chmod(0o777)
    found = doctor.writable_check("x", iter([good, bad]))
    assert found.health is Health.BAD
    assert str(bad) in found.found


@posix
def test_folders_of_another_user(tmp_path, monkeypatch):
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    found = doctor.writable_check("x", iter([tmp_path]))
    own = tmp_path.stat().st_uid == 0  # root's are nobody's to worry about
    assert (found.health is Health.GOOD) if own else ("another user" in found.found)


@posix
def test_the_import_path_and_what_is_above_it(tmp_path, monkeypatch):
    entry = tmp_path / "above" / "site"
    entry.mkdir(parents=True)
    (tmp_path / "above").chmod(0o777)
    monkeypatch.setattr(sys, "path", [str(entry)])
    path, _ = doctor.folder_checks()
    assert path.health is Health.BAD
    assert str(tmp_path / "above") in path.found
    (tmp_path / "above").chmod(0o1777)  # as /tmp: others' folders cannot be swapped
    assert next(doctor.folder_checks()).health is Health.GOOD


# --- requirements --------------------------------------------------------------------------------


def checks_of(monkeypatch, wanted: list[str], installed: str = "2.4.1"):
    monkeypatch.setattr(doctor, "requires", lambda _: wanted)
    monkeypatch.setattr(doctor, "version", lambda _: installed)
    return list(doctor.requirement_checks())[2:]


@pytest.mark.parametrize(
    ("wanted", "health"),
    [
        ("numpy", Health.GOOD),
        ("numpy<3,>=2.0", Health.GOOD),
        ("numpy>=2.4.1", Health.GOOD),
        ("numpy<2.4.1", Health.BAD),
        ("numpy>=3", Health.BAD),
        ("numpy>=2.4.1; extra == 'cluster'", Health.GOOD),
    ],
)
def test_versions_against_the_metadata(monkeypatch, wanted, health):
    (found,) = checks_of(monkeypatch, [wanted, "pytest>=99; extra == 'test'"])
    assert found.health is health
    assert "2.4.1" in found.found


def test_releases_are_compared_as_numbers(monkeypatch):
    (found,) = checks_of(monkeypatch, ["a>=1.10,<2.0"], installed="1.9.3")
    assert found.health is Health.BAD


def test_without_packaging_nothing_is_compared_and_that_is_bad(monkeypatch):
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)
    (found,) = checks_of(monkeypatch, ["numpy>=2"])
    assert (found.name, found.health) == ("packaging", Health.BAD)


def test_a_house_that_is_not_installed(monkeypatch):
    def absent(_):
        raise doctor.PackageNotFoundError

    monkeypatch.setattr(doctor, "version", absent)
    assert list(doctor.requirement_checks())[-1].health is Health.RISK


# --- the cache -----------------------------------------------------------------------------------


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path))
    cache.write("f" * 64, b"code")
    return tmp_path / "kernels"


@pytest.mark.usefixtures("kernels")
def test_a_good_cache():
    assert cache_check().health is Health.GOOD
    assert "1 kernels" in cache_check().found


def test_a_damaged_entry_is_told(kernels):
    path = kernels / f"{'f' * 64}.o"
    path.write_bytes(path.read_bytes()[:-1])
    assert cache.read("f" * 64) is None  # it is never run
    found = cache_check()
    assert found.health is Health.RISK
    assert path.name in found.found


@posix
def test_a_pipe_in_the_cache_is_told_and_not_waited_for(kernels):
    os.mkfifo(kernels / "a.o")
    found = cache_check()
    assert found.health is Health.RISK
    assert "a.o damaged" in found.found


def test_an_abandoned_file_is_told(kernels):
    (kernels / ".abc-1").write_bytes(b"half")
    assert cache_check().health is Health.GOOD  # somebody may be writing it
    before = time.time() - 1e6
    os.utime(kernels / ".abc-1", (before, before))
    assert ".abc-1" in cache_check().found


@posix
@pytest.mark.usefixtures("kernels")
def test_a_cache_of_another_user(monkeypatch):
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    assert "is not used" in cache_check().found
