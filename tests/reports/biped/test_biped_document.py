"""Document, table and words of a motion."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from planner.findings import Finding, Severity
from planner.findings.finding import Feet
from reports.biped import motion as tables
from reports.biped.figures import polygon_rows, shown_rows
from reports.biped.motion import motion_document, quantities, samples_csv
from reports.document_text import plain
from robots.biped.posture.support_polygon import edge_words


def rows_of(shown):
    return list(csv.DictReader(io.StringIO(samples_csv(shown))))


def test_the_columns_have_units_and_the_order_of_the_contract(standing):
    heads = list(rows_of(standing)[0])
    groups = [
        ["t_s"],
        *([f"{name}{k}_{unit}" for k in range(1, 7)]
          for name, unit in (("q", "rad"), ("qd", "rad_s"), ("qdd", "rad_s2"), ("tau", "nm"))),
        ["com_x_m", "com_y_m", "com_z_m", "zmp_x_m", "zmp_y_m", "zmp_z_m"],
        ["margin_m", "ground_alpha_rad", "ground_beta_rad"],
        *([f"m{k}_{unit}" for k in range(1, 7)] for unit in ("rad", "rad_s", "nm")),
        ["capture_x_m"],
    ]  # fmt: skip
    assert heads == [head for group in groups for head in group]


def test_the_table_reads_back_to_the_same_numbers(falling):
    rows, motion = rows_of(falling), falling.motion
    assert [float(row["q2_rad"]) for row in rows] == motion.q[:, 1].tolist()
    assert [float(row["margin_m"]) for row in rows] == falling.margin.tolist()
    assert [float(row["m3_nm"]) for row in rows] == falling.motors.torque[:, 2].tolist()


def test_what_is_not_known_stays_empty(standing):
    position = standing.motors.position.copy()
    position[3, 1] = np.nan
    shown = replace(standing, motors=replace(standing.motors, position=position))
    assert rows_of(shown)[3]["m2_rad"] == ""
    document = plain(motion_document(shown))
    assert document["samples"]["motor_position_rad"][3][1] is None
    json.dumps(document, allow_nan=False)


def test_without_drives_there_are_no_motors(standing):
    shown = replace(standing, motors=None)
    assert [one.key for one in quantities(shown)] == [
        *("joint-position", "joint-speed", "joint-torque"),
    ]
    assert not [head for head in rows_of(shown)[0] if re.match(r"m\d", head)]
    assert motion_document(shown)["motors"] == []


def test_the_verdict_in_words(standing, falling):
    assert tables.headline(standing).startswith("Stands: the minimum margin is")
    assert tables.headline(standing).endswith("All limits hold.")
    told = tables.verdict_words(falling)
    assert told == "Falls over the heel at 1.080 s; what follows is not simulated."
    assert edge_words("edge 3") == "edge 3"
    assert edge_words("left") == "the left edge"
    document = motion_document(falling)
    assert document["verdict"]["stance"] == "fallen"
    # The centre of mass is 200 mm behind at the worst, the heel 120 mm.
    assert document["least_margin_m"] == pytest.approx(-0.08)
    assert document["ends_at_fall"] is True
    assert motion_document(standing)["ends_at_fall"] is False


def test_feet_that_collide_are_in_the_headline(standing):
    finding = Finding(code="B309", severity=Severity.ERROR, subject=Feet(), message="", hint="")
    told = tables.headline(replace(standing, findings=(finding,)))
    assert told.startswith("Stands: ")
    assert told.endswith("The feet collide. All limits hold.")


def test_the_margin_of_a_fall_is_that_of_the_centre_of_mass(falling, standing):
    motion = falling.motion
    assert falling.margin == pytest.approx(motion.com[:, 0] + 0.12, abs=1e-12)
    assert standing.margin is standing.motion.margin


def test_passed_limits_are_marked_in_the_tables(standing):
    mechanism = standing.motion.biped.mechanism
    joints = tuple(
        replace(joint, max_effort=10.0, q_max=0.2) if joint.name == "knee left" else joint
        for joint in mechanism.joints
    )
    biped = replace(
        standing.motion.biped, mechanism=replace(mechanism, joints=joints), q_stops=None
    )
    shown = replace(standing, motion=replace(standing.motion, biped=biped))
    (row,) = (row for row in tables.joint_table(shown).rows if row[0].text == "knee left")
    assert [value.status.value for value in row[1:]] == [*["plain"] * 6, "bad", "plain"]


def test_chosen_instants_hold_the_fall(falling, tilting):
    t = falling.motion.t[shown_rows(falling.motion)]
    assert t == pytest.approx([0.0, 1.08, 2.0, 3.0, 4.0])
    rows = polygon_rows(tilting.motion, 5)
    assert len(rows) == 5
    assert rows[0] == 0
    assert polygon_rows(falling.motion, 5).tolist() == [0]
