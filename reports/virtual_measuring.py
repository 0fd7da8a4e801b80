"""Virtual measuring as JSON documents (format 1): ``measure --json``, ``machine-test --json``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from planner.evaluation import evaluate
from planner.plan_types import Plan
from planner.virtual_measuring import PointCount, VirtualMeasurement
from planner.virtual_measuring.machine_tests import MachineTests
from reports.plan_document import FORMAT, Document


def measurement_document(
    planned: Plan,
    found: Sequence[VirtualMeasurement],
    content: str,
    files: Sequence[Path] = (),
) -> Document:
    """Virtual measurements of a job, each beside the truth.

    Args:
        planned: plan of the job.
        found: one run for each machine.
        content: of the files: "joints", "centres" or "surface".
        files: that the runs were written to, in their order; empty for none.
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
            _run(planned, one, str(files[place]) if files else "")
            for place, one in enumerate(found)
        ],
    }


def _run(planned: Plan, one: VirtualMeasurement, file: str) -> Document:
    """One run beside the truth, and what the job's evaluation makes of it."""
    evaluation = evaluate(planned.job, one.measured())
    along = evaluation.points.along
    return {
        "file": file,
        "q": one.q,
        "centres_m": one.centres,
        "missed": list(one.late),
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


def point_count_document(found: PointCount) -> Document:
    """How many points a target uncertainty needs, and the numbers that were tried."""
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


def machine_tests_document(found: MachineTests) -> Document:
    """Predicted tests of a machine, test by test."""
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
