"""Lines of any robot: straight by Pinocchio, derivatives by differences, the rule that holds them.

Beside what is asserted of random postures there are lines next to singularities, which must be
exact or not there at all.
"""

import numpy as np
import pinocchio
import pytest

from planner.reach.placement import place
from planner.reach.serial import KNOTS, Straight, follow, held_rotations
from planner.reach.serial_search import SerialTask
from robots.core.urdf import write_urdf
from tests.cases import cases, some

# In the gate an arm that has a joint too many, and a machine that slides.
ROBOTS = some(["industrial-7r", "industrial-6r", "angled-6r", "gantry-5"], gate=2)


@pytest.fixture(scope="module", params=ROBOTS)
def lines(request, reaches, serial_job):
    reach = reaches[request.param]
    job = serial_job(reach.model.mechanism, 12, distance=0.05)
    return reach.candidates(place(job)).lines


def pinocchio_tools(mechanism, q):
    """Tool poses by Pinocchio, from the robot written as URDF."""
    model = pinocchio.buildModelFromXML(write_urdf(mechanism))
    data, frame = model.createData(), model.getFrameId("tool")
    poses = []
    for posture in q:
        pinocchio.framesForwardKinematics(model, data, posture)
        poses.append(data.oMf[frame].homogeneous.copy())
    return np.array(poses)


def places(lines, count, seed=0):
    index = np.repeat(np.arange(len(lines)), count)
    return index, np.random.default_rng(seed).random(index.size)


def test_the_ball_runs_straight_with_the_axis_held_by_an_independent_engine(lines):
    index, lam = places(lines, 5)
    T = pinocchio_tools(lines.model.mechanism, lines.joints(index, lam))
    ball = lines.starts[index] + lam[:, None] * (lines.ends - lines.starts)[index]
    assert np.abs(T[:, :3, 3] - ball).max() < 1e-12
    assert np.abs(T[:, :3, 2] - lines.axes[index]).max() < 1e-12


def test_six_joints_hold_the_turn_about_the_axis_and_a_seventh_is_locked(lines):
    index, lam = places(lines, 5)
    q = lines.joints(index, lam)
    task = lines.task
    locked = np.setdiff1d(np.arange(lines.model.dof), task.free)
    assert np.abs(q - lines.q_starts[index])[:, locked].max(initial=0.0) < 1e-14
    if task.holds_roll:
        R = lines.model.forward(q)[:, :3, :3]
        assert np.abs(R - lines.rotations[index]).max() < 1e-12


def test_lines_start_at_their_own_joints_and_do_not_depend_on_the_batch(lines):
    every = np.arange(len(lines))
    assert np.abs(lines.joints(every, np.zeros(len(lines))) - lines.q_starts).max() < 1e-12
    index, lam = places(lines, 3)
    one = np.vstack([lines.joints(index[k : k + 1], lam[k : k + 1]) for k in range(len(index))])
    assert np.abs(one - lines.joints(index, lam)).max() < 1e-12
    chosen = every[::-2]
    taken = lines.take(chosen).joints(np.arange(chosen.size), np.full(chosen.size, 0.3))
    assert np.array_equal(taken, lines.joints(chosen, np.full(chosen.size, 0.3)))


def test_the_derivatives_are_those_of_differences(lines):
    """Fourth-order central differences with a step of 1/500 of the line, on regular lines."""
    index, lam = places(lines, 4)
    lam = 0.1 + 0.8 * lam
    regular = lines.singularity_margins(lines.joints(index, lam)) > 0.05
    index, lam, h = index[regular], lam[regular], 2e-3
    assert index.size > 20
    path = lines.path(index, lam)
    at = {k: lines.path(index, lam + k * h) for k in (-2, -1, 1, 2)}
    for found, of in ((path.dq, "q"), (path.ddq, "dq")):
        near, far = (getattr(at[k], of) - getattr(at[-k], of) for k in (1, 2))
        differences = (8.0 * near - far) / (12.0 * h)
        size = np.maximum(np.abs(found).max(axis=1, keepdims=True), 0.1)
        # h⁴ q⁽⁵⁾/30 for lines whose joints turn by up to a radian.
        assert np.abs((differences - found) / size).max() < 1e-6
    assert np.array_equal(path.q, lines.joints(index, lam))


def test_a_line_through_a_singularity_is_not_followed(robots):
    """The gantry's stylus swings through the ram's direction: no, its axis is held; the arm's
    elbow stretches on the way out."""
    task = SerialTask(robots["industrial-7r"])
    q = np.array([[0.2, 0.9, 0.1, 0.25, 0.1, 0.4, 0.0]])
    at = task.posed(q)
    outwards = at.balls[0] - np.array([0.0, 0.0, 0.36])
    axes = at.rotations[:, :, 2]
    for length, whole in ((0.003, True), (0.3, False)):
        tangent = length * outwards / np.linalg.norm(outwards)
        line = Straight(starts=at.balls, tangents=tangent[None], rotations=held_rotations(at, axes))
        found = follow(task, q, line)
        assert bool(found.whole[0]) is whole
        assert 0.0 <= found.reached[0] < 1.0 or whole
        followed = round(found.reached[0] * (KNOTS - 1)) + 1
        assert np.all(np.isfinite(found.knots[0, :followed]))


def test_lines_beside_singularities_are_exact_or_lost(reaches, serial_job):
    """Of places anywhere, those that pass within a condition of 0.01 of a singularity."""
    reach, count = reaches["industrial-6r"], cases(gate=120, soak=300)
    found = reach.candidates(
        place(serial_job(reach.model.mechanism, count, distance=0.1, shrink=0))
    )
    near = np.nonzero(found.margins.singularity < 0.01)[0]
    assert near.size > count // 15
    lines = found.lines.take(near)
    index, lam = places(lines, 40)
    q = lines.joints(index, lam)
    lost = np.isnan(q[:, 0])
    assert lost.mean() < 0.01
    T = lines.model.forward(q[~lost])
    ball = lines.starts[index] + lam[:, None] * (lines.ends - lines.starts)[index]
    assert np.abs(T[:, :3, 3] - ball[~lost]).max() < 1e-12
    # No jump: neighbours on a line differ by what the slope between them says.
    assert np.all(np.isfinite(lines.path(index[~lost], lam[~lost]).dq))


def test_the_branch_is_named_by_the_signs_of_the_joints(reaches, serial_job):
    gantry = reaches["gantry-5"]
    lines = gantry.candidates(place(serial_job(gantry.model.mechanism, 3))).lines
    assert {lines.branch(row) for row in range(len(lines))} <= {
        f"q4{a} q5{b}" for a in "+-" for b in "+-"
    }
