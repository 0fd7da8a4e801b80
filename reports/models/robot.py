"""A robot as a reader sees it: one robot whole, an audit of it, how its inverse is derived."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.findings import Finding, Severity
from planner.findings.robot_findings import choice_findings
from reports.answers import (
    FORMAT,
    bold,
    finite,
    number,
    short,
    table_lines,
    tip_document,
    without_rounding,
)
from robots.core.capsule import Capsule
from robots.core.denavit_hartenberg import DhPair, DhRow, rows_of
from robots.core.language import (
    internal_tables,
    mechanism_of,
    parse,
    phrase_of,
    tables_text,
    to_phrase,
)
from robots.core.mechanism import Joint, Mechanism
from robots.core.model import Model
from robots.core.quantities import operation_counts
from robots.core.robot_file import write_toml
from robots.core.robot_import import ImportedRobot, ImportNote, Need
from robots.core.self_pairs import PairReason, self_pair_names, unwatched_pairs
from robots.core.urdf import write_urdf
from robots.core.workspace import axis_reach

if TYPE_CHECKING:
    from robots.core.chain_inverse.explanation import ExplainedStep, Explanation
from robots.core.chain_inverse.solver import Method

# --- one robot -----------------------------------------------------------------------------------


def kinds(robot: Mechanism) -> str:
    """Kinds of the movable joints: RRPRRR."""
    return "".join(joint.kind.value[0].upper() for joint in robot.movable)


def robot_lines(mechanism: Mechanism) -> Iterator[str]:
    """One robot, whole: tree, rows, limits, bodies, description, operation counts."""
    yield bold(f"{mechanism.name}: {mechanism.dof} joint variables ({kinds(mechanism)})")
    if mechanism.source:
        yield mechanism.source
    for finding in choice_findings(mechanism):
        yield finding.message
    sections: list[tuple[str, Callable[[Mechanism], Iterator[str]]]] = [
        ("Tree", _tree),
        ("Rows: Rx(alpha)·Tx(d)·Rz(theta)·Tz(r); the variable one is the offset", _row_lines),
        ("Limits", _limit_lines),
        ("Bodies, in the joints' frames", _body_lines),
        ("Description", _description_lines),
        ("Operations per sample", _count_lines),
    ]
    if mechanism.capsules:
        sections.insert(4, ("Capsules, in the joints' frames", _capsule_lines))
    for title, section in sections:
        yield f"\n{bold(title)}"
        yield from section(mechanism)
    for warning in mechanism.warnings():
        yield f"\nWarning: {warning}"


def _count_lines(mechanism: Mechanism) -> Iterator[str]:
    rows = [(name, str(counts)) for name, counts in operation_counts(mechanism).items()]
    yield from table_lines(("quantity", "operations"), rows)


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


def _row_lines(mechanism: Mechanism) -> Iterator[str]:
    rows = []
    for joint in mechanism.joints:
        parent = "base" if joint.parent < 0 else mechanism.joints[joint.parent].name
        pair = rows_of(joint.placement)
        rows += [(name, parent, *cells) for name, cells in _row_cells(joint, pair)]
    yield from table_lines(("joint", "parent", "alpha deg", "d mm", "theta deg", "r mm"), rows)
    tool = mechanism.tool
    if not np.array_equal(tool, np.eye(4)):
        yield f"tool in {mechanism.joints[mechanism.tool_joint].name}:"
        for line in tool[:3]:
            yield "  " + "  ".join(number(x).rjust(10) for x in line)
    gravity = without_rounding(mechanism.gravity).tolist()
    yield f"gravity {', '.join(map(short, gravity))} m/s²"


def _row_cells(joint: Joint, pair: DhPair) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Cells of the joint's row, after those of the fixed row in front where one is needed."""
    named = [(joint.name, pair.joint)]
    if not pair.is_single:
        named.insert(0, (f"({joint.name})", pair.carrier))
    for name, row in named:
        angles_lengths = (np.degrees(row.alpha), row.d * 1e3, np.degrees(row.theta), row.r * 1e3)
        yield name, tuple(number(round(float(x), 9)) for x in angles_lengths)


def _limit_lines(mechanism: Mechanism) -> Iterator[str]:
    rows = []
    for joint in mechanism.movable:
        angular = joint.kind.angular
        scale, unit = (180.0 / np.pi, "deg") if angular else (1e3, "mm")
        ends = (_limit(joint.q_min * scale), _limit(joint.q_max * scale), unit)
        drive = (joint.max_speed, joint.max_acceleration, joint.max_jerk, joint.max_effort)
        rows.append((joint.name, *ends, *(_limit(x) for x in drive), _friction(joint)))
    head = ("joint", "min", "max", "unit", "speed /s", "accel. /s²", "jerk /s³")
    yield from table_lines((*head, "effort", "friction, motor"), rows)
    yield "speed, acceleration, jerk and effort in rad and N m, for sliding joints in m and N"


def _friction(joint: Joint) -> str:
    values = (joint.coulomb, joint.viscous, joint.motor_inertia)
    return ", ".join(number(x) for x in values) if any(values) else "-"


def _limit(value: float) -> str:
    return number(round(value, 9)) if np.isfinite(value) else "-"


def _body_lines(mechanism: Mechanism) -> Iterator[str]:
    rows = []
    for joint in mechanism.joints:
        body = joint.body
        if body.mass or np.any(body.inertia):
            tensor = body.inertia[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
            numbers = (body.mass, *(body.com * 1e3), *tensor)
            rows.append((joint.name, *(number(x) for x in numbers), body.at))
    if rows:
        centre = ("x mm", "y mm", "z mm")
        yield from table_lines(
            ("joint", "kg", *centre, "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "at"), rows
        )
    if not mechanism.masses_known:
        yield "masses unknown: torques, power and energy are not evaluated"
        return
    yield f"total mass {number(mechanism.total_mass)} kg; inertia in kg m²"


def _capsule_lines(mechanism: Mechanism) -> Iterator[str]:
    rows = []
    for capsule in mechanism.capsules:
        carrier = "base" if capsule.joint < 0 else mechanism.joints[capsule.joint].name
        ends = (", ".join(number(x * 1e3) for x in end) for end in (capsule.start, capsule.end))
        piece = f"{len(capsule.corners)} corners" if len(capsule.corners) else "-"
        rows.append((capsule.name, carrier, *ends, number(capsule.radius * 1e3), piece))
    heads = ("capsule", "joint", "from mm", "to mm", "radius mm", "convex piece")
    width = len(heads) if any(len(c.corners) for c in mechanism.capsules) else len(heads) - 1
    yield from table_lines(heads[:width], [row[:width] for row in rows])
    told = "; ".join(f"{a} and {b}" for a, b in self_pair_names(mechanism))
    yield f"watched for touching each other: {told or 'no pair'}"
    yield from _unwatched_lines(mechanism)
    if mechanism.mesh_shapes:
        yield "capsules and convex pieces that contain meshes of links; volume of their union over"
        yield "that of the meshes' convex hull, and over that inside the meshes:"
        cells = [
            (
                shape.link,
                str(len(shape.capsules)),
                _percent(shape.excess),
                _percent(shape.mesh_excess),
                ", ".join(shape.files) + (" (visual)" if shape.visual else ""),
            )
            for shape in mechanism.mesh_shapes
        ]
        yield from table_lines(("link", "capsules", "hull", "mesh", "files"), cells)


def _percent(excess: float) -> str:
    return f"{100.0 * excess:+.0f} %" if np.isfinite(excess) else "-"


def _unwatched_lines(mechanism: Mechanism) -> Iterator[str]:
    """Pairs of capsules that no check watches, one line per reason."""
    unwatched = unwatched_pairs(mechanism)
    for reason in PairReason:
        pairs = [f"{pair.a} and {pair.b}" for pair in unwatched if pair.reason is reason]
        if pairs:
            yield f"not watched, {reason.value}: {'; '.join(pairs)}"


def _told_pieces(mechanism: Mechanism) -> str:
    count = sum(len(capsule.corners) > 0 for capsule in mechanism.capsules)
    return f" ({count} with a convex piece)" if count else ""


def _unwatched_document(mechanism: Mechanism) -> list[dict[str, str]]:
    return [
        {"a": pair.a, "b": pair.b, "reason": pair.reason.name.lower().replace("_", "-")}
        for pair in unwatched_pairs(mechanism)
    ]


def _shapes_document(mechanism: Mechanism) -> list[dict[str, object]]:
    return [
        {
            "link": shape.link,
            "capsules": list(shape.capsules),
            "excess_over_hull": finite(shape.excess),
            "excess_over_mesh": finite(shape.mesh_excess),
            "files": list(shape.files),
            "visual": shape.visual,
        }
        for shape in mechanism.mesh_shapes
    ]


def _description_lines(mechanism: Mechanism) -> Iterator[str]:
    """The phrase and the internal tables of the report's §4.2."""
    phrase = phrase_of(mechanism)
    description = parse(phrase.text)
    described = None
    if mechanism.dof:
        described = mechanism_of(description, {}, bodies=phrase.bodies)
        described = replace(described, masses_known=mechanism.masses_known)
    yield tables_text(internal_tables(description), described)


def robot_document(mechanism: Mechanism) -> dict[str, object]:
    """One robot in JSON, in SI; a limit that does not exist is null."""
    phrase = to_phrase(mechanism)
    return {
        "format": FORMAT,
        "name": mechanism.name,
        "source": mechanism.source,
        "dof": mechanism.dof,
        "gravity_m_s2": mechanism.gravity,
        "total_mass_kg": _mass(mechanism),
        "joints": [_joint(mechanism, joint) for joint in mechanism.joints],
        "tool": {
            "joint": mechanism.joints[mechanism.tool_joint].name,
            "T_joint_tool": mechanism.tool,
        },
        **tip_document(mechanism),
        "capsules": [_capsule(mechanism, capsule) for capsule in mechanism.capsules],
        "self_collision": self_pair_names(mechanism),
        "unwatched_pairs": _unwatched_document(mechanism),
        "mesh_shapes": _shapes_document(mechanism),
        "description": phrase,
        "tables": asdict(internal_tables(parse(phrase))),
        "operations": {name: asdict(found) for name, found in operation_counts(mechanism).items()},
        "warnings": list(mechanism.warnings()),
    }


def _told_mass(mechanism: Mechanism) -> str:
    return f"{mechanism.total_mass:g} kg" if mechanism.masses_known else "masses unknown"


def _mass(mechanism: Mechanism) -> float | None:
    """Of all bodies; None where it is not known. [kg]."""
    return mechanism.total_mass if mechanism.masses_known else None


def _capsule(mechanism: Mechanism, capsule: Capsule) -> dict[str, object]:
    return {
        "name": capsule.name,
        "joint": None if capsule.joint < 0 else mechanism.joints[capsule.joint].name,
        "from_m": capsule.start,
        "to_m": capsule.end,
        "radius_m": capsule.radius,
        **({"corners_m": capsule.corners} if len(capsule.corners) else {}),
    }


def _joint(mechanism: Mechanism, joint: Joint) -> dict[str, object]:
    pair = rows_of(joint.placement)
    document: dict[str, object] = {
        "name": joint.name,
        "type": joint.kind.value,
        "parent": None if joint.parent < 0 else mechanism.joints[joint.parent].name,
        "T_parent_joint": joint.placement,
        "rows": [
            _row(row) for row in ((pair.joint,) if pair.is_single else (pair.carrier, pair.joint))
        ],
        "body": _body(joint),
    }
    return document | (_drive(joint) if joint.movable else {})


def _row(row: DhRow) -> dict[str, float]:
    return {"alpha_rad": row.alpha, "d_m": row.d, "theta_rad": row.theta, "r_m": row.r}


def _body(joint: Joint) -> dict[str, object]:
    body = joint.body
    return {
        "mass_kg": body.mass,
        "com_m": body.com,
        "inertia_kg_m2": body.inertia,
        "at": body.at,
        "inconsistencies": list(body.inconsistencies()),
    }


def _drive(joint: Joint) -> dict[str, object]:
    unit, effort = ("rad", "nm") if joint.kind.angular else ("m", "n")
    motor = "motor_inertia_kg_m2" if joint.kind.angular else "motor_mass_kg"
    viscous = "viscous_nm_s" if joint.kind.angular else "viscous_n_s_m"
    return {
        f"min_{unit}": finite(joint.q_min),
        f"max_{unit}": finite(joint.q_max),
        f"max_speed_{unit}_s": finite(joint.max_speed),
        f"max_acceleration_{unit}_s2": finite(joint.max_acceleration),
        f"max_jerk_{unit}_s3": finite(joint.max_jerk),
        f"max_{'torque' if joint.kind.angular else 'force'}_{effort}": finite(joint.max_effort),
        f"coulomb_{effort}": joint.coulomb,
        viscous: joint.viscous,
        motor: joint.motor_inertia,
    }


def _phrase(mechanism: Mechanism) -> str:
    return phrase_of(mechanism).text + "\n"


ROBOT_FILES: dict[str, Callable[[Mechanism], str]] = {
    "toml": write_toml,
    "urdf": write_urdf,
    "phrase": _phrase,
}


# --- a robot of another format -------------------------------------------------------------------


def import_document(imported: ImportedRobot, path: str) -> dict[str, object]:
    """What was imported, in JSON."""
    mechanism = imported.mechanism
    return {
        "format": FORMAT,
        "robot": mechanism.name,
        "source": {"file": imported.origin, "format": imported.format.value},
        "written": path,
        "dof": mechanism.dof,
        "joints": kinds(mechanism),
        "total_mass_kg": _mass(mechanism),
        **tip_document(mechanism),
        "assumed": [_note(note) for note in imported.assumptions],
        "missing": [_note(note) for note in imported.missing],
    }


def _note(note: ImportNote) -> dict[str, object]:
    return {
        "topic": note.topic.value,
        "required": note.need is Need.REQUIRED,
        "joints": list(note.joints),
        "text": note.sentence,
    }


def import_lines(imported: ImportedRobot) -> Iterator[str]:
    """What was imported, what was assumed and what is missing, for a terminal."""
    mechanism = imported.mechanism
    yield bold(f"{mechanism.name}: {mechanism.dof} joint variables ({kinds(mechanism)})")
    yield f"from {imported.origin} ({imported.format.value}), {_told_mass(mechanism)}"
    groups = {
        "Assumed": imported.assumptions,
        "Still to be given": [one for one in imported.missing if one.need is Need.REQUIRED],
        "May be given": [one for one in imported.missing if one.need is Need.OPTIONAL],
    }
    for title, notes in groups.items():
        if notes:
            yield f"\n{bold(title)}"
            yield from (f"  {note.sentence}" for note in notes)


# --- an audit ------------------------------------------------------------------------------------


def audit_document(
    mechanism: Mechanism, findings: Sequence[Finding], *, passed: bool
) -> dict[str, object]:
    """An audit in JSON."""
    return {
        "format": FORMAT,
        "robot": mechanism.name,
        **tip_document(mechanism),
        "passed": passed,
        "joints": len(mechanism.joints),
        "dof": mechanism.dof,
        "total_mass_kg": _mass(mechanism),
        "capsules": [capsule.name for capsule in mechanism.capsules],
        "self_collision": self_pair_names(mechanism),
        "unwatched_pairs": _unwatched_document(mechanism),
        "mesh_shapes": _shapes_document(mechanism),
        "findings": [finding.document() for finding in findings],
    }


def audit_lines(mechanism: Mechanism, findings: Sequence[Finding]) -> Iterator[str]:
    """An audit for a terminal."""
    yield from map(str, findings)
    yield from _unwatched_lines(mechanism)
    numbers = [sum(finding.severity is one for finding in findings) for one in Severity]
    counts = ", ".join(
        f"{count} {severity.value}{'' if count == 1 else 's'}"
        for severity, count in zip(Severity, numbers, strict=True)
    )
    yield (
        f"{mechanism.name}: {len(mechanism.joints)} joints, {mechanism.dof} variables, "
        f"{_told_mass(mechanism)}, {len(mechanism.capsules)} capsules{_told_pieces(mechanism)}, "
        f"{len(mechanism.self_pairs)} pairs of them watched; {counts}"
    )


# --- Library -------------------------------------------------------------------------------------

_NO_MAKER = "Stand-ins and robots of the sources"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How far a robot gets.

    Args:
        reach: furthest that the tool frame gets from the first joint's axis; None where that joint
            slides. [m]
        strokes: ranges of the joints that slide; infinite where a robot file gives none. [m]
    """

    reach: float | None
    strokes: tuple[float, ...]

    def __str__(self) -> str:
        if self.reach is not None:
            return f"{1e3 * self.reach:.0f} mm"
        if not np.isfinite(self.strokes).all():
            return "no limits"
        return " x ".join(f"{1e3 * stroke:.0f}" for stroke in self.strokes) + " mm"


def extent(mechanism: Mechanism) -> Extent:
    """Reach of a robot whose first joint turns, strokes of its slides."""
    slides = [joint for joint in mechanism.movable if not joint.kind.angular]
    turns = mechanism.movable[0].kind.angular
    return Extent(
        reach=axis_reach(Model(mechanism, engine="numpy")) if turns else None,
        strokes=tuple(joint.q_max - joint.q_min for joint in slides),
    )


def library_document(robots: dict[str, Mechanism], makers: dict[str, str]) -> dict[str, object]:
    """The library's robots by name, in JSON."""
    extents = {name: extent(robot) for name, robot in robots.items()}
    return {
        "format": FORMAT,
        "robots": [
            {
                "name": name,
                "maker": makers[name] or None,
                "dof": robot.dof,
                "joints": kinds(robot),
                "reach_m": extents[name].reach,
                "strokes_m": [
                    stroke if np.isfinite(stroke) else None for stroke in extents[name].strokes
                ],
                "source": robot.source,
            }
            for name, robot in robots.items()
        ],
    }


def library_lines(robots: dict[str, Mechanism], makers: dict[str, str]) -> Iterator[str]:
    """The library's robots, one line each, under their makers."""
    by_maker: dict[str, list[str]] = {}
    for name in robots:
        by_maker.setdefault(makers[name], []).append(name)
    for maker in sorted(by_maker, key=lambda maker: (not maker, maker)):
        yield bold(maker or _NO_MAKER)
        rows = [
            (name, str(robot.dof), kinds(robot), str(extent(robot)), robot.source)
            for name, robot in ((name, robots[name]) for name in by_maker[maker])
        ]
        yield from table_lines(("name", "dof", "joints", "reach or strokes", "source"), rows)
        yield ""
    yield "Reach: how far the tool frame, without a probe, gets from the first joint's axis."


# --- how its inverse is derived ------------------------------------------------------------------

_PAUL_TYPES = {
    1: "X r = Y",
    2: "one angle, one equation",
    3: "one angle, two equations",
    5: "a length",
}


def explanation_lines(found: Explanation) -> Iterator[str]:
    """The derivation for a terminal."""
    yield f"Inverse of {found.robot}: {found.method.value}."
    yield from _assumed(found)
    if found.steps:
        yield "T = [n s a p] is the pose of the tool; S2 and C2 are sine and cosine of joint 2."
    for place, step in enumerate(found.steps, start=1):
        yield ""
        yield f"{place}. {step.joint}: type {step.paul}, {_root_count(step)}; {step.source}"
        yield f"   {step.equation}"
        yield from (f"     {name} = {value}" for name, value in step.factors)
    yield ""
    if found.method is Method.CLOSED:
        yield f"Branches, by the signs of the roots: {', '.join(found.branches)}"
    else:
        yield (
            "Branches, by the sides of the posture and the sign of the Jacobian's determinant; "
            f"those alike are counted, (2), (3), …: {', '.join(found.branches)}"
        )


def explanation_latex(found: Explanation) -> Iterator[str]:
    """The derivation as a LaTeX fragment for amsmath."""
    yield f"% Inverse of {found.robot}: {found.method.value}."
    yield from (f"% {line}" for line in _assumed(found))
    for place, step in enumerate(found.steps, start=1):
        yield rf"% {place}. {step.joint}: type {step.paul}, {_root_count(step)}; {step.source}"
        yield r"\begin{align*}"
        yield ",\\\\\n".join(f"  & {line}" for line in step.latex)
        yield r"\end{align*}"


def explanation_document(found: Explanation) -> dict[str, Any]:
    """The same for programs."""
    return {
        "format": 1,
        "robot": found.robot,
        "method": found.method.value,
        "branches": list(found.branches),
        "snap": found.snap,
        "assumed": found.assumed,
        "degree": found.degree,
        "check": found.check,
        "steps": [
            {
                "joint": step.joint,
                "type": step.paul,
                "roots": step.roots,
                "relation": step.source,
                "equation": step.equation,
                "factors": dict(step.factors),
                "latex": list(step.latex),
            }
            for step in found.steps
        ],
    }


def _assumed(found: Explanation) -> Iterator[str]:
    if found.assumed:
        yield (
            f"Values of {found.assumed} are the roots of a polynomial of {found.degree} harmonics, "
            f"{2 * found.degree} roots at most: {found.check}."
        )
    if not found.steps:
        yield "Raghavan and Roth's equations as eigenvalues of a matrix of size 24: no steps."
    if found.snap > 1e-9:
        yield (
            f"Axes that miss each other or being parallel by {found.snap:.1e} of the robot's "
            "length are taken as meant; Newton steps make up for it."
        )


def _root_count(step: ExplainedStep) -> str:
    kind = _PAUL_TYPES.get(step.paul, "")
    return f"{kind}, {step.roots} root{'s' if step.roots > 1 else ''}"
