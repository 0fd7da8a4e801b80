"""Turns about the probe: what stops a posture stands exactly where it is said to."""

import numpy as np
import pytest

from planner.fixes.branches import feasible_rolls, turn_sentence
from planner.fixes.explanation import Explanation, reasons_of
from planner.reach.placement import place
from planner.reach.reach import some_points
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.model import Model
from robots.core.pose import rotation_z
from tests.planner.reach.conftest import reaches, robots, serial_job  # noqa: F401  fixtures


@pytest.fixture(scope="module")
def case(robots, reaches, serial_job):  # noqa: F811
    """A point of the six-axis arm with a stylus at an angle, its candidates and its turns."""
    robot = robots["angled-6r"]
    job = serial_job(robot, 2, shrink=0.25)
    one = some_points(place(job), np.array([0]))
    return job, one, reaches["angled-6r"].candidates(one).lines, feasible_rolls(job)


def test_the_joint_that_stops_a_turn_is_at_its_limit_less_the_margin(case):
    job, _, lines, turns = case
    inverse = ChainInverse.of(job.mechanism, engine="numpy")
    names = [joint.name for joint in job.mechanism.movable]
    margin, stopped = job.checks.joint_margin, 0
    model = Model(job.mechanism, "numpy")
    for row, turn in enumerate(turns.around(lines.q_starts)):
        branch, q = lines.inverse_branch(row), lines.q_starts[row]
        if turn is None:
            continue
        T = model.forward(q)
        for angle, end in zip((-turn.back, turn.on), turn.ends, strict=True):
            turned = T.copy()
            turned[:3, :3] = T[:3, :3] @ rotation_z(np.array(angle))
            raw = inverse.angles(turned)[inverse.names.index(branch)]
            if end.fold:
                assert abs(raw[-1]) < 1e-8
                continue
            limits = job.mechanism.q_min + margin, job.mechanism.q_max - margin
            place_of = names.index(end.joint)
            assert min(abs(end.limit - limit[place_of]) for limit in limits) < 1e-12
            away = raw[place_of] - end.limit
            assert abs((away + np.pi) % (2.0 * np.pi) - np.pi) < 1e-7
            stopped += 1
        assert "turns about the probe by -" in turn_sentence(turn)
    assert stopped


def test_the_table_of_branches_has_the_turns_and_the_names_of_the_inverse(case):
    job, one, _, _ = case
    reasons = reasons_of(job, one.names[0])
    table = Explanation(job=job, reasons=reasons, plan=None, search=None).branches
    assert table["inverse_branch"].tolist() == [one.inverse_branch for one in reasons.branches]
    known = [(k, one.turn) for k, one in enumerate(reasons.branches) if one.turn is not None]
    assert known
    for row, turn in known:
        told = table.loc[row]
        sides = zip(("back", "on"), (turn.back, turn.on), turn.ends, strict=True)
        for side, angle, end in sides:
            assert told[f"turn_{side}_deg"] == pytest.approx(np.degrees(angle), rel=1e-12)
            assert told[f"turn_{side}_to"] == ("fold" if end.fold else end.joint)


def test_seven_joints_turn_the_last_one_with_the_tool_held(robots, reaches, serial_job):  # noqa: F811
    """At either end the tool is where it was, and a joint at its limit or two branches meet."""
    job = serial_job(robots["industrial-7r"], 1)
    one = some_points(place(job), np.array([0]))
    lines, turns = reaches["industrial-7r"].candidates(one).lines, feasible_rolls(job)
    names, margin = [joint.name for joint in job.mechanism.movable], job.checks.joint_margin
    q = lines.q_starts[0]
    (turn,) = turns.around(q[None])
    assert turn_sentence(turn).startswith(f"with the tool held, {names[-1]} turns by -")
    for angle, end in zip((-turn.back, turn.on), turn.ends, strict=True):
        held = {names[-1]: float(q[-1] + angle)}
        inverse = ChainInverse.of(job.mechanism, locked=held, engine="numpy")
        answers = inverse.solve(Model(job.mechanism, "numpy").forward(q))
        at_end = answers.q[0][answers.solved[0]]
        if end.fold:
            values = np.linalg.svd(inverse.chain.jacobian(at_end), compute_uv=False)
            assert np.min(values[:, -1] / values[:, 0]) < 1e-3
            continue
        limits = job.mechanism.q_min + margin, job.mechanism.q_max - margin
        k = names.index(end.joint)
        assert min(abs(end.limit - limit[k]) for limit in limits) < 1e-12
        value = at_end[:, k] if k < 6 else q[-1] + angle
        assert np.min(np.abs((value - end.limit + np.pi) % (2.0 * np.pi) - np.pi)) < 1e-7


def test_turns_of_other_robots_are_not_known(robots, serial_job):  # noqa: F811
    job = serial_job(robots["gantry-5"], 1)
    assert feasible_rolls(job) is None
