"""The ROS 2 node, run on a double of the middleware: hits, misses, mutants."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import numpy as np
import pytest

from planner.errors import OutputError
from reports.programmes import programmes
from tests.cases import some
from tests.reports.programmes.programme_judge import (
    Runs,
    changed_line,
    dropped_line,
    faults,
    five_axes_faults,
    log_rows,
    swapped,
    times,
    to,
)
from tests.reports.programmes.ros2_double import World, run_node
from tests.reports.programmes.search_jobs import library_plan, six_axis_plan
from tests.reports.programmes.virtual_arm import RefusedError
from tests.reports.programmes.virtual_cell import VirtualCell

ROW = r"^        \[(\d+\.\d+), \[.*\], \[.*\]\],$"


def _in_rows(group, change):
    """An operator that changes a time, a position or a speed of a row, none that is zero."""

    def operator(rng, lines):
        places = [k for k, line in enumerate(lines) if re.match(ROW, line)]
        k = int(rng.choice(places))
        row = ast.literal_eval(lines[k].strip().removesuffix(","))
        values = [row[0]] if group == 0 else row[group]
        chosen = [j for j, value in enumerate(values) if abs(value) > 1e-4]
        if not chosen:
            return None
        j = int(rng.choice(chosen))
        values[j] = change(values[j])
        if group == 0:
            row[0] = values[0]
        return [*lines[:k], f"        {row},", *lines[k + 1 :]]

    return operator


def _last_row(rng, lines):
    """A motion without its end."""
    places = [
        k for k, line in enumerate(lines) if line == "    ])," and re.match(ROW, lines[k - 1])
    ]
    k = int(rng.choice(places))
    return [*lines[: k - 1], *lines[k:]]


def _steps(what):
    return rf'^    \("{what}", "([^"]*)", \['


OPERATORS = {
    "search dropped": changed_line(r'^    \("search"', to('    ("approach"', '    ("miss"')),
    "sign of a position": _in_rows(1, lambda value: -value),
    "position in degrees": _in_rows(1, lambda value: value * 180.0 / np.pi),
    "position a little off": _in_rows(1, lambda value: value + 1e-5),
    "sign of a speed": _in_rows(2, lambda value: -value),
    "wrong time": _in_rows(0, lambda value: value * 0.5),
    "time in milliseconds": _in_rows(0, lambda value: value * 1e-3),
    "input ignored": changed_line(r"if self\.probe and self\.watch", to("if False")),
    "input upside down": changed_line(r"if self\.probe and", to("if not self.probe and")),
    "never cancelled": dropped_line(r"cancel_goal_async"),
    "late reading": changed_line(r"read = self\.hit", to("read = self.q", "read = START")),
    "joints swapped": changed_line(r"(?<=^JOINTS = \[).*(?=\])", lambda rng, m: ", ".join(
        rng.permutation(m[0].split(", "))
    )),
    "unit of the log": changed_line(r"q \* shown", to("q", "q * 57.3", "q * shown * 1000.0")),
    "digits of the log": changed_line(r"%\.9f", to("%.3f", "%d", "%.6f")),
    "swapped names": swapped(_steps("back-off")),
    "swapped misses": swapped(_steps("miss")),
    "last row dropped": _last_row,
    "miss ignored": changed_line(r"if missed:", to("if False:", "if not missed:")),
    "miss goes on": changed_line(r'raise Stop\("no surface found at " \+ point\)', to("pass")),
    "miss stays": dropped_line(r'^                    self\.follow\(rows, ""\)'),
    "miss not logged": dropped_line(r"# MISSED"),
    "back-off dropped": dropped_line(r'^                self\.follow\(rows, ""\)'),
    "triggered at the start": changed_line(r"^        if self\.probe:", to("        if None:")),
    "start unchecked": changed_line(r"> tolerance", to("> 10.0", "< -tolerance")),
    "start tolerance": changed_line(r"(?<=[\[ ])0\.0087\d*", times(10.0, 100.0)),
    "start elsewhere": changed_line(r"(?<=^START = \[)\d\.[1-9]\d*", times(1.05, -1.0)),
}  # fmt: skip


def runs_of(plan):
    def run(text, *, cell=None, start=None, stuck=None, period=None):
        start = runs.start + 3e-4 if start is None else start
        names = [joint.name for joint in plan.job.mechanism.movable]
        world = World(cell or VirtualCell(plan), start, names, stuck=stuck, period=period)
        return run_node(text, world)

    runs = Runs(plan, run)
    return runs


def text_of(plan):
    return programmes(plan, ["ros2"])["robot/palpeur_node.py"].decode("ascii")


@pytest.fixture(scope="module")
def runs():
    return runs_of(six_axis_plan())


@pytest.fixture(scope="module")
def text():
    return text_of(six_axis_plan())


@pytest.mark.parametrize("name", some(["nine-points-corrected", "block-with-holes"], gate=1))
def test_an_arm_of_five_axes(name):
    plan = library_plan(name)
    assert five_axes_faults(runs_of(plan), text_of(plan)) == []


def test_a_plan_that_comes_to_rest_at_contact_has_no_search():
    plan = six_axis_plan()
    resting = replace(plan, job=replace(plan.job, touch=replace(plan.job.touch, mode="to-rest")))
    with pytest.raises(OutputError, match="no search"):
        programmes(resting, ["ros2"])


def test_a_robot_file_without_controller_is_enough():
    plan = six_axis_plan()
    bare = replace(plan.job.mechanism, controller=None)
    plan = replace(plan, job=replace(plan.job, mechanism=bare))
    assert faults(plan, runs_of(plan).run(text_of(plan))) == []


def test_joint_states_at_a_period_make_a_hit_late_by_a_period(runs, text):
    record = runs.run(text, period=0.002)
    hits = VirtualCell(runs.plan).expected()
    for row in log_rows(record.log)[1:]:
        q = np.radians([float(cell) for cell in row[1:]])
        off = np.linalg.norm(runs.plan.trajectory.model.forward(q)[:3, 3] - hits[row[0]].centre)
        assert off <= 0.005 * 0.002 + 1e-9


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("follow_joint_trajectory", "joint_trajectory"),
        ('"probe"', '"touch"'),
        ("point.velocities", "point.speeds"),
        ("rclpy.spin_once", "rclpy.spin"),
    ],
)
def test_what_is_not_known_is_refused(runs, text, old, new):
    changed = (
        text.replace(f"{old}", new)
        if old != "follow_joint_trajectory"
        else text.replace('Trajectory, "follow_joint_trajectory"', f'Trajectory, "{new}"')
    )
    with pytest.raises(RefusedError):
        runs.run(changed)
