"""Report: all that a reader is told of a plan, in the order in which it is read."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from planner.findings import Finding
from planner.job.settings import ReportHeading
from planner.plan import Plan, PlannedPoint, Segment, Totals
from planner.proof.proof import Proof
from planner.touch.summary import touch_summary
from reports.content.curves import CurveSet, curve_sets
from reports.content.table import (
    Column,
    Fact,
    Table,
    Value,
    ValueStatus,
    columns,
    fixed,
    number,
    text,
)
from reports.drawn_samples import DrawnSamples
from reports.provenance import Provenance, SetOptions
from reports.verdict import (
    aspect_text,
    clearance_proven,
    meaning,
    measured_to,
    not_checked,
    points_left_out,
    touch_sentence,
    withheld,
)
from robots.core.rounding import balance

_CLOSE = np.radians(1.0)  # a joint margin below this is worth a second look
_COUNTS = (
    *("open_edges", "non_manifold_edges", "miswound_edges", "duplicated_triangles"),
    *("duplicated_vertices", "degenerate_triangles", "pieces"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The content of a report, without a form.

    Args:
        title: name of the job, as the file says it; untrusted.
        heading: part, drawing and so on in a line, as the file says them; untrusted.
        verdict: one sentence: feasible or not, and validated or not.
        status: what the verdict means.
        unchecked: what was not checked, what that means, what would change it.
        facts: the summary.
        findings: the worst first.
        curves: over time, one set per quantity.
        joints: peaks of each joint.
        points: every probe point.
        segments: every motion.
        clearances: least clearance of every motion; empty where none was checked.
        audit: health of the geometry; None where the job names none.
        validation: every residual.
        cell: solids and capsules that were checked.
        job_text: the job file as it was read; untrusted.
        errata: what a reproduced source says otherwise, one sentence each.
        provenance: hashes, versions, command.
        sha256: of the job file.
        version: of Palpeur.
    """

    title: str
    heading: str
    verdict: str
    status: ValueStatus
    unchecked: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    curves: tuple[CurveSet, ...]
    joints: Table
    points: Table
    segments: Table
    clearances: Table
    audit: Table | None
    validation: Table
    cell: Table
    job_text: str
    errata: tuple[str, ...]
    provenance: Table
    sha256: str
    version: str

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables in reading order."""
        maybe = () if self.audit is None else (self.audit,)
        return (
            *(self.joints, self.points, self.segments, self.clearances),
            *maybe,
            *(self.validation, self.cell, self.provenance),
        )


def report_content(
    proof: Proof,
    drawn: DrawnSamples,
    made: Provenance,
    *,
    errata: tuple[str, ...] = (),
    options: SetOptions | None = None,
) -> Report:
    """Everything that a report says.

    Args:
        proof: a plan that was checked.
        drawn: samples that curves show.
        made: provenance.
        errata: what a reproduced source says otherwise.
        options: of the report set; the usual ones when None.
    """
    plan = proof.plan
    told, status = verdict(proof)
    return Report(
        title=plan.job.name,
        heading=heading_line(plan.job.report),
        verdict=told,
        status=status,
        unchecked=unchecked_facts(plan),
        facts=facts(proof, options or SetOptions()),
        findings=plan.finding_list,
        curves=curve_sets(plan, drawn),
        joints=joints_table(plan),
        points=points_table(plan),
        segments=segments_table(plan),
        clearances=clearances_table(plan),
        audit=audit_table(plan),
        validation=validation_table(proof),
        cell=cell_table(plan),
        job_text=plan.job.text,
        errata=errata,
        provenance=provenance_table(made),
        sha256=made.sha256,
        version=dict(made.versions).get("palpeur", ""),
    )


def heading_line(heading: ReportHeading) -> str:
    """What [report] of a job gives, in a line."""
    return " · ".join(f"{what} {text}" for what, text in asdict(heading).items() if text)


def verdict(proof: Proof) -> tuple[str, ValueStatus]:
    """One or two sentences, and what they mean; green is only for what is proven."""
    plan = proof.plan
    reached, count = sum(point.reachable for point in plan.planned_points), len(plan.planned_points)
    served = f"{reached} of {count} points are measured"
    missing = not_checked(plan.unchecked)
    if not proof.passed:
        return "The plan failed its own validation; nothing in it may be used.", ValueStatus.BAD
    if not plan.feasible:
        also = f" {missing[:1].upper()}{missing[1:]}." if missing else ""
        return (
            f"Not feasible: {served}; the findings say what stands in the way.{also}",
            ValueStatus.BAD,
        )
    passed = f"{served}, and the plan passed its independent validation."
    if missing:
        told = f"Feasible; {missing}. {passed}"
        return told, ValueStatus.DOUBTFUL
    return f"Feasible: {passed}", ValueStatus.GOOD


def unchecked_facts(plan: Plan) -> tuple[Fact, ...]:
    """What was not checked, what that means, and what would change it."""
    return tuple(
        Fact(
            label=aspect_text(one),
            value=text("not checked", ValueStatus.DOUBTFUL),
            detail=meaning(one),
        )
        for one in plan.unchecked
    )


def facts(proof: Proof, options: SetOptions | None = None) -> tuple[Fact, ...]:
    """Points, time, energy, power, the worst margins, programmes, and what validation said."""
    plan, totals = proof.plan, proof.plan.totals
    reached, count = sum(point.reachable for point in plan.planned_points), len(plan.planned_points)
    passed = sum(one.passed for one in proof.check_list)
    whole = ValueStatus.GOOD if reached == count else ValueStatus.BAD
    valid = ValueStatus.GOOD if proof.passed else ValueStatus.BAD
    return (
        Fact(label="points measured", value=text(f"{reached} of {count}", whole)),
        Fact(label="duration", value=fixed(totals.duration, 4), unit="s"),
        *_energy(totals),
        _touch(plan),
        *_margins(plan),
        *_programmes(plan, options or SetOptions()),
        Fact(
            label="validation",
            value=text(f"{passed} of {len(proof.check_list)}", valid),
            detail="checks passed",
        ),
    )


def _energy(totals: Totals) -> list[Fact]:
    if totals.energy is None or totals.net_work is None:
        absent = text("not evaluated", ValueStatus.DOUBTFUL)
        why = "masses unknown"
        return [Fact(label=name, value=absent, detail=why) for name in ("energy", "total power")]
    return [
        Fact(
            label="energy",
            value=number(totals.energy),
            unit="J",
            detail=f"net work {number(balance(totals.net_work, totals.energy, 5)).text} J",
        ),
        Fact(
            label="total power",
            value=text(f"{number(totals.min_power).text} … {number(totals.peak_power).text}"),
            unit="W",
        ),
    ]


def _touch(plan: Plan) -> Fact:
    """Speed of the ball at contact, and what becomes of it."""
    touch = touch_summary(plan)
    if touch.mode == "to-rest":
        return Fact(label="touch", value=text("to rest"), detail=touch_sentence(touch))
    if not touch.speed:
        return Fact(label="touch", value=text("none"), detail=touch_sentence(touch))
    broken = touch.overrun > touch.overtravel
    return Fact(
        label="touch speed",
        value=number(1e3 * touch.speed, 4, ValueStatus.BAD if broken else ValueStatus.PLAIN),
        unit="mm/s",
        detail=touch_sentence(touch),
    )


def _margins(plan: Plan) -> list[Fact]:
    reached = [point for point in plan.planned_points if point.reachable]
    if not reached:
        return []
    joint = min(reached, key=lambda point: point.joint_margin)
    single = min(reached, key=lambda point: point.singularity_margin)
    close = ValueStatus.DOUBTFUL if joint.joint_margin < _CLOSE else ValueStatus.PLAIN
    return [
        Fact(
            label="minimum joint margin",
            value=_margin(plan, joint, close),
            unit=_unit(plan, joint),
            detail=f"{joint.margin_joint} at {joint.name}",
        ),
        Fact(
            label="minimum singularity margin",
            value=number(single.singularity_margin, 3),
            unit="of 1",
            detail=f"at {single.name}",
        ),
        _clearance(plan),
    ]


def _margin(plan: Plan, point: PlannedPoint, status: ValueStatus) -> Value:
    scale = np.degrees(1.0) if _turns(plan, point) else 1e3
    return fixed(scale * point.joint_margin, 3, status)


def _unit(plan: Plan, point: PlannedPoint) -> str:
    return "deg" if _turns(plan, point) else "mm"


def _turns(plan: Plan, point: PlannedPoint) -> bool:
    kinds = {joint.name: joint.kind.angular for joint in plan.job.mechanism.movable}
    return kinds.get(point.margin_joint, True)


def _clearance(plan: Plan) -> Fact:
    nearest = plan.nearest
    if nearest is None:
        return Fact(label="clearance", value=text("not checked", ValueStatus.DOUBTFUL))
    clearance, segment = nearest
    required = plan.job.checks.clearance
    kept = clearance.kept(required)
    whole = ValueStatus.GOOD if clearance_proven(plan) else ValueStatus.DOUBTFUL
    told = kept or clearance.depth_known
    value = fixed(1e3 * clearance.known(required), 2, whole if kept else ValueStatus.BAD)
    return Fact(
        label="minimum clearance, proven" if kept else "minimum clearance, found",
        value=value if told else text("contact, depth not known", ValueStatus.BAD),
        unit="mm" if told else "",
        detail=f"{measured_to(plan)}; {clearance.pair}, {segment.kind.value} of {segment.point}",
    )


def _programmes(plan: Plan, options: SetOptions) -> list[Fact]:
    """Programmes that a reader may expect and that are not there, or leave points out."""
    refused = withheld(plan, options)
    if refused:
        return [Fact(label="programmes", value=text("none", ValueStatus.BAD), detail=refused)]
    if plan.left_out:
        told = f"without {points_left_out(plan)}"
        return [Fact(label="programmes", value=text("partial", ValueStatus.DOUBTFUL), detail=told)]
    return []


def joints_table(plan: Plan) -> Table:
    """Peaks of each joint beside its limits."""
    mechanism, limits = plan.job.mechanism, plan.job.effort_limits
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
    if not mechanism.masses_known:
        note += " Torques, powers and energies are not evaluated: masses unknown."
    return Table(key="joints", title="Joints", columns=heads, rows=tuple(rows), note=note)


def points_table(plan: Plan) -> Table:
    """What became of every point."""
    joints = plan.job.mechanism.movable
    heads = (
        *columns("point", "measured", "branch"),
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
                text(point.inverse_branch or point.branch or "–"),
                *(fixed(float(v), 3) for v in 1e3 * plan.placed.contacts[k]),
                *(fixed(float(v), 4) for v in scale * point.q_contact),
                fixed(margin, 3),
                text(point.margin_joint or "–"),
                number(point.singularity_margin, 3),
                _tables_clearance(point),
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
            text(
                f"capsule of radius {1e3 * capsule.radius:g} mm"
                + (f", piece of {len(capsule.corners)} corners" if len(capsule.corners) else "")
            ),
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


def _share(value: float | None, limit: float) -> Value:
    if value is None or not np.isfinite(limit):
        return text("–")
    share = 100.0 * value / limit
    return fixed(share, 1, ValueStatus.BAD if share > 100.0 + 1e-6 else ValueStatus.PLAIN)


def _tables_clearance(point: PlannedPoint) -> Value:
    return text("–") if point.min_clearance is None else fixed(1e3 * point.min_clearance, 2)


def _clearance_row(segment: Segment, required: float) -> tuple[Value, ...]:
    clearance = segment.clearance
    if clearance is None:
        raise ValueError("only motions that were checked have a row")
    proven = fixed(1e3 * clearance.certified, 2)
    return (
        text(segment.kind.value),
        text(segment.point),
        proven if clearance.kept(required) else text("not kept", ValueStatus.BAD),
        fixed(1e3 * clearance.seen, 2),
        text(clearance.pair),
        fixed(100.0 * clearance.at, 1),
        *(fixed(1e3 * v, 1) for v in clearance.place),
    )


def _nearest(row: tuple[Value, ...]) -> float:
    """The proven clearance, or, where it is not kept, the one found."""
    return next((value.number for value in row[2:4] if value.number is not None), np.inf)


def _box(bounds: np.ndarray) -> str:
    low, high = bounds.tolist()
    return " · ".join(
        f"{name} {a:.0f} … {b:.0f} mm" for name, a, b in zip("xyz", low, high, strict=True)
    )
