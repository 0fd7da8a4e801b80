"""Compile every loop of some packages ahead, into this package: for a wheel, or an environment.

    python -m robots.core.kernels.ahead planner robots

Machine code is for the oldest processors that are common, so it serves other machines too. Beside
it lies the bitcode that it was made of, of which LLVM makes machine code of older and newer ones.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from robots.core.kernels import cache as disk
from robots.core.kernels.loop import Loop
from robots.core.kernels.machine import baseline, object_of_bitcode


def compile_ahead(packages: Sequence[str]) -> int:
    """Compile the loops of packages that are not there yet, and remove what no loop needs.

    Args:
        packages: names such as "planner".

    Returns:
        How many were compiled.
    """
    entries: dict[str, bytes] = {}
    compiled = 0
    for loop in dict.fromkeys(loop for name in packages for loop in _loops(name)):
        bitcode = disk.read_ahead(loop.bitcode_name())
        if bitcode is None:
            bitcode = loop.bitcode()
            compiled += 1
        code = disk.read_ahead(loop.object_name()) or object_of_bitcode(bitcode, baseline())
        entries |= {loop.bitcode_name(): bitcode, loop.object_name(): code}
    disk.write_ahead(entries)
    return compiled


def _loops(package: str) -> Iterator[Loop]:
    """Loops that the modules of a package hold; a module that makes none is not imported."""
    spec = find_spec(package)
    for module in pkgutil.walk_packages(
        spec.submodule_search_locations if spec else [], f"{package}."
    ):
        own = find_spec(module.name)
        if own and own.origin and " = Loop(" in Path(own.origin).read_text("utf-8"):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, Loop):
                    yield value


if __name__ == "__main__":
    compile_ahead(sys.argv[1:])
