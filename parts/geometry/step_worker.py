"""Runs the STEP translator in a process of its own.

The translator is native code that a damaged file may crash, or keep busy without end, and it
prints to standard output; none of that may reach the process that asked.
"""

from __future__ import annotations

import sys
from types import ModuleType


def main(arguments: list[str]) -> int:
    """Translate; the exit code is 0 where a GLB file was written.

    Args:
        arguments: paths of the STEP file and of the GLB file, deflection in millimetres, angle
            between facets in radians, cap of the address space in bytes.
    """
    source, target, linear, angular, memory = arguments
    _limit(int(memory))
    # the part of cascadio that registers it with trimesh takes NumPy and trimesh along, which takes
    # longer than to translate a small part; without it nothing is missing here
    sys.modules.setdefault("cascadio.extension", ModuleType("cascadio.extension"))
    import cascadio

    code = cascadio.step_to_glb(
        source,
        target,
        tol_linear=float(linear),
        tol_angular=float(angular),
        merge_primitives=True,
        use_parallel=False,  # the order of the vertices must not depend on the machine
        include_brep=True,
    )
    return 0 if code == 0 else 1


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the time limit holds there too
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
