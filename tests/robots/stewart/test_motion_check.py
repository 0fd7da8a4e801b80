"""Motions judged: broken limits with leg, amount and time, and proofs that hold between samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.motion.motion_law import motion_law
from robots.core.pose import make_pose, rotation_exp
from robots.stewart.library import load
from robots.stewart.limits import Limit, pose_limits
from robots.stewart.model import PlatformModel
from robots.stewart.motion import (
    Harmonic,
    PrescribedMotion,
    TimedMotion,
    pose_move,
    published_motion,
)
from robots.stewart.motion_check import check_motion, motion_peaks, prove_margins
from robots.stewart.platform import lengths
from tests.cases import cases

HEXAPOD = load("measuring-hexapod")


def shifted(*translation, turn=(0.0, 0.0, 0.0)):
    return HEXAPOD.home @ make_pose(rotation_exp(np.array(turn)), list(translation))


def quintic(end, duration, platform=HEXAPOD):
    course = pose_move(platform.home, end, motion_law("quintic"))
    return TimedMotion(course=course, duration=duration)


def test_the_published_motion_breaks_three_strokes():
    platform = load("staicu-stewart")
    motion = published_motion(platform)
    report = check_motion(PlatformModel(platform), motion)
    assert not report.feasible
    assert sorted(problem.legs[0] for problem in report.problems) == ["B", "D", "F"]
    assert {problem.limit for problem in report.problems} == {Limit.SHORTEST}
    worst = next(problem for problem in report.problems if problem.legs == ("F",))
    # stewart.md item 1: 2.330 m beside a piston of 2.80 m.
    assert worst.amount == pytest.approx(0.470, abs=5e-4)
    t = np.linspace(0.0, 3.0, 30001)
    F = lengths(platform, motion.state(t).T)[:, 5]
    assert worst.time == pytest.approx(t[F.argmin()], abs=2e-4)
    assert worst.amount == pytest.approx(2.8 - F.min(), abs=1e-8)
    assert worst.sentence == ("At 1.4891 s leg F: shortest length 2800 mm is missed by 469.9 mm.")


def test_the_published_forces_peak_as_printed():
    platform = load("staicu-stewart")
    taken = motion_peaks(PlatformModel(platform), published_motion(platform))
    assert taken.force.value.max() == pytest.approx(1245.3, abs=0.05)  # stewart.md item 1
    assert taken.shortest.value[5] == pytest.approx(2.330, abs=5e-4)


def test_a_feasible_motion_is_proven():
    report = check_motion(PlatformModel(HEXAPOD), quintic(shifted(0.03, 0.02, 0.02), 2.0))
    assert report.feasible
    assert report.proof.holds
    assert np.all(report.proof.least > 0.0)


def test_a_hurried_motion_names_leg_limit_amount_and_time():
    motion = quintic(shifted(0.03, 0.02, 0.02), 0.1)
    report = check_motion(PlatformModel(HEXAPOD), motion)
    kinds = {problem.limit for problem in report.problems}
    assert {"speed", "acceleration"} <= kinds
    taken = motion_peaks(PlatformModel(HEXAPOD), motion)
    for problem in report.problems:
        if problem.limit == "speed":
            k = int(problem.legs[0]) - 1
            assert problem.amount == pytest.approx(taken.speed.value[k] - 0.25)
            assert problem.time == pytest.approx(taken.speed.time[k], abs=1e-6)
    assert [p.time for p in report.problems] == sorted(p.time for p in report.problems)


def test_a_weak_drive_is_a_problem():
    weak = replace(HEXAPOD, legs=tuple(replace(leg, max_force=20.0) for leg in HEXAPOD.legs))
    report = check_motion(PlatformModel(weak), quintic(shifted(0.0, 0.0, 0.02), 2.0))
    assert {problem.limit for problem in report.problems} == {"force"}
    assert len(report.problems) == 6


def test_a_motion_through_a_singularity_is_found_where_it_crosses():
    platform = load("mathworks-hexapod")
    end = platform.home @ make_pose(rotation_exp([0.0, 0.0, np.radians(100.0)]))
    report = check_motion(PlatformModel(platform), quintic(end, 4.0, platform))
    assert [problem.limit for problem in report.problems] == [Limit.TYPE_2]
    assert report.problems[0].time == pytest.approx(4.0, abs=1e-6)  # deepest at its end


def test_a_dip_between_coarse_samples_does_not_escape():
    # Sixty-four full swings, each between two of the first samples of the proof.
    course = PrescribedMotion(
        home=HEXAPOD.home, translation=(Harmonic(), Harmonic(), Harmonic(versine=0.06, turns=64.0))
    )
    limits = pose_limits(HEXAPOD)
    proof = prove_margins(limits, course)
    assert proof.broken.any()
    assert {limits.columns[k].limit for k in np.flatnonzero(proof.broken)} == {Limit.LONGEST}


def test_a_limit_that_is_only_touched_is_left_open():
    end = shifted(0.0, 0.0, 0.03)
    longest = float(lengths(HEXAPOD, end).max())
    legs = tuple(replace(leg, max_length=longest) for leg in HEXAPOD.legs)
    proof = prove_margins(pose_limits(replace(HEXAPOD, legs=legs)), quintic(end, 1.0).course)
    assert not proof.holds
    assert proof.open.any() or proof.least.min() == pytest.approx(0.0, abs=1e-15)


def test_proofs_never_contradict_dense_samples():
    rng = np.random.default_rng(5)
    limits = pose_limits(HEXAPOD)
    seen = set()
    for _ in range(cases(gate=8, soak=25)):
        end = shifted(*rng.uniform(-0.1, 0.1, 3), turn=rng.uniform(-0.4, 0.4, 3))
        course = quintic(end, 1.0).course
        proof = prove_margins(limits, course)
        sampled = limits.margins(course.state(np.linspace(0.0, 1.0, 1001)).T).min(axis=0)
        settled = ~(proof.broken | proof.open)
        assert np.all(sampled[settled] >= 0.0)
        assert np.all(proof.broken[sampled < 0.0])
        seen.add(bool(proof.holds))
    assert seen == {True, False}
