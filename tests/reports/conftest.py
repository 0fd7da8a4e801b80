"""A small synthetic plan: two points of the corrected nine-point job are reached, one is not.

Also the schema of QIF, the judge of what is written in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from parts.points import ProbePoints
from planner.findings import Finding, Severity
from planner.findings.finding import Point
from planner.job import read_job
from planner.job.solids import Cell, Solid, SolidKind
from planner.library import path_of
from planner.motion.sampled_motion import sampled
from planner.plan import (
    JointLoad,
    Plan,
    PlannedPoint,
    Samples,
    Segment,
    SegmentKind,
    Totals,
)
from planner.proof import Check, Proof
from planner.reach.placement import place

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
CONTACTS = np.radians([[40.0, -20, 30, 50, -10], [50, -25, 35, 60, -20]])
NAN = np.full(5, np.nan)


@dataclass(frozen=True)
class SyntheticTrajectory:
    """q(t) = a + b sin(2 t) over a given time; torques and tip are smooth, too."""

    duration: float
    starts: np.ndarray

    def sample_count(self, period: float) -> int:
        return len(self._instants(period))

    def _instants(self, period: float) -> np.ndarray:
        count = int(self.duration / period)
        t = np.append(np.arange(count + 1) * period, self.duration)
        return t[np.append(np.diff(t) > 1e-12, True)]

    def sample(self, period: float, first: int = 0, after: int | None = None) -> Samples:
        t = self._instants(period)[first:after]
        amplitude = np.array([0.3, 0.2, 0.1, 0.5, 0.8])
        wave = np.sin(2 * t[:, None] + np.arange(5))
        slope = np.cos(2 * t[:, None] + np.arange(5))
        turn = np.stack([np.cos(t), 1.5 + 0.2 * np.sin(3 * t), 1.1 + 0.1 * np.cos(2 * t)], axis=1)
        return Samples(
            t=t,
            segment=np.searchsorted(self.starts, t, side="right") - 1,
            q=CONTACTS[0] + amplitude * wave,
            qd=2 * amplitude * slope,
            qdd=-4 * amplitude * wave,
            tau=np.array([100.0, 240, 90, 0.01, 1e-5]) * slope,
            position=turn * np.array([0.3, 1.0, 1.0]),
        )


def checked(name: str, value: float, limit: float, unit: str) -> Check:
    return Check(
        name=name,
        value=value,
        limit=limit,
        unit=unit,
        passed=value <= limit,
        explanation=f"what {name} means",
    )


def _segments() -> tuple[Segment, ...]:
    rows = [
        (SegmentKind.PROBE, 0, "quintic", 0.0, 0.2, "q5 acceleration"),
        (SegmentKind.DWELL, 0, "rest", 0.2, 0.1, ""),
        (SegmentKind.RETRACT, 0, "quintic", 0.3, 0.2, "q5 acceleration"),
        (SegmentKind.TRAVEL, 2, "trapezoid", 0.5, 0.3, "q1 speed"),
        (SegmentKind.PROBE, 2, "quintic", 0.8, 0.2, "q4 acceleration"),
        (SegmentKind.RETRACT, 2, "quintic", 1.0, 0.20025, "q4 acceleration"),
    ]
    return tuple(
        Segment(
            kind=kind,
            point=f"P{index + 1}",
            point_index=index,
            law=law,
            start=start,
            duration=duration,
            binding=binding,
        )
        for kind, index, law, start, duration, binding in rows
    )


def _points() -> tuple[PlannedPoint, ...]:
    def reached(name: str, q: np.ndarray, margin: float) -> PlannedPoint:
        return PlannedPoint(
            name=name,
            reachable=True,
            branch="shoulder+ elbow+ wrist-",
            q_clearance=q - 0.1,
            q_contact=q,
            joint_margin=margin,
            margin_joint="q2",
            singularity_margin=0.3,
        )

    lost = PlannedPoint(
        name="P2",
        reachable=False,
        branch="",
        q_clearance=NAN,
        q_contact=NAN,
        joint_margin=np.nan,
        margin_joint="",
        singularity_margin=np.nan,
        touch_speed=np.nan,
        overrun=np.nan,
    )
    return (reached("P1", CONTACTS[0], 0.2), lost, reached("P3", CONTACTS[1], 0.1))


def _three_points(job):
    points = job.points
    return ProbePoints(
        names=points.names[:3], positions=points.positions[:3], normals=points.normals[:3]
    )


@pytest.fixture(scope="session")
def job():
    job = read_job(path_of("nine-points-corrected"))
    return replace(job, points=_three_points(job))


@pytest.fixture(scope="session")
def plan(job):
    segments = _segments()
    loads = [
        JointLoad(
            name=f"q{k}",
            peak_velocity=1.0 * k,
            peak_acceleration=2.0 * k,
            peak_torque=3.0 * k,
            rms_torque=1.5 * k,
            peak_power=4.0 * k,
            energy=5.0 * k,
            net_work=-0.5 * k,
        )
        for k in range(1, 6)
    ]
    finding = Finding(
        code="P101",
        severity=Severity.ERROR,
        subject=Point("P2"),
        message="the clearance point is 0.212 m beyond the arm's reach of 0.8 m.",
        hint="Move the part 0.212 m towards the robot.",
        left_out=True,
    )
    return Plan(
        job=job,
        placed=place(job),
        planned_points=_points(),
        timeline=segments,
        trajectory=SyntheticTrajectory(
            duration=segments[-1].end, starts=np.array([s.start for s in segments])
        ),
        joint_loads=tuple(loads),
        totals=Totals(
            duration=segments[-1].end,
            energy=321.5,
            net_work=-10.88,
            peak_power=456.3,
            min_power=-513.3,
        ),
        finding_list=(finding,),
    )


@pytest.fixture(scope="session")
def whole(plan):
    """The same, with nothing that is wrong or was not checked: a plan that is green."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    mesh = TriangleMesh(vertices=corners, faces=np.array([[0, 1, 2]]))
    solid = Solid(name="part", kind=SolidKind.PART, mesh=mesh, closed=False)
    job = replace(
        plan.job,
        cell=Cell(solids=(solid,)),
        probe=replace(plan.job.probe, stylus_length=0.1, ball_diameter=0.004),
        checks=replace(plan.job.checks, torque_limits=np.full(5, 1e3)),
    )
    return replace(plan, job=job, finding_list=())


@pytest.fixture(scope="session")
def samples(plan):
    return plan.trajectory.sample(plan.job.sampling_period)


@pytest.fixture(scope="session")
def proved():
    """``proved(plan)`` → a proof whose checks passed."""
    checks = (
        checked("samples reach the points", 1.5e-15, 1e-9, "m"),
        checked("finite differences of q give qd", 2e-10, 1e-6, "1"),
    )
    return lambda plan: Proof(plan=plan, motion=sampled(plan), check_list=checks)


@pytest.fixture(scope="session")
def rejected():
    """``rejected(plan)`` → a proof with a check that failed."""
    checks = (checked("samples reach the points", float("nan"), 1e-9, "m"),)
    return lambda plan: Proof(plan=plan, motion=sampled(plan), check_list=checks)


@pytest.fixture(scope="session")
def renamed():
    """``renamed(plan, name)`` → the plan with its first point called ``name``."""

    def rename(plan: Plan, name: str) -> Plan:
        points = plan.job.points
        names = (name, *points.names[1:])
        placed = replace(plan.placed, names=names)
        first = replace(plan.planned_points[0], name=name)
        segments = tuple(replace(s, point=name) if s.point_index == 0 else s for s in plan.timeline)
        return replace(
            plan, placed=placed, planned_points=(first, *plan.planned_points[1:]), timeline=segments
        )

    return rename


@pytest.fixture(scope="session")
def qif_schema():
    """The standard's own schema; tests that need it are skipped where it is absent."""
    from lxml import etree

    path = SHARED / "qif-xsd" / "QIFApplications" / "QIFDocument.xsd"
    if not path.is_file():
        pytest.skip("the QIF schemas (../shared/data/qif-xsd) are not on this machine")
    return etree.XMLSchema(etree.parse(path))
