"""The tables of a report."""

from __future__ import annotations

import numpy as np

from planner.plan import Plan, PlannedPoint, Segment
from planner.proof import Proof
from reports.content.table import Column, Table, Value, ValueStatus, columns, fixed, number, text
from reports.limits import torque_limits
from reports.provenance import Provenance
from reports.verdict import measured_to

_COUNTS = (
    *("open_edges", "non_manifold_edges", "miswound_edges", "duplicated_triangles"),
    *("duplicated_vertices", "degenerate_triangles", "pieces"),
)


def joints_table(plan: Plan) -> Table:
    """Peaks of each joint beside its limits."""
    mechanism, limits = plan.job.mechanism, torque_limits(plan)
    heads = columns(
        "joint",
        ("speed", "rad/s"),
        ("of limit", "%"),
        ("acceleration", "rad/s²"),
        ("of limit", "%"),
        ("torque", "N m"),
        ("of limit", "%"),
        ("rms torque", "N m"),
        ("power", "W"),
        ("energy", "J"),
        ("net work", "J"),
    )
    rows = [
        (
            text(load.name),
            number(load.peak_velocity),
            _share(load.peak_velocity, mechanism.max_speed[k]),
            number(load.peak_acceleration),
            _share(load.peak_acceleration, mechanism.max_acceleration[k]),
            number(load.peak_torque),
            _share(load.peak_torque, limits[k]),
            *map(number, (load.rms_torque, load.peak_power, load.energy, load.net_work)),
        )
        for k, load in enumerate(plan.joint_loads)
    ]
    slides = any(not joint.kind.angular for joint in mechanism.movable)
    note = "Peaks are of absolute value over the exact motion, not over samples."
    if slides:
        note += " Joints that slide: m/s, m/s² and N."
    return Table(key="joints", title="Joints", columns=heads, rows=tuple(rows), note=note)


def points_table(plan: Plan) -> Table:
    """What became of every point."""
    joints = plan.job.mechanism.movable
    heads = (
        *columns("point", "served", "branch"),
        *columns(("x", "mm"), ("y", "mm"), ("z", "mm")),
        *(
            Column(
                header=f"{joint.name} at contact",
                unit="deg" if joint.kind.angular else "mm",
                joint=True,
            )
            for joint in joints
        ),
        *columns(("joint margin", "deg"), "nearest limit"),
        *columns(("singularity margin", "of 1"), ("clearance", "mm")),
    )
    scale = np.where([joint.kind.angular for joint in joints], np.degrees(1.0), 1e3)
    turning = {joint.name: joint.kind.angular for joint in joints}
    rows = []
    for k, point in enumerate(plan.planned_points):
        margin = point.joint_margin * (
            np.degrees(1.0) if turning.get(point.margin_joint, 1) else 1e3
        )
        rows.append(
            (
                text(point.name),
                text("yes", ValueStatus.GOOD) if point.reachable else text("no", ValueStatus.BAD),
                text(point.branch or "–"),
                *(fixed(float(v), 3) for v in 1e3 * plan.placed.contacts[k]),
                *(fixed(float(v), 4) for v in scale * point.q_contact),
                fixed(margin, 3),
                text(point.margin_joint or "–"),
                number(point.singularity_margin, 3),
                _clearance(point),
            )
        )
    note = "x, y, z: ball centre at contact, base frame. All rows stand in points.csv."
    return Table(key="points", title="Points", columns=heads, rows=tuple(rows), note=note)


def segments_table(plan: Plan) -> Table:
    """Every motion with its time."""
    heads = columns(
        "motion", "point", "law", ("start", "s"), ("duration", "s"), "what fixes the duration"
    )
    rows = [
        (
            text(s.kind.value),
            text(s.point),
            text(s.law),
            fixed(s.start, 4),
            fixed(s.duration, 4),
            text(s.binding or "–"),
        )
        for s in plan.timeline
    ]
    return Table(key="segments", title="Motions", columns=heads, rows=tuple(rows))


def clearances_table(plan: Plan) -> Table:
    """Least clearance of every motion that was checked, the nearest first."""
    heads = columns(
        "motion",
        "point",
        ("proven", "mm"),
        ("found", "mm"),
        "between",
        ("along the path", "%"),
        *(("x", "mm"), ("y", "mm"), ("z", "mm")),
    )
    required = plan.job.checks.clearance
    checked = [s for s in plan.timeline if s.clearance is not None]
    rows = sorted((_clearance_row(s, required) for s in checked), key=_nearest)
    note = (
        "Proven: nothing comes nearer between samples either; the truth lies between proven and "
        f"found. Required: {1e3 * required:g} mm. Distances: {measured_to(plan)}. x, y, z: on the "
        "moving body, base frame."
    )
    return Table(key="clearances", title="Clearance", columns=heads, rows=tuple(rows), note=note)


def validation_table(proof: Proof) -> Table:
    """Every residual of the independent validation."""
    heads = columns("check", ("value", ""), ("limit", ""), "unit", "passed", "what was compared")
    rows = tuple(
        (
            text(check.name),
            number(check.value, 3),
            number(check.limit, 3),
            text("–" if check.unit == "1" else check.unit),
            text("yes", ValueStatus.GOOD) if check.passed else text("no", ValueStatus.BAD),
            text(check.explanation),
        )
        for check in proof.check_list
    )
    note = "Every figure of the plan that matters was computed again by another method."
    return Table(key="validation", title="Validation", columns=heads, rows=rows, note=note)


def cell_table(plan: Plan) -> Table:
    """Solids and bodies that were kept apart."""
    job = plan.job
    solids = [
        (
            text(solid.name),
            text(solid.kind.value),
            text(f"{len(solid.mesh)} triangles, " + ("closed" if solid.closed else "not closed")),
            text(_box(1e3 * solid.mesh.bounds)),
        )
        for solid in job.cell.solids
    ]
    joints = job.mechanism.joints
    bodies = [
        (
            text(capsule.name),
            text("moving body" if capsule.joint >= 0 else "base"),
            text(f"capsule of radius {1e3 * capsule.radius:g} mm"),
            text(f"on {joints[capsule.joint].name}" if capsule.joint >= 0 else "fixed"),
        )
        for capsule in job.mechanism.capsules
    ]
    note = "" if solids else "The job names neither geometry nor obstacles."
    heads = columns("name", "kind", "shape", "where")
    return Table(key="cell", title="Cell", columns=heads, rows=(*solids, *bodies), note=note)


def audit_table(plan: Plan) -> Table | None:
    """Health of the part's geometry; None where the job names none."""
    if plan.job.surface is None:
        return None
    audit = plan.job.surface.audit
    size = " × ".join(f"{1e3 * extent:.4g}" for extent in audit.size)
    closed = "yes" if audit.watertight else "no"
    rows = [
        (text("size"), text(f"{size} mm")),
        (text("surface"), text(f"{1e4 * audit.area:.5g} cm²")),
        (text("volume"), text(f"{1e6 * audit.volume:.5g} cm³" if audit.watertight else "–")),
        (text("triangles, vertices"), text(f"{audit.triangles}, {audit.vertices}")),
        (
            text("watertight"),
            text(closed, ValueStatus.GOOD if audit.watertight else ValueStatus.DOUBTFUL),
        ),
        (text("turned inside out"), text("yes" if audit.inverted else "no")),
        *(
            (text(name.replace("_", " ")), text(getattr(audit, name)))
            for name in _COUNTS
            if getattr(audit, name)
        ),
        *((text("repair"), text(line)) for line in audit.repairs),
        *((text("warning"), text(line, ValueStatus.DOUBTFUL)) for line in audit.warnings),
    ]
    return Table(
        key="geometry",
        title="Geometry audit",
        columns=columns("property", "found"),
        rows=tuple(rows),
        note="Nothing is repaired silently: what was done to the file stands here.",
    )


def provenance_table(made: Provenance) -> Table:
    """Hashes, versions, command."""
    rows = [
        (text("command"), text(made.command)),
        (text(f"job file {made.job}"), text(f"SHA-256 {made.sha256}")),
        *((text(f"input {item.name}"), text(f"SHA-256 {item.sha256}")) for item in made.inputs),
        *([] if made.tip is None else [(text("tool frame"), text(str(made.tip)))]),
        *((text(name), text(version)) for name, version in made.versions),
        (text("processor"), text(made.machine)),
    ]
    return Table(
        key="provenance", title="Provenance", columns=columns("what", "value"), rows=tuple(rows)
    )


def _share(value: float, limit: float) -> Value:
    if not np.isfinite(limit):
        return text("–")
    share = 100.0 * value / limit
    return fixed(share, 1, ValueStatus.BAD if share > 100.0 + 1e-6 else ValueStatus.PLAIN)


def _clearance(point: PlannedPoint) -> Value:
    return text("–") if point.min_clearance is None else fixed(1e3 * point.min_clearance, 2)


def _clearance_row(segment: Segment, required: float) -> tuple[Value, ...]:
    clearance = segment.clearance
    if clearance is None:
        raise ValueError("only motions that were checked have a row")
    status = ValueStatus.PLAIN if clearance.certified >= required else ValueStatus.BAD
    return (
        text(segment.kind.value),
        text(segment.point),
        fixed(1e3 * clearance.certified, 2, status),
        fixed(1e3 * clearance.seen, 2),
        text(clearance.pair),
        fixed(100.0 * clearance.at, 1),
        *(fixed(1e3 * v, 1) for v in clearance.place),
    )


def _nearest(row: tuple[Value, ...]) -> float:
    proven = row[2].number
    return np.inf if proven is None else proven


def _box(bounds: np.ndarray) -> str:
    low, high = bounds.tolist()
    return " · ".join(
        f"{name} {a:.0f} … {b:.0f} mm" for name, a, b in zip("xyz", low, high, strict=True)
    )
