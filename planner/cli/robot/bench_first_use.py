"""How long the first use of a kernel takes: compiled anew, then found in the cache.

Measured in processes of their own with a cache folder of their own, because what is loaded in this
process would hide the cost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from planner.cli.robot_reference import RobotReference
from planner.errors import PlannerError

_CODE = "from planner.cli.robot.bench_first_use import print_first_use; print_first_use()"


class FirstUseError(PlannerError):
    """The measuring process did not end well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstUse:
    """Seconds from nothing recorded to the first result, importing llvmlite left out.

    Args:
        compiling: by kernel, with an empty cache. [s]
        cached: by kernel, with the cache filled. [s]
        importing: of llvmlite, once per process. [s]
    """

    compiling: dict[str, float]
    cached: dict[str, float]
    importing: float


def first_use(robot: RobotReference) -> FirstUse:
    """Measure both.

    Args:
        robot: library name or path, and tip.

    Raises:
        FirstUseError: the measuring process failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        cold = _measured_apart(robot, folder)
        warm = _measured_apart(robot, folder)
    importing = cold.pop("llvmlite")
    warm.pop("llvmlite")
    return FirstUse(compiling=cold, cached=warm, importing=importing)


def _measured_apart(robot: RobotReference, folder: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", _CODE, robot.model, robot.tip],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PALPEUR_CACHE_DIR": folder},
    )
    if done.returncode != 0:
        raise FirstUseError(
            f"Measuring the first use of the kernels failed: {done.stderr.strip()[-400:]}"
        )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def print_first_use() -> None:
    """Measure in this process and print seconds by kernel as JSON."""
    import numpy as np

    from planner.cli.robot.bench_kernels import MEASURED
    from planner.cli.robot.robot_document import defined
    from robots.core.kernels import Kernel
    from robots.core.quantities import quantity
    from robots.library import open_robot

    mechanism = open_robot(sys.argv[1], tip=sys.argv[2])
    start = time.perf_counter()
    from llvmlite import binding  # noqa: F401 its import is what is measured

    seconds = {"llvmlite": time.perf_counter() - start}
    for name in defined(mechanism, MEASURED):
        state = np.full((1, mechanism.dof), 0.1)
        start = time.perf_counter()
        item = quantity(name)
        Kernel(item.record(mechanism), "compiled")(*[state] * len(item.arguments))
        seconds[name] = time.perf_counter() - start
    print(json.dumps(seconds))
