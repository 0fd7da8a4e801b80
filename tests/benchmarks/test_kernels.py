"""Speed of the kernels beside Pinocchio in one run, large batches and what users call in Python.

Ratios only; the machine is shared, so the median of a fixed number of runs counts. Arrays of 1e5
results leave the caches, so how long reading and filling them takes alone is told beside.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from statistics import median

import numpy as np
import pytest

from robots.core.benchmark.pinocchio_peer import PinocchioPeer
from robots.core.model import Model
from robots.library import load, open_robot
from tests.cases import sized

pytestmark = pytest.mark.benchmark

RUNS = 5
SAMPLES = sized(100_000, once=1_000)
COMPILED = ("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics")
AGREEMENT = 1e-10


def bench() -> dict[str, dict]:
    palpeur = "from planner.cli.main import run; run()"
    command = [sys.executable, "-c", palpeur, "robot", "bench", "measuring-arm", "--json"]
    command += [*("--samples", "1000", "--runs", "3")] if SAMPLES < 100_000 else []
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return {kernel["name"]: kernel for kernel in json.loads(done.stdout)["kernels"]}


def test_kernels_beside_pinocchio(speed):
    pytest.importorskip("pinocchio", reason="Pinocchio is the peer of this benchmark")
    runs = [bench() for _ in range(speed.runs(RUNS))]
    for kernel in (kernel for found in runs for kernel in found.values()):
        assert kernel["max_relative_difference"] <= AGREEMENT
    for name in COMPILED:
        memory = median(found[name]["compiled_ns"] / found[name]["memory_ns"] for found in runs)
        print(f"{name}: {memory:.2f} times what reading and filling the arrays takes")
        speed.ratio(f"{name}, 1e5 states: Pinocchio", [f[name]["ratio_compiled"] for f in runs])
        speed.ratio(f"{name} on NumPy: Pinocchio", [f[name]["ratio_numpy"] for f in runs])


# --- the default of Model beside Pinocchio's own Python calls ------------------------------------

# Below these the default is not the fast path; they stand beside the figures that are printed.
REQUIRED = {1: 1.0, 100: 5.0, 1000: 20.0, 100_000: 60.0}
CALLS = 2000  # of single states, timed together
QUANTITIES = ("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics", "gravity")


def six_axes() -> str:
    """A URDF of an arm with a spherical wrist, all bodies with mass."""
    axes = ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0")
    origins = ("0 0 0.2", "0.05 0 0.2", "0 0 0.45", "0.1 0 0.04", "0.32 0 0", "0.08 0 0")
    links, joints = ['<link name="base"/>'], []
    for k, (axis, origin) in enumerate(zip(axes, origins, strict=True), start=1):
        mass = 12.0 / k
        links.append(
            f'<link name="l{k}"><inertial><origin xyz="0.02 0.01 {0.1 / k}"/><mass value="{mass}"/>'
            f'<inertia ixx="{0.02 * mass}" iyy="{0.03 * mass}" izz="{0.025 * mass}" '
            f'ixy="0.001" ixz="0" iyz="0"/></inertial></link>'
        )
        parent = "base" if k == 1 else f"l{k - 1}"
        joints.append(
            f'<joint name="q{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="{origin}"/><axis xyz="{axis}"/>'
            f'<limit lower="-2.5" upper="2.5" velocity="3" effort="200"/></joint>'
        )
    return f'<robot name="six-axes">{"".join((*links, *joints))}</robot>'


class PinocchioCalls:
    """What a user of Pinocchio calls in Python, state by state; the tool is the last frame."""

    def __init__(self, model) -> None:
        import pinocchio as pin

        data, tool = model.createData(), model.nframes - 1
        axes = pin.LOCAL_WORLD_ALIGNED

        def forward(q):
            pin.forwardKinematics(model, data, q)
            return pin.updateFramePlacement(model, data, tool)

        self.forward = forward
        self.jacobian = lambda q: pin.computeFrameJacobian(model, data, q, tool, axes)
        self.torques = lambda q, qd, qdd: pin.rnea(model, data, q, qd, qdd)
        self.mass_matrix = lambda q: pin.crba(model, data, q)
        self.forward_dynamics = lambda q, qd, tau: pin.aba(model, data, q, qd, tau)
        self.gravity = lambda q: pin.computeGeneralizedGravity(model, data, q)

    def table(self, name, *states):
        """Results of some states, as our arrays hold them."""
        found = [getattr(self, name)(*row) for row in zip(*states, strict=True)]
        if name == "forward":
            return np.array([pose.homogeneous for pose in found])
        if name == "mass_matrix":
            return np.array([np.triu(M) + np.triu(M, 1).T for M in found])
        return np.array(found)


@pytest.fixture(params=["measuring-arm", "six axes from URDF"])
def pair(request, tmp_path):
    """(name, the default model, Pinocchio's calls) of one robot."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is the peer of this benchmark")
    if request.param == "measuring-arm":
        mechanism = load("measuring-arm")
        return request.param, Model(mechanism), PinocchioCalls(PinocchioPeer(mechanism).model)
    path = tmp_path / "six.urdf"
    path.write_text(six_axes(), encoding="utf-8")
    return (
        request.param,
        Model(open_robot(str(path))),
        PinocchioCalls(pin.buildModelFromXML(six_axes())),
    )


def ours_of(model: Model, name: str):
    return model.gravity_torques if name == "gravity" else getattr(model, name)


def seconds(run, count: int) -> float:
    """Of this thread alone: both sides use one, and what else the machine does is not theirs."""
    start = time.thread_time()
    for _ in range(count):
        run()
    return (time.thread_time() - start) / count


def looped(call, rows) -> float:
    start = time.thread_time()
    for row in rows:
        call(*row)
    return time.thread_time() - start


def test_the_default_model_beside_pinocchio_s_python_calls(pair, speed):
    """One state, 100, 1,000 and 100,000, all that a user pays, Pinocchio called state by state.

    The least ratio of the six quantities is the figure; all of them are printed.
    """
    robot, model, peer = pair
    runs = speed.runs(RUNS)
    most = max(REQUIRED) if runs > 1 else 1000
    whole = np.random.default_rng(0).uniform(-1.5, 1.5, (3, most, model.dof))
    ratios: dict[int, list[list[float]]] = {count: [[] for _ in range(runs)] for count in REQUIRED}
    gc.disable()
    for name in QUANTITIES:
        ours, theirs = ours_of(model, name), getattr(peer, name)
        given = whole[: 3 if name in ("torques", "forward_dynamics") else 1]
        few = given[:, :50]
        expected = peer.table(name, *few)
        np.testing.assert_allclose(ours(*few), expected, atol=AGREEMENT * np.abs(expected).max())
        for count in [c for c in REQUIRED if c <= most]:
            alone = [np.ascontiguousarray(a[0]) for a in given]
            batch = [np.ascontiguousarray(a[:count]) for a in given]
            rows = list(zip(*batch, strict=True))
            for k in range(runs):
                if count == 1:
                    repeats = CALLS if runs > 1 else 1
                    own = seconds(lambda: ours(*alone), repeats)  # noqa: B023 (called here)
                    other = seconds(lambda: theirs(*alone), repeats)  # noqa: B023
                else:
                    ours(*batch)
                    own = seconds(lambda: ours(*batch), max(1, 10_000 // count))  # noqa: B023
                    other = looped(theirs, rows)
                ratios[count][k].append(other / own)
                if k == runs - 1:
                    found = [run[-1] for run in ratios[count]]
                    print(
                        f"{robot}, {name}, {count} states: {1e9 * own / count:.1f} ns each, "
                        f"{median(found):.3g} times Pinocchio's speed "
                        f"({min(found):.3g} to {max(found):.3g}; required {REQUIRED[count]:g})"
                    )
    gc.enable()
    for count, by_run in ratios.items():
        if by_run[0]:
            speed.ratio(
                f"Model, {robot}, {count} states: Pinocchio in Python",
                [min(run) for run in by_run],
            )
