"""Compile every loop of some packages ahead, into this package: for a wheel, or an environment.

    python -m robots.core.kernels.ahead planner robots

The objects are for the oldest processors that Palpeur's loops want, so they serve other machines
too. Where none fits, a loop is compiled at its first call.
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
from robots.core.kernels.machine import baseline


def compile_ahead(packages: Sequence[str]) -> int:
    """Compile the loops of packages that are not there yet, and remove what no loop needs.

    Args:
        packages: names such as "planner".

    Returns:
        How many were compiled; zero where this machine's processor is older than the objects'.
    """
    processor = baseline()
    if processor is None:
        return 0
    loops = {loop.ahead_key(): loop for name in packages for loop in _loops(name)}
    entries = {key: code for key in loops if (code := disk.read_ahead(key))}
    missing = [key for key in loops if key not in entries]
    if missing:
        from numba import config

        # Before the first compilation, and for this process alone.
        config.CPU_NAME, config.CPU_FEATURES = processor, ""
        entries |= {key: loops[key].compiled() for key in missing}
    disk.write_ahead(entries)
    return len(missing)


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
