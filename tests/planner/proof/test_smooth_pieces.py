"""Where laws switch, found from the motion alone."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from planner.plan import SegmentKind
from planner.planning import plan as planned
from planner.proof.chebyshev import NODES
from planner.proof.lagrange_torques import LagrangeTorques
from planner.proof.resolved_motion import resolve, smooth_pieces, states_at, survey
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import minimum_time


def resolved(plan):
    model, torques = Model(plan.job.mechanism), LagrangeTorques(plan.job.mechanism)
    return resolve(plan, smooth_pieces(plan, model), torques, survey(plan, model, torques))


def test_switches_of_travels_are_those_of_their_least_time(plan):
    pieces = smooth_pieces(plan, Model(plan.job.mechanism))
    limits = JointLimits.of(plan.job.mechanism)
    for index, segment in enumerate(plan.timeline):
        own = pieces.take(np.nonzero(pieces.segment == index)[0])
        assert float(np.sum(own.length)) == pytest.approx(segment.duration, rel=1e-14)
        if segment.kind is not SegmentKind.TRAVEL:
            assert len(own) == 1
            continue
        ends = plan.trajectory.state(np.array([segment.start, segment.end]), "left").q
        first = plan.trajectory.state(np.array([segment.start])).q[0]
        law = minimum_time("trapezoid", ends[1] - first, limits).law
        assert own.offset[1:] / segment.duration == pytest.approx(law.switches, abs=1e-10)


def test_switches_of_the_double_s_are_those_of_its_least_time(jerky):
    pieces = smooth_pieces(jerky, Model(jerky.job.mechanism))
    limits = JointLimits.of(jerky.job.mechanism)
    for index, segment in enumerate(jerky.timeline):
        if segment.kind is not SegmentKind.TRAVEL:
            continue
        own = pieces.take(np.nonzero(pieces.segment == index)[0])
        ends = jerky.trajectory.state(np.array([segment.start, segment.end]), "left").q
        first = jerky.trajectory.state(np.array([segment.start])).q[0]
        law = minimum_time("double-s", ends[1] - first, limits).law
        assert own.offset[1:] / segment.duration == pytest.approx(law.switches, abs=1e-10)


@pytest.mark.parametrize(
    ("jerk", "travel", "count"),
    [(100.0, 0.05, 3), (2000.0, 0.05, 5), (100.0, 0.6, 4), (500.0, 3.0, 6)],
)
def test_every_shape_of_the_double_s_is_cut_at_its_switches(job, jerk, travel, count):
    """No limit reached but jerk; acceleration; speed; both."""
    joints = tuple(replace(joint, max_jerk=jerk) for joint in job.mechanism.joints)
    limits = JointLimits.of(replace(job.mechanism, joints=joints))
    least = minimum_time("double-s", np.array([travel, 0.0, -0.2 * travel, 0.0, 0.0]), limits)
    plan = one_travel(job, least, travel)
    pieces = smooth_pieces(plan, Model(plan.job.mechanism))
    assert len(least.law.switches) == count
    assert pieces.offset[1:] / least.duration == pytest.approx(least.law.switches, abs=1e-10)


def one_travel(job, least, travel):
    """A plan of a single travel, as far as switches are concerned."""
    path = np.array([travel, 0.0, -0.2 * travel, 0.0, 0.0])

    class Straight:
        def state(self, t, side="right"):
            s = np.clip(t / least.duration, 0.0, 1.0)
            T, law = least.duration, least.law
            return SimpleNamespace(
                q=law.r(s)[:, None] * path,
                qd=law.dr(s, side)[:, None] * path / T,
                qdd=law.ddr(s, side)[:, None] * path / T**2,
            )

    segment = SimpleNamespace(
        kind=SegmentKind.TRAVEL, law="double-s", start=0.0, duration=least.duration
    )
    return SimpleNamespace(timeline=(segment,), trajectory=Straight(), job=job)


def test_pieces_of_a_travel_that_goes_around_are_those_of_its_law(walled):
    """Some last microseconds only, so that no search would meet them."""
    around = [i for i, s in enumerate(walled.timeline) if s.law == "rounded"]
    assert around
    model, torques = Model(walled.job.mechanism), LagrangeTorques(walled.job.mechanism)
    pieces = smooth_pieces(walled, model)
    motion = resolve(walled, pieces, torques, survey(walled, model, torques))
    assert np.count_nonzero(pieces.segment == around[0]) > 3
    assert motion.roughness.max() < 1e-7
    fine = pieces.take(np.nonzero(pieces.segment == around[0])[0])
    accelerations = walled.trajectory.state(fine.start + 1e-9 * fine.length).qdd
    # The law's changes of velocity begin and end without acceleration.
    assert np.abs(accelerations).max() < 1e-5


@pytest.mark.parametrize(("law", "count"), [("bang-bang", 2), ("trapezoid", 2), ("cubic", 1)])
def test_switches_of_probing_lines(job, law, count):
    plan = planned(replace(job, approach=replace(job.approach, law=law)))
    pieces = smooth_pieces(plan, Model(plan.job.mechanism))
    assert np.count_nonzero(pieces.segment == 0) == count


def test_pieces_follow_each_other(plan):
    motion = resolved(plan)
    end = motion.pieces.start + motion.pieces.length
    assert motion.pieces.start[1:] == pytest.approx(end[:-1], abs=1e-14)
    assert end[-1] == pytest.approx(plan.totals.duration, abs=1e-13)
    assert motion.roughness.max() < 1e-8


def test_dry_friction_has_one_side_in_every_piece(job):
    joints = tuple(replace(joint, coulomb=2.0) for joint in job.mechanism.joints)
    plan = planned(replace(job, mechanism=replace(job.mechanism, joints=joints)))
    motion = resolved(plan)
    smallest = 1e-9 * np.abs(motion.qd).max(axis=(0, 1))
    assert np.all((motion.qd * motion.side[:, None] >= -smallest) | (motion.side[:, None] == 0.0))


def test_states_late_in_time_keep_their_digits(job):
    """At 1e6 s an instant is known to 1e-10 s; the state is carried over what is missing."""
    early = planned(job)
    late = replace(
        early,
        timeline=tuple(replace(s, start=s.start + 1e6) for s in early.timeline),
        trajectory=_Shifted(early.trajectory),
    )
    pieces = smooth_pieces(late, Model(job.mechanism))
    local = pieces.offset[:, None] + pieces.length[:, None] * (0.5 * (NODES + 1.0))
    exact = early.trajectory.state(((pieces.origin - 1e6)[:, None] + local).ravel()).q
    found = states_at(late, pieces, NODES)[0].reshape(-1, 5)
    # First order leaves 28 rad/s² · (1e-10 s)² / 2; without it 1.75 rad/s · 1e-10 s would be lost.
    assert np.abs(found - exact).max() < 1e-14


class _Shifted:
    def __init__(self, base):
        self.base = base

    def state(self, t, side="right"):
        return self.base.state(t - 1e6, side)
