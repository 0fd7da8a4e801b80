"""A robot whose masses are not known: planned and proven without any torque, power or energy."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

import palpeur as pp
from planner.batch.worker import _motion_figures
from planner.findings.finding import Aspect
from planner.findings.robot_audit import audit
from planner.planning import plan
from planner.proof import prove
from reports.content.curves import curve_sets
from reports.content.report import facts
from reports.drawn_samples import drawn_samples
from reports.plan_document import plan_document
from reports.terminal import print_summary
from robots.core.errors import MassesUnknownError
from robots.core.mechanism import Body
from robots.core.model import Model
from robots.core.quantities import DYNAMICS, KINEMATICS, quantity
from robots.core.robot_file import read_robot, write_toml
from robots.core.urdf import read_urdf, write_urdf

_LOADS = ("peak_torque", "rms_torque", "peak_power", "energy", "net_work")
_TOTALS = ("energy", "net_work", "peak_power", "min_power")


def unweighed(mechanism):
    """The mechanism with bodies without mass, as a data sheet leaves it."""
    joints = tuple(replace(joint, body=Body()) for joint in mechanism.joints)
    return replace(mechanism, joints=joints, masses_known=False)


@pytest.fixture(scope="module")
def job(corrected_job):
    limits = np.full(5, np.inf)
    checks = replace(corrected_job.checks, torque_limits=limits)
    return replace(corrected_job, mechanism=unweighed(corrected_job.mechanism), checks=checks)


@pytest.fixture(scope="module")
def proof(job):
    return prove(plan(job))


def test_the_motion_is_that_of_the_weighed_robot(proof, corrected):
    mine, known = proof.plan, corrected
    assert [s.duration for s in mine.timeline] == [s.duration for s in known.timeline]
    for one, other in zip(mine.joint_loads, known.joint_loads, strict=True):
        assert one.peak_velocity == pytest.approx(other.peak_velocity, rel=1e-12)
        assert one.peak_acceleration == pytest.approx(other.peak_acceleration, rel=1e-12)


def test_what_needs_masses_is_absent_and_never_zero(proof):
    planned = proof.plan
    assert all(getattr(planned.totals, name) is None for name in _TOTALS)
    assert all(getattr(load, name) is None for load in planned.joint_loads for name in _LOADS)
    table = planned.joints
    assert table["peak_torque_nm"].isna().all()
    assert table["energy_j"].isna().all()
    samples = planned.samples(0.01)
    assert samples[[*(f"tau{k}_nm" for k in range(1, 6)), "power_w"]].isna().all(axis=None)
    assert samples[[f"qdd{k}_rad_s2" for k in range(1, 6)]].notna().all(axis=None)
    assert "not evaluated" in repr(planned)
    figures = _motion_figures(planned)
    assert np.isnan([figures["energy_j"], figures["peak_power_w"], figures["peak_torque_nm"]]).all()


def test_the_proof_passes_and_names_what_it_did_not_check(proof):
    assert proof.passed
    names = " ".join(check.name for check in proof.check_list)
    assert not any(word in names for word in ("torque", "energy", "work"))
    assert "loads left out" in names
    aspects = [one.aspect for one in proof.plan.unchecked]
    assert Aspect.DYNAMICS in aspects
    assert not {Aspect.MASSES, Aspect.TORQUE_LIMITS} & set(aspects)


def test_a_wrong_speed_is_still_found(proof):
    loads = proof.plan.joint_loads
    slower = replace(loads[0], peak_velocity=0.5 * loads[0].peak_velocity)
    lie = replace(proof.plan, joint_loads=(slower, *loads[1:]))
    assert "peaks not understated" in {check.name for check in prove(lie).failures}


def test_a_torque_of_zero_is_no_answer(proof):
    lie = replace(proof.plan, totals=replace(proof.plan.totals, energy=0.0))
    assert [check.name for check in prove(lie).failures] == ["loads left out"]


def test_a_plan_that_leaves_out_its_torques_is_not_proven(corrected):
    loads = corrected.joint_loads
    silent = replace(loads[0], peak_torque=None)
    found = prove(replace(corrected, joint_loads=(silent, *loads[1:])))
    assert not found.passed


def test_documents_say_null_and_readers_not_evaluated(proof, capsys):
    document = json.loads(json.dumps(plan_document(proof)))
    assert document["energy_j"] is document["peak_power_w"] is document["net_work_j"] is None
    assert all(joint["peak_torque_nm"] is None for joint in document["joints"])
    assert "torques, power and energy (masses unknown)" in document["unchecked"]
    told = {fact.label: fact.value.text for fact in facts(proof)}
    assert told["energy"] == told["total power"] == "not evaluated"
    keys = {one.key for one in curve_sets(proof.plan, drawn_samples(proof.motion))}
    assert keys == {"position", "velocity", "acceleration"}
    print_summary(proof, sys.stdout)
    shown = capsys.readouterr().out
    assert "not checked: " in shown
    assert "not evaluated" in shown


@pytest.mark.parametrize("name", [one.name for one in DYNAMICS if one.needs_masses])
def test_every_quantity_with_masses_is_refused(job, name):
    with pytest.raises(MassesUnknownError, match="masses are not known") as refused:
        quantity(name).record(job.mechanism)
    assert refused.value.facts["robot"] == job.mechanism.name


def test_others_are_those_of_the_weighed_robot(job, corrected_job):
    q = np.array([0.1, 0.4, -0.3, 0.2, 0.5])
    mine, known = Model(job.mechanism, "numpy"), Model(corrected_job.mechanism, "numpy")
    assert np.array_equal(mine.forward(q), known.forward(q))
    assert all(quantity(one.name).record(job.mechanism) for one in KINEMATICS)


def test_files_keep_that_masses_are_unknown(corrected_job):
    heavy = replace(corrected_job.mechanism, masses_known=False)
    back = read_robot(write_toml(heavy))
    assert not back.masses_known
    assert back.joints[1].body.mass == heavy.joints[1].body.mass
    assert 'masses = "unknown"' not in write_toml(corrected_job.mechanism)
    urdf = read_urdf(write_urdf(heavy))
    assert not urdf.masses_known
    assert urdf.total_mass == 0.0


def test_a_robot_as_users_hold_it_says_so(job):
    robot = pp.load_robot(job.mechanism)
    assert "masses unknown" in repr(robot)
    assert pp.load_robot(robot.joints).mechanism.masses_known is False


def test_an_audit_tells_it_once_and_warns_of_limits_that_nobody_checks(job):
    told = [one for one in audit(job.mechanism) if one.code in ("R104", "R105", "R112")]
    assert [one.code for one in told] == ["R112"]
    joints = (replace(job.mechanism.joints[0], max_effort=10.0), *job.mechanism.joints[1:])
    limited = replace(job.mechanism, joints=joints)
    (warned,) = [one for one in audit(limited) if one.code == "R112"]
    assert warned.severity.value == "warning"
    assert "q1" in warned.message


def test_torque_limits_of_a_job_are_refused(tmp_path):
    arm = unweighed(pp.load_robot("measuring-arm").mechanism)
    (tmp_path / "arm.toml").write_text(write_toml(arm))
    (tmp_path / "p.csv").write_text("name,x_mm,y_mm,z_mm,nx,ny,nz\nA,0,1500,840,0,0,1\n")
    text = (
        'format = 1\n[job]\nname = "j"\n[robot]\nmodel = "arm.toml"\n[points]\nfile = "p.csv"\n'
        'frame = "base"\n[checks]\ntorque_limits_nm = [1, 1, 1, 1, 1]\n'
    )
    (tmp_path / "job.toml").write_text(text)
    with pytest.raises(pp.PlannerError, match="torque_limits_nm is given, but the masses"):
        pp.read_job(tmp_path / "job.toml")


def test_energy_is_no_goal_of_placing(job):
    with pytest.raises(pp.PlannerError, match="masses"):
        pp.place(replace(job, frame="part", place=replace(job.place, goal="energy")))
