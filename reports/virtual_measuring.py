"""Answers of measuring without a machine: virtual runs of a job, numbers of points, arm tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from planner.evaluation.evaluate import evaluate
from planner.plan import Plan
from planner.virtual_measuring.enough_points import PointCount
from planner.virtual_measuring.machine_tests import TESTS, MachineTests
from planner.virtual_measuring.measuring import VirtualMeasurement
from reports.answers import FORMAT, table_lines

# --- virtual runs of a job -----------------------------------------------------------------------


def measurement_document(
    planned: Plan, found: Sequence[VirtualMeasurement], content: str, files: Sequence[str]
) -> dict[str, object]:
    """Virtual runs beside the truth, in JSON.

    Args:
        planned: the plan of the job.
        found: one measurement per run.
        content: what was written.
        files: names of the files, one per run; none where nothing was written.
    """
    first = found[0]
    return {
        "format": FORMAT,
        "job": planned.job.name,
        "seed": first.seed,
        "content": content,
        "perfect_machine": planned.job.uncertainty is None,
        "points": list(first.names),
        "not_reached": [point.name for point in planned.planned_points if not point.reachable],
        "part_height_m": dict(zip(first.names, first.heights.tolist(), strict=True)),
        "runs": [
            _run(planned, one, files[place] if files else "") for place, one in enumerate(found)
        ],
    }


def _run(planned: Plan, one: VirtualMeasurement, file: str) -> dict[str, object]:
    """One run beside the truth, and what the job's evaluation makes of it."""
    evaluation = evaluate(planned.job, one.measured())
    along = evaluation.points.along
    return {
        "file": file,
        "q": one.q,
        "centres_m": one.centres,
        "missed": list(one.late),
        "before_the_search": list(one.early),
        "arm": {p.name: e for p, e in zip(one.errors.parameters, one.errors.geometry, strict=True)},
        "part_shift_m": one.errors.shift,
        "part_turn_rad": one.errors.turn,
        "part_growth": one.errors.growth,
        "deviation_rms_m": float(np.sqrt(np.mean(along**2))),
        "deviation_largest_m": float(along[int(np.argmax(np.abs(along)))]),
        "characteristics": [
            {
                "name": item.name,
                "nominal_m": item.nominal,
                "measured_m": item.measured,
                "verdict": None if item.verdict is None else item.verdict.value,
            }
            for item in evaluation.characteristics
        ],
    }


def measurement_sentences(
    planned: Plan, found: Sequence[VirtualMeasurement], files: Sequence[str]
) -> list[str]:
    """What a reader should know beside the points."""
    first = found[0]
    lines = [f"{len(first.names)} points measured, seed {first.seed}."]
    if files:
        to = files[0] if len(files) == 1 else f"{files[0]} … {Path(files[-1]).name}"
        lines[0] = f"{lines[0][:-1]}; written to {to}."
    if planned.job.uncertainty is None:
        lines.append("The job has no [uncertainty]: the machine is perfect.")
    elif planned.job.uncertainty.trigger_jitter > 0.0:
        speeds = planned.placed.touch_speeds
        jitter = planned.job.uncertainty.trigger_jitter
        deep = jitter * float(speeds.max())
        lines.append(
            f"Readings are latched early or late by {1e3 * jitter:.3g} ms (1 sigma), at "
            f"{1e3 * float(speeds.max()):.3g} mm/s: {1e6 * deep:.3g} um along the line. The mean "
            "latency is pre-travel, which calibration at touch speed takes out."
        )
    lost = [point.name for point in planned.planned_points if not point.reachable]
    if lost:
        lines.append(f"{len(lost)} points are not reached, the first {lost[0]}.")
    late = sorted({name for one in found for name in one.late})
    if late:
        lines.append(
            f"{len(late)} points are touched only past touch.search_after_mm, the first "
            f"{late[0]}: the machine would have missed them."
        )
    early = sorted({name for one in found for name in one.early})
    if early:
        lines.append(
            f"{len(early)} points are touched before their search starts, the first {early[0]}: "
            "the ball would meet them at positioning speed; raise touch.search_before_mm."
        )
    return lines


# --- numbers of points ---------------------------------------------------------------------------


def count_document(found: PointCount) -> dict[str, object]:
    """How many points a target uncertainty needs, in JSON."""
    wanted = found.wanted
    return {
        "format": FORMAT,
        "feature": wanted.feature,
        "characteristic": wanted.kind,
        "datum": wanted.datum,
        "target_m": wanted.target,
        "coverage": found.coverage,
        "strategy": found.strategy,
        "reached": found.reached,
        "count": found.count,
        "expanded_m": found.expanded,
        "systematic_m": found.systematic,
        "sources_m": dict(found.sources),
        "trials": [
            {"count": t.count, "expanded_m": t.expanded, "shift_m": t.shift} for t in found.trials
        ],
        "draws": found.draws,
        "seed": found.seed,
        "sentence": found.sentence,
    }


def count_lines(found: PointCount) -> Iterator[str]:
    """The same for a terminal."""
    yield found.sentence
    if found.trials:
        yield ""
        trials = sorted(found.trials, key=lambda trial: trial.count)
        rows = [(str(t.count), f"{1e6 * t.expanded:.2f}", f"{1e6 * t.shift:+.2f}") for t in trials]
        yield from table_lines(("points", "U um", "shift um"), rows)
    if found.sources:
        yield ""
        floor = [(name, f"{1e6 * size:.2f}") for name, size in found.sources.items()]
        yield from table_lines(("shared by all points", "U alone um"), floor)


# --- tests of an arm -----------------------------------------------------------------------------


def machine_test_document(found: MachineTests) -> dict[str, object]:
    """Predicted tests of an arm in JSON."""
    bench = found.bench
    return {
        "format": FORMAT,
        "robot": found.robot,
        "style": "ISO 10360-12",
        "sphere_diameter_m": bench.sphere_diameter,
        "ball_diameter_m": bench.ball_diameter,
        "coverage": bench.settings.coverage,
        "machines": bench.count,
        "seed": bench.seed,
        "tests": [
            {
                "test": one.test,
                "where": one.where,
                "place_m": list(one.place) or None,
                "length_m": one.length or None,
                "median_m": one.typical,
                "limit_m": one.limit,
            }
            for one in found.lines
        ],
        "limits_m": dict(found.limits),
        "length_error": {"constant_m": found.constant, "slope": found.slope},
        "sentence": found.sentence,
    }


def machine_test_lines(found: MachineTests) -> Iterator[str]:
    """The same for a terminal."""
    bench = found.bench
    share = f"{100.0 * bench.settings.coverage:g} %"
    yield f"{found.robot}: predicted tests in the style of ISO 10360-12"
    yield (
        f"sphere {1e3 * bench.sphere_diameter:g} mm, ball {1e3 * bench.ball_diameter:g} mm; "
        f"{bench.count} machines, seed {bench.seed}"
    )
    yield ""
    rows = [
        (one.test, one.where, f"{1e6 * one.typical:.1f}", f"{1e6 * one.limit:.1f}")
        for one in found.lines
    ]
    rows += [(test, "all together", "", f"{1e6 * x:.1f}") for test, x in found.limits.items()]
    yield from table_lines(("test", "where", "median um", f"{share} um"), rows)
    yield ""
    yield found.sentence
    for test, meaning in TESTS.items():
        yield f"{test}: {meaning}"
