"""The probe on the robot: its room, its mass, and that the arm is still the arm."""

import re

import numpy as np
import pytest

from planner.errors import JobError
from planner.job.stylus import STYLUS
from robots.arm.family import arm_family
from robots.core.model import Model
from robots.core.self_pairs import default_self_pairs
from robots.library import load

POINTS = '[points]\nfile = "points.csv"'
PROBE = "[probe]\nstylus_length_mm = 200\nball_diameter_mm = 5\n"
SURFACE = {'frame = "base"': 'frame = "base"\ncompensated = true'}
HEAD = "[[probe.capsule]]\nfrom_mm = [0, 0, -50]\nto_mm = [10, 0, 20]\nradius_mm = 25\n"


def with_probe(text):
    return {POINTS: f"{text}\n{POINTS}"} | SURFACE


def capsules_of(job):
    return {capsule.name: capsule for capsule in job.mechanism.capsules}


def test_a_job_without_a_probe_has_a_point_for_a_ball(job_of):
    arm = job_of().mechanism
    *robot, ball = arm.capsules
    assert [c.name for c in robot] == [c.name for c in load("measuring-arm").capsules]
    assert (ball.name, ball.radius, ball.joint) == (STYLUS[0], 0.0, arm.tool_joint)
    assert np.array_equal(ball.start, arm.tool[:3, 3])


def test_ball_and_shank_stand_along_the_probe_axis(job_of):
    job = job_of(change=with_probe(PROBE))
    arm, found = job.mechanism, capsules_of(job)
    ball, shank = (found[name] for name in STYLUS)
    assert (ball.radius, shank.radius) == (0.0025, 0.0015)  # 0.6 of the ball
    assert np.array_equal(ball.start, ball.end)
    assert np.allclose(ball.start, arm.tool[:3, 3], atol=1e-16)
    assert np.allclose(shank.end - shank.start, 0.2 * arm.tool[:3, 2], atol=1e-16)
    assert np.allclose(shank.end, ball.start, atol=1e-16)
    thin = job_of(change=with_probe(PROBE + "shank_diameter_mm = 1"))
    assert capsules_of(thin)[STYLUS[1]].radius == 0.0005


def test_bodies_of_the_probe_stand_in_the_wrist_s_tool_frame(job_of):
    text = PROBE + HEAD + HEAD + 'name = "battery"\n'
    job = job_of(change=with_probe(text))
    wrist, found = load("measuring-arm").tool, capsules_of(job)
    assert [body.name for body in job.probe.bodies] == ["probe 1", "battery"]
    head = found["probe 1"]
    assert np.allclose(head.start, wrist[:3, :3] @ [0, 0, -0.05] + wrist[:3, 3], atol=1e-17)
    assert np.allclose(head.end, wrist[:3, :3] @ [0.01, 0, 0.02] + wrist[:3, 3], atol=1e-17)
    assert head.radius == 0.025


def test_probe_capsules_are_watched_against_the_robot_by_its_own_rule(job_of):
    arm = job_of(change=with_probe(PROBE + HEAD)).mechanism
    bare = load("measuring-arm")
    known = len(bare.capsules)
    assert arm.self_pairs[: len(bare.self_pairs)] == bare.self_pairs
    added = set(arm.self_pairs[len(bare.self_pairs) :])
    assert added == {(a, b) for a, b in default_self_pairs(arm) if a < known <= b}
    names = [capsule.name for capsule in arm.capsules]
    watched = {(names[a], names[b]) for a, b in added}
    assert ("column", STYLUS[0]) in watched
    assert not any(robot in ("wrist", "forearm") for robot, _ in watched)


def test_capsules_and_mass_leave_the_family_as_it_is(job_of):
    plain = arm_family(job_of(change=with_probe(PROBE)).mechanism)
    laden = arm_family(job_of(change=with_probe(PROBE + "mass_kg = 0.5\n" + HEAD)).mechanism)
    assert (laden.stylus_length, laden.closed_form) == (plain.stylus_length, True)
    assert np.array_equal(laden.stylus_direction, plain.stylus_direction)


@pytest.mark.parametrize(("com", "reach"), [("", 0.1), ("com_mm = 30\n", 0.03)])
def test_the_probe_s_weight_is_felt_where_its_centre_of_mass_is(job_of, com, reach):
    """Virtual work: d(torque) = m·g·dz/dq at the centre of mass, by finite differences."""
    mass, q = 0.8, np.radians([20.0, 50.0, -30.0, 40.0, 60.0])
    plain = Model(job_of(change=with_probe(PROBE)).mechanism)
    laden = Model(job_of(change=with_probe(PROBE + f"mass_kg = {mass}\n" + com)).mechanism)

    def height(state):
        T = plain.forward(state)
        return (T[:3, 3] - (0.2 - reach) * T[:3, 2])[2]

    step = 1e-6
    slopes = [(height(q + d) - height(q - d)) / (2 * step) for d in step * np.eye(5)]
    felt = laden.gravity_torques(q) - plain.gravity_torques(q)
    # Central differences of lengths of 2 m: 1e-16/1e-6 of rounding, times m·g.
    assert np.allclose(felt, mass * 9.81 * np.array(slopes), rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            PROBE + "shank_diameter_mm = 6",
            "line 9: probe.shank_diameter_mm is 6, above ball_diameter_mm = 5: the shank would",
        ),
        ("[probe]\nshank_diameter_mm = 1", "is 1, above ball_diameter_mm = 0: the shank would"),
        (PROBE + "mass_kg = -1", "probe.mass_kg is -1; expected a number from 0 to 1000."),
        (PROBE + "mass_g = 1", "probe.mass_g is not a known key; mass_kg expected"),
        (PROBE + HEAD.replace("25", "0"), "probe.capsule[0].radius_mm is 0; expected a number"),
        (PROBE + HEAD.replace("from_mm", "form_mm"), "did you mean 'from_mm'?"),
        (
            PROBE + HEAD.replace("to_mm = [10, 0, 20]\n", ""),
            "probe.capsule[0].to_mm is missing; give it. It is the other end of its axis.",
        ),
        (
            PROBE + 2 * (HEAD + 'name = "head"\n'),
            "line 14: probe.capsule[1] is called 'head', as an earlier one; rename it.",
        ),
        (
            PROBE + HEAD + 'name = "forearm"\n',
            "line 6: probe cannot be used: Mechanism 'measuring-arm': two capsules are called",
        ),
    ],
)
def test_a_bad_probe_is_told_with_its_line_and_key(job_of, text, message):
    with pytest.raises(JobError, match=re.escape(message)):
        job_of(change=with_probe(text))
