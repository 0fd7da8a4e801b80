"""Rows of batches: five thousand generated ones, one of every kind, hostile ones."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from planner.batch.outcome import CaseStatus, Outcome
from planner.findings.finding import Aspect
from reports.batch.rows import JobRow

# Each would set window.hit, or change what the reader sees, where it is taken for more than text.
HOSTILE = (
    "<script>window.hit=1</script>",
    '"><img src=x onerror="window.hit=1">',
    "</script><script>window.hit=1</script>",
    "<!--<script>",
    "]]></failure><failure>",
    "{{ 7*7 }} {% raw %}",
    "javascript:window.hit=1",
    "' onmouseover='window.hit=1",
    "\u202egnp.exe\u202c \u2066left\u2069 \u2028 nul\x00 bell\x07 half\ud800 \ufffe\uffff",
    "//example.invalid/../../etc/passwd",
    '=HYPERLINK("http://example.invalid/")',
    "+1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "-2+3",
    "\tafter a tab",
    'two\nlines, a comma and a "quote"\r\n',
    "שלום עולם",
    "x" * 10_000,
)


def digest_of(name):
    return hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()


def make_row(name, status=CaseStatus.FEASIBLE, *, code="", why="new", seconds=0.1, **others):
    digest = digest_of(name)
    outcome = Outcome(status=status, code=code, **others)
    return JobRow(
        name=name,
        digest=digest,
        why=why,
        cause=why,
        outcome=outcome,
        seconds=seconds,
        peak_bytes=210_000_000,
        report=f"results/{digest[:2]}/{digest}.json",
    )


@pytest.fixture(scope="session")
def feasible_rows():
    """Two feasible jobs: one that is proven in every respect, one that is not."""
    missing = (Aspect.PART_GEOMETRY, Aspect.TORQUE_LIMITS)
    return make_row("proven.toml"), make_row("open.toml", unchecked=missing)


@pytest.fixture(scope="session")
def every_kind():
    """A row of every status."""
    figures = {"duration_s": 2.7931, "joint_margin_deg": 12.5, "torque_fraction": 0.61}
    return (
        make_row("parts/a.toml", figures=figures, findings={"P203": 2}),
        make_row(
            "parts/b.toml",
            CaseStatus.INFEASIBLE,
            code="P101",
            where="P3",
            message="P3 lies 0.120 m beyond the reach.",
            figures=figures | {"clearance_mm": 1.25},
            findings={"P101": 1},
        ),
        make_row(
            "c.toml", CaseStatus.REFUSED, code="JobError", where="points", message="no points"
        ),
        make_row("d.toml", CaseStatus.NOT_VALIDATED, code="validation", message="a fault"),
        make_row("e.toml", CaseStatus.TIME_CAP, code="time-cap", message="took more", cap=60.0),
        make_row("f.toml", CaseStatus.MEMORY_CAP, code="memory-cap", message="too much", cap=4e9),
        make_row(
            "g.toml", CaseStatus.CRASHED, code="crash", message="died", seconds=math.nan, why=""
        ),
    )


@pytest.fixture(scope="session")
def hostile():
    """Rows with hostile texts wherever a job, or a result file, can put some."""
    return tuple(
        replace(
            make_row(name, status, code=name, where=name, message=name, findings={name: 1}),
            report=name,
            why=name,
            cause=name,
        )
        for name in HOSTILE
        for status in (CaseStatus.INFEASIBLE,)
    )


def _outcome(k, random):
    margin, torque = random.gamma(4.0, 5.0), random.beta(5, 3)
    figures = {
        "points": 9.0,
        "points_reached": 9.0,
        "duration_s": 2.5 + random.gamma(2.0, 0.8),
        "energy_j": 40.0 + random.gamma(3.0, 9.0),
        "peak_power_w": 300.0 + random.normal() * 40.0,
        "joint_margin_deg": margin,
        "clearance_mm": random.gamma(3.0, 4.0),
        "singularity_margin": random.beta(2, 6),
        "peak_torque_nm": 80.0 * torque,
        "torque_fraction": 1.2 * torque,
    }
    findings = dict(Counter(random.choice(["P103", "P106", "P110"], size=k % 3).tolist()))
    kind = k % 50
    if kind < 34:
        return Outcome(status=CaseStatus.FEASIBLE, figures=figures, findings=findings)
    if kind < 45:
        code, say = ("P101", "lies beyond the reach") if kind < 40 else ("P102", "needs too much")
        point = f"P{k % 9 + 1}"
        return Outcome(
            status=CaseStatus.INFEASIBLE,
            code=code,
            where=point,
            message=f"{point} {say}: {random.gamma(2.0, 30.0):.1f} mm over; turn the part by "
            f"{random.integers(5, 90)}° or move it nearer to the base of the robot (and 2 more)",
            figures=figures | {"joint_margin_deg": margin / 10.0},
            findings=findings | {code: 1 + k % 4},
        )
    if kind < 48:
        message = f"variant-{k}.toml: line {k % 90}: [part] names plate-{k}.stl, which is missing."
        return Outcome(
            status=CaseStatus.REFUSED, code="JobError", where="part.file", message=message
        )
    if kind == 48:
        said = "took more than 60 s; allow more with --time-cap."
        return Outcome(status=CaseStatus.TIME_CAP, code="time-cap", message=said, cap=60.0)
    return Outcome(status=CaseStatus.CRASHED, code="crash", message="the worker died: signal 11.")


def _with_why(row, k):
    if k % 7 == 0:
        return replace(row, why="", cause="")
    return replace(row, why="input changed: plate.stl", cause="input changed")


@pytest.fixture(scope="session")
def generated():
    """5,000 rows of a sweep, as a batch of the issue's mix has them."""
    random = np.random.default_rng(9)
    found = []
    for k in range(5000):
        name = f"sweeps/plates/variant x={k % 100:03d} y={k // 100:02d} r={random.uniform():.4f}"
        outcome = _outcome(k, random)
        slow = 60.0 if outcome.status is CaseStatus.TIME_CAP else 0.05 + random.gamma(2.0, 0.02)
        row = replace(make_row(name, seconds=slow), outcome=outcome)
        found.append(_with_why(row, k))
    return tuple(found)


@pytest.fixture(scope="session")
def swept(generated):
    """The same rows, as a sweep of three keys makes them; the first hundred are no sweep's."""
    random = np.random.default_rng(11)
    laws = ("quintic", "bang-bang", "trapezoid")
    found = [
        replace(
            row,
            swept={
                "travel.law": laws[k % 3],
                "approach.distance_mm": 10 + k % 5,
                "part.pose.translation_mm[1]": float(f"{random.uniform(1400.0, 1600.0):.12g}"),
            },
        )
        for k, row in enumerate(generated[100:])
    ]
    return (*generated[:100], *found)


@pytest.fixture(scope="session")
def before(generated):
    """The batch that ran before: a little better here and there, 40 jobs missing, 25 more."""
    random = np.random.default_rng(10)
    found = []
    for row in generated[40:]:
        outcome, figures = row.outcome, dict(row.outcome.figures)
        if figures and random.uniform() < 0.1:
            figures["duration_s"] *= random.uniform(0.9, 1.05)
            figures["joint_margin_deg"] += random.normal()
        if random.uniform() < 0.02:
            outcome = replace(outcome, status=CaseStatus.FEASIBLE, code="", message="")
        found.append(replace(row, outcome=replace(outcome, figures=figures)))
    return (*found, *(make_row(f"gone {k}") for k in range(25)))


@pytest.fixture(scope="session")
def row_of():
    """``row_of(name, status, **outcome)`` → a row."""
    return make_row
