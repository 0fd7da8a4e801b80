"""Versions: Python's, Palpeur's, and those of every package that the metadata requires."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from planner.cli.doctor.diagnosis import Diagnosis, Health, needed

DISTRIBUTION = "palpeur"
_OPTIONAL = "cluster"  # an extra that users take; the others are for developers
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def requirement_checks() -> Iterator[Diagnosis]:
    """Versions, in the order of the metadata."""
    python = f"{platform.python_version()} ({sys.executable})"
    recent = sys.version_info >= (3, 11)
    yield Diagnosis(name="Python", health=needed(recent), found=python)
    try:
        yield Diagnosis(name=DISTRIBUTION, health=Health.GOOD, found=version(DISTRIBUTION))
        wanted = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        found = "not installed, only imported: its requirements are not known; pip install it"
        yield Diagnosis(name=DISTRIBUTION, health=Health.RISK, found=found)
        return
    for text in wanted:
        yield from _checked(text)


def _checked(text: str) -> Iterator[Diagnosis]:
    """A requirement such as ``numpy<3,>=2.0; extra == "test"``; none where it does not apply."""
    words, _, marker = text.partition(";")
    found = _NAME.match(words)
    optional = "extra" in marker
    if found is None or (optional and f'"{_OPTIONAL}"' not in marker.replace("'", '"')):
        return
    name, wanted = found[0], words[found.end() :].strip()
    missing = Health.LESS if optional else Health.BAD
    try:
        installed = version(name)
    except PackageNotFoundError:
        yield Diagnosis(name=name, health=missing, found=f"not installed: pip install '{words}'")
        return
    fits = _fits(installed, wanted)
    if fits:
        yield Diagnosis(name=name, health=Health.GOOD, found=installed)
    else:
        told = f"{installed}, but Palpeur requires {wanted}: pip install '{words.strip()}'"
        yield Diagnosis(name=name, health=needed(optional), found=told)


def _fits(installed: str, wanted: str) -> bool:
    """Whether a version is one of those that a specifier allows."""
    try:
        from packaging.specifiers import InvalidSpecifier, SpecifierSet
    except ImportError:  # it comes with matplotlib; without it the first numbers are compared
        return all(_holds(installed, item) for item in wanted.split(",") if item.strip())
    try:
        return SpecifierSet(wanted).contains(installed, prereleases=True)
    except InvalidSpecifier:
        return True


def _holds(installed: str, clause: str) -> bool:
    """A clause ``>=2.0`` or ``<3``; what else there is counts as kept."""
    found = re.fullmatch(r"\s*(>=|<)\s*([\d.]+)\s*", clause)
    if found is None:
        return True
    left, right = _numbers(installed), _numbers(found[2])
    return left >= right if found[1] == ">=" else left < right


def _numbers(text: str) -> list[int]:
    """The release of a version, without zeros at its end."""
    release = re.match(r"\d+(?:\.\d+)*", text)
    numbers = [int(part) for part in release[0].split(".")] if release else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers
