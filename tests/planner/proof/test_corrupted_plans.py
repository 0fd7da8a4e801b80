"""A plan corrupted in one way fails the check that owns it, and no other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.motion.sampled_motion import InMemory
from planner.motion.trajectory import MotionState
from planner.plan import SegmentKind
from planner.proof import prove
from robots.arm.inverse import task_jacobian


def with_point(plan, **values):
    return replace(
        plan, planned_points=(replace(plan.planned_points[0], **values), *plan.planned_points[1:])
    )


def with_load(plan, joint, **values):
    loads = list(plan.joint_loads)
    loads[joint] = replace(loads[joint], **values)
    return replace(plan, joint_loads=tuple(loads))


def moved(plan, task_step):
    """Contact joints of the first point, moved by a small step of ball and stylus."""
    q = plan.planned_points[0].q_contact
    step = np.linalg.solve(task_jacobian(plan.trajectory.model, q), task_step)
    return with_point(plan, q_contact=q + step)


# Steps of 1e-8 m or rad: ten times the limit; what leaks into the other quantity is 1e-16.
@pytest.mark.parametrize(
    ("step", "owner"),
    [([1e-8, 0, 0, 0, 0], "point position"), ([0, 0, 0, 1e-8, 0], "point axis")],
)
def test_a_shifted_contact(plan, samples, failures, step, owner):
    found = prove(moved(plan, step), InMemory(samples=samples))
    assert failures(found) == {owner, "point postures"}


def test_points_placed_elsewhere_than_the_job_says(plan, samples, failures):
    shifted = replace(plan.job.points, positions=plan.job.points.positions + 1e-8)
    other = replace(plan, job=replace(plan.job, points=shifted))
    assert failures(prove(other, InMemory(samples=samples))) == {"placement"}


@pytest.mark.parametrize("joint", range(5))
def test_scaled_torques_of_any_joint(plan, samples, failures, joint):
    tau = np.array(samples.tau)
    tau[:, joint] *= 1.0001  # the wrist's torque is 2e-5 N m: seen as well
    assert failures(prove(plan, InMemory(samples=replace(samples, tau=tau)))) == {
        "torques by Lagrange"
    }


def test_one_wrong_torque_of_one_sample(plan, samples, failures):
    tau = np.array(samples.tau)
    tau[len(tau) // 2, 0] += 1e-6
    assert failures(prove(plan, InMemory(samples=replace(samples, tau=tau)))) == {
        "torques by Lagrange"
    }


def test_a_wrong_duration(plan, samples, failures):
    totals = replace(plan.totals, duration=plan.totals.duration * (1 + 1e-9))
    assert failures(prove(replace(plan, totals=totals), InMemory(samples=samples))) == {"time"}


def test_a_gap_between_segments(plan, samples, failures):
    segments = list(plan.timeline)
    segments[0] = replace(segments[0], duration=segments[0].duration * (1 - 1e-6))
    assert "time" in failures(
        prove(replace(plan, timeline=tuple(segments)), InMemory(samples=samples))
    )


@pytest.mark.parametrize(
    ("total", "owner"),
    [("net_work", "reported net work"), ("energy", "reported energy")],
)
def test_a_wrong_energy(plan, samples, failures, total, owner):
    totals = replace(plan.totals, **{total: getattr(plan.totals, total) * 1.0001})
    assert failures(prove(replace(plan, totals=totals), InMemory(samples=samples))) == {owner}


@pytest.mark.parametrize(
    ("load", "owner"),
    [
        ("net_work", "reported net work"),
        ("energy", "reported energy"),
        ("rms_torque", "reported rms torque"),
    ],
)
def test_a_wrong_load_of_one_joint(plan, samples, failures, load, owner):
    other = with_load(plan, 1, **{load: getattr(plan.joint_loads[1], load) * 1.0001})
    assert failures(prove(other, InMemory(samples=samples))) == {owner}


@pytest.mark.parametrize(
    "peak", ["peak_velocity", "peak_acceleration", "peak_torque", "peak_power"]
)
@pytest.mark.parametrize(
    ("factor", "owner"),
    [(1 - 1e-8, "peaks not understated"), (1 + 1e-5, "peaks not overstated")],
)
def test_a_wrong_peak(plan, samples, failures, peak, factor, owner):
    other = with_load(plan, 0, **{peak: getattr(plan.joint_loads[0], peak) * factor})
    assert failures(prove(other, InMemory(samples=samples))) == {owner}


@pytest.mark.parametrize("peak", ["peak_power", "min_power"])
def test_a_wrong_peak_of_total_power(plan, samples, failures, peak):
    totals = replace(plan.totals, **{peak: getattr(plan.totals, peak) * (1 - 1e-8)})
    assert failures(prove(replace(plan, totals=totals), InMemory(samples=samples))) == {
        "peaks not understated"
    }


def test_a_wrong_ball_position_of_one_sample(plan, samples, failures):
    position = np.array(samples.position)
    position[7, 2] += 1e-8
    found = prove(plan, InMemory(samples=replace(samples, position=position)))
    assert failures(found) == {"sample positions"}


def test_a_wrong_acceleration_of_one_sample(plan, samples, failures):
    """Its torque is made to fit, so that only the differences of positions can tell."""
    qdd = np.array(samples.qdd)
    row = len(qdd) // 2
    qdd[row, 0] += 0.01
    tau = plan.trajectory.model.torques(samples.q, samples.qd, qdd)
    found = prove(plan, InMemory(samples=replace(samples, qdd=qdd, tau=tau)))
    assert failures(found) == {"sample rates"}


def test_samples_too_far_apart(plan, samples, failures):
    keep = np.arange(len(samples.t)) != len(samples.t) // 2
    fewer = type(samples)(
        **{
            name: getattr(samples, name)[keep]
            for name in ("t", "segment", "q", "qd", "qdd", "tau", "position")
        }
    )
    assert failures(prove(plan, InMemory(samples=fewer))) == {"sample times"}


def limited(plan, joint, **limits):
    """The same plan, judged by other limits of one joint."""
    joints = list(plan.job.mechanism.joints)
    joints[joint] = replace(joints[joint], **limits)
    mechanism = replace(plan.job.mechanism, joints=tuple(joints))
    return replace(plan, job=replace(plan.job, mechanism=mechanism))


@pytest.mark.parametrize(
    ("limit", "values", "peak", "owner"),
    [
        ("max_speed", "qd", "peak_velocity", "speed limits"),
        ("max_acceleration", "qdd", "peak_acceleration", "acceleration limits"),
    ],
)
def test_a_limit_passed_only_between_samples(job, failures, limit, values, peak, owner):
    """Ten samples per segment: the quintic's peaks lie between them, above the limit."""
    from planner.planning import plan as planned

    smooth = replace(job, travel=replace(job.travel, law="quintic"), sampling_period=0.011)
    plan = planned(smooth)
    seen = float(np.abs(getattr(plan.trajectory.sample(0.011), values)[:, 0]).max())
    real = getattr(plan.joint_loads[0], peak)
    assert seen < real * (1 - 1e-4)
    between = limited(plan, 0, **{limit: real - 0.5 * (real - seen)})
    assert failures(prove(between)) == {owner}
    assert failures(prove(limited(plan, 0, **{limit: real * (1 + 1e-9)}))) == set()


def test_a_position_limit_passed_only_between_samples(job, failures):
    """A joint that turns back between two samples."""
    from planner.planning import plan as planned

    plan = planned(replace(job, sampling_period=0.011))
    fine = plan.trajectory.sample(1e-4).q.max(axis=0)
    coarse = plan.trajectory.sample(0.011).q.max(axis=0)
    joint = int(np.argmax(fine - coarse))
    assert fine[joint] - coarse[joint] > 1e-5
    between = limited(plan, joint, q_max=0.5 * (fine[joint] + coarse[joint]))
    owners = {"position limits", "joint margins", "joint margin kept"}
    assert failures(prove(between)) == owners


def bump(plan, height, width):
    """A smooth narrow swell of the first joint in the middle of the first travel."""
    travel = next(s for s in plan.timeline if s.kind is SegmentKind.TRAVEL)
    center = travel.start + 0.5 * travel.duration

    def added(t):
        u = (t - center) / width
        g = height * np.exp(-0.5 * u * u)
        first = np.zeros((5,)) + np.array([1.0, 0, 0, 0, 0])
        return MotionState(
            q=g[:, None] * first,
            qd=(-u / width * g)[:, None] * first,
            qdd=((u * u - 1.0) / width**2 * g)[:, None] * first,
        )

    return added, center


def test_a_narrow_bump_between_samples(plan, failures, altered):
    """2 ms wide, 20 ms between samples: its speed passes the limit where no sample looks."""
    added, center = bump(plan, 1e-3, 0.001)
    bumped = altered(replace(plan, job=replace(plan.job, sampling_period=0.02)), added)
    drawn = bumped.trajectory.sample(0.02)
    assert np.abs(drawn.t - center).min() > 0.005
    assert np.abs(drawn.qd).max() <= plan.job.mechanism.max_speed.max() * (1 + 1e-9)
    found = failures(prove(bumped))
    owners = {"acceleration limits", "peaks not understated"}
    # Where the motion really goes, the loads that the plan reports are no longer its own.
    loads = {"reported net work", "reported energy", "reported rms torque"}
    assert owners <= found <= {*owners, *loads, "speed limits"}


def test_rates_that_are_not_derivatives(plan, failures, altered):
    def added(t):
        zero = np.zeros((len(t), 5))
        return MotionState(q=zero, qd=zero + 1e-6, qdd=zero)

    found = failures(prove(altered(plan, added)))
    assert "speed from positions" in found
    assert "rest at borders" in found


def test_a_line_that_is_not_straight(plan, failures, altered):
    """The ball swerves by 1e-7 m in the middle of the first line, with rates to match."""
    line = plan.timeline[0]

    def added(t):
        w = np.pi / line.duration
        inside = ((t >= line.start) & (t <= line.end))[:, None] * np.array([1e-7, 0, 0, 0, 0])
        sine, cosine = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
        return MotionState(
            q=inside * sine**4,
            qd=inside * 4 * w * sine**3 * cosine,
            qdd=inside * 4 * w**2 * (3 * sine**2 * cosine**2 - sine**4),
        )

    found = failures(prove(altered(plan, added)))
    assert found >= {"straight line", "held axis"}
    # A smooth swerve is a motion as good as any; it only is not the one that was asked for.
    assert found.isdisjoint({"resolution", "speed from positions", "energy balance", "line ends"})


def test_a_motion_that_is_not_a_number(plan, failures, altered):
    def added(t):
        nothing = np.full((len(t), 5), np.nan)
        return MotionState(q=nothing, qd=nothing, qdd=nothing)

    found = prove(altered(plan, added))
    assert not found.passed
    assert {"straight line", "resolution", "torques by Lagrange"} <= failures(found)


def test_a_jump_between_segments(plan, failures, altered_type):
    """The first joints of the first travel are 1e-8 rad away from where the line before it ends."""

    class Jumping(altered_type):
        def state(self, t, side="right"):
            own = self.base.state(t, side)
            inside = (t >= travel.start) & (t < travel.end)
            if side == "left":
                inside = (t > travel.start) & (t <= travel.end)
            step = np.where(inside, 1e-8, 0.0)[:, None] * np.array([1.0, 0, 0, 0, 0])
            return MotionState(q=own.q + step, qd=own.qd, qdd=own.qdd)

    travel = next(s for s in plan.timeline if s.kind is SegmentKind.TRAVEL)
    found = prove(replace(plan, trajectory=Jumping(plan.trajectory, None)))
    assert failures(found) == {"continuous joints"}
