"""The JSON document: keys as in the contract, numbers that survive, nothing that is not JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.metadata import version

import jsonschema
import numpy as np
import pytest

from planner.job import read_job
from planner.library import path_of
from planner.planning import plan as planned
from reports.plan_document import document_text, plan_document, plan_schema
from robots.library import load


@pytest.fixture
def document(plan, proved):
    return plan_document(proved(plan))


def parsed(document):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(document_text(document), parse_constant=refuse)


def test_the_keys_are_those_of_the_contract(document):
    assert list(document) == [
        *("format", "palpeur", "job", "robot", "feasible", "duration_s", "energy_j"),
        *("net_work_j", "peak_power_w", "min_power_w", "points", "unchecked", "touch", "segments"),
        *("joints", "findings", "samples", "validation"),
    ]
    assert list(document["job"]) == ["name", "sha256"]
    assert list(document["points"][0]) == [
        *("name", "reachable", "branch", "inverse_branch", "q_clearance_deg", "q_contact_deg"),
        *("min_clearance_mm", "joint_margin_deg", "singularity_margin"),
        *("touch_speed_mm_s", "overrun_mm"),
    ]
    assert list(document["touch"]) == [
        *("mode", "speed_mm_s", "max_speed_in_search_mm_s", "search_before_mm"),
        *("search_after_mm", "max_overrun_mm", "overtravel_mm"),
    ]
    assert list(document["segments"][0]) == [
        *("kind", "point", "law", "start_s", "duration_s", "binding", "clearance"),
    ]
    assert list(document["joints"][0]) == [
        *("name", "peak_velocity_rad_s", "peak_acceleration_rad_s2", "peak_torque_nm"),
        *("rms_torque_nm", "peak_power_w", "energy_j"),
    ]
    assert list(document["findings"][0]) == ["code", "severity", "where", "message", "hint"]
    assert list(document["validation"]) == ["passed", "checks"]
    assert list(document["validation"]["checks"][0]) == [
        *("name", "value", "limit", "unit", "passed"),
    ]


def test_values_are_the_plan_s_own(document, plan):
    assert document["format"] == 1
    assert document["palpeur"] == version("palpeur")
    assert document["job"]["sha256"] == plan.job.sha256
    assert document["robot"] == "measuring-arm"
    assert document["feasible"] is False
    assert document["duration_s"] == plan.timeline[-1].end
    assert document["segments"][0]["kind"] == "probe"
    assert document["joints"][4]["peak_power_w"] == 20.0
    assert document["findings"][0]["severity"] == "error"


def test_angles_are_in_degrees(document):
    np.testing.assert_allclose(
        document["points"][0]["q_contact_deg"], [40, -20, 30, 50, -10], rtol=1e-15, atol=0
    )
    assert document["points"][0]["joint_margin_deg"] == np.degrees(0.2)


def test_a_point_that_is_not_reached_has_nulls(document):
    lost = parsed(document)["points"][1]
    assert lost == {
        "name": "P2",
        "reachable": False,
        **dict.fromkeys(("branch", "inverse_branch", "q_clearance_deg", "q_contact_deg")),
        "min_clearance_mm": None,
        **dict.fromkeys(("joint_margin_deg", "singularity_margin")),
        **dict.fromkeys(("touch_speed_mm_s", "overrun_mm")),
    }


def test_clearance_is_told_in_millimetres(plan, proved):
    near = replace(plan.planned_points[0], min_clearance=0.0125)
    document = plan_document(proved(replace(plan, planned_points=(near,))))
    assert document["points"][0]["min_clearance_mm"] == 12.5


def test_a_check_without_value_is_null(plan, rejected):
    found = parsed(plan_document(rejected(plan)))["validation"]
    assert found["passed"] is False
    assert found["checks"][0]["value"] is None


def test_the_text_is_the_document_to_the_last_bit(document):
    assert parsed(document) == document


def test_the_text_has_one_record_per_line(document, plan):
    lines = document_text(document).splitlines()
    assert sum(line.startswith('{"kind"') for line in lines) == len(plan.timeline)
    assert sum(line.startswith('{"name": "P') for line in lines) == len(plan.planned_points)


def test_names_of_any_script_stay_readable(plan, proved, renamed):
    text = document_text(plan_document(proved(renamed(plan, 'θ"1"'))))
    assert 'θ\\"1\\"' in text


def test_joints_that_slide_have_their_own_units(proved):
    job = read_job(path_of("nine-points-corrected"))
    gantry = load("gantry-5")
    made = planned(
        replace(
            job,
            mechanism=gantry,
            robot="gantry-5",
            checks=replace(job.checks, torque_limits=gantry.max_effort),
        )
    )
    document = plan_document(proved(made))
    jsonschema.validate(document, plan_schema())
    slides, turns = document["joints"][0], document["joints"][-1]
    assert "peak_force_n" in slides
    assert "peak_torque_nm" in turns
    assert all("joint_margin_mm" in point for point in document["points"])
