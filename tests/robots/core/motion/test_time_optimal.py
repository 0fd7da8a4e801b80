"""Time-optimal traversal: limits between all instants, the bound, closed forms and an LP."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from robots.core.errors import MotionError, OverloadError
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import minimum_time
from robots.core.motion.joint_path import JointPath
from robots.core.motion.time_optimal import GAP, time_optimal
from robots.library import load
from tests.cases import cases

EXCESS = 1e-9  # relative: what a limit may be passed by
ARM = load("measuring-arm")


def random_path(rng, low, high, speed, count=None):
    """A polyline with corners as wide as their legs allow, some of them stops."""
    waypoints = rng.uniform(low, high, (count or rng.integers(2, 13), len(speed)))
    time = np.max(np.abs(np.diff(waypoints, axis=0)) / speed, axis=1)
    widths = np.minimum(time[:-1], time[1:]) * rng.uniform(0.1, 1.0, len(time) - 1)
    widths[rng.uniform(size=len(widths)) < 0.1] = 0.0
    return JointPath.blended(waypoints, widths, speed)


def random_limits(rng, n, **more):
    return JointLimits(
        max_speed=rng.uniform(1.0, 3.0, n), max_acceleration=rng.uniform(3.0, 10.0, n), **more
    )


def states(found, samples=25):
    """Joints, speeds and accelerations all along, both ends of every arc included."""
    t = found.seconds[:, None] * np.linspace(0.0, 1.0, samples)
    place = found.place[:, None] + found.rate[:, None] * t + 0.5 * found.push[:, None] * t * t
    # Rounding of the last instant is no motion backwards, against which friction would turn.
    rate = np.maximum(found.rate[:, None] + found.push[:, None] * t, 0.0).reshape(-1, 1)
    push = np.repeat(found.push, samples)[:, None]
    path = found.path.piece_state(np.repeat(found.piece, samples), place.ravel())
    return path.q, path.dq * rate, path.ddq * rate * rate + path.dq * push


def assert_traverses(found):
    """The arcs follow each other along the whole path, from rest to rest."""
    path = found.path
    assert np.isclose(np.sum(found.seconds), found.duration, rtol=1e-9)
    start = path.starts[found.piece] + found.place
    end = start + found.seconds * (found.rate + 0.5 * found.push * found.seconds)
    after = found.rate + found.push * found.seconds
    np.testing.assert_allclose(end[:-1], start[1:], atol=1e-9 * path.span)
    np.testing.assert_allclose(after[:-1], found.rate[1:], atol=1e-9)
    assert start[0] == found.rate[0] == 0.0
    assert np.isclose(end[-1], path.span, rtol=1e-9)
    assert abs(after[-1]) < 1e-9
    stops = np.isclose(start[1:, None], path.starts[path.stops], atol=1e-12).any(axis=1)
    np.testing.assert_allclose(found.rate[1:][stops], 0.0, atol=1e-9)


@pytest.mark.parametrize("seed", range(cases(gate=3, soak=300)))
def test_limits_of_speed_and_acceleration_hold_between_all_instants(seed):
    rng = np.random.default_rng(seed)
    limits = random_limits(rng, int(rng.integers(1, 8)))
    paths = [random_path(rng, -1.5, 1.5, limits.max_speed) for _ in range(3)]
    for found in time_optimal(paths, limits):
        assert_traverses(found)
        _, speed, acceleration = states(found)
        assert np.max(np.abs(speed) / limits.max_speed) <= 1.0 + EXCESS
        assert np.max(np.abs(acceleration) / limits.max_acceleration) <= 1.0 + EXCESS
        assert -1e-12 <= found.gap <= GAP


@pytest.mark.parametrize("seed", range(cases(gate=3, soak=100)))
def test_efforts_with_friction_hold_between_all_instants(seed):
    rng = np.random.default_rng(seed)
    n, speed, acceleration = ARM.dof, ARM.max_speed, ARM.max_acceleration
    q = rng.uniform(-1.5, 1.5, (500, n))
    weight = np.max(np.abs(Model(ARM).gravity_torques(q)), axis=0)
    hard = np.abs(Model(ARM).torques(q, *(rng.uniform(-1, 1, (500, n)) for _ in range(2))))
    size = np.quantile(hard, 0.9, axis=0) * np.max(acceleration)
    shares = rng.uniform(0.0, 0.1, (2, n))
    joints = [
        replace(joint, coulomb=dry, viscous=viscous)
        for joint, dry, viscous in zip(
            ARM.movable, shares[0] * size, shares[1] * size / speed, strict=True
        )
    ]
    model = Model(replace(ARM, joints=tuple(joints)))
    limits = JointLimits(
        max_speed=speed,
        max_acceleration=acceleration,
        max_effort=1.1 * weight + rng.uniform(0.2, 0.6) * size + 1e-3,
    )
    (found,) = time_optimal([random_path(rng, -1.5, 1.5, speed, 4)], limits, model)
    assert_traverses(found)
    q, qd, qdd = states(found)
    efforts = np.abs(model.torques(q, qd, qdd)) / limits.max_effort
    shares = np.stack([efforts, np.abs(qd) / speed, np.abs(qdd) / acceleration])
    assert 0.99 < np.max(shares) <= 1.0 + EXCESS
    assert 0.0 <= found.gap <= GAP


def test_a_limit_that_just_bears_the_weight_is_no_overload():
    """Cells to begin with are too coarse to tell: their efforts are known with a slack."""
    rng = np.random.default_rng(2)
    model = Model(ARM)
    path = random_path(rng, -1.5, 1.5, ARM.max_speed, cases(gate=3, soak=4))
    r = np.linspace(0.0, path.span, 5000)
    weight = np.max(np.abs(model.gravity_torques(path.state(r).q)), axis=0)
    limits = replace(JointLimits.of(ARM), max_effort=weight * (1.0 + 1e-3) + 1e-3)
    (found,) = time_optimal([path], limits, model)
    assert_traverses(found)
    assert found.gap <= GAP
    seen = states(found, cases(gate=7, soak=25))  # its arcs are many and short
    efforts = np.abs(model.torques(*seen)) / limits.max_effort
    assert 0.99 < np.max(efforts) <= 1.0 + EXCESS


def test_the_gap_is_kept_where_losses_are_more_than_cells_say():
    """The first cells of this path put their losses within the gap, which is 0.53 %."""
    ur5e = load("ur5e")
    coulomb = [1.3, 3.4, 1.3, 0.14, 0.033, 0.00013]
    joints = [replace(joint, coulomb=dry) for joint, dry in zip(ur5e.movable, coulomb, strict=True)]
    limits = replace(
        JointLimits(max_speed=ur5e.max_speed, max_acceleration=np.full(6, 12.56)),
        max_effort=np.array([21.3, 76.7, 26.0, 2.46, 0.711, 0.00212]),
    )
    ends = np.array(
        [[-0.66, -1.28, 0.75, -1.28, 0.49, 0.01], [0.74, -1.06, -0.45, -0.97, -0.05, 1.19]]
    )
    path = JointPath.blended(ends, np.zeros(0), limits.max_speed)
    (found,) = time_optimal([path], limits, Model(replace(ur5e, joints=tuple(joints))))
    assert found.gap <= GAP


def test_a_straight_path_is_a_trapezoid():
    rng = np.random.default_rng(1)
    limits = random_limits(rng, 5)
    ends = rng.uniform(-1.0, 1.0, (20, 2, 5)) * rng.uniform(0.01, 2.0, (20, 1, 1))
    paths = [JointPath.blended(pair, np.zeros(0), limits.max_speed) for pair in ends]
    for pair, found in zip(ends, time_optimal(paths, limits), strict=True):
        least = minimum_time("trapezoid", pair[1] - pair[0], limits)
        assert np.isclose(found.duration, least.duration, rtol=1e-12)
        assert abs(found.gap) < 1e-12
        assert len(found.seconds) == (3 if least.has_plateau else 2)


def test_a_corner_without_width_is_a_stop():
    limits = JointLimits(max_speed=np.ones(2), max_acceleration=np.full(2, 4.0))
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    (found,) = time_optimal([JointPath.blended(corner, np.zeros(1), np.ones(2))], limits)
    assert np.isclose(found.duration, 2 * 1.25, rtol=1e-12)  # s: 1/V + V/A of each leg


def least_time_of_a_programme(path, limits, model=None, cells=400):
    """The optimum of the relaxed problem by a linear programme: the largest x at every place.

    Rows stand at the nodes only, so it may pass the limits between them.
    """
    r = np.linspace(0.0, path.span, cells + 1)
    h, middle = r[1], 0.5 * (r[1:] + r[:-1])
    state, n = path.state(middle), path.dof
    a, b, limit = [state.dq], [state.ddq], [np.tile(limits.max_acceleration, (cells, 1))]
    least = [-limit[0]]
    if model is not None:
        still = np.zeros_like(state.q)
        weight = model.torques(state.q, still, still)
        a.append(model.torques(state.q, still, state.dq) - weight)
        b.append(model.torques(state.q, state.dq, state.ddq) - weight)
        limit.append(limits.max_effort - weight)
        least.append(-limits.max_effort - weight)
    rows, right = [], []
    for sign, edge in ((1.0, limit), (-1.0, least)):
        for k in range(len(a)):
            for j in range(n):
                block = np.zeros((cells, cells + 1))
                i = np.arange(cells)
                block[i, i] = sign * (0.5 * b[k][:, j] - a[k][:, j] / (2.0 * h))
                block[i, i + 1] = sign * (0.5 * b[k][:, j] + a[k][:, j] / (2.0 * h))
                rows.append(block)
                right.append(sign * edge[k][:, j])
    slope = np.abs(path.state(r).dq) / limits.max_speed
    top = 1.0 / np.max(slope, axis=1) ** 2
    top[[0, -1]] = 0.0
    found = linprog(
        -np.ones(cells + 1),
        A_ub=np.concatenate(rows),
        b_ub=np.concatenate(right),
        bounds=[(0.0, x) for x in top],
    )
    root = np.sqrt(found.x)
    return float(np.sum(2.0 * h / (root[1:] + root[:-1])))


@pytest.mark.parametrize("efforts", [False, True])
def test_no_motion_is_faster_than_a_linear_programme_says(efforts):
    rng = np.random.default_rng(4)
    limits = JointLimits.of(ARM)
    model = Model(ARM)
    if efforts:
        q = rng.uniform(-1.5, 1.5, (500, ARM.dof))
        weight = np.max(np.abs(model.gravity_torques(q)), axis=0)
        hard = np.abs(model.torques(q, 0.0 * q, np.broadcast_to(limits.max_acceleration, q.shape)))
        limits = replace(limits, max_effort=1.2 * weight + 0.3 * np.max(hard, axis=0))
    path = random_path(np.random.default_rng(9), -1.0, 1.0, limits.max_speed, 3)
    (found,) = time_optimal([path], limits, model)
    programme = least_time_of_a_programme(path, limits, model if efforts else None)
    assert abs(found.duration / programme - 1.0) < 0.01  # 400 cells, switches within one
    assert found.shortest <= programme * 1.01


def test_the_bound_is_below_every_finer_motion():
    rng = np.random.default_rng(5)
    limits = random_limits(rng, 4)
    paths = [random_path(rng, -1.5, 1.5, limits.max_speed) for _ in range(5)]
    coarse, fine = (time_optimal(paths, limits, gap=gap) for gap in (0.02, 1e-3))
    for one, other in zip(coarse, fine, strict=True):
        assert one.shortest <= other.duration * (1.0 + 1e-12)
        assert other.shortest <= one.duration * (1.0 + 1e-12)
        assert other.gap <= 1e-3


def test_refusals():
    limits = JointLimits.of(ARM)
    path = JointPath.blended(np.array([np.zeros(5), np.ones(5)]), np.zeros(0), limits.max_speed)
    with pytest.raises(MotionError, match=r"The path has 5 joints; there are limits for 1\."):
        time_optimal([path], JointLimits(max_speed=np.ones(1), max_acceleration=np.ones(1)))
    weak = replace(limits, max_effort=np.full(5, 10.0))
    with pytest.raises(MotionError, match="masses are not known"):
        time_optimal([path], weak)
    with pytest.raises(
        OverloadError, match=r"joint q2 bears .* N m at the lowest speeds"
    ) as caught:
        time_optimal([path], weak, Model(ARM))
    assert caught.value.facts["joint"] == 1
    assert time_optimal([], limits) == []
