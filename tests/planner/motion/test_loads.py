"""Loads: peaks and energies against dense samples, brute force and conservation of energy."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar

from planner.motion.extremes import Scope
from planner.motion.loads import reversed_loads, stretch_loads
from planner.plan import SegmentKind
from planner.planning import plan
from planner.touch.lines import LineMotions
from robots.core.model import Model
from tests.cases import some


@pytest.fixture(scope="module")
def stretches(corrected):
    """Model, motions, durations and exact loads of probing lines, retracts and travel."""
    trajectory = corrected.trajectory
    found = []
    for stretch in trajectory.stretches:
        T = trajectory.durations[stretch.segment]
        loads = stretch_loads(trajectory.model, stretch.motions, T, Scope.EACH)
        found.append((trajectory.model, stretch.motions, T, loads))
    return found


def at(stretch, k, piece, x):
    """Speeds, accelerations and torques of motion k inside a piece."""
    model, motions, T, _ = stretch
    x = np.atleast_1d(x)
    index = np.full(x.size, k)
    path = motions.states(index, motions.law_state(index, np.full(x.size, piece), x))
    qd, qdd = path.dq / T[k], path.ddq / T[k] ** 2
    return qd, qdd, model.torques(path.q, qd, qdd)


def share(stretch, k, piece):
    """Seconds that a piece lasts."""
    _, motions, T, _ = stretch
    ends = motions.law_state(np.full(2, k), np.full(2, piece), np.array([0.0, 1.0])).s
    return (ends[1] - ends[0]) * T[k]


def refined(function, x):
    """Largest value near dense samples, by SciPy's bounded search around the best ones."""
    values = function(x)
    best = values.max()
    for i in np.unique(np.argsort(values)[-3:]):
        box = (x[max(i - 1, 0)], x[min(i + 1, x.size - 1)])
        found = minimize_scalar(
            lambda u: -function(np.array([u]))[0],
            bounds=box,
            method="bounded",
            options={"xatol": 1e-9},
        )
        best = max(best, -found.fun)
    return best


QUANTITIES = {
    "speed": lambda qd, _qdd, _tau: np.abs(qd),
    "acceleration": lambda _qd, qdd, _tau: np.abs(qdd),
    "torque": lambda _qd, _qdd, tau: np.abs(tau),
    "power": lambda qd, _qdd, tau: np.abs(tau * qd),
}


@pytest.mark.parametrize("name", QUANTITIES)
@pytest.mark.parametrize("which", some([0, 1, 2], gate=2))
def test_peaks_of_every_motion(stretches, which, name):
    stretch = stretches[which]
    _, motions, _, loads = stretch
    x = np.linspace(0.0, 1.0, 401)
    for k in (0, 2, motions.count - 1):
        for j in range(4):  # q5's torque is rounding only
            dense, exact = 0.0, 0.0
            for piece in range(motions.pieces):

                def value(u, piece=piece, j=j, k=k):
                    return QUANTITIES[name](*at(stretch, k, piece, u))[:, j]

                dense = max(dense, value(x).max())
                exact = max(exact, refined(value, x))
            peak = getattr(loads, name)[k, j]
            assert peak >= dense * (1.0 - 1e-13)
            assert peak == pytest.approx(exact, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_total_power(stretches, which):
    stretch = stretches[which]
    _, motions, _, loads = stretch
    x = np.linspace(0.0, 1.0, 401)
    for k in range(motions.count):
        totals = []
        for piece in range(motions.pieces):
            qd, _, tau = at(stretch, k, piece, x)
            totals.append(np.sum(qd * tau, axis=1))
        # Samples 1/400 of a piece apart miss a hill's top by 1e-5 of it.
        assert loads.most_power[k] == pytest.approx(np.max(totals), rel=1e-4)
        assert loads.least_power[k] == pytest.approx(np.min(totals), rel=1e-4)
        assert loads.most_power[k] >= np.max(totals) - 1e-10
        assert loads.least_power[k] <= np.min(totals) + 1e-10


def power_integrals(stretch, k, j):
    """Of positive power, power and squared torque of joint j over motion k, by SciPy."""
    x = np.linspace(0.0, 1.0, 2001)
    sums = np.zeros(3)
    for piece in range(stretch[1].pieces):

        def power(u, piece=piece):
            qd, _, tau = at(stretch, k, piece, u)
            return float(qd[0, j] * tau[0, j])

        def torque_squared(u, piece=piece):
            return float(at(stretch, k, piece, u)[2][0, j]) ** 2

        qd, _, tau = at(stretch, k, piece, x)
        signs = np.sign((qd * tau)[1:-1, j])
        changes = np.nonzero(signs[:-1] * signs[1:] < 0)[0] + 1
        roots = [brentq(power, x[i], x[i + 1], xtol=1e-13) for i in changes]
        parts = [quad(power, a, b, epsrel=1e-12)[0] for a, b in pairwise([0.0, *roots, 1.0])]
        squares = quad(torque_squared, 0.0, 1.0, epsrel=1e-12)[0]
        sums += share(stretch, k, piece) * np.array(
            [sum(p for p in parts if p > 0.0), sum(parts), squares]
        )
    return sums


@pytest.mark.parametrize("which", [0, 1, 2])
def test_energies_against_quadrature(stretches, which):
    stretch = stretches[which]
    loads = stretch[3]
    for k in (1, stretch[1].count - 1):
        for j in range(3):
            positive, work, squared = power_integrals(stretch, k, j)
            assert loads.delivered[k, j] == pytest.approx(positive, rel=1e-9)
            # Net work may nearly cancel: the energy delivered is its measure.
            assert loads.work[k, j] == pytest.approx(work, abs=1e-9 * max(positive, abs(work)))
            assert loads.torque_squared[k, j] == pytest.approx(squared, rel=1e-9)


def test_net_work_is_the_change_of_potential_energy(stretches, corrected):
    """Rest to rest without friction, motion by motion."""
    for model, motions, _, loads in stretches:
        index = np.arange(motions.count)
        ends = [
            motions.states(index, motions.law_at(index, np.full(index.size, s))).q
            for s in (0.0, 1.0)
        ]
        rest = np.zeros((index.size, 5))
        before, after = (model.energies(q, rest).potential for q in ends)
        size = loads.delivered.sum(axis=1).max()
        assert loads.work.sum(axis=1) == pytest.approx(after - before, abs=1e-9 * size)
    model = stretches[0][0]
    q = np.stack(
        [corrected.planned_points[0].q_clearance, corrected.planned_points[-1].q_clearance]
    )
    potential = model.energies(q, np.zeros((2, 5))).potential
    assert corrected.totals.net_work == pytest.approx(potential[1] - potential[0], rel=1e-9)


def test_scope_function_has_the_same_largest_peaks(stretches):
    for model, motions, T, each in stretches:
        quick = stretch_loads(model, motions, T, Scope.FUNCTION)
        for name in QUANTITIES:
            expected = getattr(each, name).max(axis=0)
            assert getattr(quick, name).max(axis=0) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert quick.most_power.max() == pytest.approx(each.most_power.max(), rel=1e-12)
        assert quick.least_power.min() == pytest.approx(each.least_power.min(), rel=1e-12)


def test_a_retract_is_its_line_run_backwards(stretches):
    mirrored, computed = reversed_loads(stretches[0][3]), stretches[1][3]
    for name in mirrored.__slots__:
        assert getattr(mirrored, name) == pytest.approx(
            getattr(computed, name), rel=1e-9, abs=1e-11
        )


def test_friction_makes_a_retract_a_load_of_its_own(change, with_joints, corrected):
    arm = with_joints(corrected.job.mechanism, viscous=[3.0] * 5, coulomb=[2.0] * 5)
    made = plan(change(mechanism=arm))
    assert made.totals.net_work > corrected.totals.net_work + 1.0
    # Work of the drives = change of potential energy + what friction took.
    state = made.trajectory.sample(1e-4)
    lost = np.trapezoid(np.sum(3.0 * state.qd**2 + 2.0 * np.abs(state.qd), axis=1), state.t)
    expected = corrected.totals.net_work + lost
    assert made.totals.net_work == pytest.approx(expected, rel=1e-4)  # samples 0.1 ms apart


def test_totals_are_those_of_the_parts(corrected, stretches):
    parts = [loads for *_, loads in stretches]
    for j, joint in enumerate(corrected.joint_loads):
        peak = max(loads.torque[:, j].max() for loads in parts)
        assert joint.peak_torque == pytest.approx(peak, rel=1e-12, abs=1e-12)
        squares = sum(loads.torque_squared[:, j].sum() for loads in parts)
        rms = np.sqrt(squares / corrected.totals.duration)
        assert joint.rms_torque == pytest.approx(rms, rel=1e-12, abs=1e-15)
        assert joint.energy >= max(joint.net_work, 0.0)
    assert corrected.totals.energy == pytest.approx(sum(j.energy for j in corrected.joint_loads))
    assert corrected.totals.net_work == pytest.approx(
        sum(j.net_work for j in corrected.joint_loads)
    )


def test_a_dwell_holds_the_arm_against_gravity(change, corrected):
    """Squares of the motion and of holding still add up."""
    made = plan(change(touch={"settle": 3.0}))
    model = Model(made.job.mechanism)
    dwells = [k for k, s in enumerate(made.timeline) if s.kind is SegmentKind.DWELL]
    t = np.array([made.timeline[k].start for k in dwells])
    q = made.trajectory.segment_state(np.array(dwells), t).q
    held = 3.0 * np.sum(model.gravity_torques(q) ** 2, axis=0)
    for joint, moving, still in zip(made.joint_loads, corrected.joint_loads, held, strict=True):
        squares = moving.rms_torque**2 * corrected.totals.duration + still
        expected = np.sqrt(squares / made.totals.duration)
        assert joint.rms_torque == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert joint.energy == pytest.approx(moving.energy, rel=1e-12, abs=1e-15)


def test_no_motion_has_no_loads(stretches):
    model, motions, _, _ = stretches[0]
    none = replace_lines(motions)
    loads = stretch_loads(model, none, np.zeros(0))
    assert loads.speed.shape == (0, 5)
    assert loads.delivered.shape == (0, 5)


def replace_lines(motions):
    lines = motions.lines.take(np.zeros(0, dtype=np.int64))
    return LineMotions(lines, "quintic")
