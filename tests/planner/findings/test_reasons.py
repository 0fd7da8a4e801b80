"""Why points fail: one code each, with numbers that can be checked; all of them listed."""

from dataclasses import replace

import numpy as np
import pytest

from planner.findings import Severity, page
from planner.planning import plan


def findings(made):
    return {finding.where: finding for finding in made.finding_list}


def test_p101_says_how_far_out_of_reach(change, probe_points, inverse):
    """A point along the y axis of the base, stylus held sideways, is too far by a known amount."""
    base = change(frame="base")
    rows = [[0.0, 3.0, 0.40982, 0.0, -1.0, 0.0]]
    made = plan(change(base, points=probe_points(rows), approach={"distance": 0.05}))
    (finding,) = made.finding_list
    # The wrist centre at contact is 3 m from the shoulder; the arm has 1 m + 1.5139 m.
    beyond = 3.0 - inverse.family.reach
    assert (finding.code, finding.severity, finding.where) == ("P101", Severity.ERROR, "A")
    assert finding.message == f"the contact is {beyond * 1e3:.3f} mm out of reach of the wrist"
    assert finding.hint.startswith(f"move the part {beyond * 1e3:.1f} mm")


def test_p101_too_near(change, probe_points, inverse):
    base = change(frame="base")
    rows = [[0.0, 0.3, 0.40982, 0.0, -1.0, 0.0]]
    (finding,) = plan(change(base, points=probe_points(rows))).finding_list
    family = inverse.family
    inner = family.forearm - family.upper_arm
    # The clearance point is 50 mm nearer to the shoulder.
    assert finding.message.startswith(f"the clearance point is {(inner - 0.25) * 1e3:.3f} mm out")


def test_p102_says_which_joint_and_by_how_much(change, with_joints, corrected):
    """q2's range ends 2° before where the point needs it, and no other family serves."""
    arm = corrected.job.mechanism
    line = min(corrected.planned_points, key=lambda point: point.joint_margin)
    assert line.margin_joint == "q2"
    q_max = arm.q_max.copy()
    q_max[1] -= line.joint_margin + np.radians(2.0)
    made = plan(change(mechanism=with_joints(arm, q_max=q_max)))
    finding = findings(made)[line.name]
    assert finding.code == "P102"
    # The flipped wrist has the same q2 and is as near.
    family = line.branch.rstrip("+-")
    assert finding.message.startswith(f'every family passes a joint limit; nearest is "{family}')
    assert finding.message.endswith('" with q2 2.000 deg beyond its limit')
    assert "q2 gains 2.0 deg" in finding.hint


def test_p102_counts_the_margin_that_is_asked_for(change, corrected):
    """The corrected job has 3.777° left at q2; 5° cannot be kept at that point alone."""
    made = plan(change(checks={"joint_margin": np.radians(5.0)}))
    margins = {p.name: np.degrees(p.joint_margin) for p in corrected.planned_points}
    failing = [name for name, margin in margins.items() if margin < 5.0]
    assert [f.where for f in made.finding_list] == failing
    for finding in made.finding_list:
        assert finding.code == "P102"
        assert f"{5.0 - margins[finding.where]:.3f} deg beyond its limit" in finding.message
        assert finding.message.endswith("less the margin of 5 deg")


def test_p103_names_the_singular_family(change, with_joints, probe_points, corrected):
    """The wrist centre passes over the first axis, with no limit in the way."""
    arm = with_joints(corrected.job.mechanism, q_min=[-3.5] * 5, q_max=[3.5] * 5)
    base = change(frame="base", mechanism=arm)
    rows = [[0.0, 0.02, 2.4, 0.0, -0.6, 0.8]]
    # The approach runs along -y, across the axis.
    approach = {"direction": np.array([0.0, -0.6, 0.8]), "distance": 0.08}
    made = plan(change(base, points=probe_points(rows), approach=approach))
    (finding,) = made.finding_list
    assert (finding.code, finding.where) == ("P103", "A")
    assert "passes a singularity: margin" in finding.message
    assert "at least 0.001 is needed" in finding.message


def test_p104_says_how_far_from_the_normal(change, probe_points):
    rows = [[0.1, 0.2, 0.34, 0.0, 0.0, 1.0]]
    lean = np.radians(100.0)
    direction = np.array([0.0, -np.sin(lean), np.cos(lean)])
    made = plan(change(points=probe_points(rows), approach={"direction": direction}))
    found = [f for f in made.finding_list if f.code == "P104"]
    assert [f.where for f in found] == ["A"]
    assert "leans 100.0 deg from the outgoing normal" in found[0].message
    assert "(limit 90 deg)" in found[0].message


def test_all_kinds_at_once(change, with_joints, corrected, probe_points):
    """Every point that fails is listed with its own reason; the rest is planned."""
    low, high = [-7.0, -0.1, -7.0, -7.0, -7.0], [7.0, 2.8, 7.0, 7.0, 7.0]
    arm = with_joints(corrected.job.mechanism, q_min=low, q_max=high)
    arm = replace(arm, capsules=(), self_pairs=())  # a folded arm would touch its column
    rows = [
        [-0.3, 1.3, 1.2, 0.0, 0.0, 1.0],  # A: served, but too heavy for q2
        [0.0, 4.0, 0.5, 0.0, 0.0, 1.0],  # B: out of reach
        [0.0, 0.02, 2.4, 0.0, -0.6, 0.8],  # C: over the first axis
        [0.0, 1.3, 1.2, 0.0, 0.0, -1.0],  # D: normal turned over
        [0.0, 2.0, -0.9, 0.0, 0.0, 1.0],  # E: too low for q2
    ]
    made = plan(
        change(
            change(frame="base", mechanism=arm),
            points=probe_points(rows),
            approach={"direction": np.array([0.0, -0.6, 0.8]), "distance": 0.08},
            checks={"torque_limits": np.array([np.inf, 1.0, *[np.inf] * 3])},
        )
    )
    codes = {(f.code, f.where) for f in made.finding_list}
    some = {("P101", "B"), ("P102", "E"), ("P103", "C"), ("P104", "D"), ("P105", "A")}
    assert some <= codes
    assert codes - some <= {("P105", "D"), ("P104", "E")}
    assert not made.feasible
    served = [p.name for p in made.planned_points if p.reachable]
    assert "A" in served
    assert "B" not in served
    assert made.totals.duration > 0.0
    severities = [f.severity for f in made.finding_list]
    assert severities == [Severity.ERROR] * len(severities)


@pytest.mark.parametrize("code", ["P101", "P102", "P103", "P104", "P105", "P106", "P110", "P111"])
def test_every_code_has_a_page(code):
    assert page(code).code == code
