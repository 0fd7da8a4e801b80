"""``palpeur robot list`` and ``robot show``: a robot as a reader wants to see it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, bold, number, print_json, print_table
from planner.cli.robot.robot_document import counted, robot_document, self_pair_names
from planner.cli.robot_reference import RobotReference
from planner.findings.robot_findings import choice_findings
from robots.core.denavit_hartenberg import DhPair, rows_of
from robots.core.language import internal_tables, mechanism_of, parse, phrase_of, tables_text
from robots.core.mechanism import Joint, Mechanism
from robots.library import load, names


def print_list(*, as_json: bool) -> int:
    """The library's robots, one line each."""
    robots = [(name, load(name)) for name in names()]
    if as_json:
        print_json(
            {
                "format": FORMAT,
                "robots": [
                    {"name": name, "dof": robot.dof, "joints": kinds(robot), "source": robot.source}
                    for name, robot in robots
                ],
            }
        )
    else:
        rows = [(name, str(robot.dof), kinds(robot), robot.source) for name, robot in robots]
        print_table(("name", "dof", "joints", "source"), rows)
    return ExitCode.DONE


def kinds(robot: Mechanism) -> str:
    """Kinds of the movable joints: RRPRRR."""
    return "".join(joint.kind.value[0].upper() for joint in robot.movable)


def print_robot(robot: RobotReference, *, as_json: bool) -> int:
    """One robot, whole."""
    mechanism = robot.open()
    if as_json:
        print_json(robot_document(mechanism))
        return ExitCode.DONE
    print(bold(f"{mechanism.name}: {mechanism.dof} joint variables ({kinds(mechanism)})"))
    if mechanism.source:
        print(mechanism.source)
    for finding in choice_findings(mechanism):
        print(finding.message)
    _section("Tree")
    print("\n".join(_tree(mechanism)))
    _section("Rows: Rx(alpha)·Tx(d)·Rz(theta)·Tz(r); the variable one is the offset")
    _print_rows(mechanism)
    _section("Limits")
    _print_limits(mechanism)
    _section("Bodies, in the joints' frames")
    _print_bodies(mechanism)
    if mechanism.capsules:
        _section("Capsules, in the joints' frames")
        _print_capsules(mechanism)
    _section("Description")
    _print_description(mechanism)
    _section("Operations per sample")
    rows = [(name, str(counts)) for name, counts in counted(mechanism).items()]
    print_table(("quantity", "operations"), rows)
    for warning in mechanism.warnings():
        print(f"\nWarning: {warning}")
    return ExitCode.DONE


def _section(title: str) -> None:
    print(f"\n{bold(title)}")


def _tree(mechanism: Mechanism) -> Iterator[str]:
    """The tree; chains stay flush, branches are set in."""
    yield "base"
    yield from _branch(mechanism, -1, 1)


def _branch(mechanism: Mechanism, parent: int, depth: int) -> Iterator[str]:
    stack = [(index, depth) for index in reversed(_children(mechanism, parent))]
    while stack:
        index, level = stack.pop()
        joint = mechanism.joints[index]
        tool = "  ← tool" if index == mechanism.tool_joint else ""
        yield f"{'  ' * level}{joint.name} ({joint.kind.value}){tool}"
        children = _children(mechanism, index)
        stack += [(child, level + 1) for child in reversed(children)]


def _children(mechanism: Mechanism, parent: int) -> list[int]:
    return [i for i, joint in enumerate(mechanism.joints) if joint.parent == parent]


def _print_rows(mechanism: Mechanism) -> None:
    rows = []
    for joint in mechanism.joints:
        parent = "base" if joint.parent < 0 else mechanism.joints[joint.parent].name
        pair = rows_of(joint.placement)
        rows += [(name, parent, *cells) for name, cells in _row_cells(joint, pair)]
    print_table(("joint", "parent", "alpha deg", "d mm", "theta deg", "r mm"), rows)
    tool = mechanism.tool
    if not np.array_equal(tool, np.eye(4)):
        print(f"tool in {mechanism.joints[mechanism.tool_joint].name}:")
        for line in tool[:3]:
            print("  " + "  ".join(number(x).rjust(10) for x in line))
    print(f"gravity {', '.join(number(x) for x in mechanism.gravity)} m/s²")


def _row_cells(joint: Joint, pair: DhPair) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Cells of the joint's row, after those of the fixed row in front where one is needed."""
    named = [(joint.name, pair.joint)]
    if not pair.is_single:
        named.insert(0, (f"({joint.name})", pair.carrier))
    for name, row in named:
        angles_lengths = (np.degrees(row.alpha), row.d * 1e3, np.degrees(row.theta), row.r * 1e3)
        yield name, tuple(number(round(float(x), 9)) for x in angles_lengths)


def _print_limits(mechanism: Mechanism) -> None:
    rows = []
    for joint in mechanism.movable:
        angular = joint.kind.angular
        scale, unit = (180.0 / np.pi, "deg") if angular else (1e3, "mm")
        ends = (_limit(joint.q_min * scale), _limit(joint.q_max * scale), unit)
        drive = (joint.max_speed, joint.max_acceleration, joint.max_jerk, joint.max_effort)
        rows.append((joint.name, *ends, *(_limit(x) for x in drive), _friction(joint)))
    head = ("joint", "min", "max", "unit", "speed /s", "accel. /s²", "jerk /s³")
    print_table((*head, "effort", "friction, motor"), rows)
    print("speed, acceleration, jerk and effort in rad and N m, for sliding joints in m and N")


def _friction(joint: Joint) -> str:
    values = (joint.coulomb, joint.viscous, joint.motor_inertia)
    return ", ".join(number(x) for x in values) if any(values) else "-"


def _limit(value: float) -> str:
    return number(round(value, 9)) if np.isfinite(value) else "-"


def _print_bodies(mechanism: Mechanism) -> None:
    rows = []
    for joint in mechanism.joints:
        body = joint.body
        if body.mass or np.any(body.inertia):
            tensor = body.inertia[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
            numbers = (body.mass, *(body.com * 1e3), *tensor)
            rows.append((joint.name, *(number(x) for x in numbers), body.at))
    if rows:
        centre = ("x mm", "y mm", "z mm")
        print_table(("joint", "kg", *centre, "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "at"), rows)
    print(f"total mass {number(mechanism.total_mass)} kg; inertia in kg m²")


def _print_capsules(mechanism: Mechanism) -> None:
    rows = []
    for capsule in mechanism.capsules:
        carrier = "base" if capsule.joint < 0 else mechanism.joints[capsule.joint].name
        ends = (", ".join(number(x * 1e3) for x in end) for end in (capsule.start, capsule.end))
        rows.append((capsule.name, carrier, *ends, number(capsule.radius * 1e3)))
    print_table(("capsule", "joint", "from mm", "to mm", "radius mm"), rows)
    told = "; ".join(f"{a} and {b}" for a, b in self_pair_names(mechanism))
    print(f"watched for touching each other: {told or 'no pair'}")


def _print_description(mechanism: Mechanism) -> None:
    """The phrase and the internal tables of the report's §4.2."""
    phrase = phrase_of(mechanism)
    description = parse(phrase.text)
    described = mechanism_of(description, {}, bodies=phrase.bodies) if mechanism.dof else None
    print(tables_text(internal_tables(description), described))
